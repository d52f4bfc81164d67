//! What learning through each engine loses against the exact fit, on machines of 20 visible units.
//!
//! `cargo run --release -p latentropy --example learning_by_engine [ROWS]` prints one Markdown row an engine: how far the
//! learned machine's true expectations are from those of the data, and how much likelihood it has lost, both exact.

use latentropy::data::{Cell, Dataset};
use latentropy::internals::{ExactSampler, learn_restart};
use latentropy::learning::{self, Course, Learner, Objective, Pcd, Problem, QuasiNewton};
use latentropy::network::{Clamp, Network, Term, Unit};
use latentropy::{EngineId, Sampling, infer, score};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use std::time::Instant;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

const UNITS: usize = 20;
const RIDGE: f64 = 1.0;
const MOST_STEPS: usize = 500;

fn main() -> Outcome<()> {
    let rows = std::env::args()
        .nth(1)
        .map_or(Ok(2000), |text| text.parse())?;
    let grid = |a: usize, b: usize| b == a + 5 || (b == a + 1 && !b.is_multiple_of(5));
    println!(
        "| machine | engine | learner | log-likelihood, by the engine | kind | exact | lost | expectations off by (mean, most) | residual | stop | seconds |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    compare("4×5 grid, pairs N(0, 1)", grid, 1.0, rows, |_| true)?;
    // Elimination and short loops are of no use there.
    let dense = |engine: EngineId| !["junction-tree", "gbp"].contains(&engine.name());
    compare("every pair, N(0, 0.3²)", |_, _| true, 0.3, rows, dense)
}

fn compare(
    name: &str,
    is_pair: impl Fn(usize, usize) -> bool,
    scale: f64,
    rows: usize,
    takes: impl Fn(EngineId) -> bool,
) -> Outcome<()> {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let units = (1..=UNITS)
        .map(|u| Unit::visible(format!("y{u}")))
        .collect();
    let mut terms: Vec<Term> = (0..UNITS).map(|u| Term::new(vec![u])).collect();
    for a in 0..UNITS {
        terms.extend(
            (a + 1..UNITS)
                .filter(|&b| is_pair(a, b))
                .map(|b| Term::new(vec![a, b])),
        );
    }
    let weights = terms.into_iter().map(|term| {
        let normal: f64 = StandardNormal.sample(&mut rng);
        let size = if term.order() == 1 { 0.5 } else { scale };
        (term, size * normal)
    });
    let truth = Network::new(units, weights.collect::<Vec<_>>())?;
    let none = Clamp::none(UNITS);
    let states = ExactSampler::new(&truth, &none)?.sample(rows, &mut rng);
    let cells = states.iter().map(|state| {
        let cell = |&on: &bool| if on { Cell::One } else { Cell::Zero };
        state.iter().map(cell).collect::<Vec<_>>()
    });
    let names = (1..=UNITS).map(|u| format!("y{u}")).collect();
    let data = Dataset::from_cells(names, true, cells)?;
    let seen: Vec<f64> = truth
        .terms()
        .iter()
        .map(|term| frequency(&data, term))
        .collect();
    let best = learned(&truth, &data, EngineId::EXACT)?.point;
    for engine in EngineId::all().filter(|&engine| takes(engine)) {
        let clock = Instant::now();
        let found = learned(&truth, &data, engine)?;
        let seconds = clock.elapsed().as_secs_f64();
        let network = truth.with_weights(found.point.weights.clone())?;
        let (exactly, sampling) = (Some(EngineId::EXACT), Sampling::default());
        let exact = score(&network, &data, exactly, &sampling)?.mean.value;
        let model = infer(&network, &[], exactly, &sampling)?.answer;
        let model = model.expectations.terms;
        let errors: Vec<f64> = model
            .iter()
            .zip(&seen)
            .map(|(m, s)| (m - s).abs())
            .collect();
        let mean = errors.iter().sum::<f64>() / errors.len() as f64;
        let most = errors.iter().fold(0.0f64, |a, &b| a.max(b));
        println!(
            "| {name} | {} | {} | {:.4} | {} | {exact:.4} | {:.4} | {mean:.4}, {most:.4} | {:.1e} | {} | {seconds:.2} |",
            engine.name(),
            learner(engine).name(),
            found.point.log_likelihood,
            found.point.worth.log_likelihood.words(),
            best.log_likelihood - exact,
            found.point.residual,
            found.stop,
        );
    }
    Ok(())
}

fn frequency(data: &Dataset, term: &Term) -> f64 {
    let is_on = |row: &&(usize, &u64)| term.units().iter().all(|&u| data.rows()[row.0].ones.get(u));
    let rows: Vec<(usize, &u64)> = data.counts().iter().enumerate().collect();
    let count: u64 = rows.iter().filter(is_on).map(|row| row.1).sum();
    count as f64 / data.len() as f64
}

fn learner(engine: EngineId) -> Learner {
    match engine.gives().objective {
        true => Learner::QuasiNewton(QuasiNewton::default()),
        false => Learner::Pcd(Pcd::default()),
    }
}

fn learned(structure: &Network, data: &Dataset, engine: EngineId) -> Outcome<learning::Outcome> {
    let objective = Objective {
        ridge: RIDGE,
        ..Objective::default()
    };
    let problem = Problem::new(structure, data, objective, engine, false)?;
    let usual = Course::new(learner(engine));
    let course = Course {
        tolerance: 1e-6,
        max_iterations: match engine.gives().objective {
            true => MOST_STEPS,
            false => usual.max_iterations,
        },
        ..usual
    };
    let course = course.checked(engine)?;
    Ok(learn_restart(&problem, &course, 1, 0, false)?)
}
