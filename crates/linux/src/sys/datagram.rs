//! UDP whose arrivals, and on request departures, are stamped by the kernel.

use super::checked;
use super::time::{self, Nanos};
use std::collections::VecDeque;
use std::io;
use std::mem;
use std::net::{SocketAddr, UdpSocket};
use std::os::fd::{AsRawFd, RawFd};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A socket between two addresses.
#[derive(Debug)]
pub(crate) struct Datagrams {
    socket: UdpSocket,
    stamped: Mutex<Outstanding>,
}

/// Datagrams whose departures the kernel has not told yet.
#[derive(Debug, Default)]
struct Outstanding {
    /// The kernel's number of the next one.
    next: u32,
    sent: VecDeque<Sent>,
}

#[derive(Clone, Copy, Debug)]
struct Sent {
    number: u32,
    tag: u64,
    called: Nanos,
}

/// A datagram that came: its bytes in the caller's buffer, and the kernel's stamp by the time of day, if there is one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    pub(crate) length: usize,
    pub(crate) stamp: Option<Nanos>,
}

/// A departure that the kernel has told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Departure {
    /// What the caller calls it.
    pub(crate) tag: u64,
    /// The monotonic time at which the kernel was asked to send it.
    pub(crate) called: Nanos,
    /// When it left, by the time of day.
    pub(crate) stamp: Nanos,
}

const BUFFER: libc::c_int = 8 << 20;
/// MSG_PROBE of Linux: the way of a datagram is looked at, and nothing is sent.
const PROBE: libc::c_int = 0x10;
const CONTROL: usize = 256;
/// Departures that may be outstanding; of older ones nothing will be heard any more.
const MOST: usize = 1024;

impl Datagrams {
    /// A socket at `own` that hears and speaks to `peer` only.
    pub(crate) fn between(own: SocketAddr, peer: SocketAddr) -> io::Result<Datagrams> {
        let socket = UdpSocket::bind(own)?;
        socket.connect(peer)?;
        socket.set_nonblocking(true)?;
        let port = Datagrams { socket, stamped: Mutex::default() };
        let flags = libc::SOF_TIMESTAMPING_SOFTWARE
            | libc::SOF_TIMESTAMPING_RX_SOFTWARE
            | libc::SOF_TIMESTAMPING_OPT_ID
            | libc::SOF_TIMESTAMPING_OPT_TSONLY;
        // Without stamps of the kernel the process's own have to do.
        let _ = port.set(libc::SO_TIMESTAMPING, flags as libc::c_int);
        let forced = port.set(libc::SO_RCVBUFFORCE, BUFFER).and_then(|()| port.set(libc::SO_SNDBUFFORCE, BUFFER));
        if forced.is_err() {
            port.set(libc::SO_RCVBUF, BUFFER)?;
            port.set(libc::SO_SNDBUF, BUFFER)?;
        }
        Ok(port)
    }

    fn set(&self, option: libc::c_int, value: libc::c_int) -> io::Result<()> {
        // SAFETY: the option takes an int, which lives across the call.
        let answer = unsafe {
            libc::setsockopt(
                self.socket.as_raw_fd(),
                libc::SOL_SOCKET,
                option,
                (&raw const value).cast(),
                mem::size_of::<libc::c_int>() as libc::socklen_t,
            )
        };
        checked(answer).map(|_| ())
    }

    /// Sends two parts as one datagram. A peer that is not there (yet) is no error: light goes into the dark.
    pub(crate) fn send(&self, head: &[u8], bytes: &[u8]) -> io::Result<()> {
        self.send_as(head, bytes, false).map(|_| ())
    }

    /// The same, and the kernel will tell when it left ([`Datagrams::departure`]).
    pub(crate) fn send_stamped(&self, head: &[u8], bytes: &[u8], tag: u64) -> io::Result<()> {
        // The kernel numbers datagrams in the order of calls, so there is one call at a time.
        let mut outstanding = self.outstanding();
        let called = time::now();
        // What the kernel has refused has no number: counting it would give later departures to earlier calls.
        if !self.send_as(head, bytes, true)? {
            return Ok(());
        }
        let number = outstanding.next;
        outstanding.next = number.wrapping_add(1);
        if outstanding.sent.len() == MOST {
            outstanding.sent.pop_front();
        }
        outstanding.sent.push_back(Sent { number, tag, called });
        Ok(())
    }

