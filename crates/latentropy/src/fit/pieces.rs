//! The pieces of a comparison: one fold of one machine, learned from the other rows and scored on its own.
//!
//! A piece goes over all ridges: each starts from the solutions of the last one. Pieces do not depend on each other.

use super::control::Control;
use super::cross_validation::CrossValidation;
use super::evidence::{Beginning, EvidenceChoice, USUAL_RIDGE, representatives, ridge_by_evidence};
use super::folds::folds;
use super::held_out::mean_and_error;
use super::setup::Setup;
use super::validation::scores_of_kept;
use crate::answers::score_given;
use crate::data::Dataset;
use crate::error::Result;
use crate::inference::{Demand, Sampling, Sums};
use crate::learning::{
    Course, Finish, Keeping, Objective, Outcome, Problem, Restart, drive, learn_restart_keeping,
    start_of, try_out,
};
use crate::network::Clamp;
use crate::random::{evaluation_seed, index_in_fold};
use crate::selection::{Candidate, CertificateKind, Principle, cluster, look_at_hidden_units};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Which ridges a fold is learned with.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Ridges {
    /// These, from the largest to the smallest.
    Listed(Vec<f64>),
    /// The one that the fold's own rows find by evidence.
    Evidence,
}

/// One fold of one machine; the fold after the last one is all rows: nothing is held out, and the fit itself is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// The machine's number.
    pub(super) machine: usize,
    /// The fold's.
    pub(super) fold: usize,
    /// Whether the choices of both principles are scored.
    pub(super) both_principles: bool,
    /// Whether the rows of a validation table choose among all solutions.
    pub(super) every_solution: bool,
    /// Whether the machine is learned by a shorter way than that of the fit itself, to be compared only.
    pub(super) is_trial: bool,
}

/// What one fold of one machine says of its rows, one entry per ridge from the largest to the smallest.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FoldScores {
    /// Which machine.
    pub machine: usize,
    /// Which fold; the number after the last one stands for all rows.
    pub fold: usize,
    /// The ridges.
    pub ridges: Vec<f64>,
    /// log p of each row of the fold, for each ridge.
    pub by_ridge: Vec<Vec<f64>>,
    /// The same under the candidates of highest likelihood, where both principles are compared.
    pub by_likelihood: Vec<Vec<f64>>,
    /// Mean log-likelihood of the rows that were learned from, for each ridge.
    pub log_likelihoods: Vec<f64>,
    /// How many hidden units of the chosen solution say nothing about any row, for each ridge; on all rows only.
    #[serde(default)]
    pub silent: Vec<usize>,
    /// How the ridge was found, where it was by evidence.
    pub evidence: Option<EvidenceChoice>,
    /// The weights of each solution on all rows, where the folds begin at them.
    pub solutions: Vec<Vec<f64>>,
    /// The Monte-Carlo error of log Z in the scores, for each ridge; empty where it is exact.
    #[serde(default)]
    pub log_partition_errors: Vec<f64>,
    /// Restarts that are those of the fit itself, should this machine be chosen.
    #[serde(default)]
    pub learned: Vec<(usize, Outcome)>,
}

/// The rows of one piece.
pub(super) struct Split {
    learned_from: Dataset,
    held: Dataset,
    /// Whether the machine is learned as it will be fitted: from all rows but those kept for validation.
    is_whole: bool,
}

impl Split {
    /// A fold; the one after the last is all rows, and holds none out.
    pub(super) fn of_fold(
        data: &Dataset,
        validation: &CrossValidation,
        seed: u64,
        fold: usize,
    ) -> Result<Self> {
        let dealt = folds(data, validation.folds, seed)?;
        let held: &[usize] = dealt.get(fold).map_or(&[], Vec::as_slice);
        let others = data.informative_rows();
        let others: Vec<usize> = others
            .into_iter()
            .filter(|row| held.binary_search(row).is_err())
            .collect();
        Ok(Split {
            learned_from: data.rows_subset(&others),
            held: data.rows_subset(held),
            is_whole: held.is_empty(),
        })
    }

    /// All rows, and those kept for validation.
    pub(super) fn of_kept(data: &Dataset, kept: &Dataset) -> Self {
        Split {
            learned_from: data.clone(),
            held: kept.rows_subset(&kept.informative_rows()),
            is_whole: true,
        }
    }
}

impl FoldScores {
    /// Of a piece, with nothing in it yet.
    fn of(piece: Piece) -> Self {
        FoldScores {
            machine: piece.machine,
            fold: piece.fold,
            ridges: Vec::new(),
            by_ridge: Vec::new(),
            by_likelihood: Vec::new(),
            log_likelihoods: Vec::new(),
            silent: Vec::new(),
            evidence: None,
            solutions: Vec::new(),
            log_partition_errors: Vec::new(),
            learned: Vec::new(),
        }
    }
}

