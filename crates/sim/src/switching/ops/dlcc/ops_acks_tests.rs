use super::*;

const MSS: u64 = 100;

fn config(form: Form, discard: Discard, guarded: bool) -> AckConfig {
    let named = Named::Segment;
    AckConfig { form, discard, guarded, named, copies: 4, memory: 1000, soonest_report: 50, report_time: 100 }
}

/// Ten segments leave, one every 10.
fn book(config: AckConfig) -> Book {
    let mut book = Book::new(config);
    (0..10).for_each(|number| book.handle_data(10 * number, number * MSS, (number + 1) * MSS));
    book
}

fn lose(book: &mut Book, now: u64, segment: u64) -> (Heard, Vec<Forged>) {
    let mut out = Vec::new();
    let heard = book.handle_loss(now, segment * MSS, &mut out);
    (heard, out)
}

fn real(book: &mut Book, now: u64, ack: u64, sack: &[SackBlock]) -> Verdict {
    book.handle_ack(now, &Real { ack, sack, ..Real::default() })
}

fn acks(forged: &[Forged]) -> Vec<u64> {
    forged.iter().map(|forged| forged.ack / MSS).collect()
}

#[test]
fn the_papers_form_answers_a_loss_with_four_acks_at_once() {
    let mut book = book(config(Form::Paper, Discard::All, false));
    let (heard, out) = lose(&mut book, 100, 3);
    assert_eq!((heard, acks(&out)), (Heard::New, vec![3, 3, 3, 3]));
    assert!(out.iter().all(|ack| ack.sack.is_empty() && !ack.echo));
    assert_eq!(real(&mut book, 110, 300, &[]), Verdict::Discard, "the source has had it");
    assert_eq!(real(&mut book, 110, 200, &[]), Verdict::Pass);
    assert_eq!(real(&mut book, 2000, 300, &[]), Verdict::Pass, "it is forgotten after the memory");
}

#[test]
fn notifications_that_are_late_or_repeated_change_nothing() {
    let mut book = book(config(Form::Paper, Discard::All, false));
    assert_eq!(lose(&mut book, 100, 3).0, Heard::New);
    assert_eq!(lose(&mut book, 101, 3), (Heard::Repeated, vec![]));
    assert_eq!(lose(&mut book, 102, 12), (Heard::Unknown, vec![]), "never sent");
    assert_eq!(lose(&mut book, 1050, 5), (Heard::Unknown, vec![]), "sent 1000 before");
    book.handle_data(200, 300, 400);
    assert_eq!(lose(&mut book, 249, 3), (Heard::Repeated, vec![]), "nothing of the retransmission can be known yet");
    assert_eq!(lose(&mut book, 300, 3).0, Heard::New, "the retransmission is lost too");
}

/// Segments 3 and 5 are lost. The ACK for 5 acknowledges 3; the source has retransmitted it, or not.
#[test]
fn the_papers_form_makes_holes_that_nobody_repairs() {
    let mut book = book(config(Form::Paper, Discard::All, false));
    lose(&mut book, 100, 3);
    lose(&mut book, 101, 5);
    assert_eq!(book.orphans(), 1);
    book.handle_data(150, 300, 400);
    assert_eq!(book.orphans(), 0, "the retransmission was on its way");
    lose(&mut book, 250, 3);
    assert_eq!(book.orphans(), 1, "the retransmission is lost, and the source has forgotten it");
    real(&mut book, 260, 300, &[]);
    assert!(!book.is_stuck());
    real(&mut book, 1300, 300, &[]);
    assert!(book.is_stuck(), "a memory later the receiver still asks for it");
}

fn once_per_round_trip(guarded: bool) -> Book {
    book(AckConfig { named: Named::RoundTrip, ..config(Form::Paper, Discard::All, guarded) })
}

