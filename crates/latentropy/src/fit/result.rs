//! The result of a fit: every candidate, the chosen one, and how far to trust it.

use super::boundary::{self, BoundaryTerm, boundary_causes};
use super::choice::{Choices, RidgeChoice};
use super::held_out::mean_and_error;
use super::misfit::Misfit;
use super::plan::Plan;
use super::request::Select;
use super::search::{Completeness, Ending, Search};
use super::setup::Setup;
use super::uncertainty::{Bootstrap, BootstrapSettings};
use super::validation::Validated;
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::inference::EngineId;
use crate::learning::{Course, Objective};
use crate::message::Message;
use crate::remark::Remark;
use crate::selection::{Candidate, Principle, Selected, cluster, remarks_on};
use std::time::Duration;

/// How long the parts of a fit took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timings {
    /// Choosing a size or a ridge.
    pub choosing: Duration,
    /// The restarts.
    pub fitting: Duration,
    /// The bootstrap.
    pub resampling: Duration,
}

/// What the choice of highest entropy gives up in likelihood against that of highest likelihood.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// The candidate of highest likelihood.
    pub most_likely: usize,
    /// In nats per row.
    pub per_row: f64,
    /// Its standard error: over the rows' own differences and, where log Z of the two candidates is sampled, of these.
    pub std_err: f64,
    /// In nats over all rows.
    pub all_rows: f64,
}

impl Cost {
    /// The rows speak clearly against a choice where the difference is more than this many standard errors.
    const CLEAR: f64 = 3.0;

    /// True if the rows speak clearly against it.
    pub fn is_clear(&self) -> bool {
        self.per_row > Cost::CLEAR * self.std_err
    }

    /// Where the two principles choose different solutions.
    fn new(candidates: &[Candidate], data: &Dataset) -> Option<Self> {
        let choose = |principle: Principle| principle.select(candidates).map(|s| s.at);
        let by_entropy = &candidates[choose(Principle::LatentMaximumEntropy)?];
        let at = choose(Principle::MaximumLikelihood)?;
        let by_likelihood = &candidates[at];
        if by_entropy.solution == by_likelihood.solution {
            return None;
        }
        let pairs = by_likelihood.row_scores.iter().zip(&by_entropy.row_scores);
        let differences: Vec<f64> = pairs.map(|(a, b)| a - b).collect();
        // One entry per original row: a row that occurs twice is two observations.
        let rows = data.informative_rows();
        let by_row = rows
            .iter()
            .map(|&row| differences[data.distinct_of()[row] as usize]);
        let by_row: Vec<f64> = by_row.collect();
        let weights: Vec<f64> = rows.iter().map(|&row| data.row_weight(row)).collect();
        let (per_row, of_rows) = mean_and_error(&by_row, &weights);
        // Each has a log Z of its own, whose error is the same in every row.
        let sampled = [by_entropy, by_likelihood]
            .map(|candidate| candidate.worth.log_likelihood_error.unwrap_or(0.0));
        Some(Cost {
            most_likely: at,
            per_row,
            std_err: of_rows.hypot(sampled[0]).hypot(sampled[1]),
            all_rows: per_row * data.known_weight(),
        })
    }
}

