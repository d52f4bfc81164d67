//! The Hessian of a machine of very many terms by samples: products with the covariances of recorded states.
//!
//! Everything here is in the view in which features are taken about their means ([`StateProducts`]): there −∇²F is nearly
//! diagonal where units are coupled weakly, and conjugate gradients take few rounds. A change of coordinates leaves alone
//! which directions curve upwards.

use super::Spread;
use super::conjugate_gradients::{by_diagonal, conjugate_gradients};
use super::judged::{Judged, gradient_by, judged, rows_times};
use super::lanczos::{Extreme, largest_eigenvalue, random_start};
use crate::inference::kernels::{add_scaled, dot};
use crate::inference::{PersistentChains, StateProducts};
use crate::learning::exchange::Exchange;
use crate::learning::problem::Problem;
use crate::random::{Purpose, named_seed, stream};
use crate::rows::Summed;
use rand::RngExt;

/// The most terms that products by samples are made for: the pairs of some 630 columns.
const MOST_TERMS_BY_STATES: usize = 200_000;
/// Chains of a certificate's own, from a fixed stream: their sweeps before, those recorded, and from one of these to the next.
const CHAINS: usize = 1024;
const SETTLING: usize = 256;
const TIMES: usize = 16;
const APART: usize = 16;
/// A system for a variance is solved where its residual has fallen to this share.
const SOLVED: f64 = 0.01;
const MOST_ROUNDS: usize = 60;
/// Random combinations by which a sum of many variances is estimated: their signs average out over thousands of terms.
const PROBES: usize = 4;
/// The same where each variance is wanted by itself.
const PROBES_OF_EACH: usize = 12;
/// Draws by which variances of combinations are estimated from those of their parts.
const DRAWS: usize = 128;

/// Less than this share of what is drawn is not worth its time.
const HARDLY_MIXED: f64 = 0.01;

/// A way is left out where it bends by less than this share of what its weights would by themselves.
const LEAST_OF_ALONE: f64 = 1e-9;

/// ∇²F itself: no damping, and all that rows take off.
const WHOLE: (f64, f64) = (0.0, 1.0);

/// Where noise makes some direction curve upwards, less of what rows take off is taken off: the first that is definite counts.
const ROWS_SHARES: [f64; 4] = [1.0, 0.75, 0.5, 0.0];

/// −∇²F by products.
#[derive(Clone, Debug)]
pub(crate) struct ByStates {
    problem: Problem,
    weights: Vec<f64>,
    covariances: StateProducts,
    /// What damping counts in.
    variances: Vec<f64>,
    /// The root of the share of rows that say something of it, per term.
    said: Vec<f64>,
    /// Whether covariances are those of what is drawn, so that rows take off what is latent in them.
    has_latent: bool,
    /// ∂H/∂λ of the entropy, where covariances are not those of what is drawn.
    entropy_gradient: Option<Vec<f64>>,
    /// About the diagonal of −∇²F.
    diagonal: Vec<f64>,
    /// Terms that may move; the others stay.
    moves: Vec<bool>,
    /// Covariances of states that choose no step.
    others: Option<StateProducts>,
    /// Where covariances are what rows say in the mean: what is drawn, of which these rows take off what they do.
    observed: Option<Box<ByStates>>,
    /// How the ridge bends where hidden units and pairs of columns say the same.
    exchange: Option<Exchange>,
    /// Changes that next to nothing bends, in the centred view: systems are solved along these first.
    ways: Vec<Vec<f64>>,
}

/// Directions d with dᵀA d = 1, none of which bends into another: the inverse of A along them is Σ d dᵀ.
pub(crate) struct Coarse(Vec<Vec<f64>>);

/// A step.
pub(crate) struct Found {
    pub(crate) change: Vec<f64>,
    /// What it would gain, by the slope along it, if nothing had made it shorter.
    pub(crate) gain: f64,
    /// What is left of it where these rows say that it is too long, as a share.
    pub(crate) kept: f64,
}

