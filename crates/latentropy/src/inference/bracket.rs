//! What is proven about log Z of any machine of pairs: naive mean field from below, spanning trees from above.
//!
//! An estimate outside of these bounds is wrong whatever it rests on; it is refused, with the bounds as the reason.

use super::mean_field;
use super::reduction::{FreeTerms, Pairwise};
use super::tree_reweighted;
use super::value::{Kind, Value};
use crate::error::{Error, Result};
use crate::message::{Setting, words};
use crate::network::{Clamp, Network};

/// Messages stop changing before the last digit: an estimate may be off by this much, relative to its size.
const SETTLED: f64 = 1e-8;

/// Lower and upper bound on log Z, the constant included.
fn bounds(network: &Network, clamp: &Clamp) -> Result<(f64, f64)> {
    let terms = FreeTerms::new(network, clamp)?;
    let constant = terms.constant;
    if terms.sets.iter().all(|set| set.len() <= 2) {
        let graph = Pairwise::new(network, clamp, "trw")?;
        let (low, high) = (
            mean_field::lower_bound(&graph),
            tree_reweighted::upper_bound(&graph),
        );
        return Ok((constant + low, constant + high));
    }
    // With terms of more units: the uniform distribution from below, the best state everywhere from above.
    let units = terms.free.len() as f64 * std::f64::consts::LN_2;
    let sets = terms.sets.iter().zip(&terms.coefficients);
    let mean: f64 = sets.map(|(set, c)| c * 0.5f64.powi(set.len() as i32)).sum();
    let most: f64 = terms.coefficients.iter().map(|c| c.max(0.0)).sum();
    Ok((constant + units + mean, constant + units + most))
}

/// Refuses an estimate of log Z that no distribution can have.
pub(super) fn refuse_impossible(
    network: &Network,
    clamp: &Clamp,
    log_partition: Value,
) -> Result<()> {
    if log_partition.kind != Kind::Estimate {
        return Ok(());
    }
    let (low, high) = bounds(network, clamp)?;
    let value = log_partition.value;
    let slack = SETTLED * (1.0 + value.abs());
    if value.is_finite() && value >= low - slack && value <= high + slack {
        return Ok(());
    }
    Err(Error::failed(words![
        format!(
            "the estimate of log Z is {value:.6}, and that cannot be: it is proven to lie between {low:.6} (mean field) \
             and {high:.6} (spanning trees), so nothing that this engine says of the machine is to be trusted; use "
        ),
        Setting::Engine.at("junction-tree"),
        " where the graph is sparse, ",
        Setting::Engine.at("gibbs"),
        " for any machine, or trw for the bound",
    ]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inference::literal;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn the_truth_is_never_refused_and_what_is_far_from_it_always(
            weights in prop::collection::vec(-3.0..3.0f64, 15),
            held in prop_oneof![Just(None), Just(Some(true)), Just(Some(false))],
        ) {
            let network = Network::full(5, 0).with_weights(weights).expect("a weight per term");
            let mut values = vec![None; 5];
            values[2] = held;
            let clamp = Clamp::new(values);
            let truth = literal::expectations(&network, &clamp).log_partition.value;
            let estimate = |value: f64| Value { value, kind: Kind::Estimate, std_err: None };
            prop_assert!(refuse_impossible(&network, &clamp, estimate(truth)).is_ok());
            for far in [-40.0, 40.0, f64::NAN] {
                prop_assert!(refuse_impossible(&network, &clamp, estimate(truth + far)).is_err());
            }
        }
    }

    #[test]
    fn terms_of_three_units_have_bounds_too() {
        let network = Network::from_terms(&["a", "b", "c"], &[], &[(&["a", "b", "c"], 1.5)]);
        let network = network.expect("a valid network");
        let none = Clamp::none(3);
        let truth = literal::expectations(&network, &none).log_partition.value;
        let (low, high) = bounds(&network, &none).expect("bounds");
        assert!(low <= truth && truth <= high);
    }
}
