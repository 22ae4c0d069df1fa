//! The lines that were typed, kept for the next time.

use std::path::PathBuf;

use rustyline::history::DefaultHistory;
use rustyline::{Config, Editor};

use crate::environment::state_folder;
use crate::failure::{Failure, complain, failed};

/// How many lines are kept.
const LINES: usize = 1000;

/// The terminal's line, with its history.
pub struct LineEditor {
    editor: Editor<(), DefaultHistory>,
    file: Option<PathBuf>,
}

impl LineEditor {
    /// One with the lines of the last time.
    pub fn open() -> Result<Self, Failure> {
        let config = Config::builder()
            .max_history_size(LINES)
            .and_then(|config| config.history_ignore_dups(true))
            .map_err(failed)?
            .auto_add_history(true)
            .build();
        let mut editor = Editor::with_config(config).map_err(failed)?;
        let file = state_folder().map(|folder| folder.join("history"));
        // There is none at the first time.
        let _ = file.as_ref().map(|file| editor.load_history(file));
        Ok(Self { editor, file })
    }

    /// The next line; an error where there is none. It is kept at once: a signal may be the end.
    pub fn read(&mut self) -> rustyline::Result<String> {
        let line = self.editor.readline("> ");
        if line.is_ok() {
            self.keep();
        }
        line
    }

    /// Keeps what was typed, for its owner only.
    fn keep(&mut self) {
        let Some(file) = self.file.take() else { return };
        let folder = file.parent().map_or(Ok(()), std::fs::create_dir_all);
        let kept = folder.map_err(|error| error.to_string());
        let kept = kept.and_then(|()| {
            let saved = self.editor.save_history(&file);
            saved.map_err(|error| error.to_string())
        });
        match kept {
            Ok(()) => self.file = Some(file),
            // Said once, and not tried again.
            Err(why) => {
                let file = file.display();
                complain(&format!("the history can't be kept in {file}: {why}"));
            }
        }
    }
}
