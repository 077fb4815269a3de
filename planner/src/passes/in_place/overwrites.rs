//! Outputs that always lie where an input lay: both are views of one storage.
//!
//! Legal is what nobody can notice: the input is read for the last time, also under every other
//! name that its bytes have; no element of it shares a byte with another; and every reader of
//! the output can walk the strides that the input has.

use std::collections::BTreeMap;

use crate::Message;
use crate::graph::infer::views::source;
use crate::graph::{Graph, Op, OpId, Role, TensorId};
use crate::operators;
use crate::passes::admission::{admit, peak};
use crate::passes::operators::{Family, Layout, family, layout, lies};
use crate::passes::views::readers;
use crate::passes::{Finding, LeftAlone, Reason, Report, Work};
use crate::program::Program;
use crate::settings::{Io, Parallel, Settings};
use crate::storage::{Storages, View};
use crate::units::Bytes;

/// What a runtime allows.
pub(super) struct Allowed {
    /// The positions of the inputs over which an operator may write.
    positions: fn(&Op) -> usize,
    /// Whether an output of the graph may lie on an intermediate.
    outputs: bool,
    /// Whether a part of a larger storage may be written over.
    views: bool,
    /// Whether elements of another type as wide may be written there.
    other_types: bool,
    /// Whether it is done as ggml does it: over inputs of the graph as well where they lie in
    /// the arena, over nothing that is a view or is read twice by the operator, and always,
    /// whatever the peak.
    ggml: bool,
}

pub(super) const MXNET: Allowed = Allowed {
    positions: |op| match family(op) {
        Family::ElementWise(count) => count.min(2),
        Family::Rows => op.facts().runtime,
        Family::Moves if is_reshape(op) => 1,
        _ => 0,
    },
    outputs: true,
    views: false,
    other_types: true,
    ggml: false,
};

pub(super) const ONNX_RUNTIME: Allowed = Allowed {
    positions: |op| match family(op) {
        Family::ElementWise(1) => 1,
        Family::ElementWise(_) | Family::Rows => op.facts().runtime,
        Family::Moves if is_reshape(op) => 1,
        _ => 0,
    },
    outputs: false,
    views: false,
    other_types: false,
    ggml: false,
};

pub(super) const GGML: Allowed = Allowed {
    positions: |op| match op.fused {
        None => op.facts().ggml,
        Some(_) => 0,
    },
    outputs: true,
    views: false,
    other_types: false,
    ggml: true,
};

pub(super) const AGGRESSIVE: Allowed = Allowed {
    positions: |op| match family(op) {
        Family::ElementWise(count) => count,
        Family::Rows | Family::Updates => 1,
        Family::Moves if is_reshape(op) => 1,
        _ => 0,
    },
    outputs: true,
    views: true,
    other_types: true,
    ggml: false,
};

fn is_reshape(op: &Op) -> bool {
    op.facts().view == Some(operators::View::Same)
}

