//! Results as people read them: numbers, tables, and a little emphasis on a terminal.

pub(crate) mod fit;
pub(crate) mod infer;
pub(crate) mod number;
pub(crate) mod score;
pub(crate) mod study;
mod style;
mod table;
pub(crate) mod words;

pub(crate) use style::Style;
pub(crate) use table::{Align, Table};