/// All candidates, the chosen one, and everything that was decided on the way.
///
/// For examples see [`fit()`](crate::fit()) and [`Candidate`].
#[derive(Clone, Debug)]
pub struct Fit {
    /// Position of the chosen candidate.
    pub selected: usize,
    /// False where no candidate was a proper solution; a remark says why.
    pub selected_is_feasible: bool,
    /// Every restart's result, in order.
    pub candidates: Vec<Candidate>,
    /// How many distinct solutions there are.
    pub distinct_solutions: usize,
    /// How it was chosen.
    pub principle: Principle,
    /// What highest entropy costs in likelihood; none where both principles choose one solution.
    pub cost: Option<Cost>,
    /// The chosen machine's shape; `listed` where its terms were.
    pub shape: String,
    /// Where restarts began.
    pub search: Search,
    /// Whether the search for solutions could stop early.
    pub ending: Ending,
    /// How complete the search is.
    pub completeness: Completeness,
    /// Who summed over states.
    pub engine: EngineId,
    /// Why, where no engine was named.
    pub engine_reason: Option<Message>,
    /// How each restart learned.
    pub course: Course,
    /// What was maximised.
    pub objective: Objective,
    /// The seed of all random numbers.
    pub seed: u64,
    /// What was chosen by cross-validation or evidence.
    pub choices: Choices,
    /// The chosen machine's weights at the edge of the box, each with what in the data drove it there.
    pub boundary: Vec<BoundaryTerm>,
    /// Where the chosen machine misfits, and why it may; none where that is beyond exact sums.
    pub misfit: Option<Misfit>,
    /// What the chosen machine says of the rows kept for validation, where there are any.
    pub validation: Option<Validated>,
    /// Refits of the chosen machine, where they were made.
    pub bootstrap: Option<Bootstrap>,
    /// The refits that were asked for.
    pub bootstrap_asked: Option<BootstrapSettings>,
    /// How many folds, where something was compared.
    pub folds: Option<usize>,
    /// T: what the rows with a known cell weigh together.
    pub rows_used: f64,
    /// What a user should know.
    pub remarks: Vec<Remark>,
    /// How long it took.
    pub timings: Timings,
}

impl Fit {
    /// The chosen candidate.
    pub fn chosen(&self) -> &Candidate {
        &self.candidates[self.selected]
    }

    /// Who chose: a principle, or the rows of a validation table where they chose another solution than highest entropy.
    pub fn chosen_by(&self) -> Select {
        match self.choices.solution {
            Some(_) => Select::HeldOut,
            None => Select::By(self.principle),
        }
    }

    /// Clusters and chooses; `kept` are the rows kept for validation.
    pub(super) fn new(
        setup: &Setup<'_>,
        plan: &Plan,
        number: usize,
        choices: Choices,
        kept: Option<&Dataset>,
        mut candidates: Vec<Candidate>,
    ) -> Result<Self> {
        let machine = plan.machine(number)?;
        let distinct_solutions = cluster(&mut candidates);
        let principle = setup.principle;
        let selected = match &choices.solution {
            Some(choice) => Some(Selected {
                at: choice.candidate,
                remarks: remarks_on(&candidates[choice.candidate]),
            }),
            None => principle.select(&candidates),
        };
        let selected = selected.ok_or_else(|| Error::failed("no restart gave a candidate"))?;
        let mut remarks: Vec<Remark> = ridge_at_end(&choices).into_iter().collect();
        remarks.extend(evidence_unsettled(&choices));
        remarks.extend(selected.remarks);
        let cost = Cost::new(&candidates, setup.data);
        let completeness = Completeness::new(plan.search, principle, &candidates);
        let mut fit = Fit {
            selected: selected.at,
            selected_is_feasible: candidates[selected.at].feasible,
            candidates,
            distinct_solutions,
            principle,
            cost,
            shape: machine.shape.clone(),
            search: plan.search,
            ending: plan.ending,
            completeness,
            engine: setup.engine,
            engine_reason: plan.reason_for(number),
            course: setup.course.clone(),
            objective: setup.objective,
            seed: setup.seed,
            choices,
            boundary: Vec::new(),
            misfit: None,
            validation: None,
            bootstrap: None,
            bootstrap_asked: plan.bootstrap,
            folds: plan.folds(),
            rows_used: setup.data.known_weight(),
            remarks,
            timings: Timings::default(),
        };
        fit.remarks
            .extend(fit.completeness.remark(principle, fit.candidates.len()));
        fit.explain_boundary(setup);
        let held_out = kept.unwrap_or(setup.data).informative_rows().len();
        fit.remarks.extend(few_held_out(&fit.choices, held_out));
        fit.remark_on_choices();
        fit.misfit = Misfit::new(&fit, setup.data);
        Ok(fit)
    }

