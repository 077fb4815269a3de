//! The table of operators, read row by row.

use std::collections::{BTreeMap, BTreeSet};

use planner::graph::Bindings;
use planner::graph::{DType, Dialect, Graph, Op, Role, Tensor, TensorId, UnsizedReason, infer};
use planner::operators::{Beside, Cost, Effect, Facts, Family, Operator, Saves};
use planner::training::costs::flops;
use planner::training::stage;

use tests::operators::names;

use crate::training::autograd::AUTOGRAD;

fn rows() -> impl Iterator<Item = (Operator, &'static Facts)> {
    Operator::ALL.iter().map(|it| (*it, it.facts()))
}

/// An operator that reads four computed tensors of different sizes, two of them in its own place
/// the weights of training, and writes one.
fn graph(dialect: Dialect, domain: &str, kind: &str, weights: &[usize]) -> Graph {
    let sizes = [
        [2_u64, 3, 5, 7],
        [11, 13, 17, 19],
        [23, 29, 31, 37],
        [41, 43, 47, 53],
    ];
    let mut graph = Graph {
        dialect,
        ..Graph::default()
    };
    let mut tensor = |name: String, dims: [u64; 4], role| {
        let id = TensorId::at(graph.tensors.len());
        let mut tensor = Tensor::new(name, DType::F32);
        tensor.dims = Some(dims.to_vec());
        tensor.role = role;
        graph.tensors.push(tensor);
        id
    };
    let made: Vec<TensorId> = (0..4)
        .map(|place| {
            let weight = weights.contains(&place);
            let role = if weight {
                Role::Constant
            } else {
                Role::Intermediate
            };
            tensor(format!("x{place}"), sizes[place], role)
        })
        .collect();
    let input = tensor("input".into(), [2, 3, 5, 7], Role::Input);
    let output = tensor("y".into(), [2, 59, 61, 67], Role::Output);
    graph.inputs.push(input);
    graph.outputs.push(output);
    let sums = if dialect == Dialect::Tflite {
        "ADD"
    } else {
        "Add"
    };
    let first = added(&mut graph, "first", Some(sizes[0].to_vec()));
    // What is computed from a weight has a gradient, and sums save nothing.
    let weight = added(&mut graph, "weight", Some(sizes[0].to_vec()));
    graph.tensors[weight.index()].role = Role::Constant;
    graph.ops.push(Op {
        name: "first".into(),
        inputs: vec![Some(input), Some(weight)],
        outputs: vec![Some(first)],
        ..Op::new(dialect, "", sums)
    });
    for (place, id) in made.iter().enumerate() {
        if !weights.contains(&place) {
            graph.ops.push(Op {
                name: format!("x{place}"),
                inputs: vec![Some(first), Some(first)],
                outputs: vec![Some(*id)],
                ..Op::new(dialect, "", sums)
            });
        }
    }
    graph.ops.push(Op {
        name: "y".into(),
        inputs: made.into_iter().map(Some).collect(),
        outputs: vec![Some(output)],
        ..Op::new(dialect, domain, kind)
    });
    graph
}

fn added(graph: &mut Graph, name: &str, dims: Option<Vec<u64>>) -> TensorId {
    let id = TensorId::at(graph.tensors.len());
    let mut tensor = Tensor::new(name, DType::F32);
    tensor.dims = dims;
    graph.tensors.push(tensor);
    id
}

/// What the backward pass of the operator reads, by name.
fn read(graph: &Graph) -> BTreeSet<String> {
    let step = stage::step(graph, 1, AUTOGRAD).expect("a step");
    let saved = step.saved.into_iter();
    let by_it = saved.filter(|saved| saved.by.iter().any(|by| by.contains("y")));
    by_it.map(|saved| saved.name).collect()
}

