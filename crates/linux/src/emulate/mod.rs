//! Real hosts on a simulated network, in real time: what the kernel of a host sends enters the network at the instant
//! at which it is read, and what arrives there is given to a kernel as soon as it may be.
//!
//! | file | holds |
//! |---|---|
//! | `station` | a host: its network, its device, what runs in it |
//! | `commands` | commands that are started one after the other, and how they end |
//! | `packet` | the fields of IP packets that matter |
//! | `lateness` | how late packets are given to hosts |
//!
//! The network is anything that knows its own time ([`Light`]); this room knows no simulator.

mod commands;
mod lateness;
mod packet;
mod station;

pub use crate::histogram::Bin;
pub use commands::Ended;
pub use lateness::Lateness;

use crate::sys::priority;
use crate::sys::time::{self, Nanos};
use crate::sys::wait;
use commands::Commands;
use lateness::Measured;
use station::Station;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

/// The thread's priority, if it may have one; one that never sleeps would be stopped for 50 ms of each second.
const PRIORITY: i32 = 20;
/// Packets of a host that enter before the network goes on.
const BATCH: usize = 64;
/// The longest IP packet.
const LONGEST: usize = 65_535;
/// Words of the ECN field, by its two bits.
const ECN: [&str; 4] = ["not-ect", "ect1", "ect0", "ce"];

/// A network that packets enter and leave, with a time of its own in picoseconds.
pub trait Light {
    /// The time up to which everything has happened.
    fn now(&self) -> u64;

    /// When something happens next.
    fn next_event(&mut self) -> u64;

    /// Lets everything before `until` happen.
    fn advance(&mut self, until: u64);

    /// A packet goes from one host to another at an instant that is not over; `ecn` are the two bits of its field.
    fn enter(&mut self, pair: (u16, u16), at: u64, bytes: Box<[u8]>, ecn: u8);

    /// Those that have arrived since the last call, in the order of time.
    fn take_arrived(&mut self, into: &mut Vec<Arrived>);

    /// Bytes of packets that are in it.
    fn bytes_inside(&self) -> u64;
}

/// A packet that has arrived.
#[derive(Debug)]
pub struct Arrived {
    /// When, in picoseconds of the network's time.
    pub at: u64,
    /// At which host.
    pub to: u16,
    /// As it was sent.
    pub bytes: Box<[u8]>,
    /// Whether a device on its way was congested.
    pub is_marked: bool,
}

/// How to emulate.
#[derive(Clone, Debug)]
pub struct Options {
    /// The hosts, in the order of their numbers.
    pub hosts: Vec<String>,
    /// The longest packet of their devices, in bytes.
    pub mtu: u32,
    /// The window law of their connections, unless a program asks for another; the kernel's own by default.
    pub law: Option<String>,
    /// So many seconds of the clock are one of the network.
    pub slower: f64,
    /// Never sleeps.
    pub spins: bool,
    /// It ends if the network is this many seconds of the clock behind.
    pub most_lag_s: f64,
    /// Bytes of packets that may be in the network.
    pub most_bytes: u64,
    /// Where what enters is written down.
    pub recording: Option<PathBuf>,
}

/// What became of the packets of a host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Packets of the host that have entered.
    pub sent: u64,
    /// Their bytes.
    pub sent_bytes: u64,
    /// Packets that were given to it.
    pub received: u64,
    /// Their bytes.
    pub received_bytes: u64,
    /// Of these, marked on their way.
    pub marked: u64,
    /// Sent to nobody: multicast, an address that no host has, or no IP.
    pub elsewhere: u64,
    /// Longer than packets of hosts may be.
    pub too_long: u64,
    /// Sent while the network held as many bytes as it may.
    pub overflowed: u64,
    /// Dropped at the device, where too many waited.
    pub refused: u64,
    /// Arrived, but the kernel took it not.
    pub not_taken: u64,
}

/// Why a turn has come back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Turn {
    /// Its time is over.
    Over,
    /// All commands have ended.
    Finished,
    /// The network has come to its end.
    AtEnd,
    /// The network is so many seconds of the clock behind.
    Behind(f64),
}

