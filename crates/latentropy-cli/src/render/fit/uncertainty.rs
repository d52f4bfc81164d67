//! How far the chosen machine is to be trusted: standard errors in a line, the bootstrap as a table.

use super::{Align, Style, Summary, Table, number, words};
use latentropy::Candidate;
use latentropy::fit::{Bootstrap, BootstrapKind, Spread};
use latentropy::inference::{Kind, Value};
use latentropy::selection::CertificateKind;

/// How many of the strongest weights are shown.
const STRONGEST: usize = 12;

/// Log-likelihood and entropy with their standard errors, and which weights have none.
pub(super) fn lines(candidate: &Candidate, style: Style) -> String {
    let errors = &candidate.standard_errors;
    let shown = |nats: f64| number::fixed(style.information(nats), 4);
    let with_error = |value: f64, error: Option<f64>| {
        let value = shown(value);
        error.map_or(value.clone(), |e| format!("{value} ± {}", shown(e)))
    };
    let log_likelihood = with_error(candidate.log_likelihood, errors.log_likelihood);
    let entropy = with_error(candidate.entropy.value, errors.entropy);
    let unit = style.unusual_unit();
    let mut text = format!("          log-likelihood {log_likelihood}, entropy {entropy}{unit}\n");
    text += &worth(candidate, style);
    if let Some(met) = candidate.worth.constraints {
        text += &format!(
            "          the largest of {} residuals is {} of its constraint's standard error in the data\n",
            candidate.network.terms().len(),
            number::fixed(met.largest, 2)
        );
    }
    let left_out = match errors.undetermined.len() as u64 {
        _ if candidate.certificate.kind == CertificateKind::Stationary => {
            "there is no curvature for standard errors; --bootstrap B gives them".to_string()
        }
        0 if candidate.certificate.kind == CertificateKind::InteriorLocalMaximum
            && errors.entropy.is_some()
            && errors.weights.iter().all(Option::is_none) =>
        {
            "there are too many weights for their standard errors; --bootstrap B gives them"
                .to_string()
        }
        0 if errors.relative_error > 0.0 => format!(
            "standard errors of weights are estimated from random draws, each to about {:.0} % of itself",
            100.0 * errors.relative_error
        ),
        0 => return text,
        1 => "1 weight is not determined by the data, and has no standard error".to_string(),
        count => {
            format!("{count} weights are not determined by the data, and have no standard error")
        }
    };
    text += &format!("          {left_out}\n");
    text
}

/// What the two numbers are worth, where they are not exact.
fn worth(candidate: &Candidate, style: Style) -> String {
    if candidate.worth.log_likelihood == Kind::Exact && candidate.entropy.kind == Kind::Exact {
        return String::new();
    }
    let kind = |value: Value| match value.std_err {
        Some(error) => format!("sampled, ± {}", number::fixed(style.information(error), 4)),
        None if value.kind == Kind::Exact => "exact".to_string(),
        None => words::with_article(value.kind.words()),
    };
    let mut text = format!(
        "          by the engine's own sums: the log-likelihood is {}, the entropy is {}\n",
        kind(candidate.log_likelihood_value()),
        kind(candidate.entropy)
    );
    if let Some(interval) = candidate.worth.log_likelihood_interval {
        text += &format!(
            "          the log-likelihood lies between {} and {}: {}\n",
            number::fixed(style.information(interval.at_least), 4),
            number::fixed(style.information(interval.at_most), 4),
            words::agreement(interval.trusted)
        );
    }
    text
}

/// The spread of log-likelihood, entropy and the strongest weights over the refits.
pub(super) fn table(summary: &Summary<'_>, style: Style) -> String {
    let Some(bootstrap) = &summary.fit.bootstrap else {
        return String::new();
    };
    let mut text = head(bootstrap, summary);
    let Some(spreads) = &bootstrap.spreads else {
        return text + "          too few to tell anything\n";
    };
    let candidate = summary.fit.chosen();
    let errors = &candidate.standard_errors;
    let mut table = Table::new(&[
        ("", Align::Left),
        ("value", Align::Right),
        ("± s.e.", Align::Right),
        ("refitted", Align::Right),
        ("± s.e.", Align::Right),
        ("2.5%", Align::Right),
        ("97.5%", Align::Right),
    ]);
    let log_likelihood = (candidate.log_likelihood, errors.log_likelihood);
    let spread = Some(&spreads.log_likelihood);
    let information = |nats: f64| number::fixed(style.information(nats), 4);
    table.row(row(
        "log-likelihood".to_string(),
        log_likelihood,
        spread,
        &information,
    ));
    let entropy = (candidate.entropy.value, errors.entropy);
    let spread = spreads.entropy.as_ref();
    table.row(row("entropy".to_string(), entropy, spread, &information));
    let network = &candidate.network;
    let mut terms: Vec<usize> = (0..network.terms().len()).collect();
    let size = |term: &usize| network.weights()[*term].abs();
    terms.sort_by(|a, b| size(b).total_cmp(&size(a)));
    for &term in terms.iter().take(STRONGEST) {
        let weight = (network.weights()[term], errors.weights[term]);
        let spread = spreads.weights[term].as_ref();
        let fixed = |value: f64| number::fixed(value, 2);
        table.row(row(words::term(network, term), weight, spread, &fixed));
    }
    text += &table.render(style);
    if terms.len() > STRONGEST {
        let more = words::counted((terms.len() - STRONGEST) as u64, "weaker weight");
        text += &format!("  and {more}: --out or --json lists every one\n");
    }
    text
}

/// A number with its standard error, and its spread over the refits.
fn row(
    name: String,
    (value, error): (f64, Option<f64>),
    spread: Option<&Spread>,
    shown: &dyn Fn(f64) -> String,
) -> Vec<String> {
    let optional = |value: Option<f64>| value.map_or("-".to_string(), shown);
    let spread = [
        spread.map(|s| s.mean),
        spread.map(|s| s.std_err),
        spread.map(|s| s.low),
        spread.map(|s| s.high),
    ];
    let numbers = [shown(value), optional(error)];
    let cells = numbers.into_iter().chain(spread.map(optional));
    [name].into_iter().chain(cells).collect()
}

fn head(bootstrap: &Bootstrap, summary: &Summary<'_>) -> String {
    let settings = &bootstrap.settings;
    let source = match settings.kind {
        BootstrapKind::Rows => "of the rows",
        BootstrapKind::Parametric => "from the chosen machine",
    };
    format!(
        "\nbootstrap {} {source} in {:.1?}: {} refits converged\n",
        words::counted(settings.resamples as u64, "resample"),
        summary.fit.timings.resampling,
        bootstrap.converged,
    )
}
