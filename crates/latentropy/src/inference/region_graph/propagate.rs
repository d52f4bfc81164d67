//! Messages between inner and outer regions, in logarithms: single loop where that settles, double loop where not.
//!
//! F = Σ_α Σ Q_α log(Q_α/ψ_α) + Σ_β c_β Σ Q_β log Q_β with consistent marginals. The single loop iterates the stationarity
//! conditions. The double loop replaces the concave parts (c_β < 0) by their tangents and minimises the convex rest; every
//! such step lowers F (Heskes, Albers and Kappen 2003; Yuille 2002).

use super::regions::RegionGraph;
use crate::inference::reduction::FreeTerms;

/// Beliefs that change by less have settled.
const SETTLED: f64 = 1e-14;
/// Beliefs that change by less are good enough where rounding keeps them moving.
const NEARLY: f64 = 1e-10;
/// Marginals that differ by less agree.
const AGREED: f64 = 1e-8;
/// Logarithms beyond this have lost the digits that matter.
const LARGEST: f64 = 1e7;
/// Damping and sweeps of the single loop, tried in this order.
const SINGLE: [(f64, usize); 3] = [(0.0, 500), (0.5, 1_000), (0.8, 3_000)];
/// A single loop is given up where this many sweeps do not bring the change down to nine tenths.
const PATIENCE: usize = 100;
/// Steps of the double loop, and sweeps within one.
const OUTER: usize = 20_000;
const INNER: usize = 30;

/// Entries of tables that may be gone through in all: a few seconds on one core.
const MOST_WORK: f64 = 2e8;

/// Beliefs under way; all tables are logarithms.
pub(super) struct Beliefs<'a> {
    graph: &'a RegionGraph,
    /// The terms of each outer region.
    potentials: Vec<Vec<f64>>,
    /// log Q of the outer regions, up to a constant.
    outer: Vec<Vec<f64>>,
    /// log Q of the inner regions, normalised.
    inner: Vec<Vec<f64>>,
    /// For each inner region and each of its parents: the message down, and where each state of the parent goes.
    messages: Vec<Vec<Vec<f64>>>,
    places: Vec<Vec<Vec<u16>>>,
    /// −c/n · log Q of each inner region at the last tangent; zero in a single loop.
    tangents: Vec<Vec<f64>>,
    /// Entries that a sweep goes through, and how many have been gone through so far.
    work_a_sweep: f64,
    work: f64,
}

impl<'a> Beliefs<'a> {
    /// Every term goes to the first outer region that holds it.
    pub(super) fn new(graph: &'a RegionGraph, terms: &FreeTerms, homes: &[(usize, usize)]) -> Self {
        let mut potentials: Vec<Vec<f64>> = graph
            .outer
            .iter()
            .map(|r| vec![0.0; 1 << r.len()])
            .collect();
        for (&(home, mask), &weight) in homes.iter().zip(&terms.coefficients) {
            for (state, value) in potentials[home].iter_mut().enumerate() {
                if state & mask == mask {
                    *value += weight;
                }
            }
        }
        let uniform = |units: usize| vec![-(units as f64) * std::f64::consts::LN_2; 1 << units];
        let zeros = |i: &super::regions::Inner| vec![0.0; 1 << i.units.len()];
        let places = |i: &super::regions::Inner| {
            let parents = i.parents.iter();
            parents
                .map(|&parent| places(&graph.outer[parent], &i.units))
                .collect()
        };
        Beliefs {
            outer: potentials.clone(),
            potentials,
            inner: graph.inner.iter().map(|i| uniform(i.units.len())).collect(),
            messages: graph
                .inner
                .iter()
                .map(|i| vec![zeros(i); i.parents.len()])
                .collect(),
            places: graph.inner.iter().map(places).collect(),
            tangents: graph.inner.iter().map(zeros).collect(),
            work_a_sweep: graph
                .inner
                .iter()
                .flat_map(|i| &i.parents)
                .map(|&parent| 2f64.powi(graph.outer[parent].len() as i32))
                .sum(),
            work: 0.0,
            graph,
        }
    }

