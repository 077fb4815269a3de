//! Whether every step of a schedule can happen.

mod elements;

use std::collections::BTreeMap;

use super::{Action, Schedule, ScheduleError};
use crate::graph::infer::origins;
use crate::graph::{Graph, Op, OpId, TensorId};
use crate::operators::Operator;
use crate::storage::{StorageId, StorageKind, Storages};
use crate::units::Step;
use crate::{Message, message};

/// Checks that every step of `schedule` can happen: the bytes that it reads have been computed
/// and are resident, and no other tensor was written over them; what it gives back is resident;
/// what it brings back was taken away; nothing is computed twice but by a recompute step, and
/// nothing is written over what the caller brings. At the end every output must be there.
///
/// Two tensors with strides are compared element by element, up to a limit; of larger ones
/// only the hull counts, and one that lies between the elements of another is taken to leave
/// them alone.
///
/// # Errors
/// The first step that cannot happen, or the first output that is missing at the end.
pub fn check(graph: &Graph, storages: &Storages, schedule: &Schedule) -> Result<(), ScheduleError> {
    let mut run = Run {
        graph,
        storages,
        contents: storages
            .list
            .iter()
            .map(|it| Contents::first(it.kind))
            .collect(),
        computed: vec![false; graph.ops.len()],
    };
    let failed = |index: usize| {
        move |message| ScheduleError {
            step: Step(index as u64),
            message,
        }
    };
    for (index, step) in schedule.steps.iter().enumerate() {
        run.advance(index, step.action).map_err(failed(index))?;
    }
    let end = failed(schedule.len());
    let missing = graph.outputs.iter().find_map(|it| run.reads(*it).err());
    missing.map_or(Ok(()), |why| Err(end(message!("at the end {}", why))))
}

/// Whether the bytes of a storage are there.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Nothing has been computed yet.
    Unwritten,
    Resident,
    /// They were given back at this step.
    Freed(usize),
    Evicted(usize),
    Encoded(usize),
    /// They are in other memory.
    SwappedOut,
}

/// What a storage holds.
struct Contents {
    state: State,
    /// Whether the caller brings it, and keeps it as it is.
    given: bool,
    /// Whether an encode step wrote it.
    packed: bool,
    /// Bytes that have been written, from start to end; no two touch.
    written: BTreeMap<u64, u64>,
    /// Tensors whose values are there, with the start and end of their bytes.
    values: BTreeMap<TensorId, (u64, u64)>,
    /// Tensors over which another was written.
    lost: BTreeMap<TensorId, TensorId>,
}

impl Contents {
    /// What the caller brings is there from the start.
    fn first(kind: StorageKind) -> Self {
        let given = matches!(kind, StorageKind::Input | StorageKind::Weight);
        let there = matches!(kind, StorageKind::State | StorageKind::OptimizerState);
        let mut contents = Self {
            state: State::Unwritten,
            given,
            packed: false,
            written: BTreeMap::new(),
            values: BTreeMap::new(),
            lost: BTreeMap::new(),
        };
        if given || there {
            contents.fill();
        }
        contents
    }

    /// All of it is there, under whatever name.
    fn fill(&mut self) {
        self.clear(State::Resident);
        self.written.insert(0, u64::MAX);
    }

    fn clear(&mut self, state: State) {
        self.state = state;
        self.packed = false;
        self.written.clear();
        self.values.clear();
        self.lost.clear();
    }

    /// `tensor` is written to these bytes, over the values of `lost`.
    fn write(&mut self, tensor: TensorId, (start, end): (u64, u64), lost: &[TensorId]) {
        if self.state != State::Resident {
            self.clear(State::Resident);
        }
        self.lost.remove(&tensor);
        if start >= end {
            return;
        }
        for &other in lost {
            if self.values.remove(&other).is_some() {
                self.lost.insert(other, tensor);
            }
        }
        self.values.insert(tensor, (start, end));
        let (mut from, mut to) = (start, end);
        while let Some((&low, &high)) = self.written.range(..=to).next_back()
            && high >= from
        {
            self.written.remove(&low);
            (from, to) = (from.min(low), to.max(high));
        }
        self.written.insert(from, to);
    }

    fn is_written(&self, (start, end): (u64, u64)) -> bool {
        let below = self.written.range(..=start).next_back();
        start >= end || below.is_some_and(|(_, until)| *until >= end)
    }
}

