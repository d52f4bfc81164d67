//! Contrastive divergence over all rows at once, in either form.

use super::averaging::SecondHalf;
use super::form::{Form, stride};
use crate::error::Result;
use crate::inference::{GibbsChains, SideBySide};
use crate::learning::checkpoint::State;
use crate::learning::learners::method::Begin;
use crate::learning::point::{Point, Workspace};
use crate::learning::problem::Problem;
use crate::learning::stepper::{Stepped, Stepper};
use crate::random::{Purpose, Random, stream};
use crate::rows::RowChains;

/// Sweeps over the latent units of the rows before the first pass; later passes go on from there.
const FIRST_SWEEPS: usize = 20;

/// CD-k or persistent CD-k over all rows at once.
pub(super) struct Contrastive {
    form: Form,
    /// Counts the passes: the weights after the last are the mean over its second half.
    averaged: SecondHalf,
    stride: usize,
    rng: Random,
    gibbs: SideBySide,
    rows: RowChains,
    model: GibbsChains,
    model_weights: Vec<f64>,
    gradient: Vec<f64>,
}

impl Contrastive {
    pub(super) fn new(problem: &Problem, form: Form, begin: &Begin) -> Self {
        let mut rng = stream(begin.seed, Purpose::Learning, begin.index);
        let structure = problem.structure();
        let rows = RowChains::new(structure, problem.rows(), form.chains, &mut rng);
        let (model, model_weights) = if form.persistent {
            let model = GibbsChains::random(structure.units().len(), form.chains, &mut rng);
            (model, vec![1.0 / form.chains as f64; form.chains])
        } else {
            (rows.chains.clone(), rows.weights.clone())
        };
        Contrastive {
            form,
            averaged: SecondHalf::new(begin.steps, problem.terms()),
            stride: stride(begin),
            rng,
            gibbs: SideBySide::new(structure),
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
            0 => FIRST_SWEEPS.max(self.form.sweeps),
            _ => self.form.sweeps,
        };
        for _ in 0..sweeps {
            self.rows.redraw(&mut self.gibbs, weights, &mut self.rng);
        }
        if !self.form.persistent {
            self.model.clone_from(&self.rows.chains);
        }
        for _ in 0..self.form.sweeps {
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
    fn stride(&self) -> Option<usize> {
        Some(self.stride)
    }

    fn state(&self) -> Option<Result<State>> {
        let chains = (&self.rows.chains, &self.model);
        Some(State::of(&(
            chains,
            &self.averaged,
            self.rng.get_word_pos(),
        )))
    }

    fn go_on(&mut self, _: &Problem, state: &State) -> Result<()> {
        let place;
        ((self.rows.chains, self.model), self.averaged, place) = state.read()?;
        self.rng.set_word_pos(place);
        Ok(())
    }

    fn step(&mut self, problem: &Problem, point: &mut Point, _: &mut Workspace) -> Result<Stepped> {
        self.estimate(&point.weights);
        let length = self.form.schedule.step(self.averaged.pass());
        let (prior, pulls) = (problem.prior(), problem.prior().slope(&point.weights));
        for (term, weight) in point.weights.iter_mut().enumerate() {
            let slope = self.gradient[term] - pulls[term];
            *weight = prior.held(term, *weight + length * slope);
        }
        self.averaged.take(&mut point.weights);
        Ok(Stepped::Moved)
    }
}

#[cfg(test)]
mod tests {
    use super::super::schedule::Schedule;
    use super::*;
    use crate::data::{Cell, Dataset};
    use crate::inference::EngineId;
    use crate::learning::Objective;
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
        let objective = Objective {
            ridge: 0.0,
            ..Objective::default()
        };
        let problem = Problem::new(&network, &data, objective, EngineId::EXACT, false).unwrap();
        let form = Form {
            persistent: true,
            sweeps: 1,
            chains: 40,
            schedule: Schedule::default(),
        };
        let begin = Begin {
            steps: 1,
            tolerance: 1e-8,
            traced: false,
            seed: 3,
            index: 0,
            cancel: Default::default(),
        };
        let mut learner = Contrastive::new(&problem, form, &begin);
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