/// Whether there is curvature by products of sampled states.
pub(super) fn has_states(problem: &Problem) -> bool {
    let terms = problem.structure().terms();
    problem.is_sampled()
        && terms.len() <= MOST_TERMS_BY_STATES
        && terms.iter().all(|term| (1..=2).contains(&term.order()))
}

impl ByStates {
    pub(crate) fn new(
        problem: &Problem,
        weights: &[f64],
        covariances: StateProducts,
        free: &[usize],
    ) -> Self {
        let mut moves = vec![false; weights.len()];
        free.iter().for_each(|&term| moves[term] = true);
        let prior = problem.prior();
        let bends = covariances.diagonal().iter().enumerate();
        let said = problem.rows().said_shares(Summed::Quick);
        ByStates {
            problem: problem.clone(),
            weights: weights.to_vec(),
            variances: covariances.diagonal().to_vec(),
            has_latent: !problem.rows().show_everything(),
            entropy_gradient: None,
            diagonal: bends
                .map(|(term, variance)| said[term] * variance + prior.own_bend(term))
                .collect(),
            said: said.into_iter().map(f64::sqrt).collect(),
            covariances,
            moves,
            others: None,
            observed: None,
            exchange: None,
            ways: Vec::new(),
        }
    }

    /// Steps are made as long as these states say, which did not choose them.
    pub(crate) fn judged_by(self, others: Option<StateProducts>) -> Self {
        ByStates { others, ..self }
    }

    /// Whether covariances are what rows say in the mean.
    pub(crate) fn is_marginal(&self) -> bool {
        self.observed.is_some()
    }

    /// −dᵀ∇²F d of a centred change, by the states that did not choose it where there are any.
    fn bend_along(&self, change: &[f64], of_rows: f64) -> f64 {
        let bend = dot(change, &self.times(change, 0.0, of_rows));
        let Some(others) = &self.others else {
            return bend;
        };
        let said = self.said(change);
        let own = dot(&said, &self.covariances.times(&said));
        let theirs = others.variance_along(&self.covariances.uncentred(&said));
        let counted = if self.is_marginal() { of_rows } else { 1.0 };
        bend + counted * (theirs - own)
    }

    /// A centred change as far as rows say something of it.
    fn said(&self, change: &[f64]) -> Vec<f64> {
        let said = change.iter().zip(&self.said);
        said.map(|(d, root)| d * root).collect()
    }

    /// What rows say of the weights in the mean, from covariances of E[f | visible units]; of a missing cell a row says
    /// nothing. Damping counts in the variances of what is drawn.
    pub(crate) fn marginal(
        problem: &Problem,
        weights: &[f64],
        covariances: StateProducts,
        drawn: &StateProducts,
        exchange: Option<Exchange>,
        free: &[usize],
    ) -> Self {
        let shown = problem.rows().shown_shares();
        let mut found = ByStates::new(problem, weights, covariances, free);
        let observed = ByStates::new(problem, weights, drawn.clone(), free);
        found.observed = Some(Box::new(observed));
        let prior = problem.prior();
        let variances = found.covariances.diagonal().iter().zip(&shown);
        found.diagonal = variances
            .enumerate()
            .map(|(term, (variance, shown))| shown * variance + prior.own_bend(term))
            .collect();
        found.variances = drawn.diagonal().to_vec();
        let product = drawn.uncentred_gradient(&drawn.times(&drawn.centred(weights)));
        let entropy_gradient = found.covariances.centred_gradient(&product);
        found.entropy_gradient = Some(entropy_gradient.iter().map(|entry| -entry).collect());
        found.said = shown.iter().map(|share| share.sqrt()).collect();
        found.has_latent = false;
        let ways = exchange.as_ref().map(|of| of.ways(problem));
        let ways = ways.into_iter().flatten();
        found.ways = ways.map(|way| found.covariances.centred(&way)).collect();
        found.exchange = exchange;
        found
    }

