//! The one error type of the library: what went wrong, where, and what to do about it.

use std::path::{Path, PathBuf};

/// Everything that can go wrong, split by who can mend it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file's content is not what it should be; `location` is a line, a column or a field.
    #[error("{}{}: {problem}; {remedy}", path.display(), location.as_ref().map(|l| format!(", {l}")).unwrap_or_default())]
    File {
        /// The file.
        path: PathBuf,
        /// Where in the file, in words ("line 3, column vote2").
        location: Option<String>,
        /// What is wrong there, with the offending value.
        problem: String,
        /// What the user can do.
        remedy: String,
    },
    /// A file cannot be opened, read or written.
    #[error("{}: cannot {action}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What was tried ("read", "write").
        action: &'static str,
        /// The system's reason.
        source: std::io::Error,
    },
    /// A network, a data set or a setting given through the programming interface is not valid.
    #[error("{0}")]
    Invalid(String),
    /// The machine is too large for the engine that was asked for.
    #[error("{0}")]
    TooLarge(String),
    /// A computation that was properly asked for failed.
    #[error("{0}")]
    Failed(String),
}

/// The library's result type.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// True where the input or the request is at fault, false where the run itself failed.
    pub fn is_input(&self) -> bool {
        !matches!(self, Error::Failed(_))
    }

    /// A content error at a place in a file.
    pub fn file(
        path: &Path,
        location: impl Into<Option<String>>,
        problem: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Error::File {
            path: path.to_path_buf(),
            location: location.into(),
            problem: problem.into(),
            remedy: remedy.into(),
        }
    }

    /// An input-output error on a file.
    pub fn io(path: &Path, action: &'static str, source: std::io::Error) -> Self {
        Error::Io {
            path: path.to_path_buf(),
            action,
            source,
        }
    }
}

/// A list of names for a message, cut after twelve.
pub(crate) fn shortened(names: &[&str]) -> String {
    const MOST: usize = 12;
    let mut text = names[..names.len().min(MOST)].join(", ");
    if names.len() > MOST {
        text.push_str(&format!(", … ({} in all)", names.len()));
    }
    text
}
