//! What senders of QUIC do, event by event: packets that leave, are acknowledged or found lost, and the windows, round
//! trips and timers of RFC 9002 whenever they have changed. `photocol trace --qlog` makes qlog files of it.

use super::ProbeKeys;
use super::about::{About, Named};
use crate::engine::observe::probe::{AnyProbe, Probe, ProbeSite, Report, RunSoFar};
use crate::engine::packet::Packet;
use crate::engine::packet::event::What;
use crate::engine::packet::observer::Observer;
use crate::engine::packet::state::{BySource, Same, Summed, state};
use crate::language::Key;
use crate::language::keys::{When, keys, whole};
use crate::results::{Column, Figure, Table};
use options::Words;
use std::any::Any;
use std::collections::BTreeMap;
use transport::quic::{Sender, Timer};
use units::{Duration, Instant};

pub(super) const ABOUT: About = About {
    figures: || FIGURES.to_vec(),
    tables: &[("recovery_packets", &PACKETS), ("recovery_metrics", &METRICS)],
    ..About::NOTHING
};

keys! {
    /// Recovery of QUIC.
    pub struct Keys {
        /// Whether tables have each packet that senders of QUIC send, find acknowledged or lost, and their windows,
        /// round trips and timers whenever they change. `photocol trace DIR --qlog FOLDER` writes them as qlog. A run
        /// takes longer with it, and does not change.
        pub recovery: Key<bool> = false;
        /// Rows of these tables that are kept of a flow, together; from the first on.
        pub recovery_rows: Key<u32> = 1_000_000, in whole(1, u32::MAX), when ASKED;
    }
}

const ASKED: When<Keys> = When::new(|probe| *probe.recovery, "goes with `recovery = true`");

impl ProbeKeys for Keys {
    fn asked(&self) -> Option<Box<dyn AnyProbe>> {
        let new = || Recovery { most: (*self.recovery_rows).into(), flows: BTreeMap::new(), left_out: 0 };
        self.recovery.then(|| Box::new(new()) as Box<dyn AnyProbe>)
    }
}

const FIGURES: [Named; 1] =
    [("recovery_rows_left_out", "Rows of the tables of recovery beyond `recovery_rows` of their flow.")];

const PACKETS: [Named; 8] = [
    ("run", "the replication"),
    ("flow", "its number in the table of flows"),
    ("order", "place among all rows of the flow in both tables, from 0"),
    ("at_ps", "when, in picoseconds"),
    ("event", "packet_sent, packets_acked (one row for each packet) or packet_lost"),
    ("packet_number", "the packet's"),
    ("bytes", "of its datagram; 0 but for packet_sent"),
    (
        "reason",
        "of packet_lost: reordering_threshold or time_threshold. Of packet_sent: retransmission, if its bytes have \
         left before. Of packets_acked: spurious, if it was taken for lost",
    ),
];

const METRICS: [Named; 15] = [
    ("run", "the replication"),
    ("flow", "its number in the table of flows"),
    ("order", "place among all rows of the flow in both tables, from 0"),
    ("at_ps", "when, in picoseconds"),
    ("congestion_window", "in bytes"),
    ("bytes_in_flight", "in bytes"),
    ("ssthresh", "in bytes; missing while it is infinite"),
    ("smoothed_rtt_s", "as RFC 9002 §5.3 has it, and so the next ones; missing before the first sample"),
    ("latest_rtt_s", "the last sample"),
    ("min_rtt_s", "the shortest"),
    ("rtt_variance_s", "rttvar"),
    ("pto_count", "PTOs in a row"),
    ("pacing_rate_bps", "the rate at which packets leave"),
    ("timer", "loss or pto, while one runs"),
    ("timer_due_s", "when it expires; missing while none runs"),
];

