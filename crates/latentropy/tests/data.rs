//! Reading data sets: layouts, errors with their remedies, NumPy files, and bytes that mean no good.

#[path = "data/beside.rs"]
mod beside;
#[path = "data/matlab.rs"]
mod matlab;
#[path = "data/words.rs"]
mod words;

use flate2::Crc;
use flate2::bufread::DeflateEncoder;
use latentropy::Remark;
use latentropy::data::{Cell, Dataset, Loaded, ReadOptions, read_dataset, read_dataset_bytes};
use proptest::prelude::*;
use std::io::Read;
use std::path::Path;

fn columns(entries: &[&str]) -> ReadOptions {
    ReadOptions {
        columns: Some(entries.iter().map(|&entry| entry.to_owned()).collect()),
        ..ReadOptions::default()
    }
}

fn read(bytes: impl AsRef<[u8]>) -> latentropy::Result<Loaded> {
    read_dataset_bytes(Path::new("file"), bytes.as_ref(), &ReadOptions::default())
}

/// The cells as `0`, `1` and `?`, one string a row.
fn picture(dataset: &Dataset) -> Vec<String> {
    let sign = |row, column| match dataset.cell(row, column) {
        Cell::Zero => '0',
        Cell::One => '1',
        Cell::Missing => '?',
    };
    let width = dataset.columns().len();
    let row = |row| (0..width).map(|column| sign(row, column)).collect();
    (0..dataset.len()).map(row).collect()
}

/// What the reader remarked, in its own words.
fn sentences(loaded: &Loaded) -> Vec<String> {
    loaded.remarks.iter().map(Remark::to_string).collect()
}

/// Asserts that reading fails, with a message about the input that holds every part.
#[track_caller]
fn assert_refused(result: latentropy::Result<Loaded>, parts: &[&str]) {
    let error = match result {
        Ok(loaded) => panic!("was read: {:?}", picture(&loaded.dataset)),
        Err(error) => error,
    };
    assert!(error.is_input());
    let message = error.to_string();
    for part in parts {
        assert!(message.contains(part), "`{part}` is not in `{message}`");
    }
}

mod datasets {
    use super::*;
    use latentropy::Error;

    fn named(names: &[&str]) -> latentropy::Result<Dataset> {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let row = vec![Cell::One; names.len()];
        Dataset::from_cells(names, true, [row])
    }

    #[test]
    fn columns_have_names_of_their_own() {
        assert!(named(&["a", "b", "A"]).is_ok());
        for names in [&["a", "a"][..], &["b", "a", "c", "a"]] {
            let error = named(names).unwrap_err();
            assert!(matches!(error, Error::Invalid(_)), "{error:?}");
            assert!(error.to_string().contains("named \"a\""), "{error}");
        }
        let twice = named(&["a", "b"]).unwrap().select(&[0, 0]);
        assert!(twice.unwrap_err().to_string().contains("named \"a\""));
    }

    #[test]
    fn rows_are_as_long_as_there_are_columns() {
        let error = Dataset::from_rows(&[vec![0, 1], vec![0, 1, 1]]).unwrap_err();
        assert!(error.to_string().contains("row 2 has 3 cells"), "{error}");
    }

    #[test]
    fn numbers_make_rows() {
        let dataset = Dataset::from_rows(&[[0, 1, -1], [1, 1, 2], [0, 1, 7]]).unwrap();
        assert_eq!(picture(&dataset), ["01?", "11?", "01?"]);
        assert_eq!(dataset.columns(), ["y1", "y2", "y3"]);
        assert!(!dataset.has_header());
        assert_eq!(dataset.counts(), [2, 1]);
        assert_eq!(dataset.weights(), [2.0, 1.0]);
    }

