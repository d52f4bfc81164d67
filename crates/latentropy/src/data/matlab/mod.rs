//! Reads the matrix of a Matlab file of version 5 to 7, of which nothing is believed unchecked.

mod elements;
mod matrix;
mod variable;

pub(super) use matrix::read_mat;

/// How Matlab files of version 5 to 7 begin.
pub(super) const MAT_MAGIC: &[u8] = b"MATLAB 5.0 MAT-file";
