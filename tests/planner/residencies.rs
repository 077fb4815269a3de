//! Residencies of schedules that evict and recompute, views and chains, against brute force
//! over steps; and what goes wrong with a schedule, by name.

use planner::graph::{DType, Dialect, Graph, Op, OpId, Role, Tensor, TensorId};
use planner::schedule::{Action, Schedule, ScheduledStep};
use planner::storage::{StorageId, StorageKind};
use planner::{
    Bytes, Lifetimes, Options, Program, Residencies, Settings, Silent, Step, Strategy, check,
    lifetimes, plan, schedule,
};
use tests::random::Random;

/// A graph in which operator i writes tensor i of `64 × (1..9)` bytes and reads one or two
/// earlier ones; the first operator reads nothing.
fn arbitrary_graph(random: &mut Random, ops: usize) -> Graph {
    let mut graph = Graph {
        dialect: Dialect::Onnx { opset: 17 },
        ..Graph::default()
    };
    for index in 0..ops {
        let mut tensor = Tensor::new(format!("t{index}"), DType::U8);
        tensor.dims = Some(vec![64 * random.within(1, 9)]);
        tensor.role = Role::Intermediate;
        graph.tensors.push(tensor);
        let mut op = Op {
            name: format!("f{index}"),
            outputs: vec![Some(TensorId::at(index))],
            ..Op::new(Dialect::Onnx { opset: 17 }, "", "Sum")
        };
        for _ in 0..random.within(1, 3).min(index as u64) {
            op.inputs.push(Some(TensorId::at(random.index(index))));
        }
        graph.ops.push(op);
    }
    graph
}

/// Steps that compute everything, evict or swap out at random, and recompute or swap in what is
/// read again.
struct Maker<'a> {
    graph: &'a Graph,
    steps: Vec<Action>,
    resident: Vec<bool>,
    swapped: Vec<bool>,
}

impl Maker<'_> {
    fn need(&mut self, tensor: TensorId) {
        if std::mem::take(&mut self.swapped[tensor.index()]) {
            let storage = StorageId::at(tensor.index());
            self.steps.push(Action::SwapIn(storage));
            self.resident[tensor.index()] = true;
        }
        if !self.resident[tensor.index()] {
            let op = OpId::at(tensor.index());
            self.read_by(op);
            self.steps.push(Action::Recompute(op));
            self.resident[tensor.index()] = true;
        }
    }

    /// Makes every input resident: recomputing one may not evict another, so one round is
    /// enough.
    fn read_by(&mut self, op: OpId) {
        for tensor in self.graph.op(op).read().collect::<Vec<_>>() {
            self.need(tensor);
        }
    }
}

fn arbitrary_schedule(random: &mut Random, graph: &Graph) -> Vec<Action> {
    let mut maker = Maker {
        graph,
        steps: Vec::new(),
        resident: vec![false; graph.ops.len()],
        swapped: vec![false; graph.ops.len()],
    };
    for index in 0..graph.ops.len() {
        maker.read_by(OpId::at(index));
        maker.steps.push(Action::Compute(OpId::at(index)));
        maker.resident[index] = true;
        for storage in 0..=index {
            if maker.resident[storage] && random.below(4) == 0 {
                maker.resident[storage] = false;
                maker.swapped[storage] = random.below(3) == 0;
                let gone = match maker.swapped[storage] {
                    true => Action::SwapOut,
                    false => Action::Evict,
                };
                maker.steps.push(gone(StorageId::at(storage)));
            }
        }
        // A value may be written anew although it is still there.
        let again = random.index(index + 1);
        if random.below(5) == 0 && maker.resident[again] {
            maker.read_by(OpId::at(again));
            maker.steps.push(Action::Recompute(OpId::at(again)));
        }
    }
    maker.steps
}

fn program(graph: Graph, steps: &[Action]) -> Program {
    Program {
        schedule: Schedule {
            steps: steps.iter().copied().map(ScheduledStep::new).collect(),
        },
        ..Program::new(graph)
    }
}

