//! Stages of a graph are runs of the same model: what passes leave behind computes the same
//! outputs, to the bit, in the bytes that one arena has.

use executor::lower::Lowered;
use planner::graph::{Op, TensorId};
use planner::schedule::{Action, ScheduledStep};
use planner::{Bytes, Io, Program, Settings, Strategy, bounds, passes, schedule};
use tests::onnx_builder::{Axis, DataType, OnnxBuilder, int, ints};
use tests::random::Random;
use tests::runs::{Model, gpu, words};

const F: DataType = DataType::FLOAT;

/// Passes that change no bit of an output.
const CHOICES: [&str; 10] = [
    "",
    "fusion",
    "fusion=activations",
    "views",
    "concat",
    "in_place=aggressive",
    "fusion,views",
    "views,concat,in_place=mxnet",
    "fusion,views,in_place=onnxruntime",
    "fusion,views,concat,in_place=aggressive",
];

/// A model after some passes, planned and lowered, with what the CPU reference computes.
struct Run {
    model: Model,
    lowered: Lowered,
    arena: Bytes,
    outputs: Vec<Vec<u32>>,
}

fn run(bytes: &[u8], inputs: &[Vec<u32>], io: Io, choice: &str) -> Run {
    let settings = Settings {
        io,
        alignment: Bytes(4),
        passes: passes::parse(choice).expect("passes"),
        ..Settings::default()
    };
    let model = Model::open_with(bytes, settings);
    possible(&model.program);
    let plan = model.plan(Strategy::OffsetsBySize);
    let lowered = model.lowered(&plan).unwrap_or_else(|error| {
        panic!("{choice}: {error}{}", told(&model.program));
    });
    let outputs = model.on_cpu(&lowered, inputs);
    Run {
        model,
        lowered,
        arena: plan.arena,
        outputs,
    }
}

/// The number of buffers and the arena after each choice of passes, beside the arena and in it,
/// of runs that all give the same bits on the CPU reference, and the same up to rounding on a GPU.
fn agree(bytes: &[u8], inputs: &[Vec<u32>]) -> Vec<(usize, Bytes)> {
    let (mut first, mut first_on_gpu) = (None, None);
    let gpu = gpu();
    let mut figures = Vec::new();
    for io in [Io::Beside, Io::Litert] {
        for choice in CHOICES {
            let run = run(bytes, inputs, io, choice);
            let first = first.get_or_insert_with(|| run.outputs.clone());
            assert_eq!(*first, run.outputs, "{choice} {io:?}");
            if let Some(gpu) = &gpu {
                let found = run.model.on_gpu(gpu, &run.lowered, inputs, PATTERN);
                let found = found.expect("a run");
                let first = first_on_gpu.get_or_insert_with(|| found.clone());
                assert!(close(first, &found), "{choice} {io:?} on the GPU");
                assert!(close(&run.outputs, &found), "{choice} {io:?} on the GPU");
            }
            figures.push((run.model.lifetimes.buffers.len(), run.arena));
        }
    }
    figures
}

/// Fills the memory before a run on the GPU: 1e30.
const PATTERN: u32 = 0x7149_f2ca;

/// Whether all elements differ by rounding at most.
fn close(one: &[Vec<u32>], other: &[Vec<u32>]) -> bool {
    let pairs = one.iter().flatten().zip(other.iter().flatten());
    pairs.into_iter().all(|(one, other)| {
        let (one, other) = (f32::from_bits(*one), f32::from_bits(*other));
        (one - other).abs() <= 1e-4 * one.abs().max(1.0)
    })
}

