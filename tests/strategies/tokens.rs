//! MXNet's storage tokens.

use planner::graph::{DType, Graph, Op, Tensor, TensorId};
use planner::trace::{Reason, Refusal};
use planner::{
    Buffer, Bytes, Handover, Lifetimes, Options, Plan, Program, Settings, Span, Strategy, lifetimes,
};
use serde_json::Value;
use tests::judged::{judged, objects, reasons, traced};
use tests::lifetimes::{layered, problem, scattered, skips};

const OPTIONS: Options = Options::aligned(Bytes(1));

fn made(strategy: Strategy, lifetimes: &Lifetimes) -> Plan {
    judged(strategy, lifetimes, &OPTIONS)
}

fn total(plan: &Plan) -> u64 {
    let objects = plan.objects.iter().flat_map(|objects| &objects.sizes);
    objects.map(|size| size.0).sum()
}

/// Token of each buffer, and size of each token.
fn tokens(strategy: Strategy, lifetimes: &Lifetimes) -> (Vec<u32>, Vec<u64>) {
    objects(&made(strategy, lifetimes))
}

fn numbers(value: &Value) -> Vec<u64> {
    let list = value.as_array().expect("a list").iter();
    list.map(|number| number.as_u64().expect("a number"))
        .collect()
}

fn index(number: u64) -> usize {
    usize::try_from(number).expect("small")
}

/// One run of MXNet as lifetimes: one buffer per tensor, in order. What the run returns is
/// never released. `sin` may write over its operand and `elemwise_add` over either.
fn recorded(case: &Value) -> Lifetimes {
    let ops = case["ops"].as_array().expect("a list");
    let mut buffers: Vec<Buffer> = Vec::new();
    let mut pairs = Vec::new();
    for (step, op) in (0_u64..).zip(ops) {
        let inputs = numbers(&op["inputs"]);
        for &input in &inputs {
            buffers[index(input)].span.end.0 = step + 1;
        }
        if op["kind"] == "sin" || op["kind"] == "elemwise_add" {
            let after = buffers.len();
            pairs.extend(inputs.iter().map(|&before| (index(before), after)));
        }
        for size in numbers(&op["sizes"]) {
            let name = format!("t{}", buffers.len());
            buffers.push(Buffer::new(name, size << 20, Span::new(step, step + 1)));
        }
    }
    for output in numbers(&case["outputs"]) {
        buffers[index(output)].span.end.0 = ops.len() as u64 + 1;
    }
    let handover = |(before, after): (usize, usize)| Handover {
        before,
        after,
        shift: Bytes::ZERO,
    };
    Lifetimes {
        handovers: pairs.into_iter().map(handover).collect(),
        colors: colors(case),
        ..Lifetimes::of(buffers)
    }
}

/// The colours of the operators of a run.
fn colors(case: &Value) -> Vec<u32> {
    let ids = |numbers: &mut dyn Iterator<Item = u64>| -> Vec<Option<TensorId>> {
        numbers.map(|id| Some(TensorId::at(index(id)))).collect()
    };
    let mut count = 0;
    let mut ops = Vec::new();
    for op in case["ops"].as_array().expect("a list") {
        let outputs = count + op["sizes"].as_array().expect("a list").len() as u64;
        ops.push(Op {
            inputs: ids(&mut numbers(&op["inputs"]).into_iter()),
            outputs: ids(&mut (count..outputs)),
            ..Op::default()
        });
        count = outputs;
    }
    let graph = Graph {
        tensors: (0..count)
            .map(|id| Tensor::new(format!("t{id}"), DType::F32))
            .collect(),
        ops,
        ..Graph::default()
    };
    let lifetimes = lifetimes(&Program::new(graph), &Settings::default()).expect("no sizes at all");
    lifetimes.colors
}

/// What MXNet 1.9.1 itself says it allocates for random graphs (`debug_str` of a bound
/// executor, in whole MiB; sizes are whole MiB), with a match range of 16, with the search
/// of ranges, and with 8 colours.
#[test]
fn totals_are_those_of_mxnet() {
    let text = include_str!("../data/nnvm_tokens.json");
    let file: Value = serde_json::from_str(text).expect("JSON");
    let mut seen = 0;
    for case in file["cases"].as_array().expect("a list") {
        let lifetimes = recorded(case);
        for (strategy, name) in [
            (Strategy::NnvmTokens, "16"),
            (Strategy::NnvmAuto, "auto"),
            (Strategy::NnvmColors, "colors"),
        ] {
            let expected = case["totals"][name].as_u64().expect("a number");
            let made = made(strategy, &lifetimes);
            let found = total(&made) >> 20;
            assert_eq!(found, expected, "{strategy} on {}", case["ops"]);
            seen += 1;
        }
    }
    assert!(seen >= 60, "only {seen} totals");
}

