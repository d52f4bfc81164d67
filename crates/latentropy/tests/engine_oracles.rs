//! Outside answers to every engine: UAI-2014 models, libDAI's results, and the exact two-dimensional Ising model.

mod common;
mod oracle_files;

use latentropy::inference::Kind;
use latentropy::internals::{
    AnswersAtOnce, Appearance, BeliefPropagation, GeneralisedBeliefPropagation, JunctionTree,
    MeanField, Regions, TreeReweighted,
};
use latentropy::network::Clamp;
use oracle_files::{asked, grid, libdai, six_digits, uai};

#[test]
fn junction_tree_on_the_uai_models() {
    for (name, network, log10_partition, marginals) in uai(&["Grids_", "Segmentation_"]) {
        let none = Clamp::none(network.units().len());
        let cost = JunctionTree::cost(&network, &none).unwrap();
        let start = std::time::Instant::now();
        let found = asked(&JunctionTree, &network);
        println!(
            "{name}: width {}, {:.2} GB, {:.1} s guessed, {:.1} s taken",
            cost.width,
            cost.bytes / 1e9,
            cost.seconds,
            start.elapsed().as_secs_f64()
        );
        let ours = found.log_partition.value / std::f64::consts::LN_10;
        assert!(
            six_digits(ours, log10_partition),
            "{name}: log10 Z {ours} against {log10_partition}"
        );
        for (unit, (ours, theirs)) in found.means.iter().zip(&marginals).enumerate() {
            assert!(
                six_digits(*ours, *theirs),
                "{name} unit {unit}: {ours} against {theirs}"
            );
        }
    }
}

#[test]
fn junction_tree_gives_every_exact_answer_of_libdai() {
    for case in libdai() {
        let found = case.infer(&JunctionTree);
        case.compare(&found, "EXACT_JTREE", 1e-12);
    }
}

#[test]
fn junction_tree_on_open_ising_grids() {
    for (coupling, exact) in oracle_files::open_ising() {
        let network = grid((10, 10), coupling, false);
        let found = asked(&JunctionTree, &network);
        let ours = found.log_partition.value;
        assert!(
            (ours - exact).abs() < 1e-11 * exact,
            "K = {coupling}: {ours} against {exact}"
        );
        // Without a field every spin is as often up as down.
        assert!(found.means.iter().all(|m| (m - 0.5).abs() < 1e-12));
    }
}

#[test]
fn junction_tree_on_a_torus_with_clamps() {
    // Wide enough to spread over threads; held units open the torus to a strip.
    let network = grid((8, 8), 0.3, true);
    let none = Clamp::none(64);
    let whole = asked(&JunctionTree, &network);
    let mut total = f64::NEG_INFINITY;
    for value in [false, true] {
        let mut clamp = none.clone();
        clamp.hold(9, value).unwrap();
        let part = JunctionTree.expectations(&network, &clamp).unwrap();
        let share = (part.log_partition.value - whole.log_partition.value).exp();
        let mean = if value {
            whole.means[9]
        } else {
            1.0 - whole.means[9]
        };
        assert!((share - mean).abs() < 1e-12);
        let (a, b) = (
            total.max(part.log_partition.value),
            total.min(part.log_partition.value),
        );
        total = a + (b - a).exp().ln_1p();
    }
    assert!((total - whole.log_partition.value).abs() < 1e-11);
}

#[test]
fn mean_field_reaches_the_fixed_points_of_libdai_or_better() {
    let mut same = 0;
    for case in libdai() {
        let found = case.infer(&MeanField);
        let theirs = case.log_partition("MF_naive_uniform_init");
        let ours = found.log_partition.value;
        assert!(ours > theirs - 1e-8, "{}: {ours} {theirs}", case.name);
        assert!(ours < case.log_partition("EXACT_JTREE"));
        if (ours - theirs).abs() < 1e-8 {
            same += 1;
            let means = case.means("MF_naive_uniform_init");
            for (ours, theirs) in found.means.iter().zip(means) {
                assert!(
                    (ours - theirs).abs() < 1e-8,
                    "{}: {ours} {theirs}",
                    case.name
                );
            }
        } else {
            println!("{}: a better bound, {ours} against {theirs}", case.name);
        }
    }
    assert!(
        same == 0 || same >= 5,
        "only {same} fixed points are libDAI's"
    );
}

#[test]
fn belief_propagation_reaches_the_fixed_points_of_libdai() {
    for case in libdai() {
        let found = case.infer(&BeliefPropagation);
        case.compare(&found, "BP", 1e-8);
        let exact = found.log_partition.kind == Kind::Exact;
        assert_eq!(exact, case.name == "tree15", "{}", case.name);
    }
}

#[test]
fn tree_reweighted_reaches_the_optima_of_libdai() {
    for case in libdai() {
        let appearance = Appearance::Constant;
        let found = case.infer(&TreeReweighted { appearance });
        case.compare(&found, "TRWBP_uniform_rho", 1e-8);
        let truth = case.log_partition("EXACT_JTREE");
        let bound = |appearance| {
            let found = case.infer(&TreeReweighted { appearance });
            assert_ne!(found.log_partition.kind, Kind::Estimate);
            assert!(
                found.log_partition.value >= truth - 1e-12 * truth.abs(),
                "{}",
                case.name
            );
            found.log_partition.value
        };
        let (uniform, optimised) = (
            bound(Appearance::SpanningTrees),
            bound(Appearance::Optimised),
        );
        println!("{}: {truth} ≤ {optimised} ≤ {uniform}", case.name);
        assert!(optimised <= uniform + 1e-9);
    }
}

#[test]
fn region_graphs_reach_the_fixed_points_of_libdai() {
    let mut seen = 0;
    for case in libdai() {
        if case.has("GBP_LOOP4") {
            seen += 1;
            let loops = GeneralisedBeliefPropagation::default();
            case.compare(&case.infer(&loops), "GBP_LOOP4", 1e-6);
            // There are no triangles on a grid: Bethe's approximation.
            let regions = Regions::Pairs;
            let pairs = GeneralisedBeliefPropagation { regions };
            case.compare(&case.infer(&pairs), "GBP_LOOP3", 1e-6);
            case.compare(&case.infer(&pairs), "BP", 1e-8);
        }
    }
    assert!(seen == 0 || seen >= 5);
}
