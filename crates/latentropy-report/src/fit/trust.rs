//! How far to trust the chosen machine: certificate, further solutions, the two principles, held-out rows, the bootstrap.

use super::convergence;
use super::misfit;
use super::run::Run;
use super::words;
use crate::charts::{escape, label};
use crate::page::{paragraph, table};

/// Weights in the table of the bootstrap.
const STRONGEST: usize = 10;

pub(super) fn html(run: &Run) -> String {
    let sampled = sampled_likelihood(run).map(|text| ("Likelihood", text));
    let points = [
        ("Certificate", certificate(run)),
        ("Solutions", solutions(run)),
        ("The two principles", principles(run)),
        ("Held-out rows", gains(run)),
        ("Weights", weights(run)),
        ("Fit", misfit::verdict(run).to_string()),
    ];
    let rows: String = points
        .into_iter()
        .chain(sampled)
        .map(|(name, text)| {
            format!(
                "<tr><th scope=\"row\">{name}</th><td>{}</td></tr>\n",
                escape(&text)
            )
        })
        .collect();
    format!(
        "<div class=\"scroll\" tabindex=\"0\"><table class=\"points\"><tbody>\n{rows}</tbody></table></div>\n"
    ) + &ridges(run)
        + &bootstrap(run)
}

fn certificate(run: &Run) -> String {
    let chosen = run.chosen();
    let only = match run.exhibits.findings.only_maximum {
        true => " It is the only maximum: the problem is concave.",
        false => "",
    };
    format!(
        "{}: {}.{only}",
        chosen.certificate,
        words::certificate(&chosen.certificate)
    )
}

/// Where the likelihood lies, where log Z was sampled.
fn sampled_likelihood(run: &Run) -> Option<String> {
    let found = run.record.result.log_likelihood_interval?;
    Some(format!(
        "By samples: between {} and {} nats per row. {}",
        label(found.at_least, 4),
        label(found.at_most, 4),
        match found.trusted {
            true => "All ways to log Z agree.",
            false => "The ways to log Z do not agree, or are too weak: more is not known.",
        }
    ))
}

fn solutions(run: &Run) -> String {
    let feasible = run.candidates.iter().filter(|c| c.feasible);
    let mut different: Vec<usize> = feasible.clone().map(|c| c.solution).collect();
    different.sort_unstable();
    different.dedup();
    let mut text = format!(
        "{} of {} reached a solution, {}.",
        feasible.count(),
        words::counted(run.candidates.len() as u64, "restart"),
        match different.len() {
            0 => "so that none is known".to_string(),
            1 => "always the same one".to_string(),
            count => format!("{count} different ones"),
        }
    );
    if let Some(chance) = run.exhibits.findings.chance_of_another
        && run.candidates.len() > 1
    {
        let restarts = run.candidates.len();
        text += &match chance < 1.0 / restarts as f64 {
            // Good and Turing's estimate is 0 then, which is more than so many restarts can tell.
            true => format!(
                " None was met only once: the chance that one more restart finds a new one is about {} or less.",
                words::percent(1.0 / restarts as f64)
            ),
            false => format!(
                " One more restart would find a new one with a chance of about {}.",
                words::percent(chance)
            ),
        };
    }
    text
}

/// Latent maximum entropy against maximum likelihood.
fn principles(run: &Run) -> String {
    if !run.record.result.selected_is_feasible {
        return "There is no solution to choose among.".to_string();
    }
    let mut text = match run.exhibits.findings.cost {
        _ if run.principles_agree() => {
            "Latent maximum entropy and maximum likelihood choose the same solution.".to_string()
        }
        Some(cost) => format!(
            "{} {} ± {} nats of likelihood per row ({} over all rows) against the likeliest solution: {}.",
            match run.record.settings.select.as_str() {
                "mle" | "held-out" => "Highest entropy would give up",
                _ => "Highest entropy gives up",
            },
            label(cost.per_row, 4),
            label(cost.std_err, 4),
            label(cost.all_rows, 1),
            match cost.clear {
                true => "the rows speak clearly for the likeliest one",
                false => "the rows do not speak clearly for either",
            }
        ),
        None => {
            "Latent maximum entropy and maximum likelihood choose different solutions.".to_string()
        }
    };
    if let Some(choice) = &run.record.choices.principle_selection {
        text += &format!(
            " On rows held out {} was ahead by {} ± {} nats per row.",
            words::principle(&choice.chosen),
            label((choice.lme - choice.mle).abs(), 4),
            label(choice.std_err, 4)
        );
    }
    text
}

