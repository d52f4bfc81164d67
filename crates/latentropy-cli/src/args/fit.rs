//! Arguments of `fit`.

use super::{DataArgs, EngineChoice, LearnerChoice, RunArgs, values};
use clap::Args;
use latentropy::learning::{LearningSettings, Step};
use latentropy::selection::{FitSettings, Principle};
use std::path::PathBuf;
use std::str::FromStr;

const EXAMPLES: &str = "\
Examples:
  Two latent causes behind votes, the column of words left out:
    latentropy fit votes.csv --columns '!party' --hidden 2 --ridge 1 --out run

  The paper's setting: every pair, no biases, no ridge, EM-IS to the end:
    latentropy fit data.csv --hidden 3 --no-bias --learner em-is --tol 1e-4

  A restricted machine, which stays exact with many more units:
    latentropy fit baskets.csv --hidden 12 --shape rbm --restarts 20 --ridge 1

--out DIR writes:
  model.json      the chosen machine, for infer, score, sample, impute and convert
  candidates.csv  every restart's result, one row each
  run.json        settings, version, seed, data fingerprint, timings

If no restart meets the constraints of the data within --tol, the best of the unfinished ones
is still shown and written, with a warning and \"selected_is_feasible\": false.";

/// How many hidden units.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HiddenCount {
    /// So many.
    One(usize),
    /// Several numbers to choose from, as typed.
    Several(String),
}

impl FromStr for HiddenCount {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Ok(count) = text.parse() {
            return Ok(HiddenCount::One(count));
        }
        let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        let parts: Vec<&str> = text.split(&['.', '-', ',', ':', '='][..]).collect();
        let numbers = parts.iter().filter(|part| is_number(part)).count();
        if numbers >= 2 && parts.iter().all(|part| part.is_empty() || is_number(part)) {
            return Ok(HiddenCount::Several(text.to_string()));
        }
        Err("must be a whole number of at least 0".to_string())
    }
}

/// The step rule of `em-gradient`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct StepChoice(pub(crate) Step);

impl FromStr for StepChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "controlled" => Ok(StepChoice(Step::Controlled)),
            _ => match values::positive(text) {
                Ok(step) => Ok(StepChoice(Step::Fixed(step))),
                Err(_) => Err("must be `controlled` or a number above 0".to_string()),
            },
        }
    }
}

/// Arguments of `fit`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct FitArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,

    #[command(flatten)]
    pub(crate) run: RunArgs,

    #[command(flatten)]
    pub(crate) machine: MachineArgs,

    #[command(flatten)]
    pub(crate) learning: LearningArgs,

    #[command(flatten)]
    pub(crate) search: SearchArgs,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Which machine to learn.
#[derive(Debug, Args)]
#[command(next_help_heading = "Machine")]
pub(crate) struct MachineArgs {
    /// How many hidden units; 0 only learns the visible ones [default: 0 with --shape visible, else
    /// it must be given].
    #[arg(long, value_name = "L", allow_negative_numbers = true)]
    pub(crate) hidden: Option<HiddenCount>,

    /// Which units are connected: full (every pair), rbm (visible–hidden), semi-restricted (rbm and
    /// visible–visible), visible (no hidden unit), or a FILE that lists the terms.
    ///
    /// A FILE has one term a line, its units' names separated by blanks (`#` starts a comment), or
    /// is JSON: a model, or {"terms": [{"units": ["a", "z1"]}, …]}. Hidden units are z1, z2, …
    #[arg(long, value_name = "SHAPE|FILE", default_value = "full")]
    pub(crate) shape: String,

    /// Give the units no biases [default: every unit has one].
    #[arg(long)]
    pub(crate) no_bias: bool,

    /// The most units in a term: 2 for pairs, 3 and more for higher-order machines [default: 2].
    #[arg(long, value_name = "K", value_parser = values::order, allow_negative_numbers = true)]
    pub(crate) order: Option<usize>,
}

/// How each restart learns.
#[derive(Debug, Args)]
#[command(next_help_heading = "Learning")]
pub(crate) struct LearningArgs {
    /// How to learn: auto is em-is for a while, then second-order steps; a named learner goes all
    /// the way itself.
    #[arg(long, value_name = "NAME", default_value = "auto")]
    pub(crate) learner: LearnerChoice,

