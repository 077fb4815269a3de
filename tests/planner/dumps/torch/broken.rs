//! Snapshots that contradict themselves, or say what cannot be.

use planner::Step;
use planner::deployed::Deployed;
use planner::load::{Fault, Warning};
use tests::deployed::violations;
use tests::snapshot::pickle::Writer;

use super::{error, read};

const BASE: u64 = 0x7f00_0000_0000;
const MIB: u64 = 1 << 20;

/// A snapshot of one segment of 2 MiB at [`BASE`] with `blocks` of offset and size in it, and
/// `events` of action, offset and size.
fn small(blocks: &[(u64, u64)], events: &[(&str, i64, i64)]) -> Vec<u8> {
    let mut writer = Writer::new(4);
    writer.dict(2);
    writer.key("segments");
    writer.list(1);
    writer.dict(4);
    writer.key("address");
    writer.size(BASE);
    writer.key("total_size");
    writer.size(2 * MIB);
    writer.key("segment_type");
    writer.text("small");
    writer.key("blocks");
    writer.list(blocks.len());
    for &(offset, size) in blocks {
        writer.dict(4);
        writer.key("address");
        writer.size(BASE + offset);
        writer.key("size");
        writer.size(size);
        writer.key("requested_size");
        writer.size(size);
        writer.key("state");
        writer.text("active_allocated");
    }
    writer.key("device_traces");
    writer.list(1);
    writer.list(events.len());
    for &(action, offset, size) in events {
        writer.dict(3);
        writer.key("action");
        writer.text(action);
        writer.key("addr");
        writer.int(offset + i64::try_from(BASE).expect("48 bits"));
        writer.key("size");
        writer.int(size);
    }
    writer.finish()
}

/// One segment of a thousand blocks that the list of segments names ten thousand times.
#[test]
fn a_segment_that_is_named_again_and_again_counts_each_time() {
    let blocks: Vec<(u64, u64)> = (0..1000).map(|it| (512 * it, 512)).collect();
    let bytes = small(&blocks, &[]);
    let (once, _) = read(&bytes);
    assert_eq!(once.arenas[0].lifetimes.buffers.len(), 1000);
    let mut writer = Writer::new(4);
    writer.dict(1);
    writer.key("segments");
    writer.list(10_000);
    let segment = writer.dict(3);
    writer.key("address");
    writer.size(BASE);
    writer.key("total_size");
    writer.size(2 * MIB);
    writer.key("blocks");
    writer.list(1000);
    for _ in 0..1000 {
        writer.dict(2);
        writer.key("size");
        writer.size(512);
        writer.key("state");
        writer.text("inactive");
    }
    for _ in 1..10_000 {
        writer.again(segment);
    }
    let error = error(&writer.finish());
    assert_eq!(error.kind, Fault::Limit, "{error}");
    assert!(error.message.to_string().contains("blocks"), "{error}");
}

#[test]
fn impossible_fields_name_their_event() {
    for (events, place, words) in [
        (
            [("alloc", 0, -5)],
            "device 0, event 0",
            "size is -5, below zero",
        ),
        ([("alloc", i64::MIN, 5)], "device 0, event 0", "addr is "),
        (
            [("free_completed", 0, -1)],
            "device 0, event 0",
            "size is -1, below zero",
        ),
    ] {
        let error = error(&small(&[(0, 512)], &events));
        assert_eq!(
            (error.kind, error.place.to_string().as_str()),
            (Fault::Malformed, place)
        );
        assert!(error.message.to_string().contains(words), "{error}");
    }
    let text = small(&[(0, 512)], &[("alloc", 0, 512)]);
    for (from, to, words) in [
        (&b"action"[..], &b"acting"[..], "action is missing"),
        (b"size", b"sign", "size is missing"),
        (b"total_size", b"total_sign", "total_size is missing"),
        (b"blocks", b"blorks", "blocks is missing"),
        (
            b"active_allocated",
            b"active_allotated",
            "\"active_allotated\" is not known",
        ),
    ] {
        let mut bytes = text.clone();
        let at = bytes
            .windows(from.len())
            .position(|it| it == from)
            .expect("it is there");
        bytes[at..at + to.len()].copy_from_slice(to);
        let error = error(&bytes);
        assert_eq!(error.kind, Fault::Malformed, "{error}");
        assert!(error.message.to_string().contains(words), "{error}");
    }
}

#[test]
fn sizes_beyond_what_can_be_summed_are_refused() {
    let huge = i64::MAX - (1 << 50);
    let error = error(&small(&[], &[("alloc", 0, huge), ("free", 0, huge)]));
    assert_eq!(error.kind, Fault::Limit, "{error}");
}