/// What the machine gains over plain ones.
fn gains(run: &Run) -> String {
    let Some(comparison) = &run.record.choices.comparison else {
        return convergence::of_validation_rows(run).unwrap_or_else(|| {
            "No row was held out, so that nothing is known of rows that it has not seen."
                .to_string()
        });
    };
    let gains = comparison.gains.iter().map(|gain| {
        let plain = match gain.over.as_str() {
            "independent" => "independent columns",
            _ => "visible pairs",
        };
        let errors = gain.mean / gain.std_err.max(f64::MIN_POSITIVE);
        let sign = |value: f64, digits: usize| match value < 0.0 {
            true => label(value, digits),
            false => format!("+{}", label(value, digits)),
        };
        let worth = match errors {
            errors if errors > 2.0 => "a clear gain",
            errors if errors < -2.0 => "a clear loss",
            _ => "no clear difference",
        };
        match gain.std_err > 0.0 {
            true => format!(
                "Against {plain}: {} ± {} nats per held-out row, {} standard errors, {worth}.",
                sign(gain.mean, 4),
                label(gain.std_err, 4),
                sign(errors, 1)
            ),
            false => format!("Against {plain}: it is that machine itself."),
        }
    });
    let mut text: Vec<String> = gains.collect();
    if comparison.best_is_last {
        text.push(
            "The best machine is the largest that was tried, so that a larger one may be better still.".to_string(),
        );
    }
    text.join(" ")
}

/// How many weights stand out of their errors.
fn weights(run: &Run) -> String {
    let values = run.network.weights();
    let errors = (0..values.len()).filter_map(|term| Some((values[term], run.weight_error(term)?)));
    let known: Vec<(f64, f64)> = errors.collect();
    if known.is_empty() {
        return "No weight has a standard error.".to_string();
    }
    let out = known
        .iter()
        .filter(|(value, error)| value.abs() > 2.0 * error);
    format!(
        "{} of {} are more than two standard errors away from nothing.",
        out.count(),
        words::counted(values.len() as u64, "weight")
    ) + &match values.len() - known.len() {
        0 => String::new(),
        1 => " 1 has no standard error.".to_string(),
        count => format!(" {count} have no standard error."),
    }
}

/// The ridges that were cross-validated.
fn ridges(run: &Run) -> String {
    let Some(choice) = &run.record.choices.ridge_selection else {
        return String::new();
    };
    let entries = choice.table.iter();
    let rows: Vec<Vec<String>> = entries
        .map(|entry| {
            let standing = &entry.standing;
            vec![
                words::typed(entry.ridge),
                format!(
                    "{} ± {}",
                    label(standing.mean_log_likelihood, 4),
                    label(standing.std_err, 4)
                ),
                format!(
                    "{} ± {}",
                    label(standing.behind_best, 4),
                    label(standing.behind_best_std_err, 4)
                ),
                if entry.chosen { "chosen" } else { "" }.to_string(),
            ]
        })
        .collect();
    let heads = [
        "ridge#",
        "log-likelihood of a held-out row#",
        "behind the best#",
        "",
    ];
    paragraph(
        "The ridge was cross-validated: the largest within one standard error of the best, or half a nat over all rows, is \
         chosen.",
    ) + &table(&heads, &rows)
}

/// The strongest weights with their intervals over the refits.
fn bootstrap(run: &Run) -> String {
    let Some(uncertainty) = &run.record.uncertainty else {
        return String::new();
    };
    let Some(made) = &uncertainty.bootstrap else {
        return String::new();
    };
    let numbers = [
        ("log-likelihood".to_string(), &uncertainty.log_likelihood),
        ("entropy".to_string(), &uncertainty.entropy),
    ];
    let mut weights: Vec<_> = uncertainty
        .weights
        .iter()
        .filter(|weight| weight.units.len() > 1)
        .collect();
    weights.sort_by(|a, b| b.number.value.abs().total_cmp(&a.number.value.abs()));
    let weights = weights.into_iter().take(STRONGEST).map(|weight| {
        let names: Vec<&str> = weight.units.iter().map(|&unit| run.name(unit)).collect();
        (names.join(" – "), &weight.number)
    });
    let rows: Vec<Vec<String>> = numbers
        .into_iter()
        .chain(weights)
        .map(|(name, number)| {
            let interval = match number.bootstrap.as_ref().and_then(Option::as_ref) {
                Some(spread) => format!(
                    "{} to {}",
                    label(spread.interval[0], 3),
                    label(spread.interval[1], 3)
                ),
                None => "–".to_string(),
            };
            vec![name, label(number.value, 3), interval]
        })
        .collect();
    let source = match made.kind.as_str() {
        "parametric" => "drawn from the machine",
        _ => "of the rows",
    };
    paragraph(&format!(
        "Bootstrap: {} {source}, {} refits converged; the middle 95% of them, for the strongest weights.",
        words::counted(made.resamples as u64, "resample"),
        made.converged
    )) + &table(&["", "value#", "interval#"], &rows)
}
