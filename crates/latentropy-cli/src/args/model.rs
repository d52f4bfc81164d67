//! Arguments of the commands that work with a model that is there already.

use super::choices::engines_to_infer;
use super::values;
use super::{DataArgs, EngineArg, RunArgs, WeightArgs};
use clap::Args;
use std::path::PathBuf;

const INFER_EXAMPLES: &str = "\
Examples:
  latentropy infer run/model.json
  latentropy infer run/model.json --given z1=1 --given crime=0
  latentropy infer run/model.json --given sex=F --given tax=agree
  latentropy infer model.uai --engine all
  latentropy infer model.uai --engine trw --json
  latentropy infer model.uai --engine gibbs --seed 7 --sweeps 10000";

const SCORE_EXAMPLES: &str = "\
Examples:
  latentropy score run/model.json held-out.csv
  latentropy score run/model.json held-out.csv --per-row > scores.csv
  latentropy score large/model.json held-out.csv --engine gibbs --annealing 20000";

const SAMPLE_EXAMPLES: &str = "\
Examples:
  latentropy sample run/model.json -n 1000 --seed 7 > rows.csv
  latentropy sample run/model.json -n 10 --hidden --given crime=1
  latentropy sample run/model.json -n 10 --numbers";

const IMPUTE_EXAMPLES: &str = "\
Examples:
  latentropy impute run/model.json votes.csv --columns '!party' > probabilities.csv
  latentropy impute run/model.json votes.csv --columns '!party' --mode > filled.csv
  latentropy impute run/model.json votes.csv --columns '!party' --draws 20 --seed 7 > completed.csv";

const POSTERIOR_EXAMPLES: &str = "\
Columns: the row's name (--id) or number; for each hidden unit z the probability P(z = 1 | row);
then most_probable_z for each hidden unit, the joint state that is most probable given the row, and
most_probable_state_probability. Missing cells are summed out; all of it is exact.

Examples:
  latentropy posterior run/model.json votes.csv --columns '!party' > hidden.csv
  latentropy posterior run/model.json patients.csv --id name --out hidden.csv";

const CONVERT_EXAMPLES: &str = "\
Examples:
  latentropy convert run/model.json machine.uai
  latentropy convert machine.bqm machine.json

Formats, by extension:
  .json       latentropy's own model: everything, weights bit by bit
  .uai        UAI: terms of any order; no names, no roles
  .bqm        dimod's binary quadratic model (also .bqm.json): biases and pairs";

/// A model file.
#[derive(Debug, Args)]
pub(crate) struct ModelArg {
    /// A model file: .json (as `fit --out` writes it), .uai or .bqm.
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,
}

/// Units held at a value.
#[derive(Debug, Args)]
pub(crate) struct GivenArgs {
    /// Hold a unit at a value, 0, 1 or a word of its column, so that all answers are given it; may be repeated.
    #[arg(long, value_name = "NAME=VALUE", value_parser = values::given)]
    given: Vec<String>,

    /// Further units for --given, typed after the model.
    #[arg(hide = true, requires = "given", value_name = "NAME=VALUE", value_parser = values::given)]
    more_given: Vec<String>,

    /// Write 0 and 1, and read them in --given, where columns have words of their own.
    #[arg(long)]
    pub(crate) numbers: bool,
}

impl GivenArgs {
    /// All of them, in the order typed.
    pub(crate) fn all(&self) -> Vec<String> {
        [&self.given[..], &self.more_given].concat()
    }
}

/// Who sums over states.
#[derive(Debug, Args)]
pub(crate) struct EngineArgs {
    /// How to sum over states.
    #[arg(long, value_name = "E", default_value = "auto", value_parser = engines_to_infer())]
    pub(crate) engine: EngineArg,

    /// The seed of what is sampled: the same seed gives the same answer.
    #[arg(long, value_name = "N", default_value_t = 0)]
    #[arg(value_parser = values::seed, allow_negative_numbers = true)]
    pub(crate) seed: u64,

    /// How many Markov chains gibbs runs, rounded up to a multiple of 64 [default: 256].
    #[arg(long, value_name = "N", value_parser = values::chains)]
    pub(crate) chains: Option<usize>,

    /// How many sweeps of each chain gibbs measures, after half as many that it does not [default: as it takes].
    #[arg(long, value_name = "N", value_parser = values::sweeps)]
    pub(crate) sweeps: Option<usize>,

    /// How many steps the annealing makes by which gibbs finds log Z; more steps, less error [default: as it takes].
    #[arg(long, value_name = "N", value_parser = values::sweeps)]
    pub(crate) annealing: Option<usize>,
}

/// Arguments of `infer`.
#[derive(Debug, Args)]
#[command(after_help = INFER_EXAMPLES)]
pub(crate) struct InferArgs {
    #[command(flatten)]
    pub(crate) model: ModelArg,

