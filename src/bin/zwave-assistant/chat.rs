//! A conversation at a terminal, and the lines that were typed, kept for the next time.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use rustyline::error::ReadlineError;
use rustyline::history::DefaultHistory;
use rustyline::{Config, Editor};
use tokio::task::spawn_blocking;
use zwave_mcp_server::assistant::{AiRouter, MAX_SENTENCE_CHARS};
use zwave_mcp_server::cli::exit::{Failure, failed};
use zwave_mcp_server::terminal::printable;

use crate::ask::complain_of;
use crate::setup::state_folder;
use crate::{complain, wait_for_ctrl_c};

/// Reads line after line and answers each, until there is no further one. Ctrl-C ends an answer.
pub async fn chat(router: &AiRouter) -> Result<ExitCode, Failure> {
    let mut conversation = AiRouter::conversation();
    let mut editor = LineEditor::open()?;
    if std::io::stdin().is_terminal() {
        say("Say what to do or what you want to know; Ctrl-D ends.\n");
    }
    #[cfg(unix)]
    let _restored = Terminal::of_stdin();
    loop {
        // In a thread, because nothing else may wait for the person.
        let reading = spawn_blocking(move || {
            let line = editor.read();
            (editor, line)
        });
        let line;
        (editor, line) = reading.await.map_err(failed)?;
        let line = match line {
            Ok(line) => line,
            Err(ReadlineError::Interrupted) => continue,
            Err(ReadlineError::Eof) => break,
            Err(error) => return Err(failed(format!("can't read the line: {error}"))),
        };
        let sentence = line.trim();
        if sentence.is_empty() {
            continue;
        }
        if sentence.chars().count() > MAX_SENTENCE_CHARS {
            complain(&format!("at most {MAX_SENTENCE_CHARS} characters at once"));
            continue;
        }
        let mut shown = String::new();
        let mut show = |text: &str| {
            shown.push_str(text);
            say(text);
        };
        let answer = tokio::select! {
            answer = router.answer(&mut conversation, sentence, &mut show) => Some(answer),
            () = wait_for_ctrl_c() => None,
        };
        match answer {
            Some(answer) => {
                if !shown.is_empty() && !shown.ends_with('\n') {
                    say("\n");
                }
                // The text so far may be only what a model said before its calls.
                if !shown.trim_end().ends_with(&answer.text) {
                    say(&format!("{}\n", answer.text));
                }
                complain_of(&answer);
            }
            None => say("\nStopped; what was done before stays done.\n"),
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Shows a piece of an answer at once.
fn say(text: &str) {
    let mut out = std::io::stdout().lock();
    // If the terminal is gone, its signal ends the program.
    let _ = write!(out, "{}", printable(text)).and_then(|()| out.flush());
}

/// The terminal's former settings, restored at the end: a signal may come while a line is being edited.
#[cfg(unix)]
struct Terminal {
    before: Option<rustix::termios::Termios>,
}

#[cfg(unix)]
impl Terminal {
    fn of_stdin() -> Self {
        Self {
            before: rustix::termios::tcgetattr(rustix::stdio::stdin()).ok(),
        }
    }
}

#[cfg(unix)]
impl Drop for Terminal {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            let now = rustix::termios::OptionalActions::Now;
            // If the terminal is gone, there is nothing to restore.
            let _ = rustix::termios::tcsetattr(rustix::stdio::stdin(), now, before);
        }
    }
}

/// The maximum number of lines that are kept.
const MAX_LINES: usize = 1000;

/// A line editor for the terminal, with its history.
struct LineEditor {
    editor: Editor<(), DefaultHistory>,
    file: Option<PathBuf>,
}

impl LineEditor {
    /// Opens an editor with the lines of the last time.
    fn open() -> Result<Self, Failure> {
        let config = Config::builder()
            .max_history_size(MAX_LINES)
            .and_then(|config| config.history_ignore_dups(true))
            .map_err(failed)?
            .auto_add_history(true)
            .build();
        let mut editor = Editor::with_config(config).map_err(failed)?;
        let file = state_folder().map(|folder| folder.join("history"));
        // There is none the first time.
        let _ = file.as_ref().map(|file| editor.load_history(file));
        Ok(Self { editor, file })
    }

    /// Reads the next line; an error if there is none. It is kept at once: a signal may end the program.
    fn read(&mut self) -> rustyline::Result<String> {
        let line = self.editor.readline("> ");
        if line.is_ok() {
            self.keep();
        }
        line
    }

    /// Saves the history, for its owner only.
    fn keep(&mut self) {
        let Some(file) = self.file.take() else { return };
        let folder = file.parent().map_or(Ok(()), create_private_folder);
        let kept = folder
            .and_then(|()| create_private_file(&file))
            .map_err(|error| error.to_string());
        let kept = kept.and_then(|()| {
            let saved = self.editor.save_history(&file);
            saved.map_err(|error| error.to_string())
        });
        match kept {
            Ok(()) => self.file = Some(file),
            // Reported once, and not tried again.
            Err(why) => {
                let file = file.display();
                complain(&format!("the history can't be kept in {file}: {why}"));
            }
        }
    }
}

/// Creates a folder that only its owner can look into. An existing one is restricted.
fn create_private_folder(folder: &Path) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    restrict(folder, 0o700)
}

/// Creates a file that only its owner can read. An existing one is restricted.
fn create_private_file(file: &Path) -> io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(file)?;
    restrict(file, 0o600)
}

#[cfg(unix)]
fn restrict(path: &Path, mode: u32) -> io::Result<()> {
    let mode = std::os::unix::fs::PermissionsExt::from_mode(mode);
    std::fs::set_permissions(path, mode)
}

/// Does nothing: a person's folders are their own on Windows.
#[cfg(not(unix))]
fn restrict(_: &Path, _: u32) -> io::Result<()> {
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn what_was_typed_is_readable_by_its_owner_alone() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("zwave-assistant");
        let file = folder.join("history");
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(&file, "unlock the front door\n").unwrap();
        for path in [&folder, &file] {
            std::fs::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
        }
        let mut editor = LineEditor {
            editor: Editor::new().unwrap(),
            file: Some(file.clone()),
        };
        editor.editor.add_history_entry("lock it").unwrap();
        editor.keep();
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&folder), mode(&file)), (0o700, 0o600));
        assert!(std::fs::read_to_string(&file).unwrap().contains("lock it"));
    }
}
