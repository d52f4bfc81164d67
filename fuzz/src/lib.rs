//! Damaged, cut and made-up files for every reader: none may panic, run on for seconds, or answer with a message of many lines.
//!
//! A reader is a [`Target`]: its corpus, words that its files are made of, and what must hold of what it makes of some bytes.
//! [`run`] makes cases of the corpus by seeded mutations, so that a number names a case for good.

#![forbid(unsafe_code)]

mod mutation;
mod targets;

pub use mutation::{Generator, Mutator};
pub use targets::{TARGETS, Target};

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// No case may take longer.
pub const LONGEST: Duration = Duration::from_secs(10);

/// How many cases there were, and what became of them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// Cases that were read.
    pub read: u64,
    /// Cases that were refused in words.
    pub refused: u64,
    /// The longest that one took.
    pub slowest: Duration,
}

/// A case that broke a reader.
#[derive(Clone, Debug)]
pub struct Broken {
    /// Which reader.
    pub target: &'static str,
    /// The number of the case, by which it is made again.
    pub case: u64,
    /// What happened.
    pub what: String,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// Gives cases `range` of a seed to a reader; the first that breaks it is the error.
pub fn run(target: &Target, seed: u64, range: std::ops::Range<u64>) -> Result<Tally, Broken> {
    let corpus = (target.corpus)();
    let mutator = Mutator::new(&corpus, target.words);
    let mut tally = Tally::default();
    for case in range {
        let mut generator = Generator::new(seed, target.name, case);
        let bytes = match usize::try_from(case) {
            // The corpus itself comes first.
            Ok(at) if at < corpus.len() => corpus[at].clone(),
            _ => mutator.case(&mut generator),
        };
        let started = Instant::now();
        let found = catch_unwind(AssertUnwindSafe(|| (target.read)(&bytes)));
        let took = started.elapsed();
        tally.slowest = tally.slowest.max(took);
        let broken = |what: String| Broken {
            target: target.name,
            case,
            what,
            bytes: bytes.clone(),
        };
        match found {
            Err(panic) => {
                let said = panic.downcast_ref::<String>().cloned();
                let said =
                    said.or_else(|| panic.downcast_ref::<&str>().map(|text| text.to_string()));
                return Err(broken(format!("panicked: {}", said.unwrap_or_default())));
            }
            Ok(Ok(())) => tally.read += 1,
            Ok(Err(message)) => {
                if let Some(what) = fault_of(&message) {
                    return Err(broken(what));
                }
                tally.refused += 1;
            }
        }
        if took > LONGEST {
            return Err(broken(format!("took {took:?}")));
        }
    }
    Ok(tally)
}

/// What is wrong with a message: it is one line of a bounded length that no terminal obeys.
fn fault_of(message: &str) -> Option<String> {
    let is_harmful = message
        .chars()
        .any(|c| c.is_control() || ('\u{202a}'..='\u{202e}').contains(&c));
    if is_harmful {
        return Some(format!("a message with control characters: {message:?}"));
    }
    if message.is_empty() || message.len() > 20_000 {
        return Some(format!("a message of {} bytes", message.len()));
    }
    None
}
