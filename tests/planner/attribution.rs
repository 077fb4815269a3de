//! Who allocated a buffer: what stacks and scopes say.

use planner::attribution::{Attribution, Owner, Phase, called, categories, label, owner};
use planner::deployed::{Category, Deployed, Frame, IrValue, Note, Scope, Stacks};
use planner::load::{Document, load};
use planner::{Buffer, Lifetimes, Settings, Span, Step, prepare};
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

/// The line of the program stands where people read of a block, in place of its address.
#[test]
fn a_block_is_called_by_its_line() {
    let made = Spec::of(3, 200).make();
    let (_, document, _) = load(&made.bytes(4)).expect("a snapshot");
    let subject = prepare(&document, &Default::default(), &Settings::default());
    let subject = subject.expect("a trace");
    let mut lines = 0;
    for (index, block) in made.blocks(0).into_iter().enumerate() {
        let caller = SAID[block.taken.stack].caller;
        let label = subject.label(index).expect("a block");
        assert!(label.starts_with(caller), "{label}: {caller}");
        lines += usize::from(!caller.is_empty());
    }
    assert!(lines > 0);
    assert_eq!(subject.label(made.blocks(0).len()), None);
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

/// A block of PyTorch is called by the line that asked for it, never by its address; a tensor of a
/// compiler keeps its name, with what it was made from behind it.
#[test]
fn buffers_are_called_by_their_lines() {
    let stacks = Stacks {
        frames: vec![
            frame("at::_ops::addmm::call(at::Tensor const&)", "??"),
            frame("forward", "/home/k/model.py"),
            frame(
                "torch::autograd::generated::AddmmBackward0::apply(int)",
                "??",
            ),
        ],
        stacks: vec![Vec::new(), vec![0, 1], vec![2]],
    };
    let note = |stack, forward| Note {
        stack,
        forward,
        ..Note::default()
    };
    let block = |start| Buffer::new("b7f0000000200_3", 512, Span::new(start, 9));
    let called = |start, stack, forward| label(&block(start), Some(&note(stack, forward)), &stacks);
    assert_eq!(called(1, 1, 0), "forward (model.py:3), addmm");
    assert_eq!(called(1, 2, 0), "autograd, AddmmBackward0");
    assert_eq!(
        called(1, 2, 1),
        "autograd of forward (model.py:3), AddmmBackward0"
    );
    assert_eq!(called(0, 0, 0), "before recording, b7f0000000200_3");
    assert_eq!(called(1, 0, 0), "b7f0000000200_3");
    let value = IrValue {
        source: "jit(step)/dot_general".into(),
        ..IrValue::default()
    };
    let noted = Note {
        value: value.noted(),
        ..Note::default()
    };
    let fusion = Buffer::new("fusion.3", 512, Span::new(1, 9));
    assert_eq!(
        label(&fusion, Some(&noted), &stacks),
        "fusion.3, jit(step)/dot_general"
    );
}

/// Two steps of a training: phases and lifetimes as a framework has them, and what each block holds
/// by definition. Nothing is said of what was there before.
#[test]
fn categories_are_inferred_from_what_blocks_live_to_see() {
    use Category::{Activation, Gradient, OptimizerState, Parameter, Temporary};
    let [forward, backward, update] = [Phase::Forward, Phase::Backward, Phase::Optimizer].map(Some);
    let rows = [
        ("there before", None, (0, 30), None),
        ("weight", None, (1, 30), Some(Parameter)),
        ("batch", None, (2, 9), None),
        ("saved", forward, (3, 7), Some(Activation)),
        ("workspace", forward, (4, 5), Some(Temporary)),
        ("of the weight", backward, (6, 20), Some(Gradient)),
        ("of the activation", backward, (7, 8), Some(Temporary)),
        ("moment", update, (10, 30), Some(OptimizerState)),
        ("of the update", update, (11, 12), Some(Temporary)),
        ("next saved", forward, (15, 18), Some(Activation)),
        ("next of the weight", backward, (17, 30), Some(Gradient)),
        ("next update", update, (19, 20), Some(Temporary)),
        ("leak", None, (21, 30), None),
    ];
    let buffers =
        rows.map(|(name, _, (start, end), _)| Buffer::new(name, 1, Span::new(start, end)));
    let lifetimes = Lifetimes::of(buffers);
    let found = categories(&lifetimes, &rows.map(|it| it.1));
    assert_eq!(found, rows.map(|it| it.3));
    // Without a backward pass nothing is trained.
    let none = categories(
        &lifetimes,
        &rows.map(|it| it.1.filter(|it| *it == Phase::Forward)),
    );
    assert!(none.iter().all(Option::is_none));
}

/// What is allocated tells where another phase begins, in order of the steps; what the optimizer
/// allocates, what is not known and what was there before tell nothing.
#[test]
fn another_phase_begins_where_it_is_first_seen() {
    let told = [
        (0, Some(Phase::Backward)),
        (2, None),
        (3, Some(Phase::Forward)),
        (9, Some(Phase::Forward)),
        (6, Some(Phase::Backward)),
        (4, Some(Phase::Forward)),
        (7, Some(Phase::Optimizer)),
        (8, Some(Phase::Backward)),
    ];
    let buffers = told.map(|(step, _)| Buffer::new("b", 1, Span::new(step, 10)));
    let said = Attribution {
        phases: told.map(|it| it.1).to_vec(),
        ..Attribution::default()
    };
    let starts = said.phase_starts(&Lifetimes::of(buffers));
    assert_eq!(starts, [3, 6, 9].map(Step));
}