    fn restart(&mut self) {
        for (table, potential) in self.outer.iter_mut().zip(&self.potentials) {
            table.copy_from_slice(potential);
        }
        let messages = self.messages.iter_mut().flatten();
        for table in messages.chain(&mut self.tangents) {
            table.fill(0.0);
        }
        for (table, inner) in self.inner.iter_mut().zip(&self.graph.inner) {
            table.fill(-(inner.units.len() as f64) * std::f64::consts::LN_2);
        }
    }

    /// Runs until beliefs agree; `false` where they never do.
    pub(super) fn settle(&mut self) -> bool {
        if self.graph.inner.is_empty() {
            return true;
        }
        // Where a region counts more than once, as the root of a star does, single loops run away to certain beliefs.
        let proper = |i: &super::regions::Inner| {
            i.counting <= 1.0 && i.counting + i.parents.len() as f64 > 0.5
        };
        if self.graph.inner.iter().all(proper) {
            for (damping, sweeps) in SINGLE {
                self.restart();
                // Messages that run away leave beliefs that no longer change, and are wrong.
                if self.single_loop(damping, sweeps) && self.agree() {
                    return true;
                }
            }
        }
        self.restart();
        self.double_loop() && self.agree()
    }

    /// Whether every outer region has the marginals that its inner regions say, in numbers that can still be trusted.
    fn agree(&self) -> bool {
        let small = |value: &f64| value.abs() < LARGEST;
        if !self.outer.iter().flatten().all(small) {
            return false;
        }
        self.graph.inner.iter().enumerate().all(|(at, inner)| {
            inner.parents.iter().enumerate().all(|(slot, &parent)| {
                let states = 1usize << inner.units.len();
                let mut own = marginal(&self.outer[parent], &self.places[at][slot], states);
                normalise(&mut own);
                let mut pairs = own.iter().zip(&self.inner[at]);
                pairs.all(|(a, b)| (a.exp() - b.exp()).abs() <= AGREED)
            })
        })
    }

    fn single_loop(&mut self, damping: f64, sweeps: usize) -> bool {
        let (mut mark, mut lowest) = (f64::INFINITY, f64::INFINITY);
        for sweep in 1..=sweeps {
            let change = self.sweep(|counting| counting, damping);
            // Half of the work is left for the double loop.
            if !change.is_finite() || self.work > 0.5 * MOST_WORK {
                return false;
            }
            lowest = lowest.min(change);
            if change <= SETTLED {
                return true;
            }
            if sweep % PATIENCE == 0 {
                if lowest > 0.9 * mark {
                    return lowest <= NEARLY;
                }
                mark = lowest;
            }
        }
        lowest <= NEARLY
    }

    fn double_loop(&mut self) -> bool {
        let mut change = f64::INFINITY;
        for _ in 0..OUTER {
            let before = self.inner.clone();
            for _ in 0..INNER {
                if self.sweep(|counting| counting.max(0.0), 0.0) <= 0.1 * SETTLED {
                    break;
                }
            }
            change = 0.0;
            for (old, new) in before.iter().flatten().zip(self.inner.iter().flatten()) {
                change = f64::max(change, (old.exp() - new.exp()).abs());
            }
            if change <= SETTLED || self.work > MOST_WORK {
                break;
            }
            self.move_tangents();
        }
        change <= NEARLY
    }

    /// New tangents at the present beliefs of the regions that count negatively.
    fn move_tangents(&mut self) {
        for (at, inner) in self.graph.inner.iter().enumerate() {
            if inner.counting >= 0.0 {
                continue;
            }
            let share = -inner.counting / inner.parents.len() as f64;
            let new: Vec<f64> = self.inner[at].iter().map(|q| share * q).collect();
            for (slot, &parent) in inner.parents.iter().enumerate() {
                let places = &self.places[at][slot];
                for (value, &place) in self.outer[parent].iter_mut().zip(places) {
                    let place = place as usize;
                    *value += new[place] - self.tangents[at][place];
                }
            }
            self.tangents[at] = new;
        }
    }

