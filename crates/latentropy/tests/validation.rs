//! Rows kept for validation: which they are, how they stop a learner by samples, and what is told of them.

mod common;

use common::fits::noisy_rows;
use latentropy::data::Dataset;
use latentropy::fit::{Hidden, Job, Ridge, Select, Structure, ValidationRows};
use latentropy::learning::{Learner, StopReason};
use latentropy::network::{Shape, TermOptions};
use latentropy::{EngineId, Fit, Principle, Remark, Request, Sampling, Setting, fit, score};

#[track_caller]
fn near(a: f64, b: f64, tolerance: f64, what: &str) {
    assert!((a - b).abs() <= tolerance, "{what}: {a} and {b}");
}

fn restricted(hidden: usize) -> Request {
    Request {
        structure: Structure::Named(TermOptions {
            shape: Shape::Rbm,
            ..TermOptions::default()
        }),
        ridge: Ridge::Value(0.0),
        restarts: Some(1),
        ..Request::with_hidden(hidden)
    }
}

/// Far more weights than the rows determine, learned in batches.
fn overfitted(engine: EngineId) -> Request {
    let learner = Learner::named("pcd").unwrap();
    Request {
        engine: Some(engine),
        learner: Some(learner.with(Setting::Batch, 5).unwrap()),
        validation_rows: Some(ValidationRows::Fraction(0.4)),
        max_iterations: Some(400),
        ..restricted(6)
    }
}

/// The rows that are not learned from, as the job deals them.
fn kept(data: &Dataset, request: &Request) -> Dataset {
    let job = Job::new(data, request).unwrap();
    let learned: Vec<Vec<_>> = rows_of(job.data());
    let mut left = learned.clone();
    let all = rows_of(data);
    // Rows keep their order: what is missing of it is what was kept.
    let kept = all
        .into_iter()
        .filter(|row| match left.first() == Some(row) {
            true => {
                left.remove(0);
                false
            }
            false => true,
        });
    Dataset::from_cells(
        data.columns().to_vec(),
        data.has_header(),
        kept.collect::<Vec<_>>(),
    )
    .unwrap()
}

fn rows_of(data: &Dataset) -> Vec<Vec<latentropy::data::Cell>> {
    let columns = data.columns().len();
    (0..data.len())
        .map(|row| (0..columns).map(|column| data.cell(row, column)).collect())
        .collect()
}

fn told(found: &Fit, rows: &Dataset, tolerance: f64) {
    let validated = found.validation.expect("rows were kept");
    let engine = Some(EngineId::EXACT);
    let network = &found.chosen().network;
    let literal = score(network, rows, engine, &Sampling::default()).unwrap();
    near(validated.mean, literal.mean.value, tolerance, "validation");
}

#[test]
fn early_stopping_keeps_the_best_weights() {
    let data = noisy_rows(8, 60, false);
    for engine in [EngineId::EXACT, EngineId::GIBBS] {
        let request = overfitted(engine);
        let found = fit(&data, &request).unwrap();
        let chosen = found.chosen();
        // By samples the weights that are kept may meet all constraints within the data's own errors.
        match engine == EngineId::EXACT {
            true => assert_eq!(chosen.stop, StopReason::Validation),
            false => {
                assert!([StopReason::Validation, StopReason::Converged].contains(&chosen.stop))
            }
        }
        let monitored = chosen.monitored.as_ref().unwrap();
        let looks = &monitored.looks;
        assert_eq!(monitored.every, 8);
        assert_eq!(looks.len(), monitored.kept + 1 + monitored.patience);
        assert!(chosen.iterations < 400 && looks.last().unwrap().pass == chosen.iterations);
        let best = monitored.best().unwrap();
        let highest = best.validation + 0.5 * best.std_err;
        assert!(looks.iter().all(|look| look.validation <= highest));
        for look in looks {
            let gap = look.training - look.validation;
            near(look.gap, gap, 1e-9, "free energies");
        }
        // The last weights are worse, and the kept ones are the machine's.
        assert!(looks.last().unwrap().validation < best.validation);
        let (exact, sampled) = (1e-9, 0.15);
        let tolerance = if engine == EngineId::EXACT {
            exact
        } else {
            sampled
        };
        let validated = found.validation.unwrap();
        near(validated.mean, best.validation, tolerance, "the best look");
        near(chosen.log_likelihood, best.training, tolerance, "its rows");
        told(&found, &kept(&data, &request), tolerance);
    }
}

