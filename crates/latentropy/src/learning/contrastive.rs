//! Contrastive divergence (Hinton 2002) and its persistent form (Tieleman 2008), for any graph and any order of terms.
//!
//! Both follow ∂L/∂λ = η − E_p f, equation (11), with chains in place of the free phase. CD-k starts a chain at
//! each row, its latent units drawn from their posterior, and makes k sweeps: a biased, quiet estimate. Persistent CD
//! keeps its chains from pass to pass: the weights change slowly enough for them to stay near p.
//! A pass is one step λ ← λ + ε_t (η̂ − Ê f − rλ) over all rows, kept in the box.

use super::averaging::SecondHalf;
use super::chains::{Chains, Gibbs};
use super::row_chains::RowChains;
use super::{Learner, LearningSettings, Point, Problem, Stepper, Workspace};
use crate::error::Result;
use rand_chacha::ChaCha8Rng;

/// Sweeps over the latent units of the rows before the first pass; later passes go on from there.
const FIRST_SWEEPS: usize = 20;

/// The falling step of contrastive divergence: ε_t = first / (1 + t / decay) in pass t, from 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Schedule {
    /// ε_0.
    pub first: f64,
    /// Passes after which the step has fallen to half; infinite: it never falls.
    pub decay: f64,
}

impl Schedule {
    /// ε_t.
    pub fn step(self, pass: usize) -> f64 {
        self.first / (1.0 + pass as f64 / self.decay)
    }
}

/// CD-k or persistent CD-k, with k = `sweeps`.
pub(super) struct Contrastive {
    persistent: bool,
    sweeps: usize,
    schedule: Schedule,
    /// Counts the passes: the weights after the last are the mean over its second half.
    averaged: SecondHalf,
    /// Passes between two exact evaluations.
    stride: usize,
    rng: ChaCha8Rng,
    gibbs: Gibbs,
    rows: RowChains,
    model: Chains,
    model_weights: Vec<f64>,
    gradient: Vec<f64>,
}

impl Contrastive {
    /// Without `traced`, exact evaluations are left to the beginning and the end.
    pub(super) fn new(
        problem: &Problem,
        settings: &LearningSettings,
        passes: usize,
        traced: bool,
        mut rng: ChaCha8Rng,
    ) -> Self {
        let (persistent, chains) = (settings.learner == Learner::Pcd, settings.chains);
        let gibbs = Gibbs::new(problem.structure());
        let rows = RowChains::new(problem, chains, &mut rng);
        let (model, model_weights) = if persistent {
            let units = problem.structure().units().len();
            let model = Chains::random(units, chains, &mut rng);
            (model, vec![1.0 / chains as f64; chains])
        } else {
            (rows.chains.clone(), rows.weights.clone())
        };
        Contrastive {
            persistent,
            sweeps: settings.cd_steps,
            schedule: settings.schedule,
            averaged: SecondHalf::new(passes, problem.terms()),
            stride: if traced {
                passes.div_ceil(100).max(1)
            } else {
                usize::MAX
            },
            rng,
            gibbs,
            rows,
            model,
            model_weights,
            gradient: vec![0.0; problem.terms()],
        }
    }

    /// η̂ − Ê f.
    fn estimate(&mut self, weights: &[f64]) {
        let sweeps = match self.averaged.pass() {
            _ if self.rows.independent => 1,
            0 => FIRST_SWEEPS.max(self.sweeps),
            _ => self.sweeps,
        };
        for _ in 0..sweeps {
            self.rows.redraw(&mut self.gibbs, weights, &mut self.rng);
        }
        if !self.persistent {
            self.model.clone_from(&self.rows.chains);
        }
        for _ in 0..self.sweeps {
            self.gibbs.sweep(weights, &mut self.model, &mut self.rng);
        }
        self.gradient.fill(0.0);
        self.gibbs.add_features(
            &self.rows.chains,
            &self.rows.weights,
            1.0,
            &mut self.gradient,
        );
        self.gibbs
            .add_features(&self.model, &self.model_weights, -1.0, &mut self.gradient);
    }
}

