//! ONNX Runtime's profile: what it says, and what it does not.

use planner::bounds::bounds;
use planner::load::{Document, Fault, Format};
use planner::{Bytes, Lifetimes, Span};
use serde_json::{Value, json};
use tests::chinese::load;

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
        warnings.into_iter().map(|it| it.message).collect(),
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
