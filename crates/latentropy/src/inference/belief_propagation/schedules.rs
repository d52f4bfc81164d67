//! Schedules of messages: through a forest, all at once, or the largest change first, until nothing changes.

use super::kernel::message;
use super::messages::Messages;
use super::ratios::{Ratios, STRIDE};
use std::collections::BinaryHeap;

/// Messages that change by less than this, relative to the largest weight, have settled.
const SETTLED: f64 = 1e-13;
/// Damping and rounds of flooding, tried in this order.
const FLOODS: [(f64, usize); 3] = [(0.0, 2_000), (0.5, 4_000), (0.9, 20_000)];
/// Flooding is given up where this many rounds do not bring the change down to nine tenths.
const PATIENCE: usize = 200;
/// Damping and updates per message of the residual schedule.
const RESIDUAL_DAMPING: f64 = 0.3;
const RESIDUAL_UPDATES: usize = 400;

impl Messages<'_> {
    /// Rounds of all messages, by ratios as far as they do; the last change.
    pub(crate) fn rounds(&mut self, rounds: usize, damping: f64) -> f64 {
        let mut left = rounds;
        let mut change = 0.0;
        if damping == 0.0
            && let Some(mut ratios) = Ratios::new(self)
        {
            while left >= STRIDE {
                change = ratios.rounds(self);
                left -= STRIDE;
            }
            self.values = ratios.logarithms();
            self.gather();
        }
        for _ in 0..left {
            change = self.round(damping);
        }
        change
    }

    fn tolerance(&self) -> f64 {
        let largest = self.weights.iter().fold(1.0f64, |a, w| a.max(w.abs()));
        SETTLED * largest
    }

    /// Leaves to roots and back: exact on a forest (all ρ = 1 there).
    pub(crate) fn pass_through_forest(&mut self) {
        self.values.fill(0.0);
        self.fields.copy_from_slice(&self.graph.bias);
        let order = self.graph.breadth_first();
        let towards = |unit: usize, edge: usize| {
            // The message of this edge that arrives at `unit`.
            2 * edge + usize::from(self.graph.edges[edge].a == unit)
        };
        for &(unit, up) in order.iter().rev() {
            if let Some(up) = up {
                let m = towards(up.neighbour, up.edge);
                self.values[m] = message(self.fields[unit], self.weights[m]);
                self.fields[up.neighbour] += self.values[m];
            }
        }
        for &(unit, up) in &order {
            if let Some(up) = up {
                let m = towards(unit, up.edge);
                let cavity = self.fields[up.neighbour] - self.values[m ^ 1];
                self.values[m] = message(cavity, self.weights[m]);
                self.fields[unit] += self.values[m];
            }
        }
    }

    /// Floods with more and more damping; true once nothing changes.
    pub(crate) fn settle_by_flooding(&mut self) -> bool {
        let tolerance = self.tolerance();
        for (damping, rounds) in FLOODS {
            self.values.fill(0.0);
            self.gather();
            if self.flood_on(damping, rounds, tolerance) {
                return true;
            }
        }
        false
    }

    /// Floods from the messages there are.
    pub(crate) fn continue_flooding(&mut self) -> bool {
        let tolerance = self.tolerance();
        FLOODS
            .iter()
            .any(|&(damping, rounds)| self.flood_on(damping, rounds, tolerance))
    }

    fn flood_on(&mut self, damping: f64, rounds: usize, tolerance: f64) -> bool {
        let mut ratios = (damping == 0.0).then(|| Ratios::new(self)).flatten();
        let stride = if ratios.is_some() { STRIDE } else { 1 };
        let settled = self.flood_with(&mut ratios, stride, damping, rounds, tolerance);
        if let Some(ratios) = ratios {
            self.values = ratios.logarithms();
            self.gather();
        }
        settled
    }

    fn flood_with(
        &mut self,
        ratios: &mut Option<Ratios>,
        stride: usize,
        damping: f64,
        rounds: usize,
        tolerance: f64,
    ) -> bool {
        let mut mark = f64::INFINITY;
        let mut lowest = f64::INFINITY;
        for round in (stride..=rounds).step_by(stride) {
            let change = match ratios {
                Some(ratios) => ratios.rounds(self),
                None => self.round(damping),
            };
            if change <= tolerance {
                return true;
            }
            lowest = lowest.min(change);
            if round % PATIENCE == 0 {
                if lowest > 0.9 * mark {
                    // Rounding keeps messages from settling further: good enough if it is that.
                    return lowest <= 100.0 * tolerance;
                }
                mark = lowest;
            }
        }
        false
    }

    /// Always the message that would change most (Elidan, McGraw and Koller 2006); true once none would.
    pub(crate) fn settle_by_residuals(&mut self) -> bool {
        self.values.fill(0.0);
        self.gather();
        let tolerance = self.tolerance();
        let count = self.values.len();
        let residual = |this: &Self, m: usize| {
            let cavity = this.fields[this.senders[m] as usize] - this.values[m ^ 1];
            message(cavity, this.weights[m]) - this.values[m]
        };
        // Sizes of positive doubles are ordered like their bits.
        let mut queue: BinaryHeap<(u64, usize)> = (0..count)
            .map(|m| (residual(self, m).abs().to_bits(), m))
            .collect();
        let mut left = RESIDUAL_UPDATES * count;
        while let Some((noted, m)) = queue.pop() {
            let change = residual(self, m);
            if change.abs().to_bits() < noted {
                // An old note: put it back at its present size, unless it has settled.
                if change.abs() > tolerance {
                    queue.push((change.abs().to_bits(), m));
                }
                continue;
            }
            if change.abs() <= tolerance {
                continue;
            }
            if left == 0 {
                return false;
            }
            left -= 1;
            let step = (1.0 - RESIDUAL_DAMPING) * change;
            let receiver = self.senders[m ^ 1] as usize;
            self.values[m] += step;
            self.fields[receiver] += self.appearance[m / 2] * step;
            queue.push(((RESIDUAL_DAMPING * change).abs().to_bits(), m));
            for incident in self.graph.around(receiver) {
                let out =
                    2 * incident.edge + usize::from(self.graph.edges[incident.edge].b == receiver);
                let size = residual(self, out).abs();
                if size > tolerance {
                    queue.push((size.to_bits(), out));
                }
            }
        }
        // The queue forgets small changes; one full round tells whether they have added up.
        self.gather();
        self.round(0.0) <= 100.0 * tolerance
    }
}
