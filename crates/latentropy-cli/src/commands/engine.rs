//! The engine of `infer` and `score`: flags that would do nothing are refused.

use crate::args::EngineArgs;
use crate::failure::{Failure, Outcome};
use latentropy::inference::{EngineChoice, choose_engine};
use latentropy::network::{Clamp, Network};
use latentropy::{EngineId, Sampling};

/// How an engine that samples is to sample; refused where an engine that does not sample is named.
pub(super) fn sampling(args: &EngineArgs) -> Outcome<Sampling> {
    let usual = Sampling::default();
    if let Some(engine) = args.engine.named() {
        refuse_idle_flags(args, engine)?;
    }
    Ok(Sampling {
        seed: args.seed,
        sweeps: args.sweeps,
        annealing: args.annealing,
        chains: args.chains.unwrap_or(usual.chains),
        ..usual
    })
}

/// The engine that is named, or the best for the machine; refused where flags would do nothing with it.
pub(super) fn choose(args: &EngineArgs, network: &Network, clamp: &Clamp) -> Outcome<EngineChoice> {
    let choice = match args.engine.named() {
        Some(engine) => EngineChoice {
            engine,
            reason: "as asked".into(),
        },
        None => choose_engine(network, clamp)?,
    };
    refuse_idle_flags(args, choice.engine)?;
    Ok(choice)
}

fn refuse_idle_flags(args: &EngineArgs, engine: EngineId) -> Outcome {
    if engine.gives().chains || [args.chains, args.sweeps, args.annealing] == [None; 3] {
        return Ok(());
    }
    Err(Failure::Request(format!(
        "engine {engine} does not sample, so --chains, --sweeps and --annealing mean nothing to it; leave them out, or take \
         --engine gibbs"
    )))
}
