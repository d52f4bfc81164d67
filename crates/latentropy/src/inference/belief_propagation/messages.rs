//! Messages on a pairwise graph, plain or tree-reweighted: rounds, beliefs and the constant of the reparametrisation.
//!
//! With appearance probabilities ρ (all 1 for belief propagation) a unit's field is θ_i = b_i + Σ_k ρ_ki u_ki, the message
//! u_ij = log (1 + e^{θ_i − u_ji + w/ρ}) / (1 + e^{θ_i − u_ji}) (Wainwright, Jaakkola and Willsky 2003).

use super::kernel::flood;
use crate::inference::reduction::Pairwise;

/// Messages and what they are sent through.
#[derive(Clone, Debug)]
pub(crate) struct Messages<'a> {
    pub(super) graph: &'a Pairwise,
    /// ρ, one per edge.
    pub(crate) appearance: Vec<f64>,
    /// The unit that sends each message.
    pub(super) senders: Vec<u32>,
    /// The messages that arrive at each unit, unit by unit, and where each unit's begin.
    arrivals: Vec<u32>,
    arrival_starts: Vec<u32>,
    /// All ρ are one.
    pub(super) plain: bool,
    /// w/ρ, one per message.
    pub(super) weights: Vec<f64>,
    /// Message 2e goes from a to b of edge e, 2e + 1 from b to a.
    pub(crate) values: Vec<f64>,
    /// θ, one per unit.
    pub(crate) fields: Vec<f64>,
}

impl<'a> Messages<'a> {
    /// No message says anything yet.
    pub(crate) fn new(graph: &'a Pairwise, appearance: Vec<f64>) -> Self {
        let both = |value: f64| [value, value];
        let edges = graph.edges.iter();
        let (mut arrivals, mut arrival_starts) = (Vec::new(), vec![0]);
        for unit in 0..graph.units() {
            let arriving = graph.around(unit).iter().map(|incident| {
                let sent_by_b = graph.edges[incident.edge].a == unit;
                (2 * incident.edge + usize::from(sent_by_b)) as u32
            });
            arrivals.extend(arriving);
            arrival_starts.push(arrivals.len() as u32);
        }
        Messages {
            arrivals,
            arrival_starts,
            plain: appearance.iter().all(|&rho| rho == 1.0),
            senders: edges
                .clone()
                .flat_map(|e| [e.a as u32, e.b as u32])
                .collect(),
            weights: edges
                .zip(&appearance)
                .flat_map(|(e, rho)| both(e.weight / rho))
                .collect(),
            appearance,
            values: vec![0.0; 2 * graph.edges.len()],
            fields: graph.bias.clone(),
            graph,
        }
    }

    /// Other appearance probabilities, the messages kept as a start.
    pub(crate) fn reweight(&mut self, appearance: Vec<f64>) {
        for (edge, rho) in appearance.iter().enumerate() {
            let weight = self.graph.edges[edge].weight / rho;
            self.weights[2 * edge] = weight;
            self.weights[2 * edge + 1] = weight;
        }
        self.plain = appearance.iter().all(|&rho| rho == 1.0);
        self.appearance = appearance;
        self.gather();
    }

    /// The messages that arrive at each unit, unit by unit.
    pub(super) fn arrivals_by_unit(&self) -> impl Iterator<Item = &[u32]> {
        let ranges = self.arrival_starts.windows(2);
        ranges.map(|range| &self.arrivals[range[0] as usize..range[1] as usize])
    }

    pub(super) fn biases(&self) -> &[f64] {
        &self.graph.bias
    }

    /// How large a field can become, and with it one more weight.
    pub(super) fn largest_exponent(&self) -> f64 {
        let units = self.arrivals_by_unit().zip(self.biases());
        let fields = units.map(|(arrivals, bias)| {
            let weights = arrivals.iter().map(|&m| self.weights[m as usize].abs());
            bias.abs() + weights.sum::<f64>()
        });
        let largest = |a: f64, b: f64| a.max(b);
        let weights = self.weights.iter().map(|weight| weight.abs());
        fields.fold(0.0, largest) + weights.fold(0.0, largest)
    }

