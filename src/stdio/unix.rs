//! Claims stdout, and opens stdin and stdout by their descriptors, on Unix.

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

/// Duplicates descriptor 1 for the protocol, and redirects descriptor 1 to stderr. Must be called before
/// anything else can write to stdout.
pub fn claim() -> io::Result<Claimed> {
    let out = fcntl_dupfd_cloexec(stdout(), 3)?;
    dup2_stdout(stderr())?;
    Ok(Claimed { out })
}

impl Claimed {
    /// Opens both streams. Must be called in a tokio runtime. Cancelling `end` ends the reader. The streams
    /// cancel `end` when stdin ends or a write fails.
    ///
    /// Pipes and Unix sockets, which hosts use, are opened as non-blocking. Anything else, such as a file, a
    /// terminal, or a pipe on a system without /proc, is read and written by separate threads.
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
    /// Returns true if the host no longer reads.
    pub fn is_broken(&self) -> bool {
        has_event(self.out.as_fd(), PollFlags::ERR | PollFlags::HUP)
    }

    /// Returns true if the host has closed its side of stdin, even if some input is unread.
    pub fn is_closed(&self) -> bool {
        // If the host has closed only its writing side of a socket, the socket reports RDHUP, but not HUP.
        #[cfg(any(target_os = "linux", target_os = "android"))]
        let events = PollFlags::HUP | PollFlags::RDHUP;
        #[cfg(not(any(target_os = "linux", target_os = "android")))]
        let events = PollFlags::HUP;
        has_event(stdin(), events)
    }
}

/// Returns true if one of these events has occurred on a descriptor, or if the descriptor is closed.
fn has_event(descriptor: BorrowedFd<'_>, events: PollFlags) -> bool {
    let mut descriptors = [PollFd::new(&descriptor, events)];
    let polled = poll(&mut descriptors, Some(&Timespec::default()));
    let [descriptor] = descriptors;
    polled.is_ok() && descriptor.revents().intersects(events | PollFlags::NVAL)
}

fn file_type(descriptor: BorrowedFd<'_>) -> io::Result<FileType> {
    Ok(FileType::from_raw_mode(fstat(descriptor)?.st_mode))
}

/// Opens stdin, as non-blocking if possible.
fn reader() -> io::Result<Box<dyn AsyncRead + Send + Unpin>> {
    let non_blocking: io::Result<Box<dyn AsyncRead + Send + Unpin>> = match file_type(stdin())? {
        FileType::Fifo => reopen(stdin(), OFlags::RDONLY)
            .and_then(pipe::Receiver::from_file)
            .map(|pipe| Box::new(pipe) as _),
        FileType::Socket => {
            socket(fcntl_dupfd_cloexec(stdin(), 3)?).map(|socket| Box::new(socket) as _)
        }
        _ => Err(io::ErrorKind::Unsupported.into()),
    };
    Ok(non_blocking.unwrap_or_else(|_| Box::new(tokio::io::stdin())))
}

/// Opens the private stdout, as non-blocking if possible.
fn writer(out: OwnedFd) -> io::Result<Box<dyn AsyncWrite + Send + Unpin>> {
    let non_blocking: io::Result<Box<dyn AsyncWrite + Send + Unpin>> = match file_type(out.as_fd())?
    {
        FileType::Fifo => reopen(out.as_fd(), OFlags::WRONLY)
            .and_then(pipe::Sender::from_file)
            .map(|pipe| Box::new(pipe) as _),
        FileType::Socket => socket(out.try_clone()?).map(|socket| Box::new(socket) as _),
        _ => Err(io::ErrorKind::Unsupported.into()),
    };
    Ok(non_blocking.unwrap_or_else(|_| Box::new(tokio::fs::File::from_std(File::from(out)))))
}

/// Opens a pipe again, as non-blocking. A duplicate of the descriptor can't be used: setting it to
/// non-blocking would affect every process that has inherited this end of the pipe.
fn reopen(descriptor: BorrowedFd<'_>, flags: OFlags) -> io::Result<File> {
    let path = format!("/proc/self/fd/{}", descriptor.as_raw_fd());
    let reopened = open(
        path,
        flags | OFlags::NONBLOCK | OFlags::CLOEXEC,
        Mode::empty(),
    )?;
    Ok(File::from(reopened))
}

fn socket(descriptor: OwnedFd) -> io::Result<UnixStream> {
    let stream = StdUnixStream::from(descriptor);
    // Fails if the socket is not a Unix socket.
    stream.local_addr()?;
    stream.set_nonblocking(true)?;
    UnixStream::from_std(stream)
}
