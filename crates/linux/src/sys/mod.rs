//! What is asked of the kernel: the one place of the project with `unsafe`. Each file is a thin, safe face of one
//! matter.
//!
//! | file | asks for |
//! |---|---|
//! | `time` | the monotonic clock, and sleep until an instant of it |
//! | `datagram` | UDP with the kernel's stamps of arrivals and departures |
//! | `wait` | to be woken when one of several files is ready |
//! | `priority` | real-time priority, locked memory, processors that stay awake |
//! | `waited` | how long a thread waited for a processor |
//! | `tun` | a network interface whose packets a process reads and writes |
//! | `file` | new files that follow no link, and reads with a bound |
//! | `process` | namespaces of one's own, death with the parent, stopping |

pub(crate) mod datagram;
pub(crate) mod file;
pub(crate) mod priority;
pub(crate) mod process;
pub(crate) mod time;
pub(crate) mod tun;
pub(crate) mod wait;
pub(crate) mod waited;

use std::io;

/// The result of a system call that answers -1 when it fails.
fn checked(result: impl Into<i64>) -> io::Result<i64> {
    match result.into() {
        -1 => Err(io::Error::last_os_error()),
        answer => Ok(answer),
    }
}
