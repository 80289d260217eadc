//! Real-time priority, memory that stays, and processors that stay awake.

use super::checked;
use std::fs::File;
use std::io::{self, Write};

/// Gives the calling thread the real-time priority `level` of SCHED_FIFO.
pub(crate) fn become_real_time(level: i32) -> io::Result<()> {
    let parameters = libc::sched_param { sched_priority: level };
    // SAFETY: the pointer is to a value that lives across the call; 0 is the calling thread.
    checked(unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &parameters) }).map(|_| ())
}

/// Lets the calling thread run on one processor only.
pub(crate) fn stay_on(processor: u16) -> io::Result<()> {
    // SAFETY: an all-zero set is a valid one; the macro checks the number against its size, and the pointer is to a
    // value that lives across the call.
    let answer = unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        if usize::from(processor) >= 8 * std::mem::size_of::<libc::cpu_set_t>() {
            return Err(io::Error::from_raw_os_error(libc::EINVAL));
        }
        libc::CPU_SET(usize::from(processor), &mut set);
        libc::sched_setaffinity(0, std::mem::size_of::<libc::cpu_set_t>(), &set)
    };
    checked(answer).map(|_| ())
}

/// How many processors this process may use.
pub(crate) fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get)
}

/// Keeps all memory of the process, now and later, from being paged out.
pub(crate) fn lock_memory() -> io::Result<()> {
    // SAFETY: takes flags only.
    checked(unsafe { libc::mlockall(libc::MCL_CURRENT | libc::MCL_FUTURE) }).map(|_| ())
}

/// Keeps the machine's idle processors awake for as long as the answer lives: one that has gone to sleep comes back
/// some microseconds late, and one of a virtual machine when its host gets round to it. Needs the right to write to the
/// kernel's PM QoS device.
pub(crate) fn keep_processors_awake() -> io::Result<File> {
    let mut request = File::options().write(true).open("/dev/cpu_dma_latency")?;
    request.write_all(&0_i32.to_ne_bytes())?;
    Ok(request)
}

/// Whether this is the superuser.
pub(crate) fn is_root() -> bool {
    // SAFETY: it has no arguments and always succeeds.
    unsafe { libc::geteuid() == 0 }
}