/// At step 0 three tokens of 100, 30 and 10 bytes, released at once because no operator reads
/// them; at step 1 one request.
#[test]
fn a_request_takes_the_next_larger_then_the_next_smaller() {
    for (size, token, grown) in [
        // 20 to 320: the smallest is 30.
        (20, 1, 30),
        // 31 to 496: 100.
        (31, 0, 100),
        // 200 to 3200: none. 12 up to 200: the largest is 100, which grows.
        (200, 0, 200),
        // 1615 / 16 is 100, still in reach; 1616 / 16 is 101.
        (1615, 0, 1615),
        (1616, 3, 1616),
        // 1 to 16: 10, the only one.
        (1, 2, 10),
    ] {
        let lifetimes = problem(&[(100, 0, 1), (30, 0, 1), (10, 0, 1), (size, 1, 2)]);
        let (of_buffer, sizes) = tokens(Strategy::NnvmTokens, &lifetimes);
        assert_eq!(of_buffer, [0, 1, 2, token], "{size}");
        assert_eq!(sizes[token as usize], grown, "{size}");
    }
    // The range holds at its very end: 10 · 16 = 160, but not 161.
    for (size, token) in [(160, 0), (161, 1)] {
        let lifetimes = problem(&[(size, 0, 1), (10, 1, 2)]);
        assert_eq!(tokens(Strategy::NnvmTokens, &lifetimes).0, [0, token]);
    }
}

/// Two tokens of 10 bytes, of which b0's is released first: a request of 10 takes the one
/// released first, a request of 12 the one released last.
#[test]
fn equal_tokens_stand_in_the_order_of_their_release() {
    for (size, token) in [(10, 0), (12, 1)] {
        let lifetimes = problem(&[(10, 0, 2), (10, 1, 3), (size, 3, 4)]);
        assert_eq!(tokens(Strategy::NnvmTokens, &lifetimes).0, [0, 1, token]);
    }
}

/// Outputs of one step ask for tokens the largest first, the last output first among equals.
#[test]
fn the_largest_output_asks_first() {
    let lifetimes = problem(&[(5, 0, 1), (7, 0, 1), (9, 0, 1), (7, 0, 1)]);
    let expected = (vec![3, 2, 0, 1], vec![9, 7, 7, 5]);
    assert_eq!(tokens(Strategy::NnvmTokens, &lifetimes), expected);
}

/// b0 is written over by b1, and that by b2; b3 is as large but b2 is read again; b4 is read
/// by no operator, so it asks for a token of its own.
#[test]
fn outputs_take_over_the_tokens_of_their_inputs() {
    let mut lifetimes = problem(&[(8, 0, 2), (8, 1, 3), (8, 2, 5), (8, 3, 5), (8, 4, 5)]);
    let pair = |before, after| Handover {
        before,
        after,
        shift: Bytes::ZERO,
    };
    lifetimes.handovers = vec![pair(0, 1), pair(1, 2), pair(2, 3), pair(3, 4)];
    let (of_buffer, sizes) = tokens(Strategy::NnvmTokens, &lifetimes);
    assert_eq!(of_buffer, [0, 0, 0, 1, 2]);
    assert_eq!(sizes, [8, 8, 8]);
    // Not where the bytes differ, nor at another place than the start.
    let mut lifetimes = problem(&[(8, 0, 2), (8, 1, 3)]);
    lifetimes.handovers = vec![pair(0, 1)];
    assert_eq!(tokens(Strategy::NnvmTokens, &lifetimes).0, [0, 0]);
    lifetimes.handovers[0].shift = Bytes(4);
    assert_eq!(tokens(Strategy::NnvmTokens, &lifetimes).0, [0, 1]);
    lifetimes.handovers[0].shift = Bytes::ZERO;
    lifetimes.buffers[1].payload = Bytes(7);
    assert_eq!(tokens(Strategy::NnvmTokens, &lifetimes).0, [0, 1]);
    // Handovers of buffers that do not exist are ignored.
    lifetimes.handovers = vec![pair(7, 1), pair(0, 9)];
    assert_eq!(tokens(Strategy::NnvmTokens, &lifetimes).0, [0, 1]);
}

