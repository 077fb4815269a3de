//! What PyTorch's `FSDPMemTracker` measures of a rank of FSDP2, see
//! `tests/data/training/sharding/fsdp.py`.

use std::fmt::Write as _;

use planner::load::{Document, load};
use planner::schedule::Phase;
use serde_json::Value;

use super::*;

const MEASURED: &str = include_str!("../../../data/training/sharding/fsdp.json");

/// Hidden size, heads, inner size, vocabulary, tokens, sequences.
const EVEN: [u64; 6] = [64, 4, 256, 100, 32, 2];
const BLOCKS: u64 = 3;

/// The weights of a block.
fn weights(it: u64, h: u64, f: u64) -> String {
    let mut text = String::new();
    let p = format!("blocks.{it}.");
    for (name, dims) in [
        ("before.w", format!("{h}")),
        ("before.b", format!("{h}")),
        ("between.w", format!("{h}")),
        ("between.b", format!("{h}")),
        ("q.w", format!("{h}, {h}")),
        ("k.w", format!("{h}, {h}")),
        ("v.w", format!("{h}, {h}")),
        ("out.w", format!("{h}, {h}")),
        ("up.w", format!("{h}, {f}")),
        ("up.b", format!("{f}")),
        ("down.w", format!("{f}, {h}")),
        ("down.b", format!("{h}")),
    ] {
        let _ = writeln!(text, "const {p}{name}: f32[{dims}]");
    }
    text
}

/// The script's network: what is computed by a block is called after it.
fn network([h, a, f, v, s, b]: [u64; 6]) -> Graph {
    let mut text = format!(
        "graph fsdp onnx 20\ninput tokens: i64[{b}, {s}]\ninput mask: f32[{s}, {s}]\nconst scale: f32[]\n\
         const table: f32[{v}, {h}]\n\
         const norm.w: f32[{h}]\nconst norm.b: f32[{h}]\nconst head.w: f32[{h}, {v}]\n"
    );
    (0..BLOCKS).for_each(|it| text += &weights(it, h, f));
    text += "x0 = Gather(table, tokens)\n";
    let size = h / a;
    for it in 0..BLOCKS {
        let p = format!("blocks.{it}.");
        let x = match it {
            0 => "x0".to_owned(),
            _ => format!("blocks.{}.x", it - 1),
        };
        let _ = writeln!(
            text,
            "{p}n = LayerNormalization({x}, {p}before.w, {p}before.b)"
        );
        for (name, perm) in [
            ("q", "0, 2, 1, 3"),
            ("k", "0, 2, 3, 1"),
            ("v", "0, 2, 1, 3"),
        ] {
            let _ = writeln!(text, "{p}{name} = MatMul({p}n, {p}{name}.w)");
            let _ = writeln!(
                text,
                "{p}{name}r = Reshape({p}{name}, [{b}, {s}, {a}, {size}])"
            );
            let _ = writeln!(text, "{p}{name}t = Transpose({p}{name}r) perm=[{perm}]");
        }
        let _ = write!(
            text,
            "{p}scores = MatMul({p}qt, {p}kt)\n{p}scaled = Mul({p}scores, scale)\n\
             {p}masked = Add({p}scaled, mask)\n{p}soft = Softmax({p}masked)\n\
             {p}mixed = MatMul({p}soft, {p}vt)\n\
             {p}back = Transpose({p}mixed) perm=[0, 2, 1, 3]\n\
             {p}joined = Reshape({p}back, [{b}, {s}, {h}])\n{p}out = MatMul({p}joined, {p}out.w)\n\
             {p}z = Add({x}, {p}out)\n\
             {p}m = LayerNormalization({p}z, {p}between.w, {p}between.b)\n\
             {p}upm = MatMul({p}m, {p}up.w)\n{p}up = Add({p}upm, {p}up.b)\n{p}g = Gelu({p}up)\n\
             {p}downm = MatMul({p}g, {p}down.w)\n{p}down = Add({p}downm, {p}down.b)\n\
             {p}x = Add({p}z, {p}down)\n"
        );
    }
    let last = BLOCKS - 1;
    let _ = write!(
        text,
        "last = LayerNormalization(blocks.{last}.x, norm.w, norm.b)\nlogits = MatMul(last, head.w)\n\
         output logits\n"
    );
    let (_, document, _) = load(&text.into_bytes()).expect("a graph");
    let Document::Model(mut graph) = document else {
        panic!("it is a model")
    };
    infer(&mut graph, &Bindings::new());
    graph
}

/// Bytes of weights that are whole, of blocks that are gathered and of blocks that are reduced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct There {
    weights: u64,
    gathered: u64,
    reduced: u64,
    /// Gradients of weights until they are reduced.
    gradients: u64,
    all: u64,
}

fn kind<'a>(there: &'a mut There, name: &str) -> Option<&'a mut u64> {
    Some(if name.ends_with(".gathered") {
        &mut there.gathered
    } else if name.ends_with(".gradients.reduced") {
        &mut there.reduced
    } else if name.ends_with(".weights.grad") {
        &mut there.gradients
    } else if name.ends_with(".weights") {
        &mut there.weights
    } else {
        return None;
    })
}

