//! Closed forms against what papers print, and against Megatron-LM's script.

use planner::generate::closed_forms::activations_16_bit;
use planner::training::Sharding;
use planner::training::sharding::closed_forms::{
    Ratio, Recomputed, Sizes, embedding_dropout, first_stage, interleaving, last, layer,
    megatron_activations, megatron_shard, megatron_weights, zero,
};
use serde_json::Value;

/// What `tests/data/training/sharding/megatron.py` has written, which was compared with the script.
const MEGATRON: &str = include_str!("../../../data/training/sharding/megatron.json");

const MIB: u128 = 1 << 20;

/// A model whose layers alone are looked at.
fn layers(layers: u64, hidden: u64, heads: u64, sequence: u64) -> Sizes {
    Sizes {
        layers,
        hidden,
        heads,
        key_value_heads: heads,
        inner: 4 * hidden,
        vocabulary: 51_200,
        sequence,
        batch: 1,
        gated: false,
        shifted_norms: true,
        tied: true,
    }
}

fn tensor(devices: u32, sequence: bool) -> Sharding {
    Sharding {
        tensor: devices,
        sequence,
        ..Sharding::default()
    }
}

/// 7.5 thousand million parameters among 64 replicas: 120, 31.4, 16.6 and 1.9 GB (Rajbhandari et
/// al., "ZeRO", SC 2020, figure 1), here with all digits.
#[test]
fn stages_of_zero_are_those_of_the_paper() {
    let bytes = [0, 1, 2, 3].map(|stage| zero(7_500_000_000, 64, stage));
    let gigabytes = [
        120_000_000_000,
        31_406_250_000,
        16_640_625_000,
        1_875_000_000,
    ];
    assert_eq!(bytes, gigabytes);
    // Of 10 parameters the first of 4 replicas has 3.
    let bytes = [0, 1, 2, 3].map(|stage| zero(10, 4, stage));
    assert_eq!(bytes, [160, 40 + 36, 20 + 42, 48]);
    assert_eq!([0, 1, 2, 3].map(|stage| zero(10, 1, stage)), [160; 4]);
}

/// Halves of a MiB that a layer keeps of 2048 tokens among 8 devices: on one, by tensor
/// parallelism, with sequence parallelism; where attention is recomputed, without and with sequence
/// parallelism; where all is (Korthikanti et al. 2022, table 2 with the sizes of its models). By
/// hand for the first row, where sbh is 12 MiB and 5as/h is 320/3: 12 · (34 + 320/3), 12 · (10 + 3
/// + 40/3), 12 · (34 + 320/3)/8, 12 · 13, 12 · 34/8 and 12 · 2.
#[test]
fn layers_keep_what_the_paper_says() {
    let models = [
        ((6_144, 64), [3_376, 632, 422, 312, 102, 48]),
        ((12_288, 96), [5_472, 1_104, 684, 624, 204, 96]),
        ((20_480, 128), [7_840, 1_680, 980, 1_040, 340, 160]),
        ((25_600, 160), [9_800, 2_100, 1_225, 1_300, 425, 200]),
    ];
    for ((hidden, heads), expected) in models {
        let sizes = layers(1, hidden, heads, 2_048);
        let forms = [
            (Recomputed::Nothing, tensor(1, false)),
            (Recomputed::Nothing, tensor(8, false)),
            (Recomputed::Nothing, tensor(8, true)),
            (Recomputed::Attention, tensor(8, false)),
            (Recomputed::Attention, tensor(8, true)),
            (Recomputed::Layer, tensor(8, true)),
        ];
        let found = forms.map(|(recomputed, sharding)| layer(sizes, recomputed, sharding));
        assert_eq!(
            found,
            expected.map(|it| Ratio::whole(it * MIB / 2)),
            "{hidden}"
        );
        // One device has nothing to divide by, and takes what one without division is said to take.
        let alone = layer(sizes, Recomputed::Nothing, tensor(1, true));
        assert_eq!(alone, found[0]);
        let classic = activations_16_bit((2_048, 1, hidden, heads));
        assert_eq!(alone, Ratio::whole(classic));
    }
}

/// 16 layers of width 2048 with 32 heads, and the mask after the embedding: the figures of the
/// Ultra-Scale Playbook's widget on recomputation for its model of a thousand million parameters,
/// there 3.564453125, 12.12890625, 44.2578125 and 168.515625 GiB.
#[test]
fn whole_models_keep_what_the_playbook_says() {
    let mib = [
        (1_024, 3_650),
        (2_048, 12_420),
        (4_096, 45_320),
        (8_192, 172_560),
    ];
    for (sequence, expected) in mib {
        let model = layers(16, 2_048, 32, sequence);
        let alone = Sharding::default();
        let kept = first_stage(model, Recomputed::Nothing, alone);
        let kept = kept.plus(embedding_dropout(model, alone));
        assert_eq!(kept, Ratio::whole(expected * MIB), "{sequence}");
    }
}

