//! Unit tests of `src/doctor/shell.rs`.

use super::*;

#[test]
fn words_are_quoted_for_power_shell() {
    let quote = |word| PasteShell::PowerShell.quote(word);
    assert_eq!(quote(r"C:\tools\server.exe"), r"C:\tools\server.exe");
    assert_eq!(quote(""), "\"\"");
    assert_eq!(quote("50%"), "'50%'");
    assert_eq!(quote("it\u{2019}s $5"), "'it\u{2019}\u{2019}s $5'");
}
