//! The `latentropy` command: arguments to a plan, the plan to the library, the result to the terminal.

#![forbid(unsafe_code)]

mod args;
mod commands;
mod failure;
mod interrupt;
mod output;
mod pace;
mod progress;
mod render;
mod spoken;
mod wording;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = args::Cli::parse();
    match commands::run(arguments.command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            if let Some(message) = failure.message() {
                output::complain(message);
            }
            failure.exit_code()
        }
    }
}