/// The first of 8 stages with 3 parts each starts 7 · 2 + 2 · 8 micro-batches of a part, and one
/// more, before it is given a gradient (Narayanan et al. 2021, section 2.2.2, with the warm-up of
/// Megatron-LM's schedule). Each is of 96/24 layers, so that these are 31 · 4 = 124 layers.
#[test]
fn an_interleaved_schedule_has_more_under_way() {
    let model = layers(96, 12_288, 96, 2_048);
    let sharding = Sharding {
        pipeline: 8,
        chunks: 3,
        ..tensor(8, true)
    };
    assert_eq!(interleaving(sharding), Ratio::new(124, 96));
    let kept = first_stage(model, Recomputed::Attention, sharding);
    assert_eq!(kept, Ratio::whole(124 * 102 * MIB));
    let plain = Sharding {
        chunks: 1,
        ..sharding
    };
    assert_eq!(interleaving(plain), Ratio::whole(1));
    // 2048 · 12 288 bytes for each of 8 micro-batches, among 8.
    assert_eq!(embedding_dropout(model, plain), Ratio::whole(24 * MIB));
    // 2 + 2 bytes for each of 12 288 and 4 for each of 51 200, times 2048 tokens, among 8.
    let logits = 2_048 * (4 * 12_288 + 4 * 51_200) / 8;
    assert_eq!(last(model, plain), Ratio::whole(logits));
}

fn ratio(value: &Value) -> Ratio {
    if let Some(number) = value.as_u64() {
        return Ratio::whole(u128::from(number));
    }
    let (over, under) = value
        .as_str()
        .and_then(|it| it.split_once('/'))
        .expect("a ratio");
    Ratio::new(
        over.parse().expect("digits"),
        under.parse().expect("digits"),
    )
}

#[test]
fn megatron_expects_as_much() {
    let all: Value = serde_json::from_str(MEGATRON).expect("JSON");
    let all = all.as_object().expect("models");
    assert_eq!(all.len(), 6);
    for (name, one) in all {
        let own = &one["model"];
        let number = |key: &str| own[key].as_u64().expect("a number");
        let few = |key: &str| u32::try_from(number(key)).expect("a degree");
        let switch = |key: &str| own[key].as_bool().expect("a switch");
        let model = Sizes {
            layers: number("layers"),
            hidden: number("hidden"),
            heads: number("heads"),
            key_value_heads: number("key_value_heads"),
            inner: number("inner"),
            vocabulary: number("vocabulary"),
            sequence: number("sequence"),
            batch: number("batch"),
            gated: switch("gated"),
            shifted_norms: switch("shifted_norms"),
            tied: switch("tied"),
        };
        let plain = Sharding {
            data: few("data"),
            pipeline: few("pipeline"),
            micro: few("micro"),
            ..tensor(few("tensor"), true)
        };
        let expect = |found: Ratio, key: &str| assert_eq!(found, ratio(&one[key]), "{name}: {key}");
        expect(megatron_shard(model, plain), "shard");
        expect(megatron_weights(model, plain), "weights");
        let distributed = Sharding { zero: 1, ..plain };
        expect(megatron_weights(model, distributed), "distributed");
        expect(megatron_activations(model, plain), "activations");
        let chunks = few("chunks");
        if chunks > 1 {
            let interleaved = Sharding { chunks, ..plain };
            expect(megatron_activations(model, interleaved), "interleaved");
        }
        // What is kept of a layer is what the paper says where a layer is four times as wide
        // inside.
        if model.inner == 4 * model.hidden && plain.pipeline == 1 {
            let kept = first_stage(model, Recomputed::Attention, plain);
            let tokens = u128::from(model.sequence * model.batch);
            let tokens = Ratio::new(8 * tokens, u128::from(plain.tensor));
            let kept = kept.plus(tokens).plus(embedding_dropout(model, plain));
            expect(kept.plus(last(model, plain)), "activations");
        }
    }
}

#[test]
fn ratios_are_in_lowest_terms_and_never_overflow() {
    assert_eq!(Ratio::new(6, 4), Ratio { over: 3, under: 2 });
    assert_eq!(Ratio::new(0, 4), Ratio::whole(0));
    assert_eq!(Ratio::new(7, 0), Ratio::whole(7));
    assert_eq!(Ratio::new(1, 6).plus(Ratio::new(1, 3)), Ratio::new(1, 2));
    assert_eq!(Ratio::new(4, 9).times(Ratio::new(3, 8)), Ratio::new(1, 6));
    assert_eq!(
        [0, 8, 9].map(|it| Ratio::new(it, 4).rounded_up()),
        [0, 2, 3]
    );
    let most = Ratio::whole(u128::MAX);
    assert_eq!(most.times(most), most);
    assert_eq!(most.plus(most), most);
    let model = layers(u64::MAX, u64::MAX / 4, u64::MAX, u64::MAX);
    let kept = first_stage(model, Recomputed::Nothing, Sharding::default());
    assert_eq!(kept, most);
    assert_eq!(zero(u128::MAX, 1, 0), u128::MAX);
}
