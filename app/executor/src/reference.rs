//! Plays a recording on the CPU references of its kernels, over one memory of words.

use crate::arena::Memory;
use crate::recording::{RecordedStep, Recording};

/// Computes one step.
pub fn step(step: &RecordedStep, memory: &mut Memory) {
    for dispatch in &step.dispatches {
        dispatch.kernel.reference(dispatch, memory);
    }
}

/// Computes every step in order.
pub fn run(recording: &Recording, memory: &mut Memory) {
    for recorded in &recording.steps {
        step(recorded, memory);
    }
}
