//! Devices: what fits into them, and how long a step takes at least.

use planner::graph::Bindings;
use planner::load::load;
use planner::training::devices::{DEVICES, Device, batches};
use planner::training::{Recipe, costs};
use planner::{Bytes, Settings, prepare};

use super::checkmate::vgg19;

/// Checkmate's artifact (its README, figure 6): 167 with everything kept, where what is fixed
/// counts twice, and none above 289, where it counts once.
#[test]
fn the_largest_batches_of_vgg19_are_the_published_ones() {
    let layers = vgg19();
    let fixed = layers.problem(1).expect("a problem").fixed.0;
    let graph = layers.graph().expect("a graph");
    let found = |memory| batches(&graph, Recipe::default(), Bytes(memory)).expect("one");
    assert_eq!(found(16_000_000_000 - fixed).keep_all, 167);
    assert_eq!(found(16_000_000_000).any, 289);
    // What is fixed alone does not fit.
    let none = found(fixed);
    assert_eq!((none.keep_all, none.any), (0, 0));
}

#[test]
fn times_are_costs_over_rates() {
    let device = Device {
        flops: 4_000,
        products: 16_000,
        memory: Bytes(1),
        link: 500,
        peers: 0,
        network: 0,
    };
    // 1,000 multiplications with their additions are 2,000 operations.
    assert!((device.seconds(1_000) - 0.5).abs() < 1e-12);
    assert!((device.link_seconds(Bytes(250)) - 0.5).abs() < 1e-12);
}

#[test]
fn devices_are_found_by_name() {
    for named in DEVICES {
        assert_eq!(named.name.parse(), Ok(named.device));
        let other = named.name.to_lowercase().replace(' ', "-");
        assert_eq!(other.parse(), Ok(named.device), "{other}");
    }
    // "A100" is the start of one name, "RTX" of three.
    let a100 = "a100-80".parse::<Device>().expect("one name starts so");
    assert_eq!(a100.memory, Bytes(80 << 30));
    assert!("rtx".parse::<Device>().is_err() && "-".parse::<Device>().is_err());
    let unknown = "abacus".parse::<Device>().map_err(|it| it.to_string());
    assert!(unknown.is_err_and(|text| text.contains("V100 32 GB")));
}

/// Operations by hand.
#[test]
fn products_in_one_operator_count_what_they_multiply() {
    for (operator, inputs, expected) in [
        // 2 · 3 · 5 products of 4 numbers.
        (
            "Einsum(a, b) equation=\"bij,bjk->bik\"",
            "a: f32[2, 3, 4]\ninput b: f32[2, 4, 5]",
            120,
        ),
        // The dots are two dimensions of a and one of b.
        (
            "Einsum(a, b) equation=\"...i,...i->...\"",
            "a: f32[2, 3, 4]\ninput b: f32[3, 4]",
            24,
        ),
        // Scores are 2 heads of 3 queries by 5 keys of 4 numbers, and so is what they weigh.
        (
            "Attention(a, b, b)",
            "a: f32[1, 2, 3, 4]\ninput b: f32[1, 2, 5, 4]",
            2 * 2 * 3 * 5 * 4,
        ),
    ] {
        let text = format!("graph g onnx 23\ninput {inputs}\ny = {operator}\noutput y\n");
        let (_, document, _) = load(&text.clone().into_bytes()).expect(&text);
        let subject = prepare(&document, &Bindings::new(), &Settings::default()).expect("sizes");
        let graph = subject.graph().expect("a model");
        assert_eq!(costs::flops(graph, &graph.ops[0]), expected, "{operator}");
    }
}
