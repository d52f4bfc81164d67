//! Enumeration of pairwise machines as matrix products, at the speed of the hardware's fused multiply-adds.
//!
//! With the units in three groups A, R, C every pair of units lies in at most two of them, so
//! exp(exponent) = K_AR[h,r] · K_AC[h,c] · T[r,c] (group-internal factors put into one of the three), and
//! the joint marginal of two groups is a matrix product: P(h,r) ∝ K_AR[h,r] Σ_c K_AC[h,c] T[r,c], and so on.
//! Three products of 2^M multiply-adds in all give every single and pair sum. R and C are small enough for T
//! to stay in cache; A is visited in tiles. Rows and columns are sorted by the code of their state (how many
//! units of each class are on), so that sums by f# are the same products cut into runs of equal code.

mod evaluate;
mod factors;
mod gather;
mod layout;
mod lines;
mod side;
mod tiles;

pub(super) use layout::Groups;
pub(super) use tiles::GroupScratch;