impl Stepper for Contrastive {
    fn needs_strata(&self) -> bool {
        false
    }

    fn stride(&self) -> Option<usize> {
        Some(self.stride)
    }

    fn step(&mut self, problem: &Problem, point: &mut Point, _: &mut Workspace) -> Result<()> {
        self.estimate(&point.weights);
        let length = self.schedule.step(self.averaged.pass());
        let (ridge, bound) = (problem.ridge_a_row(), problem.penalty().bound);
        for (weight, gradient) in point.weights.iter_mut().zip(&self.gradient) {
            *weight = (*weight + length * (gradient - ridge * *weight)).clamp(-bound, bound);
        }
        self.averaged.take(&mut point.weights);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::Penalty;
    use super::super::start::stream;
    use super::*;
    use crate::data::{Cell, Dataset};
    use crate::network::{Network, Term, Unit};

    #[test]
    fn at_fixed_weights_persistent_chains_give_the_gradient() {
        // Four visible and two hidden units, a term of order three, rows with missing cells.
        let mut units: Vec<Unit> = (1..=4).map(|u| Unit::visible(format!("y{u}"))).collect();
        units.extend((1..=2).map(|u| Unit::hidden(format!("z{u}"))));
        let mut terms: Vec<Term> = (0..6).map(|u| Term::new(vec![u])).collect();
        terms.extend((0..6).flat_map(|a| (0..a).map(move |b| Term::new(vec![a, b]))));
        terms.push(Term::new(vec![0, 3, 5]));
        let weights: Vec<f64> = (0..terms.len()).map(|i| (i as f64 * 1.3).sin()).collect();
        let network = Network::new(units, terms.into_iter().zip(weights.clone())).unwrap();
        let rows = (0..60u32).map(|row| {
            let cell = |column: u32| match row.wrapping_mul(2_654_435_761) >> (27 - 3 * column) & 7
            {
                0..=3 => Cell::Zero,
                4..=6 => Cell::One,
                _ => Cell::Missing,
            };
            (0..4).map(cell).collect::<Vec<_>>()
        });
        let names = (1..=4).map(|u| format!("y{u}")).collect();
        let data = Dataset::from_cells(names, true, rows).unwrap();
        let penalty = Penalty {
            ridge: 0.0,
            bound: 15.0,
        };
        let problem = Problem::new(&network, &data, penalty, false).unwrap();
        let settings = LearningSettings {
            chains: 40,
            ..LearningSettings::of(Learner::Pcd)
        };
        let mut learner = Contrastive::new(&problem, &settings, 1, false, stream(3, 0));
        for _ in 0..100 {
            learner.estimate(&weights);
        }
        // Means of batches much longer than the chains remember are independent.
        const BATCHES: usize = 30;
        const LENGTH: usize = 200;
        let mut batches = vec![vec![0.0; weights.len()]; BATCHES];
        learner.averaged.take(&mut vec![0.0; problem.terms()]);
        for batch in &mut batches {
            for _ in 0..LENGTH {
                learner.estimate(&weights);
                for (sum, gradient) in batch.iter_mut().zip(&learner.gradient) {
                    *sum += gradient / LENGTH as f64;
                }
            }
        }
        let mut point = Point {
            weights,
            ..Point::default()
        };
        problem
            .evaluate(&mut point, &mut Workspace::default(), false)
            .unwrap();
        for term in 0..problem.terms() {
            let exact = point.clamped.expectations[term] - point.free[term];
            let mean = batches.iter().map(|b| b[term]).sum::<f64>() / BATCHES as f64;
            let square = batches
                .iter()
                .map(|b| (b[term] - mean).powi(2))
                .sum::<f64>();
            let standard_error = (square / (BATCHES * (BATCHES - 1)) as f64).sqrt();
            assert!(
                (mean - exact).abs() < 5.0 * standard_error,
                "{mean} against {exact}"
            );
        }
    }
}
