//! MINCOSTFLOW against a slow reference that keeps every edge of the network in lists.

#![expect(
    clippy::unwrap_used,
    reason = "builders of a test fail where their own figures are malformed"
)]

use std::collections::VecDeque;

use planner::{Buffer, Bytes, Lifetimes, Options, PlanError, Silent, Span, Step, Strategy, plan};

struct Edge {
    to: usize,
    capacity: u8,
    cost: i64,
}

/// The network as the algorithm is published; edge e and its reverse are e and e ^ 1.
struct Network {
    edges: Vec<Edge>,
    from: Vec<Vec<usize>>,
}

impl Network {
    fn join(&mut self, from: usize, to: usize, cost: i64) {
        for (from, to, capacity, cost) in [(from, to, 1, cost), (to, from, 0, -cost)] {
            self.from[from].push(self.edges.len());
            self.edges.push(Edge { to, capacity, cost });
        }
    }

    /// For each vertex the last edge of its shortest path, relaxing level by level.
    fn shortest(&self, source: usize) -> Vec<Option<usize>> {
        let mut distance = vec![i64::MAX; self.from.len()];
        let mut last = vec![None; self.from.len()];
        distance[source] = 0;
        let mut level = VecDeque::from([source]);
        while !level.is_empty() {
            let mut next = VecDeque::new();
            for vertex in level {
                for &edge in &self.from[vertex] {
                    let Edge { to, capacity, cost } = self.edges[edge];
                    if capacity > 0 && distance[vertex] + cost < distance[to] {
                        distance[to] = distance[vertex] + cost;
                        last[to] = Some(edge);
                        if !next.contains(&to) {
                            next.push_back(to);
                        }
                    }
                }
            }
            level = next;
        }
        last
    }
}

/// Object of each record; records (size, first, last) stand in order of first use.
fn reference(records: &[(i64, u64, u64)]) -> Vec<u32> {
    let count = records.len();
    let (source, sink) = (2 * count, 2 * count + 1);
    let mut network = Network {
        edges: Vec::new(),
        from: vec![Vec::new(); sink + 1],
    };
    for (i, &(size, first, _)) in records.iter().enumerate() {
        network.join(source, i, 0);
        network.join(count + i, sink, 0);
        network.join(source, count + i, size);
        let mut released: Vec<usize> = (0..i).filter(|&j| records[j].2 < first).collect();
        released.sort_by_key(|&j| (records[j].2, j));
        for j in released {
            network.join(j, count + i, (size - records[j].0).max(0));
        }
    }
    loop {
        let last = network.shortest(source);
        let mut vertex = sink;
        while let Some(edge) = last[vertex] {
            network.edges[edge].capacity -= 1;
            network.edges[edge ^ 1].capacity += 1;
            vertex = network.edges[edge ^ 1].to;
        }
        if last[sink].is_none() {
            break;
        }
    }
    let full = |vertex: usize| {
        let edges = network.from[vertex].iter().filter(|&&e| e % 2 == 0);
        let full = edges.filter(|&&e| network.edges[e].capacity == 0);
        full.map(|&e| network.edges[e].to)
            .filter(|to| (count..source).contains(to))
    };
    let mut objects = vec![u32::MAX; count];
    for (object, first) in (0..).zip(full(source)) {
        let mut next = Some(first);
        while let Some(right) = next {
            objects[right - count] = object;
            next = full(right - count).next();
        }
    }
    objects
}

fn lifetimes(records: &[(i64, u64, u64)]) -> Lifetimes {
    let buffer = |&(size, first, last): &(i64, u64, u64)| {
        Buffer::new(
            "b",
            u64::try_from(size).unwrap(),
            Span::new(first, last + 1),
        )
    };
    Lifetimes {
        buffers: records.iter().map(buffer).collect(),
        horizon: Step(1000),
        ..Lifetimes::default()
    }
}

#[test]
fn the_same_flow_is_found_among_equally_cheap_ones() {
    let options = Options::aligned(Bytes(1));
    let mut state = 1_u64;
    let mut below = |limit: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) % limit
    };
    for round in 0..120 {
        // Few different sizes, so that many flows cost the same.
        let kinds = 1 + below(6);
        let mut records: Vec<(i64, u64, u64)> = (0..below(60))
            .map(|_| {
                let first = below(50);
                let size = 64 * (1 + i64::try_from(below(kinds)).unwrap());
                (size, first, first + below(8))
            })
            .collect();
        records.sort_by_key(|record| record.1);
        let made = plan(
            Strategy::MinCostFlow,
            &lifetimes(&records),
            &options,
            &mut Silent,
        );
        let objects = made.unwrap().objects.unwrap();
        assert_eq!(
            objects.of_buffer,
            reference(&records),
            "round {round}: {records:?}"
        );
    }
}

#[test]
fn too_many_buffers_are_refused() {
    let options = Options::aligned(Bytes(1));
    let limited = Strategy::ALL.map(|it| (it, it.description().limit));
    for (strategy, limit) in limited {
        let Some(limit) = limit else { continue };
        let records = lifetimes(&vec![(1, 0, 0); limit + 1]);
        let refused = plan(strategy, &records, &options, &mut Silent);
        assert!(
            matches!(refused, Err(PlanError::Unsupported { .. })),
            "{strategy}"
        );
    }
}
