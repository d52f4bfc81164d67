//! Named shapes, and terms listed in files.

use super::*;
use latentropy::network::{Shape, TermOptions, named_terms, read_terms};

fn units(roles: &str) -> Vec<Unit> {
    let unit = |(at, role)| match role {
        'v' => Unit::visible(format!("y{at}")),
        _ => Unit::hidden(format!("z{at}")),
    };
    roles.chars().enumerate().map(unit).collect()
}

fn listed(roles: &str, shape: Shape, bias: bool, order: usize) -> String {
    let options = TermOptions { shape, bias, order };
    match named_terms(&units(roles), &options) {
        Ok(terms) => {
            let text = |term: &Term| {
                term.units()
                    .iter()
                    .map(usize::to_string)
                    .collect::<String>()
            };
            terms.iter().map(text).collect::<Vec<_>>().join(" ")
        }
        Err(error) => error.to_string(),
    }
}

#[test]
fn shapes_have_their_terms_in_order() {
    use Shape::*;
    assert_eq!(listed("vvh", Full, true, 2), "0 1 2 01 02 12");
    assert_eq!(listed("vvhh", Rbm, false, 2), "02 03 12 13");
    assert_eq!(listed("hvvh", Rbm, false, 2), "01 02 13 23");
    assert_eq!(listed("vvhh", SemiRestricted, false, 2), "01 02 03 12 13");
    assert_eq!(listed("vvv", Visible, false, 3), "01 02 12 012");
    assert_eq!(listed("vvv", Visible, true, 9), "0 1 2 01 02 12 012");
    assert_eq!(listed("hvvh", Rbm, false, 3), "01 02 13 23 012 123");
    assert_eq!(
        listed("vvhh", SemiRestricted, false, 3),
        "01 02 03 12 13 012 013"
    );
    assert_eq!(listed("vvh", Full, true, 1), "0 1 2");
    assert_eq!(listed("vv", Rbm, true, 2), "0 1");
    let defaults = TermOptions::default();
    assert_eq!(
        (defaults.shape, defaults.bias, defaults.order),
        (Full, true, 2)
    );
}

#[test]
fn shapes_that_cannot_be_say_why() {
    use Shape::*;
    for (text, words) in [
        (
            listed("vh", Visible, true, 2),
            "shape visible has no hidden unit",
        ),
        (listed("vv", Full, false, 1), "allow biases"),
        (listed("vv", Full, true, 0), "order 0"),
        (listed("vv", Rbm, false, 2), "add hidden units"),
        (listed("v", Full, false, 2), "no term"),
        (listed("", Full, true, 2), "no term"),
        (
            listed(&"v".repeat(2000), Full, false, 2),
            "more than 1000000 terms; lower the order",
        ),
        (
            listed(&"v".repeat(300), Visible, false, usize::MAX),
            "more than 1000000 terms",
        ),
        (
            listed(&"vh".repeat(200), Rbm, false, 150),
            "more than 1000000 terms",
        ),
        (
            listed(&"vh".repeat(200), SemiRestricted, false, 4),
            "more than 1000000 terms",
        ),
    ] {
        assert!(text.contains(words), "{text}");
    }
    let most = named_terms(&units(&"v".repeat(1413)), &TermOptions::default()).unwrap();
    assert_eq!(most.len(), 1413 + 1413 * 1412 / 2);
}

#[test]
fn shape_names_round_trip() {
    for name in ["full", "rbm", "semi-restricted", "visible"] {
        let shape: Shape = name.parse().unwrap();
        assert_eq!(shape.to_string(), name);
        assert_eq!(
            serde_json::to_string(&shape).unwrap(),
            format!("\"{name}\"")
        );
    }
    let error = "dense".parse::<Shape>().unwrap_err().to_string();
    assert!(
        error.contains("\"dense\"") && error.contains("semi-restricted"),
        "{error}"
    );
}

/// The terms of a file of this name and content on the units y0, y1, z2 and "3", or the error.
fn read(name: &str, content: impl AsRef<[u8]>) -> String {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(name);
    std::fs::write(&path, content).unwrap();
    let mut units = units("vvh");
    units.push(Unit::visible("1"));
    match read_terms(&path, &units) {
        Ok(terms) => {
            let weight =
                |weight: Option<f64>| weight.map_or(String::new(), |weight| format!("={weight}"));
            let text = |(term, start): &(Term, Option<f64>)| {
                format!("{:?}{}", term.units(), weight(*start))
            };
            terms.iter().map(text).collect::<Vec<_>>().join(" ")
        }
        Err(error) => error.to_string().replace(&path.display().to_string(), name),
    }
}