    #[command(flatten)]
    pub(crate) engine: EngineArgs,

    #[command(flatten)]
    pub(crate) given: GivenArgs,

    /// Show entropies and log-likelihoods in bits instead of nats; --json and log Z stay in nats.
    #[arg(long)]
    pub(crate) bits: bool,

    /// Print one JSON document instead of tables.
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) run: RunArgs,
}

/// Arguments of `score`.
#[derive(Debug, Args)]
#[command(after_help = SCORE_EXAMPLES)]
pub(crate) struct ScoreArgs {
    #[command(flatten)]
    pub(crate) model: ModelArg,

    #[command(flatten)]
    pub(crate) data: DataArgs,

    #[command(flatten)]
    pub(crate) weights: WeightArgs,

    #[command(flatten)]
    pub(crate) engine: EngineArgs,

    /// Print the log-likelihood of every row as csv instead of a summary.
    ///
    /// Where rows leave too much open for exact sums and are annealed, there are two more columns: std_err, the
    /// standard error of a row's log-likelihood, that of log Z included, and sampled, 1 for rows that were annealed.
    #[arg(long, conflicts_with = "json")]
    pub(crate) per_row: bool,

    /// Show entropies and log-likelihoods in bits instead of nats; --json, --per-row and log Z stay in nats.
    #[arg(long)]
    pub(crate) bits: bool,

    /// Print one JSON document instead of a summary.
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) run: RunArgs,
}

/// Arguments of `sample`.
#[derive(Debug, Args)]
#[command(after_help = SAMPLE_EXAMPLES)]
pub(crate) struct SampleArgs {
    #[command(flatten)]
    pub(crate) model: ModelArg,

    /// How many rows to draw: exactly where an exact engine holds the machine, else by Markov chains, with a note.
    #[arg(short = 'n', long = "rows", value_name = "N")]
    #[arg(value_parser = values::rows, allow_negative_numbers = true)]
    pub(crate) rows: usize,

    /// The seed: the same seed draws the same rows.
    #[arg(long, value_name = "N", default_value_t = 0)]
    #[arg(value_parser = values::seed, allow_negative_numbers = true)]
    pub(crate) seed: u64,

    /// Print the hidden units, too.
    #[arg(long)]
    pub(crate) hidden: bool,

    #[command(flatten)]
    pub(crate) given: GivenArgs,

    #[command(flatten)]
    pub(crate) run: RunArgs,
}

/// Arguments of `impute`.
#[derive(Debug, Args)]
#[command(after_help = IMPUTE_EXAMPLES)]
pub(crate) struct ImputeArgs {
    #[command(flatten)]
    pub(crate) model: ModelArg,

    #[command(flatten)]
    pub(crate) data: DataArgs,

    /// Fill each missing cell with its more probable value instead of its probability of being 1.
    ///
    /// Columns with words of their own (see --recode) are written in these words.
    #[arg(long)]
    pub(crate) mode: bool,

    /// Multiple imputation: complete the table M times, the missing cells of each row drawn together
    /// from their joint distribution given its known cells; a first column `draw` counts from 1.
    ///
    /// Columns with words of their own (see --recode) are written in these words.
    #[arg(long, value_name = "M", conflicts_with = "mode")]
    #[arg(value_parser = values::draws, allow_negative_numbers = true)]
    pub(crate) draws: Option<usize>,

    /// The seed of --draws: the same seed gives the same draws.
    #[arg(long, value_name = "N", default_value_t = 0, requires = "draws")]
    #[arg(value_parser = values::seed, allow_negative_numbers = true)]
    pub(crate) seed: u64,

    /// Print one JSON document instead of csv.
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) run: RunArgs,
}

/// Arguments of `posterior`.
#[derive(Debug, Args)]
#[command(after_help = POSTERIOR_EXAMPLES)]
pub(crate) struct PosteriorArgs {
    #[command(flatten)]
    pub(crate) model: ModelArg,

    #[command(flatten)]
    pub(crate) data: DataArgs,

    /// Write the csv to this file, whole or not at all, instead of standard output.
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    pub(crate) out: Option<PathBuf>,

    /// Print one JSON document instead of csv.
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) run: RunArgs,
}

/// Arguments of `convert`.
#[derive(Debug, Args)]
#[command(after_help = CONVERT_EXAMPLES)]
pub(crate) struct ConvertArgs {
    /// The model to read.
    #[arg(value_name = "IN")]
    pub(crate) input: PathBuf,

    /// The file to write; it appears whole or not at all.
    #[arg(value_name = "OUT")]
    pub(crate) output: PathBuf,

    /// Print nothing, and no warnings on standard error.
    #[arg(long, short)]
    pub(crate) quiet: bool,
}
