//! The result of `infer` for people.

use super::{Align, Style, Table, number, words};
use latentropy::inference::{Clamp, ExactEngine, Expectations, FeatureExpectations};
use latentropy::network::{Network, Role};

/// How many of the strongest terms are shown.
const STRONGEST: usize = 10;

/// Machine, log Z, entropy, unit means and the strongest terms.
pub(crate) fn text(
    network: &Network,
    clamp: &Clamp,
    engine: ExactEngine,
    found: &Expectations,
    style: Style,
) -> String {
    let mut text = format!("machine  {}\n", words::machine(network));
    let held = held(network, clamp);
    if !held.is_empty() {
        text += &format!("given    {}\n", held.join(", "));
    }
    let (name, method) = (engine.name(), engine.method());
    text += &format!("engine   {name}, by {method}\n");
    text += &format!("log Z    {}\n", number::fixed(found.log_partition.value, 6));
    text += &format!("entropy  {} nats\n", number::fixed(found.entropy.value, 6));
    text += &format!("\n{}", units(network, clamp, found).render(style));
    let strongest = strongest(network);
    if !strongest.is_empty() {
        text += &format!("\n{}", terms(network, found, &strongest).render(style));
    }
    text
}

fn held(network: &Network, clamp: &Clamp) -> Vec<String> {
    let units = network.units().iter().enumerate();
    units
        .filter_map(|(at, unit)| {
            let value = clamp.get(at)?;
            Some(format!("{} = {}", words::name(&unit.name), u8::from(value)))
        })
        .collect()
}

fn units(network: &Network, clamp: &Clamp, found: &Expectations) -> Table {
    let mut table = Table::new(&[
        ("unit", Align::Left),
        ("role", Align::Left),
        ("P(unit = 1)", Align::Right),
        ("", Align::Left),
    ]);
    for (at, unit) in network.units().iter().enumerate() {
        let role = match unit.role {
            Role::Visible => "visible",
            Role::Hidden => "hidden",
        };
        table.row(vec![
            words::name(&unit.name),
            role.to_string(),
            number::fixed(found.means[at], 4),
            clamp.get(at).map_or("", |_| "(given)").to_string(),
        ]);
    }
    table
}

/// The terms on two and more units of largest weight either way.
fn strongest(network: &Network) -> Vec<usize> {
    let size = |term: &usize| network.weights()[*term].abs();
    let mut chosen: Vec<usize> = (0..network.terms().len())
        .filter(|&term| network.terms()[term].order() > 1)
        .collect();
    chosen.sort_by(|a, b| size(b).total_cmp(&size(a)));
    chosen.truncate(STRONGEST);
    chosen
}

fn terms(network: &Network, found: &Expectations, chosen: &[usize]) -> Table {
    let head = match network.order() {
        2 => ("strongest pairs", Align::Left),
        _ => ("strongest terms", Align::Left),
    };
    let mut table = Table::new(&[
        head,
        ("weight", Align::Right),
        ("P(all are 1)", Align::Right),
    ]);
    for &term in chosen {
        table.row(vec![
            words::term(network, term),
            number::weight(network.weights()[term]),
            number::fixed(found.terms[term], 4),
        ]);
    }
    table
}