/// A graph of up to twelve operators on tensors of three small dimensions, and its input.
fn arbitrary(random: &mut Random) -> (Vec<u8>, Vec<u32>) {
    let mut b = OnnxBuilder::new("arbitrary", 17);
    let dims: Vec<i64> = (0..3).map(|_| small(random, 1, 4)).collect();
    let axes: Vec<Axis> = dims.iter().map(|&dim| dim.into()).collect();
    let x = b.input("x", F, &axes);
    let count = u32::try_from(dims.iter().product::<i64>()).expect("small");
    let mut known = vec![(x, dims)];
    for number in 0..2 + random.below(11) {
        let name = format!("t{number}");
        // What was written last is read most.
        let back = random.index(3).min(known.len() - 1);
        let (x, dims) = known[known.len() - 1 - back].clone();
        known.push(next(random, &mut b, &name, (&x, &dims), &known));
    }
    // Two results, the last one and another.
    let last = known.len() - 1;
    let other = random.index(known.len());
    for (number, index) in [(0, last), (1, other)] {
        if number == 1 && (other == last || other == 0) {
            break;
        }
        let (name, dims) = &known[index];
        let axes: Vec<Axis> = dims.iter().map(|&dim| dim.into()).collect();
        b.output(name, F, &axes);
    }
    (b.finish(), ramp(count))
}

fn small(random: &mut Random, low: u64, high: u64) -> i64 {
    i64::try_from(random.within(low, high + 1)).expect("small")
}

/// One more operator that reads `x`, and another tensor where it takes two.
fn next(
    random: &mut Random,
    b: &mut OnnxBuilder,
    name: &str,
    (x, dims): (&str, &[i64]),
    known: &[(String, Vec<i64>)],
) -> (String, Vec<i64>) {
    let alike: Vec<&(String, Vec<i64>)> = known.iter().filter(|it| it.1 == dims).collect();
    let other = &alike[random.index(alike.len())].0;
    let axis = random.index(3);
    let mut after = dims.to_vec();
    match random.below(13) {
        0..3 => {
            let kind = ["Relu", "Exp", "Tanh", "Neg", "Sigmoid"][random.index(5)];
            b.op(name, kind, &[x], vec![]);
        }
        3..5 => {
            let kind = ["Add", "Sub", "Mul", "Max"][random.index(4)];
            b.op(name, kind, &[x, other], vec![]);
        }
        5 => {
            let values: Vec<f32> = gains(dims[2], -1.0, 0.5);
            let row = b.floats(&format!("{name} row"), &[dims[2]], &values);
            b.op(name, "Mul", &[x, &row], vec![]);
        }
        6 => {
            b.op(name, "Softmax", &[x], vec![int("axis", axis as i64)]);
        }
        7 => {
            let (perm, from) = [
                ([0, 2, 1], [0, 2, 1]),
                ([2, 1, 0], [2, 1, 0]),
                ([1, 2, 0], [1, 2, 0]),
            ][random.index(3)];
            b.op(name, "Transpose", &[x], vec![ints("perm", &perm)]);
            after = from.iter().map(|&from: &usize| dims[from]).collect();
        }
        8 => {
            let start = small(random, 0, dims[axis].cast_unsigned() - 1);
            let step = small(random, 1, 2);
            let of = |what, value| (format!("{name} {what}"), value);
            let [start_in, end, along, by] = [
                of("start", start),
                of("end", dims[axis]),
                of("axis", axis as i64),
                of("step", step),
            ]
            .map(|(name, value)| b.ints(&name, &[1], &[value]));
            b.op(name, "Slice", &[x, &start_in, &end, &along, &by], vec![]);
            after[axis] = (dims[axis] - start + step - 1) / step;
        }
        9 => {
            after = vec![dims[1], 1, dims[0] * dims[2]];
            let shape = b.ints(&format!("{name} shape"), &[3], &after);
            b.op(name, "Reshape", &[x, &shape], vec![]);
        }
        10 => {
            b.op(name, "Concat", &[x, other], vec![int("axis", axis as i64)]);
            after[axis] *= 2;
        }
        11 => {
            let keep = vec![ints("axes", &[axis as i64]), int("keepdims", 1)];
            b.op(name, "ReduceMean", &[x], keep);
            after[axis] = 1;
        }
        _ => {
            let turned = b.op(
                &format!("{name} turned"),
                "Transpose",
                &[other],
                vec![ints("perm", &[0, 2, 1])],
            );
            b.op(name, "MatMul", &[x, &turned], vec![]);
            after[2] = dims[1];
        }
    }
    (name.to_owned(), after)
}

