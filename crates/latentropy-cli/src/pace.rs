//! How much longer something takes, from its pace so far; none where there is nothing to tell it from.

/// Marks that a line is laid through, at least, and the time that they must span.
const FEWEST_MARKS: usize = 4;
const LEAST_SECONDS: f64 = 1.0;
/// The fall along the line must be so many times what the marks scatter about it.
const CLEAR: f64 = 2.0;
/// Nobody can tell further ahead than so many times what has been seen.
const FURTHEST: f64 = 50.0;

/// Seconds left where `done` of `all` equal steps, `before` of which were made before the clock began, took so long.
pub(crate) fn by_share(seconds: f64, before: usize, done: usize, all: usize) -> Option<f64> {
    let made = done.checked_sub(before).filter(|&made| made > 0)?;
    let left = all.saturating_sub(done);
    (seconds >= LEAST_SECONDS).then(|| seconds * left as f64 / made as f64)
}

/// Seconds left where `done` of `all` things had been done when the last of them was, and it is later by now; none once
/// the rest has taken longer than those did.
pub(crate) fn by_count(last_done: f64, now: f64, done: u64, all: u64) -> Option<f64> {
    let rest = all.saturating_sub(done) as f64;
    let left = last_done * rest / done as f64 - (now - last_done);
    (done > 0 && rest > 0.0 && left > 0.0).then_some(left)
}

/// How a residual falls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fall {
    /// By a factor per second: learners with exact sums.
    Exponential,
    /// By a factor whenever the time doubles: by samples, every step of which is longer than the one before.
    Power,
}

/// Seconds left until a residual reaches its target, from marks (seconds, residual) in the order of time: a line through
/// the logarithms of the later half of them, by time or its logarithm, where that falls clearly.
pub(crate) fn by_residual(marks: &[(f64, f64)], target: f64, fall: Fall) -> Option<f64> {
    let later = &marks[marks.len() / 2..];
    let later = match later.len() < FEWEST_MARKS {
        true => &marks[marks.len().saturating_sub(FEWEST_MARKS)..],
        false => later,
    };
    let (&(first, _), &(now, residual)) = (later.first()?, later.last()?);
    let is_usable =
        |&(time, residual): &(f64, f64)| time > 0.0 && residual > 0.0 && residual.is_finite();
    if later.len() < FEWEST_MARKS || now - first < LEAST_SECONDS || !later.iter().all(is_usable) {
        return None;
    }
    let scale = |time: f64| match fall {
        Fall::Exponential => time,
        Fall::Power => time.ln(),
    };
    let points: Vec<(f64, f64)> = later
        .iter()
        .map(|&(time, residual)| (scale(time), residual.ln()))
        .collect();
    let line = Line::through(&points);
    let falls = line.slope * (scale(first) - scale(now));
    let reached = line.mean.0 + (target.ln() - line.mean.1) / line.slope;
    let reached = match fall {
        Fall::Exponential => reached,
        Fall::Power => reached.exp(),
    };
    let left = (reached - now).max(0.0);
    let is_clear = falls > 0.0 && falls >= CLEAR * line.scatter && residual > target;
    (is_clear && left <= FURTHEST * now).then_some(left)
}

/// A line of least squares.
struct Line {
    mean: (f64, f64),
    slope: f64,
    /// The root of the mean square of what is left.
    scatter: f64,
}

impl Line {
    fn through(points: &[(f64, f64)]) -> Self {
        let count = points.len() as f64;
        let mean = |value: fn(&(f64, f64)) -> f64| points.iter().map(value).sum::<f64>() / count;
        let (x, y) = (mean(|point| point.0), mean(|point| point.1));
        let (mut square, mut product) = (0.0, 0.0);
        for point in points {
            square += (point.0 - x).powi(2);
            product += (point.0 - x) * (point.1 - y);
        }
        let slope = product / square;
        let off = |point: &(f64, f64)| (point.1 - y - slope * (point.0 - x)).powi(2);
        Line {
            mean: (x, y),
            slope,
            scatter: (points.iter().map(off).sum::<f64>() / count).sqrt(),
        }
    }
}

