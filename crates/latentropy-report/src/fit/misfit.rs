//! Where a machine misfits, in the headline, and the causes whose conditions hold.

use super::run::Run;
use super::words;
use crate::charts::{escape, label};

/// A sum score this surprising comes by chance once in a hundred true machines.
pub(super) const SURPRISING: f64 = 2.33;
/// By chance one frequency in twenty lies beyond two standard errors; twice as many are a sign.
pub(super) const TOO_MANY: f64 = 0.1;
/// Shares of fewer frequencies than this are no sign.
const ENOUGH: usize = 20;
/// The ridge is blamed where so many of the pairs that misfit are nearer to independence than the data.
const MOST_PULLED: f64 = 0.75;

/// The paragraph of the headline; empty for a machine that fits.
pub(super) fn html(run: &Run) -> String {
    let signs = signs(run);
    if signs.is_empty() {
        return String::new();
    }
    let text = format!(
        "The machine misfits: {}. {}",
        signs.join("; "),
        causes(run).join(" ")
    );
    format!("<p class=\"notice\" role=\"note\">{}</p>\n", escape(&text))
}

/// What is further from the data than chance explains.
pub(super) fn signs(run: &Run) -> Vec<String> {
    let mut signs = Vec::new();
    let exhibits = &run.exhibits;
    let share = exhibits.pairs_beyond as f64 / exhibits.pair_count.max(1) as f64;
    if exhibits.pair_count >= ENOUGH && share > TOO_MANY {
        signs.push(format!(
            "{} of the pairs of columns are more than two standard errors from the data (at most 5% would be chance)",
            words::percent(share)
        ));
    }
    let Some(checks) = &exhibits.findings.checks else {
        return signs;
    };
    if let Some(triplets) = &checks.triplets
        && triplets.count >= ENOUGH
        && triplets.share_beyond() > TOO_MANY
    {
        signs.push(
            format!(
                "{} of the triplets of columns are",
                words::percent(triplets.share_beyond())
            ) + match signs.is_empty() {
                true => " more than two standard errors from the data (at most 5% would be chance)",
                false => " so too",
            },
        );
    }
    if let Some(score) = &checks.sum_score
        && score.surprise() > SURPRISING
    {
        signs.push(format!(
            "the number of ones in a row is spread otherwise than it says (chi-square {} where about {} is chance)",
            label(score.chi_square, 1),
            score.degrees
        ));
    }
    signs
}

/// The causes whose conditions hold, a sentence each; what to do where none does.
fn causes(run: &Run) -> Vec<String> {
    let mut causes: Vec<String> = [larger_is_ahead(run), at_the_edge(run), ridge_pulls(run)]
        .into_iter()
        .flatten()
        .collect();
    if causes.is_empty() {
        causes.push(match &run.record.choices.comparison {
            Some(_) => "No machine that was compared is ahead, no weight is at the edge of the box, and the ridge is too weak \
                        to explain it: the shape itself may be wrong."
                .to_string(),
            None => "No weight is at the edge of the box, and the ridge is too weak to explain it. Whether there are too few \
                     hidden units is not known, since no other machine was compared: leave size and shape open to see."
                .to_string(),
        });
    }
    if run.record.data.missing_cells > 0 {
        causes.push(
            "Cells that are not missing at random can look like a misfit too, since only known cells are counted."
                .to_string(),
        );
    }
    causes
}

/// Too few hidden units: a machine with more is ahead by more than its error, or the largest that was tried is the best.
fn larger_is_ahead(run: &Run) -> Option<String> {
    let comparison = run.record.choices.comparison.as_ref()?;
    let chosen = comparison.table.iter().find(|entry| entry.chosen)?;
    let best = comparison.table.iter().find(|entry| entry.best)?;
    let (behind, error) = (
        chosen.standing.behind_best,
        chosen.standing.behind_best_std_err,
    );
    if best.hidden > chosen.hidden && behind > error {
        return Some(format!(
            "Likely cause: too few hidden units. {} with {} is ahead by {} ± {} nats per held-out row.",
            best.shape,
            words::counted(best.hidden as u64, "hidden unit"),
            label(behind, 4),
            label(error, 4)
        ));
    }
    (comparison.best_is_last && best.hidden > 0).then(|| {
        "Likely cause: too few hidden units. The best of the machines compared is the largest that was tried.".to_string()
    })
}

/// The box: weights at its edge would go further if they might.
fn at_the_edge(run: &Run) -> Option<String> {
    match run.record.result.boundary.len() {
        0 => None,
        count => Some(format!(
            "Likely cause: the box. {} at its edge (±{}) and would go further.",
            match count {
                1 => "1 weight is".to_string(),
                count => format!("{count} weights are"),
            },
            words::typed(run.record.settings.bound)
        )),
    }
}

/// The ridge: pairs that misfit are nearer to independence than the data, and it pulls by a standard error and more.
fn ridge_pulls(run: &Run) -> Option<String> {
    let exhibits = &run.exhibits;
    let beyond: Vec<_> = exhibits
        .pairs
        .iter()
        .filter(|pair| pair.moment.misfit().abs() > 2.0)
        .collect();
    let pulled = beyond.iter().filter(|pair| {
        let (a, b) = (&exhibits.columns[pair.a], &exhibits.columns[pair.b]);
        let model = pair.moment.model - a.model * b.model;
        let data = pair.moment.observed() - a.observed() * b.observed();
        model.abs() < data.abs()
    });
    let pulled = pulled.count();
    let is_most = !beyond.is_empty() && pulled as f64 >= MOST_PULLED * beyond.len() as f64;
    (ridge_is_strong(run) && is_most).then(|| {
        format!(
            "Likely cause: the ridge ({}). {pulled} of {} that misfit are pulled towards independence.",
            words::typed(run.record.settings.ridge),
            words::counted(beyond.len() as u64, "pair")
        )
    })
}

/// Whether the ridge moves a moment by a standard error and more.
pub(super) fn ridge_is_strong(run: &Run) -> bool {
    let terms = run.network.terms().iter().zip(run.network.weights());
    let connecting = terms.filter(|(term, _)| term.order() > 1);
    let strongest = connecting.fold(0.0, |most: f64, (_, weight)| most.max(weight.abs()));
    let rows = run.rows_used();
    // At a solution a moment is α |κ| / T short of the data; the largest standard error of a share is 1 / (2 √T).
    run.record.settings.ridge * strongest / rows >= 0.5 / rows.sqrt()
}