    /// What the lock guards is whole after every statement.
    fn outstanding(&self) -> MutexGuard<'_, Outstanding> {
        self.stamped.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// False if the kernel did not take it, because the peer is not there.
    fn send_as(&self, head: &[u8], bytes: &[u8], stamped: bool) -> io::Result<bool> {
        let mut parts = [part(head), part(bytes)];
        let mut control = Control::new();
        // SAFETY: all-zero is a valid msghdr.
        let mut message: libc::msghdr = unsafe { mem::zeroed() };
        (message.msg_iov, message.msg_iovlen) = (parts.as_mut_ptr(), parts.len());
        if stamped {
            control.ask_for_stamp(&mut message);
        }
        // SAFETY: the message's pointers are to values that live across the call.
        let answer = unsafe { libc::sendmsg(self.socket.as_raw_fd(), &message, libc::MSG_NOSIGNAL) };
        match checked(answer as i64) {
            Err(error) if !is_passing(&error) => Err(error),
            sent => Ok(sent.is_ok()),
        }
    }

    /// Goes the way of a datagram as far as its route and sends nothing, so that the next one finds code and data in
    /// the caches.
    pub(crate) fn warm_up(&self) {
        // SAFETY: no bytes are sent, so none are read.
        let _ = unsafe { libc::send(self.socket.as_raw_fd(), std::ptr::null(), 0, PROBE | libc::MSG_DONTWAIT) };
    }

    /// The next datagram, if one waits.
    pub(crate) fn receive(&self, buffer: &mut [u8]) -> io::Result<Option<Arrival>> {
        let mut arrival = None;
        let length = self.message(buffer, 0, |_, stamp| arrival = stamp)?;
        Ok(length.map(|length| Arrival { length, stamp: arrival }))
    }

    /// The next departure that the kernel has told, if there is one.
    pub(crate) fn departure(&self) -> io::Result<Option<Departure>> {
        let (mut number, mut stamp) = (None, None);
        let mut none = [0u8; 0];
        let length = self.message(&mut none, libc::MSG_ERRQUEUE, |told, found| {
            number = told.or(number);
            stamp = found.or(stamp);
        })?;
        let (Some(_), Some(number), Some(stamp)) = (length, number, stamp) else { return Ok(None) };
        let mut outstanding = self.outstanding();
        while let Some(sent) = outstanding.sent.pop_front() {
            if sent.number == number {
                return Ok(Some(Departure { tag: sent.tag, called: sent.called, stamp }));
            }
        }
        Ok(None)
    }

