//! How the documents of a fit are made from one.

use super::documents::{
    BootstrapRecord, BoundaryRecord, CandidateRecord, CandidateWeights, ChoicesRecord,
    ComparedRecord, ComparisonRecord, CostRecord, DataRecord, EvidenceChoiceRecord,
    EvidenceRoundRecord, FitDocument, GainRecord, HiddenUnitRecord, JudgedRecord, LookRecord,
    MisfitCauseRecord, MisfitRecord, ModelDocument, NumberRecord, OptionRecord,
    PrincipleSelectionRecord, ProvenanceRecord, ResultRecord, RidgeEntry, RidgeSelectionRecord,
    RunContext, RunRecord, SearchRecord, SettingsRecord, SolutionSelectionRecord, SpreadRecord,
    StandingRecord, SumScoreRecord, TermRecord, TimingsRecord, UncertaintyRecord, ValidationRecord,
    WeightRecord,
};
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::files::Manifest;
use crate::fit::boundary::BoundaryTerm;
use crate::fit::choice::{Choices, RidgeChoice, Standing};
use crate::fit::comparison::Comparison;
use crate::fit::evidence::EvidenceChoice;
use crate::fit::misfit::{Misfit, MisfitCause};
use crate::fit::result::{Cost, Fit};
use crate::fit::uncertainty::{Bootstrap, Spread};
use crate::inference::Kind;
use crate::learning::OptionValue;
use crate::message::{PlainWording, Setting, Wording};
use crate::network::{MODEL_FORMAT, Network};
use crate::selection::{Candidate, HiddenUnits};

impl Fit {
    /// The fit's remarks, in the names of an interface.
    pub fn warnings(&self, wording: &dyn Wording) -> Vec<String> {
        self.remarks
            .iter()
            .map(|remark| remark.worded(wording))
            .collect()
    }

    /// The whole fit as one document, the same that the program prints for other programs, in the library's own names.
    ///
    /// ```
    /// use latentropy::{Dataset, Request, fit};
    /// let data = Dataset::from_rows(&[[0, 0], [1, 1], [1, 1], [0, 1]])?;
    /// let found = fit(&data, &Request { restarts: Some(2), ..Request::with_hidden(1) })?;
    /// assert!(found.to_json()?.starts_with("{\n  \"selected\""));
    /// # Ok::<(), latentropy::Error>(())
    /// ```
    pub fn to_json(&self) -> Result<String> {
        let document = self.document(self.warnings(&PlainWording), &PlainWording);
        serde_json::to_string_pretty(&document)
            .map_err(|error| Error::failed(format!("cannot be written as JSON: {error}")))
    }

    /// The whole fit as one document; `warnings` are all there are.
    #[doc(hidden)]
    pub fn document(&self, warnings: Vec<String>, wording: &dyn Wording) -> FitDocument {
        let chosen = self.chosen();
        FitDocument {
            selected: self.selected,
            selected_is_feasible: self.selected_is_feasible,
            engine: self.engine.name().to_string(),
            engine_reason: self.engine_reason.as_ref().map(|r| r.worded(wording)),
            select: self.chosen_by().to_string(),
            candidates: self.candidates.iter().map(CandidateRecord::new).collect(),
            distinct_solutions: self.distinct_solutions,
            rows_used: self.rows_used,
            model: ModelDocument::new(&chosen.network),
            hidden_units: chosen
                .hidden_units
                .as_ref()
                .map(|units| hidden_units(units, &chosen.network)),
            effective_hidden: chosen.hidden_units.as_ref().map(HiddenUnits::effective),
            causes: chosen.hidden_units.as_ref().map(HiddenUnits::causes),
            chance_of_another_solution: self.completeness.unseen,
            search: SearchRecord {
                way: self.search.to_string(),
                restarts: self.candidates.len(),
                independent: self.completeness.independent,
                unseen_share: self.completeness.unseen,
                gain_of_twice: self.completeness.gain,
            },
            cost_of_entropy: self.cost.map(CostRecord::new),
            boundary: boundary(&self.boundary, &chosen.network),
            misfit: self.misfit.as_ref().map(MisfitRecord::new),
            validation: ValidationRecord::of(self),
            warnings,
            uncertainty: UncertaintyRecord::new(chosen, self.bootstrap.as_ref()),
            choices: ChoicesRecord::new(&self.choices),
        }
    }

