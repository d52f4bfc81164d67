//! 64 chains side by side: the state of a unit in all of them is one row, and a visit draws a whole row.

use super::draw::{Row, Temperatures, draw, log_odds, unpacked};
use super::machine::{Lists, Machine};
use super::random::{CHAINS, LaneRandom};
use super::tiles;
use crate::inference::kernels::{exponential, fused};
use crate::random::Random;
use multiversion::multiversion;
use multiversion::target::target_cfg_f;
use std::ops::Range;

/// One number a chain.
pub(crate) type Lanes = [f64; CHAINS];

/// The states of 64 chains, in the machine's order of units.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub(crate) states: Vec<Row>,
    pub(crate) random: LaneRandom,
    /// Σ λ f − Σ base x of every chain, kept up to date.
    pub(crate) excess: Lanes,
    /// On dense machines: the fields in fixed point, a panel of units of a chain side by side.
    pub(crate) fields: Vec<[i32; tiles::PANEL]>,
}

/// In which direction units are visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Onward,
    Backward,
}

impl Group {
    /// All chains drawn from the independent units that paths begin with.
    pub(crate) fn new(machine: &Machine, rng: &mut Random) -> Self {
        let mut group = Group {
            states: vec![[0; CHAINS]; machine.units()],
            random: LaneRandom::new(rng),
            excess: [0.0; CHAINS],
            fields: Vec::new(),
        };
        group.restart(machine);
        group
    }

    /// Draws all chains anew from the base.
    pub(crate) fn restart(&mut self, machine: &Machine) {
        for (row, &base) in self.states.iter_mut().zip(&machine.base) {
            draw(&[base as f32; CHAINS], &mut self.random, row);
        }
        self.refresh(machine);
    }

    /// Computes what depends on states and weights: after a change of either from outside.
    pub(crate) fn refresh(&mut self, machine: &Machine) {
        self.excess = [0.0; CHAINS];
        for (set, &coefficient) in machine.sets.iter().zip(&machine.coefficients) {
            add_where(&mut self.excess, coefficient, set, &self.states);
        }
        for (at, &base) in machine.base.iter().enumerate() {
            add_where(&mut self.excess, -base, &[at as u32], &self.states);
        }
        if let Some(tiles) = &machine.tiles {
            self.fields = tiles.fields(&self.states);
        }
    }

    /// Draws the units of a range of places, each given all others.
    pub(crate) fn visit(
        &mut self,
        machine: &Machine,
        range: Range<usize>,
        direction: Direction,
        temperatures: &Temperatures,
    ) {
        match &machine.tiles {
            Some(_) => tiles::visit(machine, self, range, direction, temperatures),
            None => visit_lists(machine, self, range, direction, temperatures),
        }
    }

    /// Every unit once.
    pub(crate) fn sweep(&mut self, machine: &Machine, temperatures: &Temperatures) {
        self.visit(machine, 0..machine.units(), Direction::Onward, temperatures);
    }

    /// Σ λ f of every chain.
    pub(crate) fn exponents(&self, machine: &Machine) -> Lanes {
        let mut exponents = self.excess;
        for (at, &base) in machine.base.iter().enumerate() {
            if base != 0.0 {
                add_where(&mut exponents, base, &[at as u32], &self.states);
            }
        }
        exponents
    }

    /// Takes states over, one word a place.
    pub(crate) fn set_words(&mut self, machine: &Machine, words: &[u64]) {
        for (row, &word) in self.states.iter_mut().zip(words) {
            *row = unpacked(word);
        }
        self.refresh(machine);
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
            Some(_) => tiles::visit_weighted(machine, self, &mut weigher),
            None => visit_lists_weighted(machine, self, &mut weigher),
        }
        weigher.add_to(log_weights);
    }
}

/// Adds `weight` in the chains where all units of the set are on.
fn add_where(sums: &mut Lanes, weight: f64, set: &[u32], states: &[Row]) {
    for chain in 0..CHAINS {
        if set.iter().all(|&unit| states[unit as usize][chain] != 0) {
            sums[chain] += weight;
        }
    }
}

/// Σ_{V∋unit} λ_V Π_{v∈V, v≠unit} x_v in every chain.
#[inline(always)]
fn field(lists: &Lists, bias: f64, unit: usize, states: &[Row]) -> Lanes {
    let mut fields = [bias; CHAINS];
    for at in lists.starts[unit]..lists.starts[unit + 1] {
        let other = &states[lists.neighbours[at] as usize];
        let weight = lists.weights[at].to_bits();
        for chain in 0..CHAINS {
            fields[chain] += f64::from_bits(weight & i64::from(other[chain]) as u64);
        }
    }
    for &(start, end, weight) in
        &lists.higher[lists.higher_starts[unit]..lists.higher_starts[unit + 1]]
    {
        let mut all: Row = [-1; CHAINS];
        for &other in &lists.members[start as usize..end as usize] {
            for chain in 0..CHAINS {
                all[chain] &= states[other as usize][chain];
            }
        }
        for chain in 0..CHAINS {
            fields[chain] += f64::from_bits(weight.to_bits() & i64::from(all[chain]) as u64);
        }
    }
    fields
}

