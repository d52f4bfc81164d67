//! The data that is built in is the data that the repository ships.

use std::path::Path;

#[test]
fn the_built_in_votes_are_those_of_the_repository() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let original = package.join("../../data/house-votes-84.csv");
    if !original.exists() {
        eprintln!("skipped: outside the repository there is only the copy in the package");
        return;
    }
    let copy = package.join("data/house-votes-84.csv");
    assert!(
        std::fs::read(&copy).unwrap() == std::fs::read(&original).unwrap(),
        "copy data/house-votes-84.csv to crates/latentropy-study/data"
    );
}
