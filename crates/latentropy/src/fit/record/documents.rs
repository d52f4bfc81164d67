//! The documents of a fit as serde types.

use crate::data::Coding;
use crate::files::Manifest;
use crate::fit::comparison::Rule;
use crate::inference::{Interval, Kind};
use crate::network::Unit;
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
    /// The principle that chose, `lme` or `mle`; `held-out` where the rows of a validation table chose another solution than `lme` would.
    pub select: String,
    /// Every restart's result, in order.
    pub candidates: Vec<CandidateRecord>,
    /// How many distinct solutions there are.
    pub distinct_solutions: usize,
    /// How many rows were learned from, by their weights: those with a known cell.
    pub rows_used: f64,
    /// The chosen machine.
    pub model: ModelDocument,
    /// What the hidden units of the chosen machine say; none where that is beyond exact sums.
    pub hidden_units: Option<Vec<HiddenUnitRecord>>,
    /// How many different units there are: those that say something, copies counted once.
    pub effective_hidden: Option<usize>,
    /// How many causes they tell apart: units that form a strong scale are grades of one.
    pub causes: Option<usize>,
    /// The chance that one more random start would have ended in a solution that none of the random starts has met.
    pub chance_of_another_solution: f64,
    /// Where restarts began, and what more of them might bring.
    pub search: SearchRecord,
    /// What highest entropy costs in likelihood; none where both principles choose one solution.
    pub cost_of_entropy: Option<CostRecord>,
    /// The chosen candidate's weights at the edge of the box, each with what in the data drove it there.
    pub boundary: Vec<BoundaryRecord>,
    /// Where the chosen machine misfits, and why it may; none where that is beyond exact sums.
    pub misfit: Option<MisfitRecord>,
    /// What the chosen machine says of the rows kept for validation, where there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub validation: Option<ValidationRecord>,
    /// What a user should know.
    pub warnings: Vec<String>,
    /// Standard errors of the chosen machine, and its bootstrap if there was one.
    pub uncertainty: UncertaintyRecord,
    /// What was chosen by cross-validation or evidence, where something was.
    #[serde(flatten)]
    pub choices: ChoicesRecord,
}

/// How the search went.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct SearchRecord {
    /// `restarts`, `iterated`, `anneal` or `path`.
    pub way: String,
    /// How many restarts there were in all.
    pub restarts: usize,
    /// How many of them began by themselves; the others began at the best solutions before them.
    pub independent: usize,
    /// The share of solutions, by how often random starts end in them, that the random starts have not met (Good and
    /// Turing's estimate).
    pub unseen_share: f64,
    /// By how much twice the search might raise what was ranked by (the entropy with `lme`, the log-likelihood with `mle`), in
    /// nats: what its last doubling brought; none where that cannot be told.
    pub gain_of_twice: Option<f64>,
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
    /// Whether it is known to be the only maximum, since the problem is concave; left out where it is not, and of
    /// candidates.csv.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub only_maximum: bool,
    /// The largest violation of a constraint in units of that constraint's own standard error in the data, where learning
    /// was by samples; left out where it was not, and of candidates.csv.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub residual_in_errors: Option<f64>,
    /// From where to where the log-likelihood lies as far as all ways to log Z tell (tempered ladders, annealing in both
    /// directions, the weight of distinct states, which log Z cannot be below), and whether they agree; left out where it is not
    /// sampled, and of candidates.csv.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_likelihood_interval: Option<Interval>,
    /// Standard error of the log-likelihood over the rows.
    pub log_likelihood_se: Option<f64>,
    /// Standard error of the entropy.
    pub entropy_se: Option<f64>,
}

/// One line of candidates.jsonl: a candidate's weights, in the order of model.json's terms.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct CandidateWeights {
    /// Which restart, from 0.
    pub index: usize,
    /// Which distinct solution it is.
    pub solution: usize,
    /// What it began at; of an annealed run and of a path the last solution on the way.
    pub start: Vec<f64>,
    /// What it ended with.
    pub weights: Vec<f64>,
    /// The run that it is of: `run` of the run.json beside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
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
    /// The run that it is a file of: `run` of the run.json beside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
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

