//! The file with the timers of a house.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::Timer;

/// The version of the file's format.
const VERSION: u32 = 1;

/// The maximum length of the file, in bytes.
const MAX_BYTES: u64 = 1024 * 1024;

#[derive(Serialize, Deserialize)]
struct Content<T> {
    version: u32,
    timers: T,
}

/// The file, which is locked as long as this value lives.
#[derive(Debug)]
pub(super) struct Store {
    path: PathBuf,
    _lock: File,
}

impl Store {
    /// Locks the file and reads its timers. A missing file has no timers.
    ///
    /// # Errors
    /// Fails with the reason if another program has the file, or if it must be left alone.
    pub fn open(path: &Path) -> Result<(Self, Vec<Timer>), String> {
        let name = path.display();
        let failed = |error: io::Error| format!("{name} can't be used: {error}");
        if let Some(folder) = path.parent() {
            create_private_folder(folder).map_err(failed)?;
            check_owner(folder)?;
        }
        let lock = private_file(&path.with_extension("lock")).map_err(failed)?;
        if lock.try_lock().is_err() {
            return Err(format!("another zwave-assistant has the timers in {name}"));
        }
        let store = Self {
            path: path.to_owned(),
            _lock: lock,
        };
        match std::fs::metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok((store, Vec::new()));
            }
            Ok(file) if !file.is_file() || file.len() > MAX_BYTES => {
                return Err(format!("{name} is no file with timers; move it away"));
            }
            found => found.map(drop).map_err(failed)?,
        }
        check_owner(path)?;
        let text = std::fs::read(path).map_err(failed)?;
        let unreadable =
            |error| format!("{name} can't be read and is left alone; move it away ({error})");
        // The version comes first, because a newer file may have anything else.
        let Content { version, timers } =
            serde_json::from_slice::<Content<serde_json::Value>>(&text).map_err(unreadable)?;
        if version != VERSION {
            return Err(format!(
                "{name} is of a newer version and is left alone; move it away"
            ));
        }
        let timers = serde_json::from_value(timers).map_err(unreadable)?;
        Ok((store, timers))
    }

    /// Writes the timers in place of the earlier ones. If this fails, the earlier ones remain.
    pub fn write(&self, timers: &[Timer]) -> io::Result<()> {
        let new = self.path.with_extension("new");
        let text = serde_json::to_vec(&Content {
            version: VERSION,
            timers,
        })?;
        let mut file = private_file(&new)?;
        file.set_len(0)?;
        let written = file.write_all(&text).and_then(|()| file.sync_all());
        written.and_then(|()| std::fs::rename(&new, &self.path)).inspect_err(|_| {
            let _ = std::fs::remove_file(&new);
        })
    }

    /// Removes the file.
    pub fn remove(&self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Creates a folder that only its owner can access, unless it exists.
fn create_private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)
}

/// Opens or creates a file that only its owner can read.
fn private_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Checks that nobody else can write a file or a folder.
#[cfg(unix)]
fn check_owner(path: &Path) -> Result<(), String> {
    use std::os::unix::fs::MetadataExt;

    let name = path.display();
    let found =
        std::fs::metadata(path).map_err(|error| format!("{name} can't be used: {error}"))?;
    let is_own = found.uid() == rustix::process::geteuid().as_raw();
    if is_own && found.mode() & 0o022 == 0 {
        return Ok(());
    }
    Err(format!(
        "others may write {name}, so its timers are left alone; run chmod go-w {name}"
    ))
}

/// Does nothing, because user folders on Windows are private already.
#[cfg(not(unix))]
fn check_owner(_: &Path) -> Result<(), String> {
    Ok(())
}
