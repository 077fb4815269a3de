//! What a runtime makes of the step of one micro-batch: all micro-batches of a stage in the order of
//! the pipeline, weights that are gathered before they are used and given back after, gradients that
//! are put together and reduced.
//!
//! ```text
//! layer 3   gather  forward  ·····  gather  backward ─ reduce
//! layer 4        gather  forward        gather (before it is needed)
//! ```
//!
//! A policy chooses what of a micro-batch is kept and computed again; the runtime's part follows from
//! the order in which nodes run, as hooks of FSDP do (Zhao et al., "PyTorch FSDP", VLDB 2023, section
//! 3.3): before the first node of a part runs its weights are gathered, with those of the next parts
//! that will run; after the last one they are given back.

use super::communication::{Collective, Communication, Group};
use super::divided::Divided;
use super::gathers::Gathers;
use super::pipeline::{Slot, shown, slots};
use super::reductions::Reductions;
use crate::schedule::Phase;
use crate::training::{Move, Node, Problem, Walk};
use crate::units::Bytes;

/// All that a rank runs.
#[derive(Clone, Debug)]
pub struct Expanded {
    /// The step.
    pub problem: Problem,
    /// The way it is run.
    pub walk: Walk,
    /// Where each node of each micro-batch is.
    pub places: Vec<Vec<Option<usize>>>,
    /// The nodes that hold gradients of weights that replicas divide, each after the node of a
    /// micro-batch that has computed them.
    pub holders: Vec<(usize, usize)>,
}

/// All that a rank runs; `None` where a step is not divided.
#[must_use]
pub fn expanded(problem: &Problem, walk: &[Move]) -> Option<Expanded> {
    run_of(problem, walk, true)
}

/// The same where only bytes are asked for: its nodes have no names, reads or costs, which take most of
/// the time to make.
pub(in crate::training) fn in_bytes(problem: &Problem, walk: &[Move]) -> Option<Expanded> {
    run_of(problem, walk, false)
}

fn run_of(problem: &Problem, walk: &[Move], whole: bool) -> Option<Expanded> {
    let divided = problem.divided.as_deref()?;
    let micro = shown(divided.sharding);
    let segments = segments(problem, divided, walk);
    let mut run = Run::new(problem, divided, (micro, whole));
    for slot in slots(divided.sharding, micro) {
        let at = match slot.backward {
            false => slot.chunk as usize,
            true => segments.len() - 1 - slot.chunk as usize,
        };
        run.slot(slot, segments[at]);
    }
    run.end();
    let whole = Problem {
        name: problem.name.clone(),
        nodes: run.nodes,
        fixed: problem.fixed,
        rule: problem.rule,
        link: problem.link,
        ..Problem::default()
    };
    Some(Expanded {
        problem: whole,
        walk: run.walk,
        places: run.places,
        holders: run.holders,
    })
}

/// A walk through a micro-batch in parts: each chunk forward, then each backward.
fn segments<'a>(problem: &Problem, divided: &Divided, walk: &'a [Move]) -> Vec<&'a [Move]> {
    let chunks = divided.sharding.chunks.max(1) as usize;
    let forward = problem.forward();
    let chunk = |node: usize| {
        let part = problem.nodes[node].part as usize;
        let chunk = divided.parts.get(part).map_or(0, |it| it.chunk);
        (chunk as usize).min(chunks - 1)
    };
    let segment = |node: usize| match node < forward {
        true => chunk(node),
        false => 2 * chunks - 1 - chunk(node),
    };
    let mut starts = vec![0; 2 * chunks + 1];
    let (mut now, mut end) = (0, walk.len());
    let mut ran = vec![false; problem.nodes.len()];
    for (at, step) in walk.iter().enumerate() {
        let Move::Compute(node) = *step else { continue };
        if std::mem::replace(&mut ran[node], true) {
            continue;
        }
        let own = segment(node);
        while now < own {
            now += 1;
            starts[now] = at;
        }
        end = walk.len();
    }
    starts[now + 1..].fill(end);
    starts
        .windows(2)
        .map(|pair| &walk[pair[0]..pair[1]])
        .collect()
}

/// A rank as it runs.
pub(super) struct Run<'a> {
    pub(super) problem: &'a Problem,
    pub(super) divided: &'a Divided,
    pub(super) nodes: Vec<Node>,
    pub(super) walk: Walk,
    /// Where each node of each micro-batch is.
    pub(super) places: Vec<Vec<Option<usize>>>,
    pub(super) holders: Vec<(usize, usize)>,
    pub(super) gathers: Gathers,
    pub(super) reductions: Reductions,
    pub(super) last: u32,
    /// Whether nodes are whole, or have their bytes alone.
    whole: bool,
}

impl<'a> Run<'a> {
    fn new(problem: &'a Problem, divided: &'a Divided, (micro, whole): (u32, bool)) -> Self {
        Self {
            problem,
            divided,
            nodes: Vec::new(),
            walk: Walk::new(),
            places: vec![vec![None; problem.nodes.len()]; micro as usize],
            holders: Vec::new(),
            gathers: Gathers::default(),
            reductions: Reductions::default(),
            last: micro.saturating_sub(1),
            whole,
        }
    }

    /// The part whose weights a move needs, of those that have some.
    fn part(&self, step: &Move) -> Option<usize> {
        let Move::Compute(node) = *step else {
            return None;
        };
        let group = self.divided.group(self.problem.nodes[node].part);
        (self.divided.gathered(group) > 0).then_some(group)
    }

