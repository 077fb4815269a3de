//! Figures of one line: parameters, operations, the cache.

use planner::generate::closed_forms::{activations_16_bit, cache_bits, forward_flops, parameters};
use planner::generate::presets::{NAMES, classic, preset};
use planner::generate::{Execution, Mode, Patches, Positions, Transformer};
use planner::graph::{Graph, Role};
use planner::operators::Cost;
use planner::training::costs;
use tests::random::Random;

use super::{arbitrary, arbitrary_execution, sized};

/// Elements of all that training learns.
fn weights(graph: &Graph) -> u128 {
    let learned = graph.tensors.iter().filter(|it| {
        it.role == Role::Constant && (it.name.ends_with("weight") || it.name.ends_with("bias"))
    });
    let elements = learned.map(|it| it.dims.as_ref().expect("a size").iter().product::<u64>());
    elements.map(u128::from).sum()
}

#[test]
fn parameters_are_the_sum_of_the_weights() {
    let random = &mut Random::new(43);
    for _ in 0..400 {
        let of = arbitrary(random);
        let execution = arbitrary_execution(random, &of);
        assert_eq!(weights(&sized(&of, &execution)), parameters(&of), "{of:?}");
    }
}

/// As the publishers count them (model cards, `num_parameters` of the published weights); BERT's
/// without the 1,536 of token types and the 590,592 of its pooler, which the description has not.
#[test]
fn published_models_have_the_parameters_that_are_published() {
    let published = [
        ("gpt2", 124_439_808),
        ("bert-base", 109_482_240 - 1536 - 590_592),
        ("vit-base", 86_567_656),
        ("llama-2-7b", 6_738_415_616),
        ("llama-3-8b", 8_030_261_248),
        ("mistral-7b", 7_241_732_096),
        ("mixtral-8x7b", 46_702_792_704),
        ("qwen2.5-7b", 7_615_616_512),
        ("gemma-2-2b", 2_614_341_888),
        ("deepseek-v2-lite", 15_706_484_224),
    ];
    for (name, expected) in published {
        let of = preset(name).expect("a preset");
        assert_eq!(parameters(&of), expected, "{name}");
    }
    assert_eq!(NAMES.len(), published.len() + 1);
    assert!(NAMES.into_iter().all(|name| preset(name).is_some()));
}

/// Vision transformers as torchvision lists them: parameters, and billions of multiplications for an
/// image of 224 × 224 pixels.
#[test]
fn vision_transformers_have_what_torchvision_lists() {
    let listed = [
        (12, 768, 12, 16, 86_567_656, 17.564),
        (12, 768, 12, 32, 88_224_232, 4.409),
        (24, 1024, 16, 16, 304_326_632, 61.555),
        (24, 1024, 16, 32, 306_535_400, 15.378),
    ];
    let base = preset("vit-base").expect("a preset");
    for (layers, hidden, heads, size, expected, billions) in listed {
        let patches = base.patches.map(|it| Patches { size, ..it });
        let of = Transformer {
            decoder: false,
            positions: Positions::Learned(patches.expect("images").tokens()),
            patches,
            ..classic(layers, hidden, heads, 0, 0)
        };
        assert_eq!(parameters(&of), expected);
        let execution = Execution::default().fitted(&of);
        let found = forward_flops(&of, &execution) as f64 / 2e9;
        assert!((found - billions).abs() < 0.001, "{found} {billions}");
    }
}

/// Table 1 of Narayanan et al. 2021: billions of parameters, a, h, l and the batch.
const MEGATRON: [(f64, u64, u64, u64, u64); 10] = [
    (1.7, 24, 2304, 24, 512),
    (3.6, 32, 3072, 30, 512),
    (7.5, 32, 4096, 36, 512),
    (18.4, 48, 6144, 40, 1024),
    (39.1, 64, 8192, 48, 1536),
    (76.1, 80, 10240, 60, 1792),
    (145.6, 96, 12288, 80, 2304),
    (310.1, 128, 16384, 96, 2160),
    (529.6, 128, 20480, 105, 2520),
    (1008.0, 160, 25600, 128, 3072),
];

/// P = 12lh²(1 + 13/12h + (V+S)/12lh) leaves the last normalisation out, 2h; F = 96BSlh²(1 + S/6h +
/// V/16lh) has each product of a layer four times, forward, once more and twice backward, and
/// those of the logits three times (Narayanan et al. 2021, section 5.1).
#[test]
fn parameters_and_operations_of_megatron() {
    let (s, v) = (2048, 51_200);
    for (billions, a, h, l, batch) in MEGATRON {
        let of = classic(l, h, a, v, s);
        let [wide, layers, rows] = [h, l, batch * s].map(u128::from);
        let found = parameters(&of) - 2 * wide;
        let expected = 12 * layers * wide * wide + 13 * layers * wide + u128::from(v + s) * wide;
        assert_eq!(found, expected);
        assert!(
            (found as f64 / 1e9 - billions).abs() < 0.06,
            "{billions}: {found}"
        );
        let execution = Execution {
            mode: Mode::Forward(s),
            batch,
            ..Execution::default()
        };
        let logits = 2 * rows * wide * u128::from(v);
        let step = 4 * (forward_flops(&of, &execution) - logits) + 3 * logits;
        let each = 96 * layers * wide * wide + 16 * layers * wide * u128::from(s);
        assert_eq!(step, rows * (each + 6 * wide * u128::from(v)));
    }
}

