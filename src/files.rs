//! Files that the owner writes, which may name anything and are read within bounds, and files for the owner alone.

use std::fs::{File, OpenOptions};
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

/// Creates the folder of a file, which only its owner can access. Restricts an existing folder to its owner.
///
/// # Errors
/// Fails if the folder can't be created, or belongs to somebody else.
pub fn create_private_folder(file: &Path) -> io::Result<()> {
    let Some(folder) = file.parent() else {
        return Ok(());
    };
    std::fs::create_dir_all(folder)?;
    restrict(folder, 0o700)
}

/// Opens a file to append to it. Creates it if it is missing. Restricts it to its owner.
///
/// # Errors
/// Fails if the file can't be opened, or belongs to somebody else.
pub fn open_private(file: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let opened = options.open(file)?;
    restrict(file, 0o600)?;
    Ok(opened)
}

#[cfg(unix)]
fn restrict(path: &Path, mode: u32) -> io::Result<()> {
    let mode = std::os::unix::fs::PermissionsExt::from_mode(mode);
    std::fs::set_permissions(path, mode)
}

/// Does nothing, because user folders on Windows are private already.
#[cfg(not(unix))]
fn restrict(_: &Path, _: u32) -> io::Result<()> {
    Ok(())
}

/// Returns true if somebody else owns a file or may write it.
///
/// # Errors
/// Fails if the file can't be found.
#[cfg(unix)]
pub fn is_open_to_others(file: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;

    let file = std::fs::metadata(file)?;
    Ok(file.uid() != rustix::process::geteuid().as_raw() || file.mode() & 0o022 != 0)
}

/// Returns false, because user folders on Windows are private already.
///
/// # Errors
/// Never fails.
#[cfg(not(unix))]
pub fn is_open_to_others(_: &Path) -> io::Result<bool> {
    Ok(false)
}
