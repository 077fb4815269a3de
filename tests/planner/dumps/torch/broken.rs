//! Snapshots that are cut off, contradict themselves, or are none.

use planner::deployed::Deployed;
use planner::load::{Fault, LoadError, Warning, load};
use planner::units::Step;
use tests::deployed::{deployed, violations};
use tests::random::Random;
use tests::snapshot::pickle::Writer;
use tests::snapshot::{Spec, USUAL};

use super::read;

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

fn error(bytes: &[u8]) -> LoadError {
    load(&bytes.to_vec()).expect_err("it cannot be read")
}

/// A pickle whose bytes behind the protocol are `rest`.
fn pickle(rest: &[u8]) -> Vec<u8> {
    [&[0x80, 4], rest].concat()
}

#[test]
fn a_cut_names_the_byte() {
    let bytes = Spec {
        devices: vec![USUAL; 2],
        ..Spec::of(1, 400)
    }
    .make()
    .bytes(4);
    for step in 0..400 {
        let end = 2 + step * (bytes.len() - 3) / 399;
        let error = error(&bytes[..end]);
        assert_eq!(error.kind, Fault::Truncated, "{error}");
        assert_eq!(error.place, format!("byte {end}"));
    }
}

#[test]
fn what_python_would_call_is_refused_by_name() {
    let calls: [(&str, &[u8]); 15] = [
        ("GLOBAL", b"cos\nsystem\n."),
        ("REDUCE", b"N)R."),
        ("BUILD", b"}}b."),
        ("INST", b"(ios\nsystem\n."),
        ("OBJ", b"(No."),
        ("PERSID", b"Pname\n."),
        ("BINPERSID", b"NQ."),
        ("NEWOBJ", b"N)\x81."),
        ("NEWOBJ_EX", b"N)}\x92."),
        ("STACK_GLOBAL", b"\x8c\x02os\x94\x8c\x06system\x94\x93."),
        ("EXT1", b"\x82\x01."),
        ("EXT2", b"\x83\x01\x00."),
        ("EXT4", b"\x84\x01\x00\x00\x00."),
        ("NEXT_BUFFER", b"\x97."),
        ("READONLY_BUFFER", b"N\x98."),
    ];
    for (name, rest) in calls {
        let error = error(&pickle(rest));
        assert_eq!(error.kind, Fault::Unsupported, "{name}");
        assert!(
            error.message.starts_with(&format!("{name} would")),
            "{error}"
        );
    }
    // The byte is that of the opcode: two of the protocol, ten of "os", nine of "system".
    let bytes = pickle(b"\x8c\x02os\x94\x8c\x06system\x94\x93.");
    assert_eq!(error(&bytes).place, "byte 16");
}

#[test]
fn other_pickles_and_files_are_told_apart() {
    for (bytes, words) in [
        (&b"\x80\x04K\x07."[..], "a pickle of a whole number"),
        (b"\x80\x04].", "a pickled list"),
        (b"\x80\x04}.", "a pickled dict without \"segments\""),
        (
            b"\x80\x04}\x8c\x08segmentsK\x07s.",
            "a pickled dict whose \"segments\" are a whole",
        ),
        (
            b"\x80\x04}\x8c\x08segments]s.",
            "no block was ever handed out",
        ),
    ] {
        let error = error(bytes);
        assert_eq!(error.kind, Fault::Malformed, "{error}");
        assert!(error.message.contains(words), "{error}");
    }
    // A checkpoint of PyTorch is a zip file.
    assert_eq!(error(b"PK\x03\x04 and more").kind, Fault::UnknownFormat);
    assert_eq!(error(b"{\"segments\": []}").kind, Fault::UnknownFormat);
    let error = error(b"\x80\x06N.");
    assert_eq!(error.kind, Fault::Unsupported);
    assert!(error.message.contains("protocol 6"), "{error}");
}

