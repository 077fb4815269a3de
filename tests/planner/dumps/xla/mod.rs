//! XLA's buffer assignments, as text and as protobuf. The samples are what `make.py` beside
//! them leaves; what they must give is read from their lines by other means here.

/// A committed sample.
macro_rules! sample {
    ($name:literal) => {
        (
            $name,
            include_bytes!(concat!("../../../data/plans/xla/", $name)).as_slice(),
        )
    };
}

mod broken;
mod oom;
mod platform;
mod reuse;
mod sources;
mod tiles;
mod values;
mod xplane;

use std::collections::BTreeMap;

use planner::deployed::{Arena, Deployed, Hold};
use planner::load::{Format, LoadError, Part, Warning};
use planner::waste::WasteKind;
use planner::{Bytes, Span};
use tests::chinese::{load, load_parts};
use tests::deployed::{deployed, part, split, violations};
use tests::shared;
use tests::skipped::skip;

/// Reads files that were opened together.
fn open(files: &[(&str, &[u8])]) -> Result<(Deployed, Vec<Warning>), LoadError> {
    let bytes: Vec<Vec<u8>> = files.iter().map(|(_, bytes)| bytes.to_vec()).collect();
    let parts = files.iter().zip(&bytes);
    let parts: Vec<Part<'_>> = parts
        .map(|((name, _), source)| Part { name, source })
        .collect();
    let (_, document, warnings) = load_parts(&parts)?;
    Ok((deployed(document), warnings))
}

const LOOP: [(&str, &[u8]); 2] = [
    sample!("loop-buffer-assignment.txt"),
    sample!("loop-live-range.txt"),
];
const LOOP_PB: (&str, &[u8]) = sample!("loop.hlo.pb");
const TRAIN: [(&str, &[u8]); 2] = [
    sample!("train-buffer-assignment.txt"),
    sample!("train-live-range.txt"),
];
const TRAIN_VALUES: (&str, &[u8]) = sample!("train-buffer-assignment-values.txt");
const TRAIN_REPORT: (&str, &[u8]) = sample!("train-memory-usage-report.txt");
const TRAIN_OLD: (&str, &[u8]) = sample!("train-old.txt");

fn text(file: (&str, &[u8])) -> String {
    String::from_utf8(file.1.to_vec()).expect("the sample is text")
}

/// The number after `before` in `text`.
fn number(text: &str, before: &str) -> u64 {
    let (_, rest) = text.split_once(before).expect("it is there");
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().expect("a number")
}

/// Name, size, offset, first and last step of every value of the temporary allocation, found
/// without the reader's means.
fn temporary(assignment: &str, ranges: &str) -> Vec<(String, u64, u64, u64, u64)> {
    let (_, ranges) = ranges.split_once("  BufferLiveRange:\n").expect("ranges");
    let lives: BTreeMap<&str, (u64, u64)> = ranges
        .lines()
        .take_while(|line| line.starts_with("    "))
        .map(|line| {
            let (name, life) = line.trim().rsplit_once(':').expect("a range");
            let (first, last) = life.split_once('-').expect("a range");
            (
                name,
                (first.parse().expect("step"), last.parse().expect("step")),
            )
        })
        .collect();
    let (_, values) = assignment
        .split_once("preallocated-temp:\n")
        .expect("a temporary allocation");
    let values = values.lines().take_while(|line| line.starts_with(" value"));
    let value = |line: &str| {
        let name = line.split(' ').nth(3).expect("a name");
        let written = if name.contains('{') {
            name.to_owned()
        } else {
            format!("{name}{{}}")
        };
        let (first, last) = lives[written.as_str()];
        let name = name.trim_end_matches("{}").to_owned();
        let (size, offset) = (number(line, "(size="), number(line, "offset="));
        (name, size, offset, first, last)
    };
    values.map(value).collect()
}

/// The most bytes that `values` have at once, when a range has its last step or not.
fn most(values: &[(String, u64, u64, u64, u64)], closed: bool) -> u64 {
    let end = |last: u64| if closed { last + 1 } else { last };
    let steps = 0..=values.iter().map(|it| it.4).max().unwrap_or(0);
    let live = |step| {
        let live = values
            .iter()
            .filter(move |it| (it.3..end(it.4)).contains(&step));
        live.map(|it| it.1).sum::<u64>()
    };
    steps.map(live).max().unwrap_or(0)
}

