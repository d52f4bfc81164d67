//! Graph shapes with names: which terms a machine has, given its units.

use super::term::Term;
use super::unit::{Role, Unit};
use crate::error::{Error, Result};
use std::fmt;
use std::str::FromStr;

/// More terms than this are a mistake in the settings, not a machine that can be learned.
pub(super) const MOST_TERMS: u64 = 1_000_000;

/// Which sets of units have a term.
///
/// For an example see [`Structure`](crate::fit::Structure).
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// Every set of units.
    #[default]
    Full,
    /// One hidden unit with visible ones: given the visible side the hidden units are independent
    /// and, at order 2, the other way round too.
    Rbm,
    /// At most one hidden unit: an RBM whose visible units are also connected among themselves.
    SemiRestricted,
    /// A semi-restricted machine with those pairs of visible units alone that the rows show to be associated; which they
    /// are is seen where there are rows.
    Screened,
    /// Every set of units, and no unit is hidden.
    Visible,
    /// Biases alone, and no unit is hidden: columns that have nothing to do with each other.
    Independent,
}

impl Shape {
    const NAMED: [(Shape, &'static str); 6] = [
        (Shape::Full, "full"),
        (Shape::Rbm, "rbm"),
        (Shape::SemiRestricted, "semi-restricted"),
        (Shape::Screened, "screened"),
        (Shape::Visible, "visible"),
        (Shape::Independent, "independent"),
    ];
}

impl fmt::Display for Shape {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = Shape::NAMED.iter().find(|(shape, _)| shape == self);
        formatter.pad(named.map_or("", |(_, name)| name))
    }
}

impl FromStr for Shape {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let found = Shape::NAMED.iter().find(|(_, name)| *name == text);
        found.map(|(shape, _)| *shape).ok_or_else(|| {
            Error::invalid(format!(
                "there is no shape \"{text}\"; the shapes are full, rbm, semi-restricted, screened, visible and independent"
            ))
        })
    }
}

/// What terms to make.
///
/// For an example see [`Structure`](crate::fit::Structure).
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct TermOptions {
    /// Which sets of units have a term.
    pub shape: Shape,
    /// Whether every unit has a bias.
    pub bias: bool,
    /// The largest number of units in a term; 1 makes biases only.
    pub order: usize,
}

impl Default for TermOptions {
    fn default() -> Self {
        TermOptions {
            shape: Shape::Full,
            bias: true,
            order: 2,
        }
    }
}

/// The terms of a named shape: biases first, then by order, lexicographic within an order.
///
/// Up to order K, `full` and `visible` take all sets of 2 to K units; `semi-restricted` those with
/// at most one hidden unit; `rbm` those of exactly one hidden and 1 to K−1 visible units, the sets
/// that keep the hidden units independent given the visible ones.
pub fn named_terms(units: &[Unit], options: &TermOptions) -> Result<Vec<Term>> {
    let with_role = |role| (0..units.len()).filter(move |&unit| units[unit].role == role);
    let visible: Vec<usize> = with_role(Role::Visible).collect();
    let hidden: Vec<usize> = with_role(Role::Hidden).collect();
    check(&hidden, options)?;
    check_count(visible.len(), hidden.len(), options)?;

    let all: Vec<usize> = (0..units.len()).collect();
    let mut terms: Vec<Term> = Vec::new();
    if options.bias {
        terms.extend(all.iter().map(|&unit| Term::new(vec![unit])));
    }
    for order in 2..=options.order.min(units.len()) {
        let start = terms.len();
        match options.shape {
            // A screened one without rows was refused above.
            Shape::Independent | Shape::Screened => {}
            Shape::Full | Shape::Visible => terms.extend(combinations(&all, order)),
            Shape::Rbm => terms.extend(with_one_hidden(&visible, &hidden, order)),
            Shape::SemiRestricted => {
                terms.extend(combinations(&visible, order));
                terms.extend(with_one_hidden(&visible, &hidden, order));
            }
        }
        terms[start..].sort_unstable();
    }
    if terms.is_empty() {
        return Err(Error::invalid(format!(
            "shape {} has no term on {} visible and {} hidden units without biases; \
             add hidden units, take another shape, or allow biases",
            options.shape,
            visible.len(),
            hidden.len()
        )));
    }
    Ok(terms)
}

