//! Programs that contradict themselves, are cut off, damaged or too large.

use planner::Span;
use planner::load::{Document, Fault};
use tests::chinese::load;
use tests::deployed::{split, violations};
use tests::random::Random;

use super::{ADD, KEYWORD, chain, only, read, spans};
use tests::executorch::{Instruction, Method, Program, Tensor, Value, floats, with_header};

/// The error of the chain after a change.
fn refused(change: impl Fn(&mut Method)) -> (Fault, String) {
    let mut method = chain();
    change(&mut method);
    let error = read(&Program::of(&[method])).expect_err("a broken program");
    assert!(error.place.to_string().starts_with("byte "), "{error}");
    (error.kind, error.message.to_string())
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
fn tensors_beyond_their_memory_are_reported() {
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
        (error.kind, error.place.to_string().as_str()),
        (Fault::Unsupported, "byte 4")
    );
    assert!(error.message.to_string().contains("ET11"), "{error}");
    program.identifier = "ET12";
    let mut bytes = with_header(&program.bytes());
    bytes[11] = b'7';
    let error = read(&bytes).expect_err("a newer header");
    assert_eq!(
        (error.kind, error.place.to_string().as_str()),
        (Fault::Unsupported, "byte 8")
    );
    let unplanned = Method {
        values: vec![Value::Int(1)],
        ..Method::default()
    };
    let error = read(&Program::of(&[unplanned])).expect_err("nothing is planned");
    assert!(
        error.message.to_string().contains("no tensor has a place"),
        "{error}"
    );
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
    // Without the header that holds the length, what is missing is found by looking there.
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
