//! A hidden unit beside the pairs of its columns, and how the ridge bends where they say for each other what they do.

use super::eigen::Eigen;
use crate::inference::kernels::dot;

/// Along a direction that the ridge hardly bends, or upwards, steps are as long as where it bends by so much of itself.
const LEAST_BEND: f64 = 0.1;
/// Directions along which pairs make up for more than this share of w's own bend are together with a, so many at most.
const NEARLY_FLAT: f64 = 0.25;
const MOST_TOGETHER: usize = 8;
/// A bias that the ridge bends less than this by is taken as bent by so much.
const LEAST_OF_BIAS: f64 = 1e-3;
/// No term.
pub(super) const NONE: usize = usize::MAX;

/// A hidden unit.
#[derive(Clone, Debug)]
pub(super) struct Speaker {
    pub(super) unit: usize,
    pub(super) bias: usize,
    /// Per column the term that joins them.
    pub(super) joined: Vec<usize>,
    /// Its weights to the columns.
    pub(super) weights: Vec<f64>,
    /// p, κ and its derivative by a.
    pub(super) mean: f64,
    pub(super) spread: f64,
    pub(super) tilt: f64,
    /// The bend of the ridge less that of w alone: −κ J, along the directions of J …
    bends: Vec<f64>,
    /// … but for its last directions, which are together with a.
    last: Last,
}

/// What the ridge bends along the last directions of J and a, in units of which a has a bend of about one, less that of w alone.
#[derive(Clone, Debug)]
struct Last {
    /// How many directions, without a.
    count: usize,
    unit_of_a: f64,
    /// (count + 1) × (count + 1), a last.
    matrix: Vec<f64>,
}

impl Speaker {
    /// From its terms, its weights to the columns, and p and its derivatives by a.
    pub(super) fn new(
        (unit, bias): (usize, usize),
        joined: Vec<usize>,
        weights: Vec<f64>,
        [mean, spread, tilt, bend]: [f64; 4],
        eigen: &Eigen,
    ) -> Option<Self> {
        let bends = eigen.values.iter().map(|value| -spread * value);
        Some(Speaker {
            unit,
            bias,
            joined,
            mean,
            spread,
            tilt,
            bends: bends.collect(),
            last: Last::new(eigen, &weights, [spread, tilt, bend])?,
            weights,
        })
    }

    /// The entries of its pairs with columns.
    pub(super) fn of(&self, v: &[f64]) -> Vec<f64> {
        let entry = |&term: &usize| if term == NONE { 0.0 } else { v[term] };
        self.joined.iter().map(entry).collect()
    }

    /// The bend less that of w alone times a change: entries of the columns, and that of the bias.
    pub(super) fn bend_times(&self, eigen: &Eigen, v: &[f64]) -> (Vec<f64>, f64) {
        let own = self.of(v);
        let mut along = eigen.along(&own);
        let first = along.len() - self.last.count;
        let unit = self.last.unit_of_a;
        let mut last = along[first..].to_vec();
        last.push(v[self.bias] / unit);
        let lines = self.last.matrix.chunks_exact(last.len());
        let of_last: Vec<f64> = lines.map(|line| dot(line, &last)).collect();
        for (entry, bend) in along[..first].iter_mut().zip(&self.bends) {
            *entry *= bend;
        }
        along[first..].copy_from_slice(&of_last[..self.last.count]);
        (eigen.together(&along), of_last[self.last.count] / unit)
    }
}

impl Last {
    fn new(eigen: &Eigen, weights: &[f64], [spread, tilt, bend]: [f64; 3]) -> Option<Self> {
        let upward = eigen.values.iter().rev();
        let count = upward
            .take_while(|value| spread * **value > NEARLY_FLAT)
            .count();
        let count = count.min(MOST_TOGETHER);
        let first = eigen.values.len() - count;
        let along = eigen.along(weights);
        let pulls: Vec<f64> = along
            .iter()
            .zip(&eigen.values)
            .map(|(w, value)| w * value)
            .collect();
        let of_a = -0.5 * bend * dot(&pulls, &along);
        let unit_of_a = 1.0 / of_a.abs().max(LEAST_OF_BIAS).sqrt();
        let size = count + 1;
        let mut matrix = vec![0.0; size * size];
        for at in 0..count {
            matrix[at * size + at] = 1.0 - spread * eigen.values[first + at];
            let both = -tilt * pulls[first + at] * unit_of_a;
            matrix[at * size + count] = both;
            matrix[count * size + at] = both;
        }
        matrix[size * size - 1] = of_a * unit_of_a * unit_of_a;
        let apart = Eigen::new(&matrix, size)?;
        let bent: Vec<f64> = apart
            .values
            .iter()
            .map(|value| value.abs().max(LEAST_BEND))
            .collect();
        for (at, line) in matrix.chunks_exact_mut(size).enumerate() {
            let mut unit = vec![0.0; size];
            unit[at] = 1.0;
            let along = apart.along(&unit);
            let along: Vec<f64> = along.iter().zip(&bent).map(|(x, bend)| x * bend).collect();
            line.copy_from_slice(&apart.together(&along));
            if at < count {
                line[at] -= 1.0;
            }
        }
        Some(Last {
            count,
            unit_of_a,
            matrix,
        })
    }
}
