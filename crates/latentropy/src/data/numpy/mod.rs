//! Reads two-dimensional arrays from NumPy's npy and npz files, of which nothing is believed unchecked.

mod archive;
mod array;
mod dictionary;
mod element;
mod header;
mod npz;
mod refusal;

pub(super) use archive::ZIP_MAGIC;
pub(super) use array::{read_npy, row_place};
pub(super) use element::Element;
pub(super) use header::NPY_MAGIC;
pub(super) use npz::read_npz;