fn check(hidden: &[usize], options: &TermOptions) -> Result<()> {
    let problem = match (options.order, options.bias) {
        (0, _) => "order 0 leaves no terms; take order 2 for pairs",
        (1, false) => {
            "order 1 without biases leaves no terms; allow biases or take order 2 for pairs"
        }
        _ if options.shape == Shape::Screened => {
            "shape screened takes its pairs from rows, and there are none here; \
             list the terms, or take shape semi-restricted"
        }
        _ if options.shape == Shape::Visible && !hidden.is_empty() => {
            "shape visible has no hidden unit, but hidden units are asked for; \
             ask for none, or take shape full, rbm or semi-restricted"
        }
        _ if options.shape == Shape::Independent && !hidden.is_empty() => {
            "shape independent has no hidden unit, but hidden units are asked for; \
             ask for none, or take shape full, rbm or semi-restricted"
        }
        _ if options.shape == Shape::Independent && !options.bias => {
            "shape independent is biases alone, and without them it has no terms; allow biases"
        }
        _ => return Ok(()),
    };
    Err(Error::invalid(problem.to_string()))
}

/// Counts before anything is built: a large order on many units must not fill the memory first.
fn check_count(visible: usize, hidden: usize, options: &TermOptions) -> Result<()> {
    let (visible, hidden) = (visible as u64, hidden as u64);
    let units = visible + hidden;
    let mut count = if options.bias { units } else { 0 };
    for order in 2..=(options.order as u64).min(units) {
        let with_one_hidden = || hidden.saturating_mul(binomial(visible, order - 1));
        count = count.saturating_add(match options.shape {
            Shape::Independent | Shape::Screened => 0,
            Shape::Full | Shape::Visible => binomial(units, order),
            Shape::Rbm => with_one_hidden(),
            Shape::SemiRestricted => binomial(visible, order).saturating_add(with_one_hidden()),
        });
        if count > MOST_TERMS {
            return Err(Error::too_large(
                format!(
                    "shape {} up to order {} on {visible} visible and {hidden} hidden units has more \
                     than {MOST_TERMS} terms",
                    options.shape, options.order
                ),
                "lower the order, take a sparser shape, or list the terms in a file",
            ));
        }
    }
    Ok(())
}

/// The number of `chosen`-subsets; any value above the limit on terms stands for "too many".
fn binomial(items: u64, chosen: u64) -> u64 {
    if chosen > items {
        return 0;
    }
    let mut value: u64 = 1;
    for step in 0..chosen.min(items - chosen) {
        // Each partial product is itself a binomial that is no larger than the result.
        value = value.saturating_mul(items - step) / (step + 1);
        if value > MOST_TERMS {
            break;
        }
    }
    value
}

fn with_one_hidden(visible: &[usize], hidden: &[usize], order: usize) -> Vec<Term> {
    let mut terms = Vec::new();
    for set in combinations(visible, order - 1) {
        for &unit in hidden {
            terms.push(Term::new([set.units(), &[unit]].concat()));
        }
    }
    terms
}

/// All sets of `size` items, lexicographically.
fn combinations(items: &[usize], size: usize) -> Vec<Term> {
    let mut sets = Vec::new();
    if size > items.len() {
        return sets;
    }
    let mut places: Vec<usize> = (0..size).collect();
    loop {
        sets.push(Term::new(
            places.iter().map(|&place| items[place]).collect(),
        ));
        // The last place that can still move right; all after it follow it closely.
        let movable = (0..size).rfind(|&at| places[at] < items.len() - size + at);
        let Some(at) = movable else { return sets };
        places[at] += 1;
        for next in at + 1..size {
            places[next] = places[next - 1] + 1;
        }
    }
}
