//! Broken files and impossible requests: an error that says where and what to do, never a panic.

use super::*;
use latentropy::Error;
use latentropy::network::{
    Format, network_from_bytes, network_to_bytes, read_network, write_network,
};
use std::path::Path;

fn error(name: &str, content: &[u8]) -> String {
    match network_from_bytes(Path::new(name), content) {
        Ok(loaded) => panic!("read as {loaded:?}"),
        Err(error) => {
            assert!(matches!(error, Error::File { .. }) && error.is_input());
            error.to_string()
        }
    }
}

fn assert_errors(name: &str, cases: &[(&str, &str)]) {
    for (content, words) in cases {
        let text = error(name, content.as_bytes());
        assert!(
            text.contains(words) && text.starts_with(name),
            "{content}\n{text}"
        );
    }
}

#[test]
fn json_faults() {
    let with = |units: &str, terms: &str| {
        format!("{{\"format\": \"latentropy/1\", \"units\": [{units}], \"terms\": [{terms}]}}")
    };
    let unit = |name: &str| format!("{{\"name\": \"{name}\", \"role\": \"visible\"}}");
    let two = format!("{}, {}", unit("a"), unit("b"));
    let fine = "{\"units\": [0], \"weight\": 1}";
    let cases = [
        (
            with(&two, "{\"units\": [0], \"weight\": NaN}"),
            "`NaN` is not a number",
        ),
        (
            with(&two, "{\"units\": [0], \"weight\": -Infinity}"),
            "`-Infinity` is not a number",
        ),
        (
            with(&two, "{\"units\": [0], \"weight\": 1e999}"),
            "1e999 is out of range",
        ),
        (
            with(
                &two,
                &format!("{fine}, {{\"units\": [1], \"weight\": null}}"),
            ),
            "terms[1].weight: the weight is null",
        ),
        (
            with(&two, "{\"units\": [0], \"weight\": \"1\"}"),
            "terms[0].weight: the weight is \"1\"",
        ),
        (
            with(&two, "{\"units\": [0]}"),
            "terms[0].weight: the weight is missing",
        ),
        (
            with(&two, "{\"units\": [0, 2], \"weight\": 1}"),
            "terms[0].units[1]: 2 is not the position of a unit; the units are 0 to 1",
        ),
        (
            with(&two, "{\"units\": [-1], \"weight\": 1}"),
            "terms[0].units[0]: -1",
        ),
        (
            with(&two, "{\"units\": [0.5], \"weight\": 1}"),
            "0.5 is not the position",
        ),
        (
            with(&two, "{\"units\": [18446744073709551616], \"weight\": 1}"),
            "is not the position",
        ),
        (
            with(&two, "{\"units\": [1, 1], \"weight\": 1}"),
            "terms[0].units: a unit is named twice",
        ),
        (
            with(&two, "{\"weight\": 1}"),
            "terms[0].units: the term has no list",
        ),
        (with(&two, "7"), "terms[0].units"),
        (
            with(&two, &format!("{fine}, {fine}")),
            "terms[1]: the term has the same units as terms[0]",
        ),
        (
            with(&format!("{two}, {}", unit("a")), ""),
            "units[2].name: \"a\" is also the name of units[0]",
        ),
        (with(&unit(""), ""), "units[0].name: the unit has no name"),
        (with("{\"role\": \"visible\"}", ""), "units[0].name"),
        (
            with("{\"name\": \"a\"}", ""),
            "units[0].role: the role is missing",
        ),
        (
            with("{\"name\": \"a\", \"role\": \"seen\"}", ""),
            "units[0].role: the role is \"seen\"",
        ),
        (with("", ""), "at least one unit"),
        (with("", fine), "there are no units"),
    ];
    let cases: Vec<(&str, &str)> = cases
        .iter()
        .map(|(content, words)| (content.as_str(), *words))
        .collect();
    assert_errors("m.json", &cases);
    assert_errors(
        "m.json",
        &[
            (
                "{\"units\": [], \"terms\": []}",
                "format: there is no field \"format\"",
            ),
            (
                "{\"format\": \"latentropy/2\"}",
                "\"latentropy/2\" is not known; this version reads \"latentropy/1\"",
            ),
            ("{\"format\": 1}", "the format 1 is not known"),
            ("{\"format\": \"latentropy/1\"}", "units: there is no field"),
            (
                "{\"format\": \"latentropy/1\", \"units\": 3}",
                "units: this is 3, not a list",
            ),
            ("[1, 2]", "a model is a JSON object"),
            ("", "the file looks cut off"),
            (
                "{\"format\": \"latentropy/1\",\n\"uni",
                "line 2, column 4: the file looks cut off",
            ),
            (
                "{\"format\" 3}",
                "line 1, column 11: this is not valid JSON",
            ),
            (&"[".repeat(100_000), "not valid JSON"),
        ],
    );
    let fields_of_others = with(&two, fine).replace("\"weight\"", "\"note\": [null], \"weight\"");
    assert!(network_from_bytes(Path::new("m.json"), fields_of_others.as_bytes()).is_ok());
}

