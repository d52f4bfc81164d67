//! Small phrases: counts with their nouns, names that fit, what a machine consists of.

use latentropy::network::Network;

/// How much of a name a table shows.
const LONGEST_NAME: usize = 36;

/// `1 row`, `2 rows`.
pub(crate) fn counted(count: u64, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        _ => format!("{count} {noun}s"),
    }
}

/// `a lower bound`, `an estimate`.
pub(crate) fn with_article(noun: &str) -> String {
    match noun.starts_with(['a', 'e', 'i', 'o', 'u']) {
        true => format!("an {noun}"),
        false => format!("a {noun}"),
    }
}

/// A name, cut where it is too long for a table; control characters are escaped.
pub(crate) fn name(name: &str) -> String {
    let clean: String = name
        .chars()
        .flat_map(|letter| match letter.is_control() {
            true => letter.escape_default().collect::<Vec<char>>(),
            false => vec![letter],
        })
        .collect();
    if clean.chars().count() <= LONGEST_NAME {
        return clean;
    }
    clean.chars().take(LONGEST_NAME - 1).chain(['…']).collect()
}

/// A sentence after a label, broken into lines that begin under its first word.
pub(crate) fn wrapped(label: &str, sentence: &str) -> String {
    const WIDTH: usize = 100;
    let indent = label.chars().count();
    let (mut text, mut used) = (label.to_string(), indent);
    for word in sentence.split(' ') {
        let length = word.chars().count();
        if used > indent && used + 1 + length > WIDTH {
            text += &format!("\n{}", " ".repeat(indent));
            used = indent;
        } else if used > indent {
            text.push(' ');
            used += 1;
        }
        text += word;
        used += length;
    }
    text + "\n"
}

/// A term by its units' names.
pub(crate) fn term(network: &Network, term: usize) -> String {
    let units = network.terms()[term].units().iter();
    let names: Vec<String> = units
        .map(|&unit| name(&network.units()[unit].name))
        .collect();
    names.join(" * ")
}

/// `16 visible + 2 hidden units, 171 terms (18 biases, 153 pairs)`.
pub(crate) fn machine(network: &Network) -> String {
    let of_order = |order: usize| {
        let terms = network.terms().iter();
        terms.filter(|term| term.order() == order).count() as u64
    };
    let (biases, pairs) = (of_order(1), of_order(2));
    let larger = network.terms().len() as u64 - biases - pairs;
    let mut kinds = Vec::new();
    if biases > 0 {
        kinds.push(match biases {
            1 => "1 bias".to_string(),
            _ => format!("{biases} biases"),
        });
    }
    if pairs > 0 {
        kinds.push(counted(pairs, "pair"));
    }
    if larger > 0 {
        kinds.push(match network.order() {
            3 => format!("{larger} of order 3"),
            order => format!("{larger} of order 3 to {order}"),
        });
    }
    let units = match network.hidden().len() as u64 {
        0 => counted(network.visible().len() as u64, "visible unit"),
        hidden => format!(
            "{} visible + {}",
            network.visible().len(),
            counted(hidden, "hidden unit")
        ),
    };
    let terms = counted(network.terms().len() as u64, "term");
    match kinds.is_empty() {
        true => format!("{units}, {terms}"),
        false => format!("{units}, {terms} ({})", kinds.join(", ")),
    }
}

/// Whether the ways to a log Z by samples agree.
pub(crate) fn agreement(trusted: bool) -> &'static str {
    match trusted {
        true => "all ways to log Z agree",
        false => "the ways to log Z do not agree, or are too weak; more is not known",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_names() {
        assert_eq!(counted(1, "row"), "1 row");
        assert_eq!(counted(0, "row"), "0 rows");
        assert_eq!(name("a\tb"), "a\\tb");
        assert_eq!(name(&"x".repeat(50)).chars().count(), 36);
    }
}
