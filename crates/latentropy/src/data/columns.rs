//! Column names: made-up ones, and the choice of columns to read.

use crate::error::{Error, Result, shortened};
use std::path::Path;

/// `y1`, `y2`, … for data that come without names.
pub(super) fn made_up_names(count: usize) -> Vec<String> {
    (1..=count).map(|at| format!("y{at}")).collect()
}

/// One entry's columns: the first, the last, and whether they are left out.
type Choice = (usize, usize, bool);

/// The indices of the chosen columns, ascending; the rules are at [`super::ReadOptions::columns`].
///
/// An entry that means nothing as a whole may also be several entries separated by commas.
pub(super) fn choose_columns(
    path: &Path,
    names: &[String],
    entries: Option<&[String]>,
) -> Result<Vec<usize>> {
    let Some(entries) = entries else {
        return Ok((0..names.len()).collect());
    };
    let (mut taken, mut left_out) = (vec![false; names.len()], vec![false; names.len()]);
    let mut any_taken = false;
    for entry in entries {
        for (first, last, exclude) in resolve_list(path, names, entry)? {
            let marks = if exclude { &mut left_out } else { &mut taken };
            marks[first..=last].fill(true);
            any_taken |= !exclude;
        }
    }
    let chosen: Vec<usize> = (0..names.len())
        .filter(|&at| (taken[at] || !any_taken) && !left_out[at])
        .collect();
    if chosen.is_empty() || entries.is_empty() {
        return Err(Error::file(
            path,
            None,
            "the choice of columns leaves none",
            format!("choose at least one of {}", shortened(names)),
        ));
    }
    Ok(chosen)
}

/// What an entry means as a whole or, where that is nothing, what its parts between commas mean.
///
/// Names may hold commas themselves: from the left, as many parts as have a meaning are taken together.
fn resolve_list(path: &Path, names: &[String], entry: &str) -> Result<Vec<Choice>> {
    let commas = names.iter().map(|name| name.matches(',').count());
    // A range names two columns.
    let most_parts = 2 * commas.max().unwrap_or(0) + 1;
    let parts: Vec<&str> = entry.split(',').collect();
    let (mut choices, mut start) = (Vec::new(), 0);
    while start < parts.len() {
        let mut found = None;
        for end in (start + 1..=parts.len().min(start + most_parts)).rev() {
            let choice = resolve(path, names, &parts[start..end].join(","))?;
            if let Some(choice) = choice {
                found = Some((choice, end));
                break;
            }
        }
        match found {
            Some((choice, end)) => {
                choices.push(choice);
                start = end;
            }
            // A comma too many is no slip worth stopping for.
            None if parts[start].trim().is_empty() => start += 1,
            None => return Err(unknown(path, names, parts[start])),
        }
    }
    if choices.is_empty() {
        return Err(unknown(path, names, entry));
    }
    Ok(choices)
}

/// What one entry means; `None` if it is no column, no range, nor one of these after `!`.
fn resolve(path: &Path, names: &[String], entry: &str) -> Result<Option<Choice>> {
    // A whole name comes first, so that a column called `!x` or `a..b` can still be chosen.
    if let Some(at) = position(names, entry) {
        return Ok(Some((at, at, false)));
    }
    let (wanted, exclude) = match entry.trim_start().strip_prefix('!') {
        Some(rest) => (rest, true),
        None => (entry, false),
    };
    if let Some(at) = position(names, wanted) {
        return Ok(Some((at, at, exclude)));
    }
    // Names may hold dots themselves: the right place to cut is the one with a name on each side.
    let cuts = wanted
        .char_indices()
        .filter(|&(at, _)| wanted[at..].starts_with(".."));
    for (at, _) in cuts {
        let ends = (
            position(names, &wanted[..at]),
            position(names, &wanted[at + 2..]),
        );
        if let (Some(first), Some(last)) = ends {
            if first <= last {
                return Ok(Some((first, last, exclude)));
            }
            return Err(Error::file(
                path,
                None,
                format!("the range of columns `{wanted}` runs backwards"),
                format!("write it as `{}..{}`", names[last], names[first]),
            ));
        }
    }
    Ok(None)
}

fn position(names: &[String], wanted: &str) -> Option<usize> {
    let exact = |wanted: &str| names.iter().position(|name| name == wanted);
    exact(wanted).or_else(|| exact(wanted.trim()))
}

