//! The edges over a picture are what the graph's operators read and write: against brute force,
//! byte by byte and step by step, over arbitrary programs, the samples and the lessons.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use lesson::Problem;
use planner::graph::{Bindings, DType, Dialect, Graph, Op, OpId, Role, Tensor, TensorId};
use planner::load::{Document, load};
use planner::schedule::{Action, Schedule, ScheduledStep};
use planner::storage::StorageId;
use planner::training::choice;
use planner::{
    Bytes, Lifetimes, PassSet, Program, Residencies, Settings, Step, Subject, lifetimes, passes,
    prepare,
};
use tests::lessons::lessons;
use tests::random::Random;
use timeline::graph_strip::Strip;

/// Reader, writer and tensor of an edge.
type Wire = (u64, u64, TensorId);

/// The operator that runs at each step.
fn running(program: &Program) -> Vec<Option<&Op>> {
    let steps = program.schedule.steps.iter();
    let op = |step: &ScheduledStep| Some(program.graph.op(step.action.op()?));
    steps.map(op).collect()
}

/// Looks back from every read: for the last step at which the tensor was written, else, for each
/// place of its storage, for the last one at which anything that lies there was. Of places that
/// begin and end alike, `places` has one.
fn brute_force(program: &Program, places: &dyn Fn(StorageId) -> Vec<u64>) -> BTreeSet<Wire> {
    let ops = running(program);
    let base = |tensor| program.storages.view(tensor).map(|view| view.base);
    let holds = |tensor: TensorId, place: u64| {
        let window = program.storages.window(&program.graph, tensor);
        window.is_none_or(|(start, end)| start.0 <= place && place < end.0)
    };
    let mut wires = BTreeSet::new();
    for (to, op) in ops.iter().enumerate() {
        for tensor in op.iter().flat_map(|op| op.read()) {
            let last = |wrote: &dyn Fn(TensorId) -> bool| {
                (0..to)
                    .rev()
                    .find(|&from| ops[from].is_some_and(|op| op.written().any(wrote)))
            };
            let own = last(&|it| it == tensor);
            let of_places = places(base(tensor).expect("a storage")).into_iter();
            let of_places = of_places.filter(|&place| own.is_none() && holds(tensor, place));
            let of_places = of_places
                .filter_map(|place| last(&|it| base(it) == base(tensor) && holds(it, place)));
            let writers = own.into_iter().chain(of_places);
            wires.extend(writers.map(|from| (to as u64, from as u64, tensor)));
        }
    }
    wires
}

/// Where anything of a storage begins: between two such places nothing changes.
fn beginnings(program: &Program) -> impl Fn(StorageId) -> Vec<u64> {
    let count = program.storages.list.len();
    let mut places = vec![BTreeSet::from([0]); count];
    for (index, view) in program.storages.views.iter().enumerate() {
        let window = program.storages.window(&program.graph, TensorId::at(index));
        if let Some((start, end)) = window {
            places[view.base.index()].extend([start.0, end.0]);
        }
    }
    move |storage| places[storage.index()].iter().copied().collect()
}

fn wires(strip: &Strip) -> BTreeSet<Wire> {
    let edges = strip.edges.iter();
    let wires: BTreeSet<Wire> = edges.map(|it| (it.to, it.from, it.tensor)).collect();
    assert_eq!(wires.len(), strip.edges.len(), "an edge is there once");
    wires
}

