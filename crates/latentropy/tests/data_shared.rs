//! Real data files of the development folder, where it is present.

use latentropy::data::{Loaded, ReadOptions, read_dataset};
use std::path::PathBuf;

/// A file of the folder beside the workspace; `None`, with the reason said, where it is absent.
fn shared(name: &str) -> Option<PathBuf> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data");
    let path = PathBuf::from(root).join(name);
    if !path.exists() {
        eprintln!("skipped: {} is not present", path.display());
        return None;
    }
    Some(path)
}

fn load(name: &str, columns: &[&str]) -> Option<latentropy::Result<Loaded>> {
    let columns = match columns {
        [] => None,
        _ => Some(columns.iter().map(|&entry| entry.to_owned()).collect()),
    };
    Some(read_dataset(
        &shared(name)?,
        &ReadOptions {
            columns,
            ..ReadOptions::default()
        },
    ))
}

/// Rows, columns and missing cells of a file, with these columns chosen.
#[track_caller]
fn assert_counts(name: &str, columns: &[&str], counts: (usize, usize, u64)) {
    let Some(loaded) = load(name, columns) else {
        return;
    };
    let dataset = loaded.unwrap().dataset;
    let found = (
        dataset.len(),
        dataset.columns().len(),
        dataset.missing_cells(),
    );
    assert_eq!(found, counts);
}

/// The first remark on a file, and its rows and columns.
#[track_caller]
fn assert_remarked(name: &str, part: &str, size: (usize, usize)) {
    let Some(loaded) = load(name, &[]) else {
        return;
    };
    let loaded = loaded.unwrap();
    let remark = loaded.remarks[0].to_string();
    assert!(remark.contains(part), "`{part}` is not in `{remark}`");
    assert_eq!((loaded.dataset.len(), loaded.dataset.columns().len()), size);
}

#[track_caller]
fn assert_refused(name: &str, parts: &[&str]) {
    let Some(loaded) = load(name, &[]) else {
        return;
    };
    let message = loaded.unwrap_err().to_string();
    for part in parts {
        assert!(message.contains(part), "`{part}` is not in `{message}`");
    }
}

#[test]
fn house_votes() {
    let name = "small/house-votes-84.csv";
    assert_counts(name, &["!y1"], (435, 16, 392));
    assert_counts(name, &["y2..y17"], (435, 16, 392));
    assert_remarked(name, "republican is read as 1 and democrat as 0", (435, 17));
}

#[test]
fn ability() {
    let name = "small/pydataset_ability.csv";
    assert_counts(name, &["!column 1"], (1525, 16, 1143));
    assert_counts(name, &["reason.4..reason.19"], (1525, 4, 299));
    assert_remarked(name, "taken as the names of the rows", (1525, 16));
}

#[test]
fn supreme_court() {
    assert_counts(
        "small/pydataset_SupremeCourt.csv",
        &["Rehnquist..Breyer"],
        (43, 9, 2),
    );
}

#[test]
fn nltcs_and_plants() {
    for (set, columns, rows) in [
        ("nltcs", 16, [16181, 2157, 3236]),
        ("plants", 69, [17412, 2321, 3482]),
    ] {
        for (part, rows) in ["train", "valid", "test"].into_iter().zip(rows) {
            assert_counts(&format!("{set}/{set}.{part}.data"), &[], (rows, columns, 0));
        }
    }
}

#[test]
fn spikes() {
    assert_counts("small/maxent_toolbox_spikes15.npz", &[], (40000, 15, 0));
}

#[test]
fn tables_without_a_header() {
    assert_counts("small/davis_women_18x14.csv", &[], (18, 14, 0));
    assert_counts("small/sklearn_digits_bin_gt7.csv", &[], (1797, 64, 0));
}

#[test]
fn a_count_in_the_first_line_is_no_row() {
    assert_refused(
        "small/SPECT.train",
        &["line 1", "1 cell found where most lines have 23"],
    );
}
