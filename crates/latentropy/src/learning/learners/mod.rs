//! The learners, each in a file of its own, and their registry.
//!
//! To add one, implement [`method::Method`] in a new file and add a line to `learners!` in [`registry`]: the conformance suite
//! asks all of them.

mod contrastive;
mod coordinate;
mod em_gis;
mod em_gradient;
mod em_is;
mod method;
mod need;
mod options;
mod registry;
mod reweighted;
mod sampled;
mod second_order;
mod sequential;
mod shared;
mod state_table;
mod watch;

pub use contrastive::{Cd, Pcd, Schedule};
pub use em_gis::EmGis;
pub use em_gradient::{EmGradient, Step};
pub use em_is::EmIs;
pub(crate) use method::Begin;
pub use need::Need;
pub use options::OptionValue;
pub use registry::Learner;
pub use second_order::QuasiNewton;
pub(crate) use second_order::{Care, Near, SampledRounds, SecondOrder, judge};
pub use sequential::{Sequential, SequentialRule};
