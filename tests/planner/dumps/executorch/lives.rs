//! From when to when a value needs its bytes, which follows from the instructions.

use planner::deployed::{Held, Hold};
use planner::{Bytes, Handover, Span, Step};
use tests::deployed::{split, violations};

use super::{chain, only, read, spans};
use tests::executorch::{FLOAT, Instruction, Program, Tensor, Value, floats, with_header};

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
        warning
            .message
            .to_string()
            .starts_with("2 tensors without a place"),
        "{warning:?}"
    );
    assert!(
        warning.message.to_string().ends_with("value 0"),
        "{warning:?}"
    );
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
    // x is read at the start of a loop that goes on after it.
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