fn replayed(blocks: &[(u64, u64)], events: &[(&str, i64, i64)]) -> (Deployed, Vec<Warning>) {
    read(&small(blocks, events))
}

/// Where and with which words a trace that ends in `blocks` says of `events` that they do not
/// fit together; all are read nevertheless.
fn contradiction(blocks: &[(u64, u64)], events: &[(&str, i64, i64)], (place, words): (&str, &str)) {
    let (found, warnings) = replayed(blocks, events);
    let matches = |it: &&Warning| it.message.to_string().starts_with(words);
    let warning = warnings.iter().find(matches);
    let warning = warning.unwrap_or_else(|| panic!("{words}: {warnings:?}"));
    assert_eq!(warning.place, place, "{warning:?}");
    assert_eq!(
        found.arenas[0].lifetimes.horizon,
        Step(events.len() as u64 + 1)
    );
}

#[test]
fn blocks_that_are_given_back_wrongly_are_told_with_their_event() {
    let unknown = "1 block that is not handed out is given back: ignored";
    contradiction(
        &[(0, 512)],
        &[
            ("alloc", 512, 512),
            ("free", 512, 512),
            ("free_requested", 512, 512),
        ],
        ("device 0, event 2", unknown),
    );
    contradiction(
        &[(0, 512)],
        &[("free", 512, 512), ("free", 512, 512)],
        ("device 0, event 1", unknown),
    );
    contradiction(
        &[],
        &[
            ("alloc", 0, 512),
            ("free_requested", 0, 512),
            ("free_requested", 0, 512),
            ("free_completed", 0, 512),
        ],
        ("device 0, event 2", "1 block is given back twice"),
    );
    contradiction(
        &[(0, 512)],
        &[("snapshot", 0, 0), ("alloc", 512, 512)],
        (
            "device 0, event 1",
            "1 block is never given back, but no longer there at the end",
        ),
    );
    contradiction(
        &[(0, 512)],
        &[("free", 0, 512)],
        (
            "device 0, end",
            "1 block is there at the end although it was given back: ignored",
        ),
    );
}

#[test]
fn blocks_that_are_handed_out_wrongly_are_told_with_their_event() {
    contradiction(
        &[(0, 512)],
        &[("snapshot", 0, 0), ("alloc", 0, 512), ("alloc", 0, 512)],
        (
            "device 0, event 2",
            "1 block is handed out that is still in use",
        ),
    );
    contradiction(
        &[(0, 2048), (1024, 512)],
        &[("alloc", 0, 2048), ("alloc", 1024, 512)],
        (
            "device 0, event 1",
            "1 block overlaps another that is in use",
        ),
    );
    contradiction(
        &[(0, 512)],
        &[("alloc", 1 << 32, 512), ("free", 1 << 32, 512)],
        ("device 0, event 0", "1 block lies in no segment"),
    );
    contradiction(
        &[(0, 512)],
        &[
            ("segment_free", 1 << 32, 512),
            ("segment_free", 1 << 32, 512),
        ],
        (
            "device 0, event 1",
            "1 segment is taken or given back that cannot be",
        ),
    );
}

/// What overlaps is shown as it is: the judge says so.
#[test]
fn overlapping_blocks_are_the_judges_business() {
    let (found, _) = replayed(&[(0, 2048), (1024, 512)], &[]);
    assert_eq!(violations(&found.arenas[0]).len(), 1);
    assert_eq!(found.arenas[0].lifetimes.step_names, ["snapshot"]);
}

#[test]
fn what_is_not_known_is_counted() {
    let events = [
        ("alloc", 512, 512),
        ("teleport", 0, 0),
        ("free", 512, 512),
        ("teleport", 0, 0),
    ];
    let (_, warnings) = replayed(&[(0, 512)], &events);
    let messages: Vec<_> = warnings.iter().map(|it| it.message.to_string()).collect();
    assert_eq!(
        messages,
        ["not known and without effect: \"teleport\" (2 times)"]
    );
    let mut bytes = small(&[(0, 512)], &[("alloc", 512, 512), ("free", 512, 512)]);
    let at = bytes
        .windows(13)
        .position(|it| it == b"device_traces")
        .expect("it is there");
    bytes[at..at + 13].copy_from_slice(b"device_tracks");
    let (found, warnings) = read(&bytes);
    assert_eq!(
        warnings[0].message,
        "not known and left out: \"device_tracks\" (1 times)"
    );
    assert_eq!(found.arenas[0].lifetimes.buffers.len(), 1);
}

