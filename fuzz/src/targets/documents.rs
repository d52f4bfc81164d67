//! Machines, lists of terms, recodings and specs of studies.

use latentropy::data::Recode;
use latentropy::network::{Format, Unit, network_from_bytes, network_to_bytes, terms_from_bytes};
use latentropy::{EngineId, Network, Sampling, infer};
use latentropy_study::Spec;
use std::path::Path;

/// The largest machine that is also asked for its probabilities.
const SMALL: usize = 8;

/// A model in latentropy's own format, which holds everything: written again, it is the same.
pub(super) fn model(bytes: &[u8]) -> Result<(), String> {
    let network = read("case.json", bytes)?;
    let (text, lost) = network_to_bytes(Format::Json, &network).expect("it can be written");
    assert!(lost.is_empty());
    assert_eq!(
        read("again.json", &text).expect("it is read again"),
        network
    );
    ask(&network);
    Ok(())
}

/// A binary quadratic model.
pub(super) fn bqm(bytes: &[u8]) -> Result<(), String> {
    read("case.bqm", bytes).map(|network| ask(&network))
}

/// A UAI model.
pub(super) fn uai(bytes: &[u8]) -> Result<(), String> {
    read("case.uai", bytes).map(|network| ask(&network))
}

fn read(name: &str, bytes: &[u8]) -> Result<Network, String> {
    let loaded = network_from_bytes(Path::new(name), bytes);
    let network = loaded.map_err(|error| error.to_string())?.network;
    assert!(network.weights().iter().all(|weight| weight.abs() <= 1e100));
    assert!(network.constant().abs() <= 1e100);
    Ok(network)
}

/// Whatever a machine's weights, its probabilities are some.
fn ask(network: &Network) {
    if network.units().len() > SMALL || network.terms().len() > SMALL * SMALL {
        return;
    }
    let found = infer(network, &[], Some(EngineId::EXACT), &Sampling::default());
    let Ok(found) = found else {
        return;
    };
    let expectations = found.answer.expectations;
    assert!(expectations.log_partition.value.is_finite());
    let is_probability = |mean: &f64| (-1e-9..=1.0 + 1e-9).contains(mean);
    assert!(expectations.means.iter().all(is_probability));
}

/// A list of terms on named units.
pub(super) fn terms(bytes: &[u8]) -> Result<(), String> {
    let visible = ["y1", "y2", "y3"].map(Unit::visible);
    let units: Vec<Unit> = visible.into_iter().chain([Unit::hidden("z1")]).collect();
    let found = terms_from_bytes(Path::new("case.terms"), bytes, &units);
    let terms = found.map_err(|error| error.to_string())?;
    for (term, weight) in terms {
        assert!(term.units().iter().all(|&unit| unit < units.len()));
        assert!(weight.is_none_or(f64::is_finite));
    }
    Ok(())
}

/// A recoding as it is typed.
pub(super) fn recode(bytes: &[u8]) -> Result<(), String> {
    let text = String::from_utf8_lossy(bytes);
    let plain = |message: String| latentropy::plain::plain_message(&message).into_owned();
    Recode::list(&text).map(drop).map_err(plain)
}

/// The spec of a study.
pub(super) fn spec(bytes: &[u8]) -> Result<(), String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "is not text".to_string())?;
    let spec = Spec::parse(text, Path::new("case.toml"));
    spec.map(drop).map_err(|error| error.to_string())
}
