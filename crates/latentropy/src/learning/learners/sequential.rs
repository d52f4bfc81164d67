//! EM with sequential updates: in each M step one term after another, each with up-to-date free expectations.
//!
//! Changing one weight by γ changes Q of (3), for a binary feature with m = E_p f, by exactly
//! ΔQ(γ) = γη − log(1 + m(e^γ − 1)), since E_p e^{γf} = 1 + m(e^γ − 1).
//!
//! *Byrne* (1992), iterative proportional fitting: the γ that maximises ΔQ, e^γ = η(1 − m) / (m(1 − η)).
//!
//! *Collins*, after the sequential-update algorithm of Collins, Schapire and Singer (2002) for features in
//! \[0, 1\]: the γ that maximises a lower bound of ΔQ, e^γ = η / m; it needs no normalised m. Monotone, because
//! log u ≤ u − 1 gives ΔQ(γ) ≥ A(γ) = γη − m(e^γ − 1), and A(0) = 0, so max A ≥ 0; A is concave, so that the
//! nearest point of the box to its maximum has A ≥ 0 too; and a gain in Q is a gain in the likelihood.
//!
//! A ridge takes r(λ + γ)²/2 − rλ²/2 from both, and the maximum becomes the root of a decreasing function of γ.
//!
//! Both rules raise Q with every single update, whatever the number of sweeps. The paper says (section 5) that
//! Byrne's algorithm needs many iterations in the M step or else monotonicity can be violated. That is so where
//! each M step fits anew from the uniform distribution, as iterative proportional fitting is usually
//! stated: too few sweeps then end below the Q they set out from. Here each M step starts from the present
//! weights, and the remark has no object. (With the expectations of the sweep's start for all its terms,
//! another possible reading, even many sweeps do not converge: the features of a complete graph are correlated, and
//! their full steps add up to several times the way.)

use super::coordinate::Coordinate;
use super::method::{Begin, Method};
use super::need::Need;
use super::options::{OptionValue, at_least_one, refused};
use super::state_table::StateTable;
use crate::error::{Error, Result};
use crate::learning::checkpoint::State;
use crate::learning::point::{Point, Workspace};
use crate::learning::problem::Problem;
use crate::learning::stepper::{Stepped, Stepper};
use crate::message::Setting;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// How a sequential update is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SequentialRule {
    /// The exact maximum along one weight: iterative proportional fitting (Byrne 1992).
    Byrne,
    /// The maximum of a lower bound (after Collins, Schapire and Singer 2002).
    Collins,
}

impl SequentialRule {
    /// Both of them, in the order in which messages list them.
    pub const ALL: [SequentialRule; 2] = [SequentialRule::Byrne, SequentialRule::Collins];
}

impl fmt::Display for SequentialRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SequentialRule::Byrne => "byrne",
            SequentialRule::Collins => "collins",
        })
    }
}

impl FromStr for SequentialRule {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        SequentialRule::ALL
            .into_iter()
            .find(|rule| rule.to_string() == text)
            .ok_or_else(|| {
                Error::invalid(format!(
                    "there is no rule \"{text}\"; available are byrne, collins"
                ))
            })
    }
}

/// EM with updates of one term at a time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sequential {
    /// S, the number of sweeps over all terms for each E step.
    pub inner: usize,
    /// How an update is made.
    pub rule: SequentialRule,
}

impl Default for Sequential {
    fn default() -> Self {
        Sequential {
            inner: 4,
            rule: SequentialRule::Byrne,
        }
    }
}

