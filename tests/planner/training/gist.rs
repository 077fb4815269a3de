//! Values that are packed between the passes: bytes in closed form, and steps by hand.

use planner::Bytes;
use planner::graph::Bindings;
use planner::load::load;
use planner::training::cost::{needs, overhead};
use planner::training::gist::{Packing, bits, packed, packings, sparse};
use planner::training::judge::judge;
use planner::training::policies::keep_all;
use planner::training::{Gist, Move, Precision, Problem, Recipe, Rule, Sparse, stage};
use planner::{Settings, prepare};

/// Sizes of the paper: a bit for each element, four for each place; 2, 3.2 and 4 times less with
/// 16, 10 and 8 bits.
#[test]
fn packed_sizes_are_those_of_the_paper() {
    let elements = 1 << 20;
    assert_eq!(bits(elements, 1), Bytes(elements / 8));
    assert_eq!(bits(elements, 4), Bytes(elements / 2));
    for (of, tenths) in [(16, 20), (10, 32), (8, 40)] {
        assert_eq!(bits(elements, of).0 * tenths, 4 * elements * 10, "{of}");
    }
    assert_eq!(bits(3, 10), Bytes(4), "thirty bits");
}

/// What is not zero takes 8 bytes with its place, or 5; a row of 256 takes 4 more, and the last
/// row's end too. So sparse values are smaller from half of them zero on, or a fifth.
#[test]
fn sparse_values_break_even_at_half_and_at_a_fifth() {
    // 512 elements, of which 384 are zero: 128 stay, and 3 starts.
    assert_eq!(sparse(512, 750, Sparse::Wide), Bytes(128 * 8 + 3 * 4));
    assert_eq!(sparse(512, 750, Sparse::Narrow), Bytes(128 * 5 + 3 * 4));
    let elements = 1 << 24;
    for (form, even) in [(Sparse::Wide, 500), (Sparse::Narrow, 200)] {
        let plain = Bytes(4 * elements);
        // Starts of rows are a 256th of the elements.
        assert!(sparse(elements, even, form) > plain);
        assert!(sparse(elements, even + 8, form) < plain);
        assert!(sparse(elements, even - 8, form) > plain);
        assert_eq!(
            sparse(elements, 1000, form),
            Bytes(4 * (elements / 256 + 1))
        );
    }
}

/// A convolution, ReLU, pool, convolution, ReLU, convolution, sigmoid.
fn graph() -> String {
    "graph net onnx 17\ninput i: f32[1, 3, 16, 16]\nconst w1: f32[8, 3, 3, 3]\n\
     const w2: f32[8, 8, 3, 3]\nconst w3: f32[4, 8, 1, 1]\n\
     a = Conv(i, w1) pads=[1, 1, 1, 1]\nb = Relu(a)\nc = MaxPool(b) kernel_shape=[2, 2] strides=[2, 2]\n\
     d = Conv(c, w2) pads=[1, 1, 1, 1]\ne = Relu(d)\nf = Conv(e, w3)\ny = Sigmoid(f)\noutput y\n"
        .to_owned()
}

fn step(rule: Rule, gist: Gist) -> Problem {
    let (_, document, _) = load(&graph().into_bytes()).expect("a graph");
    let subject = prepare(&document, &Bindings::new(), &Settings::default()).expect("sizes");
    let recipe = Recipe {
        rule,
        gist,
        ..Recipe::default()
    };
    let step = stage::step(subject.graph().expect("a model"), 1, recipe);
    step.expect("a step").problem
}

const ALL: Gist = Gist {
    signs: true,
    sparse: Some(Sparse::Narrow),
    bits: Some(8),
    zeros: 700,
    measured: false,
};

#[test]
fn each_value_is_packed_by_its_readers() {
    let plain = step(Rule::Checkmate, Gist::default());
    let found = packings(&plain, ALL, Precision::Full, &[]);
    let by_name = |name: &str| {
        let at = plain.nodes.iter().position(|it| it.name == name);
        found[at.expect("a node")]
    };
    // 8 × 16 × 16 signs and places of 8 × 8 × 8 windows.
    let signs = Bytes(2048 / 8 + 512 / 2);
    assert_eq!(by_name("Relu_1"), Some((Packing::Signs, signs)));
    // 512 elements, 358 zeros: 154 · 5 and 3 starts.
    assert_eq!(
        by_name("Relu_4"),
        Some((Packing::Sparse, Bytes(154 * 5 + 12)))
    );
    for (name, elements) in [("Conv_0", 2048), ("MaxPool_2", 512), ("Conv_3", 512)] {
        assert_eq!(
            by_name(name),
            Some((Packing::Bits(8), Bytes(elements))),
            "{name}"
        );
    }
    // The loss reads it.
    assert_eq!(by_name("Sigmoid_6"), None);
    let counted = [("Relu_4".to_owned(), 1000)];
    let all = Gist {
        measured: true,
        ..ALL
    };
    let measured = packings(&plain, all, Precision::Full, &counted);
    assert!(measured.contains(&Some((Packing::Sparse, Bytes(12)))));
    // A recipe that does not say so takes the number.
    assert_eq!(packings(&plain, ALL, Precision::Full, &counted), found);
}

