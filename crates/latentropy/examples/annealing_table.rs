//! One annealed run against a hundred restarts on fifty synthetic problems, as a Markdown table.
//!
//! `cargo run --release -p latentropy --example annealing_table` (about a minute); docs/annealing.md keeps a result.

use latentropy::data::{Cell, Dataset};
use latentropy::fit::{Ridge, Structure};
use latentropy::internals::{ExactSampler, mutual_information};
use latentropy::learning::{Course, Objective, Problem, StopReason, annealed_run};
use latentropy::network::{Clamp, Network, TermOptions};
use latentropy::{EngineId, Principle, Request, fit};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use std::error::Error;
use std::time::Instant;

const VISIBLE: usize = 5;
const HIDDEN: usize = 3;
const ROWS: [usize; 5] = [20, 50, 100, 200, 500];
const PROBLEMS_EACH: u64 = 10;
const RESTARTS: usize = 100;
/// Values that differ by less count as equal.
const EQUAL: f64 = 1e-6;
/// I(Y;Z) below this is the trivial solution.
const TRIVIAL: f64 = 1e-6;

/// One side's cost.
#[derive(Clone, Copy, Default)]
struct Cost {
    iterations: f64,
    seconds: f64,
}

/// One problem's result.
struct Line {
    rows: usize,
    seed: u64,
    entropy: f64,
    log_likelihood: f64,
    feasible: bool,
    trivial: bool,
    best_entropy: f64,
    best_log_likelihood: f64,
    /// Restarts of higher entropy and of higher likelihood than the annealed run.
    above: [usize; 2],
    /// The highest entropy of the first restarts that together cost as many iterations as the annealed run.
    entropy_at_equal_cost: f64,
    annealed: Cost,
    restarts: Cost,
}

fn main() -> Result<(), Box<dyn Error>> {
    // One thread for both sides: a restart or a run is the unit of work.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let mut lines = Vec::new();
    for rows in ROWS {
        for seed in 0..PROBLEMS_EACH {
            lines.push(pool.install(|| measure(rows, seed))?);
        }
    }
    println!(
        "| rows | H ≥ best of {RESTARTS} | mean gap in H | restarts of higher H | H against restarts of equal cost: higher, equal, lower | L ≥ best of {RESTARTS} | mean gap in L | restarts of higher L | iterations, annealed / restarts | time, restarts / annealed |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for rows in ROWS {
        let part: Vec<&Line> = lines.iter().filter(|line| line.rows == rows).collect();
        summary(&rows.to_string(), &part);
    }
    summary("all", &lines.iter().collect::<Vec<_>>());
    println!(
        "\n| rows | problem | H annealed | H best (lme) | L annealed | L best (mle) | iterations | of the restarts | note |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for line in &lines {
        let note = match (line.feasible, line.trivial) {
            (false, _) => "not converged",
            (true, true) => "trivial",
            _ => "",
        };
        println!(
            "| {} | {} | {:.6} | {:.6} | {:.6} | {:.6} | {} | {} | {note} |",
            line.rows,
            line.seed,
            line.entropy,
            line.best_entropy,
            line.log_likelihood,
            line.best_log_likelihood,
            line.annealed.iterations,
            line.restarts.iterations,
        );
    }
    Ok(())
}

/// Rows of the visible units from the structure with normal weights.
fn sampled(structure: &Network, rows: usize, seed: u64) -> latentropy::Result<Dataset> {
    let mut rng = ChaCha8Rng::seed_from_u64(1000 * rows as u64 + seed);
    let weights = (0..structure.terms().len())
        .map(|_| StandardNormal.sample(&mut rng))
        .collect();
    let truth = structure.with_weights(weights)?;
    let sampler = ExactSampler::new(&truth, &Clamp::none(VISIBLE + HIDDEN))?;
    let cells = sampler.sample(rows, &mut rng).into_iter().map(|state| {
        let cell = |&on: &bool| if on { Cell::One } else { Cell::Zero };
        state[..VISIBLE].iter().map(cell).collect()
    });
    Dataset::from_cells(
        (1..=VISIBLE).map(|u| format!("y{u}")).collect(),
        true,
        cells,
    )
}

