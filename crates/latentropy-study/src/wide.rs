//! Numbers in JSON that may be infinite: those are words, since JSON has no number for them.

use serde::{Deserialize, Deserializer, Serializer};

pub(crate) fn serialize<S: Serializer>(value: &f64, to: S) -> Result<S::Ok, S::Error> {
    if value.is_finite() {
        to.serialize_f64(*value)
    } else {
        to.collect_str(value)
    }
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Wide {
        Number(f64),
        Word(String),
    }
    match Wide::deserialize(from)? {
        Wide::Number(value) => Ok(value),
        Wide::Word(word) => word.parse().map_err(serde::de::Error::custom),
    }
}

#[cfg(test)]
mod tests {
    #[derive(serde::Serialize, serde::Deserialize)]
    struct Held(#[serde(with = "super")] f64);

    #[test]
    fn every_number_survives() {
        for value in [0.1, -3.0, 1e-300, f64::INFINITY, f64::NEG_INFINITY] {
            let text = serde_json::to_string(&Held(value)).unwrap();
            assert_eq!(
                serde_json::from_str::<Held>(&text).unwrap().0,
                value,
                "{text}"
            );
        }
    }
}
