//! A run of ladders: rungs are placed, replicas travel until enough of them were renewed, and log Z is read off.

use super::REJECTIONS_PER_LENGTH;
use super::acceptance_ratio::log_ratio;
use super::bundle::{Bundle, Counts, LADDERS};
use super::rungs::{count_for, placed};
use crate::inference::annealed_importance::Path;
use crate::inference::markov_chains::Machine;
use rayon::prelude::*;

/// How long ladders run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Effort {
    /// Bundles of eight ladders.
    pub(crate) bundles: usize,
    /// The work of all of them together, in draws of a unit, is kept below this.
    pub(crate) most_work: f64,
    /// Renewals per ladder without which no run ends …
    pub(crate) renewals: usize,
    /// … and the standard error that is small enough; eight times as many renewals are enough whatever the error.
    pub(crate) std_err: f64,
    /// Sweeps that are measured, where users say how many.
    pub(crate) sweeps: Option<usize>,
}

/// What ladders found.
#[derive(Clone, Debug)]
pub(crate) struct Tempered {
    /// Log Z without the network's constant.
    pub(crate) log_partition: f64,
    /// By the jackknife over ladders; never below what renewals may have missed.
    pub(crate) std_err: f64,
    /// How far ladders that began at the base and those that began at given states are apart, in standard errors.
    pub(crate) apart: f64,
    pub(crate) ladders: usize,
    pub(crate) rungs: usize,
    /// Sweeps that were measured.
    pub(crate) sweeps: usize,
    pub(crate) renewals: usize,
    pub(crate) round_trips: usize,
    /// The smallest share of accepted swaps between neighbours.
    pub(crate) least_accepted: f64,
    /// States at β = 1 on the way, a value per place; many of them are there more than once.
    pub(crate) visited: Vec<Vec<bool>>,
}

impl Tempered {
    /// Whether enough replicas were renewed for the ladders to be in equilibrium.
    pub(crate) fn is_renewed(&self) -> bool {
        self.renewals >= LEAST_RENEWALS * self.ladders
    }

    /// Whether it makes no difference where ladders began.
    pub(crate) fn is_settled(&self) -> bool {
        self.apart.abs() <= MOST_APART
    }
}

/// Sweeps of the rounds that place the rungs.
const PLACING: [usize; 3] = [32, 64, 128];
const FIRST_STRETCH: usize = 128;
/// Excesses that are kept of each rung of a ladder.
const MOST_TIMES: usize = 512;
/// Fewer renewals per ladder than this are not enough to be trusted.
const LEAST_RENEWALS: usize = 2;
const MOST_APART: f64 = 3.0;
const SEED: u64 = 0x7274_6275;

/// Ladders from the machine's base to the machine; every second one begins at the given states, a value per place.
pub(crate) fn temper(
    machine: &Machine,
    starts: &[Vec<bool>],
    seed: u64,
    effort: &Effort,
) -> Tempered {
    let path = Path::measure(machine, seed);
    let betas = path.spaced(count_for(REJECTIONS_PER_LENGTH * path.length()));
    let mut ladders = Ladders::new(machine, betas, starts, seed ^ SEED, effort.bundles);
    let mut left = effort.most_work;
    for sweeps in PLACING {
        left -= sweeps as f64 * ladders.work();
        ladders.advance(sweeps);
        ladders.place();
    }
    if let Some(sweeps) = effort.sweeps {
        ladders.advance(sweeps.div_ceil(2));
        return ladders.measure(sweeps);
    }
    let mut sweeps = FIRST_STRETCH;
    loop {
        left -= sweeps as f64 * ladders.work();
        let found = ladders.measure(sweeps);
        let renewals = effort.renewals * found.ladders;
        let is_sure = found.renewals >= renewals && found.std_err <= effort.std_err;
        let enough = (is_sure || found.renewals >= 8 * renewals) && found.is_settled();
        if enough || 2.0 * sweeps as f64 * ladders.work() > left {
            return found;
        }
        // All that was measured so far counts as warming up.
        ladders.place();
        sweeps *= 2;
    }
}

struct Ladders<'a> {
    machine: &'a Machine,
    betas: Vec<f64>,
    bundles: Vec<Bundle>,
    counts: Counts,
    seed: u64,
    /// How often rungs were placed: every time begins new streams of random numbers.
    placed: u64,
}

/// What a bundle shows in a stretch: U by ladder, rung and time, and the states at the top.
type Seen = (Vec<Vec<f64>>, Vec<Vec<bool>>);

impl<'a> Ladders<'a> {
    fn new(
        machine: &'a Machine,
        betas: Vec<f64>,
        starts: &[Vec<bool>],
        seed: u64,
        bundles: usize,
    ) -> Self {
        let mut ladders = Ladders {
            machine,
            bundles: Vec::new(),
            counts: Counts::default(),
            betas,
            seed,
            placed: 0,
        };
        let rungs = ladders.betas.len();
        ladders.bundles = (0..bundles.max(1))
            .map(|at| {
                let mut bundle = Bundle::new(machine, rungs, seed, at as u64);
                bundle.set_states(machine, |ladder, rung| {
                    let number = ((at * LADDERS + ladder) / 2) * rungs + rung;
                    let is_given = ladder % 2 == 1 && !starts.is_empty();
                    is_given.then(|| &starts[number % starts.len()][..])
                });
                bundle
            })
            .collect();
        ladders
    }

