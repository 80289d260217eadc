//! `[transport.NAME]`, and the built-in algorithms that need no table.

use crate::hosts;
use crate::hosts::keys::{Keys, MAX_PACKET, bytes};
use crate::language::{At, Fault, Parameter, Place, choices, quoted};
use crate::model::{Record, Transport, TransportKind};
use crate::scenario::Laws;
use crate::scenario::spec::{self, Spec};
use options::{Kind, Options, Value, Zero};
use std::collections::BTreeMap;
use transport::cc::{self, Algorithm, NewsWay};
use transport::tcp::{self, ConfigError, Connection, Endpoint, Preset, ReceiverConfig, SenderConfig, TcpOptions, keys};
use units::{Bytes, Duration};

/// IP and TCP headers without options.
const DEFAULT_HEADER: u32 = 40;
const DEFAULT_ACK: u32 = 40;

/// What a transport is made of besides its table.
struct Told<'a> {
    laws: &'a Laws<'a>,
    /// Whether news comes by marks.
    by_marks: bool,
}

/// Before anything is read.
pub(super) fn assert_names() {
    let kinds: Vec<_> = hosts::options().map(|(_, own)| own).collect();
    let kinds: Vec<_> = kinds.iter().map(|own| &**own).collect();
    if let Some(clash) = transport::clash(&kinds).or_else(spec::clash) {
        panic!("{clash}");
    }
}

/// Every transport of the scenario, sorted by name: those with a table, and built-in ones that traffic names.
pub(super) fn resolve(spec: &Spec, laws: &Laws) -> Result<Vec<Transport>, Fault> {
    let mut tables: BTreeMap<&str, Option<&At<spec::Transport>>> =
        spec.transport.iter().map(|(name, table)| (name.as_str(), Some(table))).collect();
    for traffic in &spec.traffic {
        let name = &traffic.transport;
        if !tables.contains_key(name.as_str()) && !built_in().any(|known| known == name.as_str()) {
            let names: Vec<&str> = spec.transport.keys().map(String::as_str).chain(built_in()).collect();
            return Err(name.fault(format!("there is no transport {}{}", quoted(name), choices(name, &names))));
        }
        tables.entry(name.as_str()).or_insert(None);
    }
    let context = Told { laws, by_marks: spec.news.iter().any(|news| news.way.0 == NewsWay::Mark) };
    let resolved =
        |(name, table): (&str, _)| Ok(Transport { name: name.to_owned(), kind: kind(name, table, &context)? });
    tables.into_iter().map(resolved).collect()
}

/// The size of the largest packet any transport sends.
pub(super) fn largest_packet(transports: &[Transport]) -> u32 {
    transports.iter().map(|transport| transport.kind.largest_packet()).max().unwrap_or(0)
}

fn built_in<'n>() -> impl Iterator<Item = &'n str> {
    let presets = tcp::presets().iter().map(|preset| preset.name);
    let laws = cc::registry().iter().map(|entry| entry.name);
    presets.chain(laws).chain(hosts::list().iter().map(|entry| entry.name))
}

fn kind(name: &str, table: Option<&At<spec::Transport>>, context: &Told) -> Result<TransportKind, Fault> {
    let Some(table) = table else {
        let nowhere = |message| Fault::new(Place::Unknown, message);
        return kind_of(name, &spec::Transport::default(), context, nowhere);
    };
    if table.wire.algorithm.is_none() && table.wire.law.is_none() && !built_in().any(|known| known == name) {
        let names: Vec<&str> = built_in().collect();
        return Err(table.fault(format!("the key \"algorithm\" is missing; allowed: {}", names.join(", "))));
    }
    kind_of(name, table, context, |message| table.fault(message))
}

