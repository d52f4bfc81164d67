//! Persistent chains of one machine: their states stay while they are swept, measured, and given new weights.

use super::balance::quiet;
use super::ladder::{CarriedLadder, Ladder, Swaps};
use super::machine::Machine;
use super::record::{Estimate, Moments, Records, TIMES_UNIT};
use super::smoothed::smoothed;
use super::strata::strata;
use crate::error::{Error, Result};
use crate::inference::expectations::Strata;
use crate::inference::kernels::CHAINS;
use crate::inference::reduction::FreeTerms;
use crate::network::{Clamp, Network};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Most bits that all chains have together: 8 GiB with what goes with them.
const MOST_BITS: usize = 1 << 35;

/// What a stretch of the chains shows; without log Z, which chains alone do not tell.
pub(crate) struct Measured {
    /// E f per term.
    pub(crate) expectations: Vec<f64>,
    /// Their standard errors.
    pub(crate) errors: Vec<f64>,
    /// What two halves of all groups of chains differ by, as large as these errors: noise alone, that goes together as the noise of
    /// E f does. Nothing where there is one group.
    pub(crate) noise: Vec<f64>,
    /// Sums by f#, where they were asked for.
    pub(crate) strata: Option<Strata>,
    /// States measured.
    pub(crate) samples: usize,
    /// The mean of the exponent Σ λ f and its standard error.
    pub(crate) exponent: (f64, f64),
}

/// Many Gibbs chains of one network, some units held, in groups of 64; the same whatever the number of threads.
///
/// ```
/// use latentropy::internals::Chains;
/// use latentropy::network::{Clamp, Network, Term, Unit};
/// let units = vec![Unit::visible("a"), Unit::visible("b")];
/// let network = Network::new(units, [(Term::new(vec![0, 1]), 1.0)])?;
/// let mut chains = Chains::new(&network, &Clamp::none(2), 64, 7)?;
/// chains.sweep(100);
/// // P(a = b = 1) = e / (3 + e), from one state of each chain.
/// assert!((chains.term_means()[0] - 0.475).abs() < 0.3);
/// # Ok::<(), latentropy::Error>(())
/// ```
#[derive(Debug)]
pub struct Chains {
    pub(crate) terms: FreeTerms,
    pub(crate) machine: Machine,
    clamp: Clamp,
    ladders: Vec<Ladder>,
    /// Inverse temperatures, ascending to 1; [1] without tempering.
    betas: Vec<f64>,
}

/// States of chains and the random numbers to come, as checkpoints keep them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct CarriedChains {
    betas: Vec<f64>,
    base: Vec<f64>,
    ladders: Vec<CarriedLadder>,
}

impl Chains {
    /// At least `count` chains (a multiple of 64) that start at fair coins.
    pub fn new(network: &Network, clamp: &Clamp, count: usize, seed: u64) -> Result<Self> {
        let bits = count.saturating_mul(network.units().len());
        if bits > MOST_BITS {
            let problem = format!(
                "{count} chains of {} units are more than memory is meant to hold",
                network.units().len()
            );
            return Err(Error::too_large(problem, "ask for fewer chains"));
        }
        let terms = FreeTerms::new(network, clamp)?;
        let machine = Machine::new(&terms);
        Ok(Chains::of(terms, machine, clamp, count, seed, vec![1.0]))
    }