#[test]
fn each_name_leads_to_its_row_and_to_no_other() {
    let mut seen = BTreeMap::new();
    for (operator, dialect, domain, kind) in names() {
        assert_eq!(Operator::of(dialect, domain, kind), operator, "{kind}");
        let first = operator.name(dialect).expect("it has this one");
        assert_eq!(Operator::of(dialect, first.0, first.1), operator, "{kind}");
        assert_eq!(Op::of(dialect, operator).kind, first.1);
        let before = seen.insert((format!("{dialect:?}"), domain, kind), operator);
        assert_eq!(before, None, "{kind} stands twice");
        let number = u16::from(operator);
        assert_eq!(Operator::try_from(number), Ok(operator), "{kind}");
    }
    let all = Operator::ALL.len();
    assert!(seen.len() >= all, "a row has a name");
    let beyond = u16::try_from(all + 1).expect("a small table");
    assert!(Operator::try_from(beyond).is_err());
    assert_eq!(Operator::try_from(0), Ok(Operator::Unknown));
}

/// A name means something in its own dialect and domain alone.
#[test]
fn another_domain_is_another_operator() {
    for (operator, dialect, _, kind) in names() {
        for domain in ["", "com.microsoft", "ai.onnx.ml", "org.example"] {
            let found = Operator::of(dialect, domain, kind);
            let own = names().any(|row| row == (found, dialect, domain, kind));
            assert!(own || found == Operator::Unknown, "{domain}::{kind}");
        }
        let op = Op::new(dialect, "org.example", kind);
        assert_eq!(op.facts(), Operator::Unknown.facts(), "{operator:?}");
        assert_eq!(op.kind, kind);
    }
}

/// What moves elements computes nothing, and its gradient is the gradient of the output, moved.
#[test]
fn what_moves_elements_costs_and_saves_nothing() {
    let moves = rows().filter(|(_, facts)| facts.family == Family::Moves);
    let mut count = 0;
    for (operator, facts) in moves {
        assert_eq!(facts.cost, Cost::Free, "{operator:?}");
        assert_eq!(facts.saves, Saves::Nothing, "{operator:?}");
        count += 1;
    }
    assert!(count > 15, "{count}");
}

/// The table of costs: a normalisation takes four operations for each element that it reads, in
/// either dialect.
#[test]
fn a_normalisation_costs_by_its_input() {
    let mut count = 0;
    for (operator, dialect, domain, kind) in names() {
        if operator.facts().family != Family::Rows {
            continue;
        }
        let graph = graph(dialect, domain, kind, &[]);
        let op = graph.ops.last().expect("the operator");
        assert_eq!(flops(&graph, op), 4 * 2 * 3 * 5 * 7, "{kind}");
        count += 1;
    }
    assert!(count > 10, "{count}");
}

/// The bias of a product is added: its gradient is a sum of the output's, and no other's reads it.
#[test]
fn a_bias_stands_at_its_place_and_is_read_by_no_gradient() {
    let mut count = 0;
    for (operator, dialect, domain, kind) in names() {
        let Saves::Product { bias } = operator.facts().saves else {
            continue;
        };
        assert!(operator.facts().trains.has(bias), "{kind} trains its bias");
        // Only the bias is trained, and what it is added to has no gradient to give back.
        let mut of = graph(dialect, domain, kind, &[0, 1, 2, 3]);
        let op = of.ops.last_mut().expect("the operator");
        for (place, input) in op.inputs.iter_mut().enumerate() {
            if place != bias {
                *input = None;
            }
        }
        assert_eq!(read(&of), BTreeSet::new(), "{kind}");
        let all = read(&graph(dialect, domain, kind, &[]));
        assert!(!all.contains(&format!("x{bias}")), "{kind} reads its bias");
        count += 1;
    }
    assert!(count >= 6, "{count}");
}

