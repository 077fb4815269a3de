//! Lifetimes with their plan as Arenascope's own plan JSON, version 1.

use serde::Serialize;

use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};
use crate::units::{Bytes, Offset, Step};

/// The version that we write.
const VERSION: u64 = 1;

#[derive(Serialize)]
struct PlanJson<'p> {
    arenascope_plan: u64,
    /// Who made the plan.
    origin: &'p str,
    /// Alignment that was asked for.
    alignment: Bytes,
    arena: Bytes,
    /// One step behind the last.
    horizon: Step,
    objects: Option<ObjectsJson<'p>>,
    buffers: Vec<BufferJson<'p>>,
    /// Name of the operator at each step, if there are operators.
    steps: &'p [&'p str],
}

/// Shared objects; their offsets follow from their sizes.
#[derive(Serialize)]
struct ObjectsJson<'p> {
    sizes: &'p [Bytes],
    of_buffer: &'p [u32],
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
}

/// The plan JSON of `lifetimes` under `plan`, made with `options`; sizes and offsets are
/// bytes. `steps` names the operator that runs at each step, or is empty.
#[must_use]
pub fn plan_json(lifetimes: &Lifetimes, plan: &Plan, options: &Options, steps: &[&str]) -> String {
    let buffers = lifetimes.buffers.iter().zip(&plan.offsets);
    let buffers = buffers.map(|(buffer, &offset)| BufferJson {
        name: &buffer.name,
        size: buffer.size,
        payload: buffer.payload,
        lower: buffer.span.start,
        upper: buffer.span.end,
        offset,
        alignment: buffer.alignment,
        fixed: buffer.fixed,
    });
    let objects = plan.objects.as_ref().map(|objects| ObjectsJson {
        sizes: &objects.sizes,
        of_buffer: &objects.of_buffer,
    });
    let json = PlanJson {
        arenascope_plan: VERSION,
        origin: &plan.origin,
        alignment: options.alignment,
        arena: plan.arena,
        horizon: lifetimes.horizon,
        objects,
        buffers: buffers.collect(),
        steps,
    };
    // A struct of texts and numbers always has a JSON form.
    serde_json::to_string(&json).unwrap_or_default()
}
