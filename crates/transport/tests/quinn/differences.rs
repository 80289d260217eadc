//! What quinn does in another way than our sender, each with its size: rows of docs/validation/rfc-9002.md.

use super::flows::{Flow, LAWS, WINDOW, ours, quinns, quinns_with, wide};
use super::line::{Line, MS, PACKET, Path};
use super::own::{self, Own, PAYLOAD};
use super::peers::{Law, Quinn};
use transport::cc::{self, Algorithm};
use transport::quic::Config;
use transport::tcp::InitialWindow;

const NEWRENO: Law = Law::NewReno(WINDOW);

fn newreno(packets: u32) -> Config {
    Config { initial_window: InitialWindow::Segments(packets), ..own::config(Algorithm::NewReno) }
}

/// A flow of so many packets with NewReno from a window of ten: quinn's and ours.
fn both(path: &Path, packets: u64) -> (Flow, Flow) {
    (quinns(NEWRENO, path, packets), ours(newreno(10), path, packets))
}

/// RFC 9002 §7: a packet must not make bytes_in_flight larger than the window. quinn does not let it be as large
/// either.
#[test]
fn quinn_leaves_the_last_byte_of_a_window_unused() {
    let theirs = quinns(Law::NewReno(10 * PACKET), &wide(), 12);
    assert_eq!(theirs.at_once(), 9);
    assert_eq!(quinns(Law::NewReno(10 * PACKET + 1), &wide(), 12).at_once(), 10);
    assert_eq!(ours(newreno(10), &wide(), 12).at_once(), 10);
}

/// §6.2.4: a probe should carry new data, else unacknowledged data, else a PING. With nothing new, quinn's is a PING at
/// the same time, and what was lost leaves again a round trip later.
#[test]
fn a_probe_of_quinns_without_new_data_is_empty() {
    let (theirs, ours) = both(&wide().losing([8, 9]), 10);
    assert_eq!((&theirs.empty[..], &theirs.again[..]), (&[10, 11][..], &[(12, 8), (13, 9)][..]));
    assert_eq!((&ours.empty[..], &ours.again[..]), (&[][..], &[(10, 8), (11, 9), (12, 9)][..]));
    assert!(theirs.sent[10].abs_diff(ours.sent[10]) < MS);
    let later = theirs.sent[12] - ours.sent[10];
    assert!(later.abs_diff(50 * MS) < MS, "{later} ns");
}

/// A.7 takes an ACK's marks first, then losses, and then lets the window grow, where what left before a cut does not
/// count. quinn grows first, finds losses, and takes marks last: two ACKs of two packets have grown its window by then,
/// and one has grown ours.
#[test]
fn quinn_takes_marks_last() {
    let path = wide().marking([3]);
    let theirs = Flow::of(&Line::run(Quinn::new(NEWRENO, 1).with_ecn(true), path.clone(), 20 * PAYLOAD));
    let ours = ours(Config { ecn: true, ..newreno(10) }, &path, 20);
    let cuts = |flow: &Flow| flow.cuts.iter().map(|(_, cwnd)| *cwnd).collect::<Vec<u64>>();
    assert_eq!((cuts(&theirs), cuts(&ours)), (vec![(WINDOW + 4 * PACKET) / 2], vec![12 * PACKET / 2]));
    assert_eq!((theirs.last.lost, ours.last.lost), (0, 0));
    assert!(theirs.cuts[0].0.abs_diff(ours.cuts[0].0) < MS);
}

/// B.6 leaves ssthresh without a floor: half of three packets. quinn's is two packets, as the window.
#[test]
fn ssthresh_of_quinns_has_a_floor() {
    let path = wide().losing([0]);
    let (theirs, ours) = (quinns(Law::NewReno(3 * PACKET + 64), &path, 2), ours(newreno(3), &path, 2));
    assert_eq!((theirs.last.cwnd, theirs.last.ssthresh), (2 * PACKET, 2 * PACKET));
    assert_eq!((ours.last.cwnd, ours.last.ssthresh), (2 * PACKET, 3 * PACKET / 2));
}

/// Ten packets and three pairs of probes are lost, 532 ms apart; a PTO is 76 ms. Both find persistent congestion with
/// the same ACK. When the next ACK comes quinn sends one packet, and ours two: quinn leaves the last byte of a window
/// of two packets unused.
#[test]
fn persistent_congestion_leaves_quinn_one_packet() {
    let (theirs, ours) = both(&wide().losing(0..16), 60);
    for flow in [&theirs, &ours] {
        assert_eq!((flow.lost.len(), flow.lost[0].1, flow.cuts.len(), flow.cuts[0].1), (1, 16, 1, 2 * PACKET));
    }
    assert!(theirs.lost[0].0.abs_diff(ours.lost[0].0) < MS);
    let soon = |flow: &Flow| {
        let (cut, _) = flow.cuts[0];
        flow.sent.iter().filter(|at| (cut + 1..cut + 30 * MS).contains(at)).count()
    };
    assert_eq!((soon(&theirs), soon(&ours)), (1, 2));
}

/// B.8 sets congestion_recovery_start_time back, so that the next loss halves the window of two packets. quinn keeps
/// it: the last of the lost probes, which the loss timer finds, cuts nothing, and slow start goes up to the old
/// ssthresh.
#[test]
fn after_persistent_congestion_quinn_is_still_in_recovery() {
    let (theirs, ours) = both(&wide().losing(0..17), 60);
    for flow in [&theirs, &ours] {
        let lost: Vec<u64> = flow.lost.iter().map(|(_, count)| *count).collect();
        assert_eq!((lost, flow.cuts[0].1), (vec![16, 1], 2 * PACKET));
    }
    assert_eq!((theirs.last.ssthresh, ours.last.ssthresh), ((WINDOW + PACKET) / 2, PACKET));
}