    /// start.json: what the chosen candidate's restart began at.
    #[doc(hidden)]
    pub fn start_document(&self) -> ModelDocument {
        let chosen = self.chosen();
        let start = chosen.network.with_weights(chosen.start.clone());
        ModelDocument::new(start.as_ref().unwrap_or(&chosen.network))
    }

    /// run.json.
    #[doc(hidden)]
    pub fn run_record(
        &self,
        data: &Dataset,
        context: &RunContext,
        wording: &dyn Wording,
    ) -> RunRecord {
        let chosen = self.chosen();
        let timings = &self.timings;
        RunRecord {
            manifest: Manifest::default(),
            program: "latentropy".to_string(),
            version: env!("CARGO_PKG_VERSION").to_string(),
            arguments: context.arguments.clone(),
            settings: self.settings(context, wording),
            seed: self.seed,
            data: DataRecord {
                file: context.file.clone(),
                fingerprint: format!("{:016x}", data.fingerprint()),
                rows: data.len(),
                rows_used: self.rows_used,
                distinct_rows: data.rows().len(),
                columns: data.columns().to_vec(),
                missing_cells: data.missing_cells(),
                codings: context.codings.clone(),
                id: context.id.clone(),
                weights: context.weights.clone(),
                image: context.image,
            },
            result: ResultRecord {
                selected: self.selected,
                selected_is_feasible: self.selected_is_feasible,
                distinct_solutions: self.distinct_solutions,
                boundary: boundary(&self.boundary, &chosen.network),
                misfit: self.misfit.as_ref().map(MisfitRecord::new),
                residual_in_errors: chosen.worth.constraints.map(|found| found.largest),
                log_likelihood_interval: chosen.worth.log_likelihood_interval,
                validation: ValidationRecord::of(self),
                warnings: [context.warnings.clone(), self.warnings(wording)].concat(),
            },
            threads: context.threads,
            timings: TimingsRecord {
                started_unix: context.started_unix,
                reading_seconds: context.reading_seconds,
                choosing_seconds: timings.choosing.as_secs_f64(),
                fitting_seconds: timings.fitting.as_secs_f64(),
                resampling_seconds: timings.resampling.as_secs_f64(),
            },
            uncertainty: Some(UncertaintyRecord::new(chosen, self.bootstrap.as_ref())),
            choices: ChoicesRecord::new(&self.choices),
        }
    }

    fn settings(&self, context: &RunContext, wording: &dyn Wording) -> SettingsRecord {
        let network = &self.chosen().network;
        let mut record = SettingsRecord {
            hidden: network.hidden().len(),
            shape: context.shape.clone(),
            bias: context.bias,
            order: network.order(),
            learner: self.course.learner.name().to_string(),
            finish: self.course.finish.is_some(),
            warm_up: self.course.finish.map(|finish| finish.warm_up),
            anneal: self.course.anneal,
            engine: self.engine.name().to_string(),
            engine_reason: self.engine_reason.as_ref().map(|r| r.worded(wording)),
            ridge: self.objective.ridge,
            bias_ridge: network.is_recodable().then_some(self.objective.bias_ridge),
            bound: self.objective.bound,
            tol: self.course.tolerance,
            max_iter: self.course.max_iterations,
            restarts: self.candidates.len(),
            folds: self.folds,
            select: self.chosen_by().to_string(),
            bootstrap: self.bootstrap_asked.map(|b| b.resamples),
            bootstrap_kind: self.bootstrap_asked.map(|b| b.kind.to_string()),
            columns: context.columns.clone(),
            ..SettingsRecord::default()
        };
        for (option, value) in self.course.learner.options() {
            record.take(option, value);
        }
        record
    }

