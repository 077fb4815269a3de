//! A replayed device as an arena: lifetimes, plan, notes and lanes.

use super::addresses::Addresses;
use super::lanes::lanes;
use super::lives::{Life, Replayed};
use super::scopes::scopes;
use super::{Action, Device, Outside, Remark, Sizes};
use crate::attribution::{callers, stream};
use crate::deployed::{Arena, Clock, Held, Hold, Lane, LaneKind, Note, Refused, Stacks};
use crate::liveness::{Buffer, LIMIT, Lifetimes, TooLarge, admit};
use crate::message;
use crate::plan::Plan;
use crate::sorting::Sorting as _;
use crate::units::{Bytes, Offset, Span, Step};

/// What events refer to.
pub(super) struct Named<'t> {
    pub(super) stacks: &'t Stacks,
    pub(super) labels: &'t [String],
}

/// The arena of `device`.
///
/// # Errors
/// [`TooLarge`] when the sizes are beyond what can be planned.
pub(super) fn arena(
    mut device: Device,
    replayed: Replayed,
    named: &Named<'_>,
    remarks: &mut Vec<Remark>,
) -> Result<Arena, TooLarge> {
    let Replayed {
        lives,
        reserved,
        mapped,
        marks,
        annotations,
    } = replayed;
    let horizon = device.events.len() as u64 + 1;
    let (names, refused) = (step_names(&device), refused(&device));
    let (scopes, clock) = (scopes(&device), Clock::of_events(&device.times));
    // A large trace and what is made of it need not be in memory together.
    (device.events, device.times) = (Vec::new(), Vec::new());
    let mut addresses = Addresses::of(mapped.clone(), marks, &lives, horizon);
    let lifetimes = Lifetimes {
        buffers: buffers(&lives, &device.outside),
        horizon: Step(horizon),
        step_names: names,
        ..Lifetimes::default()
    };
    admit(&lifetimes, Bytes(1))?;
    if addresses.size() >= LIMIT.0 {
        return Err(TooLarge {
            tensor: device.name.to_string(),
        });
    }
    let most = reserved.iter().map(|point| point.1).max();
    let most = most.unwrap_or_default().0;
    if most < addresses.size() {
        remarks.push(Remark {
            place: device.name.clone(),
            message: message!(
                "never more than {} bytes were taken from the device at a time, but laid out \
                 so that nothing moves they reach {}: the arena shows them so",
                most,
                addresses.size()
            ),
        });
    }
    let offsets = lives.iter().map(|it| Offset(addresses.offset(it)));
    let offsets: Vec<Offset> = offsets.collect();
    // What was taken from the device above the highest block is no part of the arena.
    let ends = offsets.iter().zip(&lives).map(|(at, it)| at.0 + it.size);
    let plan = Plan {
        origin: "caching allocator".into(),
        arena: Bytes(ends.max().unwrap_or(0)),
        offsets,
        // Of blocks that lie in no segment it is unknown what was taken for them.
        reserved: (most > 0 && lives.iter().all(|it| it.mark.is_some())).then_some(Bytes(most)),
        // The host's memory is not in segments that the allocator's settings are about.
        segments: match device.sizes {
            Sizes::Whole => None,
            Sizes::Rounded | Sizes::Exact => addresses.segments(&mapped, &lives, device.settings),
        },
        ..Plan::default()
    };
    let reserved = Lane {
        kind: LaneKind::Reserved,
        points: reserved,
    };
    let mut all = vec![reserved];
    all.extend(lanes(&lives, horizon));
    Ok(Arena {
        notes: notes((&lives, annotations), named, horizon),
        scopes,
        refused,
        clock,
        name: device.name,
        lifetimes,
        plan,
        lanes: all,
        separate: false,
    })
}