    #[test]
    fn weights_belong_to_rows() {
        let rows = [[0, 1], [1, 1], [0, 1], [-1, -1]];
        let plain = Dataset::from_rows(&rows).unwrap();
        let weights = vec![0.5, 2.0, 0.25, 4.0];
        let weighted = plain.clone().with_row_weights(weights.clone()).unwrap();
        assert_eq!(weighted.weights(), [0.75, 2.0, 4.0]);
        assert_eq!(weighted.counts(), plain.counts());
        assert_eq!((plain.row_weight(1), weighted.row_weight(1)), (1.0, 2.0));
        // Rows without a known cell say nothing, whatever they weigh.
        assert_eq!(plain.known_rows(), [0, 1, 2]);
        assert_eq!((plain.known_weight(), weighted.known_weight()), (3.0, 2.75));
        let some = weighted.rows_subset(&[3, 0, 0]);
        assert_eq!(
            (some.weights(), some.counts()),
            (&[4.0, 1.0][..], &[1, 2][..])
        );
        let column = weighted.select(&[1]).unwrap();
        assert_eq!(column.weights(), [2.75, 4.0]);
        assert_ne!(plain.fingerprint(), weighted.fingerprint());
        let other = plain.clone().with_row_weights(vec![0.5, 2.0, 0.5, 4.0]);
        assert_ne!(other.unwrap().fingerprint(), weighted.fingerprint());
    }

    #[test]
    fn weights_that_make_no_sense_are_refused() {
        let plain = Dataset::from_rows(&[[0, 1], [1, 1]]).unwrap();
        let refused = |weights: &[f64], part: &str| {
            let error = plain
                .clone()
                .with_row_weights(weights.to_vec())
                .unwrap_err();
            assert!(matches!(error, Error::Invalid(_)), "{error:?}");
            assert!(error.to_string().contains(part), "{error}");
        };
        refused(&[1.0], "1 weights are given for 2 rows");
        refused(&[1.0; 3], "3 weights are given for 2 rows");
        for bad in [-1.0, f64::NAN, f64::INFINITY] {
            refused(&[1.0, bad], "row 2");
        }
        assert!(plain.clone().with_row_weights(vec![0.0, 1.0]).is_ok());
    }
}

mod text {
    use super::*;

    #[test]
    fn header_or_not() {
        let with = read("a,b\n0,1\n1,?\n").unwrap().dataset;
        assert_eq!(
            (with.columns(), with.has_header()),
            (&["a".into(), "b".into()][..], true)
        );
        assert_eq!(picture(&with), ["01", "1?"]);
        let without = read("0,1\n1,?\n").unwrap().dataset;
        assert_eq!(without.columns(), ["y1", "y2"]);
        assert_eq!(
            (picture(&without), without.has_header()),
            (picture(&with), false)
        );
        assert_eq!(picture(&read("0 1 1").unwrap().dataset), ["011"]);
    }

    #[test]
    fn every_delimiter_and_line_end() {
        for separator in ["\t", ",", ";", " ", "   ", " , ", ", "] {
            for end in ["\n", "\r\n", "\r", "\n\n"] {
                for start in ["", "\u{feff}", "\u{feff}\n"] {
                    let lines = ["a|b|c", "0|1|?", "yes|No|nan", ""].join(end);
                    let text = start.to_owned() + &lines.replace('|', separator);
                    let dataset = read(&text).unwrap().dataset;
                    assert_eq!(dataset.columns(), ["a", "b", "c"], "{text:?}");
                    assert_eq!(picture(&dataset), ["01?", "10?"], "{text:?}");
                }
            }
        }
    }

    #[test]
    fn one_column() {
        assert_eq!(
            picture(&read("smokes\n1\n0\n\"\"\nNA\n").unwrap().dataset),
            ["1", "0", "?", "?"]
        );
        assert_eq!(
            read("heart attack\n1\n0\n").unwrap().dataset.columns(),
            ["heart attack"]
        );
        assert_eq!(picture(&read("1\n0\n").unwrap().dataset), ["1", "0"]);
    }

    #[test]
    fn quoted_names_and_cells() {
        let text = "\"a, b\";\"say \"\"c\"\"\"\n\"0\";\"1\"\n";
        assert_eq!(read(text).unwrap().dataset.columns(), ["a, b", "say \"c\""]);
        let notes = "note,x,z\n\"two\nlines, a comma\",0,1\nnone,1,x\n";
        let options = columns(&["!note"]);
        let result = read_dataset_bytes(Path::new("f"), notes.as_bytes(), &options);
        assert_refused(result, &["f, line 4, column z", "`x`"]);
    }

