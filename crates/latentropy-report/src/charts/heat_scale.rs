//! From numbers to colours: what the shades of cells mean, and the bar that tells it.

use super::plot_drawing::TICK;
use super::style::Colour;
use super::svg::{Anchor, Canvas, Stroke};
use super::text::{label, width};

/// What the colours of cells mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HeatScale {
    /// Zero is pale, positive and negative numbers have a colour each.
    Diverging,
    /// From pale at the first number to full at the second.
    Sequential(f64, f64),
}

const BAR_STEPS: usize = 24;
const BAR_LENGTH: f64 = 96.0;
/// Between the cells and what is below the bar.
pub(super) const BAR_ROOM: f64 = 50.0;

/// A scale with the numbers that its ends stand for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shades {
    scale: HeatScale,
    largest: f64,
    /// Whether there are values beyond the ends, which look as the ends do.
    is_cut: bool,
}

impl Shades {
    /// The scale of these values: the ends of a diverging one are the largest of them, either way.
    pub(super) fn of(scale: HeatScale, values: impl Iterator<Item = f64>) -> Self {
        let values = values.filter(|value| value.is_finite());
        let largest = values.fold(0.0f64, |most, value| most.max(value.abs()));
        Shades {
            scale,
            largest: if largest > 0.0 { largest } else { 1.0 },
            is_cut: false,
        }
    }

    /// A diverging scale that ends earlier than at the largest of its values.
    pub(super) fn ending_at(self, end: Option<f64>) -> Self {
        match end {
            Some(end) if end > 0.0 && end < self.largest => Shades {
                largest: end,
                is_cut: true,
                ..self
            },
            _ => self,
        }
    }

    /// The colour and its strength for a value.
    pub(super) fn of_value(&self, value: f64) -> (Colour, f64) {
        match self.scale {
            HeatScale::Diverging => {
                let colour = if value < 0.0 {
                    Colour::Negative
                } else {
                    Colour::Positive
                };
                let strength = if value.is_infinite() {
                    1.0
                } else {
                    value.abs() / self.largest
                };
                (colour, strength.clamp(0.0, 1.0))
            }
            HeatScale::Sequential(low, high) => {
                let strength = (value - low) / (high - low);
                let strength = if strength.is_nan() { 0.0 } else { strength };
                (Colour::Positive, strength.clamp(0.0, 1.0))
            }
        }
    }

    /// The colour bar with the numbers of its ends, and below it what the numbers are.
    pub(super) fn draw_bar(&self, canvas: &mut Canvas, (x, y): (f64, f64), unit: &str) {
        let (low, high) = match self.scale {
            HeatScale::Diverging => (-self.largest, self.largest),
            HeatScale::Sequential(low, high) => (low, high),
        };
        let decimals = match self.largest {
            tiny if tiny < 0.1 => 3,
            small if small < 1.0 => 2,
            medium if medium < 10.0 => 1,
            _ => 0,
        };
        let name = |value: f64| {
            let number = label(value, decimals);
            match self.is_cut {
                true if value < 0.0 => format!("≤ {number}"),
                true => format!("≥ {number}"),
                false => number,
            }
        };
        let faint = Colour::Faint;
        let start = x + width(&name(low), TICK) + 6.0;
        canvas.text((x, y + 11.0), Anchor::Start, TICK, faint, &name(low));
        let step = BAR_LENGTH / BAR_STEPS as f64;
        for at in 0..BAR_STEPS {
            let share = (at as f64 + 0.5) / BAR_STEPS as f64;
            let (colour, strength) = self.of_value(low + share * (high - low));
            let corner = (start + step * at as f64, y);
            canvas.rectangle(corner, (step, 13.0), colour, strength, "");
        }
        let frame = Stroke::plain(Colour::Frame, 1.0);
        canvas.frame((start, y), (BAR_LENGTH, 13.0), frame);
        let place = (start + BAR_LENGTH + 6.0, y + 11.0);
        canvas.text(place, Anchor::Start, TICK, faint, &name(high));
        canvas.text((x, y + 30.0), Anchor::Start, TICK, faint, unit);
    }
}
