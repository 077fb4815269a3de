//! What a program JSON says of constants and attributes is known before a run, and is written again.

use planner::graph::{Attribute, Bindings, TensorId, Value};
use planner::load::Document;
use planner::{Program, save};
use serde_json::{Value as Json, json};
use tests::chinese::load;

fn read(text: &Json) -> Result<Program, String> {
    match load(&text.to_string().into_bytes()) {
        Ok((_, Document::Program(program), _)) => Ok(program),
        Ok(_) => Err("no program".into()),
        Err(error) => Err(format!("{}: {}", error.place, error.message)),
    }
}

/// x is negated and summed along the axis that a constant names.
fn sum(dtype: &str, values: &[i64]) -> Json {
    json!({
        "arenascope_program": 1, "opset": 17,
        "tensors": [
            {"name": "x", "shape": [2, 3], "role": "input"},
            {"name": "ax", "shape": [1], "dtype": dtype, "role": "constant", "values": values},
            {"name": "a", "shape": [2, 3]},
            {"name": "y", "shape": [2, 1], "role": "output"},
        ],
        "operators": [
            {"name": "n", "kind": "Neg", "inputs": ["x"], "outputs": ["a"]},
            {"name": "r", "kind": "ReduceSum", "inputs": ["a", "ax"], "outputs": ["y"],
             "attributes": {"keepdims": 1}},
        ],
    })
}

#[test]
fn a_constant_with_values_is_known_before_the_run() {
    let program = read(&sum("i64", &[1])).expect("a program");
    let known = program.known(&Bindings::new());
    // The only constant, with the value that the file has.
    assert_eq!(
        known.into_iter().collect::<Vec<_>>(),
        [(TensorId(1), Value::ints(vec![1]))]
    );
}

#[test]
fn an_operator_that_contradicts_the_file_knows_nothing() {
    // The shape of x is [2, 3]: two elements. The file says that there are four.
    let text = json!({
        "arenascope_program": 1,
        "tensors": [
            {"name": "x", "shape": [2, 3], "role": "input"},
            {"name": "y", "shape": [4], "dtype": "i64", "role": "output"},
        ],
        "operators": [{"name": "s", "kind": "Shape", "inputs": ["x"], "outputs": ["y"]}],
    });
    let program = read(&text).expect("a program");
    assert!(program.known(&Bindings::new()).is_empty());
}

#[test]
fn values_have_the_width_of_their_type() {
    let narrow = read(&sum("i32", &[-2])).expect("a program");
    let known = narrow.known(&Bindings::new());
    assert_eq!(known.get(&TensorId(1)), Some(&Value::ints(vec![-2])));
    assert_eq!(
        read(&sum("i32", &[1 << 31])).expect_err("33 bits with the sign"),
        "ax: the value 2147483648 has more than 32 bits"
    );
    assert_eq!(
        read(&sum("f32", &[1])).expect_err("a float"),
        "ax: only a constant of dtype i32 or i64 has values"
    );
}

#[test]
fn what_is_written_is_the_same_program() {
    let more = json!({
        "arenascope_program": 1, "dialect": "onnx", "opset": 13, "name": "all of it",
        "tensors": [
            {"name": "x", "shape": [2, 4], "role": "input"},
            {"name": "fill", "shape": [1], "dtype": "i64", "role": "constant", "values": [7]},
            {"name": "y", "shape": [2, 4], "role": "output"},
        ],
        "operators": [{
            "name": "f", "kind": "FusedConv", "domain": "com.microsoft", "inputs": ["x", "", "fill"],
            "outputs": ["y"],
            "attributes": {
                "a": 3, "b": 0.1, "c": [1, -2], "d": [1.0, 0.25], "e": "Relu", "f": ["Tanh", "Relu"],
                "g": {"tensor": "fill"}, "h": {"operators": 5},
            },
        }],
    });
    let tflite = json!({
        "arenascope_program": 1, "dialect": "tflite",
        "tensors": [
            {"name": "x", "shape": [2], "role": "input"},
            {"name": "axis", "shape": [1], "dtype": "i32", "role": "constant", "values": [0]},
            {"name": "y", "shape": [1], "role": "output"},
        ],
        "operators": [{"name": "s", "kind": "SUM", "inputs": ["x", "axis"], "outputs": ["y"],
                       "attributes": {"keep_dims": 1}}],
    });
    for text in [sum("i64", &[1]), sum("i32", &[1]), more, tflite] {
        let program = read(&text).expect("a program");
        let written = save::program_json(&program).expect("the format can say it");
        let again = serde_json::from_str(&written).expect("JSON");
        assert_eq!(read(&again).expect("a program"), program);
    }
}

#[test]
fn what_json_cannot_say_is_not_written() {
    let mut program = read(&sum("i64", &[1])).expect("a program");
    for number in [f32::NAN, f32::INFINITY] {
        program.graph.ops[0].attributes = vec![("a".into(), Attribute::Float(number))];
        assert_eq!(save::program_json(&program), None);
        program.graph.ops[0].attributes = vec![("a".into(), Attribute::Floats(vec![number]))];
        assert_eq!(save::program_json(&program), None);
    }
}
