use super::*;

const MSS: u64 = 100;

fn config(form: Form, discard: Discard, guarded: bool) -> AckConfig {
    AckConfig { form, discard, guarded, copies: 4, memory: 1000, soonest_report: 50, report_time: 100 }
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

fn acks(forged: &[Forged]) -> Vec<u64> {
    forged.iter().map(|forged| forged.ack / MSS).collect()
}

#[test]
fn the_papers_form_answers_a_loss_with_four_acks_at_once() {
    let mut book = book(config(Form::Paper, Discard::All, false));
    let (heard, out) = lose(&mut book, 100, 3);
    assert_eq!((heard, acks(&out)), (Heard::New, vec![3, 3, 3, 3]));
    assert!(out.iter().all(|ack| ack.sack.is_empty() && !ack.echo));
    assert_eq!(book.handle_ack(110, 300, &[]), Verdict::Discard, "the source has had it");
    assert_eq!(book.handle_ack(110, 200, &[]), Verdict::Pass);
    assert_eq!(book.handle_ack(2000, 300, &[]), Verdict::Pass, "it is forgotten after the memory");
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
    book.handle_ack(260, 300, &[]);
    assert!(!book.is_stuck());
    book.handle_ack(1300, 300, &[]);
    assert!(book.is_stuck(), "a memory later the receiver still asks for it");
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
    (160..=250).step_by(10).for_each(|now| book.poll(now, &mut out));
    assert_eq!((acks(&out), book.orphans()), (vec![5, 5, 5, 5], 0));
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
    assert_eq!(book.handle_ack(210, 300, &block(500)), Verdict::Pass, "not retransmitted yet");
    book.handle_data(220, 300, 400);
    assert_eq!(book.handle_ack(230, 300, &block(600)), Verdict::Pass, "a new block");
    assert_eq!(book.handle_ack(240, 300, &block(600)), Verdict::Discard);
    assert_eq!(book.handle_ack(250, 1000, &[]), Verdict::Pass);
}

#[test]
fn an_echo_acknowledges_nothing_and_comes_once_in_a_round_trip() {
    let mut book = book(config(Form::Ece, Discard::Safe, true));
    assert_eq!(lose(&mut book, 100, 2), (Heard::New, vec![]), "no ACK has come by");
    book.handle_ack(105, 100, &[]);
    let (_, out) = lose(&mut book, 110, 3);
    assert_eq!(out, [Forged { ack: 100, sack: SackList::EMPTY, echo: true }]);
    assert_eq!(lose(&mut book, 120, 5), (Heard::New, vec![]));
    assert_eq!(book.handle_ack(130, 100, &[]), Verdict::Pass, "the source needs the receiver's ACKs");
}
