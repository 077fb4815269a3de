//! Pauses, handovers and pools of a plan JSON.

use serde::Deserialize;

use crate::liveness::{Handover, LIMIT, Lifetimes, Pause};
use crate::load::constraints::{MAX_HANDOVERS, MAX_POOLS, check_candidates};
use crate::load::{Fault, LoadError, Warning};
use crate::plan::{Pool, Pools};
use crate::units::{Bytes, Offset, Span};
use crate::{Message, message};

/// Pools end to end, and which buffer lies where.
#[derive(Deserialize)]
pub(super) struct PoolsJson {
    declared: Vec<PoolJson>,
    bases: Vec<u64>,
    sizes: Vec<u64>,
    of_buffer: Vec<u32>,
}

/// A pool; without a capacity it has no limit.
#[derive(Deserialize)]
pub(super) struct PoolJson {
    name: String,
    #[serde(default)]
    capacity: Option<u64>,
}

/// Buffer `after` may start `shift` bytes after the start of buffer `before`, over it.
#[derive(Deserialize)]
pub(super) struct HandoverJson {
    before: usize,
    after: usize,
    #[serde(default)]
    shift: u64,
}

/// Steps `[lower, upper)` during which only the bytes of the window are needed, or none.
#[derive(Deserialize)]
pub(super) struct PauseJson {
    lower: u64,
    upper: u64,
    #[serde(default)]
    window: Option<(u64, u64)>,
}

/// A pause as lifetimes have it.
pub(super) fn pause(json: PauseJson) -> Pause {
    let window = json.window;
    Pause {
        span: Span::new(json.lower, json.upper),
        window: window.map(|(start, end)| (Bytes(start), Bytes(end))),
    }
}

/// The handovers; those whose buffers do not meet at exactly one step allow nothing, which is
/// worth a warning.
pub(super) fn handovers(
    json: Vec<HandoverJson>,
    lifetimes: &Lifetimes,
    warnings: &mut Vec<Warning>,
) -> Result<Vec<Handover>, LoadError> {
    let (count, buffers) = (json.len(), lifetimes.buffers.len());
    if count > MAX_HANDOVERS {
        let message = message!(
            "{} handovers, of which we read at most {}",
            count,
            MAX_HANDOVERS
        );
        return Err(Fault::Limit.at(Message::verbatim("handovers"), message));
    }
    let mut idle = 0;
    for &HandoverJson { before, after, .. } in &json {
        let pair = (lifetimes.buffers.get(before), lifetimes.buffers.get(after));
        let (Some(one), Some(other)) = pair else {
            let message = message!("from {} to {}, of {} buffers", before, after, buffers);
            return Err(Fault::Dangling.at(Message::verbatim("handovers"), message));
        };
        if before == after {
            let message = message!("buffer {} is handed over to itself", before);
            return Err(Fault::Malformed.at(Message::verbatim("handovers"), message));
        }
        idle += usize::from(one.span.end.0 - 1 != other.span.start.0);
    }
    if idle > 0 {
        let message = message!(
            "{} of {} allow nothing: their buffers share more or fewer than the last and the first step",
            idle,
            count
        );
        warnings.push(Warning::new(Message::verbatim("handovers"), message));
    }
    let handover = |it: HandoverJson| Handover {
        before: it.before,
        after: it.after,
        shift: Bytes(it.shift),
    };
    Ok(json.into_iter().map(handover).collect())
}

/// The pools of the plan.
pub(super) fn pools(json: PoolsJson, lifetimes: &Lifetimes) -> Result<Pools, LoadError> {
    let wrong = |kind: Fault, message| kind.at(Message::verbatim("pools"), message);
    let (count, buffers) = (json.declared.len(), lifetimes.buffers.len());
    if count > MAX_POOLS {
        let message = message!("{} pools, of which we read at most {}", count, MAX_POOLS);
        return Err(wrong(Fault::Limit, message));
    }
    let (bases, sizes, assigned) = (json.bases.len(), json.sizes.len(), json.of_buffer.len());
    if (bases, sizes, assigned) != (count, count, buffers) {
        let message = message!(
            "{} pools with {} bases and {} sizes for {} of {} buffers",
            count,
            bases,
            sizes,
            assigned,
            buffers
        );
        return Err(wrong(Fault::Malformed, message));
    }
    if let Some(pool) = json.of_buffer.iter().find(|&&pool| pool as usize >= count) {
        let message = message!("pool {} is not among {} pools", pool, count);
        return Err(wrong(Fault::Dangling, message));
    }
    let mut places = json.bases.iter().zip(&json.sizes);
    if places.any(|(base, size)| base.checked_add(*size).is_none_or(|end| end >= LIMIT.0)) {
        return Err(wrong(Fault::Limit, message!("a pool ends beyond 2^62")));
    }
    for buffer in &lifetimes.buffers {
        let checked = check_candidates(buffer, count);
        checked.map_err(|(kind, message)| kind.at(Message::verbatim(&buffer.name), message))?;
    }
    let declared = json.declared.into_iter().map(|pool| Pool {
        name: pool.name,
        capacity: pool.capacity.map(Bytes),
    });
    Ok(Pools {
        declared: declared.collect(),
        bases: json.bases.into_iter().map(Offset).collect(),
        sizes: json.sizes.into_iter().map(Bytes).collect(),
        of_buffer: json.of_buffer,
    })
}
