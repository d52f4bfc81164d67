//! Judges where a learner without an end of its own has come: every constraint in its own standard error in the data.

use super::measuring::Measuring;
use super::standing::Standing;
use crate::error::Result;
use crate::learning::control::Cancel;
use crate::learning::point::Point;
use crate::learning::problem::Problem;

/// A constraint that is met within so many of its own standard errors in the data is met: other rows of the same source
/// would move it as far.
const WITHIN: f64 = 1.0;
/// The noise of a measurement, in the same units, that is small enough to judge by, in the root mean square.
const QUIET: f64 = 0.15;
/// States of the first measurement per row; later ones are twice as long each.
const STATES_PER_ROW: f64 = 32.0;
/// How often a measurement is made longer.
const LONGER: usize = 3;

/// Measures the point until its constraints can be judged, and leaves everything that is known there in it.
pub(crate) fn judge(
    problem: &Problem,
    point: &mut Point,
    seed: u64,
    cancel: &Cancel,
) -> Result<()> {
    let mut measuring = Measuring::new(problem, seed, cancel.clone());
    measuring.lengthen_to(STATES_PER_ROW * problem.row_count());
    let mut left = LONGER;
    loop {
        let measured = measuring.measure_means(problem, point)?;
        let standing = Standing::new(problem, point, &measured);
        let is_quiet = standing.noise_square <= QUIET * QUIET;
        if is_quiet || left == 0 || measuring.lengthen(2.0) {
            return measuring.complete(problem, point, measured, &standing, WITHIN);
        }
        left -= 1;
    }
}
