//! The documents of a fit as serde types, and how they are made from one.

use crate::data::{Coding, Dataset};
use crate::fit::boundary::BoundaryTerm;
use crate::fit::choice::{Choices, RidgeChoice, SizeChoice, Standing};
use crate::fit::evidence::EvidenceChoice;
use crate::fit::result::Fit;
use crate::fit::uncertainty::{Bootstrap, Spread};
use crate::inference::Kind;
use crate::learning::OptionValue;
use crate::message::{Setting, Wording};
use crate::network::{MODEL_FORMAT, Network, Unit};
use crate::selection::Candidate;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The document of `fit --json`: every candidate and the chosen model, nothing that changes from run to run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct FitDocument {
    /// Position of the chosen candidate.
    pub selected: usize,
    /// False where no candidate was a proper solution.
    pub selected_is_feasible: bool,
    /// Who summed over states.
    pub engine: String,
    /// Why, where no engine was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine_reason: Option<String>,
    /// The principle that chose: `lme` or `mle`.
    pub select: String,
    /// Every restart's result, in order.
    pub candidates: Vec<CandidateRecord>,
    /// How many distinct solutions there are.
    pub distinct_solutions: usize,
    /// How many rows were learned from, by their weights: those with a known cell.
    pub rows_used: f64,
    /// The chosen machine.
    pub model: ModelDocument,
    /// The chosen candidate's weights at the edge of the box, each with what in the data drove it there.
    pub boundary: Vec<BoundaryRecord>,
    /// What a user should know.
    pub warnings: Vec<String>,
    /// Standard errors of the chosen machine, and its bootstrap if there was one.
    pub uncertainty: UncertaintyRecord,
    /// What was chosen by cross-validation or evidence, where something was.
    #[serde(flatten)]
    pub choices: ChoicesRecord,
}

/// One candidate, without its weights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct CandidateRecord {
    /// Which restart, from 0.
    pub index: usize,
    /// The stream of random numbers it started from.
    pub seed_stream: u64,
    /// Mean log-likelihood of a row, in nats.
    pub log_likelihood: f64,
    /// What it is worth.
    pub log_likelihood_kind: Kind,
    /// Its Monte-Carlo error.
    pub log_likelihood_std_err: Option<f64>,
    /// Entropy of the machine, in nats.
    pub entropy: f64,
    /// What it is worth.
    pub entropy_kind: Kind,
    /// Its Monte-Carlo error.
    pub entropy_std_err: Option<f64>,
    /// The largest violation of stationarity.
    pub residual: f64,
    /// Steps made.
    pub iterations: usize,
    /// Why it stopped.
    pub stop: String,
    /// What kind of point it is.
    pub certificate: String,
    /// I(Y;Z) in nats; none where the machine is too large.
    pub mutual_information: Option<f64>,
    /// Which distinct solution it is.
    pub solution: usize,
    /// Whether the residual is within the tolerance.
    pub feasible: bool,
    /// Whether the hidden units are independent of the visible ones.
    pub trivial: bool,
    /// Positions in the model's terms of the weights at the edge of the box.
    pub boundary_terms: Vec<usize>,
    /// The largest eigenvalue of the Hessian over the terms that may move.
    pub largest_eigenvalue: Option<f64>,
    /// Standard error of the log-likelihood over the rows.
    pub log_likelihood_se: Option<f64>,
    /// Standard error of the entropy.
    pub entropy_se: Option<f64>,
}

/// The layout `latentropy/1` of model.json.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ModelDocument {
    /// `latentropy/1`.
    pub format: String,
    /// The units, visible and hidden.
    pub units: Vec<Unit>,
    /// The terms with their weights; one without units is the constant.
    pub terms: Vec<TermRecord>,
    /// What the words of columns mean that were not the usual spellings of 0 and 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub codings: Vec<Coding>,
    /// Where it comes from, in a file that a fit wrote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fit: Option<ProvenanceRecord>,
}

/// A term and its weight.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct TermRecord {
    /// Positions of its units.
    pub units: Vec<usize>,
    /// Its weight.
    pub weight: f64,
}

/// Where a model comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ProvenanceRecord {
    /// The program's version.
    pub version: String,
    /// The principle that chose it.
    pub select: String,
    /// The seed.
    pub seed: u64,
    /// Which restart it is.
    pub candidate: usize,
    /// Whether it is a solution.
    pub feasible: bool,
    /// Who summed over states.
    pub engine: String,
    /// Mean log-likelihood of a row.
    pub log_likelihood: f64,
    /// What that is worth.
    pub log_likelihood_kind: Kind,
    /// Entropy of the machine.
    pub entropy: f64,
    /// The largest violation of stationarity.
    pub residual: f64,
    /// What kind of point it is.
    pub certificate: String,
    /// How many rows there were.
    pub rows: usize,
    /// How many of them were learned from, by their weights.
    pub rows_used: f64,
    /// A digest of the data.
    pub data_fingerprint: String,
}