#[test]
fn a_fraction_is_dealt_by_the_seed() {
    let data = noisy_rows(4, 50, true);
    let with = |seed: u64| Request {
        seed,
        validation_rows: Some(ValidationRows::Fraction(0.3)),
        ..restricted(1)
    };
    let learned = |seed: u64| Job::new(&data, &with(seed)).unwrap().data().clone();
    assert_eq!(learned(3), learned(3));
    assert_ne!(learned(3), learned(4));
    assert_eq!(learned(3).informative_rows().len(), 35);
    assert_eq!(kept(&data, &with(3)).informative_rows().len(), 15);
}

#[test]
fn a_learner_with_an_end_of_its_own_is_scored() {
    let data = noisy_rows(4, 60, true);
    let table = noisy_rows(4, 23, true);
    let request = Request {
        validation_rows: Some(ValidationRows::Table(table.clone())),
        restarts: Some(3),
        ridge: Ridge::Value(1.0),
        ..restricted(1)
    };
    let found = fit(&data, &request).unwrap();
    let without = Request {
        validation_rows: None,
        ..request.clone()
    };
    assert_eq!(
        found.chosen().network,
        fit(&data, &without).unwrap().chosen().network
    );
    assert!(found.chosen().monitored.is_none());
    assert_eq!(
        found.validation.unwrap().rows,
        table.informative_rows().len()
    );
    told(&found, &table, 1e-10);
}

#[test]
fn columns_in_another_order_are_matched_and_others_refused() {
    let named = |names: [&str; 3], data: &Dataset| {
        let names = names.map(String::from).to_vec();
        Dataset::from_cells(names, true, rows_of(data)).unwrap()
    };
    let data = named(["a", "b", "c"], &noisy_rows(3, 40, false));
    let table = named(["a", "b", "c"], &noisy_rows(3, 9, false));
    let with = |table: Dataset| Request {
        validation_rows: Some(ValidationRows::Table(table)),
        ridge: Ridge::Value(1.0),
        ..restricted(1)
    };
    let told = |table: Dataset| fit(&data, &with(table)).unwrap().validation.unwrap();
    let turned = table.select(&[2, 0, 1]).unwrap();
    assert_eq!(told(table.clone()), told(turned));
    let refused = |table: Dataset, part: &str| {
        let message = fit(&data, &with(table)).unwrap_err().to_string();
        assert!(message.contains(part), "{message}");
    };
    refused(table.select(&[0, 1]).unwrap(), "it lacks");
    refused(named(["a", "b", "d"], &table), "it lacks");
    let wide = ["a", "b", "c", "d"].map(String::from).to_vec();
    let wide = Dataset::from_cells(wide, true, rows_of(&noisy_rows(4, 9, false))).unwrap();
    refused(wide, "beside them");
    refused(noisy_rows(4, 9, false), "4 of them, not 3");
}

/// These sizes, compared on a share of the rows.
fn several(sizes: &[usize], request: Request) -> Request {
    Request {
        hidden: Some(Hidden::Several(sizes.to_vec())),
        validation_rows: Some(ValidationRows::Fraction(0.4)),
        ..request
    }
}

#[test]
fn rows_kept_for_validation_compare_machines() {
    let data = noisy_rows(4, 60, false);
    let request = Request {
        ridge: Ridge::Value(1.0),
        restarts: Some(8),
        ..restricted(1)
    };
    let found = fit(&data, &several(&[0, 1, 2], request.clone())).unwrap();
    let compared = found.choices.comparison.as_ref().unwrap();
    assert_eq!(compared.table.len(), 3);
    assert_eq!(found.folds, None);
    for entry in &compared.table {
        let alone = Request {
            hidden: Some(Hidden::One(entry.hidden)),
            validation_rows: Some(ValidationRows::Fraction(0.4)),
            ..request.clone()
        };
        let alone = fit(&data, &alone).unwrap().validation.unwrap();
        near(entry.standing.mean, alone.mean, 1e-6, &entry.shape);
    }
    let told = found.validation.expect("rows were kept");
    near(compared.chosen().standing.mean, told.mean, 1e-6, "chosen");
}

#[test]
fn rows_kept_for_validation_choose_between_the_principles_where_they_are_asked_to() {
    let mut differ = 0;
    for seed in 0..6 {
        let request = Request {
            ridge: Ridge::Value(0.05),
            restarts: Some(10),
            seed,
            validation_rows: Some(ValidationRows::Fraction(0.3)),
            ..Request::with_hidden(2)
        };
        let data = noisy_rows(5, 80, false);
        let by = |select: Select| {
            let request = Request {
                select,
                ..request.clone()
            };
            fit(&data, &request).unwrap()
        };
        let lme = by(Principle::LatentMaximumEntropy.into());
        let mle = by(Principle::MaximumLikelihood.into());
        assert!(lme.choices.principle.is_none());
        let means = [&lme, &mle].map(|found| found.validation.unwrap().mean);
        let found = by(Select::HeldOut);
        differ += usize::from(lme.selected != mle.selected);
        let choice = found.choices.principle.unwrap();
        near(choice.by_entropy, means[0], 1e-9, "by entropy");
        near(choice.by_likelihood, means[1], 1e-9, "by likelihood");
        let wanted = match means[1] > means[0] + 1e-9 {
            true => &mle,
            false => &lme,
        };
        assert_eq!(found.principle, wanted.principle);
        assert_eq!(found.chosen().network, wanted.chosen().network);
    }
    assert!(differ > 0, "no seed has two solutions to choose from");
}