/// What a machine says of rows that it was not learned from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ValidationRecord {
    /// How many rows with a known cell.
    pub rows: usize,
    /// Mean log-likelihood of such a row, in nats.
    pub log_likelihood: f64,
    /// What it is worth.
    pub log_likelihood_kind: Kind,
    /// Its standard error over the rows.
    pub std_err: f64,
    /// The Monte-Carlo error that it has from log Z.
    pub log_partition_std_err: Option<f64>,
    /// The pass whose weights were kept, where the rows were watched while learning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept_pass: Option<usize>,
    /// Every look at the rows on the way, where there were any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub looks: Vec<LookRecord>,
}

/// One look at the rows kept for validation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct LookRecord {
    /// Passes made.
    pub pass: usize,
    /// Mean log-likelihood of the rows that are learned from.
    pub training_log_likelihood: f64,
    /// That of the validation rows.
    pub validation_log_likelihood: f64,
    /// The Monte-Carlo error that both have from log Z.
    pub std_err: f64,
    /// The mean free energy of the validation rows less that of the others.
    pub free_energy_gap: f64,
}

/// Where a machine misfits its data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct MisfitRecord {
    /// True where the data are further from the machine than chance explains.
    pub misfits: bool,
    /// False where columns and rows are too few to tell.
    pub can_tell: bool,
    /// What is further from the data than chance explains, a phrase each.
    pub signs: Vec<String>,
    /// The causes whose conditions hold.
    pub causes: Vec<MisfitCauseRecord>,
    /// Pairs of columns that are one together.
    pub pairs: JudgedRecord,
    /// Triplets of columns that are one together, those that are frequent enough to judge.
    pub triplets: Option<JudgedRecord>,
    /// How many columns are one in a complete row; none without complete rows.
    pub sum_score: Option<SumScoreRecord>,
    /// How many draws stand for the machine in the last two; none where its numbers are exact.
    pub draws: Option<usize>,
    /// Whether the ridge moves a moment by a standard error and more.
    pub ridge_is_strong: bool,
}

/// Why a machine may misfit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct MisfitCauseRecord {
    /// `too few hidden units`, `box`, `ridge`, `shape`, `not known` or `missing cells`.
    pub cause: String,
    /// The sentence.
    pub why: String,
}

/// Frequencies that were judged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct JudgedRecord {
    /// How many.
    pub count: usize,
    /// How many of them are more than two standard errors from the data.
    pub beyond: usize,
}

/// How many columns are one in a row, data against machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct SumScoreRecord {
    /// What the complete rows weigh.
    pub rows: f64,
    /// Chi-square of the numbers of ones.
    pub chi_square: f64,
    /// Its degrees of freedom.
    pub degrees: usize,
    /// The chi-square as a standard normal deviate.
    pub surprise: f64,
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
    /// The relative standard error of each weight's standard error, where these are estimated from random draws since there are
    /// too many weights for more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standard_errors_relative_error: Option<f64>,
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
    /// Where the rows of a validation table chose the solution.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub solution_selection: Option<SolutionSelectionRecord>,
    /// Where the folds chose between the principles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub principle_selection: Option<PrincipleSelectionRecord>,
    /// Where several machines were compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comparison: Option<ComparisonRecord>,
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

/// The machines that were compared on rows held out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ComparisonRecord {
    /// From the machine with the fewest weights to the one with the most.
    pub table: Vec<ComparedRecord>,
    /// What the chosen machine gains over plain ones.
    pub gains: Vec<GainRecord>,
    /// How the machine was chosen: `simplest` within one standard error of the best, or the `best`.
    #[serde(default)]
    pub rule: Rule,
    /// True where the best machine is the largest of its shape that could be tried.
    pub best_is_last: bool,
}

