//! Residencies: when each storage is in memory, from the schedule.
//!
//! A residency begins with the step that brings the values (an operator that writes, a swap
//! in, a decode) and ends with the step that takes them away (free, evict, swap out, encode);
//! where no step takes them away, with their last use. An operator that is recomputed writes
//! the values anew, so the residency of the old ones ends with their last use too. This is
//! how a register allocator splits a value into live ranges at its definitions (Cooper and
//! Torczon, "Engineering a Compiler", section 13.4).
//!
//! An operator that adds to a storage which it reads, or which another operator has begun to
//! fill, goes on with the same residency: a chain in place, or the pieces of a concatenation.

use crate::graph::{Op, OpId, TensorId};
use crate::program::Program;
use crate::schedule::Action;
use crate::sorting::Sorting as _;
use crate::storage::StorageId;
use crate::units::{Span, Step};

use super::Lifetimes;

/// One stay of a storage in memory.
#[derive(Clone, Debug)]
pub(super) struct Stay {
    /// From when to when.
    pub(super) span: Span,
    /// Whether a step took the values away: the next use begins another stay.
    ended: bool,
    /// The tensors whose values were written during this stay.
    written: Vec<TensorId>,
}

impl Stay {
    pub(super) fn new(span: Span) -> Self {
        Self {
            span,
            ended: false,
            written: Vec::new(),
        }
    }
}

/// The stays of each storage of `program` for which `counts` holds, by ascending step. What is
/// used at a step is needed during the step's window.
pub(super) fn stays(
    program: &Program,
    windows: &[Span],
    counts: &dyn Fn(StorageId) -> bool,
) -> Vec<Vec<Stay>> {
    let mut run = Run {
        program,
        counts,
        stays: vec![Vec::new(); program.storages.list.len()],
    };
    for (entry, &window) in program.schedule.steps.iter().zip(windows) {
        match entry.action {
            Action::Compute(op) => run.operator(op, window),
            Action::Recompute(op) => {
                run.renew(program.graph.op(op));
                run.operator(op, window);
            }
            Action::Free(storage) | Action::Evict(storage) => run.end(storage, window.start),
            Action::SwapOut(storage) => run.end(storage, window.end),
            Action::SwapIn(storage) => run.brings_back(storage, window),
            Action::Encode { from, to } => {
                run.uses(to, window);
                run.end(from, window.end);
            }
            Action::Decode { from, to } => {
                run.uses(from, window);
                run.brings_back(to, window);
            }
        }
    }
    run.stays
}

struct Run<'a> {
    program: &'a Program,
    counts: &'a dyn Fn(StorageId) -> bool,
    stays: Vec<Vec<Stay>>,
}

impl Run<'_> {
    fn operator(&mut self, id: OpId, window: Span) {
        let op = self.program.graph.op(id);
        for tensor in op.written() {
            if let Some(stay) = self.uses_tensor(tensor, window) {
                stay.written.push(tensor);
            }
        }
        for tensor in op.read() {
            self.uses_tensor(tensor, window);
        }
    }

    fn uses_tensor(&mut self, tensor: TensorId, window: Span) -> Option<&mut Stay> {
        let storage = self.program.storages.view(tensor)?.base;
        self.uses(storage, window)
    }

    /// Widens the stay that is open, or begins one.
    fn uses(&mut self, storage: StorageId, window: Span) -> Option<&mut Stay> {
        if !(self.counts)(storage) {
            return None;
        }
        let stays = &mut self.stays[storage.index()];
        if stays.last().is_none_or(|stay| stay.ended) {
            stays.push(Stay::new(window));
        }
        let stay = stays.last_mut()?;
        stay.span.start = stay.span.start.min(window.start);
        stay.span.end = stay.span.end.max(window.end);
        Some(stay)
    }

    /// Begins a stay with the values of the one before.
    fn brings_back(&mut self, storage: StorageId, window: Span) {
        let before = self.stays[storage.index()].last();
        let written = before.map_or_else(Vec::new, |stay| stay.written.clone());
        if let Some(stay) = self.uses(storage, window) {
            stay.written.extend(written);
        }
    }

    /// Ends the stay that is open, with `end` as the first step at which it is over.
    fn end(&mut self, storage: StorageId, end: Step) {
        if let Some(stay) = self.stays[storage.index()].last_mut() {
            stay.span.end = stay.span.end.max(end);
            stay.ended = true;
        }
    }

    /// Ends the stays whose values `op` writes anew.
    fn renew(&mut self, op: &Op) {
        let storages = &self.program.storages;
        for tensor in op.written() {
            let Some(base) = storages.view(tensor).map(|view| view.base) else {
                continue;
            };
            let reads = |read: TensorId| storages.view(read).is_some_and(|it| it.base == base);
            if !op.read().any(reads)
                && let Some(stay) = self.stays[base.index()].last_mut()
            {
                stay.ended |= stay.written.contains(&tensor);
            }
        }
    }
}

/// Which buffer holds a storage when: operands of a step are found by step and tensor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Residencies {
    /// The buffers of each storage, by ascending step.
    of_storage: Vec<Vec<usize>>,
}

impl Residencies {
    /// The residencies that the buffers of `lifetimes` are.
    #[must_use]
    pub fn of(lifetimes: &Lifetimes) -> Self {
        let mut of_storage: Vec<Vec<usize>> = Vec::new();
        for (index, buffer) in lifetimes.buffers.iter().enumerate() {
            if let Some(storage) = buffer.storage {
                let needed = storage.index() + 1;
                of_storage.resize(needed.max(of_storage.len()), Vec::new());
                of_storage[storage.index()].push(index);
            }
        }
        for own in &mut of_storage {
            own.order_by_key(|&index| lifetimes.buffers[index].span.start);
        }
        Self { of_storage }
    }

    /// The buffers that `storage` stays in, by ascending step.
    #[must_use]
    pub fn buffers(&self, storage: StorageId) -> &[usize] {
        self.of_storage.get(storage.index()).map_or(&[], |own| own)
    }

    /// Two buffers after each other in which the same storage stays, with an absence between.
    pub fn returns(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let pairs = self.of_storage.iter().flat_map(|own| own.windows(2));
        pairs.map(|pair| (pair[0], pair[1]))
    }

    /// The buffer in which `storage` is at `step`; `None` when it is in none.
    #[must_use]
    pub fn at(&self, lifetimes: &Lifetimes, storage: StorageId, step: Step) -> Option<usize> {
        let own = self.buffers(storage);
        let started = own.partition_point(|&it| lifetimes.buffers[it].span.start <= step);
        let last = *own.get(started.checked_sub(1)?)?;
        lifetimes.buffers[last].span.contains(step).then_some(last)
    }

    /// The buffer whose bytes `tensor` of `program` views at `step`; `None` when it is in none.
    #[must_use]
    pub fn operand(
        &self,
        program: &Program,
        lifetimes: &Lifetimes,
        (step, tensor): (Step, TensorId),
    ) -> Option<usize> {
        let view = program.storages.view(tensor)?;
        self.at(lifetimes, view.base, step)
    }
}
