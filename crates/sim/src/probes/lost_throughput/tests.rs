use super::*;

/// 1 byte a picosecond, round trips of 100 ps: a window of 100 bytes fills the path.
fn account() -> Account {
    Account::new(0, 1.0, 10)
}

/// A flow with endless data and this window.
fn at(at: u64, window: u64) -> Seen {
    let limits = WindowLimits { window, bound: 1000, flight: window, has_more: true };
    Seen { at, limits, una: at, nxt: at + window, rtt: 100.0, ..Seen::default() }
}

fn cut(seen: Seen, fast_retransmits: u64) -> Seen {
    Seen { fast_retransmits, is_in_recovery: true, ..seen }
}

#[test]
fn before_the_first_reduction_the_sender_bears_the_gap() {
    let mut account = account();
    account.turn(at(0, 40), true);
    account.turn(at(100, 80), true);
    // 60 of 100 for 100 ps, then 20 for 50 ps.
    assert_eq!(account.total(150).sender, 60.0 + 10.0);
}

#[test]
fn a_limit_bears_what_it_would_cost_alone() {
    let mut account = account();
    let limited = |time, window| {
        let seen = at(time, window);
        Seen { limits: WindowLimits { bound: 75, ..seen.limits }, ..seen }
    };
    account.turn(limited(0, 75), true);
    account.turn(cut(limited(100, 50), 1), true);
    let lost = account.total(200);
    assert_eq!((lost.limits, lost.sender, lost.cuts[0].cost), (50.0, 0.0, 25.0));
}

#[test]
fn reductions_share_the_gap_that_they_have_made() {
    let mut account = account();
    account.turn(at(0, 120), true);
    // From nothing to 40 of 100, then to 70: of these 40/70 are the first one's.
    account.turn(cut(at(100, 60), 1), true);
    account.turn(at(150, 60), true);
    account.turn(cut(at(200, 30), 2), true);
    let lost = account.total(300);
    assert_eq!(lost.cuts.len(), 2);
    assert!((lost.cuts[0].cost - (40.0 + 40.0)).abs() < 1e-9 && (lost.cuts[1].cost - 30.0).abs() < 1e-9, "{lost:?}");
}

#[test]
fn the_reduction_that_ends_slow_start_bears_the_whole_gap() {
    let mut account = account();
    account.turn(Seen { is_in_slow_start: true, ..at(0, 20) }, true);
    account.turn(cut(at(100, 10), 1), true);
    let lost = account.total(200);
    assert_eq!((lost.sender, lost.cuts[0].cost), (80.0, 90.0));
}

#[test]
fn what_a_law_gives_up_by_itself_is_the_senders() {
    let mut account = account();
    account.turn(cut(at(0, 120), 0), true);
    account.turn(cut(at(100, 50), 1), true);
    // Out of recovery, without a loss or a mark, from a gap of 50 to one of 75: a third is new.
    account.turn(at(200, 50), true);
    account.turn(at(300, 25), true);
    let lost = account.total(400);
    assert!((lost.sender - 25.0).abs() < 1e-9 && (lost.cuts[0].cost - 150.0).abs() < 1e-9, "{lost:?}");
}

#[test]
fn what_is_sent_again_is_lost_once_more() {
    let mut account = account();
    account.turn(at(0, 200), true);
    account.turn(cut(at(100, 200), 1), true);
    account.turn(Seen { retransmissions: 3, ..cut(at(150, 200), 1) }, true);
    assert_eq!(account.total(150).cuts[0].cost, 30.0);
}

#[test]
fn who_waits_for_a_timer_loses_everything_from_a_round_trip_after_the_last_sending() {
    let mut account = account();
    account.turn(at(0, 100), true);
    // ACKs that let nothing leave do not end the silence.
    account.turn(at(250, 100), false);
    account.turn(Seen { timeouts: 1, ..at(1000, 10) }, true);
    let lost = account.total(1000);
    assert_eq!((lost.cuts[0].kind, lost.cuts[0].wait), (ReductionKind::Timeout, 900.0), "{lost:?}");
}

#[test]
fn a_small_window_does_not_bear_the_wait_for_a_late_ack() {
    let mut account = account();
    account.turn(at(0, 100), true);
    account.turn(Seen { timeouts: 1, ..at(400, 10) }, true);
    account.turn(Seen { timeouts: 1, ..at(900, 20) }, true);
    let lost = account.total(900);
    // 300 up to the timeout, and 90 of 100 for the round trip in which its segment could not be answered.
    assert_eq!((lost.cuts[0].cost, lost.cuts[0].wait), (0.0, 390.0), "{lost:?}");
}

#[test]
fn a_first_window_is_slow_start_or_waits_for_the_first_timer() {
    let blind = |time| Seen { rtt: 0.0, ..at(time, 10) };
    let mut account = account();
    account.turn(blind(0), true);
    account.turn(at(100, 20), true);
    assert_eq!(account.total(100).sender, 100.0);
    let mut account = Account::new(0, 1.0, 10);
    account.turn(blind(0), true);
    account.turn(Seen { timeouts: 1, ..blind(1000) }, true);
    let lost = account.total(1000);
    assert_eq!((lost.sender, lost.cuts[0].wait), (0.0, 1000.0));
}

#[test]
fn an_idle_application_bears_all() {
    let mut account = account();
    let seen = at(0, 100);
    account.turn(Seen { limits: WindowLimits { flight: 0, has_more: false, ..seen.limits }, ..seen }, false);
    let lost = account.total(500);
    assert_eq!((lost.application, lost.sender), (500.0, 0.0));
}
