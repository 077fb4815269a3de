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

use std::collections::{BTreeMap, BTreeSet};

use super::communication::{Collective, Communication, Group};
use super::divided::Divided;
use super::pipeline::{Slot, shown, slots};
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
    /// The nodes that hold the gradients of a part, with the part, in the order in which they run.
    pub holders: Vec<(usize, usize)>,
}

/// All that a rank runs; `None` where a step is not divided.
#[must_use]
pub fn expanded(problem: &Problem, walk: &[Move]) -> Option<Expanded> {
    let divided = problem.divided.as_deref()?;
    let micro = shown(divided.sharding);
    let segments = segments(problem, divided, walk);
    let mut run = Run::new(problem, divided, micro);
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
struct Run<'a> {
    problem: &'a Problem,
    divided: &'a Divided,
    nodes: Vec<Node>,
    walk: Walk,
    /// Where each node of each micro-batch is.
    places: Vec<Vec<Option<usize>>>,
    holders: Vec<(usize, usize)>,
    gathers: BTreeMap<usize, Gathered>,
    /// The parts whose gradients are being computed, with the node that holds them, if one does.
    gradients: BTreeMap<usize, Option<usize>>,
    /// The parts whose gradients wait to be reduced, with the node that holds them, if one does.
    waiting: Vec<(usize, Option<usize>)>,
    last: u32,
}

/// The weights of a part that are gathered.
#[derive(Default)]
struct Gathered {
    node: usize,
    there: bool,
    /// The micro-batches that have them from the forward pass.
    held_by: BTreeSet<u32>,
}

impl<'a> Run<'a> {
    fn new(problem: &'a Problem, divided: &'a Divided, micro: u32) -> Self {
        Self {
            problem,
            divided,
            nodes: Vec::new(),
            walk: Walk::new(),
            places: vec![vec![None; problem.nodes.len()]; micro as usize],
            holders: Vec::new(),
            gathers: BTreeMap::new(),
            gradients: BTreeMap::new(),
            waiting: Vec::new(),
            last: micro.saturating_sub(1),
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
            let backward = slot.backward && self.is_backward(step);
            let gradient = part.filter(|_| backward);
            let gradient = gradient.and_then(|it| self.gradient(slot, it));
            self.step(slot, *step, (*part, gradient));
        }
        if let Some(part) = now {
            self.leave(slot, part, true);
        }
        if slot.backward {
            self.reduce(slot, 0);
        }
    }

    fn is_backward(&self, step: &Move) -> bool {
        let own = &self.problem.nodes[step.node()];
        own.phase == Phase::Backward && !own.early
    }

