//! What is said about a fit: every remark is in the list of sentences, and is made exactly where its condition holds.

use latentropy::data::{Cell, Dataset};
use latentropy::fit::{BootstrapKind, Hidden, MisfitCause, Resamples, Ridge, Structure};
use latentropy::network::{Shape, Term, TermOptions};
use latentropy::{EngineId, Fit, Principle, Remark, Request, fit};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use std::fs;
use std::path::Path;

fn read(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    fs::read_to_string(root.join(path)).unwrap()
}

#[test]
fn every_remark_is_in_the_list_of_sentences() {
    let source = read("src/remark/kinds.rs");
    let variants = source.split("pub enum Remark {").nth(1).unwrap();
    // Variants stand four spaces in, their fields eight.
    let names: Vec<&str> = variants
        .lines()
        .filter_map(|line| line.strip_prefix("    "))
        .filter(|line| line.starts_with(|letter: char| letter.is_ascii_uppercase()))
        .map(|line| line.split(|c: char| !c.is_alphanumeric()).next().unwrap())
        .collect();
    assert!(names.len() > 25 && names.contains(&"Copies"), "{names:?}");
    let list = read("../../docs/sentences.md");
    for name in names {
        assert!(
            list.contains(&format!("`{name}`")),
            "{name} is not in docs/sentences.md"
        );
    }
}

/// Rows of columns that depend on causes by chance.
fn drawn(seed: u64, rows: usize, chances: impl Fn(&mut ChaCha8Rng) -> Vec<f64>) -> Dataset {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let rows: Vec<Vec<Cell>> = (0..rows)
        .map(|_| {
            let chances = chances(&mut random);
            let cell = |chance: &f64| match random.random_bool(*chance) {
                true => Cell::One,
                false => Cell::Zero,
            };
            chances.iter().map(cell).collect()
        })
        .collect();
    let names = (1..=rows[0].len()).map(|column| format!("y{column}"));
    Dataset::from_cells(names.collect(), true, rows).unwrap()
}

/// Two causes, each with columns of its own.
fn two_causes(seed: u64) -> Dataset {
    drawn(seed, 300, |random| {
        let causes = [random.random_bool(0.5), random.random_bool(0.3)];
        (0..8)
            .map(|column| if causes[column % 2] { 0.85 } else { 0.15 })
            .collect()
    })
}

fn restricted(hidden: Hidden, ridge: f64) -> Request {
    Request {
        hidden: Some(hidden),
        structure: Structure::Named(TermOptions {
            shape: Shape::Rbm,
            ..TermOptions::default()
        }),
        ridge: Ridge::Value(ridge),
        restarts: Some(8),
        ..Request::default()
    }
}

#[test]
fn a_ridge_far_below_the_one_by_evidence_is_remarked() {
    let data = two_causes(5);
    let told = |ridge: f64| {
        let found = fit(&data, &restricted(Hidden::One(2), ridge)).unwrap();
        let mut remarks = found.remarks.iter();
        remarks.find_map(|remark| match remark {
            Remark::RidgeFarBelowEvidence { ridge, evidence } => Some((*ridge, *evidence)),
            _ => None,
        })
    };
    let request = Request {
        ridge: Ridge::Evidence,
        ..restricted(Hidden::One(2), 1.0)
    };
    let by_evidence = fit(&data, &request).unwrap();
    let choice = by_evidence.choices.evidence.as_ref().expect("small");
    assert_eq!(told(choice.chosen), None);
    assert_eq!(told(20.0 * choice.chosen), None);
    let (ridge, evidence) = told(choice.chosen / 30.0).unwrap();
    assert_eq!(ridge, choice.chosen / 30.0);
    // One round goes part of the way.
    assert!(evidence >= 4.0 * ridge && evidence <= 1.1 * choice.chosen);
    // Without a ridge none was meant.
    assert_eq!(told(0.0), None);
    let remarks = by_evidence.remarks.iter();
    assert!(
        !remarks
            .map(ToString::to_string)
            .any(|text| text.contains("far below"))
    );
}

