//! Values of learners' options, as interfaces hand them over.

use crate::error::{Error, Result};
use crate::message::{Setting, words};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The value of an option of a [`Learner`](super::Learner), made from a number or a word.
///
/// ```
/// use latentropy::learning::OptionValue;
/// assert_eq!(OptionValue::from(3), OptionValue::Count(3));
/// assert_eq!(OptionValue::from("byrne").to_string(), "byrne");
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum OptionValue {
    /// A whole number.
    Count(usize),
    /// Any number.
    Number(f64),
    /// A word.
    Word(String),
}

impl From<usize> for OptionValue {
    fn from(count: usize) -> Self {
        OptionValue::Count(count)
    }
}

impl From<f64> for OptionValue {
    fn from(number: f64) -> Self {
        OptionValue::Number(number)
    }
}

impl From<&str> for OptionValue {
    fn from(word: &str) -> Self {
        OptionValue::Word(word.to_string())
    }
}

impl OptionValue {
    /// The whole number of at least one that `option` asks for.
    pub(super) fn count(&self, option: Setting) -> Result<usize> {
        match self {
            OptionValue::Count(count) if *count > 0 => Ok(*count),
            _ => Err(refused(option, "a whole number of at least 1", self)),
        }
    }

    /// The number above zero that `option` asks for.
    pub(super) fn positive(&self, option: Setting) -> Result<f64> {
        match *self {
            OptionValue::Number(number) if number > 0.0 => Ok(number),
            OptionValue::Count(count) if count > 0 => Ok(count as f64),
            _ => Err(refused(option, "a number above 0", self)),
        }
    }
}

/// Refuses a value.
pub(super) fn refused(option: Setting, wanted: &str, found: &OptionValue) -> Error {
    Error::invalid(words![option, format!(" must be {wanted}, not {found}")])
}

/// Refuses a count of zero.
pub(super) fn at_least_one(option: Setting, count: usize) -> Result<()> {
    match count {
        0 => Err(Error::invalid(words![option, " must be at least 1"])),
        _ => Ok(()),
    }
}

/// Refuses what is not a number above zero.
pub(super) fn above_zero(option: Setting, number: f64) -> Result<()> {
    match number > 0.0 {
        true => Ok(()),
        false => Err(Error::invalid(words![
            option,
            format!(" must be a number above 0, not {number}")
        ])),
    }
}

/// Refuses what is not a finite number above zero.
pub(super) fn finite_above_zero(option: Setting, number: f64) -> Result<()> {
    match number.is_finite() && number > 0.0 {
        true => Ok(()),
        false => Err(Error::invalid(words![
            option,
            format!(" must be a finite number above 0, not {number}")
        ])),
    }
}

impl fmt::Display for OptionValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptionValue::Count(count) => count.fmt(f),
            OptionValue::Number(number) => number.fmt(f),
            OptionValue::Word(word) => f.write_str(word),
        }
    }
}

/// The options that EM learners share; chains only where they were given.
pub(super) fn em_options(inner: usize, chains: Option<usize>) -> Vec<(Setting, OptionValue)> {
    let mut options = vec![(Setting::Inner, OptionValue::Count(inner))];
    options.extend(chains.map(|chains| (Setting::Chains, OptionValue::Count(chains))));
    options
}
