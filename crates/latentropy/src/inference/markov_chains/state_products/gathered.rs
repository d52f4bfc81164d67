//! States gathered from records for products: some of them, centred, hidden units drawn or by their probabilities.

use super::super::given_visible::GivenVisible;
use super::super::machine::Machine;
use super::super::record::Records;
use super::normals::{Normals, kinds};
use super::{Place, RUN, StateProducts};
use crate::inference::kernels::CHAINS;
use rayon::prelude::*;

/// Products take about so many multiplications, by which states are limited …
const WORK: f64 = 3e9;
/// … between these.
const STATES: (usize, usize) = (2048, 16_384);
/// … but for long measurements, beside which they take little time.
const MOST_STATES: usize = 65_536;

/// Which states are taken, of those that are evenly spaced.
#[derive(Clone, Copy, Debug)]
pub(super) enum Taken {
    First,
    /// Midway between these.
    Between,
}

impl Records {
    /// From about so many states, as far as that takes no longer than it is worth; none where some set has more than two units.
    pub(crate) fn products(
        &self,
        machine: &Machine,
        hidden: &[usize],
        wanted: usize,
    ) -> Option<StateProducts> {
        let sets = (machine.units(), &machine.sets[..]);
        self.products_of(sets, hidden, None, wanted, Taken::First)
    }

    /// The same from as many other states, midway between those; none where there are no others.
    pub(crate) fn other_products(
        &self,
        machine: &Machine,
        hidden: &[usize],
        wanted: usize,
    ) -> Option<StateProducts> {
        let given = (!hidden.is_empty()).then(|| GivenVisible::new(machine, hidden));
        let sets = (machine.units(), &machine.sets[..]);
        self.products_of(sets, hidden, given.as_ref(), wanted, Taken::Between)
    }

    /// The same of E[f | visible units]: these units by their probabilities given the others. It is what rows that show all
    /// others say of the weights (Fisher 1925). A pair of two of them is taken as if they were independent given the others.
    pub(crate) fn marginal_products(
        &self,
        machine: &Machine,
        hidden: &[usize],
        wanted: usize,
    ) -> Option<StateProducts> {
        let given = GivenVisible::new(machine, hidden);
        let sets = (machine.units(), &machine.sets[..]);
        self.products_of(sets, hidden, Some(&given), wanted, Taken::First)
    }

    pub(super) fn products_of(
        &self,
        (units, sets): (usize, &[Box<[u32]>]),
        hidden: &[usize],
        given: Option<&GivenVisible>,
        wanted: usize,
        taken: Taken,
    ) -> Option<StateProducts> {
        let places = sets.iter().map(|set| match set[..] {
            [a] => Some((a, None)),
            [a, b] => Some((a, Some(b))),
            _ => None,
        });
        let places = places.collect::<Option<Vec<Place>>>()?;
        let at_least = (WORK / (2 * units * units) as f64) as usize;
        let at_least = at_least.clamp(STATES.0, STATES.1);
        let wanted = wanted.min(MOST_STATES).max(at_least).min(self.samples());
        // Whole words of 64 chains, the times of all groups evenly spaced.
        let words = (wanted / CHAINS).max(1);
        let times = words.div_ceil(self.group_count()).min(self.times());
        let apart = self.times() / times;
        let first = match taken {
            Taken::First => 0,
            Taken::Between if apart < 2 => return None,
            Taken::Between => apart / 2,
        };
        let chosen: Vec<(usize, usize)> = (0..times)
            .flat_map(|time| {
                (0..self.group_count()).map(move |group| (group, first + time * apart))
            })
            .collect();
        let states = chosen.len() * CHAINS;
        let mut means: Vec<f64> = (0..units as u32)
            .into_par_iter()
            .map(|unit| {
                let ones = chosen
                    .iter()
                    .map(|&(group, time)| self.word(group, &[unit], time));
                ones.map(|word| f64::from(word.count_ones())).sum::<f64>() / states as f64
            })
            .collect();
        let mut runs: Vec<Vec<f32>> = chosen
            .par_chunks(RUN / CHAINS)
            .map(|chosen| {
                let mut run = Vec::with_capacity(chosen.len() * CHAINS * units);
                for &(group, time) in chosen {
                    for chain in 0..CHAINS {
                        run.extend((0..units).map(|unit| {
                            let on = self.word(group, &[unit as u32], time) >> chain & 1;
                            (on as f64 - means[unit]) as f32
                        }));
                    }
                }
                run
            })
            .collect();
        let kind_of = kinds(&runs, units, hidden);
        if let Some(given) = given {
            self.put_probabilities(given, &chosen, &mut runs, &mut means);
        }
        let mut products = StateProducts {
            units,
            places,
            means,
            runs,
            states,
            variances: Vec::new(),
            normals: Normals::default(),
            excess: Vec::new(),
            shrinkage: 0.0,
        };
        let (variances, of_units) = products.variances_and_those_of_units();
        products.normals = Normals::new(&products, &kind_of, of_units);
        let excess = variances.iter().zip(&products.places);
        products.excess = excess
            .map(|(variance, place)| (variance - products.normals.variance(place)).max(0.0))
            .collect();
        products.variances = variances;
        products.shrinkage = products.noise(&kind_of);
        Some(products)
    }

    /// Takes units by their probabilities given the others, in place of what they were drawn to be.
    fn put_probabilities(
        &self,
        given: &GivenVisible,
        chosen: &[(usize, usize)],
        runs: &mut [Vec<f32>],
        means: &mut [f64],
    ) {
        let units = means.len();
        let by_run: Vec<Vec<f64>> = chosen
            .par_chunks(RUN / CHAINS)
            .map(|chosen| {
                let (mut table, mut found) = (Vec::new(), Vec::new());
                let mut all = Vec::new();
                for &(group, time) in chosen {
                    let words: Vec<u64> = (0..units as u32)
                        .map(|unit| self.word(group, &[unit], time))
                        .collect();
                    for chain in 0..CHAINS {
                        let is_on = |place: u32| words[place as usize] >> chain & 1 == 1;
                        given.probabilities(is_on, &mut table, &mut found);
                        all.extend_from_slice(&found);
                    }
                }
                all
            })
            .collect();
        let count = given.places.len();
        let states = chosen.len() * CHAINS;
        for (at, &place) in given.places.iter().enumerate() {
            let place = place as usize;
            let of_unit = || {
                let runs = by_run.iter();
                runs.flat_map(|run| run.iter().skip(at).step_by(count))
            };
            means[place] = of_unit().sum::<f64>() / states as f64;
            let cells = runs
                .iter_mut()
                .flat_map(|run| run.iter_mut().skip(place).step_by(units));
            for (cell, probability) in cells.zip(of_unit()) {
                *cell = (probability - means[place]) as f32;
            }
        }
    }
}
