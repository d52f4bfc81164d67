//! Parts put together: the restarts become a fit, the refits its spreads.

use super::rounds::Made;
use super::{Done, Job, Part};
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::fit::choice::{PrincipleChoice, SolutionChoice};
use crate::fit::control::Control;
use crate::fit::held_out::HeldOut;
use crate::fit::request::Ridge;
use crate::fit::result::Fit;
use crate::fit::setup::Setup;
use crate::fit::uncertainty::{self, Refit};
use crate::fit::validation::{Validated, scores_of_kept};
use crate::fit::wider::dependence_on_box;
use crate::learning::Outcome;
use crate::network::Network;
use crate::remark::Remark;
use crate::selection::{Candidate, Principle};
use std::ops::Range;

impl Job {
    /// Certifies, clusters and chooses; parts may overlap and come in any order.
    ///
    /// Where the search may stop early, restarts beyond the point at which it does are not looked at.
    pub fn assemble(&self, parts: Vec<Part>, control: &Control<'_>) -> Result<Fit> {
        let missing = self.restarts_in(&parts);
        let outcomes = self.outcomes_in(&parts)?;
        let mut made = Made::default();
        while !self.is_enough(&made) {
            let range = made.outcomes.len()..self.next_check(made.outcomes.len());
            let block = outcomes[range].iter().copied().collect::<Option<Vec<_>>>();
            let block = block.ok_or_else(|| {
                Error::invalid(format!("restart {missing} is in none of the parts"))
            })?;
            made.outcomes.extend(block.into_iter().cloned());
            self.certify_all(&mut made)?;
        }
        self.chosen_from(made, control)
    }

    /// The fit that these restarts make.
    pub(super) fn chosen_from(&self, made: Made, control: &Control<'_>) -> Result<Fit> {
        let Made {
            outcomes,
            mut candidates,
            ..
        } = made;
        for candidate in &mut candidates {
            control.observer.candidate_done(candidate);
            if !self.request.keep_traces {
                candidate.trace = Vec::new();
            }
        }
        let choices = self.decided.as_ref().map(|decided| decided.choices.clone());
        let mut choices = choices.unwrap_or_default();
        if let Some(choice) = self.principle_by_kept_rows(&outcomes, &candidates)? {
            choices.principle = Some(choice);
        }
        choices.solution = self.solution_by_table(&outcomes, &candidates)?;
        // Causes are told in the coding of the data.
        let setup = Setup {
            data: &self.data,
            principle: match (&self.kept, &choices.principle) {
                (Some(_), Some(choice)) => choice.chosen,
                _ => self.principle(),
            },
            ..self.setup()?
        };
        let mut fit = Fit::new(
            &setup,
            &self.plan,
            self.machine(),
            choices,
            self.kept.as_ref(),
            candidates,
        )?;
        let remark = dependence_on_box(
            &setup,
            self.problem()?,
            &outcomes,
            &fit.candidates,
            fit.selected,
        )?;
        fit.remarks.extend(remark);
        fit.remarks.extend(self.without_evidence(&setup, &fit)?);
        // Of a ridge that was looked for, other remarks tell.
        if matches!(self.request.ridge, Ridge::Value(_)) {
            fit.remarks.extend(fit.ridge_far_below_evidence());
        }
        if fit.chosen().is_of_flat_set {
            fit.remarks.push(Remark::FlatSet);
        }
        if let (Some(kept), Some(outcome)) = (&self.kept, outcomes.get(fit.chosen().index)) {
            fit.validation = Validated::new(self.problem()?, &outcome.point, kept)?;
        }
        Ok(fit)
    }

    /// The principle whose choice among these candidates foretells the rows kept for validation better; none where there
    /// are no such rows, and where a principle is named.
    fn principle_by_kept_rows(
        &self,
        outcomes: &[Outcome],
        candidates: &[Candidate],
    ) -> Result<Option<PrincipleChoice>> {
        let Some(kept) = &self.kept else {
            return Ok(None);
        };
        if !self.request.rows_choose_principle() {
            return Ok(None);
        }
        let by_entropy = Principle::LatentMaximumEntropy.chosen(candidates)?;
        let by_likelihood = Principle::MaximumLikelihood.chosen(candidates)?;
        let choice = PrincipleChoice::new(
            &self.told(outcomes, by_entropy, kept)?,
            &self.told(outcomes, by_likelihood, kept)?,
        );
        Ok(Some(choice))
    }

