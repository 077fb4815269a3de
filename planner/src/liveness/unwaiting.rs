//! The bytes below which no plan can go that makes no operator wait: a bound for parallel runs,
//! by reachability between pairs of buffers.
//!
//! Buffer a is *over before* b when every operator that uses a is an ancestor of every
//! operator that uses b. Only then may the two share bytes without making an operator wait. This
//! is a partial order, so the heaviest set of buffers of which no two may share, an
//! *antichain*, weighs as much as all buffers together less the largest flow from each buffer
//! to those it is over before (R. P. Dilworth 1950, "A decomposition theorem for partially
//! ordered sets", with weights as capacities). The largest flow is found by
//! shortest augmenting paths in layers (E. A. Dinic 1970).
//!
//! Spans, which strategies plan with, are one order for all buffers and can be wider than
//! this: of two branches that do not know of each other they let only one share.

use super::dependencies::Dependencies;
use super::{Lifetimes, Residencies};
use crate::program::Program;
use crate::settings::Io;
use crate::storage::{StorageId, StorageKind};
use crate::units::Bytes;

/// The most steps, and the most buffers, for which the bound is found: a few seconds at most.
const MOST: usize = 2048;

/// The heaviest set of buffers of which no two may share; `None` beyond [`MOST`], where a
/// schedule does more than compute, and where buffers may be handed over: those may share
/// although neither is over before the other.
pub(super) fn antichain(
    (program, io): (&Program, Io),
    lifetimes: &Lifetimes,
    dependencies: &Dependencies,
) -> Option<Bytes> {
    let (steps, count) = (dependencies.steps(), lifetimes.buffers.len());
    let plain = program.schedule.only_computes() && lifetimes.handovers.is_empty();
    if steps > MOST || count > MOST || !plain {
        return None;
    }
    let users = users(program, io, lifetimes);
    let ancestors = ancestors(dependencies);
    let common: Vec<Vec<u64>> = users.iter().map(|own| common(own, &ancestors)).collect();
    let has = |set: &[u64], step: usize| set[step / 64] >> (step % 64) & 1 == 1;
    let before = |a: usize, b: usize| {
        !users[a].is_empty() && users[a].iter().all(|&step| has(&common[b], step))
    };
    let follow = |a: usize| (0..count).filter(move |&b| before(a, b)).collect();
    let mut flow = Flow {
        rest: lifetimes.buffers.iter().map(|it| it.size.0).collect(),
        room: lifetimes.buffers.iter().map(|it| it.size.0).collect(),
        after: (0..count).map(follow).collect(),
        sent: vec![Vec::new(); count],
    };
    let total = flow.rest.iter().sum::<u64>();
    Some(Bytes(total - flow.largest()))
}

/// The steps that use each buffer: every step for one that is live for the whole run.
fn users(program: &Program, io: Io, lifetimes: &Lifetimes) -> Vec<Vec<usize>> {
    let residencies = Residencies::of(lifetimes);
    let mut users = vec![Vec::new(); lifetimes.buffers.len()];
    for (step, entry) in program.schedule.steps.iter().enumerate() {
        let op = entry.action.op().map(|op| program.graph.op(op));
        let used = op.into_iter().flat_map(|op| op.written().chain(op.read()));
        let storages = used.filter_map(|tensor| Some(program.storages.view(tensor)?.base));
        for storage in storages.collect::<std::collections::BTreeSet<StorageId>>() {
            for &buffer in residencies.buffers(storage) {
                users[buffer].push(step);
            }
        }
    }
    let pinned = |kind| match io {
        Io::WholeRun => matches!(kind, StorageKind::Input | StorageKind::Output),
        Io::Litert => kind == StorageKind::Input,
        Io::Beside | Io::Tflm | Io::Ggml => false,
    };
    for (users, buffer) in users.iter_mut().zip(&lifetimes.buffers) {
        let storage = buffer.storage.map(|it| &program.storages.list[it.index()]);
        if storage.is_some_and(|it| pinned(it.kind)) {
            *users = (0..program.schedule.len()).collect();
        }
    }
    users
}

