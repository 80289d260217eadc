//! Exchanges of stamps between two processes, one that asks and one that answers.
//!
//! An exchange is three messages: a question, an answer at once, and another one with the two instants of the answering
//! side, since the kernel tells of a departure only after it. The asking side so has four instants, feeds the clock
//! filters with them, and prints how far their estimates are from the modelled clocks. [`measure`] starts both
//! processes, and a fibre between them where there is one; each begins when it reads a line.

use super::Accuracy;
use crate::clock::NodeClock;
use crate::config::{Refusal, input};
use crate::demo::{Where, links, spawn};
use crate::line::Line;
use crate::relay::Receiver;
use crate::sys::datagram::Datagrams;
use crate::sys::time::{self, Monotonic, Nanos};
use crate::sys::{priority, process, wait};
use control::sync::{ClockFilter, FilterConfig, Sample};
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::os::fd::AsRawFd;
use std::process::Child;
use units::{Duration, Instant};

/// What the two are connected by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Path {
    /// A virtual wire.
    Wire,
    /// A process that is a fibre of 10 ms.
    Fibre,
}

impl Path {
    pub(super) fn name(self) -> &'static str {
        match self {
            Path::Wire => "over a virtual wire",
            Path::Fibre => "through a 10 ms software fibre",
        }
    }

    fn delay_ms(self) -> u64 {
        match self {
            Path::Wire => 0,
            Path::Fibre => 10,
        }
    }
}

/// The real-time priority of both.
const PRIORITY: i32 = 60;
/// An exchange begins so often.
const EVERY: Nanos = 4_000_000;
/// So many exchanges are not counted: the filters start.
const WARM_UP: usize = 100;
const PORT: u16 = 7300;
/// Bytes that are taken of what the one that asks says.
const LARGEST: u64 = 1 << 16;

/// The clock of the one that asks: as in the project's notes, a second behind and faster by 37.5 ppm.
fn clock() -> NodeClock {
    NodeClock::new(Duration::from_millis(123), 37.5)
}

/// Addresses: who asks, the fibre towards it, the fibre towards the other, who answers.
fn addresses(place: Where, path: Path) -> [SocketAddr; 4] {
    let at = |network: u8, last: u8, port: u16| match place {
        Where::Namespaces => SocketAddr::from((Ipv4Addr::new(10, 70 + network, 0, last), PORT)),
        Where::Loopback => SocketAddr::from((Ipv4Addr::LOCALHOST, PORT + port)),
    };
    match path {
        Path::Wire => [at(0, 1, 0), at(0, 2, 3), at(0, 1, 0), at(0, 2, 3)],
        Path::Fibre => [at(0, 1, 0), at(0, 2, 1), at(1, 1, 2), at(1, 2, 3)],
    }
}

/// Runs exchanges for so long: the accuracy both ways and one way.
pub(super) fn measure(place: Where, path: Path, seconds: f64) -> Result<[Accuracy; 2], Refusal> {
    let addresses = addresses(place, path);
    let mut processes = start(place, path, seconds, addresses)?;
    if place == Where::Namespaces {
        connect(&processes, addresses)?;
    }
    let outcome = go(&mut processes);
    for child in processes.all() {
        // It may have ended by itself.
        let _ = child.kill();
        let _ = child.wait();
    }
    outcome
}

/// The processes of a measurement.
struct Processes {
    ask: Child,
    answer: Child,
    fibre: Option<Child>,
}

impl Processes {
    /// All of them, the one that asks last.
    fn all(&mut self) -> impl Iterator<Item = &mut Child> {
        [Some(&mut self.answer), self.fibre.as_mut(), Some(&mut self.ask)].into_iter().flatten()
    }
}

/// Starts the processes, which wait for a line before they begin.
fn start(place: Where, path: Path, seconds: f64, addresses: [SocketAddr; 4]) -> Result<Processes, Refusal> {
    let [asker, near, far, answerer] = addresses;
    let count = (seconds * 1e9 / EVERY as f64) as usize + WARM_UP;
    let delay_ms = path.delay_ms();
    let words = ["ask".into(), asker.to_string(), near.to_string(), count.to_string(), delay_ms.to_string()];
    let ask = spawn(&words, place)?;
    let answer = spawn(&["answer".into(), answerer.to_string(), far.to_string()], place)?;
    let text = format!(
        "[[line]]\nnode_bind = \"{near}\"\nnode_peer = \"{asker}\"\ncore_bind = \"{far}\"\ncore_peer = \
         \"{answerer}\"\nup = \"{delay_ms} ms\"\ndown = \"{delay_ms} ms\"\n"
    );
    let fibre = match path {
        Path::Wire => None,
        Path::Fibre => Some(spawn(&["fibre".into(), "--text".into(), text], place)?),
    };
    Ok(Processes { ask, answer, fibre })
}

