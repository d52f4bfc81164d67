//! `sample`: rows from a model, as csv: exact and independent where an exact engine holds it, else by Markov chains.

use super::inputs;
use crate::args::SampleArgs;
use crate::failure::{Failure, Outcome};
use crate::output;
use crate::progress::{Busy, Counter};
use latentropy::inference::{
    Chains, Clamp, Engine, ExactSampler, Gibbs, JunctionTreeSampler, choose_engine,
};
use latentropy::network::{Network, Role};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

/// Rows drawn at a time: their number is part of what a seed means, and bounds the memory.
const CHUNK: usize = 1 << 15;

/// Where rows come from.
enum Sampler {
    Exact(ExactSampler),
    JunctionTree(JunctionTreeSampler),
    /// Warm chains, and how many sweeps make them forget.
    Chains(Box<Chains>, usize),
}

impl Sampler {
    /// The best that holds the machine; chains with a note.
    fn new(
        network: &Network,
        clamp: &Clamp,
        seed: u64,
        warnings: &mut Vec<String>,
    ) -> Outcome<Self> {
        let choice = choose_engine(network, clamp)?;
        Ok(match choice.engine {
            Engine::Exact => Sampler::Exact(ExactSampler::new(network, clamp)?),
            Engine::JunctionTree => {
                Sampler::JunctionTree(JunctionTreeSampler::new(network, clamp)?)
            }
            _ => {
                let gibbs = Gibbs {
                    seed,
                    ..Gibbs::default()
                };
                let (chains, apart, found) = gibbs.warm_chains(network, clamp)?;
                warnings.push(format!(
                    "rows are drawn by {} Markov chains, {apart} sweeps apart: nearly, not exactly, independent, since no \
                     exact engine holds this machine",
                    chains.count()
                ));
                warnings.extend(found);
                Sampler::Chains(Box::new(chains), apart)
            }
        })
    }

    /// At most `most` rows, at least one.
    fn rows(&mut self, most: usize, rng: &mut ChaCha8Rng) -> Vec<Vec<bool>> {
        match self {
            Sampler::Exact(sampler) => sampler.sample(most.min(CHUNK), rng),
            Sampler::JunctionTree(sampler) => sampler.sample(most.min(CHUNK), rng),
            Sampler::Chains(chains, apart) => {
                let mut states = chains.states();
                chains.sweep(*apart);
                states.truncate(most);
                states
            }
        }
    }
}

/// Draws and prints.
pub(super) fn run(args: &SampleArgs) -> Outcome {
    inputs::use_threads(&args.run)?;
    let mut warnings = Vec::new();
    let network = inputs::model(&args.model, &mut warnings)?;
    let clamp = Clamp::by_name(&network, &args.given.all())?;
    let shown: Vec<usize> = (0..network.units().len())
        .filter(|&unit| args.hidden || network.units()[unit].role == Role::Visible)
        .collect();
    if shown.is_empty() {
        return Err(Failure::Request(format!(
            "{}: the model has no visible unit; print the hidden ones with --hidden",
            args.model.model.display()
        )));
    }
    let busy = Busy::new("summing over states", args.run.quiet);
    let mut sampler = Sampler::new(&network, &clamp, args.seed, &mut warnings)?;
    drop(busy);
    output::warn(&warnings, args.run.quiet);

    let mut rng = ChaCha8Rng::seed_from_u64(args.seed);
    let mut table = output::csv_on_stdout();
    let names = shown.iter().map(|&unit| &network.units()[unit].name);
    table.write_record(names).map_err(output::csv_failure)?;
    // Rows that scroll by on the terminal are progress enough.
    let progress = Counter::new(
        args.rows,
        "rows",
        args.run.quiet || output::is_on_terminal(),
    );
    let mut left = args.rows;
    while left > 0 {
        let states = sampler.rows(left, &mut rng);
        let count = states.len();
        for state in states {
            let cells = shown
                .iter()
                .map(|&unit| if state[unit] { "1" } else { "0" });
            table.write_record(cells).map_err(output::csv_failure)?;
        }
        left -= count;
        progress.advance(count);
    }
    table
        .flush()
        .map_err(|error| Failure::of_standard_output(&error))
}
