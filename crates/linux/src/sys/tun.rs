//! TUN: an interface whose packets a process reads and writes.

use super::checked;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::fs::OpenOptionsExt;

/// The interface. It goes when this is dropped.
#[derive(Debug)]
pub(crate) struct Tun(File);

#[repr(C)]
struct Request {
    name: [u8; libc::IFNAMSIZ],
    flags: libc::c_short,
    rest: [u8; 22],
}

impl Tun {
    /// A new interface of that name.
    pub(crate) fn open(name: &str) -> io::Result<Tun> {
        let file = OpenOptions::new().read(true).write(true).custom_flags(libc::O_NONBLOCK).open("/dev/net/tun")?;
        let mut request = Request {
            name: [0; libc::IFNAMSIZ],
            flags: (libc::IFF_TUN | libc::IFF_NO_PI) as libc::c_short,
            rest: [0; 22],
        };
        let length = name.len().min(libc::IFNAMSIZ - 1);
        request.name[..length].copy_from_slice(&name.as_bytes()[..length]);
        // SAFETY: the kernel reads and writes a struct ifreq, whose size and layout `Request` has.
        checked(unsafe { libc::ioctl(file.as_raw_fd(), libc::TUNSETIFF, &mut request) })?;
        Ok(Tun(file))
    }

    /// The next packet, if one waits.
    pub(crate) fn read(&self, into: &mut [u8]) -> io::Result<Option<usize>> {
        match (&self.0).read(into) {
            Ok(length) => Ok(Some(length)),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Gives a packet to the kernel.
    pub(crate) fn write(&self, packet: &[u8]) -> io::Result<()> {
        (&self.0).write(packet).map(|_| ())
    }
}

impl AsRawFd for Tun {
    fn as_raw_fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}
