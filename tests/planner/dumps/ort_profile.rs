//! ONNX Runtime's profile: what it says, and what it does not.

use planner::bounds::bounds;
use planner::graph::Bindings;
use planner::load::{Document, Fault, Format, Part, documents};
use planner::{Bytes, Lifetimes, Settings, Span, prepare};
use rten_onnx::onnx::DataType;
use serde_json::{Value, json};
use tests::chinese::{load, load_parts};
use tests::onnx_builder::{Axis, OnnxBuilder};

/// A node's event as ONNX Runtime 1.2x writes it: numbers of bytes are texts.
fn node(name: &str, ts: u64, read: u64, written: u64, shapes: &Value) -> Value {
    json!({"cat": "Node", "pid": 1, "tid": 1, "dur": 50, "ts": ts, "ph": "X",
           "name": format!("{name}_kernel_time"),
           "args": {"op_name": "Op", "provider": "CPUExecutionProvider", "node_index": "0",
                    "activation_size": read.to_string(), "parameter_size": "8",
                    "output_size": written.to_string(), "input_type_shape": [],
                    "output_type_shape": shapes}})
}

fn session(name: &str, ts: u64, dur: u64) -> Value {
    json!({"cat": "Session", "pid": 1, "tid": 1, "dur": dur, "ts": ts, "ph": "X", "name": name,
           "args": {}})
}

fn problem(events: &[Value]) -> (Lifetimes, Vec<String>) {
    let text = Value::from(events.to_vec()).to_string();
    let (format, document, warnings) = load(&text.into_bytes()).expect("a profile");
    assert_eq!(format, Format::OrtProfile);
    let Document::Problem(lifetimes) = document else {
        panic!("no problem")
    };
    (
        lifetimes,
        warnings.iter().map(|it| it.message.to_string()).collect(),
    )
}

/// conv reads 1·3·224·224 floats, 602,112 B, and writes 1·64·112·112, 3,211,264; relu reads and
/// writes as many: at once 6,422,528, which no plan of the run goes below.
#[test]
fn what_a_node_reads_and_writes_is_there_at_once() {
    for (name, content) in tests::shared::files("cases", "ort_profile.json") {
        let (_, document, _) = load(&content).expect("a profile");
        let Document::Problem(lifetimes) = document else {
            panic!("{name}")
        };
        assert_eq!(bounds(&lifetimes).offsets, Bytes(6_422_528));
        assert_eq!(
            lifetimes.step_names,
            ["Conv conv1, 100 µs", "Relu relu1, 50 µs"]
        );
    }
    let two = json!([{"float": [2, 3]}, {"int64": [4]}]);
    let (lifetimes, warnings) = problem(&[
        session("model_loading_uri", 0, 9),
        node("split", 20, 40, 24 + 32, &two),
        node("text", 80, 56, 100, &json!([{"string": [5]}])),
    ]);
    let found: Vec<(&str, u64, Span)> = (lifetimes.buffers.iter())
        .map(|it| (it.name.as_str(), it.size.0, it.span))
        .collect();
    let at = |step| Span::new(step, step + 1);
    assert_eq!(
        found,
        [
            ("split reads", 40, at(0)),
            ("split writes 0", 24, at(0)),
            ("split writes 1", 32, at(0)),
            ("text reads", 56, at(1)),
            // Strings have no size that follows from their shape.
            ("text writes", 100, at(1)),
        ]
    );
    assert!(warnings[0].contains("is not in a profile"), "{warnings:?}");
    assert!(warnings[0].contains("2 nodes took 100 µs"), "{warnings:?}");
}

/// Of several runs the last, whatever the order of the events.
#[test]
fn of_several_runs_the_last_is_shown() {
    let shape = json!([{"float": [2]}]);
    let (lifetimes, warnings) = problem(&[
        node("b", 110, 8, 8, &shape),
        node("a", 10, 8, 8, &shape),
        node("a", 102, 8, 8, &shape),
        session("model_run", 5, 50),
        session("model_run", 100, 50),
    ]);
    assert_eq!(lifetimes.step_names, ["Op a, 50 µs", "Op b, 50 µs"]);
    assert!(
        warnings.iter().any(|it| it.starts_with("2 runs")),
        "{warnings:?}"
    );
}

#[test]
fn a_profile_without_nodes_says_so() {
    let text = Value::from(vec![session("model_loading_uri", 0, 9)]).to_string();
    let error = load(&text.clone().into_bytes()).expect_err("nothing ran");
    assert_eq!(error.kind, Fault::Unsupported, "{error}");
    let error = load(&text.as_bytes()[..text.len() - 4].to_vec()).expect_err("cut off");
    assert_eq!(error.kind, Fault::Truncated, "{error}");
}

