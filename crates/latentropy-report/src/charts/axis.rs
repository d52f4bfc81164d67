//! Axes: their range, where a value lies on them, and ticks at round numbers.

use super::text::{label, power_of_ten};

/// How values are spread along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Evenly.
    Linear,
    /// By their logarithm: zero is infinitely far down, and negative values are nowhere.
    Log,
}

/// One axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// What it measures, with its unit.
    pub label: String,
    /// How.
    pub scale: Scale,
    /// From where to where; all that the data need where it is not given.
    pub range: Option<(f64, f64)>,
    /// Ticks by value and name; at round numbers where they are not given.
    pub ticks: Option<Vec<(f64, String)>>,
}

impl Axis {
    /// An even axis.
    pub fn linear(label: impl Into<String>) -> Self {
        Axis {
            label: label.into(),
            scale: Scale::Linear,
            range: None,
            ticks: None,
        }
    }

    /// A logarithmic axis.
    pub fn log(label: impl Into<String>) -> Self {
        Axis {
            scale: Scale::Log,
            ..Axis::linear(label)
        }
    }

    /// Between these values.
    pub fn range(mut self, low: f64, high: f64) -> Self {
        self.range = Some((low, high));
        self
    }

    /// With named ticks, such as categories.
    pub fn ticks<S: Into<String>>(mut self, ticks: impl IntoIterator<Item = (f64, S)>) -> Self {
        self.ticks = Some(
            ticks
                .into_iter()
                .map(|(at, name)| (at, name.into()))
                .collect(),
        );
        self
    }
}

/// Numbers beyond this are as good as infinite in a picture.
const ENDLESS: f64 = 1e300;

/// Where a value lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Placed {
    /// On the axis, at this coordinate.
    At(f64),
    /// Below the lower end; the coordinate is there if the value is finite.
    Below(Option<f64>),
    /// Above the upper end.
    Above(Option<f64>),
    /// No number, or one that the scale does not have.
    Nowhere,
}

/// An axis with its range and its place in the picture.
#[derive(Clone, Debug)]
pub(super) struct Ruler {
    scale: Scale,
    /// The ends on the scale: logarithms to base ten on a logarithmic one.
    low: f64,
    high: f64,
    /// The coordinates of the ends.
    from: f64,
    to: f64,
    ticks: Option<Vec<(f64, String)>>,
}

impl Ruler {
    /// The ruler for these values.
    pub(super) fn new(axis: &Axis, values: impl Iterator<Item = f64>) -> Self {
        let on_scale = |value: f64| match axis.scale {
            Scale::Linear => Some(value),
            Scale::Log if value > 0.0 => Some(value.log10()),
            Scale::Log => None,
        };
        let plain = |value: &f64| value.is_finite() && value.abs() < ENDLESS;
        let given = axis.range.and_then(|(low, high)| {
            let ends = (
                Some(low).filter(plain).and_then(on_scale)?,
                Some(high).filter(plain).and_then(on_scale)?,
            );
            (ends.0 < ends.1).then_some(ends)
        });
        let (low, high) = given.unwrap_or_else(|| {
            let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
            for value in values.filter(plain).filter_map(on_scale) {
                low = low.min(value);
                high = high.max(value);
            }
            padded(axis.scale, low, high)
        });
        Ruler {
            scale: axis.scale,
            low,
            high,
            from: 0.0,
            to: 1.0,
            ticks: axis.ticks.clone(),
        }
    }

    /// Laid between two coordinates.
    pub(super) fn between(mut self, from: f64, to: f64) -> Self {
        (self.from, self.to) = (from, to);
        self
    }

    /// Without a margin below zero: bars stand on the frame.
    pub(super) fn start_at_zero(&mut self) {
        if self.scale == Scale::Linear && self.high > 0.0 {
            self.low = 0.0;
        }
    }

    /// The value that bars stand on.
    pub(super) fn zero(&self) -> f64 {
        match self.scale {
            Scale::Linear => 0f64.clamp(self.low, self.high),
            Scale::Log => 10f64.powf(self.low),
        }
    }

    pub(super) fn place(&self, value: f64) -> Placed {
        let value = match self.scale {
            _ if value.is_nan() => return Placed::Nowhere,
            Scale::Linear => value,
            Scale::Log if value < 0.0 => return Placed::Nowhere,
            Scale::Log => value.log10(),
        };
        let at = self.from + (value - self.low) / (self.high - self.low) * (self.to - self.from);
        let known = (value.abs() < ENDLESS && at.is_finite()).then_some(at);
        // A hair's breadth of rounding is not outside.
        let hair = 1e-9 * (self.high - self.low);
        if value < self.low - hair {
            Placed::Below(known)
        } else if value > self.high + hair {
            Placed::Above(known)
        } else {
            known.map_or(Placed::Nowhere, Placed::At)
        }
    }

    /// The ends as values.
    pub(super) fn ends(&self) -> (f64, f64) {
        match self.scale {
            Scale::Linear => (self.low, self.high),
            Scale::Log => (10f64.powf(self.low), 10f64.powf(self.high)),
        }
    }