/// Every choice of passes and rules, a few for each graph: outputs keep their bits, the
/// schedule stays possible, and no pass raises the bound.
#[test]
fn arbitrary_graphs_keep_their_bits_through_every_pass() {
    let rules = |name: &str| match name {
        "fusion" => vec!["", "fusion", "fusion=activations"],
        "views" => vec!["", "views", "views=contiguous"],
        "concat" => vec!["", "concat"],
        "order" => vec![
            "",
            "order",
            "order=search",
            "order=greedy",
            "order=depth_first",
        ],
        _ => vec![
            "",
            "in_place",
            "in_place=mxnet",
            "in_place=onnxruntime",
            "in_place=aggressive",
        ],
    };
    let mut random = Random::new(17);
    let mut saved = 0;
    for number in 0..2000 {
        let (bytes, input) = arbitrary(&mut random);
        let inputs = [input];
        let io = [Io::Beside, Io::Litert, Io::WholeRun][random.index(3)];
        let bound = |run: &Run| bounds::aligned(&run.model.lifetimes, Bytes(4)).offsets;
        let plain = run(&bytes, &inputs, io, "");
        for _ in 0..6 {
            let choice = ["fusion", "views", "concat", "in_place", "order"].map(|pass| {
                let rules = rules(pass);
                rules[random.index(rules.len())]
            });
            let choice = choice.join(",");
            let passed = run(&bytes, &inputs, io, &choice);
            assert_eq!(
                plain.outputs, passed.outputs,
                "graph {number} {choice} {io:?}"
            );
            assert!(
                bound(&passed) <= bound(&plain),
                "graph {number} {choice} {io:?}"
            );
            saved += u64::from(bound(&passed) < bound(&plain));
        }
    }
    assert!(saved > 2000, "{saved}");
}

fn possible(program: &Program) {
    let checked = schedule::check(&program.graph, &program.storages, &program.schedule);
    checked.unwrap_or_else(|error| panic!("{error}: {}", told(program)));
}

/// What each operator reads and writes, and where that lies.
fn told(program: &Program) -> String {
    let name = |id: &TensorId| {
        let view = program.storages.view(*id).expect("a view");
        let base = program.storages.named(view.base).expect("a name");
        let name = |id: TensorId| &program.graph.tensor(id).name;
        let (offset, strides) = (view.offset.0, &view.strides);
        format!("{} in {} at {offset} {strides:?}", name(*id), name(base))
    };
    let line = |op: &Op| {
        let read: Vec<String> = op.read().map(|id| name(&id)).collect();
        let written: Vec<String> = op.written().map(|id| name(&id)).collect();
        let parts = op.fused.iter().flat_map(|parts| &parts.ops);
        let parts: Vec<&str> = parts.map(|part| part.kind.as_str()).collect();
        let (written, read) = (written.join(", "), read.join("; "));
        format!("\n{written} = {} {parts:?}({read})", op.kind)
    };
    program.operators().map(line).collect()
}

/// So many numbers, each `step` above the one before.
fn gains(count: i64, step: f32, first: f32) -> Vec<f32> {
    let mut next = first - step;
    let one = |_| {
        next += step;
        next
    };
    (0..count).map(one).collect()
}

fn ramp(count: u32) -> Vec<u32> {
    let value = |i: u32| f32::from(u16::try_from(i % 97).expect("small")) / 16.0 - 2.5;
    words(&(0..count).map(value).collect::<Vec<f32>>())
}

/// The articles' example: x1 → conv → slice[1:10, 2:20] → transpose → relu → exp.
fn article() -> Vec<u8> {
    let mut b = OnnxBuilder::new("article", 17);
    let x1 = b.input("x1", F, &[1.into(), 1.into(), 32.into(), 32.into()]);
    let w = b.floats(
        "w",
        &[1, 1, 3, 3],
        &[0.5, -1.0, 0.25, 1.0, 0.125, -0.5, 0.75, 0.0, 1.0],
    );
    let x2 = b.op("x2", "Conv", &[&x1, &w], vec![ints("pads", &[1, 1, 1, 1])]);
    let starts = b.ints("starts", &[2], &[1, 2]);
    let ends = b.ints("ends", &[2], &[10, 20]);
    let axes = b.ints("axes", &[2], &[2, 3]);
    let x3 = b.op("x3", "Slice", &[&x2, &starts, &ends, &axes], vec![]);
    let x4 = b.op("x4", "Transpose", &[&x3], vec![ints("perm", &[0, 1, 3, 2])]);
    let x5 = b.op("x5", "Relu", &[&x4], vec![]);
    let x6 = b.op("x6", "Exp", &[&x5], vec![]);
    b.output(&x6, F, &[1.into(), 1.into(), 18.into(), 9.into()]);
    b.finish()
}