/// The residency of tensor `tensor` at each step, numbered from 0 by the writes and swaps in so
/// far; `None` when it need not be there. Looks at every step alone: the values are needed until
/// they are evicted, through the step that swaps them out, or until they are read for the last
/// time before the next write.
fn brute_force(graph: &Graph, steps: &[Action], tensor: TensorId) -> Vec<Option<usize>> {
    let storage = StorageId::at(tensor.index());
    let op = |step: usize| steps[step].op().map(|op| graph.op(op));
    let writes = |step: usize| {
        steps[step] == Action::SwapIn(storage)
            || op(step).is_some_and(|op| op.written().any(|it| it == tensor))
    };
    let reads = |step: usize| op(step).is_some_and(|op| op.read().any(|it| it == tensor));
    // The first step at which the values are gone.
    let gone = |step: usize| match steps[step] {
        Action::Evict(of) if of == storage => Some(step),
        Action::SwapOut(of) if of == storage => Some(step + 1),
        _ => None,
    };
    (0..steps.len())
        .map(|now| {
            let written: Vec<usize> = (0..=now).filter(|&step| writes(step)).collect();
            let last = *written.last()?;
            let next = (now + 1..steps.len()).find(|&step| writes(step));
            let until = next.unwrap_or(steps.len());
            let needed = match (last..until).find_map(gone) {
                Some(gone) => now < gone,
                None => now == last || (now..until).any(reads),
            };
            needed.then_some(written.len() - 1)
        })
        .collect()
}

/// The same from the buffers.
fn found(lifetimes: &Lifetimes, tensor: TensorId) -> Vec<Option<usize>> {
    let residencies = Residencies::of(lifetimes);
    let storage = StorageId::at(tensor.index());
    let own = residencies.buffers(storage);
    (0..lifetimes.horizon.0)
        .map(|step| {
            let buffer = residencies.at(lifetimes, storage, Step(step))?;
            own.iter().position(|&other| other == buffer)
        })
        .collect()
}

#[test]
fn residencies_are_those_of_brute_force() {
    let mut random = Random::new(131);
    let (mut several, mut recomputed) = (0, 0);
    for _ in 0..1000 {
        let count = random.index(9) + 1;
        let graph = arbitrary_graph(&mut random, count);
        let steps = arbitrary_schedule(&mut random, &graph);
        let program = program(graph, &steps);
        schedule::check(&program.graph, &program.storages, &program.schedule).expect("possible");
        let lifetimes = lifetimes(&program, &Settings::default()).expect("small");
        for index in 0..count {
            let tensor = TensorId::at(index);
            let expected = brute_force(&program.graph, &steps, tensor);
            assert_eq!(
                found(&lifetimes, tensor),
                expected,
                "{tensor:?} in {steps:?}"
            );
            several += usize::from(expected.iter().flatten().max() > Some(&0));
        }
        recomputed += steps
            .iter()
            .filter(|step| matches!(step, Action::Recompute(_)))
            .count();
    }
    assert!(
        several > 500 && recomputed > 1000,
        "{several}, {recomputed}"
    );
}

#[test]
fn every_strategy_plans_residencies_apart() {
    let mut random = Random::new(132);
    let options = Options::aligned(Bytes(64));
    for _ in 0..40 {
        let count = random.index(9) + 3;
        let graph = arbitrary_graph(&mut random, count);
        let steps = arbitrary_schedule(&mut random, &graph);
        let lifetimes = lifetimes(&program(graph, &steps), &Settings::default()).expect("small");
        let names: std::collections::BTreeSet<&str> = lifetimes
            .buffers
            .iter()
            .map(|it| it.name.as_str())
            .collect();
        assert_eq!(
            names.len(),
            lifetimes.buffers.len(),
            "every residency has its own name"
        );
        for strategy in Strategy::ALL {
            let made = plan(strategy, &lifetimes, &options, &mut Silent).expect("a plan");
            assert_eq!(check(&lifetimes, &made, &options), [], "{strategy}");
        }
        let residencies = Residencies::of(&lifetimes);
        for storage in 0..count {
            let own = residencies.buffers(StorageId::at(storage));
            for pair in own.windows(2) {
                let [first, second] = [pair[0], pair[1]].map(|it| lifetimes.buffers[it].span);
                assert!(first.end <= second.start, "one residency at a time");
            }
        }
    }
}

#[test]
fn a_schedule_that_cannot_happen_is_named() {
    let mut random = Random::new(133);
    let graph = arbitrary_graph(&mut random, 6);
    let f = |index| Action::Compute(OpId::at(index));
    let cases: [(Vec<Action>, &str); 6] = [
        (vec![f(0), f(0)], "step 1: f0 was computed before"),
        (
            vec![Action::Recompute(OpId::at(0))],
            "step 0: f0 was never computed before",
        ),
        (
            vec![f(0), Action::Evict(StorageId::at(0)), f(1)],
            "step 2: t0 is needed, but was evicted at step 1",
        ),
        (
            vec![f(0), Action::Free(StorageId::at(1))],
            "step 1: t1 is needed, but has not been computed yet",
        ),
        (
            vec![f(0), Action::SwapIn(StorageId::at(0))],
            "step 1: t0 was not swapped out",
        ),
        (
            vec![f(0), Action::SwapOut(StorageId::at(0)), f(1)],
            "step 2: t0 is needed, but is swapped out",
        ),
    ];
    for (steps, expected) in cases {
        let program = program(graph.clone(), &steps);
        let error = schedule::check(&program.graph, &program.storages, &program.schedule);
        assert_eq!(error.expect_err("it cannot happen").to_string(), expected);
    }
}