/// Draws one unit from its fields and keeps the excess up to date.
#[inline(always)]
pub(super) fn step<const FMA: bool>(
    fields: &Lanes,
    base: f64,
    temperatures: &Temperatures,
    random: &mut LaneRandom,
    state: &mut Row,
    excess: &mut Lanes,
) -> Row {
    let old = *state;
    let odds = log_odds::<FMA>(fields, base, temperatures);
    draw(&odds, random, state);
    for chain in 0..CHAINS {
        let change = f64::from(old[chain].wrapping_sub(state[chain]));
        excess[chain] = fused::<FMA>(change, fields[chain] - base, excess[chain]);
    }
    old
}

#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+avx2+fma+bmi2",
    "x86_64+avx2+fma+bmi2",
    "aarch64+neon"
))]
fn visit_lists(
    machine: &Machine,
    group: &mut Group,
    range: Range<usize>,
    direction: Direction,
    temperatures: &Temperatures,
) {
    const FMA: bool = target_cfg_f!(any(target_feature = "fma", target_feature = "neon"));
    let (start, end) = (range.start, range.end);
    for at in range {
        let unit = match direction {
            Direction::Onward => at,
            Direction::Backward => start + end - 1 - at,
        };
        let fields = field(&machine.lists, machine.bias[unit], unit, &group.states);
        step::<FMA>(
            &fields,
            machine.base[unit],
            temperatures,
            &mut group.random,
            &mut group.states[unit],
            &mut group.excess,
        );
    }
}

#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+avx2+fma+bmi2",
    "x86_64+avx2+fma+bmi2",
    "aarch64+neon"
))]
fn visit_lists_weighted(machine: &Machine, group: &mut Group, weigher: &mut Weigher) {
    const FMA: bool = target_cfg_f!(any(target_feature = "fma", target_feature = "neon"));
    let temperatures = Temperatures::all(weigher.to);
    for unit in 0..machine.independent {
        let fields = field(&machine.lists, machine.bias[unit], unit, &group.states);
        let base = machine.base[unit];
        let old = step::<FMA>(
            &fields,
            base,
            &temperatures,
            &mut group.random,
            &mut group.states[unit],
            &mut group.excess,
        );
        weigher.add::<FMA>(&fields, base, &old);
    }
}

/// Sums log f_to − log f_from over the independent units.
#[derive(Debug)]
pub(super) struct Weigher {
    from: f64,
    pub(super) to: f64,
    /// The excess before, less the part of the independent units.
    rest: Lanes,
    sums: Lanes,
    /// Π (1 + e^-|x_to|) / (1 + e^-|x_from|) of the last units: one logarithm for many.
    products: Lanes,
    waiting: usize,
}

impl Weigher {
    fn new(from: f64, to: f64, excess: Lanes) -> Self {
        Weigher {
            from,
            to,
            rest: excess,
            sums: [0.0; CHAINS],
            products: [1.0; CHAINS],
            waiting: 0,
        }
    }

    #[inline(always)]
    pub(super) fn add<const FMA: bool>(&mut self, fields: &Lanes, base: f64, old: &Row) {
        for chain in 0..CHAINS {
            let change = fields[chain] - base;
            let before = fused::<FMA>(self.from, change, base);
            let after = fused::<FMA>(self.to, change, base);
            let upper = 1.0 + exponential::<FMA>(-after.abs());
            let lower = 1.0 + exponential::<FMA>(-before.abs());
            self.products[chain] *= upper / lower;
            let positive = |x: f64| if x > 0.0 { x } else { 0.0 };
            self.sums[chain] += positive(after) - positive(before);
            self.rest[chain] += f64::from(old[chain]) * change;
        }
        self.waiting += 1;
        // Each factor lies between a half and two.
        if self.waiting == 512 {
            self.fold();
        }
    }

    fn fold(&mut self) {
        for chain in 0..CHAINS {
            self.sums[chain] += self.products[chain].ln();
        }
        self.products = [1.0; CHAINS];
        self.waiting = 0;
    }

    fn add_to(mut self, log_weights: &mut Lanes) {
        self.fold();
        for chain in 0..CHAINS {
            log_weights[chain] += (self.to - self.from) * self.rest[chain] + self.sums[chain];
        }
    }
}
