//! Units held at a value while the others are summed over.

use super::definition::Network;
use crate::error::{Error, Result, shortened};

/// For each unit, the value it is held at, if any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clamp(Vec<Option<bool>>);

impl Clamp {
    /// No unit is held.
    pub fn none(units: usize) -> Self {
        Clamp(vec![None; units])
    }

    /// The given value per unit.
    pub fn new(values: Vec<Option<bool>>) -> Self {
        Clamp(values)
    }

    /// Holds the named units at their values.
    pub fn by_name(network: &Network, given: &[(&str, bool)]) -> Result<Self> {
        let mut clamp = Clamp::none(network.units().len());
        for (name, value) in given {
            let unit = network.unit_named(name).ok_or_else(|| {
                let names: Vec<&str> = network.units().iter().map(|u| u.name.as_str()).collect();
                Error::invalid(format!(
                    "there is no unit named \"{name}\"; the units are {}",
                    shortened(&names)
                ))
            })?;
            if clamp.0[unit].is_some_and(|held| held != *value) {
                return Err(Error::invalid(format!(
                    "unit \"{name}\" is given both as 0 and as 1; keep one of the two"
                )));
            }
            clamp.0[unit] = Some(*value);
        }
        Ok(clamp)
    }

    /// Holds unit `unit` at `value`; refused where there is no such unit.
    pub fn hold(&mut self, unit: usize, value: bool) -> Result<()> {
        let units = self.0.len();
        match self.0.get_mut(unit) {
            Some(held) => *held = Some(value),
            None => {
                return Err(Error::invalid(format!(
                    "unit {unit} cannot be held: the units are 0 to {}",
                    units.saturating_sub(1)
                )));
            }
        }
        Ok(())
    }

    /// The value unit `unit` is held at; none where there is no such unit.
    pub fn get(&self, unit: usize) -> Option<bool> {
        self.0.get(unit).copied().flatten()
    }

    /// The units that are not held, ascending.
    pub(crate) fn free(&self) -> Vec<usize> {
        let is_free = |&unit: &usize| self.0[unit].is_none();
        (0..self.len()).filter(is_free).collect()
    }

    /// Refuses a network of another number of units.
    pub(crate) fn check_fits(&self, network: &Network) -> Result<()> {
        let units = network.units().len();
        if self.len() != units {
            return Err(Error::invalid(format!(
                "a clamp on {} units for a network of {units}",
                self.len()
            )));
        }
        Ok(())
    }

    /// How many units there are, held or not.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True of a clamp on no unit at all.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
