//! The memory events of a trace that `torch.profiler` wrote with `profile_memory=True`: each says
//! the address and the bytes that were taken or, below zero, given back, at a time. Which operator
//! and which lines of Python they belong to, the events say that are open then on its thread.
//!
//! Step 0 is the state before the trace, and the memory event `i` of a device is step `i + 1`.
//! Addresses are sparse and no segments are known, so only what a block ever covered is drawn:
//! its ranges lie end to end in the order of their addresses. An allocator that reserves nothing, as
//! the CPU's, asks the system for each block: its addresses are no plan.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::events::Trace;
use crate::deployed::{Arena, Clock, Deployed, Frame, Gathered, Lane, LaneKind, Note};
use crate::load::dump::Dump;
use crate::load::dump::draft::{Draft, Row};
use crate::load::dump::line::MAX_ARENAS;
use crate::load::{Fault, LoadError, Warning};
use crate::sorting::Sorting as _;
use crate::units::{Bytes, Span, Step};
use crate::{Message, counted, message};

/// A block that is taken or given back.
#[derive(Clone, Debug, Default)]
pub(super) struct Moment {
    /// Type and number of the device, as PyTorch counts them.
    pub(super) device: (i64, i64),
    /// Nanoseconds.
    pub(super) time: i64,
    pub(super) thread: u64,
    /// What the block is called; empty where the trace does not say, as PyTorch's never do.
    pub(super) name: String,
    pub(super) address: u64,
    pub(super) bytes: u64,
    pub(super) is_free: bool,
    /// Bytes that the allocator has handed out, and has taken from the device, after it.
    pub(super) allocated: u64,
    pub(super) reserved: u64,
}

/// Something that a thread does for a while.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) thread: u64,
    /// Nanoseconds.
    pub(super) start: i64,
    pub(super) end: i64,
    pub(super) name: String,
    /// Whether it is a function of Python and no operator.
    pub(super) python: bool,
}

/// What made a block.
#[derive(Clone, Debug, Default)]
struct Maker {
    op: String,
    stack: u32,
}

/// A block that is not given back yet.
struct Open {
    name: String,
    start: u64,
    bytes: u64,
    maker: Maker,
}

/// Reads the memory events of `trace`, of which there are some.
pub(super) fn read(mut trace: Trace) -> Dump {
    trace.moments.sort_by_key(|moment| moment.time);
    let mut stacks = Gathered::default();
    let makers = makers(&trace.moments, trace.calls, &mut stacks);
    let mut devices: BTreeMap<(i64, i64), Vec<(Moment, Maker)>> = BTreeMap::new();
    for (moment, maker) in trace.moments.into_iter().zip(makers) {
        devices
            .entry(moment.device)
            .or_default()
            .push((moment, maker));
    }
    if devices.len() > MAX_ARENAS {
        return Err(Fault::Limit.at(
            Message::verbatim("Device Id"),
            message!(
                "{} devices, of which we read at most {}",
                devices.len(),
                MAX_ARENAS
            ),
        ));
    }
    let (mut arenas, mut warnings) = (Vec::new(), Vec::new());
    for (device, events) in devices {
        arenas.push(arena(name(device), events, &mut warnings)?);
    }
    // The device with most memory is what people look for.
    arenas.order_by_key(|arena: &Arena| Reverse(arena.plan.arena));
    let deployed = Deployed {
        toolchain: "PyTorch".into(),
        arenas,
        stacks: stacks.finish(),
        ..Deployed::default()
    };
    Ok((deployed, warnings))
}

/// What people call a device (`c10/core/DeviceType.h`).
fn name((kind, number): (i64, i64)) -> Message {
    match kind {
        0 => Message::verbatim("CPU"),
        1 => message!("CUDA device {}", number),
        12 => message!("XPU device {}", number),
        13 => message!("MPS device {}", number),
        _ => message!("device {} of type {}", number, kind),
    }
}

/// What was open on its thread at each of `moments`, which are in the order of time.
fn makers(moments: &[Moment], mut calls: Vec<Call>, stacks: &mut Gathered) -> Vec<Maker> {
    // The outer of two that begin together is the longer one.
    calls.order_by_key(|call| (call.start, Reverse(call.end)));
    let mut calls = calls.into_iter().peekable();
    let mut open: BTreeMap<u64, Vec<Call>> = BTreeMap::new();
    let mut found = Vec::with_capacity(moments.len());
    for moment in moments {
        while let Some(call) = calls.next_if(|call| call.start <= moment.time) {
            let stack = open.entry(call.thread).or_default();
            stack.retain(|it| it.end >= call.start);
            stack.push(call);
        }
        let Some(stack) = open.get_mut(&moment.thread) else {
            found.push(Maker::default());
            continue;
        };
        stack.retain(|call| call.end >= moment.time);
        let op = stack.iter().rev().find(|call| !call.python);
        let frames = stack.iter().rev().filter(|call| call.python);
        let frames = frames.filter_map(|call| frame(&call.name));
        let frames = frames.map(|frame| stacks.frame(frame)).collect();
        found.push(Maker {
            op: op.map(|call| call.name.clone()).unwrap_or_default(),
            stack: stacks.stack(frames),
        });
    }
    found
}

/// The frame of `net.py(12): forward`; none of what is built in.
fn frame(name: &str) -> Option<Frame> {
    let (place, function) = name.rsplit_once("): ")?;
    let (file, line) = place.rsplit_once('(')?;
    Some(Frame {
        function: function.to_owned(),
        file: file.to_owned(),
        line: line.parse().ok()?,
    })
}