/// b0 is released by step 1 and b1 by step 2; b2 is requested at step 3. With the colours of
/// steps 2 and 3 equal it takes b1's token, though b0's fits better; with none it takes b0's.
#[test]
fn tokens_are_taken_within_a_colour() {
    let mut lifetimes = problem(&[(10, 0, 2), (40, 1, 3), (10, 3, 4)]);
    assert_eq!(tokens(Strategy::NnvmColors, &lifetimes).0, [0, 1, 0]);
    lifetimes.colors = vec![0, 0, 1, 1];
    assert_eq!(tokens(Strategy::NnvmColors, &lifetimes).0, [0, 1, 1]);
    assert_eq!(tokens(Strategy::NnvmTokens, &lifetimes).0, [0, 1, 0]);
    lifetimes.colors = vec![0, 0, 1, 2];
    assert_eq!(tokens(Strategy::NnvmColors, &lifetimes).0, [0, 1, 2]);
}

/// Operator 0 feeds two branches, 1 → 2 and 3 → 4, which operator 5 joins. The longest path
/// has four operators; of the two the later branch is taken. Then 1 → 2 is left.
#[test]
fn the_longest_path_has_the_first_colour() {
    let ops = [
        (vec![], 0),
        (vec![0], 1),
        (vec![1], 2),
        (vec![0], 3),
        (vec![3], 4),
        (vec![2, 4], 5),
    ];
    let op = |(inputs, output): (Vec<u64>, u64)| serde_json::json!({"inputs": inputs, "sizes": [output]});
    let case = serde_json::json!({"ops": ops.map(op)});
    assert_eq!(colors(&case), [0, 1, 1, 0, 0, 0]);
    // Ten operators that wait for no other: seven colours for one each, the eighth for three.
    let alone =
        serde_json::json!({"ops": vec![serde_json::json!({"inputs": [], "sizes": [1]}); 10]});
    assert_eq!(colors(&alone), [7, 7, 7, 6, 5, 4, 3, 2, 1, 0]);
}

/// Tokens of 400, 100, 30, 30 and 10 bytes are free and one of 50 is taken when 20 bytes are
/// requested: 20 to 320 are in range, and the first 30 is taken.
#[test]
fn every_other_token_is_passed_over_for_a_reason() {
    let mut lifetimes = problem(&[
        (400, 0, 1),
        (100, 0, 1),
        (50, 0, 3),
        (30, 0, 1),
        (30, 0, 1),
        (10, 0, 1),
        (20, 1, 2),
    ]);
    let passed = |lifetimes: &Lifetimes| {
        let (made, trace) = traced(Strategy::NnvmColors, lifetimes, &OPTIONS);
        let (of_buffer, _) = objects(&made);
        let why = |reason: &Reason| match *reason {
            Reason::Object { object, why } => Some((object, why)),
            Reason::FreeRange { .. } | Reason::Note(_) => None,
        };
        let passed: Vec<_> = reasons(&trace, 6).iter().filter_map(why).collect();
        (of_buffer, passed)
    };
    // Tokens by size: b0, b1, b2, then b4 before b3, b5. b3 is released first.
    let (of_buffer, reasons) = passed(&lifetimes);
    assert_eq!(of_buffer, [0, 1, 2, 4, 3, 5, 4]);
    let expected = [
        (0, Refusal::OutOfRange),
        (1, Refusal::LooserFit),
        (2, Refusal::Busy { by: 2 }),
        (3, Refusal::NotFirst),
        (5, Refusal::NotFirst),
    ];
    assert_eq!(reasons, expected);
    // In another colour nothing that is free will do.
    lifetimes.colors = vec![0, 1];
    let (of_buffer, reasons) = passed(&lifetimes);
    assert_eq!(of_buffer[6], 6);
    let expected = [
        (0, Refusal::OutOfRange),
        (1, Refusal::OtherColor),
        (2, Refusal::Busy { by: 2 }),
        (3, Refusal::OtherColor),
        (4, Refusal::OtherColor),
        (5, Refusal::OtherColor),
    ];
    assert_eq!(reasons, expected);
}

#[test]
fn the_search_is_never_worse_than_the_default_range() {
    let mut better = 0;
    for seed in 0..40 {
        for lifetimes in [
            scattered(seed, 80, 40, 5000),
            skips(seed, 80, 3, 10, 5000),
            layered(seed, 6, 4, 5000),
        ] {
            let default = total(&made(Strategy::NnvmTokens, &lifetimes));
            let searched = total(&made(Strategy::NnvmAuto, &lifetimes));
            assert!(searched <= default);
            better += usize::from(searched < default);
        }
    }
    assert!(better > 20, "better only {better} times");
}
