//! Quotes words for the shell that a person pastes a command into.

/// The shell that a command is pasted into.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum PasteShell {
    /// Any POSIX shell.
    Posix,
    /// Windows PowerShell 5.1 or PowerShell 7.
    PowerShell,
}

impl PasteShell {
    /// The shell of this system.
    pub(super) const OF_THIS_SYSTEM: Self = if cfg!(windows) {
        Self::PowerShell
    } else {
        Self::Posix
    };

    /// Returns the shell's name as part of a heading; empty for a POSIX shell.
    pub(super) fn note(self) -> &'static str {
        match self {
            Self::Posix => "",
            Self::PowerShell => ", in PowerShell",
        }
    }

    /// Quotes a word if the shell requires it (POSIX XCU, section 2.2; PowerShell, `about_Quoting_Rules`).
    pub(super) fn quote(self, word: &str) -> String {
        let marks = match self {
            Self::Posix => "-_=/.:,@+%",
            // In PowerShell, a comma makes a list.
            Self::PowerShell => "-_=/.:+\\",
        };
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || marks.contains(letter);
        match self {
            // PowerShell drops an unquoted `--` from a script's arguments. npm installs `claude` as a script.
            Self::PowerShell if word == "--" => "\"--\"".to_owned(),
            _ if !word.is_empty() && word.chars().all(is_plain) => word.to_owned(),
            Self::Posix => format!("'{}'", word.replace('\'', "'\\''")),
            // Double quotes also work in cmd.
            Self::PowerShell
                if !word.contains(['"', '$', '`', '%', '\u{201c}', '\u{201d}', '\u{201e}']) =>
            {
                format!("\"{word}\"")
            }
            Self::PowerShell => format!("'{}'", escape_single_quotes(word)),
        }
    }
}

/// Doubles single quotes, to escape them. In PowerShell, typographic single quotes count, too.
fn escape_single_quotes(word: &str) -> String {
    let doubled = word.chars().flat_map(|letter| {
        let is_quote = matches!(letter, '\'' | '\u{2018}'..='\u{201b}');
        std::iter::repeat_n(letter, if is_quote { 2 } else { 1 })
    });
    doubled.collect()
}

#[cfg(test)]
#[path = "../../tests/unit/doctor/shell.rs"]
mod tests;
