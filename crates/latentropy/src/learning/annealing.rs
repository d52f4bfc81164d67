//! Deterministic annealing (Ueda and Nakano 1998; section 7 of the paper): the E step tempered, β rising to one.
//!
//! At small β the posteriors p(z|y)^β / Σ_z p(z|y)^β are flat and the solution is one: hidden units that know nothing
//! of the visible ones. As β grows it moves, and where it ceases to be a maximum it divides; the run follows
//! one branch. Steps in β are as long as the solution moves little, and shorter where it jumps.
//! A small seeded perturbation before each step lets the run leave a point that has become a saddle.
//!
//! With every visible bias and pair in the machine the flat solution is a strict maximum for all β < 1, ridge aside:
//! where the moments of y match, the objective's second derivative is −(1 − β) E Cov\[f|y\] − Cov(E\[f|y\]). There the run
//! divides at β = 1 alone, and is worth one restart from small weights. Without biases, as in the paper,
//! and in restricted shapes it divides earlier.

use super::course::{Course, Finish};
use super::driver::drive;
use super::outcome::Outcome;
use super::point::{Point, Workspace};
use super::problem::Problem;
use super::restart::Restart;
use crate::error::Result;
use crate::random::{Purpose, Random, stream};
use rand_distr::{Distribution, StandardNormal};

/// β of the first solution.
const FIRST_BETA: f64 = 0.2;
/// β is multiplied by one plus this; first, at least and at most.
const FIRST_GROWTH: f64 = 0.1;
const LEAST_GROWTH: f64 = 0.01;
const MOST_GROWTH: f64 = 0.3;
/// A feature's expectation that changes by more than this has jumped.
const JUMP: f64 = 0.1;
/// The perturbation's standard deviation: weights ten times smaller than those of a random start.
const NOISE: f64 = 0.1;
/// On the way solutions need not be exact, nor cost more than this.
const LOOSE_TOLERANCE: f64 = 1e-6;
const MOST_ITERATIONS: usize = 300;
const WARM_UP: usize = 5;

/// The solution at one inverse temperature.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AnnealingStep {
    /// β.
    pub beta: f64,
    /// (1/β) Σ_y p̃(y) log Σ_z p(y, z)^β, minus the ridge's part: what the tempered EM raises.
    pub objective: f64,
    /// L(λ), as it is at β = 1.
    pub log_likelihood: f64,
    /// Entropy of p_λ(x).
    pub entropy: f64,
    /// The largest violation of stationarity.
    pub residual: f64,
    /// The largest change of a feature's expectation since the β before.
    pub moved: f64,
    /// Steps of the learner at this β.
    pub iterations: usize,
    /// Steps of the learner in the run so far, those at rejected β included.
    pub iterations_so_far: usize,
    /// Sums over states made by the run so far, those at rejected β included.
    pub passes_so_far: u64,
}

/// An annealed run.
#[derive(Clone, Debug)]
pub struct AnnealedRun {
    /// Where it ended at β = 1; its iterations are those of the whole run.
    pub outcome: Outcome,
    /// The way there, by rising β; the last entry is the solution at β = 1, before it was brought to the tolerance.
    pub path: Vec<AnnealingStep>,
}

/// One annealed run, in place of many restarts; `seed` and `index` choose its perturbations.
pub fn annealed_run(
    problem: &Problem,
    course: &Course,
    seed: u64,
    index: u64,
) -> Result<AnnealedRun> {
    let course = Course {
        anneal: true,
        ..course.clone()
    };
    let course = course.checked(problem.engine())?;
    let restart = Restart {
        seed,
        index,
        ..Restart::first(true)
    };
    anneal(problem, &course, restart)
}

