//! Words for 0 and 1: recognised, told, and kept by a model.

use super::*;
use latentropy::data::{Coding, Recode, Words};

fn recoded(text: &str, recode: &str) -> latentropy::Result<Loaded> {
    let options = ReadOptions {
        recode: Recode::list(recode).unwrap(),
        ..ReadOptions::default()
    };
    read_dataset_bytes(Path::new("file"), text.as_bytes(), &options)
}

#[test]
fn columns_of_two_values_are_recognised_and_remarked_on() {
    let text = "sex,q,a\n1,agree,0\n2,disagree,1\n2,Agree,0\n1,NA,1\n";
    let loaded = read(text).unwrap();
    assert_eq!(picture(&loaded.dataset), ["010", "101", "110", "0?1"]);
    assert_eq!(
        sentences(&loaded),
        [
            "column sex holds 1 and 2: 2 is read as 1 and 1 as 0; to turn this round, the recoding sex:1=1,2=0; \
             column q holds disagree and agree: agree is read as 1 and disagree as 0; to turn this round, the \
             recoding q:disagree=1,agree=0"
        ]
    );
    let columns: Vec<&str> = loaded.codings.iter().map(|c| c.column.as_str()).collect();
    assert_eq!(columns, ["sex", "q"]);
    let votes = "republican,n,y\ndemocrat,?,y\nrepublican,n,n\ndemocrat,y,y\n";
    assert_eq!(
        picture(&read(votes).unwrap().dataset),
        ["101", "0?1", "100", "011"]
    );
}

#[test]
fn what_is_plain_already_stays_as_it_is() {
    let loaded = read("a,b\n1,0\n1,1\n1,1\n").unwrap();
    assert_eq!(picture(&loaded.dataset), ["10", "11", "11"]);
    assert_eq!(loaded.codings, []);
    // A 1 means what it means in the other columns.
    let loaded = read("a,b,c\n1,2,1\n1,1,2\n1,1,1\n").unwrap();
    assert_eq!(picture(&loaded.dataset), ["010", "001", "000"]);
    assert_refused(
        read("a,b\n1,0\n2,1\n0,1\n"),
        &["line 3, column a: `2` is not a binary value"],
    );
    assert_refused(
        read("a,b\n0,0\n0,9\n1,9\n"),
        &["column b: `9`", "b:0=0,9=1"],
    );
}

#[test]
fn arrays_of_other_numbers_are_recognised() {
    let spins = npy(&[1i32, -1, -1, -1, 1, 1], &[3, 2], Order::C);
    assert_eq!(picture(&read(spins).unwrap().dataset), ["10", "00", "11"]);
    let floats = npy(&[1.0, 2.0, f64::NAN, 1.0], &[2, 2], Order::C);
    assert_eq!(picture(&read(floats).unwrap().dataset), ["01", "?0"]);
}

#[test]
fn a_recoding_says_what_words_mean() {
    let text = "sex,q\nM,often\nF,never\nm,sometimes\nF,9\n";
    let loaded = recoded(text, "often=1,sometimes=1,never=0,9=NA; sex:M=1,F=0").unwrap();
    assert_eq!(picture(&loaded.dataset), ["11", "00", "11", "0?"]);
    assert_eq!(sentences(&loaded), [""; 0]);
    assert_eq!(
        (loaded.codings[1].word(true), loaded.codings[1].word(false)),
        ("often", "never")
    );
    // What is missing may be told, and the rest recognised.
    let loaded = recoded("a,b\n1,1\n2,9\n9,2\n", "9=NA").unwrap();
    assert_eq!(picture(&loaded.dataset), ["00", "1?", "?1"]);
    // The other way round than it would be recognised.
    let loaded = recoded("a,b\n1,2\n2,2\n1,1\n", "1=1,2=0").unwrap();
    assert_eq!(picture(&loaded.dataset), ["10", "00", "11"]);
}

#[test]
fn a_recoding_that_does_not_fit_is_told() {
    let loaded = recoded("a,b\n1,0\n0,1\n", "agre=1,disagree=0").unwrap();
    assert_eq!(
        sentences(&loaded),
        ["no cell is read by these words of the recoding: agre, disagree"]
    );
    assert_refused(
        recoded("a,b\n1,0\n2,1\n1,1\n", "1=0,2=1"),
        &["line 2, column b: `0`", "read by the words 2, 1"],
    );
    assert_refused(recoded("a,b\n1,0\n", "c:x=1"), &["no column `c`"]);
}

#[test]
fn a_model_knows_the_words_of_its_columns() {
    let coding = Coding {
        one: vec!["M".into()],
        zero: vec!["F".into()],
        ..Coding::of_column("sex")
    };
    let of_model = |text: &str| {
        let options = ReadOptions {
            words: Words::OfModel {
                units: vec!["a".into(), "sex".into()],
                codings: vec![coding.clone()],
            },
            ..ReadOptions::default()
        };
        read_dataset_bytes(Path::new("file"), text.as_bytes(), &options)
    };
    assert_eq!(
        picture(&of_model("sex,a\nF,1\nF,0\n").unwrap().dataset),
        ["01", "00"]
    );
    // By position where there are no names; and 0 and 1 as they are.
    assert_eq!(
        picture(&of_model("1,F\n0,M\n1,M\n").unwrap().dataset),
        ["10", "01", "11"]
    );
    assert_eq!(
        picture(&of_model("sex,a\n0,1\n1,0\n").unwrap().dataset),
        ["01", "10"]
    );
    // Nothing else is recognised: it might be the other way round than in the model's own data.
    assert_refused(
        of_model("sex,a\nF,1\nM,2\nM,2\n"),
        &["column a: `2`", "a:1=0,2=1"],
    );
}
