//! The order of operators on graphs whose best peak is known, and what every rule keeps.

use planner::graph::{Bindings, DType, Dialect, Graph, Op, OpId, Role, Tensor, TensorId};
use planner::passes::LeftAlone;
use planner::passes::order::{Limits, Ordered, Proof, Rule, order};
use planner::schedule::{Action, ScheduledStep};
use planner::{Bytes, Io, Parallel, PassSet, Program, Settings, prepare, schedule};
use tests::chinese::load;

/// Sizes as they are.
pub(super) fn exact_bytes() -> Settings {
    Settings {
        alignment: Bytes(1),
        ..Settings::default()
    }
}

pub(super) fn tensor(name: String, bytes: u64) -> Tensor {
    let mut tensor = Tensor::new(name, DType::U8);
    tensor.dims = Some(vec![bytes]);
    tensor.role = Role::Intermediate;
    tensor
}

pub(super) fn ordered(program: &Program, rule: Rule) -> Ordered {
    ordered_within(program, rule, &Limits::default())
}

pub(super) fn ordered_within(program: &Program, rule: Rule, limits: &Limits) -> Ordered {
    let settings = exact_bytes();
    order(program, &settings, rule, limits, &mut |_, _| true)
}

/// A graph of edges: one tensor each, from the operator that writes it to those that read it,
/// with its bytes. Operators stand in the file as they are first named in `ops`.
fn graph(ops: &str, edges: &[(char, &str, u64)]) -> Program {
    let mut graph = Graph {
        dialect: Dialect::Onnx { opset: 17 },
        ..Graph::default()
    };
    for name in ops.chars() {
        graph.ops.push(Op {
            name: name.to_string(),
            ..Op::new(Dialect::Onnx { opset: 17 }, "", "Sum")
        });
    }
    let at = |name: char| ops.find(name).expect("an operator");
    for (from, to, bytes) in edges {
        let id = TensorId::at(graph.tensors.len());
        graph.tensors.push(tensor(format!("{from}{to}"), *bytes));
        graph.ops[at(*from)].outputs.push(Some(id));
        for reader in to.chars() {
            graph.ops[at(reader)].inputs.push(Some(id));
        }
    }
    Program::new(graph)
}

fn names(program: &Program, ordered: &Ordered) -> String {
    let steps = ordered.schedule.steps.iter();
    let ops = steps.filter_map(|step| step.action.op());
    ops.map(|op| program.graph.op(op).name.as_str()).collect()
}

/// The graphs of OLLA's own tests, in an order of the file that is one of theirs, with the peak
/// in that order and the least of all; facebookresearch/olla at a3ad395b, tests. What an
/// operator writes counts from its step on, what it reads for the last time to its step.
const DIAMOND: [(char, &str, u64); 7] = [
    ('A', "B", 10),
    ('B', "C", 20),
    ('B', "D", 30),
    ('D', "E", 40),
    ('E', "F", 50),
    ('C', "F", 60),
    ('F', "G", 10),
];

#[test]
fn the_graphs_of_olla_come_to_their_known_optima() {
    let simple = [
        ('A', "B", 10),
        ('B', "C", 20),
        ('B', "D", 30),
        ('D', "E", 40),
    ];
    let fan_in = [
        ('A', "B", 10),
        ('A', "C", 20),
        ('B', "D", 30),
        ('D', "E", 40),
        ('C', "E", 50),
    ];
    let cut = [
        ('I', "AB", 2),
        ('A', "C", 100),
        ('C', "E", 5),
        ('B', "D", 200),
        ('D', "F", 10),
    ];
    let pairs = [
        ('0', "a", 1),
        ('1', "b", 9),
        ('2', "c", 1),
        ('3', "d", 8),
        ('4', "e", 1),
        ('5', "f", 7),
        ('6', "g", 8),
        ('7', "h", 7),
    ];
    let cases = [
        (graph("ABCDE", &simple), 70, 70),
        (graph("ABCDEFG", &DIAMOND), 150, 130),
        (graph("ABCDE", &fan_in), 120, 110),
        // In the file C has both large ones and its own: 100 + 200 + 5; else D has 200 + 10.
        (graph("IABCDEF", &cut), 305, 210),
        // Every first operator, then every second: all at once.
        (graph("01234567abcdefgh", &pairs), 42, 9),
    ];
    for (program, topological, least) in cases {
        let found = ordered(&program, Rule::Exact);
        let name = names(&program, &found);
        assert_eq!(
            (found.before.0, found.peak.0),
            (topological, least),
            "{name}"
        );
        assert!(found.proof.is_some(), "{name}");
        assert_eq!(found.bound, found.peak, "{name}");
    }
}

