//! Unit tests of `src/bin/zwave-assistant/speaker.rs`.

use super::*;

#[tokio::test(flavor = "current_thread")]
async fn hanging_command_is_killed_after_the_timeout() {
    let limit = Duration::from_millis(50);
    let hanging_command = if cfg!(windows) {
        "ping -n 1000 127.0.0.1"
    } else {
        "sleep 1000"
    };
    let spoken = speak(hanging_command, "Done.", limit).await;
    assert_eq!(spoken, Err("it did not end within 0 s".to_owned()));
}

#[tokio::test(flavor = "current_thread")]
async fn command_is_run_as_typed_with_the_answer_on_stdin() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a file");
    // The full path, because Unix shells on Windows have another program that is called `find`.
    let reader = if cfg!(windows) {
        "%SystemRoot%\\System32\\find.exe \"a\""
    } else {
        "cat"
    };
    let command = format!("{reader} > \"{}\"", file.display());
    let spoken = speak(&command, "The lamp is on.", SPEAK_TIMEOUT).await;
    assert_eq!(spoken, Ok(()));
    let heard = std::fs::read_to_string(file).unwrap();
    assert_eq!(heard.trim_end(), "The lamp is on.");
}

#[tokio::test(flavor = "current_thread")]
async fn exit_status_of_a_failed_command_is_reported() {
    let spoken = speak("exit 3", "Done.", SPEAK_TIMEOUT).await;
    assert!(spoken.unwrap_err().contains('3'));
}
