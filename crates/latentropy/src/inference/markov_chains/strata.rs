//! Strata of f# from recorded chains: what improved iterative scaling needs, by sampling.

use super::record::Records;
use crate::inference::expectations::Strata;
use crate::inference::kernels::CHAINS;
use crate::inference::reduction::FreeTerms;
use rayon::prelude::*;
use std::collections::BTreeSet;

/// Bits of f#.
const PLANES: usize = 32;

/// a_i(c) = E[f_i 1{f# = c}] for every c > 0 that some recorded state has; `sets` are those of the records' places.
pub(crate) fn strata(
    records: &Records,
    sets: &[Box<[u32]>],
    terms: &FreeTerms,
    log_partition: f64,
) -> Strata {
    let samples = Samples::new(records, sets, terms);
    let values = samples.values();
    let places = samples.places(&values);
    let share = 1.0 / records.samples() as f64;
    let by_set: Vec<Vec<f64>> = sets
        .par_iter()
        .map(|set| {
            let counts = samples.count(records, set, &places, values.len());
            counts.into_iter().map(|c| f64::from(c) * share).collect()
        })
        .collect();
    let totals = samples.totals(&places, values.len(), share);
    let rows = (0..values.len()).flat_map(|at| {
        let row: Vec<f64> = by_set.iter().map(|sums| sums[at]).collect();
        terms.by_term(&row, totals[at])
    });
    let sums: Vec<f64> = rows.collect();
    Strata {
        log_partition,
        terms: sums.len().checked_div(values.len()).unwrap_or(0),
        values: values.into_iter().map(f64::from).collect(),
        sums,
    }
}

/// The recorded states with their f#.
struct Samples {
    /// (group, time).
    cuts: Vec<(usize, usize)>,
    /// f# of the 64 chains of each cut.
    counts: Vec<[u32; CHAINS]>,
}

impl Samples {
    fn new(records: &Records, sets: &[Box<[u32]>], terms: &FreeTerms) -> Self {
        let (multiplicities, always) = terms.multiplicities();
        let groups = 0..records.group_count();
        let cuts = groups.flat_map(|group| (0..records.times()).map(move |time| (group, time)));
        let cuts: Vec<(usize, usize)> = cuts.collect();
        let counts = cuts
            .par_iter()
            .map(|&(group, time)| {
                let mut planes = [0u64; PLANES];
                for (set, &multiplicity) in sets.iter().zip(&multiplicities) {
                    add(&mut planes, records.word(group, set, time), multiplicity);
                }
                std::array::from_fn(|chain| {
                    let bits = planes.iter().enumerate();
                    always
                        + bits
                            .map(|(k, p)| ((p >> chain & 1) as u32) << k)
                            .sum::<u32>()
                })
            })
            .collect();
        Samples { cuts, counts }
    }

    /// The values c > 0 that some state has, ascending.
    fn values(&self) -> Vec<u32> {
        let positive = self.counts.iter().flatten().filter(|&&count| count > 0);
        let distinct: BTreeSet<u32> = positive.copied().collect();
        distinct.into_iter().collect()
    }

    /// For each state the place of its f# among the values; 0 where no term is on, which no sum then looks at.
    fn places(&self, values: &[u32]) -> Vec<[u32; CHAINS]> {
        let place = |count: u32| values.binary_search(&count).unwrap_or(0) as u32;
        self.counts.iter().map(|counts| counts.map(place)).collect()
    }

    /// How many states of each value have all of a set on.
    fn count(
        &self,
        records: &Records,
        set: &[u32],
        places: &[[u32; CHAINS]],
        values: usize,
    ) -> Vec<u32> {
        let mut sums = vec![0; values];
        for (&(group, time), places) in self.cuts.iter().zip(places) {
            let mut word = records.word(group, set, time);
            while word != 0 {
                sums[places[word.trailing_zeros() as usize] as usize] += 1;
                word &= word - 1;
            }
        }
        sums
    }

    /// The share of the states of each value.
    fn totals(&self, places: &[[u32; CHAINS]], values: usize, share: f64) -> Vec<f64> {
        let mut totals = vec![0.0; values];
        for (counts, places) in self.counts.iter().zip(places) {
            for (&count, &place) in counts.iter().zip(places) {
                if count > 0 {
                    totals[place as usize] += share;
                }
            }
        }
        totals
    }
}

/// Adds `multiplicity` to the counts of the chains in `word`.
fn add(planes: &mut [u64; PLANES], word: u64, multiplicity: u32) {
    for bit in 0..u32::BITS {
        if multiplicity >> bit & 1 == 1 {
            let mut carry = word;
            for plane in &mut planes[bit as usize..] {
                (*plane, carry) = (*plane ^ carry, *plane & carry);
                if carry == 0 {
                    break;
                }
            }
        }
    }
}