#[test]
fn uai_faults() {
    assert_errors(
        "m.uai",
        &[
            (
                "",
                "line 1: the file looks cut off: it ends before the kind of model",
            ),
            ("LIMID 1 2", "line 1: `LIMID` is not a kind of model"),
            ("MARKOV\n", "ends before the number of variables"),
            (
                "MARKOV\n-3",
                "line 2: `-3` cannot be the number of variables",
            ),
            (
                "MARKOV\n99999999999999999999999",
                "cannot be the number of variables",
            ),
            (
                "MARKOV\n18446744073709551615\n2 2",
                "line 3: the file looks cut off: it ends before the number of states of variable 2",
            ),
            ("MARKOV\n0\n", "there are no variables"),
            (
                "MARKOV\n2\n2 3\n0",
                "line 3: variable 1 has 3 states; only models of binary variables",
            ),
            ("MARKOV 1 2", "ends before the number of factors"),
            (
                "MARKOV 1 2 9999999999",
                "ends before the number of variables of factor 0",
            ),
            (
                "MARKOV 1 2 1\n1 1",
                "line 2: factor 0 names variable 1; the variables are 0 to 0",
            ),
            (
                "MARKOV 2 2 2 1\n2 1 1",
                "line 2: factor 0 names variable 1 twice",
            ),
            (
                "MARKOV 1 2 1\n64 0",
                "factor 0 has 64 variables; tables of up to 20",
            ),
            (
                "MARKOV 1 2 1 1 0",
                "ends before the number of table entries of factor 0",
            ),
            (
                "MARKOV 1 2 1 1 0\n\n4 1 1 1 1",
                "line 3: the table of factor 0 has 4 entries for 1 variables; it must have 2",
            ),
            (
                "MARKOV 1 2 1 1 0\n2 1",
                "ends before entry 1 of the table of factor 0",
            ),
            (
                "MARKOV 1 2 1 1 0\n2 1\n-0.5",
                "line 3: `-0.5` cannot be entry 1",
            ),
            ("MARKOV 1 2 1 1 0 2 1 nan", "`nan` cannot be entry 1"),
            ("MARKOV 1 2 1 1 0 2 1 inf", "`inf` cannot be"),
            ("MARKOV 1 2 1 1 0 2 1 1e400", "`1e400` cannot be"),
            ("MARKOV 1 2 1 1 0 2 1 x", "`x` cannot be"),
            (
                "MARKOV 1 2 1 1 0 2 0 0",
                "all entries of the table of factor 0 are 0",
            ),
            (
                "MARKOV 1 2 1 1 0 2 1 1 \n7",
                "line 2: `7` comes after the last table",
            ),
        ],
    );
    assert!(error("m.uai", b"MARKOV \xff").contains("byte 7 is not text"));
    let claim = format!(
        "MARKOV 20 {} 1 20 {} 1048576 1 1",
        "2 ".repeat(20),
        (0..20).map(|v| format!("{v} ")).collect::<String>()
    );
    assert!(error("m.uai", claim.as_bytes()).contains("ends before entry 2"));
}

#[test]
fn bqm_faults() {
    let document = include_str!("../fixtures/dimod_binary.bqm.json");
    let changed = |from: &str, to: &str| {
        assert!(document.contains(from), "{from}");
        error("m.bqm", document.replace(from, to).as_bytes())
    };
    for (from, to, words) in [
        (
            "\"3.0.0\"",
            "\"1.0.0\"",
            "version.bqm_schema: schema 1.0.0 is not known",
        ),
        (
            "\"use_bytes\": false",
            "\"use_bytes\": true",
            "use_bytes: biases are stored as bytes",
        ),
        (
            "\"BINARY\"",
            "\"INTEGER\"",
            "variable_type: the type is \"INTEGER\"",
        ),
        (
            "\"milk\"",
            "\"tea\"",
            "variable_labels[2]: \"tea\" is empty or names two",
        ),
        (
            "[1.5, 0.0, -2.0]",
            "[1.5, 0.0]",
            "linear_biases: 2 items for 3 variables",
        ),
        (
            "[1.5, 0.0, -2.0]",
            "[1.5, null, -2.0]",
            "linear_biases[1]: the bias is null",
        ),
        (
            "[1.5, 0.0, -2.0]",
            "{}",
            "linear_biases: there is no such list",
        ),
        (
            "\"offset\": 0.75",
            "\"offset\": \"a\"",
            "offset: the bias is \"a\"",
        ),
        (
            "[0, 1]",
            "[0, 3]",
            "quadratic_head[1]: 3 is not the position",
        ),
        (
            "[2, 2]",
            "[2]",
            "quadratic_tail: 1 items for 2 quadratic biases",
        ),
        (
            "\"info\": {}",
            "\"info\": {\"latentropy\": {\"roles\": [\"hidden\"]}}",
            "info.latentropy.roles",
        ),
    ] {
        let text = changed(from, to);
        assert!(text.contains(words), "{text}");
    }
    assert!(error("m.bqm", b"DIMODBQM\x02\x00").contains("to_serializable"));
    let empty = document
        .replace("[\"coffee\", \"milk\", \"tea\"]", "[]")
        .replace("[1.5, 0.0, -2.0]", "[]");
    let empty = empty
        .replace("[0.25, -3.125]", "[]")
        .replace("[0, 1]", "[]")
        .replace("[2, 2]", "[]");
    assert!(error("m.bqm", empty.as_bytes()).contains("at least one unit"));
}

