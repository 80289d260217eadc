//! Every byte is delivered, whatever the core loses, the rest of the way reorders, and wherever ACKs pass; and the
//! paper's form, which does not promise that.

use super::lab::{Delays, Fate, Lab, MS};
use super::rules::{AckConfig, Discard, Form, Named};
use proptest::prelude::*;
use transport::cc::{Algorithm, LossRecovery};
use transport::tcp::{ReceiverConfig, SackList, SenderConfig};

const MSS: u32 = 1000;
const SEGMENTS: u64 = 150;
const DELAYS: Delays = Delays { access: 5 * MS, core: 5 * MS, rest: 10 * MS };

fn config(form: Form, discard: Discard, guarded: bool) -> AckConfig {
    let soonest_report = 2 * DELAYS.core;
    AckConfig {
        form,
        discard,
        guarded,
        named: Named::Segment,
        copies: 4,
        memory: 100 * MS,
        soonest_report,
        report_time: soonest_report + MS / 10,
    }
}

fn sender(recovery: LossRecovery) -> SenderConfig {
    SenderConfig {
        algorithm: Algorithm::NewReno,
        recovery: Some(recovery),
        mss: MSS,
        ecn: recovery == LossRecovery::Sack,
        min_rto: units::Duration::from_millis(200),
        max_rto: units::Duration::from_secs(1),
        ..SenderConfig::default()
    }
}

fn lab(recovery: LossRecovery, acks: Option<AckConfig>) -> Lab {
    let sack = !matches!(recovery, LossRecovery::Reno | LossRecovery::NewReno);
    let receiver = ReceiverConfig { mss: MSS, sack, dsack: sack, ..ReceiverConfig::default() };
    Lab::new(sender(recovery), receiver, acks, DELAYS)
}

/// Sends everything; whether it has arrived and is acknowledged.
fn completes(lab: &mut Lab) -> bool {
    lab.write(SEGMENTS * u64::from(MSS));
    lab.run_until(600_000 * MS);
    let all = SEGMENTS * u64::from(MSS);
    lab.sender.is_complete() && lab.receiver.rcv_nxt() == all
}

