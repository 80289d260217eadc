//! Real-time priority and memory that stays.

use super::checked;
use std::io;

/// Gives the calling thread the real-time priority `level` of SCHED_FIFO.
pub(crate) fn become_real_time(level: i32) -> io::Result<()> {
    let parameters = libc::sched_param { sched_priority: level };
    // SAFETY: the pointer is to a value that lives across the call; 0 is the calling thread.
    checked(unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &parameters) }).map(|_| ())
}

/// Keeps all memory of the process, now and later, from being paged out.
pub(crate) fn lock_memory() -> io::Result<()> {
    // SAFETY: takes flags only.
    checked(unsafe { libc::mlockall(libc::MCL_CURRENT | libc::MCL_FUTURE) }).map(|_| ())
}

/// Whether this is the superuser.
pub(crate) fn is_root() -> bool {
    // SAFETY: it has no arguments and always succeeds.
    unsafe { libc::geteuid() == 0 }
}
