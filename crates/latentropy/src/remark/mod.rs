//! Remarks: what a user should know about data, a model or a fit although nothing is wrong with the request.

mod kinds;
mod sentences;

pub use kinds::Remark;
