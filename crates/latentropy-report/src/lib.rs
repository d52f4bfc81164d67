//! Figures (SVG and PNG) and one-file HTML reports, from the library's results.
//!
//! [`charts`] draws plain data and knows nothing of machines; [`page`] is the HTML around figures and tables;
//! [`fit`] is the report on a run of `latentropy fit`, [`study`] the figures of `latentropy reproduce` and `study`.

#![forbid(unsafe_code)]

pub mod charts;
pub mod fit;
pub mod page;
pub mod study;
