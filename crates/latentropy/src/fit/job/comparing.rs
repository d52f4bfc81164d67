//! The part of a job that compares and decides: folds and all rows of each machine, and the choices that they make.

use super::{Decided, Done, Job, Part};
use crate::error::{Error, Result};
use crate::fit::choice::{Choices, PrincipleChoice, choose_ridge};
use crate::fit::comparison::{self, Rule, Tried};
use crate::fit::control::{Control, Stage};
use crate::fit::cross_validation::CrossValidation;
use crate::fit::evidence::{Beginning, EvidenceChoice, USUAL_RIDGE, ridge_alone};
use crate::fit::held_out;
use crate::fit::pieces::{FoldScores, Piece, Ridges, Split, score_fold};
use crate::fit::request::Ridge;
use crate::fit::setup::Setup;
use rayon::prelude::*;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::OnceLock;

impl Job {
    /// How many pieces there are to be compared at most, over all machines: each one's folds, and all rows; none where
    /// nothing is to be chosen by them.
    pub fn comparisons(&self) -> usize {
        self.pieces_per_machine() * self.plan.machines.len()
    }

    fn pieces_per_machine(&self) -> usize {
        // Where rows are kept for validation, a machine is learned once, and judged by them.
        let validation = self.plan.validation.as_ref();
        validation.map_or(0, |validation| match self.kept {
            Some(_) => 1,
            None => validation.pieces(&self.data) + 1,
        })
    }

    /// The name of the machine that a piece of the comparison belongs to.
    pub fn machine_of(&self, piece: usize) -> String {
        let number = piece / self.pieces_per_machine().max(1);
        let machine = self.plan.machines.get(number);
        machine.map_or(String::new(), |machine| machine.name())
    }

    /// The pieces to be compared next, given those that are; none where the choice can be made.
    pub fn next_comparison(&self, parts: &[Part]) -> Result<Option<Range<usize>>> {
        if self.plan.validation.is_none() {
            return Ok(None);
        }
        let next = comparison::next(&self.plan.machines, &self.tried(parts)?);
        let pieces = self.pieces_per_machine();
        Ok(next.map(|number| {
            let first = number * pieces;
            // The last piece is all rows, and comes first where the folds begin at its end.
            match self.all_rows(parts, number).is_some() {
                true => first..first + pieces - 1,
                false => first + pieces - 1..first + pieces,
            }
        }))
    }

    /// Scores some of the pieces. Where ridges are found by evidence, a machine's folds begin where its all-rows piece, in
    /// `parts`, has ended.
    pub fn compare(
        &self,
        range: Range<usize>,
        parts: &[Part],
        control: &Control<'_>,
    ) -> Result<Part> {
        let all = self.comparisons();
        if range.end > all {
            return Err(Error::invalid(format!(
                "folds {} to {} were asked for; there are {all}",
                range.start, range.end
            )));
        }
        let numbers: Vec<usize> = range.collect();
        let beginnings = self.beginnings(&numbers, parts)?;
        self.compare_some(&numbers, &beginnings, control)
    }

    /// Where each of some pieces begins, given what is known of others.
    pub(super) fn beginnings(&self, numbers: &[usize], parts: &[Part]) -> Result<Vec<Beginning>> {
        let of = |&number: &usize| {
            let piece = self.piece(number)?;
            match self.leans(piece.machine)? {
                true => self.beginning(parts, piece),
                false => Ok(Beginning::Anywhere),
            }
        };
        numbers.iter().map(of).collect()
    }

    /// Whether the pieces of a machine begin where others have ended: where its ridge is found by evidence.
    fn leans(&self, machine: usize) -> Result<bool> {
        let has_ridge = self.plan.machine(machine)?.ridge.is_some();
        let is_trial = self.plan.manner(machine)?.trial.is_some();
        Ok(self.request.ridge == Ridge::Evidence && !has_ridge && !is_trial)
    }

    /// How machines are chosen. Short runs in mini-batches are too rough for the smallest of leads.
    fn rule(&self) -> Rule {
        let are_rough = self.plan.machines.iter().any(|machine| machine.in_batches);
        match self.request.table_decides() && !are_rough {
            true => Rule::Best,
            false => Rule::Simplest,
        }
    }

    fn piece(&self, number: usize) -> Result<Piece> {
        let pieces = self.pieces_per_machine();
        let machine = number / pieces;
        Ok(Piece {
            machine,
            fold: number % pieces,
            both_principles: self.request.rows_choose_principle(),
            every_solution: self.request.table_decides(),
            is_trial: self.plan.manner(machine)?.trial.is_some(),
        })
    }

    /// The number of the piece that these scores are of.
    pub(super) fn number_of(&self, scores: &FoldScores) -> usize {
        scores.machine * self.pieces_per_machine() + scores.fold
    }

