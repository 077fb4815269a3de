//! Which steps must wait for which: the edges between the operators that run.

use crate::graph::{Graph, Role};
use crate::schedule::Schedule;
use crate::sorting::Sorting as _;

/// For each step the earlier steps that it waits for directly.
#[derive(Clone, Debug, Default)]
pub(super) struct Dependencies {
    /// Where the list of each step starts in `before`; one more than there are steps.
    starts: Vec<usize>,
    /// The lists, one after the other.
    before: Vec<usize>,
}

impl Dependencies {
    /// The data dependencies of `schedule`: a step waits for the steps that write what it
    /// reads.
    ///
    /// Constants are known before the run and make no operator wait. An operator that stands
    /// before the writer of what it reads gets no edge, so that every edge leads to a later
    /// step; fewer edges only allow more operators to run at the same time.
    pub(super) fn of(graph: &Graph, schedule: &Schedule) -> Self {
        let mut writer: Vec<Option<usize>> = vec![None; graph.tensors.len()];
        let mut edges = Vec::new();
        for (step, entry) in schedule.steps.iter().enumerate() {
            let Some(op) = entry.action.op() else {
                continue;
            };
            let op = graph.op(op);
            for tensor in op.read() {
                let known = graph.tensor(tensor).role == Role::Constant;
                let before = writer[tensor.index()].filter(|_| !known);
                edges.extend(before.map(|before| (step, before)));
            }
            for tensor in op.written() {
                writer[tensor.index()] = Some(step);
            }
        }
        Self::from_edges(schedule.len(), edges)
    }

    /// From pairs (step, the step that it waits for).
    fn from_edges(steps: usize, mut edges: Vec<(usize, usize)>) -> Self {
        edges.retain(|&(step, before)| before < step);
        edges.order();
        edges.dedup();
        let start = |step| edges.partition_point(|&(known, _)| known < step);
        Self {
            starts: (0..=steps).map(start).collect(),
            before: edges.iter().map(|&(_, before)| before).collect(),
        }
    }

    /// These, and that each step of a list waits for the one before it in the list.
    pub(super) fn with_chains(&self, chains: &[Vec<usize>]) -> Self {
        let mut edges = self.edges();
        let links = chains.iter().flat_map(|chain| chain.windows(2));
        edges.extend(links.map(|link| (link[1], link[0])));
        Self::from_edges(self.steps(), edges)
    }

    /// The same edges seen from the end of the run: step i becomes step n - 1 - i, and waits
    /// for those that waited for it.
    pub(super) fn reversed(&self) -> Self {
        let last = self.steps().saturating_sub(1);
        let edges = self.edges().into_iter();
        let edges = edges.map(|(step, before)| (last - before, last - step));
        Self::from_edges(self.steps(), edges.collect())
    }

    fn edges(&self) -> Vec<(usize, usize)> {
        let of_step = |step| self.before(step).iter().map(move |&before| (step, before));
        (0..self.steps()).flat_map(of_step).collect()
    }

    /// Number of steps.
    pub(super) fn steps(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Number of edges.
    pub(super) fn len(&self) -> usize {
        self.before.len()
    }

    /// The steps that `step` waits for directly, ascending.
    pub(super) fn before(&self, step: usize) -> &[usize] {
        &self.before[self.starts[step]..self.starts[step + 1]]
    }
}
