//! Lines of source and what fills a value: through loops, tuples, copies and slices, and the tables
//! of files, functions, locations and frames.

use planner::advice::{Change, Wish};
use planner::deployed::{Arena, Deployed};
use planner::graph::Bindings;
use planner::load::Document;
use planner::query::Field;
use planner::{Bytes, Settings, prepare};
use tests::shared;
use tests::skipped::skip;

use super::{LOOP_PB, TRAIN_OLD, buffer, open};

const SCANNED_PB: (&str, &[u8]) = sample!("scanned.hlo.pb");
const SCANNED: [(&str, &[u8]); 3] = [
    sample!("scanned-buffer-assignment.txt"),
    sample!("scanned-live-range.txt"),
    sample!("scanned.txt"),
];

/// The stack of a buffer, innermost first, as function and line.
fn stack(found: &Deployed, arena: &Arena, name: &str) -> Vec<(String, u32)> {
    let note = &arena.notes[buffer(arena, name)];
    let frames = found.stacks.frames_of(note.stack);
    frames.map(|it| (it.function.clone(), it.line)).collect()
}

fn source<'a>(arena: &'a Arena, name: &str) -> &'a str {
    let note = &arena.notes[buffer(arena, name)];
    &note.value.as_deref().expect("it is a value").source
}

/// `make.py` has `h = jnp.tanh(h @ w)` in line 62 and `lax.scan` in line 65. The tables of the text
/// write each parent one too high, so that the outermost frame seems to call itself: frame 5 (line
/// 74 of `keep`) has the parent 5, which is frame 4 (line 97 of the module).
#[test]
fn a_value_has_the_lines_that_made_it() {
    for files in [&[SCANNED_PB][..], &SCANNED] {
        let (found, _) = open(files).expect("a dump");
        let arena = &found.arenas[0];
        let back = stack(&found, arena, "multiply_add_fusion");
        let layer = ("scanned.<locals>.layer".to_owned(), 62);
        assert_eq!(back.first(), Some(&layer));
        assert_eq!(back.last(), Some(&("<module>".to_owned(), 97)));
        let functions: Vec<&str> = back.iter().map(|it| it.0.as_str()).collect();
        assert_eq!(
            functions[1..],
            ["scanned", "scanned", "scanned", "keep", "<module>"]
        );
        // All but what XLA makes without a trace of a line have one.
        let silent = arena.notes.iter().filter(|note| note.stack == 0);
        assert_eq!(silent.count(), 0);
    }
}

/// Three arrays of six rows are filled in the loop: with the state before each layer, with its
/// tanh and with 1 - tanh, which the way back reads. XLA names them by a broadcast, a copy, the
/// state of the loop and a fusion of `dynamic_update_slice`; people wrote line 62.
#[test]
fn an_array_is_named_by_what_fills_it() {
    for files in [&[SCANNED_PB][..], &SCANNED] {
        let (found, _) = open(files).expect("a dump");
        let arena = &found.arenas[0];
        let array = |name: &str| {
            let note = &arena.notes[buffer(arena, name)];
            (
                note.filled,
                source(arena, name).to_owned(),
                stack(&found, arena, name)[0].1,
            )
        };
        let ops = ["wrapped_broadcast", "copy.7", "copy.8"].map(array);
        // Wherever it is handed on it is the same array.
        for (index, (place, begin)) in [(2, &ops[0]), (3, &ops[1]), (4, &ops[2])]
            .into_iter()
            .enumerate()
        {
            let names = [
                format!("arg_tuple.1{{{place}}}"),
                format!("while.13{{{place}}}"),
            ];
            for name in &names {
                assert_eq!(&array(name), begin, "{name} {index}");
            }
            assert_eq!(begin.2, 62, "{begin:?}");
        }
        let names: Vec<&str> = ops
            .iter()
            .map(|it| it.1.rsplit('/').next().unwrap_or(""))
            .collect();
        assert!(
            names.contains(&"tanh") && names.contains(&"sub"),
            "{names:?}"
        );
        let mut numbers: Vec<u32> = ops.iter().map(|it| it.0).collect();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), 3);
        assert!(numbers[0] > 0);
        // The gradient of the weights is filled so, too, but the program gives it back.
        let given = found
            .arenas
            .iter()
            .filter(|it| it.name.to_string().contains("live-out"));
        assert!(given.flat_map(|it| &it.notes).all(|note| note.filled == 0));
    }
}

/// What the state of a loop holds is followed to the operator in its body.
#[test]
fn the_state_of_a_loop_is_what_its_body_makes() {
    let (found, _) = open(&[LOOP_PB]).expect("a dump");
    let arenas = found.arenas.iter();
    let notes = arenas.flat_map(|it| it.lifetimes.buffers.iter().zip(&it.notes));
    let loops = notes.filter(|(buffer, note)| note.op == "while" && buffer.name.ends_with('}'));
    let mut seen = 0;
    for (buffer, note) in loops {
        let source = &note.value.as_deref().expect("a value").source;
        assert!(source.contains("/body/"), "{}: {source}", buffer.name);
        seen += 1;
    }
    assert!(seen > 0);
}

