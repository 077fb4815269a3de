//! What PyTorch's profiler writes, against the sums that torch itself writes beside it. The files
//! are of torch 2.15 and made by `tests/data/plans/torch/profiled.py`.

use planner::bounds::bounds;
use planner::deployed::LaneKind;
use planner::graph::Bindings;
use planner::load::{Document, Fault, Format};
use planner::overview::overview;
use planner::query::Field;
use planner::{
    Bytes, Lifetimes, Options, Settings, Silent, Span, Step, Strategy, Subject, plan, prepare,
};
use serde_json::Value;
use tests::chinese::load;
use tests::deployed::deployed;

const TRACE: &str = include_str!("../../../data/plans/torch/profiler_trace.json");
const RAW: &str = include_str!("../../../data/plans/torch/memory_timeline.raw.json");
/// As `torch/profiler/_memory_profiler.py` orders its columns.
const CATEGORIES: [&str; 7] = [
    "parameter",
    "optimizer state",
    "input",
    "temporary",
    "activation",
    "gradient",
    "autograd detail",
];
const SUMS: &str = include_str!("../../../data/plans/torch/memory_timeline.json");

/// The memory events of the trace, as the file has them.
fn events() -> Vec<Value> {
    let trace: Value = serde_json::from_str(TRACE).expect("JSON");
    let events = trace["traceEvents"].as_array().expect("events");
    let memory = events.iter().filter(|it| it["name"] == "[memory]");
    memory.map(|it| it["args"].clone()).collect()
}

fn timeline(text: &str) -> (Lifetimes, usize) {
    let (format, document, warnings) = load(&text.as_bytes().to_vec()).expect("a timeline");
    assert_eq!(format, Format::TorchTimeline);
    let arena = deployed(document).arenas.swap_remove(0);
    let is_placed = arena.placed().is_some() && !arena.lifetimes.buffers.is_empty();
    assert!(!is_placed, "it has no addresses");
    (arena.lifetimes, warnings.len())
}

/// What is to be planned of a file.
fn subject(document: &Document) -> Subject {
    prepare(document, &Bindings::new(), &Settings::default()).expect("it can be planned")
}

/// Bytes at a step of each category, in torch's order, and of none.
fn by_category(subject: &Subject, step: u64) -> [u64; 8] {
    let facts = subject.facts(Step(step), None);
    let mut sums = [0; 8];
    for (index, buffer) in subject.lifetimes.buffers.iter().enumerate() {
        if buffer.span.start.0 <= step && step < buffer.span.end.0 {
            let said = facts.first(Field::Category, index);
            let place = CATEGORIES.iter().position(|it| *it == said);
            sums[place.unwrap_or(7)] += buffer.size.0;
        }
    }
    sums
}

fn refusal(text: &str) -> planner::load::LoadError {
    load(&text.as_bytes().to_vec()).expect_err("it cannot be read")
}

/// The allocator's own "Total Allocated" is what lives after each event.
#[test]
fn a_trace_has_at_each_event_as_many_bytes_as_the_allocator_says() {
    let (format, document, warnings) = load(&TRACE.as_bytes().to_vec()).expect("a trace");
    assert_eq!(format, Format::ChromeTrace);
    let deployed = deployed(document);
    let [arena] = &deployed.arenas[..] else {
        panic!("one device");
    };
    assert_eq!(deployed.toolchain, "PyTorch");
    assert_eq!(arena.name, "CPU");
    let events = events();
    let totals: Vec<u64> = events
        .iter()
        .map(|it| it["Total Allocated"].as_u64().unwrap())
        .collect();
    let first = events[0]["Bytes"].as_i64().unwrap();
    assert_eq!(
        i64::try_from(totals[0]).unwrap(),
        first,
        "nothing was there before"
    );
    // Blocks of before the trace that are given back in it are counted by no total of torch's.
    let buffers = &arena.lifetimes.buffers;
    let live = |step: u64| {
        let here = buffers.iter().filter(|it| it.span.start.0 > 0);
        let here = here.filter(|it| it.span.start.0 <= step && step < it.span.end.0);
        here.map(|it| it.size.0).sum::<u64>()
    };
    for (step, total) in (1..).zip(&totals) {
        assert_eq!(live(step), *total, "event {step}");
    }
    let lane = arena.lanes.iter().find(|it| it.kind == LaneKind::Allocated);
    let peak = lane.unwrap().points.iter().map(|point| point.1).max();
    assert_eq!(peak, totals.iter().max().map(|&it| Bytes(it)));
    assert!(
        arena.lanes.iter().all(|it| it.kind != LaneKind::Reserved),
        "the CPU reserves none"
    );
    // Its "Total Reserved" is 0 at each event, so where the system put a block was no plan.
    assert_eq!(arena.placed(), None);
    assert!(!arena.clock.is_empty());
    let said = |words: &str| {
        warnings
            .iter()
            .any(|it| it.message.to_string().contains(words))
    };
    assert!(said("the addresses are no plan") && !said("ranges of addresses"));
}

