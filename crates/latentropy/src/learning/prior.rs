//! The prior and the box of a problem: what the ridge takes from the likelihood, and how far each weight may go.
//!
//! Neither knows which answer is called 1. They act on the centred view ([`super::centred`]): the ridge α on the
//! coordinates of two and more units, the bias ridge β on those of one unit, the penalty being Σ r κ²/(2T). The box
//! holds |λ| ≤ B for terms that no other term contains, whose sizes recoding leaves alone; a term that others contain
//! takes up what recoding moves between them, so it may go as far as all of them together. Where a machine cannot be
//! recoded (no biases), the ridge is on its weights and the box the same for all.

use super::centred::{CentredView, Combination};
use super::objective::Objective;
use crate::data::Dataset;
use crate::error::Result;
use crate::network::Network;
use crate::rows::RowPosteriors;
use std::sync::Arc;

/// A penalised combination of several weights.
#[derive(Clone, Debug)]
struct Pull {
    /// r/T.
    strength: f64,
    combination: Combination,
}

/// Penalty and box of one problem.
#[derive(Clone, Debug)]
pub(crate) struct Prior {
    view: Option<Arc<CentredView>>,
    objective: Objective,
    /// How far each weight may go.
    bounds: Vec<f64>,
    /// r/T of each coordinate.
    strengths: Vec<f64>,
    /// r/T of each weight that is penalised by itself.
    own: Vec<f64>,
    /// Combinations of several weights.
    pulls: Vec<Pull>,
    /// For each term the pulls that it takes part in, with its factor.
    of_term: Vec<Vec<(u32, f64)>>,
    /// Per term, how the penalty bends at most when all weights move at once.
    joint_bends: Vec<f64>,
}

/// The mean of each visible unit's known cells, and one half for what is hidden or never known.
pub(crate) fn centres(network: &Network, rows: &RowPosteriors) -> Vec<f64> {
    let units = network.units().len();
    let (mut ones, mut known) = (vec![0.0; units], vec![0.0; units]);
    for (clamp, share) in rows.clamps().iter().zip(rows.shares()) {
        for unit in 0..units {
            if let Some(on) = clamp.get(unit) {
                known[unit] += share;
                ones[unit] += share * f64::from(u8::from(on));
            }
        }
    }
    let mean = |(ones, known): (f64, f64)| if known > 0.0 { ones / known } else { 0.5 };
    ones.into_iter().zip(known).map(mean).collect()
}

/// The weights in the centred view of these rows; as they are where a machine cannot be recoded. The sign is where a
/// weight is driven: a bias that takes up what recoding moved to it may have the other one.
pub(crate) fn centred_weights(network: &Network, data: &Dataset) -> Result<Vec<f64>> {
    let rows = RowPosteriors::new(network, data)?;
    let view = CentredView::new(network, &centres(network, &rows));
    let weights = network.weights();
    Ok(match view {
        Some(view) => view
            .coordinates()
            .iter()
            .map(|of| of.value(weights))
            .collect(),
        None => weights.to_vec(),
    })
}

impl Prior {
    /// For these rows against this structure.
    pub(crate) fn new(network: &Network, rows: &RowPosteriors, objective: Objective) -> Self {
        let view = CentredView::new(network, &centres(network, rows)).map(Arc::new);
        Prior::with_view(view, network.terms().len(), objective, rows.row_count())
    }

    /// The same view under another objective.
    pub(crate) fn with_objective(&self, objective: Objective, rows: f64) -> Self {
        Prior::with_view(self.view.clone(), self.bounds.len(), objective, rows)
    }

    fn with_view(
        view: Option<Arc<CentredView>>,
        terms: usize,
        objective: Objective,
        rows: f64,
    ) -> Self {
        let mut prior = Prior {
            bounds: vec![objective.bound; terms],
            strengths: vec![0.0; terms],
            own: vec![0.0; terms],
            pulls: Vec::new(),
            of_term: vec![Vec::new(); terms],
            joint_bends: Vec::new(),
            objective,
            view,
        };
        let Some(view) = prior.view.clone() else {
            prior.own = vec![objective.ridge / rows; terms];
            prior.strengths.clone_from(&prior.own);
            prior.joint_bends.clone_from(&prior.own);
            return prior;
        };
        for (term, combination) in view.coordinates().iter().enumerate() {
            prior.bounds[term] = objective.bound * combination.parts.len() as f64;
            let strength = match combination.order {
                1 => objective.bias_ridge,
                _ => objective.ridge,
            } / rows;
            prior.strengths[term] = strength;
            if strength == 0.0 {
                continue;
            }
            if combination.parts.len() == 1 {
                prior.own[term] = strength;
                continue;
            }
            let number = prior.pulls.len() as u32;
            for &(part, by) in &combination.parts {
                prior.of_term[part].push((number, by));
            }
            let combination = combination.clone();
            prior.pulls.push(Pull {
                strength,
                combination,
            });
        }
        prior.joint_bends = prior.bends_of_all();
        prior
    }

    /// How far each weight may go.
    pub(crate) fn bounds(&self) -> &[f64] {
        &self.bounds
    }

    /// The nearest value of a weight within the box.
    #[inline]
    pub(crate) fn held(&self, term: usize, weight: f64) -> f64 {
        weight.clamp(-self.bounds[term], self.bounds[term])
    }

