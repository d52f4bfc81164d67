//! The element types of npy arrays that can hold binary data, and how one element is read.

use super::refusal::Refusal;
use crate::data::cell::Cell;

/// An element type: how many bytes, in which order, and what they mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::data) struct Element {
    kind: Kind,
    size: usize,
    is_big_endian: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Signed,
    Unsigned,
    Float,
}

impl Element {
    /// The type that a header's `descr` means (`|b1`, `<i8`, `>f4`, …).
    pub(in crate::data) fn from_descriptor(descriptor: &str) -> Result<Element, Refusal> {
        let refuse = |what: &str| {
            let problem = format!("the array holds {what} (dtype {descriptor:.40})");
            Err(Refusal::new(
                problem,
                "save it as numbers: X.astype(float), with NaN where missing",
            ))
        };
        if descriptor.starts_with('[') {
            return refuse("records with fields");
        }
        // The byte order, the kind and the number of bytes.
        let mut characters = descriptor.chars();
        let (order, code) = (characters.next(), characters.next());
        let (Some(order @ ('<' | '>' | '|')), Some(code)) = (order, code) else {
            return refuse("elements of an unknown type");
        };
        let digits = characters.as_str();
        let kind = match code {
            'b' if digits == "1" => Kind::Unsigned,
            'u' => Kind::Unsigned,
            'i' => Kind::Signed,
            'f' => Kind::Float,
            'O' => return refuse("Python objects"),
            'S' | 'a' | 'U' => return refuse("strings"),
            'c' => return refuse("complex numbers"),
            'm' | 'M' => return refuse("dates or times"),
            'V' => return refuse("raw bytes"),
            _ => return refuse("elements of an unknown type"),
        };
        let size = match digits {
            "1" if kind != Kind::Float => 1,
            "2" => 2,
            "4" => 4,
            "8" => 8,
            _ => return refuse("numbers of unusual size"),
        };
        if order == '|' && size > 1 {
            return refuse("numbers of unknown byte order");
        }
        Ok(Element {
            kind,
            size,
            is_big_endian: order == '>',
        })
    }

    /// How many bytes one element takes.
    pub(in crate::data) fn size(self) -> usize {
        self.size
    }

    /// The binary value of one element; `None` if it is neither zero, one nor NaN.
    #[inline]
    pub(in crate::data) fn cell(self, bytes: &[u8]) -> Option<Cell> {
        let bits = self.bits(bytes);
        let is_float = self.kind == Kind::Float;
        match bits {
            0 => Some(Cell::Zero),
            1 if !is_float => Some(Cell::One),
            _ if is_float => match self.float(bits) {
                0.0 => Some(Cell::Zero),
                1.0 => Some(Cell::One),
                value if value.is_nan() => Some(Cell::Missing),
                _ => None,
            },
            _ => None,
        }
    }

    /// One element as a message shows it.
    pub(in crate::data) fn describe(self, bytes: &[u8]) -> String {
        let bits = self.bits(bytes);
        match self.kind {
            Kind::Unsigned => bits.to_string(),
            Kind::Signed => {
                let unused = 64 - 8 * self.size as u32;
                ((bits << unused) as i64 >> unused).to_string()
            }
            Kind::Float => self.float(bits).to_string(),
        }
    }

    #[inline]
    fn bits(self, bytes: &[u8]) -> u64 {
        let join = |bits: u64, &byte: &u8| bits << 8 | u64::from(byte);
        match self.is_big_endian {
            true => bytes.iter().fold(0, join),
            false => bytes.iter().rev().fold(0, join),
        }
    }

    fn float(self, bits: u64) -> f64 {
        match self.size {
            2 => half_to_double(bits as u16),
            4 => f64::from(f32::from_bits(bits as u32)),
            _ => f64::from_bits(bits),
        }
    }
}

