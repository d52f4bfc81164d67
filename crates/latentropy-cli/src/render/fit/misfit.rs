//! Whether the chosen machine misfits, in the head of the result: the same sentences as in the report.

use super::words;
use latentropy::Fit;

/// Where the lines of the head begin.
const INDENT: usize = 10;

/// What misfits and the causes whose conditions hold, a line each and as many more as it takes.
pub(super) fn lines(fit: &Fit) -> String {
    let sentences = match &fit.misfit {
        Some(misfit) => misfit.sentences(),
        None => vec!["not checked: the machine is beyond exact sums".to_string()],
    };
    let indent = " ".repeat(INDENT);
    let mut text = String::new();
    for (at, sentence) in sentences.iter().enumerate() {
        let label = if at == 0 { "misfit    " } else { &indent };
        text += &words::wrapped(label, sentence);
    }
    text
}
