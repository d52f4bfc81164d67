//! A learning problem: rows against a network structure, an engine that is ready for it, and the objective.

use super::objective::Objective;
use super::point::{Point, Workspace, Worth};
use super::prior::Prior;
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::inference::{Demand, EngineId, Interval, Kind, Prepared, Sums, SumsWorth, log_sum};
use crate::network::{Clamp, Network};
use crate::rows::RowPosteriors;
use std::borrow::Cow;
use std::sync::Arc;

/// A structure, its rows, who sums over its states, and what is maximised.
///
/// ```
/// use latentropy::learning::{Course, Learner, Objective, Problem, learn};
/// use latentropy::{Dataset, EngineId, Network};
/// let data = Dataset::from_rows(&[[0, 0], [1, 1], [1, 1], [0, 1]])?;
/// let objective = Objective { ridge: 1.0, ..Objective::default() };
/// let problem = Problem::new(&Network::full(2, 0), &data, objective, EngineId::EXACT, false)?;
/// let course = Course::new(Learner::named("quasi-newton")?);
/// let found = learn(&problem, vec![0.0; 3], &course)?;
/// assert!(found.point.residual <= course.tolerance);
/// # Ok::<(), latentropy::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Problem {
    structure: Network,
    rows: Arc<RowPosteriors>,
    engine: EngineId,
    free: Arc<dyn Prepared>,
    objective: Objective,
    /// Whether both phases take the engine's best expectations in place of its gradient.
    best: bool,
    /// What ridge and box are for these rows.
    prior: Arc<Prior>,
    /// β of the E step: one, but for annealing.
    inverse_temperature: f64,
    /// Rows that are not learned from, to be watched.
    validation: Option<Arc<RowPosteriors>>,
}

impl Problem {
    /// Matches the rows, and makes the engine ready; `strata` where the learner needs sums by f#.
    pub fn new(
        structure: &Network,
        data: &Dataset,
        objective: Objective,
        engine: EngineId,
        strata: bool,
    ) -> Result<Self> {
        let objective = objective.checked()?;
        let gives = engine.gives();
        let free = prepared(structure, engine, strata)?;
        if !gives.exact_sums && gives.objective {
            // What the engine cannot hold is refused before it learns.
            free.sums(&vec![0.0; structure.terms().len()], &mut Sums::default())?;
        }
        let best = strata && !gives.strata;
        let rows = rows_for(structure, data, engine)?.with_best_expectations(best);
        let problem = Problem::of_rows(structure.clone(), rows, objective, (engine, free));
        Ok(Problem { best, ..problem })
    }

    /// Of rows and an engine that are prepared for the structure.
    fn of_rows(
        structure: Network,
        rows: RowPosteriors,
        objective: Objective,
        (engine, free): (EngineId, Box<dyn Prepared>),
    ) -> Self {
        Problem {
            best: false,
            prior: Arc::new(Prior::new(&structure, &rows, objective)),
            structure,
            rows: Arc::new(rows),
            engine,
            free: Arc::from(free),
            objective,
            inverse_temperature: 1.0,
            validation: None,
        }
    }

    /// The same with rows that are not learned from: learners that do not converge stop by them.
    pub(crate) fn with_validation(self, data: &Dataset) -> Result<Self> {
        let rows = rows_for(&self.structure, data, self.engine)?.with_best_expectations(self.best);
        Ok(Problem {
            validation: Some(Arc::new(rows)),
            ..self
        })
    }

    /// The rows that are not learned from, if there are any.
    pub(crate) fn validation(&self) -> Option<&RowPosteriors> {
        self.validation.as_deref()
    }

    /// The same structure and rows under another objective, without preparing them again.
    pub fn with_objective(&self, objective: Objective) -> Result<Self> {
        let objective = objective.checked()?;
        Ok(Problem {
            objective,
            prior: Arc::new(self.prior.with_objective(objective, self.row_count())),
            ..self.clone()
        })
    }