/// Segments 3, 5 and 8 are lost in one round trip: only 3 is named. It comes once more at 150, and 10 leaves at 160:
/// its loss is of the next round trip.
#[test]
fn once_per_round_trip_names_the_first_lost_segment_and_leaves_the_others_to_the_receiver() {
    let mut book = once_per_round_trip(false);
    assert_eq!(acks(&lose(&mut book, 100, 3).1), [3, 3, 3, 3]);
    assert_eq!(lose(&mut book, 101, 5), (Heard::New, vec![]));
    assert_eq!(book.orphans(), 0, "the source has not been told to forget anything");
    assert_eq!(real(&mut book, 110, 300, &[]), Verdict::Discard, "generated already");
    book.handle_data(150, 300, 400);
    assert_eq!(lose(&mut book, 155, 8), (Heard::New, vec![]), "it left at 80");
    assert_eq!(real(&mut book, 158, 500, &[]), Verdict::Pass, "the receiver asks for 5 itself");
    book.handle_data(160, 1000, 1100);
    assert_eq!(acks(&lose(&mut book, 260, 10).1), [10, 10, 10, 10]);
}

/// The retransmission of segment 3 is lost too: it left when the round trip began. Without any answer the memory is the
/// limit.
#[test]
fn once_per_round_trip_tells_of_a_lost_retransmission_and_of_a_silent_source() {
    let mut book = once_per_round_trip(false);
    lose(&mut book, 100, 3);
    book.handle_data(150, 300, 400);
    assert_eq!(acks(&lose(&mut book, 250, 3).1), [3, 3, 3, 3]);
    book.handle_data(1199, 1000, 1100);
    assert_eq!(lose(&mut book, 1249, 10), (Heard::New, vec![]), "999 after the last naming");
    book.handle_data(1200, 1100, 1200);
    assert_eq!(acks(&lose(&mut book, 1250, 11).1), [11, 11, 11, 11]);
}

/// Segments 3 and 5 are reported while 2 may still be lost: when 3 is named at 120, 5 is of its round trip.
#[test]
fn a_guarded_book_that_tells_once_per_round_trip_names_one_of_those_that_wait() {
    let mut book = once_per_round_trip(true);
    let mut out = Vec::new();
    lose(&mut book, 100, 3);
    lose(&mut book, 110, 5);
    [110, 120].iter().for_each(|now| book.poll(*now, &mut out));
    assert_eq!(acks(&out), [3, 3, 3, 3]);
    book.handle_data(150, 300, 400);
    [150, 250, 400].iter().for_each(|now| book.poll(*now, &mut out));
    assert_eq!(out.len(), 4, "5 was not named");
}

#[test]
fn a_guarded_ack_waits_for_what_may_still_be_reported() {
    let mut book = book(config(Form::Paper, Discard::Safe, true));
    // At 100 only segment 0 is sure to have arrived; segment 2 at 120.
    assert_eq!(lose(&mut book, 100, 3), (Heard::New, vec![]));
    assert_eq!(book.next_timeout(), 110);
    let mut out = Vec::new();
    [110, 120].iter().for_each(|now| book.poll(*now, &mut out));
    assert_eq!(acks(&out), [3, 3, 3, 3]);
    assert_eq!(lose(&mut book, 130, 5), (Heard::New, vec![]), "3 is a hole below it");
    book.handle_data(150, 300, 400);
    out.clear();
    // Segment 3 has arrived again at 250; nobody asks the book but when it says.
    assert_eq!(book.next_timeout(), 250);
    book.poll(250, &mut out);
    assert_eq!((acks(&out), book.orphans()), (vec![5, 5, 5, 5], 0));
}

/// Segments 3 and 5 are lost. The ACK for 3 is given at 130, and 4 has arrived at 140; the receiver acknowledges the
/// retransmission of 3.
#[test]
fn a_second_loss_is_announced_when_the_receiver_acknowledges_the_first() {
    let mut book = book(config(Form::Paper, Discard::Safe, true));
    lose(&mut book, 130, 3);
    lose(&mut book, 131, 5);
    real(&mut book, 240, 500, &[]);
    let mut out = Vec::new();
    assert_eq!(book.next_timeout(), 240);
    book.poll(240, &mut out);
    assert_eq!(acks(&out), [5, 5, 5, 5]);
}

