//! `convert`: a model in another format.

use super::inputs;
use crate::args::{ConvertArgs, ModelArg};
use crate::failure::Outcome;
use crate::output;
use crate::render::words;
use crate::wording::Flags;
use latentropy::Remark;
use latentropy::data::Words;
use latentropy::network::{Format, write_network};
use latentropy::plain::plain_path;

/// Reads one file and writes the other.
pub(super) fn run(args: &ConvertArgs) -> Outcome {
    // A wrong extension is said before a large model is read.
    Format::of_path(&args.output)?;
    let mut warnings = Vec::new();
    let input = ModelArg {
        model: args.input.clone(),
    };
    let (network, words) = inputs::model_and_words(&input, &mut warnings)?;
    let lost = write_network(&args.output, &network)?;
    if matches!(&words, Words::OfModel { codings, .. } if !codings.is_empty()) {
        warnings.push(format!(
            "{}: what the words of the model's columns mean is not kept; give --recode to score, impute and posterior",
            args.output.display()
        ));
    }
    let named = |remark: &Remark| format!("{}: {}", args.output.display(), remark.worded(&Flags));
    warnings.extend(lost.iter().map(named));
    output::warn(&warnings, args.quiet);
    if args.quiet {
        return Ok(());
    }
    output::print(&format!(
        "wrote {}: {}\n",
        plain_path(&args.output),
        words::machine(&network)
    ))
}