/// The same under the control of a fit: every temperature runs under the one loop.
pub(crate) fn anneal(
    problem: &Problem,
    course: &Course,
    restart: Restart<'_>,
) -> Result<AnnealedRun> {
    let loose = Course {
        tolerance: course.tolerance.max(LOOSE_TOLERANCE),
        max_iterations: course.max_iterations.min(MOST_ITERATIONS),
        finish: course.finish.map(|finish| Finish {
            warm_up: finish.warm_up.min(WARM_UP),
        }),
        ..course.clone()
    };
    let mut run = Run {
        problem: problem.clone(),
        course: loose,
        restart: Restart {
            keep_trace: false,
            ..restart
        },
        rng: stream(restart.seed, Purpose::Start, restart.index),
        iterations: 0,
        passes: 0,
    };
    let flat = Point {
        weights: vec![0.0; problem.terms()],
        free: vec![0.0; problem.terms()],
        ..Point::default()
    };
    let (mut here, first) = run.solution(&flat, FIRST_BETA)?;
    let mut path = vec![AnnealingStep {
        moved: 0.0,
        ..first
    }];
    let (mut beta, mut growth) = (FIRST_BETA, FIRST_GROWTH);
    while beta < 1.0 {
        let next = (beta * (1.0 + growth)).min(1.0);
        let (there, step) = run.solution(&here, next)?;
        if step.moved > JUMP && growth > LEAST_GROWTH {
            growth = (0.5 * growth).max(LEAST_GROWTH);
            continue;
        }
        if step.moved < 0.3 * JUMP {
            growth = (1.5 * growth).min(MOST_GROWTH);
        }
        path.push(step);
        (here, beta) = (there, next);
    }
    let mut outcome = drive(problem, here.weights, course, restart)?;
    outcome.iterations += run.iterations;
    outcome.passes += run.passes;
    Ok(AnnealedRun { outcome, path })
}

/// What goes along with a run.
struct Run<'a> {
    problem: Problem,
    course: Course,
    restart: Restart<'a>,
    rng: Random,
    iterations: usize,
    passes: u64,
}

