//! Mean field: every unit in the average field of its neighbours (naive), corrected for its own influence (TAP).
//!
//! Naive: log Z ≥ max_q Σ b q + Σ w q q + Σ H(q), a bound at every q. TAP adds ½ Σ w² q(1−q) q(1−q), Plefka's second
//! order (Thouless, Anderson and Palmer 1977; Plefka 1982). Pairs of both by linear response.

mod ascent;
mod naive;
mod response;
mod tap;

pub use naive::MeanField;
pub(super) use naive::lower_bound;
pub use tap::Tap;

#[cfg(test)]
mod tests;
