//! The file with the timers of a house.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::Timer;
use crate::files;

/// The version of the file's format.
const VERSION: u32 = 1;

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
        files::create_private_folder(path).map_err(failed)?;
        let lock = files::open_private(&path.with_extension("lock")).map_err(failed)?;
        if lock.try_lock().is_err() {
            return Err(format!("another zwave-assistant has the timers in {name}"));
        }
        let store = Self {
            path: path.to_owned(),
            _lock: lock,
        };
        if !path.try_exists().map_err(failed)? {
            return Ok((store, Vec::new()));
        }
        if files::is_open_to_others(path).map_err(failed)? {
            return Err(format!(
                "others may write {name}, so its timers are left alone; run chmod go-w {name}"
            ));
        }
        let unreadable =
            |why| format!("{name} can't be read and is left alone; move it away ({why})");
        let text = files::read(path).map_err(unreadable)?;
        let parsed = serde_json::from_slice(&text);
        // The version comes first, because a newer file may have anything else.
        let Content::<Json> { version, timers } =
            parsed.map_err(|error| unreadable(error.to_string()))?;
        if version != VERSION {
            return Err(format!(
                "{name} is of a newer version and is left alone; move it away"
            ));
        }
        let timers =
            serde_json::from_value(timers).map_err(|error| unreadable(error.to_string()))?;
        Ok((store, timers))
    }

    /// Writes the timers in place of the earlier ones. If this fails, the earlier ones remain.
    pub fn write(&self, timers: &[Timer]) -> io::Result<()> {
        let new = self.path.with_extension("new");
        let text = serde_json::to_vec(&Content {
            version: VERSION,
            timers,
        })?;
        let written = files::open_private(&new).and_then(|mut file| {
            file.set_len(0)?;
            file.write_all(&text)?;
            file.sync_all()?;
            std::fs::rename(&new, &self.path)
        });
        // A part of it would only take space on a full disk.
        written.inspect_err(|_| drop(std::fs::remove_file(&new)))
    }

    /// Removes the file.
    pub fn remove(&self) {
        let _ = std::fs::remove_file(&self.path);
    }
}