#[test]
fn pickles_that_lead_nowhere_are_errors() {
    for (rest, words) in [
        (&b"h\x05."[..], "nothing is remembered as number 5"),
        (
            b"j\xff\xff\xff\xff.",
            "nothing is remembered as number 4294967295",
        ),
        (b"Nr\xff\xff\xff\x7f.", "beyond what can be remembered"),
        (b"\x8b\xff\xff\xff\xff.", "a number of -1 bytes"),
        (b".", "more from the stack than is there"),
        (b"(0.", "more from the stack than is there"),
        (b"N(\x85.", "more from the stack than is there"),
        (b"t.", "there is no mark"),
        (b"NNa.", "None is no list"),
        (b"]K\x01K\x02s.", "a list is no dict"),
        (b"}(Nu.", "a key without a value"),
        (b"\xf7.", "0xf7 is no opcode"),
    ] {
        let error = error(&pickle(rest));
        assert_eq!(error.kind, Fault::Malformed, "{error}");
        assert!(error.message.contains(words), "{error}");
        assert!(error.place.starts_with("byte "), "{error}");
    }
    for (rest, name) in [
        (&b"I1\n."[..], "INT"),
        (b"Vtext\n.", "UNICODE"),
        (b"p0\n.", "PUT"),
    ] {
        let error = error(&pickle(rest));
        assert_eq!(error.kind, Fault::Unsupported, "{error}");
        assert!(error.message.starts_with(name), "{error}");
    }
}

#[test]
fn lengths_are_believed_when_the_bytes_are_there() {
    for rest in [
        &b"\x8b\xff\xff\xff\x7f\x01"[..],
        b"X\xff\xff\xff\xff\x01",
        b"\x8d\xff\xff\xff\xff\xff\xff\xff\xff\x01",
        b"\x8e\xff\xff\xff\xff\xff\xff\xff\x7f\x01",
        b"\x96\xff\xff\xff\xff\xff\xff\xff\x7f\x01",
        b"\x95\xff",
    ] {
        let error = error(&pickle(rest));
        assert_eq!(error.kind, Fault::Truncated, "{error}");
        assert_eq!(error.place, format!("byte {}", rest.len() + 2));
    }
}

/// Lists in lists, a list in itself, and lists of which each holds the last twice: none of
/// them takes more time or memory than its bytes.
#[test]
fn bombs_do_not_go_off() {
    let deep = 1_000_000;
    let nested = pickle(&[vec![b']'; deep], vec![b'a'; deep - 1], b".".to_vec()].concat());
    assert!(error(&nested).message.contains("a pickled list"));
    let itself = pickle(b"}\x8c\x08segments]\x94h\x00as.");
    assert!(error(&itself).message.contains("it is a list, not a dict"));
    let mut doubling = b"}\x8c\x08segments]\x94".to_vec();
    for level in 0..100 {
        doubling.extend([b']', 0x94, b'(', b'h', level, b'h', level, b'e']);
    }
    doubling.extend(b"1.");
    assert_eq!(error(&pickle(&doubling)).kind, Fault::Malformed);
    // Lists that stand on the stack for nothing are paid for.
    let endless = pickle(&vec![b']'; 24 << 20]);
    assert_eq!(error(&endless).kind, Fault::Limit);
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
    assert!(error.message.contains("blocks"), "{error}");
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
            (error.kind, error.place.as_str()),
            (Fault::Malformed, place)
        );
        assert!(error.message.contains(words), "{error}");
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
        assert!(error.message.contains(words), "{error}");
    }
}

#[test]
fn sizes_beyond_what_can_be_summed_are_refused() {
    let huge = i64::MAX - (1 << 50);
    let error = error(&small(&[], &[("alloc", 0, huge), ("free", 0, huge)]));
    assert_eq!(error.kind, Fault::Limit, "{error}");
}

fn told(blocks: &[(u64, u64)], events: &[(&str, i64, i64)]) -> (Deployed, Vec<Warning>) {
    read(&small(blocks, events))
}

