//! TFLite models: what is read, what is refused, and that no bytes make it panic.

#![expect(
    clippy::unwrap_used,
    clippy::panic_in_result_fn,
    reason = "a panic is how a test fails"
)]

pub(crate) mod builder;
mod hostile;
mod shapes;

use builder::{Model, Operator, Tensor};
use planner::graph::{Attribute, Bindings, Content, DType, Dialect, Dim, Graph, Role};
use planner::load::{Document, Format, LoadError, Warning};
use planner::{Io, Settings, Subject, prepare};
use tests::chinese::load;
use tests::shared;

pub(crate) fn read(bytes: &[u8]) -> Result<(Graph, Vec<Warning>), LoadError> {
    match load(&bytes.to_vec())? {
        (Format::Tflite, Document::Model(graph), warnings) => Ok((graph, warnings)),
        other => panic!("read as {other:?}"),
    }
}

/// The default model after `change`.
pub(crate) fn changed(change: impl Fn(&mut Model)) -> Result<(Graph, Vec<Warning>), LoadError> {
    let mut model = Model::default();
    change(&mut model);
    read(&model.bytes())
}

fn prepared(graph: Graph) -> Subject {
    prepare(
        &Document::Model(graph),
        &Bindings::new(),
        &Settings::default(),
    )
    .unwrap()
}

fn roles(graph: &Graph) -> Vec<Role> {
    graph.tensors.iter().map(|tensor| tensor.role).collect()
}

#[test]
fn a_small_model_is_read_whole() {
    let (graph, warnings) = changed(|_| ()).unwrap();
    assert_eq!(warnings, []);
    assert_eq!(
        (graph.name.as_str(), graph.dialect),
        ("main", Dialect::Tflite)
    );
    use Role::{Constant, Input, Intermediate, Output};
    assert_eq!(
        roles(&graph),
        [Input, Constant, Constant, Intermediate, Output]
    );
    assert_eq!(graph.tensors[1].content, Content::Inline(vec![7; 432]));
    assert_eq!(graph.tensors[2].content, Content::Stripped);
    assert_eq!(graph.tensors[3].dims.as_deref(), Some(&[1, 4, 4, 4][..]));
    assert_eq!(graph.tensors[3].bytes().unwrap().0, 256);
    let conv = &graph.ops[0];
    assert_eq!(
        (conv.kind.as_str(), conv.name.as_str()),
        ("CONV_2D", "CONV_2D 0")
    );
    assert_eq!(conv.int("stride_w"), Some(2));
    assert_eq!(conv.int("dilation_h_factor"), Some(1));
    assert_eq!(conv.text("padding"), Some("SAME"));
    assert_eq!(conv.text("fused_activation_function"), Some("NONE"));
    assert_eq!(graph.ops[1].kind, "RELU6");
    assert!(graph.symbols.is_empty());
}

#[test]
fn large_constants_stay_in_the_file() {
    let weights: Vec<u8> = (0..5000_u32).map(|n| n.to_le_bytes()[0]).collect();
    let mut model = Model::default();
    model.buffers[0].clone_from(&weights);
    let bytes = model.bytes();
    let (graph, _) = read(&bytes).unwrap();
    let Content::Range { start, len } = graph.tensors[1].content else {
        panic!("{:?}", graph.tensors[1].content)
    };
    let start = usize::try_from(start).unwrap();
    assert_eq!(bytes[start..start + usize::try_from(len).unwrap()], weights);
}

#[test]
fn open_dimensions_of_inputs_become_symbols() {
    let (graph, _) = changed(|model| {
        model.tensors[0].signature = vec![-1, 8, -1, 3];
        model.tensors[3].signature = vec![-1, 4, 4, 4];
    })
    .unwrap();
    let names: Vec<_> = graph
        .symbols
        .iter()
        .map(|it| (it.name.as_str(), it.default))
        .collect();
    assert_eq!(names, [("x.0", 1), ("x.2", 8)]);
    let declared = graph.tensors[3].declared.as_ref().unwrap();
    assert_eq!(declared[..2], [Dim::Unknown, Dim::Fixed(4)]);
}

#[test]
fn names_are_made_unique() {
    let (graph, _) = changed(|model| {
        model.tensors[1].name = "x";
        model.tensors[2].name = "";
    })
    .unwrap();
    let names: Vec<_> = graph.tensors.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["x", "x#1", "tensor 2", "c", "y"]);
}

#[test]
fn variables_customs_left_out_inputs_and_idle_tensors() {
    let (graph, warnings) = changed(|model| {
        model.codes[1] = (32, "Mine");
        model.tensors[2].variable = true;
        model.operators[0].inputs[1] = -1;
        model.tensors[3].dtype = 17;
    })
    .unwrap();
    assert_eq!(graph.tensors[2].role, Role::State);
    assert_eq!(graph.ops[0].inputs[1], None);
    assert_eq!(
        (graph.ops[1].kind.as_str(), graph.ops[1].domain.as_str()),
        ("Mine", "custom")
    );
    assert_eq!(graph.tensors[3].dtype, DType::I4);
    assert_eq!(graph.tensors[3].bytes().unwrap().0, 32);
    assert!(
        warnings[0]
            .message
            .to_string()
            .starts_with("1 tensors that no operator")
    );
}

#[test]
fn resources_have_the_size_of_their_variable() {
    let (graph, _) = changed(|model| {
        model.codes.push((142, ""));
        model.codes.push((143, ""));
        model.tensors.push(Tensor {
            name: "handle",
            dtype: 13,
            ..Tensor::default()
        });
        model.tensors.push(Tensor {
            name: "value",
            shape: vec![10],
            ..Tensor::default()
        });
        for (code, inputs, output) in [(2, vec![], 5), (3, vec![5], 6)] {
            model.operators.push(Operator {
                code,
                inputs,
                outputs: vec![output],
                options: None,
            });
        }
    })
    .unwrap();
    assert_eq!(graph.tensors[5].role, Role::State);
    assert_eq!(graph.tensors[5].bytes().unwrap().0, 40);
}