    fn slot(&mut self, slot: Slot, moves: &[Move]) {
        let parts: Vec<Option<usize>> = moves.iter().map(|it| self.part(it)).collect();
        let mut runs: Vec<usize> = parts.iter().flatten().copied().collect();
        runs.dedup();
        // Which of them is the last run of its part.
        let last = |at: usize| !runs[at + 1..].contains(&runs[at]);
        let (mut now, mut at) = (None, 0);
        for (step, part) in moves.iter().zip(&parts) {
            if let Some(part) = part.filter(|it| now != Some(*it)) {
                if let Some(before) = now {
                    self.leave(slot, before, last(at));
                    at += 1;
                }
                self.enter(slot, &runs[at..]);
                now = Some(part);
            }
            self.step(slot, *step, *part);
        }
        if let Some(part) = now {
            self.leave(slot, part, true);
        }
        self.pass_ends(slot);
    }

    /// A part has run, for the last time in this slot or not. What is around the layers ends after
    /// all of them.
    fn leave(&mut self, slot: Slot, part: usize, last: bool) {
        let ends = last && slot.backward && part != 0;
        self.give_back(slot, part, ends);
        if ends {
            self.reduce_part(slot, part);
        }
    }

    fn pass_ends(&mut self, slot: Slot) {
        if slot.backward {
            self.give_back(slot, 0, true);
            self.reduce_part(slot, 0);
            self.reduce_rest(slot);
        }
        self.drop_flat();
    }

    /// A move of a micro-batch, by a node of a part that may have weights.
    fn step(&mut self, slot: Slot, step: Move, part: Option<usize>) {
        let micro = slot.micro as usize;
        let node = step.node();
        let place = match self.places[micro][node] {
            Some(place) => place,
            None => {
                let own = match self.whole {
                    true => self.placed((micro, node), part),
                    false => Node {
                        bytes: self.problem.nodes[node].bytes,
                        ..Node::default()
                    },
                };
                let place = self.add(own);
                self.places[micro][node] = Some(place);
                place
            }
        };
        self.walk.push(match step {
            Move::Compute(_) => Move::Compute(place),
            Move::Forget(_) => Move::Forget(place),
            Move::SwapOut(_) => Move::SwapOut(place),
            Move::SwapIn(_) => Move::SwapIn(place),
        });
        if matches!(step, Move::Compute(_)) && slot.backward {
            self.hold_gradients(slot, (node, place));
        }
    }

    /// A node of a micro-batch among all nodes.
    fn placed(&self, (micro, node): (usize, usize), part: Option<usize>) -> Node {
        let own = &self.problem.nodes[node];
        let before = &self.places[micro];
        let mut reads: Vec<usize> = own.reads.iter().filter_map(|it| before[*it]).collect();
        reads.extend(part.and_then(|it| self.gathers.node(it)));
        reads.sort_unstable();
        reads.dedup();
        let name = match self.places.len() {
            1 => own.name.clone(),
            _ => format!("micro{micro}.{}", own.name),
        };
        Node {
            name,
            reads,
            gradient_of: own.gradient_of.and_then(|it| before[it]),
            ..own.clone()
        }
    }

    pub(super) fn add(&mut self, node: Node) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// What replicas tell each other.
    pub(super) fn told(&self, collective: Collective, bytes: Bytes) -> Communication {
        Communication {
            collective,
            group: Group::Data,
            sent: collective.sent(bytes, self.divided.sharding.replicas()),
        }
    }

    pub(super) fn named(&self, slot: Slot, name: String) -> String {
        match self.places.len() {
            1 => name,
            _ => format!("micro{}.{name}", slot.micro),
        }
    }

    /// What is told after the backward pass and after the update.
    fn end(&mut self) {
        let own = self.divided.sharding;
        let summed = self.divided.summed();
        if summed > Bytes::ZERO {
            let told = Communication {
                collective: Collective::AllReduce,
                group: Group::Tensor,
                sent: Collective::AllReduce.sent(summed, own.tensor.into()),
            };
            self.tell("gradients.summed", summed, told);
        }
        let parts = 0..self.divided.parts.len();
        let sum = |of: &dyn Fn(usize) -> u64| parts.clone().map(of).fold(0, u64::saturating_add);
        let whole = sum(&|it| self.divided.gathered(it));
        if matches!(own.zero, 1 | 2) && own.replicas() > 1 {
            let told = self.told(Collective::AllGather, Bytes(whole));
            self.tell("weights.gathered", Bytes::ZERO, told);
        }
        if own.offload {
            let (weights, gradients) = self.divided.each;
            let share = sum(&|it| match own.zero {
                0 => self.divided.parts[it].trained.all(),
                _ => self.divided.parts[it].trained.share(own),
            });
            let to_host = |collective, each: u64| Communication {
                collective,
                group: Group::Host,
                sent: Bytes(share.saturating_mul(each)),
            };
            let sent = to_host(Collective::Send, gradients);
            self.tell("gradients.to_host", Bytes::ZERO, sent);
            let received = to_host(Collective::Receive, weights);
            self.tell("weights.from_host", Bytes::ZERO, received);
        }
    }

    fn tell(&mut self, name: &str, bytes: Bytes, told: Communication) {
        let node = self.add(Node {
            name: name.to_owned(),
            phase: Phase::Update,
            bytes,
            communicates: Some(told),
            ..Node::default()
        });
        self.walk.extend([Move::Compute(node), Move::Forget(node)]);
    }
}
