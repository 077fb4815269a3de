//! ExecuTorch programs.

mod builder;

use planner::deployed::{Arena, Deployed, Held, Hold};
use planner::load::{Document, Fault, Format, LoadError, Warning, load};
use planner::waste::Kind;
use planner::{Bytes, Handover, Offset, Options, Span, Step, bounds, judge};
use tests::deployed::{deployed, part, split, violations};
use tests::random::Random;

use builder::{FLOAT, Instruction, Method, Program, Tensor, Value, floats, with_header};

/// One addition, of ExecuTorch's examples.
const ADD: &[u8] = include_bytes!("../../../data/plans/executorch/add_model.pte");
/// Sixteen kernels, of ExecuTorch's examples.
const KEYWORD: &[u8] = include_bytes!("../../../data/plans/executorch/keyword_spotting.pte");
/// One of every kind of value and instruction, written by flatc from the JSON beside it.
const KINDS: &[u8] = include_bytes!("../../../data/plans/executorch/kinds.pte");

fn read(bytes: &[u8]) -> Result<(Deployed, Vec<Warning>), LoadError> {
    let (_, document, warnings) = load(&bytes.to_vec())?;
    Ok((deployed(document), warnings))
}

/// The one arena of a program that is read without a warning.
fn only(bytes: &[u8]) -> Arena {
    let (found, warnings) = read(bytes).expect("a program");
    assert_eq!(warnings, []);
    let [arena] = &found.arenas[..] else {
        panic!("one arena");
    };
    arena.clone()
}

fn spans(arena: &Arena) -> Vec<(&str, Span)> {
    let buffers = arena.lifetimes.buffers.iter();
    buffers
        .map(|buffer| (buffer.name.as_str(), buffer.span))
        .collect()
}

#[test]
fn the_addition_is_as_its_own_tool_prints_it() {
    // flatc prints: input 1 of [3] floats at 16, output 2 of [3] at 0, memory 1 of 32 bytes,
    // one call of aten::add.out.
    let (format, ..) = load(&ADD.to_vec()).expect("a program");
    assert_eq!(format, Format::Executorch);
    let arena = only(ADD);
    assert_eq!(
        spans(&arena),
        [("value 1", Span::new(0, 1)), ("value 2", Span::new(0, 1))]
    );
    assert_eq!(arena.plan.offsets, [Offset(16), Offset(0)]);
    assert_eq!(arena.plan.arena, Bytes(32));
    assert_eq!(arena.lifetimes.step_names, ["aten::add.out"]);
    let roles = arena.notes.iter().map(|note| note.role.as_str());
    assert!(roles.eq(["input 0", "output 0"]));
    assert_eq!(arena.notes[0].uses, [Step(0)]);
    assert_eq!(arena.notes[1].op, "aten::add.out");
    // Two tensors of 12 bytes in blocks of 16.
    let split = split(&arena);
    assert_eq!(part(&split, Kind::Needed), 24);
    assert_eq!(part(&split, Kind::Padding), 8);
    assert_eq!(violations(&arena), []);
}

#[test]
fn keyword_spotting_has_the_published_figures() {
    let arena = only(KEYWORD);
    // 28 tensors with a place; one of them is another name of a flattened one.
    let aliases: usize = arena.notes.iter().map(|note| note.aliases.len()).sum();
    assert_eq!(arena.lifetimes.buffers.len() + aliases, 28);
    assert_eq!(arena.lifetimes.step_names.len(), 16);
    assert_eq!(arena.plan.arena, Bytes(16_000));
    assert_eq!(violations(&arena), []);
    let bounds = bounds::aligned(&arena.lifetimes, Bytes(1));
    assert_eq!(bounds.offsets, Bytes(16_000));
    let options = Options::aligned(Bytes(1));
    let judged = judge(&arena.lifetimes, &bounds, &options, arena.plan.clone());
    assert!(judged.metrics.optimal);
    assert_eq!(part(&split(&arena), Kind::Fragmentation), 0);
    // Instruction 14 reads 271 ([1, 64] at 8256), which nobody writes: it is 257
    // ([1, 64, 1, 1] at 8256), which instruction 13 writes.
    let place = spans(&arena)
        .iter()
        .position(|&(name, _)| name == "value 257");
    let place = place.expect("value 257");
    assert_eq!(arena.notes[place].aliases, ["value 271"]);
    assert_eq!(spans(&arena)[place].1, Span::new(13, 15));
}