    /// The file model.json: the chosen machine and where it comes from.
    #[doc(hidden)]
    pub fn model_document(&self, data: &Dataset) -> ModelDocument {
        let chosen = self.chosen();
        ModelDocument {
            fit: Some(ProvenanceRecord {
                version: env!("CARGO_PKG_VERSION").to_string(),
                select: self.chosen_by().to_string(),
                seed: self.seed,
                candidate: chosen.index,
                feasible: chosen.feasible,
                engine: self.engine.name().to_string(),
                log_likelihood: chosen.log_likelihood,
                log_likelihood_kind: chosen.worth.log_likelihood,
                entropy: chosen.entropy.value,
                residual: chosen.residual,
                certificate: chosen.certificate.kind.to_string(),
                rows: data.len(),
                rows_used: self.rows_used,
                data_fingerprint: format!("{:016x}", data.fingerprint()),
            }),
            ..ModelDocument::new(&chosen.network)
        }
    }
}

impl SettingsRecord {
    /// Takes in one of the learner's options.
    fn take(&mut self, option: Setting, value: OptionValue) {
        let count = match &value {
            OptionValue::Count(count) => Some(*count),
            _ => None,
        };
        let number = match &value {
            OptionValue::Number(number) => Some(*number),
            _ => None,
        };
        match option {
            Setting::Inner => self.inner = count,
            Setting::CdSteps => self.cd_steps = count,
            Setting::Chains => self.chains = count,
            Setting::Within => self.within = number,
            Setting::Batch => self.batch = count,
            Setting::CdRate => self.cd_rate = number,
            Setting::CdDecay => self.cd_decay = number,
            Setting::Rule => self.rule = Some(value.to_string()),
            Setting::Step => {
                self.step = Some(match number {
                    Some(number) => OptionRecord::Number(number),
                    None => OptionRecord::Word(value.to_string()),
                });
            }
            _ => {}
        }
    }
}

impl ModelDocument {
    /// A network in the layout of model.json.
    pub fn new(network: &Network) -> Self {
        let constant = Some(TermRecord {
            units: Vec::new(),
            weight: network.constant(),
        });
        let constant = constant.filter(|term| term.weight != 0.0);
        let weighted = network.terms().iter().zip(network.weights());
        let terms = weighted.map(|(term, &weight)| TermRecord {
            units: term.units().to_vec(),
            weight,
        });
        ModelDocument {
            format: MODEL_FORMAT.to_string(),
            units: network.units().to_vec(),
            terms: constant.into_iter().chain(terms).collect(),
            codings: Vec::new(),
            fit: None,
            run: None,
        }
    }

    /// The text of a model file: one unit and one term per line, so that people and line-based tools can read it.
    pub fn text(&self) -> String {
        let line = |value: serde_json::Result<String>| value.unwrap_or_default();
        let units = self
            .units
            .iter()
            .map(|unit| line(serde_json::to_string(unit)));
        let terms = self
            .terms
            .iter()
            .map(|term| line(serde_json::to_string(term)));
        let list = |items: Vec<String>| items.join(",\n");
        let mut text = format!(
            "{{\n\"format\": \"{}\",\n\"units\": [\n{}\n],\n\"terms\": [\n{}\n]",
            self.format,
            list(units.collect()),
            list(terms.collect())
        );
        if !self.codings.is_empty() {
            let codings = self
                .codings
                .iter()
                .map(|coding| line(serde_json::to_string(coding)));
            text += &format!(",\n\"codings\": [\n{}\n]", list(codings.collect()));
        }
        if let Some(fit) = &self.fit {
            text += &format!(",\n\"fit\": {}", line(serde_json::to_string(fit)));
        }
        if let Some(run) = &self.run {
            text += &format!(",\n\"run\": {}", line(serde_json::to_string(run)));
        }
        text + "\n}\n"
    }
}