/// "about 40 s left": no more figures than are known.
pub(crate) fn about(seconds: f64) -> String {
    // A hair above a whole number is that number.
    let rounded = |value: f64, to: f64| (value / to - 1e-6).ceil().max(1.0) * to;
    match seconds {
        s if s <= 10.0 => format!("about {:.0} s left", rounded(s, 1.0)),
        s if s <= 55.0 => format!("about {:.0} s left", rounded(s, 5.0)),
        s if s <= 59.0 * 60.0 => format!("about {:.0} min left", rounded(s / 60.0, 1.0)),
        s => format!("about {:.0} h left", rounded(s / 3600.0, 1.0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_steps_tell_the_rest() {
        assert_eq!(by_share(10.0, 0, 25, 100), Some(30.0));
        // Steps of an earlier run took none of this one's time.
        assert_eq!(by_share(10.0, 50, 75, 100), Some(10.0));
        assert_eq!(by_share(10.0, 0, 100, 100), Some(0.0));
        assert_eq!(by_share(10.0, 25, 25, 100), None);
        assert_eq!(by_share(0.1, 0, 1, 100), None);
    }

    #[test]
    fn things_done_tell_the_rest() {
        // Two of eight in ten seconds: thirty more, two of which have gone by.
        assert_eq!(by_count(10.0, 12.0, 2, 8), Some(28.0));
        assert_eq!(by_count(10.0, 41.0, 2, 8), None);
        assert_eq!(by_count(0.0, 12.0, 0, 8), None);
        assert_eq!(by_count(10.0, 10.0, 8, 8), None);
    }

    #[test]
    fn a_residual_that_falls_evenly_is_extrapolated() {
        let marks: Vec<(f64, f64)> = (1..13)
            .map(|at| (f64::from(at), 10f64.powf(-f64::from(at) / 4.0)))
            .collect();
        // From 10^-3 to 10^-8, a power of ten in four seconds.
        let left = by_residual(&marks, 1e-8, Fall::Exponential).unwrap();
        assert!((left - 20.0).abs() < 1e-9, "{left}");
        assert_eq!(by_residual(&marks, 0.1, Fall::Exponential), None);
    }

    #[test]
    fn by_samples_twice_the_time_is_a_factor() {
        // A residual of 1/t at 1, 2, 4, 8, 16 seconds reaches 0.05 at 20.
        let marks = [1.0, 2.0, 4.0, 8.0, 16.0].map(|time: f64| (time, 1.0 / time));
        let left = by_residual(&marks, 0.05, Fall::Power).unwrap();
        assert!((left - 4.0).abs() < 1e-9, "{left}");
    }

    #[test]
    fn the_later_half_counts() {
        let fall = |at: i32| {
            if at < 10 {
                1.0
            } else {
                (-f64::from(at - 9)).exp()
            }
        };
        let marks: Vec<(f64, f64)> = (0..20).map(|at| (f64::from(at + 1), fall(at))).collect();
        let left = by_residual(&marks, (-15f64).exp(), Fall::Exponential).unwrap();
        assert!((left - 5.0).abs() < 1e-9, "{left}");
    }

    #[test]
    fn nothing_is_told_from_nothing() {
        let level = |at: i32| (f64::from(at + 1), 1.0 + 0.1 * f64::from(at % 2));
        assert_eq!(by_residual(&[], 0.1, Fall::Exponential), None);
        assert_eq!(
            by_residual(&[level(0), level(1), level(2)], 0.1, Fall::Exponential),
            None
        );
        let level: Vec<(f64, f64)> = (0..40).map(level).collect();
        assert_eq!(by_residual(&level, 0.1, Fall::Exponential), None);
        let rising: Vec<(f64, f64)> = (0..9)
            .map(|at| (f64::from(at + 1), f64::from(at + 1)))
            .collect();
        assert_eq!(by_residual(&rising, 0.1, Fall::Exponential), None);
        let unknown: Vec<(f64, f64)> = (0..9).map(|at| (f64::from(at + 1), 0.0)).collect();
        assert_eq!(by_residual(&unknown, 0.1, Fall::Exponential), None);
        let quick: Vec<(f64, f64)> = (0..9)
            .map(|at| (f64::from(at + 1) / 1e3, 0.5f64.powi(at)))
            .collect();
        assert_eq!(by_residual(&quick, 1e-8, Fall::Exponential), None);
        // A hair's fall per second towards something far away.
        let slow: Vec<(f64, f64)> = (0..9)
            .map(|at| (f64::from(at + 1), (-1e-3 * f64::from(at)).exp()))
            .collect();
        assert_eq!(by_residual(&slow, 1e-8, Fall::Exponential), None);
    }

    #[test]
    fn times_have_the_figures_that_are_known() {
        let told = [0.0, 3.2, 37.0, 58.0, 61.0, 3500.0, 7300.0].map(about);
        let wanted = ["1 s", "4 s", "40 s", "1 min", "2 min", "59 min", "3 h"];
        assert_eq!(told, wanted.map(|time| format!("about {time} left")));
    }
}
