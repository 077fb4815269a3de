//! Lifetimes with their plan as Arenascope's own plan JSON, version 1.

use serde::Serialize;

use crate::Message;
use crate::deployed::{Category, Frame, Held, Hold, IrValue, Note, Refused, Scope, Stacks, Total};
use crate::liveness::{Handover, Lifetimes, Pause};
use crate::plan::{Options, Origin, Plan, Pool, Segments, Stated};
use crate::units::{Bytes, Offset, Step};

/// Where a plan comes from, beyond the plan itself: nothing of it by default.
#[derive(Clone, Copy, Debug, Default)]
pub struct Provenance<'p> {
    /// The toolchain that deployed it.
    pub toolchain: &'p str,
    /// What is known of each buffer, in the buffers' order, or nothing.
    pub notes: &'p [Note],
    /// What the program said that it was about, and when.
    pub scopes: &'p [Scope],
    /// Requests that failed, by step.
    pub refused: &'p [Refused],
    /// When each step began, in microseconds, or nothing.
    pub clock: &'p [u64],
    /// What all arenas of its program hold together, by what it is for.
    pub totals: &'p [Total],
    /// What the toolchain says that went wrong.
    pub said: &'p [Message],
    /// The stacks that the notes and the requests lead to; `None` for none.
    pub stacks: Option<&'p Stacks>,
    /// Whether these are separate allocations, laid end to end only to be seen.
    pub separate: bool,
    /// What the allocator reserved at its peak whose trace the document is.
    pub reserved: Option<Bytes>,
    /// The segments that it lies in, of a plan that an allocator made.
    pub segments: Option<&'p Segments>,
    /// How it was looked at, as the fragment of a link.
    pub view: &'p str,
}

/// The version that we write.
const VERSION: u64 = 1;

fn is_unstated(stated: &Stated) -> bool {
    *stated == Stated::default()
}

#[derive(Serialize)]
struct PlanJson<'p> {
    arenascope_plan: u64,
    /// What made the plan.
    origin: &'p Origin,
    #[serde(skip_serializing_if = "str::is_empty")]
    toolchain: &'p str,
    #[serde(skip_serializing_if = "str::is_empty")]
    view: &'p str,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    totals: &'p [Total],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    said: &'p [Message],
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    separate: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    reserved: Option<Bytes>,
    #[serde(skip_serializing_if = "Option::is_none")]
    segments: Option<&'p Segments>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    partial: bool,
    #[serde(skip_serializing_if = "is_unstated")]
    stated: Stated,
    /// Alignment that was asked for.
    alignment: Bytes,
    arena: Bytes,
    /// One step past the last.
    horizon: Step,
    objects: Option<ObjectsJson<'p>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pools: Option<PoolsJson<'p>>,
    buffers: Vec<BufferJson<'p>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    handovers: &'p [Handover],
    /// Name of the operator at each step, if there are operators.
    steps: &'p [&'p str],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    frames: &'p [Frame],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    scopes: Vec<ScopeJson<'p>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    refused: Vec<RefusedJson<'p>>,
    /// Microseconds since the first event at which each step began.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    clock: &'p [u64],
}

/// What the program said that it was about in steps `[lower, upper)`.
#[derive(Serialize)]
struct ScopeJson<'p> {
    name: &'p str,
    lower: Step,
    upper: Step,
}

/// A request that failed.
#[derive(Serialize)]
struct RefusedJson<'p> {
    step: Step,
    asked: Bytes,
    device_free: Bytes,
    stream: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pool: Option<(i64, i64)>,
    /// By index into the frames.
    #[serde(rename = "frames", skip_serializing_if = "<[_]>::is_empty")]
    stack: &'p [u32],
}

/// Shared objects; their offsets follow from their sizes.
#[derive(Serialize)]
struct ObjectsJson<'p> {
    sizes: &'p [Bytes],
    of_buffer: &'p [u32],
}

/// Pools end to end, and which buffer lies where.
#[derive(Serialize)]
struct PoolsJson<'p> {
    /// Name and capacity of each.
    declared: &'p [Pool],
    bases: &'p [Offset],
    sizes: &'p [Bytes],
    of_buffer: &'p [u32],
}

/// Steps `[lower, upper)` during which only the bytes of the window are needed, or none.
#[derive(Serialize)]
struct PauseJson {
    lower: Step,
    upper: Step,
    #[serde(skip_serializing_if = "Option::is_none")]
    window: Option<(Bytes, Bytes)>,
}

/// One buffer, live in `[lower, upper)`.
#[derive(Serialize)]
struct BufferJson<'p> {
    name: &'p str,
    size: Bytes,
    payload: Bytes,
    lower: Step,
    upper: Step,
    offset: Offset,
    alignment: Bytes,
    #[serde(skip_serializing_if = "Option::is_none")]
    fixed: Option<Offset>,
    #[serde(rename = "gaps", skip_serializing_if = "Vec::is_empty")]
    pauses: Vec<PauseJson>,
    /// Candidates among the pools, the preferred first.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pools: &'p [u32],
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    note: Option<NoteJson<'p>>,
}