struct Run<'a> {
    graph: &'a Graph,
    storages: &'a Storages,
    /// What each storage holds.
    contents: Vec<Contents>,
    /// Which operators have run.
    computed: Vec<bool>,
}

impl Run<'_> {
    fn advance(&mut self, step: usize, action: Action) -> Result<(), Message> {
        match action {
            Action::Compute(op) | Action::Recompute(op) => {
                self.operator(op, matches!(action, Action::Recompute(_)))
            }
            Action::Free(storage) => self.give_back(storage, State::Freed(step)),
            Action::Evict(storage) => self.give_back(storage, State::Evicted(step)),
            Action::SwapOut(storage) => {
                self.resident(storage)?;
                self.contents_of(storage)?.state = State::SwappedOut;
                Ok(())
            }
            Action::SwapIn(storage) => match self.contents_of(storage)?.state {
                State::SwappedOut => {
                    self.contents_of(storage)?.state = State::Resident;
                    Ok(())
                }
                _ => Err(message!("{} was not swapped out", self.name(storage))),
            },
            Action::Encode { from, to } => {
                self.may_write(to)?;
                self.resident(from)?;
                self.contents_of(to)?.fill();
                self.contents_of(to)?.packed = true;
                self.give_back(from, State::Encoded(step))
            }
            Action::Decode { from, to } => {
                self.may_write(to)?;
                self.resident(from)?;
                if !self.contents_of(from)?.packed {
                    let name = self.name(from);
                    return Err(message!("{} holds nothing that was encoded", name));
                }
                self.contents_of(to)?.fill();
                Ok(())
            }
        }
    }

    fn operator(&mut self, id: OpId, again: bool) -> Result<(), Message> {
        let graph = self.graph;
        let Some(op) = graph.ops.get(id.index()) else {
            return Err(message!("there is no operator {}", id.0));
        };
        match (self.computed[id.index()], again) {
            (true, false) => return Err(message!("{} was computed before", op.name)),
            (false, true) => return Err(message!("{} was never computed before", op.name)),
            _ => self.computed[id.index()] = true,
        }
        for tensor in op.read() {
            self.reads(tensor)?;
        }
        for tensor in op.written() {
            let Some(view) = self.storages.view(tensor) else {
                continue;
            };
            let window = self.window(tensor);
            let inside = |read| self.storages.within(graph, tensor, read);
            if op.facts().view.is_some() && op.read().any(inside) {
                self.lies_as_it_should(op, tensor)?;
                self.contents_of(view.base)?.values.insert(tensor, window);
                continue;
            }
            self.may_write(view.base)?;
            let (kept, gaps) = match op.is(Operator::Concat) {
                true => self.joined(op, tensor, window),
                false => (Vec::new(), vec![window]),
            };
            // All pieces are there: the whole is another name for them.
            if gaps.is_empty() {
                self.contents_of(view.base)?.values.insert(tensor, window);
                continue;
            }
            let storages = self.storages;
            let lost = |other: &TensorId| {
                let other = *other;
                let (start, end) = self.window(other);
                let mut gaps = gaps.iter();
                let mut kept = kept.iter();
                gaps.any(|gap| gap.0 < end && start < gap.1)
                    && !kept.any(|piece| storages.within(graph, other, *piece))
                    && elements::overlap(graph, storages, (tensor, other))
            };
            let there = self.contents.get(view.base.index()).into_iter();
            let there = there.flat_map(|it| it.values.keys().copied());
            let there = there.filter(|it| *it != tensor);
            let lost: Vec<TensorId> = there.filter(lost).collect();
            self.contents_of(view.base)?.write(tensor, window, &lost);
        }
        Ok(())
    }

    /// The pieces of a concatenation that lie in it with strides, and the bytes of it that no
    /// other piece has already, at the place at which the concatenation would write it.
    fn joined(
        &self,
        op: &Op,
        whole: TensorId,
        (start, end): (u64, u64),
    ) -> (Vec<TensorId>, Vec<(u64, u64)>) {
        let (mut strided, mut gaps) = (Vec::new(), Vec::new());
        let mut at = start;
        for piece in op.inputs.iter().copied().flatten() {
            let bytes = self.graph.held(self.graph.tensor(piece));
            let bytes = bytes.unwrap_or_default().0;
            let next = at.saturating_add(bytes).min(end);
            let inside = self.storages.within(self.graph, piece, whole);
            let view = self.storages.view(piece);
            let in_a_row = view.is_some_and(|view| view.strides.is_empty());
            let there = inside && in_a_row && self.window(piece) == (at, next);
            if inside && !in_a_row {
                strided.push(piece);
            }
            if !there {
                gaps.push((at, next));
            }
            at = next;
        }
        if at < end {
            gaps.push((at, end));
        }
        (strided, gaps)
    }

    /// Refuses a view whose elements are not those that the operator takes from its input, as
    /// far as the graph itself says which these are.
    fn lies_as_it_should(&self, op: &Op, tensor: TensorId) -> Result<(), Message> {
        let number = op.outputs.iter().position(|id| *id == Some(tensor));
        let origins = number.and_then(|number| origins(self.graph, op, number));
        let (Some(origins), Some(x)) = (origins, op.inputs.first().copied().flatten()) else {
            return Ok(());
        };
        for (at, from) in origins {
            let place = elements::byte(self.graph, self.storages, tensor, &at);
            if place != elements::byte(self.graph, self.storages, x, &from) {
                let (y, x) = (&self.graph.tensor(tensor).name, &self.graph.tensor(x).name);
                return Err(message!(
                    "{} does not lie where {} takes it from {}",
                    y,
                    op.name,
                    x
                ));
            }
        }
        Ok(())
    }

    /// Refuses a tensor whose value is not there.
    fn reads(&self, tensor: TensorId) -> Result<(), Message> {
        let Some(view) = self.storages.view(tensor) else {
            return Ok(());
        };
        self.resident(view.base)?;
        let contents = &self.contents[view.base.index()];
        let name = &self.graph.tensor(tensor).name;
        if let Some(other) = contents.lost.get(&tensor) {
            let other = &self.graph.tensor(*other).name;
            return Err(message!(
                "{} is needed, but {} was written over it",
                name,
                other
            ));
        }
        let (start, end) = self.window(tensor);
        if !contents.is_written((start, end)) {
            return Err(message!(
                "{} is needed, but not all of its bytes {} to {} of {} have been \
                 computed",
                name,
                start,
                end,
                self.name(view.base)
            ));
        }
        Ok(())
    }

    /// The bytes of its storage that `tensor` touches; none where it has no size.
    fn window(&self, tensor: TensorId) -> (u64, u64) {
        let window = self.storages.window(self.graph, tensor);
        window.map_or((0, 0), |(start, end)| (start.0, end.0))
    }

    fn resident(&self, storage: StorageId) -> Result<(), Message> {
        let contents = self.contents.get(storage.index());
        let why = match contents.map(|contents| contents.state) {
            Some(State::Resident) => return Ok(()),
            Some(State::Unwritten) => message!("has not been computed yet"),
            Some(State::Freed(step)) => message!("was freed at step {}", step),
            Some(State::Evicted(step)) => message!("was evicted at step {}", step),
            Some(State::Encoded(step)) => message!("was encoded at step {}", step),
            Some(State::SwappedOut) => message!("is swapped out"),
            None => return Err(message!("there is no storage {}", storage.0)),
        };
        Err(message!("{} is needed, but {}", self.name(storage), why))
    }

    fn give_back(&mut self, storage: StorageId, state: State) -> Result<(), Message> {
        self.resident(storage)?;
        self.contents_of(storage)?.clear(state);
        Ok(())
    }

    /// Refuses what the caller brings and keeps as it is.
    fn may_write(&self, storage: StorageId) -> Result<(), Message> {
        match self
            .contents
            .get(storage.index())
            .is_some_and(|it| it.given)
        {
            true => Err(message!(
                "{} would be written, which the caller brings",
                self.name(storage)
            )),
            false => Ok(()),
        }
    }

    fn contents_of(&mut self, storage: StorageId) -> Result<&mut Contents, Message> {
        let contents = self.contents.get_mut(storage.index());
        contents.ok_or_else(|| message!("there is no storage {}", storage.0))
    }

    fn name(&self, storage: StorageId) -> &str {
        let tensor = self.storages.list[storage.index()].tensor;
        &self.graph.tensor(tensor).name
    }
}
