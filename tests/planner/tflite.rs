//! TFLite models: what is read, what is refused, and that no bytes make it panic.

#![expect(
    clippy::unwrap_used,
    clippy::panic_in_result_fn,
    reason = "a panic is how a test fails"
)]

mod tflite_builder;

use std::path::{Path, PathBuf};

use planner::graph::{Attribute, Content, DType, Dialect, Dim, Graph, Role};
use planner::load::{Document, Fault, Format, LoadError, Warning, load};
use tflite_builder::{Model, Operator, Tensor};

fn read(bytes: &[u8]) -> Result<(Graph, Vec<Warning>), LoadError> {
    match load(&bytes.to_vec())? {
        (Format::Tflite, Document::Model(graph), warnings) => Ok((graph, warnings)),
        other => panic!("read as {other:?}"),
    }
}

/// The default model after `change`.
fn changed(change: impl Fn(&mut Model)) -> Result<(Graph, Vec<Warning>), LoadError> {
    let mut model = Model::default();
    change(&mut model);
    read(&model.bytes())
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
            .contains("2 other subgraphs with 0 operators")
    );
    let body = graph.ops[1].attribute("body_subgraph_index");
    assert_eq!(body, Some(&Attribute::Subgraph { ops: 2 }));
    let (graph, _) = changed(|model| (model.others, model.signature) = (1, Some(1))).unwrap();
    assert!(graph.ops.is_empty());
}

/// What is done to the default model, the fault it must have, and where.
type Broken = (fn(&mut Model), Fault, &'static str);

#[test]
fn broken_models_are_refused_with_place() {
    let broken: &[Broken] = &[
        (|m| m.version = 2, Fault::Unsupported, "byte"),
        (
            |m| m.operators[1].inputs[0] = 9,
            Fault::Dangling,
            "operator 1",
        ),
        (
            |m| m.operators[1].outputs[0] = -2,
            Fault::Dangling,
            "operator 1",
        ),
        (|m| m.operators[0].code = 7, Fault::Dangling, "operator 0"),
        (|m| m.inputs[0] = 5, Fault::Dangling, "graph inputs"),
        (
            |m| m.outputs[0] = i32::MIN,
            Fault::Dangling,
            "graph outputs",
        ),
        (|m| m.tensors[1].buffer = 3, Fault::Dangling, "w"),
        (|m| m.signature = Some(1), Fault::Dangling, "byte"),
        (
            |m| m.operators[1].outputs[0] = 3,
            Fault::Duplicate,
            "RELU6 1",
        ),
        (
            |m| m.operators[1].outputs[0] = 0,
            Fault::Duplicate,
            "RELU6 1",
        ),
        (|m| m.operators[0].inputs[2] = 4, Fault::Cycle, "CONV_2D 0"),
        (|m| m.operators[0].inputs[2] = 3, Fault::Cycle, "CONV_2D 0"),
        (|m| m.tensors[3].shape[0] = -4, Fault::Malformed, "c"),
        (|m| m.tensors[3].shape = vec![1; 65], Fault::Limit, "c"),
    ];
    for (index, (change, fault, place)) in broken.iter().enumerate() {
        let error = changed(change).unwrap_err();
        let found = (error.kind, error.place.starts_with(place));
        assert_eq!(found, (*fault, true), "case {index}: {error}");
    }
}

#[test]
fn many_operators_with_the_same_long_operands_hit_a_limit() {
    // One operator table of 2^13 operands, referred to 2^13 times: 2^26 operands.
    let mut model = Model::default();
    model.operators.truncate(1);
    model.operators[0].inputs = vec![0; 1 << 13];
    let mut bytes = model.bytes();
    let (vector, operator) = operators_vector(&bytes);
    let end = bytes.len();
    let count: u32 = 1 << 13;
    bytes.extend(count.to_le_bytes());
    for index in 0..count as usize {
        let at = end + 4 + 4 * index;
        // Distances are unsigned and forward only, so each refers to a copy behind all.
        let target = end + 4 + 4 * count as usize + 64;
        bytes.extend(u32::try_from(target - at).unwrap().to_le_bytes());
    }
    bytes.extend([0; 64]);
    // The operator behind: a copy of the first with distances that still reach its vectors
    // cannot be (they lie in front), so it gets a vtable and a vector of its own.
    let table = bytes.len();
    bytes.extend(12_i32.to_le_bytes());
    bytes.extend(4_u32.to_le_bytes());
    bytes.extend((1_u32 << 13).to_le_bytes());
    bytes.extend(vec![0; 4 << 13]);
    // Vtable in the 64 bytes of room: 8 long, field 0 absent, field 1 at 4.
    let vtable = table - 12;
    bytes[vtable..vtable + 8].copy_from_slice(&[8, 0, 8, 0, 0, 0, 4, 0]);
    let forward = u32::try_from(end - vector).unwrap();
    bytes[vector..vector + 4].copy_from_slice(&forward.to_le_bytes());
    assert!(operator > 0);
    let error = read(&bytes).unwrap_err();
    assert_eq!(error.kind, Fault::Limit, "{error}");
}

/// Where the main subgraph refers to its operators, and where the first of them lies.
fn operators_vector(bytes: &[u8]) -> (usize, usize) {
    let u32_at = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    let u16_at = |at: usize| u16::from_le_bytes(bytes[at..at + 2].try_into().unwrap()) as usize;
    let field = |table: usize, id: usize| {
        let vtable = (table + (1 << 32) - u32_at(table)) % (1 << 32);
        table + u16_at(vtable + 4 + 2 * id)
    };
    let follow = |at: usize| at + u32_at(at);
    let subgraphs = follow(field(u32_at(0), 2));
    let main = follow(subgraphs + 4);
    let vector = field(main, 3);
    (vector, follow(follow(vector) + 4))
}

#[test]
fn every_prefix_is_an_error_or_a_document() {
    let bytes = Model::default().bytes();
    for end in 0..bytes.len() {
        match load(&bytes[..end].to_vec()) {
            Ok(_) => {}
            Err(error) if end == 0 => assert_eq!(error.kind, Fault::Empty),
            Err(error) if end < 8 => assert_eq!(error.kind, Fault::UnknownFormat, "{end}"),
            Err(error) => assert_eq!(error.kind, Fault::Truncated, "{end}: {error}"),
        }
    }
}

#[test]
fn random_damage_never_panics() {
    let mut model = Model {
        others: 1,
        signature: Some(0),
        ..Model::default()
    };
    model.tensors[0].signature = vec![-1, 8, 8, 3];
    let bytes = model.bytes();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % below as u64).unwrap()
    };
    for _ in 0..20_000 {
        let mut damaged = bytes.clone();
        for _ in 0..=random(4) {
            let at = random(damaged.len());
            damaged[at] = [0, 1, 0x7f, 0x80, 0xff, damaged[at] ^ (1 << random(8))][random(6)];
        }
        // Either way is fine: what counts is that it returns.
        let _ = load(&damaged);
    }
}

