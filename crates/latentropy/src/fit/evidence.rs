//! The ridge by evidence: the precision of the weights' prior that makes the data most likely, weights summed out.
//!
//! With the prior N(0, 1/α) on every interaction κ and Laplace's approximation, the evidence is stationary in α where
//! α Σ κ² = γ, γ = Σ (1 − α var κ) over the interactions, var κ their variances in the posterior, the inverse of
//! T (−∇²F): the number of interactions that the data determine (MacKay 1992). Biases have a prior of their own, whose
//! strength is given. Each round learns at the present α and sets the next one so; it costs a few fits, not a
//! cross-validation.

use super::control::Control;
use super::evidence_by_samples::{BySamples, rounds_by_samples};
use super::setup::Setup;
use crate::error::Result;
use crate::learning::{
    Course, Curvature, Determined, EmGis, Finish, Learner, Objective, Problem, QuasiNewton,
    Restart, drive, has_curvature, start_of,
};
use crate::random::index_of_evidence;
use crate::selection::{Candidate, cluster, look_at_hidden_units};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::Arc;

/// The first ridge, and the one to take where the evidence cannot be computed.
pub const USUAL_RIDGE: f64 = 1.0;
/// Restarts of the first round, and how many where these do not end in one solution; later rounds go on from their ends.
const FIRST_RESTARTS: usize = 2;
const RESTARTS: usize = 6;
/// Steps of EM before the second-order ones: these solutions are looked at for their ridge, not fitted for good.
const WARM_UP: usize = 20;
/// By samples, candidates meet their constraints within this share of their own errors, and steps are at most so many.
const LOOSE: f64 = 0.25;
const STEPS_BY_SAMPLES: usize = 200;
/// The residual of these solutions.
const TOLERANCE: f64 = 1e-6;
pub(super) const MOST_ROUNDS: usize = 15;
/// The ridge has settled when a round changes it by less than this share.
pub(super) const SETTLED: f64 = 0.03;
/// Below the first a prior says nothing. Above the second it says nearly everything, and where there are more rows, above this
/// share of their number: what a row says of a pair bends by at most 1/16.
const LEAST: f64 = 0.01;
const MOST: f64 = 100.0;
const MOST_PER_ROW: f64 = 0.25;

/// One round.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct EvidenceRound {
    /// α.
    pub ridge: f64,
    /// γ, how many directions of the weights the data determine at this ridge.
    pub determined: f64,
    /// Its standard error, where it is estimated since the machine has too many terms for more.
    pub determined_error: Option<f64>,
}

/// A ridge, and how it was reached.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EvidenceChoice {
    /// The ridge.
    pub chosen: f64,
    /// The way there.
    pub rounds: Vec<EvidenceRound>,
}

impl EvidenceChoice {
    /// False where the rounds ran out while the ridge was still moving.
    pub(super) fn has_settled(&self) -> bool {
        let last = self.rounds.last();
        last.is_none_or(|last| (self.chosen / last.ridge - 1.0).abs() < SETTLED)
    }
}

/// Where the search for a ridge begins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Beginning {
    /// At the usual ridge, with random starts.
    Anywhere,
    /// At the ridge of the machine with fewer hidden units, with random starts. Where a hidden unit then says nothing, that
    /// ridge may have silenced it, and the search begins anew at the usual one.
    AtRidge(f64),
    /// At the ridge and the solutions of the same machine on all rows: the beginning of a fold.
    AtSolutions {
        ridge: f64,
        /// The weights of each.
        solutions: Vec<Vec<f64>>,
    },
}

/// A ridge by evidence, and the candidates that were learned at the last one tried, clustered.
pub(super) struct ByEvidence {
    pub(super) choice: EvidenceChoice,
    pub(super) candidates: Vec<Candidate>,
}

/// The ridge by evidence for the candidate that the setup's principle chooses; `None` where the machine is too
/// large for its Hessian. The setup's own ridge and learner play no part.
pub(super) fn ridge_by_evidence(
    setup: &Setup<'_>,
    beginning: &Beginning,
    control: &Control<'_>,
) -> Result<Option<ByEvidence>> {
    let found = from(setup, beginning, control)?;
    match (beginning, &found) {
        (Beginning::AtRidge(_), Some(found)) if has_silent_units(setup, found)? => {
            from(setup, &Beginning::Anywhere, control)
        }
        _ => Ok(found),
    }
}

/// The ridge alone, from the usual beginning; `None` as above.
pub(super) fn ridge_alone(
    setup: &Setup<'_>,
    control: &Control<'_>,
) -> Result<Option<EvidenceChoice>> {
    if setup.engine.gives().chains {
        let problem = problem_by_samples(setup)?;
        let found = by_samples(setup, &problem, &Beginning::Anywhere, control)?;
        return Ok(found.map(|found| found.choice));
    }
    let found = ridge_by_evidence(setup, &Beginning::Anywhere, control)?;
    Ok(found.map(|found| found.choice))
}