/// t0 → t1, t2, t3 → t4, of 256 B each: t1 and t2 are the halves of t0, t3 its second half.
fn sliced() -> Program {
    let mut graph = Graph {
        dialect: Dialect::Onnx { opset: 17 },
        ..Graph::default()
    };
    let sizes = [256, 128, 128, 64, 256];
    for (index, bytes) in sizes.into_iter().enumerate() {
        let mut tensor = Tensor::new(format!("t{index}"), DType::U8);
        tensor.dims = Some(vec![bytes]);
        graph.tensors.push(tensor);
    }
    let op = |name: &str, read: &[u32], written: u32| Op {
        name: name.into(),
        inputs: read.iter().map(|&id| Some(TensorId(id))).collect(),
        outputs: vec![Some(TensorId(written))],
        ..Op::new(Dialect::Onnx { opset: 17 }, "", "Sum")
    };
    graph.ops = vec![
        op("make", &[], 0),
        op("front", &[0], 1),
        op("back", &[0], 2),
        op("quarter", &[2], 3),
        op("use", &[1], 4),
        op("use again", &[3, 4], 4),
    ];
    let mut program = Program::new(graph);
    let views = [(1, 0, 0), (2, 0, 128), (3, 2, 64)];
    for (tensor, base, offset) in views {
        let pair = (TensorId(tensor), TensorId(base));
        let joined = program
            .storages
            .alias(&program.graph, pair, Bytes(offset), &[]);
        joined.expect("inside its base");
    }
    program
}

#[test]
fn views_keep_their_base_alive() {
    let program = sliced();
    let made = lifetimes(&program, &Settings::default()).expect("small");
    // One buffer for t0 and its views, from the step that makes it to the last that reads the
    // quarter, which is a view of a view; and one for t4.
    let buffers: Vec<_> = made
        .buffers
        .iter()
        .map(|it| (it.name.as_str(), it.size.0, it.span.start.0, it.span.end.0))
        .collect();
    assert_eq!(buffers, [("t0", 256, 0, 6), ("t4", 256, 4, 6)]);
    let views: Vec<_> = made
        .views
        .iter()
        .map(|it| {
            let (start, end) = it.window;
            (
                it.name.as_str(),
                (start.0, end.0),
                (it.span.start.0, it.span.end.0),
            )
        })
        .collect();
    assert_eq!(
        views,
        [
            ("t0", (0, 256), (0, 3)),
            ("t1", (0, 128), (1, 5)),
            ("t2", (128, 256), (2, 4)),
            ("t3", (192, 256), (3, 6)),
        ]
    );
    for view in &made.views {
        let base = &made.buffers[view.buffer];
        assert!(base.span.start <= view.span.start && view.span.end <= base.span.end);
        assert!(view.window.1 <= base.payload);
    }
}

#[test]
fn a_view_outside_its_base_is_refused() {
    let mut program = sliced();
    let (graph, storages) = (&program.graph, &mut program.storages);
    let mut alias = |offset, strides: &[u64]| {
        let pair = (TensorId(4), TensorId(0));
        let joined = storages.alias(graph, pair, Bytes(offset), strides);
        joined.expect_err("it does not fit").to_string()
    };
    assert_eq!(
        alias(1, &[]),
        "its bytes 1 to 257 reach beyond the 256 bytes of its storage"
    );
    // 256 elements two bytes apart reach 511 bytes.
    assert_eq!(
        alias(0, &[2]),
        "its bytes 0 to 511 reach beyond the 256 bytes of its storage"
    );
    assert_eq!(
        alias(0, &[1, 1]),
        "there are not as many strides as dimensions"
    );
    assert_eq!(alias(u64::MAX, &[]), "it ends beyond 64 bits");
}

#[test]
fn who_holds_a_storage_holds_its_views() {
    let mut graph = sliced().graph;
    graph.tensors[3].role = Role::Output;
    graph.outputs = vec![TensorId(3)];
    let mut program = Program::new(graph);
    let pair = (TensorId(3), TensorId(0));
    let joined = program.storages.alias(&program.graph, pair, Bytes(64), &[]);
    joined.expect("inside its base");
    let base = program.storages.views[3].base;
    assert_eq!(
        program.storages.list[base.index()].kind,
        StorageKind::Output
    );
    // Beside the arena, then, under both names.
    let made = lifetimes(&program, &Settings::default()).expect("small");
    let names: Vec<&str> = made.buffers.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["t1", "t2", "t4"]);
}