/// Multiplications and additions of the graph's products.
#[test]
fn operations_are_the_sum_over_the_graph() {
    let random = &mut Random::new(44);
    let mut compared = 0;
    for _ in 0..300 {
        let of = arbitrary(random);
        let execution = arbitrary_execution(random, &of);
        // What is made anew of a latent cache is not counted.
        if of.latent.is_some() && execution.mode.keeps() {
            continue;
        }
        let graph = sized(&of, &execution);
        let products = [Cost::Product, Cost::Attention, Cost::Convolution];
        let products = graph
            .ops
            .iter()
            .filter(|op| products.contains(&op.facts().cost));
        let sum: u128 = products
            .map(|op| u128::from(costs::flops(&graph, op)))
            .sum();
        assert_eq!(
            2 * sum,
            forward_flops(&of, &execution),
            "{of:?} {execution:?}"
        );
        compared += 1;
    }
    assert!(compared > 200);
}

#[test]
fn the_cache_is_what_its_formula_says() {
    let random = &mut Random::new(45);
    for _ in 0..300 {
        let of = arbitrary(random);
        let execution = arbitrary_execution(random, &of);
        let graph = sized(&of, &execution);
        let kept = graph.tensors.iter().filter(|it| it.role == Role::State);
        let bytes: u64 = kept.map(|it| it.bytes().expect("a size").0).sum();
        let context = execution.mode.tokens().1;
        let expected = match execution.mode.keeps() {
            true => cache_bits(&of, (execution.batch, context), 16) / 8,
            false => 0,
        };
        assert_eq!(u128::from(bytes), expected, "{of:?} {execution:?}");
    }
}

/// Llama-2-7B keeps 8 MiB for a block of 16 tokens in 16 bits: 2 · 32 · 32 · 128 · 2 · 16 (vLLM).
/// Command-R, 40 layers of 64 heads of 128, keeps 2,560 MiB of keys and as many of values for 4,096
/// tokens (llama.cpp#6122).
#[test]
fn caches_that_others_measured() {
    let llama = preset("llama-2-7b").expect("a preset");
    assert_eq!(cache_bits(&llama, (1, 16), 16) / 8, 8 << 20);
    let command = Transformer {
        layers: 40,
        heads: 64,
        key_value_heads: 64,
        head_size: 128,
        window: None,
        latent: None,
        ..llama
    };
    assert_eq!(cache_bits(&command, (1, 4096), 16) / 8, 2 * (2560 << 20));
}

/// Hugging Face's Ultra-Scale Playbook, its widget of memory (July 2025), in GiB: parameters in 32
/// bits, and activations in 16 with masks of a byte, those of the embedding's dropout with them, of
/// the models that it calls 1B and 3B, by the length of a sequence.
#[test]
fn memory_of_the_ultra_scale_playbook() {
    let gib = |bytes: u128| bytes as f64 / f64::from(1 << 30);
    let of_1b = [
        (1024, 3.987_930_297_851_562_5, 3.564_453_125),
        (2048, 3.995_742_797_851_562_5, 12.128_906_25),
        (4096, 4.011_367_797_851_562_5, 44.257_812_5),
        (8192, 4.042_617_797_851_562_5, 168.515_625),
    ];
    for (s, expected, activations) in of_1b {
        let of = classic(16, 2048, 32, 128_256, s);
        assert!((gib(4 * parameters(&of)) - expected).abs() < 1e-12, "{s}");
        let found = 16 * activations_16_bit((s, 1, 2048, 32)) + u128::from(s * 2048);
        assert!((gib(found) - activations).abs() < 1e-12, "{s}");
    }
    let of_3b = [
        (1024, 13.296_180_725_097_656),
        (2048, 13.307_899_475_097_656),
        (4096, 13.331_336_975_097_656),
        (8192, 13.378_211_975_097_656),
    ];
    for (s, expected) in of_3b {
        let of = classic(28, 3072, 24, 128_256, s);
        assert!((gib(4 * parameters(&of)) - expected).abs() < 1e-12, "{s}");
    }
}

/// The models of Korthikanti et al. 2022, table 3: what equation 1 gives for a layer, with b = 1 and
/// s = 2048, before anything is shared among devices.
#[test]
fn a_layer_of_the_models_of_korthikanti() {
    for (a, h, bytes) in [
        (64, 6144, 1_769_996_288),
        (96, 12_288, 2_868_903_936),
        (128, 20_480, 4_110_417_920),
        (160, 25_600, 5_138_022_400),
    ] {
        assert_eq!(activations_16_bit((2048, 1, h, a)), bytes);
    }
}