/// A link or a file holds the plan that was looked at, which the strategy made and nobody else.
#[test]
fn what_is_kept_of_a_trace_of_the_cpu_claims_no_deployed_plan() {
    let (_, document, _) = load(&TRACE.as_bytes().to_vec()).expect("a trace");
    let subject = subject(&document);
    assert!(subject.deployed.is_none() && !subject.clock.is_empty() && !subject.lanes.is_empty());
    let options = Options::aligned(Bytes(1));
    let best = plan(Strategy::Best, &subject.lifetimes, &options, &mut Silent).expect("a plan");
    let kept = subject.plan_json(&best, &options, "");
    let kept: Value = serde_json::from_str(&kept).unwrap();
    assert_eq!(kept["origin"], "best");
    assert_eq!(kept["arena"], bounds(&subject.lifetimes).offsets.0);
    assert!(kept.get("reserved").is_none() && kept.get("segments").is_none());
}

#[test]
fn blocks_of_a_trace_know_their_operator_and_line() {
    let (_, document, _) = load(&TRACE.as_bytes().to_vec()).expect("a trace");
    let deployed = deployed(document);
    let notes = deployed.arenas[0].notes.iter();
    let of = |op: &str| notes.clone().filter(|it| it.op == op).count();
    // Each of both layers' products makes its result.
    assert!(of("aten::addmm") >= 2, "{}", of("aten::addmm"));
    let lines = notes.clone().filter_map(|it| {
        let frame = deployed.stacks.frames_of(it.stack).next()?;
        Some((frame.file.as_str(), frame.function.as_str(), frame.line))
    });
    assert!(lines.clone().count() > 0);
    assert!(
        lines
            .clone()
            .all(|it| it.0.ends_with("profiled.py") && it.2 > 0)
    );
}

