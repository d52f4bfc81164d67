//! Contrastive divergence (Hinton 2002) and its persistent form (Tieleman 2008), for any graph and any order of terms.
//!
//! Both follow ∂L/∂λ = η − E_p f, equation (11), with chains in place of the free phase. CD-k starts a chain at
//! each row, its latent units drawn from their posterior, and makes k sweeps: a biased, quiet estimate. Persistent CD
//! keeps its chains from pass to pass: the weights change slowly enough for them to stay near p.
//! A pass is one step λ ← λ + ε_t (η̂ − Ê f − rλ) over all rows, kept in the box.

mod averaging;
mod mini_batches;

use super::options::{above_zero, at_least_one};
use super::{Begin, Method, Need, OptionValue};
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::inference::{GibbsChains, SideBySide};
use crate::learning::point::{Point, Workspace};
use crate::learning::problem::Problem;
use crate::learning::stepper::{Stepped, Stepper};
use crate::message::{Setting, words};
use crate::network::Network;
use crate::random::{Purpose, Random, stream};
use crate::rows::RowChains;
use averaging::SecondHalf;
use mini_batches::{MiniBatches, check_mini_batches};
use serde::{Deserialize, Serialize};

/// Sweeps over the latent units of the rows before the first pass; later passes go on from there.
const FIRST_SWEEPS: usize = 20;

/// The falling step of contrastive divergence: ε_t = first / (1 + t / decay) in pass t, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
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

impl Default for Schedule {
    fn default() -> Self {
        Schedule {
            first: 1.0,
            decay: 500.0,
        }
    }
}

/// The schedule of mini-batches, where steps are many and rows few.
const OF_MINI_BATCHES: Schedule = Schedule {
    first: 0.1,
    decay: 20.0,
};

/// Contrastive divergence CD-k.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cd {
    /// k: sweeps of a chain for each pass over the data.
    pub cd_steps: usize,
    /// About how many chains start at the rows in each pass (at least one per distinct row).
    pub chains: usize,
    /// Step lengths.
    pub schedule: Schedule,
}

impl Default for Cd {
    fn default() -> Self {
        Cd {
            cd_steps: 1,
            chains: 100,
            schedule: Schedule::default(),
        }
    }
}

/// Persistent contrastive divergence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pcd {
    /// k: sweeps of a chain for each pass over the data.
    pub cd_steps: usize,
    /// How many chains.
    pub chains: usize,
    /// The first step length; 1 if not given, 0.1 in mini-batches.
    pub cd_rate: Option<f64>,
    /// Passes after which the step has fallen to half; 500 if not given, 20 in mini-batches.
    pub cd_decay: Option<f64>,
    /// Rows in a mini-batch on a restricted machine; `None`: all of them at once.
    pub batch: Option<usize>,
}

impl Default for Pcd {
    fn default() -> Self {
        Pcd {
            cd_steps: 1,
            chains: 100,
            cd_rate: None,
            cd_decay: None,
            batch: None,
        }
    }
}

impl Pcd {
    /// Step lengths.
    pub fn schedule(&self) -> Schedule {
        let usual = match self.batch {
            Some(_) => OF_MINI_BATCHES,
            None => Schedule::default(),
        };
        Schedule {
            first: self.cd_rate.unwrap_or(usual.first),
            decay: self.cd_decay.unwrap_or(usual.decay),
        }
    }
}

/// Options that make sense, of either form.
fn check(cd_steps: usize, chains: usize, schedule: Schedule) -> Result<()> {
    at_least_one(Setting::CdSteps, cd_steps)?;
    if !(1..=1_000_000).contains(&chains) {
        return Err(Error::invalid(words![
            Setting::Chains,
            format!(" must lie between 1 and 1000000, not {chains}")
        ]));
    }
    let Schedule { first, decay } = schedule;
    above_zero(
        Setting::CdRate,
        if first.is_finite() { first } else { f64::NAN },
    )?;
    above_zero(Setting::CdDecay, decay)
}

fn options(cd_steps: usize, chains: usize, schedule: Schedule) -> Vec<(Setting, OptionValue)> {
    vec![
        (Setting::CdSteps, OptionValue::Count(cd_steps)),
        (Setting::Chains, OptionValue::Count(chains)),
        (Setting::CdRate, OptionValue::Number(schedule.first)),
        (Setting::CdDecay, OptionValue::Number(schedule.decay)),
    ]
}

/// Passes of a restart, unless users say otherwise.
const USUAL_PASSES: usize = 2000;
const USUAL_PASSES_OF_MINI_BATCHES: usize = 200;