    /// The same rows and units with some of the terms alone, summed exactly; rows kept for validation are not in it.
    pub(crate) fn on_terms(&self, terms: &[usize], objective: Objective) -> Result<Self> {
        let objective = objective.checked()?;
        let all = self.structure.terms();
        let kept = terms.iter().map(|&term| (all[term].clone(), 0.0));
        let structure = Network::new(self.structure.units().to_vec(), kept)?;
        let rows = self.rows.against(&structure);
        let engine = EngineId::EXACT;
        let free = prepared(&structure, engine, false)?;
        Ok(Problem::of_rows(structure, rows, objective, (engine, free)))
    }

    /// The network structure, with whatever weights it came with.
    pub fn structure(&self) -> &Network {
        &self.structure
    }

    /// The rows.
    pub fn rows(&self) -> &RowPosteriors {
        &self.rows
    }

    /// The rows, to be kept by what outlives this problem.
    pub(crate) fn shared_rows(&self) -> &Arc<RowPosteriors> {
        &self.rows
    }

    /// Who sums over states.
    pub fn engine(&self) -> EngineId {
        self.engine
    }

    /// The engine, ready for the structure.
    pub(crate) fn prepared(&self) -> &dyn Prepared {
        &*self.free
    }

    /// T.
    pub fn row_count(&self) -> f64 {
        self.rows.row_count()
    }

    /// Ridge and box.
    pub fn objective(&self) -> Objective {
        self.objective
    }

    /// Without a hidden unit and a missing cell the objective is concave: it has one maximum.
    pub(crate) fn is_concave(structure: &Network, data: &Dataset) -> bool {
        structure.hidden().is_empty() && data.missing_cells() == 0
    }

    /// The same of this problem: rows that show nothing have no part in it.
    pub(crate) fn has_concave_objective(&self) -> bool {
        self.structure.hidden().is_empty() && self.rows.show_everything()
    }

    /// Raises the posteriors of the E step to the power β, normalised anew; the log-likelihood becomes
    /// (1/β) Σ_y p̃(y) log Σ_z p(y, z)^β, whose gradient has the tempered η. One is the plain problem.
    pub(crate) fn temper(&mut self, beta: f64) {
        self.inverse_temperature = beta;
    }

    /// β.
    pub(crate) fn inverse_temperature(&self) -> f64 {
        self.inverse_temperature
    }