/// Puts outputs into the storages of the inputs that they may be written over.
pub(super) fn run(work: &mut Work<'_>, allowed: &Allowed) -> Report {
    let program = &work.program;
    let graph = &program.graph;
    // Values that are computed again, and addresses that the file gives, are no input's to take.
    let left_alone = LeftAlone::storages(program);
    if left_alone.is_some() {
        return Report {
            left_alone,
            ..Report::default()
        };
    }
    let is_candidate = |op: &OpId| (allowed.positions)(graph.op(*op)) > 0;
    let order: Vec<OpId> = program
        .schedule
        .steps
        .iter()
        .filter_map(|it| it.action.op())
        .collect();
    let candidates: Vec<OpId> = order.iter().copied().filter(is_candidate).collect();
    let pass = |chosen: &[bool]| {
        let mut writing = Writing::new(program, allowed, work.settings);
        for (op, chosen) in candidates.iter().zip(chosen) {
            if *chosen {
                writing.operator(*op);
            }
        }
        writing
    };
    let made = |writing: Writing<'_>| Program {
        storages: writing.storages,
        ..program.clone()
    };
    let now = peak(program, work.settings).unwrap_or_default();
    let mut tried = |chosen: &[bool]| peak(&made(pass(chosen)), work.settings).ok();
    let (chosen, refused) = match allowed.ggml {
        true => (vec![true; candidates.len()], Vec::new()),
        false => admit(candidates.len(), now, &mut tried),
    };
    let mut writing = pass(&chosen);
    for (index, reason) in refused {
        let op = candidates[index];
        let tensors = graph
            .op(op)
            .read()
            .take(1)
            .chain(graph.op(op).written().take(1));
        writing.found.push(Finding {
            what: Message::verbatim(&*graph.op(op).kind),
            ops: vec![op],
            tensors: tensors.collect(),
            refused: Some(reason),
        });
    }
    let mut found = std::mem::take(&mut writing.found);
    found.sort_by_key(|finding| finding.ops.clone());
    let program = made(writing);
    work.program = program;
    Report::of(found)
}

struct Writing<'a> {
    graph: &'a Graph,
    allowed: &'a Allowed,
    settings: &'a Settings,
    /// The storages before the pass.
    given: &'a Storages,
    storages: Storages,
    /// The tensors of each storage that somebody may still read.
    sharing: Vec<Vec<TensorId>>,
    /// The step of each operator that runs.
    step: BTreeMap<OpId, usize>,
    readers: Vec<Vec<(OpId, Option<usize>)>>,
    /// The operator that writes each tensor.
    writers: Vec<Option<OpId>>,
    found: Vec<Finding>,
}

impl<'a> Writing<'a> {
    fn new(program: &'a Program, allowed: &'a Allowed, settings: &'a Settings) -> Self {
        let ops = program.schedule.steps.iter().enumerate();
        let step = ops.filter_map(|(step, entry)| Some((entry.action.op()?, step)));
        Self {
            graph: &program.graph,
            allowed,
            settings,
            given: &program.storages,
            storages: program.storages.clone(),
            sharing: program.storages.tensors_of_each(),
            step: step.collect(),
            readers: readers(&program.graph),
            writers: program.graph.producers(),
            found: Vec::new(),
        }
    }

    /// Writes the first output of `id` over the first input that may be.
    fn operator(&mut self, id: OpId) {
        let op = self.graph.op(id);
        let Some(y) = op.outputs.first().copied().flatten() else {
            return;
        };
        // What lies in another tensor already stays there.
        let own = self.storages.views[y.index()].base;
        if self.storages.named(own) != Some(y) {
            return;
        }
        let count = (self.allowed.positions)(op);
        let mut first: Option<(TensorId, Reason)> = None;
        for x in op.inputs.iter().take(count).copied().flatten() {
            match self.may(id, x, y) {
                Ok(view) => {
                    self.place(id, y, &view);
                    self.find(id, (x, y), None);
                    return;
                }
                Err(Reason::IsConstant) => {}
                Err(reason) => first = first.or(Some((x, reason))),
            }
        }
        if let Some((x, reason)) = first {
            self.find(id, (x, y), Some(reason));
        }
    }

    /// Puts `y`, with all that views it, where `view` says.
    fn place(&mut self, id: OpId, y: TensorId, view: &View) {
        let own = self.storages.views[y.index()].base;
        let followers = std::mem::take(&mut self.sharing[own.index()]);
        for &follower in &followers {
            let known = &mut self.storages.views[follower.index()];
            if follower == y {
                known.strides.clone_from(&view.strides);
            }
            // Within the bytes of y, which are as many as those of x.
            known.offset = Bytes(known.offset.0.saturating_add(view.offset.0));
            known.base = view.base;
        }
        let mut sharing = std::mem::take(&mut self.sharing[view.base.index()]);
        sharing.retain(|other| self.matters(*other, id));
        sharing.extend(followers);
        self.sharing[view.base.index()] = sharing;
        self.storages.share(view.base, own);
    }

