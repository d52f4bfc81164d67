//! Belief propagation: messages along the edges until they agree, the Bethe estimate of log Z; exact on forests.
//!
//! Where messages do not settle, the Bethe free energy is minimised directly: its minima are fixed points, too.

mod bethe;
mod engine;
mod fixed_point;
mod kernel;
mod messages;
mod ratios;
mod schedules;

pub use engine::BeliefPropagation;
pub(super) use engine::{responding_beliefs, settled_beliefs};
pub use fixed_point::Settled;
pub(super) use messages::Messages;
