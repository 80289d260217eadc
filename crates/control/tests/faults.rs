//! Fault runs: the machines themselves under loss, duplication, reordering, bit errors, pauses, restarts of nodes and
//! of the core, hosts that send late and say so afterwards, master deaths and one-way cuts; a verifier that reads only
//! the log. `PHOTOCOL_SEEDS=10000` runs that number.

use crate::star::{self, Clock, MS, Random, Star, US, Weather, verifier};
use control::demand::Reading;
use control::signalling::{Count, Network, Sharing, Spare};
use control::wire::Carriage;

/// Seven nodes, each with a slot for signalling, so that each may be master or slave.
fn network(carriage: Carriage) -> Network {
    let (frame_slots, signalling_slots) = if carriage == Carriage::Slots { (20, 7) } else { (18, 0) };
    Network { carriage, frame_slots, signalling_slots, ..star::figure_3_8() }.checked().unwrap()
}

fn star(seed: u64, carriage: Carriage) -> Star {
    let mut random = Random(seed);
    let parts: Vec<(Clock, u64, u64)> = (0..7)
        .map(|_| {
            let clock = Clock { offset: random.below(60_000 * MS), ppb: random.below(200_000) as i64 - 100_000 };
            (clock, random.below(1000 * US), random.below(1000 * US))
        })
        .collect();
    let mut star = Star::new(network(carriage), &parts, seed ^ 0x5eed);
    star.sharing = sharing(seed);
    star
}

/// Every other seed has a master that follows the letter; the others share slots in one way or another.
fn sharing(seed: u64) -> Sharing {
    let rules = [
        Sharing { spare: Spare::Asking, ..Sharing::LITERAL },
        Sharing { spare: Spare::All, probe: 250, ..Sharing::LITERAL },
        Sharing { spare: Spare::Using, ..Sharing::LITERAL },
        Sharing { floor: 3, reading: Reading::Rate, ..Sharing::LITERAL },
    ];
    if seed.is_multiple_of(2) { Sharing::LITERAL } else { rules[(seed / 2 % 4) as usize] }
}

/// Faults of one kind or another for a number of frames. Half of the runs also lose, delay and repeat messages.
fn misfortune(star: &mut Star, frames: u64, mut core: Option<Random>) {
    if star.random.chance(500) {
        star.weather = Weather { loss: 30, duplicates: 20, reordered: 50, bit_errors: 10 };
    }
    for _ in 0..frames {
        if star.random.chance(150) {
            strike(star);
        }
        if star.random.chance(100) {
            heal(star);
        }
        if core.as_mut().is_some_and(|core| core.chance(20)) {
            star.restart_core();
        }
        talk(star);
    }
}

fn strike(star: &mut Star) {
    let site = match star.random.chance(300) {
        true => master(star).unwrap_or(0),
        false => star.random.below(7) as usize,
    };
    match star.random.below(5) {
        0 => star.kill(site),
        1 => {
            star.kill(site);
            star.start(site);
        }
        2 => star.sites[site].paused_until = star.now + star.random.below(12) * star.network.frame().ps(),
        3 => star.sites[site].fibre.cut_up = true,
        _ => star.sites[site].fibre.cut_down = true,
    }
}

fn master(star: &Star) -> Option<usize> {
    let (master, _) = star.core.master();
    star.sites.iter().position(|site| Some(site.id) == master)
}

fn heal(star: &mut Star) {
    let site = star.random.below(7) as usize;
    (star.sites[site].fibre.cut_up, star.sites[site].fibre.cut_down) = (false, false);
    if !star.is_up(site) {
        star.start(site);
    }
}

fn talk(star: &mut Star) {
    for from in 0..7 {
        let to = star.random.below(7) as usize;
        if to != from {
            star.enqueue(from, to);
        }
    }
    star.run_frames(1);
}

fn heal_all(star: &mut Star) {
    star.weather = Weather::default();
    for site in 0..7 {
        (star.sites[site].fibre.cut_up, star.sites[site].fibre.cut_down) = (false, false);
        if !star.is_up(site) {
            star.start(site);
        }
    }
}

/// Once the faults have stopped, all agree within this number of frames: a term ends and is claimed in at most 3 ·
/// patience and a rank each, a slave whose T_d is wrong is noticed in a patience, and each of the others is invited in
/// every fourth frame, twice if the first answer fell between two masters; plans take their leads.
fn liveness_bound(network: &Network) -> u64 {
    let nodes = network.members.len() as u64;
    3 * network.patience() + 3 * (network.answer_lead() + network.use_lead()) + nodes + 2 * 4 * nodes + 20
}