    /// Whether somebody may read `tensor` after the step of `id`.
    fn matters(&self, tensor: TensorId, id: OpId) -> bool {
        let now = self.step.get(&id);
        let mut readers = self.readers[tensor.index()].iter();
        let writer = self.writers[tensor.index()];
        writer.is_some_and(|op| self.step.get(&op) > now)
            || readers.any(|(op, _)| self.step.get(op) > now)
            || self.graph.outputs.contains(&tensor)
    }

    fn find(&mut self, op: OpId, (x, y): (TensorId, TensorId), refused: Option<Reason>) {
        self.found.push(Finding {
            what: Message::verbatim(&*self.graph.op(op).kind),
            ops: vec![op],
            tensors: vec![x, y],
            refused,
        });
    }

    /// The view that `y` becomes when `id` writes it over `x`.
    fn may(&self, id: OpId, x: TensorId, y: TensorId) -> Result<View, Reason> {
        let (before, after) = (self.graph.tensor(x), self.graph.tensor(y));
        match before.role {
            Role::Constant => return Err(Reason::IsConstant),
            Role::Input if self.keeps_inputs() => return Err(Reason::IsInput),
            Role::Output => return Err(Reason::IsOutput),
            Role::State => return Err(Reason::IsState),
            Role::Unsized => return Err(Reason::Unsized),
            Role::Input | Role::Intermediate => {}
        }
        match after.role {
            Role::Intermediate => {}
            Role::Output if self.allowed.outputs && self.settings.io != Io::Beside => {}
            _ => return Err(Reason::IsOutput),
        }
        let bytes = after.bytes().ok_or(Reason::Unsized)?;
        if before.bytes() != Some(bytes) || !self.same_places(id, x, y) {
            return Err(Reason::OtherSize);
        }
        if before.dtype != after.dtype
            && !(self.allowed.other_types && before.dtype.bits() == after.dtype.bits())
        {
            return Err(Reason::OtherType);
        }
        if bytes == Bytes::ZERO {
            return Err(Reason::Scalar);
        }
        let view = self.storages.views[x.index()].clone();
        self.storage(id, x, &view)?;
        if self.allowed.ggml {
            self.owned_and_read_once(id, x)?;
        }
        self.unnoticed(id, x)?;
        self.walked(id, y, &view)?;
        match view.base == self.storages.views[y.index()].base {
            true => Err(Reason::Held),
            false => Ok(view),
        }
    }

    /// Whether nothing may be written over an input of the graph.
    fn keeps_inputs(&self) -> bool {
        !self.allowed.ggml || self.settings.io != Io::Ggml
    }

    /// ggml's allocator has given `x` bytes of its own, and `id` counts as one child of it.
    fn owned_and_read_once(&self, id: OpId, x: TensorId) -> Result<(), Reason> {
        if self
            .given
            .view(x)
            .and_then(|view| self.given.named(view.base))
            != Some(x)
        {
            return Err(Reason::Held);
        }
        let readings = self.readers[x.index()].iter().filter(|it| it.0 == id);
        match readings.count() {
            0 | 1 => Ok(()),
            _ => Err(Reason::ReadBy { op: id }),
        }
    }

    /// Whether the elements of `x` and `y` at one place have the same coordinates: a reshape
    /// keeps their order, the others their dimensions.
    fn same_places(&self, id: OpId, x: TensorId, y: TensorId) -> bool {
        is_reshape(self.graph.op(id)) || self.graph.tensor(x).dims == self.graph.tensor(y).dims
    }

