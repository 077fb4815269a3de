//! Real models against the figures of an independent implementation.

use crate::subject::{prepare, shared};

/// The ONNX files of the folder of real models.
fn models() -> Vec<(String, Vec<u8>)> {
    let Some(shared) = shared() else {
        return Vec::new();
    };
    let entries = std::fs::read_dir(shared.join("models")).expect("the folder can be read");
    let mut paths: Vec<_> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.retain(|path| path.extension().is_some_and(|ext| ext == "onnx"));
    paths.sort();
    let model = |path: std::path::PathBuf| {
        let name = path
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        (name, std::fs::read(path).expect("the model can be read"))
    };
    paths.into_iter().map(model).collect()
}

#[test]
fn every_real_model_is_sized_completely() {
    for (name, bytes) in models() {
        let prepared = prepare(&bytes, &[]);
        assert_eq!(prepared.missing(), Vec::<String>::new(), "{name}");
    }
}

#[test]
fn figures_agree_with_the_independent_ones() {
    let Some(shared) = shared() else { return };
    let text = std::fs::read_to_string(shared.join("vectors/model_figures.json"));
    let figures: serde_json::Value =
        serde_json::from_str(&text.expect("the figures can be read")).expect("JSON");
    let mut wrong = Vec::new();
    for (name, bytes) in models() {
        let expected = &figures["models"][&name];
        let prepared = prepare(&bytes, &[]);
        let found = (
            prepared.lifetimes.buffers.len() as u64,
            prepared.naive(),
            prepared.peak(),
            prepared.lifetimes.schedule.len() as u64,
        );
        let figure = |key: &str| expected[key].as_u64().expect("a number");
        let wanted = (
            figure("intermediates"),
            figure("naive"),
            figure("lb_offset"),
            figure("ops"),
        );
        println!("{name}: {found:?} {wanted:?} {}", figure("unknown_shape"));
        if figure("unknown_shape") == 0 && found != wanted {
            wrong.push(format!("{name}: {found:?} instead of {wanted:?}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}
