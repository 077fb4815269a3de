//! A part of a recording, against the books; and that a file is read in parts.

use std::cell::{Cell, RefCell};

use planner::deployed::{Arena, Deployed, LaneKind};
use planner::load::{Excerpt, Fault, Files, LoadError, Part, Source, SourceError, Warning};
use planner::{Span, Step};
use tests::chinese;
use tests::deployed::deployed;
use tests::snapshot::pickle::Writer;
use tests::snapshot::{Block, Spec};

use super::{at, in_order, read, specs};

/// Events from `first` up to and without `end`.
fn ranged(bytes: &[u8], first: usize, end: usize) -> Result<(Deployed, Vec<Warning>), LoadError> {
    let source = bytes.to_vec();
    let part = Part {
        name: "file",
        source: &source,
    };
    let loaded = chinese::load_files(&Files {
        range: Some(Span::new(first as u64, end as u64)),
        ..Files::new(&[part])
    });
    loaded.map(|(_, document, warnings)| (deployed(document), warnings))
}

/// Steps of the whole file in which a block lives: step 0 is before event 0, and event `i` is step
/// `i + 1`.
fn steps(block: &Block, events: usize) -> (usize, usize) {
    let start = block.alloc.map_or(0, |event| event + 1);
    (
        start,
        block.completed_free.map_or(events + 1, |event| event + 1),
    )
}

/// What the blocks say that are not in the range, which begins at step `first` of the whole file
/// and ends before step `end`: how many end before it, are taken before it and live where it
/// begins, and begin after it.
fn outside(blocks: &[Block], events: usize, (first, end): (usize, usize)) -> [usize; 3] {
    let count = |is: &dyn Fn(&Block, usize, usize) -> bool| {
        let lives = blocks.iter().filter(|it| {
            let (from, to) = steps(it, events);
            is(it, from, to)
        });
        lives.count()
    };
    [
        count(&|_, _, to| to <= first),
        count(&|it, from, to| it.alloc.is_some() && from <= first && to > first),
        count(&|_, from, _| from >= end),
    ]
}

fn blocks_and_lines_are_of_the_range(
    arena: &Arena,
    (whole, blocks): (&Arena, &[Block]),
    events: usize,
    (first, end): (usize, usize),
) {
    // Of the whole file the names and stacks are compared with the books elsewhere.
    let both = blocks
        .iter()
        .zip(&whole.lifetimes.buffers)
        .zip(&whole.notes);
    let mut lives: Vec<_> = both
        .filter_map(|((block, buffer), note)| {
            let (from, to) = steps(block, events);
            let inside = to > first && from <= end;
            let span = || (from.max(first) - first, to.min(end + 1) - first);
            // Of a block that was there before the trace and is given back after the range,
            // the file does not say who asked for it.
            inside.then(|| {
                (
                    buffer.name.clone(),
                    span(),
                    block.taken.requested,
                    note.stack,
                )
            })
        })
        .collect();
    let found = arena.lifetimes.buffers.iter().zip(&arena.notes);
    let mut found: Vec<_> = found
        .map(|(buffer, note)| {
            let at = |step: Step| usize::try_from(step.0).expect("small");
            let span = (at(buffer.span.start), at(buffer.span.end));
            (buffer.name.clone(), span, buffer.payload.0, note.stack)
        })
        .collect();
    lives.sort();
    found.sort();
    assert_eq!(found, lives);
    assert_eq!(arena.lifetimes.horizon, Step((end - first + 1) as u64));
    for step in first..=end {
        for kind in [LaneKind::Reserved, LaneKind::Requested] {
            let (inside, outside) = ((step - first) as u64, step as u64);
            assert_eq!(at(arena, kind, inside), at(whole, kind, outside), "{step}");
        }
    }
}

/// What is in the range is as in the whole file, and what is said to lie outside makes it whole.
#[test]
fn a_range_and_what_lies_outside_are_the_whole() {
    let (mut compared, mut lived) = (0, 0);
    for (number, spec) in specs().into_iter().enumerate() {
        let made = spec.make();
        let bytes = made.bytes(4);
        let events = made.lines(0).len() - 1;
        if events < 100 {
            continue;
        }
        let (whole, _) = read(&bytes);
        let first = [0, events / 3, events / 2][number % 3];
        let end = [events, events / 2 + 20, events * 2 / 3][number / 3 % 3];
        let (found, warnings) = ranged(&bytes, first, end).expect("a range that it has");
        for (device, arena) in found.arenas.iter().enumerate() {
            let events = made.lines(device).len() - 1;
            let end = end.min(events);
            let blocks = in_order(&made, device);
            let place = |it: &&Arena| it.name == arena.name;
            let whole = whole.arenas.iter().find(place).expect("the same device");
            blocks_and_lines_are_of_the_range(arena, (whole, &blocks), events, (first, end));
            let [ended, live, begun] = outside(&blocks, events, (first, end + 1));
            let said = warnings.iter().filter(|it| it.place == arena.name);
            let said: Vec<String> = said.map(|it| it.message.to_string()).collect();
            let before = format!(
                "{first} events before the range: {ended} blocks that ended there are left out, \
                 {live} that began there are still in use"
            );
            let after = format!(
                "{} events after the range: {begun} blocks that began there are left out",
                events - end
            );
            assert_eq!(said.contains(&before), first > 0, "{said:?} {before}");
            assert_eq!(said.contains(&after), end < events, "{said:?} {after}");
            assert_eq!(arena.lifetimes.buffers.len() + ended + begun, blocks.len());
            (compared, lived) = (compared + 1, lived + live);
        }
    }
    assert!(compared > 8 && lived > 100, "{compared} {lived}");
}

