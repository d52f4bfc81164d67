//! Rows of binary data: distinct rows with counts, each with a mask of missing cells, and the readers that make them.

mod bits;
mod builder;
mod cell;
mod coding;
mod columns;
mod dataset;
mod from_cells;
mod limits;
mod load;
mod loaded;
mod matlab;
mod moments;
mod numpy;
mod plan;
mod read;
mod recode;
mod recognise;
mod remarks;
mod row;
mod source;
mod survey;
mod table;
mod text;

pub use cell::Cell;
pub use dataset::Dataset;
pub use loaded::{Loaded, ReadOptions};
pub use read::read_dataset;
pub use recode::Recode;
pub use row::Row;

// What the programs beside this library need and a user does not; no part of its face.
#[doc(hidden)]
pub use self::{
    coding::Coding,
    loaded::{RowNames, Words},
    read::read_dataset_bytes,
    table::{Cells, Column, Table, read_table},
};

// What the face does not need to name: types of fields, and what engines and learners are made of.
#[cfg(not(feature = "internals"))]
pub(crate) use self::{bits::Bits, moments::Frequency};
#[cfg(feature = "internals")]
#[doc(hidden)]
pub use self::{bits::Bits, moments::Frequency};
