//! Chrome traces with offsets for times.

use std::fmt::Write as _;

use planner::deployed::{Deployed, Frame};
use planner::load::{Fault, Format, Warning};
use planner::waste::WasteKind;
use planner::{Bytes, Offset, Span};
use tests::chinese::load;
use tests::deployed::{deployed, part, split, violations};

use super::hardships::{assert_refused, refused, survives};

const EXECUTORCH: &str = include_str!("../../data/plans/chrome_trace/leading_gap.executorch.json");
const ONNX_RUNTIME: &str =
    include_str!("../../data/plans/chrome_trace/leading_gap.onnxruntime.json");

fn read(text: &str) -> (Deployed, Vec<Warning>) {
    let (format, document, warnings) = load(&text.as_bytes().to_vec()).expect("a trace");
    assert_eq!(format, Format::ChromeTrace);
    (deployed(document), warnings)
}

/// XNNPACK issue 10800: the third of three tensors would fit below the second, 180 bytes; the
/// planner that does not see the free range takes 240.
#[test]
fn the_leading_free_range_is_sixty_bytes_of_fragmentation() {
    for (text, toolchain, name) in [
        (EXECUTORCH, "ExecuTorch", "memory 1"),
        (ONNX_RUNTIME, "ONNX Runtime", "GPU (static activations)"),
    ] {
        let (deployed, _) = read(text);
        assert_eq!(deployed.toolchain, toolchain);
        let [arena] = &deployed.arenas[..] else {
            panic!("{} arenas", deployed.arenas.len());
        };
        assert_eq!(arena.name, name);
        assert_eq!(arena.plan.arena, Bytes(240));
        let buffers = arena.lifetimes.buffers.iter().zip(&arena.plan.offsets);
        let buffers: Vec<_> = buffers
            .map(|(it, offset)| (it.name.as_str(), it.size, it.span, *offset))
            .collect();
        assert_eq!(
            buffers,
            [
                ("a", Bytes(100), Span::new(0, 2), Offset(0)),
                ("b", Bytes(80), Span::new(1, 3), Offset(100)),
                ("c", Bytes(60), Span::new(2, 4), Offset(180)),
            ]
        );
        assert_eq!(violations(arena), []);
        let waste = split(arena);
        assert_eq!(part(&waste, WasteKind::Needed), 180);
        assert_eq!(part(&waste, WasteKind::Fragmentation), 60);
    }
}

#[test]
fn executorch_says_who_wrote_it_and_where() {
    let (deployed, warnings) = read(EXECUTORCH);
    assert_eq!(warnings, []);
    let note = &deployed.arenas[0].notes[1];
    assert_eq!(note.op, "aten.b.default");
    let frame = Frame {
        function: "forward".into(),
        file: "net.py".into(),
        line: 11,
    };
    let frames: Vec<_> = deployed.stacks.frames_of(note.stack).collect();
    assert_eq!(frames, [&frame]);
}

/// ONNX Runtime's own bars are known; that it lists only some steps is said.
#[test]
fn onnx_runtime_lists_some_steps() {
    let (_, warnings) = read(ONNX_RUNTIME);
    let [some] = &warnings[..] else {
        panic!("{warnings:?}");
    };
    assert!(
        some.message.to_string().contains("only some steps"),
        "{some:?}"
    );
    // No step between 0 and 7 is listed: it lives from the first to the last.
    let event = |tid: u64| onnx_event(tid, "a", 0, 8);
    let (deployed, _) = read(&format!("[{},{}]", event(0), event(7)));
    assert_eq!(
        deployed.arenas[0].lifetimes.buffers[0].span,
        Span::new(0, 8)
    );
    // Not listed at step 3, which is: two lives.
    let other = onnx_event(3, "b", 0, 8);
    let (deployed, _) = read(&format!("[{},{other},{}]", event(0), event(7)));
    let buffers = deployed.arenas[0].lifetimes.buffers.iter();
    let buffers: Vec<_> = buffers.map(|it| (it.name.as_str(), it.span)).collect();
    let span = Span::new;
    assert_eq!(
        buffers,
        [("a", span(0, 1)), ("b", span(3, 4)), ("a (1)", span(7, 8))]
    );
}

fn onnx_event(tid: u64, name: &str, offset: u64, size: u64) -> String {
    format!(
        "{{\"ph\":\"X\",\"pid\":1,\"tid\":{tid},\"ts\":{offset},\"dur\":{size},\"name\":\"{name}\",\
         \"args\":{{\"name\":\"{name}\",\"offset\":{offset},\"size\":{size}}}}}"
    )
}

fn executorch_event(tid: u64, name: &str, offset: u64, size: u64) -> String {
    format!(
        "{{\"name\":\"{name}\",\"cat\":\"memory_allocation\",\"ph\":\"X\",\"ts\":{offset},\
         \"dur\":{size},\"pid\":1,\"tid\":{tid},\"args\":{{\"op_name\":\"f\",\"bytes\":{size}}}}}"
    )
}

/// A view has the bytes of what it views at the same time, under another name.
#[test]
fn views_count_once() {
    let events: Vec<String> = (0..3)
        .flat_map(|tid| {
            [
                executorch_event(tid, "a", 32, 16),
                executorch_event(tid, "view", 32, 16),
            ]
        })
        .collect();
    let (deployed, _) = read(&format!("{{\"traceEvents\":[{}]}}", events.join(",")));
    assert_eq!(deployed.arenas[0].lifetimes.buffers.len(), 1);
    assert_eq!(deployed.arenas[0].notes[0].aliases, ["view"]);
}

