//! Plans by simple rules, written down once more from what the lessons say of them.

use std::cmp::Reverse;

use super::problem::{Buffer, Problem};
use super::tokens::tokens;

/// The strategies that are written down here.
pub(crate) const RULES: [&str; 12] = [
    "naive",
    "offsets_in_order",
    "offsets_by_size",
    "offsets_by_breadth",
    "tflm_greedy",
    "xnnpack",
    "equality",
    "greedy_in_order",
    "greedy_by_size",
    "greedy_by_breadth",
    "coloring_left_edge",
    "nnvm_tokens",
];

/// Where everything lies.
pub(crate) struct Plan {
    pub(crate) offsets: Vec<u64>,
    pub(crate) arena: u64,
    /// The shared object of each buffer, from 0, where there are objects.
    pub(crate) objects: Option<Vec<usize>>,
}

/// The plan of this name; `None` where no rule of it is known here.
pub(crate) fn plan(problem: &Problem, name: &str) -> Option<Plan> {
    let buffers = &problem.buffers;
    let needed = |it: &Buffer| it.size > 0 && it.first < it.end;
    // Only tokens are ever handed over.
    let knows_how = name == "nnvm_tokens" || !problem.hands_over();
    if !knows_how || !buffers.iter().all(needed) {
        return None;
    }
    let all: Vec<usize> = (0..buffers.len()).collect();
    let mut by_start = all.clone();
    by_start.sort_by_key(|&it| buffers[it].first);
    let mut by_size = all.clone();
    by_size.sort_by_key(|&it| Reverse(buffers[it].size));
    // Of equal ones the last: turned round before a sort that keeps their order.
    let mut last_by_size: Vec<usize> = all.iter().rev().copied().collect();
    last_by_size.sort_by_key(|&it| Reverse(buffers[it].size));
    Some(match name {
        "naive" => objects(buffers, all),
        "offsets_in_order" => stacked(buffers, &by_start, Fit::Closest),
        "offsets_by_size" => stacked(buffers, &by_size, Fit::Closest),
        "offsets_by_breadth" => stacked(buffers, &by_breadth(problem), Fit::Closest),
        "tflm_greedy" => stacked(buffers, &last_by_size, Fit::First),
        "xnnpack" => stacked(buffers, &by_size, Fit::ClosestAboveLowest),
        "equality" => objects(buffers, shared(buffers, &by_start, most_recent)),
        "greedy_in_order" => objects(buffers, shared(buffers, &by_start, closest)),
        "greedy_by_breadth" => objects(buffers, shared(buffers, &by_breadth(problem), holding)),
        "greedy_by_size" => objects(buffers, by_rank(problem)),
        "nnvm_tokens" => objects(buffers, tokens(problem)),
        "coloring_left_edge" => objects(buffers, left_edge(buffers, &by_start)),
        "deployed" => {
            let offsets: Option<Vec<u64>> = buffers.iter().map(|it| it.put).collect();
            at(buffers, offsets?)
        }
        "edited" => {
            let base = &problem.edits.first()?.0;
            let mut offsets = plan(problem, base)?.offsets;
            for (_, buffer, to) in problem.edits.iter().filter(|it| it.0 == *base) {
                offsets[problem.index(buffer)?] = *to;
            }
            at(buffers, offsets)
        }
        _ => return None,
    })
}

fn at(buffers: &[Buffer], offsets: Vec<u64>) -> Plan {
    let ends = buffers.iter().zip(&offsets).map(|(it, at)| it.size + at);
    Plan {
        arena: ends.max().unwrap_or(0),
        offsets,
        objects: None,
    }
}

/// Which of the free ranges that are large enough a buffer takes; above all blocks otherwise.
#[derive(Clone, Copy, PartialEq)]
enum Fit {
    /// The lowest.
    First,
    /// The smallest, of equal ones the lowest.
    Closest,
    /// The same, but never the one under the lowest block.
    ClosestAboveLowest,
}

fn stacked(buffers: &[Buffer], order: &[usize], fit: Fit) -> Plan {
    let mut placed: Vec<(usize, u64)> = Vec::new();
    for &index in order {
        let own = &buffers[index];
        let meeting = placed.iter().filter(|it| buffers[it.0].meets(own));
        let mut blocks: Vec<(u64, u64)> = meeting
            .map(|&(other, at)| (at, at + buffers[other].size))
            .collect();
        blocks.sort_unstable();
        let (mut floor, mut ranges) = (0, Vec::new());
        for (start, end) in blocks {
            let is_seen = fit != Fit::ClosestAboveLowest || floor > 0;
            if is_seen && start >= floor + own.size {
                ranges.push((start - floor, floor));
            }
            floor = floor.max(end);
        }
        let range = match fit {
            Fit::First => ranges.first(),
            Fit::Closest | Fit::ClosestAboveLowest => ranges.iter().min(),
        };
        placed.push((index, range.map_or(floor, |it| it.1)));
    }
    placed.sort_unstable();
    at(buffers, placed.into_iter().map(|it| it.1).collect())
}

/// Step by step, the one with the most live bytes first; at each the largest first.
fn by_breadth(problem: &Problem) -> Vec<usize> {
    let mut steps: Vec<u64> = (0..problem.steps).collect();
    steps.sort_by_key(|&step| Reverse(problem.live(step)));
    let mut order: Vec<usize> = Vec::new();
    for step in steps {
        let live = problem.buffers.iter().enumerate();
        let live = live.filter(|(at, it)| it.is_live(step) && !order.contains(at));
        let mut live: Vec<usize> = live.map(|it| it.0).collect();
        live.sort_by_key(|&it| Reverse(problem.buffers[it].size));
        order.extend(live);
    }
    order
}

