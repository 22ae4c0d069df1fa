//! The tests of other suites talk to a server through a [`Session`]. The session notices a breach of the
//! protocol, even after the last answer that a test waits for.

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

use crate::fixture::Session;

/// Sends one request to a server that prints these lines and then closes its stdout.
async fn ask_server_that_prints(lines: &'static str) {
    let (host, server) = duplex(4096);
    let (host_reads, host_writes) = tokio::io::split(host);
    let mut session = Session::over(host_reads, host_writes);
    let answering = tokio::spawn(async move {
        let (mut reads, mut writes) = tokio::io::split(server);
        // Wait for the first byte of the request.
        reads.read_u8().await.unwrap();
        writes.write_all(lines.as_bytes()).await.unwrap();
    });
    let answer = session.request("ping", json!({})).await;
    assert_eq!(answer["result"], json!({}));
    answering.await.unwrap();
    session.wait_until_closed().await;
}

#[tokio::test]
async fn one_answer_to_one_request_is_accepted() {
    ask_server_that_prints("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n").await;
}

#[tokio::test]
#[should_panic(expected = "a second answer")]
async fn a_request_answered_twice_fails_the_test() {
    let twice = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n";
    ask_server_that_prints(twice).await;
}

#[tokio::test]
#[should_panic(expected = "not JSON")]
async fn a_line_of_text_after_the_answer_fails_the_test() {
    ask_server_that_prints("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\nbye\n").await;
}