    /// All pieces that can be compared now: of every machine that is worth it, its folds once all rows are known where they
    /// begin there, and all rows once the smaller machine's are.
    pub(super) fn open_comparisons(&self, parts: &[Part]) -> Result<Vec<usize>> {
        if self.plan.validation.is_none() {
            return Ok(Vec::new());
        }
        let scores = self.scores(parts)?;
        let known: HashSet<usize> = scores.iter().map(|score| self.number_of(score)).collect();
        let pieces = self.pieces_per_machine();
        let machines = &self.plan.machines;
        let mut open = Vec::new();
        for machine in comparison::open(machines, &self.tried(parts)?) {
            let by_evidence = self.leans(machine)?;
            let all_rows = |machine: usize| machine * pieces + pieces - 1;
            let is_ahead = |before: usize| by_evidence && !known.contains(&all_rows(before));
            if !comparison::smaller(machines, machine).is_some_and(is_ahead) {
                open.push(all_rows(machine));
            }
            if !is_ahead(machine) {
                open.extend(machine * pieces..all_rows(machine));
            }
        }
        open.retain(|number| !known.contains(number));
        open.sort_unstable();
        Ok(open)
    }

    /// Scores pieces by their numbers, each from where it begins.
    pub(super) fn compare_some(
        &self,
        numbers: &[usize],
        beginnings: &[Beginning],
        control: &Control<'_>,
    ) -> Result<Part> {
        let validation = self.validation()?;
        let ridges = match self.request.ridge {
            Ridge::Evidence => Ridges::Evidence,
            _ => Ridges::Listed(validation.descending()?),
        };
        let kept = self.coded_kept();
        let scores = numbers
            .par_iter()
            .zip(beginnings)
            .with_max_len(1)
            .map(|(&number, beginning)| {
                let piece = self.piece(number)?;
                let manner = self.plan.manner(piece.machine)?;
                let setup = Setup {
                    course: manner.trial.as_ref().unwrap_or(&manner.course),
                    ..self.setup_of(piece.machine)?
                };
                let ridges = match self.plan.machine(piece.machine)?.ridge {
                    Some(ridge) => &Ridges::Listed(vec![ridge]),
                    None => &ridges,
                };
                let split = match &kept {
                    Some(kept) => Split::of_kept(setup.data, kept),
                    None => Split::of_fold(setup.data, validation, setup.seed, piece.fold)?,
                };
                score_fold(
                    &setup, &split, validation, ridges, piece, beginning, control,
                )
            })
            .collect::<Result<Vec<FoldScores>>>()?;
        Ok(self.part(Done::Folds(scores)))
    }

    fn validation(&self) -> Result<&CrossValidation> {
        let validation = self.plan.validation.as_ref();
        validation.ok_or_else(|| Error::failed("there is nothing to cross-validate"))
    }

    /// Makes the choices that the request leaves open: by all folds, where something is compared, and by evidence.
    pub fn decide(&mut self, parts: &[Part], control: &Control<'_>) -> Result<()> {
        let mut choices = Choices::default();
        let mut machine = 0;
        let mut objective = self.plan.objective;
        if self.plan.validation.is_some() {
            if let Some(missing) = self.next_comparison(parts)? {
                return Err(Error::invalid(format!(
                    "{} has not been compared yet: pieces {} to {} are in none of the parts",
                    self.machine_of(missing.start),
                    missing.start,
                    missing.end - 1
                )));
            }
            let tried = self.tried(parts)?;
            let mut ridges = tried.first().and_then(|known| known.ridges.clone());
            objective.ridge = tried.first().map_or(USUAL_RIDGE, |known| known.ridge);
            if self.request.compares() {
                let rows = self.data.known_weight();
                let found = comparison::choose(&self.plan.machines, &tried, rows, self.rule())?;
                let chosen = &tried[found.chosen];
                (machine, objective.ridge) = (chosen.number, chosen.ridge);
                ridges.clone_from(&found.ridge);
                choices.comparison = Some(found);
            }
            choices.ridge = ridges;
            choices.evidence = self.evidence_of(parts, machine);
            // Rows kept for validation choose at the end, among the candidates of the whole search.
            if self.request.rows_choose_principle() && self.kept.is_none() {
                let known = tried.iter().find(|known| known.number == machine);
                choices.principle = known.and_then(|known| {
                    let by_likelihood = known.by_likelihood.as_ref()?;
                    Some(PrincipleChoice::new(&known.held_out, by_likelihood))
                });
            }
        } else if self.request.ridge == Ridge::Evidence {
            objective.ridge = USUAL_RIDGE;
            let setup = self.setup_of(machine)?;
            if setup.has_evidence() {
                control.observer.stage(Stage::Evidence);
                choices.evidence = ridge_alone(&setup, control)?;
            }
            if let Some(evidence) = &choices.evidence {
                objective.ridge = evidence.chosen;
            }
        }
        let learned = match self.plan.validation {
            Some(_) => self
                .all_rows(parts, machine)
                .map(|piece| piece.learned.clone()),
            None => None,
        };
        self.decided = Some(Decided {
            learned: learned.unwrap_or_default(),
            machine,
            objective,
            principle: match &choices.principle {
                Some(choice) => choice.chosen,
                None => self.request.select.principle(),
            },
            choices,
        });
        self.problem = OnceLock::new();
        Ok(())
    }

