//! A random one-factorisation of the complete graph, by hill climbing (Dinitz and Stinson 1987).
//!
//! N − 1 rounds are filled with pairs of N ports. Of an open port, a round without it and another port that it has not
//! met, the pair is put into the round; whom the other port would have met there is open again. Or, of an open round,
//! two ports without it are paired there, and their pair leaves the round in which it was. So the number of pairs never
//! falls, and chance leads to the end. All is decided by the seed.

use super::super::IDLE;

/// The matchings of N − 1 rounds, symmetric; `ports` is even.
pub(super) fn one_factorisation(ports: usize, seed: u64) -> Vec<Vec<u16>> {
    let mut random = SplitMix(seed);
    loop {
        let mut rounds = Rounds::new(ports);
        // A few hundred steps for each pair are far more than are needed; else chance has led astray.
        for _ in 0..400 * ports * ports {
            if rounds.pairs == ports / 2 * (ports - 1) {
                return rounds.partner;
            }
            if random.below(2) == 0 { rounds.fill_port(&mut random) } else { rounds.fill_round(&mut random) }
        }
    }
}

/// N matchings: each pair meets once, and each port is once without a partner. A random perfect matching is added, and
/// its pairs are taken out of the rounds in which they met.
pub(super) fn with_ports_alone(ports: usize, seed: u64) -> Vec<Vec<u16>> {
    let (mut matchings, mut random) = (one_factorisation(ports, seed), SplitMix(!seed));
    let mut shuffled: Vec<usize> = (0..ports).collect();
    (1..ports).rev().for_each(|last| shuffled.swap(last, random.below(last + 1)));
    let mut added = vec![IDLE; ports];
    for pair in shuffled.chunks_exact(2) {
        let (port, other) = (pair[0], pair[1]);
        let round = matchings.iter_mut().find(|round| usize::from(round[port]) == other);
        let round = round.expect("each pair meets once");
        (round[port], round[other]) = (IDLE, IDLE);
        (added[port], added[other]) = (other as u16, port as u16);
    }
    matchings.push(added);
    matchings
}

/// Sebastiano Vigna's SplitMix64 (2015).
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`.
    fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next()) * bound as u128) >> 64) as usize
    }

    fn one_of<T: Copy>(&mut self, items: &[T]) -> Option<T> {
        (!items.is_empty()).then(|| items[self.below(items.len())])
    }
}

struct Rounds {
    ports: usize,
    /// The partner of each port in each round, or [`IDLE`].
    partner: Vec<Vec<u16>>,
    /// The round in which two ports meet, or [`IDLE`].
    met: Vec<u16>,
    /// Pairs of each port, of each round, and of all.
    of_port: Vec<usize>,
    of_round: Vec<usize>,
    pairs: usize,
}

impl Rounds {
    fn new(ports: usize) -> Rounds {
        let rounds = ports - 1;
        let (partner, met) = (vec![vec![IDLE; ports]; rounds], vec![IDLE; ports * ports]);
        Rounds { ports, partner, met, of_port: vec![0; ports], of_round: vec![0; rounds], pairs: 0 }
    }

    /// Pairs an open port with one that it has not met.
    fn fill_port(&mut self, random: &mut SplitMix) {
        let open: Vec<usize> = (0..self.ports).filter(|port| self.of_port[*port] < self.ports - 1).collect();
        let Some(port) = random.one_of(&open) else { return };
        let rounds: Vec<usize> = (0..self.ports - 1).filter(|round| self.partner[*round][port] == IDLE).collect();
        let unmet = |other: &usize| *other != port && self.met[port * self.ports + other] == IDLE;
        let others: Vec<usize> = (0..self.ports).filter(unmet).collect();
        let (Some(round), Some(other)) = (random.one_of(&rounds), random.one_of(&others)) else { return };
        let before = self.partner[round][other];
        if before != IDLE {
            self.part(round, other, usize::from(before));
        }
        self.join(round, port, other);
    }

    /// Pairs two ports that an open round is without.
    fn fill_round(&mut self, random: &mut SplitMix) {
        let open: Vec<usize> = (0..self.ports - 1).filter(|round| 2 * self.of_round[*round] < self.ports).collect();
        let Some(round) = random.one_of(&open) else { return };
        let ports: Vec<usize> = (0..self.ports).filter(|port| self.partner[round][*port] == IDLE).collect();
        let first = random.below(ports.len());
        let second = (first + 1 + random.below(ports.len() - 1)) % ports.len();
        let (port, other) = (ports[first], ports[second]);
        let before = self.met[port * self.ports + other];
        if before != IDLE {
            self.part(usize::from(before), port, other);
        }
        self.join(round, port, other);
    }

    fn join(&mut self, round: usize, port: usize, other: usize) {
        self.set(round, port, other, [other as u16, port as u16], round as u16);
        let counts = [&mut self.of_port[port], &mut self.of_round[round], &mut self.pairs];
        counts.into_iter().for_each(|count| *count += 1);
        self.of_port[other] += 1;
    }

    fn part(&mut self, round: usize, port: usize, other: usize) {
        self.set(round, port, other, [IDLE; 2], IDLE);
        let counts = [&mut self.of_port[port], &mut self.of_round[round], &mut self.pairs];
        counts.into_iter().for_each(|count| *count -= 1);
        self.of_port[other] -= 1;
    }

    fn set(&mut self, round: usize, port: usize, other: usize, partners: [u16; 2], met: u16) {
        (self.partner[round][port], self.partner[round][other]) = (partners[0], partners[1]);
        self.met[port * self.ports + other] = met;
        self.met[other * self.ports + port] = met;
    }
}
