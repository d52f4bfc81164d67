//! The distinct solutions of a fit as a table, each with how often it was hit.

use super::{Align, Style, Summary, Table, number, words};
use latentropy::selection::CertificateKind;
use latentropy::{Candidate, Fit, Principle};

/// How many distinct solutions are shown.
const MOST_SOLUTIONS: usize = 10;

/// One line for each distinct solution: feasible ones first, best first.
pub(super) fn table(summary: &Summary<'_>, style: Style) -> String {
    let fit = summary.fit;
    let winners: Vec<(Principle, usize)> = Principle::ALL
        .into_iter()
        .filter_map(|principle| Some((principle, principle.select(&fit.candidates)?.at)))
        .filter(|&(_, at)| fit.candidates[at].feasible)
        .collect();
    let mut groups: Vec<Group<'_>> = (0..fit.distinct_solutions)
        .filter_map(|solution| Group::new(fit, solution, &winners))
        .collect();
    let by = |candidate: &Candidate| match fit.principle {
        Principle::LatentMaximumEntropy if candidate.feasible => candidate.entropy.value,
        _ => candidate.log_likelihood,
    };
    groups.sort_by(|a, b| {
        let key = |group: &Group<'_>| (group.is_chosen, group.shown.feasible);
        key(b)
            .cmp(&key(a))
            .then(by(b.shown).total_cmp(&by(a.shown)))
    });
    let mut table = Table::new(&[
        ("solution", Align::Right),
        ("hits", Align::Right),
        ("log-lik.", Align::Right),
        ("entropy", Align::Right),
        ("I(Y;Z)", Align::Right),
        ("residual", Align::Right),
        ("certificate", Align::Left),
        ("", Align::Left),
    ]);
    for group in groups.iter().take(MOST_SOLUTIONS) {
        if group.is_chosen {
            table.strong_row(group.cells(style));
        } else {
            table.row(group.cells(style));
        }
    }
    let mut text = table.render(style);
    if groups.len() > MOST_SOLUTIONS {
        let more = groups.len() - MOST_SOLUTIONS;
        text += &format!("  and {more} more: --out or --json lists every candidate\n");
    }
    text
}

/// The candidates that are one solution.
struct Group<'a> {
    solution: usize,
    hits: usize,
    shown: &'a Candidate,
    is_chosen: bool,
    marks: Vec<&'static str>,
}

impl<'a> Group<'a> {
    /// A solution, shown by its chosen candidate, else by a winner, else by its likeliest one.
    fn new(fit: &'a Fit, solution: usize, winners: &[(Principle, usize)]) -> Option<Self> {
        let members = || fit.candidates.iter().filter(|c| c.solution == solution);
        let likeliest = members().max_by(|a, b| a.log_likelihood.total_cmp(&b.log_likelihood))?;
        let chosen = fit.chosen();
        let is_chosen = chosen.solution == solution;
        let of_winners = winners.iter().map(|&(_, at)| &fit.candidates[at]);
        let winner = of_winners
            .clone()
            .find(|winner| winner.solution == solution);
        let mut marks: Vec<&'static str> = winners
            .iter()
            .filter(|&&(_, at)| fit.candidates[at].solution == solution)
            .map(|(principle, _)| match principle {
                Principle::LatentMaximumEntropy => "LME",
                Principle::MaximumLikelihood => "MLE",
            })
            .collect();
        if is_chosen {
            marks.push("chosen");
        }
        Some(Group {
            solution,
            hits: members().count(),
            shown: if is_chosen {
                chosen
            } else {
                winner.unwrap_or(likeliest)
            },
            is_chosen,
            marks,
        })
    }

    fn cells(&self, style: Style) -> Vec<String> {
        let information = |nats: f64| number::fixed(style.information(nats), 4);
        let candidate = self.shown;
        let has_hidden = !candidate.network.hidden().is_empty();
        let shared = candidate.mutual_information.filter(|_| has_hidden);
        vec![
            self.solution.to_string(),
            self.hits.to_string(),
            information(candidate.log_likelihood),
            information(candidate.entropy.value),
            shared.map_or("-".to_string(), information),
            number::small(candidate.residual),
            certificate(candidate),
            self.marks.join(", "),
        ]
    }
}

fn certificate(candidate: &Candidate) -> String {
    let kind = candidate.certificate.kind;
    let trivial = if candidate.trivial { ", trivial" } else { "" };
    match kind {
        CertificateKind::Boundary => {
            let count = candidate.certificate.boundary_terms.len() as u64;
            format!("boundary ({}){trivial}", words::counted(count, "weight"))
        }
        CertificateKind::NotConverged if candidate.worth.constraints.is_some() => {
            format!("learned by samples{trivial}")
        }
        _ => format!("{kind}{trivial}"),
    }
}