    /// From chains of its own; and the largest eigenvalue, −∞ where nothing may move.
    pub(super) fn certified(
        problem: &Problem,
        weights: &[f64],
        free: &[usize],
    ) -> Option<(Self, Judged)> {
        let network = problem.structure().with_weights(weights.to_vec()).ok()?;
        let seed = named_seed(0, "curvature by states");
        let mut chains = PersistentChains::settled(&network, CHAINS, seed, SETTLING).ok()?;
        let chains = chains.chains_for(TIMES * APART);
        let records = chains.record(TIMES, APART);
        let hidden = problem.structure().hidden();
        let covariances = records.products(&chains.machine, &hidden, 0)?;
        let found = ByStates::new(problem, weights, covariances, free);
        let exchange = Exchange::new(problem, weights);
        let pulled = exchange.as_ref().and_then(|exchange| {
            let gradient = gradient_by(problem, weights, &records, &chains.machine.sets)?;
            Some((exchange, gradient))
        });
        let highest = found.highest(pulled.as_ref())?;
        // Errors of weights rest on what rows say in the mean, where there are hidden units: noise makes the difference indefinite.
        if hidden.is_empty() {
            return Some((found, highest));
        }
        let marginal = records.marginal_products(&chains.machine, &hidden, 0)?;
        let drawn = &found.covariances;
        let found = ByStates::marginal(problem, weights, marginal, drawn, exchange, free);
        Some((found, highest))
    }

    /// The largest eigenvalue of ∇²F, along the way on which pairs take back what hidden units say: constraints are met only within
    /// a share of their errors, and along a straight line what is left of them bends, too.
    fn highest(&self, pulled: Option<&(&Exchange, Vec<f64>)>) -> Option<Judged> {
        let spread = self.variances.iter().copied().fold(0.0, f64::max);
        let mut sought = Judged {
            value: f64::NEG_INFINITY,
            error: spread * (2.0 / self.covariances.states() as f64).sqrt(),
        };
        if !self.moves.contains(&true) {
            return Some(sought);
        }
        let multiply = |x: &[f64], y: &mut [f64]| {
            let mut product = self.times(x, 0.0, 1.0);
            if let Some((exchange, gradient)) = pulled {
                let bend = exchange.bend_of_way_times(gradient, x);
                for ((entry, bend), moves) in product.iter_mut().zip(bend).zip(&self.moves) {
                    *entry += if *moves { bend } else { 0.0 };
                }
            }
            y.iter_mut().zip(product).for_each(|(y, p)| *y = -p);
        };
        let enough = |top: &Extreme| top.error <= (0.1 * top.value.abs()).max(sought.error);
        let highest = largest_eigenvalue(&random_start(self.weights.len()), multiply, enough)?;
        sought.value = highest.value;
        let moved = highest.vector.iter().zip(&self.moves);
        let moved: Vec<f64> = moved
            .map(|(x, moves)| if *moves { *x } else { 0.0 })
            .collect();
        let direction = self.covariances.uncentred(&moved);
        let said = moved.iter().zip(&self.said).map(|(x, root)| x * root);
        let said = self.covariances.uncentred(&said.collect::<Vec<f64>>());
        let square = dot(&moved, &moved);
        let (problem, weights) = (&self.problem, &self.weights);
        judged(
            problem,
            weights,
            sought,
            &direction,
            (&said, Summed::Quick),
            pulled.map(|(exchange, _)| *exchange),
            square,
        )
    }