/// The error for an entry that means nothing; its `!`, if any, is not part of what was sought.
fn unknown(path: &Path, names: &[String], entry: &str) -> Error {
    let wanted = entry.trim();
    let wanted = wanted.strip_prefix('!').unwrap_or(wanted);
    let alike = |name: &&String| name.eq_ignore_ascii_case(wanted);
    let suggestion = match names.iter().find(alike) {
        Some(name) => format!("did you mean `{name}`? "),
        None => String::new(),
    };
    Error::file(
        path,
        None,
        format!("there is no column `{wanted}`"),
        format!("{suggestion}the columns are {}", shortened(names)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choose(names: &[&str], entries: &[&str]) -> Result<Vec<usize>> {
        let names: Vec<String> = names.iter().map(|&name| name.into()).collect();
        let entries: Vec<String> = entries.iter().map(|&entry| entry.into()).collect();
        choose_columns(Path::new("f.csv"), &names, Some(&entries))
    }

    fn message(names: &[&str], entries: &[&str]) -> String {
        choose(names, entries).unwrap_err().to_string()
    }

    #[test]
    fn names_ranges_and_exclusions() {
        let names = ["id", "a", "b", "c", "d"];
        assert_eq!(choose(&names, &["b"]).unwrap(), [2]);
        assert_eq!(choose(&names, &["d", "a..b"]).unwrap(), [1, 2, 4]);
        assert_eq!(choose(&names, &["!id"]).unwrap(), [1, 2, 3, 4]);
        assert_eq!(choose(&names, &["!a..c", "!id"]).unwrap(), [4]);
        assert_eq!(choose(&names, &["!b", "a..d"]).unwrap(), [1, 3, 4]);
        assert_eq!(choose(&names, &["b", "b", " b "]).unwrap(), [2]);
    }

    #[test]
    fn a_whole_name_wins_over_signs_in_it() {
        assert_eq!(choose(&["!a", "a"], &["!a"]).unwrap(), [0]);
        assert_eq!(choose(&["a", "b", "a..b"], &["a..b"]).unwrap(), [2]);
        assert_eq!(
            choose(&["r.4", "x", "r.7"], &["r.4..r.7"]).unwrap(),
            [0, 1, 2]
        );
        assert_eq!(choose(&["a.", "x", ".b"], &["a.....b"]).ok(), None);
        assert_eq!(choose(&["a.", "x", ".b"], &["a....b"]).unwrap(), [0, 1, 2]);
    }

    #[test]
    fn entries_may_be_lists() {
        let names = ["id", "a", "b", "c", "d"];
        assert_eq!(choose(&names, &["a,c"]).unwrap(), [1, 3]);
        assert_eq!(choose(&names, &["!id, !c..d"]).unwrap(), [1, 2]);
        assert_eq!(choose(&names, &["a..d,!b", "id"]).unwrap(), [0, 1, 3, 4]);
        assert_eq!(choose(&names, &["a,,b,"]).unwrap(), [1, 2]);
        let odd = ["a,b", "a", "b", "c, d"];
        assert_eq!(choose(&odd, &["a,b"]).unwrap(), [0]);
        assert_eq!(choose(&odd, &["b,a"]).unwrap(), [1, 2]);
        assert_eq!(choose(&odd, &["b,c, d"]).unwrap(), [2, 3]);
        assert_eq!(choose(&odd, &["!a,b,!c, d"]).unwrap(), [1, 2]);
        assert!(message(&names, &["a,x,b"]).contains("no column `x`"));
        assert!(message(&names, &["a,c..b"]).contains("write it as `b..c`"));
        assert!(message(&names, &[""]).contains("no column ``"));
        assert!(message(&names, &[" , "]).contains("no column `,`"));
    }

    #[test]
    fn wrong_choices_are_explained() {
        let text = message(&["Age", "sex"], &["age"]);
        assert!(
            text.contains("no column `age`") && text.contains("did you mean `Age`?"),
            "{text}"
        );
        let text = message(&["a", "b"], &["!z"]);
        assert!(
            text.contains("no column `z`") && text.contains("the columns are a, b"),
            "{text}"
        );
        assert!(message(&["a", "b"], &["b..a"]).contains("write it as `a..b`"));
        assert!(message(&["a", "b"], &["!a..b"]).contains("leaves none"));
        assert!(message(&["a", "b"], &[]).contains("leaves none"));
        let many: Vec<String> = made_up_names(40);
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert!(message(&many, &["z"]).contains("y12, … (40 in all)"));
    }
}