state! {
    /// What the sending ends of a partition have done.
    #[derive(Clone, Debug)]
    pub struct Recovery {
        /// Rows of a flow that are kept.
        most: u64, Same;
        flows: BTreeMap<u32, Recorded>, BySource;
        left_out: u64, Summed;
    }
}

/// What the sender of a flow has done.
#[derive(Clone, Debug, Default)]
struct Recorded {
    rows: u64,
    packets: Vec<PacketRow>,
    metrics: Vec<(u64, u64, Metrics)>,
    /// Packets that the call under way has sent: they come after what it has found.
    sent: Vec<PacketRow>,
}

#[derive(Clone, Copy, Debug)]
struct PacketRow {
    order: u64,
    at: u64,
    event: Event,
    number: u64,
    bytes: u16,
}

/// What happens to a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Event {
    Sent,
    SentAgain,
    Acked,
    AckedAfterLoss,
    LostBehind,
    LostLate,
}

/// What a sender knows.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Metrics {
    cwnd: u64,
    in_flight: u64,
    ssthresh: u64,
    /// Smoothed, latest, least and varying, once there is a sample.
    rtt: Option<[Duration; 4]>,
    pto_count: u32,
    pacing_bps: u64,
    timer: Option<(Timer, Instant)>,
}

impl Event {
    /// Its name and its reason.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Event::Sent => ("packet_sent", ""),
            Event::SentAgain => ("packet_sent", "retransmission"),
            Event::Acked => ("packets_acked", ""),
            Event::AckedAfterLoss => ("packets_acked", "spurious"),
            Event::LostBehind => ("packet_lost", "reordering_threshold"),
            Event::LostLate => ("packet_lost", "time_threshold"),
        }
    }
}

impl Metrics {
    fn of(sender: &Sender) -> Metrics {
        let rtt = sender.rtt();
        Metrics {
            cwnd: sender.cwnd(),
            in_flight: sender.bytes_in_flight(),
            ssthresh: sender.ssthresh(),
            rtt: rtt.first_sample.map(|_| [rtt.smoothed, rtt.latest, rtt.min, rtt.variance]),
            pto_count: sender.pto_count(),
            pacing_bps: sender.pacing_rate().bps(),
            timer: sender.loss_detection_timer(),
        }
    }
}

impl Recorded {
    /// The place of one more row, unless there are so many.
    fn next_place(&mut self, most: u64) -> Option<u64> {
        (self.rows < most).then(|| {
            self.rows += 1;
            self.rows - 1
        })
    }
}

impl Observer for Recovery {
    fn at_host(&mut self, now: u64, what: What, packet: &Packet, _: u64) {
        let event = match what {
            What::Send => Event::Sent,
            What::Resend => Event::SentAgain,
            _ => return,
        };
        if let Some(flow) = self.flows.get_mut(&packet.flow) {
            flow.sent.push(PacketRow { order: 0, at: now, event, number: packet.seq, bytes: packet.size });
        }
    }

    fn machine_called(&mut self, now: u64, flow: u32, shown: &dyn Any) {
        let (Some(flow), Some(sender)) = (self.flows.get_mut(&flow), shown.downcast_ref::<Sender>()) else { return };
        let (news, largest) = (sender.news(), sender.largest_acked().unwrap_or(0));
        let row = |event, number: &u64| PacketRow { order: 0, at: now, event, number: *number, bytes: 0 };
        let lost = |number: &u64| match largest.saturating_sub(*number) >= sender.thresholds().0.into() {
            true => row(Event::LostBehind, number),
            false => row(Event::LostLate, number),
        };
        let acked = news.acked.iter().map(|number| row(Event::Acked, number));
        let spurious = news.spurious.iter().map(|number| row(Event::AckedAfterLoss, number));
        let sent = std::mem::take(&mut flow.sent);
        let rows = acked.chain(spurious).chain(news.lost.iter().map(lost)).chain(sent);
        for row in rows {
            match flow.next_place(self.most) {
                Some(order) => flow.packets.push(PacketRow { order, ..row }),
                None => self.left_out += 1,
            }
        }
        let metrics = Metrics::of(sender);
        if flow.metrics.last().is_none_or(|(_, _, last)| *last != metrics) {
            match flow.next_place(self.most) {
                Some(order) => flow.metrics.push((order, now, metrics)),
                None => self.left_out += 1,
            }
        }
    }
}