/// What must hold of every dump: no line is left over, no rule is broken, the parts sum.
fn sound(deployed: &Deployed, warnings: &[Warning]) {
    for warning in warnings {
        assert!(
            !warning.message.to_string().contains("not understood"),
            "{warning:?}"
        );
    }
    for arena in &deployed.arenas {
        assert_eq!(violations(arena), [], "{}", arena.name);
        assert_eq!(split(arena).arena, arena.plan.arena);
        assert_eq!(arena.notes.len(), arena.lifetimes.buffers.len());
    }
}

/// Name, size, span and offset of every buffer, by name.
fn rectangles(arena: &Arena) -> Vec<(String, Bytes, Span, u64)> {
    let buffers = arena.lifetimes.buffers.iter().zip(&arena.plan.offsets);
    let mut found: Vec<_> = buffers
        .map(|(buffer, offset)| (buffer.name.clone(), buffer.size, buffer.span, offset.0))
        .collect();
    found.sort();
    found
}

fn total(deployed: &Deployed) -> u64 {
    deployed.arenas.iter().map(|arena| arena.plan.arena.0).sum()
}

fn buffer(arena: &Arena, name: &str) -> usize {
    let mut buffers = arena.lifetimes.buffers.iter();
    let index = buffers.position(|buffer| buffer.name == name);
    index.unwrap_or_else(|| panic!("{name} is in {}", arena.name))
}

#[test]
fn the_two_texts_are_joined_in_any_order() {
    let (found, warnings) = open(&TRAIN).expect("the pair");
    sound(&found, &warnings);
    let [first, second] = TRAIN;
    assert_eq!(open(&[second, first]).expect("the pair").0, found);
    // 18 allocations: the temporary one, six whose parameter is written over, 11 others.
    assert_eq!(found.arenas.len(), 8);
    assert!(
        found.arenas[7]
            .name
            .to_string()
            .starts_with("11 other allocations")
    );
    // These were not planned as one arena, but all the others.
    let separate = found.arenas.iter().map(|it| it.separate);
    assert_eq!(
        separate.collect::<Vec<_>>(),
        [vec![false; 7], vec![true]].concat()
    );
    assert_eq!(total(&found), number(&text(TRAIN_REPORT), "Total bytes: "));
    let values = temporary(&text(TRAIN[0]), &text(TRAIN[1]));
    assert_eq!(values.len(), 11);
    let expected: Vec<_> = values
        .iter()
        .map(|(name, size, offset, first, last)| {
            let span = Span::new(*first, last + 1);
            (name.clone(), Bytes(*size), span, *offset)
        })
        .collect();
    let mut expected = expected;
    expected.sort();
    assert_eq!(rectangles(&found.arenas[0]), expected);
    assert_eq!(found.arenas[0].lifetimes.step_names[11], "ynn_fusion.4");
}

/// The last step of a range belongs to it: read half-open, `a` and `b` would never meet and
/// half the arena would be called waste.
#[test]
fn closed_ranges_are_no_waste() {
    let assignment = b"BufferAssignment:\nallocation 0: size 200, preallocated-temp:\n \
        value: <0 a @0> (size=100,offset=0): f32[25]{0}\n \
        value: <1 b @0> (size=100,offset=100): f32[25]{0}\n \
        value: <2 c @0> (size=100,offset=0): f32[25]{0}\n";
    let ranges = b"HloLiveRange (max 4):\n  InstructionSequence:\n    0:a\n    1:b\n    2:c\n    \
        3:d\n  BufferLiveRange:\n    a{}:0-1\n    b{}:1-2\n    c{}:2-3\n  \
        Live ranges at 1 (peak):\n    a{}: 100 bytes (cumulative: 100 bytes)\n    \
        b{}: 100 bytes (cumulative: 200 bytes)\n";
    let (found, warnings) = open(&[("x", assignment), ("y", ranges)]).expect("the pair");
    sound(&found, &warnings);
    let waste = split(&found.arenas[0]);
    assert_eq!(part(&waste, WasteKind::Fragmentation), 0);
    assert_eq!(part(&waste, WasteKind::Needed), 200);
    let halves: Vec<_> = [(0, 1), (1, 2), (2, 3)]
        .into_iter()
        .map(|(first, last)| (String::new(), 100, 0, first, last))
        .collect();
    assert_eq!((most(&halves, true), most(&halves, false)), (200, 100));
}

