//! Uncertainty: how far a fit's numbers would move on other rows, by the curvature at the maximum and by refits.

mod bootstrap;
mod relabelling;
mod resampling;
mod spread;
mod standard_errors;

pub use bootstrap::{Bootstrap, BootstrapSettings, Spreads, bootstrap};
pub use resampling::BootstrapKind;
pub use spread::Spread;
pub use standard_errors::StandardErrors;