    #[test]
    fn a_table_as_r_writes_it() {
        let text = "\"a\" \"b\"\n\"r1\" TRUE FALSE\n\"r2\" NA TRUE\n";
        let named = read(text).unwrap();
        assert_eq!(picture(&named.dataset), ["10", "?1"]);
        let names = named.row_names.unwrap();
        assert_eq!(
            (names.column.as_str(), &names.names[..]),
            ("column 1", &["r1".to_string(), "r2".to_string()][..])
        );
        let loaded = read_dataset_bytes(Path::new("f"), text.as_bytes(), &columns(&["!column 1"]));
        let dataset = loaded.unwrap().dataset;
        assert_eq!(
            (dataset.columns(), picture(&dataset)),
            (
                &["a".into(), "b".into()][..],
                vec!["10".into(), "?1".into()]
            )
        );
    }

    #[test]
    fn chosen_columns_only_are_read() {
        let text = "id,a,b,party\n17,0,1,rep\n18,1,1,dem\n";
        let read = |entries: &[&str]| {
            read_dataset_bytes(Path::new("f"), text.as_bytes(), &columns(entries))
                .map(|l| l.dataset)
        };
        assert_eq!(picture(&read(&["a..b"]).unwrap()), ["01", "11"]);
        assert_eq!(read(&["b"]).unwrap().columns(), ["b"]);
        assert_eq!(read(&["!id", "!party"]).unwrap().columns(), ["a", "b"]);
        let unknown = read(&["c"]).unwrap_err().to_string();
        assert!(
            unknown.contains("no column `c`; the columns are id, a, b, party"),
            "{unknown}"
        );
        assert!(
            read(&["!id..party"])
                .unwrap_err()
                .to_string()
                .contains("leaves none")
        );
    }

    #[test]
    fn a_slip_is_located() {
        assert_refused(
            read("vote1,vote2\n0,1\n0,2\n1,0\n"),
            &[
                "file, line 3, column vote2: `2` is not a binary value",
                "0/1, true/false, yes/no or y/n",
            ],
        );
        assert_refused(
            read("\n\na,b\r\n0,1\r\n\r\n0,x\r\n"),
            &["line 6, column b", "`x`"],
        );
    }

    #[test]
    fn a_column_that_is_not_binary_comes_with_the_choice_that_leaves_it_out() {
        let coded = "pain,a\n1,0\n2,1\n3,0\n1,1\n";
        assert_refused(
            read(coded),
            &[
                "line 3, column pain: `2` is not a binary value",
                "the columns !pain",
                "the recoding pain:1=0,2=1,3=1",
            ],
        );
    }

    #[test]
    fn numbers_in_the_first_line_are_not_taken_for_names() {
        assert_refused(
            read("2,0,1\n0,1,1\n1,1,1\n"),
            &["line 1, column y1", "`2`", "meant as a header"],
        );
        assert_refused(
            read("0,1,2\n0,1,1\n1,1,1\n"),
            &["line 1, column y3", "`2`", "meant as a header"],
        );
    }

    #[test]
    fn ragged_lines() {
        assert_refused(
            read("a,b,c\n0,1,0\n0,1\n"),
            &["line 3", "2 cells found where the header has 3"],
        );
        assert_refused(
            read("0,1\n0,1,1\n0,1\n"),
            &["line 2", "3 cells found where most lines have 2"],
        );
        assert_refused(
            read("22\n0,1,1\n0,1,1\n"),
            &["line 1", "1 cell found where most lines have 3"],
        );
        assert_refused(
            read("a,b\n\"0\n1\",1,1\n0,1\n0,1\n"),
            &["line 2", "run on to line 3"],
        );
    }

