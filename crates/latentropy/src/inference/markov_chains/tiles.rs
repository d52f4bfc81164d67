//! The weights of a dense machine in fixed point, in tiles.

use super::fixed_point::{fixed, fixed_step};
use super::lanes::{Row, packed};
use super::lists::Lists;
use super::tile::{BLOCK, Flips, PANEL, Tile};
use crate::inference::kernels::CHAINS;

/// All tiles that are not zero.
#[derive(Clone, Debug)]
pub(crate) struct Tiles {
    /// One step of the fixed point.
    pub(super) step: f64,
    /// Fields of the state zero, padded to whole blocks.
    bias: Vec<i32>,
    /// For each block: its panels and their tiles.
    pub(super) blocks: Vec<Vec<(usize, Box<Tile>)>>,
}

impl Tiles {
    /// None where fixed point of 32 bits would be too coarse for the weights.
    pub(super) fn new(lists: &Lists, bias: &[f64]) -> Option<Self> {
        let units = bias.len();
        let around = |unit: usize| lists.starts[unit]..lists.starts[unit + 1];
        let step = fixed_step(lists, bias)?;
        let fixed = |weight: f64| fixed(weight, step);
        let count = units.div_ceil(BLOCK);
        let mut padded = vec![0; units.next_multiple_of(PANEL)];
        let mut blocks: Vec<Vec<(usize, Box<Tile>)>> = vec![Vec::new(); count];
        for unit in 0..units {
            padded[unit] = fixed(bias[unit]);
            let block = &mut blocks[unit / BLOCK];
            for at in around(unit) {
                let other = lists.neighbours[at] as usize;
                let panel = other / PANEL;
                let tile = match block.iter().position(|(p, _)| *p == panel) {
                    Some(tile) => tile,
                    None => {
                        block.push((panel, Box::new([[0; PANEL]; BLOCK])));
                        block.len() - 1
                    }
                };
                block[tile].1[unit % BLOCK][other % PANEL] = fixed(lists.weights[at]);
            }
        }
        Some(Tiles {
            step,
            bias: padded,
            blocks,
        })
    }

    /// How much of the tiles is filled by pairs.
    pub(super) fn fill(&self, lists: &Lists) -> f64 {
        let tiles: usize = self.blocks.iter().map(Vec::len).sum();
        lists.weights.len() as f64 / (tiles * BLOCK * PANEL) as f64
    }

    /// The fields of these states from scratch.
    pub(super) fn fields(&self, states: &[Row]) -> Vec<[i32; PANEL]> {
        let mut fields = Vec::with_capacity(self.bias.len() / PANEL * CHAINS);
        for panel in self.bias.as_chunks::<PANEL>().0 {
            fields.extend([*panel; CHAINS]);
        }
        for (block, rows) in states.chunks(BLOCK).enumerate() {
            let mut flips = Flips::default();
            for (at, row) in rows.iter().enumerate() {
                flips.up[at] = packed(row);
            }
            flips.apply(&self.blocks[block], &mut fields);
        }
        fields
    }
}