#[test]
fn the_articles_example_runs_in_two_allocations() {
    let figures = agree(&article(), &[ramp(1024)]);
    // With inputs and outputs in the arena: six tensors at first, and in the end the input
    // and the convolution.
    let (all, least) = (figures[CHOICES.len()], figures[2 * CHOICES.len() - 1]);
    assert_eq!((all.0, least.0), (6, 2));
    assert!(least.1 <= all.1);
}

/// Normalisations as exporters write them, with and without a centre, by quotient and by
/// reciprocal: their parts round, so the kernel must round as they do.
#[test]
fn normalisations_by_hand_keep_their_bits() {
    for (centred, reciprocal) in [(true, false), (true, true), (false, false), (false, true)] {
        let mut b = OnnxBuilder::new("norm", 17);
        let dims = [2.into(), 3.into(), 8.into()];
        let x = b.input("x", F, &dims);
        let [two, epsilon, one] = [("two", 2.0), ("epsilon", 1e-5), ("one", 1.0)]
            .map(|(name, value)| b.constant_float(name, value));
        let gain = gains(8, 0.125, 1.0);
        let gamma = b.floats("gamma", &[8], &gain);
        let beta = b.floats("beta", &[8], &gain);
        let last = || vec![ints("axes", &[-1])];
        let d = if centred {
            let mean = b.op("mean", "ReduceMean", &[&x], last());
            b.op("d", "Sub", &[&x, &mean], vec![])
        } else {
            b.op("d", "Tanh", &[&x], vec![])
        };
        let square = b.op("square", "Pow", &[&d, &two], vec![]);
        let variance = b.op("variance", "ReduceMean", &[&square], last());
        let sum = b.op("sum", "Add", &[&variance, &epsilon], vec![]);
        let root = b.op("root", "Sqrt", &[&sum], vec![]);
        let divided = if reciprocal {
            let inverse = b.op("inverse", "Div", &[&one, &root], vec![]);
            b.op("divided", "Mul", &[&d, &inverse], vec![])
        } else {
            b.op("divided", "Div", &[&d, &root], vec![])
        };
        let scaled = b.op("scaled", "Mul", &[&divided, &gamma], vec![]);
        let y = b.op("y", "Add", &[&scaled, &beta], vec![]);
        b.output(&y, F, &dims);
        let bytes = b.finish();
        let figures = agree(&bytes, &[ramp(48)]);
        // In the arena: the input, and one block for all the rest.
        assert_eq!(figures[figures.len() - 1].0, 2);
    }
}