#[test]
fn shared_models_agree_with_their_figures() {
    let shared = Path::new("/work/shared");
    let Ok(figures) = std::fs::read_to_string(shared.join("vectors/model_figures.json")) else {
        println!("SKIPPED: the shared models are not on this machine");
        return;
    };
    let figures: serde_json::Value = serde_json::from_str(&figures).unwrap();
    let models = figures["models"].as_object().unwrap();
    let mut seen = 0;
    for (name, figures) in models.iter().filter(|(name, _)| name.ends_with(".tflite")) {
        let (graph, _) = read(&std::fs::read(shared.join("models").join(name)).unwrap()).unwrap();
        let count = |what: &str| figures[what].as_u64().unwrap();
        assert_eq!(graph.ops.len() as u64, count("ops"), "{name}");
        assert_eq!(graph.tensors.len() as u64, count("tensors"), "{name}");
        // Files that decompress weights have the right figures only once those are folded.
        if graph.ops.iter().all(|op| op.kind != "DEQUANTIZE") {
            let placed = graph
                .tensors
                .iter()
                .filter(|it| it.role == Role::Intermediate);
            let sizes: Vec<u64> = placed
                .map(|it| it.bytes().unwrap().0.next_multiple_of(64))
                .collect();
            assert_eq!(sizes.len() as u64, count("intermediates"), "{name}");
            assert_eq!(sizes.iter().sum::<u64>(), count("naive"), "{name}");
        }
        seen += 1;
    }
    assert_eq!(seen, 10);
}

#[test]
fn mediapipe_models_load() {
    let Some(folder) = std::env::var_os("ARENASCOPE_MEDIAPIPE").map(PathBuf::from) else {
        println!("SKIPPED: ARENASCOPE_MEDIAPIPE names no folder with MediaPipe's models");
        return;
    };
    let mut folders = vec![folder];
    let mut models = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path
                .extension()
                .is_some_and(|extension| extension == "tflite")
            {
                let (graph, _) = read(&std::fs::read(&path).unwrap()).unwrap();
                assert!(
                    graph.tensors.iter().all(|it| it.bytes().is_some()),
                    "{path:?}"
                );
                models += 1;
            }
        }
    }
    assert_eq!(models, 14);
}