/// Segment 9 is the last of its window. Three more leave at 200, 210 and 220, and have arrived at 320.
#[test]
fn blocks_for_the_last_segment_of_a_window_wait_for_the_next_window() {
    let mut book = book(config(Form::Sack, Discard::Safe, true));
    let (heard, mut out) = lose(&mut book, 195, 9);
    assert_eq!((heard, out.len(), book.next_timeout()), (Heard::New, 0, u64::MAX));
    (10..13).for_each(|number| book.handle_data(100 + 10 * number, number * MSS, (number + 1) * MSS));
    let asked = |book: &mut Book, out: &mut Vec<Forged>| {
        let at = book.next_timeout();
        book.poll(at, out);
        at
    };
    let times: Vec<u64> = std::iter::repeat_with(|| asked(&mut book, &mut out)).take(3).collect();
    assert_eq!((times, acks(&out)), (vec![300, 310, 320], vec![9, 9, 9, 9]));
}

/// Segment 0 left at 0 and was not reported by 100, so it has arrived, and 8 by 180. That 0 comes again at 150 delays
/// nothing.
#[test]
fn a_segment_that_has_arrived_and_comes_again_is_waited_for_no_more() {
    let mut book = book(config(Form::Paper, Discard::Safe, true));
    book.handle_data(150, 0, MSS);
    let (heard, out) = lose(&mut book, 185, 9);
    assert_eq!((heard, acks(&out)), (Heard::New, vec![9, 9, 9, 9]));
}

/// An ACK that says anything that the source has not read goes on: only the repetition is discarded.
#[test]
fn a_safe_discard_lets_windows_marks_and_repetitions_pass() {
    let mut book = book(config(Form::Paper, Discard::Safe, true));
    lose(&mut book, 130, 3);
    book.handle_data(140, 300, 400);
    let seen = |book: &mut Book, real: Real| book.handle_ack(150, &Real { ack: 300, ..real });
    let block = |start, end| SackBlock { start, end };
    let plain = Real { window: Some(9000), ..Real::default() };
    assert_eq!(seen(&mut book, plain), Verdict::Pass, "a window");
    assert_eq!(seen(&mut book, plain), Verdict::Discard, "the same window");
    assert_eq!(seen(&mut book, Real { window: Some(8000), ..plain }), Verdict::Pass, "another window");
    assert_eq!(seen(&mut book, Real { window: Some(8000), marks: true, ..plain }), Verdict::Pass, "ECE");
    let again = Real { window: Some(8000), sack: &[block(100, 200)], ..plain };
    assert_eq!(seen(&mut book, again), Verdict::Pass, "segment 1 came twice (RFC 2883)");
    let held = Real { window: Some(8000), sack: &[block(400, 600)], ..plain };
    assert_eq!([seen(&mut book, held), seen(&mut book, held)], [Verdict::Pass, Verdict::Discard]);
    let inside = Real { window: Some(8000), sack: &[block(400, 500), block(400, 600)], ..plain };
    assert_eq!(seen(&mut book, inside), Verdict::Pass, "segment 4 came twice");
}

