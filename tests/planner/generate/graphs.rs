//! Graphs that any description gives.

use std::collections::BTreeSet;

use planner::generate::presets::preset;
use planner::generate::{
    AttentionForm, BATCH, CONTEXT, Execution, Mode, Positions, SEQUENCE, Transformer, graph,
};
use planner::graph::{Bindings, Content, DType, Role, infer};
use planner::load::{Document, load};
use planner::save::graph_text;
use planner::{Bytes, Settings, Strategy, prepare};
use tests::random::Random;

use super::{arbitrary, arbitrary_execution, sized};

/// Everything has a size and a name of its own; the result is (rows, vocabulary), of images
/// (images, classes) or their tokens.
#[test]
fn every_tensor_has_a_size() {
    let random = &mut Random::new(46);
    for _ in 0..300 {
        let of = arbitrary(random);
        let execution = arbitrary_execution(random, &of);
        let graph = sized(&of, &execution);
        for tensor in &graph.tensors {
            assert!(
                tensor.dims.is_some(),
                "{}: {:?} {of:?}",
                tensor.name,
                tensor.missing
            );
        }
        let names: BTreeSet<&str> = graph.tensors.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names.len(), graph.tensors.len());
        let sequence = execution.mode.tokens().0;
        let rows = match execution.mode {
            Mode::Forward(_) => execution.batch * sequence,
            _ => execution.batch,
        };
        let expected = match of.patches {
            None => vec![rows, of.vocabulary],
            Some(patches) if patches.classes > 0 => vec![execution.batch, patches.classes],
            Some(_) => vec![execution.batch, sequence, of.hidden],
        };
        let result = graph.tensor(graph.outputs[0]);
        assert_eq!(result.dims, Some(expected), "{of:?}");
    }
}

/// An encoder gives its tokens.
#[test]
fn an_encoder_has_no_head() {
    let bert = preset("bert-base").expect("a preset");
    let execution = Execution {
        mode: Mode::Forward(128),
        batch: 2,
        ..Execution::default()
    };
    let graph = sized(&bert, &execution);
    assert_eq!(graph.tensor(graph.outputs[0]).dims, Some(vec![2, 128, 768]));
    let refused = Execution {
        mode: Mode::Decode(128),
        ..execution
    };
    let why = planner::generate::graph(&bert, &refused).expect_err("an encoder");
    assert_eq!(why.to_string(), "mode: an encoder keeps no keys and values");
}

/// The text of a graph is the graph, a window among its dimensions too.
#[test]
fn the_text_of_a_graph_is_the_graph() {
    let random = &mut Random::new(47);
    for _ in 0..40 {
        let of = arbitrary(random);
        let execution = arbitrary_execution(random, &of);
        let made = graph(&of, &execution).expect("a graph");
        let text = graph_text(&made);
        let (_, document, warnings) = load(&text.clone().into_bytes()).expect("a text graph");
        assert!(warnings.is_empty(), "{warnings:?}");
        let Document::Model(mut read) = document else {
            panic!("a model");
        };
        let mut made = made;
        for bindings in [Bindings::new(), Bindings::from([(CONTEXT.to_owned(), 7)])] {
            infer(&mut made, &bindings);
            infer(&mut read, &bindings);
            let sizes = |of: &planner::graph::Graph| {
                let mut sizes: Vec<_> = of
                    .tensors
                    .iter()
                    .map(|it| (it.name.clone(), it.dims.clone()))
                    .collect();
                sizes.sort();
                sizes
            };
            assert_eq!(sizes(&made), sizes(&read));
        }
    }
}

/// Batch, tokens and context are bound like those of any model.
#[test]
fn dimensions_are_symbols() {
    let llama = preset("llama-3-8b").expect("a preset");
    let small = Transformer { layers: 2, ..llama };
    let execution = Execution {
        mode: Mode::Decode(8192),
        batch: 4,
        ..Execution::default()
    };
    let document = Document::Model(graph(&small, &execution).expect("a graph"));
    let kept = |bindings: &[(&str, u64)]| {
        let bindings = bindings
            .iter()
            .map(|(name, size)| ((*name).to_owned(), *size))
            .collect();
        let subject = prepare(&document, &bindings, &Settings::default()).expect("it fits");
        subject.split.expect("a model").state
    };
    // 2 layers · 2 · 8 heads · 128 · 2 bytes a token.
    assert_eq!(kept(&[]), Bytes(4 * 8192 * 8192));
    assert_eq!(kept(&[(CONTEXT, 16), (BATCH, 1)]), Bytes(16 * 8192));
}

