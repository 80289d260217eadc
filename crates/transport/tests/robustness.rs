//! Any input, sane or hostile: no panic, invariants hold, and a transfer over a lossy line completes.

use crate::harness::{Fate, Line, receiver_config, sender_config};
use options::Words;
use proptest::prelude::*;
use transport::cc::registry;
use transport::tcp::{Frto, LossRecovery, ReceiverConfig, Reduction, SenderConfig, Undo, UndoResponse};
use units::Duration;

/// Decides by a hash of `(seed, number)`, so that a failing case is its seed.
fn chance(seed: u64, number: u64, per_mille: u64) -> bool {
    let mut z = seed.wrapping_add(number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (z ^ (z >> 31)) % 1000 < per_mille
}

fn bad_line(sender: SenderConfig, receiver: ReceiverConfig, seed: u64, per_mille: u64) -> Line {
    let mut line = Line::new(sender, receiver);
    line.segment_fate = Box::new(move |number, _| match () {
        _ if chance(seed, number, per_mille) => Fate::Drop,
        _ if chance(seed ^ 1, number, per_mille) => Fate::Delay(Duration::from_millis(30)),
        _ if chance(seed ^ 3, number, per_mille / 4) => Fate::Twice(Duration::from_millis(20)),
        _ if chance(seed ^ 4, number, per_mille) => Fate::Mark,
        _ => Fate::Deliver,
    });
    line.ack_fate =
        Box::new(move |number| if chance(seed ^ 2, number, per_mille / 2) { Fate::Drop } else { Fate::Deliver });
    line
}

proptest! {
    #[test]
    fn a_sender_survives_anything(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        transport::fuzz::sender(&bytes);
    }

    #[test]
    fn a_receiver_survives_anything(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        transport::fuzz::receiver(&bytes);
    }

    #[test]
    fn ndp_survives_anything_and_delivers_whatever_is_trimmed_lost_or_returned(
        bytes in prop::collection::vec(any::<u8>(), 0..2000),
    ) {
        transport::fuzz::ndp_sender(&bytes);
        transport::fuzz::ndp_flow(&bytes);
    }

    #[test]
    fn quic_survives_anything_and_delivers_over_any_network(
        bytes in prop::collection::vec(any::<u8>(), 0..400)
    ) {
        transport::fuzz::quic_sender(&bytes);
        transport::fuzz::quic_receiver(&bytes);
        transport::fuzz::quic_flow(&bytes);
    }

    #[test]
    fn both_ends_of_a_connection_survive_anything(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        transport::fuzz::connection(&bytes);
        transport::fuzz::endpoint(&bytes);
    }

    #[test]
    fn a_transfer_completes_whatever_is_lost_late_or_duplicated(
        seed in any::<u64>(),
        per_mille in 0u64..300,
        algorithm in prop::sample::select(registry()),
        recovery in prop::option::of(prop::sample::select(LossRecovery::ALL)),
        reduction in prop::sample::select(Reduction::ALL),
        undo in prop::option::of((prop::sample::select(Undo::ALL), prop::sample::select(UndoResponse::ALL))),
        frto in prop::option::of(any::<bool>()),
        paced in any::<bool>(),
        delayed in any::<bool>(),
        ecn in any::<bool>(),
        window in prop_oneof![Just(1u64 << 40), 1_000u64..40_000],
    ) {
        let plain = SenderConfig { paced, recovery, initial_peer_window: window, ..sender_config(algorithm.name) };
        // Some laws need SACK.
        let plain = if plain.validate().is_ok() { plain } else { SenderConfig { recovery: None, ..plain } };
        let reads_sack = plain.reads_sack();
        let sender = SenderConfig {
            reduction: reads_sack.then_some(reduction).filter(|_| !algorithm.choice.asks().rate_samples),
            undo: undo.map(|(undo, _)| undo),
            undo_response: undo.map_or(UndoResponse::Restore, |(_, response)| response),
            frto: frto.map(|enhanced| if enhanced && reads_sack { Frto::Sack } else { Frto::Basic }),
            ecn,
            ..plain
        };
        // Some laws cannot answer marks, on some recoveries.
        let sender = if sender.validate().is_ok() { sender } else { SenderConfig { ecn: false, ..sender } };
        let (ecn_is_used, ecn_feedback) = (sender.has_ecn(), sender.feedback());
        let delayed_ack = delayed.then(|| Duration::from_millis(100));
        let receiver = ReceiverConfig { window, delayed_ack, ecn_feedback, ..receiver_config() };
        let mut line = bad_line(sender, receiver, seed, per_mille);
        line.write(200);
        prop_assert!(line.finish(200_000));
        prop_assert_eq!(line.receiver.bytes_received(), 200_000);
        for (_, segment) in &line.sent {
            let is_capable = line.sender.ecn_of(segment).is_some_and(|said| said.is_capable());
            prop_assert!(!ecn_is_used || is_capable != segment.retransmission, "new data can be marked until the end");
        }
    }
}

#[test]
fn the_same_inputs_give_the_same_segments() {
    let run = || {
        let mut line = bad_line(sender_config("sack"), receiver_config(), 7, 50);
        line.write(500);
        assert!(line.finish(100_000));
        line.sent
    };
    assert_eq!(run(), run());
}
