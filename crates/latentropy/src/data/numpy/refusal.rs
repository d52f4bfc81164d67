//! Why an array of NumPy's cannot be read, and what to do about it.

/// Why an array cannot be read, and what to do about it.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::data) struct Refusal {
    pub(super) problem: String,
    pub(super) remedy: &'static str,
}

impl Refusal {
    pub(super) fn new(problem: impl Into<String>, remedy: &'static str) -> Self {
        Refusal {
            problem: problem.into(),
            remedy,
        }
    }
}