/// By autograd's rule places of the pool are a value of their own, 8 bytes each.
#[test]
fn places_of_pools_are_packed_where_they_are_kept() {
    let plain = step(Rule::Autograd, Gist::default());
    let found = packings(&plain, ALL, Precision::Full, &[]);
    let places = plain
        .nodes
        .iter()
        .position(|it| it.name == "MaxPool_2.indices");
    let at = places.expect("places");
    assert_eq!(plain.nodes[at].bytes, Bytes(512 * 8));
    assert_eq!(found[at], Some((Packing::Places, Bytes(256))));
}

/// The bytes of values when the loss has run.
fn held_at_the_loss(problem: &Problem) -> u64 {
    let mut held = vec![false; problem.nodes.len()];
    for step in keep_all(problem) {
        held[step.node()] = step.brings();
        if step == Move::Compute(loss(problem)) {
            break;
        }
    }
    let held = held.iter().zip(&problem.nodes).filter(|(held, _)| **held);
    held.map(|(_, node)| node.bytes.0).sum()
}

fn loss(problem: &Problem) -> usize {
    let found = problem.nodes.iter().position(|it| it.name == "loss");
    found.expect("a loss")
}

/// A packed step is a step: everything runs, what is packed is smaller, unpacked values are as
/// large as before, and each is there from its unpacking on only.
#[test]
fn a_packed_step_needs_less_and_takes_longer() {
    for rule in [Rule::Checkmate, Rule::Autograd] {
        let plain = step(rule, Gist::default());
        let all = step(rule, ALL);
        let [before, after] = [&plain, &all].map(|it| needs(it, &keep_all(it)));
        assert_eq!(judge(&all, &keep_all(&all), None), Ok(()));
        assert!(after.peak <= before.peak, "{rule:?} {before:?} {after:?}");
        let [before_loss, packed] = [&plain, &all].map(held_at_the_loss);
        assert!(packed * 2 < before_loss, "{rule:?} {before_loss} {packed}");
        assert_eq!(all.base_cost(), plain.base_cost());
        let copies = all.nodes.iter().filter(|node| node.packs);
        let moved: u64 = copies.clone().map(|node| node.cost).sum();
        assert!(moved > 0 && overhead(&all, after.cost) > 1.0);
        assert_eq!(after.cost, before.cost + moved);
        for node in copies {
            let read = &all.nodes[node.reads[0]];
            // Both are read or written once, 4 bytes at a time.
            assert_eq!(
                node.cost,
                node.bytes.0.div_ceil(4) + read.bytes.0.div_ceil(4)
            );
            assert_ne!(node.bytes, read.bytes, "{}", node.name);
        }
        let walk = keep_all(&all);
        for (at, node) in all.nodes.iter().enumerate() {
            if let Some(of) = node.name.strip_suffix(".packed") {
                let value = all
                    .nodes
                    .iter()
                    .position(|it| it.name == of)
                    .expect("a value");
                let run = walk.iter().position(|it| *it == Move::Compute(at));
                let gone = walk.iter().position(|it| *it == Move::Forget(value));
                let mut next = walk[run.expect("it runs")..].iter();
                let found = next.position(
                    |it| matches!(it, Move::Compute(it) if *it != at && !all.nodes[*it].packs),
                );
                let next = run.expect("it runs") + found.expect("a node");
                assert!(gone.expect("it goes") < next, "{of} goes once it is packed");
            }
        }
    }
}

/// Packing less is never smaller, and nothing packed is the step as it was.
#[test]
fn every_word_of_a_recipe_packs() {
    let plain = step(Rule::Checkmate, Gist::default());
    let none = vec![None; plain.forward()];
    assert_eq!(packed(&plain, &none), plain);
    let mut last = needs(&plain, &keep_all(&plain)).peak;
    let texts = [
        "bits=16",
        "bits=10",
        "bits=8",
        "signs+bits=8",
        "signs+sparse+zeros=900+bits=8",
    ];
    for text in texts {
        let recipe = Recipe::parse(text).expect("a recipe");
        assert_eq!(
            recipe.text(),
            text.replace(
                "signs+sparse+zeros=900+bits=8",
                "signs+sparse+bits=8+zeros=900"
            )
        );
        let problem = step(Rule::Checkmate, recipe.gist);
        let peak = needs(&problem, &keep_all(&problem)).peak;
        assert!(peak <= last, "{text}: {peak:?} {last:?}");
        last = peak;
    }
    let measured = Recipe::parse("sparse+zeros=measured+zeros=700").expect("a recipe");
    assert_eq!(measured.text(), "sparse+zeros=700+zeros=measured");
    assert_eq!(Recipe::parse("zeros=counted"), None);
    assert_eq!(Recipe::parse("bits=9"), None);
    assert_eq!(Recipe::parse("zeros=1001"), None);
}