fn kind_of(
    name: &str,
    table: &spec::Transport,
    context: &Told,
    fault: impl Fn(String) -> Fault,
) -> Result<TransportKind, Fault> {
    let unsaid = if table.wire.law.is_some() { Algorithm::External.name() } else { name };
    let algorithm = table.wire.algorithm.as_ref().map_or(unsaid, |at| at.as_str());
    if let Some(law) = table.wire.law.as_ref().filter(|_| algorithm != Algorithm::External.name()) {
        return Err(law.fault("the key \"law\" goes with algorithm = \"python\""));
    }
    if let Some(kind) = hosts::check(algorithm, Keys { by_marks: context.by_marks, ..table.host_keys() }) {
        return hosted(TransportKind::Hosted(kind?), table, fault);
    }
    let preset = Preset::from_name(algorithm);
    let Some(algorithm) = preset.map(Preset::algorithm).or(Algorithm::from_name(algorithm)) else {
        let names: Vec<&str> = built_in().collect();
        let message = format!("there is no algorithm {}{}", quoted(algorithm), choices(algorithm, &names));
        let written = table.wire.algorithm.as_ref();
        return Err(written.map_or_else(|| fault(message.clone()), |at| at.fault(message.clone())));
    };
    // RCP's ports write a rate instead.
    if !algorithm.reads_hops() {
        refuse_record(table)?;
    }
    let record = table.record();
    let extra = record.written_len(algorithm);
    let has_timestamps = match table.get("timestamps") {
        Some(_) => table.is_on("timestamps"),
        None => preset.is_some_and(Preset::has_timestamps),
    };
    let options = if has_timestamps { TcpOptions::TIMESTAMPS_LEN } else { 0 };
    let (mss, header) = sizes(table, DEFAULT_HEADER + extra, options)?;
    let ack_size = bytes(table.wire.ack_size, DEFAULT_ACK + extra, 1..=MAX_PACKET)?;
    keep_room((mss + header + options).max(ack_size) + record.most_growth(), record).map_err(&fault)?;
    let mut sender = SenderConfig { algorithm, mss, ..spec::usual_sender() };
    let mut receiver = ReceiverConfig { mss, ..ReceiverConfig::default() };
    preset.into_iter().for_each(|preset| preset.apply(&mut sender, &mut receiver));
    table.given.iter().try_for_each(|one| set(one, &mut sender, &mut receiver))?;
    if algorithm == Algorithm::External {
        let Some(law) = &table.wire.law else {
            return Err(fault("the key \"law\" is missing: a class, \"module:Class\" or \"file.py:Class\"".to_owned()));
        };
        let maker = (context.laws)(law).map_err(|why| law.fault(format!("found {}: {why}", quoted(law))))?;
        sender.paced |= maker.paces();
        sender.laws.external.maker = Some(maker);
    }
    if context.by_marks && sender.hears_news() && table.get("path_marks").is_none() {
        sender.path_marks = true;
    }
    settle(table, &mut sender, &mut receiver)?;
    let wrong = |why: ConfigError| match table.place(why.field) {
        Some(place) => Fault::new(place, why.to_string()),
        None => fault(why.to_string()),
    };
    sender.validate().map_err(wrong)?;
    receiver.validate().map_err(wrong)?;
    check_options(table, &sender, &receiver).map_err(wrong)?;
    Ok(TransportKind::Tcp { sender, receiver, header, ack_size, record })
}

/// A kind of host with the keys that it has not read.
fn hosted(
    kind: TransportKind,
    table: &spec::Transport,
    fault: impl Fn(String) -> Fault,
) -> Result<TransportKind, Fault> {
    if !kind.reads_hops() {
        refuse_record(table)?;
    }
    keep_room(kind.largest_packet(), kind.record()).map_err(fault)?;
    Ok(kind)
}

/// The largest packet with all its hops is an IP packet still.
fn keep_room(grown: u32, record: Record) -> Result<(), String> {
    let (longest, most) = (grown - record.most_growth(), MAX_PACKET - record.most_growth());
    match longest > most {
        true => Err(format!("packets of {longest} B would grow beyond {MAX_PACKET} B; allowed: {most} B")),
        false => Ok(()),
    }
}

/// Keys of what hops measure where nobody reads that.
fn refuse_record(table: &spec::Transport) -> Result<(), Fault> {
    let size = table.wire.telemetry_size.as_ref().map(|word| ("telemetry_size", word.place()));
    let echo = table.wire.telemetry_echo.as_ref().map(|word| ("telemetry_echo", word.place()));
    let Some((name, place)) = size.or(echo) else { return Ok(()) };
    let laws = cc::registry().iter().filter(|entry| entry.choice.reads_hops());
    let laws: Vec<&str> = laws.map(|entry| entry.name).collect();
    let message = format!("the key {} goes with a law that reads telemetry: {}", quoted(name), laws.join(", "));
    Err(Fault::new(place, message))
}

/// What goes with options of TCP.
fn check_options(table: &spec::Transport, sender: &SenderConfig, receiver: &ReceiverConfig) -> Result<(), ConfigError> {
    if sender.undo_rule().reads_timestamps() && !sender.timestamps {
        return Err(ConfigError::new("undo", "needs timestamps = true: without them no ACK says which copy it is for"));
    }
    let is_asked = sender.handshake && sender.has_ecn();
    if !receiver.accept_ecn && !is_asked {
        return Err(ConfigError::new(
            "accept_ecn",
            "needs handshake = true and ecn = true: nothing else asks the receiver",
        ));
    }
    if sender.algorithm.is_told() && (Connection::is_for(sender) || Endpoint::is_for(receiver)) {
        let options = ["timestamps", "handshake", "teardown", "autotune_from", "read", "accept_ecn"];
        let field = options.into_iter().find(|name| table.get(name).is_some()).unwrap_or("timestamps");
        let message = match sender.algorithm.needs_header() {
            true => "must be off with xcp, whose packets carry a congestion header",
            false => "must be off with a law whose packets carry telemetry",
        };
        return Err(ConfigError::new(field, message));
    }
    Ok(())
}

