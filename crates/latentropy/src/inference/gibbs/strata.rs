//! Strata of f# from recorded chains: what improved iterative scaling needs, by sampling.

use super::record::Records;
use crate::inference::Strata;
use crate::inference::reduction::FreeTerms;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Bits of f#.
const PLANES: usize = 32;

/// a_i(c) = E[f_i 1{f# = c}] for every c > 0 that some recorded state has; `sets` are those of the records' places.
pub(super) fn strata(
    records: &Records,
    sets: &[Box<[u32]>],
    terms: &FreeTerms,
    log_partition: f64,
) -> Strata {
    let (multiplicities, always) = terms.multiplicities();
    // f# of all samples: group, time, chain.
    let cuts = (0..records.group_count()).flat_map(|g| (0..records.times()).map(move |t| (g, t)));
    let cuts: Vec<(usize, usize)> = cuts.collect();
    let counts: Vec<[u32; 64]> = cuts
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
    let mut index: BTreeMap<u32, usize> = BTreeMap::new();
    for &count in counts.iter().flatten().filter(|&&count| count > 0) {
        index.insert(count, 0);
    }
    for (at, place) in index.values_mut().enumerate() {
        *place = at;
    }
    let places: Vec<[u32; 64]> = counts
        .iter()
        .map(|counts| counts.map(|c| index.get(&c).map_or(0, |&at| at as u32)))
        .collect();
    let share = 1.0 / records.samples() as f64;
    let by_set: Vec<Vec<f64>> = sets
        .par_iter()
        .map(|set| {
            let mut sums = vec![0u32; index.len()];
            for (&(group, time), places) in cuts.iter().zip(&places) {
                let mut word = records.word(group, set, time);
                while word != 0 {
                    sums[places[word.trailing_zeros() as usize] as usize] += 1;
                    word &= word - 1;
                }
            }
            sums.into_iter().map(|sum| f64::from(sum) * share).collect()
        })
        .collect();
    let mut totals = vec![0.0; index.len()];
    for (counts, places) in counts.iter().zip(&places) {
        for (&count, &place) in counts.iter().zip(places) {
            if count > 0 {
                totals[place as usize] += share;
            }
        }
    }
    let rows = (0..index.len()).flat_map(|at| {
        let row: Vec<f64> = by_set.iter().map(|sums| sums[at]).collect();
        terms.by_term(&row, totals[at])
    });
    let sums: Vec<f64> = rows.collect();
    Strata {
        log_partition,
        values: index.keys().map(|&count| f64::from(count)).collect(),
        terms: sums.len().checked_div(index.len()).unwrap_or(0),
        sums,
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
