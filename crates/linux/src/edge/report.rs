//! What an edge node says of itself: a report for each star.

use super::Edge;
use crate::host;
use crate::matrices::{self, Plan};
use crate::report::Report;
use crate::side::Side;
use crate::slots::{Account, Skipped};
use crate::traffic::ip::Counts;

impl Edge {
    pub(super) fn reports(&mut self) -> Vec<Report> {
        let accounts: Vec<Account> = self.sides.iter_mut().map(|side| side.slots.account()).collect();
        accounts.into_iter().enumerate().map(|(star, account)| self.report(star, account)).collect()
    }

    /// What there is to say of one star, and in the first of them of the node.
    fn report(&self, star: usize, account: Account) -> Report {
        let side = &self.sides[star];
        let several = self.sides.len() > 1;
        let (master, term) = side.machine.led_by();
        let mut report = Report {
            name: if several { format!("node {}/{star}", self.node) } else { format!("node {}", self.node) },
            part: side.machine.part().name().into(),
            master: master.to_string(),
            term,
            events: self.events.iter().filter(|_| star == 0).cloned().collect(),
            ..Report::default()
        };
        report.counts = host::counts(side.machine.tally()).collect();
        report.errors.insert("slot_start".into(), account.starts);
        report.errors.insert("slot_departure".into(), account.departures);
        self.count(side, account.sent, account.skipped, &mut report);
        if let Some(ip) = self.ip.as_ref().filter(|_| star == 0) {
            count_packets(ip.counts, &mut report);
        }
        show_queues(side, &mut report);
        if several {
            self.show_star(star, &mut report);
        }
        if let Some(delay) = side.fibre_delay {
            report.levels.insert("fibre_delay_us".into(), delay as f64 / 1e3);
        }
        report
    }

    /// Light, payloads and files.
    fn count(&self, side: &Side, sent: u64, skipped: Skipped, report: &mut Report) {
        let numbers = [
            ("light_sent", sent),
            ("light_skipped", skipped.all()),
            ("light_skipped_for_the_host", skipped.holes),
            ("light_handed_over_late", skipped.handed_late),
            ("payloads_delivered", side.delivered),
            ("payloads_missing", side.missing),
            ("datagrams_unreadable", side.unreadable + side.receiver.unreadable),
            ("slots_dropped_at_full_queues", self.dropped),
            ("files_sent", self.files.outcomes.sent),
            ("files_received", self.files.outcomes.received),
            ("files_given_up", self.files.outcomes.unsent),
            ("files_refused", self.files.outcomes.refused),
            ("file_words_forged", self.files.forged),
        ];
        report.counts.extend(numbers.map(|(name, value)| (name.to_string(), value)));
    }

    /// A star among several: whether it is up, how pairs of nodes came to it and left it.
    fn show_star(&self, star: usize, report: &mut Report) {
        let (is_up, moves) = self.stars.account(star, self.clock.now());
        report.levels.insert("star_up".into(), f64::from(u8::from(is_up)));
        report.counts.insert("pairs_came".into(), moves.came);
        report.counts.insert("pairs_left".into(), moves.left);
        report.errors.insert("star_recovery".into(), self.stars.recovery());
        if let Some(timeout) = self.stars.timeout(star) {
            report.levels.insert("star_timeout_seconds".into(), timeout.ps() as f64 / 1e12);
        }
    }
}

fn count_packets(counts: Counts, report: &mut Report) {
    let Counts { taken, delivered, incomplete, without_route, too_big } = counts;
    let numbers = [
        ("packets_taken", taken),
        ("packets_delivered", delivered),
        ("packets_incomplete", incomplete),
        ("packets_without_route", without_route),
        ("packets_too_big", too_big),
    ];
    report.counts.extend(numbers.map(|(name, value)| (name.to_string(), value)));
}

/// Queues by destination; of a master its last plan, and how long its plans took.
fn show_queues(side: &Side, report: &mut Report) {
    let members = side.machine.network().map_or(&[][..], |network| &network.members);
    let waiting: usize = members.iter().map(|member| side.machine.waiting(member.node)).sum();
    report.levels.insert("waiting_slots".into(), waiting as f64);
    report.queues = matrices::queues(&side.machine);
    report.plan = side.machine.matrices().as_ref().map(Plan::of);
    let scheduling = side.scheduling.quantiles();
    if let Some(network) = side.machine.network().filter(|_| scheduling.count > 0) {
        report.errors.insert("scheduling_time".into(), scheduling);
        // Paper 003, (3.6): the slots of a frame that carry data.
        let allowed = network.slot.ps() * u64::from(network.data_slots());
        report.levels.insert("scheduling_time_allowed_us".into(), allowed as f64 / 1e6);
    }
}
