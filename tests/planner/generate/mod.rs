//! Transformers without a file: their graphs equal what papers and publishers say of them.

mod activations;
mod descriptions;
mod figures;
mod gguf;
mod safetensors;
mod stored;
mod graphs;

use planner::generate::presets::{classic, gated};
use planner::generate::{
    AttentionForm, Execution, Experts, Latent, Mode, NormPlace, Parallel, Patches, Pattern,
    Positions, Transformer, Window, graph,
};
use planner::graph::{Bindings, Graph, infer};
use tests::random::Random;

/// The graph, with sizes.
fn sized(of: &Transformer, execution: &Execution) -> Graph {
    let mut graph = graph(of, execution).expect("the figures go together");
    infer(&mut graph, &Bindings::new());
    graph
}

/// Any transformer, small, of any form.
pub(crate) fn arbitrary(random: &mut Random) -> Transformer {
    let from = |random: &mut Random, least: u64, most: u64| least + random.below(most - least + 1);
    let is = |random: &mut Random| random.below(2) == 0;
    let groups = from(random, 1, 3);
    let heads = groups * from(random, 1, 3);
    let size = 2 * from(random, 1, 4);
    let (layers, hidden) = (from(random, 1, 4), from(random, 2, 24));
    let (inside, vocabulary) = (from(random, 1, 40), from(random, 2, 50));
    let base = match is(random) {
        true => gated(layers, hidden, (heads, groups, size), inside, vocabulary),
        false => Transformer {
            head_size: size,
            key_value_heads: groups,
            ..classic(layers, hidden, heads, vocabulary, from(random, 20, 64))
        },
    };
    let experts = arbitrary_experts(random);
    let window = Window {
        tokens: from(random, 1, 12),
        pattern: match is(random) {
            true => Pattern::All,
            false => [
                Pattern::AllBut(from(random, 1, 3)),
                Pattern::From(from(random, 0, 3)),
            ][usize::from(is(random))],
        },
    };
    let latent = Latent {
        key_value_rank: from(random, 1, 9),
        query_rank: is(random).then(|| from(random, 1, 9)),
        rotary_size: 2 * from(random, 1, 3),
        plain_size: from(random, 1, 6),
        value_size: from(random, 1, 6),
    };
    let latent = (random.below(4) == 0).then_some(latent);
    let parallel = [
        Parallel::No,
        Parallel::No,
        Parallel::OwnNorms,
        Parallel::SharedNorm,
    ];
    let places = [NormPlace::Before, NormPlace::After, NormPlace::Both];
    let made = Transformer {
        norm_place: places[usize::try_from(random.below(3)).expect("below 3")],
        parallel: parallel[usize::try_from(random.below(4)).expect("below 4")],
        head_norm: is(random) && latent.is_none(),
        head_bias: is(random),
        tied: is(random),
        attention_bias: is(random),
        bias: is(random),
        dropout: is(random),
        experts: (random.below(3) == 0).then_some(experts),
        window: (random.below(3) == 0).then_some(window),
        positions: if latent.is_some() {
            Positions::Rotary
        } else {
            base.positions
        },
        latent,
        ..base
    };
    match random.below(6) {
        0 => seeing(random, made),
        _ => made,
    }
}

/// Any mixture of experts.
fn arbitrary_experts(random: &mut Random) -> Experts {
    let from = |random: &mut Random, least: u64, most: u64| least + random.below(most - least + 1);
    Experts {
        count: from(random, 2, 5),
        active: from(random, 1, 2),
        shared: from(random, 0, 2),
        shared_gate: random.below(2) == 0,
        size: from(random, 1, 9),
        dense_layers: from(random, 0, 2),
    }
}

/// One that reads images instead.
fn seeing(random: &mut Random, of: Transformer) -> Transformer {
    let size = 1 + random.below(4);
    let patches = Patches {
        image: size + random.below(8),
        size,
        channels: 1 + random.below(3),
        classes: random.below(2) * 7,
    };
    Transformer {
        decoder: false,
        vocabulary: 0,
        latent: None,
        positions: Positions::Learned(patches.tokens()),
        patches: Some(patches),
        ..of
    }
}

/// Any way to run it.
fn arbitrary_execution(random: &mut Random, of: &Transformer) -> Execution {
    let tokens = 1 + random.below(20);
    let execution = Execution {
        mode: match random.below(3) {
            0 => Mode::Forward(tokens),
            1 => Mode::Prefill(tokens),
            _ => Mode::Decode(tokens),
        },
        attention: match random.below(2) {
            0 => AttentionForm::Written,
            _ => AttentionForm::Fused,
        },
        batch: 1 + random.below(4),
        ..Execution::default()
    };
    execution.fitted(of)
}
