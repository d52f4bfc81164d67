//! Classes of units that may be exchanged without changing the set of terms.
//!
//! Within a class f# cannot depend on which units are on, only on how many: on a complete graph
//! all units are one class and f# is a function of the number of active units.

use std::collections::HashMap;

/// A labelling of states by how many units of each class are on, as one integer that adds up over disjoint sets of units.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Classes {
    /// What each unit adds to a state's code.
    pub(super) steps: Vec<u32>,
    /// Codes are below this.
    pub(super) codes: usize,
}

impl Classes {
    /// Finds the classes of `units` units under these masks with these multiplicities.
    pub(super) fn find(units: usize, masks: &[u64], multiplicities: &[u32]) -> Self {
        let count: HashMap<u64, u32> = masks
            .iter()
            .zip(multiplicities)
            .filter(|(_, m)| **m > 0)
            .map(|(&mask, &m)| (mask, m))
            .collect();
        let exchangeable = |a: usize, b: usize| {
            count.iter().all(|(&mask, m)| {
                let differ = (mask >> a ^ mask >> b) & 1;
                let swapped = mask ^ (differ << a | differ << b);
                count.get(&swapped) == Some(m)
            })
        };
        // Exchangeability is an equivalence (a transposition conjugated by another is a
        // transposition), so one member stands for its class.
        let mut members: Vec<Vec<usize>> = Vec::new();
        for unit in 0..units {
            match members
                .iter_mut()
                .find(|class| exchangeable(class[0], unit))
            {
                Some(class) => class.push(unit),
                None => members.push(vec![unit]),
            }
        }
        let mut steps = vec![0; units];
        let mut radix: usize = 1;
        for class in &members {
            for &unit in class {
                steps[unit] = u32::try_from(radix).unwrap_or(u32::MAX);
            }
            radix = radix.saturating_mul(class.len() + 1);
        }
        Classes {
            steps,
            codes: radix,
        }
    }

    /// The code of a state.
    #[cfg(test)]
    pub(super) fn code(&self, state: u64) -> u32 {
        (0..self.steps.len())
            .filter(|u| state >> u & 1 == 1)
            .map(|u| self.steps[u])
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn named_shapes_have_the_classes_they_should() {
        let pairs = |keep: &dyn Fn(usize, usize) -> bool| -> Vec<u64> {
            (0..6)
                .flat_map(|a| (0..a).map(move |b| (a, b)))
                .filter(|&(a, b)| keep(a, b))
                .map(|(a, b)| 1 << a | 1 << b)
                .collect()
        };
        let classes = |masks: &[u64]| Classes::find(6, masks, &vec![1; masks.len()]).codes;
        assert_eq!(classes(&pairs(&|_, _| true)), 7);
        // Units 4 and 5 hidden: rbm and semi-restricted have a visible and a hidden class.
        assert_eq!(classes(&pairs(&|a, b| a >= 4 && b < 4)), 5 * 3);
        assert_eq!(classes(&pairs(&|_, b| b < 4)), 5 * 3);
        // A path has only its two mirror ends apart: nobody may be exchanged alone.
        assert_eq!(classes(&pairs(&|a, b| a == b + 1)), 64);
    }

    #[test]
    fn states_of_one_code_have_one_count_of_terms() {
        let masks = [0b0011u64, 0b0101, 0b1001, 0b1110];
        let classes = Classes::find(4, &masks, &[1, 1, 1, 2]);
        let mut seen: HashMap<u32, u32> = HashMap::new();
        for state in 0..16u64 {
            let on: u32 = masks
                .iter()
                .zip([1, 1, 1, 2])
                .filter(|(m, _)| *m & state == **m)
                .map(|(_, n)| n)
                .sum();
            assert_eq!(*seen.entry(classes.code(state)).or_insert(on), on);
        }
    }
}
