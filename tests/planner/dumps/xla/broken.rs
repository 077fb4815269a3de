//! Dumps that are cut off, mixed up or wrong: each is refused with the place.

use planner::load::{Fault, LoadError, Warning};

use super::{LOOP, LOOP_PB, TRAIN, TRAIN_OLD, TRAIN_REPORT, TRAIN_VALUES, open, text};

/// Why files that were opened together are refused.
fn fault(files: &[(&str, &[u8])]) -> LoadError {
    open(files).expect_err("it must be refused")
}

/// The pair of the training step with `from` replaced by `to` in one of its texts.
fn changed(part: usize, from: &str, to: &str) -> Result<Vec<Warning>, LoadError> {
    let [assignment, ranges] = &replaced(part, from, to);
    let files = [
        ("a.txt", assignment.as_bytes()),
        ("l.txt", ranges.as_bytes()),
    ];
    open(&files).map(|(_, warnings)| warnings)
}

fn replaced(part: usize, from: &str, to: &str) -> [String; 2] {
    let mut texts = TRAIN.map(text);
    assert!(texts[part].contains(from), "{from}");
    texts[part] = texts[part].replacen(from, to, 1);
    texts
}

fn refused(part: usize, from: &str, to: &str) -> LoadError {
    changed(part, from, to).expect_err("it must be refused")
}

#[test]
fn a_missing_half_is_named() {
    let error = fault(&TRAIN[..1]);
    assert_eq!(error.kind, Fault::Partner);
    assert!(
        error
            .message
            .to_string()
            .contains("the live ranges of this module are missing")
    );
    assert!(
        error.message.to_string().contains("live-range.txt"),
        "{error}"
    );
    let error = fault(&TRAIN[1..]);
    assert_eq!(error.kind, Fault::Partner);
    assert!(
        error
            .message
            .to_string()
            .contains("the buffer assignment of this module is missing")
    );
    // What knows neither offsets nor times does not replace a half.
    let error = fault(&[TRAIN[0], TRAIN_REPORT]);
    assert_eq!(error.kind, Fault::Partner);
    assert!(error.place.to_string().contains(TRAIN[0].0), "{error}");
    assert_eq!(fault(&[TRAIN_REPORT]).kind, Fault::Partner);
    assert_eq!(fault(&[TRAIN_VALUES]).kind, Fault::Partner);
    assert_eq!(
        fault(&[("hlo.txt", b"HloModule jit_f, x={}\n")]).kind,
        Fault::Partner
    );
}

#[test]
fn halves_of_different_modules_do_not_join() {
    let error = fault(&[TRAIN[0], LOOP[1]]);
    assert_eq!(error.kind, Fault::Apart);
    assert!(
        error.place.to_string().contains(TRAIN[0].0) && error.place.to_string().contains(LOOP[1].0)
    );
    assert!(
        error.message.to_string().contains("no live range"),
        "{error}"
    );
    // The same step with other sizes: all names join, but the sizes do not.
    let (from, to) = (
        "(size=36864,offset=0): f32[96,96]{1,0}\n value: <110",
        "(size=512,offset=0): f32[1]\n value: <110",
    );
    let error = refused(0, from, to);
    assert_eq!(error.kind, Fault::Apart);
    assert!(error.message.to_string().contains("512 bytes"), "{error}");
    let error = fault(&[LOOP[0], LOOP[1], TRAIN_REPORT]);
    assert_eq!(error.kind, Fault::Apart);
    assert!(error.message.to_string().contains("371800"), "{error}");
}

#[test]
fn two_of_a_kind_are_refused() {
    let [assignment, ranges] = TRAIN;
    for files in [
        vec![assignment, assignment],
        vec![ranges, ranges, assignment],
        vec![TRAIN_OLD, ranges],
        vec![LOOP_PB, ("again.pb", LOOP_PB.1)],
    ] {
        let error = fault(&files);
        assert_eq!(error.kind, Fault::Apart, "{error}");
    }
    let error = fault(&[TRAIN[0], ("image.png", b"\x89PNG")]);
    assert_eq!(error.kind, Fault::Apart);
    assert!(error.kind.remedy().contains("`*-live-range.txt`"));
    // A part that is packed is said to be, by its name, instead.
    for (magic, by) in [
        (b"\x1f\x8b\x08\0".as_slice(), "gzip"),
        (b"PK\x03\x04", "zip"),
    ] {
        let error = fault(&[TRAIN[0], ("ranges", magic)]);
        assert_eq!(
            (error.kind, error.place.to_string().as_str()),
            (Fault::Packed, "ranges, byte 0")
        );
        assert!(error.message.to_string().ends_with(by), "{error}");
    }
}