/// True where a hidden unit of the chosen candidate says nothing about any row.
fn has_silent_units(setup: &Setup<'_>, found: &ByEvidence) -> Result<bool> {
    let mut candidates = found.candidates.clone();
    look_at_hidden_units(&mut candidates, 0, setup.data);
    let chosen = setup.principle.chosen(&candidates)?;
    let units = chosen.hidden_units.as_ref();
    Ok(chosen.trivial || units.is_some_and(|units| !units.silent().is_empty()))
}

/// The same from one beginning.
fn from(
    setup: &Setup<'_>,
    beginning: &Beginning,
    control: &Control<'_>,
) -> Result<Option<ByEvidence>> {
    if setup.engine.gives().chains {
        return candidate_by_samples(setup, beginning, control);
    }
    // Whatever the learner of the fit, solutions are found by the default one.
    let mut course = match () {
        () if setup.course.needs_strata() => Course::default(),
        () => Course::new(Learner::EmGis(EmGis::default())),
    };
    // A ridge that is settled to 3 % and scores of rows held out need no more.
    course.tolerance = course.tolerance.max(TOLERANCE);
    let (mut ridge, solutions) = match beginning {
        Beginning::Anywhere => (USUAL_RIDGE, None),
        Beginning::AtRidge(ridge) => (*ridge, None),
        Beginning::AtSolutions { ridge, solutions } => (*ridge, Some(solutions)),
    };
    let warm_up = if solutions.is_some() { 0 } else { WARM_UP };
    course.finish = Some(Finish { warm_up });
    let first = Objective {
        ridge: USUAL_RIDGE,
        ..setup.objective
    };
    let usual = Setup {
        course: &course,
        ..setup.clone()
    };
    let mut problem = usual.problem_of(setup.data, first)?;
    if !has_curvature(&problem) {
        return Ok(None);
    }
    let mut rounds: Vec<EvidenceRound> = Vec::new();
    let mut starts = match solutions {
        Some(solutions) => solutions.clone(),
        None => starts(setup, &problem, 0..FIRST_RESTARTS, control)?,
    };
    loop {
        problem = problem.with_objective(Objective { ridge, ..first })?;
        let mut candidates = learn_all(&problem, &starts, &course, setup.seed, control)?;
        if solutions.is_none() && rounds.is_empty() && cluster(&mut candidates) > 1 {
            // Where the first starts disagree, more are made.
            let more = self::starts(setup, &problem, FIRST_RESTARTS..RESTARTS, control)?;
            let from = candidates.len();
            for (at, mut candidate) in learn_all(&problem, &more, &course, setup.seed, control)?
                .into_iter()
                .enumerate()
            {
                candidate.index = from + at;
                candidates.push(candidate);
            }
        }
        cluster(&mut candidates);
        let chosen = setup.principle.chosen(&candidates)?;
        let weights = chosen.network.weights();
        let edge = &chosen.certificate.boundary_terms;
        let free = (0..weights.len()).filter(|term| !edge.contains(term));
        let free: Vec<usize> = free.collect();
        let known = chosen.curvature.clone().filter(|known| known.free == free);
        let curvature = known.or_else(|| Curvature::new(&problem, weights, free).map(Arc::new));
        let found = curvature.and_then(|of| determined(&problem, weights, &of, ridge));
        let Some(determined) = found else {
            return Ok(None);
        };
        rounds.push(EvidenceRound {
            ridge,
            determined: determined.count,
            determined_error: determined.error,
        });
        let next = next_ridge(&problem, weights, determined.count);
        let settled = (next / ridge - 1.0).abs() < SETTLED;
        ridge = next;
        if settled || rounds.len() == MOST_ROUNDS {
            let choice = EvidenceChoice {
                chosen: ridge,
                rounds,
            };
            return Ok(Some(ByEvidence { choice, candidates }));
        }
        // From here on each solution, once, is a start of its own.
        starts = representatives(&candidates);
        course.finish = course.finish.map(|_| Finish { warm_up: 0 });
    }
}

/// The problem at the usual ridge.
fn problem_by_samples(setup: &Setup<'_>) -> Result<Problem> {
    let first = Objective {
        ridge: USUAL_RIDGE,
        ..setup.objective
    };
    let course = course_by_samples();
    let usual = Setup {
        course: &course,
        ..setup.clone()
    };
    usual.problem_of(setup.data, first)
}

/// Second-order steps by samples, not as far as a fit goes: a ridge and scores of rows held out need no more.
fn course_by_samples() -> Course {
    let learner = QuasiNewton {
        within: Some(LOOSE),
    };
    Course {
        max_iterations: STEPS_BY_SAMPLES,
        ..Course::new(Learner::QuasiNewton(learner))
    }
}

