//! How chains sample, as users ask for it.

/// Whether chains have replicas at higher temperatures.
///
/// ```
/// use latentropy::Sampling;
/// use latentropy::inference::Tempering;
/// let sampling = Sampling { tempering: Tempering::Always, ..Sampling::default() };
/// assert_ne!(sampling, Sampling::default());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tempering {
    /// Where chains without disagree.
    #[default]
    Auto,
    /// From the start.
    Always,
    /// Not at all.
    Never,
}

/// How chains sample a machine: any machine; expectations with standard errors, log Z by annealed importance sampling.
///
/// ```
/// use latentropy::{Network, Sampling, infer};
/// let network = Network::full(4, 0).with_weights(vec![0.3; 10])?;
/// let sampling = Sampling { seed: 7, ..Sampling::default() };
/// let found = infer(&network, &[], Some("gibbs".parse()?), &sampling)?;
/// assert!(found.answer.mean_errors.is_some());
/// # Ok::<(), latentropy::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Sampling {
    /// The same seed gives the same answer, whatever the number of threads.
    pub seed: u64,
    /// How many chains; rounded up to a multiple of 64.
    pub chains: usize,
    /// Sweeps of each chain that are measured, after half as many that are not; by default as many as it takes,
    /// within limits.
    pub sweeps: Option<usize>,
    /// Whether chains have replicas at higher temperatures.
    pub tempering: Tempering,
    /// Steps of the annealing that gives log Z; by default as many as it takes, within limits.
    pub annealing: Option<usize>,
}

impl Default for Sampling {
    fn default() -> Self {
        Sampling {
            seed: 0,
            chains: 256,
            sweeps: None,
            tempering: Tempering::Auto,
            annealing: None,
        }
    }
}