/// The four remarks on the choice, each against its condition; which of them were made.
fn check(found: &Fit) -> [bool; 4] {
    let has = |is: fn(&Remark) -> bool| found.remarks.iter().any(is);
    let units = &found.chosen().hidden_units.as_ref().unwrap().units;
    let silent = has(|remark| matches!(remark, Remark::SilentUnits { .. }));
    let says_nothing = units.iter().any(|unit| unit.says_nothing);
    assert_eq!(silent, says_nothing && !found.chosen().trivial);
    let copies = has(|remark| matches!(remark, Remark::Copies { .. }));
    assert_eq!(copies, units.iter().any(|unit| unit.copy_of.is_some()));
    let against = has(|remark| matches!(remark, Remark::EntropyAgainstRows { .. }));
    let clear = found
        .cost
        .is_some_and(|cost| cost.per_row > 3.0 * cost.std_err);
    assert_eq!(
        against,
        clear && found.principle == Principle::LatentMaximumEntropy
    );
    let last = has(|remark| matches!(remark, Remark::BestIsLast { .. }));
    let comparison = found.choices.comparison.as_ref();
    assert_eq!(
        last,
        comparison.is_some_and(|comparison| comparison.best_is_last)
    );
    // Both principles choose one solution, or there is a cost.
    let solution = |principle: Principle| {
        let at = principle.select(&found.candidates).unwrap().at;
        found.candidates[at].solution
    };
    let agree = solution(Principle::LatentMaximumEntropy) == solution(Principle::MaximumLikelihood);
    assert_eq!(found.cost.is_none(), agree);
    [silent, copies, against, last]
}

#[test]
fn a_unit_that_an_overwhelming_ridge_holds_down_says_nothing() {
    // Where all of them say nothing, the solution is the trivial one, and told as that.
    let trivial = fit(&two_causes(1), &restricted(1.into(), 1e5)).unwrap();
    assert!(!check(&trivial)[0] && trivial.remarks.contains(&Remark::OnlyTrivial));
    // A second unit that nothing is connected to: the first one still has something to say.
    let biases = (0..10).map(|unit| Term::new(vec![unit]));
    let pairs = (0..8).map(|column| Term::new(vec![column, 8]));
    let listed = Request {
        structure: Structure::Listed([(2, biases.chain(pairs).collect())].into()),
        ..restricted(2.into(), 1.0)
    };
    let [silent, ..] = check(&fit(&two_causes(1), &listed).unwrap());
    assert!(silent);
    let [silent, ..] = check(&fit(&two_causes(1), &restricted(1.into(), 0.1)).unwrap());
    assert!(!silent);
}

#[test]
fn two_units_for_one_graded_cause_are_told_as_copies() {
    let graded = |seed| {
        drawn(seed, 600, |random| {
            let grade = u8::from(random.random_bool(0.5)) + u8::from(random.random_bool(0.5));
            vec![[0.05, 0.5, 0.95][usize::from(grade)]; 8]
        })
    };
    // A ridge makes two units that share a cause share it evenly.
    for seed in 0..3 {
        let [_, copies, ..] = check(&fit(&graded(seed), &restricted(2.into(), 30.0)).unwrap());
        assert!(copies, "{seed}");
    }
    // Two causes of their own are no copies.
    let [_, copies, ..] = check(&fit(&two_causes(2), &restricted(2.into(), 0.3)).unwrap());
    assert!(!copies);
}

#[test]
fn the_rows_speak_against_highest_entropy_only_where_its_cost_is_clear() {
    let three = |seed| {
        drawn(seed, 300, |random| {
            let causes = [0.5, 0.3, 0.6].map(|chance| random.random_bool(chance));
            (0..9)
                .map(|column| if causes[column % 3] { 0.95 } else { 0.05 })
                .collect()
        })
    };
    let made = (0..8).map(|seed| {
        let mut request = restricted(3.into(), 0.1);
        request.restarts = Some(20);
        check(&fit(&three(seed), &request).unwrap())[2]
    });
    let made: Vec<bool> = made.collect();
    assert!(made.iter().any(|made| *made), "{made:?}");
    assert!(made.iter().any(|made| !made), "{made:?}");
}

#[test]
fn the_largest_machine_tried_is_remarked_on_where_it_is_the_best() {
    let [.., last] = check(
        &fit(
            &two_causes(4),
            &restricted(Hidden::Several(vec![0, 1]), 0.3),
        )
        .unwrap(),
    );
    assert!(last);
    let [.., last] = check(
        &fit(
            &two_causes(4),
            &restricted(Hidden::Several(vec![0, 1, 2, 3, 4]), 0.3),
        )
        .unwrap(),
    );
    assert!(!last);
}

fn shaped(shape: Shape, request: Request) -> Request {
    Request {
        structure: Structure::Named(TermOptions {
            shape,
            ..TermOptions::default()
        }),
        ..request
    }
}

