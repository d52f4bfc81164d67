//! How well are missing cells filled in? A tenth of the known cells is masked, a machine learned, the cells foretold.
//!
//! `cargo run --release -p latentropy-report --example imputation -- OUT FILE[:COLUMNS] …` writes `OUT/imputation.csv`,
//! `.svg` and `.png`, and prints a Markdown table: accuracy and log-loss on the masked cells of the column's mode, of
//! independent columns, of a machine without hidden units and of machines with some (ridge by evidence, LME).

use latentropy::data::Cell;
use latentropy::{Dataset, Network, Request, fit, impute};
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

/// The scores of every method on every trial of one data set.
struct Scores {
    data: String,
    methods: Vec<String>,
    /// For each method, one score per trial.
    by_method: Vec<Vec<Score>>,
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
        let scores = Scores::new(Path::new(path), columns)?;
        csv += &scores.csv();
        print!("{}", scores.markdown());
        let accuracy = scores.panel("accuracy", "share foretold rightly", |s| s.accuracy, 0);
        let log_loss = scores.panel("log-loss", "nats per cell", |s| s.log_loss, 1);
        figure = figure.panel(accuracy).panel(log_loss);
    }
    std::fs::create_dir_all(&out)?;
    std::fs::write(Path::new(&out).join("imputation.csv"), csv)?;
    figure.write(Path::new(&out), "imputation")?;
    Ok(())
}

impl Scores {
    /// Makes all trials; `columns` are separated by commas, all if empty.
    fn new(path: &Path, columns: &str) -> Outcome<Self> {
        let columns: Vec<&str> = columns.split(',').filter(|name| !name.is_empty()).collect();
        let data = Dataset::read(path, &columns)?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let mut methods = vec!["column mode".to_string(), "independent".to_string()];
        methods.extend(HIDDEN.map(|hidden| format!("{hidden} hidden")));
        let mut by_method = vec![Vec::new(); methods.len()];
        for trial in 0..TRIALS {
            for (method, score) in trial_scores(&data, trial)?.into_iter().enumerate() {
                by_method[method].push(score);
            }
        }
        Ok(Scores {
            data: name.into_owned(),
            methods,
            by_method,
        })
    }

    /// The mean over the trials and its standard error.
    fn summary(&self, pick: fn(&Score) -> f64, method: usize) -> (f64, f64) {
        let values: Vec<f64> = self.by_method[method].iter().map(pick).collect();
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
        (mean, (squares / (count - 1.0) / count).sqrt())
    }

    fn csv(&self) -> String {
        let mut lines = String::new();
        for trial in 0..TRIALS as usize {
            for (method, scores) in self.methods.iter().zip(&self.by_method) {
                let Score { accuracy, log_loss } = scores[trial];
                lines += &format!("{},{method},{trial},{accuracy},{log_loss}\n", self.data);
            }
        }
        lines
    }

    fn markdown(&self) -> String {
        let mut lines = String::new();
        for (method, label) in self.methods.iter().enumerate() {
            let (accuracy, accuracy_error) = self.summary(|s| s.accuracy, method);
            let (loss, loss_error) = self.summary(|s| s.log_loss, method);
            lines += &format!(
                "| {} | {label} | {accuracy:.4} ± {accuracy_error:.4} | {loss:.4} ± {loss_error:.4} |\n",
                self.data
            );
        }
        lines
    }

    /// One of the two scores by method, from the method `from` on.
    fn panel(&self, what: &str, label: &str, pick: fn(&Score) -> f64, from: usize) -> Plot {
        let points = (from..self.methods.len()).map(|method| {
            let (mean, error) = self.summary(pick, method);
            Point::new(method as f64, mean).error(error)
        });
        let points: Vec<Point> = points.collect();
        let names = self.methods.iter().enumerate();
        let ticks = names.map(|(at, name)| (at as f64, short(name)));
        Plot::new(format!("{}: {what}", self.data))
            .x(Axis::linear("method, or hidden units of a machine")
                .range(-0.5, self.methods.len() as f64 - 0.5)
                .ticks(ticks))
            .y(Axis::linear(label))
            .series(Series::markers(self.data.clone(), points))
    }
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

/// The machine that `fit` chooses: every pair, biases, the ridge by evidence, the highest entropy.
fn learned(data: &Dataset, hidden: usize, seed: u64) -> Outcome<Network> {
    let request = Request {
        restarts: Some(RESTARTS),
        seed,
        ..Request::with_hidden(hidden)
    };
    Ok(fit(data, &request)?.chosen().network.clone())
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