impl CandidateWeights {
    /// Of one candidate.
    pub fn new(candidate: &Candidate) -> Self {
        CandidateWeights {
            index: candidate.index,
            solution: candidate.solution,
            start: candidate.start.clone(),
            weights: candidate.network.weights().to_vec(),
            run: None,
        }
    }
}

impl CandidateRecord {
    /// The heads of candidates.csv.
    pub const HEADS: [&'static str; 21] = [
        "index",
        "seed_stream",
        "log_likelihood",
        "entropy",
        "residual",
        "iterations",
        "stop",
        "certificate",
        "mutual_information",
        "solution",
        "feasible",
        "trivial",
        "boundary_terms",
        "largest_eigenvalue",
        "selected",
        "log_likelihood_se",
        "entropy_se",
        "log_likelihood_kind",
        "log_likelihood_std_err",
        "entropy_kind",
        "entropy_std_err",
    ];

    /// Of a candidate.
    pub fn new(candidate: &Candidate) -> Self {
        CandidateRecord {
            index: candidate.index,
            seed_stream: candidate.seed_stream,
            log_likelihood: candidate.log_likelihood,
            log_likelihood_kind: candidate.worth.log_likelihood,
            log_likelihood_std_err: candidate.worth.log_likelihood_error,
            entropy: candidate.entropy.value,
            entropy_kind: candidate.entropy.kind,
            entropy_std_err: candidate.entropy.std_err,
            residual: candidate.residual,
            iterations: candidate.iterations,
            stop: candidate.stop.to_string(),
            certificate: candidate.certificate.kind.to_string(),
            mutual_information: candidate.mutual_information,
            solution: candidate.solution,
            feasible: candidate.feasible,
            trivial: candidate.trivial,
            boundary_terms: candidate.certificate.boundary_terms.clone(),
            largest_eigenvalue: candidate.certificate.largest_eigenvalue,
            only_maximum: candidate.certificate.only_maximum,
            residual_in_errors: candidate.worth.constraints.map(|found| found.largest),
            log_likelihood_interval: candidate.worth.log_likelihood_interval,
            log_likelihood_se: candidate.standard_errors.log_likelihood,
            entropy_se: candidate.standard_errors.entropy,
        }
    }

    /// Its cells in candidates.csv; numbers in full, terms by their names.
    pub fn cells(&self, network: &Network, selected: bool) -> Vec<String> {
        let full = |value: f64| format!("{value:?}");
        let optional = |value: Option<f64>| value.map(full).unwrap_or_default();
        let spelled = |kind: Kind| kind.words().to_lowercase().replace(' ', "_");
        let boundary = self.boundary_terms.iter().map(|&term| network.label(term));
        let boundary: Vec<String> = boundary.collect();
        vec![
            self.index.to_string(),
            self.seed_stream.to_string(),
            full(self.log_likelihood),
            full(self.entropy),
            full(self.residual),
            self.iterations.to_string(),
            self.stop.clone(),
            self.certificate.clone(),
            optional(self.mutual_information),
            self.solution.to_string(),
            self.feasible.to_string(),
            self.trivial.to_string(),
            boundary.join("; "),
            optional(self.largest_eigenvalue),
            selected.to_string(),
            optional(self.log_likelihood_se),
            optional(self.entropy_se),
            spelled(self.log_likelihood_kind),
            optional(self.log_likelihood_std_err),
            spelled(self.entropy_kind),
            optional(self.entropy_std_err),
        ]
    }
}

fn boundary(boundary: &[BoundaryTerm], network: &Network) -> Vec<BoundaryRecord> {
    let record = |at: &BoundaryTerm| {
        let units = network.terms()[at.term].units().iter();
        BoundaryRecord {
            term: at.term,
            units: units.map(|&u| network.units()[u].name.clone()).collect(),
            weight: at.weight,
            cause: at.cause.to_string(),
        }
    };
    boundary.iter().map(record).collect()
}

