//! The vector kernels against their definitions.

use super::elementary::UNDERFLOW;
use super::*;
use proptest::prelude::*;

proptest! {
    #[test]
    fn exponentials_agree_with_the_library(values in prop::collection::vec(-745.0..709.0f64, 0..40)) {
        let mut ours = values.clone();
        exponentials(&mut ours);
        for (x, y) in values.iter().zip(&ours) {
            let exact = if *x < UNDERFLOW { 0.0 } else { x.exp() };
            // Two units in the last place.
            prop_assert!((y - exact).abs() <= 4.5e-16 * exact, "exp({x}) = {y}, not {exact}");
        }
    }

    #[test]
    fn transforms_agree_with_their_definitions(bits in 0usize..7, seed in prop::collection::vec(0.5..2.0f64, 128)) {
        let table = &seed[..1 << bits];
        let (mut products, mut sums, mut supersets) = (table.to_vec(), table.to_vec(), table.to_vec());
        subset_products(&mut products);
        subset_sums(&mut sums);
        superset_sums(&mut supersets);
        for s in 0..table.len() {
            let inside: Vec<f64> = (0..table.len()).filter(|m| m & s == *m).map(|m| table[m]).collect();
            let product: f64 = inside.iter().product();
            let sum: f64 = inside.iter().sum();
            let above: f64 = (0..table.len()).filter(|m| m & s == s).map(|m| table[m]).sum();
            prop_assert!((products[s] / product - 1.0).abs() < 1e-13);
            prop_assert!((sums[s] / sum - 1.0).abs() < 1e-13);
            prop_assert!((supersets[s] / above - 1.0).abs() < 1e-13);
        }
    }
}

proptest! {
    #[test]
    fn logarithms_agree_with_the_library(x in prop_oneof![1e-300..1e-200f64, 0.9..1.1f64, 1e-3..1e3f64, 1e100..1e300f64]) {
        let (ours, exact) = (logarithm::<false>(x), x.ln());
        prop_assert!((ours - exact).abs() <= 5e-16 * exact.abs() + 1e-18, "log({x}) = {ours}, not {exact}");
    }

    #[test]
    fn lane_posteriors_agree_with_single_tables(bits in 0usize..5, seed in prop::collection::vec(-3.0..3.0f64, 256)) {
        let states = 1usize << bits;
        let mut lanes = seed[..states * LANES].to_vec();
        let log_sums = lane_posteriors(&mut lanes);
        for lane in 0..LANES {
            let mut table: Vec<f64> = (0..states).map(|s| seed[s * LANES + lane]).collect();
            subset_sums(&mut table);
            let largest = exponentials_below_maximum(&mut table);
            superset_sums(&mut table);
            prop_assert!((log_sums[lane] - largest - table[0].ln()).abs() < 1e-13);
            for s in 0..states {
                prop_assert!((lanes[s * LANES + lane] - table[s] / table[0]).abs() < 1e-14);
            }
        }
    }

    #[test]
    fn logistic_rows_agree_with_their_definition(fields in prop::collection::vec(-50.0..50.0f64, 0..600)) {
        let mut ours = fields.clone();
        let total = logistic_row(&mut ours);
        let mut expected = 0.0;
        for (f, y) in fields.iter().zip(&ours) {
            expected += f.max(0.0) + (-f.abs()).exp().ln_1p();
            let exact = 1.0 / (1.0 + (-f).exp());
            prop_assert!((y / exact - 1.0).abs() < 2e-15);
        }
        prop_assert!((total - expected).abs() <= 1e-13 * (1.0 + expected));
    }
}

#[test]
fn sums_and_maxima_of_any_length() {
    for length in 0..40 {
        let values: Vec<f64> = (0..length).map(|i| ((i * 7) % 11) as f64 - 3.0).collect();
        assert_eq!(sum(&values), values.iter().sum::<f64>());
        assert_eq!(
            maximum(&values),
            values.iter().copied().fold(f64::NEG_INFINITY, f64::max)
        );
    }
}

#[test]
fn the_single_exponential_is_right() {
    for step in 0..=80_000 {
        let x = step as f32 * 1e-3;
        let exact = f64::from(x).exp();
        let found = f64::from(exponential_single(x));
        assert!(
            (found / exact - 1.0).abs() < 1e-6,
            "e^{x} is {exact}, not {found}"
        );
    }
}
