//! Sentences that name settings without knowing the interface: each face of the library puts in its own names.
//!
//! The library is used from Rust, from a command line and from other languages. A refusal such as "ridge must be at
//! least 0" names a setting that is `--ridge` in one place and `ridge=` in another. So a [`Message`] is text with
//! [`Setting`]s in it, and a [`Wording`] turns it into a sentence. [`Display`](std::fmt::Display) uses the library's own
//! names.

use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! settings {
    ($($(#[$doc:meta])* $name:ident = $plain:literal),* $(,)?) => {
        /// Something that a user can set, whatever it is called in the interface at hand; for an example see [`Wording`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[non_exhaustive]
        pub enum Setting {
            $($(#[$doc])* $name,)*
        }

        impl Setting {
            /// All of them.
            pub const ALL: &'static [Setting] = &[$(Setting::$name),*];

            /// What the library itself calls it.
            pub fn plain_name(self) -> &'static str {
                match self {
                    $(Setting::$name => $plain,)*
                }
            }
        }
    };
}

settings! {
    /// The number of hidden units.
    Hidden = "hidden",
    /// Which units are connected.
    Shape = "shape",
    /// Whether units have biases.
    Bias = "bias",
    /// The most units in a term.
    Order = "order",
    /// The learning algorithm.
    Learner = "learner",
    /// S, the M-step updates for each E step.
    Inner = "inner",
    /// The step rule of gradient ascent.
    Step = "step",
    /// Who sums over states.
    Engine = "engine",
    /// The ridge α.
    Ridge = "ridge",
    /// The ridge on biases.
    BiasRidge = "bias_ridge",
    /// The box that weights stay in.
    Box = "bound",
    /// The rule of sequential updates.
    Rule = "rule",
    /// k of contrastive divergence.
    CdSteps = "cd_steps",
    /// How many Markov chains.
    Chains = "chains",
    /// The share of its own error in the data within which a constraint is met, by samples.
    Within = "within",
    /// Rows in a mini-batch.
    Batch = "batch",
    /// The first step length of contrastive divergence.
    CdRate = "cd_rate",
    /// How fast that step falls.
    CdDecay = "cd_decay",
    /// Deterministic annealing.
    Anneal = "anneal",
    /// Where the restarts of a search begin.
    Search = "search",
    /// Weights that a search begins at.
    Start = "start",
    /// The residual of a solution.
    Tolerance = "tolerance",
    /// The most iterations of a restart.
    MaxIterations = "max_iterations",
    /// How many restarts.
    Restarts = "restarts",
    /// The seed of all random numbers.
    Seed = "seed",
    /// How many folds.
    Folds = "folds",
    /// Rows kept for validation.
    ValidationRows = "validation rows",
    /// The principle that chooses.
    Select = "principle",
    /// How many resamples.
    Bootstrap = "bootstrap",
    /// Where resamples come from.
    BootstrapKind = "bootstrap kind",
    /// Which columns are read.
    Columns = "the columns",
    /// What words mean in the data.
    Recode = "the recoding",
    /// The column that names the rows.
    Id = "the row names",
    /// The column that says what rows weigh.
    Weights = "row weights",
    /// Units held at a value.
    Given = "a clamp",
    /// Sweeps of Markov chains that are measured.
    Sweeps = "sweeps",
    /// Steps of annealed importance sampling.
    Annealing = "annealing",
    /// Where results are written.
    Out = "the output directory",
    /// Going on with an interrupted run.
    Resume = "resume",
    /// The whole result as one document.
    Json = "the record",
}

impl Setting {
    /// The setting at a value, such as `ridge 1`.
    #[doc(hidden)]
    pub fn at(self, value: impl fmt::Display) -> SettingAt {
        SettingAt {
            setting: self,
            value: value.to_string(),
        }
    }
}

/// A setting at a value, as a part of a message.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingAt {
    /// Which one.
    pub setting: Setting,
    /// The value, as it would be typed.
    pub value: String,
}

/// How an interface names settings.
///
/// ```
/// use latentropy::{Dataset, Error, Request, Setting, Wording, fit};
///
/// struct Flags;
/// impl Wording for Flags {
///     fn name(&self, setting: Setting) -> String {
///         format!("--{}", setting.plain_name())
///     }
/// }
///
/// let data = Dataset::from_rows(&[[0, 1], [1, 1]])?;
/// let refused = fit(&data, &Request { restarts: Some(0), ..Request::with_hidden(1) }).unwrap_err();
/// assert_eq!(refused.to_string(), "restarts must be at least 1");
/// assert_eq!(refused.worded(&Flags), "--restarts must be at least 1");
/// # Ok::<(), Error>(())
/// ```
pub trait Wording {
    /// The setting's name.
    fn name(&self, setting: Setting) -> String;

    /// The setting at a value.
    fn at(&self, setting: Setting, value: &str) -> String {
        format!("{} {value}", self.name(setting))
    }
}

/// The library's own names.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, Default)]
pub struct PlainWording;

impl Wording for PlainWording {
    fn name(&self, setting: Setting) -> String {
        setting.plain_name().to_string()
    }
}

/// A part of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    Text(String),
    Name(Setting),
    Value(SettingAt),
}

/// A sentence that may name settings; each [`Wording`] puts in its own names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message(pub(crate) Vec<Piece>);

impl Message {
    /// The sentence in the names of an interface.
    pub fn worded(&self, wording: &dyn Wording) -> String {
        let pieces = self.0.iter().map(|piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Name(setting) => wording.name(*setting),
            Piece::Value(at) => wording.at(at.setting, &at.value),
        });
        pieces.collect()
    }

    /// Adds more to the end.
    pub(crate) fn push(&mut self, part: impl Into<Message>) {
        self.0.extend(part.into().0);
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.worded(&PlainWording))
    }
}

impl From<&str> for Message {
    fn from(text: &str) -> Self {
        Message(vec![Piece::Text(text.to_string())])
    }
}

impl From<String> for Message {
    fn from(text: String) -> Self {
        Message(vec![Piece::Text(text)])
    }
}

impl From<&String> for Message {
    fn from(text: &String) -> Self {
        Message::from(text.as_str())
    }
}

impl From<Setting> for Message {
    fn from(setting: Setting) -> Self {
        Message(vec![Piece::Name(setting)])
    }
}

impl From<SettingAt> for Message {
    fn from(setting: SettingAt) -> Self {
        Message(vec![Piece::Value(setting)])
    }
}

impl From<&Message> for Message {
    fn from(message: &Message) -> Self {
        message.clone()
    }
}

/// Joins texts, settings and whole messages to one message.
macro_rules! words {
    ($($part:expr),+ $(,)?) => {{
        let mut message = $crate::message::Message::default();
        $(message.push($part);)+
        message
    }};
}
pub(crate) use words;

#[cfg(test)]
mod tests {
    use super::*;

    struct Flags;

    impl Wording for Flags {
        fn name(&self, setting: Setting) -> String {
            format!("--{}", setting.plain_name())
        }
    }

    #[test]
    fn every_face_puts_in_its_own_names() {
        let message = words![
            Setting::Ridge,
            format!(" must be at least {}", 0),
            "; try ",
            Setting::Ridge.at(1)
        ];
        assert_eq!(message.to_string(), "ridge must be at least 0; try ridge 1");
        assert_eq!(
            message.worded(&Flags),
            "--ridge must be at least 0; try --ridge 1"
        );
    }
}
