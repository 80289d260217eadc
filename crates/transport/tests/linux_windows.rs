//! How the window of a Linux kernel moved over twelve seconds and through one loss, beside a sender here:
//! `bench/linux/windows.py` has recorded it, three takes each of Reno and CUBIC.
//!
//! One flow without end, a round trip of 100 ms without a bottleneck, an ACK for every segment; segment 200 is lost in
//! slow start. The machine that recorded was busy, so its round trips are 1 to 5 % longer than the line's. What is
//! asked for was written down before the two were compared: ssthresh within 2 %, the window within 3 % at every sample
//! from one second on. A third criterion was badly chosen: the moment at which CUBIC's window is back where it was
//! before the loss (4.7 s with Linux, 6.2 s here) says nothing, because the curve is flat there and within one segment
//! of it for 2.7 s. Instead the middle of the curve is asked for within 5 %, and C within a tenth.

use crate::harness::{Fate, Line, MSS, receiver_config};
use transport::cc;
use transport::tcp::{Preset, ReceiverConfig, SenderConfig};
use units::{Duration, Instant};

const TAKES: [(&str, [&str; 3]); 2] = [
    (
        "linux-reno",
        [
            include_str!("linux/windows/reno-1.txt"),
            include_str!("linux/windows/reno-2.txt"),
            include_str!("linux/windows/reno-3.txt"),
        ],
    ),
    (
        "linux-cubic",
        [
            include_str!("linux/windows/cubic-1.txt"),
            include_str!("linux/windows/cubic-2.txt"),
            include_str!("linux/windows/cubic-3.txt"),
        ],
    ),
];

/// The window at one time, in segments.
#[derive(Clone, Copy, Debug)]
struct Sample {
    ms: f64,
    cwnd: f64,
    ssthresh: Option<f64>,
}

fn recorded(text: &str) -> Vec<Sample> {
    let samples = text.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        Sample { ms: words[0].parse().unwrap(), cwnd: words[3].parse().unwrap(), ssthresh: words[5].parse().ok() }
    });
    samples.collect()
}

/// The same flow here, at the same times.
fn simulated(algorithm: &str, times: &[Sample]) -> Vec<Sample> {
    // Linux's slow start counts all that an ACK acknowledges; HyStart++ with a high bound does, and sees no growing
    // round trip.
    let mut laws = cc::Config::default();
    (laws.reno.hystart, laws.reno.hystart_limit) = (true, 1000);
    (laws.cubic.hystart, laws.cubic.hystart_limit) = (true, 1000);
    let preset = Preset::from_name(algorithm).unwrap();
    let mut config = SenderConfig { laws, algorithm: preset.algorithm(), mss: MSS, ..SenderConfig::default() };
    preset.apply(&mut config, &mut ReceiverConfig::default());
    let mut line = Line::new(config, receiver_config());
    line.segment_fate = Box::new(|number, _| if number == 200 { Fate::Drop } else { Fate::Deliver });
    line.write(1 << 40);
    let sample = |wanted: &Sample| {
        line.run_until(Instant::ZERO + Duration::from_micros((1000.0 * wanted.ms) as u64));
        let segments = |bytes: u64| bytes as f64 / 1000.0;
        let ssthresh = Some(segments(line.sender.ssthresh())).filter(|_| line.sender.ssthresh() != u64::MAX);
        Sample { ms: wanted.ms, cwnd: segments(line.sender.cwnd()), ssthresh }
    };
    times.iter().map(sample).collect()
}

/// When a window first reaches a level after the repair, in seconds.
fn reaches(samples: &[Sample], level: f64) -> f64 {
    samples
        .iter()
        .find(|sample| sample.ms > 1000.0 && sample.cwnd >= level)
        .map_or(f64::NAN, |sample| sample.ms / 1000.0)
}

/// The middle of a cubic curve and its C, from the moments at which it is 20 segments below and above `w_max`.
fn middle_and_c(samples: &[Sample], w_max: f64) -> (f64, f64) {
    let (below, above) = (reaches(samples, w_max - 20.0), reaches(samples, w_max + 20.0));
    (f64::midpoint(below, above), 20.0 / ((above - below) / 2.0).powi(3))
}

#[test]
fn the_windows_of_linux_through_one_loss_are_ours() {
    for (algorithm, takes) in TAKES {
        for text in takes {
            let theirs = recorded(text);
            let ours = simulated(algorithm, &theirs);
            let last = ours.len() - 1;
            println!("{algorithm}: {:?} and {:?}", theirs[last], ours[last]);
            let (cut_there, cut_here) = (theirs[last].ssthresh.unwrap(), ours[last].ssthresh.unwrap());
            assert!((cut_here / cut_there - 1.0).abs() <= 0.02, "{algorithm}: ssthresh {cut_here}, Linux {cut_there}");
            for (there, here) in theirs.iter().zip(&ours).filter(|(there, _)| there.ms >= 1000.0) {
                assert!((here.cwnd / there.cwnd - 1.0).abs() <= 0.03, "{algorithm}: {here:?}, Linux {there:?}");
            }
        }
    }
}

#[test]
fn cubic_has_the_same_middle_and_the_same_c() {
    let (algorithm, takes) = TAKES[1];
    for text in takes {
        let theirs = recorded(text);
        let ours = simulated(algorithm, &theirs);
        // β = 0.7, and K = ∛(0.3 W_max/C) = 5.4 s for 210 segments, after a loss that is repaired at 0.6 s.
        let w_max = theirs[theirs.len() - 1].ssthresh.unwrap() / 0.7;
        let ((there, c_there), (here, c_here)) = (middle_and_c(&theirs, w_max), middle_and_c(&ours, w_max));
        println!("{w_max} segments: {there} s and C = {c_there}, here {here} s and {c_here}");
        assert!((here / there - 1.0).abs() <= 0.05, "{here} s, Linux {there} s");
        for c in [c_there, c_here] {
            assert!((c / 0.4 - 1.0).abs() <= 0.1, "C = {c}");
        }
    }
}

#[test]
fn reno_grows_by_a_segment_in_a_round_trip_in_both() {
    let (algorithm, takes) = TAKES[0];
    for text in takes {
        let theirs = recorded(text);
        let ours = simulated(algorithm, &theirs);
        let slope = |samples: &[Sample]| {
            let (first, last) = (samples[10], samples[samples.len() - 1]);
            (last.cwnd - first.cwnd) / ((last.ms - first.ms) / 100.0)
        };
        let (there, here) = (slope(&theirs), slope(&ours));
        println!("{there} segments a round trip of 100 ms, here {here}");
        assert!((here - 1.0).abs() <= 0.01 && (there - 1.0).abs() <= 0.06, "{here}, Linux {there}");
    }
}
