//! Where the weights of a machine in two layers are among the terms of its network.

use crate::network::{Network, Role};

/// The term of each bias, of each visible–hidden pair and of each pair of visible units.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(super) visible_units: Vec<usize>,
    /// By visible unit.
    pub(crate) visible: Vec<Option<usize>>,
    /// By hidden unit.
    pub(crate) hidden: Vec<Option<usize>>,
    /// By visible unit, and for each by hidden unit.
    pub(crate) across: Vec<usize>,
    /// By visible unit, and for each by visible unit; empty where no two of them have a term.
    pub(crate) lateral: Vec<Option<usize>>,
}

impl Layout {
    /// Of a network; or what it has or lacks that two layers do not know.
    pub(crate) fn of(network: &Network) -> Result<Self, &'static str> {
        let (visible, hidden) = (network.visible(), network.hidden());
        let mut place = vec![0; network.units().len()];
        for side in [&visible, &hidden] {
            for (at, &unit) in side.iter().enumerate() {
                place[unit] = at;
            }
        }
        let is_hidden = |unit: usize| network.units()[unit].role == Role::Hidden;
        let mut layout = Layout {
            visible: vec![None; visible.len()],
            hidden: vec![None; hidden.len()],
            across: Vec::new(),
            lateral: Vec::new(),
            visible_units: visible,
        };
        let (rows, columns) = (layout.visible.len(), layout.hidden.len());
        let mut across = vec![None; rows * columns];
        for (at, term) in network.terms().iter().enumerate() {
            match *term.units() {
                [unit] if is_hidden(unit) => layout.hidden[place[unit]] = Some(at),
                [unit] => layout.visible[place[unit]] = Some(at),
                [a, b] => match (is_hidden(a), is_hidden(b)) {
                    (true, true) => return Err("this machine has pairs of hidden units"),
                    (false, false) => {
                        layout.lateral.resize(rows * rows, None);
                        layout.lateral[place[a] * rows + place[b]] = Some(at);
                        layout.lateral[place[b] * rows + place[a]] = Some(at);
                    }
                    (true, false) => across[place[b] * columns + place[a]] = Some(at),
                    (false, true) => across[place[a] * columns + place[b]] = Some(at),
                },
                _ => return Err("this machine has terms of more than two units"),
            }
        }
        if across.is_empty() && layout.lateral.is_empty() {
            return Err("this machine has no pairs");
        }
        let across: Option<Vec<usize>> = across.into_iter().collect();
        layout.across = across.ok_or("this machine lacks some visible–hidden pairs")?;
        Ok(layout)
    }

    /// The terms of all pairs, each once.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = usize> {
        let width = self.visible.len();
        let lateral = self.lateral.iter().enumerate();
        let lateral = lateral.filter(move |(at, _)| at / width < at % width);
        let lateral = lateral.filter_map(|(_, term)| *term);
        self.across.iter().copied().chain(lateral)
    }

    /// The visible units of the network, in order.
    pub(crate) fn visible_units(&self) -> &[usize] {
        &self.visible_units
    }
}
