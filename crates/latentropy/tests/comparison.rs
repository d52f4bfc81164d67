//! The comparison of machines, the search that ends by itself, and the choice between the principles.

mod common;

use common::fits::noisy_rows;
use latentropy::fit::{Hidden, Job, Request, Ridge, Search, Select, Structure};
use latentropy::network::{Shape, TermOptions};
use latentropy::{Control, Dataset, Principle, Remark, fit};

/// Two groups with hardly an exception: one hidden unit says all there is.
fn two_groups(rows: usize) -> Dataset {
    let rows: Vec<[i8; 5]> = (0..rows)
        .map(|row| {
            let group = i8::from(row % 2 == 0);
            let odd = |column: usize| i8::from((row * 7 + column * 11).is_multiple_of(13));
            std::array::from_fn(|column| group ^ odd(column))
        })
        .collect();
    Dataset::from_rows(&rows).unwrap()
}

fn named(shape: Shape) -> TermOptions {
    TermOptions {
        shape,
        ..TermOptions::default()
    }
}

#[test]
fn without_a_setting_all_shapes_are_compared() {
    let found = fit(&two_groups(80), &Request::default()).unwrap();
    let comparison = found.choices.comparison.as_ref().unwrap();
    let names: Vec<(&str, usize)> = comparison
        .table
        .iter()
        .map(|entry| (entry.shape.as_str(), entry.hidden))
        .collect();
    for wanted in [("independent", 0), ("visible", 0), ("rbm", 1), ("full", 1)] {
        assert!(names.contains(&wanted), "{names:?}");
    }
    assert_eq!(
        (found.shape.as_str(), found.chosen().network.hidden().len()),
        ("rbm", 1)
    );
    // The gain over independent columns is the difference of the two entries.
    let gain = &comparison.gains[0];
    let plain = comparison.table.iter().find(|e| e.shape == "independent");
    let ahead = comparison.chosen().standing.mean - plain.unwrap().standing.mean;
    assert!((gain.mean - ahead).abs() < 1e-12 && gain.mean > 3.0 * gain.std_err);
    // BIC as it is defined.
    for entry in &comparison.table {
        let bic = -2.0 * 80.0 * entry.log_likelihood + entry.parameters as f64 * 80.0f64.ln();
        assert!((entry.bic - bic).abs() < 1e-9);
    }
}

#[test]
fn lists_of_shapes_and_sizes_are_compared_each_machine_once() {
    let request = Request {
        structure: Structure::Several(
            [Shape::Rbm, Shape::Full, Shape::Visible]
                .map(named)
                .to_vec(),
        ),
        hidden: Some(Hidden::Several(vec![0, 1])),
        ridge: Ridge::Value(1.0),
        ..Request::default()
    };
    let found = fit(&two_groups(60), &request).unwrap();
    let comparison = found.choices.comparison.unwrap();
    let names: Vec<String> = comparison
        .table
        .iter()
        .map(|entry| format!("{} {}", entry.shape, entry.hidden))
        .collect();
    assert_eq!(names, ["independent 0", "visible 0", "rbm 1", "full 1"]);
}

#[test]
fn the_best_at_the_end_of_the_range_is_told() {
    let request = Request {
        structure: Structure::Named(named(Shape::Rbm)),
        hidden: Some(Hidden::Several(vec![0, 1])),
        ..Request::default()
    };
    let found = fit(&two_groups(60), &request).unwrap();
    let is_told = |remark: &Remark| matches!(remark, Remark::BestIsLast { hidden: 1, .. });
    assert!(found.remarks.iter().any(is_told), "{:?}", found.remarks);
    let more = Request {
        hidden: Some(Hidden::Several(vec![0, 1, 2, 3])),
        ..request
    };
    let found = fit(&two_groups(60), &more).unwrap();
    assert!(!found.remarks.iter().any(is_told));
}

