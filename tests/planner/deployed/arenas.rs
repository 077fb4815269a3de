//! One arena of several is made ready at a time, with what the file says of its buffers.

use planner::deployed::{Arena, Deployed, Frame, Note, Stacks};
use planner::graph::Bindings;
use planner::load::Document;
use planner::{
    Buffer, Bytes, Lifetimes, Message, Offset, Plan, Settings, Span, Step, Subject, prepare,
};

/// An arena of one buffer called `name` of `size` bytes, allocated at frame `frame`.
fn arena(name: &'static str, size: u64, frame: u32) -> Arena {
    Arena {
        name: Message::verbatim(name),
        lifetimes: Lifetimes {
            buffers: vec![Buffer::new(name, size, Span::new(0, 1))],
            horizon: Step(1),
            ..Lifetimes::default()
        },
        plan: Plan {
            offsets: vec![Offset(0)],
            arena: Bytes(size),
            ..Plan::default()
        },
        notes: vec![Note {
            stack: frame,
            ..Note::default()
        }],
        ..Arena::default()
    }
}

fn prepared(index: u32) -> Subject {
    let frame = |function: &str| Frame {
        function: function.into(),
        ..Frame::default()
    };
    let document = Document::Deployed(Deployed {
        toolchain: "by hand".into(),
        arenas: vec![arena("small", 4, 0), arena("large", 64, 1)],
        stacks: Stacks {
            frames: vec![frame("main"), frame("forward")],
            stacks: vec![vec![0], vec![1]],
        },
        ..Deployed::default()
    });
    let settings = Settings {
        arena: index,
        alignment: Bytes(1),
        ..Settings::default()
    };
    prepare(&document, &Bindings::new(), &settings).expect("a few bytes are not too many")
}

#[test]
fn an_arena_is_chosen_by_its_place_in_the_file() {
    for (index, name, size, function) in [(0, "small", 4, "main"), (1, "large", 64, "forward")] {
        let subject = prepared(index);
        let buffer = &subject.lifetimes.buffers[0];
        assert_eq!((buffer.name.as_str(), buffer.size), (name, Bytes(size)));
        let plan = subject.deployed.as_ref().expect("it brings a plan");
        assert_eq!(plan.arena, Bytes(size));
        // The stack of a note is a place in the whole file's list.
        let mut frames = subject.stacks.frames_of(subject.notes[0].stack);
        assert_eq!(frames.next().map(|it| it.function.as_str()), Some(function));
    }
}

/// Where there is no such arena, the first is shown.
#[test]
fn an_arena_that_is_not_there_is_the_first() {
    assert_eq!(prepared(7), prepared(0));
}
