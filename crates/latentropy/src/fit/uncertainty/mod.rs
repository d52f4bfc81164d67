//! The bootstrap: how far a fit's numbers would move on other rows, by refits.

mod bootstrap;
mod relabelling;
mod resampling;
mod spread;

pub use bootstrap::{Bootstrap, BootstrapSettings, Refit, Spreads};
pub(super) use bootstrap::{assemble, refit};
pub use resampling::BootstrapKind;
pub use spread::Spread;
