//! Which ridge should be the default? Held-out log-likelihood over synthetic truths and over data files.
//!
//! `cargo run --release -p latentropy --example default_ridge -- [--auto] [FILE[:COLUMNS[:HIDDEN[:ROWS]]] …]`
//! prints one Markdown row per setting: the mean held-out log-likelihood of a row for each ridge (LME among the
//! restarts), for the ridge by evidence, and with `--auto` for the one that cross-validation within the training
//! rows chooses. Without a file it is the synthetic part: 5 visible and 3 hidden units, held out is the truth itself.

use latentropy::data::{Cell, Dataset};
use latentropy::fit::{CrossValidation, Ridge, Structure};
use latentropy::internals::{ExactSampler, Setup, folds, held_out};
use latentropy::learning::{Course, Objective};
use latentropy::network::{Clamp, Network, TermOptions};
use latentropy::{Control, EngineId, Principle, Request, Sampling, fit, score};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use std::path::Path;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

const RIDGES: [f64; 8] = [0.0, 0.1, 0.2, 0.3, 0.5, 1.0, 2.0, 4.0];
const FOLDS: usize = 5;
const TRIALS: u64 = 12;
const RESTARTS: usize = 8;
const ROWS_OF_THE_TRUTH: usize = 20_000;

fn main() -> Outcome<()> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let auto = arguments.iter().any(|a| a == "--auto");
    arguments.retain(|a| a != "--auto");
    let header: Vec<String> = RIDGES.iter().map(|r| format!("{r}")).collect();
    println!("| data | rows | {} | evidence | auto |", header.join(" | "));
    println!("|---|---|{}---|---|", "---|".repeat(RIDGES.len()));
    if arguments.is_empty() {
        for scale in [0.5, 1.0, 2.0] {
            for rows in [20, 50, 200, 1000] {
                synthetic(scale, rows, auto)?;
            }
        }
    }
    for argument in &arguments {
        from_file(argument, auto)?;
    }
    Ok(())
}

fn terms(bias: bool) -> TermOptions {
    TermOptions {
        bias,
        ..TermOptions::default()
    }
}

/// How well the machine that is learned from `data` at a ridge foretells the rows `new`.
fn foretells(
    data: &Dataset,
    new: &Dataset,
    (hidden, bias): (usize, bool),
    ridge: Ridge,
    seed: u64,
) -> Outcome<f64> {
    let request = Request {
        structure: Structure::Named(terms(bias)),
        engine: Some(EngineId::EXACT),
        ridge,
        restarts: Some(RESTARTS),
        seed,
        ..Request::with_hidden(hidden)
    };
    let found = fit(data, &request)?;
    let exactly = Some(EngineId::EXACT);
    let scores = score(&found.chosen().network, new, exactly, &Sampling::default())?;
    Ok(scores.mean.value)
}

fn print(name: &str, rows: usize, scores: &[f64], evidence: f64, auto: Option<f64>) {
    let cells: Vec<String> = scores.iter().map(|s| format!("{s:.4}")).collect();
    let auto = auto.map_or("–".to_string(), |s| format!("{s:.4}"));
    let cells = cells.join(" | ");
    println!("| {name} | {rows} | {cells} | {evidence:.4} | {auto} |");
}

