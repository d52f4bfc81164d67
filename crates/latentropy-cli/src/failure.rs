//! How a command can end badly: whose fault it is decides the exit code.

use crate::wording::Flags;
use std::io;
use std::process::ExitCode;

/// What a command that did not succeed returns.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The request or its input is at fault: exit code 2.
    Request(String),
    /// The run itself failed: exit code 1.
    Running(String),
    /// Nobody reads standard output any more (`latentropy … | head`): nothing to say, exit code 0.
    ReaderGone,
}

/// The result of a command.
pub(crate) type Outcome<T = ()> = Result<T, Failure>;

impl Failure {
    /// A failed write to standard output.
    pub(crate) fn of_standard_output(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::ReaderGone,
            _ => Failure::Running(format!("cannot write to standard output: {error}")),
        }
    }

    /// Turns a fault of the request into one of the run: what could be checked before the work was
    /// done has been checked, and what fails after it is no longer a matter of usage.
    pub(crate) fn while_running(self) -> Self {
        match self {
            Failure::Request(message) => Failure::Running(message),
            other => other,
        }
    }

    /// What to tell the user, if anything.
    pub(crate) fn message(&self) -> Option<&str> {
        match self {
            Failure::Request(message) | Failure::Running(message) => Some(message),
            Failure::ReaderGone => None,
        }
    }

    /// The exit code that scripts see.
    pub(crate) fn exit_code(&self) -> ExitCode {
        match self {
            Failure::Request(_) => ExitCode::from(2),
            Failure::Running(_) => ExitCode::from(1),
            Failure::ReaderGone => ExitCode::SUCCESS,
        }
    }
}

impl From<latentropy::Error> for Failure {
    fn from(error: latentropy::Error) -> Self {
        let message = error.worded(&Flags);
        match error.is_input() {
            true => Failure::Request(message),
            false => Failure::Running(message),
        }
    }
}