    /// A move of a micro-batch, by a node that reads these.
    fn step(&mut self, slot: Slot, step: Move, (part, gradient): (Option<usize>, Option<usize>)) {
        let micro = slot.micro as usize;
        let node = step.node();
        let place = match self.places[micro][node] {
            Some(place) => place,
            None => {
                let own = &self.problem.nodes[node];
                let before = &self.places[micro];
                let mut reads: Vec<usize> = own.reads.iter().filter_map(|it| before[*it]).collect();
                reads.extend(part.and_then(|it| self.gathers.get(&it)).map(|it| it.node));
                reads.extend(gradient);
                reads.sort_unstable();
                reads.dedup();
                let name = match self.places.len() {
                    1 => own.name.clone(),
                    _ => format!("micro{micro}.{}", own.name),
                };
                let gradient_of = own.gradient_of.and_then(|it| before[it]);
                let place = self.add(Node {
                    name,
                    reads,
                    gradient_of,
                    ..own.clone()
                });
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
    }

    fn add(&mut self, node: Node) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// Gathers what runs next.
    fn enter(&mut self, slot: Slot, runs: &[usize]) {
        if self.divided.sharding.zero < 3 {
            return;
        }
        let ahead = usize::from(self.divided.sharding.prefetch);
        for &part in runs.iter().take(1 + ahead) {
            self.gather(slot, part);
        }
        let own = runs[0];
        let stays = !slot.backward && self.divided.stays(own);
        if let Some(it) = self.gathers.get_mut(&own).filter(|_| stays) {
            it.held_by.insert(slot.micro);
        }
    }

    fn gather(&mut self, slot: Slot, part: usize) {
        let bytes = Bytes(self.divided.gathered(part));
        let known = self.gathers.get(&part).map(|it| it.node);
        let node = known.unwrap_or_else(|| {
            let name = format!("{}.weights", self.divided.parts[part].name);
            let phase = match slot.backward {
                true => Phase::Backward,
                false => Phase::Forward,
            };
            self.add(Node {
                name,
                phase,
                bytes,
                early: true,
                communicates: Some(self.told(Collective::AllGather, bytes)),
                ..Node::default()
            })
        });
        let own = self.gathers.entry(part).or_default();
        own.node = node;
        if !std::mem::replace(&mut own.there, true) {
            self.walk.push(Move::Compute(node));
        }
    }

    /// What replicas tell each other.
    fn told(&self, collective: Collective, bytes: Bytes) -> Communication {
        Communication {
            collective,
            group: Group::Data,
            sent: collective.sent(bytes, self.divided.sharding.data),
        }
    }

    /// What holds the gradients of a part until they are reduced, where each replica keeps a share
    /// alone.
    fn gradient(&mut self, slot: Slot, part: usize) -> Option<usize> {
        if let Some(held) = self.gradients.get(&part) {
            return *held;
        }
        let bytes = Bytes(self.divided.gradients(part));
        let held = self.divided.sharding.zero > 1 && bytes > Bytes::ZERO;
        let held = held.then(|| self.holder(slot, part, bytes));
        self.gradients.insert(part, held);
        held
    }

    fn holder(&mut self, slot: Slot, part: usize, bytes: Bytes) -> usize {
        let name = format!("{}.gradients", self.divided.parts[part].name);
        let node = self.add(Node {
            name: self.named(slot, name),
            phase: Phase::Backward,
            bytes,
            communicates: Some(Communication {
                sent: Bytes::ZERO,
                ..self.told(Collective::ReduceScatter, bytes)
            }),
            ..Node::default()
        });
        self.walk.push(Move::Compute(node));
        self.holders.push((part, node));
        node
    }

    fn named(&self, slot: Slot, name: String) -> String {
        match self.places.len() {
            1 => name,
            _ => format!("micro{}.{name}", slot.micro),
        }
    }

    /// A part has run, for the last time in this slot or not.
    fn leave(&mut self, slot: Slot, part: usize, last: bool) {
        let ends = last && slot.backward;
        if let Some(own) = self.gathers.get_mut(&part) {
            if ends {
                own.held_by.remove(&slot.micro);
            }
            if own.held_by.is_empty() && std::mem::take(&mut own.there) {
                self.walk.push(Move::Forget(own.node));
            }
        }
        let done = ends.then(|| self.gradients.remove(&part)).flatten();
        if let Some(held) = done {
            self.waiting.push((part, held));
            let most = u64::from(self.divided.sharding.bucket) << 20;
            self.reduce(slot, most);
        }
    }

    /// Reduces the gradients that wait, once there are so many bytes of them.
    fn reduce(&mut self, slot: Slot, least: u64) {
        let bytes = self.waiting.iter().map(|it| self.divided.gradients(it.0));
        let bytes = bytes.fold(0, u64::saturating_add);
        let own = self.divided.sharding;
        if self.waiting.is_empty() || bytes < least {
            return;
        }
        let waiting = std::mem::take(&mut self.waiting);
        let held: Vec<usize> = waiting.iter().filter_map(|it| it.1).collect();
        // Whole gradients are added up over the micro-batches first.
        let now = own.zero > 1 || slot.micro == self.last;
        if own.data > 1 && now {
            let collective = match own.zero {
                0 => Collective::AllReduce,
                _ => Collective::ReduceScatter,
            };
            let name = format!(
                "{}.gradients.reduced",
                self.divided.parts[waiting[0].0].name
            );
            let copied = own.zero < 2 && own.bucket > 0;
            let node = self.add(Node {
                name: self.named(slot, name),
                phase: Phase::Backward,
                reads: held.clone(),
                bytes: Bytes(if copied { bytes } else { 0 }),
                communicates: Some(self.told(collective, Bytes(bytes))),
                ..Node::default()
            });
            self.walk.extend([Move::Compute(node), Move::Forget(node)]);
        }
        self.walk.extend(held.into_iter().map(Move::Forget));
    }

    /// What is told after the update.
    fn end(&mut self) {
        let own = self.divided.sharding;
        let parts = 0..self.divided.parts.len();
        let sum = |of: &dyn Fn(usize) -> u64| parts.clone().map(of).fold(0, u64::saturating_add);
        let whole = sum(&|it| self.divided.gathered(it));
        if matches!(own.zero, 1 | 2) && own.data > 1 {
            let told = self.told(Collective::AllGather, Bytes(whole));
            self.tell("weights.gathered", told);
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
            self.tell("gradients.to_host", to_host(Collective::Send, gradients));
            self.tell("weights.from_host", to_host(Collective::Receive, weights));
        }
    }

    fn tell(&mut self, name: &str, told: Communication) {
        let node = self.add(Node {
            name: name.to_owned(),
            phase: Phase::Update,
            communicates: Some(told),
            ..Node::default()
        });
        self.walk.extend([Move::Compute(node), Move::Forget(node)]);
    }
}
