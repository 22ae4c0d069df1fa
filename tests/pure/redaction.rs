//! Secrets are hidden.

use zwave_mcp_server::client::Redactor;

#[test]
fn known_values_logins_and_queries_are_hidden() {
    let redactor = Redactor::new(["s3cret", "db://u:p@inner/x"]);
    for (text, clean) in [
        (
            "mqtt://me:s3cret@host:1883/x and s3cret, ok://a",
            "mqtt://***@host:1883/x and ***, ok://a",
        ),
        ("mqtt://a@b:c@host", "mqtt://***@host"),
        ("it is db://u:p@inner/x", "it is ***"),
        (
            "\"mqtt://host/?password=pw\" or mqtt://a@host?x=pw,y",
            "\"mqtt://host/?***\" or mqtt://***@host?***",
        ),
        ("mqtt://me:pw@a,mqtt://me:pw@b", "mqtt://***@a,mqtt://***@b"),
        ("mqtt://me:p/w?x@host/y?z=1 \"", "mqtt://***@host/y?*** \""),
        (
            "http://host:80/me@x http://host/a:b@x",
            "http://host:80/me@x http://host/a:b@x",
        ),
    ] {
        assert_eq!(redactor.redact_line(text), clean);
    }
}
