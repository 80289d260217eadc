//! Processes: stopping, namespaces, children that die with their parent.

use super::checked;
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

static STOPPED: AtomicBool = AtomicBool::new(false);

extern "C" fn stop(_: libc::c_int) {
    STOPPED.store(true, Ordering::Relaxed);
}

/// From now on Ctrl-C and SIGTERM are noticed by [`is_stopped`] instead of ending the process.
pub(crate) fn notice_stops() -> io::Result<()> {
    for signal in [libc::SIGINT, libc::SIGTERM] {
        // SAFETY: an all-zero action is a valid one; the handler only stores into an atomic.
        let answer = unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = stop as extern "C" fn(libc::c_int) as libc::sighandler_t;
            libc::sigaction(signal, &action, std::ptr::null_mut())
        };
        checked(answer)?;
    }
    Ok(())
}

/// Whether the process was told to stop.
pub(crate) fn is_stopped() -> bool {
    STOPPED.load(Ordering::Relaxed)
}

/// Whose network a child has.
pub(crate) enum Network {
    /// Its parent's.
    Shared,
    /// A new one, which ends with its last process.
    Own,
}

/// The child will die with the thread that starts it, and has this network.
pub(crate) fn prepare_child(command: &mut Command, network: Network) {
    let own = matches!(network, Network::Own);
    let parent = std::process::id();
    let prepare = move || {
        // SAFETY: these calls take numbers only and are safe between fork and exec.
        unsafe {
            checked(libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0))?;
            if libc::getppid() as u32 != parent {
                return Err(io::Error::other("the parent has gone"));
            }
            // Ctrl-C on the terminal is for the parent, which stops its children in order.
            checked(libc::setpgid(0, 0))?;
            if own {
                checked(libc::unshare(libc::CLONE_NEWNET))?;
            }
        }
        Ok(())
    };
    // SAFETY: the closure allocates nothing and calls only async-signal-safe functions.
    unsafe { command.pre_exec(prepare) };
}

/// From now on this thread, and what it starts, has a network of its own.
pub(crate) fn leave_for_own_network() -> io::Result<()> {
    // SAFETY: takes numbers only, and concerns the calling thread.
    checked(unsafe { libc::unshare(libc::CLONE_NEWNET) }).map(|_| ())
}

/// The command will run in the network of a process.
pub(crate) fn enter_network_of(command: &mut Command, process: u32) -> io::Result<()> {
    let network = File::open(format!("/proc/{process}/ns/net"))?;
    // SAFETY: the file is open until after the child has started; setns is async-signal-safe.
    unsafe {
        command.pre_exec(move || checked(libc::setns(network.as_raw_fd(), libc::CLONE_NEWNET)).map(|_| ()));
    }
    Ok(())
}

/// Sends a signal to a child of this process.
pub(crate) fn signal(process: u32, signal: i32) -> io::Result<()> {
    // SAFETY: takes numbers only.
    checked(unsafe { libc::kill(process as libc::pid_t, signal) }).map(|_| ())
}
