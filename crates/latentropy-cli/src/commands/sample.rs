//! `sample`: independent rows from a model, as csv.

use super::inputs;
use crate::args::SampleArgs;
use crate::failure::{Failure, Outcome};
use crate::output;
use crate::progress::{Busy, Counter};
use latentropy::inference::{Clamp, ExactSampler};
use latentropy::network::Role;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

/// Rows drawn at a time: their number is part of what a seed means, and bounds the memory.
const CHUNK: usize = 1 << 15;

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
    let sampler = ExactSampler::new(&network, &clamp)?;
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
        let count = left.min(CHUNK);
        for state in sampler.sample(count, &mut rng) {
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
