//! A number together with what it is worth: exact, a bound, an estimate, or Monte Carlo with its error.

use serde::{Deserialize, Serialize};

/// What a value is worth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Exact up to rounding.
    #[default]
    Exact,
    /// At most the truth.
    LowerBound,
    /// At least the truth.
    UpperBound,
    /// Neither bounded nor with a known error.
    Estimate,
    /// With a standard error.
    MonteCarlo,
}

impl Kind {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Kind::Exact => "exact",
            Kind::LowerBound => "lower bound",
            Kind::UpperBound => "upper bound",
            Kind::Estimate => "estimate",
            Kind::MonteCarlo => "Monte Carlo",
        }
    }

    /// What minus a value of this kind is: bounds change sides.
    pub fn negated(self) -> Kind {
        match self {
            Kind::LowerBound => Kind::UpperBound,
            Kind::UpperBound => Kind::LowerBound,
            other => other,
        }
    }
}

/// A number and its [`Kind`]; `std_err` is present for Monte-Carlo values only.
///
/// ```
/// use latentropy::inference::{Kind, Value};
/// use latentropy::{Network, Sampling, infer};
/// let entropy: Value = infer(&Network::full(3, 0), &[], Some("mean-field".parse()?), &Sampling::default())?
///     .answer
///     .expectations
///     .entropy;
/// println!("{:.3} ({})", entropy.value, entropy.kind.words());
/// assert_ne!(entropy.kind, Kind::Exact);
/// # Ok::<(), latentropy::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Value {
    /// The number.
    pub value: f64,
    /// What it is worth.
    pub kind: Kind,
    /// Standard error, for [`Kind::MonteCarlo`].
    pub std_err: Option<f64>,
}

/// A value with the interval that several ways to it leave, as documents show it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Within {
    /// The value itself.
    #[serde(flatten)]
    pub value: Value,
    /// The lower end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_least: Option<f64>,
    /// The upper end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_most: Option<f64>,
    /// Whether all ways agree within their errors; absent of values that need no witness.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trusted: Option<bool>,
}

impl From<Value> for Within {
    fn from(value: Value) -> Self {
        Within {
            value,
            at_least: None,
            at_most: None,
            trusted: None,
        }
    }
}

impl Value {
    /// An exact value.
    pub fn exact(value: f64) -> Self {
        Value {
            value,
            kind: Kind::Exact,
            std_err: None,
        }
    }
}
