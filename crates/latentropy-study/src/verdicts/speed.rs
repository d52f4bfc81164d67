//! Verdicts on learners: who climbs faster from the same starts, by iterations and by cost.

use super::{Finding, Tested, Verdict, finding};
use crate::convergence::ConvergenceRecord;
use crate::results::Results;
use crate::spec::{Convergence, Spec};
use crate::statistics::Clustered;
use crate::summary::{NO_DIFFERENCE, PairedTest, Summary, is_run};

/// What iterations of learners are counted in.
#[derive(Clone, Copy)]
enum Unit {
    Iterations,
    Passes,
}

impl Unit {
    fn words(self) -> &'static str {
        match self {
            Unit::Iterations => "iterations",
            Unit::Passes => "passes over the states",
        }
    }
}

/// What the claims about learners are judged by.
pub(super) struct Speed<'a> {
    pub(super) spec: &'a Spec,
    pub(super) convergence: &'a Convergence,
    pub(super) results: &'a Results,
    pub(super) summary: &'a Summary,
}

impl Speed<'_> {
    /// One per claim of the spec.
    pub(super) fn verdicts(&self) -> Vec<Verdict> {
        let Convergence {
            truths,
            starts,
            rows,
            claims,
            ..
        } = self.convergence;
        let about = format!("{truths} truths × {starts} starts, T = {rows}");
        let verdict = |claim: &crate::SpeedClaim| {
            let pairs = claim.slower.iter().flat_map(|slower| {
                [Unit::Iterations, Unit::Passes].map(|unit| (slower.as_str(), unit))
            });
            let findings =
                pairs.filter_map(|(slower, unit)| self.pair(&claim.faster, slower, unit));
            Verdict::new(&claim.claim, &about, findings.collect())
        };
        claims.iter().filter_map(verdict).collect()
    }

    /// Whether one arm is ahead of another at all checkpoints together, and at each.
    fn pair(&self, faster: &str, slower: &str, unit: Unit) -> Option<Finding> {
        let (mut levels, mut together): (Vec<Tested>, Vec<Clustered>) = Default::default();
        for (nth, checkpoint) in self.convergence.checkpoints.iter().enumerate() {
            let gains = self.gains(faster, slower, unit, nth);
            if !gains.is_empty() {
                let test = PairedTest::new(&gains, self.spec.seed);
                levels.push((format!("after {checkpoint}"), test));
                together.extend(gains);
            }
        }
        if together.is_empty() {
            return None;
        }
        let whole = PairedTest::new(&together, self.spec.seed);
        let arm = self.convergence.arms.iter().find(|arm| arm.name == slower);
        let label = arm.map_or(slower, |arm| arm.label());
        let subject = format!("against {label}, by {}", unit.words());
        Some(finding(
            self.spec,
            subject,
            "all checkpoints",
            &whole,
            &levels,
        ))
    }

    /// By how much the one is ahead at a checkpoint, start by start.
    fn gains(&self, faster: &str, slower: &str, unit: Unit, checkpoint: usize) -> Vec<Clustered> {
        let at =
            |name: &str, record: &ConvergenceRecord| self.height(name, record, unit, checkpoint);
        let gains = self
            .results
            .convergence()
            .filter_map(|((truth, _), record)| {
                let gain = at(faster, record)? - at(slower, record)?;
                Some(Clustered {
                    cluster: truth,
                    value: if gain.abs() < NO_DIFFERENCE {
                        0.0
                    } else {
                        gain
                    },
                })
            });
        gains.collect()
    }

    /// The log-likelihood of an arm at a checkpoint, with the step that did best.
    fn height(
        &self,
        name: &str,
        record: &ConvergenceRecord,
        unit: Unit,
        checkpoint: usize,
    ) -> Option<f64> {
        let curve = self.summary.curves.iter().find(|curve| curve.arm == name);
        let step = curve.and_then(|curve| curve.step);
        let run = record.runs.iter().find(|run| is_run(run, name, step))?;
        let values = match unit {
            Unit::Iterations => &run.by_iterations,
            Unit::Passes => &run.by_passes,
        };
        values.get(checkpoint).copied()
    }
}
