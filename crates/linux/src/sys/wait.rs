//! Waiting for one of several files, or for a time.

use super::time::{self, Nanos};
use std::io;
use std::os::fd::RawFd;

/// What is waited for at a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wish {
    Read,
    Write,
}

/// Which of `files` can be read, or have something in their error queues; none if `until` came first.
pub(crate) fn ready(files: &[RawFd], until: Nanos) -> io::Result<Vec<bool>> {
    ready_for(&files.iter().map(|file| (*file, Wish::Read)).collect::<Vec<_>>(), until)
}

/// The same, where each file is to be read or written.
pub(crate) fn ready_for(files: &[(RawFd, Wish)], until: Nanos) -> io::Result<Vec<bool>> {
    let events = |wish: Wish| if wish == Wish::Read { libc::POLLIN } else { libc::POLLOUT };
    let asked = files.iter().map(|(fd, wish)| libc::pollfd { fd: *fd, events: events(*wish), revents: 0 });
    let mut asked: Vec<libc::pollfd> = asked.collect();
    let left = (until - time::now()).max(0);
    let timeout = libc::timespec { tv_sec: left / 1_000_000_000, tv_nsec: left % 1_000_000_000 };
    // SAFETY: the pointers are to as many entries as are named, and live across the call; no signal mask is given.
    let answer = unsafe { libc::ppoll(asked.as_mut_ptr(), asked.len() as libc::nfds_t, &timeout, std::ptr::null()) };
    match super::checked(answer) {
        Ok(_) => Ok(asked.iter().map(|file| file.revents != 0).collect()),
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(vec![false; files.len()]),
        Err(error) => Err(error),
    }
}