/// One fold: the problem of learning from the other rows, and the rows held out.
struct Fold<'a> {
    number: usize,
    setup: &'a Setup<'a>,
    problem: Problem,
    starts: Vec<Start>,
}

/// Where a restart begins.
#[derive(Clone)]
struct Start {
    weights: Vec<f64>,
    /// True at a solution of the ridge before: it lies in its basin already.
    is_warm: bool,
}

impl Start {
    fn random(
        problem: &Problem,
        setup: &Setup<'_>,
        index: usize,
        control: &Control<'_>,
    ) -> Result<Self> {
        let learner = &setup.course.learner;
        let of = (setup.seed, index as u64);
        Ok(Start {
            weights: start_of(problem, learner, of, &control.cancel)?,
            is_warm: false,
        })
    }
}

/// Learns the machine without the piece's fold, once for each ridge, and scores the rows held out.
///
/// A ridge is the precision of a prior on the weights, so it means the same for a fold's fewer rows as for all of them.
/// Within a fold the winner is chosen by the setup's principle. Each distinct solution at one ridge is a start
/// at the next smaller one, so that most fits begin near their end; restarts that found the same solution or the
/// trivial solution begin anew from their own random start, since a large ridge draws all of them
/// into one or two solutions.
///
/// By evidence, a fold begins at the solutions of all rows and at their ridge: what it learns from its own rows is its
/// own, but for the basins that it looks in.
pub(super) fn score_fold(
    setup: &Setup<'_>,
    split: &Split,
    validation: &CrossValidation,
    ridges: &Ridges,
    piece: Piece,
    beginning: &Beginning,
    control: &Control<'_>,
) -> Result<FoldScores> {
    let held = &split.held;
    let setup = Setup {
        data: &split.learned_from,
        ..setup.clone()
    };
    if *ridges == Ridges::Evidence
        && setup.has_evidence()
        && let Some(mut found) = ridge_by_evidence(&setup, beginning, control)?
    {
        if split.is_whole {
            look_at_hidden_units(&mut found.candidates, 0, setup.data);
        }
        let Judged {
            chosen,
            scores,
            error,
        } = judged(&setup, piece, split, &found.candidates)?;
        control.observer.piece_done();
        return Ok(FoldScores {
            ridges: vec![found.choice.chosen],
            by_ridge: vec![scores],
            by_likelihood: most_likely(&setup, piece, &found.candidates, held)?
                .into_iter()
                .collect(),
            log_likelihoods: vec![chosen.log_likelihood],
            silent: vec![silent(chosen)],
            solutions: match split.is_whole {
                true => representatives(&found.candidates),
                false => Vec::new(),
            },
            evidence: Some(found.choice),
            log_partition_errors: error.into_iter().collect(),
            ..FoldScores::of(piece)
        });
    }
    let ridges = match ridges {
        Ridges::Listed(ridges) => ridges.clone(),
        Ridges::Evidence => vec![USUAL_RIDGE],
    };
    let is_kept = split.is_whole && !held.is_empty();
    let found = match ridges[..] {
        [ridge] if piece.is_trial => tried_out(&setup, ridge, piece, held, control),
        [ridge] if is_kept && !setup.course.learner.converges() => {
            as_fitted(&setup, ridge, piece, held, control)
        }
        _ => by_ridges(&setup, validation, ridges, piece, split, control),
    };
    control.observer.piece_done();
    found
}

/// One short run, scored by the log Z that was followed while it learned.
fn tried_out(
    setup: &Setup<'_>,
    ridge: f64,
    piece: Piece,
    held: &Dataset,
    control: &Control<'_>,
) -> Result<FoldScores> {
    let problem = setup.watched(ridge, held)?;
    let outcome = control.with_loop(|control| {
        let restart = Restart {
            seed: setup.seed,
            index: 0,
            keep_trace: false,
            control,
        };
        try_out(&problem, setup.course, restart)
    })?;
    control.observer.restart_done(0, &outcome);
    let scores = scores_of_kept(&problem, &outcome.point, held)?;
    Ok(FoldScores {
        ridges: vec![ridge],
        by_likelihood: match piece.both_principles {
            true => vec![scores.clone()],
            false => Vec::new(),
        },
        by_ridge: vec![scores],
        log_likelihoods: vec![outcome.point.log_likelihood],
        log_partition_errors: (outcome.point.worth.log_likelihood_error)
            .into_iter()
            .collect(),
        silent: vec![0],
        ..FoldScores::of(piece)
    })
}