    /// What a user should know about the comparison, the principle and the hidden units.
    fn remark_on_choices(&mut self) {
        if let Some(comparison) = &self.choices.comparison
            && comparison.best_is_last
        {
            let best = &comparison.table[comparison.best];
            self.remarks.push(Remark::BestIsLast {
                shape: best.shape.clone(),
                hidden: best.hidden,
            });
        }
        if let Some(cost) = self.cost
            && self.chosen_by() == Select::By(Principle::LatentMaximumEntropy)
            && cost.is_clear()
        {
            self.remarks.push(Remark::EntropyAgainstRows {
                per_row: cost.per_row,
                std_err: cost.std_err,
                all_rows: cost.all_rows,
            });
        }
        let chosen = &self.candidates[self.selected];
        let name = |unit: &usize| chosen.network.units()[*unit].name.clone();
        if let Some(units) = &chosen.hidden_units {
            let silent = units.silent();
            // Where all of it is trivial, that is said already.
            if !silent.is_empty() && !chosen.trivial {
                let others = self.candidates.iter().any(|other| {
                    other.feasible
                        && !other.trivial
                        && other
                            .hidden_units
                            .as_ref()
                            .is_some_and(|u| u.silent().is_empty())
                });
                self.remarks.push(Remark::SilentUnits {
                    units: silent.iter().map(name).collect(),
                    others,
                });
            }
            for group in units.copies() {
                self.remarks.push(Remark::Copies {
                    units: group.iter().map(name).collect(),
                });
            }
        }
    }

    /// A ridge that one round of the evidence (α = γ / Σ λ², γ = Σ (1 − α var λ) over the pairs) would make much
    /// larger: pairs are then mostly noise, which hidden units say where the ridge finds that cheaper.
    pub(super) fn ridge_far_below_evidence(&self) -> Option<Remark> {
        let (chosen, ridge) = (self.chosen(), self.objective.ridge);
        let network = &chosen.network;
        let says_something = !network.hidden().is_empty() && !chosen.trivial;
        if !(says_something && ridge > 0.0 && network.order() <= 2) {
            return None;
        }
        let errors = &chosen.standard_errors.weights;
        let known = network.terms().iter().zip(network.weights()).zip(errors);
        let (mut determined, mut squares) = (0.0, 0.0);
        for ((term, weight), error) in known {
            if let (2, Some(error)) = (term.order(), error) {
                determined += (1.0 - ridge * error * error).max(0.0);
                squares += weight * weight;
            }
        }
        let evidence = determined / squares;
        (squares > 0.0 && evidence >= FAR_BELOW * ridge)
            .then_some(Remark::RidgeFarBelowEvidence { ridge, evidence })
    }

    /// Looks in the data for what drove weights to the edge; the fit must not be lost for want of an explanation.
    fn explain_boundary(&mut self, setup: &Setup<'_>) {
        match boundary_causes(self.chosen(), setup.data) {
            Ok(boundary) => self.boundary = boundary,
            Err(error) => {
                let why = error.to_string().into();
                self.remarks.push(Remark::CausesUnknown(why));
            }
        }
        let network = &self.candidates[self.selected].network;
        let remark = boundary::remark(&self.boundary, network, self.objective);
        self.remarks.extend(remark);
    }
}

/// A choice at an end of what was tried may not be the best there is.
fn ridge_at_end(choices: &Choices) -> Option<Remark> {
    let choice: &RidgeChoice = choices.ridge.as_ref()?;
    let largest = choice.is_largest();
    (largest || choice.is_smallest()).then_some(Remark::RidgeAtEnd {
        ridge: choice.chosen,
        largest,
    })
}

/// So much larger would one round of the evidence make a ridge that is far below it.
const FAR_BELOW: f64 = 4.0;

/// Below so many rows a standard error over their own differences means little.
const FEW_ROWS: usize = 20;

/// Every row with a known cell is held out once: where they are few, the errors of comparisons rest on few differences.
fn few_held_out(choices: &Choices, rows: usize) -> Option<Remark> {
    let compared =
        choices.comparison.is_some() || choices.ridge.is_some() || choices.principle.is_some();
    (compared && rows < FEW_ROWS).then_some(Remark::FewHeldOut { rows })
}