/// Real hosts, and the clock of their network.
#[derive(Debug)]
pub struct Emulation {
    options: Options,
    stations: Vec<Station>,
    counts: Vec<Counts>,
    commands: Commands,
    lateness: Measured,
    /// Of each host.
    lateness_of: Vec<Measured>,
    is_real_time: bool,
    /// When the network's time was zero; `None` before the first turn.
    began: Option<Nanos>,
    recording: Option<BufWriter<File>>,
    buffer: Vec<u8>,
    arrived: Vec<Arrived>,
}

impl Emulation {
    /// Makes the hosts, each with its network and device. An error is a sentence for the user.
    pub fn open(options: Options) -> Result<Emulation, String> {
        let recording = options.recording.as_deref().map(begin_recording).transpose()?;
        let numbers = 0..options.hosts.len() as u16;
        let stations: Result<Vec<_>, String> = numbers.map(|number| Station::open(number, &options)).collect();
        Ok(Emulation {
            counts: vec![Counts::default(); options.hosts.len()],
            stations: stations?,
            commands: Commands::default(),
            lateness: Measured::new(),
            lateness_of: options.hosts.iter().map(|_| Measured::new()).collect(),
            is_real_time: false,
            began: None,
            recording,
            buffer: vec![0; LONGEST],
            arrived: Vec::new(),
            options,
        })
    }

    /// Each host's name, addresses in IPv4 and IPv6, and where its network is.
    pub fn hosts(&self) -> Vec<(String, String, String, PathBuf)> {
        let stations = (0..).zip(&self.stations);
        stations
            .map(|(number, station)| {
                let (v4, v6) = (station::address(number).to_string(), station::address6(number).to_string());
                (station.name.clone(), v4, v6, station.network.clone())
            })
            .collect()
    }

    /// A command of the shell is to be started at a host, so many seconds after the start; its output goes to a file.
    pub fn add_command(&mut self, host: u16, after_s: f64, command: &str, output: &Path) {
        self.commands.add(host, (after_s * 1e9) as Nanos, command, output);
    }

    /// How commands have ended so far, in the order in which they were added.
    pub fn ended(&self) -> Vec<Ended> {
        self.commands.ended()
    }

    /// Goes on for so many seconds of the clock, if nothing ends it before.
    pub fn turn(&mut self, light: &mut dyn Light, end: u64, seconds: f64) -> Result<Turn, String> {
        let turn = self.go_on(light, end, seconds)?;
        let flushed = self.recording.iter_mut().try_for_each(|file| file.flush());
        flushed.map_err(|error| format!("the recording: {error}")).map(|()| turn)
    }

    fn go_on(&mut self, light: &mut dyn Light, end: u64, seconds: f64) -> Result<Turn, String> {
        let broken = |error: std::io::Error| format!("the emulation: {error}");
        let began = match self.began {
            Some(began) => began,
            None => {
                time::make_timers_precise().map_err(broken)?;
                // Whoever may not is later now and then, which is measured.
                self.is_real_time = !self.options.spins && priority::become_real_time(PRIORITY).is_ok();
                *self.began.insert(time::now())
            }
        };
        let until = time::now() + (seconds * 1e9) as Nanos;
        loop {
            let now = time::now();
            if now >= until {
                return Ok(Turn::Over);
            }
            if self.commands.follow(now - began, &self.stations)? {
                return Ok(Turn::Finished);
            }
            // Who was stopped for a while may catch up at once, but something was due meanwhile.
            let overdue = now.saturating_sub(self.clock_time(light.next_event())) as f64 / 1e9;
            if overdue > self.options.most_lag_s {
                return Ok(Turn::Behind(overdue));
            }
            let has_read = self.read(light)?;
            light.advance(self.light_time(time::now()));
            self.deliver(light);
            let lag = (time::now() - self.clock_time(light.now())) as f64 / 1e9;
            if light.now() >= end {
                return Ok(Turn::AtEnd);
            }
            if lag > self.options.most_lag_s {
                return Ok(Turn::Behind(lag));
            }
            if !has_read && !self.options.spins {
                let next = self.clock_time(light.next_event()).min(until).min(began + self.commands.next());
                let devices: Vec<_> = self.stations.iter().map(|station| station.tun.as_raw_fd()).collect();
                wait::ready(&devices, next).map_err(broken)?;
            }
        }
    }

    /// What became of each host's packets.
    pub fn counts(&self) -> Vec<Counts> {
        let all = self.counts.iter().zip(&self.stations);
        all.map(|(counts, station)| Counts { refused: station.refused(), ..*counts }).collect()
    }

