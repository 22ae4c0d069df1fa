//! Writes daily log files, and deletes old ones.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use chrono::{NaiveDate, Utc};
use tracing_appender::rolling::{RollingFileAppender, Rotation};

/// The parts of a file's name before and after the date (UTC), without the dots.
const PREFIX: &str = "zwave-mcp-server";
const SUFFIX: &str = "log";

/// The delay before the next attempt, after a file could not be opened.
const RETRY_DELAY: Duration = Duration::from_secs(60);

/// Writes one file per day (UTC). Creates the folder if it does not exist. On Unix, only the owner can read
/// the files and a created folder. The writing thread itself opens the files, so the program goes on even if
/// the folder does not respond. The first failure is reported on stderr. Lines are lost until the files can
/// be written again.
#[derive(Default)]
pub struct DailyFiles {
    folder: PathBuf,
    /// The number of daily files to keep, including today's.
    days: u16,
    /// The open file, and its day.
    today: Option<(NaiveDate, RollingFileAppender)>,
    /// The time of the next attempt, after a file could not be opened.
    retry_at: Option<Instant>,
    /// True once a failure was reported. Later failures are not reported.
    has_complained: bool,
}

impl DailyFiles {
    pub fn new(folder: PathBuf, days: u16) -> Self {
        Self {
            folder,
            days,
            ..Self::default()
        }
    }

    /// Returns today's file, if it can be opened.
    fn file(&mut self) -> Option<&mut RollingFileAppender> {
        let day = Utc::now().date_naive();
        self.today.take_if(|(open_day, _)| *open_day != day);
        if self.today.is_none() && self.retry_at.is_none_or(|time| Instant::now() >= time) {
            match self.open(day) {
                Ok(file) => self.today = Some((day, file)),
                Err(error) => {
                    self.retry_at = Some(Instant::now() + RETRY_DELAY);
                    self.complain(&error);
                }
            }
        }
        self.today.as_mut().map(|(_, file)| file)
    }

    /// Opens the file of the day. The appender would roll over by itself, but it creates files that everybody can
    /// read, and goes on with yesterday's file if it can't create today's. So the file is created here first, and
    /// the appender finds it.
    fn open(&self, day: NaiveDate) -> io::Result<RollingFileAppender> {
        let (mut folder, mut options) = (DirBuilder::new(), OpenOptions::new());
        #[cfg(unix)]
        {
            use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
            folder.mode(0o700);
            options.mode(0o600);
        }
        folder.recursive(true).create(&self.folder)?;
        let name = format!("{PREFIX}.{day}.{SUFFIX}");
        self.tidy(&name);
        options.append(true).create(true).open(self.folder.join(name))?;
        let appender = RollingFileAppender::builder().rotation(Rotation::DAILY);
        let appender = appender.filename_prefix(PREFIX).filename_suffix(SUFFIX);
        appender.build(&self.folder).map_err(io::Error::other)
    }

    /// Deletes old files, so that at most `days` files are left, including today's. Makes the files readable for
    /// their owner only, in case they were created with wider permissions. Ignores failures. The appender's own limit
    /// would also delete other files whose names begin and end alike.
    fn tidy(&self, today: &str) {
        let mut files: Vec<_> = fs::read_dir(&self.folder)
            .into_iter()
            .flatten()
            .flatten()
            .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()))
            .filter_map(|entry| entry.file_name().into_string().ok())
            .filter(|name| is_daily_file(name))
            .collect();
        // The latest day first.
        files.sort_unstable_by(|left, right| right.cmp(left));
        for name in files
            .iter()
            .filter(|name| *name != today)
            .skip(usize::from(self.days.saturating_sub(1)))
        {
            let _ = fs::remove_file(self.folder.join(name));
        }
        #[cfg(unix)]
        for name in files {
            use std::os::unix::fs::PermissionsExt;
            let owner_only = fs::Permissions::from_mode(0o600);
            let _ = fs::set_permissions(self.folder.join(name), owner_only);
        }
    }

    fn complain(&mut self, why: &io::Error) {
        if !self.has_complained {
            self.has_complained = true;
            let folder = self.folder.display();
            // If stderr is gone as well, the failure can't be reported.
            let _ = writeln!(
                io::stderr(),
                "zwave-mcp-server: the log files in {folder} (--log-file) can't be written ({why}); \
                 log lines are lost until writing works"
            );
        }
    }
}

/// Returns true for the name of a daily file, such as `zwave-mcp-server.2026-01-26.log`.
fn is_daily_file(name: &str) -> bool {
    match name.split('.').collect::<Vec<_>>()[..] {
        [PREFIX, day, SUFFIX] => day.parse::<NaiveDate>().is_ok(),
        _ => false,
    }
}

impl Write for DailyFiles {
    /// Never fails, because the writing thread would only drop the error.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let written = self.file().map(|file| file.write_all(line));
        if let Some(Err(error)) = written {
            self.complain(&error);
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
