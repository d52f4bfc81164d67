//! Contrastive divergence (Hinton 2002) and its persistent form (Tieleman 2008), for any graph and any order of terms.
//!
//! Both follow ∂L/∂λ = η − E_p f, equation (11), with chains in place of the free phase. CD-k starts a chain at
//! each row, its latent units drawn from their posterior, and makes k sweeps: a biased, quiet estimate. Persistent CD
//! keeps its chains from pass to pass: the weights change slowly enough for them to stay near p.
//! A pass is one step λ ← λ + ε_t (η̂ − Ê f − rλ) over all rows, kept in the box.

mod all_rows;
mod averaging;
mod cd;
mod centred_slopes;
mod form;
mod mini_batches;
mod pcd;
mod schedule;

pub use cd::Cd;
pub use pcd::Pcd;
pub use schedule::Schedule;
