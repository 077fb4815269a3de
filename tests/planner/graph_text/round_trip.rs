//! Models as text: what is read again has the same operators, tensors and plans.

use std::collections::BTreeMap;

use super::{graph, names};
use crate::tflite::builder::Model;
use planner::bounds::bounds;
use planner::graph::{Attribute, Bindings, Graph, Op, TensorId, infer};
use planner::load::{Document, graph_text, load};
use planner::{Bytes, Io, Options, Settings, Silent, Strategy, judged, prepare, save};
use tests::figures::expected;
use tests::onnx_builder::{DataType, OnnxBuilder, ints};
use tests::samples::samples;
use tests::shared;
use tests::skipped::fixture;

fn model(bytes: &[u8]) -> Option<Graph> {
    match load(&bytes.to_vec()) {
        Ok((_, Document::Model(graph), _)) => Some(graph),
        _ => None,
    }
}

/// Plan JSON of two strategies, inputs and outputs as the file is meant to have them and in the
/// arena, where their order counts.
fn plans(graph: &Graph) -> Vec<String> {
    let document = Document::Model(graph.clone());
    let mut plans = Vec::new();
    for io in [Io::Beside, Io::Tflm, Io::WholeRun] {
        let settings = Settings {
            alignment: Bytes(16),
            io,
            ..Settings::default()
        };
        let subject = prepare(&document, &Bindings::new(), &settings).expect("it is not too large");
        let options = Options::aligned(settings.alignment);
        let bounds = bounds(&subject.lifetimes);
        for strategy in [Strategy::OffsetsBySize, Strategy::GreedyInOrder] {
            let made = judged(strategy, &subject.lifetimes, &bounds, &options, &mut Silent);
            plans.push(match made {
                Ok(made) => subject.plan_json(&made.plan, &options, ""),
                // What keeps its place in the file is not for every strategy.
                Err(error) => error.to_string(),
            });
        }
        plans.extend(subject.deployed.map(|plan| format!("{plan:?}")));
    }
    plans
}

/// An operator by the names of its tensors.
fn by_names(graph: &Graph, op: &Op) -> String {
    let name = |id: TensorId| graph.tensor(id).name.as_str();
    let operands = |ids: &[Option<TensorId>]| {
        let names: Vec<_> = ids.iter().map(|id| id.map(name)).collect();
        format!("{names:?}")
    };
    let mut captures = names(graph, &op.captures);
    captures.sort_unstable();
    let attributes: Vec<String> = op
        .attributes
        .iter()
        .map(|(key, value)| match value {
            Attribute::Tensor(id) => format!("{key}={}", name(*id)),
            value => format!("{key}={value:?}"),
        })
        .collect();
    let (read, written) = (operands(&op.inputs), operands(&op.outputs));
    format!(
        "{written} = {}::{}({read}) {attributes:?} {:?} {:?} {captures:?}",
        op.domain, op.kind, op.name, op.stream
    )
}

fn ops(graph: &Graph) -> Vec<String> {
    graph.ops.iter().map(|op| by_names(graph, op)).collect()
}

/// What inference makes of each tensor: element type, dimensions, role.
fn sized(graph: &Graph) -> BTreeMap<String, String> {
    let mut graph = graph.clone();
    infer(&mut graph, &Bindings::new());
    let row = |it: planner::graph::Tensor| {
        let offline = (it.dtype, it.dims, it.role, it.quantization.is_some());
        (it.name, format!("{offline:?}"))
    };
    graph.tensors.into_iter().map(row).collect()
}

fn offline(graph: &Graph) -> BTreeMap<&str, u64> {
    let given = graph.tensors.iter().zip(&graph.offline);
    let given = given.filter_map(|(tensor, offset)| Some((tensor.name.as_str(), (*offset)?.0)));
    given.collect()
}

/// Writes, reads and compares.
fn assert_same(what: &str, original: &Graph) {
    let text = save::graph_text(original);
    let read = graph_text(&text, Some(original));
    let (read, warnings) = read.unwrap_or_else(|error| panic!("{what}: {error}"));
    assert_eq!(warnings, [], "{what}");
    assert_eq!(ops(&read), ops(original), "{what}");
    assert_eq!(sized(&read), sized(original), "{what}");
    assert_eq!(
        (&read.name, read.dialect, &read.symbols, offline(&read)),
        (
            &original.name,
            original.dialect,
            &original.symbols,
            offline(original)
        ),
        "{what}"
    );
    let ends = |it: &Graph| (names(it, &it.inputs), names(it, &it.outputs));
    assert_eq!(ends(&read), ends(original), "{what}");
    // What the text leaves out comes from the base; TFLite's files have dimensions themselves.
    let mut tensors: Vec<_> = original.tensors.iter().collect();
    let mut again: Vec<_> = read.tensors.iter().collect();
    tensors.sort_unstable_by_key(|it| &it.name);
    again.sort_unstable_by_key(|it| &it.name);
    for (one, other) in tensors.into_iter().zip(again) {
        let parts = (&one.content, &one.quantization, &one.sparsity, &one.dims);
        let others = (
            &other.content,
            &other.quantization,
            &other.sparsity,
            &other.dims,
        );
        assert_eq!(parts, others, "{what}: {}", one.name);
    }
    let alone = graph(&text);
    assert!(plans(&alone) == plans(original), "{what}: other plans");
    assert_eq!(save::graph_text(&alone), text, "{what}");
}

