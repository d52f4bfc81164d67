//! What an engine is: prepared once for a structure and a clamp, it sums over states for many sets of weights.
//!
//! To add one, implement [`Engine`] in a folder of its own and add a line to the registry: the conformance suite asks all of
//! them.

use super::expectations::Expectations;
use super::log_partition::Witnesses;
use super::markov_chains::SampledCovariances;
use super::sampling::Sampling;
use super::sums::{StratifiedSums, Sums};
use super::value::{Kind, Value, Within};
use crate::error::{Error, Result};
use crate::network::{Clamp, Network};
use crate::random::Random;
use crate::remark::Remark;
use std::fmt;

/// What an engine can be asked for, beyond expectations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gives {
    /// Sums whose only error is rounding, quick enough to be made after every change of a weight.
    pub exact_sums: bool,
    /// An objective without noise: log Z and its own gradient.
    pub objective: bool,
    /// Its log Z is an upper bound and convex in the weights: what is learned by it is a lower bound on the likelihood.
    pub upper_bound: bool,
    /// Sums by f#, exact or sampled: what improved iterative scaling needs.
    pub strata: bool,
    /// Covariances of the features: curvature, where the machine is not too large for it.
    pub curvature: bool,
    /// Markov chains that go on while the weights change.
    pub chains: bool,
}

impl Gives {
    /// Curvature, exact or sampled: what the evidence rests on.
    pub(crate) fn has_some_curvature(self) -> bool {
        self.curvature || self.chains
    }
}

/// What a prepared engine must be able to do, and how it samples if it does.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Demand {
    /// Whether sums by f# will be asked for.
    pub strata: bool,
    /// How an engine that samples samples.
    pub sampling: Sampling,
}

/// A way to sum over the states of a machine.
pub trait Engine: fmt::Debug + Send + Sync {
    /// Its name, as users type it.
    fn name(&self) -> &'static str;

    /// What it is, in a few words for lists of engines.
    fn about(&self) -> &'static str;

    /// What it can be asked for.
    fn gives(&self) -> Gives;

    /// How it goes about this machine, in a word or two.
    fn method(&self, structure: &Network, clamp: &Clamp) -> Result<&'static str>;

    /// Makes itself ready for a structure (its weights do not matter) with some units held, or says why it cannot.
    fn prepare(
        &self,
        structure: &Network,
        clamp: &Clamp,
        demand: &Demand,
    ) -> Result<Box<dyn Prepared>>;
}

/// An engine that is ready for one structure and clamp.
pub trait Prepared: fmt::Debug + Send + Sync {
    /// Everything it says of units and terms at these weights: its best expectations.
    fn answer(&self, weights: &[f64]) -> Result<Answer>;

    /// Log Z and the gradient of this engine's own log Z by the weights: what learning must follow for its objective to
    /// be one. The gradient differs from the expectations of [`Prepared::answer`] where those are better than that.
    fn sums(&self, weights: &[f64], out: &mut Sums) -> Result<()>;

    /// Log Z and the best expectations there are, where they are better than that gradient: pairs by linear response (Kappen
    /// and Rodríguez 1998). They are the gradient of nothing: learning by them climbs no objective.
    fn best(&self, weights: &[f64], out: &mut Sums) -> Result<()> {
        self.sums(weights, out)
    }

    /// Sums by f#, if they were demanded and the engine has them.
    fn strata(&self) -> Option<&dyn Stratified> {
        None
    }

    /// Covariances of the features, where the machine is small enough for them.
    fn curvature(&self) -> Option<&dyn Covariances> {
        None
    }

    /// The features' covariances at these weights as an operator, from engines with exact sums: no matrix is made.
    fn products(&self, _weights: &[f64]) -> Result<Option<Box<dyn CovarianceProducts>>> {
        Ok(None)
    }

    /// Covariances of the features over about so many states, from engines that sample; the same for the same weights.
    fn sampled_covariances(
        &self,
        _weights: &[f64],
        _states: usize,
    ) -> Result<Option<SampledCovariances>> {
        Ok(None)
    }

    /// Cov(x_a, x_b) of all units at entry a · units + b, whether they are terms or not, for engines that have them
    /// by linear response; zero where a unit is held.
    fn unit_covariances(&self, _weights: &[f64]) -> Result<Option<Vec<f64>>> {
        Ok(None)
    }

    /// Independent states of the machine, where the engine can draw them.
    fn sampler(&self, _weights: &[f64]) -> Result<Option<Box<dyn Sampler>>> {
        Ok(None)
    }
}

/// Sums split by f#(x) = Σ_k f_k(x), the number of terms that are on.
pub trait Stratified {
    /// a_i(c) = E[f_i 1{f# = c}] at these weights.
    fn strata(&self, weights: &[f64], out: &mut StratifiedSums) -> Result<()>;
}