/// A model of one Relu over [batch, 3] floats that ran with a batch of 4: with its profile beside it, in
/// either order, each of its two tensors has 4 x 3 x 4 = 48 bytes.
#[test]
fn a_profile_beside_its_model_gives_its_dimensions() {
    let mut model = OnnxBuilder::new("g", 17);
    let shape = [Axis::Named("batch"), Axis::Fixed(3)];
    let x = model.input("x", DataType::FLOAT, &shape);
    model.op("relu1", "Relu", &[&x], vec![]);
    model.output("relu1", DataType::FLOAT, &shape);
    let model = model.finish();
    let shape = json!([{"float": [4, 3]}]);
    let mut ran = node("relu1", 20, 48, 48, &shape);
    ran["args"]["input_type_shape"] = shape.clone();
    let other = node("conv_nchwc", 90, 48, 48, &shape);
    let profile = Value::from(vec![session("model_run", 5, 200), ran, other]).to_string();
    let profile = profile.into_bytes();
    let model = Part {
        name: "model.onnx",
        source: &model,
    };
    let profile = Part {
        name: "profile.json",
        source: &profile,
    };
    for parts in [[model, profile], [profile, model]] {
        let (format, document, warnings) = load_parts(&parts).expect("a model");
        assert_eq!(format, Format::Onnx);
        let subject = prepare(&document, &Bindings::new(), &Settings::default()).expect("small");
        let graph = subject.graph().expect("a model");
        assert_eq!(graph.symbols[0].default, 4);
        assert!(
            subject
                .split
                .is_some_and(|it| it.inputs.0 == 48 && it.outputs.0 == 48)
        );
        let said: Vec<String> = warnings.iter().map(|it| it.message.to_string()).collect();
        assert!(
            said[0].contains(
                "2 nodes, which took 100 µs; of these 1 are operators of the model by name, 0"
            ),
            "{said:?}"
        );
        assert!(said[1].ends_with("\"batch\" = 4"), "{said:?}");
    }
    // Not so with another file beside them.
    let table = b"id,lower,upper,size\na,0,2,4\n".to_vec();
    let table = Part {
        name: "table.csv",
        source: &table,
    };
    for parts in [vec![model, profile, table], vec![profile, table]] {
        assert_eq!(load_parts(&parts).expect_err("three").kind, Fault::Apart);
    }
    // They find each other among the files of an overview, as the table stays by itself.
    assert_eq!(documents(&[profile, model]), [vec![0, 1]]);
    assert_eq!(documents(&[profile, table]), [vec![0], vec![1]]);
    // A profile of nothing is no part of it.
    let empty = Value::from(vec![session("model_run", 5, 200)])
        .to_string()
        .into_bytes();
    let empty = Part {
        name: "empty.json",
        source: &empty,
    };
    assert_eq!(
        load_parts(&[model, empty]).expect_err("no node").kind,
        Fault::Unsupported
    );
}

/// Two Relu over [batch, 3] and [rows, 3], which the runtime calls by their type and number, and
/// counts in the file's order, whichever ran first. With one more, or with other dimensions than
/// the model has, nobody knows which is which.
#[test]
fn nodes_without_a_name_are_found_by_type_and_order() {
    let mut model = OnnxBuilder::new("g", 17);
    for (input, output, axis) in [("x", "a", "batch"), ("y", "b", "rows")] {
        let shape = [Axis::Named(axis), Axis::Fixed(3)];
        let input = model.input(input, DataType::FLOAT, &shape);
        model.op(output, "Relu", &[&input], vec![]);
        model.output(output, DataType::FLOAT, &shape);
    }
    let model = model.finish();
    let ran = |number: u64, ts: u64, dims: [u64; 2]| {
        let shape = json!([{"float": dims}]);
        let bytes = dims[0] * dims[1] * 4;
        let mut node = node(&format!("Relu_{number}"), ts, bytes, bytes, &shape);
        node["args"]["op_name"] = "Relu".into();
        node["args"]["node_index"] = number.to_string().into();
        node["args"]["input_type_shape"] = shape;
        node
    };
    let (first, second) = (ran(4, 80, [4, 3]), ran(7, 20, [5, 3]));
    for (nodes, found) in [
        (vec![first.clone(), second.clone()], Some((4, 5))),
        (vec![first.clone(), second, ran(9, 120, [5, 3])], None),
        (vec![first, ran(7, 20, [5, 2])], None),
    ] {
        let profile = Value::from(nodes).to_string().into_bytes();
        let parts = [("model.onnx", &model), ("profile.json", &profile)];
        let parts = parts.map(|(name, source)| Part { name, source });
        let (_, document, warnings) = load_parts(&parts).expect("a model");
        let Document::Model(graph) = document else {
            panic!("no model")
        };
        let sizes = (graph.symbols[0].default, graph.symbols[1].default);
        let said = &warnings[0].message;
        match found {
            Some(found) => {
                assert_eq!(sizes, found);
                assert!(
                    said.to_string()
                        .ends_with("0 are operators of the model by name, 2 by type and order"),
                    "{said}"
                );
            }
            None => assert!(
                said.to_string().ends_with("by name, 0 by type and order"),
                "{said}"
            ),
        }
    }
}
