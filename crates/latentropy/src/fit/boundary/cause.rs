//! What drives a weight to the edge, as data and in plain words.

use std::fmt;

/// A unit and the value that a pattern gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternUnit {
    /// Position in the network's units.
    pub unit: usize,
    /// Its name.
    pub name: String,
    /// True of a column of the data, false of a hidden unit.
    pub is_seen: bool,
    /// True where the pattern has a one.
    pub one: bool,
}

/// On what grounds a pattern counts as unseen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Grounds {
    /// All its units are columns, and no row shows it.
    Counted {
        /// Rows in which all its cells are known.
        known: f64,
        /// Those of them that have its ones, whatever the other cells are.
        with_ones: f64,
        /// Rows in all.
        rows: f64,
    },
    /// Some of its units are latent, and the posteriors given the rows leave next to nothing of it.
    Expected {
        /// The expected number of rows that go against what is said.
        exceptions: f64,
        /// Rows in all.
        rows: f64,
    },
}

/// Why a weight is at the edge of the box.
#[derive(Clone, Debug, PartialEq)]
pub enum Cause {
    /// The rows never show this pattern, so the weight grows for ever to rule it out.
    Unseen {
        /// The fewest units that are never seen in these values.
        pattern: Vec<PatternUnit>,
        /// What was counted or expected.
        grounds: Grounds,
        /// True if this alone makes the likelihood rise for ever; false if other weights have part in it.
        alone: bool,
    },
    /// All units of the term are one in every row.
    Always {
        /// The term's units.
        units: Vec<PatternUnit>,
        /// What was counted or expected.
        grounds: Grounds,
    },
    /// No single pattern is at fault; the rows still show the term more often (or less) than the machine.
    Pull {
        /// The term's units.
        units: Vec<PatternUnit>,
        /// In how many rows all of them are one, latent ones by expectation.
        rows_show: f64,
        /// In how many rows the machine expects it.
        machine_shows: f64,
        /// Rows in all.
        rows: f64,
        /// True at the upper edge.
        upwards: bool,
    },
}

impl Cause {
    /// True if this alone accounts for the weight.
    pub fn is_alone(&self) -> bool {
        match self {
            Cause::Unseen { alone, .. } => *alone,
            Cause::Always { .. } => true,
            Cause::Pull { .. } => false,
        }
    }

    /// True if it was counted in the rows, without the machine's opinion of latent units.
    pub fn is_counted(&self) -> bool {
        match self {
            Cause::Unseen { grounds, .. } | Cause::Always { grounds, .. } => {
                matches!(grounds, Grounds::Counted { .. })
            }
            Cause::Pull { .. } => false,
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&match self {
            Cause::Unseen {
                pattern,
                grounds,
                alone,
            } => {
                let concert = if *alone {
                    ""
                } else {
                    ", in concert with other weights"
                };
                unseen(pattern, *grounds) + concert
            }
            Cause::Always { units, grounds } => always(units, *grounds),
            Cause::Pull {
                units,
                rows_show,
                machine_shows,
                rows,
                upwards,
            } => pull(units, *rows_show, *machine_shows, *rows, *upwards),
        })
    }
}

fn unseen(pattern: &[PatternUnit], grounds: Grounds) -> String {
    match grounds {
        Grounds::Counted {
            known,
            with_ones,
            rows,
        } => counted(pattern, known, with_ones, rows),
        Grounds::Expected { exceptions, rows } => format!(
            "given the {}, {} (expected exceptions: {} rows)",
            noun(rows),
            expected(pattern),
            small(exceptions)
        ),
    }
}

fn always(units: &[PatternUnit], grounds: Grounds) -> String {
    let all: Vec<&PatternUnit> = units.iter().collect();
    let be = if units.len() == 1 { "is" } else { "are" };
    match grounds {
        Grounds::Counted { rows, .. } => {
            format!("{} {be} 1 in all {}", list(&all, "and"), noun(rows))
        }
        Grounds::Expected { exceptions, rows } => format!(
            "given the {}, {} {be} on in all of them (expected exceptions: {} rows)",
            noun(rows),
            list(&all, "and"),
            small(exceptions)
        ),
    }
}

fn pull(
    units: &[PatternUnit],
    rows_show: f64,
    machine_shows: f64,
    rows: f64,
    upwards: bool,
) -> String {
    let all: Vec<&PatternUnit> = units.iter().collect();
    let (names, count) = (list(&all, "and"), digits(rows_show));
    let have = match (units.len(), units.iter().all(|u| u.is_seen)) {
        (1, true) => "at 1",
        (1, false) => "on, by expectation,",
        (_, true) => "together",
        (_, false) => "on together, by expectation,",
    };
    let gap = rows_show - machine_shows;
    let machine = if gap != 0.0 && (gap > 0.0) == upwards {
        let more = if upwards { "fewer" } else { "more" };
        let gap = small(gap.abs());
        format!("and the machine {gap} times {more} even at the edge")
    } else {
        "and the machine as often: nothing holds it at the edge".to_string()
    };
    format!(
        "no single pattern of its units explains it: the {} have {names} {have} {count} times, {machine}",
        noun(rows),
    )
}