impl MisfitRecord {
    fn new(found: &Misfit) -> Self {
        let cause = |cause: &MisfitCause| MisfitCauseRecord {
            cause: cause.name().to_string(),
            why: cause.sentence(),
        };
        let judged = |count: usize, beyond: usize| JudgedRecord { count, beyond };
        let triplets = found.checks.triplets.as_ref();
        let score = found.checks.sum_score.as_ref();
        MisfitRecord {
            misfits: found.misfits(),
            can_tell: found.can_tell(),
            signs: found.signs(),
            causes: found.causes.iter().map(cause).collect(),
            pairs: judged(found.pairs.count, found.pairs.beyond),
            triplets: triplets.map(|triplets| judged(triplets.count, triplets.beyond)),
            sum_score: score.map(|score| SumScoreRecord {
                rows: score.rows,
                chi_square: score.chi_square,
                degrees: score.degrees,
                surprise: score.surprise(),
            }),
            draws: found.checks.draws,
            ridge_is_strong: found.ridge_is_strong,
        }
    }
}

impl ValidationRecord {
    fn of(fit: &Fit) -> Option<Self> {
        let validated = fit.validation?;
        let monitored = fit.chosen().monitored.as_ref();
        let looks = monitored.map_or(&[][..], |monitored| &monitored.looks);
        let looks = looks.iter().map(|look| LookRecord {
            pass: look.pass,
            training_log_likelihood: look.training,
            validation_log_likelihood: look.validation,
            std_err: look.std_err,
            free_energy_gap: look.gap,
        });
        Some(ValidationRecord {
            rows: validated.rows,
            log_likelihood: validated.mean,
            log_likelihood_kind: validated.kind,
            std_err: validated.std_err,
            log_partition_std_err: validated.log_partition_error,
            kept_pass: monitored.and_then(|m| m.best()).map(|look| look.pass),
            looks: looks.collect(),
        })
    }
}

impl UncertaintyRecord {
    fn new(chosen: &Candidate, bootstrap: Option<&Bootstrap>) -> Self {
        let errors = &chosen.standard_errors;
        let spreads = bootstrap.and_then(|b| b.spreads.as_ref());
        let number =
            |value: f64, standard_error: Option<f64>, spread: Option<&Spread>| NumberRecord {
                value,
                standard_error,
                bootstrap: bootstrap.map(|_| spread.map(SpreadRecord::new)),
            };
        let network = &chosen.network;
        let weight = |at: usize| WeightRecord {
            units: network.terms()[at].units().to_vec(),
            label: network.label(at),
            number: number(
                network.weights()[at],
                errors.weights[at],
                spreads.and_then(|s| s.weights[at].as_ref()),
            ),
        };
        UncertaintyRecord {
            log_likelihood: number(
                chosen.log_likelihood,
                errors.log_likelihood,
                spreads.map(|s| &s.log_likelihood),
            ),
            entropy: number(
                chosen.entropy.value,
                errors.entropy,
                spreads.and_then(|s| s.entropy.as_ref()),
            ),
            weights: (0..network.terms().len()).map(weight).collect(),
            standard_errors_relative_error: (errors.relative_error > 0.0)
                .then_some(errors.relative_error),
            undetermined_terms: errors.undetermined.clone(),
            bootstrap: bootstrap.map(|bootstrap| BootstrapRecord {
                kind: bootstrap.settings.kind.to_string(),
                resamples: bootstrap.settings.resamples,
                converged: bootstrap.converged,
                at_the_edge: bootstrap.at_the_edge,
                interval: [0.025, 0.975],
            }),
        }
    }
}

impl SpreadRecord {
    fn new(spread: &Spread) -> Self {
        SpreadRecord {
            mean: spread.mean,
            standard_error: spread.std_err,
            interval: [spread.low, spread.high],
        }
    }
}

