//! How text is shown: emphasis on a terminal and none anywhere else, information in nats or in bits.

use std::env;
use std::io::{self, IsTerminal};

/// Whether text may be emphasised, and what information is measured in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    emphasis: bool,
    bits: bool,
}

impl Style {
    /// Plain text.
    #[cfg(test)]
    pub(crate) fn plain() -> Self {
        Style {
            emphasis: false,
            bits: false,
        }
    }

    /// What suits standard output: emphasis on a terminal that has it, unless NO_COLOR is set.
    pub(crate) fn of_stdout() -> Self {
        let is_set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
        let dumb = env::var_os("TERM").is_some_and(|term| term == "dumb");
        Style {
            emphasis: io::stdout().is_terminal() && !is_set("NO_COLOR") && !dumb,
            bits: false,
        }
    }

    /// The same, with information in bits where that is asked for.
    pub(crate) fn in_bits(self, bits: bool) -> Self {
        Style { bits, ..self }
    }

    /// An entropy or a log-likelihood, given in nats, in the unit that is shown.
    pub(crate) fn information(self, nats: f64) -> f64 {
        match self.bits {
            true => nats / std::f64::consts::LN_2,
            false => nats,
        }
    }

    /// The unit that is shown.
    pub(crate) fn unit(self) -> &'static str {
        match self.bits {
            true => "bits",
            false => "nats",
        }
    }

    /// The unit in brackets where it is not the usual one.
    pub(crate) fn unusual_unit(self) -> &'static str {
        match self.bits {
            true => " (bits)",
            false => "",
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
