//! Text of strangers made harmless: names, paths and cells that a terminal, a spreadsheet or a reader could take for more.

use std::borrow::Cow;
use std::path::Path;

/// Whether a character could move the cursor, end a line, or make what is read differ from what is there.
fn is_harmful(c: char) -> bool {
    c.is_control()
        || matches!(c,
            // Marks that change the direction of what is around them.
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
            // Ends of lines and paragraphs, byte-order marks, annotations, and tags that nobody sees.
            | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// The text with harmful characters written out: `\n`, `\u{1b}`.
pub fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains(is_harmful) {
        return Cow::Borrowed(text);
    }
    let mut made = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match is_harmful(c) {
            true => made.extend(c.escape_default()),
            false => made.push(c),
        }
    }
    Cow::Owned(made)
}

/// The text of a table with harmful characters written out, but for the ends of its lines and its tabs.
pub fn plain_lines(text: &str) -> Cow<'_, str> {
    let is_meant = |c: char| matches!(c, '\n' | '\r' | '\t');
    if !text.contains(|c| is_harmful(c) && !is_meant(c)) {
        return Cow::Borrowed(text);
    }
    let mut made = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match is_harmful(c) && !is_meant(c) {
            true => made.extend(c.escape_default()),
            false => made.push(c),
        }
    }
    Cow::Owned(made)
}

/// A path for a message or a line of output.
pub fn plain_path(path: &Path) -> String {
    plain(&path.to_string_lossy()).into_owned()
}

/// A name of a column or a unit as it is kept: ends of lines and tabs within it, as spreadsheets have them, are blanks; other
/// harmful characters are written out.
pub fn plain_name(name: &str) -> Cow<'_, str> {
    if !name.contains(is_harmful) {
        return Cow::Borrowed(name);
    }
    let blank = |c: char| {
        if matches!(c, '\n' | '\r' | '\t') {
            ' '
        } else {
            c
        }
    };
    let spaced: String = name.replace("\r\n", " ").chars().map(blank).collect();
    Cow::Owned(plain(&spaced).into_owned())
}

/// The most characters of a stranger's text in a message.
const LONGEST: usize = 4000;

/// A whole message: one line, harmless, and of a bounded length.
pub fn plain_message(text: &str) -> Cow<'_, str> {
    let made = plain(text);
    if made.len() <= LONGEST {
        return made;
    }
    let count = made.chars().count();
    if count <= LONGEST {
        return made;
    }
    // Its end says what to do.
    let (head, tail) = (LONGEST * 3 / 4, LONGEST / 4);
    let start: String = made.chars().take(head).collect();
    let end: String = made.chars().skip(count - tail).collect();
    Cow::Owned(format!(
        "{start} … ({} characters left out) … {end}",
        count - head - tail
    ))
}

/// A cell of a csv file that no spreadsheet takes for a formula: text that begins like one gets an apostrophe before it, which
/// [`of_csv_cell`] takes away again. Numbers stay as they are.
pub fn csv_cell(text: &str) -> Cow<'_, str> {
    let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    match is_formula && text.parse::<f64>().is_err() {
        true => Cow::Owned(format!("'{text}")),
        false => Cow::Borrowed(text),
    }
}

/// What a cell that [`csv_cell`] wrote says.
pub fn of_csv_cell(text: &str) -> &str {
    match text.strip_prefix('\'') {
        Some(rest) if csv_cell(rest) != rest => rest,
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_harmful_is_left_and_the_rest_stays() {
        assert_eq!(
            plain("a\u{1b}[2Jb\n\u{202e}c\u{7f}"),
            r"a\u{1b}[2Jb\n\u{202e}c\u{7f}"
        );
        for text in ["plain", "Größe, ≤ 3", "日本語", "👩‍👩‍👧", "می‌خواهم"]
        {
            assert_eq!(plain(text), text);
            assert_eq!(plain_name(text), text);
        }
        assert_eq!(plain_name("How are\r\nyou?\t\u{0}"), "How are you? \\u{0}");
    }

    #[test]
    fn messages_have_a_longest_length() {
        let long = "x".repeat(3_000_000) + "; do this";
        let made = plain_message(&long);
        assert!(made.chars().count() < LONGEST + 100 && made.ends_with("; do this"));
        assert_eq!(plain_message("short"), "short");
    }

    #[test]
    fn cells_come_back_as_they_were() {
        for text in [
            "=1+1", "+", "-", "@x", "-a", "a", "'", "'a", "-1.5", "+2", "", "\t=x",
        ] {
            let cell = csv_cell(text);
            let is_number = text.parse::<f64>().is_ok();
            let is_safe = !cell.starts_with(['=', '+', '-', '@', '\t']) || is_number;
            assert!(is_safe, "{cell}");
            assert_eq!(of_csv_cell(&cell), text);
        }
        assert_eq!(csv_cell("-1.5"), "-1.5");
    }
}