    /// What a sweep of all replicas costs.
    fn work(&self) -> f64 {
        self.machine.work() * (self.bundles.len() * LADDERS * self.betas.len()) as f64
    }

    fn advance(&mut self, sweeps: usize) {
        let (machine, betas) = (self.machine, &self.betas);
        let bundles = self.bundles.par_iter_mut();
        bundles.for_each(|bundle| (0..sweeps).for_each(|_| bundle.sweep(machine, betas)));
        self.take_counts();
    }

    fn take_counts(&mut self) {
        let mut counts = Counts::default();
        for bundle in &mut self.bundles {
            counts.add(&bundle.take_counts());
        }
        self.counts = counts;
    }

    /// Places rungs anew by the swaps of the last stretch; every new rung takes the states of the nearest old one.
    fn place(&mut self) {
        let rejected = self.counts.rejected();
        let count = count_for(rejected.iter().sum());
        let betas = placed(&self.betas, &rejected, count);
        self.placed += 1;
        let nearest: Vec<usize> = betas
            .iter()
            .map(|beta| nearest(&self.betas, *beta))
            .collect();
        let machine = self.machine;
        let (seed, placed, count) = (self.seed, self.placed, self.bundles.len() as u64);
        let old = self.bundles.par_iter().enumerate();
        self.bundles = old
            .map(|(at, old)| {
                let number = placed * count + at as u64;
                let mut bundle = Bundle::new(machine, betas.len(), seed, number);
                let states: Vec<Vec<Vec<bool>>> = (0..LADDERS)
                    .map(|ladder| {
                        nearest
                            .iter()
                            .map(|&rung| old.state(ladder, rung))
                            .collect()
                    })
                    .collect();
                bundle.set_states(machine, |ladder, rung| Some(&states[ladder][rung]));
                bundle
            })
            .collect();
        self.betas = betas;
    }

    /// Runs on for so many sweeps; what was found in them.
    fn measure(&mut self, sweeps: usize) -> Tempered {
        let (machine, betas) = (self.machine, &self.betas);
        let apart = sweeps.div_ceil(MOST_TIMES);
        let times = sweeps / apart;
        let bundles = self.bundles.par_iter_mut();
        let seen: Vec<Seen> = bundles
            .map(|bundle| stretch(bundle, machine, betas, times, apart))
            .collect();
        self.take_counts();
        let (mut excess, mut visited) = (Vec::new(), Vec::new());
        for (of_bundle, tops) in seen {
            excess.extend(of_bundle);
            visited.extend(tops);
        }
        let found = log_ratio(&excess, &self.betas, times);
        let (base, given) = (
            found.mean_of(|at| at % 2 == 0),
            found.mean_of(|at| at % 2 == 1),
        );
        let renewals = self.counts.renewals;
        let value = self.machine.log_base() + found.value;
        // Where nothing is left to chance, errors are rounding; what n renewals never met may still happen once in n.
        let least = 1e-9 * (1.0 + value.abs() + self.machine.log_base().abs());
        let random = self.machine.independent < self.machine.units();
        let unseen = if random {
            1.0 / renewals.max(1) as f64
        } else {
            0.0
        };
        Tempered {
            log_partition: value,
            std_err: found.std_err().max(least).max(unseen),
            apart: (given.0 - base.0) / given.1.hypot(base.1).max(least),
            ladders: excess.len(),
            rungs: self.betas.len(),
            sweeps: times * apart,
            renewals,
            round_trips: self.counts.round_trips,
            least_accepted: 1.0
                - self
                    .counts
                    .rejected()
                    .iter()
                    .fold(0.0, |a: f64, b| a.max(*b)),
            visited,
        }
    }
}

fn stretch(
    bundle: &mut Bundle,
    machine: &Machine,
    betas: &[f64],
    times: usize,
    apart: usize,
) -> Seen {
    let rungs = betas.len();
    let mut excess = vec![vec![0.0; rungs * times]; LADDERS];
    let mut tops = Vec::with_capacity(LADDERS * times);
    for time in 0..times {
        for _ in 0..apart {
            bundle.sweep(machine, betas);
        }
        for (ladder, excess) in excess.iter_mut().enumerate() {
            for rung in 0..rungs {
                excess[rung * times + time] = bundle.excess(ladder, rung);
            }
            tops.push(bundle.state(ladder, rungs - 1));
        }
    }
    (excess, tops)
}

fn nearest(betas: &[f64], beta: f64) -> usize {
    let distance = |at: &usize| (betas[*at] - beta).abs();
    let nearest = (0..betas.len()).min_by(|a, b| distance(a).total_cmp(&distance(b)));
    nearest.unwrap_or(0)
}
