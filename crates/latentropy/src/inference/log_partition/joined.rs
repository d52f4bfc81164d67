//! What several estimates of log Z and a proven bound come to together.

/// Estimates further apart than this many standard errors disagree.
const MOST_APART: f64 = 3.0;
/// An interval reaches so many standard errors beyond an estimate.
pub(super) const WIDTH: f64 = 2.0;

/// A value with its standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Estimated {
    pub(super) value: f64,
    pub(super) std_err: f64,
}

/// One value of all, with the interval that it lies in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Joined {
    pub(super) value: f64,
    pub(super) std_err: f64,
    pub(super) at_least: f64,
    pub(super) at_most: f64,
    /// Whether all agree within their errors and none is below what is proven.
    pub(super) agree: bool,
}

impl Joined {
    /// Estimates and what log Z is proven not to be below. `is_sound` says whether each may be believed by its own lights.
    pub(super) fn new(estimates: &[Estimated], proven: f64, is_sound: bool) -> Self {
        let agree = is_sound
            && estimates.iter().enumerate().all(|(at, one)| {
                let others = estimates[at + 1..].iter();
                let near = |other: &Estimated| {
                    let error = one.std_err.hypot(other.std_err);
                    (one.value - other.value).abs() <= MOST_APART * error
                };
                others.clone().all(near) && one.value + MOST_APART * one.std_err >= proven
            });
        let joined = match agree {
            true => Joined::averaged(estimates),
            false => Joined::enclosing(estimates),
        };
        joined.raised(proven)
    }

    /// The mean by the errors. One that missed something is too sure of itself, so that none counts for more than four
    /// times another; and since they share states, averaging makes nothing surer.
    fn averaged(estimates: &[Estimated]) -> Self {
        let largest = estimates.iter().map(|one| one.std_err).fold(0.0, f64::max);
        let weight = |one: &Estimated| one.std_err.max(0.5 * largest).powi(-2);
        let total: f64 = estimates.iter().map(weight).sum();
        let mean = |of: fn(&Estimated) -> f64| {
            let weighted = estimates.iter().map(|one| weight(one) * of(one));
            weighted.sum::<f64>() / total
        };
        let (value, std_err) = (mean(|one| one.value), mean(|one| one.std_err));
        Joined {
            value,
            std_err,
            at_least: value - WIDTH * std_err,
            at_most: value + WIDTH * std_err,
            agree: true,
        }
    }

    /// The interval of all of them; its middle, with half of it as the error.
    fn enclosing(estimates: &[Estimated]) -> Self {
        let low = estimates.iter().map(|one| one.value - WIDTH * one.std_err);
        let high = estimates.iter().map(|one| one.value + WIDTH * one.std_err);
        let (low, high) = (
            low.fold(f64::INFINITY, f64::min),
            high.fold(f64::NEG_INFINITY, f64::max),
        );
        Joined {
            value: 0.5 * (low + high),
            std_err: 0.5 * (high - low),
            at_least: low,
            at_most: high,
            agree: false,
        }
    }

    /// Nothing is below what is proven.
    fn raised(mut self, proven: f64) -> Self {
        if self.at_least < proven {
            self.at_least = proven;
            self.at_most = self.at_most.max(proven + WIDTH * self.std_err);
            if !self.agree {
                self.value = 0.5 * (self.at_least + self.at_most);
                self.std_err = 0.5 * (self.at_most - self.at_least);
            }
        }
        self.value = self.value.max(proven);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(value: f64, std_err: f64) -> Estimated {
        Estimated { value, std_err }
    }

    #[test]
    fn agreement_is_averaged_and_disagreement_enclosed() {
        let near = [of(10.0, 0.1), of(10.2, 0.1), of(10.1, 0.02)];
        let joined = Joined::new(&near, 9.0, true);
        assert!(joined.agree && (joined.value - 10.1).abs() < 1e-12);
        assert!(joined.std_err <= 0.1 && joined.std_err >= 0.02);
        let far = [of(10.0, 0.1), of(11.0, 0.1), of(10.1, 0.02)];
        let joined = Joined::new(&far, 9.0, true);
        assert!(!joined.agree);
        assert!((joined.at_least - 9.8).abs() < 1e-12 && (joined.at_most - 11.2).abs() < 1e-12);
        assert!((joined.value - 10.5).abs() < 1e-12 && (joined.std_err - 0.7).abs() < 1e-12);
        assert!(!Joined::new(&near, 9.0, false).agree);
    }

    #[test]
    fn nothing_is_below_what_is_proven() {
        let joined = Joined::new(&[of(10.0, 0.1), of(10.1, 0.1)], 11.0, true);
        assert!(!joined.agree);
        assert!(joined.at_least == 11.0 && joined.value >= 11.0 && joined.at_most > 11.0);
        assert!(joined.std_err > 0.0);
        // A bound that is only just above takes nothing from the trust.
        let joined = Joined::new(&[of(10.0, 0.1), of(10.1, 0.1)], 10.1, true);
        assert!(joined.agree && joined.value == 10.1 && joined.at_least == 10.1);
    }
}
