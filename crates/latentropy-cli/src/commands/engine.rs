//! The engine of `infer` and `score`: as it was asked for, or the best for the machine.

use crate::args::EngineArgs;
use crate::failure::{Failure, Outcome};
use latentropy::inference::{Clamp, Engine, EngineChoice, Gibbs, Remarked, choose_engine};
use latentropy::network::Network;

/// How gibbs is to sample; refused where an engine that does not sample is named.
pub(super) fn sampling(args: &EngineArgs) -> Outcome<Gibbs> {
    let mut sampling = Gibbs {
        seed: args.seed,
        sweeps: args.sweeps,
        annealing: args.annealing,
        ..Gibbs::default()
    };
    if let Some(chains) = args.chains {
        sampling.chains = chains;
    }
    if let Some(engine) = args.engine.engine() {
        refuse_idle_flags(args, engine)?;
    }
    Ok(sampling)
}

fn refuse_idle_flags(args: &EngineArgs, engine: Engine) -> Outcome {
    if engine == Engine::Gibbs || [args.chains, args.sweeps, args.annealing] == [None; 3] {
        return Ok(());
    }
    Err(Failure::Request(format!(
        "engine {} does not sample, so --chains, --sweeps and --annealing mean nothing to it; leave them out, or take \
         --engine gibbs",
        engine.name()
    )))
}

/// What the engine that was named finds, or the one that is best.
pub(super) fn ask(
    args: &EngineArgs,
    network: &Network,
    clamp: &Clamp,
    sampling: &Gibbs,
) -> Outcome<(EngineChoice, Remarked)> {
    let choice = match args.engine.engine() {
        Some(engine) => EngineChoice {
            engine,
            reason: "as asked".to_string(),
        },
        None => choose_engine(network, clamp)?,
    };
    refuse_idle_flags(args, choice.engine)?;
    let engine = choice.engine.instance_with(network, clamp, sampling)?;
    let found = engine.remarked(network, clamp)?;
    Ok((choice, found))
}