#[test]
fn terms_are_read_from_text() {
    let text = "# all of them\ny0\n\n  y1 * z2 = -0.5 # why not\ny0,z2\ny0*y1*z2\n2 1=1e-3\n";
    assert_eq!(
        read("t.txt", text),
        "[0] [1, 2]=-0.5 [0, 2] [0, 1, 2] [2, 3]=0.001"
    );
    assert_eq!(read("terms", "\u{feff}y0 y1\r\n1\r\n"), "[0, 1] [3]");
}

#[test]
fn terms_are_read_from_json() {
    let object = r#"{"terms": [{"units": ["y1", "y0"], "weight": 0.3}, {"units": [2]}]}"#;
    assert_eq!(read("t.json", object), "[0, 1]=0.3 [2]");
    assert_eq!(
        read("t.txt", r#" [["y0"], [1], {"units": ["1", 1]}]"#),
        "[0] [1] [1, 3]"
    );
    let model = r#"{"format": "latentropy/1", "units": [{"name": "z2", "role": "hidden"},
        {"name": "y0", "role": "visible"}, {"name": "not here", "role": "visible"}],
        "terms": [{"units": [], "weight": 4}, {"units": [0, 1], "weight": 0.25}]}"#;
    assert_eq!(read("model.json", model), "[0, 2]=0.25");
}

#[test]
fn bad_term_files_say_where() {
    for (name, content, words) in [
        (
            "t.txt",
            "y0\ny0 q7\n",
            "t.txt, line 2: there is no unit `q7`; the units are y0, y1, z2, 1",
        ),
        (
            "t.txt",
            "y0 y1\n\ny1*y0\n",
            "line 3: the term is already given at line 1",
        ),
        ("t.txt", "y0 y0", "line 1: a unit is named twice"),
        ("t.txt", "y0 = NaN", "line 1: the weight is `NaN`"),
        ("t.txt", "y0 = 1e999", "the weight is `1e999`"),
        ("t.txt", "y0 =", "the weight is ``"),
        ("t.txt", "= 3", "the term has no units"),
        ("t.txt", "17", "there is no unit `17`"),
        ("t.txt", "99999999999999999999999", "there is no unit"),
        ("t.txt", "# nothing\n", "there are no terms"),
        ("t.json", "y0", "line 1, column 1: this is not valid JSON"),
        ("t.json", "{}", "there is no list of terms"),
        ("t.json", "[[\"y0\"], [\"q7\"]]", "[1][0]: there is no unit"),
        ("t.json", "[[\"y0\"], [9]]", "[1][0]: there is no unit `9`"),
        (
            "t.json",
            "{\"terms\": [[\"y0\"], {\"units\": [0]}]}",
            "terms[1]: the term is already given at terms[0]",
        ),
        (
            "t.json",
            "[{\"units\": [0], \"weight\": null}]",
            "[0].weight: the weight is `null`",
        ),
        ("t.json", "[\"y0\"]", "[0]: \"y0\" is not a term"),
        ("t.json", "[[]]", "[0]: the term has no units"),
        ("t.json", "[[\"y0\"", "cut off"),
        ("t.json", "{\"format\": \"latentropy/7\"}", "latentropy/7"),
        (
            "m.json",
            r#"{"format": "latentropy/1", "units": [{"name": "a", "role": "hidden"}], "terms": [{"units": [0], "weight": 4}]}"#,
            "unit 0 of the model: there is no unit `a`",
        ),
    ] {
        let text = read(name, content);
        assert!(text.contains(words), "{content}: {text}");
    }
    assert!(read("t.txt", b"y0 \xff").contains("byte 3 is not text"));
    let path = std::path::Path::new("/absent/terms.txt");
    assert!(
        read_terms(path, &units("v"))
            .unwrap_err()
            .to_string()
            .contains("cannot read")
    );
}

#[test]
fn names_that_text_cannot_hold_are_pointed_to_json() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("t.txt");
    std::fs::write(&path, "likes dogs").unwrap();
    let error = read_terms(&path, &[Unit::visible("likes dogs")])
        .unwrap_err()
        .to_string();
    assert!(error.contains("need a JSON file"), "{error}");
    std::fs::write(&path, "[[\"likes dogs\"]]").unwrap();
    assert_eq!(
        read_terms(&path, &[Unit::visible("likes dogs")])
            .unwrap()
            .len(),
        1
    );
}

proptest! {
    #[test]
    fn any_bytes_are_terms_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..60), text in "[y0-3 *,=#\\[\\]{}\":\n]{0,40}") {
        read("t.txt", bytes);
        read("t.txt", &text);
        read("t.json", text);
    }
}
