//! The direction in which units are visited.

/// Onward, or the same way back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Onward,
    Backward,
}