/// What is read is what is kept: one number says both, so that none contradicts the other.
#[test]
fn a_prompt_is_read_and_kept() {
    let of = Transformer {
        layers: 2,
        ..preset("llama-3-8b").expect("a preset")
    };
    let execution = Execution {
        mode: Mode::Prefill(1024),
        ..Execution::default()
    };
    let made = graph(&of, &execution).expect("a graph");
    let names: Vec<&str> = made.symbols.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, [BATCH, SEQUENCE]);
    let document = Document::Model(made);
    let bindings = Bindings::from([(SEQUENCE.to_owned(), 4096)]);
    let subject = prepare(&document, &bindings, &Settings::default()).expect("it fits");
    assert_eq!(subject.split.expect("a model").state, Bytes(4096 * 8192));
    let written = Mode::Decode(1024);
    let execution = Execution {
        mode: written,
        ..execution
    };
    let made = graph(&of, &execution).expect("a graph");
    let names: Vec<&str> = made.symbols.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, [BATCH, CONTEXT]);
}

/// What is computed has the type that is said, whatever the type of weights.
#[test]
fn activations_have_their_own_type() {
    for name in planner::generate::presets::NAMES {
        let mut of = preset(name).expect("a preset");
        of.layers = of.layers.min(2);
        for attention in [AttentionForm::Written, AttentionForm::Fused] {
            let others = |weights, activations| {
                let execution = Execution {
                    mode: Mode::Forward(16),
                    attention,
                    weights,
                    activations,
                    ..Execution::default()
                };
                let graph = sized(&of, &execution.fitted(&of));
                let computed = graph.tensors.iter().filter(|it| {
                    it.role == Role::Intermediate && !matches!(it.dtype, DType::I64 | DType::Bool)
                });
                let stored = ["embedding", "embedding.positions", "embedding.class"];
                let computed = computed.filter(|it| !stored.contains(&it.name.as_str()));
                let names = computed.filter(|it| it.dtype != activations);
                let names: Vec<&str> = names.map(|it| it.name.as_str()).collect();
                names.join(" ")
            };
            for (weights, activations) in [
                (DType::F16, DType::F32),
                (DType::F32, DType::F16),
                (DType::I8, DType::BF16),
            ] {
                assert_eq!(others(weights, activations), "", "{name} {weights:?}");
            }
        }
    }
}

/// The scores of all pairs are there once at a time where they are written out, and not where
/// attention is one operator.
#[test]
fn scores_are_there_where_they_are_written_out() {
    let llama = Transformer {
        layers: 2,
        ..preset("llama-3-8b").expect("a preset")
    };
    let scores = |attention| {
        let execution = Execution {
            mode: Mode::Prefill(512),
            attention,
            ..Execution::default()
        };
        let graph = sized(&llama, &execution);
        let named = graph
            .tensors
            .iter()
            .filter(|it| it.name.ends_with(".scores"));
        named
            .map(|it| it.bytes().expect("a size").0)
            .collect::<Vec<_>>()
    };
    // 32 heads · 512 · 512 · 2 bytes.
    assert_eq!(scores(AttentionForm::Written), [16 << 20; 2]);
    assert!(scores(AttentionForm::Fused).is_empty());
}