/// What holds of every strip: its nodes are the steps with operators, and their buffers, those of
/// edges too, hold what is read and written.
fn nodes_hold(strip: &Strip, program: &Program, lifetimes: &Lifetimes) {
    let residencies = Residencies::of(lifetimes);
    let ops = running(program);
    let steps: Vec<u64> = (0_u64..)
        .zip(&ops)
        .filter_map(|(step, op)| op.map(|_| step))
        .collect();
    assert_eq!(
        strip.nodes.iter().map(|node| node.step).collect::<Vec<_>>(),
        steps
    );
    let mut ran = BTreeSet::new();
    for node in &strip.nodes {
        let index = usize::try_from(node.step).expect("it is a step");
        let op = ops[index].expect("it runs");
        assert_eq!(node.name, op.name);
        let id = program.schedule.op(index);
        assert_eq!(node.again, !ran.insert(id), "{}", op.name);
        let held = |tensor| residencies.operand(program, lifetimes, (Step(node.step), tensor));
        let set = |all: &[usize]| all.iter().copied().collect::<BTreeSet<usize>>();
        assert_eq!(set(&node.reads), op.read().filter_map(held).collect());
        assert_eq!(set(&node.writes), op.written().filter_map(held).collect());
    }
    for edge in &strip.edges {
        let held = residencies.operand(program, lifetimes, (Step(edge.to), edge.tensor));
        assert_eq!(edge.buffer, held);
    }
    for buffer in 0..lifetimes.buffers.len() {
        let touching = |own: &dyn Fn(&timeline::graph_strip::Node) -> bool| {
            let nodes = strip.nodes.iter().filter(|node| own(node));
            nodes.map(|node| node.step).collect::<Vec<u64>>()
        };
        let written = touching(&|node| node.writes.contains(&buffer));
        let read = touching(&|node| node.reads.contains(&buffer));
        assert_eq!(strip.touching(buffer), (written, read));
    }
}

/// Operators over tensors of a few bytes. Some tensors are parts of others: no operator writes
/// them, or they are the pieces that a whole is written in. Operators run again by chance.
fn arbitrary(random: &mut Random) -> Program {
    let mut graph = Graph {
        dialect: Dialect::Onnx { opset: 17 },
        ..Graph::default()
    };
    let count = random.index(12) + 2;
    let mut views = Vec::new();
    for index in 0..count {
        let mut tensor = Tensor::new(format!("t{index}"), DType::U8);
        let bytes = if index == 0 { 9 } else { random.within(0, 6) };
        tensor.dims = Some(vec![bytes]);
        tensor.role = [
            Role::Intermediate,
            Role::Intermediate,
            Role::Input,
            Role::Constant,
        ][random.index(4)];
        // Many are parts of the first, which no operator writes as a whole.
        let whole = random.index(count) / 2;
        if whole < index && random.below(2) == 0 {
            let room = graph.tensors[whole].dims.as_ref().map_or(0, |dims| dims[0]);
            let offset = Bytes(random.within(0, room.saturating_sub(bytes) + 1));
            views.push((TensorId::at(index), TensorId::at(whole), offset));
        }
        graph.tensors.push(tensor);
        if index > 0 && random.below(3) > 0 {
            let mut op = Op {
                name: format!("f{index}"),
                outputs: vec![Some(TensorId::at(index))],
                ..Op::new(Dialect::Onnx { opset: 17 }, "", "Sum")
            };
            for _ in 0..random.below(4).min(index as u64) {
                let chosen = random.index(index) * random.index(2);
                op.inputs.push(Some(TensorId::at(chosen)));
            }
            graph.ops.push(op);
        }
    }
    let mut steps = Vec::new();
    for index in 0..graph.ops.len() {
        steps.push(Action::Compute(OpId::at(index)));
        if random.below(3) == 0 {
            steps.push(Action::Recompute(OpId::at(random.index(index + 1))));
        }
        if random.below(4) == 0 {
            let written = graph.ops[index].written().next().expect("each writes one");
            steps.push(Action::Evict(StorageId::at(written.index())));
        }
    }
    let mut program = Program {
        schedule: Schedule {
            steps: steps.into_iter().map(ScheduledStep::new).collect(),
        },
        ..Program::new(graph)
    };
    for (tensor, base, offset) in views {
        // Refused where it would reach beyond.
        let _ = program
            .storages
            .alias(&program.graph, (tensor, base), offset, &[]);
    }
    program
}

#[test]
fn edges_are_the_reads_and_writes_of_arbitrary_programs() {
    let mut random = Random::new(42);
    let (mut pieces, mut again, mut fed) = (0, 0, 0);
    for _ in 0..2000 {
        let program = arbitrary(&mut random);
        let lifetimes = lifetimes(&program, &Settings::default()).expect("small");
        let strip = Strip::of(&program, &lifetimes);
        assert_eq!(wires(&strip), brute_force(&program, &|_| (0..16).collect()));
        nodes_hold(&strip, &program, &lifetimes);
        // The generator makes what is to be looked at.
        let both = strip.edges.windows(2);
        pieces += both
            .filter(|it| it[0].tensor == it[1].tensor && it[0].to == it[1].to)
            .count();
        again += strip.nodes.iter().filter(|node| node.again).count();
        fed += strip.nodes.iter().filter(|node| node.fed).count();
    }
    assert!(
        pieces > 100 && again > 100 && fed > 100,
        "{pieces} {again} {fed}"
    );
}

