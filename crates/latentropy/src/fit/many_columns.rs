//! The machines that are compared on validation rows where columns and rows are too many for exact sums: visible pairs,
//! screened, restricted and semi-restricted machines, all learned in mini-batches.

use super::machines::Machine;
use super::screening::screened;
use crate::data::Dataset;
use crate::error::Result;
use crate::network::{Network, Shape, TermOptions};

/// Hidden units of machines without pairs of visible units, which have to do their work.
const RESTRICTED: &[usize] = &[16, 50, 150];
/// Of those with all pairs.
const SEMI_RESTRICTED: &[usize] = &[10, 50];
/// Of those with the pairs that are associated.
const SCREENED: &[usize] = &[0, 4, 8, 16, 50];
/// Where more than this share of the pairs is associated, leaving out the others changes little.
const MOST_ASSOCIATED: f64 = 0.5;
/// The ridges at which the chosen machine is tried beside the usual one.
const RIDGES: [f64; 3] = [8.0, 0.2, 0.04];

/// All of them, in the order in which they are tried; with other ridges where the ridge is open.
pub(super) fn machines_of_many_columns(
    data: &Dataset,
    is_ridge_open: bool,
) -> Result<Vec<Machine>> {
    let mut plain = vec![
        Machine::new(
            Shape::Independent,
            0,
            of_shape(data, Shape::Independent, 0)?,
        ),
        in_batches(Shape::Visible, 0, of_shape(data, Shape::Visible, 0)?),
    ];
    let pairs = plain[1].parameters() - plain[0].parameters();
    let sizes = [
        (Shape::Screened, SCREENED),
        (Shape::Rbm, RESTRICTED),
        (Shape::SemiRestricted, SEMI_RESTRICTED),
    ];
    for (shape, sizes) in sizes {
        for &hidden in sizes {
            let network = of_shape(data, shape, hidden)?;
            if shape == Shape::Screened && hidden == 0 {
                let kept = network.terms().len() - plain[0].parameters();
                // Without a pair they are independent columns, or restricted machines.
                if kept == 0 || kept as f64 > MOST_ASSOCIATED * pairs as f64 {
                    break;
                }
            }
            plain.push(in_batches(shape, hidden, network));
        }
    }
    let mut refined = Vec::new();
    if is_ridge_open {
        for machine in plain.iter().filter(|machine| machine.in_batches) {
            refined.extend(RIDGES.map(|ridge| Machine {
                ridge: Some(ridge),
                ..machine.clone()
            }));
        }
    }
    plain.extend(refined);
    Ok(plain)
}

fn of_shape(data: &Dataset, shape: Shape, hidden: usize) -> Result<Network> {
    let options = TermOptions {
        shape,
        ..TermOptions::default()
    };
    match shape {
        Shape::Screened => screened(data, hidden, &options),
        _ => Network::on_columns(data.columns(), hidden, &options),
    }
}

fn in_batches(shape: Shape, hidden: usize, network: Network) -> Machine {
    Machine {
        grows: hidden > 0,
        in_batches: true,
        ..Machine::new(shape, hidden, network)
    }
}
