//! Covariances from expectations alone: what the expectations become where one weight is changed.
//!
//! A feature f_a is 0 or 1, so that changing its weight by t only mixes the two conditional expectations anew:
//! E_t[f] − E[f] = (E_t[f_a] − E[f_a]) (E[f | f_a = 1] − E[f | f_a = 0]), for every t. With m = E[f_a] and q = E_t[f_a],
//! Cov[f, f_a] = m (1 − m) (E_t[f] − E[f]) / (q − m): one more pass per term, and no error but rounding.

use super::engine::Prepared;
use super::sums::Sums;
use crate::error::Result;
use rayon::prelude::*;

/// What f_a's mean becomes: far from where it was, so that the difference is no rounding.
const FAR: f64 = 0.75;

/// Cov[f_a, f_b] at entries a · terms + b with b ≤ a, through an engine with exact sums.
pub(crate) fn covariances_by_tilting(
    prepared: &dyn Prepared,
    weights: &[f64],
    out: &mut [f64],
) -> Result<()> {
    let terms = weights.len();
    let mut here = Sums::default();
    prepared.sums(weights, &mut here)?;
    let lines: Vec<(usize, &mut [f64])> = out.chunks_exact_mut(terms.max(1)).enumerate().collect();
    lines.into_par_iter().with_max_len(8).try_for_each_init(
        || (Sums::default(), weights.to_vec()),
        |(there, tilted), (a, line)| {
            let mean = here.terms[a];
            let variance = mean * (1.0 - mean);
            line[..=a].fill(0.0);
            if variance.is_nan() || variance <= 0.0 {
                return Ok(());
            }
            let target = if mean < 0.5 { FAR } else { 1.0 - FAR };
            tilted[a] = weights[a] + (target / (1.0 - target)).ln() - (mean / (1.0 - mean)).ln();
            prepared.sums(tilted, there)?;
            tilted[a] = weights[a];
            let by = variance / (there.terms[a] - mean);
            if by.is_finite() {
                for ((entry, there), here) in
                    line[..=a].iter_mut().zip(&there.terms).zip(&here.terms)
                {
                    *entry = by * (there - here);
                }
            }
            Ok(())
        },
    )
}