/// What the gradients of TFLite's operators read, where all of four operands are computed: the
/// functions' derivatives say so. `y` is the result; the rest reads everything.
const TFLITE: [(&str, &[&str]); 9] = [
    // The gradient of the output, moved, scaled or summed; comparisons and shapes have none.
    (
        "",
        &[
            "ADD",
            "ADD_N",
            "BROADCAST_TO",
            "CAST",
            "CONCATENATION",
            "DEPTH_TO_SPACE",
            "EQUAL",
            "EXPAND_DIMS",
            "GREATER",
            "GREATER_EQUAL",
            "LESS",
            "LESS_EQUAL",
            "LOGICAL_NOT",
            "MEAN",
            "MIRROR_PAD",
            "NEG",
            "PACK",
            "PAD",
            "PADV2",
            "RESHAPE",
            "RESIZE_BILINEAR",
            "RESIZE_NEAREST_NEIGHBOR",
            "SHAPE",
            "SLICE",
            "SPACE_TO_DEPTH",
            "SPLIT",
            "SPLIT_V",
            "SQUEEZE",
            "STRIDED_SLICE",
            "SUB",
            "SUM",
            "TILE",
            "TRANSPOSE",
            "UNPACK",
        ],
    ),
    // Functions of what was computed: y (1 − y), 1 − y², y, 1 / 2y, −y³ / 2.
    (
        "y",
        &[
            "EXP",
            "LOGISTIC",
            "LOG_SOFTMAX",
            "RELU",
            "RSQRT",
            "SOFTMAX",
            "SQRT",
            "TANH",
        ],
    ),
    // Functions of what was read.
    (
        "x0",
        &[
            "ABS",
            "AVERAGE_POOL_2D",
            "COS",
            "ELU",
            "GELU",
            "HARD_SWISH",
            "LEAKY_RELU",
            "LOG",
            "POW",
            "PRELU",
            "RELU6",
            "SIN",
            "SQUARE",
            "SELECT",
            "SELECT_V2",
        ],
    ),
    ("x1", &["GATHER"]),
    ("x0 x1 x2 x3", &["MUL", "BATCH_MATMUL"]),
    // The bias stands third, in a transposed convolution, which reads its sizes first, fourth.
    (
        "x0 x1 x3",
        &["CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED"],
    ),
    ("x0 x1 x2", &["TRANSPOSE_CONV"]),
    ("x0 x1", &["DIV"]),
    ("x0 y", &["REDUCE_MAX", "REDUCE_MIN"]),
];

#[test]
fn each_row_of_tflite_saves_what_its_derivative_reads() {
    let listed = TFLITE.iter().flat_map(|(reads, kinds)| {
        let reads: BTreeSet<String> = reads.split_whitespace().map(str::to_owned).collect();
        kinds.iter().map(move |kind| (*kind, reads.clone()))
    });
    let mut listed: BTreeMap<&str, BTreeSet<String>> = listed.collect();
    for (operator, dialect, domain, kind) in names() {
        if dialect != Dialect::Tflite {
            continue;
        }
        let expected = listed.remove(kind);
        match (operator.facts().saves, expected) {
            (Saves::Everything, None) => {}
            // The place of each largest element, and nothing that was read.
            (Saves::Beside(Beside::Indices), None) => assert_eq!(kind, "MAX_POOL_2D"),
            (Saves::Only(Beside::Indices), None) => assert_eq!(kind, "TOPK_V2"),
            (_, Some(expected)) => {
                let found = read(&graph(dialect, domain, kind, &[]));
                assert_eq!(found, expected, "{kind}");
            }
            (rule, None) => panic!("{kind} saves by {rule:?}: which derivative says so?"),
        }
    }
    assert!(listed.is_empty(), "not in the table: {listed:?}");
}

