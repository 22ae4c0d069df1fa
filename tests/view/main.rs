//! Tests of the `view` command. The real program runs with the demo house, and plain HTTP requests replace the
//! browser. The tests check who is let in, and what the house did.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs
)]

mod support;

use std::io::{Read, Write};
use std::net::TcpStream;
#[cfg(target_os = "linux")]
use std::os::unix::fs::PermissionsExt;
#[cfg(target_os = "linux")]
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use support::{Browser, View};

/// Every path that the view serves, below its folder.
const PATHS: [&str; 6] = [
    "",
    "host.js",
    "host.css",
    "page",
    "request",
    "changes?seen=1",
];

#[test]
fn the_address_lets_in_only_the_first_browser_and_redirects_it_to_the_folder() {
    let view = View::start(&[]);
    let reply = view.get(&view.entrance, &[]);
    assert_eq!(reply.status, 303, "{reply:?}");
    assert_eq!(reply.header("location"), Some(view.folder.as_str()));
    let cookie = reply.header("set-cookie").unwrap();
    let (cookie, rules) = cookie.split_once(';').unwrap();
    let folder = &view.folder;
    assert!(folder.len() > 60, "{folder}");
    assert_eq!(rules, format!(" Path={folder}; HttpOnly; SameSite=Lax"));
    assert!(!view.entrance.contains(cookie.split_once('=').unwrap().1));

    let again = view.get(&view.entrance, &[]);
    assert_eq!((again.status, again.header("set-cookie")), (403, None));
    assert!(again.body.contains("has already been used"), "{again:?}");
    let inside = view.get(folder, &[("Cookie", cookie)]);
    assert_eq!(inside.status, 200, "{inside:?}");
    assert!(inside.body.contains("<iframe"), "{inside:?}");
    // A browser that was let in may open the used address again.
    let back = view.get(&view.entrance, &[("Cookie", cookie)]);
    assert_eq!(
        (back.status, back.header("location")),
        (303, Some(folder.as_str()))
    );
}

#[test]
fn requests_without_the_cookie_are_refused() {
    let view = View::start(&[]);
    let browser = view.enter();
    let other = View::start(&[]).enter();
    let switch_on = support::switch_request("on");
    let shortened = &browser.cookie[..browser.cookie.len() - 1];
    for cookie in ["", "zwave-view=1", shortened, &other.cookie] {
        for path in PATHS {
            let reply = view.get(&view.path(path), &[("Cookie", cookie)]);
            assert_eq!(reply.status, 403, "{path}: {reply:?}");
            assert_eq!(reply.body.lines().count(), 1, "{reply:?}");
            let origin = view.origin();
            let headers = [("Cookie", cookie), ("Origin", &origin)];
            let reply = view.post(&view.path("request"), &headers, &switch_on);
            assert_eq!(reply.status, 403, "{reply:?}");
        }
    }
    assert_eq!(view.get(&view.path("?token=0"), &[]).status, 403);
    // Nothing is served outside the folder, even with a valid cookie.
    for path in ["/", "/page", "/favicon.ico", "/?token=0"] {
        let reply = view.get(path, &[("Cookie", &browser.cookie)]);
        assert_eq!(reply.status, 403, "{path}: {reply:?}");
    }
    for path in ["favicon.ico", "../Cargo.toml", "page/x", "/"] {
        let reply = browser.get(path);
        assert_eq!(
            (reply.status, reply.body.lines().count()),
            (404, 1),
            "{path}"
        );
    }
    assert_eq!(browser.read_lamp(), "off");
}