/// A weight at the edge of the box.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct BoundaryRecord {
    /// Position in the model's terms.
    pub term: usize,
    /// Names of its units.
    pub units: Vec<String>,
    /// Its weight.
    pub weight: f64,
    /// What in the data drove it there.
    pub cause: String,
}

/// How sure the chosen machine is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct UncertaintyRecord {
    /// Of the mean log-likelihood of a row.
    pub log_likelihood: NumberRecord,
    /// Of the entropy.
    pub entropy: NumberRecord,
    /// Of every weight.
    pub weights: Vec<WeightRecord>,
    /// Terms whose weights the data do not determine.
    pub undetermined_terms: Vec<usize>,
    /// How the bootstrap was made, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bootstrap: Option<BootstrapRecord>,
}

/// A number, its standard error, and its spread where there was a bootstrap.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct NumberRecord {
    /// The number.
    pub value: f64,
    /// Its standard error, where there is one.
    pub standard_error: Option<f64>,
    /// Its spread over the refits; null where they do not determine it.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "present")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<SpreadRecord>"))]
    pub bootstrap: Option<Option<SpreadRecord>>,
}

/// A weight with its term.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct WeightRecord {
    /// Positions of the term's units.
    pub units: Vec<usize>,
    /// Their names, joined.
    pub label: String,
    /// The weight itself.
    #[serde(flatten)]
    pub number: NumberRecord,
}

/// A spread over refits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct SpreadRecord {
    /// The mean.
    pub mean: f64,
    /// The standard deviation of the refits.
    pub standard_error: f64,
    /// The middle 95 %.
    pub interval: [f64; 2],
}

/// How a bootstrap was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct BootstrapRecord {
    /// `rows` or `parametric`.
    pub kind: String,
    /// How many resamples.
    pub resamples: usize,
    /// How many refits converged.
    pub converged: usize,
    /// How many of these have a weight at the edge of the box.
    pub at_the_edge: usize,
    /// The quantiles of the intervals.
    pub interval: [f64; 2],
}

/// What was chosen before the fit itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ChoicesRecord {
    /// Where the ridge was cross-validated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ridge_selection: Option<RidgeSelectionRecord>,
    /// Where the ridge was found by evidence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ridge_evidence: Option<EvidenceChoiceRecord>,
    /// Where several sizes were compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size_selection: Option<SizeSelectionRecord>,
}

/// The ridges that were compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct RidgeSelectionRecord {
    /// The chosen one.
    pub chosen: f64,
    /// All of them, from the largest to the smallest.
    pub table: Vec<RidgeEntry>,
}

/// One ridge that was compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct RidgeEntry {
    /// The ridge.
    pub ridge: f64,
    /// Whether it was chosen.
    pub chosen: bool,
    /// How it did.
    #[serde(flatten)]
    pub standing: StandingRecord,
}

/// The numbers of hidden units that were compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct SizeSelectionRecord {
    /// The chosen one.
    pub chosen: usize,
    /// All of them, from the smallest to the largest.
    pub table: Vec<SizeEntry>,
}

/// One number of hidden units that was compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct SizeEntry {
    /// How many.
    pub hidden: usize,
    /// The ridge for this size.
    pub ridge: f64,
    /// Whether it was chosen.
    pub chosen: bool,
    /// How it did.
    #[serde(flatten)]
    pub standing: StandingRecord,
}

/// How a value did on held-out rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct StandingRecord {
    /// Mean log-likelihood of a held-out row.
    pub mean_log_likelihood: f64,
    /// Its standard error over the rows.
    pub std_err: f64,
    /// By how much it is below the best.
    pub behind_best: f64,
    /// Standard error of that difference.
    pub behind_best_std_err: f64,
}

/// The ridge by evidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct EvidenceChoiceRecord {
    /// The ridge.
    pub chosen: f64,
    /// The way there.
    pub rounds: Vec<EvidenceRoundRecord>,
}

/// One round towards it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct EvidenceRoundRecord {
    /// The ridge.
    pub ridge: f64,
    /// How many directions of the weights the data determine at it.
    pub determined: f64,
}