/// Connects the networks of the processes by virtual wires.
fn connect(processes: &Processes, [asker, near, far, answerer]: [SocketAddr; 4]) -> Result<(), Refusal> {
    let Processes { ask, answer, fibre } = processes;
    match fibre {
        None => links::wire((ask.id(), asker), (answer.id(), answerer)),
        Some(fibre) => {
            links::wire((ask.id(), asker), (fibre.id(), near))?;
            links::wire((fibre.id(), far), (answer.id(), answerer))
        }
    }
}

/// Releases all, the one that asks last, and waits for what it says.
fn go(processes: &mut Processes) -> Result<[Accuracy; 2], Refusal> {
    let failed = |error: std::io::Error| Refusal::Failure(format!("a process of the measurement: {error}"));
    for child in processes.all() {
        if let Some(stdin) = &mut child.stdin {
            stdin.write_all(b"go\n").map_err(failed)?;
        }
    }
    let mut said = String::new();
    if let Some(out) = &mut processes.ask.stdout {
        out.take(LARGEST).read_to_string(&mut said).map_err(failed)?;
    }
    serde_json::from_str(&said).map_err(|_| Refusal::Failure("the exchange of stamps has failed".into()))
}

/// A message of an exchange. Both instants are 0 but in the answering side's second message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Message {
    /// Of the exchange.
    number: u64,
    /// When the question came, in picoseconds of the answering clock.
    received: u64,
    /// When the first answer left, by the same clock.
    sent: u64,
}

impl Message {
    fn bytes(self) -> [u8; 24] {
        let mut bytes = [0; 24];
        for (part, value) in bytes.chunks_exact_mut(8).zip([self.number, self.received, self.sent]) {
            part.copy_from_slice(&value.to_le_bytes());
        }
        bytes
    }

    fn of(bytes: &[u8]) -> Option<Message> {
        let mut parts =
            bytes.chunks_exact(8).map(|part| part.iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte)));
        Some(Message { number: parts.next()?, received: parts.next()?, sent: parts.next()? })
    }
}

/// A socket that knows, by a modelled clock, when each message came and left.
struct StampedSocket {
    datagrams: Datagrams,
    /// Holds a message until the correction of its stamp has come.
    receiver: Receiver,
    /// Brings stamps of the kernel to the monotonic clock.
    monotonic: Monotonic,
    /// The modelled clock that stamps show.
    clock: NodeClock,
}

impl StampedSocket {
    fn open(own: SocketAddr, peer: SocketAddr, clock: NodeClock) -> Result<StampedSocket, Refusal> {
        // Without the right to it the table says so.
        let _ = priority::become_real_time(PRIORITY);
        let _ = time::make_timers_precise();
        let datagrams = Datagrams::between(own, peer).map_err(|error| input(format!("{own}: {error}")))?;
        Ok(StampedSocket { datagrams, receiver: Receiver::default(), monotonic: Monotonic::new(), clock })
    }

    /// Sends a message, whose departure the kernel stamps.
    fn send(&self, message: Message) {
        let head = Line::light(1).bytes();
        // What is lost is an exchange less.
        let _ = self.datagrams.send_stamped(&head, &message.bytes(), message.number);
    }

    /// The next message, and when it came.
    fn receive(&mut self) -> Option<(Message, Instant)> {
        let heard = self.receiver.receive(&self.datagrams, &self.monotonic).ok().flatten()?;
        Some((Message::of(&heard.slot)?, heard.line.corrected(self.clock.shows(heard.stamp))))
    }

    /// The number of the next message that has left, and when it left.
    fn departure(&self) -> Option<(u64, Instant)> {
        let departure = self.datagrams.departure().ok().flatten()?;
        Some((departure.tag, self.clock.shows(self.monotonic.of(departure.stamp))))
    }

    /// Waits for a message or a stamp, until an instant at most.
    fn wait(&self, until: Nanos) {
        let _ = wait::ready(&[self.datagrams.as_raw_fd()], until.min(self.receiver.next_timeout()));
    }
}