impl Method for Sequential {
    fn name(&self) -> &'static str {
        "sequential"
    }

    fn about(&self) -> &'static str {
        "EM that updates one weight at a time, by the rule of Byrne or of Collins"
    }

    fn need(&self) -> Need {
        Need::ExactSums
    }

    fn set(&mut self, option: Setting, value: &OptionValue) -> Result<bool> {
        match (option, value) {
            (Setting::Inner, _) => self.inner = value.count(option)?,
            (Setting::Rule, OptionValue::Word(word)) => self.rule = word.parse()?,
            (Setting::Rule, _) => return Err(refused(option, "byrne or collins", value)),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn options(&self) -> Vec<(Setting, OptionValue)> {
        vec![
            (Setting::Inner, OptionValue::Count(self.inner)),
            (Setting::Rule, OptionValue::Word(self.rule.to_string())),
        ]
    }

    fn check(&self) -> Result<()> {
        at_least_one(Setting::Inner, self.inner)
    }

    fn begin(&self, problem: &Problem, _: &Begin) -> Box<dyn Stepper> {
        Box::new(Sweeps::new(problem, self.inner, self.rule))
    }
}

/// S = `inner` sweeps over all terms for each E step.
struct Sweeps {
    inner: usize,
    rule: SequentialRule,
    /// All states with their weights, where the machine is small enough.
    table: Option<StateTable>,
    free: Vec<f64>,
}

impl Sweeps {
    fn new(problem: &Problem, inner: usize, rule: SequentialRule) -> Self {
        Sweeps {
            inner,
            rule,
            table: StateTable::new(problem.structure()),
            free: Vec::new(),
        }
    }

    /// Without a table: a full free phase for every term. Right for every engine, slow for many terms.
    fn sweep(&mut self, problem: &Problem, point: &mut Point, work: &mut Workspace) -> Result<()> {
        for term in 0..problem.terms() {
            problem.free_phase(&point.weights, work, &mut self.free)?;
            let on = self.free[term].clamp(0.0, 1.0);
            point.weights[term] = self.updated(problem, point, term, on, 1.0 - on);
        }
        Ok(())
    }

    /// The term's new weight; `on` and `off` are the probabilities that its feature is one and zero.
    fn updated(&self, problem: &Problem, point: &Point, term: usize, on: f64, off: f64) -> f64 {
        let prior = problem.prior();
        let (weight, bound) = (point.weights[term], prior.bounds()[term]);
        let coordinate = Coordinate {
            eta: point.clamped.expectations[term].clamp(0.0, 1.0),
            on,
            off,
            slope: prior.slope_of(term, &point.weights),
            bend: prior.bend_of(term),
            low: -bound - weight,
            high: bound - weight,
        };
        let gamma = match self.rule {
            SequentialRule::Byrne => coordinate.maximum(),
            SequentialRule::Collins => coordinate.maximum_of_bound(),
        };
        (weight + gamma).clamp(-bound, bound)
    }
}

impl Stepper for Sweeps {
    fn state(&self) -> Option<Result<State>> {
        Some(Ok(State::nothing()))
    }

    fn go_on(&mut self, _: &Problem, _: &State) -> Result<()> {
        Ok(())
    }

    fn step(
        &mut self,
        problem: &Problem,
        point: &mut Point,
        work: &mut Workspace,
    ) -> Result<Stepped> {
        for _ in 0..self.inner {
            let Some(mut table) = self.table.take() else {
                self.sweep(problem, point, work)?;
                continue;
            };
            table.fill(&point.weights);
            work.passes += 1 + point.weights.len() as u64;
            for term in 0..point.weights.len() {
                let (on, off) = table.split(term);
                let weight = self.updated(problem, point, term, on, off);
                let change = weight - point.weights[term];
                point.weights[term] = weight;
                table.shift(term, change, on, &point.weights);
            }
            self.table = Some(table);
        }
        Ok(Stepped::Moved)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Cell, Dataset};
    use crate::inference::EngineId;
    use crate::learning::Objective;
    use crate::network::{Network, Term, Unit};

    #[test]
    fn the_table_and_the_engine_make_the_same_steps() {
        // Seven units, terms of order one to three, rows with missing cells.
        let mut units: Vec<Unit> = (1..=5).map(|u| Unit::visible(format!("y{u}"))).collect();
        units.extend((1..=2).map(|u| Unit::hidden(format!("z{u}"))));
        let mut terms: Vec<Term> = (0..7).map(|u| Term::new(vec![u])).collect();
        terms.extend((0..7).flat_map(|a| (0..a).map(move |b| Term::new(vec![a, b]))));
        terms.extend([Term::new(vec![0, 3, 5]), Term::new(vec![2, 4, 6])]);
        let weights: Vec<f64> = (0..terms.len()).map(|i| (i as f64 * 0.7).sin()).collect();
        let network = Network::new(units, terms.into_iter().zip(weights.clone())).unwrap();
        let rows = (0..40u32).map(|row| {
            let cell = |column: u32| match row.wrapping_mul(2_654_435_761) >> (27 - 3 * column) & 7
            {
                0..=3 => Cell::Zero,
                4..=6 => Cell::One,
                _ => Cell::Missing,
            };
            (0..5).map(cell).collect::<Vec<_>>()
        });
        let names = (1..=5).map(|u| format!("y{u}")).collect();
        let data = Dataset::from_cells(names, true, rows).unwrap();
        for ridge in [0.0, 1.0] {
            let objective = Objective {
                bound: 400.0,
                ..Objective::with_ridge(ridge)
            };
            let problem = Problem::new(&network, &data, objective, EngineId::EXACT, false).unwrap();
            for rule in SequentialRule::ALL {
                let run = |with_table: bool| {
                    let mut stepper = Sweeps::new(&problem, 3, rule);
                    assert!(stepper.table.is_some());
                    stepper.table = stepper.table.filter(|_| with_table);
                    let (mut point, mut work) = (Point::default(), Workspace::default());
                    point.weights.clone_from(&weights);
                    for _ in 0..5 {
                        problem.evaluate(&mut point, &mut work, false).unwrap();
                        stepper.step(&problem, &mut point, &mut work).unwrap();
                    }
                    point.weights
                };
                for (a, b) in run(true).iter().zip(run(false)) {
                    assert!((a - b).abs() <= 1e-10 * (1.0 + a.abs()), "{a} against {b}");
                }
            }
        }
    }
}