/// The ancestors of each step, one bit each.
fn ancestors(dependencies: &Dependencies) -> Vec<Vec<u64>> {
    let words = dependencies.steps().div_ceil(64);
    let mut ancestors: Vec<Vec<u64>> = Vec::with_capacity(dependencies.steps());
    for step in 0..dependencies.steps() {
        let mut own = vec![0; words];
        for &before in dependencies.before(step) {
            own[before / 64] |= 1 << (before % 64);
            for (word, other) in own.iter_mut().zip(&ancestors[before]) {
                *word |= other;
            }
        }
        ancestors.push(own);
    }
    ancestors
}

/// The ancestors that all of `steps` have.
fn common(steps: &[usize], ancestors: &[Vec<u64>]) -> Vec<u64> {
    let mut common = vec![u64::MAX; ancestors.first().map_or(0, Vec::len)];
    for &step in steps {
        for (word, other) in common.iter_mut().zip(&ancestors[step]) {
            *word &= other;
        }
    }
    common
}

/// A flow from buffers, on the left, to buffers that may follow them, on the right.
struct Flow {
    /// Bytes of each buffer on the left that have not been sent.
    rest: Vec<u64>,
    /// Bytes that each buffer on the right can still take.
    room: Vec<u64>,
    /// Where each buffer on the left may send to.
    after: Vec<Vec<usize>>,
    /// What each buffer on the right has got: from which, and how many bytes.
    sent: Vec<Vec<(usize, u64)>>,
}

impl Flow {
    /// Sends as much as can be sent, and returns how much that is.
    fn largest(&mut self) -> u64 {
        let mut sum = 0;
        while let Some(layers) = self.layers() {
            let (mut tried, before) = (vec![0; self.after.len()], sum);
            for left in 0..self.rest.len() {
                while self.rest[left] > 0 {
                    let sent = self.augment(left, self.rest[left], &layers, &mut tried);
                    if sent == 0 {
                        break;
                    }
                    self.rest[left] -= sent;
                    sum += sent;
                }
            }
            if sum == before {
                break;
            }
        }
        sum
    }

    /// How far each buffer on the left is from one with bytes to send, in sends that are taken
    /// back; `None` when nothing more can be sent.
    fn layers(&self) -> Option<Vec<usize>> {
        let mut layers = vec![usize::MAX; self.rest.len()];
        let mut open: Vec<usize> = (0..layers.len()).filter(|&it| self.rest[it] > 0).collect();
        open.iter().for_each(|&left| layers[left] = 0);
        let (mut seen, mut found) = (vec![false; self.room.len()], false);
        while !found && !open.is_empty() {
            let mut next = Vec::new();
            for left in open {
                for &right in &self.after[left] {
                    found |= self.room[right] > 0;
                    if !std::mem::replace(&mut seen[right], true) {
                        let givers = self.sent[right].iter().filter(|(_, bytes)| *bytes > 0);
                        let givers = givers.map(|(giver, _)| *giver);
                        next.extend(givers.filter(|&giver| layers[giver] == usize::MAX));
                        let layer = layers[left] + 1;
                        next.iter()
                            .for_each(|&it| layers[it] = layers[it].min(layer));
                    }
                }
            }
            open = next;
        }
        found.then_some(layers)
    }

    /// Sends up to `most` bytes from `left` along one path that goes a layer further with every
    /// send that it takes back; 0 when there is none left.
    fn augment(&mut self, left: usize, most: u64, layers: &[usize], tried: &mut [usize]) -> u64 {
        while let Some(&right) = self.after[left].get(tried[left]) {
            let direct = self.room[right].min(most);
            if direct > 0 {
                self.room[right] -= direct;
                self.give(left, right, direct);
                return direct;
            }
            let givers = 0..self.sent[right].len();
            for at in givers {
                let (giver, bytes) = self.sent[right][at];
                if bytes > 0 && layers[giver] == layers[left] + 1 {
                    let moved = self.augment(giver, bytes.min(most), layers, tried);
                    if moved > 0 {
                        self.sent[right][at].1 -= moved;
                        self.give(left, right, moved);
                        return moved;
                    }
                }
            }
            tried[left] += 1;
        }
        0
    }

    fn give(&mut self, left: usize, right: usize, bytes: u64) {
        let known = self.sent[right]
            .iter_mut()
            .find(|(giver, _)| *giver == left);
        match known {
            Some((_, sent)) => *sent += bytes,
            None => self.sent[right].push((left, bytes)),
        }
    }
}