    #[test]
    fn names_given_twice() {
        assert_refused(
            read("a,b,a\n0,1,1\n"),
            &[
                "line 1",
                "columns 1 and 3 are both called `a`",
                "name of its own",
            ],
        );
    }

    #[test]
    fn files_without_rows() {
        assert_refused(read(""), &["file: is empty"]);
        assert_refused(read("\n \r\n\t\n"), &["only blank lines"]);
        assert_refused(read("\u{feff}"), &["only blank lines"]);
        assert_refused(read("a,b\n"), &["holds a header (a, b) and no rows"]);
    }

    #[test]
    fn bytes_that_are_not_text() {
        assert_refused(
            read(b"a,b\n0,1\n0,\xff1\n"),
            &["line 3", "not UTF-8", "0xff"],
        );
        assert_refused(read(b"a,b\r0,1\r0,\xe9\r"), &["line 3", "not UTF-8"]);
        assert_refused(read(b"a,b\n0,\0\n"), &["line 2", "zero byte"]);
        assert_refused(read(b"\xff\xfea\0,\0"), &["UTF-16"]);
        assert_refused(read(b"\x1f\x8b\x08"), &["gzip", "unpack"]);
        assert_refused(read("a,b\n0,1\n0,\"1\n"), &["line 3", "never closed"]);
    }

    #[test]
    fn remarkable_data_are_remarked_on() {
        let loaded = read("a,b,c,d\n0,1,?,1\n?,?,?,?\n0,1,?,0\n\n?,?,,NA\n").unwrap();
        let expected = [
            "2 columns never vary: a (always 0), b (always 1)",
            "1 column has no known cell: c",
            "2 rows have no known cell (the first: line 3)",
            "1 blank line was skipped between the rows (the first: line 5)",
        ];
        assert_eq!(sentences(&loaded), expected);
        let typed = [
            Remark::ConstantColumns(vec![("a".into(), false), ("b".into(), true)]),
            Remark::UnknownColumns(vec!["c".into()]),
            Remark::UnknownRows {
                count: 2,
                first: "line 3".into(),
            },
            Remark::BlankLines { count: 1, line: 5 },
        ];
        assert_eq!(loaded.remarks, typed);
        assert_eq!(read("0,1\n1,0\n\n").unwrap().remarks, []);
    }

    #[test]
    fn copied_rows_are_remarked_on() {
        let once: String = (0..12u8)
            .map(|row| {
                format!(
                    "{},{},{},{}\n",
                    row & 1,
                    row >> 1 & 1,
                    row >> 2 & 1,
                    row >> 3
                )
            })
            .collect();
        let twice = format!("{once}{once}");
        let remarks = read(format!("a,b,c,d\n{twice}")).unwrap().remarks;
        assert_eq!(remarks, [Remark::CopiedRows { times: 2 }]);
        let remarks = read(format!("a,b,c,d\n{twice}0,0,0,0\n")).unwrap().remarks;
        assert_eq!(remarks, []);
        assert_eq!(read(format!("a,b,c,d\n{once}")).unwrap().remarks, []);
    }

    #[test]
    fn files_that_are_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let options = ReadOptions::default();
        assert_refused(
            read_dataset(folder.path(), &options),
            &["is a directory", "give a data file"],
        );
        assert_refused(
            read_dataset(&folder.path().join("no.csv"), &options),
            &["no.csv: cannot read"],
        );
        let path = folder.path().join("table.npz");
        std::fs::write(&path, "a,b\n0,1\n").unwrap();
        assert_eq!(
            read_dataset(&path, &options).unwrap().dataset.columns(),
            ["a", "b"]
        );
    }
}

/// A number that npy files hold.
trait Element {
    const DESCRIPTOR: &str;

    fn little_endian(&self) -> Vec<u8>;
}

macro_rules! elements {
    ($($number:ty: $descriptor:literal),*) => {
        $(impl Element for $number {
            const DESCRIPTOR: &str = $descriptor;

            fn little_endian(&self) -> Vec<u8> {
                self.to_le_bytes().to_vec()
            }
        })*
    };
}

