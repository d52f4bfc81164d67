//! All that sampling finds: estimates with errors, log Z by tempered ladders, and what is to be doubted.

use super::run::Run;
use crate::error::Result;
use crate::inference::expectations::Expectations;
use crate::inference::log_partition::{Mass, Witnesses, states_by_place, witnesses};
use crate::inference::markov_chains::Estimate;
use crate::inference::sampling::Sampling;
use crate::inference::value::{Kind, Value};
use crate::network::{Clamp, Network};
use crate::remark::Remark;

/// All that sampling found.
#[derive(Clone, Debug)]
pub struct Sampled {
    /// As every engine gives it; the log partition function by ladders of replicas and annealing.
    pub expectations: Expectations,
    /// P(x_u = 1) per unit; held units are certain.
    pub means: Vec<Estimate>,
    /// E f_V per term.
    pub terms: Vec<Estimate>,
    /// How the log partition function was found, and how far it can be believed.
    pub witnesses: Witnesses,
    /// How many chains ran.
    pub chains: usize,
    /// How many sweeps of each were measured.
    pub sweeps: usize,
    /// How many temperatures each chain had; one without tempering.
    pub temperatures: usize,
    /// The largest R̂ of all expectations.
    pub worst_r_hat: f64,
    /// What is to be doubted.
    pub remarks: Vec<Remark>,
}

impl Sampling {
    /// All that sampling finds of `network` with some units held.
    pub fn sample(&self, network: &Network, clamp: &Clamp) -> Result<Sampled> {
        let run = self.run(network, clamp)?;
        let witnesses = self.witnesses(&run);
        Ok(run.assemble(network, clamp, witnesses))
    }

    /// Log Z of the machine of chains at the end of their run: their states count, and ladders begin at them.
    fn witnesses(&self, run: &Run) -> Witnesses {
        let terms = &run.chains.terms;
        let mut machine = run.chains.machine.clone();
        machine.set_base(&run.free_means());
        let summed = machine.place.iter().map(|&at| at < machine.independent);
        let mut mass = Mass::new(terms, &summed.collect::<Vec<bool>>());
        run.records
            .for_each_state(&machine.order, &mut |state| mass.see(|unit| state[unit]));
        let starts = states_by_place(&run.chains.words());
        let asked = self.asked();
        witnesses(&machine, &starts, mass, None, terms.constant, &asked).0
    }
}

impl Run {
    fn assemble(&self, network: &Network, clamp: &Clamp, witnesses: Witnesses) -> Sampled {
        let terms = &self.chains.terms;
        let found = witnesses.log_partition;
        let log_ratio = Value {
            value: found.value - terms.constant,
            ..found
        };
        let typical = self.typical();
        let estimates: Vec<Estimate> = self.by_set.iter().map(|m| m.estimate(typical)).collect();
        let values: Vec<f64> = estimates.iter().map(|estimate| estimate.value).collect();
        let expectations = terms.assemble(
            log_ratio,
            self.entropy(log_ratio),
            &self.free_means(),
            &values,
        );
        let mut remarks = self.remarks(network);
        remarks.extend(witnesses.remarks.iter().cloned());
        Sampled {
            terms: self.terms(&estimates, typical),
            means: self.means(clamp, typical),
            witnesses,
            chains: self.chains.count(),
            sweeps: self.sweeps,
            temperatures: self.chains.temperatures(),
            worst_r_hat: self.worst.r_hat,
            remarks,
            expectations,
        }
    }

    /// Log Z less the mean exponent; both of them vary.
    fn entropy(&self, log_partition: Value) -> Value {
        let (exponent, exponent_error) = self.records.exponent();
        Value {
            value: (log_partition.value - exponent).max(0.0),
            kind: Kind::MonteCarlo,
            std_err: Some(log_partition.std_err.unwrap_or(0.0).hypot(exponent_error)),
        }
    }

    /// The estimate of every term, from those of the sets that terms became.
    fn terms(&self, by_set: &[Estimate], typical: f64) -> Vec<Estimate> {
        let terms = &self.chains.terms;
        let by_term = |take: fn(&Estimate) -> f64, always: f64| -> Vec<f64> {
            let by_set: Vec<f64> = by_set.iter().map(take).collect();
            terms.by_term(&by_set, always)
        };
        let values = by_term(|e| e.value, 1.0);
        let errors = by_term(|e| e.std_err, 0.0);
        let effective = by_term(|e| e.effective_samples, typical);
        let r_hats = by_term(|e| e.r_hat, 1.0);
        let estimates = (0..values.len()).map(|at| Estimate {
            value: values[at],
            std_err: errors[at],
            effective_samples: effective[at],
            r_hat: r_hats[at].max(1.0),
        });
        estimates.collect()
    }

    /// The estimate of every unit's mean; held units are certain.
    fn means(&self, clamp: &Clamp, typical: f64) -> Vec<Estimate> {
        let certain = |unit: usize| Estimate {
            value: f64::from(clamp.get(unit) == Some(true)),
            std_err: 0.0,
            effective_samples: self.records.samples() as f64,
            r_hat: 1.0,
        };
        let mut means: Vec<Estimate> = (0..clamp.len()).map(certain).collect();
        for (&unit, moments) in self.chains.terms.free.iter().zip(&self.by_unit) {
            means[unit] = moments.estimate(typical);
        }
        means
    }
}