/// A number that was left out is not acknowledged. Before the third pair of probes quinn leaves one out, and takes it
/// for a packet that has arrived: no persistent congestion.
#[test]
fn a_number_left_out_hides_persistent_congestion_from_quinn() {
    let theirs = quinns_with(NEWRENO, &wide().losing(0..16), 30, |flow| flow.gaps == [14]);
    assert_eq!(theirs.lost.iter().map(|(_, count)| *count).collect::<Vec<u64>>(), [16]);
    assert_eq!(theirs.cuts.iter().map(|(_, cwnd)| *cwnd).collect::<Vec<u64>>(), [(WINDOW + PACKET) / 2]);
}

/// A packet comes 5 ms late, is taken for lost, and arrives before there is room to send its bytes again. quinn has
/// forgotten it by then, and sends them.
#[test]
fn quinn_sends_again_what_has_arrived_late() {
    let (theirs, ours) = both(&wide().late(3, 5000), 60);
    assert_eq!((theirs.again, ours.again), (vec![(18, 3)], vec![]));
    assert_eq!((theirs.sent.len(), ours.sent.len()), (61, 60));
    assert_eq!((theirs.last.lost, ours.last.lost), (1, 1));
}

/// §7.8: ten packets fill the window, and nothing is to follow. The first ACK finds the window full, and ours grows;
/// quinn takes a sender that has nothing more for limited by its application.
#[test]
fn the_end_of_the_data_is_an_unused_window_to_quinn() {
    let (theirs, ours) = both(&wide(), 10);
    assert_eq!((theirs.last.cwnd, ours.last.cwnd), (WINDOW, 12 * PACKET));
}

/// quinn's statistic counts every time that packets are found lost; we count cuts.
#[test]
fn congestion_events_of_quinns_are_not_cuts() {
    let path = wide().losing([3, 5, 8]);
    let theirs = Line::run(Quinn::new(NEWRENO, 1), path.clone(), 60 * PAYLOAD);
    assert_eq!((theirs.stack.congestion_events(), Flow::of(&theirs).cuts.len()), (3, 1));
    let ours = Line::run(Own::new(newreno(10)), path, 60 * PAYLOAD);
    assert_eq!((ours.stack.sender.stats().fast_retransmits, Flow::of(&ours).cuts.len()), (1, 1));
}

/// §7.7: a burst should not be larger than the initial window. Ours may be as large; quinn's bucket holds ten packets
/// or what leaves in 2 ms, and is filled before the next packet leaves.
#[test]
fn quinn_paces_in_bursts_of_ten() {
    let theirs = quinns(Law::NewReno(40 * PACKET + 64), &wide(), 40);
    let ours = ours(Config { paced: true, ..newreno(40) }, &wide(), 40);
    assert_eq!(ours.at_once(), 40);
    assert!((10..20).contains(&theirs.at_once()), "{}", theirs.at_once());
    let mut times = theirs.sent.clone();
    times.dedup();
    let burst = theirs.sent.iter().filter(|at| **at == times[1]).count();
    assert!((9..=10).contains(&burst), "{burst}");
    // Ten packets at 1.25 windows of 40 packets in 50 ms: 10 ms.
    assert!(times[1].abs_diff(10 * MS) < MS, "{} ns", times[1]);
}

/// Congestion avoidance: B.5 has fractions of a byte for each packet, quinn a packet for each window.
#[test]
fn newreno_of_quinns_grows_by_whole_packets() {
    let (theirs, ours) = both(&wide().losing([3]), 120);
    assert!(theirs.growths().len() == 7 && theirs.growths().iter().all(|by| *by == PACKET), "{theirs:?}");
    assert!(ours.growths().len() > 40 && ours.growths().iter().all(|by| *by < PACKET / 3), "{ours:?}");
    assert!(theirs.last.cwnd.abs_diff(ours.last.cwnd) < PACKET);
}

/// CUBIC: quinn's W_est grows with the time since the loss (RFC 8312), ours with acknowledged bytes (RFC 9438 §4.3),
/// and its t begins with the loss, not with congestion avoidance (§4.2). Nine round trips after a loss at 16 packets
/// quinn is more than one packet ahead.
#[test]
fn cubic_of_quinns_is_ahead_in_the_reno_friendly_region() {
    let (law, algorithm) = LAWS[1];
    let path = wide().losing([3]);
    let (theirs, ours) = (quinns(law, &path, 120), ours(own::config(algorithm), &path, 120));
    assert!(theirs.growths().len() == 5 && theirs.growths().iter().all(|by| *by == PACKET), "{theirs:?}");
    let ahead = theirs.last.cwnd - ours.last.cwnd;
    assert!(ahead > PACKET && ahead < 2 * PACKET, "{ahead}");
}

/// RFC 9002 §7.3.1 lets slow start grow by acknowledged bytes. NewReno does, and CUBIC with HyStart++; CUBIC without it
/// grows by a packet for each ACK, as TCP's does (RFC 5681 §3.1), which is half as fast where ACKs are of two packets.
#[test]
fn slow_start_of_cubic_without_hystart_is_slower_than_quinns() {
    let (law, algorithm) = LAWS[1];
    let plain = Config { laws: cc::Config::default(), ..own::config(algorithm) };
    let first = |flow: Flow| flow.windows[0].1;
    assert_eq!(first(quinns(law, &wide(), 26)), WINDOW + 2 * PACKET);
    assert_eq!(first(ours(own::config(algorithm), &wide(), 26)), 12 * PACKET);
    assert_eq!(first(ours(plain, &wide(), 26)), 11 * PACKET);
}