/// Scores are divided by the root of a head's size: of 64 by 8, of 128 by 11.3137, in each type.
#[test]
fn scores_are_divided_by_the_root_of_a_heads_size() {
    let scale = |head_size, activations| {
        let of = Transformer {
            layers: 1,
            head_size,
            ..preset("llama-3-8b").expect("a preset")
        };
        let execution = Execution {
            activations,
            ..Execution::default()
        };
        let graph = sized(&of, &execution);
        let named = |it: &&planner::graph::Tensor| it.name == "layers.0.attention.scale";
        graph
            .tensors
            .iter()
            .find(named)
            .expect("a scale")
            .content
            .clone()
    };
    // 0.125; 0.08838835 = 0x3DB504F3, to 10 and 7 digits of the fraction.
    for (size, dtype, bytes) in [
        (64, DType::F32, vec![0x00, 0x00, 0x00, 0x3E]),
        (64, DType::F16, vec![0x00, 0x30]),
        (64, DType::BF16, vec![0x00, 0x3E]),
        (128, DType::F32, vec![0xF3, 0x04, 0xB5, 0x3D]),
        (128, DType::F16, vec![0xA8, 0x2D]),
        (128, DType::BF16, vec![0xB5, 0x3D]),
    ] {
        assert_eq!(
            scale(size, dtype),
            Content::Inline(bytes),
            "{size} {dtype:?}"
        );
    }
}

#[test]
fn figures_that_do_not_go_together_are_refused() {
    let good = preset("llama-3-8b").expect("a preset");
    let refused = |of: Transformer| {
        let why = graph(&of, &Execution::default()).expect_err("refused");
        why.to_string()
    };
    let most = 1_u64 << 24;
    assert_eq!(
        refused(Transformer {
            hidden: 0,
            ..good.clone()
        }),
        "hidden: 0 is not from 1 to 16777216"
    );
    assert_eq!(
        refused(Transformer {
            vocabulary: most + 1,
            ..good.clone()
        }),
        "vocabulary: 16777217 is not from 1 to 16777216"
    );
    assert_eq!(
        refused(Transformer {
            layers: 1025,
            ..good.clone()
        }),
        "layers: 1025 is not from 1 to 1024"
    );
    let seeing = preset("vit-base").expect("a preset");
    assert_eq!(
        refused(Transformer {
            decoder: true,
            ..seeing.clone()
        }),
        "patches: only encoders read images"
    );
    assert_eq!(
        refused(Transformer {
            positions: Positions::Learned(196),
            ..seeing.clone()
        }),
        "positions: an image has 197 tokens"
    );
    assert_eq!(refused(seeing), "tokens: an image has 197 tokens");
    assert_eq!(
        refused(Transformer {
            key_value_heads: 5,
            ..good.clone()
        }),
        "key_value_heads: 5 do not divide 32 heads"
    );
    let no = Execution {
        weights: DType::String,
        ..Execution::default()
    };
    assert_eq!(
        graph(&good, &no).expect_err("refused").to_string(),
        "weights: string has no size"
    );
}

/// The largest figures that are accepted are planned or refused, but nothing overflows.
#[test]
fn the_largest_figures_overflow_nothing() {
    let most = 1_u64 << 24;
    let of = Transformer {
        layers: 2,
        hidden: most,
        heads: most,
        key_value_heads: most,
        head_size: most,
        vocabulary: most,
        ..preset("llama-3-8b").expect("a preset")
    };
    let execution = Execution {
        mode: Mode::Decode(most),
        batch: most,
        ..Execution::default()
    };
    let document = Document::Model(graph(&of, &execution).expect("a graph"));
    let _ = prepare(&document, &Bindings::new(), &Settings::default());
}

/// An 8-billion-parameter decoder is planned as small as its bound.
#[test]
fn a_whole_decoder_is_planned() {
    let llama = preset("llama-3-8b").expect("a preset");
    let document = Document::Model(graph(&llama, &Execution::default()).expect("a graph"));
    let subject = prepare(&document, &Bindings::new(), &Settings::default()).expect("it fits");
    assert!(subject.lifetimes.buffers.len() > 500);
    let bounds = planner::bounds::aligned(&subject.lifetimes, Bytes(64));
    let options = planner::Options::aligned(Bytes(64));
    let made = planner::judged(
        Strategy::Best,
        &subject.lifetimes,
        &bounds,
        &options,
        &mut planner::Silent,
    );
    let made = made.expect("a plan");
    assert!(made.violations.is_empty());
    assert_eq!(made.metrics.arena, bounds.offsets);
}