#[test]
fn samples_are_the_same_as_text() {
    let mut models = 0;
    for sample in samples() {
        if let Some(graph) = model(&sample.bytes) {
            assert_same(sample.file, &graph);
            models += 1;
        }
    }
    assert_eq!(models, 6);
}

#[test]
fn fixtures_are_the_same_as_text() {
    let table = expected(include_str!("../../data/fixture_figures.json"));
    for row in table.expect("the table is committed") {
        if let Some(bytes) = fixture(&row.file) {
            let graph = model(&bytes).expect("a model");
            assert_same(&row.file, &graph);
        }
    }
}

#[test]
fn models_beside_the_checkout_are_the_same_as_text() {
    for (file, bytes) in shared::models("") {
        let graph = model(&bytes).expect("a model");
        assert_same(&file, &graph);
    }
}

/// The offsets that a file brings, and the working memory of an operator, which is a constant
/// with a place.
#[test]
fn files_with_a_plan_are_the_same_as_text() {
    let files = [
        &include_bytes!("../../data/plans/offline/documented.planned.tflite")[..],
        include_bytes!("../../data/plans/offline/documented.tflite"),
        include_bytes!("../../data/plans/offline/conv.vela.tflite"),
    ];
    let graphs = files.map(|bytes| model(bytes).expect("a model"));
    assert_eq!(
        graphs.each_ref().map(|it| offline(it).len() > 1),
        [true, false, true]
    );
    for graph in &graphs {
        assert_same("offline", graph);
    }
}

#[test]
fn a_tflite_model_reads_like_this() {
    let mut small = Model::default();
    small.tensors[0].signature = vec![-1, 8, 8, 3];
    small.tensors[4].dtype = 9;
    small.tensors[4].quantization = Some((vec![0.5], vec![-3], 0));
    let graph = model(&small.bytes()).expect("a model");
    let text = "graph main tflite\n\
                let x.0 = 1\n\
                input x: f32[x.0, 8, 8, 3]\n\
                const w: f32[4, 3, 3, 3]\n\
                const b: f32[4]\n\
                c = CONV_2D(x, w, b) padding=SAME stride_w=2 stride_h=2 \
                fused_activation_function=NONE dilation_w_factor=1 dilation_h_factor=1\n\
                y: i8 q(0.5, -3) = RELU6(c)\n\
                output y\n";
    assert_eq!(save::graph_text(&graph), text);
    assert_same("small", &graph);
}

/// The constants of shapes have their elements, weights have none; what only its makers know
/// has the shape that the file declares, and what follows from it is inferred.
#[test]
fn an_onnx_model_reads_like_this() {
    let mut net = OnnxBuilder::new("two words", 17);
    let x = net.input(
        "x:0",
        DataType::FLOAT,
        &["batch".into(), 8.into(), 3.into()],
    );
    let perm = vec![ints("perm", &[0, 2, 1])];
    let turned = net.op("turned", "Transpose", &[&x], perm);
    net.value_info(
        "turned",
        DataType::FLOAT,
        &["batch".into(), 3.into(), 8.into()],
    );
    let custom = net.op("custom", "Mystery", &[&turned], Vec::new());
    net.value_info("custom", DataType::FLOAT, &["batch".into(), 24.into()]);
    let shape = net.constant_ints("shape", &[2], &[-1, 12]);
    let flat = net.op("flat", "Reshape", &[&custom, &shape], Vec::new());
    let weight = net.weight("weight", &[12, 4]);
    let y = net.op("y", "MatMul", &[&flat, &weight], Vec::new());
    net.output(&y, DataType::FLOAT, &["rows".into(), 4.into()]);
    let graph = model(&net.finish()).expect("a model");
    let text = "graph \"two words\" onnx 17\n\
                let batch = 1\n\
                input \"x:0\": f32[batch, 8, 3]\n\
                turned = Transpose(\"x:0\") perm=[0, 2, 1] name=turned\n\
                custom: f32[batch, 24] = Mystery(turned) name=custom\n\
                shape = Constant() value=[-1, 12] name=shape\n\
                flat = Reshape(custom, shape) name=flat\n\
                const weight: f32[12, 4]\n\
                y = MatMul(flat, weight) name=y\n\
                output y\n";
    assert_eq!(save::graph_text(&graph), text);
    assert_same("custom", &graph);
}

/// What nobody can size has its shape in every place, what follows from it has none, however
/// long the chain.
#[test]
fn shapes_are_written_where_they_cannot_be_inferred() {
    let mut text = "graph chain onnx 17\ninput x0: f32[8]\n".to_owned();
    for index in 0..40 {
        let (from, to) = (2 * index, 2 * index + 1);
        let next = to + 1;
        text += &format!("x{to}: f32[8] = Mystery(x{from})\nx{next} = Relu(x{to})\n");
    }
    text += "output x80\n";
    assert_eq!(save::graph_text(&graph(&text)), text);
}