#[test]
fn every_kind_that_flatc_writes_is_read() {
    let (found, warnings) = read(KINDS).expect("a program");
    let [one, two] = &found.arenas[..] else {
        panic!("two arenas");
    };
    assert_eq!([&one.name, &two.name], ["memory 1", "memory 2"]);
    let steps = ["aten::cat.out", "XnnpackBackend", "move", "jump", "free"];
    assert_eq!(one.lifetimes.step_names, steps);
    // The input is read through the optional list and moved into; the jump at 3 goes back to
    // 1, so it stays until then. The output is written through the list and kept to the end.
    assert_eq!(
        spans(one),
        [("value 0", Span::new(0, 4)), ("value 1", Span::new(0, 5))]
    );
    assert_eq!(one.plan.offsets, [Offset(0), Offset(16)]);
    assert_eq!(spans(two), [("net.cache", Span::new(0, 5))]);
    let needed = Span::new(0, 1);
    let why = Hold::WholeLife;
    assert_eq!(two.notes[0].held, Some(Held { why, needed }));
    let frames = found
        .frames
        .iter()
        .map(|it| (it.file.as_str(), it.function.as_str(), it.line));
    assert!(frames.eq([("b.py", "g", 8), ("a.py", "f", 7)]));
    assert_eq!(one.notes[1].frames, [0, 1]);
    // Of the tensors without a place, two are stored outside; the third has no bounds.
    let [warning] = &warnings[..] else {
        panic!("one warning, not {warnings:?}");
    };
    assert!(
        warning.message.starts_with("1 tensor without a place"),
        "{warning:?}"
    );
}

/// `y = neg(relu(x))`, all of 4 floats: x at 0, r at 16, y at 0.
fn chain() -> Method {
    Method {
        name: "forward",
        values: vec![floats(4, 0), floats(4, 16), floats(4, 0)],
        inputs: vec![0],
        outputs: vec![2],
        instructions: vec![
            Instruction::Kernel(0, vec![0, 1, 1]),
            Instruction::Kernel(1, vec![1, 2, 2]),
        ],
        operators: vec!["aten::relu.out", "aten::neg.out"],
        memories: vec![0, 32],
        ..Method::default()
    }
}

#[test]
fn lives_follow_from_the_instructions() {
    let program = Program::of(&[chain()]);
    for bytes in [with_header(&program), program] {
        let arena = only(&bytes);
        assert_eq!(
            spans(&arena),
            [
                ("value 0", Span::new(0, 1)),
                ("value 1", Span::new(0, 2)),
                ("value 2", Span::new(1, 2)),
            ]
        );
        assert_eq!(violations(&arena), []);
        assert_eq!(split(&arena).arena, Bytes(32));
    }
    // A third instruction, and r is a result too: results are kept to the end.
    let mut longer = chain();
    longer
        .instructions
        .push(Instruction::Kernel(0, vec![2, 2, 2]));
    longer.outputs = vec![2, 1];
    let arena = only(&Program::of(&[longer]));
    assert_eq!(spans(&arena)[1], ("value 1", Span::new(0, 3)));
    assert_eq!(spans(&arena)[2], ("value 2", Span::new(1, 3)));
    assert_eq!(arena.notes[1].role, "output 1");
}

#[test]
fn bytes_are_handed_over_only_where_they_overlap() {
    // relu writes its result over x, which it reads for the last time.
    let mut method = chain();
    method.values[1] = floats(4, 0);
    method.values[2] = floats(4, 16);
    let arena = only(&Program::of(&[method]));
    let pair = Handover {
        before: 0,
        after: 1,
        shift: Bytes(0),
    };
    assert_eq!(arena.lifetimes.handovers, [pair]);
    assert_eq!(violations(&arena), []);
    assert_eq!(only(&Program::of(&[chain()])).lifetimes.handovers, []);
    // While x is still needed afterwards, it is an overlap and nothing else.
    let mut wrong = chain();
    wrong.values[1] = floats(4, 0);
    wrong.values[2] = floats(4, 16);
    wrong.instructions[1] = Instruction::Kernel(1, vec![1, 0, 2, 2]);
    let arena = only(&Program::of(&[wrong]));
    assert_eq!(violations(&arena).len(), 1);
    assert_eq!(split(&arena).arena, Bytes(32));
}

