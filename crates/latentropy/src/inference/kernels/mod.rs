//! Vector kernels on tables of 2^k numbers: exponentials, subset and superset transforms, row sums.
//!
//! Each kernel is plain code compiled several times and chosen at run time (AVX-512, AVX2, NEON, baseline).

mod elementary;
mod folding;
mod fours;
mod lane_random;
mod line_products;
mod listed_rows;
mod row_sums;
mod shared_ones;
mod sums;
mod transforms;

pub(crate) use elementary::{
    exponential, exponential_single, exponentials, exponentials_below_maximum, fused, logarithm,
    logistic_row,
};
pub(crate) use folding::{FoldPlan, outer_products};
pub(crate) use fours::{FoursPlan, spread_columns, sums_by_fours};
pub(crate) use lane_random::{CHAINS, LaneRandom, chain_stream};
pub(crate) use line_products::add_products;
pub(crate) use listed_rows::{add_listed_rows, add_row, draw_in_turn, draw_ones, logistics};
pub(crate) use row_sums::{ROW_PANEL, paired_row_sums, weighted_row_sums};
pub(crate) use shared_ones::add_shared_ones;
pub(crate) use sums::{
    add_piece_sums, add_scaled, add_scaled_features, dot, maximum, multiply, sum,
};
pub(crate) use transforms::{LANES, lane_posteriors, subset_products, subset_sums, superset_sums};

#[cfg(test)]
mod tests;
