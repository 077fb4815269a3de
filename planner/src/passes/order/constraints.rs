//! Which steps must come before which, in any order that computes the same.
//!
//! Two steps keep their order when both touch the same bytes and one of them writes; when
//! both may do more than compute; when both are of one stream; and when the one writes over
//! what the other reads, should a plan say so.

use std::collections::BTreeMap;

use crate::graph::{Op, OpId, Role, TensorId};
use crate::passes::fold::deterministic;
use crate::program::Program;
use crate::storage::StorageId;
use crate::units::narrow;

/// The most edges, beside those that bytes with many readers make.
const EDGES: usize = 1 << 23;

/// For each step of the schedule those that must come before it, ascending, all of which do
/// so in the schedule; `None` where there are too many. `users` are the steps that use each
/// storage, and `control` what else must keep its order: an edge that the schedule itself
/// does not keep is left out.
pub(super) fn before(
    program: &Program,
    users: &[Vec<u32>],
    control: &[(OpId, OpId)],
) -> Option<Vec<Vec<u32>>> {
    let steps: Vec<&Op> = program.operators().collect();
    let mut edges = Vec::new();
    bytes(program, &steps, &mut edges)?;
    chains(program, &steps, &mut edges);
    let mut place = vec![None; program.graph.ops.len()];
    for (index, step) in program.schedule.steps.iter().enumerate() {
        if let Some(op) = step.action.op() {
            place[op.index()] = Some(narrow(index));
        }
    }
    let at = |op: OpId| place.get(op.index()).copied().flatten();
    let control = control
        .iter()
        .filter_map(|(one, other)| Some((at(*one)?, at(*other)?)));
    edges.extend(control);
    for alias in &program.in_place {
        let view = program.storages.view(alias.input);
        let (Some(step), Some(view)) = (at(alias.op), view) else {
            continue;
        };
        let others = &users[view.base.index()];
        edges.extend(others.iter().map(|&other| (other, step)));
        if edges.len() > EDGES {
            return None;
        }
    }
    let mut before = vec![Vec::new(); steps.len()];
    for (one, other) in edges.into_iter().filter(|(one, other)| one < other) {
        before[other as usize].push(one);
    }
    for own in &mut before {
        own.sort_unstable();
        own.dedup();
    }
    Some(before)
}

/// Operators that may do more than compute stay in their order, and so do those of a stream;
/// where there are streams, operators without one are of stream 0.
fn chains(program: &Program, steps: &[&Op], edges: &mut Vec<(u32, u32)>) {
    let graph = &program.graph;
    let keeps = |tensor: TensorId| graph.tensor(tensor).role == Role::State;
    let streams = steps.iter().any(|op| op.stream.is_some());
    let mut last: BTreeMap<Option<u32>, u32> = BTreeMap::new();
    for (index, op) in steps.iter().enumerate() {
        let index = narrow(index);
        let mut link = |chain| {
            let one = last.insert(chain, index);
            edges.extend(one.map(|one| (one, index)));
        };
        if !deterministic(op) || op.read().chain(op.written()).any(keeps) {
            link(None);
        }
        if streams {
            link(Some(op.stream.unwrap_or(0)));
        }
    }
}

/// Edges between steps that touch the same bytes, of which one writes. `None` where there are
/// too many.
fn bytes(program: &Program, steps: &[&Op], edges: &mut Vec<(u32, u32)>) -> Option<()> {
    let storages = &program.storages;
    let mut names = vec![0_u32; storages.list.len()];
    for view in &storages.views {
        names[view.base.index()] += 1;
    }
    // Bytes that have several names; the tensors themselves, which have one each.
    let shared = |tensor: TensorId| {
        let view = storages
            .view(tensor)
            .filter(|it| names[it.base.index()] > 1)?;
        let (start, end) = storages.window(&program.graph, tensor)?;
        (start < end).then_some((view.base, (start.0, end.0)))
    };
    let mut touched = Touched::default();
    for (index, op) in steps.iter().enumerate() {
        let index = narrow(index);
        for tensor in op.read() {
            touched.read((Name::Tensor(tensor), (0, 1)), index, edges);
            if let Some((base, window)) = shared(tensor) {
                touched.read((Name::Storage(base), window), index, edges);
            }
        }
        for tensor in op.written() {
            touched.write((Name::Tensor(tensor), (0, 1)), index, edges);
            let Some((base_of, window)) = shared(tensor) else {
                continue;
            };
            let inside = |read| storages.within(&program.graph, tensor, read);
            match op.facts().view.is_some() && op.read().any(inside) {
                true => touched.read((Name::Storage(base_of), window), index, edges),
                false => touched.write((Name::Storage(base_of), window), index, edges),
            }
        }
        if edges.len().max(touched.copied) > EDGES {
            return None;
        }
    }
    Some(())
}

/// What bytes belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Name {
    Tensor(TensorId),
    Storage(StorageId),
}

/// Bytes of a tensor or storage: start and end.
type ByteRange = (Name, (u64, u64));

/// The last to write each byte, and who has read it since.
#[derive(Default)]
struct Touched {
    pieces: BTreeMap<(Name, u64), Piece>,
    /// How many readers were copied when pieces were cut.
    copied: usize,
}

/// Bytes with the same history.
#[derive(Clone)]
struct Piece {
    end: u64,
    writer: Option<u32>,
    readers: Vec<u32>,
}

impl Touched {
    fn read(&mut self, (name, (start, end)): ByteRange, step: u32, edges: &mut Vec<(u32, u32)>) {
        self.cut((name, start));
        self.cut((name, end));
        let mut at = start;
        let mut gaps = Vec::new();
        for ((_, from), piece) in self.pieces.range_mut((name, start)..(name, end)) {
            if at < *from {
                gaps.push((at, *from));
            }
            at = piece.end;
            edges.extend(piece.writer.map(|writer| (writer, step)));
            if piece.readers.last() != Some(&step) {
                piece.readers.push(step);
            }
        }
        if at < end {
            gaps.push((at, end));
        }
        for (from, end) in gaps {
            let piece = Piece {
                end,
                writer: None,
                readers: vec![step],
            };
            self.pieces.insert((name, from), piece);
        }
    }

    fn write(&mut self, (name, (start, end)): ByteRange, step: u32, edges: &mut Vec<(u32, u32)>) {
        self.cut((name, start));
        self.cut((name, end));
        let over = self.pieces.range((name, start)..(name, end));
        let over: Vec<(Name, u64)> = over.map(|(key, _)| *key).collect();
        for key in over {
            if let Some(piece) = self.pieces.remove(&key) {
                let earlier = piece.writer.into_iter().chain(piece.readers);
                edges.extend(earlier.map(|earlier| (earlier, step)));
            }
        }
        let piece = Piece {
            end,
            writer: Some(step),
            readers: Vec::new(),
        };
        self.pieces.insert((name, start), piece);
    }

    /// Makes two pieces of one that goes on across `at`.
    fn cut(&mut self, (name, at): (Name, u64)) {
        let below = self.pieces.range_mut((name, 0)..(name, at)).next_back();
        let Some((_, piece)) = below.filter(|(_, piece)| piece.end > at) else {
            return;
        };
        let upper = piece.clone();
        piece.end = at;
        self.copied = self.copied.saturating_add(upper.readers.len());
        self.pieces.insert((name, at), upper);
    }
}