elements!(u8: "'|u1'", i32: "'<i4'", i64: "'<i8'", f32: "'<f4'", f64: "'<f8'");

#[derive(Clone, Copy)]
enum Order {
    C,
    Fortran,
}

/// An npy file of these values.
fn npy<T: Element>(values: &[T], shape: &[usize], order: Order) -> Vec<u8> {
    let lengths: String = shape.iter().map(|length| format!("{length}, ")).collect();
    let elements: Vec<u8> = values.iter().flat_map(T::little_endian).collect();
    ordered_npy(T::DESCRIPTOR, order, &format!("({lengths})"), &elements)
}

/// An npy file whose header speaks in these words.
fn raw_npy(descriptor: &str, shape: &str, elements: &[u8]) -> Vec<u8> {
    ordered_npy(descriptor, Order::C, shape, elements)
}

fn ordered_npy(descriptor: &str, order: Order, shape: &str, elements: &[u8]) -> Vec<u8> {
    let order = match order {
        Order::C => "False",
        Order::Fortran => "True",
    };
    let text = format!("{{'descr': {descriptor}, 'fortran_order': {order}, 'shape': {shape}, }}\n");
    let length = (text.len() as u16).to_le_bytes();
    [b"\x93NUMPY\x01\0", &length[..], text.as_bytes(), elements].concat()
}

/// How a zip archive packs a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Packing {
    Stored = 0,
    Deflated = 8,
    Zstandard = 93,
}

/// A zip archive of these files; Zstandard is only claimed.
fn zipped(files: &[(&str, &[u8])], packing: Packing) -> Vec<u8> {
    let (mut archive, mut directory) = (Vec::new(), Vec::new());
    for (name, bytes) in files {
        let mut packed = bytes.to_vec();
        if packing == Packing::Deflated {
            packed.clear();
            let mut deflated = DeflateEncoder::new(*bytes, Default::default());
            deflated.read_to_end(&mut packed).unwrap();
        }
        let mut checksum = Crc::new();
        checksum.update(bytes);
        // What both headers say: versions, packing, date, checksum, sizes and lengths.
        let mut shared = vec![20, 0, 0, 0, packing as u8, 0, 0, 0, 0x21, 0];
        for number in [checksum.sum(), packed.len() as u32, bytes.len() as u32] {
            shared.extend(number.to_le_bytes());
        }
        shared.extend([name.len() as u8, 0, 0, 0]);
        let start = (archive.len() as u32).to_le_bytes();
        directory.extend([b"PK\x01\x02\x14\0", &shared[..], &[0; 10], &start].concat());
        directory.extend(name.bytes());
        archive.extend([b"PK\x03\x04", &shared[..], name.as_bytes(), &packed].concat());
    }
    let count = [files.len() as u8, 0];
    let [size, start] = [&directory, &archive].map(|part| (part.len() as u32).to_le_bytes());
    archive.extend(directory);
    archive.extend(b"PK\x05\x06\0\0\0\0");
    archive.extend([&count[..], &count, &size, &start, &[0; 2]].concat());
    archive
}

mod numpy {
    use super::*;

    #[test]
    fn both_orders() {
        let rows = npy(&[0i64, 1, 1, 0, 0, 1], &[2, 3], Order::C);
        let columns = npy(&[0i64, 0, 1, 0, 1, 1], &[2, 3], Order::Fortran);
        for bytes in [rows, columns] {
            let dataset = read(bytes).unwrap().dataset;
            assert_eq!(picture(&dataset), ["011", "001"]);
            assert_eq!(
                (dataset.columns(), dataset.has_header()),
                (&["y1", "y2", "y3"].map(String::from)[..], false)
            );
        }
    }