/// Payload and header of a full data packet with `options` bytes of options, which are not in the header.
fn sizes(table: &spec::Transport, default_header: u32, options: u32) -> Result<(u32, u32), Fault> {
    let bare = bytes(table.wire.header, default_header, 0..=MAX_PACKET - 1 - options)?;
    Ok((table.host_keys().payload(bare + options)?, bare))
}

/// Sets a given parameter of sender, receiver or law.
fn set(given: &Parameter, sender: &mut SenderConfig, receiver: &mut ReceiverConfig) -> Result<(), Fault> {
    let (key, mss) = (given.key, u64::from(sender.mss));
    let value = given.value.with_packets_of(sender.mss);
    match (key.kind, value) {
        (Kind::Window, Value::Whole(bytes)) if bytes < mss => {
            let message = format!("found {}; allowed: at least one segment, {mss} B", Bytes(bytes));
            return Err(given.value.fault(message));
        }
        (Kind::Window, Value::Whole(bytes)) if key.name == "receiver_window" && bytes > ReceiverConfig::MOST_SCALED => {
            let most = ReceiverConfig::MOST_SCALED;
            let message = format!(
                "found \"{}\"; allowed: at most {most} B, which is 65535 B shifted by 14 (RFC 7323 §2.3), or \
                    \"unlimited\"",
                Bytes(bytes)
            );
            return Err(given.value.fault(message));
        }
        (Kind::Time(Zero::Refused), Value::Time(Duration::ZERO)) => {
            return Err(given.value.fault("found \"0 s\"; allowed: more than zero"));
        }
        // The sizes of packets are settled already.
        (Kind::Bytes, _) => return Ok(()),
        _ => {}
    }
    let (mut part, own) = (sender.part_mut(key.name), receiver.find(key.name));
    if part.is_none() && own.is_none() {
        let users = keys::users(key.name).or_else(|| hosts::users(key.name)).unwrap_or_default();
        return Err(given.value.fault(format!("the key {} is for {users}", quoted(key.name))));
    }
    // Without a bound, and without a delay, is what they are.
    if value == Value::Nothing {
        return Ok(());
    }
    if let Some((part, place)) = &mut part {
        part.set(*place, value);
    }
    if let Some(place) = own {
        receiver.set(place, value);
    }
    Ok(())
}

/// What follows from other parameters where it is not given.
fn settle(table: &spec::Transport, sender: &mut SenderConfig, receiver: &mut ReceiverConfig) -> Result<(), Fault> {
    let is_given = |name: &str| table.get(name).is_some();
    if !is_given("min_rto") {
        sender.min_rto = sender.min_rto.min(sender.max_rto);
    }
    if !is_given("initial_rto") {
        sender.initial_rto = sender.initial_rto.min(sender.max_rto);
    }
    let needed = sender.reads_sack();
    match table.get("sack") {
        None => receiver.sack = needed,
        Some(sack) if !receiver.sack && needed => {
            let message = "found false; recovery by SACK needs it (recovery = \"newreno\" does not)";
            return Err(sack.value.fault(message));
        }
        Some(_) => {}
    }
    match table.get("dsack") {
        None => receiver.dsack = receiver.sack,
        Some(dsack) if receiver.dsack && !receiver.sack => {
            return Err(dsack.value.fault("found true; D-SACK needs sack = true"));
        }
        Some(_) => {}
    }
    if let Some(ecn) = table.get("ecn").filter(|_| !sender.ecn && sender.has_ecn() && !sender.path_marks) {
        let law = quoted(sender.algorithm.name());
        return Err(ecn
            .value
            .fault(format!("found false; {law} answers congestion marks, so its connections use ECN")));
    }
    if !sender.path_marks {
        // What the law implies, so that the explanation says it.
        sender.ecn = sender.has_ecn();
    }
    sender.recovery = Some(sender.loss_recovery());
    sender.ecn_feedback = Some(sender.feedback());
    receiver.ecn_feedback = sender.feedback();
    sender.fast_retransmit_guard = Some(sender.guard());
    if !receiver.window_scaling && !is_given("receiver_window") {
        receiver.window = receiver.window.min(ReceiverConfig::UNSCALED);
    }
    sender.initial_peer_window = receiver.first_window();
    Ok(())
}
