//! A real host: a thread in a network of its own, which has a device whose packets the emulation carries. All that it
//! starts lives in that network and goes with the thread, and the network goes with its last thread and process.

use super::Options;
use super::packet::{PREFIX_V4, PREFIX_V6};
use crate::sys::process::{self, Network};
use crate::sys::tun::Tun;
use crate::traffic::ip::run_ip;
use std::fs;
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

/// The device of every host; each is in a network of its own.
pub(super) const DEVICE: &str = "light0";

/// The first process of a namespace hears no signal that it does not handle; so the command is its child.
const FIRST: &str = "sh -c \"$1\"; exit $?";

/// A host.
#[derive(Debug)]
pub(super) struct Station {
    pub(super) name: String,
    pub(super) tun: Tun,
    /// Where its network is, for `nsenter`.
    pub(super) network: PathBuf,
    asked: Option<Sender<Asked>>,
    thread: Option<JoinHandle<()>>,
}

/// What a host's thread is asked.
enum Asked {
    /// To start a command, whose output goes there.
    Start { command: String, output: PathBuf, to: Sender<io::Result<Child>> },
    /// How many packets the kernel could not give to the device.
    Refused { to: Sender<u64> },
}

/// What is known of a host's network when it stands.
struct Standing {
    tun: Tun,
    network: PathBuf,
}

impl Station {
    /// Makes the network of the host with this number, and its device.
    pub(super) fn open(number: u16, options: &Options) -> Result<Station, String> {
        let (name, mtu, law) = (&options.hosts[usize::from(number)], options.mtu, options.law.clone());
        let (asked, requests) = channel();
        let (stands, standing) = channel();
        let thread = std::thread::Builder::new().name(format!("host {name}")).spawn(move || {
            let stood = stand(number, mtu, law.as_deref());
            let is_there = stood.is_ok();
            if stands.send(stood).is_ok() && is_there {
                serve(&requests);
            }
        });
        let thread = thread.map_err(|error| format!("a thread for {name}: {error}"))?;
        let stood = standing.recv().map_err(|_| format!("the host {name} has ended"))?;
        let Standing { tun, network } = stood.map_err(|why| format!("the host {name}: {why}"))?;
        Ok(Station { name: name.clone(), tun, network, asked: Some(asked), thread: Some(thread) })
    }

    /// Starts a command of the shell.
    pub(super) fn start(&self, command: &str, output: &Path) -> Result<Child, String> {
        let (command, output, (to, answer)) = (command.to_owned(), output.to_owned(), channel());
        let gone = || format!("the host {} has ended", self.name);
        let asked = self.asked.as_ref().ok_or_else(gone)?;
        asked.send(Asked::Start { command: command.clone(), output, to }).map_err(|_| gone())?;
        let child = answer.recv().map_err(|_| gone())?;
        child.map_err(|error| format!("{}: {command}: {error}", self.name))
    }

    /// Packets that the kernel could not give to the device, because too many waited there.
    pub(super) fn refused(&self) -> u64 {
        let (to, answer) = channel();
        let sent = self.asked.as_ref().and_then(|asked| asked.send(Asked::Refused { to }).ok());
        sent.and_then(|()| answer.recv().ok()).unwrap_or(0)
    }
}

impl Drop for Station {
    /// The thread ends, and with it all that it has started.
    fn drop(&mut self) {
        self.asked = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The address of a host in IPv4.
pub(super) fn address(number: u16) -> Ipv4Addr {
    let [a, b, c] = PREFIX_V4;
    Ipv4Addr::new(a, b, c, number as u8 + 1)
}

/// The same in IPv6.
pub(super) fn address6(number: u16) -> Ipv6Addr {
    Ipv6Addr::new(u16::from_be_bytes(PREFIX_V6), 0, 0, 0, 0, 0, 0, number + 1)
}

/// Gives this thread a network with the device, which leads to all hosts.
fn stand(number: u16, mtu: u32, law: Option<&str>) -> Result<Standing, String> {
    process::leave_for_own_network().map_err(|error| {
        format!("a network of its own: {error}; it needs root, or `unshare --user --map-root-user`")
    })?;
    // Nobody on such a device answers to who asks for a router.
    let has_v6 = fs::write("/proc/sys/net/ipv6/conf/default/router_solicitations", "0").is_ok();
    let tun = Tun::open(DEVICE).map_err(|error| format!("a TUN device: {error}; it needs /dev/net/tun"))?;
    let (v4, mtu_text) = (format!("{}/24", address(number)), mtu.to_string());
    let run = |arguments: &[&str]| run_ip(arguments).map_err(|refusal| refusal.to_string());
    run(&["link", "set", "lo", "up"])?;
    run(&["address", "add", &v4, "dev", DEVICE])?;
    run(&["link", "set", DEVICE, "mtu", &mtu_text, "up"])?;
    // IPv6 has no links of less (RFC 8200, section 5).
    if has_v6 && mtu >= 1280 {
        run(&["-6", "address", "add", &format!("{}/64", address6(number)), "dev", DEVICE, "nodad"])?;
    }
    if let Some(law) = law {
        // A program that names it later has a socket that was of the kernel's law first: BBR's stays paced.
        let ([a, b, c], prefix, from) = (PREFIX_V4, u16::from_be_bytes(PREFIX_V6), address(number).to_string());
        let (v4, v6) = (format!("{a}.{b}.{c}.0/24"), format!("{prefix:x}::/64"));
        let refused = |why| format!("this kernel does not take the law {law:?} (it has: {}); {why}", known_laws());
        run(&["route", "change", &v4, "dev", DEVICE, "src", &from, "congctl", law]).map_err(refused)?;
        if has_v6 && mtu >= 1280 {
            // The route that came with the address has this metric.
            run(&["-6", "route", "change", &v6, "dev", DEVICE, "metric", "256", "congctl", law])?;
        }
    }
    let thread = fs::read_link("/proc/thread-self").map_err(|error| format!("/proc: {error}"))?;
    Ok(Standing { tun, network: Path::new("/proc").join(thread).join("ns/net") })
}

/// The laws of congestion control that the kernel has now; it may load others by their names.
fn known_laws() -> String {
    let known = fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control").unwrap_or_default();
    known.split_whitespace().collect::<Vec<_>>().join(", ")
}

/// Does what a host's thread is asked until nobody can ask any more.
fn serve(requests: &Receiver<Asked>) {
    for request in requests {
        match request {
            Asked::Start { command, output, to } => drop(to.send(start(&command, &output))),
            Asked::Refused { to } => drop(to.send(refused())),
        }
    }
}

/// A command of the shell in this thread's network, with processes of its own: when it is killed, all that it has
/// started is.
fn start(command: &str, output: &Path) -> io::Result<Child> {
    let out = fs::OpenOptions::new().append(true).create(true).open(output)?;
    let errors = out.try_clone()?;
    let mut child = Command::new("unshare");
    child.args(["--pid", "--fork", "--kill-child=SIGKILL", "sh", "-c", FIRST, "sh", command]);
    child.stdin(Stdio::null()).stdout(out).stderr(errors);
    process::prepare_child(&mut child, Network::Shared);
    child.spawn()
}

/// The eighth of the numbers of what is sent, of the line of the device: those that were dropped.
fn refused() -> u64 {
    let table = fs::read_to_string("/proc/thread-self/net/dev").unwrap_or_default();
    let line = table.lines().find_map(|line| line.trim_start().strip_prefix(DEVICE)?.strip_prefix(':'));
    line.and_then(|line| line.split_whitespace().nth(11)?.parse().ok()).unwrap_or(0)
}