/// What is there after each move, with the unit that runs and whether it runs backward.
fn there(problem: &Problem, walk: &Walk, step: &Step) -> Vec<(usize, bool, There)> {
    let mut now = There::default();
    let mut list = Vec::new();
    let (mut unit, mut backward) = (0, false);
    let parts = &step.problem.divided.as_ref().expect("it is divided").parts;
    for it in walk {
        let node = &problem.nodes[it.node()];
        let bytes = node.bytes.0;
        let own = kind(&mut now, &node.name);
        let own = own.into_iter().collect::<Vec<_>>();
        for held in own {
            match it {
                Move::Compute(_) => *held += bytes,
                _ => *held -= bytes,
            }
        }
        match it {
            Move::Compute(_) => now.all += bytes,
            _ => now.all -= bytes,
        }
        if matches!(it, Move::Compute(_)) {
            // What is gathered is of the part that is entered.
            let of_weights = parts
                .iter()
                .position(|it| node.name == format!("{}.weights", it.name));
            // Forward, what is gathered is what runs next.
            let gathered = |it: &planner::training::sharding::Part| {
                !backward && node.name == format!("{}.gathered", it.name)
            };
            let of_weights = of_weights.or_else(|| parts.iter().position(gathered));
            let of_node = node.communicates.is_none().then_some(node.part as usize);
            unit = of_weights.or(of_node).unwrap_or(unit);
            backward |= node.phase == Phase::Loss;
        }
        list.push((unit, backward, now));
    }
    list
}

/// A column of a row of measured bytes.
fn column(measured: &Value, row: &Value, name: &str) -> u64 {
    let names = measured["categories"].as_array().expect("a list");
    let at = names.iter().position(|it| it == name).expect("a category");
    row[at].as_u64().expect("bytes")
}

/// Every block runs with as many bytes of whole weights, of gathered and of reduced blocks as FSDP2
/// has at the peak of each of its passes, and keeps as many activations for its backward pass. What
/// stays is divided alike. Differences: FSDP2 rounds the first dimension of each weight up to a
/// multiple of the ranks, here each part is; Adam's counts of steps (4 bytes a weight) are left out; names of Python keep
/// values in a forward pass that nothing reads, so that only what blocks add to is compared.
#[test]
fn blocks_and_weights_are_those_of_fsdp2() {
    let measured: Value = serde_json::from_str(MEASURED).expect("JSON");
    let graph = network(EVEN);
    let mut compared = 0;
    for entry in measured["sharded"].as_array().expect("a list") {
        let is = |key: &str| entry[key].as_bool().unwrap_or(false);
        if entry["size"] != "even" || is("half") || entry["units"].is_null() {
            continue;
        }
        let data = u32::try_from(entry["world"].as_u64().expect("a number")).expect("small");
        // 8 ranks have 104 rows of the two tables, of 64 elements of 4 bytes.
        let padding = if data == 8 { 2 * 4 * 64 * 4 } else { 0 };
        let sharding = Sharding {
            data,
            zero: 3,
            keeps: !is("reshard"),
            ..Sharding::default()
        };
        let step = step(&graph, recipe(sharding));
        let (problem, walk) = kept(&step);
        let moments = there(&problem, &walk, &step);
        let of = |row: &Value, name| column(&measured, row, name);
        let mut kept_by = Vec::new();
        for (block, backward) in [0, 1, 2]
            .into_iter()
            .zip([false; 3])
            .chain((0..3).zip([true; 3]))
        {
            let own = moments
                .iter()
                .filter(|it| it.0 == block + 1 && it.1 == backward);
            let most = own.map(|it| it.2).max_by_key(|it| it.all).expect("it runs");
            let pass = if backward {
                "Peak Backward"
            } else {
                "Peak Forward"
            };
            let row = &entry["units"][format!("blocks.{block}")][pass];
            let found = [most.weights + padding, most.gathered, most.reduced];
            let names = ["Unsharded Param", "All Gather", "Reduce Scatter"];
            let expected = names.map(|it| of(row, it));
            assert_eq!(
                found,
                expected,
                "{data} {} block {block} {pass}",
                is("reshard")
            );
            if !backward {
                let own = most.all - most.weights - most.gathered;
                kept_by.push((own, of(row, "Activation")));
            }
            compared += 1;
        }
        for pair in kept_by.windows(2) {
            assert_eq!(pair[1].0 - pair[0].0, pair[1].1 - pair[0].1);
        }
        let end = &entry["second"]["backward"];
        let shared = padding / u64::from(data);
        let fixed = step.fixed;
        assert_eq!(fixed.weights + shared, of(end, "Sharded Param"), "{data}");
        assert_eq!(fixed.gradients + shared, of(end, "Sharded Grad"), "{data}");
    }
    assert_eq!(compared, 4 * 6);
}

/// Without FSDP: weights, gradients and, but for a count of 4 bytes for each of 40 weights, moments.
#[test]
fn alone_it_is_what_the_tracker_says() {
    let measured: Value = serde_json::from_str(MEASURED).expect("JSON");
    let recipe = Recipe {
        optimizer: planner::Optimizer::Adam,
        ..recipe(Sharding::ONE)
    };
    let fixed = step(&network(EVEN), recipe).fixed;
    let whole = &measured["whole"][0];
    assert_eq!(whole["size"], "even");
    let names = whole["categories"].as_array().expect("a list");
    let of = |name: &str| {
        let at = names.iter().position(|it| it == name).expect("a category");
        whole["second"]["update"][at].as_u64().expect("bytes")
    };
    assert_eq!(fixed.weights, of("Parameter"));
    assert_eq!(fixed.gradients, of("Gradient"));
    assert_eq!(fixed.optimizer + 4 * 40, of("Optstate"));
}