#[test]
fn a_foreign_host_name_is_refused_and_does_not_use_up_the_token() {
    let view = View::start(&[]);
    let port = view.port;
    for host in [
        format!("evil.example:{port}"),
        format!("127.0.0.1.evil.example:{port}"),
        "127.0.0.1".to_owned(),
        format!("[::1]:{port}"),
    ] {
        let reply = view.get(&view.entrance, &[("Host", &host)]);
        assert_eq!(
            (reply.status, reply.header("set-cookie")),
            (403, None),
            "{host}"
        );
    }
    let browser = view.enter();
    let cookie = ("Cookie", browser.cookie.as_str());
    for path in PATHS {
        let elsewhere = format!("evil.example:{port}");
        let reply = view.get(&view.path(path), &[cookie, ("Host", &elsewhere)]);
        assert_eq!(reply.status, 403, "{path}");
    }
    let here = format!("localhost:{port}");
    let local = view.get(&view.folder, &[cookie, ("Host", &here)]);
    assert_eq!(local.status, 200, "{local:?}");
    // The view does not listen on another address of this machine.
    TcpStream::connect(("127.0.0.2", port)).unwrap_err();
}

#[test]
fn idle_connections_do_not_keep_the_browser_waiting() {
    let view = View::start(&[]);
    let idle: Vec<_> = (0..200)
        .map(|_| TcpStream::connect(("127.0.0.1", view.port)).unwrap())
        .collect();
    let start = Instant::now();
    let browser = view.enter();
    assert_eq!(browser.read_lamp(), "off");
    assert!(start.elapsed() < Duration::from_secs(5));
    drop(idle);
}

#[test]
fn the_connection_of_a_refused_request_is_closed() {
    let view = View::start(&[]);
    let mut stream = TcpStream::connect(("127.0.0.1", view.port)).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let head = format!("GET / HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", view.port);
    stream.write_all(head.as_bytes()).unwrap();
    let mut reply = String::new();
    stream.read_to_string(&mut reply).unwrap();
    assert!(reply.starts_with("HTTP/1.1 403"), "{reply}");
}

#[test]
fn requests_from_other_origins_change_nothing() {
    let view = View::start(&[]);
    let browser = view.enter();
    let switch_on = support::switch_request("on");
    for origin in [
        "",
        "null",
        "http://evil.example",
        "http://127.0.0.1",
        "http://127.0.0.1:1",
        &view.origin().replace("127.0.0.1", "localhost"),
        &view.origin().replace("http:", "https:"),
    ] {
        let mut headers = vec![("Cookie", browser.cookie.as_str())];
        // The empty text stands for a request without the header.
        if !origin.is_empty() {
            headers.push(("Origin", origin));
        }
        let reply = view.post(&view.path("request"), &headers, &switch_on);
        assert_eq!(reply.status, 403, "{origin}: {reply:?}");
    }
    assert_eq!(browser.get("request").status, 404);
    assert_eq!(browser.read_lamp(), "off");
}

#[test]
fn the_view_serves_the_page_of_the_server_in_a_sandbox_that_allows_only_scripts() {
    let view = View::start(&["--guard=confirm"]);
    let browser = view.enter();
    let page = browser.get("page");
    assert_eq!(page.status, 200);
    assert!(page.body.contains("data-controls=\"all\" data-guard=\"confirm\""));
    let read = browser.ask("resources/read", &json!({ "uri": "ui://zwave/house" }));
    assert_eq!(read["result"]["contents"][0]["text"], page.body.as_str());
    let policy = page.header("content-security-policy").unwrap();
    for rule in [
        "default-src 'none'",
        "frame-ancestors 'self'",
        "sandbox allow-scripts",
    ] {
        assert!(policy.contains(rule), "{policy}");
    }
    assert!(!policy.contains("connect-src") && !policy.contains("allow-same-origin"));
    let host = browser.get("");
    assert!(
        host.body.contains("sandbox=\"allow-scripts\""),
        "{}",
        host.body
    );
    let policy = host.header("content-security-policy").unwrap();
    for rule in [
        "default-src 'none'",
        "frame-ancestors 'none'",
        "frame-src 'self'",
    ] {
        assert!(policy.contains(rule), "{policy}");
    }
    assert!(!policy.contains("unsafe"), "{policy}");
    for path in PATHS {
        let reply = browser.get(path);
        assert_eq!(reply.header("cache-control"), Some("no-store"), "{path}");
        assert_eq!(
            reply.header("x-content-type-options"),
            Some("nosniff"),
            "{path}"
        );
    }
}

