//! In which order a stage of a pipeline runs its micro-batches.
//!
//! ```text
//! stage 0   F0 F1 F2 F3       B0 F4 B1 F5 B2 …     p - 1 before the first comes back
//! stage 3            F0 B0 F1 B1 …                 one forward, one backward
//! ```
//!
//! Narayanan et al., "Efficient Large-Scale Language Model Training on GPU Clusters" (SC 2021),
//! sections 2.2.1 and 2.2.2, with the numbers of Megatron-LM's schedules.

use serde::{Deserialize, Serialize};

use crate::training::Sharding;

/// A pass of a micro-batch through a part of a stage's layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slot {
    /// The micro-batch.
    pub micro: u32,
    /// The chunk of the layers.
    pub chunk: u32,
    /// Whether it goes backward.
    pub backward: bool,
}

/// So many micro-batches show all that a stage comes to: those after them repeat what is there in
/// between.
#[must_use]
pub fn shown(own: Sharding) -> u32 {
    let most = match own.chunks {
        0 | 1 => own.pipeline.saturating_sub(own.stage).saturating_add(1),
        _ => own.pipeline.saturating_mul(2),
    };
    own.micro.min(most)
}

/// What a stage runs, in order, of so many micro-batches.
#[must_use]
pub fn slots(own: Sharding, micro: u32) -> Vec<Slot> {
    let (stages, chunks) = (own.pipeline.max(1), own.chunks.max(1));
    let all = micro.saturating_mul(chunks);
    let behind = stages.saturating_sub(own.stage.saturating_add(1));
    let ahead = match chunks {
        1 => behind,
        // Megatron-LM runs all of them forward first where there are no more than stages.
        _ if micro == stages => all,
        _ => 2 * behind + (chunks - 1) * stages,
    };
    let ahead = ahead.min(all);
    let slot = |at: u32, backward: bool| {
        let (group, within) = (at / (stages * chunks), at % (stages * chunks));
        let (chunk, place) = (within / stages, within % stages);
        match chunks {
            1 => Slot {
                micro: at,
                chunk: 0,
                backward,
            },
            _ => Slot {
                micro: group * stages + place,
                chunk: if backward { chunks - 1 - chunk } else { chunk },
                backward,
            },
        }
    };
    let mut slots: Vec<Slot> = (0..ahead).map(|at| slot(at, false)).collect();
    for at in ahead..all {
        slots.push(slot(at, false));
        slots.push(slot(at - ahead, true));
    }
    slots.extend((all - ahead..all).map(|at| slot(at, true)));
    slots
}