/// Another allocator rounds otherwise: where the file's own blocks show that, what is known
/// of the others is what was asked for.
#[test]
fn foreign_rounding_is_noticed() {
    let events = [
        ("alloc", 4096, 100),
        ("alloc", 0, 100),
        ("alloc", 8192, 100),
        ("free", 8192, 100),
    ];
    let mut bytes = small(&[(0, 128), (4096, 128)], &events);
    let (found, warnings) = read(&bytes);
    assert!(
        warnings[0]
            .message
            .to_string()
            .starts_with("2 blocks have another size"),
        "{warnings:?}"
    );
    let sizes: Vec<u64> = found.arenas[0]
        .lifetimes
        .buffers
        .iter()
        .map(|it| it.size.0)
        .collect();
    assert_eq!(sizes, [128, 128, 100]);
    bytes.extend(b"more");
    let (_, warnings) = read(&bytes);
    assert_eq!(warnings[0].message, "4 bytes behind the pickle are ignored");
}

#[test]
fn old_snapshots_are_lists_of_segments() {
    let mut writer = Writer::new(2);
    writer.list(1);
    writer.dict(3);
    writer.key("address");
    writer.size(BASE);
    writer.key("total_size");
    writer.size(2 * MIB);
    writer.key("blocks");
    writer.list(2);
    for (state, size) in [("inactive", 1024), ("active_allocated", 512)] {
        writer.dict(3);
        writer.key("size");
        writer.size(size);
        writer.key("state");
        writer.text(state);
        writer.key("history");
        writer.list(1);
        writer.dict(2);
        writer.key("addr");
        writer.size(BASE);
        writer.key("real_size");
        writer.size(300);
    }
    let (found, warnings) = read(&writer.finish());
    assert_eq!(warnings, []);
    let arena = &found.arenas[0];
    assert_eq!(arena.lifetimes.buffers.len(), 1);
    let buffer = &arena.lifetimes.buffers[0];
    assert_eq!((buffer.size.0, buffer.payload.0), (512, 300));
    assert_eq!(buffer.name, format!("b{:x}_0", BASE + 1024));
    assert_eq!(arena.lifetimes.horizon, Step(1));
}

/// What an event says of itself is the buffer's role; a category may be a number that the
/// file names elsewhere.
#[test]
fn categories_and_compile_contexts_are_roles() {
    let mut writer = Writer::new(3);
    writer.dict(3);
    writer.key("segments");
    writer.list(0);
    writer.key("categories");
    writer.list(2);
    writer.text("parameter");
    writer.text("activation");
    writer.key("device_traces");
    writer.list(1);
    writer.list(4);
    let event = |writer: &mut Writer, keys: usize, action: &str, address: u64, size: u64| {
        writer.dict(4 + keys);
        writer.key("action");
        writer.text(action);
        writer.key("addr");
        writer.size(BASE + address);
        writer.key("size");
        writer.size(size);
        writer.key("stream");
        writer.int(7);
    };
    event(&mut writer, 0, "segment_alloc", 0, 2 * MIB);
    event(&mut writer, 1, "alloc", 0, 100);
    writer.key("category");
    writer.int(1);
    event(&mut writer, 2, "alloc", 512, 100);
    writer.key("category");
    writer.text("gradient");
    writer.key("compile_context");
    writer.text("Torch-Compiled Region: 0/0");
    event(&mut writer, 1, "alloc", 1024, 100);
    writer.key("compile_context");
    writer.text("N/A");
    let (found, _) = read(&writer.finish());
    let roles = found.arenas[0].notes.iter().map(|note| note.role.as_str());
    let roles: Vec<_> = roles.collect();
    let expected = [
        "activation, stream 7",
        "gradient, Torch-Compiled Region: 0/0, stream 7",
        "stream 7",
    ];
    assert_eq!(roles, expected);
}

/// A million events that hand out two blocks in turn.
#[test]
fn a_million_events_are_read() {
    let events: Vec<(&str, i64, i64)> = (0..1_000_000)
        .map(|it| match it % 4 {
            0 => ("alloc", 0, 1024),
            1 => ("alloc", 1024, 4096),
            2 => ("free", 0, 1024),
            _ => ("free", 1024, 4096),
        })
        .collect();
    let (found, warnings) = replayed(&[], &events);
    assert_eq!(warnings, []);
    let arena = &found.arenas[0];
    assert_eq!(arena.lifetimes.buffers.len(), 500_000);
    assert_eq!(arena.plan.arena.0, 5120);
    assert_eq!(arena.lifetimes.horizon, Step(1_000_001));
}