    #[test]
    fn element_types() {
        assert_eq!(
            picture(&read(raw_npy("'|b1'", "(1, 2)", &[1, 0])).unwrap().dataset),
            ["10"]
        );
        assert_eq!(
            picture(&read(npy(&[1u8, 0], &[1, 2], Order::C)).unwrap().dataset),
            ["10"]
        );
        let floats = npy(&[1.0f32, f32::NAN, -0.0], &[1, 3], Order::C);
        assert_eq!(picture(&read(floats).unwrap().dataset), ["1?0"]);
        let big = raw_npy("'>i4'", "(1, 2)", &[0, 0, 0, 1, 0, 0, 0, 0]);
        assert_eq!(picture(&read(big).unwrap().dataset), ["10"]);
        let half = raw_npy("'<f2'", "(1, 3)", &[0, 0x3c, 0, 0x7e, 0, 0]);
        assert_eq!(picture(&read(half).unwrap().dataset), ["1?0"]);
    }

    #[test]
    fn other_values_are_located() {
        let bytes = npy(&[0.0, 1.0, 0.0, 0.5, 1.0, 1.0], &[3, 2], Order::C);
        assert_refused(
            read(bytes),
            &[
                "row 2 (counting from 1), column y2",
                "`0.5`",
                "0, 1 or, where missing, NaN",
            ],
        );
        let bytes = npy(&[7i32, 1, -8, 0, 9, 1], &[3, 2], Order::C);
        assert_refused(
            read(&bytes),
            &[
                "row 1 (counting from 1), column y1",
                "`7`",
                "the columns !y1",
            ],
        );
        let loaded = read_dataset_bytes(Path::new("f"), &bytes, &columns(&["!y1"])).unwrap();
        assert_eq!(picture(&loaded.dataset), ["1", "0", "1"]);
        assert_refused(read(raw_npy("'|b1'", "(1, 1)", &[7])), &["`7`"]);
    }

    #[test]
    fn other_arrays_are_refused() {
        assert_refused(
            read(npy(&[0u8, 1], &[2], Order::C)),
            &["1 dimensions", "reshape(-1, 1)"],
        );
        assert_refused(
            read(npy::<u8>(&[], &[0, 4], Order::C)),
            &["empty (0 rows, 4 columns)"],
        );
        assert_refused(
            read(raw_npy("'|O'", "(1, 1)", &[0; 9])),
            &["Python objects", "astype(float)"],
        );
        assert_refused(read(raw_npy("'<U1'", "(1, 1)", &[0; 4])), &["strings"]);
        assert_refused(
            read(raw_npy("[('a', '<i4')]", "(1,)", &[0; 4])),
            &["records"],
        );
    }

    #[test]
    fn claims_beyond_the_file_are_refused() {
        assert_refused(
            read(raw_npy("'<f8'", "(1000000000000, 20)", &[0; 80])),
            &["1000000000000 rows", "holds less (80 bytes)"],
        );
        let huge = format!("({0}, {0})", u64::MAX);
        assert_refused(read(raw_npy("'<f8'", &huge, &[0; 80])), &["holds less"]);
        assert_refused(
            read(b"\x93NUMPY\x02\0\xff\xff\xff\xff{"),
            &["longer than the file"],
        );
    }

    #[test]
    fn all_missing_rows_are_remarked_on() {
        let bytes = npy(&[0.0, 1.0, f64::NAN, f64::NAN, 1.0, 0.0], &[3, 2], Order::C);
        assert_eq!(
            sentences(&read(bytes).unwrap()),
            ["1 row has no known cell (the first: row 2 (counting from 1))"]
        );
    }

    #[test]
    fn archives() {
        let zeros = npy(&[0u8, 0], &[1, 2], Order::C);
        let ones = npy(&[1u8, 1], &[1, 2], Order::C);
        for packing in [Packing::Stored, Packing::Deflated] {
            let only = zipped(&[("whatever.npy", &ones)], packing);
            assert_eq!(picture(&read(only).unwrap().dataset), ["11"]);
            for name in ["X.npy", "x.npy", "data.npy", "arr_0.npy"] {
                let several = zipped(&[("labels.npy", &zeros), (name, &ones)], packing);
                assert_eq!(picture(&read(several).unwrap().dataset), ["11"]);
            }
            let both = zipped(&[("arr_0.npy", &zeros), ("X.npy", &ones)], packing);
            assert_eq!(picture(&read(both).unwrap().dataset), ["11"]);
            let unclear = zipped(&[("a.npy", &zeros), ("b.npy", &ones)], packing);
            assert_refused(read(unclear), &["several arrays (a, b)", "call it X"]);
            let bad = zipped(&[("a.npy", &npy(&[1u8, 3], &[2, 1], Order::C))], packing);
            assert_refused(
                read(bad),
                &["array a, row 2 (counting from 1), column y1", "`3`"],
            );
            let flat = zipped(&[("a.npy", &npy(&[1u8, 2], &[2], Order::C))], packing);
            assert_refused(read(flat), &["array a: ", "reshape"]);
        }
    }

