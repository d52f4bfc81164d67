//! Words and numbers for people.

use crate::charts::label;
use latentropy::network::Unit;

/// `1 row`, `2 rows`.
pub(super) fn counted(count: u64, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        _ => format!("{} {noun}s", grouped(count)),
    }
}

/// `1509 rows`, or `1509.5 rows` where rows have weights.
pub(super) fn rows(weight: f64) -> String {
    match weight.fract() == 0.0 {
        true => counted(weight as u64, "row"),
        false => format!("{} rows", weighed(weight)),
    }
}

/// `21 574`, or `21574.5` where rows have weights.
pub(super) fn weighed(weight: f64) -> String {
    match weight.fract() == 0.0 {
        true => grouped(weight as u64),
        false => label(weight, 1),
    }
}

/// `21 574`, with narrow spaces.
pub(super) fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) && digits.len() > 4 {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// `24.6%`.
pub(super) fn percent(share: f64) -> String {
    if share.is_nan() {
        return "–".to_string();
    }
    label(100.0 * share, 1) + "%"
}

/// A weight, always with its sign.
pub(super) fn weight(value: f64) -> String {
    let text = label(value, 2);
    if text.starts_with('−') {
        text
    } else {
        format!("+{text}")
    }
}

/// A weight with its standard error, where there is one: `+1.26 ± 0.31`.
pub(super) fn weight_with(value: f64, error: Option<f64>) -> String {
    match error.filter(|error| error.is_finite()) {
        Some(error) => format!("{} ± {}", weight(value), label(error, 2)),
        None => weight(value),
    }
}

/// A small quantity by its size: `3.1e−7`.
pub(super) fn small(value: f64) -> String {
    if value == 0.0 {
        return "0".to_string();
    }
    format!("{value:.1e}").replace('-', "−")
}

/// A setting as it would be typed: `1e-8`, `0.5`.
pub(super) fn typed(value: f64) -> String {
    if value != 0.0 && value.abs() < 1e-3 {
        return format!("{value:e}");
    }
    format!("{value}")
}

/// A principle's name in words.
pub(super) fn principle(name: &str) -> &'static str {
    match name {
        "mle" => "maximum likelihood",
        "held-out" => "the rows kept for validation",
        _ => "latent maximum entropy",
    }
}

/// A sentence with a capital at its beginning; a path, or the name of one of these units, keeps its letters.
pub(super) fn sentence_case(text: &str, units: &[Unit]) -> String {
    let word = text.split(' ').next().unwrap_or("");
    let is_path = word.contains(['/', '.', ':']);
    let is_unit = units
        .iter()
        .any(|unit| unit.name == word.trim_end_matches(','));
    let mut letters = text.chars();
    match letters.next() {
        Some(first) if !is_path && !is_unit => first.to_uppercase().chain(letters).collect(),
        _ => text.to_string(),
    }
}

/// What a certificate means.
pub(super) fn certificate(name: &str) -> &'static str {
    match name {
        "interior local maximum" => "no small change of its weights would fit the data better",
        "maximum within Monte-Carlo error" => {
            "as far as samples tell, no small change of its weights would fit the data better"
        }
        "saddle" => "it is stationary, but some direction leads further up",
        "boundary" => {
            "some weights are at the edge of their range and would grow further if they were allowed to: it is the best \
             within that range (it satisfies the conditions of Karush, Kuhn and Tucker), and the constraints of the data hold for \
             the other weights alone"
        }
        "stationary" => {
            "it is stationary within the tolerance; what kind of point it is was not told, since the machine is too large to look at \
             its curvature, the tolerance too loose, or other weights do as well"
        }
        "not converged" => "the search stopped before it reached a solution",
        _ => "see the guide",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(grouped(1234), "1234");
        assert_eq!(grouped(21574), "21\u{202f}574");
        assert_eq!(counted(1, "row"), "1 row");
        assert_eq!(rows(1509.0), "1509 rows");
        assert_eq!(rows(2.5), "2.5 rows");
        assert_eq!(weight(-0.5), "−0.50");
        assert_eq!(small(3.14e-7), "3.1e−7");
        assert_eq!(percent(0.246), "24.6%");
    }
}
