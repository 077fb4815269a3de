//! Raw arrays: headers as NumPy's own documentation of the format (NEP 1) has them.

use planner::graph::DType;
use runner::array::{ArrayError, bytes_of, elements, words};

/// An `.npy` file of version 1: the header is padded with blanks to 64 bytes and ends a line.
fn npy(descr: &str, fortran: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let mut header =
        format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}");
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend(u16::try_from(header.len()).unwrap().to_le_bytes());
    file.extend(header.as_bytes());
    file.extend(data);
    file
}

fn data() -> Vec<u8> {
    let values = [1.0_f32, -2.5, 3.25, 0.0, 7.0, 1e30];
    values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect()
}

#[test]
fn an_npy_file_of_the_right_kind_is_its_elements() {
    let file = npy("<f4", "False", "(2, 3)", &data());
    assert_eq!(elements(&file, DType::F32, &[2, 3]).unwrap(), data());
    // A batch of one is the same elements.
    assert_eq!(elements(&file, DType::F32, &[1, 2, 3]).unwrap(), data());
    let flags = npy("|b1", "False", "(3,)", &[1, 0, 1]);
    assert_eq!(elements(&flags, DType::Bool, &[3]).unwrap(), [1, 0, 1]);
    let scalar = npy("<i8", "False", "()", &5_i64.to_le_bytes());
    assert_eq!(
        elements(&scalar, DType::I64, &[]).unwrap(),
        5_i64.to_le_bytes()
    );
}

#[test]
fn bare_elements_need_the_right_number_of_bytes() {
    assert_eq!(elements(&data(), DType::F32, &[6]).unwrap(), data());
    let error = elements(&data(), DType::F32, &[7]).unwrap_err();
    assert_eq!(
        error,
        ArrayError::Size {
            found: 24,
            wanted: 28
        }
    );
}

#[test]
fn what_does_not_fit_says_why() {
    let wrong_type = npy("<f8", "False", "(3,)", &data());
    let error = elements(&wrong_type, DType::F32, &[3]).unwrap_err();
    assert!(
        matches!(error, ArrayError::Type { ref found, .. } if found == "<f8"),
        "{error}"
    );
    let big_endian = npy(">f4", "False", "(6,)", &data());
    assert!(matches!(
        elements(&big_endian, DType::F32, &[6]),
        Err(ArrayError::Type { .. })
    ));
    let turned = npy("<f4", "True", "(2, 3)", &data());
    assert_eq!(
        elements(&turned, DType::F32, &[2, 3]),
        Err(ArrayError::Fortran)
    );
    let other = npy("<f4", "False", "(3, 2)", &data());
    assert!(matches!(
        elements(&other, DType::F32, &[2, 3]),
        Err(ArrayError::Shape { .. })
    ));
    let short = npy("<f4", "False", "(2, 3)", &data()[..20]);
    assert!(matches!(
        elements(&short, DType::F32, &[2, 3]),
        Err(ArrayError::Size { found: 20, .. })
    ));
}

#[test]
fn a_broken_header_never_panics() {
    let whole = npy("<f4", "False", "(2, 3)", &data());
    for end in 0..whole.len() {
        let _ = elements(&whole[..end], DType::F32, &[2, 3]);
    }
    for at in 0..80 {
        for byte in [0, 0x27, 0x7f, 0xff] {
            let mut broken = whole.clone();
            broken[at] = byte;
            let _ = elements(&broken, DType::F32, &[2, 3]);
        }
    }
    assert!(elements(&whole[..40], DType::F32, &[2, 3]).is_err());
}

#[test]
fn sizes_beyond_64_bits_are_none() {
    assert_eq!(bytes_of(DType::F32, &[1 << 40, 1 << 40]), None);
    assert_eq!(bytes_of(DType::String, &[1]), None);
    assert_eq!(bytes_of(DType::U4, &[3]), Some(2));
    assert_eq!(words(&[1, 2, 3, 4, 5]), [0x0403_0201, 5]);
}