    /// Fields from messages: unit by unit, since adding along edges would wait for the last addition to the same unit.
    pub(crate) fn gather(&mut self) {
        let ranges = self.arrival_starts.windows(2);
        for ((field, &bias), range) in self.fields.iter_mut().zip(&self.graph.bias).zip(ranges) {
            let arrivals = &self.arrivals[range[0] as usize..range[1] as usize];
            let mut sum = bias;
            if self.plain {
                for &m in arrivals {
                    sum += self.values[m as usize];
                }
            } else {
                for &m in arrivals {
                    sum += self.appearance[m as usize / 2] * self.values[m as usize];
                }
            }
            *field = sum;
        }
    }

    /// One round of all messages at once; returns the largest change before damping.
    pub(crate) fn round(&mut self, damping: f64) -> f64 {
        let change = flood(
            &mut self.values,
            &self.fields,
            &self.senders,
            &self.weights,
            damping,
        );
        self.gather();
        change
    }

    /// P(x = 1) per unit.
    pub(crate) fn means(&self) -> Vec<f64> {
        self.fields
            .iter()
            .map(|f| 1.0 / (1.0 + (-f).exp()))
            .collect()
    }

    /// The fields of an edge's ends without each other, and the weight between them.
    fn cavity(&self, edge: usize) -> (f64, f64, f64) {
        let e = self.graph.edges[edge];
        (
            self.fields[e.a] - self.values[2 * edge + 1],
            self.fields[e.b] - self.values[2 * edge],
            self.weights[2 * edge],
        )
    }

    /// P(x_a = x_b = 1) per edge.
    pub(crate) fn pairs(&self) -> Vec<f64> {
        (0..self.graph.edges.len())
            .map(|edge| {
                let (a, b, w) = self.cavity(edge);
                (a + b + w - log_pair_sum(a, b, w)).exp().min(1.0)
            })
            .collect()
    }

    /// K of exponent(x) = K + Σ log T_i + Σ ρ log T_ij / (T_i T_j); log Z of Bethe at a fixed point.
    pub(crate) fn constant(&self) -> f64 {
        let units: f64 = self.fields.iter().map(|&f| softplus(f)).sum();
        let edges = self.graph.edges.iter().enumerate().map(|(at, e)| {
            let (a, b, w) = self.cavity(at);
            let excess =
                log_pair_sum(a, b, w) - softplus(self.fields[e.a]) - softplus(self.fields[e.b]);
            self.appearance[at] * excess
        });
        units + edges.sum::<f64>()
    }

    /// Σ ρ log(1 + ε), where an edge's belief exceeds a unit's belief at most by the factor 1 + ε.
    ///
    /// Added to [`Messages::constant`] it bounds log Z from above for any messages, settled or not: summing leaf by
    /// leaf, every tree's product of beliefs is at most Π (1 + ε).
    pub(crate) fn inconsistency(&self) -> f64 {
        let edges = self.graph.edges.iter().enumerate();
        edges
            .map(|(at, e)| {
                let (a, b, w) = self.cavity(at);
                let total = log_pair_sum(a, b, w);
                let mut worst: f64 = 0.0;
                for (own, other, field) in [(a, b, self.fields[e.a]), (b, a, self.fields[e.b])] {
                    let norm = softplus(field);
                    let off = softplus(other) - total + norm;
                    let on = own + softplus(other + w) - total - field + norm;
                    worst = worst.max(off).max(on);
                }
                self.appearance[at] * worst
            })
            .sum()
    }
}

/// log(1 + e^x).
pub(crate) fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

/// log(1 + e^a + e^b + e^{a+b+w}).
fn log_pair_sum(a: f64, b: f64, w: f64) -> f64 {
    let (off, on) = (softplus(a), b + softplus(a + w));
    off.max(on) + (-(off - on).abs()).exp().ln_1p()
}
