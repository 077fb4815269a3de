//! What colours tell: each buffer's fill, and the legend that explains the fills.

use std::collections::BTreeMap;

use planner::graph::Graph;
use planner::liveness::{Buffer, Lifetimes};
use timeline::palette::{categorical, sequential};
use timeline::scene::Fill;
use worker::Prepared;

use crate::state::session::{Coloring, to_f64};

/// Legends name at most this many operator types; the rest share one line.
const NAMED: usize = 12;

/// Fills by buffer, and what they mean.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Colors {
    pub(crate) fills: Vec<Fill>,
    pub(crate) legend: Legend,
}

/// What fills mean.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Legend {
    /// Nothing to explain.
    #[default]
    None,
    /// Operator types by falling number of buffers; how many more there are.
    Operators(Vec<(String, Fill)>, usize),
    /// A ramp between two sizes in bytes.
    Sizes(u64, u64),
    /// A ramp between two numbers of steps.
    Ages(u64, u64),
}

/// The fills of what was prepared.
pub(crate) fn colors(prepared: &Prepared, coloring: Coloring) -> Colors {
    let lifetimes = &prepared.subject.lifetimes;
    match (coloring, &prepared.subject.graph) {
        (Coloring::Operator, Some(graph)) => by_operator(graph, lifetimes),
        // A problem has no operators; size says most about it.
        (Coloring::Operator, None) | (Coloring::Size, _) => {
            by_number(lifetimes, |buffer| buffer.size.0, Legend::Sizes)
        }
        (Coloring::Age, _) => by_number(lifetimes, |buffer| buffer.span.len(), Legend::Ages),
    }
}

fn by_operator(graph: &Graph, lifetimes: &Lifetimes) -> Colors {
    let producers = graph.producers();
    let kind = |buffer: &Buffer| {
        let producer = buffer.tensor.and_then(|tensor| producers[tensor.index()]);
        producer.map_or("", |op| graph.op(op).kind.as_str())
    };
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for buffer in &lifetimes.buffers {
        *counts.entry(kind(buffer)).or_default() += 1;
    }
    let mut kinds: Vec<(&str, usize)> = counts.into_iter().collect();
    kinds.sort_by_key(|&(kind, count)| (std::cmp::Reverse(count), kind));
    let place: BTreeMap<&str, usize> = kinds
        .iter()
        .enumerate()
        .map(|(index, (kind, _))| (*kind, index))
        .collect();
    let fills = lifetimes
        .buffers
        .iter()
        .map(|buffer| categorical(place[kind(buffer)]));
    let named = kinds.iter().take(NAMED).enumerate();
    let named = named.map(|(index, (kind, _))| ((*kind).to_owned(), categorical(index)));
    Colors {
        fills: fills.collect(),
        legend: Legend::Operators(named.collect(), kinds.len().saturating_sub(NAMED)),
    }
}

fn by_number(
    lifetimes: &Lifetimes,
    number: fn(&Buffer) -> u64,
    legend: fn(u64, u64) -> Legend,
) -> Colors {
    let numbers = || lifetimes.buffers.iter().map(number);
    let (Some(least), Some(most)) = (numbers().min(), numbers().max()) else {
        return Colors::default();
    };
    let fill = |number: u64| sequential(to_f64(number), to_f64(least), to_f64(most));
    Colors {
        fills: numbers().map(fill).collect(),
        legend: legend(least, most),
    }
}
