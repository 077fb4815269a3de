//! Pictures as tensors: two pixels by hand.

use runner::picture::{Frame, Layout};

/// Red 255, green 0, blue 51 and opaque; then black, half transparent.
const PIXELS: [u8; 8] = [255, 0, 51, 255, 0, 0, 0, 128];

fn near(found: &[f32], expected: &[f32]) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-6, "{found} for {expected}");
    }
}

#[test]
fn channels_lie_as_the_dimensions_say() {
    let planes = Frame::of(&[1, 3, 1, 2]).unwrap();
    assert_eq!(
        (planes.layout, planes.width, planes.height),
        (Layout::Planes, 2, 1)
    );
    near(&planes.elements(&PIXELS), &[1.0, 0.0, 0.0, 0.0, 0.2, 0.0]);
    let pixels = Frame::of(&[1, 1, 2, 4]).unwrap();
    // The first dimension of one reads as one plane of 2 × 4.
    assert_eq!(
        (pixels.layout, pixels.width, pixels.height),
        (Layout::Planes, 4, 2)
    );
    let interleaved = Frame::of(&[1, 2, 1, 3]).unwrap();
    assert_eq!(interleaved.layout, Layout::Interleaved);
    near(
        &interleaved.elements(&PIXELS),
        &[1.0, 0.0, 0.2, 0.0, 0.0, 0.0],
    );
}

#[test]
fn grey_is_luma() {
    let grey = Frame::of(&[1, 1, 1, 2]).unwrap();
    // 0.299 · 1 + 0.587 · 0 + 0.114 · 0.2
    near(&grey.elements(&PIXELS), &[0.3218, 0.0]);
}

#[test]
fn other_tensors_take_no_picture() {
    assert_eq!(Frame::of(&[1, 5, 7, 9]), None);
    assert_eq!(Frame::of(&[2, 3, 8, 8]), None);
    assert_eq!(Frame::of(&[1, 3, 0, 8]), None);
    assert_eq!(Frame::of(&[1, 3, 1 << 40, 8]), None);
    assert_eq!(Frame::of(&[8]), None);
}
