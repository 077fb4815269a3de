//! A plan as a Chrome trace, which Perfetto and chrome://tracing open: a slice for every tensor
//! with its place, a slice for every step and scope, bytes over time as counters, requests that failed
//! as marks, and the memory events as `torch.profiler` writes them, which can be read back.

use serde_json::{Value, json};

use super::recording::{Recorded, What};
use crate::deployed::{Lane, LaneKind};
use crate::space::failure;

/// Threads of the one process.
const STEPS: u32 = 1;
const SCOPES: u32 = 2;
const MEMORY: u32 = 3;

/// The trace; `lanes` is what the file says of the arena over time.
#[must_use]
pub fn perfetto(from: &Recorded<'_>, lanes: &[Lane]) -> String {
    let mut events = vec![
        named("process_name", 0, from.name),
        named("thread_name", STEPS, "steps"),
        named("thread_name", SCOPES, "scopes"),
        named("thread_name", MEMORY, "memory events"),
    ];
    let horizon = from.lifetimes.horizon.0;
    let dur = |from_step: u64, to: u64| from.time(to).saturating_sub(from.time(from_step)).max(1);
    for (step, name) in (0..horizon).zip(from.steps) {
        if !name.is_empty() {
            let (ts, dur) = (from.time(step), dur(step, step + 1));
            events.push(
                json!({"ph": "X", "cat": "step", "name": name, "pid": 0, "tid": STEPS,
                "ts": ts, "dur": dur, "args": {"step": step}}),
            );
        }
    }
    for scope in from.scopes {
        let (start, end) = (scope.span.start.0, scope.span.end.0);
        events.push(
            json!({"ph": "X", "cat": "scope", "name": scope.name, "pid": 0,
            "tid": SCOPES, "ts": from.time(start), "dur": dur(start, end)}),
        );
    }
    tensors(from, &mut events);
    failures(from, &mut events);
    moments(from, lanes, &mut events);
    let trace = json!({"traceEvents": events, "displayTimeUnit": "ms"});
    trace.to_string()
}

fn named(what: &str, thread: u32, name: &str) -> Value {
    json!({"ph": "M", "name": what, "pid": 0, "tid": thread, "args": {"name": name}})
}

/// Slices that overlap have an id each.
fn tensors(from: &Recorded<'_>, events: &mut Vec<Value>) {
    for (index, buffer) in from.lifetimes.buffers.iter().enumerate() {
        let maker = from.makers.get(index).map_or("", String::as_str);
        let offset = from.plan.offsets.get(index).map_or(0, |it| it.0);
        let mut put = |ph: &str, step: u64, args: Value| {
            events.push(
                json!({"ph": ph, "cat": "tensor", "name": buffer.name, "pid": 0,
                "id": index, "ts": from.time(step), "args": args}),
            );
        };
        let args = json!({"bytes": buffer.size.0, "offset": offset, "operator": maker,
            "first step": buffer.span.start.0, "end step": buffer.span.end.0});
        put("b", buffer.span.start.0, args);
        put("e", buffer.span.end.0, json!({}));
    }
}

/// Requests that failed, marked over all tracks; of the last one what the allocator had then.
fn failures(from: &Recorded<'_>, events: &mut Vec<Value>) {
    for (index, refused) in from.refused.iter().enumerate() {
        let (asked, left) = (refused.asked, refused.device_free);
        let mut args = json!({"step": refused.step.0, "asked": asked.0, "free on the device": left.0,
            "stream": refused.stream});
        if index + 1 == from.refused.len() && from.plan.segments.is_some() {
            let placed = (from.lifetimes, from.plan);
            let found = failure(
                placed,
                (refused.step, (refused.stream, refused.pool)),
                (asked, left),
            );
            args["capacity"] = json!(found.capacity().0);
            args["reserved"] = json!(found.reserved.0);
            args["in use"] = json!(found.live.0);
            args["reserved but free"] = json!(found.free.free.0);
            args["largest free block"] = json!(found.free.largest_for_it.0);
        }
        let name = format!(
            "out of memory: {} bytes asked for, {} free on the device",
            asked.0, left.0
        );
        events.push(
            json!({"ph": "i", "s": "g", "cat": "out of memory", "name": name, "pid": 0,
            "tid": MEMORY, "ts": from.time(refused.step.0), "args": args}),
        );
    }
}

/// What is taken and given back, and the sums after it.
fn moments(from: &Recorded<'_>, lanes: &[Lane], events: &mut Vec<Value>) {
    let reserved = |step: u64| {
        let lane = lanes.iter().find(|lane| lane.kind == LaneKind::Reserved)?;
        let after = lane.points.partition_point(|point| point.0.0 <= step);
        lane.points
            .get(after.checked_sub(1)?)
            .map(|point| point.1.0)
    };
    let recording = from.recording();
    let mut allocated = before(from, recording.traced);
    for event in recording.events {
        let buffer = from.lifetimes.buffers.get(event.of);
        let taken = buffer.map_or(0, |it| it.size.0);
        let bytes = i64::try_from(taken).unwrap_or(i64::MAX);
        let bytes = match event.what {
            What::Alloc => bytes,
            What::FreeCompleted => -bytes,
            _ => continue,
        };
        allocated = allocated.saturating_add_signed(bytes);
        let total = reserved(event.step).unwrap_or(from.plan.arena.0);
        let ts = from.time(event.step);
        events.push(json!({"ph": "C", "name": "bytes", "pid": 0, "ts": ts,
            "args": {"allocated": allocated}}));
        events.push(
            json!({"ph": "C", "name": "bytes taken from the device", "pid": 0, "ts": ts,
            "args": {"reserved": total}}),
        );
        events.push(
            json!({"ph": "i", "s": "t", "cat": "cpu_instant_event", "name": "[memory]",
            "pid": 0, "tid": MEMORY, "ts": ts, "args": {"Addr": event.address, "Bytes": bytes,
            // No key of PyTorch's: what the block is called.
            "Name": buffer.map(|it| it.name.as_str()),
            "Total Allocated": allocated, "Total Reserved": total, "Device Type": 1,
            "Device Id": 0}}),
        );
    }
}

/// Bytes that were there before the first event.
fn before(from: &Recorded<'_>, traced: bool) -> u64 {
    let buffers = from.lifetimes.buffers.iter();
    let there = buffers.filter(|it| traced && it.span.start.0 == 0);
    there.fold(0, |sum, it| sum.saturating_add(it.size.0))
}