    /// (−∇²F + damping · diag Cov) v with so much of what rows take off; terms that stay have their own bend alone. What rows say
    /// in the mean is mixed with what is drawn, of which they take nothing off.
    fn times(&self, v: &[f64], damping: f64, of_rows: f64) -> Vec<f64> {
        let moved: Vec<f64> = v
            .iter()
            .zip(&self.moves)
            .map(|(v, moves)| if *moves { *v } else { 0.0 })
            .collect();
        let mut product = self.said(&self.covariances.times(&self.said(&moved)));
        if let Some(observed) = &self.observed
            && 1.0 - of_rows > HARDLY_MIXED
        {
            let drawn = observed.said(&observed.covariances.times(&observed.said(&moved)));
            for (entry, drawn) in product.iter_mut().zip(drawn) {
                *entry = of_rows * *entry + (1.0 - of_rows) * drawn;
            }
        }
        let plain = self.covariances.uncentred(&moved);
        let mut rest = self.problem.prior().slope(&plain);
        if of_rows > 0.0 && self.has_latent {
            for (rest, taken) in rest.iter_mut().zip(rows_times(
                &self.problem,
                &self.weights,
                &plain,
                Summed::Quick,
            )) {
                *rest -= of_rows * taken;
            }
        }
        let mut rest = self.covariances.centred_gradient(&rest);
        if let Some(exchange) = &self.exchange {
            let ridge = self.problem.objective().ridge / self.problem.row_count();
            exchange.add_bend_times(&moved, of_rows * ridge, &mut rest);
        }
        let variances = &self.variances;
        for (at, entry) in product.iter_mut().enumerate() {
            *entry = match self.moves[at] {
                true => *entry + rest[at] + damping * variances[at] * moved[at],
                false => self.diagonal[at] * v[at],
            };
        }
        product
    }

    /// The change of the weights that (−∇²F + damping · diag Cov), with so much of what rows take off, makes of a gradient, to
    /// this share of it; none where the curvature is upward. `most` is how far a centred weight may go.
    pub(crate) fn step(
        &self,
        gradient: &[f64],
        (damping, of_rows): (f64, f64),
        coarse: &Coarse,
        share: f64,
        most: f64,
    ) -> Option<Found> {
        let whole = gradient;
        let gradient = self.moving(gradient);
        let mut change = self.solve(&gradient, (damping, of_rows), coarse, share)?;
        let gain = dot(&gradient, &change);
        // Of all directions a step prefers those along which noise makes the states that choose it seem to curve little.
        let bend = self.bend_along(&change, of_rows);
        let mut by = if bend > 0.0 {
            (gain / bend).min(1.0)
        } else {
            1.0
        };
        // What rows say in the mean is not what these rows say: of a machine that does not fit them yet they may say much more.
        let mut kept = 1.0;
        if let Some(observed) = &self.observed {
            let bend = observed.bend_along(&change, 1.0);
            let of_way = self.exchange.as_ref();
            let of_way = of_way.map_or(0.0, |exchange| {
                dot(&change, &exchange.bend_of_way_times(whole, &change))
            });
            let bend = by * (bend + of_way);
            kept = if bend > gain { gain / bend } else { 1.0 };
            by *= kept;
        }
        let longest = change.iter().fold(0.0f64, |a, d| a.max(d.abs()));
        by *= (most / (by * longest)).min(1.0);
        change.iter_mut().for_each(|d| *d *= by);
        Some(Found {
            change: self.covariances.uncentred(&change),
            gain,
            kept,
        })
    }

    /// What a step by this gradient would gain, by the slope along it.
    pub(crate) fn gain(
        &self,
        gradient: &[f64],
        by: (f64, f64),
        coarse: &Coarse,
        share: f64,
    ) -> Option<f64> {
        let gradient = self.moving(gradient);
        let change = self.solve(&gradient, by, coarse, share)?;
        Some(dot(&gradient, &change))
    }

    /// A gradient in the centred view, without the terms that stay.
    fn moving(&self, gradient: &[f64]) -> Vec<f64> {
        let mut gradient = self.covariances.centred_gradient(gradient);
        for (slope, moves) in gradient.iter_mut().zip(&self.moves) {
            *slope = if *moves { *slope } else { 0.0 };
        }
        gradient
    }

