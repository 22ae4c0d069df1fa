//! The line editor of the command `chat`, with a history that is kept between runs.

use std::path::{Path, PathBuf};

use rustyline::history::DefaultHistory;
use rustyline::{Config, Editor, ExternalPrinter};
use zwave_mcp_server::cli::exit::{Failure, failed, print};
use zwave_mcp_server::files;
use zwave_mcp_server::terminal::printable;

use crate::complain;
use crate::environment::state_folder;

const MAX_LINES: usize = 1000;

pub struct LineEditor {
    editor: Editor<(), DefaultHistory>,
    /// The file with the history; `None` if the history is not saved.
    file: Option<PathBuf>,
}

impl LineEditor {
    /// Opens an editor with the saved history.
    pub fn open() -> Result<Self, Failure> {
        let config = Config::builder()
            .max_history_size(MAX_LINES)
            .and_then(|config| config.history_ignore_dups(true))
            .map_err(failed)?
            .auto_add_history(true)
            .build();
        let mut editor = Editor::with_config(config).map_err(failed)?;
        let file = state_folder().map(|folder| folder.join("history"));
        // Fails if there is no file yet.
        let _ = file.as_ref().map(|file| editor.load_history(file));
        Ok(Self { editor, file })
    }

    /// Returns a function that prints a line above the line that is being edited. Without a terminal, it prints as usual.
    pub fn printer(&mut self) -> impl FnMut(&str) + use<> {
        let mut printer = self.editor.create_external_printer().ok();
        move |line| {
            let line = format!("{}\n", printable(line));
            let is_printed =
                printer.as_mut().is_some_and(|printer| printer.print(line.clone()).is_ok());
            if !is_printed {
                // This fails if the terminal is gone. Then its hang-up signal ends the program.
                let _ = print(line.as_bytes());
            }
        }
    }

    /// Reads the next line, and saves it in the history at once, because a signal may end the program. Returns
    /// `ReadlineError::Eof` at the end of the input.
    pub fn read(&mut self) -> rustyline::Result<String> {
        let line = self.editor.readline("> ");
        if line.is_ok() {
            self.save();
        }
        line
    }

    /// Saves the history in a file that only its owner can read. If this fails, reports the failure, and saves
    /// nothing from then on.
    fn save(&mut self) {
        let Some(file) = self.file.take() else { return };
        match self.write(&file) {
            Ok(()) => self.file = Some(file),
            Err(why) => {
                let file = file.display();
                complain(&format!("the history can't be kept in {file}: {why}"));
            }
        }
    }

    fn write(&mut self, file: &Path) -> rustyline::Result<()> {
        files::create_private_folder(file)?;
        files::open_private(file)?;
        self.editor.save_history(file)
    }
}

#[cfg(all(test, unix))]
#[path = "../../../tests/unit/bin/zwave-assistant/history.rs"]
mod tests;
