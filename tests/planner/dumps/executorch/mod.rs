//! ExecuTorch programs.

mod broken;
mod lives;

use planner::deployed::{Arena, Deployed, Held, Hold};
use planner::load::{Format, LoadError, Warning};
use planner::waste::WasteKind;
use planner::{Bytes, Offset, Options, Span, Step, bounds, judge};
use tests::chinese::load;
use tests::deployed::{deployed, part, split, violations};

use tests::executorch::{Instruction, Method, Program, Value, floats};

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
    assert_eq!(part(&split, WasteKind::Needed), 24);
    assert_eq!(part(&split, WasteKind::Padding), 8);
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
    assert_eq!(part(&split(&arena), WasteKind::Fragmentation), 0);
    // Instruction 14 reads 271 ([1, 64] at 8256), which no operator writes: it is 257
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
        .stacks
        .frames
        .iter()
        .map(|it| (it.file.as_str(), it.function.as_str(), it.line));
    assert!(frames.eq([("b.py", "g", 8), ("a.py", "f", 7)]));
    assert_eq!(found.stacks.indices(one.notes[1].stack), [0, 1]);
    // Of the tensors without a place, two are stored outside; the third has no bounds.
    let [warning] = &warnings[..] else {
        panic!("one warning, not {warnings:?}");
    };
    assert!(
        warning
            .message
            .to_string()
            .starts_with("1 tensor without a place"),
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
            .map(|arena| arena.name.to_string())
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

/// A backend such as XNNPACK pads the memory that it asks for: 32 bytes hold everything, 96 are
/// reserved, and the 64 behind the last byte break no rule.
#[test]
fn memory_behind_the_last_byte_is_a_tail() {
    let mut padded = chain();
    padded.memories = vec![0, 96];
    let arena = only(&Program::of(&[padded]));
    assert_eq!(violations(&arena), []);
    let split = split(&arena);
    assert_eq!(part(&split, WasteKind::Tail), 64);
    assert_eq!(part(&split, WasteKind::Needed), 32);
    let sum: i64 = split.parts.iter().map(|it| it.bytes).sum();
    assert_eq!(sum, 96);
}

#[test]
fn stacks_are_read_innermost_first() {
    let mut method = chain();
    let outer = ("train.py", "main", 3);
    method.frames = vec![vec![outer, ("net.py", "relu", 9)], vec![outer]];
    let (found, _) = read(&Program::of(&[method])).expect("a program");
    let lines = found
        .stacks
        .frames
        .iter()
        .map(|frame| (frame.file.as_str(), frame.line));
    assert!(lines.eq([("net.py", 9), ("train.py", 3)]));
    let notes = found.arenas[0].notes.iter();
    let frames = notes.map(|note| found.stacks.indices(note.stack));
    assert!(frames.eq([&[][..], &[0, 1], &[1]]));
}

#[test]
fn offsets_beyond_32_bits_are_read() {
    let mut method = chain();
    method.values[1] = floats(4, (1 << 33) + 16);
    method.memories = vec![0, (1 << 33) + 32];
    let arena = only(&Program::of(&[method]));
    assert_eq!(arena.plan.offsets[1], Offset((1 << 33) + 16));
}
