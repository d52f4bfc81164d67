//! Ladders, annealing in both directions from their states, and the mass bound, heard one after the other.

use super::interval::Interval;
use super::joined::{Estimated, Joined};
use super::mass::Mass;
use crate::inference::annealed_importance::{LogPartitionBracket, bracket};
use crate::inference::kernels::CHAINS;
use crate::inference::markov_chains::Machine;
use crate::inference::tempering::{Effort, Tempered, temper};
use crate::inference::value::{Kind, Value, Within};
use crate::remark::Remark;
use serde::Serialize;

/// What ladders of replicas found.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Ladder {
    /// Log Z.
    pub value: f64,
    /// Its standard error, by a jackknife over ladders.
    pub std_err: f64,
    /// How many ladders ran.
    pub ladders: usize,
    /// The rungs of each.
    pub rungs: usize,
    /// Sweeps that were measured.
    pub sweeps: usize,
    /// Replicas that came from independent draws at the bottom to the machine at the top.
    pub renewals: usize,
    /// Replicas that came from the top back to the bottom.
    pub round_trips: usize,
    /// The smallest share of accepted swaps between neighbouring rungs.
    pub least_accepted: f64,
    /// How far ladders that began at independent units and those that began elsewhere are apart, in standard errors.
    pub apart: f64,
}

/// Log Z by ways that fail for different reasons, and how far it can be believed.
///
/// ```
/// use latentropy::inference::Witnesses;
/// use latentropy::{Network, Sampling, infer};
/// let network = Network::full(4, 0).with_weights(vec![0.3; 10])?;
/// let found = infer(&network, &[], Some("gibbs".parse()?), &Sampling::default())?;
/// let Some(Witnesses { at_least, at_most, mass_bound, .. }) = found.answer.witnesses.as_deref() else {
///     panic!("an engine that samples has witnesses");
/// };
/// assert!(mass_bound <= at_least && at_least < at_most);
/// # Ok::<(), latentropy::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Witnesses {
    /// What they come to, the network's constant included.
    #[serde(skip)]
    pub log_partition: Value,
    /// The lower end of the interval that they leave; never below the mass bound.
    pub at_least: f64,
    /// The upper end.
    pub at_most: f64,
    /// Whether all agree within their errors.
    pub trusted: bool,
    /// What log Z is proven not to be below: the weight of distinct states.
    pub mass_bound: f64,
    /// How many distinct states that is.
    pub states: usize,
    /// Annealing in both directions.
    pub annealed: LogPartitionBracket,
    /// Tempering.
    pub ladder: Ladder,
    /// What is to be doubted.
    #[serde(skip)]
    pub remarks: Vec<Remark>,
}

/// Who is heard, and for how long.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked {
    pub(crate) seed: u64,
    /// Annealed runs in each direction; a multiple of 64.
    pub(crate) runs: usize,
    /// Steps of the annealing; by default as many as it takes, within limits.
    pub(crate) steps: Option<usize>,
    pub(crate) effort: Effort,
}

/// All that is known of log Z. The machine's base is where ladders begin; every second of them begins at one of `starts`, a
/// value per place. `mass` has what was seen so far, `proven` a bound from elsewhere and how many states it rests on. Also returned: the machine with the means of the ladders' states as its
/// base, which annealing began with.
pub(crate) fn witnesses(
    machine: &Machine,
    starts: &[Vec<bool>],
    mut mass: Mass<'_>,
    proven: Option<(usize, f64)>,
    constant: f64,
    asked: &Asked,
) -> (Witnesses, Machine) {
    let tempered = temper(machine, starts, asked.seed, &asked.effort);
    for state in tempered.visited.iter().chain(starts) {
        mass.see(|unit| state[machine.place[unit]]);
    }
    let mut machine = machine.clone();
    machine.set_base(&means(&machine, &tempered.visited));
    let own = spread(&tempered.visited, asked.runs);
    let annealed = bracket(&machine, &packed(&own), asked.seed, asked.steps).shifted(constant);
    let own = mass.weigh();
    let mass = match proven {
        Some(proven) if proven.1 > own.1 => proven,
        _ => own,
    };
    let found = Witnesses::new(&tempered, annealed, mass, constant);
    (found, machine)
}

