//! The names of settings in Python: the library's messages speak of settings, this face of parameters.

use latentropy::{Setting, Wording};

/// Parameters, as they are typed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Keywords;

impl Wording for Keywords {
    fn name(&self, setting: Setting) -> String {
        let name = match setting {
            Setting::Hidden => "n_hidden",
            Setting::Tolerance => "tol",
            Setting::MaxIterations => "max_iter",
            Setting::Restarts => "n_init",
            Setting::Seed => "random_state",
            Setting::Folds => "n_folds",
            Setting::ValidationRows => "validation",
            Setting::Select => "select",
            Setting::Bootstrap => "n_bootstrap",
            Setting::BootstrapKind => "bootstrap",
            Setting::Columns => "the columns of X",
            Setting::Recode => "recode",
            Setting::Id => "the index of X",
            Setting::Weights => "sample_weight",
            Setting::Given => "given",
            Setting::Chains => "chains",
            Setting::Out => "the directory",
            Setting::Resume => "fit again",
            Setting::Json => "document_",
            other => other.plain_name(),
        };
        name.to_string()
    }

    fn at(&self, setting: Setting, value: &str) -> String {
        match setting {
            Setting::Columns => match value.strip_prefix('!') {
                Some(name) => format!("X.drop(columns={})", quoted(name)),
                None => format!("X[[{}]]", quoted(value)),
            },
            Setting::Id => format!("X.set_index({})", quoted(value)),
            _ if is_number(value) => format!("{}={value}", self.name(setting)),
            _ => format!("{}={}", self.name(setting), quoted(value)),
        }
    }
}

/// Numbers, and the letters and words that stand for one.
fn is_number(value: &str) -> bool {
    let stands_for_one = matches!(value, "L" | "N" | "True" | "False");
    stands_for_one || value.parse::<f64>().is_ok()
}

/// A word as Python takes it.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\\', r"\\").replace('\'', r"\'"))
}
