//! What the rows kept for validation say of the chosen machine, and when they stopped it.

use super::{Style, number, words};
use latentropy::Fit;

/// Their log-likelihood with its errors; where they were watched, which pass's weights were kept, and the gap there.
pub(super) fn lines(fit: &Fit, style: Style) -> String {
    let Some(found) = fit.validation else {
        return String::new();
    };
    let shown = |nats: f64| number::fixed(style.information(nats), 4);
    let sampled = match found.log_partition_error {
        Some(error) => format!("; log Z sampled, ± {}", shown(error)),
        None => String::new(),
    };
    let mut text = format!(
        "          validation log-likelihood {} ± {} over {}{sampled}\n",
        shown(found.mean),
        shown(found.std_err),
        words::counted(found.rows as u64, "row"),
    );
    let chosen = fit.chosen();
    if let Some(monitored) = &chosen.monitored
        && let (Some(best), Some(last)) = (monitored.best(), monitored.looks.last())
    {
        text += &format!(
            "          kept are the weights of pass {} of {}, by {} looks at the validation rows; free energies {} apart\n",
            best.pass,
            last.pass,
            monitored.looks.len(),
            shown(best.gap),
        );
    }
    text
}
