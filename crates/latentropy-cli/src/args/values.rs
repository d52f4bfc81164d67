//! Values of flags: what is typed, checked one by one, with a remedy in each refusal.

use std::ops::RangeInclusive;

/// A unit held at a value, as typed; what the value means is known with the model.
pub(super) fn given(text: &str) -> Result<String, String> {
    match text.contains('=') {
        true => Ok(text.to_string()),
        false => Err("write it as NAME=0, NAME=1, or NAME=WORD".to_string()),
    }
}

/// Reads a whole number within a range.
fn whole(text: &str, range: RangeInclusive<usize>) -> Result<usize, String> {
    match text.parse() {
        Ok(number) if range.contains(&number) => Ok(number),
        _ => Err(format!(
            "must be a whole number from {} to {}",
            range.start(),
            range.end()
        )),
    }
}

/// A number of threads.
pub(super) fn threads(text: &str) -> Result<usize, String> {
    whole(text, 1..=1024)
}

/// A number of restarts, inner steps or iterations.
pub(super) fn count(text: &str) -> Result<usize, String> {
    whole(text, 1..=1_000_000_000)
}

/// A number of rows to draw.
pub(super) fn rows(text: &str) -> Result<usize, String> {
    whole(text, 0..=1_000_000_000_000)
}

/// A number of completed tables.
pub(super) fn draws(text: &str) -> Result<usize, String> {
    whole(text, 1..=1_000_000)
}

/// A number of Markov chains.
pub(super) fn chains(text: &str) -> Result<usize, String> {
    whole(text, 1..=1_000_000)
}

/// A number of sweeps; a chain needs some to be judged by.
pub(super) fn sweeps(text: &str) -> Result<usize, String> {
    whole(text, 32..=1_000_000_000)
}

/// A seed.
pub(super) fn seed(text: &str) -> Result<u64, String> {
    let refused = |_| format!("must be a whole number from 0 to {}", u64::MAX);
    text.parse().map_err(refused)
}

/// A number of folds.
pub(super) fn folds(text: &str) -> Result<usize, String> {
    whole(text, 2..=1_000_000)
}

/// A number of resamples.
pub(super) fn resamples(text: &str) -> Result<usize, String> {
    whole(text, 2..=1_000_000)
}

/// The order of the largest terms.
pub(super) fn order(text: &str) -> Result<usize, String> {
    whole(text, 1..=64)
}

/// A finite number of at least zero.
pub(super) fn not_negative(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() && number >= 0.0 => Ok(number),
        _ => Err("must be a number of at least 0".to_string()),
    }
}

/// A finite number above zero.
pub(super) fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() && number > 0.0 => Ok(number),
        _ => Err("must be a number above 0".to_string()),
    }
}

/// A number above zero, and at most one: constraints are on probabilities.
pub(super) fn tolerance(text: &str) -> Result<f64, String> {
    match positive(text) {
        Ok(number) if number <= 1.0 => Ok(number),
        _ => Err(
            "must be a number above 0 and at most 1: constraints are on probabilities".to_string(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_units_are_read() {
        assert_eq!(given("a=1"), Ok("a=1".to_string()));
        assert!(given("a").is_err());
    }

    #[test]
    fn numbers_outside_their_range_are_refused() {
        assert!(threads("0").is_err() && threads("-1").is_err() && threads("x").is_err());
        assert_eq!(threads("2"), Ok(2));
        assert!(positive("0").is_err() && positive("inf").is_err() && positive("nan").is_err());
        assert_eq!(not_negative("0"), Ok(0.0));
        assert!(not_negative("-0.1").is_err());
    }
}
