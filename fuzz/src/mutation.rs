//! Cases by mutation: bytes of the corpus changed, cut, doubled, put together, and seeded with words of the format.

/// A stream of numbers that is the same for the same seed, reader and case (SplitMix64).
#[derive(Clone, Debug)]
pub struct Generator(u64);

impl Generator {
    /// The stream of one case.
    pub fn new(seed: u64, target: &str, case: u64) -> Self {
        let name = target
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325, |sum: u64, byte| {
                (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
            });
        let mut generator = Generator(seed ^ name);
        generator.0 = generator
            .next()
            .wrapping_add(case.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        generator
    }

    /// The next number.
    #[allow(clippy::should_implement_trait)] // it never ends
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`; 0 where there is none.
    pub fn below(&mut self, end: usize) -> usize {
        match end {
            0 => 0,
            end => (self.next() % end as u64) as usize,
        }
    }
}

/// Words that break readers of any kind.
const NUMBERS: [&str; 16] = [
    "0",
    "-1",
    "1",
    "255",
    "65536",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "9223372036854775807",
    "1e308",
    "-1e309",
    "1e-320",
    "NaN",
    "inf",
    "0.1",
    "1e100",
];

/// Bytes that stand at the edges of types.
const EDGES: [u8; 12] = [
    0, 1, 0x0a, 0x0d, 0x22, 0x2c, 0x7f, 0x80, 0xc0, 0xef, 0xfe, 0xff,
];

/// No case is longer, so that cases stay quick.
const LONGEST: usize = 1 << 14;

/// Makes cases of a corpus.
#[derive(Clone, Debug)]
pub struct Mutator<'a> {
    corpus: &'a [Vec<u8>],
    words: &'a [&'a str],
}

impl<'a> Mutator<'a> {
    /// Of these files and words.
    pub fn new(corpus: &'a [Vec<u8>], words: &'a [&'a str]) -> Self {
        Mutator { corpus, words }
    }

    /// One case: a file of the corpus, changed once or many times.
    pub fn case(&self, generator: &mut Generator) -> Vec<u8> {
        let mut bytes = self.corpus[generator.below(self.corpus.len())].clone();
        // Mostly few changes, which get far into a reader; sometimes very many.
        let changes = 1 + (generator.next().trailing_zeros() as usize) * 2;
        for _ in 0..changes {
            self.change(&mut bytes, generator);
        }
        bytes.truncate(LONGEST);
        bytes
    }

    fn change(&self, bytes: &mut Vec<u8>, generator: &mut Generator) {
        let at = generator.below(bytes.len() + 1).min(bytes.len());
        match generator.below(12) {
            0 if !bytes.is_empty() => {
                let at = at.min(bytes.len() - 1);
                bytes[at] ^= 1 << generator.below(8);
            }
            1 if !bytes.is_empty() => {
                let at = at.min(bytes.len() - 1);
                bytes[at] = EDGES[generator.below(EDGES.len())];
            }
            2 => bytes.insert(at, generator.next() as u8),
            3 => {
                let end = at + generator.below(bytes.len() - at + 1);
                bytes.drain(at..end);
            }
            4 => bytes.truncate(at),
            5 => {
                let end = at + generator.below((bytes.len() - at + 1).min(200));
                let part = bytes[at..end].to_vec();
                let times = 1 + generator.below(8);
                let part = part.repeat(times);
                insert(bytes, at, &part);
            }
            6 => {
                let other = &self.corpus[generator.below(self.corpus.len())];
                let from = generator.below(other.len() + 1).min(other.len());
                bytes.truncate(at);
                bytes.extend(&other[from..]);
            }
            7 => insert(
                bytes,
                at,
                NUMBERS[generator.below(NUMBERS.len())].as_bytes(),
            ),
            8 if !self.words.is_empty() => {
                let word = self.words[generator.below(self.words.len())];
                insert(bytes, at, word.as_bytes());
            }
            9 => replace_number(bytes, at, NUMBERS[generator.below(NUMBERS.len())]),
            10 if bytes.len() >= 8 => {
                // A field of a binary header.
                let at = at.min(bytes.len() - 8);
                let value = match generator.below(3) {
                    0 => u64::MAX,
                    1 => generator.next(),
                    _ => 1 << generator.below(64),
                };
                let width = [1, 2, 4, 8][generator.below(4)];
                bytes[at..at + width].copy_from_slice(&value.to_le_bytes()[..width]);
            }
            _ => {
                // Two pieces change places.
                let end = at + generator.below(bytes.len() - at + 1);
                bytes[at..end].reverse();
            }
        }
    }
}

fn insert(bytes: &mut Vec<u8>, at: usize, part: &[u8]) {
    if bytes.len() + part.len() <= LONGEST {
        bytes.splice(at..at, part.iter().copied());
    }
}

/// The number that a place lies in or before becomes another.
fn replace_number(bytes: &mut Vec<u8>, at: usize, by: &str) {
    let is_digit = |byte: &u8| byte.is_ascii_digit() || b".-+eE".contains(byte);
    let Some(start) = bytes[at..].iter().position(|byte| byte.is_ascii_digit()) else {
        return;
    };
    let start = at + start;
    let length = bytes[start..]
        .iter()
        .take_while(|byte| is_digit(byte))
        .count();
    bytes.splice(start..start + length, by.bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_names_a_case_for_good_and_cases_differ() {
        let corpus = vec![b"a,b\n1,0\n0,1\n".to_vec(), b"0 1\n".to_vec()];
        let mutator = Mutator::new(&corpus, &["?", "NA"]);
        let case = |number| mutator.case(&mut Generator::new(7, "csv", number));
        let cases: std::collections::HashSet<Vec<u8>> = (0..1000).map(case).collect();
        assert!(cases.len() > 700, "{}", cases.len());
        assert_eq!(case(3), case(3));
    }
}