/// What a run has besides the faults of its seed.
#[derive(Clone, Copy)]
struct Trial {
    seed: u64,
    carriage: Carriage,
    /// Whether the controller of the core starts anew now and then.
    core_restarts: bool,
    /// How late hosts send, in ps.
    host_latency: u64,
    /// Whether slots have several datagrams.
    several: bool,
}

impl Trial {
    fn plain(seed: u64, carriage: Carriage) -> Trial {
        Trial { seed, carriage, core_restarts: false, host_latency: 0, several: false }
    }

    fn numbered(seed: u64) -> Trial {
        let carriage = if seed % 4 == 3 { Carriage::OutOfBand } else { Carriage::Slots };
        let host_latency = if seed % 5 == 2 { seed % 4 * US } else { 0 };
        Trial { seed, carriage, core_restarts: seed % 3 == 1, host_latency, several: seed % 7 < 3 }
    }
}

/// A run: the star at its end, or what went wrong.
fn run(trial: Trial) -> Result<Star, String> {
    let mut star = star(trial.seed, trial.carriage);
    star.host_latency = trial.host_latency;
    star.several = trial.several;
    star.start_all();
    star.run_frames(40);
    misfortune(&mut star, 150, trial.core_restarts.then_some(Random(trial.seed ^ 0xc04e)));
    heal_all(&mut star);
    let (bound, mut frames) = (liveness_bound(&star.network), 0);
    while !star.agrees() {
        talk(&mut star);
        frames += 1;
        if frames > bound {
            let parts: Vec<_> = (0..7).map(|site| (star.node(site).part(), star.node(site).led_by())).collect();
            return Err(format!(
                "no agreement {bound} frames after the faults: {parts:?}, core {:?}",
                star.core.master()
            ));
        }
    }
    // Everybody sends to everybody again, so that what is missing is noticed.
    (0..60).for_each(|_| talk(&mut star));
    let ports = star.network.members.iter().map(|member| (member.node.0, member.port)).collect();
    let settled = star.now - 40 * star.network.frame().ps();
    match verifier::violations(&star.log, &ports, settled) {
        found if found.is_empty() => Ok(star),
        found => Err(format!("{} violations: {}", found.len(), found[..found.len().min(3)].join("; "))),
    }
}

fn seeds() -> u64 {
    std::env::var("PHOTOCOL_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(100)
}

#[test]
fn under_any_faults_the_network_is_safe_and_when_they_stop_it_agrees() {
    use Count::*;
    let rare = [
        Malformed,
        Replayed,
        Outdated,
        InvitationAnswered,
        Joined,
        InvitationExpired,
        SlaveSilent,
        Claimed,
        Elected,
        Deposed,
        TermEnded,
        PlanAccepted,
        PlanRefused,
        ClaimRefused,
        StaleAllocation,
        GrantUnused,
        TooLate,
        DataRefused,
        NoSignal,
    ];
    let mut reached = vec![0; rare.len()];
    let mut wrong = Vec::new();
    for seed in 0..seeds() {
        match run(Trial::numbered(seed)) {
            Ok(star) => rare.iter().zip(&mut reached).for_each(|(what, times)| *times += star.count(*what)),
            Err(why) => wrong.push(format!("seed {seed}: {why}")),
        }
    }
    rare.iter().zip(&reached).for_each(|(what, times)| println!("{what:?}: {times}"));
    assert!(wrong.is_empty(), "{} of {} seeds:\n{}", wrong.len(), seeds(), wrong[..wrong.len().min(8)].join("\n"));
    let unreached: Vec<_> = rare.iter().zip(&reached).filter(|(_, times)| **times == 0).collect();
    assert!(unreached.is_empty(), "branches that no run reached: {unreached:?}");
}

/// Seeds that found a mistake once. These six: a node that had paused claimed with the stamp of the beacon instead of
/// the present, so that its T_d was wrong by the pause.
#[test]
fn seeds_that_found_a_mistake_find_it_no_more() {
    for seed in [198, 473, 550, 576, 676, 973] {
        let star = run(Trial::plain(seed, Carriage::Slots));
        assert!(star.is_ok(), "seed {seed}: {}", star.err().unwrap_or_default());
    }
    // A message beside the light that was late lengthened the T_d of its node: a claim, and the first request that a
    // new master heard.
    for seed in [4747, 847] {
        let star = run(Trial::numbered(seed));
        assert!(star.is_ok(), "seed {seed}: {}", star.err().unwrap_or_default());
    }
}

#[test]
fn the_same_seed_gives_the_same_log() {
    let log = |seed| format!("{:?}", run(Trial::plain(seed, Carriage::Slots)).map(|star| star.log).unwrap_or_default());
    assert_eq!(log(5), log(5));
}
