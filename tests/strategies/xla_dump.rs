//! A buffer assignment that XLA itself wrote, made again from its sizes and live ranges.

use std::collections::BTreeMap;

use planner::{Buffer, Bytes, Handover, Lifetimes, Options, Silent, Span, Strategy, plan};
use tests::judged::{judged, offsets};
use tests::shared;
use tests::skipped::skip;

/// The text of XLA's file about `what`, for the module of the training step.
fn text(what: &str) -> Option<String> {
    let ending = format!("{what}.txt");
    let files = shared::files("plans/xla", &ending).into_iter();
    let (_, bytes) = { files }.find(|(name, _)| name.starts_with("module_0018"))?;
    Some(String::from_utf8(bytes).expect("XLA writes text"))
}

fn number(text: &str) -> u64 {
    text.trim().parse().expect("a number")
}

/// What lies between the first `from` and the next `to` after it.
fn between<'a>(text: &'a str, from: &str, to: &str) -> &'a str {
    let rest = text.split_once(from).expect("XLA writes it so").1;
    rest.split_once(to).expect("XLA writes it so").0
}

/// Id, size, offset, and first and last step of a value.
type Value = (u64, u64, u64, u64, u64);

/// The values of the allocation of `size` bytes, by id.
fn values(assignment: &str, ranges: &str, size: u64) -> Vec<Value> {
    let known: BTreeMap<&str, (u64, u64)> = between(ranges, "BufferLiveRange:\n", "Live ranges")
        .lines()
        .filter_map(|line| {
            let (name, range) = line.trim().rsplit_once(':')?;
            let (first, last) = range.split_once('-')?;
            Some((name.trim_end_matches("{}"), (number(first), number(last))))
        })
        .collect();
    let head = format!(": size {size}, ");
    let (_, lines) = assignment.split_once(&head).expect("it has the allocation");
    let lines = lines.lines().skip(1);
    let mut values: Vec<Value> = lines
        .take_while(|line| line.starts_with(" value:"))
        .map(|line| {
            let (id, name) = between(line, "<", " @")
                .split_once(' ')
                .expect("id and name");
            let (first, last) = known[name];
            let (size, offset) = (between(line, "(size=", ","), between(line, "offset=", ")"));
            (number(id), number(size), number(offset), first, last)
        })
        .collect();
    values.sort_unstable();
    values
}

/// 150 values in 19,998,656 bytes. Which of them XLA made share a place in passing is not
/// written, only seen: the same place, and the one begins in the last step of the other.
#[test]
fn every_address_is_the_one_that_xla_gave() {
    let (Some(assignment), Some(ranges)) = (text("buffer-assignment"), text("live-range")) else {
        return skip("no pair of module 18 is beside the checkout");
    };
    let arena = 19_998_656;
    let values = values(&assignment, &ranges, arena);
    assert_eq!(values.len(), 150);
    let mut lifetimes = Lifetimes::of(values.iter().map(|&(id, size, _, first, last)| {
        Buffer::new(id.to_string(), size, Span::new(first, last + 1))
    }));
    for (after, one) in values.iter().enumerate() {
        for (before, other) in values.iter().enumerate() {
            if before != after && one.3 == other.4 && (one.1, one.2) == (other.1, other.2) {
                lifetimes.handovers.push(Handover {
                    before,
                    after,
                    shift: Bytes::ZERO,
                });
            }
        }
    }
    assert_eq!(lifetimes.handovers.len(), 5);
    // XLA's CPU compiler aligns to 64 bytes, and takes the smaller of both heaps.
    let options = Options::aligned(Bytes(64));
    for strategy in [Strategy::XlaSpatial, Strategy::XlaBest] {
        let made = judged(strategy, &lifetimes, &options);
        assert_eq!(made.arena, Bytes(arena));
        let given: Vec<u64> = values.iter().map(|value| value.2).collect();
        assert_eq!(offsets(&made), given, "{strategy}");
    }
    let temporal = plan(Strategy::XlaTemporal, &lifetimes, &options, &mut Silent);
    assert!(temporal.expect("it can plan this").arena > Bytes(arena));
}