/// IEEE 754 binary16: one sign bit, five of exponent, ten of fraction.
fn half_to_double(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let fraction = f64::from(bits & 0x3ff) / 1024.0;
    match i32::from(bits >> 10 & 0x1f) {
        0 => sign * fraction * 2f64.powi(-14),
        31 if fraction == 0.0 => sign * f64::INFINITY,
        31 => f64::NAN,
        exponent => sign * (1.0 + fraction) * 2f64.powi(exponent - 15),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn element(descriptor: &str) -> Element {
        Element::from_descriptor(descriptor).unwrap()
    }

    #[test]
    fn integers_of_every_size_and_order() {
        for size in [1, 2, 4, 8] {
            for (order, kind) in [("<", "i"), (">", "i"), ("<", "u"), (">", "u")] {
                let element = element(&format!("{order}{kind}{size}"));
                let write = |value: u64| {
                    let mut bytes = value.to_le_bytes()[..size].to_vec();
                    if order == ">" {
                        bytes.reverse();
                    }
                    bytes
                };
                assert_eq!(element.size(), size);
                assert_eq!(element.cell(&write(0)), Some(Cell::Zero));
                assert_eq!(element.cell(&write(1)), Some(Cell::One));
                assert_eq!(element.cell(&write(2)), None);
                assert_eq!(element.describe(&write(2)), "2");
                assert_eq!(element.cell(&write(u64::MAX)), None);
                let all_ones = element.describe(&write(u64::MAX));
                assert_eq!(all_ones == "-1", kind == "i", "{all_ones}");
            }
        }
    }

    #[test]
    fn single_bytes_have_no_order() {
        for descriptor in ["|b1", "|i1", "|u1"] {
            assert_eq!(element(descriptor).size(), 1);
            assert_eq!(element(descriptor).cell(&[1]), Some(Cell::One));
        }
    }

    #[test]
    fn floats_of_every_size_and_order() {
        let halves = [
            (0x0000, 0.0),
            (0x8000, -0.0),
            (0x3c00, 1.0),
            (0x4000, 2.0),
            (0xb800, -0.5),
        ];
        for (bits, value) in halves {
            assert_eq!(half_to_double(bits), value);
        }
        assert_eq!(half_to_double(0x7c00), f64::INFINITY);
        assert_eq!(half_to_double(0x0001), 2f64.powi(-24));
        assert_eq!(element("<f2").cell(&[0x00, 0x3c]), Some(Cell::One));
        assert_eq!(element(">f2").cell(&[0x7e, 0x00]), Some(Cell::Missing));
        assert_eq!(element(">f4").cell(&1f32.to_be_bytes()), Some(Cell::One));
        assert_eq!(
            element("<f8").cell(&(-0f64).to_le_bytes()),
            Some(Cell::Zero)
        );
        assert_eq!(
            element("<f8").cell(&f64::NAN.to_le_bytes()),
            Some(Cell::Missing)
        );
        assert_eq!(element("<f8").cell(&0.5f64.to_le_bytes()), None);
        assert_eq!(element("<f8").describe(&0.5f64.to_le_bytes()), "0.5");
    }

    #[test]
    fn other_types_are_refused_by_name() {
        for (descriptor, what) in [
            ("|O", "Python objects"),
            ("|S3", "strings"),
            ("<U3", "strings"),
            ("<c16", "complex"),
            ("<M8[D]", "dates"),
            ("<f16", "unusual size"),
            ("|f1", "unusual size"),
            ("<i3", "unusual size"),
            ("<f+8", "unusual size"),
            ("<f8 ", "unusual size"),
            ("<f", "unusual size"),
            ("|f8", "unknown byte order"),
            ("<b2", "unknown type"),
            ("<é8", "unknown type"),
            ("f8", "unknown type"),
            ("<", "unknown type"),
            ("", "unknown type"),
            ("|V4", "raw bytes"),
            ("[('a', '<i4')]", "records"),
            ("nonsense", "unknown"),
        ] {
            let refusal = Element::from_descriptor(descriptor).unwrap_err();
            assert!(refusal.problem.contains(what), "{}", refusal.problem);
        }
    }
}
