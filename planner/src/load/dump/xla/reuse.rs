//! Arguments that are written over and hold little for a while: a temporary value of up to their
//! size could lie there instead. XLA places a value into an argument only while nothing else is in
//! it, so that four bytes of a counter keep a whole argument from being used.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::program::{Allocation, Program, Value};
use crate::deployed::{Total, TotalKind};
use crate::load::Warning;
use crate::message;
use crate::sorting::Sorting as _;
use crate::units::Bytes;

/// Smaller values are not looked at.
const LEAST: u64 = 4096;
/// Most arguments and temporary values that are looked at, the largest.
const MOST: usize = 256;
/// Most findings that are listed one by one.
const LISTED: usize = 8;

/// Values that hand one place on to each other.
#[derive(Clone, Debug)]
struct Unit<'p> {
    name: &'p str,
    size: u64,
    first: u64,
    last: u64,
}

/// A temporary value that would fit into an argument.
struct Room<'p> {
    argument: &'p Allocation,
    unit: Unit<'p>,
    /// Bytes that lie in the argument meanwhile.
    others: u64,
}

/// What of the temporary values would fit into arguments, and by how much less they would then take
/// together; `None` where that is nothing. Each is listed in `warnings`.
pub(super) fn reusable(program: &Program, warnings: &mut Vec<Warning>) -> Option<Total> {
    let temporary = program.allocations.iter().filter(|it| it.is_temporary());
    let all: Vec<Unit<'_>> = temporary.flat_map(|it| units(&it.values)).collect();
    let rooms = rooms(program, &all);
    let moved: Vec<&Unit<'_>> = rooms.iter().map(|it| &it.unit).collect();
    let before = peak(all.iter().map(|it| (it.first, it.last, it.size)));
    let is_moved = |unit: &Unit<'_>| moved.iter().any(|it| std::ptr::eq(it.name, unit.name));
    let stay = all.iter().filter(|it| !is_moved(it));
    let stay = stay.map(|it| (it.first, it.last, it.size));
    let others = rooms
        .iter()
        .map(|it| (it.unit.first, it.unit.last, it.others));
    let saved = before.checked_sub(peak(stay.chain(others)))?;
    if saved == 0 {
        return None;
    }
    for room in rooms.iter().take(LISTED) {
        let Unit {
            name,
            size,
            first,
            last,
        } = room.unit;
        warnings.push(Warning::new(
            room.argument.name(),
            message!(
                "it holds at most {} of its {} bytes between steps {} and {}, while {} \
                 of {} bytes lies among the temporary values: {} would fit there if the \
                 others lay elsewhere",
                room.others,
                room.argument.bytes(),
                first,
                last,
                name,
                size,
                name
            ),
        ));
    }
    Some(Total {
        kind: TotalKind::Reusable,
        bytes: Bytes(saved),
    })
}

/// The values of an allocation; those at one place of which one begins where the other ends are
/// one.
fn units(values: &[Value]) -> Vec<Unit<'_>> {
    let mut places: BTreeMap<(u64, u64), Vec<Unit<'_>>> = BTreeMap::new();
    for value in values {
        if let Some(life) = &value.life {
            let unit = Unit {
                name: &value.name,
                size: value.size,
                first: life.first,
                last: life.last,
            };
            places
                .entry((value.offset, value.size))
                .or_default()
                .push(unit);
        }
    }
    let mut all: Vec<Unit<'_>> = Vec::new();
    for (_, mut same) in places {
        same.order_by_key(|it| (it.first, it.last));
        let from = all.len();
        for unit in same {
            match all.get_mut(from..).and_then(<[_]>::last_mut) {
                Some(before) if unit.first <= before.last => {
                    before.last = before.last.max(unit.last);
                }
                _ => all.push(unit),
            }
        }
    }
    all
}

/// The largest temporary values, each with the smallest argument that has room for it.
fn rooms<'p>(program: &'p Program, all: &[Unit<'p>]) -> Vec<Room<'p>> {
    let written_over = |it: &&Allocation| it.parameter.is_some() && it.live_out;
    let mut arguments: Vec<&Allocation> = program.allocations.iter().filter(written_over).collect();
    arguments.retain(|it| it.bytes() >= LEAST);
    arguments.order_by_key(|it| (Reverse(it.bytes()), it.index));
    arguments.truncate(MOST);
    arguments.reverse();
    let mut large: Vec<&Unit<'_>> = all.iter().filter(|it| it.size >= LEAST).collect();
    large.order_by_key(|it| (Reverse(it.size), it.first));
    large.truncate(MOST);
    let mut rooms: Vec<Room<'_>> = Vec::new();
    for unit in large {
        let free = arguments.iter().filter(|it| it.bytes() >= unit.size);
        let mut free = free.filter(|it| {
            let same = rooms.iter().filter(|room| room.argument.index == it.index);
            let mut same = same.map(|room| (room.unit.first, room.unit.last));
            same.all(|(first, last)| last <= unit.first || unit.last <= first)
        });
        // What holds half of it is no little.
        let room = free.find_map(|argument| {
            let others = others(argument, unit);
            (others <= unit.size / 2).then_some((argument, others))
        });
        rooms.extend(room.map(|(argument, others)| Room {
            argument,
            unit: unit.clone(),
            others,
        }));
    }
    rooms
}

/// Bytes that lie in an argument while `unit` lives. What ends where it begins, or begins where it
/// ends, is not in its way: an operator may write in place.
fn others(argument: &Allocation, unit: &Unit<'_>) -> u64 {
    let mut places: BTreeMap<u64, u64> = BTreeMap::new();
    for value in &argument.values {
        let life = value.life.as_ref();
        let (first, last) = life.map_or((0, u64::MAX), |it| (it.first, it.last));
        if first < unit.last && unit.first < last {
            let bytes = places.entry(value.offset).or_default();
            *bytes = value.size.max(*bytes);
        }
    }
    places.values().fold(0, |sum, it| it.saturating_add(sum))
}

/// The most bytes that are there at a time; both ends of a life belong to it.
fn peak(lives: impl Iterator<Item = (u64, u64, u64)>) -> u64 {
    let changes = lives.flat_map(|(first, last, size)| {
        let size = i128::from(size);
        [(first, size), (last.saturating_add(1), -size)]
    });
    let mut changes: Vec<(u64, i128)> = changes.collect();
    // What ends goes first.
    changes.order();
    let (mut now, mut most) = (0_i128, 0);
    for (_, size) in changes {
        now += size;
        most = now.max(most);
    }
    u64::try_from(most).unwrap_or(u64::MAX)
}
