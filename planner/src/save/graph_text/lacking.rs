//! What the reader does not find out by itself, found by reading what is written.

use std::collections::{BTreeMap, BTreeSet};

use super::Writer;
use crate::graph::{Bindings, Dialect, TensorId, infer};
use crate::load::graph_text::parse;

/// How much is written of the type of what an operator writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Shown {
    Nothing,
    /// The element type.
    Type,
    /// And the shape as the file declares it.
    Shape,
    /// And the shape as it is inferred.
    Size,
}

impl Writer<'_> {
    /// Whether the reader makes the same of `text`. Where it does not, more is shown from now on:
    /// first what depends on nothing else that it lacks, unless `all` of it is to be.
    pub(super) fn is_whole(&mut self, text: &str, all: bool) -> bool {
        let needed = self.needed(text);
        let lacks = |id: TensorId| needed[id.index()] > self.shown[id.index()];
        let producer = |index: usize| self.producers[index].map(|op| self.graph.op(op));
        let follows = |index: usize| producer(index).is_some_and(|op| op.read().any(lacks));
        let own = (0..needed.len()).filter(|&index| lacks(TensorId::at(index)));
        let own: Vec<usize> = own.collect();
        let kind = |index: usize| producer(index).map(|op| (&op.domain, &op.kind));
        // What cannot be sized once cannot be sized elsewhere.
        let first = own.iter().filter(|&&index| !follows(index));
        let unsized_kinds = first.filter(|&&index| needed[index] >= Shown::Shape);
        let unsized_kinds: BTreeSet<_> = unsized_kinds.map(|&index| kind(index)).collect();
        let is_like =
            |index: usize| needed[index] >= Shown::Shape && unsized_kinds.contains(&kind(index));
        let lacking = own.into_iter();
        let lacking = lacking.filter(|&it| all || !follows(it) || is_like(it));
        let lacking: Vec<usize> = lacking.collect();
        for &index in &lacking {
            self.shown[index] = needed[index];
        }
        lacking.is_empty()
    }

    /// How much of each tensor has to be shown, as far as it is known from `text`.
    fn needed(&self, text: &str) -> Vec<Shown> {
        let mut needed = self.shown.clone();
        let Ok((read, _)) = parse(text, None) else {
            return needed;
        };
        let mut sized = read.clone();
        infer(&mut sized, &Bindings::new());
        let found = read.tensors.iter().zip(&sized.tensors);
        let found: BTreeMap<&str, _> = found.map(|it| (it.0.name.as_str(), it)).collect();
        let from_file = self.graph.dialect == Dialect::Tflite;
        let tensors = self.graph.tensors.iter().zip(&self.sized.tensors);
        for (needed, (own, own_sized)) in needed.iter_mut().zip(tensors) {
            let Some((read, read_sized)) = found.get(own.name.as_str()) else {
                continue;
            };
            let types =
                own_sized.dtype == read_sized.dtype && (!from_file || own.dtype == read.dtype);
            let sizes = own_sized.dims == read_sized.dims
                && (!from_file || own.dims.is_none() || own.dims == read.dims);
            *needed = match (types, sizes, *needed) {
                (true, true, shown) => shown,
                (false, true, Shown::Nothing) => Shown::Type,
                (_, false, Shown::Shape) | (_, _, Shown::Size) => Shown::Size,
                _ => Shown::Shape,
            };
        }
        needed
    }
}
