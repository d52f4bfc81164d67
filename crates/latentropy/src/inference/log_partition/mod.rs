//! Log Z by ways that fail for different reasons, and how far it can be believed.
//!
//! Ladders of replicas (`tempering`), annealing forward and backward from the ladders' states (`annealed_importance`), and
//! the mass bound, which is proven. A value is trusted only where all of them agree within their errors; elsewhere the
//! interval of all of them is the answer.

mod given_rows;
mod held_out;
mod interval;
mod joined;
mod mass;
mod witnesses;

pub(crate) use given_rows::{KnownRows, log_partition_given_rows};
pub(crate) use held_out::HeldOut;
pub use interval::Interval;
pub(crate) use mass::{Mass, log_sum};
pub(crate) use witnesses::{Asked, states_by_place, witnesses};
pub use witnesses::{Ladder, Witnesses};
