//! Units held at values, by place and by name.

use latentropy::Error;
use latentropy::network::{Clamp, Network};

#[track_caller]
fn assert_invalid<T: std::fmt::Debug>(found: latentropy::Result<T>, parts: &[&str]) {
    let error = found.unwrap_err();
    assert!(matches!(error, Error::Invalid(_)), "{error:?}");
    let text = error.to_string();
    assert!(parts.iter().all(|part| text.contains(part)), "{text}");
}

#[test]
fn units_that_are_not_there_cannot_be_held() {
    let mut clamp = Clamp::none(3);
    clamp.hold(2, true).unwrap();
    assert_invalid(clamp.hold(3, true), &["unit 3", "0 to 2"]);
    assert_invalid(clamp.hold(usize::MAX, false), &["cannot be held"]);
    // A refusal changes nothing.
    assert_eq!(clamp, Clamp::new(vec![None, None, Some(true)]));
    assert_eq!(clamp.get(3), None);
    clamp.hold(2, false).unwrap();
    assert_eq!(clamp.get(2), Some(false));
    assert_invalid(Clamp::none(0).hold(0, true), &["unit 0"]);
}

#[test]
fn names_hold_units() {
    let network = Network::rbm(3, 1);
    let clamp = Clamp::by_name(&network, &[("z1", true), ("y2", false), ("z1", true)]).unwrap();
    let held = vec![None, Some(false), None, Some(true)];
    assert_eq!(clamp, Clamp::new(held));
    assert_eq!(Clamp::by_name(&network, &[]).unwrap(), Clamp::none(4));
    let unknown = Clamp::by_name(&network, &[("y1", true), ("y4", true)]);
    assert_invalid(unknown, &["\"y4\"", "y1, y2, y3, z1"]);
    let both = Clamp::by_name(&network, &[("y1", true), ("y1", false)]);
    assert_invalid(both, &["\"y1\"", "both as 0 and as 1"]);
}
