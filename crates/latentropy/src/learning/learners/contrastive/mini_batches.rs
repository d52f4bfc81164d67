//! Persistent contrastive divergence in mini-batches on restricted machines: whole sides are drawn at once.
//!
//! Given the visible side the hidden units are independent and the other way round (Smolensky 1986), so a sweep of a chain
//! is two draws of a side. States are zeros and ones: their products with the weights are sums of the rows that are on.
//! Fields, weights and slopes within a pass are in single precision, which is far finer than the noise of the samples.
//! One pass is every row once, in a new order, `batch` rows per step; chains go on from step to step (Tieleman 2008).

use super::averaging::SecondHalf;
use super::form::{Form, stride};
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::inference::{LaneRandom, kernels};
use crate::learning::checkpoint::State;
use crate::learning::learners::method::Begin;
use crate::learning::point::{Point, Workspace};
use crate::learning::problem::Problem;
use crate::learning::stepper::{Stepped, Stepper};
use crate::message::{Setting, words};
use crate::network::{Clamp, Network, Role};
use crate::random::{Purpose, Random, stream};
use rand::Rng;

/// Pairs begin at this share of a usual random start: near independent units, where chains are at home at once.
const FIRST_PAIRS: f64 = 0.05;

/// Rows as mini-batches see them.
pub(super) struct Rows {
    /// Whether no cell is missing.
    are_complete: bool,
    /// Whether each weighs a whole number.
    are_whole: bool,
    /// Whether every visible unit has a column.
    have_all_columns: bool,
}

impl Rows {
    /// Of a data set.
    pub(super) fn of_data(structure: &Network, data: &Dataset) -> Self {
        Rows {
            are_complete: data.missing_cells() == 0,
            are_whole: data.weights().iter().all(|weight| weight.fract() == 0.0),
            have_all_columns: data.columns().len() == structure.visible().len(),
        }
    }

    /// Of a problem that is prepared already.
    pub(super) fn of_problem(problem: &Problem) -> Self {
        let visible = problem.structure().visible();
        let rows = problem.rows();
        let holds_all = |clamp: &Clamp| visible.iter().all(|&unit| clamp.get(unit).is_some());
        let are_complete = rows.clamps().iter().all(holds_all);
        let count = |share: &f64| share * rows.row_count();
        Rows {
            are_complete,
            are_whole: rows
                .shares()
                .iter()
                .map(count)
                .all(|n| (n - n.round()).abs() < 1e-6),
            have_all_columns: are_complete,
        }
    }
}

/// Refuses what mini-batches do not know: other than all visible–hidden pairs, and missing cells.
pub(super) fn check_mini_batches(structure: &Network, rows: &Rows) -> Result<()> {
    let refuse = |why: &str| {
        Err(Error::invalid(words![
            Setting::Batch,
            " is for restricted machines (",
            Setting::Shape.at("rbm"),
            format!(") and complete rows, and {why}; leave "),
            Setting::Batch,
            " out, and pcd takes all rows at once",
        ]))
    };
    if !rows.are_complete {
        return refuse("some cells are missing");
    }
    // A pass takes every row as often as it weighs.
    if !rows.are_whole {
        return refuse("some rows weigh a fraction");
    }
    let sides = (structure.visible().len(), structure.hidden().len());
    let is_hidden = |unit: usize| structure.units()[unit].role == Role::Hidden;
    let mut pairs = 0;
    for term in structure.terms() {
        match *term.units() {
            [_] => {}
            [a, b] if is_hidden(a) != is_hidden(b) => pairs += 1,
            _ => {
                return refuse("this machine has other terms than biases and visible–hidden pairs");
            }
        }
    }
    if pairs != sides.0 * sides.1 || pairs == 0 {
        return refuse("this machine lacks some visible–hidden pairs");
    }
    if !rows.have_all_columns {
        return refuse("some visible units have no column");
    }
    Ok(())
}

/// One side's biases, and where they are among the terms.
struct Side {
    biases: Vec<f32>,
    slopes: Vec<f32>,
    terms: Vec<Option<usize>>,
}