    /// βλ: p(z|y)^β is proportional to e^{β Σ λ f(y, z)}, what depends on y alone cancels, and so the tempered
    /// posterior is that of the weights βλ.
    pub(crate) fn posterior_weights<'a>(&self, weights: &'a [f64]) -> Cow<'a, [f64]> {
        let beta = self.inverse_temperature;
        if beta == 1.0 {
            Cow::Borrowed(weights)
        } else {
            Cow::Owned(weights.iter().map(|w| beta * w).collect())
        }
    }

    /// Penalty and box.
    pub(crate) fn prior(&self) -> &Prior {
        &self.prior
    }

    /// Number of terms.
    pub fn terms(&self) -> usize {
        self.structure.terms().len()
    }

    /// True where an evaluation is a whole sampling run: worth making only where it is looked at.
    pub(crate) fn is_sampled(&self) -> bool {
        !self.engine.gives().objective
    }

    /// True where the engine is ready for sums by f#.
    pub(crate) fn has_strata(&self) -> bool {
        self.free.strata().is_some()
    }

    /// True where the engine's sums have no error but rounding.
    pub(crate) fn is_exact(&self) -> bool {
        let gives = self.engine.gives();
        gives.exact_sums || gives.curvature
    }

    /// True where learning goes by best expectations of an engine that only estimates them: chains have the last word.
    pub(crate) fn is_watched(&self) -> bool {
        self.best && !self.is_exact() && !self.is_sampled()
    }

    /// The same by the gradient of the engine's own log Z where it goes by better expectations: what second-order steps need.
    pub(crate) fn by_gradient(&self) -> Option<Self> {
        self.best.then(|| Problem {
            best: false,
            rows: Arc::new(RowPosteriors::clone(&self.rows).with_best_expectations(false)),
            ..self.clone()
        })
    }

    /// Refuses an estimate of log Z at these weights that cannot be.
    pub(crate) fn refuse_impossible(&self, point: &Point) -> Result<()> {
        match point.worth.log_likelihood {
            Kind::Estimate => self.free.answer(&point.weights).map(|_| ()),
            _ => Ok(()),
        }
    }

    /// The free phase: returns log Φ (constant included) and leaves E_p f in `free`.
    pub(crate) fn free_phase(
        &self,
        weights: &[f64],
        work: &mut Workspace,
        free: &mut Vec<f64>,
    ) -> Result<f64> {
        work.passes += 1;
        match self.best {
            true => self.free.best(weights, &mut work.sums)?,
            false => self.free.sums(weights, &mut work.sums)?,
        }
        free.clear();
        free.extend_from_slice(&work.sums.terms);
        finite(work.sums.log_partition)
    }

    /// Sums by f# at these weights, left in `work.strata`.
    pub(crate) fn strata(&self, weights: &[f64], work: &mut Workspace) -> Result<()> {
        let stratified = self.free.strata().ok_or_else(|| {
            Error::failed(format!("sums by f# were asked of engine {}", self.engine))
        })?;
        work.passes += 1;
        stratified.strata(weights, &mut work.strata)
    }

    /// The free phase by f#: returns log Φ and leaves E_p f in `free`.
    fn stratified_phase(
        &self,
        weights: &[f64],
        work: &mut Workspace,
        free: &mut Vec<f64>,
    ) -> Result<f64> {
        self.strata(weights, work)?;
        work.sums.worth = SumsWorth::default();
        free.clear();
        free.resize(weights.len(), 0.0);
        for row in work.strata.sums.chunks_exact(work.strata.width.max(1)) {
            for (sum, part) in free.iter_mut().zip(row) {
                *sum += part;
            }
        }
        finite(work.strata.log_partition)
    }

    /// Everything at `point.weights`; by f# too where `strata` is set.
    pub(crate) fn evaluate(
        &self,
        point: &mut Point,
        work: &mut Workspace,
        strata: bool,
    ) -> Result<()> {
        let posterior_weights = self.posterior_weights(&point.weights);
        self.rows.clamped(&posterior_weights, &mut point.clamped)?;
        work.passes += 1;
        let (beta, constant) = (self.inverse_temperature, self.structure.constant());
        if beta != 1.0 {
            let log_sum = &mut point.clamped.mean_log_sum;
            *log_sum = (*log_sum - constant) / beta + constant;
        }
        let mut free = std::mem::take(&mut point.free);
        point.log_partition = if strata {
            self.stratified_phase(&point.weights, work, &mut free)?
        } else {
            self.free_phase(&point.weights, work, &mut free)?
        };
        point.free = free;
        self.complete(point, &work.sums.worth)
    }

    /// What the numbers of a point are worth, from what the engine's are.
    fn worth(&self, sums: &SumsWorth, point: &Point) -> Worth {
        let of_rows = point.clamped.log_sum_error;
        Worth {
            // L is the rows' log-sum minus log Z: a bound on log Z bounds it from the other side, if the rest is exact.
            log_likelihood: match sums.log_partition {
                Kind::MonteCarlo => Kind::MonteCarlo,
                kind if self.rows.is_exact() => kind.negated(),
                _ => Kind::Estimate,
            },
            log_likelihood_error: sums.log_partition_error.map(|error| error.hypot(of_rows)),
            entropy: sums.entropy,
            entropy_error: sums.entropy_error,
            noise: sums.noise,
            constraints: None,
            log_likelihood_interval: None,
        }
    }

    /// Everything that follows from both phases and log Z, which are in the point, and worth this.
    pub(crate) fn complete(&self, point: &mut Point, sums: &SumsWorth) -> Result<()> {
        point.worth = self.worth(sums, point);
        let mut interval = sums.interval;
        if point.worth.log_likelihood == Kind::MonteCarlo {
            self.heed_rows(point, &mut interval)?;
        }
        let log_sum = point.clamped.mean_log_sum;
        point.worth.log_likelihood_interval = interval.map(|found| found.taken_from(log_sum));
        self.summarise(point);
        Ok(())
    }

    /// Distinct rows cannot weigh more than all states: a log Z that is below them is raised, and doubted.
    fn heed_rows(&self, point: &mut Point, interval: &mut Option<Interval>) -> Result<()> {
        if self.inverse_temperature != 1.0 || !self.rows.is_exact() {
            return Ok(());
        }
        let visible = self.structure.visible();
        let sums = self.rows.log_sums(&point.weights)?;
        let rows = self.rows.clamps().iter().zip(self.rows.shares()).zip(sums);
        // Rows that leave a visible unit open share states with others.
        let complete = rows.filter(|((clamp, share), _)| {
            **share > 0.0 && visible.iter().all(|&unit| clamp.get(unit).is_some())
        });
        let bound = log_sum(&complete.map(|(_, sum)| sum).collect::<Vec<f64>>());
        let (below, worth) = (bound - point.log_partition, &mut point.worth);
        if let Some(interval) = interval.as_mut().filter(|found| found.at_least < bound) {
            interval.at_least = bound;
            interval.at_most = interval.at_most.max(bound);
        }
        if below > 0.0 {
            point.log_partition = bound;
            let errors = [&mut worth.log_likelihood_error, &mut worth.entropy_error];
            for error in errors.into_iter().flatten() {
                if below > *error {
                    interval.iter_mut().for_each(|found| found.trusted = false);
                }
                *error = error.hypot(below);
            }
        }
        Ok(())
    }

    fn summarise(&self, point: &mut Point) {
        self.prior.slope_into(&point.weights, &mut point.pulls);
        let (mut clamped_energy, mut free_energy) = (0.0, 0.0);
        point.residual = 0.0;
        for (term, &weight) in point.weights.iter().enumerate() {
            let (eta, free) = (point.clamped.expectations[term], point.free[term]);
            clamped_energy += weight * eta;
            free_energy += weight * free;
            let gradient = eta - free - point.pulls[term];
            let violation = self.prior.violation(term, weight, gradient);
            point.residual = point.residual.max(violation);
        }
        let constant = self.structure.constant();
        point.log_likelihood = point.clamped.mean_log_sum - point.log_partition;
        point.objective = point.log_likelihood - self.prior.value(&point.weights);
        point.q = clamped_energy + constant - point.log_partition;
        point.entropy = point.log_partition - constant - free_energy;
        if point.worth.entropy == Kind::Exact {
            // Rounding can leave a point mass a hair below zero; an estimate may be truly negative.
            point.entropy = point.entropy.max(0.0);
        }
    }

    /// ∂F/∂λ at an evaluated point, the ridge included.
    pub(crate) fn gradient(&self, point: &Point) -> Vec<f64> {
        let pulls = self.prior.slope(&point.weights);
        let pulls = pulls.iter().enumerate();
        pulls
            .map(|(i, pull)| point.clamped.expectations[i] - point.free[i] - pull)
            .collect()
    }

    /// Q(λ, λ') of (3) minus the ridge's part, for η of λ' and log Φ of λ.
    pub(crate) fn penalised_q(&self, weights: &[f64], eta: &[f64], log_partition: f64) -> f64 {
        let energy: f64 = weights.iter().zip(eta).map(|(w, e)| w * e).sum();
        energy - self.prior.value(weights) - log_partition
    }
}

/// The engine, ready for a structure of which nothing is held.
fn prepared(structure: &Network, engine: EngineId, strata: bool) -> Result<Box<dyn Prepared>> {
    let none = Clamp::none(structure.units().len());
    let demand = Demand {
        strata: strata && engine.gives().exact_sums,
        ..Demand::default()
    };
    engine.engine().prepare(structure, &none, &demand)
}

/// Rows against the structure, as the engine sums them.
fn rows_for(structure: &Network, data: &Dataset, engine: EngineId) -> Result<RowPosteriors> {
    let (rows, gives) = (RowPosteriors::new(structure, data)?, engine.gives());
    Ok(match (gives.exact_sums, gives.objective) {
        (true, _) => rows,
        (false, true) => rows.skipping_empty().with_engine(engine),
        (false, false) => rows.skipping_empty().with_sampling_engine(engine),
    })
}

fn finite(log_partition: f64) -> Result<f64> {
    if log_partition.is_finite() {
        Ok(log_partition)
    } else {
        Err(Error::failed(format!(
            "the log partition function came out as {log_partition}"
        )))
    }
}
