//! The interval that several ways to a value leave.

use serde::{Deserialize, Serialize};

/// From where to where a value lies, as far as all ways to it tell.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Interval {
    /// The lower end.
    pub at_least: f64,
    /// The upper end.
    pub at_most: f64,
    /// Whether all ways agree within their errors.
    pub trusted: bool,
}

impl Interval {
    /// Of a number less a value in this interval.
    pub(crate) fn taken_from(self, number: f64) -> Self {
        Interval {
            at_least: number - self.at_most,
            at_most: number - self.at_least,
            trusted: self.trusted,
        }
    }
}
