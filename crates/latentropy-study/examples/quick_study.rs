//! A study through the library alone: the quick spec run with a seed, its journal left in a file.
//!
//! `cargo run --release -p latentropy-study --example quick_study -- 1 journal.jsonl`

use latentropy_study::{Cell, Observer, QUICK, Results, Spec, Study, Summary, run, verdicts};
use std::path::Path;

struct Silent;

impl Observer for Silent {}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args().skip(1);
    let mut spec = Spec::parse(QUICK, Path::new("quick.toml"))?;
    if let Some(seed) = words.next() {
        spec.seed = seed.parse()?;
    }
    let path = words.next().unwrap_or_else(|| "journal.jsonl".to_string());
    let study = Study::new(spec)?;
    let journal = study.create_journal(Path::new(&path))?;
    let mut results = Results::default();
    let cells = Cell::all(study.spec(), None);
    run(&study, &cells, &mut results, &journal, &Silent)?;
    study.close_journal(journal, &results)?;
    let summary = Summary::new(study.spec(), &results);
    for verdict in verdicts(study.spec(), &results, &summary) {
        println!("{}: {} ({})", verdict.ruling, verdict.claim, verdict.about);
    }
    Ok(())
}
