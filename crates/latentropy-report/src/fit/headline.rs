//! The top of the page: what was found, in words and in a few numbers.

use super::misfit;
use super::run::Run;
use super::words;
use crate::charts::{escape, label};
use latentropy::fit::record::CandidateRecord;
use std::path::Path;

/// The page's title.
pub(super) fn title(run: &Run) -> String {
    let file = &run.record.data.file;
    let name = Path::new(file).file_name();
    format!(
        "Fit of {}",
        name.map_or(file.into(), |name| name.to_string_lossy())
    )
}

/// The headline, the facts and the warnings.
pub(super) fn html(run: &Run) -> String {
    let mut html = format!("<p class=\"lead\">{}</p>\n", escape(&sentence(run)));
    html += &misfit::html(run);
    html += &facts(run);
    let warnings = &run.record.result.warnings;
    if !warnings.is_empty() {
        let items: String = warnings
            .iter()
            .map(|warning| {
                format!(
                    "<li>{}</li>",
                    escape(&words::sentence_case(warning, run.network.units()))
                )
            })
            .collect();
        html += &format!(
            "<div class=\"notice\" role=\"note\"><strong>Please note</strong><ul>{items}</ul></div>\n"
        );
    }
    html
}

fn sentence(run: &Run) -> String {
    let (chosen, result) = (run.chosen(), &run.record.result);
    let restarts = run.candidates.len();
    let feasible = run.candidates.iter().filter(|c| c.feasible).count();
    let meaning = words::certificate(&chosen.certificate);
    if let (false, Some(far)) = (result.selected_is_feasible, result.residual_in_errors) {
        return format!(
            "The machine was learned by samples: its largest residual is {} of that constraint’s standard error in the \
             data.",
            label(far, 1)
        );
    }
    if !result.selected_is_feasible {
        return format!(
            "None of {} reached a solution within the tolerance of {}. What is shown is the best of the \
             unfinished ones, restart {}: take it as a sketch.",
            words::counted(restarts as u64, "restart"),
            words::typed(run.record.settings.tol),
            chosen.index
        );
    }
    let what = match (restarts, result.distinct_solutions) {
        (1, _) => "One restart was made, and it reached a solution".to_string(),
        (_, 1) => {
            format!("{feasible} of {restarts} restarts reached a solution, always the same one")
        }
        (_, distinct) => format!(
            "{feasible} of {restarts} restarts reached a solution; {distinct} different end points were found"
        ),
    };
    let choice = match (restarts, result.distinct_solutions) {
        (1, _) | (_, 1) => String::new(),
        _ => choice(run),
    };
    format!(
        "{what}.{choice} Its certificate is “{}”: {meaning}.",
        chosen.certificate
    )
}

/// Why this one of several solutions, and whether the other principle agrees.
fn choice(run: &Run) -> String {
    let chosen = run.chosen();
    let same = |c: &&CandidateRecord| c.solution == chosen.solution;
    let hits = run.candidates.iter().filter(same).count();
    let select = run.record.settings.select.as_str();
    let why = match select {
        "mle" => "The one of highest likelihood is chosen, by the principle of maximum likelihood",
        "held-out" => "The one that foretells the rows kept for validation best is chosen",
        _ => {
            "The one of highest entropy is chosen, by the principle of latent maximum entropy: of all that explain the \
             data, the one that assumes least"
        }
    };
    let agreement = match (run.principles_agree(), select) {
        (true, "held-out") => {
            "Maximum likelihood and latent maximum entropy would both choose another one."
        }
        (true, _) => "Maximum likelihood and latent maximum entropy choose the same solution.",
        (false, "held-out") => {
            "Latent maximum entropy would choose another one, and maximum likelihood may."
        }
        (false, "mle") => "Latent maximum entropy would choose another one.",
        (false, _) => "Maximum likelihood would choose another one.",
    };
    format!(
        " {why} (solution {}, reached {}). {agreement}",
        chosen.solution,
        times(hits)
    )
}

fn times(count: usize) -> String {
    match count {
        1 => "once".to_string(),
        2 => "twice".to_string(),
        _ => format!("{count} times"),
    }
}

fn facts(run: &Run) -> String {
    let (chosen, data) = (run.chosen(), &run.record.data);
    let hidden = run.network.hidden().len() as u64;
    let (likelihood_error, entropy_error) = run.errors();
    let spread = |error: Option<f64>, unit: &str| match error.filter(|error| error.is_finite()) {
        Some(error) => format!("± {} {unit}", label(error, 4)),
        None => unit.to_string(),
    };
    let columns = words::counted(data.columns.len() as u64, "column");
    let mut facts = vec![
        ("data", words::rows(run.rows_used()), columns),
        (
            "machine",
            match hidden {
                0 => "no hidden unit".to_string(),
                _ => words::counted(hidden, "hidden unit"),
            },
            format!(
                "{}, {}",
                run.record.settings.shape,
                words::counted(run.network.terms().len() as u64, "weight")
            ),
        ),
        (
            "log-likelihood",
            label(chosen.log_likelihood, 4),
            spread(likelihood_error, "nats per row"),
        ),
        (
            "entropy",
            label(chosen.entropy, 4),
            spread(entropy_error, "nats"),
        ),
    ];
    if let Some(information) = chosen.mutual_information.filter(|_| hidden > 0) {
        let what = "nats, hidden with visible".to_string();
        facts.push(("mutual information", label(information, 4), what));
    }
    facts.push((
        "certificate",
        chosen.certificate.clone(),
        format!("residual {}", words::small(chosen.residual)),
    ));
    let items: String = facts
        .into_iter()
        .map(|(name, value, more)| {
            format!(
                "<div><dt>{name}</dt><dd>{}<small>{}</small></dd></div>",
                escape(&value),
                escape(&more)
            )
        })
        .collect();
    format!("<dl class=\"facts\">{items}</dl>\n")
}