#[test]
fn other_subgraphs_are_counted() {
    let (graph, warnings) = changed(|model| {
        model.others = 2;
        model.codes[1] = (119, "");
        model.operators[1].options = Some((93, vec![(0, 1), (1, 0)]));
    })
    .unwrap();
    assert!(
        warnings[0]
            .message
            .to_string()
            .contains("1 other subgraphs with 0 operators")
    );
    let body = graph.ops[1].attribute("body_subgraph_index");
    assert_eq!(body, Some(&Attribute::Subgraph { ops: 2 }));
    let (graph, _) = changed(|model| (model.others, model.signature) = (1, Some(1))).unwrap();
    assert!(graph.ops.is_empty());
}

/// WHILE of subgraphs that are not there, and of those that TFLite Micro places in the same arena.
#[test]
fn what_subgraphs_hold_is_planned_or_said_to_be_left_out() {
    let left_out = |others, indices: Vec<(u16, i32)>, io| {
        let (graph, _) = changed(|model| {
            model.others = others;
            model.codes[1] = (119, "");
            model.operators[1].options = Some((93, indices.clone()));
        })
        .unwrap();
        let kind = graph.ops[1].kind.clone();
        let document = Document::Model(graph);
        let settings = Settings {
            io,
            ..Settings::default()
        };
        let subject = prepare(&document, &Bindings::new(), &settings).unwrap();
        let found = subject
            .left_out()
            .map(|(op, why)| (op.kind.clone(), why.to_string()));
        let found: Vec<(String, String)> = found.collect();
        assert!(found.iter().all(|it| it.0 == kind), "{found:?}");
        found.into_iter().map(|it| it.1).collect::<Vec<_>>()
    };
    let none = left_out(0, vec![(0, 7), (1, 9)], Io::Beside);
    assert_eq!(none, ["it names no subgraph that the file has"]);
    let micro = left_out(2, vec![(0, 1), (1, 2)], Io::Tflm);
    assert!(
        micro.len() == 1 && micro[0].starts_with("TFLite Micro places"),
        "{micro:?}"
    );
}

#[test]
fn shared_models_agree_with_their_figures() {
    let Some(figures) = shared::model_figures() else {
        return;
    };
    let models = shared::models(".tflite");
    assert_eq!(models.len(), 10);
    for (name, bytes) in models {
        let figures = &figures[&name];
        let (graph, _) = read(&bytes).unwrap();
        let count = |what: &str| figures[what].as_u64().unwrap();
        assert_eq!(graph.ops.len() as u64, count("ops"), "{name}");
        assert_eq!(graph.tensors.len() as u64, count("tensors"), "{name}");
        // Files that decompress weights come down to these once those are folded.
        let subject = prepared(graph);
        let sizes = subject.lifetimes.buffers.iter().map(|buffer| buffer.size.0);
        assert_eq!(sizes.len() as u64, count("intermediates"), "{name}");
        assert_eq!(sizes.sum::<u64>(), count("naive"), "{name}");
        assert_eq!(subject.split.unwrap().unsized_tensors, 0, "{name}");
    }
}

#[test]
fn quantisation_and_sparsity_are_read_or_left_out_with_a_warning() {
    let of = |change: &dyn Fn(&mut Tensor)| {
        let (graph, warnings) = changed(|model| change(&mut model.tensors[1])).unwrap();
        (graph.tensors[1].clone(), warnings)
    };
    let (weights, warnings) = of(&|w| w.quantization = Some((vec![0.5; 4], vec![3], 0)));
    let found = weights.quantization.unwrap();
    assert_eq!(found.scales, [0.5; 4]);
    assert_eq!((found.zero_points, found.axis), (vec![3; 4], 0));
    assert_eq!(warnings, []);
    // Without scales, as floats have it; scales that are not one per filter; no such axis.
    let (weights, warnings) = of(&|w| w.quantization = Some((vec![], vec![], 0)));
    assert!(weights.quantization.is_none() && warnings.is_empty());
    for broken in [
        (vec![1.0; 3], vec![0; 3], 0),
        (vec![1.0; 4], vec![0; 3], 0),
        (vec![1.0; 4], vec![], 9),
    ] {
        let (weights, warnings) = of(&|w| w.quantization = Some(broken.clone()));
        assert!(weights.quantization.is_none());
        assert_eq!(warnings.len(), 1, "{warnings:?}");
    }
    let level = || builder::Level::Compressed(vec![0, 1], vec![2]);
    let dense = || builder::Level::Dense(3);
    let levels = || vec![dense(), dense(), dense(), level()];
    let (weights, warnings) = of(&|w| w.sparsity = Some((vec![0, 1, 2, 3], vec![], levels())));
    assert_eq!(weights.sparsity.unwrap().order, [0, 1, 2, 3]);
    assert_eq!(warnings, []);
    // A dimension twice, a block of a dimension that is not there, too few levels.
    for broken in [
        (vec![0, 1, 1, 3], vec![], levels()),
        (vec![0, 1, 2, 3], vec![7], levels()),
        (vec![0, 1, 2, 3], vec![], vec![level()]),
        (vec![-1, 1, 2, 3], vec![], levels()),
    ] {
        let (weights, warnings) = of(&|w| w.sparsity = Some(broken.clone()));
        assert!(weights.sparsity.is_none());
        assert_eq!(warnings.len(), 1, "{warnings:?}");
    }
}
