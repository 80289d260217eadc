//! The command `photocol-node`: what it was asked for, and its exit status.

use crate::config::{self, Given, Refusal, StarConfig, input};
use crate::demo::{self, Deed, DemoOptions, Event, Spread, Where};
use crate::forms::{self, table};
use crate::host::Manner;
use crate::side::Start;
use crate::{edge, fibre, measure, program, serve, switch};
use control::wire::Carriage;
use std::io::{BufRead, IsTerminal, Read};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;

const USAGE: &str = "\
photocol-node: the control plane of an agile all-photonic network as processes

  photocol-node master|slave|core|fibre --config FILE
  photocol-node demo [--cores 1|2] [--slaves N] [--slot TIME] [--fibre TIME|none] [--loss P] [--seconds S] [--port P]
                     [--signalling-loss P] [--slot-bytes B] [--datagram-bytes B]
                     [--equal-fibres] [--loopback] [--no-ip] [--behind NODE:PREFIX]... [--file FROM:TO:PATH]... \
                     [--receive DIR] [--capture DIR] [--json]
                     [--carriage slots|out-of-band|every-slot] [--request queue|last-frame|smoothed|predicted]
                     [--kill WHO@WHEN[+HOW-LONG]]... [--stop WHO@WHEN[+HOW-LONG]]... [--leave WHO@WHEN[+HOW-LONG]]...
  photocol-node status [--port P] [--once]
  photocol-node measure [--seconds S] [--loopback]

demo: a whole star on this machine, until Ctrl-C; WHO is a node (4), core-0 or fibre, WHEN a time (10s). status: what \
a demo, or a process with metrics, says of itself.
measure: clocks and slots on this machine, beside their targets.
docs/guide/control-plane.md explains them.";

/// The longest demo, in seconds.
const YEAR: f64 = 31_536_000.0;
/// Bytes of the line after which a child begins.
const LONGEST_LINE: u64 = 64;

/// Runs the command with these arguments; `itself` starts this program again. The exit status.
pub fn main(itself: Vec<String>, arguments: &[String]) -> u8 {
    program::is_started_by(itself);
    match run(arguments) {
        Ok(()) => 0,
        Err(refusal) => {
            eprintln!("photocol-node: {refusal}");
            match refusal {
                Refusal::Input(_) => 2,
                Refusal::Failure(_) => 1,
            }
        }
    }
}

fn run(arguments: &[String]) -> Result<(), Refusal> {
    let Some((command, rest)) = arguments.split_first() else { return Err(input(USAGE)) };
    if rest.iter().any(|word| word == "--help" || word == "-h") {
        println!("{USAGE}");
        return Ok(());
    }
    let words = Words(rest);
    match command.as_str() {
        "master" => role(words, |path, manner| edge::run(&config::load(path)?, Start::Master, manner)),
        "slave" => role(words, |path, manner| edge::run(&config::load(path)?, Start::Slave, manner)),
        "core" => role(words, |path, manner| switch::run(&config::load(path)?, manner)),
        "fibre" => role(words, |path, manner| fibre::run(&config::load(path)?, manner)),
        "demo" => demo_command(words),
        "status" => status(words),
        "measure" => measure_command(words),
        "ask" | "answer" => exchange(command, words),
        "help" | "--help" | "-h" => {
            println!("{USAGE}");
            Ok(())
        }
        "--version" => {
            println!("photocol-node {}", env!("CARGO_PKG_VERSION"));
            Ok(())
        }
        other => Err(input(format!(
            "'{other}' is no command; allowed: master, slave, core, fibre, demo, status, measure\n{USAGE}"
        ))),
    }
}

/// The words behind a command.
struct Words<'a>(&'a [String]);

impl<'a> Words<'a> {
    fn next(&mut self) -> Option<&'a str> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    /// The value of an option, as it is.
    fn text(&mut self, option: &str, allowed: &str) -> Result<&'a str, Refusal> {
        self.next().ok_or_else(|| input(format!("{option} needs a value; allowed: {allowed}")))
    }

    /// The value of an option.
    fn value<T: FromStr>(&mut self, option: &str, allowed: &str) -> Result<T, Refusal> {
        let word = self.text(option, allowed)?;
        word.parse().map_err(|_| input(format!("{option} is '{word}'; allowed: {allowed}")))
    }
}

fn unknown(word: &str, allowed: &str) -> Refusal {
    input(format!("'{word}' is unknown here; allowed: {allowed}"))
}

