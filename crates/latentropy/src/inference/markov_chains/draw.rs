//! One unit of 64 chains drawn at once from its log-odds.

use super::lanes::{Lanes, Row};
use crate::inference::kernels::{CHAINS, LaneRandom, exponential_single, fused};

/// How far along the path from independent units (β = 0) to the machine (β = 1) each chain is.
///
/// A unit's log-odds are β · field + (1 − β) · base.
#[derive(Clone, Debug)]
pub(crate) struct Temperatures {
    /// β per chain.
    pub(crate) beta: [f64; CHAINS],
}

impl Temperatures {
    pub(crate) fn all(beta: f64) -> Self {
        Temperatures {
            beta: [beta; CHAINS],
        }
    }
}

/// Draws a unit with these log-odds in every chain.
///
/// The less probable value is taken with probability 1/(1 + e^|x|), by a uniform number that is finest near zero:
/// probabilities down to 2^-31 are met, and smaller ones never happen.
#[inline(always)]
pub(crate) fn draw(log_odds: &[f32; CHAINS], random: &mut LaneRandom, on: &mut Row) {
    const STEP: f32 = 1.0 / 2_147_483_648.0;
    let mut bits = [0; CHAINS];
    random.next(&mut bits);
    for chain in 0..CHAINS {
        let x = log_odds[chain];
        let size = x.abs();
        let size = if size > 80.0 { 80.0 } else { size };
        let uniform = (bits[chain] as f32 + 0.5) * STEP;
        let rarer = uniform * (1.0 + exponential_single(size)) < 1.0;
        on[chain] = i32::from(rarer != (x > 0.0)).wrapping_neg();
    }
}

/// β · field + (1 − β) · base in single precision.
#[inline(always)]
pub(crate) fn log_odds<const FMA: bool>(
    fields: &[f64; CHAINS],
    base: f64,
    temperatures: &Temperatures,
) -> [f32; CHAINS] {
    let mut odds = [0.0; CHAINS];
    for chain in 0..CHAINS {
        let change = fields[chain] - base;
        odds[chain] = fused::<FMA>(temperatures.beta[chain], change, base) as f32;
    }
    odds
}

/// Draws one unit from its fields and keeps the excess up to date.
#[inline(always)]
pub(crate) fn step<const FMA: bool>(
    fields: &Lanes,
    base: f64,
    temperatures: &Temperatures,
    random: &mut LaneRandom,
    state: &mut Row,
    excess: &mut Lanes,
) -> Row {
    let old = *state;
    let odds = log_odds::<FMA>(fields, base, temperatures);
    draw(&odds, random, state);
    for chain in 0..CHAINS {
        let change = f64::from(old[chain].wrapping_sub(state[chain]));
        excess[chain] = fused::<FMA>(change, fields[chain] - base, excess[chain]);
    }
    old
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inference::kernels::chain_stream;
    use crate::inference::markov_chains::lanes::{packed, unpacked};

    #[test]
    fn units_are_drawn_with_their_probabilities() {
        let mut random = LaneRandom::new(&mut chain_stream(1, 0));
        for x in [-1e30, -7.0, -1.0, 0.0, 0.3, 5.0, 1000.0f32] {
            let (mut on, mut count) = ([0; CHAINS], 0.0);
            let draws = 20_000;
            for _ in 0..draws {
                draw(&[x; CHAINS], &mut random, &mut on);
                count += f64::from(packed(&on).count_ones());
                assert_eq!(unpacked(packed(&on)), on);
            }
            let total = f64::from(draws) * CHAINS as f64;
            let p = 1.0 / (1.0 + (-f64::from(x)).exp());
            let error = (p * (1.0 - p) / total).sqrt();
            assert!(
                (count / total - p).abs() <= 4.5 * error,
                "{x}: {}",
                count / total
            );
        }
    }
}
