//! Reads tables from text: decodes it, finds the layout, then streams its rows into distinct rows.

mod decode;
mod delimiter;
mod layout;
mod records;
mod table;

pub(super) use table::read_text;
