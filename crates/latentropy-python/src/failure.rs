//! The library's errors as Python's exceptions, in Python's words.

use crate::wording::Keywords;
use latentropy::Error;
use pyo3::PyErr;
use pyo3::exceptions::{
    PyFileNotFoundError, PyKeyboardInterrupt, PyOSError, PyPermissionError, PyRuntimeError,
    PyValueError,
};
use std::io::ErrorKind;

/// The exception for an error of the library.
pub(crate) fn raised(error: Error) -> PyErr {
    let message = error.worded(&Keywords);
    match error {
        Error::Io { source, .. } => match source.kind() {
            ErrorKind::NotFound => PyFileNotFoundError::new_err(message),
            ErrorKind::PermissionDenied => PyPermissionError::new_err(message),
            _ => PyOSError::new_err(message),
        },
        Error::Cancelled => PyKeyboardInterrupt::new_err(message),
        other if other.is_input() => PyValueError::new_err(message),
        _ => PyRuntimeError::new_err(message),
    }
}

/// The exception for what could not be written as JSON, or read from it.
pub(crate) fn of_json(error: serde_json::Error) -> PyErr {
    PyValueError::new_err(error.to_string())
}
