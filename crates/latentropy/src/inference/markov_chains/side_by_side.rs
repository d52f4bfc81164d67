//! Gibbs chains side by side: many states of one machine, each unit resampled in all of them at once.
//!
//! Any graph and any order of terms. Units are resampled one after another; where those of one side have no
//! term in common, that is the same as resampling the side as a block.

use crate::inference::kernels;
use crate::network::Network;
use rand::Rng;
use serde::{Deserialize, Serialize};

/// Which terms a unit's field is made of.
#[derive(Clone, Debug, Default)]
struct Neighbours {
    biases: Vec<usize>,
    /// (the other unit, term).
    pairs: Vec<(usize, usize)>,
    /// (the other units, term).
    higher: Vec<(Vec<usize>, usize)>,
}

/// The machine as its chains need it, without weights.
#[derive(Clone, Debug)]
pub(crate) struct SideBySide {
    terms: Vec<Vec<usize>>,
    of_unit: Vec<Neighbours>,
    /// Visible units first, then hidden ones: from data with their hidden units drawn, one sweep is one step of CD.
    pub(crate) order: Vec<usize>,
    field: Vec<f64>,
    product: Vec<f64>,
}

/// One row of zeros and ones per unit, one entry per chain.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct GibbsChains {
    pub(crate) count: usize,
    values: Vec<f64>,
}

impl GibbsChains {
    /// All units off.
    pub(crate) fn zeros(units: usize, count: usize) -> Self {
        GibbsChains {
            count,
            values: vec![0.0; units * count],
        }
    }

    /// All units of all chains by fair coins.
    pub(crate) fn random(units: usize, count: usize, rng: &mut impl Rng) -> Self {
        let values = (0..units * count)
            .map(|_| f64::from(rng.next_u32() & 1))
            .collect();
        GibbsChains { count, values }
    }

    pub(crate) fn unit(&self, unit: usize) -> &[f64] {
        &self.values[unit * self.count..(unit + 1) * self.count]
    }

    pub(crate) fn unit_mut(&mut self, unit: usize) -> &mut [f64] {
        &mut self.values[unit * self.count..(unit + 1) * self.count]
    }
}

impl SideBySide {
    pub(crate) fn new(network: &Network) -> Self {
        let mut of_unit = vec![Neighbours::default(); network.units().len()];
        for (at, term) in network.terms().iter().enumerate() {
            for &unit in term.units() {
                let others: Vec<usize> = term
                    .units()
                    .iter()
                    .copied()
                    .filter(|&u| u != unit)
                    .collect();
                match others[..] {
                    [] => of_unit[unit].biases.push(at),
                    [other] => of_unit[unit].pairs.push((other, at)),
                    _ => of_unit[unit].higher.push((others, at)),
                }
            }
        }
        let mut order = network.visible();
        order.extend(network.hidden());
        SideBySide {
            terms: network.terms().iter().map(|t| t.units().to_vec()).collect(),
            of_unit,
            order,
            field: Vec::new(),
            product: Vec::new(),
        }
    }

    /// P(x_unit = 1 | the others) in every chain: the logistic function of Σ_{V∋unit} λ_V Π_{v∈V, v≠unit} x_v.
    fn conditional(&mut self, unit: usize, weights: &[f64], chains: &GibbsChains) -> &[f64] {
        let neighbours = &self.of_unit[unit];
        let bias: f64 = neighbours.biases.iter().map(|&term| weights[term]).sum();
        self.field.clear();
        self.field.resize(chains.count, bias);
        for &(other, term) in &neighbours.pairs {
            kernels::add_scaled(&mut self.field, chains.unit(other), weights[term]);
        }
        for (others, term) in &neighbours.higher {
            product(chains, others, &mut self.product);
            kernels::add_scaled(&mut self.field, &self.product, weights[*term]);
        }
        kernels::logistic_row(&mut self.field);
        &self.field
    }