#[test]
fn wrong_lines_are_named() {
    let at = |error: LoadError, line: &str| {
        assert_eq!(error.kind, Fault::Malformed, "{error}");
        assert!(error.place.to_string().ends_with(line), "{error}");
    };
    at(
        refused(0, "allocation 0: size 36864", "allocation 0: size -1"),
        "a.txt, line 2",
    );
    at(
        refused(0, "(size=36864,offset=0)", "(size=36864,offset=-8)"),
        "a.txt, line 3",
    );
    at(
        refused(0, "(size=36864,offset=0)", "(size=-36864,offset=0)"),
        "a.txt, line 3",
    );
    at(
        refused(0, ", maybe-live-out:", ", maybe-tomorrow:"),
        "a.txt, line 2",
    );
    at(refused(1, "    3:", "    4:"), "l.txt, line 6");
    at(refused(1, "x.1{}:0-35", "x.1{}:36-35"), "l.txt, line 40");
    at(refused(1, "x.1{}:0-35", "x.1{}:0-99999"), "l.txt, line 40");
    at(refused(1, "x.1{}:0-35", "x.1{}:0--35"), "l.txt, line 40");
    at(refused(1, "x.1{}:0-35", "x.1"), "l.txt, line 40");
    let error = refused(1, "    x.1{}:0-35\n", "    x.1{}:0-35\n    x.1{}:0-35\n");
    assert_eq!(error.kind, Fault::Duplicate);
    assert!(
        error.place.to_string().ends_with("line 41")
            && error.message.to_string().contains("line 40")
    );
    let error = refused(1, "    x.1{}:0-35\n", "");
    assert_eq!(error.kind, Fault::Dangling);
    let error = refused(0, "offset=104448", "offset=99999999999999999999999");
    assert_eq!(error.kind, Fault::Malformed);
    let error = refused(0, "offset=104448", "offset=18446744073709551615");
    assert_eq!(error.kind, Fault::Limit, "{error}");
}

#[test]
fn a_line_that_is_not_known_is_reported() {
    for (from, to, place) in [
        (
            "  BufferLiveRange:",
            "  Colours:\n    x:red\n  BufferLiveRange:",
            "line 38",
        ),
        (
            "  Stack trace",
            "  Peaks by colour\n  Stack trace",
            "line 88",
        ),
    ] {
        let warnings = changed(1, from, to).expect("the rest can be read");
        let reported = warnings
            .iter()
            .find(|it| it.message.to_string().contains("not understood"));
        let reported = reported.unwrap_or_else(|| panic!("{to}"));
        assert_eq!(reported.place, *format!("l.txt, {place}"));
    }
}

/// Values that lie in each other's way are what a debugger is for.
#[test]
fn overlapping_values_are_opened_and_judged() {
    let texts = TRAIN.map(text);
    let assignment = texts[0].replacen("offset=104448", "offset=0", 1);
    let files = [("a", assignment.as_bytes()), ("l", texts[1].as_bytes())];
    let (found, _) = open(&files).expect("it opens");
    assert!(!tests::deployed::violations(&found.arenas[0]).is_empty());
}

