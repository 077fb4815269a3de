//! Real models from Python packages, fetched by `tests/fixtures.mjs`: all of them load, every
//! tensor has a size, and the figures are those of a second implementation.

use tests::figures::{Figures, expected, measure};
use tests::skipped::fixture;

fn figures() -> Vec<Figures> {
    let table = expected(include_str!("../data/fixture_figures.json"));
    table.expect("the table is committed with this test")
}

fn check(extension: &str) {
    let mut wrong = Vec::new();
    for row in figures() {
        if !row.file.ends_with(extension) {
            continue;
        }
        let Some(bytes) = fixture(&row.file) else {
            continue;
        };
        match measure(&row.file, &bytes, &row.bind) {
            Ok(measured) if measured == row => {}
            other => wrong.push(format!("{other:?}\ninstead of {row:?}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn figures_cover_every_fixture() {
    let count = |extension| {
        let rows = figures().into_iter();
        rows.filter(|row| row.file.ends_with(extension)).count()
    };
    assert_eq!((count(".onnx"), count(".tflite")), (9, 14));
}

#[test]
fn onnx_fixtures_have_the_figures_of_the_second_implementation() {
    check(".onnx");
}

/// Twelve of them dequantize their weights in the graph, two of these are sparse, and three
/// have custom operators; the files declare every shape, so nothing is left out.
#[test]
fn tflite_fixtures_have_the_figures_of_the_second_implementation() {
    check(".tflite");
}

/// The `light_*` models make their weights with `ConstantOfShape`: unfolded, this one would
/// seem to need 106.55 MiB.
#[test]
fn resnet50_is_bounded_by_9_19_mib_once_folded() {
    let file = "light_resnet50.onnx";
    let Some(bytes) = fixture(file) else {
        return;
    };
    let measured = measure(file, &bytes, &Default::default()).unwrap();
    assert_eq!(measured.lb_offset, 9_633_792);
}
