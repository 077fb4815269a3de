//! What the sentence of a violation must say: its rule, the names of its buffers and pools, and
//! every figure.

use planner::{Lifetimes, Pool, Violation};
use tests::chinese::assert_told;

/// By rule, words that together no other rule's sentence has.
const RULES: [(&str, &[&str]); 23] = [
    ("OffsetCount", &["the plan has offsets for"]),
    ("AddressOverflow", &["64 bits"]),
    ("Overlap", &[" are live at the same step", "share bytes"]),
    ("NeededTwice", &["need the same bytes at step "]),
    (
        "HandoverMissed",
        &["share bytes at their common step", "only if"],
    ),
    ("BehindArena", &["ends at ", " the arena of "]),
    ("Misaligned", &["not a multiple of "]),
    ("NotFixed", &["is fixed at "]),
    (
        "ObjectCount",
        &["object list", " sizes, ", " offsets and ", " buffers"],
    ),
    ("NoSuchObject", &["to object ", "does not exist"]),
    ("LargerThanObject", &["is larger than its object "]),
    ("OutsideObject", &["does not start where its object "]),
    (
        "SharedObject",
        &[" are live at the same step", " in object "],
    ),
    ("ObjectsOverlap", &["objects ", "share bytes"]),
    (
        "ObjectBehindArena",
        &["object ", " ends ", " the arena of "],
    ),
    ("NoPools", &["which pool", "asked for"]),
    (
        "PoolCount",
        &["pool list", " bases, ", " sizes and ", " asked for"],
    ),
    ("NoSuchPool", &["to pool ", "does not exist"]),
    ("WrongPool", &["may not live in pool "]),
    ("OutsidePool", &["does not lie inside its pool "]),
    ("PoolTooLarge", &["pool ", " bytes but ", " are used"]),
    ("PoolsOverlap", &["pool ", " and pool ", "share bytes"]),
    ("PoolBehindArena", &["pool ", " ends ", " the arena of "]),
];

/// The whole numbers of a text, smallest first.
fn numbers(text: &str) -> Vec<u64> {
    let digits = text.split(|c: char| !c.is_ascii_digit());
    let mut numbers: Vec<u64> = digits.filter_map(|it| it.parse().ok()).collect();
    numbers.sort_unstable();
    numbers
}

/// The fields of the violation that are pools, by index.
fn pools_of(violation: &Violation) -> Vec<usize> {
    match *violation {
        Violation::NoSuchPool { pool, .. }
        | Violation::WrongPool { pool, .. }
        | Violation::OutsidePool { pool, .. } => vec![pool as usize],
        Violation::PoolTooLarge { pool, .. } | Violation::PoolBehindArena { pool, .. } => {
            vec![pool]
        }
        Violation::PoolsOverlap { first, second } => vec![first, second],
        _ => Vec::new(),
    }
}

/// Fails unless the sentence says which rule is broken, by what and by how much.
#[track_caller]
pub(crate) fn check_sentence(violation: &Violation, lifetimes: &Lifetimes, pools: &[Pool]) {
    let fields = format!("{violation:?}");
    let sentence = violation.named(lifetimes, pools);
    assert_told(&sentence);
    assert_told(violation);
    let sentence = sentence.to_string();
    let rule = fields.split(' ').next().unwrap_or_default();
    let words = RULES.iter().find(|(name, _)| *name == rule);
    let (_, words) = words.unwrap_or_else(|| panic!("no words for the rule {rule}"));
    for word in *words {
        assert!(sentence.contains(word), "no {word:?} in {sentence:?}");
    }
    // What has a name is called by it, in quotes, and not by its index.
    let buffers = violation.buffers().into_iter();
    let buffers = buffers.map(|index| (index, lifetimes.buffers[index].name.as_str()));
    let pools = pools_of(violation)
        .into_iter()
        .filter_map(|index| Some((index, pools.get(index)?.name.as_str())));
    let mut figures = numbers(&fields);
    let mut rest = sentence.clone();
    for (index, name) in buffers.chain(pools) {
        let quoted = format!("{name:?}");
        assert!(sentence.contains(&quoted), "no {quoted} in {sentence:?}");
        rest = rest.replace(&quoted, "");
        let at = figures.iter().position(|&figure| figure == index as u64);
        figures.remove(at.expect("an index is a number of the violation"));
    }
    // Addresses have 64 bits; that is the rule's own number.
    figures.extend((rule == "AddressOverflow").then_some(64));
    figures.sort_unstable();
    assert_eq!(numbers(&rest), figures, "{fields} is {sentence:?}");
}
