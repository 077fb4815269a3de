//! Which step each command is, inferred from the intervals of the slices that it uses.

use std::collections::BTreeMap;

use super::commands::{Access, Touch, Usage, Walk};
use crate::units::{Span, Step};

/// The most commands of one step that its name lists.
const LISTED: usize = 4;
/// The most steps of a region at which nothing runs.
const MAX_SKIPPED: usize = 1024;

/// Finds which step each command is, if the intervals of the slices say so.
///
/// The intervals count the operations of the region before the pass that made commands of
/// them. Nearly always each made one command; where one made none, the next slice that is
/// used shows by how much the count is off.
pub(super) fn steps(
    walk: &Walk,
    own: &[&Touch],
    spans: &[Span],
    usage: &mut Usage,
    room: &mut usize,
) {
    let Some((region, step_of)) = assign(own, spans) else {
        return;
    };
    let mut seen: Vec<Option<(u64, u64)>> = vec![None; spans.len()];
    for touch in own {
        let step = touch
            .position
            .and_then(|(_, position)| step_of.get(&position));
        let (Some(&step), Some(seen)) = (step, seen.get_mut(touch.slice.1)) else {
            continue;
        };
        let (low, high) = seen.unwrap_or((step, step));
        *seen = Some((low.min(step), high.max(step)));
        let slice = usage.slices.get_mut(touch.slice.1);
        if let (Some(slice), Access::Read | Access::Both) = (slice, touch.access) {
            slice.reads.push(Step(step));
        }
    }
    let whole = |(seen, span): (&Option<(u64, u64)>, &Span)| {
        seen.is_none_or(|(low, high)| low == span.start.0 && high + 1 == span.end.0)
    };
    if seen.iter().zip(spans).all(whole) {
        let commands = walk.regions.get(region).map_or(0, Vec::len);
        if let Some(left) = room.checked_sub(commands) {
            *room = left;
            usage.steps = titles(walk, region, &step_of);
        }
        for slice in &mut usage.slices {
            slice.reads.dedup();
        }
    } else {
        for slice in &mut usage.slices {
            slice.reads.clear();
        }
    }
}

/// The region that a pack is of, and the step of each position at which its slices are used;
/// `None` when the intervals do not agree with any.
fn assign(own: &[&Touch], spans: &[Span]) -> Option<(usize, BTreeMap<u64, u64>)> {
    let (region, _) = own.first()?.position?;
    let mut at: BTreeMap<u64, (u64, u64)> = BTreeMap::new();
    for touch in own {
        let ((of, position), span) = (touch.position?, spans.get(touch.slice.1)?);
        if of != region {
            return None;
        }
        let window = at.entry(position).or_insert((0, u64::MAX));
        *window = (window.0.max(span.start.0), window.1.min(span.end.0));
    }
    let mut shift = 0_i64;
    let mut next = 0;
    let mut step_of = BTreeMap::new();
    for (&position, &(from, to)) in &at {
        let guess = position.saturating_add_signed(shift);
        let from = from.max(next);
        if from >= to {
            return None;
        }
        let step = guess.clamp(from, to - 1);
        shift = step.cast_signed().saturating_sub(position.cast_signed());
        next = step + 1;
        step_of.insert(position, step);
    }
    Some((region, step_of))
}

/// What runs at each step of a region.
fn titles(walk: &Walk, region: usize, step_of: &BTreeMap<u64, u64>) -> Vec<String> {
    let mut titles = Vec::new();
    let commands = walk.regions.get(region).map_or(&[][..], Vec::as_slice);
    let limit = commands.len() + MAX_SKIPPED;
    let mut shift = 0_i64;
    for (position, commands) in (0..).zip(commands) {
        if let Some(step) = step_of.get(&position) {
            shift = step.cast_signed().saturating_sub(position.cast_signed());
        }
        let step = usize::try_from(position.saturating_add_signed(shift)).unwrap_or(usize::MAX);
        // Skipped is an operation that became no command; there are far fewer than commands.
        if step >= limit {
            return Vec::new();
        }
        if step >= titles.len() {
            titles.resize(step + 1, String::new());
        }
        let listed = commands.iter().take(LISTED);
        let names = listed.filter_map(|&command| walk.commands.get(command));
        let mut names: Vec<&str> = names.map(|command| command.name.as_str()).collect();
        let more = format!("{} more", commands.len().saturating_sub(LISTED));
        if commands.len() > LISTED {
            names.push(&more);
        }
        if let Some(title) = titles.get_mut(step) {
            *title = names.join(" | ");
        }
    }
    titles
}
