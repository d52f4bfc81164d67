//! How far sampled covariances are shrunk, and what towards (Ledoit and Wolf 2004).

use super::{LEAST_VARIANCE, Place, RUN, StateProducts};
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

/// States whose inner products say how noisy covariances are.
const LOOKED_AT: usize = 512;
/// Chains change slowly: states so far apart are worth about half as many that are independent.
const WORTH: f64 = 0.5;

impl StateProducts {
    /// How far covariances of standardised features are to be shrunk: the share of noise in what they say beside their
    /// diagonal. ‖C‖² is the mean square of the inner products of independent states, and the noise of C its spread.
    pub(super) fn noise(&self) -> f64 {
        let units = self.units;
        let looked = LOOKED_AT.min(self.states);
        let apart = self.states / looked;
        let deviations: Vec<f32> = self
            .means
            .iter()
            .map(|mean| (mean * (1.0 - mean)).max(LEAST_VARIANCE).sqrt() as f32)
            .collect();
        let mut lines = Vec::with_capacity(looked * units);
        for state in (0..looked).map(|at| at * apart) {
            let run = &self.runs[state / RUN];
            let line = &run[state % RUN * units..(state % RUN + 1) * units];
            lines.extend(
                line.iter()
                    .zip(&deviations)
                    .map(|(x, deviation)| x / deviation),
            );
        }
        let squares: Vec<f32> = lines.iter().map(|x| x * x).collect();
        let mut inner = vec![0.0f32; looked * looked];
        let mut of_squares = inner.clone();
        gram(&mut inner, &lines, (units, looked));
        gram(&mut of_squares, &squares, (units, looked));
        // Σ_i z z′ + Σ_{i<j} z_i z_j z′_i z′_j.
        let kernel = inner.iter().zip(&of_squares);
        let kernel: Vec<f64> = kernel
            .map(|(one, square)| f64::from(one + 0.5 * (one * one - square)))
            .collect();
        let count = looked as f64;
        let line_means: Vec<f64> = kernel
            .chunks_exact(looked)
            .map(|line| line.iter().sum::<f64>() / count)
            .collect();
        let mean = line_means.iter().sum::<f64>() / count;
        let (mut own, mut others, mut trace) = (0.0, 0.0, 0.0);
        for a in 0..looked {
            for b in 0..looked {
                let value = kernel[a * looked + b] - line_means[a] - line_means[b] + mean;
                match a == b {
                    true => {
                        trace += value / count;
                        own += value * value / count;
                    }
                    false => others += value * value / (count * (count - 1.0)),
                }
            }
        }
        // Without a single covariance ‖C‖² is the number of terms, their variances being one.
        let beside = (others - trace).max(0.0);
        let noise = ((own - others) / (WORTH * self.states as f64)).max(0.0);
        match noise + beside > 0.0 {
            true => noise / (noise + beside),
            false => 1.0,
        }
    }
}

/// What variances are more than those of normal numbers, C_ii C_jj + C_ij² of a pair.
pub(super) fn excess(variances: &[f64], of_units: &[f64], places: &[Place]) -> Vec<f64> {
    let units = of_units.len().isqrt();
    let normal = |&(a, b): &Place| {
        let entry = |a: u32, b: u32| of_units[a as usize * units + b as usize];
        match b {
            None => entry(a, a),
            Some(b) => entry(a, a) * entry(b, b) + entry(a, b).powi(2),
        }
    };
    let both = variances.iter().zip(places);
    both.map(|(variance, place)| (variance - normal(place)).max(0.0))
        .collect()
}

/// Inner products of lines.
fn gram(out: &mut [f32], lines: &[f32], (units, states): (usize, usize)) {
    let lines = MatRef::from_row_major_slice(lines, states, units);
    matmul(
        MatMut::from_row_major_slice_mut(out, states, states),
        Accum::Replace,
        lines,
        lines.transpose(),
        1.0,
        Par::Seq,
    );
}
