//! Who allocated a buffer: what stacks and scopes say.

use planner::attribution::{Attribution, Owner, Phase, called, owner};
use planner::deployed::{Deployed, Frame, Note, Scope, Stacks};
use planner::load::{Document, load};
use planner::{Buffer, Lifetimes, Span};
use tests::snapshot::Spec;
use tests::snapshot::program::SAID;

fn frame(function: &str, file: &str) -> Frame {
    Frame {
        function: function.into(),
        file: file.into(),
        line: 3,
    }
}

fn read(spec: &Spec) -> (Vec<usize>, Deployed) {
    let made = spec.make();
    let (_, document, _) = load(&made.bytes(4)).expect("a snapshot");
    let Document::Deployed(deployed) = document else {
        panic!("a trace");
    };
    let stacks = made.blocks(0).into_iter().map(|it| it.taken.stack);
    (stacks.collect(), deployed)
}

/// By hand for every stack of the generator: C++ frames around Python ones, a stack of 100
/// frames, a gradient without Python.
#[test]
fn every_stack_of_the_generator_is_attributed() {
    let (stacks, deployed) = read(&Spec::of(3, 2_000));
    let arena = &deployed.arenas[0];
    let said = Attribution::of(
        &arena.lifetimes,
        &arena.notes,
        &deployed.stacks,
        &arena.scopes,
    );
    let mut seen = [0; SAID.len()];
    for ((&stack, note), phase) in stacks.iter().zip(&arena.notes).zip(&said.phases) {
        let caller = &said.callers[note.stack as usize];
        let line = |frame: Option<u32>| {
            let frame = frame.map(|it| called(&deployed.stacks.frames[it as usize]));
            frame.unwrap_or_default()
        };
        let expected = SAID[stack];
        assert_eq!(line(caller.frame), expected.caller);
        assert_eq!(line(caller.module), expected.module);
        assert_eq!(caller.operator, expected.operator);
        assert_eq!(phase.map_or("", Phase::name), expected.phase);
        seen[stack] += 1;
    }
    assert!(seen[1..].iter().all(|count| *count > 0), "{seen:?}");
    let depths = deployed.stacks.stacks.iter().map(Vec::len);
    assert_eq!(depths.max(), Some(100));
}

#[test]
fn frames_belong_to_program_library_or_runtime() {
    let of = |file: &str| owner(&frame("f", file));
    for file in [
        "/home/k/train.py",
        "C:\\work\\train.py",
        "/workspace/torch_model/net.py",
        "<stdin>",
        "/tmp/ipykernel_712/3812.py",
        "src/torchlike/optim/mine.py",
    ] {
        assert_eq!(of(file), Owner::Program, "{file}");
    }
    for file in [
        "/usr/lib/python3.12/threading.py",
        "/venv/lib/python3.11/site-packages/transformers/trainer.py",
        "C:\\py\\Lib\\site-packages\\torch\\nn\\functional.py",
        "/pytorch/torch/nn/functional.py",
        "/pytorch/torch/_tensor.py",
        "<frozen importlib._bootstrap>",
        "<eval_with_key>.12",
        "/tmp/torchinductor_k/ab/cab.py",
    ] {
        assert_eq!(of(file), Owner::Library, "{file}");
    }
    for file in [
        "??",
        "",
        "/pytorch/c10/cuda/CUDACachingAllocator.cpp",
        "ceval.c",
    ] {
        assert_eq!(of(file), Owner::Runtime, "{file}");
    }
}

/// A buffer at each step from 0 to 9; the third stack is of the optimizer.
fn phases(scopes: &[(&str, u64, u64)], stack: u32) -> Vec<Option<Phase>> {
    let buffers = (0..10).map(|step| Buffer::new("b", 1, Span::new(step, 10)));
    let lifetimes = Lifetimes::of(buffers);
    let notes = vec![
        Note {
            stack,
            ..Note::default()
        };
        10
    ];
    let stacks = Stacks {
        frames: vec![
            frame("load", "/home/k/data.py"),
            frame("step", "/venv/site-packages/torch/optim/sgd.py"),
        ],
        stacks: vec![vec![], vec![0], vec![1, 0]],
    };
    let scopes = scopes.iter().map(|&(name, start, end)| Scope {
        name: name.into(),
        span: Span::new(start, end),
    });
    let scopes: Vec<Scope> = scopes.collect();
    Attribution::of(&lifetimes, &notes, &stacks, &scopes).phases
}

/// Where the stack does not tell, the innermost scope that tells counts; what was there before
/// the trace was allocated at an unknown time.
#[test]
fn scopes_tell_what_stacks_do_not() {
    let (forward, backward) = (Some(Phase::Forward), Some(Phase::Backward));
    let nested = [
        ("Forward pass", 0, 8),
        ("checkpoint backward", 3, 5),
        ("layer 3", 4, 6),
    ];
    assert_eq!(
        phases(&nested, 1),
        [
            None, forward, forward, backward, backward, forward, forward, forward, None, None
        ]
    );
    assert_eq!(phases(&nested, 2), [Some(Phase::Optimizer); 10]);
    // Scopes that cross each other: the one that began last counts while it is open.
    let crossed = [("forward", 1, 5), ("backward", 3, 8)];
    assert_eq!(
        phases(&crossed, 1),
        [
            None, forward, forward, backward, backward, backward, backward, backward, None, None
        ]
    );
    assert_eq!(
        phases(&[("Optimizer.step#SGD.step", 1, 3)], 1)[2],
        Some(Phase::Optimizer)
    );
    assert_eq!(phases(&[("forward", 4, 4)], 1), [None; 10]);
}
