//! The uncertainty of the chosen machine: its standard errors, and the bootstrap where it was asked for.

use super::plan::Plan;
use crate::args::FitArgs;
use crate::failure::Outcome;
use crate::progress::RefitProgress;
use latentropy::data::Dataset;
use latentropy::selection::{
    Bootstrap, BootstrapKind, BootstrapSettings, Candidate, Fit, FitSettings, Spread, bootstrap,
};
use serde_json::{Map, Value, json};

/// What is known about the chosen machine beyond its standard errors.
pub(super) struct Uncertainty {
    /// The bootstrap, if there was one.
    pub(super) bootstrap: Option<Bootstrap>,
    /// What a user should know about it.
    pub(super) warnings: Vec<String>,
}

/// The bootstrap that the flags ask for.
pub(super) fn settings(
    args: &FitArgs,
    data: &Dataset,
    settings: &FitSettings,
) -> Outcome<Option<BootstrapSettings>> {
    let Some(resamples) = args.uncertainty.bootstrap else {
        return Ok(None);
    };
    let kind = args.uncertainty.bootstrap_kind;
    let wanted = BootstrapSettings {
        resamples,
        kind: kind.map_or(BootstrapKind::default(), Into::into),
        seed: settings.seed,
    };
    Ok(Some(wanted.checked(data, &settings.learning)?))
}

impl Uncertainty {
    /// Makes the bootstrap that the plan asks for.
    pub(super) fn of(args: &FitArgs, plan: &Plan, fit: &Fit) -> Outcome<Self> {
        let mut uncertainty = Uncertainty {
            bootstrap: None,
            warnings: Vec::new(),
        };
        let Some(settings) = &plan.bootstrap else {
            return Ok(uncertainty);
        };
        if !fit.selected_is_feasible {
            uncertainty.warnings.push(
                "there was no bootstrap: the machine shown is not a solution, so that refits would \
                 end elsewhere"
                    .to_string(),
            );
            return Ok(uncertainty);
        }
        let progress = RefitProgress::new(settings.resamples, args.run.quiet);
        let learning = &plan.settings.learning;
        let made = bootstrap(fit.chosen(), &plan.data, learning, settings, &progress)?;
        let lost = settings.resamples - made.converged;
        if lost > 0 {
            uncertainty.warnings.push(format!(
                "{lost} of {} refits of the bootstrap did not converge and are left out: raise \
                 --max-iter, loosen --tol or add a --ridge",
                settings.resamples
            ));
        }
        if made.at_the_edge > 0 && fit.chosen().certificate.boundary_terms.is_empty() {
            uncertainty.warnings.push(format!(
                "{} of {} refits of the bootstrap have weights at the edge of the box, so that spreads \
                 depend on --box: add a --ridge for finite weights",
                made.at_the_edge, made.converged
            ));
        }
        uncertainty.bootstrap = Some(made);
        Ok(uncertainty)
    }

    /// The field `uncertainty` of run.json and of `fit --json`.
    pub(super) fn fields(&self, chosen: &Candidate) -> Value {
        let errors = &chosen.standard_errors;
        let spreads = self.bootstrap.as_ref().and_then(|b| b.spreads.as_ref());
        let network = &chosen.network;
        let weights: Vec<Value> = network
            .terms()
            .iter()
            .enumerate()
            .map(|(at, term)| {
                let mut entry = Map::new();
                entry.insert("units".to_string(), json!(term.units()));
                entry.insert("label".to_string(), json!(network.label(at)));
                let spread = spreads.and_then(|s| s.weights[at].as_ref());
                entry.extend(self.number(network.weights()[at], errors.weights[at], spread));
                Value::Object(entry)
            })
            .collect();
        let entropy = spreads.and_then(|s| s.entropy.as_ref());
        let log_likelihood = spreads.map(|s| &s.log_likelihood);
        let mut fields = json!({
            "log_likelihood":
                self.number(chosen.log_likelihood, errors.log_likelihood, log_likelihood),
            "entropy": self.number(chosen.entropy.value, errors.entropy, entropy),
            "weights": weights,
            "undetermined_terms": errors.undetermined,
        });
        if let Some(bootstrap) = &self.bootstrap {
            fields["bootstrap"] = json!({
                "kind": bootstrap.settings.kind.to_string(),
                "resamples": bootstrap.settings.resamples,
                "converged": bootstrap.converged,
                "at_the_edge": bootstrap.at_the_edge,
                "interval": [0.025, 0.975],
            });
        }
        fields
    }

    /// A number, its standard error, and its spread where there was a bootstrap.
    fn number(
        &self,
        value: f64,
        standard_error: Option<f64>,
        spread: Option<&Spread>,
    ) -> Map<String, Value> {
        let mut entry = Map::new();
        entry.insert("value".to_string(), json!(value));
        entry.insert("standard_error".to_string(), json!(standard_error));
        if self.bootstrap.is_some() {
            let spread = spread.map(|spread| {
                json!({
                    "mean": spread.mean,
                    "standard_error": spread.std_err,
                    "interval": [spread.low, spread.high],
                })
            });
            entry.insert("bootstrap".to_string(), json!(spread));
        }
        entry
    }
}