/// A text that is cut off is refused or says the same as the whole one.
#[test]
fn every_truncated_text_is_safe() {
    let whole = open(&TRAIN).expect("the pair").0;
    let mut refused = 0;
    for part in 0..2 {
        let length = TRAIN[part].1.len();
        for end in (1..length).step_by(17) {
            let mut files = TRAIN;
            files[part].1 = &files[part].1[..end];
            match open(&files) {
                Ok((found, _)) => assert_eq!(found, whole, "{part} up to {end}"),
                Err(error) => {
                    assert!(!error.place.is_empty(), "{error}");
                    refused += 1;
                }
            }
        }
    }
    assert!(refused > 350, "{refused}");
    let old = open(&[TRAIN_OLD]).expect("one text").0;
    for end in (1..TRAIN_OLD.1.len()).step_by(41) {
        if let Ok((found, _)) = open(&[("old", &TRAIN_OLD.1[..end])]) {
            assert_eq!(found, old, "up to {end}");
        }
    }
}

#[test]
fn every_truncated_protobuf_is_refused() {
    let bytes = LOOP_PB.1;
    for end in (1..bytes.len()).step_by(37) {
        let cut = bytes[..end].to_vec();
        let error = tests::chinese::load(&cut).expect_err("it is cut off");
        assert!(!error.place.is_empty(), "{end}: {error}");
    }
}

/// One byte is another: whatever comes out, it comes out.
#[test]
fn no_changed_byte_stops_the_reader() {
    let mut bytes = LOOP_PB.1.to_vec();
    for at in (0..bytes.len()).step_by(61) {
        for flip in [0x01, 0x80, 0xff] {
            bytes[at] ^= flip;
            let _ = tests::chinese::load(&bytes);
            bytes[at] ^= flip;
        }
    }
    let mut bytes = TRAIN_OLD.1.to_vec();
    for at in (0..bytes.len()).step_by(211) {
        for byte in [b'-', b'9', b'{', 0xff] {
            let before = std::mem::replace(&mut bytes[at], byte);
            let _ = tests::chinese::load(&bytes);
            bytes[at] = before;
        }
    }
}

/// Before the optimizations there is no assignment yet, in the protobuf neither.
#[test]
fn a_module_without_assignment_is_refused() {
    // The first field alone, which is the module; its length stands after the tag.
    let bytes = LOOP_PB.1;
    let digits = bytes[1..].iter().position(|byte| *byte < 0x80);
    let digits = digits.expect("the length ends") + 1;
    let length = bytes[1..=digits].iter().rev();
    let length = length.fold(0, |length, byte| length << 7 | usize::from(byte & 0x7f));
    let prefix = 1 + digits;
    let module = bytes[..prefix + length].to_vec();
    let error = tests::chinese::load(&module).expect_err("it has no plan");
    assert_eq!(error.kind, Fault::Unsupported);
    assert!(
        error.message.to_string().contains("buffer assignment"),
        "{error}"
    );
}

/// Sizes that are rounded for people give no exact arena: that of the values is taken.
#[test]
fn rounded_sizes_are_said() {
    let warnings = changed(0, "size 119808, prealloc", "size 117.0KiB, prealloc");
    let warnings = warnings.expect("it can be read");
    assert!(
        warnings
            .iter()
            .any(|it| it.message.to_string().contains("rounded"))
    );
    let error = refused(0, "size 119808, prealloc", "size 117.0Kilo, prealloc");
    assert!(error.place.to_string().ends_with("line 49"), "{error}");
}

/// The older way to write a value: offset and size in brackets.
#[test]
fn the_older_way_to_write_offsets_is_read() {
    let [assignment, ranges] = TRAIN.map(text);
    let older = assignment.lines().map(|line| {
        let Some((value, place)) = line.split_once(" (size=") else {
            return format!("{line}\n");
        };
        let (size, rest) = place.split_once(",offset=").expect("a value");
        let (offset, shape) = rest.split_once(')').expect("a value");
        let value = value.replace(" value: ", "  ");
        format!("{value} [{offset},{size}]{shape}\n")
    });
    let older: String = older.collect();
    let files = [("a", older.as_bytes()), ("l", ranges.as_bytes())];
    let (found, _) = open(&files).expect("the older text");
    assert_eq!(found, open(&TRAIN).expect("the pair").0);
}

