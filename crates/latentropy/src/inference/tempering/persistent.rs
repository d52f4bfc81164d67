//! Chains that stay while weights change, and are tempered where they mix slowly.
//!
//! A chain that stays among some of a machine's modes is worth one state, however long it runs, and does not follow when
//! weights change how often each mode occurs. Replicas on the path from independent units (see the top of this room) carry it
//! from mode to mode; they cost as many sweeps as there are rungs. They are tried where chains need more sweeps than a round trip
//! should cost to forget where they were, and stay where they do save sweeps.

use super::rungs::{placed, rungs_for};
use crate::error::Result;
use crate::inference::annealed_importance::Path;
use crate::inference::markov_chains::{CarriedChains, Chains, Records};
use crate::inference::tempering::REJECTIONS_PER_LENGTH;
use crate::network::{Clamp, Network};
use crate::random::named_seed;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Chains that forget where they were within so many sweeps need no tempering.
const QUICK: f64 = 16.0;
/// Where chains take more than this share of the recorded sweeps to forget, the records do not say how many they take.
const SEEN: f64 = 0.4;
/// What it costs to keep a state and to count it, in sweeps of a plain chain.
const COUNTING: f64 = 1.6;
/// States are kept so many times while chains forget where they were, but not so seldom as the second number of sweeps: what is
/// left out between them says next to nothing.
const KEPT: f64 = 8.0;
const SELDOM: usize = 8;
/// Where tempering saved nothing it is tried again when chains are slower by this factor than they were then.
const AGAIN: f64 = 4.0;
/// Fewer sweeps than these tell nothing, and so many are enough to temper whatever rungs cost.
const LEAST_SWEEPS: usize = 32;
const MOST_SWEEPS: usize = 1024;
/// Units that are hardly ever on (or off) may be slow without any harm.
const LEAST_VARIANCE: f64 = 1e-3;
/// The same number of rungs stays while swaps between neighbours are rejected with a share in this range.
const REJECTED: (f64, f64) = (0.25, 0.6);
/// Fewer sweeps than these have too few swaps to place rungs by.
const LEAST_SWAPPED: usize = 8;
/// More replicas than these are not made for a chain.
const MOST_RUNGS: usize = 64;

/// What becomes of chains that were looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mixing {
    /// They stay as they are.
    Enough,
    /// They are tempered from now on.
    Tempered,
    /// They are plain again: tempering saved nothing.
    Plain,
    /// Records are too short to tell.
    Unclear,
}

/// Chains of a whole machine, tempered or not.
#[derive(Debug)]
pub(crate) struct PersistentChains {
    chains: Chains,
    seed: u64,
    kept: Kept,
}

/// What is known of earlier looks.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Kept {
    /// How often replicas were made or left.
    made: u64,
    /// Sweeps since rungs were placed.
    swept: usize,
    /// Sweeps that chains took to forget where they were, when they were looked at last.
    slowness: f64,
    /// The same when they were plain.
    plain: f64,
    /// The same when tempering was given up.
    given_up: f64,
}

/// Chains as checkpoints keep them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct CarriedPersistent {
    chains: CarriedChains,
    kept: Kept,
}

impl PersistentChains {
    /// At least `count` plain chains (a multiple of 64) that start at fair coins.
    pub(crate) fn new(network: &Network, count: usize, seed: u64) -> Result<Self> {
        let clamp = Clamp::none(network.units().len());
        Ok(PersistentChains {
            chains: Chains::new(network, &clamp, count, seed)?,
            seed,
            kept: Kept::default(),
        })
    }

    /// Chains that have come near to where they belong: after so many sweeps, by which they are tempered where they mix slowly, and
    /// as many with rungs.
    pub(crate) fn settled(
        network: &Network,
        count: usize,
        seed: u64,
        sweeps: usize,
    ) -> Result<Self> {
        let mut chains = PersistentChains::new(network, count, seed)?;
        let looked_at = (sweeps / 2).min(MOST_SWEEPS);
        chains.sweep(sweeps - looked_at);
        let records = chains.chains.record(looked_at, 1);
        if chains.look_at(&records, 1, true) == Mixing::Tempered {
            chains.sweep(sweeps / 2);
            chains.place();
            chains.sweep(sweeps / 2);
        }
        Ok(chains)
    }