impl Method for Cd {
    fn name(&self) -> &'static str {
        "cd"
    }

    fn about(&self) -> &'static str {
        "Contrastive divergence, by sampling"
    }

    fn need(&self) -> Need {
        Need::Evaluation
    }

    fn set(&mut self, option: Setting, value: &OptionValue) -> Result<bool> {
        match option {
            Setting::CdSteps => self.cd_steps = value.count(option)?,
            Setting::Chains => self.chains = value.count(option)?,
            Setting::CdRate => self.schedule.first = value.positive(option)?,
            Setting::CdDecay => self.schedule.decay = value.positive(option)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn options(&self) -> Vec<(Setting, OptionValue)> {
        options(self.cd_steps, self.chains, self.schedule)
    }

    fn check(&self) -> Result<()> {
        check(self.cd_steps, self.chains, self.schedule)
    }

    fn usual_iterations(&self) -> usize {
        USUAL_PASSES
    }

    fn converges(&self) -> bool {
        false
    }

    fn begin(&self, problem: &Problem, begin: &Begin) -> Box<dyn Stepper> {
        let schedule = self.schedule;
        Box::new(Contrastive::new(
            problem,
            Form {
                persistent: false,
                sweeps: self.cd_steps,
                chains: self.chains,
                schedule,
            },
            begin,
        ))
    }
}

impl Method for Pcd {
    fn name(&self) -> &'static str {
        "pcd"
    }

    fn about(&self) -> &'static str {
        "Persistent contrastive divergence, by sampling"
    }

    fn need(&self) -> Need {
        Need::Evaluation
    }

    fn set(&mut self, option: Setting, value: &OptionValue) -> Result<bool> {
        match option {
            Setting::CdSteps => self.cd_steps = value.count(option)?,
            Setting::Chains => self.chains = value.count(option)?,
            Setting::CdRate => self.cd_rate = Some(value.positive(option)?),
            Setting::CdDecay => self.cd_decay = Some(value.positive(option)?),
            // As records show it where it is not used.
            Setting::Batch if *value == OptionValue::Word("all".to_string()) => self.batch = None,
            Setting::Batch => self.batch = Some(value.count(option)?),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn options(&self) -> Vec<(Setting, OptionValue)> {
        let mut options = options(self.cd_steps, self.chains, self.schedule());
        // Listed even where it is not used: it is this learner's option.
        let batch = match self.batch {
            Some(rows) => OptionValue::Count(rows),
            None => OptionValue::Word("all".to_string()),
        };
        options.push((Setting::Batch, batch));
        options
    }

    fn check(&self) -> Result<()> {
        if let Some(batch) = self.batch {
            at_least_one(Setting::Batch, batch)?;
        }
        check(self.cd_steps, self.chains, self.schedule())
    }

    fn check_data(&self, structure: &Network, data: &Dataset) -> Result<()> {
        match self.batch {
            Some(_) => check_mini_batches(structure, &mini_batches::Rows::of_data(structure, data)),
            None => Ok(()),
        }
    }

    fn check_problem(&self, problem: &Problem) -> Result<()> {
        match self.batch {
            Some(_) => {
                let rows = mini_batches::Rows::of_problem(problem);
                check_mini_batches(problem.structure(), &rows)
            }
            None => Ok(()),
        }
    }

    fn usual_iterations(&self) -> usize {
        match self.batch {
            Some(_) => USUAL_PASSES_OF_MINI_BATCHES,
            None => USUAL_PASSES,
        }
    }

    fn converges(&self) -> bool {
        false
    }

    fn begin(&self, problem: &Problem, begin: &Begin) -> Box<dyn Stepper> {
        let form = Form {
            persistent: true,
            sweeps: self.cd_steps,
            chains: self.chains,
            schedule: self.schedule(),
        };
        match self.batch {
            Some(batch) => Box::new(MiniBatches::new(problem, form, batch, begin)),
            None => Box::new(Contrastive::new(problem, form, begin)),
        }
    }
}

/// What both forms are made of.
#[derive(Clone, Copy, Debug)]
struct Form {
    persistent: bool,
    /// k.
    sweeps: usize,
    chains: usize,
    schedule: Schedule,
}

/// Passes between two exact evaluations: without a trace they are left to the beginning and the end.
fn stride(begin: &Begin) -> usize {
    match begin.traced {
        true => begin.steps.div_ceil(100).max(1),
        false => usize::MAX,
    }
}

/// CD-k or persistent CD-k over all rows at once.
struct Contrastive {
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
    fn new(problem: &Problem, form: Form, begin: &Begin) -> Self {
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

    fn step(&mut self, problem: &Problem, point: &mut Point, _: &mut Workspace) -> Result<Stepped> {
        self.estimate(&point.weights);
        let length = self.form.schedule.step(self.averaged.pass());
        let (ridge, objective) = (problem.ridge_per_row(), problem.objective());
        for (weight, gradient) in point.weights.iter_mut().zip(&self.gradient) {
            *weight = objective.held(*weight + length * (gradient - ridge * *weight));
        }
        self.averaged.take(&mut point.weights);
        Ok(Stepped::Moved)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Cell;
    use crate::inference::EngineId;
    use crate::learning::Objective;
    use crate::network::{Term, Unit};

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
            bound: 15.0,
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