    /// The inverse along what next to nothing bends, for (−∇²F + damping · diag Cov) with so much of what rows take off.
    pub(crate) fn coarse(&self, (damping, of_rows): (f64, f64)) -> Coarse {
        let mut known: Vec<(Vec<f64>, Vec<f64>)> = Vec::new();
        for way in &self.ways {
            let moved = way.iter().zip(&self.moves);
            let mut way: Vec<f64> = moved
                .map(|(d, moves)| if *moves { *d } else { 0.0 })
                .collect();
            let bends = self.diagonal.iter().zip(&self.variances);
            let alone = bends.map(|(bend, variance)| bend + damping * variance);
            let alone: f64 = alone.zip(&way).map(|(bend, d)| bend * d * d).sum();
            let mut product = self.times(&way, damping, of_rows);
            for (d, of_d) in &known {
                let by = dot(&way, of_d);
                add_scaled(&mut way, d, -by);
                add_scaled(&mut product, of_d, -by);
            }
            let bend = dot(&way, &product);
            if bend > LEAST_OF_ALONE * alone {
                let by = 1.0 / bend.sqrt();
                way.iter_mut().chain(&mut product).for_each(|d| *d *= by);
                known.push((way, product));
            }
        }
        Coarse(known.into_iter().map(|(way, _)| way).collect())
    }

    /// Conjugate gradients; none where some direction curves upwards.
    fn solve(
        &self,
        b: &[f64],
        (damping, of_rows): (f64, f64),
        coarse: &Coarse,
        share: f64,
    ) -> Option<Vec<f64>> {
        let bends = self.diagonal.iter().zip(&self.variances);
        let bends: Vec<f64> = bends
            .map(|(bend, variance)| bend + damping * variance)
            .collect();
        let alone = by_diagonal(&bends);
        let eased = |rest: &[f64]| {
            let mut found = alone(rest);
            for way in &coarse.0 {
                add_scaled(&mut found, way, dot(way, rest));
            }
            found
        };
        let whole = dot(b, &eased(b));
        let enough = |_: &[f64], size: f64| size <= share * share * whole;
        let times = |v: &[f64]| self.times(v, damping, of_rows);
        Some(conjugate_gradients(b, eased, MOST_ROUNDS, times, enough)?.x)
    }

    /// ∂H/∂λ = −Cov_p[f] λ of the entropy, in the centred view.
    fn entropy_gradient(&self) -> Vec<f64> {
        if let Some(known) = &self.entropy_gradient {
            return known.clone();
        }
        let centred = self.covariances.centred(&self.weights);
        let product = self.covariances.times(&centred);
        product.iter().map(|entry| -entry).collect()
    }

    fn signs(&self, probe: usize) -> Vec<f64> {
        let mut random = stream(named_seed(0, "probes"), Purpose::Start, probe as u64);
        let sign = |moves: &bool| {
            let sign = if random.random::<bool>() { 1.0 } else { -1.0 };
            if *moves { sign } else { 0.0 }
        };
        self.moves.iter().map(sign).collect()
    }

    /// Σ aᵀ(−∇²F)⁻¹a over combinations of terms, each with its factor, from combinations of them with random signs
    /// (Hutchinson 1989).
    pub(super) fn sum_of_variances(&self, combinations: &[Vec<(usize, f64)>]) -> Option<f64> {
        let mut sum = 0.0;
        for probe in 0..PROBES {
            let mut random = stream(named_seed(0, "probes"), Purpose::Start, probe as u64);
            let mut mixed = vec![0.0; self.weights.len()];
            for parts in combinations {
                let sign = if random.random::<bool>() { 1.0 } else { -1.0 };
                parts.iter().for_each(|&(at, by)| mixed[at] += sign * by);
            }
            let mixed = self.covariances.centred_gradient(&mixed);
            let mut shares = ROWS_SHARES.iter();
            let solved = shares.find_map(|&share| {
                let by = (0.0, share);
                self.solve(&mixed, by, &self.coarse(by), SOLVED)
            });
            sum += dot(&mixed, &solved?);
        }
        Some(sum / PROBES as f64)
    }

    /// Variances of the weights that a map makes of these: of pairs by random signs, of biases as if the centred weights that
    /// they are made of were independent.
    pub(super) fn spread(&self, all: &(dyn Fn(&[f64]) -> Vec<f64> + Sync)) -> Spread {
        let terms = self.weights.len();
        let gradient = self.entropy_gradient();
        let entropy_variance = self
            .solve(&gradient, WHOLE, &self.coarse(WHOLE), SOLVED)
            .map(|x| dot(&gradient, &x));
        Spread {
            variances: self.variances(all),
            // About: what other entries of a row add to its own by random signs.
            variance_error: (2.0 / PROBES_OF_EACH as f64).sqrt(),
            loadings: vec![0.0; terms],
            entropy_variance,
            entropy_loading: 0.0,
            steepness: dot(&gradient, &gradient),
        }
    }