/// A statement about columns.
fn counted(pattern: &[PatternUnit], known: f64, with_ones: f64, rows: f64) -> String {
    let ones: Vec<&PatternUnit> = pattern.iter().filter(|u| u.one).collect();
    let zeros: Vec<&PatternUnit> = pattern.iter().filter(|u| !u.one).collect();
    let whole = match (known == rows, pattern.len()) {
        (true, _) => format!("the {}", noun(rows)),
        (false, 1) => format!("the {} of {} where it is known", digits(known), noun(rows)),
        (false, 2) => format!(
            "the {} of {} where both are known",
            digits(known),
            noun(rows)
        ),
        (false, _) => format!(
            "the {} of {} where all are known",
            digits(known),
            noun(rows)
        ),
    };
    match (ones.len(), zeros.len()) {
        (1, 0) => format!("{} is never 1 in {whole}", ones[0].name),
        (0, 1) => format!("{} is never 0 in {whole}", zeros[0].name),
        (_, 0) => format!("{} never occur together in {whole}", list(&ones, "and")),
        (0, 2) => format!("{} are never both 0 in {whole}", list(&zeros, "and")),
        (0, _) => format!("{} are never all 0 in {whole}", list(&zeros, "and")),
        _ => {
            let be = if ones.len() == 1 { "is" } else { "are" };
            let premise = match (known == rows, pattern.len()) {
                (true, _) => noun(with_ones),
                (false, 2) => format!("{} where both are known", noun(with_ones)),
                (false, _) => format!("{} where all are known", noun(with_ones)),
            };
            let (ones, zeros) = (list(&ones, "and"), list(&zeros, "or"));
            format!("whenever {ones} {be} 1, {zeros} is 1 ({premise})")
        }
    }
}

/// A statement about what the posteriors say.
fn expected(pattern: &[PatternUnit]) -> String {
    let ones: Vec<&PatternUnit> = pattern.iter().filter(|u| u.one).collect();
    let zeros: Vec<&PatternUnit> = pattern.iter().filter(|u| !u.one).collect();
    if let [a, b] = pattern
        && a.is_seen != b.is_seen
    {
        let (seen, hidden) = if a.is_seen { (a, b) } else { (b, a) };
        let (name, column) = (&hidden.name, &seen.name);
        return match (hidden.one, seen.one) {
            (true, true) => format!("{name} is never on where {column} is 1"),
            (true, false) => format!("{name} is on only where {column} is 1"),
            (false, value) => format!("{name} is on wherever {column} is {}", u8::from(value)),
        };
    }
    match (ones.len(), zeros.len()) {
        (1, 0) => format!("{} is never on", ones[0].name),
        (0, 1) => format!("{} is always on", zeros[0].name),
        (_, 0) => format!("{} are never on together", list(&ones, "and")),
        (0, 2) => format!("{} are never both off", list(&zeros, "and")),
        (0, _) => format!("{} are never all off", list(&zeros, "and")),
        _ => {
            let be = if ones.len() == 1 { "is" } else { "are" };
            let (ones, zeros) = (list(&ones, "and"), list(&zeros, "or"));
            format!("whenever {ones} {be} on, {zeros} is on")
        }
    }
}

/// `y1, y2 and y3`.
fn list(units: &[&PatternUnit], last: &str) -> String {
    let names: Vec<&str> = units.iter().map(|u| u.name.as_str()).collect();
    match names.split_last() {
        None => String::new(),
        Some((only, [])) => only.to_string(),
        Some((end, others)) => format!("{} {last} {end}", others.join(", ")),
    }
}

/// `1 row`, `50 rows`.
fn noun(rows: f64) -> String {
    match digits(rows).as_str() {
        "1" => "1 row".to_string(),
        count => format!("{count} rows"),
    }
}

/// A count that may be a fraction.
fn digits(count: f64) -> String {
    let whole = count.round();
    match (count - whole).abs() < 5e-3 {
        true => format!("{whole}"),
        false => format!("{count:.2}"),
    }
}

/// A small number, to one digit.
fn small(value: f64) -> String {
    match value {
        value if value < 1e-6 => "under 0.000001".to_string(),
        value if value >= 0.95 => format!("{value:.1}"),
        value => {
            let places = (-value.log10()).ceil().max(1.0) as usize;
            format!("{value:.places$}")
        }
    }
}