#[test]
fn states_keep_their_bytes_for_the_whole_run() {
    let state = |data| {
        Value::Tensor(Tensor {
            scalar: FLOAT,
            dims: vec![4],
            place: Some((1, 32)),
            data,
            name: "cache",
            ..Tensor::default()
        })
    };
    let mut method = chain();
    method.memories = vec![0, 48];
    method.values.push(state(1));
    method.instructions[1] = Instruction::Kernel(1, vec![1, 3, 2, 2]);
    // The file holds its first values; or it is read before it is written, in one call or
    // in two.
    let stored = method.clone();
    let mut in_place = method.clone();
    in_place.values[3] = state(0);
    in_place.instructions[1] = Instruction::Kernel(1, vec![3, 1, 3, 3]);
    in_place
        .instructions
        .push(Instruction::Kernel(1, vec![3, 2, 2]));
    let mut written_back = method;
    written_back.values[3] = state(0);
    written_back
        .instructions
        .push(Instruction::Kernel(0, vec![2, 3, 3]));
    for (method, needed) in [
        (stored, Span::new(1, 2)),
        (in_place, Span::new(1, 3)),
        (written_back, Span::new(1, 3)),
    ] {
        let steps = method.instructions.len() as u64;
        let arena = only(&Program::of(&[method]));
        assert_eq!(spans(&arena)[3], ("cache", Span::new(0, steps)));
        let why = Hold::WholeLife;
        assert_eq!(arena.notes[3].held, Some(Held { why, needed }));
        assert_eq!(arena.notes[3].role, "state");
        assert_eq!(violations(&arena), []);
        assert_eq!(split(&arena).arena, Bytes(48));
    }
}

#[test]
fn constants_and_foreign_tensors_have_no_place() {
    let mut method = chain();
    let unplaced = |data, dynamism| {
        Value::Tensor(Tensor {
            scalar: FLOAT,
            dims: vec![4],
            data,
            dynamism,
            ..Tensor::default()
        })
    };
    method.values[0] = unplaced(0, 0);
    method.values.push(unplaced(7, 0));
    method.values.push(unplaced(0, 2));
    method.instructions[1] = Instruction::Kernel(1, vec![1, 3, 4, 2, 2]);
    method.instructions.push(Instruction::Free(4));
    let (found, warnings) = read(&Program::of(&[method])).expect("a program");
    assert_eq!(spans(&found.arenas[0]).len(), 2);
    let [warning] = &warnings[..] else {
        panic!("one warning, not {warnings:?}");
    };
    // The input and the tensor without bounds; the constant is no news.
    assert!(
        warning.message.starts_with("2 tensors without a place"),
        "{warning:?}"
    );
    assert!(warning.message.ends_with("value 0"), "{warning:?}");
}

#[test]
fn lists_are_their_tensors() {
    let mut method = chain();
    method.values.push(Value::Optional(vec![-1, 0]));
    method.values.push(Value::List(vec![2]));
    method.values.push(Value::Int(3));
    method.instructions[1] = Instruction::Kernel(1, vec![1, 3, 5, 2, 4]);
    let arena = only(&Program::of(&[method]));
    // x is read by the second call too, through the list, while y is written over it.
    assert_eq!(spans(&arena)[0], ("value 0", Span::new(0, 2)));
    assert_eq!(arena.notes[0].uses, [Step(0), Step(1)]);
    assert_eq!(arena.notes[2].op, "aten::neg.out");
}

#[test]
fn views_are_other_names() {
    let mut method = chain();
    // A view of r, which is at the same place, is read at the end.
    method.values.push(floats(4, 16));
    method.operators.push("executorch_prim::et_view.default");
    method.instructions = vec![
        Instruction::Kernel(0, vec![0, 1, 1]),
        Instruction::Kernel(2, vec![1, 3, 3]),
        Instruction::Kernel(1, vec![3, 2, 2]),
    ];
    let arena = only(&Program::of(&[method]));
    assert_eq!(spans(&arena).len(), 3);
    assert_eq!(spans(&arena)[1], ("value 1", Span::new(0, 3)));
    assert_eq!(arena.notes[1].aliases, ["value 3"]);
    assert_eq!(violations(&arena), []);
}

#[test]
fn what_a_loop_needs_is_kept_until_it_ends() {
    let mut method = chain();
    // x is read at the start of a loop that goes on behind it.
    method.values.push(Value::Int(1));
    method.values[2] = floats(4, 32);
    method.memories = vec![0, 48];
    method.instructions = vec![
        Instruction::Kernel(0, vec![3, 1, 1]),
        Instruction::Kernel(0, vec![0, 1, 2, 2]),
        Instruction::Kernel(1, vec![2, 2, 2]),
        Instruction::JumpFalse(3, 1),
        Instruction::Kernel(1, vec![2, 2, 2]),
    ];
    let arena = only(&Program::of(&[method]));
    assert_eq!(spans(&arena)[0], ("value 0", Span::new(0, 4)));
    assert_eq!(spans(&arena)[1], ("value 1", Span::new(0, 4)));
    assert_eq!(arena.lifetimes.step_names[3], "jump");
}