    /// The chains that were kept, at the network's weights; new ones where there are none.
    pub(crate) fn kept<'a>(
        kept: &'a mut Option<PersistentChains>,
        network: &Network,
        count: usize,
        seed: u64,
    ) -> Result<&'a mut PersistentChains> {
        match kept {
            Some(found) => {
                found.place();
                found.chains.set_weights(network)?;
                Ok(found)
            }
            none => Ok(none.insert(PersistentChains::new(network, count, seed)?)),
        }
    }

    /// The chains themselves.
    pub(crate) fn chains(&self) -> &Chains {
        &self.chains
    }

    /// To be measured, for so many sweeps.
    pub(crate) fn chains_for(&mut self, sweeps: usize) -> &mut Chains {
        self.kept.swept += sweeps;
        &mut self.chains
    }

    pub(crate) fn sweep(&mut self, count: usize) {
        self.chains_for(count).sweep(count);
    }

    /// How many replicas a chain has, its own among them.
    pub(crate) fn temperatures(&self) -> usize {
        self.chains.temperatures()
    }

    fn is_tempered(&self) -> bool {
        self.temperatures() > 1
    }

    /// How many sweeps states that are kept should be apart.
    pub(crate) fn apart(&self) -> usize {
        apart(self.kept.slowness)
    }

    /// Tempers plain chains where records of them, so many sweeps apart, show them to mix slowly, and leaves it where it saves nothing;
    /// where records are too short to tell, only if there will be no longer ones.
    pub(crate) fn look_at(&mut self, records: &Records, apart: usize, is_last: bool) -> Mixing {
        let sweeps = apart * records.times();
        if sweeps < LEAST_SWEEPS {
            return Mixing::Enough;
        }
        let slowness = apart as f64 * slowness(records, self.chains.machine.units());
        self.kept.slowness = slowness;
        let is_seen = slowness <= SEEN * sweeps as f64;
        if self.is_tempered() {
            if cost(slowness, self.temperatures()) <= cost(self.kept.plain, 1) {
                return Mixing::Enough;
            }
            self.kept.slowness = self.kept.plain;
            self.kept.given_up = self.kept.plain;
            self.temper(&means(records, &self.chains), vec![1.0]);
            return Mixing::Plain;
        }
        self.kept.plain = slowness;
        if slowness <= QUICK.max(AGAIN * self.kept.given_up) {
            return Mixing::Enough;
        }
        let means = means(records, &self.chains);
        let mut machine = self.chains.machine.clone();
        machine.set_base(&means);
        let path = Path::measure(&machine, self.seed);
        let rejections = REJECTIONS_PER_LENGTH * path.length();
        let rungs = rungs_for(rejections).min(MOST_RUNGS);
        // A round trip of a replica that neighbours hand on without turning back (Syed et al. 2022), all rungs swept.
        let is_dear = cost(2.0 * (1.0 + rejections), rungs) >= cost(slowness, 1);
        if is_seen && is_dear {
            return Mixing::Enough;
        }
        if !is_seen && is_dear && sweeps < MOST_SWEEPS && !is_last {
            return Mixing::Unclear;
        }
        let betas = path.spaced(rungs);
        self.temper(&means, betas);
        Mixing::Tempered
    }

    fn temper(&mut self, means: &[f64], betas: Vec<f64>) {
        // Every time begins streams of its own.
        self.kept.made += 1;
        let seed = named_seed(self.seed, "rungs").wrapping_add(self.kept.made);
        self.chains = self.chains.tempered(means, betas, seed);
        self.kept.swept = 0;
    }

    /// Places rungs by the swaps since they were placed last, and makes more or fewer of them where that is called for.
    fn place(&mut self) {
        if !self.is_tempered() || self.kept.swept < LEAST_SWAPPED {
            return;
        }
        let rejected = self.chains.take_rejected();
        let rejections: f64 = rejected.iter().sum();
        let each = rejections / rejected.len() as f64;
        let betas = self.chains.betas();
        self.kept.swept = 0;
        let wanted = rungs_for(rejections).clamp(2, MOST_RUNGS);
        if (REJECTED.0..=REJECTED.1).contains(&each) || wanted == betas.len() {
            let betas = placed(betas, &rejected, betas.len());
            return self.chains.set_betas(betas);
        }
        let betas = placed(betas, &rejected, wanted);
        let states = self.chains.states();
        let free = &self.chains.terms.free;
        let mean = |&unit: &usize| {
            let on = states.iter().filter(|state| state[unit]).count();
            on as f64 / states.len() as f64
        };
        let means: Vec<f64> = free.iter().map(mean).collect();
        self.temper(&means, betas);
    }

    pub(crate) fn carried(&self) -> CarriedPersistent {
        CarriedPersistent {
            chains: self.chains.carried(),
            kept: self.kept,
        }
    }

    /// Goes on from there: chains of this network.
    pub(crate) fn go_on(
        network: &Network,
        count: usize,
        seed: u64,
        carried: CarriedPersistent,
    ) -> Result<Self> {
        let mut found = PersistentChains::new(network, count, seed)?;
        found.chains.go_on(carried.chains);
        found.kept = carried.kept;
        Ok(found)
    }
}