    /// Coordinates and names of the ticks, about `wanted` of them.
    pub(super) fn ticks(&self, wanted: usize) -> Vec<(f64, String)> {
        let named = match (&self.ticks, self.scale) {
            (Some(given), _) => given.clone(),
            (None, Scale::Log) if self.high - self.low >= 0.7 => self.decades(wanted),
            (None, _) => {
                let (low, high) = self.ends();
                even(low, high, wanted)
            }
        };
        let placed = named.into_iter().filter_map(|(value, name)| {
            let Placed::At(at) = self.place(value) else {
                return None;
            };
            Some((at, name))
        });
        placed.collect()
    }

    fn decades(&self, wanted: usize) -> Vec<(f64, String)> {
        let (low, high) = (
            (self.low - 1e-9).ceil() as i32,
            (self.high + 1e-9).floor() as i32,
        );
        let count = (high - low + 1).max(1) as usize;
        let stride = count.div_ceil(wanted.max(2)).max(1);
        let mut ticks = Vec::new();
        if count <= 2 {
            // Too few powers of ten to read anything off: the numbers between them as well.
            for exponent in low - 1..=high {
                for leading in [1.0, 2.0, 5.0] {
                    ticks.push((leading * 10f64.powi(exponent), leading, exponent));
                }
            }
        } else {
            for exponent in (low..=high).filter(|e| e.rem_euclid(stride as i32) == 0) {
                ticks.push((10f64.powi(exponent), 1.0, exponent));
            }
        }
        let plain = ticks
            .iter()
            .all(|(_, _, exponent)| (-3..=4).contains(exponent));
        let name = |value: f64, leading: f64, exponent: i32| {
            if plain {
                label(value, (-exponent).max(0) as usize)
            } else if leading == 1.0 {
                power_of_ten(exponent)
            } else {
                format!("{leading}·{}", power_of_ten(exponent))
            }
        };
        ticks
            .into_iter()
            .map(|(value, leading, exponent)| (value, name(value, leading, exponent)))
            .collect()
    }
}

/// The range with a margin; any range at all where there is none.
fn padded(scale: Scale, low: f64, high: f64) -> (f64, f64) {
    if low > high {
        return match scale {
            Scale::Linear => (0.0, 1.0),
            Scale::Log => (-1.0, 1.0),
        };
    }
    let size = low.abs().max(high.abs());
    if high - low <= 1e-9 * size.max(1e-280) {
        let margin = match scale {
            Scale::Linear if size > 0.0 => 0.1 * size,
            Scale::Linear => 0.5,
            Scale::Log => 0.5,
        };
        return (low - margin, high + margin);
    }
    let margin = 0.05 * (high - low);
    (low - margin, high + margin)
}

/// Evenly spaced round numbers between two values.
fn even(low: f64, high: f64, wanted: usize) -> Vec<(f64, String)> {
    let rough = (high - low) / wanted.max(2) as f64;
    let power = 10f64.powf(rough.log10().floor());
    if !(power.is_finite() && power > 0.0) {
        return Vec::new();
    }
    let step = [1.0, 2.0, 2.5, 5.0, 10.0]
        .into_iter()
        .map(|factor| factor * power)
        .find(|&step| (high - low) / step <= wanted.max(2) as f64 + 0.5)
        .unwrap_or(10.0 * power);
    let (first, last) = ((low / step).ceil() as i64, (high / step).floor() as i64);
    let digits = (-(step.log10() + 1e-9).floor()).max(0.0) as usize;
    // 2.5 needs one digit more than its power of ten.
    let digits = digits + usize::from(((step / power) - 2.5).abs() < 1e-9 && step < 25.0);
    let size = low.abs().max(high.abs());
    let name = |value: f64| {
        if size >= 1e6 || digits > 6 {
            let value = if value.abs() < step * 1e-6 {
                0.0
            } else {
                value
            };
            return format!("{value:.1e}").replace('-', "−").replace(".0e", "e");
        }
        label(value, digits)
    };
    (first..=last.min(first.saturating_add(50)))
        .map(|at| at as f64 * step)
        .map(|value| (value, name(value)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(axis: &Axis, values: &[f64]) -> Vec<String> {
        let ruler = Ruler::new(axis, values.iter().copied()).between(0.0, 100.0);
        ruler.ticks(5).into_iter().map(|(_, name)| name).collect()
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(
            names(&Axis::linear(""), &[0.0, 1.0]),
            ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]
        );
        assert_eq!(
            names(&Axis::linear(""), &[-10.0, 10.0]),
            ["−10", "−5", "0", "5", "10"]
        );
        assert_eq!(
            names(&Axis::log(""), &[1e-2, 1e2]),
            ["0.01", "0.1", "1", "10", "100"]
        );
        assert_eq!(
            names(&Axis::log(""), &[1e-9, 1.0]),
            ["10⁻⁸", "10⁻⁶", "10⁻⁴", "10⁻²", "10⁰"]
        );
        assert_eq!(names(&Axis::log(""), &[10.0, 60.0]), ["10", "20", "50"]);
    }

    #[test]
    fn values_without_a_place() {
        let ruler = Ruler::new(&Axis::log("").range(1.0, 100.0), [].into_iter()).between(0.0, 10.0);
        assert_eq!(ruler.place(10.0), Placed::At(5.0));
        assert_eq!(ruler.place(0.0), Placed::Below(None));
        assert_eq!(ruler.place(-1.0), Placed::Nowhere);
        assert_eq!(ruler.place(f64::NAN), Placed::Nowhere);
        assert_eq!(ruler.place(f64::INFINITY), Placed::Above(None));
        assert!(matches!(ruler.place(1000.0), Placed::Above(Some(_))));
    }
}