/// Every graph that comes with the page: of the samples and of the lessons.
fn documents() -> Vec<(String, Document)> {
    let public = Path::new(env!("CARGO_MANIFEST_DIR")).join("../public/samples");
    let samples = fs::read_dir(public).expect("the samples");
    let samples = samples.map(|file| file.expect("a file").path());
    let samples = samples.filter(|path| path.extension().is_some_and(|it| it == "onnx"));
    let samples = samples.map(|path| {
        let name = path.file_name().expect("a name").to_string_lossy();
        (name.into_owned(), fs::read(&path).expect("a sample"))
    });
    let of_lessons = lessons().into_iter().flat_map(|(file, lesson)| {
        let problems = lesson.problems.into_iter();
        let graphs = problems.filter(|(_, problem)| matches!(problem, Problem::Graph(_)));
        let graphs = graphs.filter_map(move |(name, problem)| {
            Some((format!("{file}: {name}"), problem.file()?.0.into_bytes()))
        });
        graphs.collect::<Vec<_>>()
    });
    let mut files: Vec<(String, Vec<u8>)> = samples.chain(of_lessons).collect();
    files.sort();
    let read = |(name, bytes): (String, Vec<u8>)| match load(&bytes) {
        Ok((_, document, _)) => (name, document),
        Err(error) => panic!("{name}: {error}"),
    };
    files.into_iter().map(read).collect()
}

fn bindings() -> Bindings {
    [("batch", 1), ("sequence_length", 128)]
        .map(|(name, size)| (name.to_owned(), size))
        .into()
}

fn prepared(document: &Document, settings: &Settings) -> Subject {
    prepare(document, &bindings(), settings).expect("it is small")
}

#[test]
fn edges_are_the_reads_and_writes_of_samples_and_lessons() {
    let all = "fusion,views,in_place=aggressive,order";
    let sets = [PassSet::NONE, passes::parse(all).expect("passes")];
    let (mut lesson_graphs, mut edges) = (0, 0);
    for (name, document) in documents() {
        for passes in sets {
            let settings = Settings {
                passes,
                ..Settings::default()
            };
            let subject = prepared(&document, &settings);
            let program = subject.program.as_ref().expect("a graph");
            let strip = Strip::of(program, &subject.lifetimes);
            let expected = brute_force(program, &beginnings(program));
            assert_eq!(wires(&strip), expected, "{name} {passes:?}");
            nodes_hold(&strip, program, &subject.lifetimes);
            assert!(!strip.nodes.is_empty(), "{name}");
            edges += strip.edges.len();
        }
        lesson_graphs += usize::from(name.contains(".json"));
    }
    assert!(lesson_graphs > 5 && edges > 500, "{lesson_graphs} {edges}");
}

#[test]
fn a_training_step_is_recomputed_from_what_came_last() {
    let mut documents = documents().into_iter();
    let (_, document) = documents
        .find(|(name, _)| name == "mobilenet_v2.onnx")
        .expect("the sample");
    let settings = Settings {
        training: choice::parse("sqrt_n,1"),
        ..Settings::default()
    };
    let subject = prepared(&document, &settings);
    let program = subject.program.as_ref().expect("a graph");
    let strip = Strip::of(program, &subject.lifetimes);
    assert!(
        strip.nodes.iter().any(|node| node.again),
        "nothing is recomputed"
    );
    assert_eq!(wires(&strip), brute_force(program, &beginnings(program)));
    nodes_hold(&strip, program, &subject.lifetimes);
}

#[test]
fn the_nearest_operator_is_found_from_any_step() {
    let mut random = Random::new(7);
    for _ in 0..200 {
        let program = arbitrary(&mut random);
        let strip = Strip::of(&program, &Lifetimes::default());
        for step in 0..program.schedule.len() as u64 + 3 {
            let far = |node: &timeline::graph_strip::Node| (node.step.abs_diff(step), node.step);
            let expected = (0..strip.nodes.len()).min_by_key(|&it| far(&strip.nodes[it]));
            assert_eq!(strip.nearest(step), expected);
            let at = strip.nodes.iter().position(|node| node.step == step);
            assert_eq!(strip.at(step), at);
        }
    }
}