/// Two blocks at a place each that the other is not at: addresses are laid end to end.
#[test]
fn an_address_that_is_used_again_is_another_block() {
    let event = |at: u64, bytes: i64, addr: u64, total: u64| {
        format!(
            r#"{{"ph":"i","name":"[memory]","tid":1,"ts":{at}.5,"args":{{"Bytes":{bytes},"Addr":{addr},"Device Id":0,"Device Type":1,"Total Allocated":{total},"Total Reserved":2097152}}}}"#
        )
    };
    let events = [
        event(1, 1024, 5000, 1024),
        event(2, 2048, 900_000, 3072),
        event(3, -1024, 5000, 2048),
        event(4, 512, 5000, 2560),
        event(5, -4096, 77, 2560),
    ];
    let text = format!(r#"{{"traceEvents":[{}]}}"#, events.join(","));
    let (_, document, _) = load(&text.into_bytes()).expect("a trace");
    let arena = deployed(document).arenas.swap_remove(0);
    assert_eq!(arena.name, "CUDA device 0");
    let buffers = arena.lifetimes.buffers.iter().zip(&arena.plan.offsets);
    let found: Vec<_> = buffers
        .map(|(it, at)| (it.name.as_str(), it.size.0, it.span, at.0))
        .collect();
    // 77..4173, 5000..6024 and 900000..902048, end to end.
    let expected = [
        ("b4d", 4096, Span::new(0, 5), 0),
        ("b1388", 1024, Span::new(1, 3), 4096),
        ("bdbba0", 2048, Span::new(2, 6), 5120),
        ("b1388 [2]", 512, Span::new(4, 6), 4096),
    ];
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(&expected) {
        assert_eq!(
            (found.1, found.2, found.3),
            (expected.1, expected.2, expected.3)
        );
        assert!(found.0.starts_with(expected.0.split(' ').next().unwrap()));
    }
    assert_eq!(arena.plan.arena, Bytes(7168));
}

/// A device that reserves keeps its plan beside a CPU that does not, of which nothing is avoidable:
/// 300 and 200 bytes live at once there, whose addresses reach over 2,300 bytes.
#[test]
fn beside_a_device_the_cpu_has_lifetimes_alone() {
    let event = |at: u64, bytes: i64, addr: u64, (kind, total, reserved): (u8, u64, u64)| {
        format!(
            r#"{{"ph":"i","name":"[memory]","tid":1,"ts":{at}.5,"args":{{"Bytes":{bytes},"Addr":{addr},"Device Id":0,"Device Type":{kind},"Total Allocated":{total},"Total Reserved":{reserved}}}}}"#
        )
    };
    let events = [
        event(1, 300, 5000, (0, 300, 0)),
        event(2, 1024, 70_000, (1, 1024, 2_097_152)),
        event(3, 200, 7100, (0, 500, 0)),
        event(4, -300, 5000, (0, 200, 0)),
    ];
    let text = format!(r#"{{"traceEvents":[{}]}}"#, events.join(","));
    let (_, document, _) = load(&text.into_bytes()).expect("a trace");
    let deployed = deployed(document);
    let placed = deployed.arenas.iter();
    let placed = placed.map(|it| (it.name.to_string(), it.placed().is_some()));
    let placed: Vec<_> = placed.collect();
    let named = [("CUDA device 0", true), ("CPU", false)];
    assert_eq!(placed, named.map(|(name, is)| (name.to_owned(), is)));
    let row = &overview(&deployed)[1];
    let figures = (row.bytes, row.bound, row.avoidable());
    assert_eq!(figures, (Bytes(500), Bytes(500), Bytes::ZERO));
}

/// Torch's own sums at the fullest moment and at the end; column 0 is what it stacks them on.
#[test]
fn categories_of_a_timeline_are_torchs_own_and_are_kept() {
    let (_, document, _) = load(&RAW.as_bytes().to_vec()).expect("a timeline");
    let read = subject(&document);
    let (_, sums): (Vec<i64>, Vec<Vec<u64>>) = serde_json::from_str(SUMS).unwrap();
    let total = |row: &&Vec<u64>| row.iter().sum::<u64>();
    let most = sums.iter().map(|row| total(&row)).max().unwrap();
    let (last, end) = (sums.last().unwrap(), read.lifetimes.horizon.0 - 1);
    assert_eq!(by_category(&read, end)[..], last[1..]);
    let peak = by_category(&read, bounds(&read.lifetimes).peak.0);
    let fullest = sums.iter().filter(|row| total(row) == most);
    assert!(fullest.map(|row| &row[1..]).any(|row| peak[..] == *row));
    // A plan JSON, as a link has it, says the same.
    let options = Options::aligned(Bytes(1));
    let best = plan(Strategy::Best, &read.lifetimes, &options, &mut Silent).expect("a plan");
    let kept = read.plan_json(&best, &options, "");
    let (_, document, _) = load(&kept.into_bytes()).expect("plan JSON");
    assert_eq!(by_category(&subject(&document), end)[..], last[1..]);
}

/// Torch's own sums of the same profile, by category and at their largest.
#[test]
fn a_timeline_has_the_peak_of_torchs_own_sums() {
    let (lifetimes, warnings) = timeline(RAW);
    let sums: (Vec<i64>, Vec<Vec<u64>>) = serde_json::from_str(SUMS).unwrap();
    let peak = sums
        .1
        .iter()
        .max_by_key(|row| row.iter().sum::<u64>())
        .unwrap();
    let found = bounds(&lifetimes);
    assert_eq!(found.offsets, Bytes(peak.iter().sum()));
    // Behind the leading 0: parameters, and in the last row what is still there.
    let named = |category: &str, at: u64| {
        let of = lifetimes
            .buffers
            .iter()
            .filter(|it| it.name.starts_with(category));
        let live = of.filter(|it| it.span.start.0 <= at && at < it.span.end.0);
        live.map(|it| it.size.0).sum::<u64>()
    };
    let last = sums.1.last().unwrap();
    let end = lifetimes.horizon.0 - 1;
    assert_eq!(named("parameter", end), last[1]);
    assert_eq!(named("optimizer state", end), last[2]);
    assert_eq!(named("gradient", end), last[6]);
    assert_eq!(warnings, 1);
}

#[test]
fn actions_from_zero_are_read_as_documented() {
    let text = "[[-1, 0, 4096, 0], [2, 1, 8192, 4], [3, 1, 1024, 5], [4, 3, 8192, 4]]";
    let (lifetimes, _) = timeline(text);
    let found: Vec<_> = lifetimes
        .buffers
        .iter()
        .map(|it| (it.name.as_str(), it.size.0, it.span))
        .collect();
    let expected = [
        ("parameter 1", 4096, Span::new(0, 5)),
        ("activation 2", 8192, Span::new(2, 4)),
        ("gradient 3", 1024, Span::new(3, 5)),
    ];
    assert_eq!(found, expected);
}

#[test]
fn sums_and_broken_timelines_say_what_is_wrong() {
    let sums = refusal(SUMS);
    assert_eq!(sums.kind, Fault::Unsupported);
    assert!(
        sums.message.to_string().contains(".raw.json.gz")
            && sums.message.to_string().contains("172992 B")
    );
    assert!(
        sums.message.to_string().contains(" B of parameters"),
        "{sums}"
    );
    // Without the first column, or with another, nobody knows which category is which.
    for columns in [7, 8, 10] {
        let row = vec!["1"; columns].join(",");
        let error = refusal(&format!("[[1, 2], [[{row}], [{row}]]]"));
        assert_eq!(error.kind, Fault::Malformed, "{error}");
        assert!(
            error.message.to_string().contains("PyTorch writes 9"),
            "{error}"
        );
    }
    let error = refusal("[[1, 1, 8, 0], [2, 9, 8, 0]]");
    assert_eq!(
        (error.kind, error.place.to_string().as_str()),
        (Fault::Malformed, "row 2")
    );
    // Torch has seven categories, then those that it does not know; and what is taken is not
    // fewer than no bytes.
    for (row, said) in [
        ("[2, 1, 8, 8]", "category 8"),
        ("[2, 1, -8, 0]", "-8 bytes"),
    ] {
        let error = refusal(&format!("[[1, 1, 8, 7], {row}]"));
        assert_eq!(error.kind, Fault::Malformed, "{error}");
        assert_eq!(error.place, "row 2", "{error}");
        assert!(error.message.to_string().contains(said), "{error}");
    }
    // With a .html name torch writes a page with a picture.
    let page = refusal(
        "<html>\n<head><meta charset=\"utf-8\" /><title>GPU Memory Timeline HTML</title></head>\n\
         <body>\n  <img src='data:image/png;base64,iVBORw0KGgo='></body>",
    );
    assert_eq!(page.kind, Fault::Unsupported);
    assert!(
        page.message.to_string().contains("picture")
            && page.message.to_string().contains(".raw.json.gz")
    );
    assert_eq!(refusal("[[1, 1, 8, 0], [2, 1").kind, Fault::Truncated);
    assert_eq!(
        refusal("[[1, 1, 8, 0], [2, 1, \"8\", 0]]").kind,
        Fault::Malformed
    );
    // The largest negative number has no positive one.
    let (lifetimes, _) = timeline("[[1, 3, -9223372036854775808, 0], [2, 2, 8, 0], [3, 4, 8, 0]]");
    assert_eq!(lifetimes.buffers.len(), 1);
}