#[test]
fn the_page_can_control_devices_and_read_the_house() {
    let view = View::start(&[]);
    let browser = view.enter();
    assert_eq!(browser.read_lamp(), "off");
    let answer = browser.ask_text(&support::switch_request("on"));
    let result = &answer["result"];
    assert_eq!(
        result["_meta"]["zwave-mcp-server/certainty"], "confirmed",
        "{answer}"
    );
    assert_eq!(browser.read_lamp(), "on");
    let dim = json!({ "deviceName": "Kitchen Ceiling", "action": "dim", "level": 65 });
    browser.call(&dim);
    let ceiling = browser.read_device("Kitchen Ceiling");
    assert_eq!(ceiling["current"], json!({ "on": true, "level": 65 }));
    let list = json!({ "name": "list_zwave_devices", "arguments": { "filter": "hall" } });
    let listed = browser.ask("tools/call", &list);
    let text = listed["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("Front Door"), "{text}");
    // If the server refuses a call, the page receives a result and not an error.
    let refused = browser.call(&json!({ "deviceName": "Attic Ghost", "action": "on" }));
    assert_eq!(refused["result"]["isError"], true, "{refused}");
}

#[test]
fn requests_that_the_page_does_not_need_are_refused() {
    let view = View::start(&[]);
    let browser = view.enter();
    for (method, params) in [
        ("tools/list", json!({})),
        ("tools/call", json!({ "name": "other", "arguments": {} })),
        ("resources/list", json!({})),
        (
            "resources/read",
            json!({ "uri": "zwave://devices/Office/Ceiling" }),
        ),
        ("resources/read", json!({ "uri": "file:///etc/passwd" })),
        ("server/discover", json!({})),
    ] {
        let answer = browser.ask(method, &params);
        let sentence = &answer["error"]["message"];
        assert_eq!(sentence, "The page is not allowed to do that.", "{method}");
    }
    for (body, status) in [
        ("x".repeat(100_000), 413),
        ("x".to_owned(), 400),
        ("[]".to_owned(), 400),
        (String::new(), 400),
    ] {
        let reply = browser.post(&body);
        assert_eq!(
            (reply.status, reply.body.lines().count()),
            (status, 1),
            "{reply:?}"
        );
    }
    assert_eq!(browser.read_lamp(), "off", "the view still serves");
}

const FRONT_DOOR: &str = "Hall Front Door";

fn read_locked(browser: &Browser) -> Json {
    browser.read_device(FRONT_DOOR)["current"]["locked"].clone()
}

#[test]
fn a_guarded_action_asks_the_person_and_needs_a_yes() {
    let view = View::start(&["--guard=confirm"]);
    let browser = view.enter();
    let unlock = json!({ "deviceName": FRONT_DOOR, "action": "unlock" });
    let params = json!({ "name": "control_zwave_device", "arguments": unlock });
    let answer_question = |ask: &Json, accept: bool| {
        let (yes, state) = (&ask["yes"], &ask["state"]);
        let answered = json!({ "yes": yes, "state": state, "accept": accept });
        let again = json!({ "method": "tools/call", "params": params, "answered": answered });
        browser.ask_text(&again.to_string())
    };
    // The view ignores a consent that comes from the page itself.
    let mut forged = params.clone();
    forged["requestState"] = json!("consent-1");
    forged["inputResponses"] = json!({ "consent": { "action": "accept" } });
    for params in [&params, &forged, &forged] {
        let asked = browser.ask("tools/call", params);
        let message = asked["ask"]["message"].as_str().unwrap();
        assert_eq!(message, "Unlock Front Door?");
        assert_eq!(read_locked(&browser), true);
    }
    let asked = browser.ask("tools/call", &params);
    let answer = answer_question(&asked["ask"], false);
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    assert_eq!(read_locked(&browser), true);
    let asked = browser.ask("tools/call", &params);
    let answer = answer_question(&asked["ask"], true);
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    assert_eq!(read_locked(&browser), false);
}

#[test]
fn server_options_apply_to_the_view() {
    let view = View::start(&["--read-only", "--hide=kitchen/*"]);
    let browser = view.enter();
    assert!(browser.get("page").body.contains("data-controls=\"none\""));
    let answer = browser.ask_text(&support::switch_request("on"));
    let sentence = answer["error"]["message"].as_str().unwrap();
    assert!(sentence.contains("read-only"), "{sentence}");
    assert_eq!(browser.read_lamp(), "off");
    assert!(!browser.read_house().to_string().contains("Kitchen"));
    let view = View::start(&[]);
    let browser = view.enter();
    let open = json!({ "deviceName": "Garage Door", "action": "open" });
    let answer = browser.call(&open);
    let refusal = &answer["result"]["_meta"]["zwave-mcp-server/reason"];
    assert_eq!(refusal, "guarded", "{answer}");
    assert_eq!(
        browser.read_device("Garage Garage Door")["current"],
        json!({ "position": 0 })
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_change_of_the_house_is_reported_to_the_browser() {
    let view = View::start(&[]);
    let browser = view.enter();
    // The reply comes at once, because `seen` is not the current count.
    let count = browser.get("changes?seen=999").body;
    let mut on = false;
    support::eventually("a change is counted", || {
        on = !on;
        browser.ask_text(&support::switch_request(if on { "on" } else { "off" }));
        browser.get("changes?seen=999").body != count
    });
    for wrong in [
        "changes",
        "changes?seen=",
        "changes?seen=x",
        "changes?seen=-1",
    ] {
        assert_eq!(browser.get(wrong).status, 400, "{wrong}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_dead_server_is_restarted_and_ctrl_c_ends_all_servers() {
    let mut view = View::start(&[]);
    let browser = view.enter();
    let before = view.children();
    assert_eq!(before.len(), 1);
    support::kill(before[0], "KILL");
    assert_eq!(browser.read_lamp(), "off");
    let after = view.children();
    assert!(after != before && !after.is_empty(), "{before:?} {after:?}");
    support::kill(view.id(), "INT");
    assert_eq!(view.wait_for_exit(), Some(0));
    for child in after {
        assert!(!support::process_exists(child), "{child} outlives the view");
    }
    TcpStream::connect(("127.0.0.1", view.port)).unwrap_err();
}

#[cfg(target_os = "linux")]
#[test]
fn the_address_is_opened_in_the_browser_unless_the_option_no_open_is_given() {
    let folder = tempfile::tempdir().unwrap();
    let opened = folder.path().join("opened");
    let browser = support::write_program(folder.path(), &format!("echo \"$1\" > {opened:?}"));
    let without_browser = View::start_with(&["--no-open"], &[("BROWSER", &browser)]);
    without_browser.enter();
    assert!(!opened.exists());
    let view = View::start_with(&[], &[("BROWSER", &browser)]);
    support::eventually("the browser is opened", || opened.exists());
    let given = std::fs::read_to_string(&opened).unwrap();
    // Everybody can read the arguments of a process, so they lead to a private file that leads to the address.
    let (_, token) = view.entrance.split_once('?').unwrap();
    assert!(!given.contains(token), "{given}");
    let redirect = PathBuf::from(given.trim().trim_start_matches("file://"));
    assert_eq!(
        redirect.metadata().unwrap().permissions().mode() & 0o777,
        0o600
    );
    let page = std::fs::read_to_string(&redirect).unwrap();
    let address = format!("url={}{}\"", view.origin(), view.entrance);
    assert!(page.contains(&address), "{page}");
    view.enter();
    support::kill(view.id(), "INT");
    support::eventually("the file is removed", || !redirect.exists());
}
