//! Descriptors where there are any.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream as StdUnixStream;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{FileType, Mode, OFlags, fstat, open};
use rustix::io::fcntl_dupfd_cloexec;
use rustix::stdio::{dup2_stdout, stderr, stdin, stdout};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::UnixStream;
use tokio::net::unix::pipe;
use tokio_util::sync::CancellationToken;

use super::{Claimed, HostReader, HostWriter, Stdio, Watch};

/// Takes descriptor 1 for the protocol and points it at stderr. To be called before anything else
/// can write there.
pub fn claim() -> io::Result<Claimed> {
    let out = fcntl_dupfd_cloexec(stdout(), 3)?;
    dup2_stdout(stderr())?;
    Ok(Claimed { out })
}

impl Claimed {
    /// Opens both directions for the runtime this is called in. `end` ends the reader, and is set
    /// off when the host is gone.
    ///
    /// Pipes and sockets, which hosts use, are driven by the runtime; anything else (a file, a
    /// terminal) by a thread.
    pub fn open(self, end: &CancellationToken) -> io::Result<Stdio> {
        let watch = Watch {
            out: self.out.try_clone()?,
        };
        Ok(Stdio {
            reader: HostReader::new(reader()?, end.clone()),
            writer: HostWriter::new(writer(self.out)?, end.clone()),
            watch,
        })
    }
}

impl Watch {
    /// Returns true if nobody reads what is written any more.
    pub fn is_broken(&self) -> bool {
        has_event(self.out.as_fd(), PollFlags::ERR | PollFlags::HUP)
    }

    /// Returns true if the host has closed its side of stdin, however much of it is unread.
    pub fn is_closed(&self) -> bool {
        // A socket of which only that side was closed does not hang up.
        #[cfg(any(target_os = "linux", target_os = "android"))]
        let gone = PollFlags::HUP | PollFlags::RDHUP;
        #[cfg(not(any(target_os = "linux", target_os = "android")))]
        let gone = PollFlags::HUP;
        has_event(stdin(), gone)
    }
}

/// Returns true if one of these ends has come to a descriptor, or if it is closed.
fn has_event(descriptor: BorrowedFd<'_>, ends: PollFlags) -> bool {
    let mut descriptors = [PollFd::new(&descriptor, ends)];
    let answered = poll(&mut descriptors, Some(&Timespec::default()));
    let [descriptor] = descriptors;
    answered.is_ok() && descriptor.revents().intersects(ends | PollFlags::NVAL)
}

fn kind(descriptor: BorrowedFd<'_>) -> io::Result<FileType> {
    Ok(FileType::from_raw_mode(fstat(descriptor)?.st_mode))
}

fn reader() -> io::Result<Box<dyn AsyncRead + Send + Unpin>> {
    let own: io::Result<Box<dyn AsyncRead + Send + Unpin>> = match kind(stdin())? {
        FileType::Fifo => reopen(stdin(), OFlags::RDONLY)
            .and_then(pipe::Receiver::from_file)
            .map(|pipe| Box::new(pipe) as _),
        FileType::Socket => {
            socket(fcntl_dupfd_cloexec(stdin(), 3)?).map(|socket| Box::new(socket) as _)
        }
        _ => Err(io::ErrorKind::Unsupported.into()),
    };
    Ok(own.unwrap_or_else(|_| Box::new(tokio::io::stdin())))
}

fn writer(out: OwnedFd) -> io::Result<Box<dyn AsyncWrite + Send + Unpin>> {
    let own: io::Result<Box<dyn AsyncWrite + Send + Unpin>> = match kind(out.as_fd())? {
        FileType::Fifo => reopen(out.as_fd(), OFlags::WRONLY)
            .and_then(pipe::Sender::from_file)
            .map(|pipe| Box::new(pipe) as _),
        FileType::Socket => socket(out.try_clone()?).map(|socket| Box::new(socket) as _),
        _ => Err(io::ErrorKind::Unsupported.into()),
    };
    Ok(own.unwrap_or_else(|_| Box::new(tokio::fs::File::from_std(File::from(out)))))
}

/// A pipe opened once more: the duplicate has flags of its own, so that making it non-blocking does
/// not change the pipe for whoever else has it.
fn reopen(descriptor: BorrowedFd<'_>, flags: OFlags) -> io::Result<File> {
    let path = format!("/proc/self/fd/{}", descriptor.as_raw_fd());
    let own = open(
        path,
        flags | OFlags::NONBLOCK | OFlags::CLOEXEC,
        Mode::empty(),
    )?;
    Ok(File::from(own))
}

fn socket(descriptor: OwnedFd) -> io::Result<UnixStream> {
    let stream = StdUnixStream::from(descriptor);
    // Fails where it is a socket of another family.
    stream.local_addr()?;
    stream.set_nonblocking(true)?;
    UnixStream::from_std(stream)
}