#[test]
fn the_rows_of_a_table_choose_among_all_solutions() {
    let mut chosen = 0;
    for seed in 0..6 {
        let request = Request {
            ridge: Ridge::Value(0.05),
            restarts: Some(10),
            seed,
            validation_rows: Some(ValidationRows::Table(noisy_rows(5, 40, false))),
            ..Request::with_hidden(2)
        };
        let data = noisy_rows(5, 80, false);
        let found = fit(&data, &request).unwrap();
        let mean = |at: usize| {
            let (network, rows) = (&found.candidates[at].network, noisy_rows(5, 40, false));
            let told = score(network, &rows, Some(EngineId::EXACT), &Sampling::default());
            told.unwrap().mean.value
        };
        let of_all = (0..found.candidates.len()).filter(|&at| found.candidates[at].feasible);
        let silent = |at: &usize| {
            let units = found.candidates[*at].hidden_units.as_ref();
            units.is_some_and(|units| !units.silent().is_empty())
        };
        let speaking: Vec<usize> = of_all
            .filter(|at| !found.candidates[*at].trivial && !silent(at))
            .collect();
        let best = speaking
            .iter()
            .map(|&at| mean(at))
            .fold(f64::NEG_INFINITY, f64::max);
        let by_entropy = Principle::LatentMaximumEntropy
            .select(&found.candidates)
            .unwrap();
        let ahead = best - mean(by_entropy.at);
        match found.choices.solution {
            Some(choice) => {
                chosen += 1;
                near(mean(found.selected), best, 1e-6, "the best of all");
                near(choice.ahead, ahead, 1e-6, "its lead");
                assert_eq!(found.chosen_by(), Select::HeldOut);
            }
            None => {
                assert!(ahead * 40.0 < 0.5, "seed {seed}: {ahead}");
                assert_eq!(found.selected, by_entropy.at);
            }
        }
        // A share of the rows takes the place of folds, and a named principle decides by itself.
        let named = Request {
            select: Principle::LatentMaximumEntropy.into(),
            ..request.clone()
        };
        let share = Request {
            validation_rows: Some(ValidationRows::Fraction(0.3)),
            ..request
        };
        for request in [named, share] {
            assert!(fit(&data, &request).unwrap().choices.solution.is_none());
        }
    }
    assert!(
        chosen > 0,
        "highest entropy was the best of all in every case"
    );
}

#[test]
fn a_machine_by_samples_is_learned_once_where_it_is_compared() {
    let data = noisy_rows(6, 60, false);
    let request = Request {
        max_iterations: Some(60),
        ..overfitted(EngineId::GIBBS)
    };
    let found = fit(&data, &several(&[2, 5], request.clone())).unwrap();
    let hidden = found.choices.comparison.as_ref().unwrap().chosen().hidden;
    let alone = Request {
        hidden: Some(Hidden::One(hidden)),
        ..request
    };
    let alone = fit(&data, &alone).unwrap();
    assert_eq!(found.chosen().network, alone.chosen().network);
    assert_eq!(found.validation, alone.validation);
}

#[test]
fn folds_beside_validation_rows_and_shares_without_sense_are_refused() {
    let folds = Request {
        folds: Some(3),
        ..several(&[1, 2], restricted(1))
    };
    let message = folds.check().unwrap_err().to_string();
    assert!(message.contains("leave one of the two out"), "{message}");
    for share in [0.0, 1.0, -0.5, f64::NAN] {
        let request = Request {
            validation_rows: Some(ValidationRows::Fraction(share)),
            ..restricted(1)
        };
        assert!(request.check().is_err(), "{share}");
    }
}

