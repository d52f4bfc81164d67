//! Random numbers by name: every unit of work has its own generator, whatever else runs before or beside it.

use latentropy::random::{Purpose, Random, named_seed, stream};

/// The generator that a name stands for.
pub(super) fn generator(seed: u64, name: &str) -> Random {
    stream(named_seed(seed, name), Purpose::Alone, 0)
}