/// run.json.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct RunRecord {
    /// `latentropy`.
    pub program: String,
    /// Its version.
    pub version: String,
    /// What was typed.
    #[serde(default)]
    pub arguments: Vec<String>,
    /// Everything that was set or decided.
    pub settings: SettingsRecord,
    /// The seed.
    pub seed: u64,
    /// The data.
    pub data: DataRecord,
    /// What came out.
    pub result: ResultRecord,
    /// How many threads worked.
    #[serde(default)]
    pub threads: usize,
    /// How long it took.
    pub timings: TimingsRecord,
    /// How sure the chosen machine is.
    #[serde(default)]
    pub uncertainty: Option<UncertaintyRecord>,
    /// What was chosen before the fit itself.
    #[serde(flatten)]
    pub choices: ChoicesRecord,
}

/// Settings; null where one does not apply.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct SettingsRecord {
    /// Hidden units.
    pub hidden: usize,
    /// The shape, or the file of terms.
    pub shape: String,
    /// Whether units have biases.
    pub bias: bool,
    /// The most units in a term.
    pub order: usize,
    /// The learner.
    pub learner: String,
    /// S of an EM learner.
    pub inner: Option<usize>,
    /// Whether second-order steps finished its work.
    pub finish: bool,
    /// Iterations of the learner before them.
    pub warm_up: Option<usize>,
    /// Of gradient ascent: `controlled`, or a length.
    pub step: Option<OptionRecord>,
    /// Of sequential updates.
    pub rule: Option<String>,
    /// k of contrastive divergence.
    pub cd_steps: Option<usize>,
    /// Markov chains.
    pub chains: Option<usize>,
    /// Rows in a mini-batch.
    pub batch: Option<usize>,
    /// First step length of contrastive divergence.
    pub cd_rate: Option<f64>,
    /// Passes after which it has halved.
    pub cd_decay: Option<f64>,
    /// Whether restarts were annealed.
    pub anneal: bool,
    /// Who summed over states.
    pub engine: String,
    /// Why, where no engine was named.
    pub engine_reason: Option<String>,
    /// The ridge.
    pub ridge: f64,
    /// The box.
    #[serde(rename = "box")]
    pub bound: f64,
    /// The residual of a solution.
    pub tol: f64,
    /// The most iterations.
    pub max_iter: usize,
    /// How many restarts.
    pub restarts: usize,
    /// How many folds, where something was compared.
    pub folds: Option<usize>,
    /// The principle.
    pub select: String,
    /// How many resamples.
    pub bootstrap: Option<usize>,
    /// Where they came from.
    pub bootstrap_kind: Option<String>,
    /// Which columns were read.
    pub columns: Vec<String>,
}

/// A number or a word.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(untagged)]
pub enum OptionRecord {
    /// A number.
    Number(f64),
    /// A word.
    Word(String),
}

/// The data of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct DataRecord {
    /// The file.
    pub file: String,
    /// A digest of its content.
    pub fingerprint: String,
    /// How many rows there were.
    pub rows: usize,
    /// How many of them were learned from, by their weights: those with a known cell.
    #[serde(default)]
    pub rows_used: f64,
    /// How many are different.
    pub distinct_rows: usize,
    /// The columns.
    pub columns: Vec<String>,
    /// How many cells are missing.
    pub missing_cells: u64,
    /// What the words of columns mean that were not the usual spellings of 0 and 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub codings: Vec<Coding>,
    /// The column that names the rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The column that says what rows weigh.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<String>,
}

/// What came out of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ResultRecord {
    /// Position of the chosen candidate.
    pub selected: usize,
    /// False where no candidate was a proper solution.
    pub selected_is_feasible: bool,
    /// How many distinct solutions there are.
    pub distinct_solutions: usize,
    /// The chosen candidate's weights at the edge of the box.
    #[serde(default)]
    pub boundary: Vec<BoundaryRecord>,
    /// What a user should know.
    #[serde(default)]
    pub warnings: Vec<String>,
}

/// How long a run took, in seconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct TimingsRecord {
    /// When it began, in seconds since 1970.
    pub started_unix: f64,
    /// Reading the data.
    pub reading_seconds: f64,
    /// Choosing a size or a ridge.
    pub choosing_seconds: f64,
    /// The restarts.
    pub fitting_seconds: f64,
    /// The bootstrap.
    pub resampling_seconds: f64,
}

