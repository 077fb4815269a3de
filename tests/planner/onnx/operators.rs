//! Shapes of single operators, each worked out by hand from the operator's definition.
//!
//! A row is "kind | inputs | attributes | outputs". An input is its dimensions, `1x3x224`,
//! `scalar` or `-` for one that is left out, and `=[…]` for an integer vector whose elements
//! are known. Attributes are `name=1`, `name=[1,2]` or `name=text`.

use planner::graph::{Bindings, DType, Elements};
use rten_onnx::onnx::{DataType, GraphProto};

use super::handmade::{Named, Value, int_tensor, model_of, node, untyped, value};
use super::subject::read;

const ROWS: &str = include_str!("operators.txt");
const VALUES: &str = include_str!("values.txt");

fn list(text: &str) -> Vec<i64> {
    let inner = text.trim_start_matches('[').trim_end_matches(']');
    let parts = inner
        .split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty());
    parts.map(|part| part.parse().expect("a number")).collect()
}

fn attributes(text: &'static str) -> Vec<Named> {
    let named = |part: &'static str| {
        let (name, x) = part.split_once('=').expect("name=value");
        let x = match (x.starts_with('['), x.parse()) {
            (true, _) => Value::Ints(list(x)),
            (false, Ok(x)) => Value::Int(x),
            (false, Err(_)) => Value::Text(x),
        };
        (name, x)
    };
    text.split_whitespace().map(named).collect()
}

/// A model of one operator, with the operator set that stands after the kind: "Slice@9".
fn single(kind: &str, inputs: &str, with: Vec<Named>, outputs: usize) -> Vec<u8> {
    let (kind, opset) = kind.split_once('@').unwrap_or((kind, "21"));
    let mut graph = GraphProto::default();
    let mut names = Vec::new();
    for (index, input) in inputs.split(';').map(str::trim).enumerate() {
        let name = format!("x{index}");
        if input == "-" || input.is_empty() {
            names.push(String::new());
            continue;
        }
        if let Some(elements) = input.strip_prefix('=') {
            let elements_list = list(elements);
            let dims = [elements_list.len() as i64];
            let dims = if elements.starts_with('[') {
                dims.as_slice()
            } else {
                &[]
            };
            graph
                .initializer
                .push(int_tensor(&name, dims, &elements_list));
        } else {
            let dims: Vec<&str> = input.split('x').filter(|dim| *dim != "scalar").collect();
            graph.input.push(value(&name, DataType::FLOAT, &dims));
        }
        names.push(name);
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let results: Vec<String> = (0..outputs).map(|index| format!("y{index}")).collect();
    let results: Vec<&str> = results.iter().map(String::as_str).collect();
    graph.output = results.iter().map(|name| untyped(name)).collect();
    graph.node = vec![node(kind, &names, &results, &with)];
    model_of(graph, opset.parse().expect("a number"))
}

fn columns(row: &'static str) -> [&'static str; 4] {
    let mut columns = row.split('|').map(str::trim);
    std::array::from_fn(|_| {
        columns
            .next()
            .unwrap_or_else(|| panic!("four columns: {row}"))
    })
}

fn rows(table: &'static str) -> impl Iterator<Item = &'static str> {
    table
        .lines()
        .filter(|row| !row.is_empty() && !row.starts_with('#'))
}

#[test]
fn shapes() {
    let mut wrong = Vec::new();
    for row in rows(ROWS) {
        let [kind, inputs, with, outputs] = columns(row);
        let count = outputs.split(';').count();
        let bytes = single(kind, inputs, attributes(with), count);
        let (mut graph, _) = read(&bytes).unwrap_or_else(|error| panic!("{row}: {error}"));
        planner::graph::infer(&mut graph, &Bindings::new());
        let shape = |index| {
            let id = graph.outputs[index];
            match &graph.tensor(id).dims {
                Some(dims) if dims.is_empty() => "scalar".to_owned(),
                Some(dims) => {
                    let dims: Vec<String> = dims.iter().map(u64::to_string).collect();
                    dims.join("x")
                }
                None => format!("{:?}", graph.tensor(id).missing.as_ref().map(|m| m.reason)),
            }
        };
        let found: Vec<String> = (0..count).map(shape).collect();
        let found = found.join("; ");
        let expected = outputs.replace("error", "Some(InvalidOperator)");
        let expected = expected.replace("unknown", "Some(DataDependent)");
        if found != expected {
            wrong.push(format!("{row}: {found}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn elements() {
    let mut wrong = Vec::new();
    for row in rows(VALUES) {
        let [kind, inputs, with, output] = columns(row);
        let bytes = single(kind, inputs, attributes(with), 1);
        let (mut graph, _) = read(&bytes).unwrap_or_else(|error| panic!("{row}: {error}"));
        let values = planner::graph::infer(&mut graph, &Bindings::new());
        let found = values
            .get(&graph.outputs[0])
            .map(|value| value.elements.clone());
        let expected = (output != "unknown").then(|| Elements::Ints(list(output)));
        if found != expected {
            wrong.push(format!("{row}: {found:?}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn element_types() {
    let rows = [
        ("Cast", "2", "to=10", DType::F16),
        ("Cast", "2", "to=22", DType::I4),
        ("Equal", "2; 2", "", DType::Bool),
        ("Shape", "2x3", "", DType::I64),
        ("ArgMax", "2x3", "", DType::I64),
        ("Relu", "2x3", "", DType::F32),
        ("ConstantOfShape", "=[2]", "", DType::F32),
        ("QuantizeLinear", "2x3; scalar", "", DType::U8),
        ("EyeLike", "2x2", "dtype=11", DType::F64),
        ("RandomNormal", "", "shape=[2] dtype=16", DType::BF16),
        ("IsNaN", "2x2", "", DType::Bool),
    ];
    for (kind, inputs, with, expected) in rows {
        let bytes = single(kind, inputs, attributes(with), 1);
        let (mut graph, _) = read(&bytes).expect("it loads");
        planner::graph::infer(&mut graph, &Bindings::new());
        assert_eq!(graph.tensor(graph.outputs[0]).dtype, expected, "{kind}");
    }
}
