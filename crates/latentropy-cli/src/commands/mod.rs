//! One file a command: from its arguments through the library to its result.

mod convert;
mod engine;
mod fit;
mod impute;
mod infer;
mod inputs;
mod posterior;
mod report;
mod sample;
mod score;
mod shards;
mod study;

use crate::args::{Cli, Command, CompletionsArgs};
use crate::failure::Outcome;
use crate::output;
use clap::CommandFactory;

/// Carries out a command.
pub(crate) fn run(command: Command) -> Outcome {
    match command {
        Command::Fit(args) => fit::run(&args),
        Command::Infer(args) => infer::run(&args),
        Command::Score(args) => score::run(&args),
        Command::Sample(args) => sample::run(&args),
        Command::Impute(args) => impute::run(&args),
        Command::Posterior(args) => posterior::run(&args),
        Command::Convert(args) => convert::run(&args),
        Command::Completions(args) => completions(&args),
        Command::Reproduce(args) => study::reproduce(&args),
        Command::Study(args) => study::study(&args),
        Command::Merge(args) => shards::merge(&args),
        Command::Report(args) => report::run(&args),
    }
}

fn completions(args: &CompletionsArgs) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "latentropy", &mut script);
    output::print(&String::from_utf8_lossy(&script))
}
