//! A fixed number of cases for every reader; `cargo run --release -p latentropy-fuzz -- 10000000` is the long run.

use latentropy_fuzz::{TARGETS, run};

/// Cases in all; well under a minute on one core.
const CASES: u64 = 60_000;

#[test]
fn no_case_breaks_a_reader() {
    let shares: u64 = TARGETS.iter().map(|target| target.share).sum();
    std::thread::scope(|scope| {
        for target in &TARGETS {
            scope.spawn(move || {
                let cases = (CASES * target.share).div_ceil(shares);
                let tally = run(target, 14, 0..cases);
                let tally = tally.unwrap_or_else(|broken| {
                    panic!("{} case {}: {}", broken.target, broken.case, broken.what)
                });
                // A reader that refuses everything, or nothing, was not tried.
                assert!(
                    tally.read > 0 && tally.refused > 0,
                    "{}: {tally:?}",
                    target.name
                );
            });
        }
    });
}

#[test]
fn every_corpus_is_read() {
    for target in &TARGETS {
        let corpus = (target.corpus)();
        assert!(corpus.len() >= 2, "{}", target.name);
        let read = corpus.iter().filter(|bytes| (target.read)(bytes).is_ok());
        assert!(2 * read.count() >= corpus.len(), "{}", target.name);
    }
}