    #[test]
    fn archives_without_an_array() {
        let stored = Packing::Stored;
        assert_refused(
            read(zipped(&[("a.csv", b"0,1")], stored)),
            &["without a NumPy array (it holds: a.csv)"],
        );
        assert_refused(
            read(zipped(&[("xl/workbook.xml", b"")], stored)),
            &["spreadsheet", "csv"],
        );
        assert_refused(read(b"PK\x03\x04"), &["damaged or incomplete"]);
        let array = npy(&[1u8, 1], &[1, 2], Order::C);
        assert_refused(
            read(zipped(&[("X.npy", &array)], Packing::Zstandard)),
            &["array X", "unusual"],
        );
    }

    #[test]
    fn bombs_are_not_unpacked() {
        // 64 MiB of zeros behind a header that speaks of two cells.
        let mut bomb = raw_npy("'|u1'", "(1, 2)", &[]);
        bomb.resize(64 << 20, 0);
        let archive = zipped(&[("X.npy", &bomb)], Packing::Deflated);
        assert!(archive.len() < 1 << 20);
        assert_refused(
            read(&archive),
            &["array X", "claims 1 rows and 2 columns", "holds more"],
        );
        // The same archive claims a size of 3 GiB in its directory.
        let mut liar = archive.clone();
        let directory = liar
            .windows(4)
            .rposition(|window| window == b"PK\x01\x02")
            .unwrap();
        liar[directory + 24..directory + 28].copy_from_slice(&(3u32 << 30).to_le_bytes());
        assert_refused(read(&liar), &["3221225472 bytes", "at most 536870912"]);
        // A header that agrees with a false size: the content ends too early.
        let short = raw_npy("'|u1'", "(100, 10)", &[0; 10]);
        let mut liar = zipped(&[("X.npy", &short)], Packing::Deflated);
        let directory = liar
            .windows(4)
            .rposition(|window| window == b"PK\x01\x02")
            .unwrap();
        let size = (short.len() + 990) as u32;
        liar[directory + 24..directory + 28].copy_from_slice(&size.to_le_bytes());
        assert_refused(read(&liar), &["does not match its directory"]);
    }

    #[test]
    fn a_changed_byte_is_noticed() {
        let array = npy(&[1u8, 0, 1, 1], &[2, 2], Order::C);
        let mut archive = zipped(&[("X.npy", &array)], Packing::Stored);
        let at = archive
            .windows(4)
            .position(|window| window == [1, 0, 1, 1])
            .unwrap();
        archive[at] = 0;
        assert_refused(read(&archive), &["array X", "damaged archive"]);
    }
}

/// Random tables: names, and rows of cells.
fn tables() -> impl Strategy<Value = Vec<Vec<Cell>>> {
    let cell = prop_oneof![Just(Cell::Zero), Just(Cell::One), Just(Cell::Missing)];
    (1usize..80).prop_flat_map(move |width| {
        prop::collection::vec(prop::collection::vec(cell.clone(), width), 1..30)
    })
}

fn spellings(cell: Cell) -> &'static [&'static str] {
    match cell {
        Cell::Zero => &["0", "false", "No", "n", "0.0", "\"0\"", " 0"],
        Cell::One => &["1", "TRUE", "yes", "Y", "1.0", "\"yes\"", "1 "],
        Cell::Missing => &["?", "NA", "NaN", "nan", "\"\"", "\"?\"", "? "],
    }
}

