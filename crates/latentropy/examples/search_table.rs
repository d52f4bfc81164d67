//! Ways to search for the highest entropy at equal cost, against the best of a thousand random starts, as Markdown tables.
//!
//! `cargo run --release -p latentropy --example search_table [PROBLEMS] [FIRST] [paper|default]`; docs/search.md keeps a result. Cost is
//! counted in passes over the states, so that it does not depend on the machine: each way gets as many as 100 random starts take.

use latentropy::data::{Cell, Dataset};
use latentropy::fit::{Ridge, Search};
use latentropy::internals::ExactSampler;
use latentropy::network::{Clamp, Network, Shape, TermOptions};
use latentropy::{Control, Fit, Observer, Principle, Request, fit, fit_with};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;
use std::collections::HashSet;
use std::error::Error;
use std::sync::Mutex;

/// Entropies that differ by less count as equal.
const EQUAL: f64 = 1e-5;
/// Random starts whose best is the mark, and those whose cost every way gets.
const MARK: usize = 1000;
const PAID: usize = 100;

/// A setting of the fit, the same for all ways to search.
#[derive(Clone, Copy, PartialEq)]
enum Setting {
    /// Pairs only, no biases, no ridge.
    Paper,
    /// What `fit` does by itself.
    Default,
}

/// What one way found on one problem.
struct Found {
    /// Its entropy less the mark's.
    over: f64,
    /// Restarts that the cost allowed.
    restarts: usize,
}

/// One problem.
struct Line {
    problem: u64,
    ways: Vec<Found>,
    /// The share of unseen solutions that 100 random starts foretell, and the share of the 900 others that end in such.
    unseen: (f64, f64),
    /// What 100 random starts foretell that twice as many gain, and what 200 of them gain.
    gain: Option<(f64, f64)>,
}

const WAYS: [Search; 4] = [
    Search::Restarts,
    Search::Iterated,
    Search::Path,
    Search::Anneal,
];
/// Restarts of a way whose cost foretells how many the whole cost allows.
const FIRST: usize = 60;
/// No way makes more restarts than this: where random starts take very long, proposals do not use up all that they cost.
const MOST: usize = 2 * MARK;
/// So many problems with the largest gaps are named.
const TOLD: usize = 5;

/// Passes of every restart.
#[derive(Default)]
struct Passes(Mutex<Vec<(usize, u64)>>);

impl Observer for Passes {
    fn restart_done(&self, index: usize, outcome: &latentropy::learning::Outcome) {
        if let Ok(mut known) = self.0.lock() {
            known.push((index, outcome.passes));
        }
    }
}

fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let mut arguments = std::env::args().skip(1);
    let problems: u64 = arguments.next().map_or(Ok(50), |text| text.parse())?;
    let first: u64 = arguments.next().map_or(Ok(0), |text| text.parse())?;
    let only = arguments.next();
    for (setting, name, title) in [
        (
            Setting::Paper,
            "paper",
            "The paper's setting: pairs only, no biases, no ridge",
        ),
        (
            Setting::Default,
            "default",
            "The default: biases, ridge by evidence",
        ),
    ] {
        if only.as_deref().is_some_and(|only| only != name) {
            continue;
        }
        let lines = (first..first + problems)
            .into_par_iter()
            .map(|problem| measure(setting, problem))
            .collect::<Result<Vec<Line>, Box<dyn Error + Send + Sync>>>()?;
        print(title, &lines);
    }
    Ok(())
}

/// 5 + 3 units fitted to rows of 5 + 3, 5 + 5 or 5 + 2.
fn rows_of(problem: u64) -> Result<Dataset, Box<dyn Error + Send + Sync>> {
    let hidden = [3, 3, 5, 2][(problem / 3 % 4) as usize];
    let rows = [50, 100, 200][(problem % 3) as usize];
    let names: Vec<String> = (1..=5).map(|unit| format!("y{unit}")).collect();
    let options = TermOptions {
        shape: Shape::Full,
        bias: false,
        order: 2,
    };
    let truth = Network::on_columns(&names, hidden, &options)?;
    let mut random = ChaCha8Rng::seed_from_u64(7919 * problem + 13);
    let weights = truth
        .terms()
        .iter()
        .map(|_| StandardNormal.sample(&mut random));
    let weights: Vec<f64> = weights.collect();
    let truth = truth.with_weights(weights)?;
    let sampler = ExactSampler::new(&truth, &Clamp::none(truth.units().len()))?;
    let cells = sampler.sample(rows, &mut random).into_iter().map(|state| {
        let cell = |&on: &bool| if on { Cell::One } else { Cell::Zero };
        state[..5].iter().map(cell).collect::<Vec<Cell>>()
    });
    Ok(Dataset::from_cells(names, true, cells)?)
}

/// The fit, and what each of its restarts cost.
fn searched(
    data: &Dataset,
    request: &Request,
    search: Search,
    restarts: usize,
) -> Result<(Fit, Vec<u64>), Box<dyn Error + Send + Sync>> {
    let request = Request {
        search,
        restarts: Some(restarts),
        ..request.clone()
    };
    let passes = Passes::default();
    let control = Control {
        observer: &passes,
        ..Control::default()
    };
    let found = fit_with(data, &request, &control)?;
    let mut costs = passes.0.into_inner().map_err(|_| "a thread failed")?;
    costs.sort_unstable();
    costs.dedup();
    Ok((found, costs.into_iter().map(|(_, cost)| cost).collect()))
}