/// Objects end to end, each as large as the largest buffer in it.
fn objects(buffers: &[Buffer], of_buffer: Vec<usize>) -> Plan {
    let count = of_buffer.iter().max().map_or(0, |it| it + 1);
    let size = |object: usize| {
        let inside = buffers.iter().zip(&of_buffer).filter(|it| *it.1 == object);
        inside.map(|it| it.0.size).max().unwrap_or(0)
    };
    let start = |object: usize| (0..object).map(size).sum::<u64>();
    Plan {
        offsets: of_buffer.iter().map(|&object| start(object)).collect(),
        arena: start(count),
        objects: Some(of_buffer),
    }
}

/// An object that a buffer may join, since it meets nothing that is in it.
struct Open {
    object: usize,
    size: u64,
    /// When the last of its buffers ends.
    end: u64,
}

/// One buffer after the other into the open object that the rule takes, or a new one.
fn shared(
    buffers: &[Buffer],
    order: &[usize],
    rule: fn(&[Open], u64) -> Option<usize>,
) -> Vec<usize> {
    let mut inside: Vec<Vec<usize>> = Vec::new();
    let mut of_buffer = vec![0; buffers.len()];
    for &index in order {
        let own = &buffers[index];
        let mut open = Vec::new();
        for (object, held) in inside.iter().enumerate() {
            let held: Vec<&Buffer> = held.iter().map(|&it| &buffers[it]).collect();
            if !held.iter().any(|it| it.meets(own)) {
                let size = held.iter().map(|it| it.size).max().unwrap_or(0);
                let end = held.iter().map(|it| it.end).max().unwrap_or(0);
                open.push(Open { object, size, end });
            }
        }
        let object = rule(&open, own.size).unwrap_or(inside.len());
        inside.resize(inside.len().max(object + 1), Vec::new());
        inside[object].push(index);
        of_buffer[index] = object;
    }
    of_buffer
}

/// Of the objects of just this size the one that was free last.
fn most_recent(open: &[Open], size: u64) -> Option<usize> {
    let same = open.iter().filter(|it| it.size == size);
    same.max_by_key(|it| (it.end, it.object))
        .map(|it| it.object)
}

/// The object of the closest size, the larger of two that are equally close; of larger ones of one
/// size the first, of smaller ones the last, as a sorted set finds them from where the buffer is.
fn closest(open: &[Open], size: u64) -> Option<usize> {
    let best = open.iter().min_by_key(|it| {
        let is_smaller = it.size < size;
        let last_first = is_smaller.then_some(Reverse(it.object));
        (it.size.abs_diff(size), is_smaller, last_first, it.object)
    });
    best.map(|it| it.object)
}

/// The smallest object that holds it, else the largest.
fn holding(open: &[Open], size: u64) -> Option<usize> {
    let large = open.iter().filter(|it| it.size >= size);
    let found = large.min_by_key(|it| (it.size, it.object));
    let largest = || open.iter().min_by_key(|it| (Reverse(it.size), it.object));
    found.or_else(largest).map(|it| it.object)
}

/// One object after the other, each with the first that begins and then always the next that
/// begins when that has ended.
fn left_edge(buffers: &[Buffer], by_start: &[usize]) -> Vec<usize> {
    let mut waiting = by_start.to_vec();
    let mut of_buffer = vec![0; buffers.len()];
    for object in 0.. {
        let mut free_from = 0;
        waiting.retain(|&index| {
            let joins = buffers[index].first >= free_from;
            if joins {
                free_from = buffers[index].end;
                of_buffer[index] = object;
            }
            !joins
        });
        if waiting.is_empty() {
            break;
        }
    }
    of_buffer
}

/// By rank among the maxima, in each rank always the buffer that is nearest in time to one of an
/// object that it may join: it joins that. Where none may, the largest gets a new object.
fn by_rank(problem: &Problem) -> Vec<usize> {
    let (buffers, maxima) = (&problem.buffers, problem.maxima());
    let rank = |index: usize| {
        let larger = maxima.iter().filter(|it| **it >= buffers[index].size);
        larger.count()
    };
    let mut inside: Vec<Vec<usize>> = Vec::new();
    let mut of_buffer = vec![0; buffers.len()];
    let mut waiting: Vec<usize> = (0..buffers.len()).collect();
    let apart = |one: usize, other: usize| {
        let (one, other) = (&buffers[one], &buffers[other]);
        let after = one.first.saturating_sub(other.end);
        (!one.meets(other)).then(|| after.max(other.first.saturating_sub(one.end)))
    };
    while !waiting.is_empty() {
        let distances = |index: usize| {
            let to_all = |held: &Vec<usize>| held.iter().map(|&it| apart(index, it)).collect();
            let suits = inside.iter().enumerate().filter_map(move |(object, held)| {
                let all: Option<Vec<u64>> = to_all(held);
                Some((all?.into_iter().min()?, object))
            });
            suits.min().unwrap_or((u64::MAX, usize::MAX))
        };
        let next = waiting.iter().enumerate().min_by_key(|&(_, &index)| {
            let nearest = distances(index).0;
            (rank(index), nearest, Reverse(buffers[index].size), index)
        });
        let place = next.map_or(0, |it| it.0);
        let index = waiting[place];
        let object = distances(index).1.min(inside.len());
        waiting.remove(place);
        inside.resize(inside.len().max(object + 1), Vec::new());
        inside[object].push(index);
        of_buffer[index] = object;
    }
    of_buffer
}
