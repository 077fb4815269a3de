//! What a program JSON says of constants and attributes is known before a run, and is written again.

use planner::counts::{found, to_find};
use planner::graph::{Attribute, Bindings, Counts, Limit, TensorId, Value};
use planner::load::Document;
use planner::{PassSet, Program, Settings, prepare, save};
use serde_json::{Value as Json, json};
use tests::chinese::load;
use tests::confirmations::summed;

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

/// Two of twelve places are not zero at a bound of seven: what a run finds then is two rows, also
/// in the program that was written and read.
#[test]
fn bounds_of_counts_are_written_and_read() {
    let (_, document, _) = load(&summed(5).into_bytes()).expect("a graph");
    let bindings = Bindings::from([("places".to_owned(), 7)]);
    let settings = Settings {
        passes: PassSet::NONE,
        ..Settings::default()
    };
    let subject = prepare(&document, &bindings, &settings).expect("it fits");
    let before = subject.program.expect("a program");
    let written = save::program_json(&before).expect("the format can say it");
    let json: Json = serde_json::from_str(&written).expect("JSON");
    let (_, document, _) = load(&written.clone().into_bytes()).expect("a program");
    let subject = prepare(&document, &Bindings::new(), &settings).expect("it fits");
    let after = subject.program.expect("a program");
    assert_eq!(
        (after.graph.counts[0].most, after.graph.counts[0].limit),
        (7, Limit::Set)
    );
    assert_eq!(after.graph.counts, before.graph.counts);
    let bounds = |program: &Program| -> Vec<bool> {
        program.graph.tensors.iter().map(|it| it.at_most).collect()
    };
    assert_eq!(bounds(&after), bounds(&before));
    assert_eq!(
        save::program_json(&read(&json).expect("a program")),
        Some(written)
    );
    assert_eq!(to_find(&after, None).len(), 1);
    let two = Counts::from([("places".to_owned(), 2)]);
    let (now, _) = found(&after, &Bindings::new(), &two).expect("it fits");
    let dims = |name| {
        now.graph
            .tensors
            .iter()
            .find(|it| it.name == name)
            .and_then(|it| it.dims.clone())
    };
    assert_eq!(dims("places"), Some(vec![2, 2]));
    assert_eq!(dims("moved"), Some(vec![2, 5]));
}

#[test]
fn a_count_of_nothing_that_is_written_first_is_refused() {
    let with = |counts: Json| {
        let mut text = sum("i64", &[1]);
        text["counts"] = counts;
        read(&text).expect_err("no such count")
    };
    let once = "a count is of the first output of an operator, once";
    assert_eq!(
        with(json!([{"tensor": "x", "at_most": 1}])),
        format!("x: {once}")
    );
    let twice = json!({"tensor": "a", "at_most": 1});
    assert_eq!(with(json!([twice, twice])), format!("a: {once}"));
    assert_eq!(
        with(json!([{"tensor": "b", "at_most": 1}])),
        "b: no tensor is called \"b\""
    );
}
