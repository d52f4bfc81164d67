//! Second-order steps to a stationary point, and away from saddles along their upward direction.

mod ascent;
mod by_samples;
mod lbfgs;
mod newton;
mod newton_cg;
mod quasi_newton;
mod steps;
mod system;

pub(crate) use by_samples::{Near, SampledRounds, judge};
pub(crate) use newton::Care;
pub use quasi_newton::QuasiNewton;
pub(crate) use steps::SecondOrder;
