//! Columns beside the data: names of rows and weights.

use super::*;

fn with(text: &str, id: Option<&str>, weights: Option<&str>) -> latentropy::Result<Loaded> {
    let options = ReadOptions {
        id: id.map(str::to_string),
        weights: weights.map(str::to_string),
        ..ReadOptions::default()
    };
    read_dataset_bytes(Path::new("file"), text.as_bytes(), &options)
}

fn names(loaded: &Loaded) -> (&str, Vec<&str>) {
    let found = loaded.row_names.as_ref().unwrap();
    (
        found.column.as_str(),
        found.names.iter().map(String::as_str).collect(),
    )
}

#[test]
fn a_column_may_name_the_rows() {
    let loaded = with("a,who,b\n1,ann,0\n0,bob,1\n", Some("who"), None).unwrap();
    assert_eq!(names(&loaded), ("who", vec!["ann", "bob"]));
    assert_eq!(loaded.dataset.columns(), ["a", "b"]);
    assert_refused(with("a,b\n1,0\n", Some("c"), None), &["no column `c`"]);
    assert_refused(
        with("a\n1\n0\n", Some("a"), None),
        &["no column is left for the data"],
    );
    assert_refused(
        with("a,b\n1,0\n", Some("a"), Some("a")),
        &["both name the rows and weigh them"],
    );
}

#[test]
fn row_names_as_r_writes_them_are_recognised() {
    for text in [
        "\"\",a,b\n5,0,1\n6,1,1\n7,0,0\n",
        "a,b\n5,0,1\n6,1,1\n7,0,0\n",
        "rownames,a,b\n5,0,1\n6,1,1\n7,0,0\n",
    ] {
        let loaded = read(text).unwrap();
        assert_eq!(names(&loaded).1, ["5", "6", "7"], "{text}");
        assert_eq!(loaded.dataset.columns(), ["a", "b"]);
        assert!(sentences(&loaded)[0].contains("taken as the names of the rows"));
    }
    let counted = read("1,0,1\n2,1,1\n3,0,0\n4,0,1\n").unwrap();
    assert_eq!(names(&counted).1, ["1", "2", "3", "4"]);
    assert_refused(
        read("name,a\nann,1\nbob,0\neve,1\n"),
        &[
            "column name: `ann`",
            "the names of the rows with the row names name",
        ],
    );
}

#[test]
fn a_column_may_weigh_the_rows() {
    let loaded = with("a,w,b\n1,2.5,0\n0,0,1\n1,0.5,0\n", None, Some("w")).unwrap();
    assert_eq!(loaded.dataset.weights(), [3.0, 0.0]);
    assert!(matches!(&loaded.remarks[0], Remark::Weighted { sum, rows: 3, .. } if *sum == 3.0));
    for (cell, part) in [
        ("-1", "line 3, column w: `-1` is not a weight"),
        ("nan", "line 3, column w: the row's weight is missing"),
        ("", "the row's weight is missing"),
        ("x", "`x` is not a weight"),
        ("1e999", "`1e999` is not a weight"),
    ] {
        let text = format!("a,w,b\n1,2.5,0\n0,{cell},1\n");
        assert_refused(
            with(&text, None, Some("w")),
            &[part, "a number of at least 0"],
        );
    }
    assert_refused(
        with("a,w\n1,0\n0,0\n", None, Some("w")),
        &["column w: all rows weigh 0"],
    );
}