impl Side {
    fn new(network: &Network, units: &[usize]) -> Self {
        let find = |unit: &usize| {
            let mut terms = network.terms().iter();
            terms.position(|term| *term.units() == [*unit])
        };
        Side {
            biases: vec![0.0; units.len()],
            slopes: vec![0.0; units.len()],
            terms: units.iter().map(find).collect(),
        }
    }

    /// Units without a bias keep none.
    fn step(&mut self, step: f32, pulls: &Pulls, bounds: &[f64]) {
        for ((bias, slope), term) in self
            .biases
            .iter_mut()
            .zip(&mut self.slopes)
            .zip(&self.terms)
        {
            if let Some(term) = *term {
                let bound = bounds[term] as f32;
                *bias = (*bias + step * (*slope - pulls.of_terms[term])).clamp(-bound, bound);
            }
            *slope = 0.0;
        }
    }
}

/// The penalty's slopes at the beginning of a pass, but for the ridge on the pairs themselves, which each step takes at
/// its own weights: what is left is weak, and changes by next to nothing within a pass.
struct Pulls {
    /// By term.
    of_terms: Vec<f32>,
    /// Of the pairs without their own ridge, in the order of the weights by visible unit, with the sign of a step.
    of_pairs: Vec<f32>,
}

/// The learner.
pub(super) struct MiniBatches {
    visible: Side,
    hidden: Side,
    /// One row per visible unit; and one per hidden unit.
    by_visible: Vec<f32>,
    by_hidden: Vec<f32>,
    slopes: Vec<f32>,
    /// P(z = 1 | y) for the rows and chains of a step, one after the other, each times its share of the slope.
    posteriors: Vec<f32>,
    /// For each visible unit those of them in which it is on.
    with_unit: Vec<Vec<u32>>,
    /// The term of each pair, in the order of `by_visible`.
    pair_terms: Vec<usize>,
    /// The visible units that are on in each distinct row.
    rows: Vec<Vec<u32>>,
    /// Every row, by its distinct row.
    order: Vec<u32>,
    batch: usize,
    form: Form,
    /// The hidden units that are on in each chain.
    chains: Vec<Vec<u32>>,
    averaged: SecondHalf,
    /// Passes between two evaluations.
    stride: usize,
    rng: Random,
    random: LaneRandom,
    on: Vec<u32>,
    visible_field: Vec<f32>,
    hidden_field: Vec<f32>,
}

impl MiniBatches {
    /// Of a problem that [`check_mini_batches`] lets through.
    pub(super) fn new(problem: &Problem, form: Form, batch: usize, begin: &Begin) -> Self {
        let mut rng = stream(begin.seed, Purpose::Learning, begin.index);
        let network = problem.structure();
        let (visible, hidden) = (network.visible(), network.hidden());
        let mut place = vec![0; network.units().len()];
        for side in [&visible, &hidden] {
            side.iter()
                .enumerate()
                .for_each(|(at, &unit)| place[unit] = at);
        }
        let mut pair_terms = vec![0; visible.len() * hidden.len()];
        for (at, term) in network.terms().iter().enumerate() {
            if let [a, b] = *term.units() {
                let (v, h) = match network.units()[a].role {
                    Role::Visible => (a, b),
                    Role::Hidden => (b, a),
                };
                pair_terms[place[v] * hidden.len() + place[h]] = at;
            }
        }
        let on = |clamp: &Clamp| -> Vec<u32> {
            let units = visible.iter().enumerate();
            let on = units.filter(|(_, unit)| clamp.get(**unit) == Some(true));
            on.map(|(at, _)| at as u32).collect()
        };
        let mut order = Vec::new();
        for (row, share) in problem.rows().shares().iter().enumerate() {
            let times = (share * problem.row_count()).round() as usize;
            order.extend(std::iter::repeat_n(row as u32, times));
        }
        let mut coins = |_| -> Vec<u32> {
            let units = 0..hidden.len() as u32;
            units.filter(|_| rng.next_u32() & 1 == 1).collect()
        };
        MiniBatches {
            chains: (0..form.chains).map(&mut coins).collect(),
            visible: Side::new(network, &visible),
            hidden: Side::new(network, &hidden),
            by_visible: vec![0.0; pair_terms.len()],
            by_hidden: vec![0.0; pair_terms.len()],
            slopes: vec![0.0; pair_terms.len()],
            posteriors: Vec::new(),
            with_unit: vec![Vec::new(); visible.len()],
            pair_terms,
            rows: problem.rows().clamps().iter().map(on).collect(),
            order,
            batch: batch.max(1),
            form,
            averaged: SecondHalf::new(begin.steps, problem.terms()),
            stride: stride(begin),
            random: LaneRandom::new(&mut rng),
            rng,
            on: Vec::new(),
            visible_field: vec![0.0; visible.len()],
            hidden_field: vec![0.0; hidden.len()],
        }
    }

