//! Mutual information between the visible and the hidden units, by summing the joint distribution once.

use crate::error::Result;
use crate::inference::Joint;
use crate::network::{Network, Role};

/// Beyond this many units the sum over all states is not worth a diagnostic.
const MOST_UNITS: usize = 22;

/// I(Y; Z) in nats; `None` where the machine is too large. Zero without hidden units.
pub fn mutual_information(network: &Network) -> Result<Option<f64>> {
    let hidden = network.hidden();
    if hidden.is_empty() || hidden.len() == network.units().len() {
        return Ok(Some(0.0));
    }
    if network.units().len() > MOST_UNITS {
        return Ok(None);
    }
    // Hidden units as the lowest bits: the states of one y lie side by side.
    let order: Vec<usize> = hidden
        .iter()
        .copied()
        .chain((0..network.units().len()).filter(|&u| network.units()[u].role == Role::Visible))
        .collect();
    let hidden_states = 1usize << hidden.len();
    let joint = Joint::new(network, &order)?;
    // Entropies of unnormalised weights w with sum W: H = log W − Σ w log w / W.
    let (mut total, mut of_y, mut of_x) = (0.0, 0.0, 0.0);
    let mut of_z = vec![0.0; hidden_states];
    let weighted_log = |w: f64| if w > 0.0 { w * w.ln() } else { 0.0 };
    joint.visit(|weights| {
        for states in weights.chunks_exact(hidden_states) {
            let mut sum = 0.0;
            for (z, &w) in of_z.iter_mut().zip(states) {
                sum += w;
                *z += w;
                of_x += weighted_log(w);
            }
            total += sum;
            of_y += weighted_log(sum);
        }
    });
    let of_z: f64 = of_z.into_iter().map(weighted_log).sum();
    // I = H(Y) + H(Z) − H(Y,Z).
    Ok(Some((total.ln() + (of_x - of_y - of_z) / total).max(0.0)))
}
