//! Matlab files of version 5: matrices plain and compressed, and files that mean no good.

use super::*;
use flate2::bufread::ZlibEncoder;

fn element(kind: u32, bytes: &[u8]) -> Vec<u8> {
    let mut element = [kind.to_le_bytes(), (bytes.len() as u32).to_le_bytes()].concat();
    element.extend(bytes);
    element.resize(element.len().next_multiple_of(8), 0);
    element
}

/// A variable of numbers that are stored as bytes (`kind` 2) or doubles (9).
fn matrix(name: &str, class: u32, sizes: [u32; 2], kind: u32, numbers: &[u8]) -> Vec<u8> {
    let body = [
        element(6, &[class.to_le_bytes(), [0; 4]].concat()),
        element(5, &sizes.map(u32::to_le_bytes).concat()),
        element(1, name.as_bytes()),
        element(kind, numbers),
    ];
    element(14, &body.concat())
}

fn compressed(variable: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    let mut encoder = ZlibEncoder::new(variable, flate2::Compression::default());
    encoder.read_to_end(&mut packed).unwrap();
    let mut element = [15u32.to_le_bytes(), (packed.len() as u32).to_le_bytes()].concat();
    element.extend(packed);
    element
}

fn file(variables: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = b"MATLAB 5.0 MAT-file, written by a test".to_vec();
    bytes.resize(124, b' ');
    bytes.extend([0, 1, b'I', b'M']);
    bytes.extend(variables.concat());
    bytes
}

#[test]
fn matrices_are_read_column_by_column() {
    let bytes = matrix("rows", 9, [3, 2], 2, &[1, 0, 1, 0, 0, 1]);
    let doubles: Vec<u8> = [1.0, f64::NAN, 0.0, 1.0]
        .iter()
        .flat_map(|x: &f64| x.to_le_bytes())
        .collect();
    let doubles = matrix("X", 6, [2, 2], 9, &doubles);
    assert_eq!(
        picture(&read(file(std::slice::from_ref(&bytes))).unwrap().dataset),
        ["10", "00", "11"]
    );
    assert_eq!(
        picture(&read(file(&[compressed(&bytes)])).unwrap().dataset),
        ["10", "00", "11"]
    );
    let several = file(&[compressed(&bytes), compressed(&doubles)]);
    assert_eq!(picture(&read(several).unwrap().dataset), ["10", "?1"]);
    // A number beside the matrix is a setting.
    let setting = matrix("seed", 6, [1, 1], 2, &[7]);
    assert_eq!(
        picture(&read(file(&[setting, bytes])).unwrap().dataset),
        ["10", "00", "11"]
    );
}

#[test]
fn what_cannot_be_read_is_told() {
    let a = matrix("a", 9, [1, 2], 2, &[1, 0]);
    let b = matrix("b", 9, [2, 1], 2, &[1, 0]);
    assert_refused(
        read(file(&[a.clone(), b])),
        &[
            "holds several variables: a (1 by 2), b (2 by 1)",
            "call it X",
        ],
    );
    let cell = matrix("names", 1, [1, 2], 2, &[1, 0]);
    assert_refused(
        read(file(&[cell])),
        &["no matrix of numbers (it holds: names (1 by 2, a cell array))"],
    );
    let bad = matrix("a", 9, [3, 1], 2, &[1, 0, 7]);
    assert_refused(
        read(file(&[bad])),
        &["variable a, row 3 (counting from 1), column y1: `7`"],
    );
    assert_refused(read(file(&[])), &["it holds: no variable"]);
    assert_refused(
        read(b"MATLAB 7.3 MAT-file, Platform"),
        &["version 7.3", "-v7", "numpy.save"],
    );
    let whole = file(&[compressed(&a)]);
    for length in 19..whole.len() {
        assert_refused(read(&whole[..length]), &["file"]);
    }
    let liar = matrix("a", 9, [1000, 1000], 2, &[1, 0]);
    assert_refused(
        read(file(&[liar])),
        &["damaged or incomplete Matlab file", "scipy.io.savemat"],
    );
}