/// A million lines.
#[test]
fn a_long_text_is_read() {
    const VALUES: u64 = 125_000;
    const STEPS: u64 = 625_000;
    let mut assignment =
        String::from("BufferAssignment:\nallocation 0: size 16000000, preallocated-temp:\n");
    let mut ranges = format!("HloLiveRange (max {STEPS}):\n  InstructionSequence:\n");
    let mut lives = String::from("  BufferLiveRange:\n");
    let mut peak = String::from("  Live ranges at 0 (peak):\n");
    for value in 0..VALUES {
        let offset = value * 64;
        assignment +=
            &format!(" value: <{value} v.{value} @0> (size=64,offset={offset}): f32[16]{{0}}\n");
        lives += &format!("    v.{value}{{}}:{value}-{STEPS}\n");
        peak += &format!("    v.{value}{{}}: 64 bytes (cumulative: {offset} bytes)\n");
    }
    for step in 0..STEPS {
        ranges += &format!("    {step}:v.{step}\n");
    }
    ranges = ranges + &lives + &peak;
    let files = [("a", assignment.as_bytes()), ("l", ranges.as_bytes())];
    let (found, _) = open(&files).expect("a long text");
    assert_eq!(found.arenas[0].lifetimes.buffers.len() as u64, VALUES);
}

/// A field of a protobuf message.
fn field(number: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = vec![number << 3 | 2];
    let mut length = payload.len();
    while length > 0x7f {
        bytes.push(u8::try_from(length & 0x7f).expect("seven bits") | 0x80);
        length >>= 7;
    }
    bytes.push(u8::try_from(length).expect("seven bits"));
    bytes.extend(payload);
    bytes
}

/// Twenty thousand parts of one result, read twenty thousand times each: as much as no
/// program does, in a small file.
#[test]
fn a_protobuf_that_reads_too_much_is_refused() {
    const PARTS: usize = 20_000;
    let instruction = |name: &str, op: &str, id: u8, rest: &[u8]| {
        let mut bytes = field(1, name.as_bytes());
        bytes.extend(field(2, op.as_bytes()));
        bytes.extend(rest);
        bytes.extend([0x98, 0x02, id]);
        field(2, &bytes)
    };
    let shape = field(3, &field(4, &[]).repeat(PARTS));
    let operands = field(4, &vec![1; PARTS]);
    // Field 36 has a tag of two bytes.
    let operands = [&[0xa2, 0x02], &operands[1..]].concat();
    let mut computation = field(1, b"main");
    computation.extend(instruction("a", "custom-call", 1, &shape));
    computation.extend(instruction("b", "custom-call", 2, &operands));
    computation.extend([0x28, 7, 0x30, 2]);
    let order = field(
        1,
        &[&[0x08, 7], field(2, &field(1, &[1, 2])).as_slice()].concat(),
    );
    let mut module = [field(1, b"m"), field(2, b"main"), field(3, &computation)].concat();
    module.extend([0x30, 7]);
    module.extend(field(7, &order));
    let value = [&[0x08, 3, 0x10, 4], field(3, &[0x20, 1]).as_slice()].concat();
    let assigned = field(9, &[0x08, 3, 0x18, 4]);
    let allocation = [&[0x10, 4], assigned.as_slice()].concat();
    let assignment = [field(1, &value), field(3, &allocation)].concat();
    let bytes = [field(1, &module), field(3, &assignment)].concat();
    let error = tests::chinese::load(&bytes).expect_err("it must be refused");
    assert_eq!(error.kind, Fault::Limit, "{error}");
}

/// An allocation without a line of a value is in XLA's sums and in no arena.
#[test]
fn an_allocation_that_nothing_uses_is_said() {
    let begin = "BufferAssignment:\n";
    let vacant = format!("{begin}allocation 999: size 300, preallocated-temp:\n");
    let [assignment, ranges] = replaced(0, begin, &vacant);
    let files = [
        ("a.txt", assignment.as_bytes()),
        ("l.txt", ranges.as_bytes()),
    ];
    let (found, warnings) = open(&files).expect("the pair");
    let (before, _) = open(&TRAIN).expect("the pair");
    assert_eq!(found.arenas, before.arenas);
    let says = "1 allocation holds no value: 300 bytes that nothing uses";
    assert!(warnings.iter().any(|it| it.message == says), "{warnings:?}");
}
