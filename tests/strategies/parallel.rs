//! Spans widened for operators that run at the same time.

use planner::graph::{Bindings, DType, Dialect, Dim, Graph, Op, Role, Tensor, TensorId};
use planner::load::Document;
use planner::{
    Bytes, Io, Lifetimes, Options, Parallel, Plan, Program, Settings, Silent, Span, Strategy,
    lifetimes, load, passes, plan, prepare,
};
use tests::judged::judged;
use tests::random::Random;

/// An operator by the tensors it reads and writes, and its stream.
type Row<'a> = (&'a [u32], &'a [u32], Option<u32>);

/// A model of `rows` over as many tensors as they name; a tensor that no operator writes is an
/// input. Tensor t has 4 · (t + 1) bytes.
fn model(rows: &[Row<'_>]) -> Graph {
    let ids = |ids: &[u32]| ids.iter().map(|&id| Some(TensorId(id))).collect();
    let op = |(index, &(inputs, outputs, stream)): (usize, &Row<'_>)| Op {
        name: format!("op {index}"),
        inputs: ids(inputs),
        outputs: ids(outputs),
        stream,
        ..Op::default()
    };
    let ops: Vec<Op> = rows.iter().enumerate().map(op).collect();
    let named = rows.iter().flat_map(|row| row.0.iter().chain(row.1));
    let count = named.max().map_or(0, |&last| last + 1);
    let tensor = |id: u32| {
        let written = rows.iter().any(|row| row.1.contains(&id));
        Tensor {
            role: if written {
                Role::Intermediate
            } else {
                Role::Input
            },
            dims: Some(vec![u64::from(id) + 1]),
            ..Tensor::new(format!("t{id}"), DType::F32)
        }
    };
    Graph {
        tensors: (0..count).map(tensor).collect(),
        ops,
        ..Graph::default()
    }
}

fn live(graph: &Graph, parallel: Parallel) -> Lifetimes {
    let settings = Settings {
        alignment: Bytes(1),
        parallel,
        ..Settings::default()
    };
    lifetimes(&Program::new(graph.clone()), &settings).expect("small sizes")
}

/// Spans by name of the tensor.
fn spans(graph: &Graph, parallel: Parallel) -> Vec<(String, Span)> {
    let buffers = live(graph, parallel).buffers.into_iter();
    let mut spans: Vec<_> = buffers.map(|buffer| (buffer.name, buffer.span)).collect();
    spans.sort();
    spans
}

fn named(spans: &[(&str, u64, u64)]) -> Vec<(String, Span)> {
    let span = |&(name, start, end): &(&str, u64, u64)| (name.to_owned(), Span::new(start, end));
    spans.iter().map(span).collect()
}

/// Operator 0 feeds two branches, 1 → 2 and 3 → 4, which operator 5 joins.
fn branches(streams: [Option<u32>; 6]) -> Graph {
    model(&[
        (&[0], &[1], streams[0]),
        (&[1], &[2], streams[1]),
        (&[2], &[3], streams[2]),
        (&[1], &[4], streams[3]),
        (&[4], &[5], streams[4]),
        (&[3, 5], &[6], streams[5]),
    ])
}

/// By hand. Early: of all operators only 0 must have finished when 3 runs, so t4, which it
/// writes, may be live from step 1 on, and so may t5, which follows. Largest sum of live
/// sizes: at step 2, t1 to t5, 8 + 12 + 16 + 20 + 24 = 80 bytes. Late: 3 and 4 may have
/// started while 1 and 2 still run, so t1 and t2 live on to step 4: t1 to t5 again. Early
/// spans are taken where both are equally good.
#[test]
fn branches_are_live_beside_each_other() {
    let graph = branches([None; 6]);
    let serial = [
        ("t1", 0, 4),
        ("t2", 1, 3),
        ("t3", 2, 6),
        ("t4", 3, 5),
        ("t5", 4, 6),
        ("t6", 5, 6),
    ];
    assert_eq!(spans(&graph, Parallel::Serial), named(&serial));
    let early = [
        ("t1", 0, 4),
        ("t2", 1, 3),
        ("t3", 2, 6),
        ("t4", 1, 5),
        ("t5", 1, 6),
        ("t6", 5, 6),
    ];
    assert_eq!(spans(&graph, Parallel::Free), named(&early));
}

/// A chain t3 → t4 → t5 of 16, 20 and 24 bytes, and t1 of 8 bytes, written by an operator
/// that waits for no other: after the chain, or before it. By hand: after it, t1 may be live
/// early from step 0 on, or t3 and t4 late to step 3; before it, t3, t4 and t5 may be live
/// early from step 0 on, or t1 as in the serial run.
#[test]
fn the_cheaper_of_early_and_late_is_taken() {
    let after = model(&[
        (&[0], &[3], None),
        (&[3], &[4], None),
        (&[4], &[5], None),
        (&[0], &[1], None),
        (&[1, 5], &[2], None),
    ]);
    let early = [
        ("t1", 0, 5),
        ("t2", 4, 5),
        ("t3", 0, 2),
        ("t4", 1, 3),
        ("t5", 2, 5),
    ];
    assert_eq!(spans(&after, Parallel::Free), named(&early));
    let before = model(&[
        (&[0], &[1], None),
        (&[0], &[3], None),
        (&[3], &[4], None),
        (&[4], &[5], None),
        (&[1, 5], &[2], None),
    ]);
    let late = [
        ("t1", 0, 5),
        ("t2", 4, 5),
        ("t3", 1, 3),
        ("t4", 2, 4),
        ("t5", 3, 5),
    ];
    assert_eq!(spans(&before, Parallel::Free), named(&late));
}

/// One stream is the serial run; a stream for each branch is as free as no stream at all. In
/// between, by hand: with operators 1 and 4 in one stream, 4 waits for 1 as well. Late spans
/// are cheaper, at 72 bytes in step 4: t1 is not live then, because 4 starts after 1.
#[test]
fn operators_of_one_stream_wait_for_each_other() {
    let serial = spans(&branches([None; 6]), Parallel::Serial);
    for one in [None, Some(7)] {
        assert_eq!(spans(&branches([one; 6]), Parallel::Streams), serial);
    }
    // Operators that name none are in stream 0 with those that name it.
    let mixed = [None, Some(0), None, Some(0), Some(0), None];
    assert_eq!(spans(&branches(mixed), Parallel::Streams), serial);
    let apart = [0, 1, 1, 2, 2, 3].map(Some);
    let free = spans(&branches([None; 6]), Parallel::Free);
    assert_eq!(spans(&branches(apart), Parallel::Streams), free);
    let linked = [0, 1, 2, 3, 1, 4].map(Some);
    let expected = [
        ("t1", 0, 4),
        ("t2", 1, 5),
        ("t3", 2, 6),
        ("t4", 3, 5),
        ("t5", 4, 6),
        ("t6", 5, 6),
    ];
    assert_eq!(
        spans(&branches(linked), Parallel::Streams),
        named(&expected)
    );
}

#[test]
fn pinned_tensors_stay_pinned() {
    let settings = Settings {
        io: Io::WholeRun,
        parallel: Parallel::Free,
        ..Settings::default()
    };
    let lifetimes = lifetimes(&Program::new(branches([None; 6])), &settings).expect("small sizes");
    let input = lifetimes.buffers.iter().find(|buffer| buffer.name == "t0");
    assert_eq!(input.map(|input| input.span), Some(Span::new(0, 6)));
}

/// A model whose operators read up to three of the last tensors and write one or two.
fn random_model(random: &mut Random, count: u32, streams: u64) -> Graph {
    let mut rows = Vec::new();
    let mut tensors = 1_u32;
    for _ in 0..count {
        let reach = random.within(1, 12);
        let read = |random: &mut Random| {
            let back = u32::try_from(random.below(reach)).expect("below 12");
            (tensors - 1).saturating_sub(back)
        };
        let inputs: Vec<u32> = (0..random.below(4)).map(|_| read(random)).collect();
        let outputs: Vec<u32> = (tensors..=tensors + u32::from(random.below(4) == 0)).collect();
        tensors += u32::try_from(outputs.len()).expect("one or two");
        let stream = u32::try_from(random.below(streams)).ok();
        rows.push((inputs, outputs, stream));
    }
    let rows: Vec<Row<'_>> = rows.iter().map(|row| (&*row.0, &*row.1, row.2)).collect();
    model(&rows)
}

/// For each operator those it waits for directly: the writers of what it reads, and with
/// streams the one before it in its stream.
fn waits(graph: &Graph, parallel: Parallel) -> Vec<Vec<usize>> {
    let producers = graph.producers();
    let of = |(index, op): (usize, &Op)| {
        let mut before: Vec<usize> = op
            .read()
            .filter_map(|tensor| producers[tensor.index()])
            .map(planner::graph::OpId::index)
            .collect();
        let in_stream = |&other: &usize| graph.ops[other].stream == op.stream;
        if parallel == Parallel::Streams {
            before.extend((0..index).rev().find(in_stream));
        }
        before
    };
    graph.ops.iter().enumerate().map(of).collect()
}

/// The operators that use each tensor, in order.
fn users(graph: &Graph) -> Vec<Vec<usize>> {
    let mut users = vec![Vec::new(); graph.tensors.len()];
    for (index, op) in graph.ops.iter().enumerate() {
        for tensor in op.written().chain(op.read()) {
            let known: &mut Vec<usize> = &mut users[tensor.index()];
            known.push(index);
        }
    }
    users
}

fn tensor_of(lifetimes: &Lifetimes, buffer: usize) -> usize {
    let storage = lifetimes.buffers[buffer].storage;
    storage.expect("a model's buffers are storages").index()
}

#[test]
fn disjoint_spans_are_a_dependency() {
    let mut random = Random::new(11);
    let mut disjoint = 0;
    for round in 0..60 {
        let graph = random_model(&mut random, 5 + 2 * round, 3);
        for parallel in [Parallel::Free, Parallel::Streams] {
            let waits = waits(&graph, parallel);
            // Row u, column v: u comes before v in every order.
            let count = graph.ops.len();
            let mut before = vec![vec![false; count]; count];
            for late in 0..count {
                for &direct in &waits[late] {
                    for row in &mut before[..late] {
                        row[late] |= row[direct];
                    }
                    before[direct][late] = true;
                }
            }
            let users = users(&graph);
            let lifetimes = live(&graph, parallel);
            let buffers = &lifetimes.buffers;
            for (first, one) in buffers.iter().enumerate() {
                for (second, other) in buffers.iter().enumerate() {
                    if one.span.end > other.span.start {
                        continue;
                    }
                    disjoint += 1;
                    let writer = users[tensor_of(&lifetimes, second)][0];
                    for &user in &users[tensor_of(&lifetimes, first)] {
                        assert!(before[user][writer], "{} {}", one.name, other.name);
                    }
                }
            }
        }
    }
    assert!(disjoint > 10_000, "only {disjoint} pairs");
}

/// When each operator starts and has finished if it waits for its inputs, then for a random
/// while, and takes a random while.
fn run(random: &mut Random, waits: &[Vec<usize>]) -> Vec<(u64, u64)> {
    let mut times: Vec<(u64, u64)> = Vec::new();
    for waits in waits {
        let ready = waits.iter().map(|&before| times[before].1).max();
        let patience = if random.below(4) == 0 { 40 } else { 3 };
        let start = ready.unwrap_or(0) + random.below(patience);
        times.push((start, start + random.within(1, 8)));
    }
    times
}

/// Whether the one buffer may be written over the other in that run: when its writer starts,
/// all other users of the old one have finished, and no other user of the new one has started
/// before the writer has finished.
fn handed_over(known: (&Lifetimes, &[Vec<usize>]), pair: [usize; 2], times: &[(u64, u64)]) -> bool {
    let (lifetimes, users) = known;
    let allowed = lifetimes.handovers.iter();
    allowed.into_iter().any(|handover| {
        let (before, after) = (handover.before, handover.after);
        let [before_users, after_users] =
            [before, after].map(|buffer| &users[tensor_of(lifetimes, buffer)]);
        let writer = after_users[0];
        let over = before_users.iter().filter(|&&user| user != writer);
        let fresh = after_users.iter().filter(|&&user| user != writer);
        (pair == [before, after] || pair == [after, before])
            && over.clone().all(|&user| times[user].1 <= times[writer].0)
            && fresh.clone().all(|&user| times[user].0 >= times[writer].1)
    })
}

/// Two buffers that share bytes and are live together in that run, by name.
fn collision(graph: &Graph, known: (&Lifetimes, &Plan), times: &[(u64, u64)]) -> Option<String> {
    let (lifetimes, plan) = known;
    let users = users(graph);
    let block = |index: usize| {
        let users = users[tensor_of(lifetimes, index)].iter();
        let begin = users.clone().map(|&user| times[user].0).min();
        let end = users.map(|&user| times[user].1).max();
        let from = plan.offsets[index].0;
        let bytes = (from, from + lifetimes.buffers[index].size.0);
        (begin.unwrap_or(0), end.unwrap_or(0), bytes)
    };
    let blocks: Vec<_> = (0..lifetimes.buffers.len()).map(block).collect();
    for (first, one) in blocks.iter().enumerate() {
        for (second, other) in blocks.iter().enumerate().skip(first + 1) {
            let together = one.0 < other.1 && other.0 < one.1;
            let share = one.2.0 < other.2.1 && other.2.0 < one.2.1;
            if together && share && !handed_over((lifetimes, &users), [first, second], times) {
                let name = |index: usize| &lifetimes.buffers[index].name;
                return Some(format!("{} and {}", name(first), name(second)));
            }
        }
    }
    None
}

#[test]
fn no_plan_adds_a_dependency() {
    let mut random = Random::new(5);
    let options = Options::aligned(Bytes(1));
    let mut serial_collides = 0;
    for round in 0..12 {
        let graph = random_model(&mut random, 10 + 3 * round, 3);
        for parallel in [Parallel::Free, Parallel::Streams] {
            let waits = waits(&graph, parallel);
            let runs: Vec<_> = (0..6).map(|_| run(&mut random, &waits)).collect();
            for strategy in Strategy::ALL {
                let safe = live(&graph, parallel);
                let made = judged(strategy, &safe, &options);
                for times in &runs {
                    let found = collision(&graph, (&safe, &made), times);
                    assert_eq!(found, None, "{strategy} {parallel:?}");
                }
                let serial = live(&graph, Parallel::Serial);
                let made = plan(strategy, &serial, &options, &mut Silent).expect("a plan");
                let hit =
                    |times: &Vec<(u64, u64)>| collision(&graph, (&serial, &made), times).is_some();
                serial_collides += usize::from(runs.iter().any(hit));
            }
        }
    }
    // Serial plans do go wrong when branches run together, or the test could not fail.
    assert!(serial_collides > 100, "only {serial_collides}");
}

/// Models of element-wise operators, whose results may be written over what they read last:
/// where spans are widened, that still holds for every order of execution.
#[test]
fn handovers_stay_right_when_operators_run_together() {
    let mut random = Random::new(17);
    let options = Options::aligned(Bytes(1));
    let (mut handovers, mut shared) = (0, 0);
    for round in 0..30 {
        let mut graph = random_model(&mut random, 10 + round, 3);
        graph.dialect = Dialect::Onnx { opset: 20 };
        for tensor in &mut graph.tensors {
            tensor.declared = Some(vec![Dim::Fixed(64)]);
        }
        for op in &mut graph.ops {
            let kind = if op.inputs.len() == 1 { "Relu" } else { "Add" };
            op.rename(graph.dialect, "", kind);
        }
        for parallel in [Parallel::Free, Parallel::Streams] {
            let waits = waits(&graph, parallel);
            let settings = Settings {
                alignment: Bytes(1),
                passes: passes::parse("in_place").expect("a pass"),
                parallel,
                ..Settings::default()
            };
            let document = Document::Model(graph.clone());
            let subject = prepare(&document, &Bindings::new(), &settings);
            let lifetimes = subject.expect("small sizes").lifetimes;
            handovers += lifetimes.handovers.len();
            for strategy in Strategy::ALL {
                let made = judged(strategy, &lifetimes, &options);
                let at = |&buffer: &usize| made.offsets[buffer];
                let used = lifetimes.handovers.iter();
                shared += used.filter(|it| at(&it.before) == at(&it.after)).count();
                for _ in 0..4 {
                    let times = run(&mut random, &waits);
                    let found = collision(&graph, (&lifetimes, &made), &times);
                    assert_eq!(found, None, "{strategy} {parallel:?}");
                }
            }
        }
    }
    assert!(handovers > 50, "only {handovers} hand-overs");
    assert!(shared > 100, "only {shared} of them used");
}

/// 150,000 operators in a chain, each waited for by the next two, are beyond what
/// reachability is computed for: every span is the whole run, which is safe.
#[test]
fn very_large_models_are_live_throughout() {
    let count = 150_000_u32;
    let rows: Vec<([u32; 2], [u32; 1])> = (1..=count)
        .map(|t| ([t - 1, t.saturating_sub(2)], [t]))
        .collect();
    let ids = |ids: &[u32]| ids.iter().map(|&id| Some(TensorId(id))).collect();
    let op = |(inputs, outputs): &([u32; 2], [u32; 1])| Op {
        inputs: ids(inputs),
        outputs: ids(outputs),
        ..Op::default()
    };
    let tensor = |id: u32| Tensor {
        role: if id == 0 {
            Role::Input
        } else {
            Role::Intermediate
        },
        dims: Some(vec![1]),
        ..Tensor::new(format!("t{id}"), DType::F32)
    };
    let graph = Graph {
        tensors: (0..=count).map(tensor).collect(),
        ops: rows.iter().map(op).collect(),
        ..Graph::default()
    };
    let whole = Span::new(0, u64::from(count));
    let lifetimes = live(&graph, Parallel::Free);
    assert!(lifetimes.buffers.iter().all(|buffer| buffer.span == whole));
}

/// A protobuf field that holds bytes.
fn field(number: u8, content: &[u8]) -> Vec<u8> {
    let len = u8::try_from(content.len()).expect("short");
    assert!(len < 128, "one byte of length");
    [&[number << 3 | 2, len], content].concat()
}

/// `NodeProto`: input 1, output 2, `op_type` 4, `metadata_props` 9 with key 1 and value 2.
fn relu(input: &str, output: &str, stream: &str) -> Vec<u8> {
    let other = [field(1, b"note"), field(2, b"1")].concat();
    let entry = [field(1, b"stream"), field(2, stream.as_bytes())].concat();
    let node = [
        field(1, input.as_bytes()),
        field(2, output.as_bytes()),
        field(4, b"Relu"),
        field(9, &entry),
        field(9, &other),
    ];
    field(1, &node.concat())
}

/// The streams of an ONNX file (IR version 10 and later) are in its operators' metadata; one
/// that is no number is reported and taken as none.
#[test]
fn onnx_operators_name_their_streams() {
    let graph = [
        relu("x", "a", "0"),
        relu("a", "b", "3"),
        relu("b", "c", "fast"),
        field(11, &field(1, b"x")),
        field(12, &field(1, b"c")),
    ];
    let version = [0x08, 10];
    let file = [version.to_vec(), field(7, &graph.concat())].concat();
    let (_, document, warnings) = load::load(&file).expect("a small model");
    let Document::Model(graph) = document else {
        panic!("a model");
    };
    let streams: Vec<Option<u32>> = graph.ops.iter().map(|op| op.stream).collect();
    assert_eq!(streams, [Some(0), Some(3), None]);
    let reported =
        |warning: &&load::Warning| warning.message.to_string().contains("stream is no number");
    assert_eq!(warnings.iter().filter(reported).count(), 1);
}
