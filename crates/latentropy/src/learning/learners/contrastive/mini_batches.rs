//! Persistent contrastive divergence in mini-batches on machines in two layers: whole layers are drawn at once.
//!
//! Given the visible units the hidden ones are independent and, on a restricted machine, the other way round
//! (Smolensky 1986), so a sweep of a chain is two draws of a layer; visible units that are coupled are drawn in turn.
//! States are zeros and ones: their products with the weights are sums of the rows that are on.
//! Fields, weights and slopes within a pass are in single precision, which is far finer than the noise of the samples.
//! One pass is every row once, in a new order, `batch` rows per step; chains go on from step to step (Tieleman 2008).
//! Slopes are those of centred features (y − mean)(z − mean) (Montavon and Müller 2012): what a pair says beyond its
//! units; a linear map of the plain slopes, so that it leads to the same weights, by a shorter way.

use super::averaging::SecondHalf;
use super::centred_slopes::{Centre, Pulls, Slopes};
use super::form::{Form, stride};
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::inference::{ChainState, LaneRandom, Layers, Layout, Scratch};
use crate::learning::checkpoint::State;
use crate::learning::learners::method::Begin;
use crate::learning::point::{Point, Workspace};
use crate::learning::problem::Problem;
use crate::learning::stepper::{Stepped, Stepper};
use crate::message::{Setting, words};
use crate::network::{Clamp, Network};
use crate::random::{Purpose, Random, stream};
use rand::Rng;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Pairs begin at this share of a usual random start: near independent units, where chains are at home at once.
const FIRST_PAIRS: f64 = 0.05;
/// Chains that share a stream of random numbers, and rows that are taken together: a piece of work for a thread.
const TOGETHER: usize = 16;
/// Steps with fewer products of a state and a weight than this are made by one thread.
const WORTH_SHARING: usize = 600_000;

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