#[test]
fn what_is_moved_lives_as_long_as_what_it_becomes() {
    let mut method = chain();
    method.values.push(floats(4, 32));
    method.memories = vec![0, 48];
    method.instructions = vec![
        Instruction::Kernel(0, vec![0, 1, 1]),
        Instruction::Move(1, 3),
        Instruction::Delegate(0, vec![3, 2]),
    ];
    method.delegates = vec!["XnnpackBackend"];
    let arena = only(&Program::of(&[method]));
    assert_eq!(spans(&arena)[1], ("value 1", Span::new(0, 3)));
    assert_eq!(
        arena.lifetimes.step_names,
        ["aten::relu.out", "move", "XnnpackBackend"]
    );
}

#[test]
fn memories_and_methods_are_arenas() {
    let mut two = chain();
    two.memories.push(64);
    let Value::Tensor(tensor) = &mut two.values[1] else {
        panic!("a tensor");
    };
    tensor.place = Some((2, 0));
    let (found, _) = read(&Program::of(&[two.clone()])).expect("a program");
    let names = |found: &Deployed| -> Vec<String> {
        found
            .arenas
            .iter()
            .map(|arena| arena.name.clone())
            .collect()
    };
    assert_eq!(names(&found), ["memory 1", "memory 2"]);
    assert_eq!(found.arenas[1].plan.arena, Bytes(64));
    let other = Method {
        name: "encode",
        ..chain()
    };
    let (found, _) = read(&Program::of(&[two, other])).expect("a program");
    assert_eq!(
        names(&found),
        ["forward, memory 1", "forward, memory 2", "encode"]
    );
}

#[test]
fn stacks_are_read_innermost_first() {
    let mut method = chain();
    let outer = ("train.py", "main", 3);
    method.frames = vec![vec![outer, ("net.py", "relu", 9)], vec![outer]];
    let (found, _) = read(&Program::of(&[method])).expect("a program");
    let lines = found
        .frames
        .iter()
        .map(|frame| (frame.file.as_str(), frame.line));
    assert!(lines.eq([("net.py", 9), ("train.py", 3)]));
    let frames = found.arenas[0].notes.iter().map(|note| note.frames.clone());
    assert!(frames.eq([vec![], vec![0, 1], vec![1]]));
}

#[test]
fn offsets_beyond_32_bits_are_read() {
    let mut method = chain();
    method.values[1] = floats(4, (1 << 33) + 16);
    method.memories = vec![0, (1 << 33) + 32];
    let arena = only(&Program::of(&[method]));
    assert_eq!(arena.plan.offsets[1], Offset((1 << 33) + 16));
}

/// The error of the chain after a change.
fn refused(change: impl Fn(&mut Method)) -> (Fault, String) {
    let mut method = chain();
    change(&mut method);
    let error = read(&Program::of(&[method])).expect_err("a broken program");
    assert!(error.place.starts_with("byte "), "{error}");
    (error.kind, error.message)
}

fn first(method: &mut Method, change: impl Fn(&mut Tensor)) {
    if let Some(Value::Tensor(tensor)) = method.values.first_mut() {
        change(tensor);
    }
}

