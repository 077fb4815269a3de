//! Roles, symbols, shape arithmetic and constants.

use planner::graph::{Content, DType, Dim, Role, UnsizedReason};
use planner::load::{Fault, Joined, Part, Source, load_parts};
use rten_onnx::onnx::{DataType, GraphProto};
use tests::onnx_builder::{Axis, OnnxBuilder};

use super::handmade::{
    Value, external_tensor, int_tensor, model, node, raw_tensor, small, untyped, value,
};
use super::subject::{Prepared, prepare, read};

fn dims<'a>(prepared: &'a Prepared, name: &str) -> &'a [u64] {
    let tensor = tensor(prepared, name);
    let dims = tensor.dims.as_deref();
    dims.unwrap_or_else(|| panic!("{name}: {:?}", tensor.missing))
}

fn tensor<'a>(prepared: &'a Prepared, name: &str) -> &'a planner::graph::Tensor {
    let found = prepared
        .program
        .graph
        .tensors
        .iter()
        .find(|tensor| tensor.name == name);
    found.unwrap_or_else(|| panic!("no tensor {name}"))
}

#[test]
fn a_symbol_is_bound_and_reaches_every_shape() {
    let bytes = model(small());
    let (graph, warnings) = read(&bytes).expect("it loads");
    assert!(warnings.is_empty(), "{warnings:?}");
    assert_eq!(graph.symbols.len(), 1);
    assert_eq!(
        (&*graph.symbols[0].name, graph.symbols[0].default),
        ("batch", 1)
    );
    let prepared = prepare(&bytes, &[("batch", 7)]);
    assert_eq!(dims(&prepared, "m"), [7, 3]);
    assert_eq!(dims(&prepared, "v"), [7, 3, 1]);
    assert_eq!(dims(&prepared, "y"), [7, 3, 1]);
    // 7 × 4 floats, then twice 7 × 3: 112 and 84 bytes, rounded up to 128 each.
    let names = ["r", "m", "v"].map(|name| (name, 128));
    let buffers = prepared.lifetimes.buffers.iter();
    let buffers: Vec<_> = buffers.map(|b| (&*b.name, b.size.0)).collect();
    assert_eq!(buffers, names);
    // Shape and Concat are folded: four operators run.
    let kinds = prepared.program.operators().map(|op| &*op.kind);
    assert_eq!(
        kinds.collect::<Vec<_>>(),
        ["Relu", "MatMul", "Reshape", "Neg"]
    );
}

/// A question mark is no name: two of them are two dimensions.
#[test]
fn question_marks_are_dimensions_of_their_own() {
    let mut builder = OnnxBuilder::new("marks", 17);
    let dims = [Axis::Named("?"), Axis::Fixed(4), Axis::Named("?")];
    let x = builder.input("x", DataType::FLOAT, &dims);
    let y = builder.op("y", "Relu", &[&x], vec![]);
    builder.output(&y, DataType::FLOAT, &dims);
    let (_, document, _) = planner::load::load(&builder.finish()).expect("a model");
    let symbols = &document.graph().expect("a graph").symbols;
    let names: Vec<&str> = symbols.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["x.0", "x.2"]);
}

#[test]
fn unknown_input_dimensions_become_symbols() {
    let mut graph = small();
    graph.input = vec![value("x", DataType::FLOAT, &["?", "4"])];
    graph.value_info = vec![value("r", DataType::FLOAT, &["invented", "4"])];
    let (graph, _) = read(&model(graph)).expect("it loads");
    assert_eq!(graph.symbols.len(), 1);
    assert_eq!(graph.symbols[0].name, "x.0");
    // A name that no input has cannot be bound.
    let r = graph
        .tensors
        .iter()
        .find(|tensor| tensor.name == "r")
        .expect("r");
    assert_eq!(r.declared, Some(vec![Dim::Unknown, Dim::Fixed(4)]));
}

#[test]
fn constants_keep_their_place_in_the_file() {
    let mut graph = small();
    let weights = raw_tensor("w", DataType::FLOAT, &[4, 2000], vec![7; 32_000]);
    graph.initializer[0] = weights;
    graph
        .input
        .push(value("w", DataType::FLOAT, &["4", "2000"]));
    let bytes = model(graph);
    let (graph, _) = read(&bytes).expect("it loads");
    assert_eq!(graph.inputs.len(), 1, "an initializer is no input");
    let w = graph
        .tensors
        .iter()
        .find(|tensor| tensor.name == "w")
        .expect("w");
    assert_eq!(w.role, Role::Constant);
    let Content::Range { start, len } = w.content else {
        panic!("{:?}", w.content);
    };
    let start = usize::try_from(start).expect("small");
    assert_eq!(len, 32_000);
    assert!(bytes[start..start + 32_000].iter().all(|&byte| byte == 7));
}

#[test]
fn external_data_need_not_be_there() {
    let mut graph = small();
    graph.initializer[0] = external_tensor("w", &[4, 3]);
    let prepared = prepare(&model(graph), &[]);
    assert_eq!(prepared.missing(), Vec::<String>::new());
    let path = "weights.bin".to_owned();
    let content = Content::External {
        path,
        start: 128,
        len: None,
    };
    assert_eq!(tensor(&prepared, "w").content, content);
}