/// How many sweeps states should be apart of chains that forget in so many.
fn apart(slowness: f64) -> usize {
    ((slowness / KEPT) as usize).clamp(1, SELDOM)
}

/// What an independent state costs, in sweeps of a plain chain.
fn cost(slowness: f64, temperatures: usize) -> f64 {
    slowness * (temperatures as f64 + COUNTING / apart(slowness) as f64)
}

/// The mean of each free unit.
fn means(records: &Records, chains: &Chains) -> Vec<f64> {
    let places = chains.machine.place.par_iter();
    places
        .map(|&place| records.moments(&[place as u32]).mean())
        .collect()
}

/// Sweeps that the slowest unit's chains take for one independent state, as far as records of so many times show it.
fn slowness(records: &Records, units: usize) -> f64 {
    let places = (0..units).into_par_iter();
    let of_units = places.map(|place| {
        let moments = records.moments(&[place as u32]);
        let mean = moments.mean();
        let samples = records.samples() as f64;
        match (moments.effective_samples(), mean * (1.0 - mean)) {
            (Some(effective), variance) if variance >= LEAST_VARIANCE => samples / effective,
            _ => 1.0,
        }
    });
    of_units.reduce(|| 1.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inference::exact_expectations;

    /// Columns that go together: about half of the states have all of them on, and half none.
    fn together(units: usize, weight: f64) -> Network {
        let network = Network::full(units, 0);
        let terms = network.terms().iter();
        let weights = terms.map(|term| match term.order() {
            1 => -0.5 * weight * (units - 1) as f64 + 0.06,
            _ => weight,
        });
        let weights = weights.collect();
        network.with_weights(weights).unwrap()
    }

    /// The largest error of an expectation, after half of all chains began in either mode.
    fn error(network: &Network, is_tempered: bool) -> f64 {
        let units = network.units().len();
        let exact = exact_expectations(network, &Clamp::none(units)).unwrap();
        let mut chains = PersistentChains::new(network, 1024, 3).unwrap();
        let starts = [vec![true; units], vec![false; units]];
        chains.chains.set_states(&starts).unwrap();
        chains.sweep(64);
        let records = chains.chains.record(256, 1);
        if is_tempered {
            assert_eq!(chains.look_at(&records, 1, true), Mixing::Tempered);
            chains.sweep(64);
            chains.place();
            chains.sweep(256);
        }
        let (_, found) = chains
            .chains_for(512)
            .record_and_measure_quietly(512, 1, &[]);
        let off = found.expectations.iter().zip(&exact.terms);
        off.fold(0.0, |most, (f, e)| (f - e).abs().max(most))
    }

    #[test]
    fn tempered_chains_leave_a_mode_that_plain_ones_do_not() {
        let network = together(14, 1.0);
        assert!(error(&network, false) > 0.15);
        let tempered = error(&network, true);
        assert!(tempered < 0.05, "{tempered}");
    }

    #[test]
    fn chains_that_mix_stay_plain() {
        let network = together(14, 0.1);
        let mut chains = PersistentChains::new(&network, 1024, 3).unwrap();
        chains.sweep(64);
        let records = chains.chains.record(128, 1);
        assert_eq!(chains.look_at(&records, 1, true), Mixing::Enough);
        assert!(!chains.is_tempered());
        let settled = PersistentChains::settled(&network, 128, 3, 64).unwrap();
        assert!(!settled.is_tempered());
        let settled = PersistentChains::settled(&together(14, 1.0), 128, 3, 256).unwrap();
        assert!(settled.is_tempered());
    }

    #[test]
    fn carried_chains_go_on_as_they_would_have() {
        let network = together(10, 0.9);
        let mut chains = PersistentChains::settled(&network, 128, 5, 256).unwrap();
        assert!(chains.is_tempered());
        let carried = chains.carried();
        let mut other = PersistentChains::go_on(&network, 128, 5, carried).unwrap();
        for chains in [&mut chains, &mut other] {
            chains.place();
            chains.chains.set_weights(&together(10, 0.8)).unwrap();
            chains.sweep(50);
        }
        assert_eq!(chains.chains.states(), other.chains.states());
        assert_eq!(chains.chains.betas(), other.chains.betas());
    }
}