#[test]
fn contradictions_are_refused_by_name() {
    use Fault::{Dangling, Limit, Malformed, Unsupported};
    let refusals = [
        (refused(|it| it.memories[1] = -5), Malformed, "-5 bytes"),
        (
            refused(|it| first(it, |t| t.dims = vec![-4])),
            Malformed,
            "-4 in its shape",
        ),
        (
            refused(|it| first(it, |t| t.dims = vec![i32::MAX; 9])),
            Limit,
            "2^64",
        ),
        (
            refused(|it| first(it, |t| t.scalar = 99)),
            Unsupported,
            "type 99",
        ),
        (
            refused(|it| first(it, |t| t.place = Some((0, 0)))),
            Malformed,
            "reserved",
        ),
        (
            refused(|it| first(it, |t| t.place = Some((9, 0)))),
            Dangling,
            "memory 9 of 1",
        ),
        (
            refused(|it| it.inputs = vec![77]),
            Dangling,
            "number 77 of 3",
        ),
        (
            refused(|it| it.outputs = vec![-1]),
            Dangling,
            "number -1 of 3",
        ),
        (
            refused(|it| it.values.push(Value::Unknown(40))),
            Unsupported,
            "kind 40",
        ),
        (
            refused(|it| it.values.push(Value::List(vec![-1]))),
            Dangling,
            "number -1",
        ),
        (
            refused(|it| it.instructions.push(Instruction::Kernel(5, vec![]))),
            Dangling,
            "number 5 of 2",
        ),
        (
            refused(|it| it.instructions.push(Instruction::Delegate(0, vec![]))),
            Dangling,
            "number 0 of 0",
        ),
        (
            refused(|it| it.instructions = vec![Instruction::JumpFalse(0, 0); 100]),
            Limit,
            "jumps back",
        ),
    ];
    for ((kind, message), expected, words) in refusals {
        assert_eq!(kind, expected, "{message}");
        assert!(message.contains(words), "{message} has no {words}");
    }
}

#[test]
fn a_place_beyond_everything_is_a_limit() {
    let mut method = chain();
    method.values[0] = floats(4, u64::MAX - 7);
    let error = read(&Program::of(&[method])).expect_err("beyond 64 bits");
    assert_eq!(error.kind, Fault::Limit);
}

#[test]
fn tensors_behind_their_memory_are_told() {
    let mut method = chain();
    method.memories[1] = 16;
    let (found, warnings) = read(&Program::of(&[method])).expect("a program");
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(!violations(&found.arenas[0]).is_empty());
}

#[test]
fn other_versions_are_refused() {
    let mut program = Program {
        identifier: "ET11",
        methods: vec![chain()],
    };
    let error = read(&program.bytes()).expect_err("an older schema");
    assert_eq!(
        (error.kind, error.place.as_str()),
        (Fault::Unsupported, "byte 4")
    );
    assert!(error.message.contains("ET11"), "{error}");
    program.identifier = "ET12";
    let mut bytes = with_header(&program.bytes());
    bytes[11] = b'7';
    let error = read(&bytes).expect_err("a newer header");
    assert_eq!(
        (error.kind, error.place.as_str()),
        (Fault::Unsupported, "byte 8")
    );
    let unplanned = Method {
        values: vec![Value::Int(1)],
        ..Method::default()
    };
    let error = read(&Program::of(&[unplanned])).expect_err("nothing is planned");
    assert!(error.message.contains("no tensor has a place"), "{error}");
}

#[test]
fn cut_off_anywhere_it_says_so() {
    for (whole, step) in [(ADD, 1), (KEYWORD, 131)] {
        for cut in (0..whole.len()).step_by(step) {
            let error = load(&whole[..cut].to_vec()).expect_err("a cut file");
            assert!(!error.place.is_empty());
            if cut >= 40 {
                assert_eq!(error.kind, Fault::Truncated, "cut at {cut}: {error}");
            }
        }
    }
    // Without the header that tells the length, what is missing is found by looking there.
    let whole = Program::of(&[chain()]);
    for cut in 8..whole.len() {
        let _returns = load(&whole[..cut].to_vec());
    }
}

#[test]
fn damaged_anywhere_it_returns() {
    let mut random = Random::new(12);
    let small = with_header(&Program::of(&[chain()]));
    for (whole, times) in [(&small[..], 6000), (ADD, 6000), (KEYWORD, 400)] {
        for _ in 0..times {
            let mut bytes = whole.to_vec();
            for _ in 0..=random.index(4) {
                let at = random.index(bytes.len());
                bytes[at] = u8::try_from(random.below(256)).expect("a byte");
            }
            if let Ok((_, Document::Deployed(found), _)) = load(&bytes) {
                for arena in &found.arenas {
                    let _listed = violations(arena);
                    assert_eq!(split(arena).arena, arena.plan.arena);
                }
            }
        }
    }
}

#[test]
fn a_million_instructions_are_refused_or_read() {
    let mut method = chain();
    method.instructions = vec![Instruction::Kernel(0, vec![0, 1, 1]); 100_000];
    let arena = only(&Program::of(&[method.clone()]));
    assert_eq!(spans(&arena)[0], ("value 0", Span::new(0, 100_000)));
    method.instructions = vec![Instruction::Kernel(0, vec![]); 1 << 20];
    let error = read(&Program::of(&[method])).expect_err("more than fits");
    assert_eq!(error.kind, Fault::Limit);
}
