//! Where the restarts ended: entropy against likelihood, and a table of the distinct solutions.

use super::run::Run;
use super::words;
use crate::charts::{Axis, Figure, Marker, Plot, Point, Series, label};
use crate::page::{paragraph, table};
use latentropy::fit::record::CandidateRecord;

/// Rows of the table of solutions.
const MOST_SOLUTIONS: usize = 25;
/// Differences below this many nats are not worth a picture.
const LEAST_SPAN: f64 = 0.01;

/// The certificates in the order of their styles.
const CERTIFICATES: [(&str, usize, Marker); 6] = [
    ("interior local maximum", 0, Marker::Circle),
    ("maximum within Monte-Carlo error", 0, Marker::Circle),
    ("boundary", 2, Marker::Square),
    ("stationary", 5, Marker::Diamond),
    ("saddle", 3, Marker::Triangle),
    ("not converged", 4, Marker::Cross),
];

pub(super) fn html(run: &Run) -> String {
    let mut html = String::new();
    if run.candidates.len() > 1 {
        html += &paragraph(
            "Every restart of the search ends in a candidate. All that are feasible meet the constraints that \
             the data set; they differ in how likely they make the data (to the right is more likely) and in how \
             little they assume beyond them (higher is less).",
        );
        if let Some(error) = run.chosen().log_likelihood_std_err {
            html += &paragraph(&format!(
                "Both are by samples, a log-likelihood to about ± {}: what lies nearer together may be the same.",
                label(error, 3)
            ));
        }
        html += &figure(run).html();
    }
    html + &solutions(run)
}

/// Every candidate by log-likelihood and entropy.
pub(super) fn figure(run: &Run) -> Figure {
    let mut plot = Plot::new("")
        .x(axis("log-likelihood of a row (nats)", run, |c| {
            c.log_likelihood
        }))
        .y(axis("entropy of the machine (nats)", run, |c| c.entropy));
    for (certificate, style, marker) in CERTIFICATES {
        let points: Vec<Point> = run
            .candidates
            .iter()
            .enumerate()
            .filter(|(_, candidate)| candidate.certificate == certificate)
            .map(|(at, candidate)| point(run, at, candidate))
            .collect();
        if !points.is_empty() {
            let series = Series::markers(certificate, points)
                .style(style)
                .marker(marker);
            plot = plot.series(series.opacity(0.75).size(1.2));
        }
    }
    let (lme, mle) = (run.exhibits.lme, run.exhibits.mle);
    let ring = |name: &str, at: usize, style: usize, size: f64| {
        let point = point(run, at, &run.candidates[at]);
        let series = Series::markers(name, [point])
            .style(style)
            .marker(Marker::Ring);
        series.size(size)
    };
    let none = run.candidates.iter().all(|candidate| !candidate.feasible);
    plot = if none {
        plot.series(ring(
            "chosen, though unfinished",
            run.record.result.selected,
            1,
            2.4,
        ))
    } else if run.principles_agree() {
        plot.series(ring("chosen by LME and by MLE", lme, 1, 2.4))
    } else {
        plot.series(ring("chosen by LME (highest entropy)", lme, 1, 2.4))
            .series(ring("chosen by MLE (highest likelihood)", mle, 3, 2.4))
    };
    Figure::new("")
        .panel_size(430.0, 290.0)
        .panel(plot)
        .caption("Each mark is a restart; point at one, tap it, or move with the arrow keys, to see where it came from and what it is.")
}

/// An axis that does not blow up differences too small to matter.
fn axis(name: &str, run: &Run, value: impl Fn(&CandidateRecord) -> f64) -> Axis {
    let values = || run.candidates.iter().map(&value).filter(|v| v.is_finite());
    let low = values().fold(f64::INFINITY, f64::min);
    let high = values().fold(f64::NEG_INFINITY, f64::max);
    let axis = Axis::linear(name);
    if high - low >= LEAST_SPAN || low > high {
        return axis;
    }
    let middle = (low + high) / 2.0;
    axis.range(middle - LEAST_SPAN, middle + LEAST_SPAN)
}

