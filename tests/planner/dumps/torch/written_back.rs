//! Plans written as memory snapshots of PyTorch and as traces for Perfetto, read again.

use planner::deployed::{Arena, Deployed, Frame, LaneKind, Stacks};
use planner::save::{Recorded, memory_viz, perfetto};
use planner::{Buffer, Bytes, Lifetimes, Offset, Plan, Span};
use serde_json::Value;

use super::{read, specs};
use tests::chinese::load;
use tests::deployed::deployed;

fn recorded<'a>(name: &'a str, arena: &'a Arena, stacks: &'a Stacks) -> Recorded<'a> {
    Recorded {
        name,
        lifetimes: &arena.lifetimes,
        plan: &arena.plan,
        notes: &arena.notes,
        stacks,
        scopes: &arena.scopes,
        refused: &arena.refused,
        clock: arena.clock.times(),
        makers: &[],
        steps: &[],
    }
}

/// What a file says of every buffer, with the frames in place of the number of a stack.
fn said(arena: &Arena, stacks: &Stacks) -> Vec<(String, Option<i64>, Vec<Frame>)> {
    let notes = arena.notes.iter();
    let said = notes.map(|note| {
        let frames = stacks.frames_of(note.stack).cloned().collect();
        (note.role.clone(), note.stream, frames)
    });
    said.collect()
}

/// A snapshot that is written back is the same to the reader: every block, its address, its time,
/// its stack, the segments, and the sums of every kind of allocator, whole and with the oldest
/// events lost.
#[test]
fn a_snapshot_is_written_back() {
    for spec in specs() {
        let spec = tests::snapshot::Spec {
            events: 400,
            ..spec
        };
        let (original, _) = read(&spec.make().bytes(4));
        for arena in &original.arenas {
            let bytes = memory_viz(&recorded(&arena.name.to_string(), arena, &original.stacks));
            let (again, _) = read(&bytes);
            let back = again.arenas.first().expect("the device");
            assert_eq!(back.name, arena.name);
            assert_eq!(back.lifetimes.buffers, arena.lifetimes.buffers, "{spec:?}");
            // Their names are their addresses; where segments are drawn may differ.
            assert_eq!(back.plan.reserved, arena.plan.reserved);
            let lane = |arena: &Arena, kind| {
                let lanes = arena.lanes.iter().find(|lane| lane.kind == kind);
                lanes.map(|lane| lane.points.clone())
            };
            for kind in [LaneKind::Reserved, LaneKind::Allocated, LaneKind::Requested] {
                assert_eq!(lane(back, kind), lane(arena, kind), "{kind:?} {spec:?}");
            }
            assert_eq!(said(back, &again.stacks), said(arena, &original.stacks));
            assert_eq!(back.refused.len(), arena.refused.len());
            assert_eq!(back.clock, arena.clock);
            let settings = |arena: &Arena| arena.plan.segments.as_ref().map(|it| it.settings);
            assert_eq!(settings(back), settings(arena));
        }
    }
}

/// 100 bytes that make way for 80 at the same place, beside 60 of a length that PyTorch would
/// round: sizes and places are as planned. `d` shares bytes with `c` and is said to be lost.
fn planned() -> (Lifetimes, Plan) {
    let buffers = [
        ("a", 100, (0, 2), 0),
        ("b", 60, (1, 5), 100),
        ("c", 80, (2, 5), 0),
        ("d", 40, (4, 6), 40),
    ];
    let lifetimes =
        buffers.map(|(name, size, (start, end), _)| Buffer::new(name, size, Span::new(start, end)));
    let plan = Plan {
        origin: "hand".into(),
        arena: Bytes(160),
        offsets: buffers.iter().map(|it| Offset(it.3)).collect(),
        ..Plan::default()
    };
    (Lifetimes::of(lifetimes), plan)
}

fn back(bytes: &[u8]) -> Deployed {
    let (_, document, _) = load(&bytes.to_vec()).expect("it is read");
    deployed(document)
}

#[test]
fn a_plan_of_a_model_is_written_as_a_snapshot() {
    let (lifetimes, plan) = planned();
    let (stacks, makers) = (
        Stacks::default(),
        ["Conv", "", "Relu", ""].map(String::from),
    );
    let from = Recorded {
        name: "",
        lifetimes: &lifetimes,
        plan: &plan,
        notes: &[],
        stacks: &stacks,
        scopes: &[],
        refused: &[],
        clock: &[],
        makers: &makers,
        steps: &[],
    };
    assert_eq!(from.not_in_recording(), 1);
    let (again, warnings) = read(&memory_viz(&from));
    assert!(warnings.is_empty(), "{warnings:?}");
    let arena = &again.arenas[0];
    let found = arena.lifetimes.buffers.iter().zip(&arena.plan.offsets);
    let found: Vec<_> = found.map(|(it, at)| (it.size.0, at.0)).collect();
    assert_eq!(found, [(100, 0), (60, 100), (80, 0), (40, 40)]);
    assert_eq!(arena.plan.arena, Bytes(160));
    // What was given back for what came at its place does not overlap it.
    let spans: Vec<Span> = arena.lifetimes.buffers.iter().map(|it| it.span).collect();
    assert!(spans[0].end <= spans[2].start && spans[2].end <= spans[3].start);
    // The names are frames, which memory_viz shows.
    let frames = arena.notes.iter().map(|note| {
        let frame = again.stacks.frames_of(note.stack).next().expect("a name");
        (frame.function.clone(), frame.file.clone())
    });
    let named = |name: &str, file: &str| (name.to_owned(), file.to_owned());
    assert_eq!(
        frames.collect::<Vec<_>>(),
        [
            named("a", "<Conv>"),
            named("b", "<tensor>"),
            named("c", "<Relu>"),
            named("d", "<tensor>")
        ]
    );

    // Perfetto: a slice for each tensor, and the sums after every event.
    let text = perfetto(&from, &[]);
    let trace: Value = serde_json::from_str(&text).expect("JSON");
    let events = trace["traceEvents"].as_array().expect("events");
    let slices = events
        .iter()
        .filter(|it| it["cat"] == "tensor" && it["ph"] == "b");
    let slices = slices.map(|it| {
        (
            it["name"].as_str().unwrap_or_default(),
            &it["args"]["offset"],
        )
    });
    let expected = [("a", 0), ("b", 100), ("c", 0), ("d", 40)];
    assert_eq!(
        slices
            .map(|it| (it.0, it.1.as_u64().unwrap_or(9)))
            .collect::<Vec<_>>(),
        expected
    );
    let counted = events.iter().filter(|it| it["ph"] == "C");
    let counted = counted.filter_map(|it| it["args"]["allocated"].as_u64());
    // By hand: a, and b; a gone, c; c gone for d; b is gone with the end of step 4.
    assert_eq!(
        counted.collect::<Vec<_>>(),
        [100, 160, 60, 140, 60, 100, 40]
    );
    let again = back(text.as_bytes());
    let sizes = again.arenas[0].lifetimes.buffers.iter().map(|it| it.size.0);
    assert_eq!(sizes.collect::<Vec<_>>(), [100, 60, 80, 40]);
}
