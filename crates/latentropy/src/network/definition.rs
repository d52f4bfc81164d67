//! The network itself: units, terms and weights that were checked once.

use super::term::Term;
use super::unit::{Role, Unit};
use crate::error::{Error, Result};
use std::collections::HashSet;

/// [`Unit`]s, each with a [`Role`], and [`Term`]s with their weights.
///
/// ```
/// use latentropy::Network;
/// use latentropy::network::{Role, Term, Unit};
/// let units = vec![Unit::visible("rain"), Unit::visible("wet"), Unit::hidden("cloud")];
/// let network = Network::new(units, [(Term::new(vec![0, 1]), 1.5), (Term::new(vec![0, 2]), 0.5)])?;
/// assert_eq!(network.units()[2].role, Role::Hidden);
/// assert_eq!(network.terms()[1].units(), [0, 2]);
/// assert_eq!(network.exponent(|_| true), 2.0);
/// # Ok::<(), latentropy::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Network {
    pub(super) units: Vec<Unit>,
    pub(super) terms: Vec<Term>,
    pub(super) weights: Vec<f64>,
    pub(super) constant: f64,
}

/// The largest size of a weight, and of the constant: far beyond every machine, and far below what sums and squares overflow at.
pub(crate) const LARGEST_WEIGHT: f64 = 1e100;

/// Whether a weight is a number of a size that can be computed with.
pub(crate) fn is_allowed(weight: f64) -> bool {
    weight.abs() <= LARGEST_WEIGHT
}

impl Network {
    /// Checks and builds a network. Empty terms are added up into the constant; terms keep their order.
    pub fn new(
        units: Vec<Unit>,
        weighted_terms: impl IntoIterator<Item = (Term, f64)>,
    ) -> Result<Self> {
        check_names(&units)?;
        let (mut terms, mut weights, mut constant) = (Vec::new(), Vec::new(), 0.0);
        let mut seen = HashSet::new();
        for (term, weight) in weighted_terms {
            if let Some(&unit) = term.units().iter().find(|&&unit| unit >= units.len()) {
                return Err(Error::invalid(format!(
                    "a term names unit {unit}, but the units are 0 to {}",
                    units.len() - 1
                )));
            }
            let label = || label(&units, &term);
            if !is_allowed(weight) {
                return Err(Error::invalid(format!(
                    "the weight of term {} is {weight}; weights must be finite, of at most {LARGEST_WEIGHT:e} in size",
                    label()
                )));
            }
            if term.order() == 0 {
                constant += weight;
            } else if !seen.insert(term.clone()) {
                return Err(Error::invalid(format!(
                    "term {} is given twice; add the two weights into one term",
                    label()
                )));
            } else {
                terms.push(term);
                weights.push(weight);
            }
        }
        if !is_allowed(constant) {
            return Err(Error::invalid(format!(
                "the constant is {constant}; it must be finite, of at most {LARGEST_WEIGHT:e} in size"
            )));
        }
        Ok(Network {
            units,
            terms,
            weights,
            constant,
        })
    }

    /// The units.
    pub fn units(&self) -> &[Unit] {
        &self.units
    }

    /// The terms, none empty.
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// One weight λ per term.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The weight of the empty term: it changes log Z and no probability.
    pub fn constant(&self) -> f64 {
        self.constant
    }

    /// The same units and terms with other weights.
    pub fn with_weights(&self, weights: Vec<f64>) -> Result<Self> {
        if weights.len() != self.terms.len() {
            return Err(Error::invalid(format!(
                "{} weights for {} terms",
                weights.len(),
                self.terms.len()
            )));
        }
        if let Some(at) = weights.iter().position(|&weight| !is_allowed(weight)) {
            return Err(Error::invalid(format!(
                "the weight of term {} is {}; weights must be finite, of at most {LARGEST_WEIGHT:e} in size",
                self.label(at),
                weights[at]
            )));
        }
        Ok(Network {
            weights,
            ..self.clone()
        })
    }

    /// A term's name for people: its units' names joined by `*`; of a term that is not there, its number.
    pub fn label(&self, term: usize) -> String {
        match self.terms.get(term) {
            Some(term) => label(&self.units, term),
            None => format!("term {term}"),
        }
    }

    /// The unit of this name.
    pub fn unit_named(&self, name: &str) -> Option<usize> {
        self.units.iter().position(|unit| unit.name == name)
    }

    /// Indices of the visible units, ascending.
    pub fn visible(&self) -> Vec<usize> {
        self.with_role(Role::Visible)
    }

    /// Indices of the hidden units, ascending.
    pub fn hidden(&self) -> Vec<usize> {
        self.with_role(Role::Hidden)
    }

    fn with_role(&self, role: Role) -> Vec<usize> {
        (0..self.units.len())
            .filter(|&unit| self.units[unit].role == role)
            .collect()
    }

    /// The largest order of a term; 0 without terms.
    pub fn order(&self) -> usize {
        self.terms.iter().map(Term::order).max().unwrap_or(0)
    }

    /// The exponent constant + Σ λ_V f_V(x) of one full state.
    pub fn exponent(&self, state: impl Fn(usize) -> bool) -> f64 {
        self.terms
            .iter()
            .zip(&self.weights)
            .filter(|(term, _)| term.units().iter().all(|&unit| state(unit)))
            .map(|(_, weight)| weight)
            .sum::<f64>()
            + self.constant
    }
}

/// Every unit has a name of its own.
fn check_names(units: &[Unit]) -> Result<()> {
    if units.is_empty() {
        return Err(Error::invalid("a network needs at least one unit"));
    }
    let mut names = HashSet::new();
    for (at, unit) in units.iter().enumerate() {
        if unit.name.is_empty() {
            return Err(Error::invalid(format!(
                "unit {at} has no name; give every unit a name"
            )));
        }
        if !names.insert(unit.name.as_str()) {
            return Err(Error::invalid(format!(
                "two units are named \"{}\"; rename one of them",
                unit.name
            )));
        }
    }
    Ok(())
}

fn label(units: &[Unit], term: &Term) -> String {
    term.units()
        .iter()
        .map(|&unit| units[unit].name.as_str())
        .collect::<Vec<_>>()
        .join("*")
}