/// Keeps "there was a bootstrap, and it says nothing" apart from "there was none".
mod present {
    use super::SpreadRecord;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(
        value: &Option<Option<SpreadRecord>>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        value.as_ref().and_then(Option::as_ref).serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<Option<SpreadRecord>>, D::Error> {
        Option::<SpreadRecord>::deserialize(from).map(Some)
    }
}

/// The JSON schemas of the documents, each with the name of its file in docs/schemas.
#[cfg(feature = "schema")]
pub fn schemas() -> [(&'static str, schemars::Schema); 3] {
    [
        ("fit.schema.json", schemars::schema_for!(FitDocument)),
        ("run.schema.json", schemars::schema_for!(RunRecord)),
        ("model.schema.json", schemars::schema_for!(ModelDocument)),
    ]
}

/// What only the interface knows about a run.
#[derive(Clone, Debug, Default)]
pub struct RunContext {
    /// What was typed.
    pub arguments: Vec<String>,
    /// The data's file.
    pub file: String,
    /// Which columns were read.
    pub columns: Vec<String>,
    /// What the words of columns mean that were not the usual spellings of 0 and 1.
    pub codings: Vec<Coding>,
    /// The column that names the rows.
    pub id: Option<String>,
    /// The column that says what rows weigh.
    pub weights: Option<String>,
    /// The shape as it was asked for, or the file of terms.
    pub shape: String,
    /// Whether units have biases.
    pub bias: bool,
    /// How many threads worked.
    pub threads: usize,
    /// When it began, in seconds since 1970.
    pub started_unix: f64,
    /// How long reading took, in seconds.
    pub reading_seconds: f64,
    /// What there is to say besides the fit's own remarks, said first.
    pub warnings: Vec<String>,
}

impl Fit {
    /// The fit's remarks, in the names of an interface.
    pub fn warnings(&self, wording: &dyn Wording) -> Vec<String> {
        self.remarks
            .iter()
            .map(|remark| remark.worded(wording))
            .collect()
    }

    /// The whole fit as one document; `warnings` are all there are.
    pub fn document(&self, warnings: Vec<String>, wording: &dyn Wording) -> FitDocument {
        let chosen = self.chosen();
        FitDocument {
            selected: self.selected,
            selected_is_feasible: self.selected_is_feasible,
            engine: self.engine.name().to_string(),
            engine_reason: self.engine_reason.as_ref().map(|r| r.worded(wording)),
            select: self.principle.to_string(),
            candidates: self.candidates.iter().map(CandidateRecord::new).collect(),
            distinct_solutions: self.distinct_solutions,
            rows_used: self.rows_used,
            model: ModelDocument::new(&chosen.network),
            boundary: boundary(&self.boundary, &chosen.network),
            warnings,
            uncertainty: UncertaintyRecord::new(chosen, self.bootstrap.as_ref()),
            choices: ChoicesRecord::new(&self.choices),
        }
    }

    /// run.json.
    pub fn run_record(
        &self,
        data: &Dataset,
        context: &RunContext,
        wording: &dyn Wording,
    ) -> RunRecord {
        let chosen = self.chosen();
        let timings = &self.timings;
        RunRecord {
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
            },
            result: ResultRecord {
                selected: self.selected,
                selected_is_feasible: self.selected_is_feasible,
                distinct_solutions: self.distinct_solutions,
                boundary: boundary(&self.boundary, &chosen.network),
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
            bound: self.objective.bound,
            tol: self.course.tolerance,
            max_iter: self.course.max_iterations,
            restarts: self.candidates.len(),
            folds: self.folds,
            select: self.principle.to_string(),
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
    pub fn model_document(&self, data: &Dataset) -> ModelDocument {
        let chosen = self.chosen();
        ModelDocument {
            fit: Some(ProvenanceRecord {
                version: env!("CARGO_PKG_VERSION").to_string(),
                select: self.principle.to_string(),
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
        text + "\n}\n"
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
            size_selection: choices.size.as_ref().map(SizeSelectionRecord::new),
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

impl SizeSelectionRecord {
    fn new(choice: &SizeChoice) -> Self {
        let entries = choice.table.iter().map(|score| SizeEntry {
            hidden: score.hidden,
            ridge: score.ridge,
            chosen: score.hidden == choice.chosen,
            standing: StandingRecord::new(&score.standing),
        });
        SizeSelectionRecord {
            chosen: choice.chosen,
            table: entries.collect(),
        }
    }
}

impl EvidenceChoiceRecord {
    fn new(choice: &EvidenceChoice) -> Self {
        let rounds = choice.rounds.iter().map(|round| EvidenceRoundRecord {
            ridge: round.ridge,
            determined: round.determined,
        });
        EvidenceChoiceRecord {
            chosen: choice.chosen,
            rounds: rounds.collect(),
        }
    }
}