/// What training changes of TFLite's operators: kernels and biases, the factors and summands of
/// element-wise ones, slopes, and the rows that are looked up.
#[test]
fn each_row_of_tflite_trains_its_weights() {
    let trained: BTreeMap<&str, &[usize]> = BTreeMap::from([
        ("ADD", &[0, 1][..]),
        ("MUL", &[0, 1]),
        ("BATCH_MATMUL", &[0, 1]),
        ("CONV_2D", &[1, 2]),
        ("DEPTHWISE_CONV_2D", &[1, 2]),
        ("FULLY_CONNECTED", &[1, 2]),
        ("TRANSPOSE_CONV", &[1, 3]),
        ("PRELU", &[1]),
        ("GATHER", &[0]),
    ]);
    for (_, dialect, domain, kind) in names() {
        if dialect != Dialect::Tflite {
            continue;
        }
        let expected = trained.get(kind).copied().unwrap_or_default();
        for place in 0..4 {
            let of = graph(dialect, domain, kind, &[place]);
            let step = stage::step(&of, 1, AUTOGRAD).expect("a step");
            // The sums before it have one layer.
            let trains = step.layers > 1;
            assert_eq!(trains, expected.contains(&place), "{kind}, input {place}");
        }
    }
}

/// Nothing that draws numbers or keeps something may be folded, and what may be written over by
/// one rule has as many inputs.
#[test]
fn facts_of_a_row_agree() {
    // By what ONNX and TFLite say of them.
    let effects = [
        (
            Effect::Random,
            "Bernoulli Multinomial RandomNormal RandomNormalLike RandomUniform RandomUniformLike \
             RandomStandardNormal TfliteRandomUniform",
        ),
        (
            Effect::SideEffects,
            "If Loop Scan Call CallOnce Delegate While Hashtable HashtableFind HashtableImport \
             HashtableSize VarHandle ReadVariable AssignVariable Layer",
        ),
    ];
    for (effect, names) in effects {
        for name in names.split_whitespace() {
            let (row, facts) = rows()
                .find(|(row, _)| format!("{row:?}") == name)
                .expect(name);
            assert_eq!(facts.effect, effect, "{row:?}");
        }
    }
    assert_eq!(Operator::Unknown.facts().effect, Effect::SideEffects);
    for (operator, facts) in rows() {
        if let Family::ElementWise(inputs) = facts.family {
            assert!(facts.in_place <= inputs, "{operator:?}");
            assert!(facts.litert <= inputs, "{operator:?}");
            assert!(facts.runtime <= inputs, "{operator:?}");
            assert_eq!(facts.effect, Effect::None, "{operator:?}");
        }
        assert!(
            facts.view.is_none() || facts.family == Family::Moves,
            "{operator:?}"
        );
        assert!(facts.view.is_some() || facts.source == 0, "{operator:?}");
    }
}

/// What passes write has the sizes of what was there; a table of hashes, a variable, what a delegate
/// does and what devices tell each other are as the file says. Every other row has a rule.
#[test]
fn every_row_is_sized_or_left_to_the_file() {
    let left = |dialect: Dialect, domain: &str, kind: &str| {
        // A product that transformers are written with has a rule, though its domain is ours.
        let of_passes = matches!(domain, "arenascope" | "custom") && kind != "GroupedMatMul";
        let stored = ["VAR_HANDLE", "READ_VARIABLE", "ASSIGN_VARIABLE", "DELEGATE"];
        let unsaid = ["BITCAST", "MULTINOMIAL", "ScaledDotProductAttention"];
        let told = ["AllGather", "AllReduce", "AllToAll"];
        let by_file = [&stored[..], &unsaid, &told].concat().contains(&kind);
        of_passes || by_file || dialect == Dialect::Tflite && kind.starts_with("HASHTABLE")
    };
    for (_, dialect, domain, kind) in names() {
        let mut graph = Graph {
            dialect,
            ..Graph::default()
        };
        let y = added(&mut graph, "y", None);
        graph.outputs.push(y);
        graph.ops.push(Op {
            outputs: vec![Some(y)],
            ..Op::new(dialect, domain, kind)
        });
        let _values = infer(&mut graph, &Bindings::new());
        let missing = graph.tensor(y).missing.as_ref().map(|it| it.reason);
        let unknown = missing == Some(UnsizedReason::UnknownOperator);
        assert_eq!(unknown, left(dialect, domain, kind), "{kind}: {missing:?}");
    }
}
