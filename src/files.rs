//! Files that the owner writes. They may name anything, so they are read within bounds.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The maximum length of a file, in bytes.
const MAX_FILE: u64 = 1024 * 1024;

/// Reads a file. Rejects devices and pipes, because they may never end.
///
/// # Errors
/// Fails with the reason if the file can't be read, is not regular, or is longer than 1 MiB.
pub fn read(path: &Path) -> Result<Vec<u8>, String> {
    let describe = |error: io::Error| error.to_string();
    // Opening a pipe would wait for its writer.
    let file = std::fs::metadata(path).map_err(describe)?;
    if !file.is_file() {
        return Err("it is not a regular file".to_owned());
    }
    if file.len() > MAX_FILE {
        return Err("it is longer than 1 MiB".to_owned());
    }
    let mut content = Vec::new();
    let file = File::open(path).map_err(describe)?;
    // The file may have grown.
    file.take(MAX_FILE).read_to_end(&mut content).map_err(describe)?;
    Ok(content)
}