/// Builds of 2024 write file and line at each instruction, and have no tables.
#[test]
fn an_older_build_says_lines_itself() {
    let (found, _) = open(&[TRAIN_OLD]).expect("one text");
    let arena = &found.arenas[0];
    let lines: Vec<u32> = (0..arena.notes.len())
        .flat_map(|index| {
            found
                .stacks
                .frames_of(arena.notes[index].stack)
                .map(|it| it.line)
        })
        .collect();
    // `h = jnp.tanh(h @ w)` of that make.py is line 47.
    assert!(lines.contains(&47), "{lines:?}");
}

/// A table in which frames call each other in a ring ends all the same.
#[test]
fn a_ring_of_frames_ends() {
    let module = "HloModule m, is_scheduled=true\n\nFileNames\n1 \"/a/b.py\"\n\nFunctionNames\n1 \"f\"\n\n\
        FileLocations\n1 {file_name_id=1 function_name_id=1 line=7 end_line=7 column=1 end_column=2}\n\n\
        StackFrames\n1 {file_location_id=1 parent_frame_id=3}\n2 {file_location_id=1 parent_frame_id=2}\n\n\
        ENTRY %main (p.1: f32[8]) -> f32[8] {\n  %p.1 = f32[8]{0} parameter(0)\n  \
        ROOT %copy.1 = f32[8]{0} negate(%p.1), metadata={op_name=\"jit(m)/neg\" stack_frame_id=2}\n}\n";
    let assignment = "BufferAssignment:\nallocation 0: size 32, preallocated-temp:\n \
        value: <1 copy.1 @0> (size=32,offset=0): f32[8]{0}\n";
    let ranges = "HloLiveRange (max 2):\n  InstructionSequence:\n    0:p.1\n    1:copy.1\n  \
        BufferLiveRange:\n    copy.1{}:1-2\n";
    let files = [
        ("a", assignment.as_bytes()),
        ("b", ranges.as_bytes()),
        ("c", module.as_bytes()),
    ];
    let (found, _) = open(&files).expect("a dump");
    let frames = stack(&found, &found.arenas[0], "copy.1");
    assert_eq!(frames, [("f".to_owned(), 7), ("f".to_owned(), 7)]);
}

/// What is saved at most by not holding what the peak does not use, by group.
fn at_most(files: &[(&str, &[u8])]) -> (u64, Vec<(String, i64, Bytes)>) {
    let (found, _) = open(files).expect("a dump");
    let arena = found.arenas[0].plan.arena.0;
    let document = Document::Deployed(found);
    let subject =
        prepare(&document, &Bindings::default(), &Settings::default()).expect("it is small");
    let advice = subject
        .advise(Bytes(1), &Wish::default(), &mut |_, _| {})
        .expect("a plan");
    assert_eq!(advice.field, Field::Caller);
    let rows = advice
        .proposals
        .into_iter()
        .filter_map(|it| match it.change {
            Change::Unheld(group) => Some((group.text, it.saved, group.bytes)),
            _ => None,
        });
    (arena, rows.collect())
}

/// In the scanned layers the three arrays of 6 x 32 x 64 floats are 49,152 bytes each. Without them,
/// as `jax.checkpoint` leaves two of them away, at most their sum is saved, and at least that of two.
#[test]
fn what_loops_keep_is_saved_at_most() {
    for files in [&[SCANNED_PB][..], &SCANNED] {
        let (arena, rows) = at_most(files);
        let layer = rows
            .iter()
            .find(|it| it.0.contains("layer") && it.0.contains(":62"));
        let (_, saved, bytes) = layer.expect("the line of the layer");
        let saved = u64::try_from(*saved).expect("it saves");
        assert!(saved >= 2 * 49_152 && saved < arena, "{rows:?}");
        assert!(bytes.0 >= 3 * 49_152, "{rows:?}");
    }
}

/// The case of an outsider: two arrays of 50 x 512 x 512 floats, of which `jax.checkpoint` around
/// the body left one away; measured there, the temporary memory fell by 52,428,808 bytes.
#[test]
fn an_outsiders_scan_saves_at_least_what_was_measured() {
    let files = shared::files("cases", "scan.hlo.pb");
    let Some((name, bytes)) = files.first() else {
        return skip("no scan.hlo.pb is beside the checkout");
    };
    let (arena, rows) = at_most(&[(name, bytes)]);
    let body = rows
        .iter()
        .find(|it| it.0.contains("body") && it.0.contains(":4"));
    let (_, saved, _) = body.expect("the line of the body");
    let saved = u64::try_from(*saved).expect("it saves");
    assert!(saved >= 52_428_808 && saved < arena, "{rows:?}");
}
