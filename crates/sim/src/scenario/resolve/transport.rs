//! `[transport.NAME]`, and the built-in algorithms that need no table.

use super::laws;
use crate::language::{
    At, ByteCount, DelayedAck, Fault, InitialWindowSpec, Place, Time, Window, choices, given, positive, quoted, refuse,
};
use crate::model::{Transport, TransportKind};
use crate::scenario::spec::{self, Guard, PartialAck, Recovery, SackMemory, Spec};
use std::collections::BTreeMap;
use transport::cc::{self, Algorithm};
use transport::tcp::{
    ConfigError, FastRetransmitGuard, InitialWindow, LossRecovery, PartialAckTimer, ReceiverConfig, SackAfterTimeout,
    SenderConfig,
};
use transport::xcp;
use units::{BufferSize, Bytes, Duration};

/// The largest IP packet.
const MAX_PACKET: u32 = 65_535;
const DEFAULT_PACKET: u32 = 1500;
/// IP and TCP headers without options.
const DEFAULT_HEADER: u32 = 40;
const DEFAULT_ACK: u32 = 40;
/// As in ns-2 and Linux.
const DEFAULT_MIN_RTO: Duration = Duration::from_millis(200);

/// Every transport of the scenario, sorted by name: those with a table, and built-in ones that traffic names.
pub(super) fn resolve(spec: &Spec) -> Result<Vec<Transport>, Fault> {
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
    let resolved =
        tables.into_iter().map(|(name, table)| Ok(Transport { name: name.to_owned(), kind: kind(name, table)? }));
    resolved.collect()
}

/// The size of the largest packet any transport sends.
pub(super) fn largest_packet(transports: &[Transport]) -> u32 {
    let size = |transport: &Transport| match &transport.kind {
        TransportKind::Tcp { sender, header, ack_size, .. } => (sender.mss + header).max(*ack_size),
        TransportKind::Udp { packet_size } => *packet_size,
    };
    transports.iter().map(size).max().unwrap_or(0)
}

fn built_in<'n>() -> impl Iterator<Item = &'n str> {
    cc::registry().iter().map(|entry| entry.name).chain(["udp"])
}

fn kind(name: &str, table: Option<&At<spec::Transport>>) -> Result<TransportKind, Fault> {
    let Some(table) = table else {
        return kind_of(name, &spec::Transport::default(), |message| Fault::new(Place::Unknown, message));
    };
    if table.algorithm.is_none() && !built_in().any(|known| known == name) {
        let names: Vec<&str> = built_in().collect();
        return Err(table.fault(format!("the key \"algorithm\" is missing; allowed: {}", names.join(", "))));
    }
    kind_of(name, table, |message| table.fault(message))
}

fn kind_of(name: &str, table: &spec::Transport, fault: impl Fn(String) -> Fault) -> Result<TransportKind, Fault> {
    let algorithm = table.algorithm.as_ref().map_or(name, |at| at.as_str());
    if algorithm == "udp" {
        return udp(table);
    }
    let Some(algorithm) = Algorithm::from_name(algorithm) else {
        let names: Vec<&str> = built_in().collect();
        let message = format!("there is no algorithm {}{}", quoted(algorithm), choices(algorithm, &names));
        return Err(table.algorithm.as_ref().map_or_else(|| fault(message.clone()), |at| at.fault(message.clone())));
    };
    let extra = if algorithm.needs_header() { xcp::Header::LEN as u32 } else { 0 };
    let (mss, header) = sizes(table, DEFAULT_HEADER + extra)?;
    let ack_size = bytes(table.ack_size, DEFAULT_ACK + extra, 1..=MAX_PACKET)?;
    let receiver = receiver(table, recovery(table, algorithm), mss)?;
    let sender = sender(table, algorithm, mss, receiver.window)?;
    let wrong = |why: ConfigError| {
        let given = sender_keys(table).into_iter().find(|(key, _)| *key == why.field).and_then(|(_, place)| place);
        given.map_or_else(|| fault(why.to_string()), |place| Fault::new(place, format!("{} {}", why.field, why.reason)))
    };
    sender.validate().map_err(wrong)?;
    receiver.validate().map_err(wrong)?;
    Ok(TransportKind::Tcp { sender, receiver, header, ack_size })
}