/// Buffers by the names that PyTorch's own viewer gives them: b, the address, and how many
/// blocks were there before.
fn buffers(lives: &[Life], outside: &Outside) -> Vec<Buffer> {
    let mut versions = outside.versions.clone();
    for address in outside.live.keys() {
        // It has a name of its own already.
        versions
            .entry(*address)
            .and_modify(|count| *count = count.saturating_sub(1));
    }
    let buffers = lives.iter().map(|life| {
        let version = versions.entry(life.address).or_insert(0);
        let name = format!("b{:x}_{version}", life.address);
        *version += 1;
        let mut buffer = Buffer::new(name, life.size, Span::new(life.start, life.end));
        buffer.payload = Bytes(life.requested.min(life.size));
        buffer
    });
    buffers.collect()
}

/// What is known of every life, with what was said of it later.
fn notes(
    (lives, mut annotations): (&[Life], Vec<(usize, u32)>),
    named: &Named<'_>,
    horizon: u64,
) -> Vec<Note> {
    annotations.order();
    annotations.dedup();
    let later = |life: usize| {
        let from = annotations.partition_point(|it| it.0 < life);
        let own = annotations.iter().skip(from);
        own.take_while(move |it| it.0 == life).map(|it| it.1)
    };
    let callers = callers(named.stacks);
    let operator = |stack: u32| Some(callers.get(stack as usize)?.operator.as_str());
    let pending = |needed| Held {
        why: Hold::Pending,
        needed,
    };
    let notes = lives.iter().enumerate().map(|(index, life)| Note {
        held: life.pending(horizon).map(pending),
        op: operator(life.stack).unwrap_or_default().to_owned(),
        role: role(life, later(index), named.labels),
        stream: Some(life.stream),
        stack: life.stack,
        forward: life.forward,
        ..Note::default()
    });
    notes.collect()
}

/// What the event says of itself and what was said later, and stream and pool where they are not
/// the default.
fn role(life: &Life, later: impl Iterator<Item = u32>, labels: &[String]) -> String {
    let said = std::iter::once(life.label).chain(later);
    let said = said.filter_map(|label| labels.get(label as usize));
    let said: Vec<&str> = said
        .map(String::as_str)
        .filter(|it| !it.is_empty())
        .collect();
    let mut role = said.join(", ");
    if life.stream != 0 || role.is_empty() {
        let comma = if role.is_empty() { "" } else { ", " };
        role += &format!("{comma}stream {}", stream(life.stream));
    }
    if life.pool != (0, 0) {
        role += &format!(", pool ({}, {})", life.pool.0, life.pool.1);
    }
    role
}

fn refused(device: &Device) -> Vec<Refused> {
    let failed = device.events.iter().zip(1..);
    let failed = failed.filter(|(event, _)| event.action == Action::OutOfMemory);
    let failed = failed.map(|(event, step)| Refused {
        step: Step(step),
        asked: Bytes(event.size),
        device_free: Bytes(event.address),
        stream: event.stream,
        pool: (event.pool > 0).then(|| device.pool(event)),
        stack: event.stack,
    });
    failed.collect()
}

fn step_names(device: &Device) -> Vec<String> {
    let mut names = Vec::with_capacity(device.events.len() + 1);
    names.push(String::from(match device.events.is_empty() {
        true => "snapshot",
        false if device.outside.first > 0 => "before the range",
        false => "before the trace",
    }));
    let names_of_events = device.events.iter().map(|event| match event.action {
        Action::Alloc => "alloc".into(),
        Action::FreeRequested => "free requested".into(),
        Action::FreeCompleted => "free completed".into(),
        Action::Free => "free".into(),
        Action::SegmentAlloc => "segment alloc".into(),
        Action::SegmentFree => "segment free".into(),
        Action::SegmentMap => "segment map".into(),
        Action::SegmentUnmap => "segment unmap".into(),
        Action::OutOfMemory => format!(
            "out of memory: {} bytes asked for, {} free on the device",
            event.size, event.address
        ),
        Action::Snapshot => "snapshot".into(),
        Action::Annotate => "annotate".into(),
        Action::Other => "unknown".into(),
    });
    names.extend(names_of_events);
    for (event, annotation) in &device.annotations {
        // After the last event there is no step: the annotation goes to the last one.
        let step = (event + 1).min(names.len() - 1);
        if let Some(name) = names.get_mut(step) {
            *name = format!("{name} · {}", annotation.text());
        }
    }
    names
}