/// Restarts as those of the fit itself, watched by the rows kept for validation: they are learned once.
fn as_fitted(
    setup: &Setup<'_>,
    ridge: f64,
    piece: Piece,
    held: &Dataset,
    control: &Control<'_>,
) -> Result<FoldScores> {
    let problem = setup.watched(ridge, held)?;
    let learned = (0..setup.restarts)
        .into_par_iter()
        .with_max_len(1)
        .map(|index| {
            let outcome = control.with_loop(|control| {
                let restart = Restart {
                    seed: setup.seed,
                    index: index as u64,
                    keep_trace: false,
                    control,
                };
                learn_restart_keeping(&problem, setup.course, restart, &Keeping::nothing())
            })?;
            control.observer.restart_done(index, &outcome);
            Ok((index, outcome))
        })
        .collect::<Result<Vec<(usize, Outcome)>>>()?;
    let candidates = learned.iter().map(|(index, outcome)| {
        Candidate::new(&problem, *index, outcome.clone(), setup.course.tolerance)
    });
    let mut candidates = candidates.collect::<Result<Vec<Candidate>>>()?;
    cluster(&mut candidates);
    let scores_of = |chosen: &Candidate| {
        let (_, outcome) = &learned[chosen.index];
        scores_of_kept(&problem, &outcome.point, held)
    };
    let chosen = setup.principle.chosen(&candidates)?;
    let by_likelihood = match piece.both_principles {
        true => vec![scores_of(
            Principle::MaximumLikelihood.chosen(&candidates)?,
        )?],
        false => Vec::new(),
    };
    Ok(FoldScores {
        ridges: vec![ridge],
        by_ridge: vec![scores_of(chosen)?],
        by_likelihood,
        log_likelihoods: vec![chosen.log_likelihood],
        log_partition_errors: (learned[chosen.index].1.point.worth.log_likelihood_error)
            .into_iter()
            .collect(),
        silent: vec![0],
        learned,
        ..FoldScores::of(piece)
    })
}

/// The same at each of several ridges.
fn by_ridges(
    setup: &Setup<'_>,
    validation: &CrossValidation,
    ridges: Vec<f64>,
    piece: Piece,
    split: &Split,
    control: &Control<'_>,
) -> Result<FoldScores> {
    let held = &split.held;
    let restarts = validation.restarts_of(setup.structure, setup.data, setup.restarts);
    let first = Objective {
        ridge: ridges[0],
        ..setup.objective
    };
    let problem = setup.problem_of(setup.data, first)?;
    let mut fold = Fold {
        number: piece.fold,
        setup,
        starts: (0..restarts)
            .map(|index| Start::random(&problem, setup, index, control))
            .collect::<Result<_>>()?,
        problem,
    };
    let mut scores = FoldScores {
        ridges: ridges.clone(),
        ..FoldScores::of(piece)
    };
    for ridge in ridges {
        let objective = Objective {
            ridge,
            ..setup.objective
        };
        fold.problem = fold.problem.with_objective(objective)?;
        let mut candidates = (0..restarts)
            .into_par_iter()
            .with_max_len(1)
            .map(|index| fold.learn(index, control))
            .collect::<Result<Vec<Candidate>>>()?;
        cluster(&mut candidates);
        if split.is_whole {
            look_at_hidden_units(&mut candidates, 0, setup.data);
        }
        let judged = judged(setup, piece, split, &candidates)?;
        scores.silent.push(silent(judged.chosen));
        scores.log_likelihoods.push(judged.chosen.log_likelihood);
        scores.by_ridge.push(judged.scores);
        scores.log_partition_errors.extend(judged.error);
        let by_likelihood = most_likely(setup, piece, &candidates, held)?;
        scores.by_likelihood.extend(by_likelihood);
        fold.restart_from(&candidates, control)?;
    }
    Ok(scores)
}

/// The candidate that stands for a machine, and what it says of the rows held out.
struct Judged<'a> {
    chosen: &'a Candidate,
    scores: Vec<f64>,
    error: Option<f64>,
}

/// The choice of the setup's principle; where rows kept for validation choose between the principles, the one that foretells
/// them better, since it is the one that would be fitted.
fn judged<'a>(
    setup: &Setup<'_>,
    piece: Piece,
    split: &Split,
    candidates: &'a [Candidate],
) -> Result<Judged<'a>> {
    let of = |principle: Principle| -> Result<Judged<'a>> {
        let chosen = principle.chosen(candidates)?;
        let (scores, error) = score(setup, piece.fold, chosen, &split.held)?;
        Ok(Judged {
            chosen,
            scores,
            error,
        })
    };
    let own = of(setup.principle)?;
    let are_kept = split.is_whole && !split.held.is_empty();
    if !(are_kept && (piece.both_principles || piece.every_solution)) {
        return Ok(own);
    }
    if piece.every_solution {
        return best_of_all(setup, piece, split, candidates, own);
    }
    let likeliest = of(Principle::MaximumLikelihood)?;
    let weights: Vec<f64> = (0..split.held.len())
        .map(|row| split.held.row_weight(row))
        .collect();
    let mean = |judged: &Judged<'_>| mean_and_error(&judged.scores, &weights).0;
    Ok(match mean(&likeliest) > mean(&own) {
        true => likeliest,
        false => own,
    })
}

