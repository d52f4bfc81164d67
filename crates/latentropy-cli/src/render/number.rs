//! Numbers as text: few digits for people, all of them for files.

/// All digits that matter, and no more: reading it back gives the same number.
pub(crate) fn full(value: f64) -> String {
    format!("{value:?}")
}

/// A fixed number of decimals; a negative number that rounds to zero loses its sign.
pub(crate) fn fixed(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    if text.bytes().all(|byte| b"-0.".contains(&byte)) {
        return text.trim_start_matches('-').to_string();
    }
    text
}

/// A weight: always with its sign.
pub(crate) fn weight(value: f64) -> String {
    let text = fixed(value, 2);
    if text.starts_with('-') {
        text
    } else {
        format!("+{text}")
    }
}

/// A small positive quantity, by its size: `3.1e-7`.
pub(crate) fn small(value: f64) -> String {
    if value == 0.0 {
        return "0".to_string();
    }
    format!("{value:.1e}")
}

/// A setting, as it would be typed.
pub(crate) fn typed(value: f64) -> String {
    if value != 0.0 && value.abs() < 1e-3 {
        return format!("{value:e}");
    }
    format!("{value}")
}

/// A share of one, in percent.
pub(crate) fn percent(share: f64) -> String {
    format!("{}%", fixed(100.0 * share, 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(fixed(-0.00001, 4), "0.0000");
        assert_eq!(fixed(-1.23456, 4), "-1.2346");
        assert_eq!(weight(0.5), "+0.50");
        assert_eq!(weight(-12.0), "-12.00");
        assert_eq!(small(3.14e-7), "3.1e-7");
        assert_eq!(
            (typed(1e-5), typed(0.5), typed(20.0)),
            ("1e-5".into(), "0.5".into(), "20".into())
        );
        assert_eq!(percent(0.0563), "5.6%");
        assert_eq!(fixed(f64::NAN, 2), "NaN");
    }

    #[test]
    fn full_precision_survives_reading_back() {
        for value in [0.1, -1.0 / 3.0, 1e-300, f64::MIN_POSITIVE, 6.02e23, 0.0] {
            assert_eq!(full(value).parse(), Ok(value));
        }
    }
}
