//! Wraps text to the terminal's width, and styles it if the terminal has colors.

use std::io::{self, IsTerminal, Write};
#[cfg(windows)]
use std::os::windows::io::AsHandle as AsStream;

#[cfg(unix)]
use std::os::fd::AsFd as AsStream;

use anstyle::{AnsiColor, Style};
use terminal_size::terminal_size_of;
use textwrap::WordSplitter;

use super::printable;

/// No style.
pub const PLAIN: Style = Style::new();
/// Bold.
pub const BOLD: Style = Style::new().bold();
/// Faint.
pub const DIM: Style = Style::new().dimmed();
/// Red, for failures.
pub const RED: Style = AnsiColor::Red.on_default();
/// Green, for success.
pub const GREEN: Style = AnsiColor::Green.on_default();
/// Yellow, for doubt.
pub const YELLOW: Style = AnsiColor::Yellow.on_default();

/// The width and colors of a stream. The default is right for a stream that is not a terminal: text is not
/// wrapped, and has no colors.
#[derive(Clone, Copy, Debug, Default)]
pub struct Screen {
    /// The terminal's width, in columns; `None` if it is unknown.
    pub width: Option<usize>,
    /// True if the terminal shows colors.
    pub colors: bool,
}

impl Screen {
    /// Detects the width and colors of the stream's terminal, if it has one.
    pub fn of(stream: &(impl IsTerminal + AsStream)) -> Self {
        if !stream.is_terminal() {
            return Self::default();
        }
        let width = terminal_size_of(stream).map(|(width, _)| usize::from(width.0));
        let colors = wants_colors();
        Self { width, colors }
    }

    /// Wraps lines that are wider than the terminal.
    pub fn wrap(self, text: &str) -> String {
        self.wrap_under(text, "")
    }

    /// Wraps lines as [`wrap`](Self::wrap) does, and indents the continuation lines.
    pub fn wrap_under(self, text: &str, indent: &str) -> String {
        let Some(width) = self.width else {
            return text.to_owned();
        };
        // Keep commands, options and addresses whole, so that a person can copy them.
        let options = textwrap::Options::new(width)
            .subsequent_indent(indent)
            .word_splitter(WordSplitter::NoHyphenation)
            .break_words(false);
        textwrap::fill(text, options)
    }

    /// Prints untrusted prose, wrapped to the terminal's width.
    pub fn say(self, out: &mut impl Write, text: &str) -> io::Result<()> {
        writeln!(out, "{}", self.wrap(&printable(text)))
    }

    /// Returns the text in a style, if there are colors.
    pub fn style(self, text: &str, style: Style) -> String {
        if !self.colors || text.is_empty() {
            return text.to_owned();
        }
        format!("{style}{text}{style:#}")
    }
}

/// Returns false if `NO_COLOR` is set and not empty (<https://no-color.org>), or if `TERM` is "dumb".
fn wants_colors() -> bool {
    let is_refused = std::env::var_os("NO_COLOR").is_some_and(|text| !text.is_empty());
    !is_refused && std::env::var_os("TERM").is_none_or(|name| name != "dumb")
}

/// Prints a message on stderr, wrapped to the terminal's width.
pub fn note(text: &str) {
    let mut err = io::stderr();
    // If stderr is closed, the message is lost. Only the exit code remains.
    let _ = Screen::of(&err).say(&mut err, text);
}