/// One machine that was compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ComparedRecord {
    /// Its shape.
    pub shape: String,
    /// Its hidden units.
    pub hidden: usize,
    /// How many weights it has.
    pub parameters: usize,
    /// Its ridge on all rows.
    pub ridge: f64,
    /// Whether it was chosen, by the comparison's rule.
    pub chosen: bool,
    /// Whether it is the best on rows held out.
    pub best: bool,
    /// How it did on rows held out.
    #[serde(flatten)]
    pub standing: StandingRecord,
    /// Mean log-likelihood of the rows it was learned from.
    pub training_log_likelihood: f64,
    /// How many of its hidden units say nothing about any row; such a machine is chosen only where there is no other one.
    #[serde(default)]
    pub silent_units: usize,
    /// Bayes' information criterion; smaller is better.
    pub bic: f64,
}

/// What the chosen machine gains per held-out row over a plain one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct GainRecord {
    /// `independent` or `visible`.
    pub over: String,
    /// In nats per row.
    pub mean: f64,
    /// Its standard error.
    pub std_err: f64,
}

/// What the solution of highest entropy gives up against that of highest likelihood.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct CostRecord {
    /// The candidate of highest likelihood.
    pub most_likely: usize,
    /// In nats per row.
    pub per_row: f64,
    /// Its standard error, over the rows' own differences.
    pub std_err: f64,
    /// In nats over all rows.
    pub all_rows: f64,
    /// True if the rows speak clearly against it.
    pub clear: bool,
}

/// Where the folds chose between the principles.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct PrincipleSelectionRecord {
    /// `lme` or `mle`.
    pub chosen: String,
    /// Mean log-likelihood of a held-out row under the choice of highest entropy.
    pub lme: f64,
    /// And under that of highest likelihood.
    pub mle: f64,
    /// Standard error of the difference.
    pub std_err: f64,
}

/// Where the rows of a validation table chose another solution than highest entropy's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct SolutionSelectionRecord {
    /// How many solutions were looked at.
    pub among: usize,
    /// By how much it is ahead of the solution of highest entropy, in nats per row.
    pub ahead: f64,
    /// Standard error of that.
    pub std_err: f64,
}

/// A hidden unit of the chosen machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct HiddenUnitRecord {
    /// Its name.
    pub name: String,
    /// The mean of P(z = 1 | row) over the rows.
    pub on: f64,
    /// Nats per row that it says about the rows.
    pub information: f64,
    /// True of a unit whose posterior is the same for every row.
    pub says_nothing: bool,
    /// The unit that it is a copy of.
    pub copy_of: Option<String>,
    /// The unit that it forms the strongest scale with, if that is a strong one: grades of one cause.
    pub scale_with: Option<String>,
    /// Loevinger's H of the two.
    pub scalability: Option<f64>,
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
    /// Its standard error, where it is estimated since the machine has too many terms for more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub determined_std_err: Option<f64>,
}

/// run.json.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct RunRecord {
    /// Which files are of this run.
    #[serde(flatten)]
    pub manifest: Manifest,
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
    /// The share of its own standard error in the data within which a constraint is met, by samples.
    pub within: Option<f64>,
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
    /// The ridge on biases; null where the machine cannot be recoded, and has none.
    pub bias_ridge: Option<f64>,
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
    /// Height and width of the image whose cells are the columns, row by row from the upper left; left out where they are
    /// not said to form one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<[usize; 2]>,
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
    /// Where the chosen machine misfits, and why it may; none where that is beyond exact sums.
    #[serde(default)]
    pub misfit: Option<MisfitRecord>,
    /// The chosen machine's largest violation of a constraint in units of that constraint's own standard error in the data,
    /// where learning was by samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub residual_in_errors: Option<f64>,
    /// From where to where the chosen machine's log-likelihood lies as far as all ways to log Z tell, where that was sampled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_likelihood_interval: Option<Interval>,
    /// What the chosen machine says of the rows kept for validation, where there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub validation: Option<ValidationRecord>,
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
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
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
    /// Height and width of the image whose cells are the columns.
    pub image: Option<[usize; 2]>,
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
