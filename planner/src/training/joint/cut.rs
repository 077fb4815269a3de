//! A minimum cut between a source and a sink, the one nearest to the sink.
//!
//! Maximum flow by level graphs and blocking flows: Y. Dinitz, "Algorithm for Solution of a Problem
//! of Maximum Flow in Networks with Power Estimation" (1970). Which flow is found does not matter:
//! the vertices from which the sink can be reached through what is left are the same for all.

/// What no cut goes through.
pub(super) const ENDLESS: u128 = u128::MAX;

/// A network of vertices with directed edges.
#[derive(Clone, Debug)]
pub(super) struct Network {
    /// The edges of each vertex; the edge back of an edge is its neighbour.
    edges: Vec<Vec<usize>>,
    ends: Vec<usize>,
    /// What is left of each edge.
    left: Vec<u128>,
}

impl Network {
    /// So many vertices, of which no two are joined.
    pub(super) fn new(vertices: usize) -> Self {
        Self {
            edges: vec![Vec::new(); vertices],
            ends: Vec::new(),
            left: Vec::new(),
        }
    }

    /// Joins two vertices; an edge of nothing is none.
    pub(super) fn join(&mut self, from: usize, to: usize, capacity: u128) {
        if capacity == 0 {
            return;
        }
        self.edges[from].push(self.ends.len());
        self.edges[to].push(self.ends.len() + 1);
        self.ends.extend([to, from]);
        self.left.extend([capacity, 0]);
    }

    /// Whether each vertex is on the side of the sink, in the minimum cut that is nearest to it;
    /// `None` where only endless edges could be cut.
    pub(super) fn sink_side(mut self, source: usize, sink: usize) -> Option<Vec<bool>> {
        // What a cut of all that is not endless takes is less than that.
        let finite = self.left.iter().filter(|left| **left != ENDLESS);
        let more = finite.fold(1_u128, |sum, left| sum.saturating_add(*left));
        for left in self.left.iter_mut().filter(|left| **left == ENDLESS) {
            *left = more;
        }
        let mut flow = 0_u128;
        while let Some(mut levels) = self.levels(source, sink) {
            let mut next = vec![0; self.edges.len()];
            while let Some(path) = self.path((source, sink), &mut levels, &mut next) {
                let sent = path.iter().map(|edge| self.left[*edge]).min().unwrap_or(0);
                for edge in path {
                    self.left[edge] -= sent;
                    self.left[edge ^ 1] += sent;
                }
                flow = flow.saturating_add(sent);
                if flow >= more {
                    return None;
                }
            }
        }
        Some(self.reaches(sink))
    }

    /// How far each vertex is from the source through what is left; `None` where the sink is not
    /// reached.
    fn levels(&self, source: usize, sink: usize) -> Option<Vec<usize>> {
        let mut levels = vec![usize::MAX; self.edges.len()];
        levels[source] = 0;
        let mut queue = vec![source];
        let mut at = 0;
        while let Some(&vertex) = queue.get(at) {
            at += 1;
            for &edge in &self.edges[vertex] {
                let end = self.ends[edge];
                if self.left[edge] > 0 && levels[end] == usize::MAX {
                    levels[end] = levels[vertex] + 1;
                    queue.push(end);
                }
            }
        }
        (levels[sink] != usize::MAX).then_some(levels)
    }

    /// The edges of a path through the levels; `next` is the edge of each vertex that was not in
    /// vain yet.
    fn path(
        &self,
        (source, sink): (usize, usize),
        levels: &mut [usize],
        next: &mut [usize],
    ) -> Option<Vec<usize>> {
        let mut path: Vec<usize> = Vec::new();
        let mut vertex = source;
        while vertex != sink {
            let edges = &self.edges[vertex];
            let leads = |edge: &usize| {
                let onward = levels[self.ends[*edge]] == levels[vertex].wrapping_add(1);
                self.left[*edge] > 0 && onward
            };
            match edges[next[vertex]..].iter().position(leads) {
                Some(skipped) => {
                    next[vertex] += skipped;
                    let edge = edges[next[vertex]];
                    path.push(edge);
                    vertex = self.ends[edge];
                }
                None => {
                    levels[vertex] = usize::MAX;
                    vertex = self.ends[path.pop()? ^ 1];
                }
            }
        }
        Some(path)
    }

    /// The vertices from which `sink` can be reached through what is left.
    fn reaches(&self, sink: usize) -> Vec<bool> {
        let mut reaches = vec![false; self.edges.len()];
        reaches[sink] = true;
        let mut stack = vec![sink];
        while let Some(vertex) = stack.pop() {
            for &edge in &self.edges[vertex] {
                let from = self.ends[edge];
                if self.left[edge ^ 1] > 0 && !std::mem::replace(&mut reaches[from], true) {
                    stack.push(from);
                }
            }
        }
        reaches
    }
}