#[test]
fn a_machine_misfits_where_it_leaves_out_what_is_in_the_rows() {
    // Columns of two causes: as independent columns they misfit, with two hidden units they do not.
    let data = two_causes(3);
    let plain = shaped(Shape::Independent, restricted(0.into(), 0.1));
    let misfit = fit(&data, &plain).unwrap().misfit.unwrap();
    assert!(misfit.misfits() && misfit.pairs.count == 28);
    assert!(misfit.pairs.beyond > 6, "{:?}", misfit.pairs);
    assert_eq!(misfit.causes, [MisfitCause::NotCompared]);
    let told = misfit.sentences();
    let pairs = format!(
        "{} of 28 pairs of columns are more than two standard errors",
        misfit.pairs.beyond
    );
    assert!(told[0].starts_with(&pairs), "{told:?}");
    let right = fit(&data, &restricted(2.into(), 0.1)).unwrap();
    let right = right.misfit.unwrap();
    assert!(right.can_tell() && !right.misfits() && right.causes.is_empty());
    assert_eq!(right.sentences(), ["no more than chance explains"]);
    // Held down by a ridge, the right machine misfits, and the ridge is blamed.
    let held = [5.0, 10.0, 20.0, 40.0].map(|ridge| {
        let found = fit(&data, &restricted(2.into(), ridge)).unwrap();
        found.misfit.unwrap().causes
    });
    let is_ridge = |cause: &MisfitCause| matches!(cause, MisfitCause::Ridge { .. });
    assert!(held.iter().flatten().any(is_ridge), "{held:?}");
    // The same in a narrow box.
    let boxed = Request {
        bound: 0.2,
        ..restricted(2.into(), 0.0)
    };
    let causes = fit(&data, &boxed).unwrap().misfit.unwrap().causes;
    let is_box = |cause: &MisfitCause| matches!(cause, MisfitCause::Box { .. });
    assert!(causes.iter().any(is_box), "{causes:?}");
}

#[test]
fn what_cannot_be_judged_is_not_said_to_fit() {
    let few = Dataset::from_rows(&[[0, 1], [1, 1], [1, 0]]).unwrap();
    let found = fit(&few, &restricted(1.into(), 1.0)).unwrap();
    let misfit = found.misfit.unwrap();
    assert!(!misfit.can_tell());
    assert_eq!(misfit.sentences(), ["too few columns and rows to tell"]);
}

#[test]
fn causes_at_the_edge_that_cannot_be_looked_for_are_said_to_be_unknown() {
    // What the box holds back is told by exact sums, which a machine of 40 columns does not have.
    let wide = |columns: usize| {
        drawn(5, 60, |random| {
            let cause = random.random_bool(0.5);
            vec![if cause { 0.7 } else { 0.3 }; columns]
        })
    };
    let unknown = |columns: usize| {
        let request = Request {
            hidden: Some(0.into()),
            engine: Some(EngineId::GIBBS),
            bound: 0.01,
            ridge: Ridge::Value(0.0),
            restarts: Some(1),
            max_iterations: Some(5),
            ..Request::default()
        };
        let found = fit(&wide(columns), &shaped(Shape::Visible, request)).unwrap();
        assert!(!found.chosen().certificate.boundary_terms.is_empty());
        let is_unknown = |remark: &Remark| matches!(remark, Remark::CausesUnknown(_));
        assert_eq!(found.misfit.is_none(), columns > 20);
        found.remarks.iter().any(is_unknown)
    };
    assert!(unknown(40));
    assert!(!unknown(6));
}

#[test]
fn refits_at_the_edge_are_remarked_where_the_chosen_machine_is_not_there() {
    // One row alone shows that the second column can be 0 where the first is 1: many resamples do not have it.
    let kinds = [([1, 1], 6), ([0, 0], 6), ([1, 0], 1), ([0, 1], 5)];
    let rows = kinds.iter();
    let rows = rows.flat_map(|(row, times)| std::iter::repeat_n(*row, *times));
    let data = Dataset::from_rows(&rows.collect::<Vec<[i8; 2]>>()).unwrap();
    let told = |ridge: f64| {
        let request = Request {
            hidden: Some(0.into()),
            ridge: Ridge::Value(ridge),
            restarts: Some(1),
            bootstrap: Some(Resamples {
                count: 40,
                kind: BootstrapKind::Rows,
            }),
            ..Request::default()
        };
        let found = fit(&data, &shaped(Shape::Visible, request)).unwrap();
        assert!(found.chosen().certificate.boundary_terms.is_empty());
        let made = found.bootstrap.as_ref().unwrap();
        let is_edge = |remark: &Remark| matches!(remark, Remark::RefitsAtTheEdge { .. });
        let told = found.remarks.iter().any(is_edge);
        assert_eq!(told, made.at_the_edge > 0);
        told
    };
    assert!(told(0.0));
    assert!(!told(1.0));
}
