//! What each unit depends on, as lists.

/// For each place, its pairs and its larger sets.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lists {
    /// Where the neighbours of each place begin and the last ones end.
    pub(crate) starts: Vec<usize>,
    pub(crate) neighbours: Vec<u32>,
    pub(crate) weights: Vec<f64>,
    /// The same for larger sets: (first of the other members, one past the last, weight).
    pub(crate) higher_starts: Vec<usize>,
    pub(crate) higher: Vec<(u32, u32, f64)>,
    pub(crate) members: Vec<u32>,
}

impl Lists {
    /// From sets of places and their coefficients.
    pub(super) fn new(units: usize, sets: &[Box<[u32]>], coefficients: &[f64]) -> Self {
        let mut pairs = vec![Vec::new(); units];
        let mut larger = vec![Vec::new(); units];
        for (set, &weight) in sets.iter().zip(coefficients) {
            match set[..] {
                [] | [_] => {}
                [a, b] => {
                    pairs[a as usize].push((b, weight));
                    pairs[b as usize].push((a, weight));
                }
                _ => {
                    for &unit in set {
                        larger[unit as usize].push((set, weight));
                    }
                }
            }
        }
        let mut lists = Lists::default();
        for unit in 0..units {
            lists.starts.push(lists.neighbours.len());
            pairs[unit].sort_unstable_by_key(|pair| pair.0);
            for &(other, weight) in &pairs[unit] {
                lists.neighbours.push(other);
                lists.weights.push(weight);
            }
            lists.higher_starts.push(lists.higher.len());
            for &(set, weight) in &larger[unit] {
                let start = lists.members.len() as u32;
                let others = set.iter().filter(|&&other| other as usize != unit);
                lists.members.extend(others);
                lists
                    .higher
                    .push((start, lists.members.len() as u32, weight));
            }
        }
        lists.starts.push(lists.neighbours.len());
        lists.higher_starts.push(lists.higher.len());
        lists
    }
}