fn role(mut words: Words, run: impl FnOnce(&Given, Manner) -> Result<(), Refusal>) -> Result<(), Refusal> {
    let (mut path, mut manner, mut waits) = (None, Manner::default(), false);
    while let Some(word) = words.next() {
        match word {
            "--config" => path = Some(Given::File(words.value(word, "a file")?)),
            "--text" => path = Some(Given::Text(words.value(word, "a configuration")?)),
            "--reports" => manner.reports = true,
            "--after-line" => waits = true,
            other => return Err(unknown(other, "--config FILE")),
        }
    }
    let path = path.ok_or_else(|| input("which configuration? --config FILE"))?;
    if waits && !released() {
        return Ok(());
    }
    run(&path, manner)
}

fn demo_command(mut words: Words) -> Result<(), Refusal> {
    let (mut options, mut json) = (DemoOptions::default(), false);
    while let Some(word) = words.next() {
        match word {
            "--json" => (json, options.shows_table) = (true, false),
            "--loopback" => options.place = Some(Where::Loopback),
            "--no-ip" => options.ip = false,
            "--equal-fibres" => options.spread = Spread::Equal,
            _ => match Deed::of(word) {
                Some(deed) => options.events.push(Event::parse(deed, words.text(word, "WHO@WHEN")?)?),
                None => demo_value(word, &mut words, &mut options)?,
            },
        }
    }
    let reports = demo::run(&options)?;
    match json {
        true => println!("{}", forms::json(&reports)),
        false => print!("{}", table(&reports)),
    }
    Ok(())
}

fn demo_value(word: &str, words: &mut Words, options: &mut DemoOptions) -> Result<(), Refusal> {
    let within = |name: &str, value: u16, least: u16, most: u16| match (least..=most).contains(&value) {
        true => Ok(value),
        false => Err(input(format!("{name} is {value}; allowed: {least} to {most}"))),
    };
    match word {
        "--cores" => options.cores = within(word, words.value(word, "1 or 2")?, 1, 2)?,
        "--slaves" => options.slaves = within(word, words.value(word, "1 to 60")?, 1, 60)?,
        "--port" => options.port = words.value(word, "0 to 65535")?,
        "--slot-bytes" => options.slot_bytes = bytes(word, words, StarConfig::LARGEST_SLOT)?,
        "--datagram-bytes" => options.datagram_bytes = bytes(word, words, StarConfig::LARGEST_DATAGRAM)?,
        "--seconds" => options.seconds = Some(seconds(word, words)?),
        "--loss" => options.loss = probability(word, words)?,
        "--signalling-loss" => options.signalling_loss = probability(word, words)?,
        "--slot" => {
            let text: String = words.value(word, "a time, as 1ms")?;
            let slot = units::parse_duration(&text).map_err(|error| input(format!("--slot is '{text}': {error}")))?;
            if !(100..=100_000).contains(&(slot.ps() / 1_000_000)) {
                return Err(input(format!("--slot is '{text}'; allowed: 100us to 100ms")));
            }
            options.slot = slot;
        }
        "--fibre" => options.fibre = fibre_length(&words.value::<String>(word, "a time, or none")?)?,
        "--behind" => options.behind.push(behind(words.text(word, "NODE:PREFIX")?)?),
        "--file" => options.files.push(file(&words.value::<String>(word, "FROM:TO:PATH")?)?),
        "--receive" => options.receive = Some(words.value(word, "a directory")?),
        "--carriage" => options.carriage = carriage(words.text(word, CARRIAGES)?)?,
        "--request" => options.request = words.text(word, "queue, last-frame, smoothed, predicted")?.to_string(),
        "--capture" => options.capture = Some(words.value(word, "a directory")?),
        other => {
            let allowed = "--cores, --slaves, --slot, --fibre, --loss, --signalling-loss, --slot-bytes, \
                --datagram-bytes, --seconds, --port, \
                           --equal-fibres, --loopback, --no-ip, --file, --receive, --capture, --json, --behind, \
                           --kill, --stop, --leave, --carriage, --request";
            return Err(unknown(other, allowed));
        }
    }
    Ok(())
}

const CARRIAGES: &str = "slots, out-of-band, every-slot";

/// How signalling travels.
fn carriage(text: &str) -> Result<Carriage, Refusal> {
    match text {
        "slots" => Ok(Carriage::Slots),
        "out-of-band" => Ok(Carriage::OutOfBand),
        "every-slot" => Ok(Carriage::EverySlot),
        other => Err(input(format!("--carriage is '{other}'; allowed: {CARRIAGES}"))),
    }
}

/// Bytes of a slot or a datagram.
fn bytes(option: &str, words: &mut Words, most: usize) -> Result<usize, Refusal> {
    let allowed = format!("{} to {most}", StarConfig::SMALLEST);
    let found = words.value(option, &allowed)?;
    match (StarConfig::SMALLEST..=most).contains(&found) {
        true => Ok(found),
        false => Err(input(format!("{option} is {found}; allowed: {allowed}"))),
    }
}

