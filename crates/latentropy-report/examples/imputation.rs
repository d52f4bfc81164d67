//! How well are missing cells filled in? A tenth of the known cells is masked, a machine learned, the cells foretold.
//!
//! `cargo run --release -p latentropy-report --example imputation -- OUT FILE[:COLUMNS] …` writes `OUT/imputation.csv`,
//! `.svg` and `.png`, and prints a Markdown table: accuracy and log-loss on the masked cells of the column's mode, of
//! independent columns, of a machine without hidden units and of machines with some (ridge by evidence, LME).

use latentropy::data::{Cell, Dataset, ReadOptions, read_dataset};
use latentropy::inference::impute;
use latentropy::learning::LearningSettings;
use latentropy::network::{Network, TermOptions, Unit, named_terms};
use latentropy::selection::{FitSettings, Silent, USUAL_RIDGE, fit, ridge_by_evidence};
use latentropy_report::charts::{Axis, Figure, Plot, Point, Series};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use std::path::Path;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

const TRIALS: u64 = 5;
const MASKED: f64 = 0.1;
const HIDDEN: [usize; 4] = [0, 1, 2, 3];
const RESTARTS: usize = 8;

/// A method's score on one trial.
#[derive(Clone, Copy, Default)]
struct Score {
    accuracy: f64,
    log_loss: f64,
}

/// Where a cell was masked, and what it held.
struct Masked {
    row: usize,
    column: usize,
    is_one: bool,
}

fn main() -> Outcome<()> {
    let mut arguments = std::env::args().skip(1);
    let out = arguments.next().ok_or("give a directory to write to")?;
    let mut csv = String::from("data,method,trial,accuracy,log_loss\n");
    let mut figure = Figure::new("A tenth of the known cells, masked and foretold")
        .caption(format!(
            "Means of {TRIALS} masks, bars of one standard error over masks. Machines: every pair, biases, ridge by \
             evidence, the highest entropy of {RESTARTS} restarts."
        ))
        .columns(2);
    println!("| data | method | accuracy | log-loss |\n|---|---|---|---|");
    for argument in arguments {
        let (path, columns) = argument.split_once(':').unwrap_or((&argument, ""));
        let options = ReadOptions {
            columns: (!columns.is_empty())
                .then(|| columns.split(',').map(str::to_string).collect()),
        };
        let data = read_dataset(Path::new(path), &options)?.dataset;
        let name = Path::new(path)
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let mut names = vec!["column mode".to_string(), "independent".to_string()];
        names.extend(HIDDEN.map(|hidden| format!("{hidden} hidden")));
        let mut scores = vec![Vec::new(); names.len()];
        for trial in 0..TRIALS {
            for (method, score) in trial_scores(&data, trial)?.into_iter().enumerate() {
                csv += &format!(
                    "{name},{},{trial},{},{}\n",
                    names[method], score.accuracy, score.log_loss
                );
                scores[method].push(score);
            }
        }
        let summary = |pick: fn(&Score) -> f64, method: usize| {
            let values: Vec<f64> = scores[method].iter().map(pick).collect();
            let count = values.len() as f64;
            let mean = values.iter().sum::<f64>() / count;
            let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
            (mean, (squares / (count - 1.0) / count).sqrt())
        };
        for (method, label) in names.iter().enumerate() {
            let (accuracy, accuracy_error) = summary(|s| s.accuracy, method);
            let (loss, loss_error) = summary(|s| s.log_loss, method);
            println!(
                "| {name} | {label} | {accuracy:.4} ± {accuracy_error:.4} | {loss:.4} ± {loss_error:.4} |"
            );
        }
        let ticks = || {
            names
                .iter()
                .enumerate()
                .map(|(at, label)| (at as f64, short(label)))
        };
        let panel = |title: String, label: &str, pick: fn(&Score) -> f64, from: usize| {
            let points: Vec<Point> = (from..names.len())
                .map(|method| {
                    let (mean, error) = summary(pick, method);
                    Point::new(method as f64, mean).error(error)
                })
                .collect();
            Plot::new(title)
                .x(Axis::linear("method, or hidden units of a machine")
                    .range(-0.5, names.len() as f64 - 0.5)
                    .ticks(ticks()))
                .y(Axis::linear(label))
                .series(Series::markers(name.clone(), points))
        };
        figure = figure
            .panel(panel(
                format!("{name}: accuracy"),
                "share foretold rightly",
                |s| s.accuracy,
                0,
            ))
            .panel(panel(
                format!("{name}: log-loss"),
                "nats per cell",
                |s| s.log_loss,
                1,
            ));
    }
    std::fs::create_dir_all(&out)?;
    std::fs::write(Path::new(&out).join("imputation.csv"), csv)?;
    figure.write(Path::new(&out), "imputation")?;
    Ok(())
}

