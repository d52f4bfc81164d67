//! Which of two words means 1, where nobody said so: the one rule, told in words wherever it is used.

use super::cell::{Cell, number};

/// Pairs whose meaning is plain: what means 0, then what means 1.
const KNOWN_PAIRS: &[(&str, &str)] = &[
    ("disagree", "agree"),
    ("f", "t"),
    ("absent", "present"),
    ("absence", "presence"),
    ("negative", "positive"),
    ("neg", "pos"),
    ("-", "+"),
    ("off", "on"),
    ("out", "in"),
    ("low", "high"),
    ("incorrect", "correct"),
    ("wrong", "right"),
    ("fail", "pass"),
    ("failed", "passed"),
    ("failure", "success"),
    ("nay", "yea"),
    ("against", "for"),
    ("unlike", "like"),
    ("dislike", "like"),
    ("never", "ever"),
    ("healthy", "sick"),
    ("healthy", "ill"),
    ("control", "case"),
    ("nein", "ja"),
    ("nee", "ja"),
    ("nej", "ja"),
    ("non", "oui"),
];

/// Numbers besides 0 and 1 that go with one of them in codings; others (9, 99, −9) often mean that nothing is known.
const PARTNERS: [(f64, f64); 3] = [(1.0, 2.0), (-1.0, 1.0), (0.0, 2.0)];

/// The two words of a column as (0, 1); `None` where it would be a guess.
///
/// A known pair (disagree and agree) has its own meaning; of two numbers the larger is 1; of two other words the second
/// in the alphabet. A usual spelling of 0 or 1 beside a word that is none is more likely a slip, and a number beside 0
/// or 1 that is no usual partner may mean that the cell is missing.
pub(super) fn order<'a>(a: &'a str, b: &'a str) -> Option<(&'a str, &'a str)> {
    let is = |text: &str, word: &str| text.trim().eq_ignore_ascii_case(word);
    for (zero, one) in KNOWN_PAIRS {
        if is(a, zero) && is(b, one) {
            return Some((a, b));
        }
        if is(b, zero) && is(a, one) {
            return Some((b, a));
        }
    }
    match (number(a.trim()), number(b.trim())) {
        (Some(first), Some(second)) => {
            let (low, high) = (first.min(second), first.max(second));
            let is_usual = |value: f64| value == 0.0 || value == 1.0;
            if (is_usual(low) || is_usual(high)) && !PARTNERS.contains(&(low, high)) {
                return None;
            }
            Some(if first < second { (a, b) } else { (b, a) })
        }
        (None, None) => {
            if Cell::parse(a).is_some() || Cell::parse(b).is_some() {
                return None;
            }
            let is_in_order = a.trim().to_lowercase() < b.trim().to_lowercase();
            Some(if is_in_order { (a, b) } else { (b, a) })
        }
        // A number beside a word: one of the two is a slip.
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_pairs_numbers_and_the_alphabet() {
        for (zero, one) in [
            ("Disagree", "Agree"),
            ("1", "2"),
            ("-1", "1"),
            ("0", "2"),
            ("5", "10"),
            ("F", "M"),
            ("female", "male"),
            ("democrat", "republican"),
            ("f", "t"),
            ("-", "+"),
            ("against", "for"),
        ] {
            assert_eq!(order(zero, one), Some((zero, one)));
            assert_eq!(order(one, zero), Some((zero, one)));
        }
    }

    #[test]
    fn guesses_are_not_made() {
        for (a, b) in [
            ("0", "O"),
            ("1", "x"),
            ("0", "99"),
            ("1", "9"),
            ("0", "-9"),
            ("yes", "maybe"),
            ("3", "three"),
        ] {
            assert_eq!(order(a, b), None, "{a} {b}");
        }
    }
}
