//! Real models against the figures of an independent implementation.

use std::collections::BTreeMap;

use crate::subject::{light, prepare, shared};

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
        if figure("unknown_shape") == 0 && found != wanted {
            wrong.push(format!("{name}: {found:?} instead of {wanted:?}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

/// Raw exports and the same models simplified elsewhere: what the one has more of than the
/// other, in operators that run. The simplifier turns MatMul and Add into Reshape, Gemm and
/// Reshape, and merges Mul with Mul; beyond that, our folding finds what it finds.
#[test]
fn raw_exports_fold_to_what_the_simplifier_leaves() {
    let models = models();
    let figures = |name: &str| {
        let (_, bytes) = models.iter().find(|(other, _)| other == name)?;
        let prepared = prepare(bytes, &[]);
        let mut kinds: BTreeMap<String, i64> = BTreeMap::new();
        for &op in &prepared.lifetimes.schedule {
            *kinds.entry(prepared.graph.op(op).kind.clone()).or_default() += 1;
        }
        Some((prepared.peak(), kinds))
    };
    for model in [
        "mobilenet_v2",
        "bert_base_128",
        "vit_b_16",
        "llama_like_4L_T256",
    ] {
        let raw = figures(&format!("{model}.noweights.onnx"));
        let simplified = figures(&format!("{model}.sim.noweights.onnx"));
        let (Some((peak, mut kinds)), Some((simplified_peak, simplified))) = (raw, simplified)
        else {
            continue;
        };
        assert_eq!(peak, simplified_peak, "{model}");
        for (kind, count) in simplified {
            *kinds.entry(kind).or_default() -= count;
        }
        kinds.retain(|kind, more| {
            *more != 0
                && !matches!(
                    &**kind,
                    "MatMul" | "Gemm" | "Add" | "Reshape" | "Unsqueeze" | "Mul"
                )
        });
        assert_eq!(kinds, BTreeMap::new(), "{model}");
    }
}

/// The nine models of the `onnx` wheel, whose weights come out of `ConstantOfShape`.
#[test]
fn light_models_fold_completely() {
    let Some(folder) = light() else { return };
    let mut found = 0;
    for entry in std::fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|ext| ext != "onnx") {
            continue;
        }
        let prepared = prepare(&std::fs::read(&path).expect("the model can be read"), &[]);
        assert_eq!(
            prepared.missing(),
            Vec::<String>::new(),
            "{}",
            path.display()
        );
        if path.ends_with("light_resnet50.onnx") {
            // 9.19 MiB; unfolded it would be 106.55.
            assert_eq!(prepared.peak(), 9_633_792);
        }
        found += 1;
    }
    assert_eq!(found, 9);
}