/// A file of which it is written down what is read of it.
struct Watched {
    bytes: Vec<u8>,
    most: Cell<usize>,
    reads: RefCell<Vec<u64>>,
}

impl Source for Watched {
    fn len(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn read_at(&self, start: u64, target: &mut [u8]) -> Result<(), SourceError> {
        self.most.set(self.most.get().max(target.len()));
        self.reads.borrow_mut().push(start);
        self.bytes.read_at(start, target)
    }
}

/// However large a file is, no more of it is in memory at once than a window of 256 KiB, and that
/// goes forwards. What is read so is what is read of all bytes at once.
#[test]
fn a_file_is_read_in_parts_from_the_first_to_the_last() {
    let bytes = Spec::of(3, 12_000).make().bytes(4);
    assert!(bytes.len() > 2 * (256 << 10), "several windows");
    let watched = Watched {
        bytes: bytes.clone(),
        most: Cell::new(0),
        reads: RefCell::default(),
    };
    let (_, document, warnings) = chinese::load(&watched).expect("a whole snapshot");
    assert_eq!((deployed(document), warnings), read(&bytes));
    assert!(watched.most.get() <= 256 << 10);
    // Whatever finds out what the file is reads its beginning.
    let reads = watched.reads.into_inner();
    let forwards = reads.iter().skip_while(|&&start| start == 0);
    assert!(forwards.clone().count() > 1 && forwards.is_sorted());
}

/// A snapshot whose trace has the first of two events `allocs` times and then the second `frees`
/// times, each two bytes long: that one is remembered.
fn repeated(allocs: usize, frees: usize) -> Vec<u8> {
    let text = |text: &str| {
        [
            &[0x8c, u8::try_from(text.len()).expect("short")],
            text.as_bytes(),
        ]
        .concat()
    };
    let event = |action: &str, place: u8| {
        let pairs = [
            ("action", text(action)),
            ("addr", vec![b'K', 0]),
            ("size", vec![b'K', 64]),
        ];
        let pairs = pairs
            .map(|(key, value)| [text(key), value].concat())
            .concat();
        [b"}(".as_slice(), &pairs, &[b'u', b'q', place, b'0']].concat()
    };
    let mut bytes = [
        b"\x80\x04".as_slice(),
        &event("alloc", 0),
        &event("free", 1),
        b"}(",
        &text("segments"),
        b"]",
        &text("device_traces"),
        b"](](",
    ]
    .concat();
    let again = |place: u8, count: usize| [b'h', place].repeat(count);
    for (place, count) in [(0, allocs), (1, frees)] {
        for batch in 0..count.div_ceil(1000) {
            let left = count - batch * 1000;
            bytes.extend(again(place, left.min(1000)));
            bytes.extend(b"e(");
        }
    }
    bytes.extend(b"eeu.");
    bytes
}

/// More than 1,048,576 events are not held: they are counted, and the range that is proposed has
/// the event after which most is in use, by hand the last that takes something.
#[test]
fn of_too_many_events_a_range_is_asked_for() {
    let (most, allocs) = (1 << 20, 1_000_000);
    let error = super::error(&repeated(allocs, most - allocs + 2000));
    let Fault::Range(asked) = error.kind else {
        panic!("{error}");
    };
    let (events, most) = (most as u64 + 2000, most as u64);
    let Excerpt { span, peak, .. } = asked;
    assert_eq!((asked.events, asked.most), (events, most));
    assert_eq!((asked.micros, asked.failed, peak), (0, None, 999_999));
    assert_eq!(span.len(), most);
    assert!(span.start.0 <= peak && peak < span.end.0 && span.end.0 <= events);
    assert!(error.to_string().contains("1050576 events"), "{error}");
}

/// What is before and after a range is undone, however often it is the same.
#[test]
fn two_events_of_many_are_read() {
    let (found, warnings) = ranged(&repeated(3000, 2000), 2999, 3001).expect("two events");
    assert_eq!(found.arenas[0].lifetimes.horizon, Step(3));
    let outside = [
        "2999 events before the range",
        "1999 events after the range",
    ];
    for said in outside {
        let is_said = warnings
            .iter()
            .any(|it| it.message.to_string().starts_with(said));
        assert!(is_said, "{warnings:?}");
    }
}

/// A range without an event, and one of what has none.
#[test]
fn a_range_that_has_nothing_is_refused() {
    let bytes = repeated(3, 3);
    let error = ranged(&bytes, 6, 9).expect_err("there are six");
    assert!(
        matches!(error.kind, Fault::Range(asked) if asked.span == Span::new(0, 6)),
        "{error}"
    );
    let none = "none of its 6 events lies in the range";
    assert!(error.message.to_string().starts_with(none), "{error}");
    let error = ranged(b"id,lower,upper,size\n0,0,1,4\n", 0, 1).expect_err("a table");
    assert_eq!(error.kind, Fault::Unsupported);
    // A snapshot that recorded nothing is one moment.
    let mut writer = Writer::new(4);
    writer.dict(1);
    writer.key("segments");
    writer.list(0);
    assert!(ranged(&writer.finish(), 0, 1).is_err());
}
