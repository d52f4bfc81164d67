//! Answers without what differs from run to run or from processor to processor: places, times, last digits, iterations.

use super::document::pretty;
use serde_json::Value;

/// Digits of a number that are compared; sums in another order agree in far more.
const DIGITS: usize = 6;
/// Numbers below this are rounding errors, or zero but for them.
const TINY: f64 = 1e-7;
/// Lines of a text that are shown, unless it is help.
const MOST_LINES: usize = 60;
/// What a count or a time is replaced by.
const HIDDEN: &str = "#";
/// What a tiny number is replaced by.
const NONE: &str = "~0";
/// Fields of documents and columns of tables that hang on the last digits, on the clock, or on the version.
const VARYING: [&str; 7] = [
    "iterations",
    "seconds",
    "started_unix",
    "threads",
    "version",
    "fingerprint",
    "restart",
];
/// Settings, which are shown as they are however small.
const SETTINGS: [&str; 2] = ["tol", "tolerance"];

/// What a text is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Text {
    /// Help, which is shown whole and as it is.
    Help,
    /// What a command prints.
    Answer,
    /// What a command writes into a file.
    File,
}

/// Places and the names that stand for them.
pub(crate) struct Normal<'a>([(&'a str, &'a str); 3]);

impl<'a> Normal<'a> {
    pub(crate) fn new(places: [(&'a str, &'a str); 3]) -> Self {
        Normal(places)
    }

    /// The text as it is compared.
    pub(crate) fn text(&self, text: &str, kind: Text) -> String {
        let placed = |text: String, (place, name): &(&str, &str)| text.replace(place, name);
        let text = self.0.iter().fold(text.to_string(), placed);
        if kind == Text::Help {
            return text;
        }
        if text.starts_with('{')
            && let Ok(document) = serde_json::from_str::<Value>(&text)
        {
            return pretty(&document, &leaf);
        }
        let lines: Vec<&str> = text.lines().collect();
        let mut shown = match kind {
            Text::File => table(&lines),
            _ => answer(&lines),
        };
        if shown.len() > MOST_LINES {
            shown.truncate(MOST_LINES);
            shown.push("…".to_string());
        }
        shown.join("\n")
    }
}

/// A value of a document.
fn leaf(key: &str, value: &Value) -> String {
    match value {
        _ if VARYING.contains(&key) || key.ends_with("_seconds") => HIDDEN.to_string(),
        Value::Number(number) if number.is_f64() && !SETTINGS.contains(&key) => {
            rounded(number.as_f64().expect("a float"))
        }
        Value::String(text) => format!("\"{}\"", numbers(text)),
        other => other.to_string(),
    }
}

/// A table of comma-separated cells; other texts of files have no commas in the way.
fn table(lines: &[&str]) -> Vec<String> {
    let heads: Vec<&str> = lines
        .first()
        .map_or(vec![], |line| line.split(',').collect());
    let cell = |(at, cell): (usize, &str)| match heads.get(at) {
        Some(head) if VARYING.contains(head) && cell != *head => HIDDEN.to_string(),
        _ => cell
            .parse()
            .ok()
            .filter(|_| cell.contains(['.', 'e']))
            .map_or_else(|| numbers(cell), rounded),
    };
    let line = |line: &&str| {
        let cells: Vec<String> = line.split(',').enumerate().map(cell).collect();
        cells.join(",")
    };
    lines.iter().map(line).collect()
}

/// What people read. Columns stay aligned but where a number is replaced whose width may vary.
fn answer(lines: &[&str]) -> Vec<String> {
    const TIME: &str = "  seconds";
    let mut timed = false;
    let mut line = |line: &&str| {
        timed = line.ends_with(TIME) || timed && !line.is_empty();
        let (mut text, mut is_cut) = (numbers(line), false);
        if timed && let Some((before, last)) = text.rsplit_once(' ') {
            is_cut = last.parse::<f64>().is_ok();
            text = match is_cut {
                true => format!("{before} {HIDDEN}"),
                false => text,
            };
        }
        match is_cut || text.contains(NONE) {
            true => unaligned(&text),
            false => text,
        }
    };
    lines.iter().map(&mut line).collect()
}

/// A line with two blanks between its cells, however far apart they were.
fn unaligned(line: &str) -> String {
    let indent = line.len() - line.trim_start().len();
    let cells = line.split("  ").map(str::trim);
    let cells: Vec<&str> = cells.filter(|cell| !cell.is_empty()).collect();
    format!("{}{}", &line[..indent], cells.join("  "))
}

/// A text with its numbers rounded and its times hidden.
fn numbers(text: &str) -> String {
    let mut shown = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        let after_word = shown.ends_with(|c: char| c.is_alphanumeric() || "._{}".contains(c));
        let length = if after_word { 0 } else { number_length(rest) };
        if length == 0 {
            let next = rest.chars().next().expect("not empty");
            shown.push(next);
            rest = &rest[next.len_utf8()..];
            continue;
        }
        let (number, behind) = rest.split_at(length);
        let unit = ["ns", "µs", "ms", "s"]
            .into_iter()
            .find(|unit| behind.starts_with(unit));
        let is_whole = number
            .bytes()
            .all(|byte| byte.is_ascii_digit() || b"+-".contains(&byte));
        rest = behind;
        if let Some(unit) = unit.filter(|_| shown.ends_with(" in ")) {
            shown += HIDDEN;
            rest = &behind[unit.len()..];
        } else if is_whole
            || behind.starts_with(char::is_alphabetic)
            || shown.ends_with("tolerance ")
        {
            shown += number;
        } else {
            shown += &rounded_text(number);
        }
    }
    shown
}

/// How many bytes at the start of a text are a number.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| {
        let rest = bytes.get(from..).unwrap_or_default();
        rest.iter().take_while(|byte| byte.is_ascii_digit()).count()
    };
    let sign = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
    let whole = digits(sign);
    if whole == 0 {
        return 0;
    }
    let mut length = sign + whole;
    if bytes.get(length) == Some(&b'.') && digits(length + 1) > 0 {
        length += 1 + digits(length + 1);
    }
    if matches!(bytes.get(length), Some(b'e' | b'E')) {
        let signed = usize::from(matches!(bytes.get(length + 1), Some(b'+' | b'-')));
        let exponent = digits(length + 1 + signed);
        if exponent > 0 {
            length += 1 + signed + exponent;
        }
    }
    length
}

/// A number as it was typed where it has few digits, else without its last ones.
fn rounded_text(number: &str) -> String {
    let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, ""));
    let digits = mantissa.trim_start_matches(['+', '-', '0', '.']);
    let digits = digits.bytes().filter(u8::is_ascii_digit).count();
    let value: f64 = number.parse().expect("a number");
    if digits <= DIGITS && (exponent.is_empty() || value.abs() >= TINY) {
        return number.to_string();
    }
    let sign = if number.starts_with('+') { "+" } else { "" };
    format!("{sign}{}", rounded(value))
}

/// A number without its last digits.
fn rounded(value: f64) -> String {
    if value.abs() < TINY {
        return NONE.to_string();
    }
    let short: f64 = format!("{value:.*e}", DIGITS - 1)
        .parse()
        .expect("a number");
    match short.abs() {
        size if (1e-4..1e9).contains(&size) => format!("{short}"),
        _ => format!("{short:e}"),
    }
}