    /// Takes a message and shows each of its control messages: number of a departure, stamp.
    fn message(
        &self,
        buffer: &mut [u8],
        flags: libc::c_int,
        mut shown: impl FnMut(Option<u32>, Option<Nanos>),
    ) -> io::Result<Option<usize>> {
        let mut parts = [libc::iovec { iov_base: buffer.as_mut_ptr().cast(), iov_len: buffer.len() }];
        let mut control = Control::new();
        // SAFETY: all-zero is a valid msghdr.
        let mut message: libc::msghdr = unsafe { mem::zeroed() };
        (message.msg_iov, message.msg_iovlen) = (parts.as_mut_ptr(), 1);
        (message.msg_control, message.msg_controllen) = (control.0.as_mut_ptr().cast(), CONTROL);
        // SAFETY: the message's pointers are to buffers of the lengths named, which live across the call.
        let answer = unsafe { libc::recvmsg(self.socket.as_raw_fd(), &mut message, flags | libc::MSG_DONTWAIT) };
        match checked(answer as i64) {
            Ok(length) => {
                control_messages(&message, &mut shown);
                Ok(Some(length as usize))
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock || is_passing(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

impl AsRawFd for Datagrams {
    fn as_raw_fd(&self) -> RawFd {
        self.socket.as_raw_fd()
    }
}

/// Room for control messages, aligned as the kernel wants them.
#[repr(align(8))]
struct Control([u8; CONTROL]);

impl Control {
    fn new() -> Control {
        Control([0; CONTROL])
    }

    /// SO_TIMESTAMPING as a control message: a stamp for this datagram alone.
    fn ask_for_stamp(&mut self, message: &mut libc::msghdr) {
        let flags: u32 = libc::SOF_TIMESTAMPING_TX_SOFTWARE;
        message.msg_control = self.0.as_mut_ptr().cast();
        // SAFETY: the buffer is aligned and longer than one header and four bytes.
        unsafe {
            message.msg_controllen = libc::CMSG_SPACE(4) as usize;
            let header = libc::CMSG_FIRSTHDR(message);
            (*header).cmsg_level = libc::SOL_SOCKET;
            (*header).cmsg_type = libc::SO_TIMESTAMPING;
            (*header).cmsg_len = libc::CMSG_LEN(4) as usize;
            libc::CMSG_DATA(header).cast::<u32>().write_unaligned(flags);
        }
    }
}

/// What is not an error of this socket: nobody listens there now, or a queue is full for a moment.
fn is_passing(error: &io::Error) -> bool {
    matches!(
        error.raw_os_error(),
        Some(
            libc::ECONNREFUSED | libc::EAGAIN | libc::ENOBUFS | libc::EHOSTUNREACH | libc::ENETUNREACH | libc::ENETDOWN
        )
    )
}

fn part(bytes: &[u8]) -> libc::iovec {
    // sendmsg reads only.
    libc::iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() }
}

fn control_messages(message: &libc::msghdr, shown: &mut impl FnMut(Option<u32>, Option<Nanos>)) {
    // SAFETY: the kernel has filled the buffer that `message` names; the macros stay within its length, and data are
    // read unaligned.
    unsafe {
        let mut header = libc::CMSG_FIRSTHDR(message);
        while !header.is_null() {
            let data = libc::CMSG_DATA(header);
            match ((*header).cmsg_level, (*header).cmsg_type) {
                (libc::SOL_SOCKET, libc::SCM_TIMESTAMPING) => {
                    // Three times; the first is the software's.
                    let stamp = time::nanos(&data.cast::<libc::timespec>().read_unaligned());
                    shown(None, Some(stamp).filter(|stamp| *stamp != 0));
                }
                (libc::SOL_IP, libc::IP_RECVERR) | (libc::SOL_IPV6, libc::IPV6_RECVERR) => {
                    let error = data.cast::<libc::sock_extended_err>().read_unaligned();
                    if error.ee_origin == libc::SO_EE_ORIGIN_TIMESTAMPING {
                        shown(Some(error.ee_data), None);
                    }
                }
                _ => {}
            }
            header = libc::CMSG_NXTHDR(message, header);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_datagram_over_loopback_has_both_stamps_in_order() {
        let any: SocketAddr = "127.0.0.1:0".parse().unwrap();
        let (a, b) = (UdpSocket::bind(any).unwrap(), UdpSocket::bind(any).unwrap());
        let (at, other) = (a.local_addr().unwrap(), b.local_addr().unwrap());
        drop((a, b));
        let (a, b) = (Datagrams::between(at, other).unwrap(), Datagrams::between(other, at).unwrap());
        // The kernel begins to stamp a moment after the first socket has asked for it.
        let stamps = |_| {
            std::thread::sleep(std::time::Duration::from_millis(5));
            a.send(b"", b"a word").unwrap();
            b.receive(&mut [0; 100]).unwrap().is_some_and(|arrival| arrival.stamp.is_some())
        };
        assert!((0..200).any(stamps), "no stamps within a second");
        let before = time::time_of_day();
        a.send(b"no", b"stamp").unwrap();
        a.send_stamped(b"head", b"body", 77).unwrap();
        let mut buffer = [0; 100];
        assert_eq!(b.receive(&mut buffer).unwrap().unwrap().length, 7);
        let arrival = b.receive(&mut buffer).unwrap().unwrap();
        assert_eq!(&buffer[..arrival.length], b"headbody");
        let departure = a.departure().unwrap().unwrap();
        let came = arrival.stamp.unwrap();
        assert_eq!(departure.tag, 77, "only datagrams with stamps are numbered");
        assert!(before <= departure.stamp && departure.stamp <= came && came <= time::time_of_day());
        assert!(b.receive(&mut buffer).unwrap().is_none() && a.departure().unwrap().is_none());
    }

    /// A node was killed and came back: what was sent meanwhile was refused, and stamps of what is sent now were taken
    /// for stamps of that, a second late.
    #[test]
    fn stamps_are_of_the_datagram_that_they_name_after_the_peer_was_away() {
        let any: SocketAddr = "127.0.0.1:0".parse().unwrap();
        let (a, b) = (UdpSocket::bind(any).unwrap(), UdpSocket::bind(any).unwrap());
        let (at, other) = (a.local_addr().unwrap(), b.local_addr().unwrap());
        drop((a, b));
        let a = Datagrams::between(at, other).unwrap();
        (0..20).for_each(|tag| a.send_stamped(b"to", b"nobody", tag).unwrap());
        let _b = Datagrams::between(other, at).unwrap();
        // The refusal of the last one may still be told.
        a.send_stamped(b"to", b"somebody", 20).unwrap();
        a.send_stamped(b"to", b"somebody", 21).unwrap();
        let departures: Vec<Departure> = std::iter::from_fn(|| a.departure().unwrap()).collect();
        assert_eq!(departures.last().map(|last| last.tag), Some(21));
        let monotonic = time::Monotonic::new();
        assert!(departures.iter().all(|one| (0..50_000_000).contains(&(monotonic.of(one.stamp) - one.called))));
    }
}
