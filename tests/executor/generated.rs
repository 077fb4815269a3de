//! Transformers without a file, run: each form of them is confirmed, and attention as one operator
//! gives what it gives written out.

use executor::verify::report::Verdict;
use executor::verify::{Machine, execute};
use planner::Strategy;
use planner::generate::presets::{NAMES, preset};
use planner::generate::{AttentionForm, Execution, Mode, Patches, Pattern, Positions, Transformer};
use planner::graph::{Bindings, Content, DType, Dim, Graph, Tensor};
use planner::load::{Described, Document, load};
use planner::passes::Given;
use planner::{Settings, passes};
use tests::confirmations::{machines, question, report};
use tests::runs::Model;

/// A preset with few and small layers, of the same form.
fn small(name: &str) -> Transformer {
    let of = preset(name).unwrap();
    let groups = of.heads / of.key_value_heads;
    let patches = of.patches.map(|it| Patches {
        image: 32,
        size: 8,
        classes: 5,
        ..it
    });
    // Layers that differ are both there.
    let differ = of.experts.is_some_and(|it| it.dense_layers > 0)
        || of.window.is_some_and(|it| it.pattern != Pattern::All);
    let small = Transformer {
        layers: 1 + u64::from(differ),
        hidden: 32,
        heads: 4,
        key_value_heads: (4 / groups).max(1),
        head_size: 8,
        vocabulary: of.vocabulary.min(60),
        positions: match (of.positions, patches) {
            (Positions::Rotary, _) => Positions::Rotary,
            (Positions::Learned(_), Some(patches)) => Positions::Learned(patches.tokens()),
            (Positions::Learned(_), None) => Positions::Learned(16),
        },
        patches,
        ..of
    };
    let mut small = small;
    small.feed_forward.size = 48;
    if let Some(experts) = &mut small.experts {
        (experts.count, experts.active, experts.size) = (4, 2, 24);
    }
    if let Some(window) = &mut small.window {
        window.tokens = 5;
    }
    if let Some(latent) = &mut small.latent {
        (latent.key_value_rank, latent.rotary_size) = (12, 4);
        (latent.plain_size, latent.value_size) = (8, 6);
    }
    small
}

fn model(of: &Transformer, mode: Mode, attention: AttentionForm) -> Model {
    Model::open(&described(of, mode, attention))
}

fn described(of: &Transformer, mode: Mode, attention: AttentionForm) -> Vec<u8> {
    let execution = Execution {
        mode,
        attention,
        weights: DType::F32,
        activations: DType::F32,
        cache: DType::F32,
        batch: 2,
    };
    let execution = execution.fitted(of);
    Described::new(of.clone(), execution).written().into_bytes()
}

/// The numbers of the first output, on the CPU.
fn numbers(model: &Model) -> Vec<f32> {
    let plan = model.plan(Strategy::Naive);
    let asked = question(model, &plan);
    let found = pollster::block_on(execute(&Machine::Cpu, &asked, 1)).unwrap();
    let words = found.outputs[0].1.iter();
    words.map(|word| f32::from_bits(*word)).collect()
}

fn assert_close(one: &[f32], other: &[f32], what: &str) {
    let largest = one.iter().fold(0.0_f32, |most, it| most.max(it.abs()));
    assert!(largest > 0.1, "{what}: {one:?}");
    assert_eq!(one.len(), other.len());
    for (one, other) in one.iter().zip(other) {
        assert!(
            (one - other).abs() < 1e-4 * largest,
            "{what}: {one} {other}"
        );
    }
}

/// The model with weights of its own. Those that stand in for missing ones heed what reads them, and
/// the parts of an operator are other readers.
fn weighted(bytes: &[u8]) -> Graph {
    let (_, Document::Model(mut graph), _) = load(&bytes.to_vec()).unwrap() else {
        panic!("no model");
    };
    for (index, tensor) in graph.tensors.iter_mut().enumerate() {
        let Some(dims) = fixed(tensor).filter(|_| tensor.content == Content::Stripped) else {
            continue;
        };
        // Scales of normalisations are about 1.
        let around = if dims.len() == 1 { 1.0 } else { 0.0 };
        let number = |at: u64| {
            let mixed = (at + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15 + 2 * index as u64);
            around + (mixed >> 40) as f32 / 2_f32.powi(25) - 0.25
        };
        let numbers = (0..dims.iter().product()).map(number);
        tensor.content = Content::Inline(numbers.flat_map(f32::to_le_bytes).collect());
    }
    graph
}

fn fixed(tensor: &Tensor) -> Option<Vec<u64>> {
    let size = |dim: &Dim| match dim {
        Dim::Fixed(size) => Some(*size),
        _ => None,
    };
    tensor.declared.as_ref()?.iter().map(size).collect()
}

/// Normalisations, softmax and activations in their parts compute what they compute as operators.
#[test]
fn decomposed_models_give_what_they_gave() {
    let chosen = Settings {
        passes: passes::parse("decompose").unwrap(),
        ..Settings::default()
    };
    for name in NAMES {
        let of = small(name);
        let bytes = described(&of, Mode::Forward(9), AttentionForm::Written);
        let document = Document::Model(weighted(&bytes));
        let known = (&Bindings::default(), &Given::new());
        let run = |settings| Model::given(&bytes, &document, known, settings).unwrap();
        let (whole, parts) = (run(Settings::default()), run(chosen));
        let [before, after] = [&whole, &parts].map(|it| it.program.graph.ops.len());
        assert!(after > before + 10, "{name}: {before} {after}");
        assert_close(&numbers(&whole), &numbers(&parts), name);
    }
}

/// Reading a sequence, and writing one token, of every preset's form.
#[test]
fn every_form_runs_as_planned() {
    for name in NAMES {
        let of = small(name);
        for mode in [Mode::Forward(9), Mode::Decode(9)] {
            if mode.keeps() && !of.decoder {
                continue;
            }
            for attention in [AttentionForm::Written, AttentionForm::Fused] {
                let model = model(&of, mode, attention);
                let plan = model.plan(Strategy::Best);
                for machine in machines() {
                    let found = report(&machine, &question(&model, &plan));
                    let found =
                        found.unwrap_or_else(|why| panic!("{name} {mode:?} {attention:?}: {why}"));
                    assert_eq!(
                        found.verdict,
                        Verdict::Confirmed,
                        "{name} {mode:?} {attention:?}"
                    );
                }
            }
        }
    }
}

/// Where tokens are hidden by the same mask, the one operator computes what the others do together:
/// elements of weights follow from their names.
#[test]
fn fused_attention_gives_what_it_gives_written_out() {
    for name in NAMES {
        let of = small(name);
        if !of.decoder {
            continue;
        }
        for mode in [Mode::Prefill(9), Mode::Decode(9)] {
            let logits = |attention| numbers(&model(&of, mode, attention));
            let [written, fused] = [AttentionForm::Written, AttentionForm::Fused].map(logits);
            assert_close(&written, &fused, &format!("{name} {mode:?}"));
        }
    }
}