impl Probe for Recovery {
    fn begin(&mut self, site: &mut dyn ProbeSite) {
        for flow in 0..site.flows().len() as u32 {
            site.watch_sender(flow);
            self.flows.insert(flow, Recorded::default());
        }
    }

    fn report(seen: Vec<&mut Recovery>, run: &RunSoFar) -> Report {
        let left_out: u64 = seen.iter().map(|part| part.left_out).sum();
        let flows: BTreeMap<u32, &Recorded> =
            seen.iter().flat_map(|part| &part.flows).map(|(flow, recorded)| (*flow, recorded)).collect();
        Report {
            figures: vec![Figure { name: FIGURES[0].0, value: left_out as f64, unit: "rows" }],
            tables: vec![("recovery_packets", packets(&flows, run)), ("recovery_metrics", metrics(&flows, run))],
            ..Report::default()
        }
    }
}

fn packets(flows: &BTreeMap<u32, &Recorded>, run: &RunSoFar) -> Table {
    let rows = || flows.iter().flat_map(|(flow, seen)| seen.packets.iter().map(move |row| (*flow, row)));
    let whole = |of: fn(u32, &PacketRow) -> u64| Column::U64(rows().map(|(flow, row)| of(flow, row)).collect());
    let columns = [
        Column::U64(rows().map(|_| run.run.into()).collect()),
        whole(|flow, _| flow.into()),
        whole(|_, row| row.order),
        whole(|_, row| row.at),
        Column::Text(rows().map(|(_, row)| row.event.words().0.to_owned()).collect()),
        whole(|_, row| row.number),
        whole(|_, row| row.bytes.into()),
        Column::Text(rows().map(|(_, row)| row.event.words().1.to_owned()).collect()),
    ];
    Table { columns: PACKETS.iter().map(|(name, _)| *name).zip(columns).collect() }
}

fn metrics(flows: &BTreeMap<u32, &Recorded>, run: &RunSoFar) -> Table {
    let rows = || flows.iter().flat_map(|(flow, seen)| seen.metrics.iter().map(move |row| (*flow, row)));
    let whole = |of: fn(&Metrics) -> u64| Column::U64(rows().map(|(_, row)| of(&row.2)).collect());
    let number = |of: &dyn Fn(&Metrics) -> f64| Column::F64(rows().map(|(_, row)| of(&row.2)).collect());
    let round = |which: usize| number(&|row| row.rtt.map_or(f64::NAN, |all| all[which].as_secs_f64()));
    let columns = [
        Column::U64(rows().map(|_| run.run.into()).collect()),
        Column::U64(rows().map(|(flow, _)| flow.into()).collect()),
        Column::U64(rows().map(|(_, row)| row.0).collect()),
        Column::U64(rows().map(|(_, row)| row.1).collect()),
        whole(|row| row.cwnd),
        whole(|row| row.in_flight),
        number(&|row| if row.ssthresh == u64::MAX { f64::NAN } else { row.ssthresh as f64 }),
        round(0),
        round(1),
        round(2),
        round(3),
        whole(|row| row.pto_count.into()),
        whole(|row| row.pacing_bps),
        Column::Text(rows().map(|(_, row)| row.2.timer.map_or("", |(kind, _)| kind.word()).to_owned()).collect()),
        number(&|row| row.timer.map_or(f64::NAN, |(_, due)| due.ps() as f64 / 1e12)),
    ];
    Table { columns: METRICS.iter().map(|(name, _)| *name).zip(columns).collect() }
}
