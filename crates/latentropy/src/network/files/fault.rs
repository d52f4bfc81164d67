//! What is wrong inside a document, before it is known which file the document came from.

use crate::error::Error;
use std::path::Path;

/// A place, a problem and a remedy.
#[derive(Debug)]
pub(in crate::network) struct Fault {
    pub(in crate::network) location: Option<String>,
    pub(in crate::network) problem: String,
    pub(in crate::network) remedy: String,
}

impl Fault {
    /// A fault at a place.
    pub(in crate::network) fn at(
        location: impl Into<String>,
        problem: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Fault {
            location: Some(location.into()),
            problem: problem.into(),
            remedy: remedy.into(),
        }
    }

    /// A fault of the document as a whole.
    pub(in crate::network) fn whole(problem: impl Into<String>, remedy: impl Into<String>) -> Self {
        Fault {
            location: None,
            problem: problem.into(),
            remedy: remedy.into(),
        }
    }

    /// The error of this file.
    pub(in crate::network) fn in_file(self, path: &Path) -> Error {
        Error::file(path, self.location, self.problem, self.remedy)
    }

    /// The error of a document that is not a file.
    pub(in crate::network) fn in_value(self) -> Error {
        let place = self.location.map(|place| format!("{place}: "));
        Error::invalid(format!(
            "{}{}; {}",
            place.unwrap_or_default(),
            self.problem,
            self.remedy
        ))
    }

    /// The fault of a document whose parts are each valid and which is not valid as a network.
    pub(in crate::network) fn network(error: Error) -> Self {
        Fault::whole(error.to_string(), "mend the file")
    }
}

/// A value in a message: short, whatever the file holds.
pub(in crate::network) fn shown(value: impl std::fmt::Display) -> String {
    const LONGEST: usize = 40;
    let text = value.to_string();
    if text.chars().count() <= LONGEST {
        return text;
    }
    text.chars().take(LONGEST).chain(['…']).collect()
}