/// Truths with normal weights of this scale; the score is the expected log-likelihood of a new row.
fn synthetic(scale: f64, rows: usize, auto: bool) -> Outcome<()> {
    let names: Vec<String> = (1..=5).map(|y| format!("y{y}")).collect();
    let structure = Network::on_columns(&names, 3, &terms(false))?;
    let machine = (3, false);
    let mut sums = [0.0; RIDGES.len()];
    let (mut evidence_sum, mut auto_sum) = (0.0, 0.0);
    for trial in 0..TRIALS {
        let mut rng = ChaCha8Rng::seed_from_u64(1000 + trial);
        let weights = (0..structure.terms().len())
            .map(|_| scale * Distribution::<f64>::sample(&StandardNormal, &mut rng))
            .collect();
        let truth = structure.with_weights(weights)?;
        let sampler = ExactSampler::new(&truth, &Clamp::none(truth.units().len()))?;
        let mut draw = |count: usize| -> Outcome<Dataset> {
            let rows = sampler.sample(count, &mut rng).into_iter().map(|row| {
                row[..5]
                    .iter()
                    .map(|&x| if x { Cell::One } else { Cell::Zero })
                    .collect::<Vec<Cell>>()
            });
            Ok(Dataset::from_cells(names.clone(), true, rows)?)
        };
        let (data, new) = (draw(rows)?, draw(ROWS_OF_THE_TRUTH)?);
        for (sum, &ridge) in sums.iter_mut().zip(&RIDGES) {
            *sum += foretells(&data, &new, machine, Ridge::Value(ridge), trial)?;
        }
        evidence_sum += foretells(&data, &new, machine, Ridge::Evidence, trial)?;
        if auto {
            auto_sum += foretells(&data, &new, machine, Ridge::CrossValidated, trial)?;
        }
    }
    let scores: Vec<f64> = sums.iter().map(|s| s / TRIALS as f64).collect();
    print(
        &format!("5 + 3, weights of scale {scale}"),
        rows,
        &scores,
        evidence_sum / TRIALS as f64,
        auto.then_some(auto_sum / TRIALS as f64),
    );
    Ok(())
}

/// Five folds of a file, each held out in turn.
fn from_file(argument: &str, auto: bool) -> Outcome<()> {
    let mut parts = argument.split(':');
    let path = parts.next().unwrap_or_default();
    let columns = parts.next().filter(|c| !c.is_empty());
    let hidden: usize = parts.next().map_or(Ok(2), str::parse)?;
    let rows: Option<usize> = parts.next().map(str::parse).transpose()?;
    let columns: Vec<&str> = columns.map_or(Vec::new(), |c| c.split(',').collect());
    let mut data = Dataset::read(path, &columns)?;
    if let Some(rows) = rows {
        let step = (data.len() / rows).max(1);
        let kept: Vec<usize> = (0..data.len()).step_by(step).take(rows).collect();
        data = data.rows_subset(&kept);
    }
    let structure = Network::on_columns(data.columns(), hidden, &terms(true))?;
    let validation = CrossValidation {
        folds: FOLDS,
        ridges: RIDGES.to_vec(),
        ..CrossValidation::default()
    };
    let setup = Setup {
        structure: &structure,
        data: &data,
        engine: EngineId::EXACT,
        scored_by: EngineId::EXACT,
        course: &Course::default(),
        objective: Objective::default(),
        restarts: RESTARTS,
        seed: 1,
        principle: Principle::default(),
    };
    // From the largest ridge to the smallest.
    let scores = held_out(&setup, &validation, &Control::default())?;
    let scores: Vec<f64> = scores.iter().rev().map(|score| score.mean).collect();
    let held_out_by = |ridge: Ridge| -> Outcome<f64> {
        let mut sum = 0.0;
        for held in folds(&data, FOLDS, 1)? {
            let others: Vec<usize> = (0..data.len()).filter(|r| !held.contains(r)).collect();
            let (training, new) = (data.rows_subset(&others), data.rows_subset(&held));
            let mean = foretells(&training, &new, (hidden, true), ridge, 3)?;
            sum += mean * held.len() as f64;
        }
        Ok(sum / data.len() as f64)
    };
    let evidence = held_out_by(Ridge::Evidence)?;
    let auto = auto
        .then(|| held_out_by(Ridge::CrossValidated))
        .transpose()?;
    let name = Path::new(path).file_stem().unwrap_or_default();
    print(
        &format!("{}, {hidden} hidden", name.to_string_lossy()),
        data.len(),
        &scores,
        evidence,
        auto,
    );
    Ok(())
}
