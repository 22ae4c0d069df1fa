//! Servers and models that end, or come back, in the middle of a sentence, or never really begin. Signals end it and
//! shells play it, which is why this is of unix.

use std::path::Path;
use std::process::Stdio;

use serde_json::{Value as Json, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::Child;
use tokio::time::timeout;

use crate::fixture::{Ended, eventually, signal};
use crate::house::{LONG, assistant, run};
use crate::stand_in::{Answer, End, StandIn};

/// Nothing that a plain command would be.
const SENTENCE: &str = "I could do with something hot to drink now";

fn terminate(child: &Child) {
    signal(child.id().unwrap(), "TERM");
}

async fn output(child: Child) -> Ended {
    let output = timeout(LONG, child.wait_with_output()).await;
    output.expect("it does not end").unwrap().into()
}

#[tokio::test]
async fn a_signal_in_the_middle_of_a_sentence_leaves_one_json_object_that_says_so() {
    let silent = Answer {
        end: End::Silent,
        ..Answer::stream("application/x-ndjson", Vec::<String>::new())
    };
    let model = StandIn::new([silent]).await;
    let environment = [("OLLAMA_HOST", model.address.as_str())];
    let arguments = ["ask", "--demo", "--json", SENTENCE];
    let asking = assistant(&arguments, &environment).spawn().unwrap();
    eventually("the model is asked", async || !model.requests().is_empty()).await;
    terminate(&asking);
    let asked = output(asking).await;
    let error = asked.json()["error"].as_str().unwrap().to_owned();
    assert!(error.starts_with("Stopped"), "{asked:?}");
    assert_eq!((asked.code, asked.err.as_str()), (Some(1), ""), "{asked:?}");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_reader_that_reads_nothing_keeps_nobody_from_ending_it() {
    use std::io::Write;

    let (_unread, mut full) = std::io::pipe().unwrap();
    // As much as a pipe holds (pipe(7)).
    full.write_all(&vec![b'\n'; 65_536]).unwrap();
    let mut listening = assistant(&["listen", "--demo"], &[])
        .stdin(Stdio::piped())
        .stdout(full)
        .spawn()
        .unwrap();
    let mut stdin = listening.stdin.take().unwrap();
    stdin.write_all(b"turn on the coffee machine\n").await.unwrap();
    drop(stdin);
    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    assert!(listening.try_wait().unwrap().is_none(), "it has printed");
    terminate(&listening);
    let ended = timeout(LONG, listening.wait()).await;
    assert_eq!(ended.expect("it does not end").unwrap().code(), Some(0));
}

/// A file of servers with one that a shell plays, which sees a key: it shakes hands, and answers other
/// requests as these cases say.
fn played(folder: &Path, cases: &str) -> String {
    let script = r#"while read -r line; do
        id=$(printf %s "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
        case $line in
        *'"initialize"'*) result='"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"a","version":"0"}}' ;;
        CASES
        esac
        [ -z "$id" ] || printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$id" "$result"
        case $line in *'"tools/call"'*) exit 3 ;; esac
    done"#;
    let script = script.replace("CASES", cases);
    let server = json!({
        "command": "sh", "args": ["-c", format!("PATH=/usr/bin:/bin; {script}")],
        "env": { "MY_KEY": "k-secret" },
    });
    let file = folder.join("servers.json");
    std::fs::write(&file, json!({ "mcpServers": { "a": server } }).to_string()).unwrap();
    file.to_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_server_that_does_not_tell_its_tools_is_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let none = r#"*) result='"error":{"code":-32601,"message":"no such method"}' ;;"#;
    let file = played(folder.path(), none);
    let asked = run(&["ask", "--mcp-config", &file, "on"], &[]).await;
    assert_eq!((asked.code, asked.out.as_str()), (Some(1), ""), "{asked:?}");
    assert!(
        asked.err.contains("The server a is not there: no such method"),
        "{asked:?}"
    );
}

/// A model's reply with calls.
fn message(text: &str, calls: Json) -> Answer {
    let line = json!({ "message": { "content": text, "tool_calls": calls }, "done": true });
    Answer::stream("application/x-ndjson", [format!("{line}\n")])
}

fn brew() -> Json {
    json!([{ "function": { "name": "brew", "arguments": {} } }])
}

/// A server whose first life ends with its first call, and whose second tells no tools.
fn short_lived(folder: &Path) -> String {
    let lived = folder.join("lived");
    let cases = r#"*'"tools/list"'*)
            if [ -e LIVED ]; then result='"error":{"code":-32601,"message":"its key '$MY_KEY' is wrong"}'
            else result='"result":{"tools":[{"name":"brew","inputSchema":{"type":"object"}}]}'; fi ;;
        *'"tools/call"'*) touch LIVED; result='"error":{"code":-32000,"message":"its key '$MY_KEY' is wrong"}' ;;"#;
    played(folder, &cases.replace("LIVED", lived.to_str().unwrap()))
}

#[tokio::test]
async fn a_server_that_comes_back_without_tools_keeps_nobody_from_being_answered() {
    let folder = tempfile::tempdir().unwrap();
    let file = short_lived(folder.path());
    let answers = [
        message("", brew()),
        message("It has failed.", json!([])),
        message("There is nothing.", json!([])),
    ];
    let model = StandIn::new(answers).await;
    let environment = [("OLLAMA_HOST", model.address.as_str())];
    let mut chatting = assistant(&["chat", "--mcp-config", &file], &environment)
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = chatting.stdin.take().unwrap();
    let mut stdout = BufReader::new(chatting.stdout.take().unwrap()).lines();
    let mut said = Vec::new();
    for answer in ["It has failed.", "There is nothing."] {
        stdin.write_all(format!("{SENTENCE}\n").as_bytes()).await.unwrap();
        loop {
            let line =
                timeout(LONG, stdout.next_line()).await.expect(answer).unwrap().expect(answer);
            said.push(line.clone());
            if line.contains(answer) {
                break;
            }
        }
    }
    drop(stdin);
    let ended = output(chatting).await;
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let requests = model.requests();
    assert_eq!(requests.len(), 3);
    let everything = format!("{said:?} {ended:?} {requests:?}");
    assert!(!everything.contains("k-secret"), "{everything}");
    assert!(everything.contains("its key *** is wrong"), "{everything}");
}

#[tokio::test]
async fn a_key_in_what_a_server_says_late_is_told_to_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let file = short_lived(folder.path());
    let model = StandIn::new([message("", brew()), Answer::error(500, "{}")]).await;
    let environment = [("OLLAMA_HOST", model.address.as_str())];
    let asked = run(
        &["ask", "--json", "--mcp-config", &file, SENTENCE],
        &environment,
    )
    .await;
    let json = asked.json();
    assert_eq!(json["calls"][0]["is_error"], true, "{json}");
    let everything = format!("{asked:?} {:?}", model.requests());
    assert!(!everything.contains("k-secret"), "{everything}");
    assert!(everything.contains("its key *** is wrong"), "{everything}");
}
