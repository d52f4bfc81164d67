//! Replicas on a ladder from independent units to the machine, and log Z by what they weigh on neighbouring rungs.
//!
//! The path is that of annealing, p_β ∝ p_0^{1−β} p^β, so that log p_β changes by (β' − β) U(x) from rung to rung. Replicas
//! at β = 0 are drawn exactly, sweep by sweep; one that climbs from there to β = 1 is a *renewal*, an independent state of
//! the machine where the rungs between are in equilibrium. Rungs are placed for equal rejection of swaps, even and odd pairs in
//! turn (Syed, Bouchard-Côté, Deligiannidis and Doucet 2022). Log Z is the sum over neighbouring rungs of Bennett's acceptance
//! ratio (1976), its error a jackknife over ladders that have nothing in common.

mod acceptance_ratio;
mod bundle;
mod persistent;
mod run;
mod rungs;

pub(crate) use persistent::{CarriedPersistent, Mixing, PersistentChains};
pub(crate) use run::{Effort, Tempered, temper};

/// Rejections per standard deviation of the exponent's change along the path: 1/√π for normal ones.
const REJECTIONS_PER_LENGTH: f64 = 0.564;