    /// Every inner region once; returns the largest change of a probability.
    fn sweep(&mut self, counting: impl Fn(f64) -> f64, damping: f64) -> f64 {
        let mut change: f64 = 0.0;
        self.work += self.work_a_sweep;
        for at in 0..self.graph.inner.len() {
            change = change.max(self.update(at, counting(self.graph.inner[at].counting), damping));
        }
        change
    }

    /// Q_β from its parents, and the messages that make the parents agree with it.
    fn update(&mut self, at: usize, counting: f64, damping: f64) -> f64 {
        let inner = &self.graph.inner[at];
        let states = 1usize << inner.units.len();
        let share = 1.0 / (inner.parents.len() as f64 + counting);
        let mut upward = Vec::with_capacity(inner.parents.len());
        let mut belief = vec![0.0; states];
        for (slot, &parent) in inner.parents.iter().enumerate() {
            let mut marginal = marginal(&self.outer[parent], &self.places[at][slot], states);
            for (value, message) in marginal.iter_mut().zip(&self.messages[at][slot]) {
                *value -= message;
            }
            for (sum, value) in belief.iter_mut().zip(&marginal) {
                *sum += share * value;
            }
            upward.push(marginal);
        }
        normalise(&mut belief);
        let mut change: f64 = 0.0;
        for (old, new) in self.inner[at].iter().zip(&belief) {
            change = change.max((old.exp() - new.exp()).abs());
        }
        for (slot, &parent) in inner.parents.iter().enumerate() {
            let message = &mut self.messages[at][slot];
            // Only differences matter: a message is kept with a zero at the first state.
            let origin = belief[0] - upward[slot][0];
            let steps: Vec<f64> = (0..states)
                .map(|s| (1.0 - damping) * (belief[s] - upward[slot][s] - origin - message[s]))
                .collect();
            for (value, step) in message.iter_mut().zip(&steps) {
                *value += step;
            }
            for (value, &place) in self.outer[parent].iter_mut().zip(&self.places[at][slot]) {
                *value += steps[place as usize];
            }
        }
        self.inner[at] = belief;
        change
    }

    /// Probabilities of the outer regions.
    pub(super) fn probabilities(&self) -> Vec<Vec<f64>> {
        let mut tables = self.outer.clone();
        for table in &mut tables {
            normalise(table);
            table.iter_mut().for_each(|value| *value = value.exp());
        }
        tables
    }

    /// −F: the region estimate of log Z.
    pub(super) fn log_partition(&self) -> f64 {
        let part = |p: f64| if p > 0.0 { p * p.ln() } else { 0.0 };
        let mut value = 0.0;
        for (table, potential) in self.probabilities().iter().zip(&self.potentials) {
            let pairs = table.iter().zip(potential);
            value += pairs.map(|(&p, e)| p * e - part(p)).sum::<f64>();
        }
        for (table, inner) in self.inner.iter().zip(&self.graph.inner) {
            value -= inner.counting * table.iter().map(|q| q.exp() * q).sum::<f64>();
        }
        value
    }
}

/// For each state of a region, the state of a part of it.
fn places(region: &[usize], part: &[usize]) -> Vec<u16> {
    let bits: Vec<usize> = part
        .iter()
        .filter_map(|unit| region.iter().position(|other| other == unit))
        .collect();
    (0..1usize << region.len())
        .map(|state| {
            let set = bits.iter().enumerate();
            set.map(|(to, &from)| ((state >> from & 1) as u16) << to)
                .sum()
        })
        .collect()
}

fn marginal(table: &[f64], places: &[u16], states: usize) -> Vec<f64> {
    let mut largest = vec![f64::NEG_INFINITY; states];
    for (&value, &place) in table.iter().zip(places) {
        largest[place as usize] = largest[place as usize].max(value);
    }
    let mut sums = vec![0.0; states];
    for (&value, &place) in table.iter().zip(places) {
        sums[place as usize] += (value - largest[place as usize]).exp();
    }
    let pairs = largest.into_iter().zip(sums);
    pairs.map(|(largest, sum)| largest + sum.ln()).collect()
}

fn normalise(table: &mut [f64]) {
    let largest = table.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = table.iter().map(|value| (value - largest).exp()).sum();
    let log_sum = largest + sum.ln();
    table.iter_mut().for_each(|value| *value -= log_sum);
}