/// Branches, residuals, a normalisation by hand, attention and a concatenation.
#[test]
fn a_block_with_everything_keeps_its_bits() {
    let mut b = OnnxBuilder::new("block", 17);
    let dims = [2.into(), 4.into(), 8.into()];
    let x = b.input("x", F, &dims);
    let w = b.floats("w", &[8, 8], &gains(64, 0.01, -0.3));
    let bias = b.floats("bias", &[8], &[0.1, -0.2, 0.3, 0.0, 0.5, -0.1, 0.2, 0.4]);
    let scale = b.constant_float("scale", 0.353_553_4);
    let q = b.op("q", "MatMul", &[&x, &w], vec![]);
    let qb = b.op("qb", "Add", &[&q, &bias], vec![]);
    let k = b.op("k", "MatMul", &[&x, &w], vec![]);
    let kt = b.op("kt", "Transpose", &[&k], vec![ints("perm", &[0, 2, 1])]);
    let s = b.op("s", "MatMul", &[&qb, &kt], vec![]);
    let scaled = b.op("scaled", "Mul", &[&s, &scale], vec![]);
    let p = b.op("p", "Softmax", &[&scaled], vec![int("axis", -1)]);
    let v = b.op("v", "MatMul", &[&p, &x], vec![]);
    let sum = b.op("sum", "Add", &[&v, &x], vec![]);
    let gate = b.op("gate", "Sigmoid", &[&sum], vec![]);
    let swish = b.op("swish", "Mul", &[&sum, &gate], vec![]);
    let [zero, four, eight, two] = [("zero", 0), ("four", 4), ("eight", 8), ("two", 2)]
        .map(|(name, value)| b.ints(name, &[1], &[value]));
    let left = b.op("left", "Slice", &[&swish, &zero, &four, &two], vec![]);
    let right = b.op("right", "Slice", &[&swish, &four, &eight, &two], vec![]);
    let a = b.op("a", "Exp", &[&left], vec![]);
    let c = b.op("c", "Neg", &[&right], vec![]);
    let joined = b.op("joined", "Concat", &[&a, &c], vec![int("axis", 2)]);
    let rows = b.op("rows", "Concat", &[&joined, &swish], vec![int("axis", 0)]);
    let y = b.op("y", "Tanh", &[&rows], vec![]);
    b.output(&y, F, &[4.into(), 4.into(), 8.into()]);
    agree(&b.finish(), &[ramp(64)]);
}

/// Rules broken on purpose: what is written over is still read, what is viewed was given back, a
/// stride is wrong. The judge of schedules finds all of them, and so do the outputs of what can
/// still be run.
#[test]
fn a_broken_rule_changes_outputs_and_is_judged() {
    let mut b = OnnxBuilder::new("broken", 17);
    let dims = [1.into(), 4.into(), 4.into()];
    let x = b.input("x", F, &dims);
    let kept = b.op("kept", "Exp", &[&x], vec![]);
    let over = b.op("over", "Neg", &[&kept], vec![]);
    let turned = b.op(
        "turned",
        "Transpose",
        &[&kept],
        vec![ints("perm", &[0, 2, 1])],
    );
    let y = b.op("y", "Add", &[&over, &turned], vec![]);
    b.output(&y, F, &dims);
    let bytes = b.finish();
    let settings = Settings {
        passes: passes::parse("views").expect("a pass"),
        ..Settings::default()
    };
    let sound = Model::open_with(&bytes, settings);
    let id = |name: &str| {
        let mut tensors = sound.program.graph.tensors.iter();
        TensorId::at(tensors.position(|it| it.name == name).expect("a tensor"))
    };
    let outputs = |program: Program| {
        let judged = schedule::check(&program.graph, &program.storages, &program.schedule);
        let model = Model::of_program(&bytes, program);
        let plan = model.plan(Strategy::OffsetsBySize);
        let lowered = model.lowered_corrupted(&plan).expect("kernels for all");
        (model.on_cpu(&lowered, &[ramp(16)]), judged)
    };
    let (expected, judged) = outputs(sound.program.clone());
    assert_eq!(judged, Ok(()));
    let mut written_over = sound.program.clone();
    let view = written_over.storages.views[id("kept").index()].clone();
    written_over.storages.views[id("over").index()] = view;
    let (found, judged) = outputs(written_over);
    assert_ne!(found, expected);
    assert!(judged.is_err_and(|error| error.to_string().contains("was written over it")));
    let mut wrong = sound.program.clone();
    wrong.storages.views[id("turned").index()].strides = vec![16, 4, 1];
    let (found, judged) = outputs(wrong);
    assert_ne!(found, expected);
    assert!(judged.is_err_and(|error| error.to_string().contains("does not lie where")));
    let mut dead = sound.program.clone();
    let kept = dead.storages.views[id("kept").index()].base;
    dead.schedule
        .steps
        .insert(2, ScheduledStep::new(Action::Free(kept)));
    let judged = schedule::check(&dead.graph, &dead.storages, &dead.schedule);
    assert!(judged.is_err_and(|error| error.to_string().contains("was freed at step 2")));
}
