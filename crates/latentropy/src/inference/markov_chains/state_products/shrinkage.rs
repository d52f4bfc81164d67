//! How far sampled covariances are shrunk (Ledoit and Wolf 2004).

use super::{RUN, StateProducts};
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

/// States whose inner products say how noisy covariances are.
const LOOKED_AT: usize = 512;
/// Chains change slowly: states so far apart are worth about half as many that are independent.
const WORTH: f64 = 0.5;

impl StateProducts {
    /// How far covariances of standardised features are to be shrunk: the share of noise in what they say beside their
    /// diagonal, about the mean of each kind of states. ‖C‖² is the mean square of the inner products of independent states, and the noise of C its spread.
    pub(super) fn noise(&self, kind_of: &[u8]) -> f64 {
        let units = self.units;
        let looked = LOOKED_AT.min(self.states);
        let apart = self.states / looked;
        let mut lines = Vec::with_capacity(looked * units);
        for state in (0..looked).map(|at| at * apart) {
            let run = &self.runs[state / RUN];
            let line = &run[state % RUN * units..(state % RUN + 1) * units];
            lines.extend(self.normals.standardised(line, kind_of[state]));
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