    /// The solution that foretells the rows of the validation table best, where they decide and it is clearly ahead.
    fn solution_by_table(
        &self,
        outcomes: &[Outcome],
        candidates: &[Candidate],
    ) -> Result<Option<SolutionChoice>> {
        let Some(kept) = &self.kept else {
            return Ok(None);
        };
        if !self.request.table_decides() {
            return Ok(None);
        }
        let mut told = Vec::new();
        for at in Principle::LatentMaximumEntropy.contending_solutions(candidates) {
            told.push((at, self.told(outcomes, &candidates[at], kept)?));
        }
        Ok(SolutionChoice::new(&told))
    }

    /// What a candidate says of the rows kept for validation.
    fn told(&self, outcomes: &[Outcome], candidate: &Candidate, kept: &Dataset) -> Result<HeldOut> {
        let known = kept.informative_rows();
        let weights: Vec<f64> = known.iter().map(|&row| kept.row_weight(row)).collect();
        let outcome = outcomes.get(candidate.index);
        let outcome = outcome.ok_or_else(|| Error::failed("a candidate has no restart"))?;
        let by_row = scores_of_kept(self.problem()?, &outcome.point, kept)?;
        Ok(HeldOut {
            log_partition_error: candidate.worth.log_likelihood_error.unwrap_or(0.0),
            ..HeldOut::new(by_row, weights)
        })
    }

    /// Where a ridge by evidence was asked for and could be expected, and there is none.
    fn without_evidence(&self, setup: &Setup<'_>, fit: &Fit) -> Result<Option<Remark>> {
        let machine = self.plan.machine(self.machine())?;
        let is_asked = self.request.ridge == Ridge::Evidence && machine.ridge.is_none();
        let is_found = fit.choices.evidence.is_some();
        let has_interactions = setup.structure.order() > 1;
        Ok(
            (is_asked && setup.has_evidence() && has_interactions && !is_found).then_some(
                Remark::NoEvidence {
                    ridge: setup.objective.ridge,
                },
            ),
        )
    }

    /// Refits the chosen machine of `fit` to some of the resamples.
    pub fn refit(&self, fit: &Fit, range: Range<usize>, control: &Control<'_>) -> Result<Part> {
        let numbers: Vec<usize> = range.collect();
        self.refit_some(&fit.chosen().network, &numbers, control)
    }

    /// The same by numbers, from the chosen machine alone.
    pub(super) fn refit_some(
        &self,
        chosen: &Network,
        numbers: &[usize],
        control: &Control<'_>,
    ) -> Result<Part> {
        let bootstrap = self.plan.bootstrap.as_ref();
        let bootstrap = bootstrap.ok_or_else(|| Error::failed("no bootstrap was planned"))?;
        let setup = self.setup()?;
        let coding = &self.coded().0;
        let chosen = coding.of_network(chosen)?;
        let mut refits = uncertainty::refit(&setup, &chosen, bootstrap, numbers, control)?;
        for refit in &mut refits {
            let network = chosen.with_weights(std::mem::take(&mut refit.weights))?;
            refit.weights = coding.of_network(&network)?.weights().to_vec();
        }
        Ok(self.part(Done::Refits(refits)))
    }

    /// Adds what all refits say to `fit`.
    pub fn assemble_refits(&self, fit: &mut Fit, parts: &[Part]) -> Result<()> {
        let Some(settings) = self.plan.bootstrap else {
            return Ok(());
        };
        let mut refits: Vec<Option<Refit>> = vec![None; settings.resamples];
        for part in parts {
            self.check(part)?;
            if let Done::Refits(found) = &part.done {
                for refit in found.iter().filter(|r| r.index < settings.resamples) {
                    refits[refit.index] = Some(refit.clone());
                }
            }
        }
        let refits = refits.into_iter().enumerate().map(|(index, refit)| {
            refit.ok_or_else(|| Error::invalid(format!("refit {index} is in none of the parts")))
        });
        let refits = refits.collect::<Result<Vec<Refit>>>()?;
        let lost = refits.iter().filter(|refit| !refit.converged).count();
        let made = uncertainty::assemble(fit.chosen(), settings, &refits);
        if lost > 0 {
            fit.remarks.push(Remark::RefitsLost {
                lost,
                refits: settings.resamples,
            });
        }
        if made.at_the_edge > 0 && fit.chosen().certificate.boundary_terms.is_empty() {
            fit.remarks.push(Remark::RefitsAtTheEdge {
                at_the_edge: made.at_the_edge,
                converged: made.converged,
            });
        }
        fit.bootstrap = Some(made);
        Ok(())
    }
}
