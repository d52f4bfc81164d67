//! Given weights that a search begins at: those of another machine, matched by the names of its units.

use crate::error::{Error, Result};
use crate::message::{Setting, words};
use crate::network::{Network, Role, Term};
use std::collections::HashMap;

/// `structure` with the weights of `start`: terms that it does not have are zero, and terms of its own are refused.
pub(super) fn matched(structure: &Network, start: &Network) -> Result<Network> {
    let places: HashMap<&str, usize> = structure
        .units()
        .iter()
        .enumerate()
        .map(|(at, unit)| (unit.name.as_str(), at))
        .collect();
    let mut places_of = Vec::with_capacity(start.units().len());
    for unit in start.units() {
        let place = places.get(unit.name.as_str()).copied();
        let fits = place.is_some_and(|at| structure.units()[at].role == unit.role);
        places_of.push(place.filter(|_| fits).ok_or_else(|| {
            let role = match unit.role {
                Role::Visible => "visible",
                Role::Hidden => "hidden",
            };
            Error::invalid(words![
                Setting::Start,
                format!(
                    " has a {role} unit \"{}\", which the machine to be learned has not; give weights of the same machine",
                    unit.name
                ),
            ])
        })?);
    }
    let terms: HashMap<&Term, usize> = structure.terms().iter().zip(0..).collect();
    let mut weights = vec![0.0; structure.terms().len()];
    for (term, weight) in start.terms().iter().zip(start.weights()) {
        let units: Vec<usize> = term.units().iter().map(|&unit| places_of[unit]).collect();
        let moved = Term::new(units);
        match terms.get(&moved) {
            Some(&at) => weights[at] = *weight,
            // A constant changes no probability.
            None if term.order() == 0 || *weight == 0.0 => {}
            None => {
                return Err(Error::invalid(words![
                    Setting::Start,
                    format!(
                        " has a weight for {}, a term that the machine to be learned has not; give weights of the same machine",
                        start.label(start.terms().iter().position(|t| t == term).unwrap_or(0))
                    ),
                ]));
            }
        }
    }
    structure.with_weights(weights)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::TermOptions;

    #[test]
    fn weights_are_matched_by_names() {
        let options = TermOptions::default();
        let named = |names: &[&str], hidden| {
            let names: Vec<String> = names.iter().map(|name| name.to_string()).collect();
            Network::on_columns(&names, hidden, &options).unwrap()
        };
        let (ab, ba) = (named(&["a", "b"], 1), named(&["b", "a"], 1));
        let count = ba.terms().len();
        let start = ba
            .with_weights((0..count).map(|w| w as f64).collect())
            .unwrap();
        let found = matched(&ab, &start).unwrap();
        for (at, weight) in found.weights().iter().enumerate() {
            let label = found.label(at);
            let same = (0..count).find(|&other| {
                let mut one: Vec<&str> = label.split('*').collect();
                let two = start.label(other);
                let mut two: Vec<&str> = two.split('*').collect();
                one.sort_unstable();
                two.sort_unstable();
                one == two
            });
            assert_eq!(Some(*weight), same.map(|other| other as f64), "{label}");
        }
        let other = named(&["a", "c"], 1);
        let refused = matched(&ab, &other).unwrap_err().to_string();
        assert!(refused.contains("\"c\""), "{refused}");
        let refused = matched(&ab, &named(&["a", "b"], 2))
            .unwrap_err()
            .to_string();
        assert!(refused.contains("z2"), "{refused}");
    }
}
