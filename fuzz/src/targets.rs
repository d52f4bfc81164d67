//! The readers, each with its corpus, the words of its files, and what must hold of what it makes of some bytes.

mod documents;
mod records;
mod tables;

use std::path::Path;

/// A reader.
#[derive(Debug)]
pub struct Target {
    /// Its name, and that of its folder in `corpus/`.
    pub name: &'static str,
    /// How many cases it gets beside the others: slow ones get few.
    pub share: u64,
    /// Words of its files.
    pub words: &'static [&'static str],
    /// Files that it reads, and some that it just refuses.
    pub corpus: fn() -> Vec<Vec<u8>>,
    /// Reads a case; the message where it is refused. It panics where something does not hold.
    pub read: fn(&[u8]) -> Result<(), String>,
}

/// Every reader that takes bytes of strangers.
pub static TARGETS: [Target; 11] = [
    Target {
        name: "table",
        share: 30,
        words: &[
            ",", ";", "\t", "\"", "\"\"", "\r\n", "?", "NA", "NaN", "true", "no", "y", "=1+1",
            "'=1", "id", "\u{feff}", "é",
        ],
        corpus: || files("table"),
        read: tables::table,
    },
    Target {
        name: "numpy",
        share: 20,
        words: &[
            "{'descr': '<f8'",
            "'fortran_order': True",
            "'shape': (3, 2), }",
            "|b1",
            ">i8",
            "PK\u{5}\u{6}",
        ],
        corpus: || files("numpy"),
        read: tables::table,
    },
    Target {
        name: "matlab",
        share: 10,
        words: &["IM", "MI", "MATLAB 5.0"],
        corpus: || files("matlab"),
        read: tables::table,
    },
    Target {
        name: "model",
        share: 20,
        words: &[
            "\"units\"",
            "\"terms\"",
            "\"weight\"",
            "[",
            "]",
            "{",
            "}",
            ",",
            ":",
            "null",
            "\"hidden\"",
            "\\u0000",
            "\\ud800",
        ],
        corpus: || files("model"),
        read: documents::model,
    },
    Target {
        name: "bqm",
        share: 10,
        words: &[
            "\"linear_biases\"",
            "\"quadratic_head\"",
            "\"offset\"",
            "[",
            "]",
            "{",
            "}",
            ",",
            "\"SPIN\"",
            "\"BINARY\"",
        ],
        corpus: || files("bqm"),
        read: documents::bqm,
    },
    Target {
        name: "uai",
        share: 10,
        words: &["MARKOV", "BAYES", " ", "\n", "2 2", "1.0", "0.0"],
        corpus: || files("uai"),
        read: documents::uai,
    },
    Target {
        name: "terms",
        share: 10,
        words: &["y1", "z1", "*", "=", "#", "[", "]", "\"units\"", "\n"],
        corpus: || files("terms"),
        read: documents::terms,
    },
    Target {
        name: "recode",
        share: 10,
        words: &["=1", "=0", "=NA", ";", ",", ":", "a..b", "!"],
        corpus: || files("recode"),
        read: documents::recode,
    },
    Target {
        name: "spec",
        share: 5,
        words: &[
            "[[arm]]",
            "[[experiment]]",
            "rows = [",
            "truth = {",
            "\n",
            "hidden = ",
            "learner = \"",
        ],
        corpus: || {
            [
                files("spec"),
                vec![latentropy_study::QUICK.as_bytes().to_vec()],
            ]
            .concat()
        },
        read: documents::spec,
    },
    Target {
        name: "journal",
        share: 4,
        words: &[
            "{\"sum\":\"",
            "\"piece\":\"restart 1\"",
            "\"result\":",
            "\n",
            "\"weights\":[",
            "null",
        ],
        corpus: records::journals,
        read: records::journal,
    },
    Target {
        name: "part",
        share: 4,
        words: &[],
        corpus: records::parts,
        read: records::part,
    },
];

/// The files of a reader's folder, by name.
fn files(folder: &str) -> Vec<Vec<u8>> {
    let place = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("corpus")
        .join(folder);
    let entries = std::fs::read_dir(&place).expect("a folder of the corpus");
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let read = |path| std::fs::read(path).expect("a file of the corpus");
    paths.into_iter().map(read).collect()
}