/// The model and the file that it names are one model, whichever comes first: a weight is where
/// it lies when one follows the other.
#[test]
fn external_data_is_opened_together_with_its_model() {
    let mut graph = small();
    graph.initializer[0] = external_tensor("w", &[4, 3]);
    let file = model(graph);
    let data: Vec<u8> = (0..176_u8).collect();
    let part = |name, source| Part { name, source };
    let opened = |parts: &[Part<'_>]| load_parts(parts).map(|(_, document, _)| document);
    let alone = part("net.onnx", &file as &dyn Source);
    let beside = part("weights.bin", &data as &dyn Source);
    for parts in [[alone, beside], [beside, alone]] {
        let document = opened(&parts).expect("one model");
        let graph = document.graph().expect("a model");
        let w = graph.tensors.iter().find(|it| it.name == "w").expect("w");
        let Content::Range { start, len } = w.content else {
            panic!("{:?}", w.content);
        };
        let mut found = vec![0; usize::try_from(len).expect("small")];
        let joined = Joined(parts.iter().map(|part| part.source).collect());
        joined.read_at(start, &mut found).expect("inside");
        assert_eq!(
            found,
            &data[128..],
            "the rest of the file from its offset on"
        );
        assert_eq!(joined.len(), (file.len() + data.len()) as u64);
    }
    // A file that is too short, one of another name, and a range that ends behind all.
    let short = part("weights.bin", &file as &dyn Source);
    let cut = data[..100].to_vec();
    let error = opened(&[alone, part("weights.bin", &cut as &dyn Source)]);
    let error = error.expect_err("too short");
    assert_eq!(
        (error.kind, &*error.place.to_string()),
        (Fault::Malformed, "weights.bin")
    );
    assert!(error.message.to_string().contains("\"w\""), "{error}");
    let other = part("other.bin", short.source);
    assert_eq!(
        opened(&[alone, other]).expect_err("apart").kind,
        Fault::Apart
    );
    let joined = Joined(vec![alone.source, beside.source]);
    assert!(joined.read_at(joined.len() - 1, &mut [0; 2]).is_err());
}

#[test]
fn weights_that_are_computed_are_constants() {
    let graph = GraphProto {
        node: vec![
            node("ConstantOfShape", &["sizes"], &["filled"], &[]),
            node("Transpose", &["filled"], &["turned"], &[]),
            node("MatMul", &["x", "turned"], &["y"], &[]),
            node("RandomNormalLike", &["filled"], &["noise"], &[]),
            node("Add", &["y", "noise"], &["z"], &[]),
        ],
        initializer: vec![int_tensor("sizes", &[2], &[1000, 1000])],
        input: vec![value("x", DataType::FLOAT, &["1000", "1000"])],
        output: vec![untyped("z")],
        value_info: Vec::new(),
    };
    let prepared = prepare(&model(graph), &[]);
    let role = |name| tensor(&prepared, name).role;
    assert_eq!(role("filled"), Role::Constant);
    assert_eq!(role("turned"), Role::Constant);
    assert_eq!(role("noise"), Role::Intermediate, "random is not constant");
    assert_eq!(role("z"), Role::Output);
    assert_eq!(prepared.lifetimes.buffers.len(), 2);
}

/// Nobody knows what an operator does that is in no table: it may draw numbers, too.
#[test]
fn what_an_unknown_operator_makes_of_constants_is_not_constant() {
    let graph = GraphProto {
        node: vec![
            node("ConstantOfShape", &["sizes"], &["filled"], &[]),
            node("NoSuchOperator", &["filled"], &["odd"], &[]),
            node("Relu", &["odd"], &["y"], &[]),
        ],
        initializer: vec![int_tensor("sizes", &[1], &[8])],
        value_info: vec![value("odd", DataType::FLOAT, &["8"])],
        output: vec![untyped("y")],
        ..GraphProto::default()
    };
    let prepared = prepare(&model(graph), &[]);
    let role = |name| tensor(&prepared, name).role;
    assert_eq!(role("filled"), Role::Constant);
    assert_eq!(role("odd"), Role::Intermediate);
    assert_eq!(role("y"), Role::Output);
}

#[test]
fn optional_inputs_and_constant_nodes() {
    let scale = raw_tensor(
        "",
        DataType::FLOAT,
        &[4],
        [1_f32, 1.0, 2.0, 2.0].map(f32::to_le_bytes).concat(),
    );
    let graph = GraphProto {
        node: vec![
            node(
                "Constant",
                &[],
                &["scales"],
                &[("value", Value::Tensor(scale))],
            ),
            node("Resize", &["x", "", "scales"], &["y"], &[]),
        ],
        initializer: Vec::new(),
        input: vec![value("x", DataType::UINT4, &["1", "3", "5", "7"])],
        output: vec![untyped("y")],
        value_info: Vec::new(),
    };
    let prepared = prepare(&model(graph), &[]);
    assert_eq!(prepared.program.graph.ops[1].inputs[1], None);
    assert_eq!(tensor(&prepared, "scales").role, Role::Constant);
    assert_eq!(dims(&prepared, "y"), [1, 3, 10, 14]);
    assert_eq!(tensor(&prepared, "y").dtype, DType::U4);
    // Two elements to a byte: 105 elements take 53 bytes.
    assert_eq!(
        tensor(&prepared, "x").bytes().map(|bytes| bytes.0),
        Some(53)
    );
}

/// An If whose branches both read the outer "x" and declare their results, which are twice as
/// long where that is what they declare.
fn choice(then: &[&str], other: &[&str]) -> GraphProto {
    let branch = |dims: &[&str]| GraphProto {
        node: vec![
            node("Neg", &["x"], &["inner"], &[]),
            match dims {
                ["16"] => node(
                    "Concat",
                    &["inner", "x"],
                    &["result"],
                    &[("axis", Value::Int(0))],
                ),
                _ => node("Abs", &["inner"], &["result"], &[]),
            },
        ],
        output: vec![value("result", DataType::FLOAT, dims)],
        ..GraphProto::default()
    };
    let branches = [
        ("then_branch", Value::Graph(branch(then))),
        ("else_branch", Value::Graph(branch(other))),
    ];
    GraphProto {
        node: vec![
            node("If", &["which"], &["chosen"], &branches),
            node("Neg", &["chosen"], &["y"], &[]),
        ],
        input: vec![
            value("which", DataType::BOOL, &[]),
            value("x", DataType::FLOAT, &["8"]),
        ],
        output: vec![untyped("y")],
        ..GraphProto::default()
    }
}

#[test]
fn branches_that_agree_give_the_shape() {
    let prepared = prepare(&model(choice(&["8"], &["8"])), &[]);
    assert_eq!(prepared.missing(), Vec::<String>::new());
    assert_eq!(dims(&prepared, "y"), [8]);
    let (graph, _) = read(&model(choice(&["8"], &["8"]))).expect("it loads");
    let op = &graph.ops[0];
    let captured = op.captures.iter().map(|&id| &*graph.tensor(id).name);
    assert_eq!(captured.collect::<Vec<_>>(), ["x"]);
    assert_eq!(
        op.attribute("then_branch"),
        Some(&planner::graph::Attribute::Subgraph { ops: 2 })
    );
}

#[test]
fn branches_that_differ_leave_the_result_out() {
    let prepared = prepare(&model(choice(&["8"], &["16"])), &[]);
    let reason = |name| {
        tensor(&prepared, name)
            .missing
            .as_ref()
            .map(|missing| missing.reason)
    };
    assert_eq!(reason("chosen"), Some(UnsizedReason::ControlFlow));
    assert_eq!(reason("y"), Some(UnsizedReason::UnsizedInput));
    assert_eq!(tensor(&prepared, "y").role, Role::Unsized);
}

#[test]
fn what_cannot_be_sized_says_why() {
    let graph = GraphProto {
        node: vec![
            node("Reshape", &["x", "x"], &["found"], &[]),
            node("Frobnicate", &["x"], &["strange"], &[]),
            node("Frobnicate", &["x"], &["declared"], &[]),
            node("MatMul", &["x", "x"], &["wrong"], &[]),
            node("ConstantOfShape", &["huge"], &["endless"], &[]),
        ],
        initializer: vec![int_tensor("huge", &[2], &[i64::MAX, i64::MAX])],
        input: vec![value("x", DataType::FLOAT, &["2", "3"])],
        output: ["found", "strange", "declared", "wrong", "endless"]
            .map(untyped)
            .to_vec(),
        value_info: vec![value("declared", DataType::FLOAT, &["5"])],
    };
    let prepared = prepare(&model(graph), &[]);
    let reason = |name| {
        tensor(&prepared, name)
            .missing
            .as_ref()
            .map(|missing| missing.reason)
    };
    assert_eq!(reason("found"), Some(UnsizedReason::DataDependent));
    assert_eq!(reason("strange"), Some(UnsizedReason::UnknownOperator));
    assert_eq!(reason("declared"), None);
    assert_eq!(dims(&prepared, "declared"), [5]);
    assert_eq!(reason("wrong"), Some(UnsizedReason::InvalidOperator));
    assert_eq!(reason("endless"), Some(UnsizedReason::TooLarge));
}

#[test]
fn stale_declarations_lose_against_inference() {
    let mut graph = small();
    graph.value_info = vec![value("m", DataType::FLOAT, &["64", "3"])];
    let prepared = prepare(&model(graph), &[("batch", 2)]);
    assert_eq!(dims(&prepared, "m"), [2, 3]);
}

#[test]
fn zero_size_tensors_take_no_bytes() {
    let prepared = prepare(&model(small()), &[("batch", 0)]);
    assert_eq!(dims(&prepared, "y"), [0, 3, 1]);
    assert_eq!(prepared.naive(), 0);
}