/// Refuses what mini-batches do not know: pairs of hidden units, and missing cells.
pub(super) fn check_mini_batches(structure: &Network, rows: &Rows) -> Result<()> {
    let refuse = |why: &str| {
        Err(Error::invalid(words![
            Setting::Batch,
            " is for machines whose hidden units have no pairs among themselves (",
            Setting::Shape.at("rbm"),
            ", ",
            Setting::Shape.at("semi-restricted"),
            ", ",
            Setting::Shape.at("visible"),
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
    if let Err(why) = Layout::of(structure) {
        return refuse(why);
    }
    if !rows.have_all_columns {
        return refuse("some visible units have no column");
    }
    Ok(())
}

/// Some of the chains, with their own random numbers.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct ChainGroup {
    chains: Vec<ChainState>,
    random: LaneRandom,
    #[serde(skip)]
    scratch: Scratch,
}

impl ChainGroup {
    /// Moves every chain on; P(z = 1 | y) at the end of each goes to `posteriors`.
    fn sweep(&mut self, layers: &Layers, sweeps: usize, posteriors: &mut [f32]) {
        let hidden = layers.hidden.len();
        for (at, chain) in self.chains.iter_mut().enumerate() {
            for _ in 0..sweeps {
                layers.sweep(chain, &mut self.random, &mut self.scratch);
            }
            let own = &mut posteriors[at * hidden..(at + 1) * hidden];
            layers.hidden_given(&chain.visible, own);
        }
    }
}

/// The learner.
pub(super) struct MiniBatches {
    layout: Layout,
    layers: Layers,
    slopes: Slopes,
    /// Where features are centred: the means of the columns, and of the hidden units given the rows.
    centre: Centre,
    /// The visible units that are on in each distinct row.
    rows: Vec<Vec<u32>>,
    /// Every row, by its distinct row.
    order: Vec<u32>,
    batch: usize,
    form: Form,
    groups: Vec<ChainGroup>,
    averaged: SecondHalf,
    /// Passes between two evaluations.
    stride: usize,
    rng: Random,
}

impl MiniBatches {
    /// Of a problem that [`check_mini_batches`] lets through.
    pub(super) fn new(
        problem: &Problem,
        form: Form,
        batch: usize,
        begin: &Begin,
    ) -> std::result::Result<Self, &'static str> {
        let mut rng = stream(begin.seed, Purpose::Learning, begin.index);
        let layout = Layout::of(problem.structure())?;
        let on = |clamp: &Clamp| -> Vec<u32> {
            let units = layout.visible_units().iter().enumerate();
            let on = units.filter(|(_, unit)| clamp.get(**unit) == Some(true));
            on.map(|(at, _)| at as u32).collect()
        };
        let rows: Vec<Vec<u32>> = problem.rows().clamps().iter().map(on).collect();
        let mut order = Vec::new();
        for (row, share) in problem.rows().shares().iter().enumerate() {
            let times = (share * problem.row_count()).round() as usize;
            order.extend(std::iter::repeat_n(row as u32, times));
        }
        let numbers: Vec<usize> = (0..form.chains).collect();
        let groups = numbers.chunks(TOGETHER).map(|chunk| {
            let mut coins = |units: usize| -> Vec<u32> {
                let units = 0..units as u32;
                units.filter(|_| rng.next_u32() & 1 == 1).collect()
            };
            let chains = chunk.iter().map(|_| ChainState {
                visible: coins(layout.visible.len()),
                hidden: coins(layout.hidden.len()),
            });
            ChainGroup {
                chains: chains.collect(),
                random: LaneRandom::new(&mut rng),
                scratch: Scratch::default(),
            }
        });
        Ok(MiniBatches {
            groups: groups.collect(),
            layers: Layers::default(),
            slopes: Slopes::new(&layout),
            centre: Centre::new(&layout, &rows, &order),
            rows,
            order,
            batch: batch.max(1),
            form,
            averaged: SecondHalf::new(begin.steps, problem.terms()),
            stride: stride(begin),
            rng,
            layout,
        })
    }

    /// Nearly independent units with the means of the data: the biases' log odds, half a row added to each count.
    fn begin(&mut self, weights: &mut [f64], bounds: &[f64]) {
        let count = self.order.len() as f64;
        for (mean, term) in self.centre.visible.iter().zip(&self.layout.visible) {
            if let Some(term) = *term {
                let ones = f64::from(*mean) * count;
                let odds: f64 = (ones + 0.5) / (count - ones + 0.5);
                weights[term] = odds.ln().clamp(-bounds[term], bounds[term]);
            }
        }
        for term in self.layout.hidden.iter().flatten() {
            weights[*term] = 0.0;
        }
        let lateral = self.layout.lateral.iter().flatten();
        // Each pair of visible units is there twice, and begins at nothing.
        lateral.for_each(|&term| weights[term] = 0.0);
        for &term in &self.layout.across {
            weights[term] *= FIRST_PAIRS;
        }
    }

    fn pulls(&self, problem: &Problem, weights: &[f64]) -> Pulls {
        let mut slopes = problem.prior().slope(weights);
        let ridge = problem.objective().ridge / problem.row_count();
        for term in self.layout.pairs() {
            slopes[term] -= ridge * weights[term];
        }
        Pulls {
            ridge: ridge as f32,
            rest: Layers::new(&self.layout, &slopes),
        }
    }

    /// Notes f, its hidden units averaged, of the rows order[from..to], and takes off those of the chains, moved on.
    fn note(&mut self, from: usize, to: usize) {
        let (layers, hidden) = (&self.layers, self.layers.hidden.len());
        let chains: usize = self.form.chains;
        let rows = &self.order[from..to];
        let mut posteriors = self.slopes.room(rows.len() + chains);
        let (of_rows, of_chains) = posteriors.split_at_mut(rows.len() * hidden);
        let work = (rows.len() + chains) * self.layers.visible.len() * (hidden + 1);
        // Little work is done before another thread has woken up.
        let pieces_at_once = match work < WORTH_SHARING {
            true => usize::MAX,
            false => 1,
        };
        let mut work_on_rows = || {
            let pieces = rows.par_chunks(TOGETHER).with_min_len(pieces_at_once);
            let places = of_rows.par_chunks_mut((TOGETHER * hidden).max(1));
            if hidden > 0 {
                pieces.zip(places).for_each(|(rows, places)| {
                    for (row, place) in rows.iter().zip(places.chunks_exact_mut(hidden)) {
                        layers.hidden_given(&self.rows[*row as usize], place);
                    }
                });
            }
        };
        let sweeps = self.form.sweeps;
        let groups = &mut self.groups;
        let mut work_on_chains = || {
            let groups = groups.par_iter_mut().with_min_len(pieces_at_once);
            if hidden == 0 {
                return groups.for_each(|group| group.sweep(layers, sweeps, &mut []));
            }
            let places = of_chains.par_chunks_mut(TOGETHER * hidden);
            let work = groups.zip(places);
            work.for_each(|(group, places)| group.sweep(layers, sweeps, places));
        };
        if work < WORTH_SHARING {
            work_on_rows();
            work_on_chains();
        } else {
            rayon::join(work_on_rows, work_on_chains);
        }
        let share = 1.0 / rows.len() as f32;
        let on = rows.iter().map(|&row| (&self.rows[row as usize], share));
        let share = -1.0 / chains as f32;
        let chains = self.groups.iter().flat_map(|group| &group.chains);
        let chains = chains.map(|chain| (&chain.visible, share));
        self.slopes
            .sum(posteriors, rows.len(), on.chain(chains), &mut self.centre);
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
            &self.groups,
            &self.order,
            &self.averaged,
            &self.centre,
            self.rng.get_word_pos(),
        )))
    }

    fn go_on(&mut self, _: &Problem, state: &State) -> Result<()> {
        let place;
        (self.groups, self.order, self.averaged, self.centre, place) = state.read()?;
        self.rng.set_word_pos(place);
        Ok(())
    }

    fn step(&mut self, problem: &Problem, point: &mut Point, _: &mut Workspace) -> Result<Stepped> {
        let bounds = problem.prior().bounds();
        if self.averaged.pass() == 0 {
            self.begin(&mut point.weights, bounds);
        }
        let pulls = self.pulls(problem, &point.weights);
        self.layers.read(&self.layout, &point.weights);
        self.shuffle();
        let rows = self.order.len();
        let step = self.form.schedule.step(self.averaged.pass()) as f32;
        let bound = Layers::new(&self.layout, bounds);
        for from in (0..rows).step_by(self.batch) {
            self.note(from, (from + self.batch).min(rows));
            self.slopes
                .step(&mut self.layers, &pulls, &self.centre, step, &bound);
        }
        self.layers.write(&self.layout, &mut point.weights);
        self.averaged.take(&mut point.weights);
        Ok(Stepped::Moved)
    }
}
