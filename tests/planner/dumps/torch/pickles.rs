//! Pickles that are cut off, damaged, malicious, or no snapshots.

use planner::load::Fault;
use tests::chinese::load;
use tests::deployed::{deployed, violations};
use tests::random::Random;
use tests::snapshot::{Spec, USUAL};

use super::error;

/// A pickle whose bytes after the protocol are `rest`.
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
        assert_eq!(error.place, *format!("byte {end}"));
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
            error
                .message
                .to_string()
                .starts_with(&format!("{name} would")),
            "{error}"
        );
    }
    // The byte is that of the opcode: two of the protocol, ten of "os", nine of "system".
    let bytes = pickle(b"\x8c\x02os\x94\x8c\x06system\x94\x93.");
    assert_eq!(error(&bytes).place, "byte 16");
}

/// 2^63 has 64 bits, of which Python's pickle writes a ninth byte for the sign; -2^63 has eight.
#[test]
fn a_number_of_64_bits_is_not_said_to_have_more() {
    let snapshot = |number: &[u8]| {
        pickle(
            &[
                b"}\x8c\x08segments]}\x8c\x07address".as_slice(),
                number,
                b"sas.",
            ]
            .concat(),
        )
    };
    let mut large = vec![0x8a, 9, 0, 0, 0, 0, 0, 0, 0, 0x80, 0];
    let says = "address is a whole number outside of -2^63 to 2^63 - 1";
    assert_eq!(error(&snapshot(&large)).message, says);
    large.truncate(10);
    large[1] = 8;
    let says = "address is -9223372036854775808, below zero";
    assert_eq!(error(&snapshot(&large)).message, says);
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
        assert!(error.message.to_string().contains(words), "{error}");
    }
    // A checkpoint of PyTorch is a zip file.
    assert_eq!(error(b"PK\x03\x04 and more").kind, Fault::Packed);
    assert_eq!(error(b"{\"segments\": []}").kind, Fault::UnknownFormat);
    let error = error(b"\x80\x06N.");
    assert_eq!(error.kind, Fault::Unsupported);
    assert!(error.message.to_string().contains("protocol 6"), "{error}");
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
        assert!(error.message.to_string().contains(words), "{error}");
        assert!(error.place.to_string().starts_with("byte "), "{error}");
    }
    // What lies below a mark is not for a tuple above it, nor is it a list to append to.
    for (rest, byte) in [(&b"N(\x85."[..], 4), (b"](Na.", 5), (b"]((Ne.", 6)] {
        let found = error(&pickle(rest));
        assert_eq!(found.place, *format!("byte {byte}"), "{found}");
    }
    for (rest, name) in [
        (&b"I1\n."[..], "INT"),
        (b"Vtext\n.", "UNICODE"),
        (b"p0\n.", "PUT"),
    ] {
        let error = error(&pickle(rest));
        assert_eq!(error.kind, Fault::Unsupported, "{error}");
        assert!(error.message.to_string().starts_with(name), "{error}");
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
        assert_eq!(error.place, *format!("byte {}", rest.len() + 2));
    }
}

/// Lists in lists, a list in itself, and lists of which each holds the last twice: none of
/// them takes more time or memory than its bytes.
#[test]
fn bombs_do_not_go_off() {
    let deep = 1_000_000;
    let nested = pickle(&[vec![b']'; deep], vec![b'a'; deep - 1], b".".to_vec()].concat());
    assert!(
        error(&nested)
            .message
            .to_string()
            .contains("a pickled list")
    );
    let itself = pickle(b"}\x8c\x08segments]\x94h\x00as.");
    assert!(
        error(&itself)
            .message
            .to_string()
            .contains("it is a list, not a dict")
    );
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
                let listed = violations(arena);
                assert!(listed.len() <= 1000, "the judge lists so many at most");
            }
            readable += 1;
        }
    }
    assert!((1..4_000).contains(&readable), "{readable}");
}
