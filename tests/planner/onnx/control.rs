//! Control flow made flat: which operators and tensors there are, what they are called, and why
//! others stay as they are.

use planner::graph::{Content, Inside, Role};
use planner::load::{Fault, Part, Source, load_parts};
use planner::passes::parameters;
use rten_onnx::onnx::{DataType, GraphProto, NodeProto, ValueInfoProto};

use super::handmade::{
    Named, Value, external_tensor, int_tensor, model, node, raw_tensor, untyped, value,
};
use super::subject::{Prepared, prepare, prepare_graph, read};

const FLOAT: DataType = DataType::FLOAT;
const BOOL: DataType = DataType::BOOL;
const TOO_MUCH: &str =
    "its iterations come to more than 32768 operators, which is the most that we unroll";

/// A subgraph without constants.
fn body(inputs: &[&str], nodes: Vec<NodeProto>, outputs: &[&str]) -> Value {
    Value::Graph(GraphProto {
        node: nodes,
        input: inputs.iter().map(|name| untyped(name)).collect(),
        output: outputs.iter().map(|name| untyped(name)).collect(),
        ..GraphProto::default()
    })
}

/// A branch of one operator whose other operand is a weight of `len` floats.
fn branch(kind: &str, len: i64) -> Value {
    let bytes = usize::try_from(len).expect("small") * 4;
    Value::Graph(GraphProto {
        node: vec![node(kind, &["x", "w"], &["result"], &[])],
        initializer: vec![raw_tensor("w", FLOAT, &[len], vec![0; bytes])],
        output: vec![untyped("result")],
        ..GraphProto::default()
    })
}

/// `x` of eight floats and `more` are fed to the nodes, which make `y`.
fn graph(more: Vec<ValueInfoProto>, nodes: Vec<NodeProto>) -> GraphProto {
    let mut input = vec![value("x", FLOAT, &["8"])];
    input.extend(more);
    GraphProto {
        node: nodes,
        initializer: vec![
            raw_tensor("yes", BOOL, &[], vec![1]),
            int_tensor("three", &[], &[3]),
            int_tensor("many", &[], &[40_000]),
        ],
        input,
        output: vec![untyped("y")],
        ..GraphProto::default()
    }
}

fn choice(condition: &str, then: Value, other: Value) -> NodeProto {
    let branches: [Named; 2] = [("else_branch", other), ("then_branch", then)];
    node("If", &[condition], &["y"], &branches)
}

/// `y` is `x` after so many turns of `nodes`, which make `n` of `s`.
fn turns(count: &str, nodes: Vec<NodeProto>) -> NodeProto {
    let body = body(&["i", "on", "s"], nodes, &["on", "n"]);
    node("Loop", &[count, "yes", "x"], &["y"], &[("body", body)])
}

/// Kinds, names and results of the operators that run.
fn operators(prepared: &Prepared) -> Vec<String> {
    let graph = &prepared.program.graph;
    let one = |op: &planner::graph::Op| {
        let written: Vec<&str> = op.written().map(|id| &*graph.tensor(id).name).collect();
        format!("{} {} {}", op.kind, op.name, written.join(" "))
    };
    prepared.program.operators().map(one).collect()
}

/// Eight elements that are not zero are more than three, but a run may find fewer: both branches
/// stay, and a choice between them.
#[test]
fn a_bound_on_a_count_decides_no_branch() {
    let nodes = vec![
        node("NonZero", &["x"], &["places"], &[]),
        node("Size", &["places"], &["count"], &[]),
        node("Greater", &["count", "three"], &["many_places"], &[]),
        choice("many_places", branch("Add", 8), branch("Mul", 8)),
    ];
    let prepared = prepare(&model(graph(vec![], nodes)), &[]);
    let kinds = operators(&prepared);
    for kind in ["Add ", "Mul ", "Where "] {
        assert!(kinds.iter().any(|it| it.starts_with(kind)), "{kinds:?}");
    }
}

/// Names of the constants that hold elements of the file.
fn weights(prepared: &Prepared) -> Vec<&str> {
    let tensors = prepared.program.graph.tensors.iter();
    let named = tensors.filter(|it| it.role == Role::Constant && it.name.starts_with('w'));
    named.map(|it| &*it.name).collect()
}

/// Why the operators that are left hold subgraphs.
fn kept(graph: GraphProto) -> Vec<String> {
    let prepared = prepare(&model(graph), &[]);
    let ops = prepared.program.graph.ops.iter();
    ops.filter_map(|op| match &op.inside {
        Inside::Kept(why) => Some(why.to_string()),
        Inside::Nothing => None,
        Inside::Bodies(_) => panic!("{} was not looked at", op.name),
    })
    .collect()
}

