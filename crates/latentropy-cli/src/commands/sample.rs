//! `sample`: rows drawn from a model, some units held at will.

use super::inputs;
use crate::args::SampleArgs;
use crate::failure::{Failure, Outcome};
use crate::output;
use crate::progress::{Busy, Counter};
use crate::spoken::Spoken;
use crate::wording::Flags;
use latentropy::network::Role;
use latentropy::sample;

/// Draws and prints.
pub(super) fn run(args: &SampleArgs) -> Outcome {
    inputs::use_threads(&args.run)?;
    let mut warnings = Vec::new();
    let (network, codings) = inputs::model_and_codings(&args.model, &mut warnings)?;
    let spoken = Spoken::of_units(&network, &codings, args.given.numbers);
    let given = spoken.held(&args.model.model, &network, &args.given)?;
    let given: Vec<(&str, bool)> = given
        .iter()
        .map(|(name, value)| (name.as_str(), *value))
        .collect();
    let shown: Vec<usize> = (0..network.units().len())
        .filter(|&unit| args.hidden || network.units()[unit].role == Role::Visible)
        .collect();
    let busy = Busy::new("summing over states", args.run.quiet);
    let mut draws = sample(&network, &given, args.seed)?;
    drop(busy);
    if shown.is_empty() {
        return Err(Failure::Request(format!(
            "{}: the model has no visible unit; print the hidden ones with --hidden",
            args.model.model.display()
        )));
    }
    warnings.extend(draws.remarks().iter().map(|remark| remark.worded(&Flags)));
    output::warn(&warnings, args.run.quiet);

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
        let states = draws.next(left);
        let count = states.len();
        for state in states {
            let cells = shown.iter().map(|&unit| spoken.word(unit, state[unit]));
            table.write_record(cells).map_err(output::csv_failure)?;
        }
        left -= count;
        progress.advance(count);
    }
    table
        .flush()
        .map_err(|error| Failure::of_standard_output(&error))
}