/// What OLLA calls a control dependency: an edge without bytes, from C to E.
#[test]
fn control_edges_are_kept_and_cost_what_they_cost_olla() {
    let program = graph("ABCDEFG", &DIAMOND);
    let free = ordered(&program, Rule::Exact);
    let text = names(&program, &free);
    assert!(text.find('E') < text.find('C'), "{text}");
    let limits = Limits {
        control: vec![(OpId(2), OpId(4))],
        ..Limits::default()
    };
    for rule in Rule::ALL {
        let kept = ordered_within(&program, rule, &limits);
        assert_eq!(kept.peak.0, 150, "{rule:?}");
        let text = names(&program, &kept);
        assert!(text.find('C') < text.find('E'), "{text}");
    }
    assert_eq!(ordered_within(&program, Rule::Exact, &limits).bound.0, 150);
}

/// Two branches, each of a large tensor that becomes a small one: the file makes both large ones
/// first. One after the other, the peak is a large one beside a small one and what both read.
fn branches() -> Program {
    let edges = [
        ('a', "bc", 4),
        ('b', "d", 100),
        ('c', "e", 100),
        ('d', "y", 10),
        ('e', "y", 10),
        ('y', "", 1),
    ];
    graph("abcdey", &edges)
}

#[test]
fn every_rule_takes_one_branch_after_the_other() {
    let program = branches();
    // In the file 4 + 100 + 100 and then 100 + 100 + 10; else 100 + 10 + 10 at the second end.
    for rule in Rule::ALL {
        let found = ordered(&program, rule);
        assert_eq!(found.before, Bytes(210));
        let least = if rule == Rule::File { 210 } else { 120 };
        assert_eq!(found.peak, Bytes(least), "{rule:?}");
    }
    let searched = ordered(&program, Rule::Exact);
    assert_eq!(names(&program, &searched), "abdcey");
    // At its end a branch has its large and its small tensor, 110; that the other's small one
    // is there as well is seen by no operator alone.
    assert_eq!(searched.proof, Some(Proof::Search));
    assert_eq!(ordered(&program, Rule::Greedy).bound, Bytes(110));
}

#[test]
fn operators_move_no_further_than_the_window() {
    let program = branches();
    let peaks: Vec<u64> = (0..3)
        .map(|window| {
            let limits = Limits {
                window: Some(window),
                ..Limits::default()
            };
            let peaks = Rule::ALL.map(|rule| {
                let found = ordered_within(&program, rule, &limits);
                for (place, step) in found.schedule.steps.iter().enumerate() {
                    let op = step.action.op().expect("it computes");
                    assert!(place.abs_diff(op.index()) as u64 <= window, "{rule:?}");
                }
                found.peak.0
            });
            assert_eq!(peaks[0], 210);
            peaks[3]
        })
        .collect();
    // c and d change places, which is one place each.
    assert_eq!(peaks, [210, 120, 120]);
}

#[test]
fn an_order_that_is_as_good_stays_as_the_file_has_it() {
    let program = graph(
        "ABCDE",
        &[('A', "B", 9), ('B', "E", 1), ('C', "D", 9), ('D', "E", 1)],
    );
    for rule in Rule::ALL {
        let found = ordered(&program, rule);
        assert_eq!(found.schedule, program.schedule, "{rule:?}");
        assert_eq!(found.peak, found.before);
    }
}

#[test]
fn what_is_no_plain_order_is_left_alone() {
    let program = branches();
    let alone = |program: &Program, settings: &Settings| {
        let limits = Limits::default();
        let found = order(program, settings, Rule::Exact, &limits, &mut |_, _| true);
        assert_eq!(found.schedule, program.schedule);
        found.left_alone
    };
    assert_eq!(
        alone(&branches_that_free(), &exact_bytes()),
        Some(LeftAlone::DoesMore)
    );
    let parallel = Settings {
        parallel: Parallel::Free,
        ..exact_bytes()
    };
    assert_eq!(alone(&program, &parallel), Some(LeftAlone::Parallel));
    let mut placed = branches();
    placed.graph.offline = vec![Some(planner::Offset(0)); placed.graph.tensors.len()];
    let tflm = Settings {
        io: Io::Tflm,
        ..exact_bytes()
    };
    assert_eq!(alone(&placed, &tflm), Some(LeftAlone::Offsets));
    let mut large = branches();
    for tensor in &mut large.graph.tensors {
        tensor.dims = Some(vec![1 << 60]);
    }
    let large = Program::new(large.graph);
    assert_eq!(alone(&large, &exact_bytes()), Some(LeftAlone::TooLarge));
}

fn branches_that_free() -> Program {
    let mut program = branches();
    let base = program.storages.views[0].base;
    program
        .schedule
        .steps
        .push(ScheduledStep::new(Action::Free(base)));
    program
}