proptest! {
    #[test]
    fn text_round_trip(
        rows in tables(),
        picks in prop::collection::vec(any::<prop::sample::Index>(), 1..50),
        has_header: bool,
        separator in prop::sample::select(vec![",", "\t", ";", " ", ", "]),
        end in prop::sample::select(vec!["\n", "\r\n", "\r"]),
    ) {
        let width = rows[0].len();
        let names: Vec<String> = match has_header {
            true => (0..width).map(|at| format!("item {at}")).collect(),
            false => (1..=width).map(|at| format!("y{at}")).collect(),
        };
        let mut lines = Vec::new();
        if has_header {
            lines.push(names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(separator));
        }
        let mut pick = picks.iter().cycle();
        for row in &rows {
            let spelled: Vec<&str> = row.iter().map(|&cell| *pick.next().unwrap().get(spellings(cell))).collect();
            lines.push(spelled.join(separator));
        }
        let text = lines.join(end);
        let loaded = read(&text).unwrap();
        let expected = Dataset::from_cells(names, has_header, rows).unwrap();
        prop_assert_eq!(loaded.dataset, expected, "{}", text);
    }

    #[test]
    fn npy_round_trip(rows in tables(), is_fortran: bool) {
        let (height, width) = (rows.len(), rows[0].len());
        let value = |cell: Cell| match cell {
            Cell::Zero => 0.0,
            Cell::One => 1.0,
            Cell::Missing => f64::NAN,
        };
        let values: Vec<f64> = match is_fortran {
            true => (0..width).flat_map(|c| rows.iter().map(move |row| value(row[c]))).collect(),
            false => rows.iter().flatten().map(|&cell| value(cell)).collect(),
        };
        let order = if is_fortran { Order::Fortran } else { Order::C };
        let array = npy(&values, &[height, width], order);
        let names = (1..=width).map(|at| format!("y{at}")).collect();
        let expected = Dataset::from_cells(names, false, rows).unwrap();
        let archive = zipped(&[("X.npy", &array)], Packing::Deflated);
        prop_assert_eq!(&read(array).unwrap().dataset, &expected);
        prop_assert_eq!(&read(archive).unwrap().dataset, &expected);
    }

    #[test]
    fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = read(&bytes);
        let _ = read([b"\x93NUMPY", &bytes[..]].concat());
        let _ = read([b"\x93NUMPY\x01\0", &bytes[..]].concat());
        let _ = read([b"PK\x03\x04", &bytes[..]].concat());
    }

    #[test]
    fn any_table_like_text_is_survived(text in "[01yn?,;\t \"\r\n!.a]{0,200}", entry in "[ay1-3!.]{0,6}") {
        let _ = read(&text);
        let _ = read_dataset_bytes(Path::new("f"), text.as_bytes(), &columns(&[&entry]));
    }

    #[test]
    fn any_npy_header_is_survived(text in "[{}()\\[\\]'\":, descrshapfotnTF0-9<|>bifOUL_-]{0,120}") {
        let length = (text.len() as u16).to_le_bytes();
        let _ = read([b"\x93NUMPY\x01\0", &length[..], text.as_bytes(), &[0; 16]].concat());
        let (shape, descriptor) = text.split_at(text.len() / 2);
        let _ = read(raw_npy(descriptor, shape, &[0; 16]));
        let _ = read(raw_npy("'|u1'", shape, &[0; 16]));
        let _ = read(raw_npy(descriptor, "(4, 4)", &[0; 16]));
    }

    #[test]
    fn any_damage_to_an_archive_is_survived(
        cut in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        packing in prop::sample::select(vec![Packing::Stored, Packing::Deflated]),
    ) {
        let array = npy(&[1u8; 64], &[16, 4], Order::C);
        let mut archive = zipped(&[("a.npy", &array), ("X.npy", &array)], packing);
        let length = archive.len();
        let _ = read(&archive[..cut.index(length)]);
        for (at, byte) in &changes {
            archive[at.index(length)] = *byte;
        }
        let _ = read(&archive);
    }
}
