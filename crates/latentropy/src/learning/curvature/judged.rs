//! The largest eigenvalue of a sampled Hessian, sought by some states and judged by others.
//!
//! The largest of many sampled eigenvalues is too large: of d flat directions noise lifts some by about 2√(d/N) of their
//! variance (Marchenko and Pastur 1967), and along a hidden unit's weights Cov f and Cov[f | y] nearly cancel, so that little
//! else is left. The direction that looks highest is therefore looked at once more, by states that did not choose it: their
//! quotient has no such bias, and its error is that of one direction.

use super::UPWARD;
use crate::inference::kernels::dot;
use crate::inference::{PersistentChains, Records};
use crate::learning::exchange::Exchange;
use crate::learning::problem::Problem;
use crate::random::named_seed;
use crate::rows::Summed;

/// Chains that judge, from a fixed stream: their sweeps before, those recorded, and from one of these to the next.
const CHAINS: usize = 1024;
const SETTLING: usize = 256;
const TIMES: usize = 64;
const APART: usize = 8;
/// The step of differences of the E step along a direction of length one.
const STEP: f64 = 1e-3;

/// An eigenvalue by samples.
#[derive(Clone, Copy, Debug)]
pub(super) struct Judged {
    pub(super) value: f64,
    /// Its standard error.
    pub(super) error: f64,
}

/// What is to be said of the highest direction: as it was sought where that is downward already, else by fresh states.
/// `direction` is one of all weights, `said` what rows say along it where so many of them are summed, and `square` what its quotient
/// is over; where there is something to exchange it is along the way on which pairs take back what hidden units say.
pub(super) fn judged(
    problem: &Problem,
    weights: &[f64],
    sought: Judged,
    direction: &[f64],
    (said, summed): (&[f64], Summed),
    exchange: Option<&Exchange>,
    square: f64,
) -> Option<Judged> {
    if sought.value <= UPWARD {
        return Some(sought);
    }
    let network = problem.structure().with_weights(weights.to_vec()).ok()?;
    let seed = named_seed(0, "states that judge");
    let mut chains = PersistentChains::settled(&network, CHAINS, seed, SETTLING).ok()?;
    let chains = chains.chains_for(TIMES * APART);
    let records = chains.record(TIMES, APART);
    let (variance, error) = records.variance_along(&chains.machine.sets, said);
    let of_rows = match problem.rows().show_everything() {
        true => 0.0,
        false => dot(direction, &rows_times(problem, weights, direction, summed)),
    };
    let of_prior = dot(direction, &problem.prior().slope(direction));
    let of_way = exchange.and_then(|exchange| {
        let gradient = gradient_by(problem, weights, &records, &chains.machine.sets)?;
        Some(dot(
            direction,
            &exchange.bend_of_way_times(&gradient, direction),
        ))
    });
    Some(Judged {
        value: (of_rows - variance - of_prior - of_way.unwrap_or(0.0)) / square,
        error: error / square,
    })
}

/// The gradient of the objective where these states say E f.
pub(super) fn gradient_by(
    problem: &Problem,
    weights: &[f64],
    records: &Records,
    sets: &[Box<[u32]>],
) -> Option<Vec<f64>> {
    let eta = problem
        .rows()
        .summed_expectations(weights, Summed::Quick)
        .ok()?;
    let pulls = problem.prior().slope(weights);
    let known = eta.iter().zip(&pulls).zip(sets);
    Some(
        known
            .map(|((eta, pull), set)| eta - records.moments(set).mean() - pull)
            .collect(),
    )
}

/// Σ_y p̃(y) Cov[f | y] v over the rows that are summed: the derivative of η along v, by differences.
pub(super) fn rows_times(
    problem: &Problem,
    weights: &[f64],
    v: &[f64],
    summed: Summed,
) -> Vec<f64> {
    let length = dot(v, v).sqrt();
    if length == 0.0 {
        return vec![0.0; v.len()];
    }
    let step = STEP / length;
    let eta = |by: f64| -> Option<Vec<f64>> {
        let moved: Vec<f64> = weights.iter().zip(v).map(|(w, v)| w + by * v).collect();
        problem.rows().summed_expectations(&moved, summed).ok()
    };
    match (eta(step), eta(-step)) {
        (Some(up), Some(down)) => {
            let slopes = up.iter().zip(&down);
            slopes
                .map(|(up, down)| (up - down) / (2.0 * step))
                .collect()
        }
        _ => vec![f64::NAN; v.len()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Dataset;
    use crate::inference::EngineId;
    use crate::learning::Objective;
    use crate::learning::curvature::hessian;
    use crate::network::Network;

    /// Fresh states say of any direction what the exact Hessian says, within their own error.
    #[test]
    fn quotients_are_those_of_the_exact_hessian() {
        let mut rows = vec![vec![0i8; 6]; 40];
        for (at, cell) in rows.iter_mut().flatten().enumerate() {
            *cell = match (at * at + at / 7) % 11 {
                0 => -1,
                value => (value % 2) as i8,
            };
        }
        let data = Dataset::from_rows(&rows).unwrap();
        let structure = Network::full(6, 2);
        let by = |engine| {
            Problem::new(&structure, &data, Objective::with_ridge(2.0), engine, false).unwrap()
        };
        let (exact, sampled) = (by(EngineId::EXACT), by(EngineId::GIBBS));
        let terms = exact.terms();
        let weights: Vec<f64> = (0..terms).map(|at| 0.5 * (at as f64 + 1.0).sin()).collect();
        let matrix = hessian(&exact, &weights).unwrap();
        let sought = Judged {
            value: 1.0,
            error: 0.0,
        };
        for turn in 0..6 {
            let direction: Vec<f64> = (0..terms)
                .map(|at| ((turn * 37 + at * at) as f64).cos())
                .collect();
            let literal: f64 = (0..terms)
                .map(|a| direction[a] * dot(&matrix[a * terms..(a + 1) * terms], &direction))
                .sum();
            let square = dot(&direction, &direction);
            let found = judged(
                &sampled,
                &weights,
                sought,
                &direction,
                (&direction, Summed::Ready),
                None,
                square,
            )
            .unwrap();
            let off = (found.value - literal / square) / found.error;
            assert!(off.abs() < 4.0, "{found:?} {}", literal / square);
            assert!(found.error < 0.05 * (literal / square).abs());
        }
        // What is downward already needs no second look.
        let sought = Judged {
            value: -0.5,
            error: 0.1,
        };
        let found = judged(
            &sampled,
            &weights,
            sought,
            &weights,
            (&weights, Summed::Ready),
            None,
            1.0,
        )
        .unwrap();
        assert_eq!((found.value, found.error), (-0.5, 0.1));
    }
}