fn point(run: &Run, at: usize, candidate: &CandidateRecord) -> Point {
    let mut tip = format!(
        "restart {}\n{}, solution {}\nlog-likelihood {}, entropy {}\nresidual {} after {}, {}",
        candidate.index,
        candidate.certificate,
        candidate.solution,
        label(candidate.log_likelihood, 4),
        label(candidate.entropy, 4),
        words::small(candidate.residual),
        words::counted(candidate.iterations as u64, "step"),
        candidate.stop,
    );
    tip += &format!(
        "\nrandom stream {} of seed {}",
        candidate.seed_stream, run.record.seed
    );
    if candidate.trivial {
        tip += "\ntrivial: hidden and visible units are independent";
    }
    let same: Vec<String> = run
        .candidates
        .iter()
        .filter(|other| other.solution == candidate.solution && other.index != candidate.index)
        .map(|other| other.index.to_string())
        .collect();
    if !same.is_empty() {
        let more = if same.len() > 8 {
            format!(" and {} more", same.len() - 8)
        } else {
            String::new()
        };
        tip += &format!(
            "\nthe same as restart {}{more}",
            same[..same.len().min(8)].join(", ")
        );
    }
    let strongest = &run.exhibits.strongest[at];
    if !strongest.is_empty() {
        tip += "\nstrongest weights:";
        for (name, weight) in strongest {
            tip += &format!("\n  {name}: {}", words::weight(*weight));
        }
    }
    Point::new(candidate.log_likelihood, candidate.entropy).tip(tip)
}

/// The table of distinct solutions, best first.
fn solutions(run: &Run) -> String {
    let ranked = representatives(run);
    let marked = marks(run).map(|(_, at)| run.candidates[at].solution);
    let shown = ranked.iter().enumerate().filter(|(place, at)| {
        *place < MOST_SOLUTIONS || marked.contains(&run.candidates[**at].solution)
    });
    let rows: Vec<Vec<String>> = shown.map(|(_, &at)| row(run, at)).collect();
    let heads = [
        "solution",
        "restarts#",
        "log-likelihood#",
        "entropy#",
        "mutual information#",
        "residual#",
        "certificate",
        "",
    ];
    let mut html = table(&heads, &rows);
    if rows.len() < ranked.len() {
        html += &paragraph(&format!(
            "{} further end points are in candidates.csv.",
            ranked.len() - rows.len()
        ));
    }
    html
}

/// Who was chosen by whom.
fn marks(run: &Run) -> [(&'static str, usize); 3] {
    [
        ("chosen", run.record.result.selected),
        ("LME", run.exhibits.lme),
        ("MLE", run.exhibits.mle),
    ]
}

/// One candidate per solution, as the principle ranks them.
fn representatives(run: &Run) -> Vec<usize> {
    let mut firsts: Vec<usize> = Vec::new();
    for at in 0..run.candidates.len() {
        let solution = run.candidates[at].solution;
        let known = firsts
            .iter_mut()
            .find(|first| run.candidates[**first].solution == solution);
        match known {
            // The one that a principle chose stands for its solution.
            Some(first) if marks(run).iter().any(|(_, marked)| *marked == at) => *first = at,
            Some(_) => {}
            None => firsts.push(at),
        }
    }
    firsts.sort_by(|&a, &b| {
        let (a, b) = (&run.candidates[a], &run.candidates[b]);
        // Unfinished ones by likelihood, since entropy would prefer the least learned.
        let value = |c: &CandidateRecord| match c.feasible {
            true => c.entropy,
            false => c.log_likelihood,
        };
        let feasible = b.feasible.cmp(&a.feasible);
        feasible.then(value(b).total_cmp(&value(a)))
    });
    firsts
}

/// A line of the table of solutions.
fn row(run: &Run, at: usize) -> Vec<String> {
    let candidate = &run.candidates[at];
    let same = |other: &CandidateRecord| other.solution == candidate.solution;
    let hits = run.candidates.iter().filter(|other| same(other)).count();
    let marks = marks(run).into_iter().filter(|(name, marked)| {
        same(&run.candidates[*marked]) && (*name == "chosen" || candidate.feasible)
    });
    let marks: Vec<&str> = marks.map(|(name, _)| name).collect();
    let information = candidate.mutual_information;
    vec![
        candidate.solution.to_string(),
        hits.to_string(),
        label(candidate.log_likelihood, 4),
        label(candidate.entropy, 4),
        information.map_or("–".to_string(), |i| label(i, 4)),
        words::small(candidate.residual),
        candidate.certificate.clone() + if candidate.trivial { ", trivial" } else { "" },
        marks.join(", "),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use latentropy::selection::CertificateKind;

    /// A kind that had no mark would leave its candidates out of the picture.
    #[test]
    fn every_certificate_has_a_mark() {
        use CertificateKind::*;
        let next = |kind: CertificateKind| match kind {
            InteriorLocalMaximum => Some(MaximumWithinError),
            MaximumWithinError => Some(Saddle),
            Saddle => Some(Boundary),
            Boundary => Some(Stationary),
            Stationary => Some(NotConverged),
            NotConverged => None,
        };
        let mut kinds = std::iter::successors(Some(InteriorLocalMaximum), |&kind| next(kind));
        let has_mark = |kind: CertificateKind| {
            let name = kind.to_string();
            CERTIFICATES.iter().any(|(known, ..)| *known == name)
        };
        assert!(kinds.all(has_mark));
    }
}