#[test]
fn traces_that_hold_too_little_are_refused() {
    let time = "[{\"ph\":\"B\",\"pid\":\"GPU\",\"tid\":1.5,\"ts\":12.25,\"name\":\"kernel\"},\
                {\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":-3,\"dur\":1,\"name\":null,\"args\":null}]";
    assert_refused(
        time,
        Fault::Unsupported,
        "traceEvents",
        "the times of this trace are times",
    );
    assert_refused(
        "{\"traceEvents\":[]}",
        Fault::Unsupported,
        "traceEvents",
        "are times",
    );
    // Stacked anew at each step: b is at 16, then at 0.
    let stacked = [
        executorch_event(0, "a", 0, 16),
        executorch_event(0, "b", 16, 8),
        executorch_event(1, "b", 0, 8),
    ];
    let stacked = format!("{{\"traceEvents\":[{}]}}", stacked.join(","));
    assert_refused(
        &stacked,
        Fault::Unsupported,
        "traceEvents",
        "enable_memory_offsets=True",
    );
    let alone = [onnx_event(0, "a", 0, 16), onnx_event(1, "b", 16, 16)].join(",");
    assert_refused(
        &format!("[{alone}]"),
        Fault::Unsupported,
        "traceEvents",
        "nothing tells when",
    );
    let both = [executorch_event(0, "a", 0, 16), onnx_event(0, "b", 16, 16)].join(",");
    assert_refused(
        &format!("[{both}]"),
        Fault::Unsupported,
        "traceEvents",
        "both",
    );
}

#[test]
fn faults_name_their_line() {
    let good = executorch_event(0, "a", 0, 16);
    for (from, to, message) in [
        ("\"dur\":16", "\"dur\":-16", "dur of a tensor is -16"),
        ("\"ts\":0", "\"ts\":-1", "ts of a tensor is -1"),
        ("\"ts\":0", "\"ts\":\"0\"", "no whole number"),
        ("\"tid\":0", "\"tid\":9007199254740992", "beyond"),
        ("\"bytes\":16", "\"bytes\":17", "are not the bytes"),
        ("\"name\":\"a\"", "\"name\":7", "no name"),
    ] {
        let text = format!("{{\"traceEvents\":[\n{}]}}", good.replace(from, to));
        let error = refused(&text);
        assert_eq!(error.kind, Fault::Malformed, "{error}");
        assert!(
            error.place.to_string().starts_with("line 2, column "),
            "{error}"
        );
        assert!(error.message.to_string().contains(message), "{error}");
    }
    // A tensor of ONNX Runtime whose size is no whole number is a fault and not left out.
    for size in ["100.0", "18446744073709551616", "null"] {
        let event = onnx_event(0, "a", 0, 8).replace("\"dur\":8", &format!("\"dur\":{size}"));
        let event = event.replace("\"size\":8", "\"size\":100.0");
        let error = refused(&format!("[{event}]"));
        assert_eq!(error.kind, Fault::Malformed, "{error}");
        assert!(error.message.to_string().contains("dur"), "{error}");
    }
    let error = refused(&EXECUTORCH[..EXECUTORCH.len() / 2]);
    assert_eq!(error.kind, Fault::Truncated);
    let far = format!("[{}]", onnx_event(0, "a", u64::MAX, 8));
    assert_refused(&far, Fault::Limit, "a", "");
}

/// A memory that is empty for a while does not make its tensors live through that.
#[test]
fn every_step_of_executorch_counts_for_every_memory() {
    let other = |tid| executorch_event(tid, "b", 0, 8).replace("\"pid\":1", "\"pid\":2");
    let events = [
        executorch_event(0, "a", 0, 16),
        other(1),
        executorch_event(2, "a", 0, 16),
    ];
    let (deployed, _) = read(&format!("{{\"traceEvents\":[{}]}}", events.join(",")));
    let names: Vec<_> = deployed.arenas.iter().map(|it| &it.name).collect();
    assert_eq!(names, ["memory 1", "memory 2"]);
    let buffers = deployed.arenas[0].lifetimes.buffers.iter();
    let spans: Vec<_> = buffers.map(|it| it.span).collect();
    assert_eq!(spans, [Span::new(0, 1), Span::new(2, 3)]);
    let many: Vec<String> = (0..1025)
        .map(|pid| other(0).replace("\"pid\":2", &format!("\"pid\":{pid}")))
        .collect();
    let many = format!("{{\"traceEvents\":[{}]}}", many.join(","));
    assert_refused(&many, Fault::Limit, "pid", "1025 arenas");
}

#[test]
fn events_that_are_no_tensors_are_counted() {
    let text = format!(
        "[{{\"ph\":\"i\"}},{},{{\"ph\":\"X\"}}]",
        onnx_event(0, "a", 0, 8)
    );
    let (_, warnings) = read(&text);
    assert_eq!(
        warnings[0].message,
        "2 events are no tensors and are left out"
    );
}

#[test]
fn it_survives_everything() {
    survives(EXECUTORCH.as_bytes());
    survives(ONNX_RUNTIME.as_bytes());
}

#[test]
fn a_million_events_are_read() {
    let mut text = String::from("[\n");
    for at in 0..1_000_000_u64 {
        let end = if at == 999_999 { "]" } else { ",\n" };
        let event = onnx_event(at / 4, &format!("t{}", at % 5), at % 5 * 8, 8);
        write!(text, "{event}{end}").expect("a string");
    }
    let (deployed, _) = read(&text);
    // Of five tensors each of the 250,000 steps leaves out one, which ends one life and begins
    // another, but for the first step and the last.
    assert_eq!(deployed.arenas[0].lifetimes.buffers.len(), 5 + 250_000 - 2);
}