/// Each contradiction is told with its first event and does not keep the rest from being read.
#[test]
fn contradictions_are_told_with_their_event() {
    let cases: [(&[(u64, u64)], &[(&str, i64, i64)], &str, &str); 8] = [
        (
            &[(0, 512)],
            &[
                ("alloc", 512, 512),
                ("free", 512, 512),
                ("free_requested", 512, 512),
            ],
            "device 0, event 2",
            "1 block that is not handed out is given back",
        ),
        (
            &[(0, 512)],
            &[("free", 512, 512), ("free", 512, 512)],
            "device 0, event 1",
            "1 block that is not handed out is given back",
        ),
        (
            &[],
            &[
                ("alloc", 0, 512),
                ("free_requested", 0, 512),
                ("free_requested", 0, 512),
                ("free_completed", 0, 512),
            ],
            "device 0, event 2",
            "1 block is given back twice",
        ),
        (
            &[(0, 512)],
            &[("snapshot", 0, 0), ("alloc", 0, 512), ("alloc", 0, 512)],
            "device 0, event 2",
            "1 block is handed out that is still in use",
        ),
        (
            &[(0, 2048), (1024, 512)],
            &[("alloc", 0, 2048), ("alloc", 1024, 512)],
            "device 0, event 1",
            "1 block overlaps another that is in use",
        ),
        (
            &[(0, 512)],
            &[("alloc", 1 << 32, 512), ("free", 1 << 32, 512)],
            "device 0, event 0",
            "1 block lies in no segment",
        ),
        (
            &[(0, 512)],
            &[
                ("segment_free", 1 << 32, 512),
                ("segment_free", 1 << 32, 512),
            ],
            "device 0, event 1",
            "1 segment is taken or given back that cannot be",
        ),
        (
            &[(0, 512)],
            &[("snapshot", 0, 0), ("alloc", 512, 512)],
            "device 0, event 1",
            "1 block is never given back, but no longer there at the end",
        ),
    ];
    for (blocks, events, place, words) in cases {
        let (found, warnings) = told(blocks, events);
        let found_words = warnings
            .iter()
            .find(|warning| warning.message.starts_with(words));
        let warning = found_words.unwrap_or_else(|| panic!("{words}: {warnings:?}"));
        assert_eq!(warning.place, place, "{warning:?}");
        assert_eq!(
            found.arenas[0].lifetimes.horizon,
            Step(events.len() as u64 + 1)
        );
    }
    let (_, warnings) = told(&[(0, 512)], &[("free", 0, 512)]);
    let ghost = "1 block is there at the end although it was given back: ignored";
    assert!(
        warnings
            .iter()
            .any(|it| it.message == ghost && it.place == "device 0, end")
    );
}

/// What overlaps is shown as it is: the judge says so.
#[test]
fn overlapping_blocks_are_the_judges_business() {
    let (found, _) = told(&[(0, 2048), (1024, 512)], &[]);
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
    let (_, warnings) = told(&[(0, 512)], &events);
    let messages: Vec<_> = warnings.iter().map(|it| it.message.as_str()).collect();
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

#[test]
fn damage_anywhere_returns() {
    let bytes = Spec {
        devices: vec![USUAL; 2],
        kept: 60,
        ..Spec::of(5, 80)
    }
    .make()
    .bytes(5);
    let mut random = Random::new(0x70_4c);
    let mut readable = 0;
    for _ in 0..4_000 {
        let mut damaged = bytes.clone();
        for _ in 0..=random.index(3) {
            let at = 2 + random.index(damaged.len() - 2);
            match random.index(3) {
                0 => damaged[at] ^= 1 << random.index(8),
                1 => damaged[at] = [0, 1, 0x7f, 0x80, 0xff, b'K', b'h'][random.index(7)],
                _ => {
                    let twice = damaged[at..damaged.len().min(at + 9)].to_vec();
                    damaged.splice(at..at, twice);
                }
            }
        }
        if let Ok((_, document, _)) = load(&damaged) {
            let found = deployed(document);
            for arena in &found.arenas {
                violations(arena);
            }
            readable += 1;
        }
    }
    assert!((1..4_000).contains(&readable), "{readable}");
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
    let (found, warnings) = told(&[], &events);
    assert_eq!(warnings, []);
    let arena = &found.arenas[0];
    assert_eq!(arena.lifetimes.buffers.len(), 500_000);
    assert_eq!(arena.plan.arena.0, 5120);
    assert_eq!(arena.lifetimes.horizon, Step(1_000_001));
}