    /// Nearly independent units with the means of the data: the biases' log odds, half a row added to each count.
    fn begin(&mut self, weights: &mut [f64], bounds: &[f64]) {
        let mut ones = vec![0.0; self.visible.biases.len()];
        for &row in &self.order {
            for &unit in &self.rows[row as usize] {
                ones[unit as usize] += 1.0;
            }
        }
        let count = self.order.len() as f64;
        for (ones, term) in ones.into_iter().zip(&self.visible.terms) {
            if let Some(term) = *term {
                let odds: f64 = (ones + 0.5) / (count - ones + 0.5);
                weights[term] = odds.ln().clamp(-bounds[term], bounds[term]);
            }
        }
        for term in self.hidden.terms.iter().flatten() {
            weights[*term] = 0.0;
        }
        for &term in &self.pair_terms {
            weights[term] *= FIRST_PAIRS;
        }
    }

    fn pulls(&self, problem: &Problem, weights: &[f64]) -> Pulls {
        let slopes = problem.prior().slope(weights);
        let ridge = problem.objective().ridge / problem.row_count();
        Pulls {
            of_pairs: self
                .pair_terms
                .iter()
                .map(|&term| (ridge * weights[term] - slopes[term]) as f32)
                .collect(),
            of_terms: slopes.into_iter().map(|slope| slope as f32).collect(),
        }
    }

    fn read(&mut self, weights: &[f64]) {
        for side in [&mut self.visible, &mut self.hidden] {
            for (bias, term) in side.biases.iter_mut().zip(&side.terms) {
                *bias = term.map_or(0.0, |term| weights[term] as f32);
            }
        }
        for (weight, &term) in self.by_visible.iter_mut().zip(&self.pair_terms) {
            *weight = weights[term] as f32;
        }
        self.turn();
    }

    fn write(&self, weights: &mut [f64]) {
        for side in [&self.visible, &self.hidden] {
            for (bias, term) in side.biases.iter().zip(&side.terms) {
                if let Some(term) = *term {
                    weights[term] = f64::from(*bias);
                }
            }
        }
        for (weight, &term) in self.by_visible.iter().zip(&self.pair_terms) {
            weights[term] = f64::from(*weight);
        }
    }

    /// The pairs' weights by hidden unit, from those by visible unit.
    fn turn(&mut self) {
        let (visible, hidden) = (self.visible.biases.len(), self.hidden.biases.len());
        // Eight by eight, so that what is read and what is written stay in the cache.
        for v in (0..visible).step_by(8) {
            for h in (0..hidden).step_by(8) {
                for row in v..(v + 8).min(visible) {
                    for column in h..(h + 8).min(hidden) {
                        self.by_hidden[column * visible + row] =
                            self.by_visible[row * hidden + column];
                    }
                }
            }
        }
    }

    /// P(z = 1 | y) in `hidden_field`, for the visible units that are on.
    fn hidden_given(&mut self, on: &[u32]) {
        self.hidden_field.copy_from_slice(&self.hidden.biases);
        kernels::add_listed_rows(&mut self.hidden_field, &self.by_visible, on);
        kernels::logistics(&mut self.hidden_field);
    }

