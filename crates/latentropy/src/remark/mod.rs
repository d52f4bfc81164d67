//! Remarks: what a user should know about data, a model or a fit although nothing is wrong with the request.

mod about_data;
mod kinds;
mod sentences;

pub use kinds::{ReadAs, Remark};
