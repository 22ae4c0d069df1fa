//! Signals during an answer, and servers that fail to list their tools at the start or after a restart.
//!
//! The tests need Unix, because they send signals and run shell scripts as servers.

use std::path::Path;
use std::process::Stdio;

use serde_json::{Value as Json, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::Child;
use tokio::time::timeout;

use crate::fixture::{Ended, eventually, signal};
use crate::house::{LONG, SENTENCE, assistant, check_end, run, write_config};
use crate::stand_in::{Answer, End, StandIn};

fn terminate(child: &Child) {
    signal(child.id().unwrap(), "TERM");
}

async fn wait_for_output(child: Child) -> Ended {
    let output = timeout(LONG, child.wait_with_output()).await;
    output.expect("the program hangs").unwrap().into()
}

#[tokio::test]
async fn the_error_in_the_json_output_says_that_a_signal_stopped_the_answer() {
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
    let asked = wait_for_output(asking).await;
    let error = asked.json()["error"].as_str().unwrap().to_owned();
    assert!(error.starts_with("Stopped"), "{asked:?}");
    assert_eq!((asked.code, asked.err.as_str()), (Some(1), ""), "{asked:?}");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_signal_ends_the_program_even_if_nobody_reads_its_output() {
    use std::io::Write;

    let (_unread, mut full) = std::io::pipe().unwrap();
    // Fills the pipe, whose capacity is 64 KiB (pipe(7)).
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
    assert!(
        listening.try_wait().unwrap().is_none(),
        "the program has ended"
    );
    terminate(&listening);
    let ended = timeout(LONG, listening.wait()).await;
    assert_eq!(ended.expect("the program hangs").unwrap().code(), Some(0));
}

/// Writes a configuration file with one server, which is a shell script. `MY_KEY` is in its environment. The
/// script answers `initialize`; the branches in `cases` answer all other requests. After a tool call, the
/// script exits.
fn write_server(folder: &Path, cases: &str) -> String {
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
    write_config(folder, &server)
}

#[tokio::test]
async fn a_server_that_fails_to_list_its_tools_counts_as_missing() {
    let folder = tempfile::tempdir().unwrap();
    let cases = r#"*) result='"error":{"code":-32601,"message":"no such method"}' ;;"#;
    let file = write_server(folder.path(), cases);
    let asked = run(&["ask", "--mcp-config", &file, "on"], &[]).await;
    check_end(&asked, 1, "", "The server a is not there: no such method");
}

fn brew() -> Json {
    json!([{ "function": { "name": "brew", "arguments": {} } }])
}

/// Writes a configuration file with a server that answers a tool call with an error and exits. When the server is
/// started again, it fails to list its tools. Both errors contain the key.
fn write_short_lived_server(folder: &Path) -> String {
    let marker = folder.join("lived");
    let cases = r#"*'"tools/list"'*)
            if [ -e LIVED ]; then result='"error":{"code":-32601,"message":"its key '$MY_KEY' is wrong"}'
            else result='"result":{"tools":[{"name":"brew","inputSchema":{"type":"object"}}]}'; fi ;;
        *'"tools/call"'*) touch LIVED; result='"error":{"code":-32000,"message":"its key '$MY_KEY' is wrong"}' ;;"#;
    write_server(folder, &cases.replace("LIVED", marker.to_str().unwrap()))
}

#[tokio::test]
async fn sentences_are_still_answered_after_a_server_restarts_without_tools() {
    let folder = tempfile::tempdir().unwrap();
    let file = write_short_lived_server(folder.path());
    let answers = [
        Answer::ollama("", brew()),
        Answer::ollama("It has failed.", json!([])),
        Answer::ollama("There is nothing.", json!([])),
    ];
    let model = StandIn::new(answers).await;
    let environment = [("OLLAMA_HOST", model.address.as_str())];
    let mut chatting = assistant(&["chat", "--mcp-config", &file], &environment)
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = chatting.stdin.take().unwrap();
    let mut stdout = BufReader::new(chatting.stdout.take().unwrap()).lines();
    let mut printed = Vec::new();
    for answer in ["It has failed.", "There is nothing."] {
        stdin.write_all(format!("{SENTENCE}\n").as_bytes()).await.unwrap();
        loop {
            let line =
                timeout(LONG, stdout.next_line()).await.expect(answer).unwrap().expect(answer);
            printed.push(line.clone());
            if line.contains(answer) {
                break;
            }
        }
    }
    drop(stdin);
    let ended = wait_for_output(chatting).await;
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let requests = model.requests();
    assert_eq!(requests.len(), 3);
    let everything = format!("{printed:?} {ended:?} {requests:?}");
    assert!(!everything.contains("k-secret"), "{everything}");
    assert!(everything.contains("its key *** is wrong"), "{everything}");
}

#[tokio::test]
async fn a_key_in_the_error_of_a_tool_call_is_redacted() {
    let folder = tempfile::tempdir().unwrap();
    let file = write_short_lived_server(folder.path());
    let model = StandIn::new([Answer::ollama("", brew()), Answer::with_status(500, "{}")]).await;
    let environment = [("OLLAMA_HOST", model.address.as_str())];
    let arguments = ["ask", "--json", "--mcp-config", &file, SENTENCE];
    let asked = run(&arguments, &environment).await;
    let json = asked.json();
    assert_eq!(json["calls"][0]["is_error"], true, "{json}");
    let everything = format!("{asked:?} {:?}", model.requests());
    assert!(!everything.contains("k-secret"), "{everything}");
    assert!(everything.contains("its key *** is wrong"), "{everything}");
}