    fn variances(&self, all: &(dyn Fn(&[f64]) -> Vec<f64> + Sync)) -> Option<Vec<f64>> {
        let terms = self.weights.len();
        let mut own = vec![0.0; terms];
        let coarse = self.coarse(WHOLE);
        for probe in 0..PROBES_OF_EACH {
            let signs = self.signs(probe);
            let solved = self.solve(&signs, WHOLE, &coarse, SOLVED)?;
            for (sum, (sign, x)) in own.iter_mut().zip(signs.iter().zip(&solved)) {
                *sum += sign * x / PROBES_OF_EACH as f64;
            }
        }
        // An entry of the inverse is at least the inverse of the entry.
        for (variance, bend) in own.iter_mut().zip(&self.diagonal) {
            *variance = variance.max(1.0 / bend);
        }
        let mut variances = vec![0.0; terms];
        let mut random = stream(named_seed(0, "draws"), Purpose::Start, 0);
        for _ in 0..DRAWS {
            let draw = own.iter().zip(&self.moves).map(|(variance, moves)| {
                let sign = if random.random::<bool>() { 1.0 } else { -1.0 };
                if *moves { sign * variance.sqrt() } else { 0.0 }
            });
            let draw = self.covariances.uncentred(&draw.collect::<Vec<f64>>());
            for (sum, mapped) in variances.iter_mut().zip(all(&draw)) {
                *sum += mapped * mapped / DRAWS as f64;
            }
        }
        Some(variances)
    }
}

#[cfg(test)]
mod tests {
    use super::super::definite::Definite;
    use super::super::hessian::hessian_by_samples;
    use super::*;
    use crate::data::Dataset;
    use crate::inference::Chains;
    use crate::inference::EngineId;
    use crate::learning::Objective;
    use crate::network::Clamp;
    use crate::network::Network;

    /// Rows with a hidden unit and missing cells, and what states of its chains say, by products and as a matrix.
    fn both_ways(ridge: f64) -> (ByStates, Vec<f64>) {
        let mut rows = vec![vec![0i8; 6]; 24];
        for (at, cell) in rows.iter_mut().flatten().enumerate() {
            *cell = match (at * at + at / 7) % 11 {
                0 => -1,
                value => (value % 2) as i8,
            };
        }
        let data = Dataset::from_rows(&rows).unwrap();
        let structure = Network::full(6, 1);
        // A ridge on biases, too: every direction curves downwards, whatever the noise.
        let objective = Objective {
            bias_ridge: 5.0,
            ..Objective::with_ridge(ridge)
        };
        let problem = Problem::new(&structure, &data, objective, EngineId::GIBBS, false).unwrap();
        let weights: Vec<f64> = (0..problem.terms())
            .map(|at| 0.4 * ((5 * at + 2) as f64).sin())
            .collect();
        let network = structure.with_weights(weights.clone()).unwrap();
        let mut chains = Chains::new(&network, &Clamp::none(7), 128, 5).unwrap();
        chains.sweep(64);
        let records = chains.record(32, 1);
        let sets = &chains.machine.sets;
        let covariances = records.covariances(sets, records.samples());
        let matrix = hessian_by_samples(&problem, &weights, &covariances);
        let products = records
            .products(&chains.machine, &[], 0)
            .unwrap()
            .unshrunk();
        let free: Vec<usize> = (0..problem.terms()).collect();
        (ByStates::new(&problem, &weights, products, &free), matrix)
    }

