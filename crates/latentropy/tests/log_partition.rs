//! Log Z that can be believed: right within its errors, or doubted, also where modes are far apart.

mod common;
#[path = "common/multimodal.rs"]
mod multimodal;
mod oracle_files;

use latentropy::inference::Kind;
use latentropy::network::{Clamp, Network};
use latentropy::{Dataset, Remark, Sampling, infer, sample, score};
use multimodal::{bars_and_stripes, hopfield, learned_bars_and_stripes, well_mixing};

fn gibbs(seed: u64) -> Sampling {
    Sampling {
        seed,
        ..Sampling::default()
    }
}

fn exact(network: &Network) -> f64 {
    let found = infer(network, &[], None, &Sampling::default()).unwrap();
    let value = found.answer.expectations.log_partition;
    assert_eq!(value.kind, Kind::Exact);
    value.value
}

/// So many rows of the machine, drawn exactly.
fn drawn(network: &Network, visible: usize, count: usize) -> Dataset {
    let states = sample(network, &[], 4).unwrap().next(count);
    let rows = states.iter().map(|state| {
        let cells = state[..visible].iter();
        cells.map(|&is_on| i8::from(is_on)).collect()
    });
    Dataset::from_rows(&rows.collect::<Vec<Vec<i8>>>()).unwrap()
}

/// How many of the seeds are further off than three errors without a warning; every proven bound must hold.
fn surprises(name: &str, network: &Network, truth: f64, slack: f64, seeds: u64) -> usize {
    let (mut surprises, mut trusted, mut squares) = (0, 0, 0.0);
    for seed in 0..seeds {
        let found = gibbs(seed)
            .sample(network, &Clamp::none(network.units().len()))
            .unwrap();
        let log_partition = found.expectations.log_partition;
        let witnesses = &found.witnesses;
        assert!(
            witnesses.mass_bound <= truth + slack,
            "{name}: {witnesses:?} above {truth}"
        );
        assert!(log_partition.value >= witnesses.mass_bound);
        assert!(witnesses.at_least >= witnesses.mass_bound);
        let is_between = |remark: &Remark| matches!(remark, Remark::LogPartitionBetween { .. });
        assert_eq!(
            witnesses.trusted,
            !found.remarks.iter().any(is_between),
            "{name}"
        );
        let off = (log_partition.value - truth).abs() - slack;
        let z = off.max(0.0) / log_partition.std_err.unwrap();
        trusted += usize::from(witnesses.trusted);
        squares += z * z;
        if z > 3.0 && found.remarks.is_empty() {
            surprises += 1;
        }
    }
    println!(
        "{name}: {surprises} of {seeds} off by more than three errors, {trusted} trusted, root mean square z {:.2}",
        (squares / seeds as f64).sqrt()
    );
    surprises
}

#[test]
fn estimates_are_calibrated_or_doubted() {
    let machines = [
        ("well mixing, 14 units", well_mixing(14, 0.8), 20),
        ("Hopfield, 16 units, 2 patterns", hopfield(16, 2, 2.0), 20),
        (
            "Hopfield, 16 units, 3 patterns, strong",
            hopfield(16, 3, 5.0),
            20,
        ),
        (
            "bars and stripes 3×3, 6 hidden",
            learned_bars_and_stripes(3, 6),
            20,
        ),
    ];
    let mut total = 0;
    for (name, network, seeds) in &machines {
        total += surprises(name, network, exact(network), 0.0, *seeds);
    }
    // One in a hundred, and what chance adds to 80 seeds.
    assert!(total <= 2, "{total} of 80");
    for (name, network, log10, _) in oracle_files::uai(&["DBN_"]) {
        // Six digits of the outside answer.
        let truth = log10 * std::f64::consts::LN_10;
        assert!(surprises(&name, &network, truth, 1e-5 * truth.abs(), 2) == 0);
    }
}

#[test]
fn rows_are_at_least_as_probable_as_the_bound_says() {
    let network = learned_bars_and_stripes(3, 6);
    let rows = bars_and_stripes(3);
    let drawn = drawn(&network, 9, 500);
    for (rows, name) in [(&rows, "the patterns"), (&drawn, "its own draws")] {
        let truth = score(&network, rows, None, &Sampling::default()).unwrap();
        assert_eq!(truth.mean.kind, Kind::Exact);
        let mut above = 0;
        for seed in 0..10 {
            let found =
                score(&network, rows, Some("gibbs".parse().unwrap()), &gibbs(seed)).unwrap();
            let bound = found.at_least.unwrap();
            above += usize::from(bound.value > truth.mean.value);
            let within = found.mean_within();
            let (least, most) = (within.at_least.unwrap(), within.at_most.unwrap());
            assert!(least <= most);
            println!(
                "{name}: {:.4}, {least:.4} to {most:.4}, {:?}",
                truth.mean.value, within.trusted
            );
            // The weight of distinct rows is proven.
            assert!(found.witnesses.unwrap().mass_bound <= truth.log_partition.value);
        }
        assert!(above <= 1, "{name}: {above} of 10");
    }
}

#[test]
fn rows_alone_refuse_what_lies_below_them() {
    // Two far modes, one of which only a row shows.
    let network = hopfield(18, 1, 9.0);
    let truth = exact(&network);
    let rows = drawn(&network, 18, 4);
    let found = score(&network, &rows, Some("gibbs".parse().unwrap()), &gibbs(1)).unwrap();
    let error = found.log_partition.std_err.unwrap();
    assert!((found.log_partition.value - truth).abs() <= 3.0 * error);
}

#[test]
fn ladders_that_ran_too_short_are_doubted() {
    let network = hopfield(20, 3, 9.0);
    let sampling = Sampling {
        sweeps: Some(16),
        ..gibbs(2)
    };
    let found = sampling.sample(&network, &Clamp::none(20)).unwrap();
    let witnesses = &found.witnesses;
    assert!(!witnesses.trusted, "{witnesses:?}");
    let has = |is: fn(&Remark) -> bool| witnesses.remarks.iter().any(is);
    let is_few = witnesses.ladder.renewals < 2 * witnesses.ladder.ladders;
    assert_eq!(
        has(|remark| matches!(remark, Remark::FewRenewals { .. })),
        is_few
    );
    let is_apart = witnesses.ladder.apart.abs() > 3.0;
    assert_eq!(
        has(|remark| matches!(remark, Remark::LaddersApart { .. })),
        is_apart
    );
}

#[test]
fn threads_make_no_difference() {
    let network = hopfield(16, 3, 3.0);
    let none = Clamp::none(16);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| gibbs(3).sample(&network, &none).unwrap().witnesses)
    };
    assert_eq!(run(1), run(3));
}