    /// The chains that were kept, at the network's weights; new ones of all its units where there are none.
    pub(crate) fn kept<'a>(
        kept: &'a mut Option<Chains>,
        network: &Network,
        count: usize,
        seed: u64,
    ) -> Result<&'a mut Chains> {
        match kept {
            Some(chains) => {
                chains.set_weights(network)?;
                Ok(chains)
            }
            none => {
                let clamp = Clamp::none(network.units().len());
                Ok(none.insert(Chains::new(network, &clamp, count, seed)?))
            }
        }
    }

    pub(crate) fn of(
        terms: FreeTerms,
        machine: Machine,
        clamp: &Clamp,
        count: usize,
        seed: u64,
        betas: Vec<f64>,
    ) -> Self {
        let groups = count.div_ceil(CHAINS).max(1) as u64;
        let ladders = (0..groups)
            .into_par_iter()
            .map(|number| Ladder::new(&machine, seed, number, betas.len()))
            .collect();
        Chains {
            terms,
            machine,
            clamp: clamp.clone(),
            ladders,
            betas,
        }
    }

    /// How many chains there are.
    pub fn count(&self) -> usize {
        self.ladders.len() * CHAINS
    }

    /// How many temperatures each chain has; one without tempering.
    pub fn temperatures(&self) -> usize {
        self.betas.len()
    }

    /// Draws every unit of every chain, `count` times over.
    pub fn sweep(&mut self, count: usize) {
        let (machine, betas) = (&self.machine, &self.betas);
        self.ladders
            .par_iter_mut()
            .for_each(|ladder| ladder.sweep(machine, betas, count));
    }

    /// Other weights on the same terms; the states stay.
    pub fn set_weights(&mut self, network: &Network) -> Result<()> {
        let terms = self.terms.at_weights_of(network, &self.clamp);
        let terms = terms.ok_or_else(|| {
            Error::invalid("new weights for chains must be on the same terms".to_string())
        })?;
        let base = std::mem::take(&mut self.machine.base);
        self.machine = Machine::new(&terms);
        self.machine.base = base;
        self.terms = terms;
        let machine = &self.machine;
        self.ladders
            .par_iter_mut()
            .for_each(|ladder| ladder.refresh(machine));
        Ok(())
    }

    /// The current state of every chain, one value per unit, held units included.
    pub fn states(&self) -> Vec<Vec<bool>> {
        let held = (0..self.clamp.len()).map(|u| self.clamp.get(u) == Some(true));
        let mut states = vec![held.collect::<Vec<bool>>(); self.count()];
        for (words, group) in self.words().iter().zip(states.chunks_mut(CHAINS)) {
            for (chain, state) in group.iter_mut().enumerate() {
                for (&word, &unit) in words.iter().zip(&self.machine.order) {
                    state[self.terms.free[unit]] = word >> chain & 1 == 1;
                }
            }
        }
        states
    }

    /// Starts chains at given states, used round and round; held units keep their values.
    pub fn set_states(&mut self, states: &[Vec<bool>]) -> Result<()> {
        if states.is_empty() || states.iter().any(|state| state.len() != self.clamp.len()) {
            return Err(Error::invalid(format!(
                "chains start at states of {} units, at least one of them",
                self.clamp.len()
            )));
        }
        let (machine, free) = (&self.machine, &self.terms.free);
        for (number, ladder) in self.ladders.iter_mut().enumerate() {
            let word = |&unit: &usize| {
                (0..CHAINS).fold(0u64, |word, chain| {
                    let state = &states[(number * CHAINS + chain) % states.len()];
                    word | u64::from(state[free[unit]]) << chain
                })
            };
            let words: Vec<u64> = machine.order.iter().map(word).collect();
            ladder.set_states(machine, &words);
        }
        Ok(())
    }

    /// The mean of every term's feature over the current states.
    pub fn term_means(&self) -> Vec<f64> {
        let words = self.words();
        let count = self.count() as f64;
        let sets = self.machine.sets.par_iter();
        let by_set: Vec<f64> = sets
            .map(|set| {
                let ones = words.iter().map(|words| {
                    let all = set
                        .iter()
                        .fold(u64::MAX, |all, &at| all & words[at as usize]);
                    u64::from(all.count_ones())
                });
                ones.sum::<u64>() as f64 / count
            })
            .collect();
        self.terms.by_term(&by_set, 1.0)
    }

    /// The states at β = 1, for each group one word per place.
    pub(crate) fn words(&self) -> Vec<Vec<u64>> {
        let states = |ladder: &Ladder| {
            let mut words = vec![0; self.machine.units()];
            ladder.states(&self.machine, |place, word| words[place] = word);
            words
        };
        self.ladders.par_iter().map(states).collect()
    }

    /// All that these chains would go on from.
    pub(crate) fn carried(&self) -> CarriedChains {
        CarriedChains {
            betas: self.betas.clone(),
            base: self.machine.base.clone(),
            ladders: self.ladders.iter().map(Ladder::carried).collect(),
        }
    }

    /// Goes on from there; the same number of groups.
    pub(crate) fn go_on(&mut self, carried: CarriedChains) {
        self.betas = carried.betas;
        self.machine.base = carried.base;
        for (ladder, carried) in self.ladders.iter_mut().zip(carried.ladders) {
            ladder.go_on(&self.machine, carried);
        }
    }

    /// The same states at β = 1, each with replicas at these inverse temperatures on the path from independent units of these means,
    /// one per free unit; all replicas begin where the chain is.
    pub(crate) fn tempered(&self, means: &[f64], betas: Vec<f64>, seed: u64) -> Self {
        let mut machine = self.machine.clone();
        machine.set_base(means);
        let terms = self.terms.clone();
        let mut chains = Chains::of(terms, machine, &self.clamp, self.count(), seed, betas);
        for (ladder, words) in chains.ladders.iter_mut().zip(self.words()) {
            ladder.set_states(&chains.machine, &words);
        }
        chains
    }

    /// Inverse temperatures, ascending to 1.
    pub(crate) fn betas(&self) -> &[f64] {
        &self.betas
    }

    /// Replicas stay, at as many other temperatures.
    pub(crate) fn set_betas(&mut self, betas: Vec<f64>) {
        debug_assert_eq!(betas.len(), self.betas.len());
        self.betas = betas;
    }

    /// The share of swaps that were rejected between neighbouring temperatures since this was last asked.
    pub(crate) fn take_rejected(&mut self) -> Vec<f64> {
        let mut all = vec![Swaps::default(); self.betas.len() - 1];
        for ladder in &mut self.ladders {
            for (sum, swaps) in all.iter_mut().zip(ladder.take_swaps()) {
                sum.add(&swaps);
            }
        }
        all.iter().map(Swaps::rejected).collect()
    }

    /// Runs on for `times` sweeps, and measures every term's feature in them.
    pub(crate) fn measure(&mut self, times: usize, with_strata: bool) -> Measured {
        let records = self.record(times, 1);
        self.measured(&records, with_strata, &[], false)
    }

    /// The same, and the states themselves; features with some of these units by the units' probabilities given all others.
    pub(crate) fn record_and_measure_smoothed(
        &mut self,
        times: usize,
        units: &[usize],
    ) -> (Records, Measured) {
        let records = self.record(times, 1);
        let measured = self.measured(&records, false, units, false);
        (records, measured)
    }

    /// The same with so many sweeps from one state to the next, and the noise taken off that units show themselves where machines are
    /// pairwise.
    pub(crate) fn record_and_measure_quietly(
        &mut self,
        times: usize,
        apart: usize,
        units: &[usize],
    ) -> (Records, Measured) {
        let records = self.record(times, apart);
        let measured = self.measured(&records, false, units, true);
        (records, measured)
    }

    /// The same, with so many sweeps from one state to the next.
    pub(crate) fn record_and_measure_apart(
        &mut self,
        times: usize,
        apart: usize,
    ) -> (Records, Measured) {
        let records = self.record(times, apart);
        let measured = self.measured(&records, false, &[], false);
        (records, measured)
    }

    pub(super) fn measured(
        &self,
        records: &Records,
        with_strata: bool,
        smooth: &[usize],
        quietly: bool,
    ) -> Measured {
        let sets = &self.machine.sets;
        let moments: Vec<Moments> = sets.par_iter().map(|set| records.moments(set)).collect();
        let typical = typical_samples(&moments).unwrap_or(self.count() as f64);
        let mut estimates: Vec<_> = moments.iter().map(|m| m.estimate(typical)).collect();
        let found = quietly.then(|| quiet(records, &self.machine, &estimates));
        let quiet = found.flatten();
        let mut noise: Vec<f64> = moments.iter().map(Moments::noise).collect();
        let exponent = match &quiet {
            Some(found) => (found.exponent.value, found.exponent.std_err),
            None => records.exponent(),
        };
        let all = estimates.iter_mut().zip(&mut noise);
        for ((estimate, noise), found) in all.zip(quiet.iter().flat_map(|q| &q.sets)) {
            (estimate.value, estimate.std_err) = (found.value, found.std_err);
            *noise = found.noise;
        }
        let places: Vec<usize> = smooth
            .iter()
            .filter_map(|unit| self.terms.free.binary_search(unit).ok())
            .map(|free| self.machine.place[free])
            .collect();
        for found in smoothed(records, &self.machine, &places) {
            let estimate = &mut estimates[found.set];
            if quiet.is_some() && estimate.std_err <= found.std_err {
                continue;
            }
            (estimate.value, estimate.std_err) = (found.value, found.std_err);
            noise[found.set] = found.noise;
        }
        let by_term = |take: fn(&Estimate) -> f64, always: f64| {
            let by_set: Vec<f64> = estimates.iter().map(take).collect();
            self.terms.by_term(&by_set, always)
        };
        Measured {
            expectations: by_term(|e| e.value, 1.0),
            errors: by_term(|e| e.std_err, 0.0),
            noise: self.terms.by_term(&noise, 0.0),
            strata: with_strata.then(|| strata(records, sets, &self.terms, f64::NAN)),
            samples: records.samples(),
            exponent,
        }
    }

    /// Runs on, and keeps `times` states of each chain, `apart` sweeps from one to the next.
    pub(crate) fn record(&mut self, times: usize, apart: usize) -> Records {
        let times = times.next_multiple_of(TIMES_UNIT);
        let mut records = Records::new(self.machine.units(), self.ladders.len(), times);
        let (machine, betas) = (&self.machine, &self.betas);
        let places: Vec<_> = records.groups_mut().collect();
        let work = self.ladders.par_iter_mut().zip(places);
        work.for_each(|(ladder, (words, exponents))| {
            for time in 0..times {
                ladder.sweep(machine, betas, apart);
                ladder.states(machine, |place, word| words[place * times + time] = word);
                let now = ladder.exponents(machine);
                let half = &mut exponents[2 * time / times];
                for chain in 0..CHAINS {
                    half[chain] += now[chain];
                }
            }
        });
        records
    }
}

/// How many independent samples records are worth for a feature in the middle; none where none changes.
fn typical_samples(moments: &[Moments]) -> Option<f64> {
    let effective = moments.iter().filter_map(Moments::effective_samples);
    let mut effective: Vec<f64> = effective.collect();
    let middle = effective.len() / 2;
    (!effective.is_empty()).then(|| *effective.select_nth_unstable_by(middle, f64::total_cmp).1)
}