/// Second moments of the features.
pub trait Covariances {
    /// Cov[f_a, f_b] at entries a · terms + b with b ≤ a of a matrix of that size.
    fn covariances(&self, weights: &[f64], out: &mut [f64]);

    /// True where that takes about as long as a few passes over the states, however many terms there are.
    fn takes_few_passes(&self) -> bool;
}

/// The features' covariances at one set of weights, known by their products with vectors: d/dε E_{λ+εv} f = Cov(f, f·v), the
/// derivative of the sums along v.
pub trait CovarianceProducts: fmt::Debug + Send + Sync {
    /// Adds `scale` · Cov[f_a, Σ_b v_b f_b] to entry a of `out`, for every term a.
    fn add_times(&self, v: &[f64], scale: f64, out: &mut [f64]);

    /// About how many numbers that reads: what it costs.
    fn work(&self) -> f64;
}

/// States drawn at a time: their number is part of what a seed means, and bounds the memory.
pub(crate) const DRAWN_AT_ONCE: usize = 1 << 15;

/// Draws states.
pub trait Sampler: fmt::Debug + Send {
    /// At most `most` states, at least one; one value per unit.
    fn draw(&mut self, most: usize, random: &mut Random) -> Vec<Vec<bool>>;

    /// Sees to it that `count` states take no more than some seconds, if need be closer together; what share of so many
    /// independent ones they are worth.
    fn hurry(&mut self, count: usize) -> f64 {
        let _ = count;
        1.0
    }

    /// What is to be doubted about their independence.
    fn remarks(&self) -> &[Remark] {
        &[]
    }
}

/// Expectations with what an engine has to say about them.
///
/// ```
/// use latentropy::inference::{Answer, Expectations, Kind};
/// use latentropy::{Network, Sampling, infer};
/// let answer: Answer = infer(&Network::full(2, 0), &[], None, &Sampling::default())?.answer;
/// let Expectations { log_partition, means, .. } = answer.expectations;
/// assert_eq!(means, [0.5, 0.5]);
/// assert_eq!(log_partition.kind, Kind::Exact);
/// # Ok::<(), latentropy::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The expectations.
    pub expectations: Expectations,
    /// Standard errors of the units' means, from engines that sample.
    pub mean_errors: Option<Vec<f64>>,
    /// Standard errors of the terms' expectations, from engines that sample.
    pub term_errors: Option<Vec<f64>>,
    /// The ways to log Z and whether they agree, from engines that sample.
    pub witnesses: Option<Box<Witnesses>>,
    /// How they were found, for people.
    pub notes: Vec<String>,
    /// What is to be doubted about them.
    pub remarks: Vec<Remark>,
}

impl Answer {
    /// The answer, once all of its numbers are finite; where rounding has eaten an exact entropy, it is an estimate.
    pub(crate) fn checked(mut self, network: &Network) -> Result<Self> {
        if !self.is_finite() {
            let largest = network
                .weights()
                .iter()
                .fold(0.0, |most: f64, w| most.max(w.abs()));
            return Err(Error::failed(format!(
                "the engine came to a number that is not finite (the largest weight is {largest:e}); another engine, or \
                 smaller weights, may do"
            )));
        }
        let found = &mut self.expectations;
        // The entropy is a difference of numbers as large as the weights: their last digits are its error.
        let most = network.units().len() as f64 * std::f64::consts::LN_2;
        let weighted = network.weights().iter().zip(&found.terms);
        let size: f64 = weighted.map(|(weight, mean)| (weight * mean).abs()).sum();
        if found.entropy.kind == Kind::Exact && size * f64::EPSILON > LARGEST_ROUNDING {
            found.entropy.value = found.entropy.value.clamp(0.0, most);
            found.entropy.kind = Kind::Estimate;
        }
        Ok(self)
    }

    fn is_finite(&self) -> bool {
        let found = &self.expectations;
        let lists = [Some(&found.means), Some(&found.terms)];
        let errors = [self.mean_errors.as_ref(), self.term_errors.as_ref()];
        let mut lists = lists.into_iter().chain(errors).flatten();
        let is_finite = |value: &Value| {
            value.value.is_finite() && value.std_err.is_none_or(|error| error.is_finite())
        };
        lists.all(|list| list.iter().all(|value| value.is_finite()))
            && [found.log_partition, found.entropy].iter().all(is_finite)
    }
}

/// An exact entropy is right to so many nats.
const LARGEST_ROUNDING: f64 = 1e-6;

impl From<Expectations> for Answer {
    fn from(expectations: Expectations) -> Self {
        Answer {
            expectations,
            mean_errors: None,
            term_errors: None,
            witnesses: None,
            notes: Vec::new(),
            remarks: Vec::new(),
        }
    }
}

impl Answer {
    /// Log Z with the interval that it lies in, where that is known.
    #[doc(hidden)]
    pub fn log_partition_within(&self) -> Within {
        match &self.witnesses {
            Some(witnesses) => witnesses.within(),
            None => self.expectations.log_partition.into(),
        }
    }
}
