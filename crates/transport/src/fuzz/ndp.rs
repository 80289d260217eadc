//! NDP's machines.

use super::Choices;
use crate::ndp::{Config, Pulls, Receiver, Sender};
use crate::tcp::{Actions, Segment};
use std::sync::Arc;
use units::{Duration, Instant};

const PAYLOAD: u32 = 100;

fn config(choices: &mut Choices<'_>) -> Arc<Config> {
    let first_window = 1 + u32::from(choices.byte() % 40);
    Arc::new(Config { payload: PAYLOAD, first_window, ..Config::default() })
}

/// Feeds a sender with answers to anything; panics if an invariant breaks.
pub fn ndp_sender(bytes: &[u8]) {
    let mut choices = Choices(bytes);
    let config = config(&mut choices);
    let (mut sender, mut actions) = (Sender::new(Arc::clone(&config)), Actions::default());
    let (mut now, mut written, mut sent, mut sent_up_to) = (Instant::ZERO, 0u64, 0u64, 0u64);
    while !choices.is_spent() {
        now = now + Duration::from_micros(10 * u64::from(choices.byte()));
        let about = choices.near(sent_up_to / 2, PAYLOAD.into());
        match choices.byte() % 8 {
            0 => {
                let more = choices.near(0, PAYLOAD.into());
                written = written.saturating_add(more);
                sender.write(now, more, &mut actions);
            }
            1 => {
                let due = sender.next_timeout();
                sender.handle_timeout(now, &mut actions);
                assert!(actions.segments.is_empty() || due.is_some_and(|due| due <= now));
            }
            2 => sender.handle_pull(now, about, &mut actions),
            3 => sender.handle_return(now, about, &mut actions),
            4 => sender.handle_nack(now, about, &mut actions),
            5 if choices.byte() == 0 => sender.stop(),
            _ => sender.handle_ack(now, about, &mut actions),
        }
        let most = sent + u64::from(config.first_window) + 1;
        assert!(actions.segments.len() as u64 <= most, "no call sends more than was sent before, and a window");
        for Segment { seq, len, retransmission } in actions.segments.drain(..) {
            let end = seq + u64::from(len);
            assert!(len > 0 && len <= PAYLOAD && end <= written, "it sends what it was given");
            assert_eq!(retransmission, seq < sent_up_to, "what has been sent before is marked so");
            (sent, sent_up_to) = (sent + 1, sent_up_to.max(end));
        }
        assert!(sender.bytes_acked() <= sent_up_to && sender.stats().segments_sent == sent);
    }
}

/// What is on its way to the sender.
enum Answer {
    Ack(u64),
    Nack(u64),
    Return(u64),
    Pull(u64),
}

/// A sender and a receiver over a network in which each packet meets a fate of its own while the bytes last, and none
/// afterwards; panics unless all arrives, and where nothing is lost without a timer.
pub fn ndp_flow(bytes: &[u8]) {
    let mut choices = Choices(bytes);
    let (config, total) = (config(&mut choices), 1 + 37 * u64::from(choices.byte()));
    let (mut sender, mut receiver, mut pulls) = (Sender::new(config), Receiver::default(), Pulls::default());
    let (mut actions, mut now) = (Actions::default(), Instant::ZERO);
    let (mut there, mut back): (Vec<(Segment, bool)>, Vec<Answer>) = (Vec::new(), Vec::new());
    let mut loses = false;
    sender.write(now, total, &mut actions);
    for _ in 0..100_000 {
        let sent = actions.segments.drain(..).map(|segment| (segment, sender.is_last(&segment))).collect::<Vec<_>>();
        there.extend(sent);
        if sender.is_complete() {
            assert_eq!((receiver.bytes_arrived(), receiver.is_complete()), (total, true));
            return;
        }
        now = now + Duration::from_micros(1);
        let fate = if choices.is_spent() { 0 } else { choices.byte() };
        let place = usize::from(fate / 16);
        if !there.is_empty() {
            let (segment, is_last) = there.remove(place % there.len());
            match fate % 8 {
                5 => back.push(Answer::Return(segment.seq)),
                6 => loses = true,
                4 => {
                    receiver.handle_header(segment.seq);
                    back.push(Answer::Nack(segment.seq));
                    pulls.add(0, Duration::from_micros(1));
                }
                _ => {
                    receiver.handle_packet(segment.seq, segment.len, is_last);
                    back.push(Answer::Ack(segment.seq));
                    match receiver.is_complete() {
                        true => pulls.forget(0),
                        false => pulls.add(0, Duration::from_micros(1)),
                    }
                }
            }
        } else if !back.is_empty() {
            match back.remove(place % back.len()) {
                _ if fate % 8 == 6 => loses = true,
                Answer::Ack(seq) => sender.handle_ack(now, seq, &mut actions),
                Answer::Nack(seq) => sender.handle_nack(now, seq, &mut actions),
                Answer::Return(seq) => sender.handle_return(now, seq, &mut actions),
                Answer::Pull(number) => sender.handle_pull(now, number, &mut actions),
            }
        } else if pulls.handle_timeout(now).is_some() {
            back.push(Answer::Pull(receiver.pull()));
        } else {
            assert!(loses, "nothing is on its way, though nothing was lost");
            now = now.max(sender.next_timeout().expect("what is not complete waits for something"));
            sender.handle_timeout(now, &mut actions);
        }
    }
    panic!("the flow does not end");
}