impl Witnesses {
    fn new(
        tempered: &Tempered,
        annealed: LogPartitionBracket,
        (states, mass_bound): (usize, f64),
        constant: f64,
    ) -> Self {
        let ladder = Ladder {
            value: tempered.log_partition + constant,
            std_err: tempered.std_err,
            ladders: tempered.ladders,
            rungs: tempered.rungs,
            sweeps: tempered.sweeps,
            renewals: tempered.renewals,
            round_trips: tempered.round_trips,
            least_accepted: tempered.least_accepted,
            apart: tempered.apart,
        };
        let of_ladder = Estimated {
            value: ladder.value,
            std_err: ladder.std_err,
        };
        let one_way = [&annealed.forward, &annealed.reverse].map(|way| Estimated {
            value: way.value,
            std_err: way.std_err,
        });
        let mut remarks = annealed.remarks();
        if !tempered.is_renewed() {
            remarks.push(Remark::FewRenewals {
                renewals: ladder.renewals,
                ladders: ladder.ladders,
            });
        }
        if !tempered.is_settled() {
            remarks.push(Remark::LaddersApart {
                errors: ladder.apart.abs(),
            });
        }
        let estimates = [of_ladder, one_way[0], one_way[1]];
        let joined = Joined::new(&estimates, mass_bound, remarks.is_empty());
        if !joined.agree {
            let lowest = estimates.iter().map(|one| one.value);
            remarks.push(Remark::LogPartitionBetween {
                at_least: joined.at_least,
                at_most: joined.at_most,
                mass_bound,
                lowest: lowest.fold(f64::INFINITY, f64::min),
            });
        }
        Witnesses {
            log_partition: Value {
                value: joined.value,
                kind: Kind::MonteCarlo,
                std_err: Some(joined.std_err),
            },
            at_least: joined.at_least,
            at_most: joined.at_most,
            trusted: joined.agree,
            mass_bound,
            states,
            annealed,
            ladder,
            remarks,
        }
    }
}

impl Witnesses {
    /// The interval alone.
    pub(crate) fn interval(&self) -> Interval {
        Interval {
            at_least: self.at_least,
            at_most: self.at_most,
            trusted: self.trusted,
        }
    }

    /// The value with its interval.
    pub(crate) fn within(&self) -> Within {
        Within {
            value: self.log_partition,
            at_least: Some(self.at_least),
            at_most: Some(self.at_most),
            trusted: Some(self.trusted),
        }
    }

    /// What each of them says, for people.
    #[doc(hidden)]
    pub fn notes(&self) -> Vec<String> {
        let Witnesses {
            annealed, ladder, ..
        } = self;
        vec![
            format!(
                "log Z by {} ladders of {} rungs, {} sweeps, {} renewals: {:.6} ± {:.6}",
                ladder.ladders,
                ladder.rungs,
                ladder.sweeps,
                ladder.renewals,
                ladder.value,
                ladder.std_err
            ),
            format!(
                "log Z annealed forward {:.6} ± {:.6}, backward from the ladders' states {:.6} ± {:.6}, {} steps",
                annealed.forward.value,
                annealed.forward.std_err,
                annealed.reverse.value,
                annealed.reverse.std_err,
                annealed.steps
            ),
            format!(
                "log Z is at least {:.6}, for {} states weigh that much",
                self.mass_bound, self.states
            ),
        ]
    }
}

/// The mean of each free unit over states by place.
pub(super) fn means(machine: &Machine, states: &[Vec<bool>]) -> Vec<f64> {
    let mut ones = vec![0.0; machine.units()];
    for state in states {
        for (place, &is_on) in state.iter().enumerate() {
            ones[machine.order[place]] += f64::from(u8::from(is_on));
        }
    }
    let count = states.len().max(1) as f64;
    ones.iter().map(|ones| ones / count).collect()
}

/// So many of the states, evenly spread among them.
fn spread(states: &[Vec<bool>], count: usize) -> Vec<&[bool]> {
    let at = |number: usize| &states[number * states.len() / count][..];
    (0..count).map(at).collect()
}

/// Words of 64 chains, one per place; the last group is filled up from the beginning.
pub(super) fn packed(states: &[&[bool]]) -> Vec<Vec<u64>> {
    let groups = states.len().div_ceil(CHAINS);
    let word = |group: usize, place: usize| {
        (0..CHAINS).fold(0, |word, chain| {
            let state = states[(group * CHAINS + chain) % states.len()];
            word | u64::from(state[place]) << chain
        })
    };
    let places = states.first().map_or(0, |state| state.len());
    let groups = (0..groups).map(|group| (0..places).map(|place| word(group, place)).collect());
    groups.collect()
}

/// The states of chains, a value per place, from words of 64 of them.
pub(crate) fn states_by_place(words: &[Vec<u64>]) -> Vec<Vec<bool>> {
    let states = words.iter().flat_map(|group| {
        (0..CHAINS).map(|chain| group.iter().map(|word| word >> chain & 1 == 1).collect())
    });
    states.collect()
}
