//! Visits and sweeps of 64 chains: by tiles where the machine is dense, by lists elsewhere.

use super::direction::Direction;
use super::draw::Temperatures;
use super::group::Group;
use super::lanes::Lanes;
use super::machine::Machine;
use super::visit_lists::{visit_lists, visit_lists_weighted};
use super::visit_tiles::{visit_tiles, visit_tiles_weighted};
use super::weigher::Weigher;
use std::ops::Range;

impl Group {
    /// Draws the units of a range of places, each given all others.
    pub(crate) fn visit(
        &mut self,
        machine: &Machine,
        range: Range<usize>,
        direction: Direction,
        temperatures: &Temperatures,
    ) {
        match &machine.tiles {
            Some(_) => visit_tiles(machine, self, range, direction, temperatures),
            None => visit_lists(machine, self, range, direction, temperatures),
        }
    }

    /// Every unit once.
    pub(crate) fn sweep(&mut self, machine: &Machine, temperatures: &Temperatures) {
        self.visit(machine, 0..machine.units(), Direction::Onward, temperatures);
    }

    /// As [`Group::visit`] on the units that have no term in common, adding log f_to − log f_from to the log
    /// weights on the way, where f_β(y) = Σ_z exp of the path's exponent, z those units and y the others.
    pub(crate) fn visit_weighted(
        &mut self,
        machine: &Machine,
        from: f64,
        to: f64,
        log_weights: &mut Lanes,
    ) {
        let mut weigher = Weigher::new(from, to, self.excess);
        match &machine.tiles {
            Some(_) => visit_tiles_weighted(machine, self, &mut weigher),
            None => visit_lists_weighted(machine, self, &mut weigher),
        }
        weigher.add_to(log_weights);
    }
}
