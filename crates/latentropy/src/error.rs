//! The one error type of the library: what went wrong, where, and what to do about it.

use crate::message::{Message, PlainWording, Wording};
use crate::plain::plain_message;
use std::fmt;
use std::path::{Path, PathBuf};

/// Everything that can go wrong, split by who can mend it.
///
/// ```
/// use latentropy::{Dataset, Error};
/// let error = Dataset::read("no such file.csv", &[]).unwrap_err();
/// assert!(matches!(error, Error::Io { .. }) && error.is_input());
/// assert!(error.to_string().starts_with("no such file.csv: cannot read"));
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A file's content is not what it should be; `location` is a line, a column or a field.
    File {
        /// The file.
        path: PathBuf,
        /// Where in the file, in words ("line 3, column vote2").
        location: Option<String>,
        /// What is wrong there, with the offending value.
        problem: Message,
        /// What the user can do.
        remedy: Message,
    },
    /// A file cannot be opened, read or written.
    Io {
        /// The file.
        path: PathBuf,
        /// What was tried ("read", "write").
        action: &'static str,
        /// The system's reason.
        source: std::io::Error,
    },
    /// A network, a data set or a setting given through the programming interface is not valid.
    Invalid(Message),
    /// The machine is too large for the engine that was asked for.
    TooLarge {
        /// What is too large for what.
        problem: Message,
        /// What the user can do.
        remedy: Message,
    },
    /// A computation that was properly asked for failed.
    Failed(Message),
    /// Somebody asked the computation to stop.
    Cancelled,
}

/// The library's result type; its error is [`Error`], where there is an example.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// True where the input or the request is at fault, false where the run itself failed or was stopped.
    pub fn is_input(&self) -> bool {
        !matches!(self, Error::Failed(_) | Error::Cancelled)
    }

    /// The whole message in the names of an interface: one line of a bounded length, whatever is in the files it speaks of.
    pub fn worded(&self, wording: &dyn Wording) -> String {
        plain_message(&self.sentence(wording)).into_owned()
    }

    fn sentence(&self, wording: &dyn Wording) -> String {
        match self {
            Error::File {
                path,
                location,
                problem,
                remedy,
            } => {
                let place = location.as_ref().map(|l| format!(", {l}"));
                format!(
                    "{}{}: {}; {}",
                    path.display(),
                    place.unwrap_or_default(),
                    problem.worded(wording),
                    remedy.worded(wording)
                )
            }
            Error::Io {
                path,
                action,
                source,
            } => format!("{}: cannot {action}: {source}", path.display()),
            Error::TooLarge { problem, remedy } => {
                format!("{}; {}", problem.worded(wording), remedy.worded(wording))
            }
            Error::Invalid(message) | Error::Failed(message) => message.worded(wording),
            Error::Cancelled => "stopped before it was done".to_string(),
        }
    }

    /// A content error at a place in a file.
    pub fn file(
        path: &Path,
        location: impl Into<Option<String>>,
        problem: impl Into<Message>,
        remedy: impl Into<Message>,
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

    /// Something given through the programming interface is not valid.
    pub fn invalid(message: impl Into<Message>) -> Self {
        Error::Invalid(message.into())
    }

    /// A computation failed.
    pub fn failed(message: impl Into<Message>) -> Self {
        Error::Failed(message.into())
    }

    /// A machine is too large.
    pub fn too_large(problem: impl Into<Message>, remedy: impl Into<Message>) -> Self {
        Error::TooLarge {
            problem: problem.into(),
            remedy: remedy.into(),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.worded(&PlainWording))
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}

/// A list of names for a message, cut after twelve.
pub(crate) fn shortened<S: AsRef<str>>(names: &[S]) -> String {
    const MOST: usize = 12;
    // As long as a name may be before it makes a list unreadable.
    const LONGEST: usize = 60;
    let short = |name: &S| {
        let name = name.as_ref();
        match name.char_indices().nth(LONGEST) {
            Some((end, _)) => format!("{}…", &name[..end]),
            None => name.to_string(),
        }
    };
    let shown: Vec<String> = names.iter().take(MOST).map(short).collect();
    let mut text = shown.join(", ");
    if names.len() > MOST {
        text.push_str(&format!(", … ({} in all)", names.len()));
    }
    text
}
