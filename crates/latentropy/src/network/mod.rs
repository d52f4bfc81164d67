//! Networks: named units with roles, terms of any order with weights; no randomness and no scratch space.
//!
//! A network is p(x) = exp(constant + Σ_V λ_V Π_{v∈V} x_v) / Φ over x ∈ {0,1}^M.

mod clamp;
mod files;
mod shapes;
mod spins;
mod sums;
mod term_list;

pub use clamp::Clamp;
pub use files::{
    Format, LoadedNetwork, MODEL_FORMAT, from_json_value, model_json, network_from_bytes,
    network_to_bytes, read_network, write_network,
};
pub use shapes::{Shape, TermOptions, named_terms};
pub use spins::{SpinNetwork, from_spins, to_spins};
pub use term_list::read_terms;

use crate::error::{Error, Result};
use std::collections::HashSet;

/// Whether a unit is seen in the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// A column of the data.
    Visible,
    /// Never seen.
    Hidden,
}

/// A unit's name and role.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Unit {
    /// Unique in its network.
    pub name: String,
    /// Visible or hidden.
    pub role: Role,
}

impl Unit {
    /// A visible unit.
    pub fn visible(name: impl Into<String>) -> Self {
        Unit {
            name: name.into(),
            role: Role::Visible,
        }
    }

    /// A hidden unit.
    pub fn hidden(name: impl Into<String>) -> Self {
        Unit {
            name: name.into(),
            role: Role::Hidden,
        }
    }
}

/// A set of units, ascending and without repetition: the feature f_V(x) = Π_{v∈V} x_v.
#[derive(
    Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
pub struct Term(Box<[usize]>);

impl Term {
    /// The term on these units, in any order; a unit given twice counts once (x² = x).
    pub fn new(mut units: Vec<usize>) -> Self {
        units.sort_unstable();
        units.dedup();
        Term(units.into_boxed_slice())
    }

    /// The units, ascending.
    pub fn units(&self) -> &[usize] {
        &self.0
    }

    /// How many units: 1 a bias, 2 a pair, 3 and more a higher-order term.
    pub fn order(&self) -> usize {
        self.0.len()
    }
}

/// Units, terms and weights.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Network {
    units: Vec<Unit>,
    terms: Vec<Term>,
    weights: Vec<f64>,
    constant: f64,
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
            if !weight.is_finite() {
                return Err(Error::invalid(format!(
                    "the weight of term {} is {weight}; weights must be finite",
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
        Ok(Network {
            units,
            terms,
            weights,
            constant,
        })
    }

    /// Visible units y1, y2, … and hidden units z1, z2, …, every pair and every bias, all weights zero: the paper's machine,
    /// with biases.
    ///
    /// ```
    /// use latentropy::Network;
    /// assert_eq!(Network::full(5, 3).terms().len(), 8 + 28);
    /// ```
    pub fn full(visible: usize, hidden: usize) -> Self {
        Network::shaped(Shape::Full, visible, hidden)
    }

    /// The same with visible–hidden pairs only: a restricted machine.
    pub fn rbm(visible: usize, hidden: usize) -> Self {
        Network::shaped(Shape::Rbm, visible, hidden)
    }

    /// The same with visible–hidden and visible–visible pairs.
    pub fn semi_restricted(visible: usize, hidden: usize) -> Self {
        Network::shaped(Shape::SemiRestricted, visible, hidden)
    }

    /// Every pair of visible units, and no hidden one.
    pub fn visible_pairs(visible: usize) -> Self {
        Network::shaped(Shape::Visible, visible, 0)
    }

    /// A named shape up to pairs, with biases; at least one unit.
    fn shaped(shape: Shape, visible: usize, hidden: usize) -> Self {
        let names: Vec<String> = (1..=visible.max(1)).map(|u| format!("y{u}")).collect();
        let options = TermOptions {
            shape,
            ..TermOptions::default()
        };
        let units = units_of(&names, hidden);
        // Biases alone make at least one term, and pairs of named units are never given twice.
        let terms = named_terms(&units, &options).unwrap_or_default();
        let weights = vec![0.0; terms.len()];
        Network {
            units,
            terms,
            weights,
            constant: 0.0,
        }
    }

    /// A machine from names: visible units, hidden units, and terms on them with their weights.
    ///
    /// ```
    /// use latentropy::Network;
    /// let agree = Network::from_terms(&["a", "b"], &["z"], &[(&["a", "z"], 2.0), (&["b", "z"], 2.0), (&["z"], -2.0)])?;
    /// assert_eq!(agree.hidden(), [2]);
    /// # Ok::<(), latentropy::Error>(())
    /// ```
    pub fn from_terms(visible: &[&str], hidden: &[&str], terms: &[(&[&str], f64)]) -> Result<Self> {
        let units = visible.iter().map(|name| Unit::visible(*name));
        let units: Vec<Unit> = units
            .chain(hidden.iter().map(|name| Unit::hidden(*name)))
            .collect();
        let place = |name: &&str| {
            let found = units.iter().position(|unit| unit.name == *name);
            found.ok_or_else(|| {
                let names: Vec<&str> = units.iter().map(|unit| unit.name.as_str()).collect();
                Error::invalid(format!(
                    "there is no unit named \"{name}\"; the units are {}",
                    crate::error::shortened(&names)
                ))
            })
        };
        let terms = terms
            .iter()
            .map(|(names, weight)| {
                let places = names.iter().map(place).collect::<Result<Vec<usize>>>()?;
                Ok((Term::new(places), *weight))
            })
            .collect::<Result<Vec<_>>>()?;
        Network::new(units, terms)
    }

    /// A machine of a named shape on these columns, all weights zero; hidden units are z1, z2, …, or z_1, z_2, … where a
    /// column has such a name.
    pub fn on_columns(columns: &[String], hidden: usize, options: &TermOptions) -> Result<Self> {
        let units = units_of(columns, hidden);
        let terms = named_terms(&units, options)?;
        Network::new(units, terms.into_iter().map(|term| (term, 0.0)))
    }

    /// The units.
    pub fn units(&self) -> &[Unit] {
        &self.units
    }

    /// The terms, none empty.
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// One weight λ a term.
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
        if let Some(at) = weights.iter().position(|weight| !weight.is_finite()) {
            return Err(Error::invalid(format!(
                "the weight of term {} is {}; weights must be finite",
                self.label(at),
                weights[at]
            )));
        }
        Ok(Network {
            weights,
            ..self.clone()
        })
    }

    /// A term's name for people: its units' names joined by `*`.
    pub fn label(&self, term: usize) -> String {
        label(&self.units, &self.terms[term])
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

/// The columns, visible, then hidden units under names that no column has: z1, z2, … or, if one of these is taken,
/// z_1, z_2, … and so on.
pub fn units_of(columns: &[String], hidden: usize) -> Vec<Unit> {
    let mut prefix = "z".to_string();
    let name = |prefix: &str, at: usize| format!("{prefix}{at}");
    while (1..=hidden).any(|at| columns.contains(&name(&prefix, at))) {
        prefix.push('_');
    }
    let visible = columns.iter().map(Unit::visible);
    let hidden = (1..=hidden).map(|at| Unit::hidden(name(&prefix, at)));
    visible.chain(hidden).collect()
}

fn label(units: &[Unit], term: &Term) -> String {
    term.units()
        .iter()
        .map(|&unit| units[unit].name.as_str())
        .collect::<Vec<_>>()
        .join("*")
}