    fn scores<'a>(&self, parts: &'a [Part]) -> Result<Vec<&'a FoldScores>> {
        let mut scores = Vec::new();
        for part in parts {
            self.check(part)?;
            if let Done::Folds(folds) = &part.done {
                scores.extend(folds);
            }
        }
        Ok(scores)
    }

    /// A machine's piece of all rows.
    fn all_rows<'a>(&self, parts: &'a [Part], machine: usize) -> Option<&'a FoldScores> {
        let all_rows = self.pieces_per_machine() - 1;
        let scores = self.scores(parts).ok()?;
        let mut own = scores.into_iter().filter(|score| score.machine == machine);
        own.find(|score| score.fold == all_rows)
    }

    /// How a machine's ridge was found on all rows, where it was by evidence.
    fn evidence_of(&self, parts: &[Part], machine: usize) -> Option<EvidenceChoice> {
        self.all_rows(parts, machine)?.evidence.clone()
    }

    /// Where a piece begins: a fold at its machine's solutions on all rows, all rows at the ridge of the smaller machine if
    /// that is above the usual one; refused where these are not known yet.
    fn beginning(&self, parts: &[Part], piece: Piece) -> Result<Beginning> {
        let all_rows = self.pieces_per_machine() - 1;
        let is_fold = piece.fold < all_rows;
        let before = match is_fold {
            true => Some(piece.machine),
            false => comparison::smaller(&self.plan.machines, piece.machine),
        };
        let Some(before) = before else {
            return Ok(Beginning::Anywhere);
        };
        let Some(known) = self.all_rows(parts, before) else {
            return Err(Error::invalid(format!(
                "{} where {} is on all rows: compare piece {} first",
                match is_fold {
                    true => "the folds of a machine begin",
                    false => "a machine on all rows begins",
                },
                self.plan.machine(before)?.name(),
                before * (all_rows + 1) + all_rows
            )));
        };
        Ok(match &known.evidence {
            None => Beginning::Anywhere,
            Some(evidence) if is_fold => Beginning::AtSolutions {
                ridge: evidence.chosen,
                solutions: known.solutions.clone(),
            },
            // Below the usual ridge there are more solutions, and they are harder to find.
            Some(evidence) if evidence.chosen > USUAL_RIDGE => Beginning::AtRidge(evidence.chosen),
            Some(_) => Beginning::Anywhere,
        })
    }

    /// What the folds say about each machine all of whose pieces are there.
    fn tried(&self, parts: &[Part]) -> Result<Vec<Tried>> {
        let validation = self.validation()?;
        let scores = self.scores(parts)?;
        let pieces = self.pieces_per_machine();
        let mut tried = Vec::new();
        for number in 0..self.plan.machines.len() {
            let own = scores.iter().filter(|score| score.machine == number);
            let mut own: Vec<FoldScores> = own.map(|score| (*score).clone()).collect();
            own.sort_by_key(|score| score.fold);
            own.dedup_by_key(|score| score.fold);
            let Some(all_rows) = own.last().filter(|_| own.len() == pieces).cloned() else {
                continue;
            };
            let (data, seed) = (&self.data, self.request.seed);
            let scored = |own: &[FoldScores]| match (&self.kept, own.first()) {
                (Some(kept), Some(only)) => Ok(held_out::of_kept(kept, only)),
                _ => held_out::assemble(data, seed, validation, own),
            };
            let held_out = scored(&own)?;
            let (at, held_out, ridges) = match self.request.ridge {
                Ridge::CrossValidated => {
                    let (choice, score) = choose_ridge(validation, held_out)?;
                    let at = all_rows.ridges.iter().position(|r| *r == choice.chosen);
                    (at.unwrap_or(0), score, Some(choice))
                }
                _ => {
                    let only = held_out.into_iter().next();
                    (
                        0,
                        only.ok_or_else(|| Error::failed("a fold has no score"))?,
                        None,
                    )
                }
            };
            let by_likelihood = match self.request.rows_choose_principle() {
                true => scored(&by_likelihood(own))?,
                false => Vec::new(),
            };
            tried.push(Tried {
                number,
                by_likelihood: by_likelihood.into_iter().nth(at),
                held_out,
                ridge: all_rows.ridges[at],
                log_likelihood: all_rows.log_likelihoods[at],
                silent: all_rows.silent.get(at).copied().unwrap_or(0),
                ridges,
            });
        }
        Ok(tried)
    }
}

/// The same folds, scored by the candidates of highest likelihood.
fn by_likelihood(mut folds: Vec<FoldScores>) -> Vec<FoldScores> {
    for fold in &mut folds {
        fold.by_ridge = std::mem::take(&mut fold.by_likelihood);
    }
    folds
}
