//! Log files: one a day, for some days.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use tracing_appender::rolling::{RollingFileAppender, Rotation};

/// What the files are called, before the day (UTC) and after it.
const BEFORE: &str = "zwave-mcp-server";
const AFTER: &str = "log";

/// How long a folder that could not be used is left alone.
const PAUSE: Duration = Duration::from_secs(60);

/// A file a day in a folder. It is opened with the first line, by the thread that writes: a folder
/// that hangs must not delay the host. A failure is said once on stderr, and lines are lost until
/// the folder can be written again.
pub struct DailyFiles {
    folder: PathBuf,
    days: u16,
    files: Option<RollingFileAppender>,
    /// When a folder that could not be used is tried again.
    again: Option<Instant>,
    /// Whether a failure was said.
    said: bool,
}

impl DailyFiles {
    pub fn new(folder: PathBuf, days: u16) -> Self {
        Self {
            folder,
            days,
            files: None,
            again: None,
            said: false,
        }
    }

    /// Today's file, if it can be had.
    fn files(&mut self) -> Option<&mut RollingFileAppender> {
        if self.files.is_none() && self.again.is_none_or(|again| Instant::now() >= again) {
            match self.open() {
                Ok(files) => self.files = Some(files),
                Err(why) => {
                    self.again = Some(Instant::now() + PAUSE);
                    self.say(&why);
                }
            }
        }
        self.files.as_mut()
    }

    fn open(&self) -> Result<RollingFileAppender, String> {
        // The library looks for old files first, and prints about a folder that is not there yet.
        std::fs::create_dir_all(&self.folder).map_err(|error| error.to_string())?;
        // What earlier versions wrote was for everybody to read.
        self.restrict_files();
        RollingFileAppender::builder()
            .rotation(Rotation::DAILY)
            .filename_prefix(BEFORE)
            .filename_suffix(AFTER)
            .max_log_files(usize::from(self.days))
            .build(&self.folder)
            .map_err(|error| cause(&error))
    }

    #[cfg(unix)]
    fn restrict_files(&self) {
        use std::os::unix::fs::PermissionsExt;
        let files = std::fs::read_dir(&self.folder).into_iter().flatten();
        for file in files.flatten() {
            if file.file_name().to_string_lossy().starts_with(BEFORE) {
                let mode = std::fs::Permissions::from_mode(0o600);
                // Somebody else's file stays as it is.
                let _ = std::fs::set_permissions(file.path(), mode);
            }
        }
    }

    #[cfg(not(unix))]
    #[allow(clippy::unused_self)]
    fn restrict_files(&self) {}

    fn say(&mut self, why: &dyn std::fmt::Display) {
        if !self.said {
            self.said = true;
            let folder = self.folder.display();
            // Where stderr is gone too, nobody is left to tell.
            let _ = writeln!(
                io::stderr(),
                "zwave-mcp-server: the log files in {folder} can't be written ({why}); lines are \
                 lost until they can (--log-file)"
            );
        }
    }
}

impl Write for DailyFiles {
    /// Never fails: the thread that writes would only drop the error.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let written = self.files().map(|files| files.write_all(line));
        if let Some(Err(error)) = written {
            self.say(&error);
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.files.as_mut().map_or(Ok(()), Write::flush)
    }
}

/// What the system said, below what the library says about it.
fn cause(error: &dyn std::error::Error) -> String {
    error
        .source()
        .map_or_else(|| error.to_string(), ToString::to_string)
}