/// Answers exchanges until it is killed: at once, and again when it knows when the answer left.
pub(crate) fn answer(own: SocketAddr, peer: SocketAddr) -> Result<(), Refusal> {
    let mut socket = StampedSocket::open(own, peer, NodeClock::new(Duration::ZERO, 0.0))?;
    let mut received = BTreeMap::new();
    while !process::is_stopped() {
        socket.wait(time::now() + 100_000_000);
        while let Some((message, stamp)) = socket.receive() {
            received.insert(message.number, stamp.ps());
            socket.send(Message { received: 0, sent: 0, ..message });
        }
        while let Some((number, sent)) = socket.departure() {
            if let Some(received) = received.remove(&number) {
                socket.send(Message { number, received, sent: sent.ps() });
            }
        }
    }
    Ok(())
}

/// The stamps of an exchange as they become known.
#[derive(Clone, Copy, Debug, Default)]
struct Stamps {
    /// When the question left.
    sent: Option<Instant>,
    /// When the answer came.
    back: Option<Instant>,
    /// By the other clock: when the question came, and when the answer left.
    there: Option<(Instant, Instant)>,
}

/// Asks so often, through a fibre of this delay, and prints the accuracies.
pub(crate) fn ask(own: SocketAddr, peer: SocketAddr, count: usize, delay: Duration) -> Result<(), Refusal> {
    let mut socket = StampedSocket::open(own, peer, clock())?;
    let (mut stamps, begin) = (BTreeMap::<u64, Stamps>::new(), time::now() + 50_000_000);
    for number in 0..count as u64 {
        receive_until(&mut socket, begin + number as Nanos * EVERY, &mut stamps);
        socket.send(Message { number, received: 0, sent: 0 });
    }
    receive_until(&mut socket, time::now() + 100_000_000, &mut stamps);
    let whole: Vec<[Instant; 4]> = stamps
        .into_values()
        .filter_map(|stamps| {
            let (received, sent) = stamps.there?;
            Some([stamps.sent?, received, sent, stamps.back?])
        })
        .collect();
    if whole.len() < count / 2 {
        return Err(Refusal::Failure(format!("{} of {count} exchanges were answered", whole.len())));
    }
    let found = accuracies(&whole, &socket.clock, delay);
    println!("{}", serde_json::to_string(&found).unwrap_or_default());
    Ok(())
}

/// Takes what comes until an instant.
fn receive_until(socket: &mut StampedSocket, until: Nanos, stamps: &mut BTreeMap<u64, Stamps>) {
    while time::now() < until {
        socket.wait(until);
        while let Some((number, sent)) = socket.departure() {
            stamps.entry(number).or_default().sent = Some(sent);
        }
        while let Some((message, stamp)) = socket.receive() {
            let found = stamps.entry(message.number).or_default();
            match message.sent {
                0 => found.back = Some(stamp),
                sent => found.there = Some((Instant::from_ps(message.received), Instant::from_ps(sent))),
            }
        }
    }
}

/// Both ways and one way: errors of the filters' estimates at the departures.
fn accuracies(exchanges: &[[Instant; 4]], clock: &NodeClock, delay: Duration) -> [Accuracy; 2] {
    let real = NodeClock::new(Duration::ZERO, 0.0);
    let offset = |at: Instant| real.shows(clock.truth(at)).ps() as i64 - at.ps() as i64;
    let forward = |[sent, there, ..]: &[Instant; 4]| there.ps() as i64 - sent.ps() as i64 - offset(*sent);
    // Of a stamp that says that light was faster than its fibre, the stamp is wrong.
    let undisturbed = exchanges.iter().map(forward).filter(|found| *found >= delay.ps() as i64).min().unwrap_or(0);
    // Behind a fibre stamps are taken twice as often.
    let stamp_error = Duration::from_ps(if delay > Duration::ZERO { 500_000 } else { 200_000 });
    let config = FilterConfig { stamp_error, ..FilterConfig::default() };
    let (mut both, mut one) = (ClockFilter::new(config), ClockFilter::new(config));
    let mut errors = [Vec::new(), Vec::new()];
    for (number, [sent, there, back, home]) in exchanges.iter().enumerate() {
        both.observe(Sample::two_way(*sent, *there, *back, *home));
        one.observe(Sample::one_way(*sent, *there));
        let truth = offset(*sent);
        let estimates = [(both.estimate(*sent), truth), (one.estimate(*sent), truth + undisturbed)];
        for (errors, (estimate, truth)) in errors.iter_mut().zip(estimates) {
            errors.extend(estimate.filter(|_| number >= WARM_UP).map(|found| (found.difference - truth) as f64));
        }
    }
    [Accuracy::of(&errors[0]), Accuracy::of(&errors[1])]
}