/// What else is known of a buffer.
#[derive(Serialize)]
struct NoteJson<'p> {
    #[serde(skip_serializing_if = "str::is_empty")]
    op: &'p str,
    #[serde(skip_serializing_if = "str::is_empty")]
    role: &'p str,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    aliases: &'p [String],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    uses: &'p [Step],
    #[serde(skip_serializing_if = "Option::is_none")]
    held: Option<HeldJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    category: Option<Category>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream: Option<i64>,
    /// By index into the frames.
    #[serde(rename = "frames", skip_serializing_if = "<[_]>::is_empty")]
    stack: &'p [u32],
    #[serde(skip_serializing_if = "Option::is_none")]
    filled: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    several: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<&'p IrValue>,
}

/// It keeps its bytes longer than its values are needed, which is in `[lower, upper)`.
#[derive(Serialize)]
struct HeldJson {
    why: Hold,
    lower: Step,
    upper: Step,
}

/// The plan JSON of `lifetimes` under `plan`, made with `options`; sizes and offsets are
/// bytes. `steps` names the operator that runs at each step, or is empty.
#[must_use]
pub fn plan_json(lifetimes: &Lifetimes, plan: &Plan, options: &Options, steps: &[&str]) -> String {
    plan_json_from(Provenance::default(), lifetimes, plan, options, steps)
}

/// The same with where the plan comes from.
#[must_use]
pub fn plan_json_from(
    from: Provenance<'_>,
    lifetimes: &Lifetimes,
    plan: &Plan,
    options: &Options,
    steps: &[&str],
) -> String {
    let buffers = lifetimes.buffers.iter().zip(&plan.offsets).enumerate();
    let buffers = buffers.map(|(index, (buffer, &offset))| BufferJson {
        name: &buffer.name,
        size: buffer.size,
        payload: buffer.payload,
        lower: buffer.span.start,
        upper: buffer.span.end,
        offset,
        alignment: buffer.alignment,
        fixed: buffer.fixed,
        pauses: buffer.pauses.iter().map(pause).collect(),
        pools: &buffer.pools,
        note: from.notes.get(index).map(|it| note(it, from.stacks)),
    });
    let objects = plan.objects.as_ref().map(|objects| ObjectsJson {
        sizes: &objects.sizes,
        of_buffer: &objects.of_buffer,
    });
    let pools = plan.pools.as_ref().map(|pools| PoolsJson {
        declared: &pools.declared,
        bases: &pools.bases,
        sizes: &pools.sizes,
        of_buffer: &pools.of_buffer,
    });
    // A step without a buffer after the last one is no part of the plan.
    let horizon = usize::try_from(lifetimes.horizon.0).unwrap_or(usize::MAX);
    let steps = steps.get(..horizon).unwrap_or(steps);
    let json = PlanJson {
        arenascope_plan: VERSION,
        origin: &plan.origin,
        toolchain: from.toolchain,
        view: from.view,
        totals: from.totals,
        said: from.said,
        separate: from.separate,
        reserved: from.reserved,
        segments: from.segments,
        partial: plan.partial,
        stated: plan.stated,
        alignment: options.alignment,
        arena: plan.arena,
        horizon: lifetimes.horizon,
        objects,
        pools,
        buffers: buffers.collect(),
        handovers: &lifetimes.handovers,
        steps,
        scopes: from.scopes.iter().map(scope).collect(),
        refused: from
            .refused
            .iter()
            .map(|it| refused(it, from.stacks))
            .collect(),
        clock: from.clock,
        frames: from.stacks.map_or(&[][..], |stacks| &stacks.frames),
    };
    serde_json::to_string(&json).expect("texts and numbers always have a JSON form")
}

fn pause(pause: &Pause) -> PauseJson {
    PauseJson {
        lower: pause.span.start,
        upper: pause.span.end,
        window: pause.window,
    }
}

fn scope(scope: &Scope) -> ScopeJson<'_> {
    ScopeJson {
        name: &scope.name,
        lower: scope.span.start,
        upper: scope.span.end,
    }
}

fn refused<'p>(refused: &Refused, stacks: Option<&'p Stacks>) -> RefusedJson<'p> {
    RefusedJson {
        step: refused.step,
        asked: refused.asked,
        device_free: refused.device_free,
        stream: refused.stream,
        pool: refused.pool,
        stack: stacks.map_or(&[][..], |stacks| stacks.indices(refused.stack)),
    }
}

fn note<'p>(note: &'p Note, stacks: Option<&'p Stacks>) -> NoteJson<'p> {
    let held = |Held { why, needed }: Held| HeldJson {
        why,
        lower: needed.start,
        upper: needed.end,
    };
    NoteJson {
        op: &note.op,
        role: &note.role,
        aliases: &note.aliases,
        uses: &note.uses,
        held: note.held.map(held),
        category: note.category,
        stream: note.stream,
        stack: stacks.map_or(&[][..], |stacks| stacks.indices(note.stack)),
        filled: Some(note.filled).filter(|number| *number > 0),
        several: Some(note.several).filter(|number| *number > 1),
        value: note.value.as_deref(),
    }
}