    /// Draws the unit anew in every chain, or in those that `only` lists.
    pub(crate) fn resample(
        &mut self,
        unit: usize,
        weights: &[f64],
        chains: &mut GibbsChains,
        only: Option<&[usize]>,
        rng: &mut impl Rng,
    ) {
        let probabilities = self.conditional(unit, weights, chains);
        let values = chains.unit_mut(unit);
        match only {
            None => {
                for (value, &probability) in values.iter_mut().zip(probabilities) {
                    *value = draw(probability, rng);
                }
            }
            Some(only) => {
                for &chain in only {
                    values[chain] = draw(probabilities[chain], rng);
                }
            }
        }
    }

    /// Every unit of every chain once.
    pub(crate) fn sweep(&mut self, weights: &[f64], chains: &mut GibbsChains, rng: &mut impl Rng) {
        for at in 0..self.order.len() {
            self.resample(self.order[at], weights, chains, None, rng);
        }
    }

    /// Adds `scale` times the weighted mean of every feature over the chains.
    pub(crate) fn add_features(
        &mut self,
        chains: &GibbsChains,
        chain_weights: &[f64],
        scale: f64,
        features: &mut [f64],
    ) {
        for (feature, units) in features.iter_mut().zip(&self.terms) {
            product(chains, units, &mut self.product);
            kernels::multiply(&mut self.product, chain_weights, 1.0);
            *feature += scale * kernels::sum(&self.product);
        }
    }
}

/// Π x_v over the units, chain by chain.
fn product(chains: &GibbsChains, units: &[usize], out: &mut Vec<f64>) {
    out.clear();
    out.resize(chains.count, 1.0);
    for &unit in units {
        kernels::multiply(out, chains.unit(unit), 1.0);
    }
}

/// One with this probability, to within 2^-33.
fn draw(probability: f64, rng: &mut impl Rng) -> f64 {
    let uniform = (f64::from(rng.next_u32()) + 0.5) / 4_294_967_296.0;
    f64::from(uniform < probability)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inference::{ExactSampler, literal};
    use crate::network::{Clamp, Term, Unit};
    use crate::random::{Purpose, stream};

    #[test]
    fn chains_that_start_at_the_target_stay_there() {
        let mut units: Vec<Unit> = (1..=3).map(|u| Unit::visible(format!("y{u}"))).collect();
        units.extend((1..=2).map(|u| Unit::hidden(format!("z{u}"))));
        let mut terms: Vec<Term> = (0..5).map(|u| Term::new(vec![u])).collect();
        terms.extend((0..5).flat_map(|a| (0..a).map(move |b| Term::new(vec![a, b]))));
        terms.extend([Term::new(vec![0, 1, 4]), Term::new(vec![0, 1, 2, 3])]);
        let weights: Vec<f64> = (0..terms.len()).map(|i| 1.5 * (i as f64).sin()).collect();
        let network = Network::new(units, terms.into_iter().zip(weights)).unwrap();
        let (count, none) = (40_000, Clamp::none(5));
        let mut rng = stream(7, Purpose::Start, 0);
        let states = ExactSampler::new(&network, &none)
            .unwrap()
            .sample(count, &mut rng);
        let mut chains = GibbsChains::random(5, count, &mut rng);
        for unit in 0..5 {
            for (value, state) in chains.unit_mut(unit).iter_mut().zip(&states) {
                *value = f64::from(state[unit]);
            }
        }
        let mut gibbs = SideBySide::new(&network);
        for _ in 0..3 {
            gibbs.sweep(network.weights(), &mut chains, &mut rng);
        }
        let mut means = vec![0.0; network.terms().len()];
        gibbs.add_features(&chains, &vec![1.0 / count as f64; count], 1.0, &mut means);
        let exact = literal::expectations(&network, &none).terms;
        for (mean, exact) in means.iter().zip(exact) {
            let standard_error = (exact * (1.0 - exact) / count as f64).sqrt();
            assert!(
                (mean - exact).abs() < 5.0 * standard_error,
                "{mean} against {exact}"
            );
        }
    }
}