/// A search of at least as many restarts as so many passes allow, and how many they allow.
fn within(
    data: &Dataset,
    request: &Request,
    search: Search,
    paid: u64,
) -> Result<(Fit, usize), Box<dyn Error + Send + Sync>> {
    let mut restarts = FIRST;
    loop {
        let (found, costs) = searched(data, request, search, restarts)?;
        let all: u64 = costs.iter().sum();
        if all > paid || restarts == MOST {
            let mut spent = 0;
            let allowed = costs.iter().take_while(|&&cost| {
                spent += cost;
                spent <= paid
            });
            return Ok((found, allowed.count().max(1)));
        }
        // Later restarts may be cheaper than those so far.
        let foretold = 1.3 * restarts as f64 * paid as f64 / all.max(1) as f64;
        restarts = (foretold as usize).max(restarts + 10).min(MOST);
    }
}

/// The entropy that the principle chooses among the first candidates.
fn best(found: &Fit, count: usize) -> f64 {
    let candidates = &found.candidates[..count.min(found.candidates.len())];
    let selected = Principle::LatentMaximumEntropy.select(candidates);
    selected.map_or(f64::NAN, |selected| candidates[selected.at].entropy.value)
}

fn measure(setting: Setting, problem: u64) -> Result<Line, Box<dyn Error + Send + Sync>> {
    let data = rows_of(problem)?;
    let mut request = Request {
        seed: problem,
        ..Request::with_hidden(3)
    };
    match setting {
        Setting::Paper => {
            request.ridge = Ridge::Value(0.0);
            request.structure = Request::of_the_paper().structure;
        }
        Setting::Default => {
            let once = Request {
                restarts: Some(1),
                ..request.clone()
            };
            request.ridge = Ridge::Value(fit(&data, &once)?.objective.ridge);
        }
    }
    let (marked, costs) = searched(&data, &request, Search::Restarts, MARK)?;
    let mark = best(&marked, MARK);
    let paid: u64 = costs.iter().sum::<u64>() / (MARK / PAID) as u64;
    let mut ways = vec![Found {
        over: best(&marked, PAID) - mark,
        restarts: PAID,
    }];
    for search in WAYS.into_iter().skip(1) {
        let (found, restarts) = within(&data, &request, search, paid)?;
        ways.push(Found {
            over: best(&found, restarts) - mark,
            restarts,
        });
    }
    let (first, others) = marked.candidates.split_at(PAID);
    let seen: HashSet<usize> = first.iter().map(|c| c.solution).collect();
    let new = others.iter().filter(|c| !seen.contains(&c.solution));
    let hundred = searched(&data, &request, Search::Restarts, PAID)?.0;
    let gained = best(&marked, 2 * PAID) - best(&marked, PAID);
    Ok(Line {
        problem,
        ways,
        unseen: (
            hundred.completeness.unseen,
            new.count() as f64 / others.len() as f64,
        ),
        gain: hundred.completeness.gain.map(|told| (told, gained)),
    })
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    sum / count
}

fn print(title: &str, lines: &[Line]) {
    let count = lines.len();
    println!("## {title}\n");
    println!(
        "| search | restarts for the cost of {PAID} | at least the best of {MARK} | above it | mean gap below it | mean difference |"
    );
    println!("|---|---|---|---|---|---|");
    for (at, search) in WAYS.iter().enumerate() {
        let over = || lines.iter().map(move |line| line.ways[at].over);
        println!(
            "| {search} | {:.0} | {} of {count} | {} | {:.4} | {:+.4} |",
            mean(lines.iter().map(|line| line.ways[at].restarts as f64)),
            over().filter(|&over| over > -EQUAL).count(),
            over().filter(|&over| over > EQUAL).count(),
            mean(over().map(|over| (-over).max(0.0))),
            mean(over()),
        );
    }
    for (at, search) in WAYS.iter().enumerate() {
        let gaps = lines.iter().map(|line| (-line.ways[at].over, line.problem));
        let mut gaps: Vec<(f64, u64)> = gaps.filter(|(gap, _)| *gap > EQUAL).collect();
        gaps.sort_by(|a, b| b.0.total_cmp(&a.0));
        let told = gaps.iter().take(TOLD);
        let told: Vec<String> = told
            .map(|(gap, problem)| format!("{problem} ({gap:.4})"))
            .collect();
        if !told.is_empty() {
            println!("\nFurthest below it, {search}: {}.", told.join(", "));
        }
    }
    let gains: Vec<(f64, f64)> = lines.iter().filter_map(|line| line.gain).collect();
    println!(
        "\nUnseen share foretold by {PAID} random starts: {:.3}; of the others: {:.3}. Gain of twice the search foretold: \
         {:.4} nats; found: {:.4} nats.\n",
        mean(lines.iter().map(|line| line.unseen.0)),
        mean(lines.iter().map(|line| line.unseen.1)),
        mean(gains.iter().map(|gain| gain.0)),
        mean(gains.iter().map(|gain| gain.1)),
    );
}