    /// Whether what holds `x` may be written.
    fn storage(&self, id: OpId, x: TensorId, view: &View) -> Result<(), Reason> {
        let named = self.storages.named(view.base).unwrap_or(x);
        match self.graph.tensor(named).role {
            Role::Input if self.keeps_inputs() => return Err(Reason::IsInput),
            Role::Constant => return Err(Reason::IsConstant),
            Role::State => return Err(Reason::IsState),
            Role::Input | Role::Output | Role::Intermediate | Role::Unsized => {}
        }
        let whole = self.storages.list[view.base.index()].bytes;
        if !self.allowed.views && whole != self.graph.held(self.graph.tensor(x)) {
            return Err(Reason::OtherSize);
        }
        let dims = self.graph.tensor(x).dims.as_deref().unwrap_or_default();
        let mut pairs = dims.iter().zip(&view.strides);
        if pairs.any(|(dim, stride)| *dim > 1 && *stride == 0) {
            return Err(Reason::Repeats);
        }
        if is_reshape(self.graph.op(id)) && !view.strides.is_empty() {
            return Err(Reason::NeedsContiguous { op: id });
        }
        Ok(())
    }

    /// Whether nobody reads the bytes of `x` after `id`, under any of their names, nor `id`
    /// itself at another place.
    fn unnoticed(&self, id: OpId, x: TensorId) -> Result<(), Reason> {
        let now = self.step.get(&id).copied().unwrap_or_default();
        let base = self.storages.views[x.index()].base;
        let window = self.storages.window(self.graph, x);
        for &other in &self.sharing[base.index()] {
            let theirs = self.storages.window(self.graph, other);
            let apart = window
                .zip(theirs)
                .is_some_and(|(one, two)| one.1 <= two.0 || two.1 <= one.0);
            if apart {
                continue;
            }
            // A tensor that is written later, like this one, does not mind.
            let written = self.writers[other.index()].and_then(|op| self.step.get(&op));
            if other != x && written.is_some_and(|&written| written > now) {
                continue;
            }
            if self.graph.outputs.contains(&other) {
                return Err(Reason::IsOutput);
            }
            for (reader, _) in &self.readers[other.index()] {
                let late = self.step.get(reader).is_some_and(|&step| step > now);
                // Who runs at the same time may read at any time; what is a view reads nothing.
                let beside = self.settings.parallel != Parallel::Serial && *reader != id;
                if late || beside && !self.is_view(*reader, other) || *reader == id && other != x {
                    return Err(Reason::ReadBy { op: *reader });
                }
            }
        }
        Ok(())
    }

    /// Whether all that `op` writes lies in `x`.
    fn is_view(&self, op: OpId, x: TensorId) -> bool {
        let mut written = self.graph.op(op).written();
        source(self.graph.op(op)).is_some()
            && written.all(|y| self.storages.within(self.graph, y, x))
    }

    /// Whether every reader of `y` can walk the strides that it would have, and the operator
    /// that writes it, too.
    fn walked(&self, id: OpId, y: TensorId, view: &View) -> Result<(), Reason> {
        if view.strides.is_empty() {
            return Ok(());
        }
        let dims = self.graph.tensor(y).dims.as_deref().unwrap_or_default();
        let storage = self.storages.views[y.index()].base;
        let mut followers = self.sharing[storage.index()].iter().filter(|it| **it != y);
        if let Some(view) = followers.next() {
            let op = self.writers[view.index()].unwrap_or(id);
            return Err(Reason::NeedsContiguous { op });
        }
        let op = self.graph.op(id);
        let walks = |(position, input): (usize, &Option<TensorId>)| {
            let known = |id: TensorId| self.graph.tensor(id).role == Role::Constant;
            input.is_none_or(known) || layout(self.graph, op, position) == Layout::Any
        };
        if !op.inputs.iter().enumerate().all(walks) {
            return Err(Reason::NeedsContiguous { op: id });
        }
        for &(reader, position) in &self.readers[y.index()] {
            let needed = position.map_or(Layout::Contiguous, |position| {
                layout(self.graph, self.graph.op(reader), position)
            });
            if !lies(needed, dims, &view.strides) {
                return Err(Reason::NeedsContiguous { op: reader });
            }
        }
        Ok(())
    }
}