    /// Notes `share` times f, its hidden units averaged, for the slopes; `hidden_field` is P(z = 1 | on).
    fn note_features(&mut self, on: &[u32], share: f32) {
        let place = (self.posteriors.len() / self.hidden_field.len()) as u32;
        let posteriors = self.hidden_field.iter().map(|p| p * share);
        self.posteriors.extend(posteriors);
        for &unit in on {
            self.visible.slopes[unit as usize] += share;
            self.with_unit[unit as usize].push(place);
        }
    }

    /// Sums what was noted.
    fn sum_features(&mut self) {
        let hidden = self.hidden_field.len();
        for (slopes, with) in self
            .slopes
            .chunks_exact_mut(hidden)
            .zip(&mut self.with_unit)
        {
            kernels::add_listed_rows(slopes, &self.posteriors, with);
            with.clear();
        }
        for posteriors in self.posteriors.chunks_exact(hidden) {
            kernels::add_row(&mut self.hidden.slopes, posteriors);
        }
        self.posteriors.clear();
    }

    /// Notes the features of the rows order[from..to].
    fn note_rows(&mut self, from: usize, to: usize) {
        let share = 1.0 / (to - from) as f32;
        for at in from..to {
            let row = self.order[at] as usize;
            let on = std::mem::take(&mut self.rows[row]);
            self.hidden_given(&on);
            self.note_features(&on, share);
            self.rows[row] = on;
        }
    }

    /// Moves every chain on, and notes its features to be taken off.
    fn note_chains(&mut self) {
        let share = -1.0 / self.chains.len() as f32;
        for chain in 0..self.chains.len() {
            let mut hidden = std::mem::take(&mut self.chains[chain]);
            let mut on = std::mem::take(&mut self.on);
            for _ in 0..self.form.sweeps {
                self.visible_field.copy_from_slice(&self.visible.biases);
                kernels::add_listed_rows(&mut self.visible_field, &self.by_hidden, &hidden);
                kernels::logistics(&mut self.visible_field);
                kernels::draw_ones(&self.visible_field, &mut self.random, &mut on);
                self.hidden_given(&on);
                kernels::draw_ones(&self.hidden_field, &mut self.random, &mut hidden);
            }
            self.note_features(&on, share);
            self.chains[chain] = hidden;
            self.on = on;
        }
    }

    fn shuffle(&mut self) {
        for at in (1..self.order.len()).rev() {
            let other = (u64::from(self.rng.next_u32()) * (at as u64 + 1)) >> 32;
            self.order.swap(at, other as usize);
        }
    }
}

impl Stepper for MiniBatches {
    fn stride(&self) -> Option<usize> {
        Some(self.stride)
    }

    fn state(&self) -> Option<Result<State>> {
        Some(State::of(&(
            &self.chains,
            &self.order,
            &self.averaged,
            &self.random,
            self.rng.get_word_pos(),
        )))
    }

    fn go_on(&mut self, _: &Problem, state: &State) -> Result<()> {
        let place;
        (self.chains, self.order, self.averaged, self.random, place) = state.read()?;
        self.rng.set_word_pos(place);
        Ok(())
    }

    fn step(&mut self, problem: &Problem, point: &mut Point, _: &mut Workspace) -> Result<Stepped> {
        let bounds = problem.prior().bounds();
        if self.averaged.pass() == 0 {
            self.begin(&mut point.weights, bounds);
        }
        let pulls = self.pulls(problem, &point.weights);
        self.read(&point.weights);
        self.shuffle();
        let rows = self.order.len();
        let step = self.form.schedule.step(self.averaged.pass());
        let (step, limit) = (step as f32, problem.objective().bound as f32);
        let ridge = (problem.objective().ridge / problem.row_count()) as f32;
        for from in (0..rows).step_by(self.batch) {
            self.note_rows(from, (from + self.batch).min(rows));
            self.note_chains();
            self.sum_features();
            kernels::add_row(&mut self.slopes, &pulls.of_pairs);
            kernels::step_within(&mut self.by_visible, &mut self.slopes, step, ridge, limit);
            self.visible.step(step, &pulls, bounds);
            self.hidden.step(step, &pulls, bounds);
            self.turn();
        }
        self.write(&mut point.weights);
        self.averaged.take(&mut point.weights);
        Ok(Stepped::Moved)
    }
}
