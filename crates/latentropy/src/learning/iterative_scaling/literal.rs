//! Equation (8) of the paper as it stands: the root by bisection, one term at a time; what the fast form is tested against.

/// γ with Σ_c a(c) e^{γc} + r(λ + γ) = η, kept within the box |λ + γ| ≤ bound; `values` are the c.
pub(crate) fn root(
    values: &[f64],
    a: &[f64],
    eta: f64,
    weight: f64,
    ridge: f64,
    bound: f64,
) -> f64 {
    let (mut low, mut high) = (-bound - weight, bound - weight);
    let left = |gamma: f64| {
        let sum: f64 = values
            .iter()
            .zip(a)
            .map(|(c, a)| a * (gamma * c).exp())
            .sum();
        sum + ridge * (weight + gamma)
    };
    // The left side increases with γ.
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if left(middle) > eta {
            high = middle;
        } else {
            low = middle;
        }
    }
    0.5 * (low + high)
}