impl Run<'_> {
    /// The solution at β, from a perturbed neighbour.
    fn solution(&mut self, from: &Point, beta: f64) -> Result<(Point, AnnealingStep)> {
        let prior = self.problem.prior();
        let start = from
            .weights
            .iter()
            .enumerate()
            .map(|(term, weight)| {
                let normal: f64 = StandardNormal.sample(&mut self.rng);
                prior.held(term, weight + NOISE * normal)
            })
            .collect();
        self.problem.temper(beta);
        let found = drive(&self.problem, start, &self.course, self.restart)?;
        self.iterations += found.iterations;
        self.passes += found.passes;
        let point = found.point;
        let mut plain = Point::at(point.weights.clone());
        self.problem.temper(1.0);
        self.problem
            .evaluate(&mut plain, &mut Workspace::default(), false)?;
        let changes = point.free.iter().zip(&from.free).map(|(a, b)| a - b);
        let step = AnnealingStep {
            beta,
            objective: point.objective,
            log_likelihood: plain.log_likelihood,
            entropy: point.entropy,
            residual: point.residual,
            moved: changes.fold(0.0, |largest: f64, change| largest.max(change.abs())),
            iterations: found.iterations,
            iterations_so_far: self.iterations,
            passes_so_far: self.passes,
        };
        Ok((point, step))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Objective;
    use super::super::curvature::hessian;
    use super::*;
    use crate::data::{Cell, Dataset};
    use crate::inference::EngineId;
    use crate::network::{Clamp, Network, Term, Unit};
    use proptest::prelude::*;

    /// Three visible and two hidden units, all terms up to order two and one of order three, a constant; rows
    /// with a missing cell.
    fn problem(weights: &[f64], beta: f64) -> Problem {
        let mut units: Vec<Unit> = (1..=3).map(|u| Unit::visible(format!("y{u}"))).collect();
        units.extend((1..=2).map(|u| Unit::hidden(format!("z{u}"))));
        let mut terms: Vec<Vec<usize>> = (0..5).map(|u| vec![u]).collect();
        terms.extend((0..5).flat_map(|a| (0..a).map(move |b| vec![a, b])));
        terms.extend([vec![0, 1, 4], vec![]]);
        let weighted = terms
            .into_iter()
            .map(Term::new)
            .zip(weights.iter().copied());
        let network = Network::new(units, weighted).unwrap();
        let (no, yes, gap) = (Cell::Zero, Cell::One, Cell::Missing);
        let rows = [
            [no, yes, yes],
            [yes, no, yes],
            [yes, gap, no],
            [no, yes, yes],
            [no, no, gap],
        ];
        let names = (1..=3).map(|u| format!("y{u}")).collect();
        let data = Dataset::from_cells(names, true, rows.map(|row| row.to_vec())).unwrap();
        let objective = Objective {
            ridge: 0.5,
            bound: 20.0,
            ..Objective::with_ridge(0.5)
        };
        let mut problem = Problem::new(&network, &data, objective, EngineId::EXACT, false).unwrap();
        problem.temper(beta);
        problem
    }

    fn evaluated(problem: &Problem, weights: &[f64]) -> Point {
        let mut point = Point {
            weights: weights.to_vec(),
            ..Point::default()
        };
        problem
            .evaluate(&mut point, &mut Workspace::default(), false)
            .unwrap();
        point
    }

    /// p(z|y)^β / Σ p(z|y)^β, state by state.
    fn literal_eta(problem: &Problem, weights: &[f64], beta: f64) -> Vec<f64> {
        let network = problem.structure().with_weights(weights.to_vec()).unwrap();
        let agrees = |clamp: &Clamp, state: u32| {
            (0..5).all(|u| {
                clamp
                    .get(u)
                    .is_none_or(|value| value == (state >> u & 1 == 1))
            })
        };
        let exponent = |state: u32| network.exponent(|u| state >> u & 1 == 1);
        let mut eta = vec![0.0; network.terms().len()];
        for (clamp, share) in problem.rows().clamps().iter().zip(problem.rows().shares()) {
            let states: Vec<u32> = (0..32).filter(|&state| agrees(clamp, state)).collect();
            let total: f64 = states.iter().map(|&s| exponent(s).exp()).sum();
            let powers: Vec<f64> = states
                .iter()
                .map(|&s| (exponent(s).exp() / total).powf(beta))
                .collect();
            let power_sum: f64 = powers.iter().sum();
            for (&state, power) in states.iter().zip(&powers) {
                for (sum, term) in eta.iter_mut().zip(network.terms()) {
                    if term.units().iter().all(|&u| state >> u & 1 == 1) {
                        *sum += share * power / power_sum;
                    }
                }
            }
        }
        eta
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn the_tempered_e_step_is_the_power_of_the_posterior(
            weights in prop::collection::vec(-2.0..2.0f64, 17), beta in 0.05..1.5f64,
        ) {
            let problem = problem(&weights, beta);
            let point = evaluated(&problem, &weights[..16]);
            for (a, b) in point.clamped.expectations.iter().zip(literal_eta(&problem, &weights[..16], beta)) {
                prop_assert!((a - b).abs() < 1e-12, "{a} against {b}");
            }
        }

        #[test]
        fn tempered_derivatives_are_finite_differences(
            weights in prop::collection::vec(-2.0..2.0f64, 17), beta in 0.05..1.5f64,
        ) {
            let problem = problem(&weights, beta);
            let weights = &weights[..16];
            let gradient = |point: &Point| -> Vec<f64> {
                (0..16).map(|i| point.clamped.expectations[i] - point.free[i] - problem.prior().slope(&point.weights)[i]).collect()
            };
            let here = gradient(&evaluated(&problem, weights));
            let matrix = hessian(&problem, weights).unwrap();
            for term in 0..16 {
                let (mut up, mut down) = (weights.to_vec(), weights.to_vec());
                up[term] += 1e-5;
                down[term] -= 1e-5;
                let (up, down) = (evaluated(&problem, &up), evaluated(&problem, &down));
                // Truncation 1e-10; rounding 1e-15 / 1e-5, over β.
                prop_assert!(((up.objective - down.objective) / 2e-5 - here[term]).abs() < 1e-8);
                for (other, (u, d)) in gradient(&up).iter().zip(gradient(&down)).enumerate() {
                    prop_assert!(((u - d) / 2e-5 - matrix[term * 16 + other]).abs() < 1e-8);
                }
            }
        }
    }
}
