//! Text in pictures: escaping, widths for layout, numbers as labels.

/// Advance widths of the printable ASCII letters of DejaVu Sans, in thousandths of the font size.
///
/// The fonts of most systems are narrower, so that what fits by this measure fits on a page too.
const WIDTHS: [u16; 95] = [
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, 636, 636, 636,
    636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632,
    575, 775, 752, 295, 295, 656, 557, 863, 748, 787, 603, 787, 695, 635, 611, 732, 684, 989, 685,
    611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579,
    278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838,
];

/// How wide a text is at this font size.
pub(crate) fn width(text: &str, size: f64) -> f64 {
    let letter = |letter: char| match letter as u32 {
        code @ 32..=126 => f64::from(WIDTHS[code as usize - 32]),
        // The minus sign and its like, superscript digits, and the wide letters of East Asia.
        0x2212 | 0x2264 | 0x2265 => 838.0,
        0x2070..=0x209f | 0xb2 | 0xb3 | 0xb9 => 420.0,
        0x2e80.. => 1000.0,
        _ => 660.0,
    };
    text.chars().map(letter).sum::<f64>() * size / 1000.0
}

/// A text that is at most this wide, cut with `…` where it is longer.
pub(crate) fn shortened(text: &str, size: f64, most: f64) -> String {
    if width(text, size) <= most {
        return text.to_string();
    }
    let mut kept = String::new();
    for letter in text.chars() {
        kept.push(letter);
        if width(&kept, size) + size > most {
            kept.pop();
            break;
        }
    }
    kept.trim_end().to_string() + "…"
}

/// Text made safe for HTML and SVG, in content and in quoted attributes; control characters become blanks.
pub fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\n' => safe.push_str("&#10;"),
            // XML has no way to write most of these.
            letter if letter.is_control() || matches!(letter, '\u{fffe}' | '\u{ffff}') => {
                safe.push(' ');
            }
            letter => safe.push(letter),
        }
    }
    safe
}

/// A number with this many decimals and a true minus sign; one that rounds to zero has no sign.
pub fn label(value: f64, decimals: usize) -> String {
    if value.is_infinite() {
        return if value > 0.0 { "∞" } else { "−∞" }.to_string();
    }
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
        Some(rest) if rest.bytes().all(|byte| b"0.".contains(&byte)) => rest.to_string(),
        Some(rest) => format!("−{rest}"),
        None => text,
    }
}

/// `10⁻³`.
pub(super) fn power_of_ten(exponent: i32) -> String {
    let digits = exponent.to_string();
    let raised = digits.chars().map(|digit| match digit {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        digit => char::from_u32(digit as u32 - '0' as u32 + 0x2070).unwrap_or(digit),
    });
    "10".chars().chain(raised).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels() {
        assert_eq!(
            escape("<a href='x'>&\"\u{1}"),
            "&lt;a href=&#39;x&#39;&gt;&amp;&quot; "
        );
        assert_eq!(label(-0.0001, 2), "0.00");
        assert_eq!(label(-1.5, 1), "−1.5");
        assert_eq!(power_of_ten(-12), "10⁻¹²");
        assert_eq!(shortened("short", 10.0, 100.0), "short");
        let cut = shortened(&"wide".repeat(20), 10.0, 100.0);
        assert!(cut.ends_with('…') && width(&cut, 10.0) <= 104.0, "{cut}");
    }
}