#[test]
fn the_search_ends_where_another_solution_is_unlikely() {
    let request = Request {
        structure: Structure::Named(named(Shape::Rbm)),
        ridge: Ridge::Value(1.0),
        ..Request::with_hidden(1)
    };
    let data = two_groups(60);
    let found = fit(&data, &request).unwrap();
    assert_eq!((found.candidates.len(), found.distinct_solutions), (10, 1));
    assert_eq!(found.completeness.unseen, 0.0);
    // One maximum, one start.
    let concave = Request {
        structure: Structure::Named(named(Shape::Visible)),
        ..Request::with_hidden(0)
    };
    assert_eq!(fit(&data, &concave).unwrap().candidates.len(), 1);
    // A number that is given is kept to.
    let exact = Request {
        restarts: Some(33),
        ..request.clone()
    };
    assert_eq!(fit(&data, &exact).unwrap().candidates.len(), 33);
    // Restarts beyond the end change nothing.
    let control = Control::default();
    let mut job = Job::new(&data, &request).unwrap();
    job.choose(&control).unwrap();
    let parts = vec![
        job.run(20..40, &control).unwrap(),
        job.run(0..20, &control).unwrap(),
    ];
    let assembled = job.assemble(parts, &control).unwrap();
    assert_eq!(assembled.candidates.len(), 10);
    assert_eq!(assembled.chosen().network, found.chosen().network);
}

#[test]
fn solutions_that_were_met_once_keep_the_search_going() {
    // Without a ridge and with more units than there is to say, starts end in many places.
    let request = Request {
        ridge: Ridge::Value(0.0),
        search: Search::Restarts,
        ..Request::with_hidden(3)
    };
    let found = fit(&noisy_rows(5, 40, false), &request).unwrap();
    let once = (0..found.distinct_solutions)
        .filter(|&s| found.candidates.iter().filter(|c| c.solution == s).count() == 1)
        .count();
    let chance = once as f64 / found.candidates.len() as f64;
    assert_eq!(found.completeness.unseen, chance);
    assert!(found.candidates.len() == 100 || chance <= 0.05);
    assert!(found.candidates.len() > 20);
}

#[test]
fn rows_held_out_choose_between_the_principles() {
    let data = noisy_rows(5, 60, false);
    let request = Request {
        select: Select::HeldOut,
        ridge: Ridge::Value(0.05),
        restarts: Some(10),
        ..Request::with_hidden(2)
    };
    let found = fit(&data, &request).unwrap();
    let choice = found.choices.principle.unwrap();
    let ahead = choice.by_likelihood > choice.by_entropy + 1e-9;
    let wanted = match ahead {
        true => Principle::MaximumLikelihood,
        false => Principle::LatentMaximumEntropy,
    };
    assert_eq!((choice.chosen, found.principle), (wanted, wanted));
    let alone = Request {
        select: wanted.into(),
        ..request
    };
    let alone = fit(&data, &alone).unwrap();
    assert_eq!(alone.selected, found.selected);
    assert_eq!(alone.chosen().network, found.chosen().network);
}

#[test]
fn what_entropy_costs_is_the_difference_of_the_two_choices() {
    let request = Request {
        ridge: Ridge::Value(0.0),
        ..Request::with_hidden(3)
    };
    let found = fit(&noisy_rows(5, 40, false), &request).unwrap();
    let choose = |principle: Principle| principle.select(&found.candidates).unwrap().at;
    let lme = &found.candidates[choose(Principle::LatentMaximumEntropy)];
    let mle = &found.candidates[choose(Principle::MaximumLikelihood)];
    match found.cost {
        Some(cost) => {
            assert_ne!(lme.solution, mle.solution);
            let per_row = mle.log_likelihood - lme.log_likelihood;
            assert!((cost.per_row - per_row).abs() < 1e-9);
            assert!((cost.all_rows - 40.0 * per_row).abs() < 1e-7);
            let is_told = |r: &Remark| matches!(r, Remark::EntropyAgainstRows { .. });
            assert_eq!(found.remarks.iter().any(is_told), cost.is_clear());
        }
        None => assert_eq!(lme.solution, mle.solution),
    }
}
