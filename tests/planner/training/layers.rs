//! Layers of a training problem: opened as a model they give the same training step.

use planner::graph::Bindings;
use planner::load::{Document, Format, load};
use planner::training::layers::{self, Layer};
use planner::training::model;
use planner::{Bytes, Settings, prepare};

/// A branch, two layers of one name, one that reads the model's input beside another.
const BRANCHED: &str = r#"{"model": "branched", "batch": 3, "layers": [
    ["stem", [-1], 100, 64, 10],
    {"name": "left", "inputs": [0], "flops": 7, "bytes": 32},
    ["left", [0, -1], 0, 16, 5],
    ["join", [2, 1], 9223372036854775807, 8, 0]]}"#;

#[test]
fn layers_are_a_model_with_the_same_step() {
    let told = layers::read(BRANCHED).expect("layers");
    let (format, document, warnings) = load(&BRANCHED.as_bytes().to_vec()).expect("a document");
    assert_eq!(format, Format::LayersJson);
    assert!(matches!(&warnings[..], [it] if it.message.to_string().contains("3 samples")));
    let subject = prepare(&document, &Bindings::new(), &Settings::default()).expect("sizes");
    let graph = subject.graph().expect("a model");
    let again = model::layers(graph).expect("sizes");
    let named = |layer: &Layer, name: &str| Layer {
        name: name.to_owned(),
        ..layer.clone()
    };
    let names = ["stem", "left", "left:2", "join"];
    let expected: Vec<Layer> = told
        .list
        .iter()
        .zip(names)
        .map(|(it, name)| named(it, name))
        .collect();
    assert_eq!(again.list, expected);
    // What is between layers is planned; 64 and 32 + 16 are live together.
    let live = planner::bounds::bounds(&subject.lifetimes).offsets;
    assert!(live >= Bytes(64 + 32 + 16), "{live:?}");
    assert!(matches!(document, Document::Model(_)));
}

#[test]
fn what_is_wrong_is_said_with_its_layer() {
    let refused = |text: &str| load(&text.as_bytes().to_vec()).expect_err("refused");
    let ahead = refused(r#"{"layers": [["a", [1], 1, 1, 0], ["b", [0], 1, 1, 0]]}"#);
    assert_eq!(
        (
            ahead.place.to_string().as_str(),
            ahead.message.to_string().contains("\"a\"")
        ),
        ("layer 0", true)
    );
    let large = refused(r#"{"layers": [["a", [], 9223372036854775808, 1, 0]]}"#);
    assert_eq!(large.place, "layer 0");
    assert!(
        refused(r#"{"layers": 3}"#)
            .message
            .to_string()
            .contains("no layers")
    );
}