/// The rounds by samples from one start: others would take as long, and no two ends are alike to the last digit.
fn by_samples(
    setup: &Setup<'_>,
    problem: &Problem,
    beginning: &Beginning,
    control: &Control<'_>,
) -> Result<Option<BySamples>> {
    if !has_curvature(problem) {
        return Ok(None);
    }
    let (ridge, start) = match beginning {
        // With more terms than rows the usual ridge is far too weak, and chains mix worst where it is.
        Beginning::Anywhere => {
            let per_row = problem.terms() as f64 / problem.row_count();
            (USUAL_RIDGE.max(per_row), None)
        }
        Beginning::AtRidge(ridge) => (*ridge, None),
        Beginning::AtSolutions { ridge, solutions } => (*ridge, solutions.first().cloned()),
    };
    let start = match start {
        Some(start) => Some(start),
        None => starts(setup, problem, 0..1, control)?.pop(),
    };
    match start {
        Some(start) => rounds_by_samples(problem, start, ridge, setup.seed, control),
        None => Ok(None),
    }
}

/// The same, and a candidate that goes on from where they end.
fn candidate_by_samples(
    setup: &Setup<'_>,
    beginning: &Beginning,
    control: &Control<'_>,
) -> Result<Option<ByEvidence>> {
    let problem = problem_by_samples(setup)?;
    let Some(BySamples { choice, weights }) = by_samples(setup, &problem, beginning, control)?
    else {
        return Ok(None);
    };
    let objective = Objective {
        ridge: choice.chosen,
        ..problem.objective()
    };
    let problem = problem.with_objective(objective)?;
    let course = course_by_samples();
    let mut candidates = learn_all(&problem, &[weights], &course, setup.seed, control)?;
    cluster(&mut candidates);
    Ok(Some(ByEvidence { choice, candidates }))
}

/// α = γ / Σ κ² over the interactions.
pub(super) fn next_ridge(problem: &Problem, weights: &[f64], determined: f64) -> f64 {
    let interactions = problem.prior().interactions();
    let values = interactions.iter().map(|of| of.value(weights));
    let squares: f64 = values.map(|value| value * value).sum();
    match squares > 0.0 {
        true => within_range(problem, determined / squares),
        false => within_range(problem, f64::INFINITY),
    }
}

/// The nearest ridge of those that say something, and not everything.
pub(super) fn within_range(problem: &Problem, ridge: f64) -> f64 {
    ridge.clamp(LEAST, MOST.max(MOST_PER_ROW * problem.row_count()))
}

/// The weights of one candidate per solution.
pub(super) fn representatives(candidates: &[Candidate]) -> Vec<Vec<f64>> {
    let mut known = 0;
    let mut weights = Vec::new();
    for candidate in candidates {
        if candidate.solution == known {
            known += 1;
            weights.push(candidate.network.weights().to_vec());
        }
    }
    weights
}

/// Where the first round begins: a concave objective has one maximum, and one start finds it.
fn starts(
    setup: &Setup<'_>,
    problem: &Problem,
    range: Range<usize>,
    control: &Control<'_>,
) -> Result<Vec<Vec<f64>>> {
    let most = match Problem::is_concave(setup.structure, setup.data) {
        true => 1,
        false => setup.restarts.max(1),
    };
    (range.start..range.end.min(most))
        .map(|index| {
            let learner = Learner::QuasiNewton(QuasiNewton::default());
            start_of(
                problem,
                &learner,
                (setup.seed, index as u64),
                &control.cancel,
            )
        })
        .collect()
}

/// One candidate per start.
fn learn_all(
    problem: &Problem,
    starts: &[Vec<f64>],
    course: &Course,
    seed: u64,
    control: &Control<'_>,
) -> Result<Vec<Candidate>> {
    starts
        .par_iter()
        .with_max_len(1)
        .enumerate()
        .map(|(index, start)| {
            let outcome = control.with_loop(|control| {
                let restart = Restart {
                    control,
                    seed,
                    index: index_of_evidence(index),
                    ..Restart::first(false)
                };
                drive(problem, start.clone(), course, restart)
            })?;
            Candidate::new(problem, index, outcome, course.tolerance)
        })
        .collect()
}

/// γ = Σ (1 − α var κ) over the interactions that may move: how many the data determine.
pub(super) fn determined(
    problem: &Problem,
    weights: &[f64],
    curvature: &Curvature,
    ridge: f64,
) -> Option<Determined> {
    let rows = problem.row_count();
    let mut place = vec![None; weights.len()];
    for (at, &term) in curvature.free.iter().enumerate() {
        place[term] = Some(at);
    }
    let combinations = problem.prior().interactions().into_iter().filter_map(|of| {
        place[of.parts[0].0]?;
        let parts = of.parts.iter();
        let parts = parts.filter_map(|&(term, by)| Some((place[term]?, by)));
        Some(parts.collect())
    });
    let combinations: Vec<Vec<(usize, f64)>> = combinations.collect();
    curvature.determined(&combinations, ridge / rows)
}