/// A text has what subgraphs hold in the place of their operators: what is planned of it is what is
/// planned of the file.
#[test]
fn a_text_has_what_subgraphs_hold() {
    let add = vec![node("Add", &["s", "s"], &["n"], &[])];
    let files = [
        graph(
            vec![value("c", BOOL, &["1"])],
            vec![choice("c", branch("Add", 8), branch("Mul", 8))],
        ),
        graph(vec![], vec![turns("three", add)]),
    ];
    for file in files {
        let (own, _) = read(&model(file)).expect("a model");
        let text = planner::save::graph_text(&own);
        let (again, _) = planner::load::graph_text(&text, None).expect("a graph");
        let spans = |graph| {
            let prepared = prepare_graph(graph, &[]);
            let buffers = prepared.lifetimes.buffers.into_iter();
            let buffers = buffers.map(|it| (it.name, it.size, it.span));
            buffers.collect::<Vec<_>>()
        };
        let expected = spans(own);
        assert!(expected.len() > 1, "{text}");
        assert_eq!(spans(again), expected, "{text}");
    }
}

#[test]
fn of_a_known_condition_the_taken_branch_is_left() {
    let node = choice("yes", branch("Add", 8), branch("Mul", 1));
    let prepared = prepare(&model(graph(vec![], vec![node])), &[]);
    assert_eq!(operators(&prepared), ["Add the Add y"]);
    assert_eq!(weights(&prepared), ["w"]);
    let weight = prepared.program.graph.ops[0].inputs[1].expect("a weight");
    assert_eq!(
        prepared.program.graph.tensor(weight).dims.as_deref(),
        Some(&[8][..])
    );
}

#[test]
fn of_a_computed_condition_both_run() {
    let node = choice("c", branch("Add", 8), branch("Mul", 1));
    let prepared = prepare(
        &model(graph(vec![value("c", BOOL, &["1"])], vec![node])),
        &[],
    );
    let expected = [
        "Add the Add result",
        "Mul the Mul result#1",
        "Where the If.y y",
    ];
    assert_eq!(operators(&prepared), expected);
    assert_eq!(weights(&prepared), ["w", "w#1"]);
    let buffers = prepared.lifetimes.buffers.iter().map(|it| &*it.name);
    assert_eq!(buffers.collect::<Vec<_>>(), ["result", "result#1"]);
}

#[test]
fn turns_have_tensors_of_their_own_and_share_their_weights() {
    let inner = body(
        &["j", "on2", "t"],
        vec![node("Mul", &["t", "s"], &["u"], &[])],
        &["on2", "u"],
    );
    let weighted = Value::Graph(GraphProto {
        node: vec![
            node("Add", &["s", "w"], &["a"], &[]),
            node("Loop", &["three", "yes", "a"], &["n"], &[("body", inner)]),
        ],
        initializer: vec![raw_tensor("w", FLOAT, &[8], vec![0; 32])],
        input: ["i", "on", "s"].map(untyped).to_vec(),
        output: ["on", "n", "a"].map(untyped).to_vec(),
        ..GraphProto::default()
    });
    let outer = node(
        "Loop",
        &["three", "yes", "x"],
        &["last", "y"],
        &[("body", weighted)],
    );
    let prepared = prepare(&model(graph(vec![], vec![outer])), &[]);
    let mut expected = Vec::new();
    for turn in 0..3 {
        expected.push(format!("Add the Add#{turn} a#{turn}"));
        for inner in 0..3 {
            let result = match (turn, inner) {
                (2, 2) => "last".into(),
                (_, 2) => format!("n#{turn}"),
                _ => format!("u#{turn}#{inner}"),
            };
            expected.push(format!("Mul the Mul#{turn}#{inner} {result}"));
        }
    }
    for turn in 0..3 {
        expected.push(format!("Unsqueeze the Loop.a#{turn}.row a#{turn}.row"));
    }
    expected.push("Concat the Loop.y y".into());
    assert_eq!(operators(&prepared), expected);
    assert_eq!(weights(&prepared), ["w"]);
}

