//! Where a plan comes from: what its file says beside the plan itself.

use planner::deployed::{
    Frame, Held, Hold, IrValue, Note, Refused, Scope, Stacks, Total, TotalKind,
};
use planner::load::Fault;
use planner::save::{Provenance, plan_json_from};
use planner::{Bytes, Message, Options, Span, Step};
use tests::chinese::load;
use tests::deployed::deployed;

use super::{Break, STEPS, assert_broken, sample};

/// When each step of the horizon begins.
const CLOCK: [u64; 5] = [0, 0, 7, 7, 1_000_000];

/// What XLA wrote when memory ran out.
const SAID: &str = "XLA says: `Out of memory while trying to allocate 8 bytes.`";

/// A note that says everything, one that says nothing, one of a held buffer.
fn notes() -> Vec<Note> {
    let full = Note {
        aliases: vec!["a, too".into()],
        op: "Conv".into(),
        role: "parameter 3".into(),
        uses: vec![Step(1)],
        stream: Some(7),
        stack: 1,
        filled: 3,
        several: 4,
        value: Some(Box::new(IrValue {
            dtype: "f32".into(),
            shape: Some(vec![2, 3]),
            computation: "main".into(),
            source: "jit(f)/dot_general".into(),
        })),
        ..Note::default()
    };
    let held = Held {
        why: Hold::Pinned,
        needed: Span::new(3, 4),
    };
    let held = Note {
        held: Some(held),
        ..Note::default()
    };
    vec![full, Note::default(), held]
}

fn scope() -> Scope {
    Scope {
        name: "forward".into(),
        span: Span::new(1, 3),
    }
}

/// A request with the stack of the first buffer, and one that says least.
fn refused() -> [Refused; 2] {
    let first = Refused {
        step: Step(2),
        asked: Bytes(4096),
        device_free: Bytes(17),
        stream: -3,
        pool: Some((0, 7)),
        stack: 1,
    };
    let last = Refused {
        step: Step(4),
        asked: Bytes(u64::MAX),
        ..Refused::default()
    };
    [first, last]
}

/// Sums of a whole program, of which the plan is one arena.
fn totals() -> [Total; 2] {
    let total = |kind, bytes| Total {
        kind,
        bytes: Bytes(bytes),
    };
    [
        total(TotalKind::Arguments, 4096),
        total(TotalKind::All, u64::MAX),
    ]
}

fn written_from(view: &str) -> String {
    let (lifetimes, plan) = sample();
    let frame = |function: &str, line| Frame {
        function: function.into(),
        file: "net.py".into(),
        line,
    };
    let notes = notes();
    let stacks = Stacks {
        frames: vec![frame("main", 3), frame("forward", 0)],
        stacks: vec![Vec::new(), vec![1, 0]],
    };
    let from = Provenance {
        toolchain: "Vela",
        notes: &notes,
        scopes: &[scope()],
        refused: &refused(),
        clock: &CLOCK,
        stacks: Some(&stacks),
        totals: &totals(),
        said: &[Message::verbatim(SAID)],
        separate: true,
        reserved: None,
        segments: None,
        view,
    };
    plan_json_from(
        from,
        &lifetimes,
        &plan,
        &Options::aligned(Bytes(64)),
        &STEPS,
    )
}

#[test]
fn where_a_plan_comes_from_reads_back() {
    let (_, document, warnings) = load(&written_from("show=best&select=b").into_bytes()).unwrap();
    let deployed = deployed(document);
    assert_eq!(deployed.said, [SAID]);
    let said: Vec<_> = warnings.iter().map(|it| &it.message).collect();
    assert_eq!(said, [SAID], "it is said again");
    assert_eq!(deployed.toolchain, "Vela");
    assert_eq!(deployed.view, "show=best&select=b");
    assert_eq!(deployed.arenas[0].notes, notes());
    assert_eq!(deployed.totals, totals());
    assert!(deployed.arenas[0].separate);
    let stacks = &deployed.stacks;
    assert_eq!((stacks.frames.len(), stacks.indices(1)), (2, &[1, 0][..]));
    assert_eq!(stacks.frames[1].function, "forward");
    assert_eq!(deployed.arenas[0].scopes, [scope()]);
    assert_eq!(deployed.arenas[0].refused, refused());
    assert_eq!(deployed.arenas[0].clock.times(), CLOCK);
    let arena = &deployed.arenas[0];
    assert_eq!((arena.lifetimes.clone(), arena.plan.clone()), sample());
}