    /// True of a weight at the edge of the box.
    #[inline]
    fn is_at_edge(&self, term: usize, weight: f64) -> bool {
        weight.abs() >= self.bounds[term]
    }

    /// How far a gradient is from stationary for a weight in the box: outward at the edge is no violation.
    #[inline]
    pub(crate) fn violation(&self, term: usize, weight: f64, gradient: f64) -> f64 {
        let bound = self.bounds[term];
        if (weight >= bound && gradient > 0.0) || (weight <= -bound && gradient < 0.0) {
            0.0
        } else {
            gradient.abs()
        }
    }

    /// The terms that may move: all but those at the edge of the box with an outward gradient.
    pub(crate) fn movable(&self, weights: &[f64], gradient: &[f64]) -> Vec<usize> {
        (0..weights.len())
            .filter(|&i| !(self.is_at_edge(i, weights[i]) && gradient[i] * weights[i] >= 0.0))
            .collect()
    }

    /// The terms that are at the edge of the box, or whose coordinate has run off as far: a bias that the rows never
    /// contradict is one of these, although the box leaves it room for the other coding's sake.
    pub(crate) fn at_edge(&self, weights: &[f64]) -> Vec<usize> {
        let runs_off = |term: usize| {
            self.view.as_ref().is_some_and(|view| {
                view.coordinates()[term].value(weights).abs() >= self.objective.bound
            })
        };
        (0..weights.len())
            .filter(|&term| self.is_at_edge(term, weights[term]) || runs_off(term))
            .collect()
    }

    /// What is taken from the mean log-likelihood of a row: Σ r κ²/(2T).
    pub(crate) fn value(&self, weights: &[f64]) -> f64 {
        let own: f64 = weights.iter().zip(&self.own).map(|(w, r)| r * w * w).sum();
        let pulls = self.pulls.iter();
        let pulls: f64 = pulls
            .map(|p| p.strength * p.combination.value(weights).powi(2))
            .sum();
        0.5 * (own + pulls)
    }

    /// Its gradient.
    pub(crate) fn slope(&self, weights: &[f64]) -> Vec<f64> {
        let mut slope = Vec::new();
        self.slope_into(weights, &mut slope);
        slope
    }

    /// Its gradient, in a buffer.
    pub(crate) fn slope_into(&self, weights: &[f64], slope: &mut Vec<f64>) {
        slope.clear();
        slope.extend(weights.iter().zip(&self.own).map(|(w, r)| r * w));
        for pull in &self.pulls {
            let by = pull.strength * pull.combination.value(weights);
            for &(term, factor) in &pull.combination.parts {
                slope[term] += by * factor;
            }
        }
    }

    /// One entry of the gradient.
    pub(crate) fn slope_of(&self, term: usize, weights: &[f64]) -> f64 {
        let pulls = self.of_term[term].iter().map(|&(pull, factor)| {
            let pull = &self.pulls[pull as usize];
            pull.strength * factor * pull.combination.value(weights)
        });
        self.own[term] * weights[term] + pulls.sum::<f64>()
    }

    /// The second derivative by one coordinate of the view that the penalty acts on.
    pub(crate) fn own_bend(&self, term: usize) -> f64 {
        self.strengths[term]
    }

    /// The second derivative by one weight.
    pub(crate) fn bend_of(&self, term: usize) -> f64 {
        let pulls = self.of_term[term].iter();
        let pulls =
            pulls.map(|&(pull, factor)| self.pulls[pull as usize].strength * factor * factor);
        self.own[term] + pulls.sum::<f64>()
    }

    /// Per term a bend d so that the penalty lies below its tangent plus Σ d γ²/2, whatever all weights' changes γ:
    /// what lets all weights move at once. By Cauchy and Schwarz, (Σ a γ)² ≤ Σ |a| · Σ |a| γ².
    pub(crate) fn joint_bends(&self) -> &[f64] {
        &self.joint_bends
    }

    fn bends_of_all(&self) -> Vec<f64> {
        let mut bends = self.own.clone();
        for pull in &self.pulls {
            let parts = &pull.combination.parts;
            let total: f64 = parts.iter().map(|(_, by)| by.abs()).sum();
            for &(term, by) in parts {
                bends[term] += pull.strength * total * by.abs();
            }
        }
        bends
    }

    /// Takes `factor` times the penalty's second derivative from a matrix, row-major.
    pub(crate) fn take_curvature(&self, factor: f64, matrix: &mut [f64]) {
        let terms = self.own.len();
        for (term, own) in self.own.iter().enumerate() {
            matrix[term * terms + term] -= factor * own;
        }
        for pull in &self.pulls {
            let parts = &pull.combination.parts;
            for &(a, by_a) in parts {
                for &(b, by_b) in parts {
                    matrix[a * terms + b] -= factor * pull.strength * by_a * by_b;
                }
            }
        }
    }

    /// The combinations that carry the ridge α: what the evidence weighs it by.
    pub(crate) fn interactions(&self) -> Vec<Combination> {
        match &self.view {
            Some(view) => view
                .coordinates()
                .iter()
                .filter(|c| c.order > 1)
                .cloned()
                .collect(),
            None => (0..self.own.len())
                .map(|term| Combination {
                    order: 2,
                    parts: vec![(term, 1.0)],
                })
                .collect(),
        }
    }
}
