//! The advisor: what it says against every single policy, the judge, and sums by hand.

mod answers;
mod devices;

use planner::generate::presets::{classic, gated};
use planner::generate::{AttentionForm, Execution, Mode, Transformer, graph};
use planner::graph::{Bindings, DType, Graph};
use planner::load::{Document, load};
use planner::training::advisor::{Advice, Kinds, Variant, Wanted, advise};
use planner::training::devices::Device;
use planner::training::layers::{Layer, Layers};
use planner::training::{Recipe, Rule, stage};
use planner::{Bytes, PassSet, Settings, passes, prepare};
use tests::random::Random;

/// The sized graphs of a document: as it is, and in another order.
fn graphs(document: &Document) -> Vec<(PassSet, Graph)> {
    let order = passes::parse(passes::ORDER).expect("a pass");
    let sets = [PassSet::NONE, order];
    let made = sets.map(|passes| {
        let settings = Settings {
            passes,
            ..Settings::default()
        };
        let subject = prepare(document, &Bindings::new(), &settings).expect("sizes");
        (passes, stage::operators(subject.program.expect("a model")))
    });
    made.into()
}

pub(super) fn of_text(text: &str) -> Vec<(PassSet, Graph)> {
    let (_, document, _) = load(&text.as_bytes().to_vec()).expect("a graph");
    graphs(&document)
}

/// A transformer that is written out in full, with sequences of so many tokens.
pub(super) fn transformer(of: &Transformer, tokens: u64) -> Vec<(PassSet, Graph)> {
    let run = Execution {
        mode: Mode::Forward(tokens),
        attention: AttentionForm::Written,
        weights: DType::F32,
        activations: DType::F32,
        cache: DType::F32,
        batch: 1,
    };
    graphs(&Document::Model(graph(of, &run).expect("a transformer")))
}

/// Arbitrary layers, each of which reads the one before and perhaps another.
fn layers(random: &mut Random, count: usize) -> Vec<(PassSet, Graph)> {
    let mut list: Vec<Layer> = Vec::new();
    for index in 0..count {
        let mut inputs: Vec<usize> = index.checked_sub(1).into_iter().collect();
        if index > 1 && random.index(3) == 0 {
            inputs.insert(0, random.index(index - 1));
        }
        list.push(Layer {
            name: format!("l{index}"),
            inputs,
            flops: random.below(900_000),
            bytes: (1 + random.below(60)) << 20,
            parameters: random.below(3 << 20),
        });
    }
    let layers = Layers {
        name: "arbitrary".to_owned(),
        batch: 1,
        list,
    };
    vec![(PassSet::NONE, layers.graph().expect("a graph"))]
}

/// A model, its rule and the samples of a step.
struct Subject {
    name: String,
    graphs: Vec<(PassSet, Graph)>,
    recipe: Recipe,
    batch: u64,
}

/// Twenty of them.
fn subjects() -> Vec<Subject> {
    let mut random = Random::new(45);
    let autograd = Recipe::parse("autograd+adam").expect("a recipe");
    let of = |name: &str, graphs, batch| Subject {
        name: name.to_owned(),
        graphs,
        recipe: autograd,
        batch,
    };
    let network = |name: &str, text: &str, batch| of(name, of_text(text), batch);
    let mut all = vec![
        network(
            "cnn",
            include_str!("../../../data/training/autograd/cnn.graph"),
            512,
        ),
        network(
            "mlp",
            include_str!("../../../data/training/autograd/mlp.graph"),
            4096,
        ),
        network(
            "transformer",
            include_str!("../../../data/training/autograd/transformer.graph"),
            256,
        ),
        network(
            "activations",
            include_str!("../../../data/training/autograd/activations.graph"),
            1024,
        ),
    ];
    for (layers, hidden, heads) in [(1, 32, 2), (2, 64, 4)] {
        let classic = classic(layers, hidden, heads, 100, 64);
        all.push(of("classic", transformer(&classic, 64), 32));
        let gated = gated(layers, hidden, (heads, 2, hidden / heads), 3 * hidden, 100);
        all.push(of("gated", transformer(&gated, 64), 32));
    }
    for count in (2..12).chain([6, 8]) {
        all.push(Subject {
            name: format!("layers {count}"),
            graphs: layers(&mut random, count),
            recipe: Recipe {
                rule: Rule::Checkmate,
                ..autograd
            },
            batch: 1,
        });
    }
    all
}

impl Subject {
    fn wanted(&self, memory: u64, kinds: Kinds) -> Wanted {
        Wanted {
            device: Device {
                flops: 2_000_000_000,
                products: 2_000_000_000,
                memory: Bytes(memory),
                link: 400_000_000,
                peers: 0,
                network: 0,
            },
            devices: 1,
            batch: self.batch,
            recipe: self.recipe,
            context: Bytes::ZERO,
            workspace: None,
            kinds,
        }
    }

    fn advice(&self, wanted: &Wanted) -> Advice {
        advice(&self.graphs, wanted)
    }
}

pub(super) fn advice(graphs: &[(PassSet, Graph)], wanted: &Wanted) -> Advice {
    let variants = graphs.iter().map(|(passes, graph)| Variant {
        passes: *passes,
        graph,
    });
    let variants: Vec<Variant<'_>> = variants.collect();
    advise(&variants, wanted, &mut |_, _| true).expect("a step")
}