/// A name that fits under a tick.
fn short(label: &str) -> String {
    match label {
        "column mode" => "mode".to_string(),
        "independent" => "indep.".to_string(),
        _ => label.replace(" hidden", ""),
    }
}

fn trial_scores(data: &Dataset, trial: u64) -> Outcome<Vec<Score>> {
    let mut rng = ChaCha8Rng::seed_from_u64(trial);
    let width = data.columns().len();
    let mut masked = Vec::new();
    let mut cells: Vec<Vec<Cell>> = Vec::with_capacity(data.len());
    for row in 0..data.len() {
        let mut line: Vec<Cell> = (0..width).map(|column| data.cell(row, column)).collect();
        for (column, cell) in line.iter_mut().enumerate() {
            if *cell != Cell::Missing && rng.random_bool(MASKED) {
                masked.push(Masked {
                    row,
                    column,
                    is_one: *cell == Cell::One,
                });
                *cell = Cell::Missing;
            }
        }
        cells.push(line);
    }
    let frequency: Vec<f64> = (0..width)
        .map(|column| {
            let known = cells
                .iter()
                .filter(|line| line[column] != Cell::Missing)
                .count() as f64;
            let ones = cells
                .iter()
                .filter(|line| line[column] == Cell::One)
                .count() as f64;
            (ones + 0.5) / (known + 1.0)
        })
        .collect();
    let left = Dataset::from_cells(data.columns().to_vec(), data.has_header(), cells)?;
    // The mode is a verdict, not a probability: it is charged as one that is right as often as the mode itself.
    let independent = judge(&masked, |cell| frequency[cell.column]);
    let mut scores = vec![independent, independent];
    for hidden in HIDDEN {
        let network = learned(&left, hidden, trial)?;
        let (filled, rows) = (impute(&network, &left)?.by_distinct_row, left.distinct_of());
        scores.push(judge(&masked, |cell| {
            filled[rows[cell.row] as usize][cell.column]
        }));
    }
    Ok(scores)
}

fn learned(data: &Dataset, hidden: usize, seed: u64) -> Outcome<Network> {
    let units: Vec<Unit> = data
        .columns()
        .iter()
        .map(|name| Unit::visible(name.clone()))
        .chain((0..hidden).map(|h| Unit::hidden(format!("hidden {}", h + 1))))
        .collect();
    let terms = named_terms(&units, &TermOptions::default())?;
    let structure = Network::new(units, terms.into_iter().map(|term| (term, 0.0)))?;
    let mut settings = FitSettings {
        restarts: RESTARTS,
        seed,
        ..FitSettings::default()
    };
    let choice = ridge_by_evidence(&structure, data, &settings)?;
    settings.learning = LearningSettings {
        ridge: choice.map_or(USUAL_RIDGE, |choice| choice.chosen),
        ..settings.learning
    };
    Ok(fit(&structure, data, &settings, &Silent)?
        .chosen()
        .network
        .clone())
}

fn judge(masked: &[Masked], probability: impl Fn(&Masked) -> f64) -> Score {
    let mut score = Score::default();
    for cell in masked {
        let p = probability(cell);
        score.accuracy += f64::from(u8::from((p >= 0.5) == cell.is_one));
        score.log_loss -= if cell.is_one { p } else { 1.0 - p }.ln();
    }
    score.accuracy /= masked.len() as f64;
    score.log_loss /= masked.len() as f64;
    score
}
