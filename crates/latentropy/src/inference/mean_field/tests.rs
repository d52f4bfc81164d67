//! Fixed points of mean field against the derivatives that define them.

use super::ascent::{Objective, logistic, sweep};
use super::naive::Naive;
use super::tap::SecondOrder;
use crate::inference::reduction::Pairwise;
use crate::network::{Clamp, Network, Term, Unit};

fn ring() -> Network {
    let units = (0..5).map(|u| Unit::visible(format!("x{u}"))).collect();
    let terms = (0..5).flat_map(|u| {
        let weight = 0.3 * u as f64 - 0.7;
        [
            (Term::new(vec![u]), weight),
            (Term::new(vec![u, (u + 1) % 5]), 0.9 - weight),
        ]
    });
    Network::new(units, terms).expect("a valid network")
}

#[test]
fn objectives_are_stationary_where_sweeps_end() {
    let graph = Pairwise::new(&ring(), &Clamp::none(5), "tap").expect("pairs only");
    let check = |objective: &dyn Fn(&[f64]) -> f64, means: &[f64]| {
        for unit in 0..5 {
            let mut moved = means.to_vec();
            let step = 1e-5;
            moved[unit] = means[unit] + step;
            let up = objective(&moved);
            moved[unit] = means[unit] - step;
            let slope = (up - objective(&moved)) / (2.0 * step);
            assert!(slope.abs() < 1e-8, "slope {slope} at unit {unit}");
        }
    };
    let mut means = vec![0.5; 5];
    sweep(&graph, &Naive, &mut means, 1e-15, 10_000);
    check(&|q| Naive.value(&graph, q), &means);
    sweep(&graph, &SecondOrder, &mut means, 1e-15, 10_000);
    check(&|q| SecondOrder.value(&graph, q), &means);
}

#[test]
fn logistic_has_no_overflow() {
    assert_eq!((logistic(1e4), logistic(-1e4)), (1.0, 0.0));
    assert_eq!(logistic(0.0), 0.5);
}
