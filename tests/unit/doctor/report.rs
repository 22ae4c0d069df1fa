//! Unit tests of `src/doctor/report.rs`.

use super::*;

async fn slow<T>(found: Finding<T>) -> Finding<T> {
    tokio::time::sleep(Duration::from_millis(1300)).await;
    found
}

#[tokio::test(start_paused = true)]
async fn progress_is_shown_on_a_terminal_and_cleared_again() {
    let (mut out, mut terminal) = (Vec::new(), Vec::new());
    let mut report = Report::new(&mut out, Screen::default(), Some(&mut terminal), false);
    let done = report.check(Check::Tcp, slow(Ok(("open".to_owned(), 7)))).await;
    assert!(matches!(done, Ok(7)));
    drop(report);
    assert_eq!(String::from_utf8(out).unwrap(), "✓ TCP: open\n");
    let terminal = String::from_utf8(terminal).unwrap();
    assert!(terminal.starts_with("\r\x1b[K… TCP (0 s)"), "{terminal:?}");
    assert!(
        terminal.ends_with("… TCP (1 s)\r\x1b[K… TCP (1 s)\r\x1b[K"),
        "{terminal:?}"
    );
}

#[test]
fn a_terminal_gets_colors_and_lines_that_fit() {
    let mut out = Vec::new();
    let screen = Screen {
        width: Some(20),
        colors: true,
    };
    let mut report = Report::new(&mut out, screen, None::<Vec<u8>>, false);
    let found = report.record(Check::Tcp, Ok(("port 1883 is open".to_owned(), ())));
    assert!(found.is_ok());
    assert_eq!(
        String::from_utf8(out).unwrap(),
        "\u{1b}[32m✓\u{1b}[0m TCP: port 1883 is\n  open\n"
    );
}
