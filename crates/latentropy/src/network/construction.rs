//! Networks by name: of a named shape on units or columns, or from terms on named units.

use super::definition::Network;
use super::shapes::{Shape, TermOptions, named_terms};
use super::term::Term;
use super::unit::{Unit, units_of};
use crate::error::{Error, Result, shortened};

impl Network {
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
                    shortened(&names)
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
}