#[test]
fn learned_by_samples_is_judged_in_the_datas_own_errors() {
    let data = noisy_rows(6, 80, false);
    let by_samples = |passes: usize| Request {
        engine: Some(EngineId::GIBBS),
        learner: Some(Learner::named("pcd").unwrap()),
        max_iterations: Some(passes),
        ridge: Ridge::Value(1.0),
        ..restricted(1)
    };
    let found = fit(&data, &by_samples(2000)).unwrap();
    let met = found.chosen().worth.constraints.unwrap();
    assert!(
        met.largest < met.share && found.selected_is_feasible,
        "{met:?}"
    );
    // Not nearly learned: told by how much.
    let begun = fit(&data, &by_samples(1)).unwrap();
    let far = begun.chosen().worth.constraints.unwrap().largest;
    assert!(far > 1.0 && !begun.selected_is_feasible);
    let is_told = |remark: &Remark| matches!(remark, Remark::NotMetBySamples { .. });
    let remark = begun.remarks.iter().find(|remark| is_told(remark)).unwrap();
    let sentence = remark.to_string();
    assert!(
        sentence.contains(&format!("residual is {far:.1} of")),
        "{sentence}"
    );
    assert!(!begun.remarks.contains(&Remark::NoneFeasible));
}

#[test]
fn sixty_four_hidden_units_make_no_tables() {
    // Both sides beyond any enumeration.
    let data = noisy_rows(66, 30, false);
    let learner = Learner::named("pcd").unwrap();
    let request = Request {
        engine: Some(EngineId::GIBBS),
        learner: Some(learner.with(Setting::Batch, 10).unwrap()),
        max_iterations: Some(3),
        validation_rows: Some(ValidationRows::Fraction(0.2)),
        ..restricted(64)
    };
    let found = fit(&data, &request).unwrap();
    assert_eq!(found.chosen().monitored.as_ref().unwrap().looks.len(), 3);
    let validated = found.validation.unwrap();
    assert!(validated.mean < 0.0 && validated.log_partition_error.is_some());
}

/// Ten triples of columns of which one is on, which follow two groups.
fn triples(rows: usize) -> Dataset {
    let mut state = 1u64;
    let mut draw = |below: u64| {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 33) % below
    };
    let rows = (0..rows).map(|_| {
        let group = draw(2);
        let mut row = [0i8; 30];
        for triple in row.chunks_exact_mut(3) {
            let on = match draw(4) {
                0 => draw(3),
                _ => group,
            };
            triple[on as usize] = 1;
        }
        row
    });
    Dataset::from_rows(&rows.collect::<Vec<_>>()).unwrap()
}

#[test]
fn many_columns_are_compared_by_short_runs_and_the_chosen_machine_is_learned_at_length() {
    let request = Request {
        validation_rows: Some(ValidationRows::Fraction(0.2)),
        max_iterations: Some(16),
        ..Request::default()
    };
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let pool = pool.build().unwrap();
        pool.install(|| fit(&triples(2200), &request).unwrap())
    };
    let found = on(1);
    let comparison = found.choices.comparison.as_ref().unwrap();
    let tried = |shape: &str| comparison.table.iter().find(|entry| entry.shape == shape);
    // Associated are the three columns of a triple, and the first two of every triple: 210 pairs of 435.
    let (screened, visible) = (tried("screened").unwrap(), tried("visible").unwrap());
    assert!(screened.parameters < visible.parameters);
    assert!(tried("rbm").is_some() && tried("semi-restricted").is_some());
    // The chosen machine is tried at another ridge than the usual one.
    assert!(comparison.table.iter().any(|entry| entry.ridge != 1.0));
    let independent = tried("independent").unwrap().standing.mean;
    let validated = found.validation.unwrap();
    assert!(validated.mean > independent + 1.0, "{validated:?}");
    assert_eq!(found.course.max_iterations, 16);
    let again = on(2);
    assert_eq!(again.chosen().network, found.chosen().network);
    assert_eq!(again.choices.comparison, found.choices.comparison);
}

#[test]
fn a_screened_machine_has_the_pairs_of_the_rows_that_are_learned_from() {
    let data = triples(400);
    let request = Request {
        structure: Structure::Named(TermOptions {
            shape: Shape::Screened,
            ..TermOptions::default()
        }),
        validation_rows: Some(ValidationRows::Fraction(0.5)),
        ..Request::with_hidden(2)
    };
    let job = Job::new(&data, &request).unwrap();
    let machine = &job.plan().machines[0];
    assert_eq!(machine.shape, "screened");
    let pairs = machine.parameters() - 32 - 60;
    assert!((30..435).contains(&pairs), "{pairs}");
    let higher = Request {
        structure: Structure::Named(TermOptions {
            shape: Shape::Screened,
            order: 3,
            ..TermOptions::default()
        }),
        ..request
    };
    let refused = Job::new(&data, &higher).unwrap_err().to_string();
    assert!(refused.contains("order 2"), "{refused}");
}