/// How long a demo lasts.
fn seconds(option: &str, words: &mut Words) -> Result<f64, Refusal> {
    let allowed = format!("above 0, up to {YEAR}");
    let found: f64 = words.value(option, &allowed)?;
    match found > 0.0 && found <= YEAR {
        true => Ok(found),
        false => Err(input(format!("{option} is {found:?}; allowed: {allowed}"))),
    }
}

fn probability(option: &str, words: &mut Words) -> Result<f64, Refusal> {
    let found: f64 = words.value(option, "0 to 1")?;
    match (0.0..=1.0).contains(&found) {
        true => Ok(found),
        false => Err(input(format!("{option} is {found}; allowed: 0 to 1"))),
    }
}

fn fibre_length(text: &str) -> Result<Option<units::Duration>, Refusal> {
    if text == "none" {
        return Ok(None);
    }
    let length = units::parse_duration(text).map_err(|error| input(format!("--fibre is '{text}': {error}")))?;
    match length.ps() <= 20_000_000_000_000 {
        true => Ok(Some(length)),
        false => Err(input(format!("--fibre is '{text}'; allowed: up to 20s"))),
    }
}

fn file(text: &str) -> Result<(u16, u16, PathBuf), Refusal> {
    let wrong = || input(format!("--file is '{text}'; allowed: FROM:TO:PATH, as 2:5:picture.png"));
    let (from, rest) = text.split_once(':').ok_or_else(wrong)?;
    let (to, path) = rest.split_once(':').ok_or_else(wrong)?;
    let path = std::path::absolute(path).map_err(|_| wrong())?;
    Ok((from.parse().map_err(|_| wrong())?, to.parse().map_err(|_| wrong())?, path))
}

/// A network behind a node, as `3:192.168.3.0/24`.
fn behind(text: &str) -> Result<(u16, String), Refusal> {
    let found = text.split_once(':').and_then(|(node, prefix)| Some((node.parse().ok()?, prefix.to_string())));
    found.ok_or_else(|| input(format!("--behind is '{text}'; allowed: NODE:PREFIX, as 3:192.168.3.0/24")))
}

fn measure_command(mut words: Words) -> Result<(), Refusal> {
    let mut options = measure::Options { seconds: 10.0, place: None };
    while let Some(word) = words.next() {
        match word {
            "--seconds" => options.seconds = words.value(word, "1 to 600")?,
            "--loopback" => options.place = Some(Where::Loopback),
            other => return Err(unknown(other, "--seconds S, --loopback")),
        }
    }
    if !(1.0..=600.0).contains(&options.seconds) {
        return Err(input(format!("--seconds is {}; allowed: 1 to 600", options.seconds)));
    }
    print!("{}", measure::run(&options)?);
    Ok(())
}

/// One side of a measurement, started by `measure`.
fn exchange(side: &str, mut words: Words) -> Result<(), Refusal> {
    let own: SocketAddr = words.value(side, "an address")?;
    let peer: SocketAddr = words.value(side, "an address")?;
    let (mut count, mut delay) = (0, 0);
    if side == "ask" {
        (count, delay) = (words.value(side, "a number")?, words.value(side, "milliseconds")?);
    }
    if !released() {
        return Ok(());
    }
    match side {
        "ask" => measure::ask(own, peer, count, units::Duration::from_millis(delay)),
        _ => measure::answer(own, peer),
    }
}

/// Whether the parent has written the line after which everything is there; without a parent there is nothing to do.
fn released() -> bool {
    let mut line = String::new();
    matches!(std::io::stdin().lock().take(LONGEST_LINE).read_line(&mut line), Ok(1..))
}

fn status(mut words: Words) -> Result<(), Refusal> {
    let (mut port, mut once, mut json) = (serve::PORT, !std::io::stdout().is_terminal(), false);
    while let Some(word) = words.next() {
        match word {
            "--port" => port = words.value(word, "0 to 65535")?,
            "--once" => once = true,
            "--json" => (once, json) = (true, true),
            other => return Err(unknown(other, "--port P, --once, --json")),
        }
    }
    loop {
        let reports = serve::fetch(port)?;
        match json {
            true => println!("{}", forms::json(&reports)),
            false if once => print!("{}", table(&reports)),
            false => print!("\x1b[H\x1b[2J{}", table(&reports)),
        }
        if once {
            return Ok(());
        }
        let now = crate::sys::time::now();
        crate::sys::time::sleep_until(now + 1_000_000_000).map_err(|error| Refusal::Failure(error.to_string()))?;
    }
}