fn sender_keys(table: &spec::Transport) -> [(&'static str, Option<Place>); 9] {
    given!(
        table; min_rto, max_rto, initial_rto, dupthresh, delayed_ack, recovery, beta, alpha, congestion_beta
    )
}

fn udp(table: &spec::Transport) -> Result<TransportKind, Fault> {
    let keys = given!(
        table; paced, mss, header, ack_size, delayed_ack, initial_window, initial_ssthresh, max_window, receiver_window,
        min_rto, max_rto, initial_rto, clock_granularity, dupthresh, limited_transmit, rescue_retransmission, idle_restart,
        fast_retransmit_guard, partial_ack_timer, sack_after_timeout, increase, highspeed, beta, alpha, relation, alpha_applies,
        congestion_beta, detector, loss_reaction, duplicate_acks, recovery, sack, dsack
    );
    refuse(&keys, "is for TCP; allowed with algorithm = \"udp\": packet_size")?;
    Ok(TransportKind::Udp { packet_size: bytes(table.packet_size, DEFAULT_PACKET, 1..=MAX_PACKET)? })
}

/// Payload and header of a full data packet.
fn sizes(table: &spec::Transport, default_header: u32) -> Result<(u32, u32), Fault> {
    let header = bytes(table.header, default_header, 0..=MAX_PACKET - 1)?;
    let (Some(mss), packet) = (table.mss, table.packet_size) else {
        let packet = bytes(table.packet_size, DEFAULT_PACKET.max(header + 1), header + 1..=MAX_PACKET)?;
        return Ok((packet - header, header));
    };
    let mss_bytes = bytes(Some(mss), 0, 1..=MAX_PACKET - header)?;
    match packet {
        Some(packet) if packet.0 != u64::from(mss_bytes + header) => Err(packet.fault(format!(
            "found {} B, but mss and header make {} B; allowed: mss or packet_size",
            packet.0,
            mss_bytes + header
        ))),
        _ => Ok((mss_bytes, header)),
    }
}

fn bytes(count: Option<At<ByteCount>>, default: u32, range: std::ops::RangeInclusive<u32>) -> Result<u32, Fault> {
    let Some(count) = count else { return Ok(default) };
    match u32::try_from(count.0) {
        Ok(bytes) if range.contains(&bytes) => Ok(bytes),
        _ => Err(count.fault(format!("found {}; allowed: {} B to {} B", Bytes(count.0), range.start(), range.end()))),
    }
}

fn sender(table: &spec::Transport, algorithm: Algorithm, mss: u32, peer_window: u64) -> Result<SenderConfig, Fault> {
    let default = SenderConfig::default();
    let time = |time: &Option<At<Time>>, default: Duration| time.as_ref().map_or(Ok(default), positive);
    let max_rto = time(&table.max_rto, default.max_rto)?;
    let mut sender = SenderConfig {
        algorithm,
        recovery: Some(recovery(table, algorithm)),
        laws: laws::resolve(table, algorithm)?,
        paced: table.paced.map_or(default.paced, |at| *at),
        mss,
        initial_cwnd: match table.initial_window.map(|at| *at) {
            None => default.initial_cwnd,
            Some(InitialWindowSpec::Segments(segments)) => InitialWindow::Segments(segments),
            Some(InitialWindowSpec::Rfc3390) => InitialWindow::Rfc3390,
            Some(InitialWindowSpec::Rfc6928) => InitialWindow::Rfc6928,
        },
        initial_ssthresh: window(table.initial_ssthresh, mss)?,
        max_cwnd: window(table.max_window, mss)?.unwrap_or(u64::MAX),
        initial_peer_window: peer_window,
        min_rto: time(&table.min_rto, DEFAULT_MIN_RTO.min(max_rto))?,
        max_rto,
        initial_rto: time(&table.initial_rto, default.initial_rto.min(max_rto))?,
        clock_granularity: table.clock_granularity.map_or(default.clock_granularity, |at| at.0),
        dupthresh: table.dupthresh.map_or(default.dupthresh, |at| *at),
        limited_transmit: table.limited_transmit.map_or(default.limited_transmit, |at| *at),
        rescue_retransmission: table.rescue_retransmission.map_or(default.rescue_retransmission, |at| *at),
        idle_restart: table.idle_restart.map_or(default.idle_restart, |at| *at),
        fast_retransmit_guard: table.fast_retransmit_guard.map(|at| match *at {
            Guard::Timeout => FastRetransmitGuard::Timeout,
            Guard::Recovery => FastRetransmitGuard::Recovery,
        }),
        partial_ack_timer: match table.partial_ack_timer.map(|at| *at) {
            None => default.partial_ack_timer,
            Some(PartialAck::Impatient) => PartialAckTimer::Impatient,
            Some(PartialAck::SlowButSteady) => PartialAckTimer::SlowButSteady,
        },
        sack_after_timeout: match table.sack_after_timeout.map(|at| *at) {
            None => default.sack_after_timeout,
            Some(SackMemory::Discard) => SackAfterTimeout::Discard,
            Some(SackMemory::Keep) => SackAfterTimeout::Keep,
        },
        ..default
    };
    sender.fast_retransmit_guard = Some(sender.guard());
    Ok(sender)
}

fn recovery(table: &spec::Transport, algorithm: Algorithm) -> LossRecovery {
    match table.recovery.map(|at| *at) {
        None => algorithm.recovery(),
        Some(Recovery::Reno) => LossRecovery::Reno,
        Some(Recovery::NewReno) => LossRecovery::NewReno,
        Some(Recovery::Sack) => LossRecovery::Sack,
    }
}

fn receiver(table: &spec::Transport, recovery: LossRecovery, mss: u32) -> Result<ReceiverConfig, Fault> {
    let default = ReceiverConfig::default();
    let needed = recovery == LossRecovery::Sack;
    if let Some(sack) = table.sack.filter(|sack| !**sack && needed) {
        return Err(sack.fault("found false; recovery by SACK needs it (recovery = \"newreno\" does not)"));
    }
    let sack = table.sack.map_or(needed, |at| *at);
    if let Some(dsack) = table.dsack.filter(|dsack| **dsack && !sack) {
        return Err(dsack.fault("found true; D-SACK needs sack = true"));
    }
    Ok(ReceiverConfig {
        delayed_ack: match table.delayed_ack.map(|at| *at) {
            None | Some(DelayedAck::Off) => None,
            Some(DelayedAck::After(span)) => Some(span),
        },
        mss,
        sack,
        dsack: table.dsack.map_or(sack, |at| *at),
        window: window(table.receiver_window, mss)?.unwrap_or(default.window),
    })
}

/// A window in bytes that holds a segment; `None` if it is not given or unlimited.
fn window(window: Option<At<Window>>, mss: u32) -> Result<Option<u64>, Fault> {
    let Some(window) = window else { return Ok(None) };
    let bytes = match window.0 {
        BufferSize::Packets(packets) => packets.saturating_mul(u64::from(mss)),
        BufferSize::Bytes(bytes) => bytes.count(),
        BufferSize::Unlimited | BufferSize::Time(_) => return Ok(None),
    };
    if bytes < u64::from(mss) {
        return Err(window.fault(format!("found {}; allowed: at least one segment, {mss} B", Bytes(bytes))));
    }
    Ok(Some(bytes))
}
