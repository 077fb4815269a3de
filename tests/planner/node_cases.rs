//! ONNX's node cases: every one of them is there, loads, and is sized as its authors expect.

use std::collections::BTreeSet;

use planner::graph::{DType, Graph, TensorId};
use planner::load::{Document, load};
use planner::prepare;
use tests::node_cases::{self, Array, NodeCase, listed, with_constants};

fn graph(case: &NodeCase) -> Result<Graph, String> {
    match load(&case.model).map_err(|error| error.to_string())? {
        (_, Document::Model(graph), _) => Ok(graph),
        other => Err(format!("not a model: {other:?}")),
    }
}

/// The sized graph, whose outputs inference must work out: what the file declares of them, on
/// which it would fall back, is taken away.
fn prepared(mut graph: Graph) -> Result<Graph, String> {
    for id in graph.outputs.clone() {
        graph.tensors[id.index()].declared = None;
    }
    let document = Document::Model(graph);
    let subject = prepare(&document, &Default::default(), &Default::default());
    let subject = subject.map_err(|error| error.to_string())?;
    let program = subject.program;
    program
        .map(|it| it.graph)
        .ok_or_else(|| "no graph is left".to_owned())
}

/// Name, element type and dimensions of what the graph has.
fn sized(graph: &Graph, ids: &[TensorId]) -> Vec<String> {
    let tensors = ids.iter().map(|&id| graph.tensor(id));
    let shown = tensors.map(|tensor| match (&tensor.dims, &tensor.missing) {
        (Some(dims), None) => format!("{} {} {dims:?}", tensor.name, tensor.dtype.name()),
        (_, missing) => format!("{} {missing:?}", tensor.name),
    });
    shown.collect()
}

/// The same of what the case has.
fn expected<'a>(arrays: impl IntoIterator<Item = &'a Array>) -> Vec<String> {
    let shown = |array: &Array| format!("{} {} {:?}", array.name, array.dtype.name(), array.dims);
    arrays.into_iter().map(shown).collect()
}

/// Whether the case must feed it while the graph runs: floats, and the integers that an
/// operator computes on. Dropout's ratio and training mode are given before.
fn is_data(case: &NodeCase, array: &Array) -> bool {
    match case.op.as_str() {
        "Gather" | "Pow" => true,
        "Dropout" => array.name == "x",
        _ => array.dtype == DType::F32,
    }
}

fn check(case: &NodeCase) -> Result<(), String> {
    let graph = prepared(with_constants(graph(case)?, case))?;
    let data = case.inputs.iter().filter(|array| is_data(case, array));
    let expected = [expected(data), expected(&case.outputs)];
    let found = [&graph.inputs, &graph.outputs].map(|ids| sized(&graph, ids));
    if found == expected {
        return Ok(());
    }
    Err(format!("{found:?}\ninstead of {expected:?}"))
}

#[test]
fn the_list_names_279_cases_of_53_operators() {
    let listed = listed();
    let unique = |names: Vec<&'static str>| names.into_iter().collect::<BTreeSet<_>>().len();
    let operators = listed.iter().map(|&(operator, _)| operator);
    let names = listed.iter().map(|&(_, name)| name);
    assert_eq!(listed.len(), 279);
    assert_eq!(unique(operators.collect()), 53);
    assert_eq!(unique(names.collect()), 279);
}

#[test]
fn every_listed_case_is_there() {
    let Some(cases) = node_cases::load() else {
        return;
    };
    let there: Vec<_> = cases.iter().map(|case| (&*case.op, &*case.name)).collect();
    assert_eq!(there, listed());
}

#[test]
fn arrays_hold_as_many_bytes_as_their_dimensions_say() {
    for case in node_cases::load().unwrap_or_default() {
        for array in case.inputs.iter().chain(&case.outputs) {
            let elements: u64 = array.dims.iter().product();
            let bits = array.dtype.bits().expect("node cases have numbers only");
            let name = format!("{} {}", case.name, array.name);
            assert_eq!(array.bytes.len() as u64, elements * bits / 8, "{name}");
            let floats = array.floats().map(|floats| floats.len() as u64);
            let is_float = array.dtype == DType::F32;
            assert_eq!(floats, is_float.then_some(elements), "{name}");
        }
    }
}

#[test]
fn every_case_is_sized_as_its_authors_expect() {
    let mut wrong = Vec::new();
    for case in node_cases::load().unwrap_or_default() {
        if let Err(what) = check(&case) {
            wrong.push(format!("{}: {what}", case.name));
        }
    }
    let count = wrong.len();
    assert!(wrong.is_empty(), "{count} wrong:\n{}", wrong.join("\n\n"));
}

/// 52 of the cases have an i64 input; the 4 of Gather and 2 of Pow compute on it, the others
/// give shapes or axes by it. 8 cases of Dropout have a ratio, 6 of these a training mode too.
#[test]
fn parameters_of_54_cases_become_constants() {
    let Some(cases) = node_cases::load() else {
        return;
    };
    let changed = cases.iter().filter(|case| {
        let graph = graph(case).expect("every case loads");
        with_constants(graph.clone(), case) != graph
    });
    assert_eq!(changed.count(), 46 + 8);
}
