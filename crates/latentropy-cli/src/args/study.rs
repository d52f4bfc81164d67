//! Arguments of the commands that repeat experiments.

use super::{RunArgs, ShardArgs, values};
use clap::Args;
use std::path::PathBuf;

const REPRODUCE_EXAMPLES: &str = "\
Examples:
  latentropy reproduce --quick              every figure on a small grid, in seconds
  latentropy reproduce                      every figure, in minutes
  latentropy reproduce --figure 5 --out five
  latentropy reproduce --resume             go on after an interruption
  latentropy reproduce --print-spec > mine.toml; latentropy study mine.toml --out mine

What is in the directory afterwards:
  figure-N{formats}        each figure and every number in it; -paired.csv its tests
  verdicts.md, .csv, .json        each claim of the paper against what was found
  report.html                     all of it on one page
  cells.csv, journal.jsonl        every single estimate
  timings/                        times, the only files that differ from run to run";

const STUDY_EXAMPLES: &str = "\
Examples:
  latentropy reproduce --print-spec > mine.toml     a complete, commented spec to start from
  latentropy study mine.toml --out mine
  latentropy study mine.toml --out mine --resume
  latentropy study mine.toml --out mine --shard 3/8     one of eight shares; latentropy merge mine";

/// The examples, with the files that this build writes.
fn reproduce_examples() -> String {
    let formats = match cfg!(feature = "png") {
        true => ".svg, .png, .csv",
        false => ".svg, .csv      ",
    };
    REPRODUCE_EXAMPLES.replace("{formats}", formats)
}

/// Arguments of `reproduce`.
#[derive(Debug, Args)]
#[command(after_help = reproduce_examples())]
pub(crate) struct ReproduceArgs {
    /// Only this figure of the paper.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=7))]
    pub(crate) figure: Option<u32>,

    /// A smaller grid: seconds in place of minutes.
    #[arg(long, conflicts_with = "spec")]
    pub(crate) quick: bool,

    /// Settings in place of the built-in ones.
    #[arg(long, value_name = "FILE")]
    pub(crate) spec: Option<PathBuf>,

    /// Print the built-in settings (with --quick, the quick ones) and do nothing else.
    #[arg(long)]
    pub(crate) print_spec: bool,

    /// Write into this directory.
    #[arg(long, value_name = "DIR", default_value = "reproduction")]
    pub(crate) out: PathBuf,

    /// What both commands take.
    #[command(flatten)]
    pub(crate) common: StudyOptions,
}

/// Arguments of `study`.
#[derive(Debug, Args)]
#[command(after_help = STUDY_EXAMPLES)]
pub(crate) struct StudyArgs {
    /// The settings, a TOML file; `latentropy reproduce --print-spec` prints one.
    #[arg(value_name = "SPEC")]
    pub(crate) spec: PathBuf,

    /// Write into this directory.
    #[arg(long, value_name = "DIR", default_value = "study")]
    pub(crate) out: PathBuf,

    /// What both commands take.
    #[command(flatten)]
    pub(crate) common: StudyOptions,
}

/// Flags of both commands.
#[derive(Debug, Args)]
pub(crate) struct StudyOptions {
    /// Seed of all random numbers [default: that of the settings].
    #[arg(long, value_name = "N", value_parser = values::seed, allow_negative_numbers = true)]
    pub(crate) seed: Option<u64>,

    /// Go on with an interrupted run in the same directory, with the same settings and seed.
    #[arg(long)]
    pub(crate) resume: bool,

    /// Print one JSON document: verdicts, files and settings.
    #[arg(long)]
    pub(crate) json: bool,

    /// Threads and silence.
    #[command(flatten)]
    pub(crate) run: RunArgs,

    /// Shares of it.
    #[command(flatten)]
    pub(crate) share: ShardArgs,
}