/// Times of other steps than there are, or in another order, are not believed.
#[test]
fn a_clock_that_cannot_be_is_left_out() {
    let read = |clock: &str| {
        let rows = "{\"name\":\"a\",\"size\":6,\"lower\":0,\"upper\":3,\"offset\":0}";
        let text =
            format!("{{\"arenascope_plan\":1,\"arena\":6,\"clock\":{clock},\"buffers\":[{rows}]}}");
        let (_, document, warnings) = load(&text.into_bytes()).unwrap();
        let said = warnings
            .into_iter()
            .map(|it| format!("{}: {}", it.place, it.message));
        let times = deployed(document).arenas[0].clock.times().to_vec();
        (times, said.collect::<Vec<_>>())
    };
    assert_eq!(read("[0,4,4]"), (vec![0, 4, 4], Vec::new()));
    assert_eq!(read("[]"), (Vec::new(), Vec::new()));
    let said = "clock: 2 times for 3 steps: left out".to_owned();
    assert_eq!(read("[0,4]"), (Vec::new(), vec![said]));
    let said = "clock: a step begins before the one before it: left out".to_owned();
    assert_eq!(read("[0,4,3]"), (Vec::new(), vec![said]));
}

/// What an allocator reserved comes along; less than what is live at a time is not believed.
#[test]
fn what_was_reserved_reads_back() {
    let text = |reserved: u64| {
        let rows = "{\"name\":\"a\",\"size\":6,\"lower\":0,\"upper\":2,\"offset\":0},\
                    {\"name\":\"b\",\"size\":4,\"lower\":1,\"upper\":3,\"offset\":6}";
        format!(
            "{{\"arenascope_plan\":1,\"arena\":10,\"reserved\":{reserved},\"buffers\":[{rows}]}}"
        )
    };
    let read = |reserved: u64| {
        let (_, document, warnings) = load(&text(reserved).into_bytes()).unwrap();
        (deployed(document).arenas[0].plan.reserved, warnings)
    };
    // Both are live at step 1.
    assert_eq!(read(16), (Some(Bytes(16)), Vec::new()));
    assert_eq!(read(10), (Some(Bytes(10)), Vec::new()));
    let (none, warnings) = read(9);
    assert_eq!(
        (none, warnings[0].place.to_string().as_str()),
        (None, "reserved")
    );
}

/// Faults of what is said about buffers.
const BROKEN_NOTES: [Break; 11] = [
    (
        "\"frames\":[1,0]",
        "\"frames\":[2,0]",
        Fault::Dangling,
        "a \"quoted\"",
    ),
    (
        "\"lower\":3,\"upper\":4}",
        "\"lower\":1,\"upper\":4}",
        Fault::Malformed,
        "c",
    ),
    (
        "\"lower\":3,\"upper\":4}",
        "\"lower\":3,\"upper\":3}",
        Fault::Malformed,
        "c",
    ),
    (
        "{\"kind\":\"all\"",
        "{\"kind\":\"arguments\"",
        Fault::Duplicate,
        "totals",
    ),
    // The plan ends before step 5, and the requests that failed come by step.
    (
        "{\"step\":4,",
        "{\"step\":5,",
        Fault::Malformed,
        "refused at step 5",
    ),
    (
        "{\"step\":4,",
        "{\"step\":1,",
        Fault::Malformed,
        "refused at step 1",
    ),
    (
        "\"stream\":-3,\"pool\":[0,7],\"frames\":[1,0]",
        "\"stream\":-3,\"pool\":[0,7],\"frames\":[1,2]",
        Fault::Dangling,
        "refused at step 2",
    ),
    ("\"asked\":4096", "\"asked\":-1", Fault::Malformed, "line 1"),
    (
        "\"asked\":4096",
        "\"wanted\":4096",
        Fault::Malformed,
        "line 1",
    ),
    ("\"pinned\"", "\"welded\"", Fault::Malformed, "line 1"),
    ("\"uses\":[1]", "\"uses\":[-1]", Fault::Malformed, "line 1"),
];

#[test]
fn faults_of_notes_name_their_place() {
    assert_broken(&written_from(""), &BROKEN_NOTES);
}