/// Operators that draw random numbers, those of one stream, and those that keep something
/// from run to run stay in their order.
#[test]
fn effects_and_streams_stay_in_order() {
    let mut random = branches();
    for op in [1, 2] {
        random.graph.ops[op].rename(Dialect::Onnx { opset: 17 }, "", "RandomNormalLike");
    }
    let found = ordered(&random, Rule::Exact);
    assert_eq!(names(&random, &found), "abdcey");
    for op in [2, 3] {
        random.graph.ops[op].rename(Dialect::Onnx { opset: 17 }, "", "Bernoulli");
    }
    let found = ordered(&random, Rule::Exact);
    assert_eq!(names(&random, &found), "abcdey");
    let mut streams = branches();
    for op in &mut streams.graph.ops {
        op.stream = Some(0);
    }
    let found = ordered(&streams, Rule::Exact);
    assert_eq!(found.schedule, streams.schedule);
    assert_eq!(found.proof, Some(Proof::Bound));
    for op in [2, 4] {
        streams.graph.ops[op].stream = Some(1);
    }
    assert_eq!(ordered(&streams, Rule::Exact).peak, Bytes(120));
    let mut kept = branches();
    kept.graph.tensors.push(tensor("counter".into(), 4));
    kept.graph.tensors[6].role = Role::State;
    for op in [1, 2, 3] {
        kept.graph.ops[op].inputs.push(Some(TensorId(6)));
    }
    let kept = Program::new(kept.graph);
    assert_eq!(ordered(&kept, Rule::Exact).schedule, kept.schedule);
}

#[test]
fn a_run_can_be_stopped_at_any_time() {
    let edges: Vec<(char, &str, u64)> = vec![
        ('a', "e", 9),
        ('b', "f", 8),
        ('c', "g", 7),
        ('d', "h", 6),
        ('e', "i", 2),
        ('f', "i", 3),
        ('g', "i", 2),
        ('h', "i", 3),
    ];
    let program = graph("abcdefghi", &edges);
    for rule in Rule::ALL {
        let mut asked = 0;
        let limits = Limits::default();
        let found = order(
            &program,
            &exact_bytes(),
            rule,
            &limits,
            &mut |done, total| {
                assert!(done <= total);
                asked += 1;
                false
            },
        );
        assert!(asked <= 1, "{rule:?}");
        assert!(found.peak <= found.before);
        assert!(found.bound <= found.peak);
        schedule::check(&program.graph, &program.storages, &found.schedule).expect("possible");
    }
    let limits = Limits {
        states: 0,
        tries: 0,
        ..Limits::default()
    };
    let found = ordered_within(&program, Rule::Exact, &limits);
    assert!(found.peak <= ordered(&program, Rule::Greedy).peak);
    assert!(ordered(&program, Rule::Exact).peak <= found.peak);
}

/// A file in which the operators of many branches stand side by side, and one of them reads all.
#[test]
fn a_hundred_thousand_operators_do_not_hang() {
    const PAIRS: usize = 50_000;
    let mut graph = Graph {
        dialect: Dialect::Onnx { opset: 17 },
        ..Graph::default()
    };
    for index in 0..2 * PAIRS {
        graph
            .tensors
            .push(tensor(format!("t{index}"), 8 - 7 * (index / PAIRS) as u64));
        let read = index.checked_sub(PAIRS).map(TensorId::at);
        graph.ops.push(Op {
            name: format!("f{index}"),
            inputs: vec![read],
            outputs: vec![Some(TensorId::at(index))],
            ..Op::new(Dialect::Onnx { opset: 17 }, "", "Abs")
        });
    }
    let all = (PAIRS..2 * PAIRS).map(|index| Some(TensorId::at(index)));
    graph.ops.push(Op {
        name: "all".into(),
        inputs: all.collect(),
        ..Op::new(Dialect::Onnx { opset: 17 }, "", "Concat")
    });
    let program = Program::new(graph);
    for rule in Rule::ALL {
        let found = ordered(&program, rule);
        assert_eq!(found.before.0, 8 * PAIRS as u64 + 1, "{rule:?}");
        // Each large one becomes a small one at once: all small ones and a large one.
        let least = if rule == Rule::File {
            found.before.0
        } else {
            PAIRS as u64 + 8
        };
        assert_eq!(found.peak.0, least, "{rule:?}");
    }
}

/// What loaders make of a file is ordered like what is written here: a model of two
/// branches through the whole way.
#[test]
fn a_model_of_the_tests_is_ordered() {
    let bytes = include_bytes!("../../data/plans/offline/documented.tflite");
    let (_, document, _) = load(&bytes.to_vec()).expect("a model");
    let settings = Settings {
        passes: PassSet::NONE,
        ..exact_bytes()
    };
    let subject = prepare(&document, &Bindings::new(), &settings).expect("small");
    let program = subject.program.expect("a model");
    for rule in Rule::ALL {
        let found = ordered(&program, rule);
        let highest = planner::profile(&subject.lifetimes).highest();
        assert_eq!(Some(found.before), highest.map(|(_, bytes)| bytes));
        assert!(found.peak <= found.before);
    }
}