impl ChoicesRecord {
    fn new(choices: &Choices) -> Self {
        ChoicesRecord {
            ridge_selection: choices.ridge.as_ref().map(RidgeSelectionRecord::new),
            ridge_evidence: choices.evidence.as_ref().map(EvidenceChoiceRecord::new),
            solution_selection: choices.solution.map(|choice| SolutionSelectionRecord {
                among: choice.among,
                ahead: choice.ahead,
                std_err: choice.std_err,
            }),
            principle_selection: choices.principle.map(|choice| PrincipleSelectionRecord {
                chosen: choice.chosen.to_string(),
                lme: choice.by_entropy,
                mle: choice.by_likelihood,
                std_err: choice.std_err,
            }),
            comparison: choices.comparison.as_ref().map(ComparisonRecord::new),
        }
    }
}

impl StandingRecord {
    fn new(standing: &Standing) -> Self {
        StandingRecord {
            mean_log_likelihood: standing.mean,
            std_err: standing.std_err,
            behind_best: standing.behind,
            behind_best_std_err: standing.behind_std_err,
        }
    }
}

impl RidgeSelectionRecord {
    fn new(choice: &RidgeChoice) -> Self {
        let entries = choice.table.iter().map(|score| RidgeEntry {
            ridge: score.ridge,
            chosen: score.ridge == choice.chosen,
            standing: StandingRecord::new(&score.standing),
        });
        RidgeSelectionRecord {
            chosen: choice.chosen,
            table: entries.collect(),
        }
    }
}

/// The hidden units of a network as a file tells them.
fn hidden_units(units: &HiddenUnits, network: &Network) -> Vec<HiddenUnitRecord> {
    let name = |unit: usize| network.units()[unit].name.clone();
    let units = units.units.iter().map(|unit| HiddenUnitRecord {
        name: name(unit.unit),
        on: unit.on,
        information: unit.information,
        says_nothing: unit.says_nothing,
        copy_of: unit.copy_of.map(name),
        scale_with: unit.scale_with.map(|(other, _)| name(other)),
        scalability: unit.scale_with.map(|(_, h)| h),
    });
    units.collect()
}

impl ComparisonRecord {
    fn new(comparison: &Comparison) -> Self {
        let (chosen, best) = (comparison.chosen(), &comparison.table[comparison.best]);
        let entries = comparison.by_parameters().into_iter();
        let entries = entries.map(|entry| ComparedRecord {
            shape: entry.shape.clone(),
            hidden: entry.hidden,
            parameters: entry.parameters,
            ridge: entry.ridge,
            chosen: entry == chosen,
            best: entry == best,
            standing: StandingRecord::new(&entry.standing),
            training_log_likelihood: entry.log_likelihood,
            silent_units: entry.silent,
            bic: entry.bic,
        });
        ComparisonRecord {
            rule: comparison.rule,
            table: entries.collect(),
            gains: comparison
                .gains
                .iter()
                .map(|gain| GainRecord {
                    over: gain.over.clone(),
                    mean: gain.mean,
                    std_err: gain.std_err,
                })
                .collect(),
            best_is_last: comparison.best_is_last,
        }
    }
}

impl CostRecord {
    fn new(cost: Cost) -> Self {
        CostRecord {
            most_likely: cost.most_likely,
            per_row: cost.per_row,
            std_err: cost.std_err,
            all_rows: cost.all_rows,
            clear: cost.is_clear(),
        }
    }
}

impl EvidenceChoiceRecord {
    fn new(choice: &EvidenceChoice) -> Self {
        let rounds = choice.rounds.iter().map(|round| EvidenceRoundRecord {
            ridge: round.ridge,
            determined: round.determined,
            determined_std_err: round.determined_error,
        });
        EvidenceChoiceRecord {
            chosen: choice.chosen,
            rounds: rounds.collect(),
        }
    }
}
