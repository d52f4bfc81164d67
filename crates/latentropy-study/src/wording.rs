//! The keys of a spec: how the library's messages name settings to those who write one.

use latentropy::{Error, Setting, Wording};

/// Names settings by the keys of a spec.
#[derive(Clone, Copy, Debug, Default)]
pub struct SpecWording;

impl Wording for SpecWording {
    fn name(&self, setting: Setting) -> String {
        match key(setting) {
            Some(key) => format!("`{key}`"),
            None => setting.plain_name().to_string(),
        }
    }

    /// As it would be written, where it is one value; several follow the key.
    fn at(&self, setting: Setting, value: &str) -> String {
        let is_number = value.parse::<f64>().is_ok();
        match (setting, key(setting)) {
            (Setting::Columns, Some(key)) => format!("`{key} = [\"{value}\"]`"),
            (_, Some(key)) if is_number => format!("`{key} = {value}`"),
            (_, Some(key)) if !value.contains(' ') => format!("`{key} = \"{value}\"`"),
            (setting, _) => format!("{} {value}", self.name(setting)),
        }
    }
}

/// The key of a setting; none where a spec has no such key.
fn key(setting: Setting) -> Option<&'static str> {
    Some(match setting {
        Setting::Hidden => "hidden",
        Setting::Shape => "shape",
        Setting::Bias => "bias",
        Setting::Learner => "learner",
        Setting::Inner => "inner",
        Setting::Step => "steps",
        Setting::Ridge => "ridge",
        Setting::Box => "box",
        Setting::Rule => "rule",
        Setting::CdSteps => "cd_steps",
        Setting::Chains => "chains",
        Setting::Anneal => "anneal",
        Setting::Tolerance => "tolerance",
        Setting::MaxIterations => "max_iterations",
        Setting::Restarts => "restarts",
        Setting::Seed => "seed",
        Setting::Folds => "folds",
        Setting::Columns => "columns",
        _ => return None,
    })
}

/// An error of the library in the words of a spec, with where it happened.
pub(crate) fn in_spec_words(error: Error, place: &str) -> Error {
    let words = |message: latentropy::message::Message| message.worded(&SpecWording);
    let placed = |message: latentropy::message::Message| format!("{place}: {}", words(message));
    match error {
        Error::Invalid(message) => Error::invalid(placed(message)),
        Error::Failed(message) => Error::failed(placed(message)),
        Error::TooLarge { problem, remedy } => Error::too_large(placed(problem), words(remedy)),
        Error::File {
            path,
            location,
            problem,
            remedy,
        } => Error::file(&path, location, words(problem), words(remedy)),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arm::Arm;

    #[test]
    fn every_key_is_one_that_an_arm_or_its_surroundings_have() {
        let arm = serde_json::to_value(Arm::default()).unwrap();
        let elsewhere = ["hidden", "shape", "bias", "seed", "columns"];
        for &setting in Setting::ALL {
            if let Some(key) = key(setting) {
                let there = arm.get(key).is_some() || elsewhere.contains(&key);
                assert!(there, "{key}");
            }
        }
    }

    #[test]
    fn values_are_written_as_in_the_file() {
        let at = |setting: Setting, value: &str| SpecWording.at(setting, value);
        assert_eq!(at(Setting::Ridge, "1"), "`ridge = 1`");
        assert_eq!(at(Setting::Learner, "em-is"), "`learner = \"em-is\"`");
        assert_eq!(at(Setting::Learner, "cd and pcd"), "`learner` cd and pcd");
        assert_eq!(at(Setting::Columns, "!vote"), "`columns = [\"!vote\"]`");
        assert_eq!(at(Setting::Engine, "exact"), "engine exact");
    }
}
