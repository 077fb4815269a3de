//! Offsets: the constants that stand after the pass where results of packs stood before it.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::pack::{Packs, Use};
use super::text::{Function, Value, computes, constant, fault, pieces, results, values};
use crate::load::{Fault, LoadError};
use crate::{Message, message};

/// What the pass made of one pack.
#[derive(Clone, Debug)]
pub(super) struct Laid {
    /// Bytes of the allocation; `None` when only the running program knows.
    pub(super) total: Option<u64>,
    /// Where each slice lies.
    pub(super) slices: Vec<SliceOffset>,
}

/// Where a slice lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SliceOffset {
    /// Nothing uses it.
    Unused,
    /// At this offset.
    At(u64),
    /// At an offset that only the running program knows.
    Runtime,
}

/// What a function does apart from packs and numbers: equal before and after the pass.
pub(super) fn shape(function: &Function<'_>, packs: &Packs) -> u64 {
    let mut hasher = DefaultHasher::new();
    for (_, line) in kept(function, packs) {
        if !computes(line) {
            // Inside of a module everything is indented further.
            for piece in pieces(line.trim_start()) {
                piece.hash(&mut hasher);
            }
            '\n'.hash(&mut hasher);
        }
    }
    hasher.finish()
}

/// The lines that are no part of a pack, with their index.
fn kept<'t>(
    function: &Function<'t>,
    packs: &Packs,
) -> impl Iterator<Item = (usize, &'t str)> + use<'t> {
    let mut ranges = packs.ranges.clone().into_iter().peekable();
    let lines = function.lines.iter().copied().enumerate();
    lines.filter(move |&(index, _)| {
        while ranges.next_if(|&(_, last)| last < index).is_some() {}
        ranges.peek().is_none_or(|&(first, _)| index < first)
    })
}

/// What the pass made of the packs of `before`, read from `after`, the same function after
/// the pass.
///
/// # Errors
/// [`Fault::Malformed`] when one slice lies at two offsets.
pub(super) fn laid(
    before: &Function<'_>,
    packs: &Packs,
    after: &Function<'_>,
) -> Result<Vec<Laid>, LoadError> {
    let unused = packs
        .packs
        .iter()
        .map(|pack| vec![SliceOffset::Unused; pack.slices.len() + 1]);
    let mut places: Vec<Vec<SliceOffset>> = unused.collect();
    let mut constants: BTreeMap<&str, u64> = BTreeMap::new();
    let mut old = kept(before, packs).peekable();
    for (index, line) in after.lines.iter().enumerate() {
        // Both sides may compute what the other does not; everything else is on both.
        while !computes(line)
            && old
                .next_if(|&(_, old)| !alike(old, line) && computes(old))
                .is_some()
        {}
        if let Some((was, _)) = old.next_if(|&(_, old)| alike(old, line)) {
            let uses = packs.uses.get(&was).map_or(&[][..], Vec::as_slice);
            place(uses, line, &constants, &mut places)
                .map_err(|what| fault(Fault::Malformed, after.line + index, what))?;
        }
        for name in results(line) {
            constants.remove(name);
        }
        if let (Some(name), Some(number)) = (results(line).next(), constant(line)) {
            constants.insert(name, number);
        }
    }
    let laid = places.into_iter().map(|places| Laid {
        total: match places.first() {
            Some(SliceOffset::At(total)) => Some(*total),
            _ => None,
        },
        slices: places.into_iter().skip(1).collect(),
    });
    Ok(laid.collect())
}

/// Places the slices that `uses` are of, from the line that stands after the pass.
fn place(
    uses: &[Use],
    line: &str,
    constants: &BTreeMap<&str, u64>,
    places: &mut [Vec<SliceOffset>],
) -> Result<(), Message> {
    if uses.is_empty() {
        return Ok(());
    }
    let values: Vec<Value<'_>> = values(line).collect();
    for used in uses {
        let value = values.get(used.place);
        let number = value.and_then(|value| constants.get(value.name));
        let place = number.map_or(SliceOffset::Runtime, |&number| SliceOffset::At(number));
        let results = places.get_mut(used.pack);
        match results.and_then(|results| results.get_mut(used.result)) {
            Some(held @ SliceOffset::Unused) => *held = place,
            Some(held) if *held != place => {
                return Err(message!(
                    "a slice stands here at another offset than further up"
                ));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Whether two lines are the same operation on other values.
fn alike(one: &str, other: &str) -> bool {
    pieces(one.trim_start()).eq(pieces(other.trim_start()))
}