#[test]
fn bqm_pairs_that_repeat_or_loop_are_added_as_dimod_does() {
    let document = include_str!("../fixtures/dimod_binary.bqm.json").replace("[2, 2]", "[0, 0]");
    let read = |document: String| {
        network_from_bytes(Path::new("m.bqm"), document.as_bytes())
            .unwrap()
            .network
    };
    // 0.25 coffee·coffee is a bias over {0,1} and a constant over spins.
    let binary = read(document.clone());
    assert_eq!(binary.exponent(|unit| unit == 0), -(0.75 + 1.5 + 0.25));
    let spin = read(document.replace("BINARY", "SPIN"));
    assert_eq!(spin.exponent(|_| true), -(0.75 + 1.5 - 2.0 + 0.25 - 3.125));
    assert_eq!(
        spin.exponent(|unit| unit != 0),
        -(0.75 - 1.5 - 2.0 + 0.25 + 3.125)
    );
}

#[test]
fn formats_refuse_what_they_cannot_hold() {
    let units: Vec<Unit> = (0..25)
        .map(|unit| Unit::visible(format!("y{unit}")))
        .collect();
    let refusal = |format, order: usize, weight| {
        let term = (Term::new((0..order).collect()), weight);
        let network = Network::new(units.clone(), [term]).unwrap();
        network_to_bytes(format, &network).unwrap_err().to_string()
    };
    let text = refusal(Format::Bqm, 3, 1.0);
    assert!(
        text.contains("term y0*y1*y2 has order 3") && text.contains(".json or .uai"),
        "{text}"
    );
    assert!(refusal(Format::Uai, 25, 1.0).contains("has order 25"));
    assert!(refusal(Format::Uai, 2, -1e90).contains("-1e90 of term y0*y1 is beyond ±5e5"));
    assert!(refusal(Format::Uai, 20, 4e5).contains("entries in all"));
}

#[test]
fn names_and_places_that_cannot_be() {
    let network = Network::new(vec![Unit::visible("a")], []).unwrap();
    for name in ["model", "model.txt", "model.json.gz", "json", ".."] {
        let text = write_network(Path::new(name), &network)
            .unwrap_err()
            .to_string();
        assert!(
            text.contains(".json") && text.contains(".uai") && text.contains(".bqm"),
            "{text}"
        );
        assert!(read_network(Path::new(name)).is_err());
    }
    let absent = Path::new("/absent/model.json");
    assert!(
        read_network(absent)
            .unwrap_err()
            .to_string()
            .contains("cannot read")
    );
    assert!(
        write_network(absent, &network)
            .unwrap_err()
            .to_string()
            .contains("cannot write")
    );
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
        for name in ["m.json", "m.uai", "m.bqm"] {
            let _ = network_from_bytes(Path::new(name), &bytes);
        }
    }

    #[test]
    fn word_soup_never_panics(
        words in proptest::collection::vec(
            prop_oneof![
                Just("2".to_string()), Just("1".to_string()), Just("0".to_string()),
                Just("4".to_string()), Just("1e308".to_string()), Just("-1".to_string()),
                Just("nan".to_string()), (0u64..40).prop_map(|count| count.to_string()),
            ],
            0..60,
        )
    ) {
        let text = format!("MARKOV {}", words.join(" "));
        let _ = network_from_bytes(Path::new("m.uai"), text.as_bytes());
    }

    /// Real files with a few bytes changed and cut anywhere reach deeper than noise.
    #[test]
    fn damaged_files_never_panic(
        network in networks(2),
        damage in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        digits in proptest::collection::vec((any::<prop::sample::Index>(), b'0'..=b'9'), 0..4),
        cut in any::<prop::sample::Index>(),
    ) {
        for (format, name) in [(Format::Json, "m.json"), (Format::Uai, "m.uai"), (Format::Bqm, "m.bqm")] {
            let (mut bytes, _) = network_to_bytes(format, &network).unwrap();
            for (at, byte) in damage.iter().chain(&digits) {
                let at = at.index(bytes.len());
                bytes[at] = *byte;
            }
            let _ = network_from_bytes(Path::new(name), &bytes);
            bytes.truncate(cut.index(bytes.len()));
            let _ = network_from_bytes(Path::new(name), &bytes);
        }
    }
}
