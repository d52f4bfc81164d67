//! The names of settings on the command line: the library's messages speak of settings, this face of its flags.

use latentropy::{Setting, Wording};

/// Flags, as they are typed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flags;

impl Wording for Flags {
    fn name(&self, setting: Setting) -> String {
        let flag = match setting {
            Setting::Hidden => "--hidden",
            Setting::Shape => "--shape",
            Setting::Bias => "--no-bias",
            Setting::Order => "--order",
            Setting::Learner => "--learner",
            Setting::Inner => "--inner",
            Setting::Step => "--step",
            Setting::Engine => "--engine",
            Setting::Ridge => "--ridge",
            Setting::BiasRidge => "--bias-ridge",
            Setting::Box => "--box",
            Setting::Rule => "--rule",
            Setting::CdSteps => "--cd-steps",
            Setting::Chains => "--chains",
            Setting::Within => "--within",
            Setting::Batch => "--batch",
            Setting::CdRate => "--cd-rate",
            Setting::CdDecay => "--cd-decay",
            Setting::Anneal => "--anneal",
            Setting::Search => "--search",
            Setting::Start => "--start",
            Setting::Tolerance => "--tol",
            Setting::MaxIterations => "--max-iter",
            Setting::Restarts => "--restarts",
            Setting::Seed => "--seed",
            Setting::Folds => "--folds",
            Setting::ValidationRows => "--validation",
            Setting::Select => "--select",
            Setting::Bootstrap => "--bootstrap",
            Setting::BootstrapKind => "--bootstrap-kind",
            Setting::Columns => "--columns",
            Setting::Recode => "--recode",
            Setting::Id => "--id",
            Setting::Weights => "--weights",
            Setting::Given => "--given",
            Setting::Sweeps => "--sweeps",
            Setting::Annealing => "--annealing",
            Setting::Out => "--out",
            Setting::Resume => "--resume",
            Setting::Json => "--json",
            other => other.plain_name(),
        };
        flag.to_string()
    }

    fn at(&self, setting: Setting, value: &str) -> String {
        let value = match setting {
            // Names of columns may hold anything that a shell would take apart.
            Setting::Columns | Setting::Recode | Setting::Id | Setting::Weights => quoted(value),
            _ => value.to_string(),
        };
        format!("{} {value}", self.name(setting))
    }
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_is_a_flag() {
        for &setting in Setting::ALL {
            assert!(Flags.name(setting).starts_with("--"), "{setting:?}");
        }
        let column = Flags.at(Setting::Columns, "!it's");
        assert_eq!(column, r"--columns '!it'\''s'");
    }
}