/// Evidence that was still moving has not found what it looks for.
fn evidence_unsettled(choices: &Choices) -> Option<Remark> {
    let evidence = choices.evidence.as_ref()?;
    (!evidence.has_settled()).then_some(Remark::EvidenceUnsettled {
        ridge: evidence.chosen,
        rounds: evidence.rounds.len(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::{EvidenceChoice, EvidenceRound, RidgeScore, Standing};

    /// These ridges were compared, and one was chosen.
    fn ridges(chosen: f64, compared: &[f64]) -> Choices {
        let standing = Standing {
            mean: -1.0,
            std_err: 0.1,
            behind: 0.0,
            behind_std_err: 0.0,
            rows: 100.0,
        };
        let table = compared.iter();
        let table = table.map(|&ridge| RidgeScore { ridge, standing });
        Choices {
            ridge: Some(RidgeChoice {
                table: table.collect(),
                chosen,
            }),
            ..Choices::default()
        }
    }

    #[test]
    fn what_entropy_costs_is_as_uncertain_as_the_rows_and_both_log_z_are() {
        let rows: Vec<[i8; 2]> = (0..20).map(|row| [row % 2, i8::from(row < 8)]).collect();
        let data = Dataset::from_rows(&rows).unwrap();
        let request = crate::Request {
            hidden: Some(crate::fit::Hidden::One(0)),
            restarts: Some(1),
            ..crate::Request::default()
        };
        let found = crate::fit(&data, &request).unwrap();
        let first = &found.candidates[0];
        let mut second = first.clone();
        second.solution = first.solution + 1;
        second.entropy.value -= 0.1;
        second.log_likelihood += 0.1;
        second.row_scores.iter_mut().for_each(|score| *score += 0.1);
        let cost = |errors: [Option<f64>; 2]| {
            let mut both = [first.clone(), second.clone()];
            for (candidate, error) in both.iter_mut().zip(errors) {
                candidate.worth.log_likelihood_error = error;
            }
            Cost::new(&both, &data).unwrap()
        };
        // The rows all say the same: by them alone there is no doubt.
        let exact = cost([None, None]);
        assert!((exact.per_row - 0.1).abs() < 1e-12 && exact.std_err < 1e-12);
        assert!(exact.is_clear());
        let sampled = cost([Some(0.03), Some(0.04)]);
        assert!((sampled.std_err - 0.05).abs() < 1e-12);
        assert!(!sampled.is_clear());
    }

    #[test]
    fn a_ridge_at_an_end_of_those_compared_is_remarked() {
        let told = |chosen: f64, compared: &[f64]| ridge_at_end(&ridges(chosen, compared));
        let remark = |ridge: f64, largest: bool| Some(Remark::RidgeAtEnd { ridge, largest });
        assert_eq!(told(10.0, &[10.0, 1.0, 0.1]), remark(10.0, true));
        assert_eq!(told(0.1, &[10.0, 1.0, 0.1]), remark(0.1, false));
        assert_eq!(told(1.0, &[10.0, 1.0, 0.1]), None);
        // One alone was not compared with anything.
        assert_eq!(told(1.0, &[1.0]), None);
        assert_eq!(ridge_at_end(&Choices::default()), None);
    }

    #[test]
    fn comparisons_on_fewer_than_twenty_rows_are_remarked() {
        let compared = ridges(1.0, &[10.0, 1.0, 0.1]);
        let told = few_held_out(&compared, 19);
        assert_eq!(told, Some(Remark::FewHeldOut { rows: 19 }));
        assert_eq!(few_held_out(&compared, 20), None);
        assert_eq!(few_held_out(&Choices::default(), 19), None);
    }

    #[test]
    fn evidence_that_was_still_moving_is_remarked() {
        let after = |chosen: f64| Choices {
            evidence: Some(EvidenceChoice {
                chosen,
                rounds: [1.0, 0.5]
                    .map(|ridge| EvidenceRound {
                        ridge,
                        determined: 2.0,
                        determined_error: None,
                    })
                    .to_vec(),
            }),
            ..Choices::default()
        };
        assert_eq!(evidence_unsettled(&Choices::default()), None);
        assert_eq!(evidence_unsettled(&after(0.501)), None);
        let remark = evidence_unsettled(&after(0.25)).unwrap();
        let expected = "the ridge by evidence was still moving after 2 rounds, at 0.25; give one yourself, such as \
                        ridge 0.25, or ridge auto to cross-validate it";
        assert_eq!(remark.to_string(), expected);
    }
}
