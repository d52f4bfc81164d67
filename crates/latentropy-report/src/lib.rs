//! Figures (SVG and PNG) and one-file HTML reports, from the library's results.
//!
//! [`charts`] draws plain data and knows nothing of machines; everything else is built from it.

pub mod charts;
