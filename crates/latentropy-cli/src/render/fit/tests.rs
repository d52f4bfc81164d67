//! Lines of the text, each where its condition holds and not where it does not.

use super::{Summary, chosen, meaning, text};
use crate::render::Style;
use latentropy::data::{Coding, Dataset};
use latentropy::fit::Ridge;
use latentropy::selection::CertificateKind;
use latentropy::{Fit, Request, fit};
use std::path::Path;

/// Three columns that go together, and one hidden unit.
fn found(restarts: usize) -> (Dataset, Fit) {
    let kinds = [
        [1, 1, 1],
        [0, 0, 0],
        [1, 1, 0],
        [0, 0, 0],
        [1, 1, 1],
        [0, 1, 0],
    ];
    let rows: Vec<[i8; 3]> = kinds.iter().copied().cycle().take(60).collect();
    let data = Dataset::from_rows(&rows).expect("rows");
    let request = Request {
        restarts: Some(restarts),
        ridge: Ridge::Value(0.1),
        ..Request::with_hidden(1)
    };
    let fit = fit(&data, &request).expect("a fit");
    (data, fit)
}

fn summary<'a>(data: &'a Dataset, fit: &'a Fit, codings: &'a [Coding]) -> Summary<'a> {
    Summary {
        path: Path::new("rows.csv"),
        data,
        codings,
        shape: "full",
        fit,
    }
}

#[test]
fn the_only_feasible_candidate_is_said_to_be_so() {
    let (data, mut fit) = found(3);
    fit.distinct_solutions = 1;
    for candidate in &mut fit.candidates {
        (candidate.feasible, candidate.trivial, candidate.solution) = (true, false, 0);
    }
    let only = "the only feasible candidate";
    let all = "all 3 feasible candidates are one solution";
    let told = chosen(&summary(&data, &fit, &[]));
    assert!(told.contains(all) && !told.contains(only), "{told}");
    let selected = fit.selected;
    for candidate in &mut fit.candidates {
        candidate.feasible = candidate.index == selected;
    }
    let told = chosen(&summary(&data, &fit, &[]));
    assert!(told.contains(only) && !told.contains("all "), "{told}");
}

#[test]
fn what_was_set_aside_is_counted_where_something_better_was_chosen() {
    let (data, mut fit) = found(4);
    fit.selected = 0;
    for candidate in &mut fit.candidates {
        (candidate.feasible, candidate.trivial) = (true, false);
        candidate.certificate.kind = CertificateKind::InteriorLocalMaximum;
    }
    let told = |fit: &Fit| chosen(&summary(&data, fit, &[]));
    assert!(!told(&fit).contains("set aside"));
    fit.candidates[1].trivial = true;
    fit.candidates[2].certificate.kind = CertificateKind::Saddle;
    fit.candidates[3].certificate.kind = CertificateKind::Saddle;
    assert!(told(&fit).contains("set aside: 1 trivial candidate, 2 saddles\n"));
    // Those that are not feasible were never in the running.
    fit.candidates[3].feasible = false;
    assert!(told(&fit).contains("set aside: 1 trivial candidate, 1 saddle\n"));
    fit.candidates[0].certificate.kind = CertificateKind::Saddle;
    assert!(told(&fit).contains("set aside: 1 trivial candidate\n"));
    fit.candidates[0].trivial = true;
    assert!(!told(&fit).contains("set aside"));
}

/// What is told of the hidden unit with these weights to the three columns.
fn told_of(weights: [f64; 3], codings: &[Coding]) -> String {
    let (_, mut fit) = found(1);
    let selected = fit.selected;
    let candidate = &mut fit.candidates[selected];
    let network = &candidate.network;
    let all = network.terms().iter().map(|term| match term.units() {
        [column, 3] => weights[*column],
        _ => 0.0,
    });
    candidate.network = network.with_weights(all.collect()).expect("a network");
    candidate.hidden_units = None;
    candidate.standard_errors.undetermined = Vec::new();
    candidate.standard_errors.weights.fill(Some(0.1));
    let told = meaning::Told {
        candidate: &fit.candidates[selected],
        codings,
    };
    meaning::paragraphs(&told, Style::plain()).unwrap_or_default()
}

#[test]
fn a_unit_is_hardly_connected_where_every_weight_of_it_is_small() {
    let hardly = "is hardly connected to any other unit";
    assert!(told_of([0.049, -0.049, 0.0], &[]).contains(hardly));
    let small = told_of([0.05, 0.0, 0.0], &[]);
    assert!(!small.contains(hardly) && small.contains("1 weight within two standard errors"));
}

#[test]
fn what_goes_with_a_unit_is_told_in_the_words_of_the_column() {
    let plain = told_of([1.0, -1.0, 0.0], &[]);
    assert!(
        plain.contains("goes with     y1 (+1.00 ± 0.10)\n"),
        "{plain}"
    );
    assert!(
        plain.contains("goes against  y2 (-1.00 ± 0.10)\n"),
        "{plain}"
    );
    let coding = |column: &str, one: &str, zero: &str| Coding {
        column: column.to_string(),
        one: vec![one.to_string()],
        zero: vec![zero.to_string()],
        missing: Vec::new(),
    };
    let party = [coding("y1", "rep", "dem"), coding("y2", "yes", "no")];
    let told = told_of([1.0, -1.0, 0.0], &party);
    let both = "goes with     y1 = rep (+1.00 ± 0.10), y2 = no (+1.00 ± 0.10)\n";
    assert!(told.contains(both) && !told.contains("against"), "{told}");
    // Numbers are no words.
    let grades = [coding("y2", "2", "1")];
    assert!(told_of([1.0, -1.0, 0.0], &grades).contains("goes against  y2"));
}

#[test]
fn the_misfit_is_in_the_head() {
    let (data, mut fit) = found(1);
    let told = |fit: &Fit| text(&summary(&data, fit, &[]), Style::plain()).unwrap_or_default();
    assert!(told(&fit).contains("\nmisfit    no more than chance explains\n"));
    if let Some(misfit) = &mut fit.misfit {
        (misfit.pairs.count, misfit.pairs.beyond) = (20, 3);
        misfit.causes = vec![latentropy::fit::MisfitCause::LargestIsBest];
    }
    let bad = told(&fit);
    assert!(bad.contains("\nmisfit    3 of 20 pairs of columns are more than two standard errors"));
    assert!(bad.contains("          likely cause: too few hidden units, since the best"));
    if let Some(misfit) = &mut fit.misfit {
        misfit.pairs.beyond = 2;
    }
    assert!(told(&fit).contains("no more than chance explains"));
    fit.misfit = None;
    assert!(told(&fit).contains("\nmisfit    not checked: the machine is beyond exact sums\n"));
}