    #[test]
    fn products_and_steps_are_those_of_the_matrix() {
        let (states, matrix) = both_ways(30.0);
        let terms = states.weights.len();
        let v: Vec<f64> = (0..terms).map(|at| ((3 * at + 1) as f64).cos()).collect();
        let centred = states.covariances.centred(&v);
        let product = states
            .covariances
            .uncentred_gradient(&states.times(&centred, 0.0, 1.0));
        for (at, found) in product.iter().enumerate() {
            let literal = -dot(&matrix[at * terms..(at + 1) * terms], &v);
            assert!((found - literal).abs() < 1e-4, "{found} {literal}");
        }
        // (−∇²F) step = v, and its inverse says the variances.
        let step = states
            .step(&v, WHOLE, &states.coarse(WHOLE), 1e-6, 1e9)
            .unwrap()
            .change;
        for (at, slope) in v.iter().enumerate() {
            let found = -dot(&matrix[at * terms..(at + 1) * terms], &step);
            assert!((found - slope).abs() < 1e-3, "{found} {slope}");
        }
        let whole = Definite::new(&matrix, 1e-9).unwrap();
        let single: Vec<Vec<(usize, f64)>> = (0..terms).map(|at| vec![(at, 1.0)]).collect();
        let exact: f64 = single.iter().map(|s| whole.variance(s)).sum();
        let found = states.sum_of_variances(&single).unwrap();
        assert!((found / exact - 1.0).abs() < 0.8, "{found} {exact}");
    }

    #[test]
    fn variances_of_pairs_are_near_those_of_the_matrix() {
        let (states, matrix) = both_ways(30.0);
        let whole = Definite::new(&matrix, 1e-9).unwrap();
        let found = states
            .spread(&|weights| weights.to_vec())
            .variances
            .unwrap();
        let terms = states.problem.structure().terms();
        for (at, term) in terms
            .iter()
            .enumerate()
            .filter(|(_, term)| term.order() == 2)
        {
            let ratio = (found[at] / whole.variance(&[(at, 1.0)])).sqrt();
            assert!((0.6..1.6).contains(&ratio), "{ratio} {:?}", term.units());
        }
    }
    /// Of 820 directions a step prefers those along which 2,048 states seem to vary little: by others it is made as long as the
    /// slope and the true curvature say.
    #[test]
    fn a_step_is_as_long_as_states_say_that_did_not_choose_it() {
        let (units, terms) = (40, 820);
        let rows: Vec<Vec<i8>> = (0..60usize)
            .map(|row| {
                (0..units)
                    .map(|at| i8::from((row * row + 3 * at) % 7 < 3))
                    .collect()
            })
            .collect();
        let data = Dataset::from_rows(&rows).unwrap();
        let structure = Network::full(units, 0);
        let objective = Objective::with_ridge(0.01);
        let problem = Problem::new(&structure, &data, objective, EngineId::GIBBS, false).unwrap();
        let weights: Vec<f64> = (0..terms)
            .map(|at| 0.1 * ((5 * at + 2) as f64).sin())
            .collect();
        let network = structure.with_weights(weights.clone()).unwrap();
        let mut chains = Chains::new(&network, &Clamp::none(units), 1024, 5).unwrap();
        chains.sweep(64);
        let few = chains.record(64, 4);
        let many = chains.record(64, 8);
        let machine = &chains.machine;
        let free: Vec<usize> = (0..terms).collect();
        let own = few
            .products(machine, &[], 0)
            .unwrap()
            .of_few(2048)
            .unshrunk();
        let steps = ByStates::new(&problem, &weights, own, &free);
        let gradient: Vec<f64> = (0..terms)
            .map(|at| 1e-3 * ((7 * at) as f64).cos())
            .collect();
        let too_far = |states: &ByStates| {
            let by = (0.2, 1.0);
            let found = states
                .step(&gradient, by, &states.coarse(by), 0.01, 1e9)
                .unwrap();
            let step = found.change;
            let (variance, _) = many.variance_along(&machine.sets, &step);
            let bend = variance + dot(&step, &problem.prior().slope(&step));
            bend / dot(&gradient, &step)
        };
        let alone = too_far(&steps);
        let others = few.other_products(machine, &[], 0);
        let judged = too_far(&steps.judged_by(others));
        assert!(alone > 1.3, "{alone}");
        assert!((0.85..1.15).contains(&judged), "{judged}");
    }
}
