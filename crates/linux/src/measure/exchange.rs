//! Exchanges of stamps between two processes, there and back, in two steps: stamps of departures follow.

use super::Accuracy;
use crate::clock::NodeClock;
use crate::config::{Refusal, input};
use crate::demo::{Where, links, spawn};
use crate::line::Line;
use crate::relay::Ear;
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
    let [asker, near, far, answerer] = addresses(place, path);
    let start = |words: &[String]| spawn(words, place);
    let count = (seconds * 1e9 / EVERY as f64) as usize + WARM_UP;
    let mut ask =
        start(&["ask".into(), asker.to_string(), near.to_string(), count.to_string(), path.delay_ms().to_string()])?;
    let mut answer = start(&["answer".into(), answerer.to_string(), far.to_string()])?;
    let mut fibre = None;
    if path == Path::Fibre {
        let text = format!(
            "[[line]]\nnode_bind = \"{near}\"\nnode_peer = \"{asker}\"\ncore_bind = \"{far}\"\ncore_peer = \
                \"{answerer}\"\n\
             up = \"10 ms\"\ndown = \"10 ms\"\n"
        );
        fibre = Some(start(&["fibre".into(), "--text".into(), text])?);
    }
    if place == Where::Namespaces {
        match &fibre {
            None => links::wire((ask.id(), asker), (answer.id(), answerer))?,
            Some(fibre) => {
                links::wire((ask.id(), asker), (fibre.id(), near))?;
                links::wire((fibre.id(), far), (answer.id(), answerer))?;
            }
        }
    }
    let outcome = go(&mut ask, [Some(&mut answer), fibre.as_mut()]);
    for child in [Some(&mut ask), Some(&mut answer), fibre.as_mut()].into_iter().flatten() {
        // It may have ended by itself.
        let _ = child.kill();
        let _ = child.wait();
    }
    outcome
}

/// Releases all, the one that asks last, and waits for what it says.
fn go(ask: &mut Child, others: [Option<&mut Child>; 2]) -> Result<[Accuracy; 2], Refusal> {
    let failed = |error: std::io::Error| Refusal::Failure(format!("a process of the measurement: {error}"));
    for child in others.into_iter().flatten().chain([&mut *ask]) {
        if let Some(stdin) = &mut child.stdin {
            stdin.write_all(b"go\n").map_err(failed)?;
        }
    }
    let mut said = String::new();
    if let Some(out) = &mut ask.stdout {
        out.take(LARGEST).read_to_string(&mut said).map_err(failed)?;
    }
    serde_json::from_str(&said).map_err(|_| Refusal::Failure("the exchange of stamps has failed".into()))
}

/// A message: its kind, number, and up to two instants of the other clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Message {
    number: u64,
    received: u64,
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

/// A socket with stamps by a clock.
struct Post {
    line: Datagrams,
    ear: Ear,
    day: Monotonic,
    clock: NodeClock,
}

impl Post {
    fn open(own: SocketAddr, peer: SocketAddr, clock: NodeClock) -> Result<Post, Refusal> {
        // Without the right to it the table says so.
        let _ = priority::become_real_time(PRIORITY);
        let _ = time::make_timers_precise();
        let line = Datagrams::between(own, peer).map_err(|error| input(format!("{own}: {error}")))?;
        Ok(Post { line, ear: Ear::default(), day: Monotonic::new(), clock })
    }

    fn send(&self, message: Message) {
        let head = Line::light(1).bytes();
        // What is lost is an exchange less.
        let _ = self.line.send_stamped(&head, &message.bytes(), message.number);
    }

    fn receive(&mut self) -> Option<(Message, Instant)> {
        let heard = self.ear.hear(&self.line, &self.day).ok().flatten()?;
        Some((Message::of(&heard.slot)?, heard.line.corrected(self.clock.shows(heard.stamp))))
    }

    fn departure(&self) -> Option<(u64, Instant)> {
        let departure = self.line.departure().ok().flatten()?;
        Some((departure.tag, self.clock.shows(self.day.of(departure.stamp))))
    }

    fn wait(&self, until: Nanos) {
        let _ = wait::ready(&[self.line.as_raw_fd()], until.min(self.ear.next_timeout()));
    }
}

/// Answers exchanges until it is killed: at once, and again when it knows when the answer left.
pub(crate) fn answer(own: SocketAddr, peer: SocketAddr) -> Result<(), Refusal> {
    let mut post = Post::open(own, peer, NodeClock::new(Duration::ZERO, 0.0))?;
    let mut received = BTreeMap::new();
    while !process::is_stopped() {
        post.wait(time::now() + 100_000_000);
        while let Some((message, stamp)) = post.receive() {
            received.insert(message.number, stamp.ps());
            post.send(Message { received: 0, sent: 0, ..message });
        }
        while let Some((number, sent)) = post.departure() {
            if let Some(received) = received.remove(&number) {
                post.send(Message { number, received, sent: sent.ps() });
            }
        }
    }
    Ok(())
}

/// The stamps of an exchange as they become known.
#[derive(Clone, Copy, Debug, Default)]
struct Stamps {
    sent: Option<Instant>,
    back: Option<Instant>,
    there: Option<(Instant, Instant)>,
}

/// Asks so often, through a fibre of this delay, and prints the accuracies.
pub(crate) fn ask(own: SocketAddr, peer: SocketAddr, count: usize, delay: Duration) -> Result<(), Refusal> {
    let mut post = Post::open(own, peer, clock())?;
    let (mut stamps, begin) = (BTreeMap::<u64, Stamps>::new(), time::now() + 50_000_000);
    for number in 0..count as u64 {
        post_until(&mut post, begin + number as Nanos * EVERY, &mut stamps);
        post.send(Message { number, received: 0, sent: 0 });
    }
    post_until(&mut post, time::now() + 100_000_000, &mut stamps);
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
    let found = accuracies(&whole, &post.clock, delay);
    println!("{}", serde_json::to_string(&found).unwrap_or_default());
    Ok(())
}

/// Takes what comes until an instant.
fn post_until(post: &mut Post, until: Nanos, stamps: &mut BTreeMap<u64, Stamps>) {
    while time::now() < until {
        post.wait(until);
        while let Some((number, sent)) = post.departure() {
            stamps.entry(number).or_default().sent = Some(sent);
        }
        while let Some((message, stamp)) = post.receive() {
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
