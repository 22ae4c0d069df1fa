//! Unit tests of `src/commands/server.rs`.

use super::*;

#[test]
fn only_the_words_y_and_yes_count_as_consent() {
    for yes in ["y\n", "Yes\r\n", " YES "] {
        assert!(is_yes(yes), "{yes:?}");
    }
    for no in ["\n", "", "n\n", "no", "yeah, later", "yes no", "ye"] {
        assert!(!is_yes(no), "{no:?}");
    }
}
