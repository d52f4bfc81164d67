//! Data files of every kind: the content decides which reader takes them.

use latentropy::data::{ReadOptions, read_dataset_bytes};
use std::path::Path;

/// Reads a data file as it is; a table that is read is one that can be asked for.
pub(super) fn table(bytes: &[u8]) -> Result<(), String> {
    let name = Path::new("case.csv");
    let loaded = read_dataset_bytes(name, bytes, &ReadOptions::default());
    let loaded = loaded.map_err(|error| error.to_string())?;
    let data = &loaded.dataset;
    let counted: u64 = data.counts().iter().sum();
    assert_eq!(counted, data.len() as u64);
    assert!(data.missing_cells() <= counted * data.columns().len() as u64);
    for name in data.columns() {
        assert!(!name.chars().any(char::is_control), "{name:?}");
    }
    for remark in &loaded.remarks {
        assert!(!remark.to_string().contains('\u{1b}'));
    }
    Ok(())
}