/// At step 22 `wrapped_tanh.1` is read for the last time and `multiply_add_fusion.4` is
/// written over it; the dump's protobuf calls that a share.
#[test]
fn an_operator_that_writes_in_place_is_no_overlap() {
    let (found, _) = open(&TRAIN).expect("the pair");
    let temp = &found.arenas[0];
    let (one, two) = (
        buffer(temp, "wrapped_tanh.1"),
        buffer(temp, "multiply_add_fusion.4"),
    );
    let pairs: Vec<_> = temp.lifetimes.handovers.iter().collect();
    assert_eq!(pairs.len(), 1);
    assert_eq!((pairs[0].before, pairs[0].after), (one, two));
    // Each donated parameter, too, hands its bytes to its own next value.
    assert_eq!(found.arenas[1].lifetimes.handovers.len(), 1);
}

#[test]
fn notes_say_what_the_dump_says() {
    let [assignment, ranges] = TRAIN;
    let all = [assignment, TRAIN_VALUES, TRAIN_REPORT, ranges];
    let (found, warnings) = open(&all).expect("all texts of a module");
    sound(&found, &warnings);
    let ignored = warnings
        .iter()
        .filter(|it| it.place.to_string().contains("report"));
    assert_eq!(ignored.count(), 1, "{warnings:?}");
    let others = &found.arenas[7];
    let x = &others.notes[buffer(others, "x.1")];
    assert_eq!(
        (x.role.as_str(), x.op.as_str()),
        ("parameter 6", "parameter")
    );
    // It is read at the steps of `ynn_fusion.4` and `dot`, and kept after them.
    let steps = &others.lifetimes.step_names;
    let at = |name: &str| steps.iter().position(|step| step == name).expect(name) as u64;
    let uses: Vec<u64> = x.uses.iter().map(|step| step.0).collect();
    assert_eq!(uses, [at("ynn_fusion.4"), at("dot")]);
    let held = x.held.expect("it is kept");
    assert_eq!(held.why, Hold::Pinned);
    assert_eq!(held.needed, Span::new(0, at("dot") + 1));
    let constant = &others.notes[buffer(others, "constant.13")];
    assert_eq!(constant.role, "constant");
    assert_eq!(constant.held.map(|it| it.why), Some(Hold::WholeLife));
    assert_eq!(
        others.notes[buffer(others, "reduce_sum.2")].role,
        "thread-local"
    );
    assert_eq!(
        others.notes[buffer(others, "tuple")].role,
        "output, maybe-live-out"
    );
    let temp = &found.arenas[0];
    let fused = &temp.notes[buffer(temp, "wrapped_tanh")];
    assert_eq!(
        (fused.role.as_str(), fused.op.as_str()),
        ("preallocated-temp", "fusion")
    );
    // Without the list of uses, the lifetimes are the same.
    let (pair, _) = open(&TRAIN).expect("the pair");
    for (one, other) in pair.arenas.iter().zip(&found.arenas) {
        assert_eq!(rectangles(one), rectangles(other));
    }
}

/// Older builds write one text with everything; its last number is the sum of all.
#[test]
fn an_older_build_needs_one_file() {
    let (found, warnings) = open(&[TRAIN_OLD]).expect("one text");
    sound(&found, &warnings);
    let text = text(TRAIN_OLD);
    assert_eq!(total(&found), number(&text, "Total bytes used: "));
    let values = temporary(&text, &text);
    assert_eq!(found.arenas[0].lifetimes.buffers.len(), values.len());
    let needed = part(&split(&found.arenas[0]), WasteKind::Needed);
    assert_eq!(u64::try_from(needed), Ok(most(&values, true)));
}

/// What the reader follows through the module is what XLA writes as text.
#[test]
fn text_and_protobuf_agree() {
    let (format, _, _) = load(&LOOP_PB.1.to_vec()).expect("the protobuf");
    assert_eq!(format, Format::Xla);
    let (text, _) = open(&LOOP).expect("the pair");
    let (proto, warnings) = open(&[LOOP_PB]).expect("the protobuf");
    sound(&proto, &warnings);
    agree(&text, &proto);
    assert_eq!(text.arenas[0].lifetimes.buffers.len(), 25);
    // It knows the operators by kind.
    let temp = &proto.arenas[0];
    assert_eq!(temp.notes[buffer(temp, "while.14{0}")].op, "while");
    assert_eq!(temp.notes[buffer(temp, "wrapped_iota")].op, "fusion");
}