#[test]
fn what_cannot_be_flat_says_why() {
    let negate = || vec![node("Neg", &["s"], &["n"], &[])];
    let count = || vec![value("m", DataType::INT64, &[])];
    assert_eq!(
        kept(graph(count(), vec![turns("m", negate())])),
        ["its trip count \"m\" is not known before the run"]
    );
    assert_eq!(
        kept(graph(vec![], vec![turns("many", negate())])),
        [TOO_MUCH]
    );
    // Without operators too, turns are counted.
    assert_eq!(
        kept(graph(
            vec![],
            vec![turns("", vec![node("Neg", &["i"], &["n"], &[])])]
        )),
        [TOO_MUCH]
    );
    let condition = || vec![value("c", BOOL, &[])];
    assert_eq!(
        kept(graph(
            condition(),
            vec![choice("c", branch("Add", 8), branch("MatMul", 8))]
        )),
        [
            "its condition is computed during the run, and its branches give \"y\" as f32[8] and as f32[]"
        ]
    );
    // Eight floats do not broadcast to three: what is in the way is named.
    assert_eq!(
        kept(graph(
            condition(),
            vec![choice("c", branch("Add", 3), branch("Add", 8))]
        )),
        [
            "its condition is computed during the run, and in a branch \"result\" has no size: Add: [8] and [3] do not fit"
        ]
    );
    let two = body(&[], vec![node("Neg", &["x"], &["n"], &[])], &["n", "n"]);
    assert_eq!(
        kept(graph(condition(), vec![choice("c", two, branch("Add", 8))])),
        ["its then_branch gives 2 values, and 1 are asked of it"]
    );
    let until = body(
        &["i", "on", "s"],
        vec![
            node("Neg", &["s"], &["n"], &[]),
            node(
                "ReduceMax",
                &["s"],
                &["most"],
                &[("keepdims", Value::Int(0))],
            ),
            node("Cast", &["most"], &["goes"], &[("to", Value::Int(9))]),
        ],
        &["goes", "n"],
    );
    let node = node("Loop", &["three", "yes", "x"], &["y"], &[("body", until)]);
    assert_eq!(
        kept(graph(vec![], vec![node])),
        ["its condition for the next iteration is computed during the run"]
    );
}

/// Weights of subgraphs lie beside the model as others do.
#[test]
fn weights_of_branches_may_lie_beside_the_model() {
    let then = Value::Graph(GraphProto {
        node: vec![node("Add", &["x", "w"], &["result"], &[])],
        initializer: vec![external_tensor("w", &[8])],
        output: vec![untyped("result")],
        ..GraphProto::default()
    });
    let file = model(graph(vec![], vec![choice("yes", then, branch("Add", 8))]));
    let data = vec![0_u8; 160];
    let part = |name, source| Part { name, source };
    let parts = [
        part("net.onnx", &file as &dyn Source),
        part("weights.bin", &data as &dyn Source),
    ];
    let (_, document, _) = load_parts(&parts).expect("one model");
    let graph = document.graph().expect("a model").clone();
    let prepared = prepare_graph(graph, &[]);
    let weight = prepared.program.graph.ops[0].inputs[1].expect("a weight");
    let start = file.len() as u64 + 128;
    assert_eq!(
        prepared.program.graph.tensor(weight).content,
        Content::Range { start, len: 32 }
    );
}

/// A count that is fed is asked for before the run, and then there is a loop to unroll.
#[test]
fn trip_counts_are_parameters() {
    let node = turns("m", vec![node("Neg", &["s"], &["n"], &[])]);
    let bytes = model(graph(vec![value("m", DataType::INT64, &[])], vec![node]));
    let (graph, _) = read(&bytes).expect("it loads");
    let asked = parameters(&graph)
        .into_iter()
        .map(|id| &*graph.tensor(id).name);
    assert_eq!(asked.collect::<Vec<_>>(), ["m"]);
}

#[test]
fn names_are_those_of_the_graphs_around() {
    let lost = body(&[], vec![node("Neg", &["lost"], &["n"], &[])], &["n"]);
    let node = choice("yes", branch("Add", 8), lost);
    let error = read(&model(graph(vec![], vec![node]))).expect_err("nothing defines it");
    assert_eq!(error.kind, Fault::Dangling);
    assert_eq!(error.place, "tensor \"lost\"");
    assert_eq!(
        error.message,
        "operator \"the Neg\" (Neg) reads it, but nothing defines it"
    );
}

#[test]
fn subgraphs_in_subgraphs_have_a_limit() {
    let nested = |depth: usize| {
        let mut inner = node("Neg", &["x"], &["y"], &[]);
        for _ in 0..depth {
            inner = choice(
                "yes",
                body(&[], vec![inner.clone()], &["y"]),
                body(&[], vec![inner], &["y"]),
            );
        }
        graph(vec![], vec![inner])
    };
    let prepared = prepare(&model(nested(5)), &[]);
    assert_eq!(operators(&prepared), ["Neg the Neg y"]);
    let deep = |depth: usize| {
        let mut inner = node("Neg", &["x"], &["y"], &[]);
        for _ in 0..depth {
            let other = body(&[], vec![node("Abs", &["x"], &["y"], &[])], &["y"]);
            inner = choice("yes", body(&[], vec![inner], &["y"]), other);
        }
        model(graph(vec![], vec![inner]))
    };
    assert_eq!(operators(&prepare(&deep(32), &[])), ["Neg the Neg y"]);
    let error = read(&deep(33)).expect_err("too deep");
    assert_eq!(
        (error.kind, &*error.message.to_string()),
        (Fault::Limit, "subgraphs are nested too deep")
    );
}
