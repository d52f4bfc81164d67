//! The command line as it is typed: commands, flags, their defaults and their help.

mod choices;
mod fit;
mod model;
mod shard;
mod study;
mod values;

pub(crate) use choices::{EngineArg, LearnerArg};
pub(crate) use fit::{FitArgs, ValidationArg};
pub(crate) use model::{
    ConvertArgs, EngineArgs, GivenArgs, ImputeArgs, InferArgs, ModelArg, PosteriorArgs, SampleArgs,
    ScoreArgs,
};
pub(crate) use shard::{MergeArgs, Shard, ShardArg, ShardArgs};
pub(crate) use study::{ReproduceArgs, StudyArgs, StudyOptions};

use clap::{Args, Parser, Subcommand};
use latentropy::data::Recode;
use latentropy_report::fit::Grid;
use std::path::PathBuf;
use std::str::FromStr;

const EXAMPLES: &str = "\
A first session:
  latentropy fit votes.csv --columns '!party' --hidden 2 --ridge 1 --out run
  latentropy infer run/model.json --given z1=1
  latentropy score run/model.json new-votes.csv
  latentropy impute run/model.json votes.csv --columns '!party' > filled.csv

Exit codes: 0 success, 2 wrong usage or bad input, 1 a failure while running.
All logarithms are natural: log-likelihoods and entropies are in nats (fit, infer and score show\nbits with --bits).";

/// Learns Boltzmann machines with hidden units from small binary data, by the latent maximum
/// entropy principle: every restart is kept, and of those that meet the constraints of the data
/// the one of highest entropy (or of highest likelihood) is chosen.
#[derive(Debug, Parser)]
#[command(name = "latentropy", version, propagate_version = true, after_help = EXAMPLES)]
#[command(max_term_width = 100)]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Learn a machine from rows of binary data.
    Fit(Box<FitArgs>),
    /// Say what a model implies: log Z, entropy, probabilities of units and pairs.
    Infer(InferArgs),
    /// Say how probable rows of data are under a model.
    Score(ScoreArgs),
    /// Draw rows from a model.
    Sample(SampleArgs),
    /// Fill the missing cells of data with what a model says about them.
    Impute(ImputeArgs),
    /// Say what the hidden units are for each row: their probabilities and most probable joint state.
    Posterior(PosteriorArgs),
    /// Write a model in another format.
    Convert(ConvertArgs),
    /// Print a script that completes this command's arguments in a shell.
    Completions(CompletionsArgs),
    /// Repeat the experiments of the paper: figures, their numbers, and a verdict on each claim.
    Reproduce(ReproduceArgs),
    /// Run experiments of your own, as `reproduce` does, from a file of settings.
    Study(StudyArgs),
    /// Put the shares of a run together (`fit`, `study` and `reproduce` with --shard), as if it had run in one place.
    Merge(MergeArgs),
    /// Write the report on a fit again: one HTML file, from the files of its directory.
    Report(ReportArgs),
}

/// Which data to read.
#[derive(Clone, Debug, Args)]
pub(crate) struct DataArgs {
    /// Rows of yes/no data: csv, tsv, npy or npz, told apart by content.
    ///
    /// Cells are 0/1, true/false, yes/no or y/n, or two other values (see --recode); empty, ?, NA and NaN
    /// are missing. Text may have a header; without one, columns are named y1, y2, … and matched to a model's units by position.
    #[arg(value_name = "DATA")]
    pub(crate) data: PathBuf,

    /// Read these columns only: a name, a range `a..d`, `!name` to leave one out, or a list `a,b,c`;
    /// may be repeated [default: all columns].
    #[arg(long, value_name = "NAMES")]
    pub(crate) columns: Vec<String>,

    /// Say what words mean: `agree=1,disagree=0`, `9=NA` for missing, `sex:M=1,F=0` for some columns
    /// only; `;` between several, or repeat the flag.
    ///
    /// `COLUMN:` is a name, a range or a list as for --columns. Several words may have one value.
    /// Words are compared whatever their case, numbers by value. Without it, `fit` recognises columns
    /// of two values and says which is taken as 1: of a known pair the affirmative (agree, present,
    /// positive, …), of two numbers the larger, of other words the second in the alphabet. model.json
    /// keeps the meaning, so that score, impute and posterior read the same words without the flag, and
    /// sample writes them.
    #[arg(long, value_name = "WORDS")]
    pub(crate) recode: Vec<RecodeArg>,

    /// Take this column as the names of the rows: it is no data, and is carried into output by rows.
    ///
    /// A first column that has no name (or is called rownames, index or id), and no value twice, is
    /// taken so without being told.
    #[arg(long, value_name = "COLUMN")]
    pub(crate) id: Option<String>,
}

/// Words and what they mean.
#[derive(Clone, Debug)]
pub(crate) struct RecodeArg(pub(crate) Vec<Recode>);

impl FromStr for RecodeArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Recode::list(text).map(RecodeArg)
    }
}

/// What rows weigh.
#[derive(Debug, Args)]
pub(crate) struct WeightArgs {
    /// Weigh each row by the number in this column, such as a survey weight; it is no data.
    ///
    /// A row of weight 2.5 counts as two and a half rows, one of weight 0 not at all. Weights are taken
    /// as given: T is their sum, so that standard errors, the ridge and held-out comparisons see as
    /// many rows as the weights say. Scale them to a mean of 1 to keep T at the number of rows.
    /// Standard errors of rows of unequal weight are best taken from `fit --bootstrap`.
    #[arg(long, value_name = "COLUMN")]
    pub(crate) weights: Option<String>,
}

/// Flags of every command that computes.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// Work with this many threads; results do not depend on it [default: one per core].
    #[arg(long, value_name = "N", value_parser = values::threads, allow_negative_numbers = true)]
    pub(crate) threads: Option<usize>,

    /// Print no progress and no warnings on standard error.
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// Arguments of `completions`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  latentropy completions bash > ~/.local/share/bash-completion/completions/latentropy"
)]
pub(crate) struct CompletionsArgs {
    /// The shell.
    #[arg(value_name = "SHELL")]
    pub(crate) shell: clap_complete::Shell,
}

/// Arguments of `report`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  latentropy fit votes.csv --hidden 2 --ridge 1 --out run\n  latentropy report run --figures pictures"
)]
pub(crate) struct ReportArgs {
    /// The directory that `fit --out` wrote; report.html is written into it.
    #[arg(value_name = "RUN_DIR")]
    pub(crate) directory: PathBuf,

    /// Write every figure of the report as svg and png files into this directory, too, made if it is not there.
    #[arg(long, value_name = "DIR")]
    pub(crate) figures: Option<PathBuf>,

    /// The columns in their order are the cells of an image of HEIGHT rows and WIDTH columns, row by row from the upper
    /// left: --image 8x8 [default: what `fit --image` said].
    #[arg(long, value_name = "HEIGHTxWIDTH", allow_hyphen_values = true)]
    pub(crate) image: Option<Grid>,
}