fn forms() -> impl Strategy<Value = (LossRecovery, AckConfig)> {
    let recovery = prop_oneof![Just(LossRecovery::Sack), Just(LossRecovery::Rack), Just(LossRecovery::Linux)];
    let sack = recovery.prop_map(|recovery| (recovery, Form::Sack));
    let ece = prop_oneof![Just(LossRecovery::Sack), Just(LossRecovery::NewReno)].prop_map(|how| (how, Form::Ece));
    let paper = prop_oneof![Just(LossRecovery::Reno), Just(LossRecovery::NewReno)].prop_map(|how| (how, Form::Paper));
    let discard = prop_oneof![Just(Discard::Safe), Just(Discard::None)];
    let named = prop_oneof![Just(Named::Segment), Just(Named::RoundTrip)];
    (prop_oneof![sack, ece, paper], discard, named).prop_map(|((recovery, form), discard, named)| {
        let named = if form == Form::Paper { named } else { Named::Segment };
        (recovery, AckConfig { named, ..config(form, discard, true) })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// The guarded forms: every byte is delivered. An edge node that sees all ACKs knows it; one past which some go may
    /// see an old ACK twice, and none of those that answer it.
    #[test]
    fn guarded_acks_lose_no_byte(
        (recovery, acks) in forms(),
        lost in prop::collection::vec(prop::bool::weighted(0.15), 1..300),
        late in prop::collection::vec(0u64..3, 1..50),
        asymmetric in prop_oneof![Just(vec![true]), prop::collection::vec(any::<bool>(), 1..50)],
        again in prop::collection::vec(0u64..40, 1..20),
    ) {
        let mut lab = lab(recovery, Some(acks));
        // The pattern ends, so that a transfer can.
        lab.loses = Box::new(move |number, _| match lost.get(number as usize) {
            Some(true) => Fate::Lost,
            _ => Fate::Passes,
        });
        lab.late = Box::new(move |count| late[count as usize % late.len()] * MS);
        let sees_all = asymmetric.iter().all(|passes| *passes);
        lab.passes_edge = Box::new(move |count| asymmetric[count as usize % asymmetric.len()]);
        // Every report comes in time; some come again, as late as after the retransmission or after the end.
        lab.reports = Box::new(move |count| match again[count as usize % again.len()] {
            0 => vec![0],
            later => vec![0, later * MS, 3 * later * MS],
        });
        prop_assert!(completes(&mut lab), "{:?} {:?}", recovery, acks);
        prop_assert_eq!(lab.receiver.bytes_received(), SEGMENTS * u64::from(MSS), "each byte once");
        prop_assert!(!sees_all || !lab.book.as_ref().is_some_and(|book| book.is_stuck()));
    }

    /// An echo acknowledges nothing: notifications may be lost or come at any time.
    #[test]
    fn an_echo_loses_no_byte_whatever_becomes_of_notifications(
        safe in any::<bool>(),
        lost in prop::collection::vec(prop::bool::weighted(0.15), 1..300),
        reports in prop::collection::vec(prop::collection::vec(0u64..500, 0..3), 1..20),
        asymmetric in prop::collection::vec(any::<bool>(), 1..50),
    ) {
        let discard = if safe { Discard::Safe } else { Discard::None };
        let mut lab = lab(LossRecovery::Sack, Some(config(Form::Ece, discard, true)));
        lab.loses = Box::new(move |number, _| match lost.get(number as usize) {
            Some(true) => Fate::Lost,
            _ => Fate::Passes,
        });
        lab.reports = Box::new(move |count| reports[count as usize % reports.len()].iter().map(|ms| ms * MS).collect());
        lab.passes_edge = Box::new(move |count| asymmetric[count as usize % asymmetric.len()]);
        prop_assert!(completes(&mut lab));
        prop_assert_eq!(lab.receiver.bytes_received(), SEGMENTS * u64::from(MSS), "each byte once");
    }
}

/// Segments 20 and 22 are lost, and so is the retransmission of 20, of which the ACK for 22 has told the source to
/// forget it. Once per round trip only 20 is named, so nothing is forgotten.
#[test]
fn the_papers_form_leaves_a_hole_that_nobody_repairs_and_counts_it() {
    let run = |acks: AckConfig| {
        let mut lab = lab(LossRecovery::Reno, Some(acks));
        let mut times_20 = 0;
        lab.loses = Box::new(move |_, seq| {
            times_20 += u64::from(seq == 20_000);
            let lost = (seq == 20_000 && times_20 <= 2) || (seq == 22_000 && times_20 <= 1);
            if lost { Fate::Lost } else { Fate::Passes }
        });
        let done = completes(&mut lab);
        (done, lab.receiver.rcv_nxt(), lab.book.map_or(0, |book| book.orphans()))
    };
    assert_eq!(run(config(Form::Paper, Discard::All, false)), (false, 20_000, 1));
    assert_eq!(run(config(Form::Paper, Discard::Safe, true)), (true, SEGMENTS * u64::from(MSS), 0));
    let once = AckConfig { named: Named::RoundTrip, ..config(Form::Paper, Discard::All, false) };
    assert_eq!(run(once), (true, SEGMENTS * u64::from(MSS), 0));
}

/// What is lost beyond the core is reported by nobody: an ACK for a later loss passes it, and the source forgets it.
#[test]
fn a_loss_beyond_the_core_is_not_protected_by_the_guard_but_by_an_echo() {
    let run = |recovery, acks: AckConfig| {
        let mut lab = lab(recovery, Some(acks));
        let mut seen = [0, 0];
        lab.loses = Box::new(move |_, seq| match seq {
            20_000 if seen[0] == 0 => {
                seen[0] = 1;
                Fate::LostInSilence
            }
            22_000 if seen[1] == 0 => {
                seen[1] = 1;
                Fate::Lost
            }
            _ => Fate::Passes,
        });
        completes(&mut lab)
    };
    assert!(!run(LossRecovery::Reno, config(Form::Paper, Discard::Safe, true)));
    assert!(!run(LossRecovery::Sack, config(Form::Sack, Discard::Safe, true)));
    assert!(run(LossRecovery::Sack, config(Form::Ece, Discard::Safe, true)));
}

#[test]
fn an_artificial_ack_with_blocks_is_an_ack_of_what_arrived() {
    let mut lab = lab(LossRecovery::Sack, Some(config(Form::Sack, Discard::Safe, true)));
    let mut first = true;
    lab.loses = Box::new(move |_, seq| match seq {
        30_000 if std::mem::take(&mut first) => Fate::Lost,
        _ => Fate::Passes,
    });
    assert!(completes(&mut lab));
    assert!(lab.forged.len() == 4 && lab.forged.iter().all(|(_, forged)| forged.ack == 30_000), "{:?}", lab.forged);
    assert_eq!(lab.forged[0].1.sack, SackList::EMPTY);
    assert_eq!(lab.resent.len(), 1, "{:?}", lab.resent);
}
