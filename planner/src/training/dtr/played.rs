//! A run as lifetimes: when each storage was in memory, so that any strategy can place it.

use super::log::Log;
use super::runtime::{Act, Played};
use crate::liveness::{Buffer, Lifetimes};
use crate::schedule::Phase;
use crate::storage::StorageId;
use crate::units::{Span, Step};

/// The phases of the training step and when they are, in order. What is computed once more
/// belongs to the phase that computed it first.
#[must_use]
pub fn phases(log: &Log, played: &Played) -> Vec<(Phase, Span)> {
    let mut phases: Vec<(Phase, Span)> = Vec::new();
    let ran = played.acts.iter().filter_map(|act| match *act {
        Act::Compute { call, .. } => Some(log.calls[call].phase),
        Act::Evict(_) | Act::Free(_) => None,
    });
    for (step, phase) in (0_u64..).zip(ran) {
        match phases.last_mut() {
            Some((last, span)) if *last == phase => span.end = Step(step + 1),
            _ => phases.push((phase, Span::new(step, step + 1))),
        }
    }
    phases
}

/// Every stay of a storage in memory as a buffer, a step for each call that ran. What is still
/// there at the end stays to the end.
#[must_use]
pub fn residencies(log: &Log, played: &Played) -> Lifetimes {
    let mut since: Vec<Option<u64>> = vec![None; played.storages.len()];
    let mut buffers = Vec::new();
    let mut step_names = Vec::new();
    let mut step = 0;
    let mut end = |storage: usize, since: &mut Vec<Option<u64>>, step: u64| {
        let (bytes, tensor) = played.storages[storage];
        if let Some(start) = since[storage].take().filter(|_| bytes.0 > 0) {
            let name = log.tensors[tensor].clone();
            buffers.push(Buffer {
                storage: Some(StorageId::at(storage)),
                ..Buffer::new(name, bytes.0, Span::new(start, step))
            });
        }
    };
    for act in &played.acts {
        match *act {
            Act::Compute { call, .. } => {
                for made in &log.calls[call].makes {
                    let storage = played.storage_of[made.tensor];
                    since[storage].get_or_insert(step);
                }
                step_names.push(log.calls[call].name.clone());
                step += 1;
            }
            Act::Evict(storage) | Act::Free(storage) => end(storage, &mut since, step),
        }
    }
    for storage in 0..since.len() {
        end(storage, &mut since, step);
    }
    let mut lifetimes = Lifetimes {
        buffers,
        horizon: Step(step),
        step_names,
        ..Lifetimes::default()
    };
    lifetimes.buffers.sort_by_key(|buffer| buffer.span.start);
    lifetimes
}
