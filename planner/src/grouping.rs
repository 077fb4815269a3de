//! Who holds the bytes of a moment: buffers grouped by what is known of them, and as a tree of
//! the stacks that allocated them.

mod area;

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::attribution::{Owner, owner};
use crate::deployed::{Note, Stacks};
use crate::liveness::Lifetimes;
use crate::query::{Facts, Field};
use crate::sorting::Sorting as _;
use crate::units::{Bytes, Step};

pub use area::{Area, Band, Column, area};

/// What buffers can be grouped by, the most telling first: the first of which a file says
/// something is what they are grouped by unless somebody chooses.
pub const FIELDS: [Field; 10] = [
    Field::Caller,
    Field::Source,
    Field::Phase,
    Field::Category,
    Field::Module,
    Field::Op,
    Field::Stream,
    Field::Frame,
    Field::Role,
    Field::Name,
];

/// The first of [`FIELDS`] of which something is known.
#[must_use]
pub fn most_telling(facts: &Facts) -> Field {
    let mut fields = FIELDS.into_iter();
    let known = fields.find(|field| facts.knows(*field));
    known.unwrap_or(Field::Name)
}

/// Which buffers are grouped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Moment {
    /// Those that need bytes at this step.
    At(Step),
    /// Those that begin from the first step on, before the second, and need bytes at the second:
    /// what was added between the two.
    Between(Step, Step),
    /// Those that are never given back: they live up to the horizon.
    End,
}

/// Buffers of which the same is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Group {
    /// What is known; empty where nothing is.
    pub text: String,
    /// Bytes that they need then.
    pub bytes: Bytes,
    /// The buffers, by index.
    pub buffers: Vec<usize>,
}

/// The most frames of a path: what is called deeper counts for the last of them.
const DEEPEST: usize = 1000;

/// A frame of the stacks, and what was allocated below it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// The frame, by index into [`Stacks::frames`]; `None` for the root.
    pub frame: Option<u32>,
    /// Bytes of this and all below.
    pub bytes: Bytes,
    /// Buffers of this and all below.
    pub buffers: u64,
    /// What it calls, the most bytes first.
    pub children: Vec<Self>,
}

/// A buffer and the bytes that it needs at the moment, in the buffers' order. O(n).
#[must_use]
pub fn held(lifetimes: &Lifetimes, moment: Moment) -> Vec<(usize, Bytes)> {
    let last = Step(lifetimes.horizon.0.saturating_sub(1));
    let step = match moment {
        Moment::At(step) | Moment::Between(_, step) => step,
        Moment::End => last,
    };
    let buffers = lifetimes.buffers.iter().enumerate();
    let held = buffers.filter_map(|(index, buffer)| {
        let counts = match moment {
            Moment::At(_) => true,
            Moment::Between(from, to) => from <= buffer.span.start && buffer.span.start < to,
            Moment::End => buffer.span.end == lifetimes.horizon,
        };
        let (start, end) = buffer.needed_at(step).filter(|_| counts)?;
        Some((index, Bytes(end.0.saturating_sub(start.0))))
    });
    held.collect()
}

/// `held` by what a text field says first of each buffer, the most bytes first, ties by text.
#[must_use]
pub fn groups(facts: &Facts, held: &[(usize, Bytes)], field: Field) -> Vec<Group> {
    let mut groups: BTreeMap<&str, Group> = BTreeMap::new();
    for &(buffer, bytes) in held {
        let text = facts.first(field, buffer);
        let group = groups.entry(text).or_insert_with(|| Group {
            text: text.to_owned(),
            ..Group::default()
        });
        group.bytes.0 = group.bytes.0.saturating_add(bytes.0);
        group.buffers.push(buffer);
    }
    let mut groups: Vec<Group> = groups.into_values().collect();
    groups.order_by_key(|group| Reverse(group.bytes));
    groups
}

/// How much of what these buffers take at a moment was not asked for.
#[must_use]
pub fn padding(lifetimes: &Lifetimes, held: &[(usize, Bytes)], of: &Group) -> Bytes {
    let own = of.buffers.iter().filter_map(|buffer| {
        let place = held.binary_search_by_key(buffer, |it| it.0).ok()?;
        let bytes = held.get(place)?.1;
        Some(lifetimes.buffers.get(*buffer)?.padding_in(bytes).0)
    });
    Bytes(own.fold(0, u64::saturating_add))
}

/// `held` as a tree from the outermost frame inwards. Without `runtime`, frames of what runs below
/// Python are left out where a stack has others; a stack that has no others keeps them.
#[must_use]
pub fn tree(notes: &[Note], stacks: &Stacks, held: &[(usize, Bytes)], runtime: bool) -> Node {
    let mut of_stack: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
    for &(buffer, bytes) in held {
        let stack = notes.get(buffer).map_or(0, |note| note.stack);
        let (sum, count) = of_stack.entry(stack).or_default();
        (*sum, *count) = (sum.saturating_add(bytes.0), *count + 1);
    }
    let owners: Vec<Owner> = stacks.frames.iter().map(owner).collect();
    let is_shown = |frame: &u32| owners.get(*frame as usize) != Some(&Owner::Runtime);
    let mut paths: BTreeMap<Vec<u32>, (u64, u64)> = BTreeMap::new();
    for (stack, (sum, count)) in of_stack {
        let all = stacks.indices(stack).iter().rev().copied();
        let mut path: Vec<u32> = all
            .clone()
            .filter(|frame| runtime || is_shown(frame))
            .collect();
        if path.is_empty() {
            path = all.collect();
        }
        path.truncate(DEEPEST);
        let known = paths.entry(path).or_default();
        *known = (known.0.saturating_add(sum), known.1 + count);
    }
    let paths: Vec<(Vec<u32>, (u64, u64))> = paths.into_iter().collect();
    node(None, &paths, 0)
}

/// The node of paths that are equal up to `depth`; they come in order.
fn node(frame: Option<u32>, paths: &[(Vec<u32>, (u64, u64))], depth: usize) -> Node {
    let (bytes, buffers) = paths.iter().fold((0_u64, 0), |(bytes, buffers), (_, own)| {
        (bytes.saturating_add(own.0), buffers + own.1)
    });
    let next = |path: &(Vec<u32>, (u64, u64))| path.0.get(depth).copied();
    let same = paths.chunk_by(|one, other| next(one) == next(other));
    let children = same.filter_map(|same| {
        let frame = next(same.first()?)?;
        Some(node(Some(frame), same, depth + 1))
    });
    let mut children: Vec<Node> = children.collect();
    children.order_by_key(|child| Reverse(child.bytes));
    Node {
        frame,
        bytes: Bytes(bytes),
        buffers,
        children,
    }
}