fn measure(rows: usize, seed: u64) -> latentropy::Result<Line> {
    let terms = TermOptions {
        bias: false,
        ..TermOptions::default()
    };
    let names: Vec<String> = (1..=VISIBLE).map(|u| format!("y{u}")).collect();
    let structure = Network::on_columns(&names, HIDDEN, &terms)?;
    let data = sampled(&structure, rows, seed)?;

    let clock = Instant::now();
    let engine = EngineId::EXACT;
    let problem = Problem::new(&structure, &data, Objective::default(), engine, true)?;
    let outcome = annealed_run(&problem, &Course::default(), 1, 0)?.outcome;
    let annealed = Cost {
        iterations: outcome.iterations as f64,
        seconds: clock.elapsed().as_secs_f64(),
    };
    let network = structure.with_weights(outcome.point.weights.clone())?;
    let information = mutual_information(&network)?;

    let request = Request {
        structure: Structure::Named(terms),
        engine: Some(engine),
        ridge: Ridge::Value(0.0),
        restarts: Some(RESTARTS),
        ..Request::with_hidden(HIDDEN)
    };
    let clock = Instant::now();
    let found = fit(&data, &request)?;
    let seconds = clock.elapsed().as_secs_f64();
    let mle = Principle::MaximumLikelihood.select(&found.candidates);
    let mle = mle.map_or(found.selected, |selected| selected.at);
    let point = &outcome.point;
    let mut spent = 0;
    let as_dear = found.candidates.iter().take_while(|c| {
        let is_within = spent < outcome.iterations;
        spent += c.iterations;
        is_within
    });
    let entropy_at_equal_cost = as_dear
        .filter(|c| c.feasible && !c.trivial)
        .map(|c| c.entropy.value)
        .fold(f64::NEG_INFINITY, f64::max);
    let proper = || found.candidates.iter().filter(|c| c.feasible && !c.trivial);
    Ok(Line {
        rows,
        seed,
        entropy: point.entropy,
        log_likelihood: point.log_likelihood,
        feasible: outcome.stop == StopReason::Converged,
        trivial: information.is_some_and(|i| i < TRIVIAL),
        best_entropy: found.chosen().entropy.value,
        best_log_likelihood: found.candidates[mle].log_likelihood,
        above: [
            proper()
                .filter(|c| c.entropy.value > point.entropy + EQUAL)
                .count(),
            proper()
                .filter(|c| c.log_likelihood > point.log_likelihood + EQUAL)
                .count(),
        ],
        entropy_at_equal_cost,
        annealed,
        restarts: Cost {
            iterations: found.candidates.iter().map(|c| c.iterations as f64).sum(),
            seconds,
        },
    })
}

/// One line of the first table; trivial and unconverged runs count as misses and stay out of the gaps.
fn summary(name: &str, lines: &[&Line]) {
    let proper: Vec<&&Line> = lines.iter().filter(|l| l.feasible && !l.trivial).collect();
    let mean = |value: &dyn Fn(&Line) -> f64| {
        proper.iter().map(|line| value(line)).sum::<f64>() / proper.len() as f64
    };
    let reached = |gap: &dyn Fn(&Line) -> f64| proper.iter().filter(|l| gap(l) <= EQUAL).count();
    let total = |cost: &dyn Fn(&Line) -> f64| lines.iter().map(|line| cost(line)).sum::<f64>();
    let entropy_gap = |l: &Line| l.best_entropy - l.entropy;
    let likelihood_gap = |l: &Line| l.best_log_likelihood - l.log_likelihood;
    let against = |is: &dyn Fn(f64) -> bool| {
        let gaps = proper.iter().map(|l| l.entropy - l.entropy_at_equal_cost);
        gaps.filter(|&gap| is(gap)).count()
    };
    let all = lines.len();
    println!(
        "| {name} | {} of {all} | {:.4} | {:.0} % | {}, {}, {} | {} of {all} | {:.4} | {:.0} % | {:.0} / {:.0} (1 : {:.0}) | {:.0} |",
        reached(&entropy_gap),
        mean(&entropy_gap),
        mean(&|l| l.above[0] as f64 * 100.0 / RESTARTS as f64),
        against(&|gap| gap > EQUAL),
        against(&|gap| gap.abs() <= EQUAL),
        against(&|gap| gap < -EQUAL),
        reached(&likelihood_gap),
        mean(&likelihood_gap),
        mean(&|l| l.above[1] as f64 * 100.0 / RESTARTS as f64),
        total(&|l| l.annealed.iterations) / all as f64,
        total(&|l| l.restarts.iterations) / all as f64,
        total(&|l| l.restarts.iterations) / total(&|l| l.annealed.iterations),
        total(&|l| l.restarts.seconds) / total(&|l| l.annealed.seconds),
    );
}