proptest::proptest! {
    /// A book that is asked when it says tells the same at the same times as one that is asked at every instant.
    #[test]
    fn whoever_has_something_to_tell_says_when(
        form in proptest::sample::select(vec![Form::Paper, Form::Sack, Form::Ece]),
        steps in proptest::collection::vec((0u64..30, 0u8..4, 0u64..14), 1..80),
    ) {
        let new = || Book::new(AckConfig { memory: 100, ..config(form, Discard::Safe, true) });
        let (mut punctual, mut nagged) = (new(), new());
        let (mut now, mut sent) = (0, 0);
        let (mut left, mut reported) = ([0; 100], [false; 100]);
        let (mut told, mut heard) = (Vec::new(), Vec::new());
        for (wait, what, segment) in steps.into_iter().chain([(1000, 3, 0)]) {
            for _ in 0..wait {
                now += 1;
                // As often as it likes at an instant.
                while punctual.next_timeout() <= now {
                    poll(&mut punctual, now, &mut told);
                }
                (0..20).for_each(|_| poll(&mut nagged, now, &mut heard));
            }
            let old = if sent == 0 { 0 } else { segment % sent };
            // Reports come in time: later than that a slot has arrived. Only what was reported is sent again.
            let what = match what {
                1 if now >= left[old as usize] + 100 => 3,
                2 if !reported[old as usize] => 3,
                _ => what,
            };
            for (book, list) in [(&mut punctual, &mut told), (&mut nagged, &mut heard)] {
                let mut out = Vec::new();
                match what {
                    0 => book.handle_data(now, sent * MSS, (sent + 1) * MSS),
                    1 => drop(book.handle_loss(now, old * MSS, &mut out)),
                    2 => book.handle_data(now, old * MSS, (old + 1) * MSS),
                    _ => drop(real(book, now, old * MSS, &[])),
                }
                list.extend(out.into_iter().map(|forged| (now, forged)));
            }
            let place = if what == 0 { sent } else { old } as usize;
            match what {
                0 | 2 => (left[place], reported[place]) = (now, false),
                1 => reported[place] = true,
                _ => {}
            }
            sent += u64::from(what == 0);
        }
        proptest::prop_assert_eq!(told, heard);
    }
}

fn poll(book: &mut Book, now: u64, told: &mut Vec<(u64, Forged)>) {
    let mut out = Vec::new();
    book.poll(now, &mut out);
    told.extend(out.into_iter().map(|forged| (now, forged)));
}

/// Segments 3 and 5 are lost: the first ACK names 3, the next have blocks above 3 without 5.
#[test]
fn blocks_name_what_has_arrived_just_above_the_hole() {
    let mut book = book(config(Form::Sack, Discard::Safe, true));
    lose(&mut book, 140, 3);
    lose(&mut book, 150, 5);
    let mut out = Vec::new();
    (150..=170).step_by(10).for_each(|now| book.poll(now, &mut out));
    assert_eq!(acks(&out), [3, 3, 3, 3]);
    assert!(out[0].sack.is_empty());
    let blocks: Vec<_> = out[3].sack.as_slice().iter().map(|block| (block.start / MSS, block.end / MSS)).collect();
    assert_eq!(blocks, [(4, 5), (6, 8)], "three segments, and not the lost one");
}

#[test]
fn a_safe_discard_waits_for_the_retransmission_and_lets_news_pass() {
    let mut book = book(config(Form::Sack, Discard::Safe, true));
    lose(&mut book, 140, 3);
    let mut out = Vec::new();
    (150..=200).step_by(10).for_each(|now| book.poll(now, &mut out));
    assert!(!out.is_empty());
    let block = |end| [SackBlock { start: 400, end }];
    assert_eq!(real(&mut book, 210, 300, &block(500)), Verdict::Pass, "not retransmitted yet");
    book.handle_data(220, 300, 400);
    assert_eq!(real(&mut book, 230, 300, &block(600)), Verdict::Pass, "a new block");
    assert_eq!(real(&mut book, 240, 300, &block(600)), Verdict::Discard);
    assert_eq!(real(&mut book, 250, 1000, &[]), Verdict::Pass);
}

#[test]
fn an_echo_acknowledges_nothing_and_comes_once_in_a_round_trip() {
    let mut book = book(config(Form::Ece, Discard::Safe, true));
    assert_eq!(lose(&mut book, 100, 2), (Heard::New, vec![]), "no ACK has come by");
    real(&mut book, 105, 100, &[]);
    let (_, out) = lose(&mut book, 110, 3);
    assert_eq!(out, [Forged { ack: 100, sack: SackList::EMPTY, echo: true }]);
    assert_eq!(lose(&mut book, 120, 5), (Heard::New, vec![]));
    assert_eq!(real(&mut book, 130, 100, &[]), Verdict::Pass, "the source needs the receiver's ACKs");
}
