//! Log Z by Bennett's acceptance ratio between neighbouring rungs, with its error by a jackknife over ladders.

/// What the ladders say of log Z_1 / Z_0.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ByLadders {
    /// From all ladders.
    pub(super) value: f64,
    /// What each ladder pulls the value to: the jackknife's pseudo-values.
    pub(super) pseudo_values: Vec<f64>,
}

impl ByLadders {
    /// Mean and standard error of the mean of some of the pseudo-values.
    pub(super) fn mean_of(&self, takes: impl Fn(usize) -> bool) -> (f64, f64) {
        let own = self.pseudo_values.iter().enumerate();
        let own: Vec<f64> = own
            .filter(|(ladder, _)| takes(*ladder))
            .map(|(_, value)| *value)
            .collect();
        let count = own.len() as f64;
        let mean = own.iter().sum::<f64>() / count;
        let squares: f64 = own.iter().map(|value| (value - mean).powi(2)).sum();
        (mean, (squares / (count - 1.0) / count).sqrt())
    }

    /// The jackknife's standard error.
    pub(super) fn std_err(&self) -> f64 {
        self.mean_of(|_| true).1
    }
}

/// log Z_1 / Z_0 from the excess U of the states on every rung: `excess[ladder][rung · times + time]`.
pub(super) fn log_ratio(excess: &[Vec<f64>], betas: &[f64], times: usize) -> ByLadders {
    let ladders = excess.len();
    let mut value = 0.0;
    // What the sum over rungs would be without each ladder.
    let mut without = vec![0.0; ladders];
    for (rung, step) in betas.windows(2).enumerate() {
        let step = step[1] - step[0];
        let here = |ladder: usize| &excess[ladder][rung * times..(rung + 1) * times];
        let above = |ladder: usize| &excess[ladder][(rung + 1) * times..(rung + 2) * times];
        let balance = |ladder: usize, at: f64| balance(here(ladder), above(ladder), step, at);
        let root = solve(ladders, &balance);
        value += root;
        let parts: Vec<(f64, f64)> = (0..ladders).map(|ladder| balance(ladder, root)).collect();
        let slope: f64 = parts.iter().map(|part| part.1).sum();
        for (without, part) in without.iter_mut().zip(&parts) {
            // One step of Newton's from the common root: the others' balance there is minus that ladder's own.
            let others = slope - part.1;
            *without += root + if others < 0.0 { part.0 / others } else { 0.0 };
        }
    }
    let count = ladders as f64;
    ByLadders {
        value,
        pseudo_values: without
            .iter()
            .map(|without| count * value - (count - 1.0) * without)
            .collect(),
    }
}

/// Σ σ(a − c) over the states here less Σ σ(c − a) over those above, a = step · U; and its derivative by c, which is never
/// above zero. Its root is the log of the ratio of both sums over states (Bennett 1976, as many states on either side).
fn balance(here: &[f64], above: &[f64], step: f64, at: f64) -> (f64, f64) {
    let (mut sum, mut slope) = (0.0, 0.0);
    for (sign, states) in [(1.0, here), (-1.0, above)] {
        for excess in states {
            let share = 1.0 / (1.0 + (sign * (at - step * excess)).exp());
            sum += sign * share;
            slope -= share * (1.0 - share);
        }
    }
    (sum, slope)
}

/// The root of the ladders' summed balance, by Newton's steps kept between two bounds.
fn solve(ladders: usize, balance: &dyn Fn(usize, f64) -> (f64, f64)) -> f64 {
    let all = |at: f64| {
        let parts = (0..ladders).map(|ladder| balance(ladder, at));
        parts.fold((0.0, 0.0), |sum, part| (sum.0 + part.0, sum.1 + part.1))
    };
    let (mut low, mut high) = (-1.0, 1.0);
    while all(low).0 < 0.0 {
        low *= 2.0;
    }
    while all(high).0 > 0.0 {
        high *= 2.0;
    }
    let mut at = 0.5 * (low + high);
    for _ in 0..100 {
        let (sum, slope) = all(at);
        if sum > 0.0 {
            low = at;
        } else {
            high = at;
        }
        let newton = at - sum / slope;
        let next = match newton > low && newton < high {
            true => newton,
            false => 0.5 * (low + high),
        };
        let moved = (next - at).abs();
        at = next;
        if moved < 1e-12 * (1.0 + at.abs()) {
            break;
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, stream};
    use rand::RngExt;

    /// U of states of one unit with log-odds β w: zero or w.
    fn states(weight: f64, beta: f64, count: usize, index: u64) -> Vec<f64> {
        let mut random = stream(3, Purpose::Alone, index);
        let probability = 1.0 / (1.0 + (-beta * weight).exp());
        let draws = (0..count).map(|_| random.random::<f64>() < probability);
        draws
            .map(|is_on| if is_on { weight } else { 0.0 })
            .collect()
    }

    #[test]
    fn ladders_find_a_known_ratio_within_their_errors() {
        let (weight, times) = (6.0, 200);
        let betas = [0.0, 0.3, 0.7, 1.0];
        let truth = ((1.0 + f64::exp(weight)) / 2.0).ln();
        let mut beyond = 0;
        for seed in 0..100u64 {
            let ladders = (0..16).map(|ladder| {
                let rungs = betas.iter().enumerate();
                let rungs = rungs.flat_map(|(rung, &beta)| {
                    states(weight, beta, times, seed * 1000 + 16 * rung as u64 + ladder)
                });
                rungs.collect()
            });
            let ladders: Vec<Vec<f64>> = ladders.collect();
            let found = log_ratio(&ladders, &betas, times);
            assert!(found.std_err() < 0.1 && found.std_err() > 0.0);
            beyond += usize::from((found.value - truth).abs() > 2.2 * found.std_err());
        }
        assert!(beyond <= 9, "{beyond} of 100");
    }

    /// The jackknife itself: every ladder left out, and solved anew.
    #[test]
    fn one_step_is_as_good_as_solving_anew() {
        let (betas, times) = ([0.0, 0.5, 1.0], 50);
        let ladder = |ladder: u64| -> Vec<f64> {
            let rungs =
                (0..3).flat_map(|rung| states(3.0, betas[rung], times, 64 * rung as u64 + ladder));
            rungs.collect()
        };
        let ladders: Vec<Vec<f64>> = (0..8).map(ladder).collect();
        let found = log_ratio(&ladders, &betas, times);
        for left_out in 0..8 {
            let mut others = ladders.clone();
            others.remove(left_out);
            let without = log_ratio(&others, &betas, times).value;
            let pseudo = 8.0 * found.value - 7.0 * without;
            assert!((pseudo - found.pseudo_values[left_out]).abs() < 0.03);
        }
    }
}