    /// Whether the thread has real-time priority.
    pub fn is_real_time(&self) -> bool {
        self.is_real_time
    }

    /// How late packets were.
    pub fn lateness(&self) -> Lateness {
        self.lateness.lateness()
    }

    /// How late those of each host were.
    pub fn lateness_of_hosts(&self) -> Vec<Lateness> {
        self.lateness_of.iter().map(Measured::lateness).collect()
    }

    /// Packets of hosts enter. Whether there were any.
    fn read(&mut self, light: &mut dyn Light) -> Result<bool, String> {
        let mut has_read = false;
        for from in 0..self.stations.len() as u16 {
            for _ in 0..BATCH {
                let station = &self.stations[usize::from(from)];
                let read = station.tun.read(&mut self.buffer);
                let Some(length) = read.map_err(|error| format!("the device of {}: {error}", station.name))? else {
                    break;
                };
                has_read = true;
                self.enter(light, from, length)?;
            }
        }
        Ok(has_read)
    }

    /// A packet of a host, in the buffer, enters.
    fn enter(&mut self, light: &mut dyn Light, from: u16, length: usize) -> Result<(), String> {
        let (at, packet) = (self.light_time(time::now()).max(light.now()), &self.buffer[..length]);
        let counts = &mut self.counts[usize::from(from)];
        let hosts = self.stations.len() as u16;
        let Some(to) = packet::destination(packet).filter(|to| *to != from && *to < hosts) else {
            counts.elsewhere += 1;
            return Ok(());
        };
        if length > self.options.mtu as usize {
            counts.too_long += 1;
            return Ok(());
        }
        if light.bytes_inside() + length as u64 > self.options.most_bytes {
            counts.overflowed += 1;
            return Ok(());
        }
        counts.sent += 1;
        counts.sent_bytes += length as u64;
        let ecn = packet::ecn(packet);
        if let Some(recording) = &mut self.recording {
            let (from, to) = (&self.options.hosts[usize::from(from)], &self.options.hosts[usize::from(to)]);
            let word = ECN[usize::from(ecn)];
            writeln!(recording, "{at},{from},{to},{length},{word}")
                .map_err(|error| format!("the recording: {error}"))?;
        }
        light.enter((from, to), at, packet.into(), ecn);
        Ok(())
    }

    /// What has arrived is given to its host.
    fn deliver(&mut self, light: &mut dyn Light) {
        let mut arrived = std::mem::take(&mut self.arrived);
        light.take_arrived(&mut arrived);
        for mut packet in arrived.drain(..) {
            let counts = &mut self.counts[usize::from(packet.to)];
            if packet.is_marked {
                packet::mark(&mut packet.bytes);
                counts.marked += 1;
            }
            match self.stations[usize::from(packet.to)].tun.write(&packet.bytes) {
                Ok(()) => {
                    counts.received += 1;
                    counts.received_bytes += packet.bytes.len() as u64;
                }
                // A packet that the kernel does not like is lost, as on any link.
                Err(_) => counts.not_taken += 1,
            }
            let late = (time::now() - self.clock_time(packet.at)).max(0).saturating_mul(1000);
            self.lateness.record(late);
            self.lateness_of[usize::from(packet.to)].record(late);
        }
        self.arrived = arrived;
    }

    /// The time of the network at an instant of the clock.
    fn light_time(&self, at: Nanos) -> u64 {
        let since = (at - self.began.unwrap_or(at)).max(0) as f64;
        match self.options.slower {
            1.0 => since as u64 * 1000,
            slower => (since * 1000.0 / slower) as u64,
        }
    }

    /// The instant of the clock at a time of the network.
    fn clock_time(&self, at: u64) -> Nanos {
        let since = at as f64 / 1000.0 * self.options.slower;
        self.began.unwrap_or_default().saturating_add(since as Nanos)
    }
}

/// A recording with its head alone.
fn begin_recording(path: &Path) -> Result<BufWriter<File>, String> {
    let made = File::create(path).and_then(|file| {
        let mut file = BufWriter::new(file);
        file.write_all(b"time_ps,from,to,bytes,ecn\n").map(|()| file)
    });
    made.map_err(|error| format!("{}: {error}", path.display()))
}
