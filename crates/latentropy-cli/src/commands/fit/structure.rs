//! The machine that `fit` learns: units from the columns, hidden units, and terms by shape or from a file.

use crate::args::FitArgs;
use crate::failure::{Failure, Outcome};
use latentropy::network::{Network, Shape, Term, TermOptions, Unit, named_terms, read_terms};
use std::path::Path;

/// More hidden units than this are a slip of the keyboard, whatever the shape.
const MOST_HIDDEN: usize = 10_000;

/// A network with all weights zero.
pub(super) fn build(
    args: &FitArgs,
    columns: &[String],
    hidden: usize,
    warnings: &mut Vec<String>,
) -> Outcome<Network> {
    if hidden > MOST_HIDDEN {
        return Err(Failure::Request(format!(
            "--hidden {hidden} is more than any engine can hold; at most {MOST_HIDDEN}, and far \
             fewer for exact inference"
        )));
    }
    let units = units(columns, hidden);
    let terms = match args.machine.shape.parse::<Shape>() {
        Ok(shape) => {
            let defaults = TermOptions::default();
            let options = TermOptions {
                shape,
                bias: !args.machine.no_bias,
                order: args.machine.order.unwrap_or(defaults.order),
            };
            named_terms(&units, &options)?
        }
        Err(_) => listed_terms(args, &units, warnings)?,
    };
    let weighted = terms.into_iter().map(|term| (term, 0.0));
    Ok(Network::new(units, weighted)?)
}

/// The columns, visible, then the hidden units under names that no column has: z1, z2, … or, if
/// one of these is taken, z_1, z_2, … and so on.
fn units(columns: &[String], hidden: usize) -> Vec<Unit> {
    let mut prefix = "z".to_string();
    let name = |prefix: &str, at: usize| format!("{prefix}{at}");
    while (1..=hidden).any(|at| columns.contains(&name(&prefix, at))) {
        prefix.push('_');
    }
    let visible = columns.iter().map(Unit::visible);
    let hidden = (1..=hidden).map(|at| Unit::hidden(name(&prefix, at)));
    visible.chain(hidden).collect()
}

fn listed_terms(args: &FitArgs, units: &[Unit], warnings: &mut Vec<String>) -> Outcome<Vec<Term>> {
    let path = Path::new(&args.machine.shape);
    if !path.exists() {
        return Err(Failure::Request(format!(
            "--shape {}: there is neither a shape nor a file of this name; the shapes are full, rbm, \
             semi-restricted and visible",
            args.machine.shape
        )));
    }
    if args.machine.no_bias || args.machine.order.is_some() {
        return Err(Failure::Request(format!(
            "--no-bias and --order are for named shapes; {} lists its terms itself: leave the flags out",
            args.machine.shape
        )));
    }
    let listed = read_terms(path, units)?;
    if listed.iter().any(|(_, weight)| weight.is_some()) {
        warnings.push(format!(
            "{}: its weights are not used: every restart draws its own start",
            args.machine.shape
        ));
    }
    Ok(listed.into_iter().map(|(term, _)| term).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_names_avoid_columns() {
        let columns =
            |names: &[&str]| -> Vec<String> { names.iter().map(|n| n.to_string()).collect() };
        let names = |names: &[&str], hidden: usize| -> Vec<String> {
            let units = units(&columns(names), hidden);
            units
                .into_iter()
                .skip(names.len())
                .map(|unit| unit.name)
                .collect()
        };
        assert_eq!(names(&["a", "z3"], 2), ["z1", "z2"]);
        assert_eq!(names(&["a", "z2"], 2), ["z_1", "z_2"]);
        assert_eq!(names(&["z_1", "z2"], 2), ["z__1", "z__2"]);
    }
}