    /// How many M-step updates follow each E step of an EM learner [default: 4].
    #[arg(long, value_name = "S", value_parser = values::count, allow_negative_numbers = true)]
    pub(crate) inner: Option<usize>,

    /// Step of em-gradient: `controlled` never lowers the objective, a number is a fixed multiple
    /// of the gradient [default: controlled].
    #[arg(long, value_name = "RULE", allow_negative_numbers = true)]
    pub(crate) step: Option<StepChoice>,

    /// How to sum over states.
    #[arg(long, value_name = "NAME", default_value = "auto")]
    pub(crate) engine: EngineChoice,

    /// Ridge: subtract A/(2 rows) Σ weight² from the mean log-likelihood, so that no weight runs
    /// off to infinity; 1 is a good choice for small data.
    #[arg(long, value_name = "A", default_value_t = learning().ridge)]
    #[arg(value_parser = values::not_negative, allow_negative_numbers = true)]
    pub(crate) ridge: f64,

    /// Keep every weight within ±B; weights that press against it are reported.
    #[arg(long = "box", value_name = "B", default_value_t = learning().bound)]
    #[arg(value_parser = values::positive, allow_negative_numbers = true)]
    pub(crate) bound: f64,

    /// Raise the temperature slowly instead of restarting.
    #[arg(long, hide = true)]
    pub(crate) anneal: bool,

    /// A restart has converged when no constraint is violated by more than E.
    #[arg(long, value_name = "E", default_value_t = learning().tolerance)]
    #[arg(value_parser = values::positive, allow_negative_numbers = true)]
    pub(crate) tol: f64,

    /// A restart that has not converged after N iterations stops there, and is marked so.
    #[arg(long, value_name = "N", default_value_t = learning().max_iterations)]
    #[arg(value_parser = values::count, allow_negative_numbers = true)]
    pub(crate) max_iter: usize,
}

/// How many restarts, and how one is chosen.
#[derive(Debug, Args)]
#[command(next_help_heading = "Search and choice")]
pub(crate) struct SearchArgs {
    /// How many random starts; every one of them is kept as a candidate.
    #[arg(long, value_name = "R", default_value_t = FitSettings::default().restarts)]
    #[arg(value_parser = values::count, allow_negative_numbers = true)]
    pub(crate) restarts: usize,

    /// The seed of all random starts: the same seed gives the same result.
    #[arg(long, value_name = "N", default_value_t = FitSettings::default().seed)]
    #[arg(value_parser = values::seed, allow_negative_numbers = true)]
    pub(crate) seed: u64,

    /// Of the candidates that meet the constraints, choose the one of highest entropy (lme) or of
    /// highest likelihood (mle).
    #[arg(long, value_name = "PRINCIPLE", default_value_t = FitSettings::default().principle)]
    #[arg(value_parser = principle())]
    pub(crate) select: Principle,
}

/// Where results go.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArgs {
    /// Write model.json, candidates.csv and run.json into this directory, made if it is not there.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,

    /// Write every iteration of every restart to this csv file.
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,

    /// Go on with an interrupted run.
    #[arg(long, hide = true)]
    pub(crate) resume: bool,

    /// Print one JSON document with every candidate instead of tables.
    #[arg(long)]
    pub(crate) json: bool,
}

/// The library's defaults.
fn learning() -> LearningSettings {
    LearningSettings::default()
}

/// The principles by name, so that help and completions list them.
fn principle() -> impl clap::builder::TypedValueParser<Value = Principle> {
    use clap::builder::{PossibleValuesParser, TypedValueParser};
    PossibleValuesParser::new(["lme", "mle"]).try_map(|name| Principle::from_str(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_hidden_units() {
        assert_eq!("3".parse(), Ok(HiddenCount::One(3)));
        for range in ["1..4", "1-4", "1,2,3", "0..=2"] {
            let several = HiddenCount::Several(range.to_string());
            assert_eq!(range.parse(), Ok(several), "{range}");
        }
        for text in ["-1", "x", "", "2.5.", "1.5e3", "99999999999999999999999"] {
            let read: Result<HiddenCount, _> = text.parse();
            assert!(!matches!(read, Ok(HiddenCount::One(_))), "{text}");
        }
    }
}
