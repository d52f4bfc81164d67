//! Emphasis on a terminal, and none anywhere else.

use std::env;
use std::io::{self, IsTerminal};

/// Whether text may be emphasised.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    emphasis: bool,
}

impl Style {
    /// Plain text.
    #[cfg(test)]
    pub(crate) fn plain() -> Self {
        Style { emphasis: false }
    }

    /// What suits standard output: emphasis on a terminal that has it, unless NO_COLOR is set.
    pub(crate) fn of_stdout() -> Self {
        let is_set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
        let dumb = env::var_os("TERM").is_some_and(|term| term == "dumb");
        Style {
            emphasis: io::stdout().is_terminal() && !is_set("NO_COLOR") && !dumb,
        }
    }

    /// Bold text.
    pub(crate) fn bold(self, text: &str) -> String {
        self.wrapped(text, "1")
    }

    /// Faint text.
    pub(crate) fn faint(self, text: &str) -> String {
        self.wrapped(text, "2")
    }

    fn wrapped(self, text: &str, code: &str) -> String {
        if self.emphasis {
            format!("\u{1b}[{code}m{text}\u{1b}[0m")
        } else {
            text.to_string()
        }
    }
}