/// Of all solutions the one that foretells the rows best, or `own` where no other does better.
fn best_of_all<'a>(
    setup: &Setup<'_>,
    piece: Piece,
    split: &Split,
    candidates: &'a [Candidate],
    own: Judged<'a>,
) -> Result<Judged<'a>> {
    let rows = 0..split.held.len();
    let weights: Vec<f64> = rows.map(|row| split.held.row_weight(row)).collect();
    let (mut best, mut highest) = (own, f64::NEG_INFINITY);
    for at in setup.principle.contending_solutions(candidates) {
        let (scores, error) = score(setup, piece.fold, &candidates[at], &split.held)?;
        let (mean, _) = mean_and_error(&scores, &weights);
        if mean > highest {
            highest = mean;
            best = Judged {
                chosen: &candidates[at],
                scores,
                error,
            };
        }
    }
    Ok(best)
}

/// The scores under the candidate of highest likelihood, where they are wanted.
fn most_likely(
    setup: &Setup<'_>,
    piece: Piece,
    candidates: &[Candidate],
    held: &Dataset,
) -> Result<Option<Vec<f64>>> {
    if !piece.both_principles {
        return Ok(None);
    }
    let chosen = Principle::MaximumLikelihood.chosen(candidates)?;
    score(setup, piece.fold, chosen, held).map(|(scores, _)| Some(scores))
}

/// How many hidden units say nothing, where they were looked at.
fn silent(chosen: &Candidate) -> usize {
    let units = chosen.hidden_units.as_ref();
    units.map_or(0, |units| units.silent().len())
}

impl Fold<'_> {
    /// One restart from its start.
    ///
    /// Learners by samples draw from a stream of the fold and the restart, the same at every ridge: noise in common
    /// cancels where ridges are compared.
    fn learn(&self, index: usize, control: &Control<'_>) -> Result<Candidate> {
        let Start { weights, is_warm } = self.starts[index].clone();
        let mut course: Course = self.setup.course.clone();
        if is_warm {
            course.finish = course.finish.map(|_| Finish { warm_up: 0 });
        }
        let outcome = control.with_loop(|control| {
            let restart = Restart {
                seed: self.setup.seed,
                index: index_in_fold(self.number, index),
                keep_trace: false,
                control,
            };
            drive(&self.problem, weights, &course, restart)
        })?;
        control.observer.restart_done(index, &outcome);
        Candidate::new(&self.problem, index, outcome, course.tolerance)
    }

    /// Sets the starts at the next ridge.
    fn restart_from(&mut self, candidates: &[Candidate], control: &Control<'_>) -> Result<()> {
        let mut solutions = 0;
        for (at, candidate) in candidates.iter().enumerate() {
            let is_new = candidate.solution == solutions;
            solutions += usize::from(is_new);
            let is_saddle = candidate.certificate.kind == CertificateKind::Saddle;
            self.starts[at] = if is_new && !candidate.trivial && !is_saddle {
                Start {
                    weights: candidate.network.weights().to_vec(),
                    is_warm: true,
                }
            } else {
                Start::random(&self.problem, self.setup, at, control)?
            };
        }
        Ok(())
    }
}

/// log p of every held-out row under the chosen candidate, and the Monte-Carlo error of log Z in them, if there is one.
fn score(
    setup: &Setup<'_>,
    fold: usize,
    chosen: &Candidate,
    held: &Dataset,
) -> Result<(Vec<f64>, Option<f64>)> {
    if held.is_empty() {
        return Ok((Vec::new(), None));
    }
    let none = Clamp::none(chosen.network.units().len());
    let engine = setup.scored_by.engine();
    let prepared = engine.prepare(&chosen.network, &none, &Demand::default())?;
    let seed = evaluation_seed(setup.seed, index_in_fold(fold, chosen.index));
    let (log_partition, error) = match setup.scored_by.gives().exact_sums {
        true => {
            let found = prepared.answer(chosen.network.weights())?;
            (found.expectations.log_partition.value, None)
        }
        false => {
            let mut sums = Sums::default();
            sums.seed = seed;
            prepared.sums(chosen.network.weights(), &mut sums)?;
            (sums.log_partition, sums.worth.log_partition_error)
        }
    };
    let sampling = Sampling {
        seed,
        ..Sampling::default()
    };
    let scores = score_given(&chosen.network, held, log_partition, &sampling)?;
    let rows = held.distinct_of().iter();
    let by_row = rows.map(|&distinct| scores[distinct as usize]).collect();
    Ok((by_row, error))
}