fn agree(text: &Deployed, proto: &Deployed) {
    assert_eq!(text.arenas.len(), proto.arenas.len());
    for (one, other) in text.arenas.iter().zip(&proto.arenas) {
        assert_eq!(one.name, other.name);
        assert_eq!(one.plan.arena, other.plan.arena);
        assert_eq!(rectangles(one), rectangles(other), "{}", one.name);
        assert_eq!(one.lifetimes.handovers, other.lifetimes.handovers);
        assert_eq!(one.lifetimes.step_names, other.lifetimes.step_names);
        let roles = |arena: &Arena| -> Vec<String> {
            arena.notes.iter().map(|note| note.role.clone()).collect()
        };
        assert_eq!(roles(one), roles(other));
    }
}

/// A text and the protobuf of the same module: the protobuf says more.
#[test]
fn a_text_beside_the_protobuf_is_not_needed() {
    let (alone, before) = open(&[LOOP_PB]).expect("the protobuf");
    let (beside, after) = open(&[LOOP[0], LOOP_PB]).expect("both");
    assert_eq!(alone, beside);
    assert_eq!(after.len(), before.len() + 1);
    assert!(after.iter().any(|it| it.place == LOOP[0].0));
}

/// The training step of a transformer: figures of the facts, and of the dump's own report.
#[test]
fn the_transformer_of_the_facts() {
    let files = shared::files("plans/xla", ".txt");
    let find = |what: &str| {
        let mut files = files.iter();
        files.find(|(name, _)| name.contains("jit_step") && name.contains(what))
    };
    let (Some(assignment), Some(ranges)) = (find("buffer-assignment"), find("live-range")) else {
        return skip("no jit_step pair is beside the checkout");
    };
    let pair = [assignment, ranges].map(|(name, bytes)| (name.as_str(), bytes.as_slice()));
    let (found, warnings) = open(&pair).expect("the pair");
    sound(&found, &warnings);
    // 149 allocations: one temporary, 27 whose parameter is written over, 121 others.
    assert_eq!(text(pair[0]).matches("\nallocation ").count(), 149);
    assert_eq!(found.arenas.len(), 1 + 27 + 1);
    assert_eq!(found.arenas[28].lifetimes.buffers.len(), 121);
    // 246 ranges; what is thread-local has none.
    let buffers = found.arenas.iter().map(|it| it.lifetimes.buffers.len());
    let locals = text(pair[0]).matches("thread-local:").count();
    assert_eq!(buffers.sum::<usize>(), 246 + locals);
    let temp = &found.arenas[0];
    assert_eq!(temp.plan.arena, Bytes(19_998_656));
    assert_eq!(temp.lifetimes.buffers.len(), 150);
    assert_eq!(temp.lifetimes.handovers.len(), 5);
    let values = temporary(&text(pair[0]), &text(pair[1]));
    let bound = most(&values, true);
    assert_eq!(temp.plan.arena.0 - bound, 32);
    let waste = split(temp);
    let above = part(&waste, WasteKind::Alignment) + part(&waste, WasteKind::Fragmentation);
    assert_eq!(above, 32);
    let report = find("memory-usage-report").expect("it lies beside");
    let report = text((&report.0, &report.1));
    assert_eq!(total(&found), number(&report, "Total bytes: "));
}

/// The convolutions of the facts: no waste, where half-open ranges would claim 50 %; and the
/// protobuf of the same module.
#[test]
fn the_convolutions_of_the_facts() {
    let files = shared::files("plans/xla", "");
    let find = |what: &str| {
        let mut files = files.iter();
        let file = files.find(|(name, _)| name.contains("jit_net") && name.contains(what));
        file.map(|(name, bytes)| (name.as_str(), bytes.as_slice()))
    };
    let (Some(assignment), Some(ranges)) = (find("buffer-assignment"), find("live-range")) else {
        return skip("no jit_net pair is beside the checkout");
    };
    let (found, warnings) = open(&[assignment, ranges]).expect("the pair");
    sound(&found, &warnings);
    let waste = split(&found.arenas[0]);
    assert_eq!(waste.arena, Bytes(1_769_472));
    assert_eq!(part(&waste, WasteKind::Needed), 1_769_472);
    assert_eq!(part(&waste, WasteKind::Fragmentation), 0);
    let values = temporary(&text(assignment), &text(ranges));
    assert_eq!(most(&values, false), 1_179_648);
    assert_eq!(found.arenas[0].lifetimes.handovers.len(), 2);
    let proto = find(".hlo.pb").expect("it lies beside");
    let (proto, warnings) = open(&[proto]).expect("the protobuf");
    sound(&proto, &warnings);
    agree(&found, &proto);
}