fn arena(
    name: Message,
    events: Vec<(Moment, Maker)>,
    warnings: &mut Vec<Warning>,
) -> Result<Arena, LoadError> {
    let times: Vec<i64> = events
        .iter()
        .map(|(moment, _)| moment.time / 1000)
        .collect();
    let lanes = lanes(&events);
    let before = events.first().map_or(0, |(first, _)| match first.is_free {
        true => first.allocated.saturating_add(first.bytes),
        false => first.allocated.saturating_sub(first.bytes),
    });
    let mut rows = blocks(&name, events, warnings);
    let known = rows.iter().filter(|row| row.span.start == Step(0));
    let known = known.fold(0_u64, |sum, row| sum.saturating_add(row.size));
    if before > known {
        warnings.push(Warning::new(
            name.clone(),
            message!(
                "{} B were allocated before the trace and no event gives them back: they are not \
                 shown",
                before - known
            ),
        ));
    }
    let reserves = lanes.iter().any(|lane| lane.kind == LaneKind::Reserved);
    let ranges = lay(&mut rows);
    if !reserves {
        warnings.push(Warning::new(
            name.clone(),
            message!(
                "it reserves no memory but asks the system for each block, wherever that has \
                 some: the addresses are no plan, so only sizes and lifetimes count"
            ),
        ));
    } else if ranges > 1 {
        warnings.push(Warning::new(
            name.clone(),
            message!(
                "the trace names no segments: {} ranges of addresses that blocks covered \
                 are drawn end to end, without what lies between them",
                ranges
            ),
        ));
    }
    rows.order_by_key(|row| row.span);
    let mut draft = Draft::new(name, "PyTorch");
    draft.horizon = times.len() as u64 + 1;
    for row in rows {
        let place = row.name.clone();
        draft.push(|| Message::verbatim(&*place), row)?;
    }
    let mut arena = draft.finish(warnings)?;
    arena.lanes = lanes;
    arena.clock = Clock::of_events(&times);
    Ok(if reserves { arena } else { arena.unplaced() })
}

/// What the allocator says that it has handed out, and taken from the device where it says so.
fn lanes(events: &[(Moment, Maker)]) -> Vec<Lane> {
    let lane = |kind, of: fn(&Moment) -> u64| Lane {
        kind,
        points: (1..)
            .zip(events)
            .map(|(step, (moment, _))| (Step(step), Bytes(of(moment))))
            .collect(),
    };
    let mut lanes = vec![lane(LaneKind::Allocated, |moment| moment.allocated)];
    // The CPU's allocator takes no segments: 0 at every event.
    if events.iter().any(|(moment, _)| moment.reserved > 0) {
        lanes.push(lane(LaneKind::Reserved, |moment| moment.reserved));
    }
    lanes
}

/// Every block with the addresses of the process; what is unclear is warned of.
fn blocks(place: &Message, events: Vec<(Moment, Maker)>, warnings: &mut Vec<Warning>) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut open: BTreeMap<u64, Open> = BTreeMap::new();
    let (mut taken_twice, mut other_size) = (0, 0);
    let horizon = events.len() as u64 + 1;
    for (step, (moment, maker)) in (1..).zip(events) {
        let (address, bytes) = (moment.address, moment.bytes);
        if !moment.is_free {
            let new = Open {
                name: moment.name,
                start: step,
                bytes,
                maker,
            };
            if let Some(old) = open.insert(address, new) {
                taken_twice += 1;
                rows.push(row(address, old, step));
            }
            continue;
        }
        let found = open.remove(&address).unwrap_or_else(|| Open {
            name: moment.name,
            start: 0,
            bytes,
            maker: Maker::default(),
        });
        other_size += usize::from(found.bytes != bytes);
        rows.push(row(address, found, step));
    }
    rows.extend(
        open.into_iter()
            .map(|(address, block)| row(address, block, horizon)),
    );
    rows.retain(|row| row.size > 0);
    let mut report = |count, one, many| {
        if count > 0 {
            warnings.push(Warning::new(place.clone(), counted(count, one, many)));
        }
    };
    report(
        taken_twice,
        message!(
            "block is taken at an address that was never given back: it ends the one before it"
        ),
        message!(
            "blocks are taken at addresses that were never given back: they end those before them"
        ),
    );
    report(
        other_size,
        message!("block is given back with another size than it was taken with: the first counts"),
        message!(
            "blocks are given back with another size than they were taken with: the first counts"
        ),
    );
    rows
}

fn row(address: u64, block: Open, end: u64) -> Row {
    let name = match (block.name, block.maker.op.as_str()) {
        (name, _) if !name.is_empty() => name,
        (_, "") => format!("b{address:x}"),
        (_, op) => op.to_owned(),
    };
    Row {
        name,
        size: block.bytes,
        span: Span::new(block.start, end),
        offset: address,
        note: Note {
            op: block.maker.op,
            stack: block.maker.stack,
            ..Note::default()
        },
        ..Row::default()
    }
}

/// Moves the ranges of addresses that `rows` cover together, end to end; how many there are.
fn lay(rows: &mut [Row]) -> usize {
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.order_by_key(|&row| rows[row].offset);
    let (mut count, mut end, mut base) = (0, 0, 0);
    let mut shift = 0;
    for index in order {
        let row = &mut rows[index];
        if count == 0 || row.offset > end {
            (count, shift) = (count + 1, row.offset - base);
        }
        end = end.max(row.offset.saturating_add(row.size));
        row.offset -= shift;
        base = end.saturating_sub(shift);
    }
    count
}
