//! A walk through a training step as requests: what is asked for and given back, in order, step
//! after step.
//!
//! In a step the inputs come first. Each node asks for its value; then gradients of weights are
//! there that it has computed. In a step that finds a gradient from before, the new one is added
//! to it and given back. The update asks for what the optimizer keeps. What a profile has asked
//! for on start is not asked for again, and what it gives back on exit stays.

use serde::{Deserialize, Serialize};

use super::profile::{Allocation, Profile, Purpose, Release};
use super::{Asked, Scheduled, Weight};
use crate::liveness::{Buffer, Lifetimes};
use crate::schedule::Phase;
use crate::settings::{Optimizer, Precision, Recipe, Rule};
use crate::training::{Move, Node};
use crate::units::{Bytes, Span, Step, narrow};

/// Bytes of a number of the master copy, and of each thing that an optimizer keeps.
const FLOAT: u64 = 4;

/// What a program asks for, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Requests {
    /// Each is met once.
    pub list: Vec<Request>,
    /// What happens to them.
    pub events: Vec<Event>,
}

impl Requests {
    /// The same as lifetimes, one step for each event: what any allocator, or a plan made in advance,
    /// can be asked to serve. What is not given back stays to the end.
    #[must_use]
    pub fn lifetimes(&self) -> Lifetimes {
        let end = Step(self.events.len() as u64);
        let mut spans = vec![Span { start: end, end }; self.list.len()];
        for (event, at) in self.events.iter().zip((0..).map(Step)) {
            let Some(span) = spans.get_mut(event.request as usize) else {
                continue;
            };
            match event.act {
                Act::Allocate => span.start = at,
                Act::Free => span.end = at,
            }
        }
        let all = self.list.iter().zip(spans);
        let all = all.map(|(it, span)| Buffer::new(it.name.clone(), it.bytes.0, span));
        Lifetimes {
            phases: self.phases(),
            ..Lifetimes::of(all)
        }
    }

    /// The same, where names begin with what memory is for.
    #[must_use]
    pub fn by_purpose(&self) -> Lifetimes {
        let mut found = self.lifetimes();
        for (buffer, request) in found.buffers.iter_mut().zip(&self.list) {
            buffer.name = format!("{}/{}", request.purpose.name(), request.name);
        }
        found
    }

    /// The events with which a forward or a backward pass begins; all else counts to what is before
    /// it.
    fn phases(&self) -> Vec<Step> {
        let passes = (0..).zip(&self.events).filter_map(|(at, event)| {
            let pass = event
                .phase
                .filter(|it| matches!(it, Phase::Forward | Phase::Backward));
            Some((Step(at), (event.step, pass?)))
        });
        let mut begins: Vec<(Step, (u32, Phase))> = passes.collect();
        begins.dedup_by_key(|it| it.1);
        begins.into_iter().map(|it| it.0).collect()
    }
}

/// Memory that is asked for once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// What will be in it.
    pub name: String,
    /// What it is for.
    pub purpose: Purpose,
    /// How much, more than nothing.
    pub bytes: Bytes,
}

/// Something that happens to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// What.
    pub act: Act,
    /// To which, by index.
    pub request: u32,
    /// In which step, counted from 1; 0 for before the first.
    pub step: u32,
    /// In which part of it; `None` before the first step.
    pub phase: Option<Phase>,
}

/// What happens to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Act {
    /// It is made.
    Allocate,
    /// Its memory is given back.
    Free,
}

/// Something that may be in memory.
#[derive(Clone, Debug)]
pub(super) struct Object {
    pub(super) name: String,
    pub(super) purpose: Purpose,
    pub(super) bytes: u64,
}

/// Everything that may be in memory in a step.
pub(super) struct Objects<'a> {
    pub(super) scheduled: &'a Scheduled,
    pub(super) list: Vec<Object>,
    /// Of each weight: itself, its copy, its gradient where that is no value of a node, and what
    /// the optimizer keeps of it.
    pub(super) weights: Vec<OfWeight>,
    pub(super) inputs: Vec<usize>,
    /// What the value of each node is made of.
    pub(super) values: Vec<Vec<usize>>,
    /// The weights whose gradients each node has computed.
    gradients: Vec<Vec<usize>>,
    workspace: Option<usize>,
}

#[derive(Default)]
pub(super) struct OfWeight {
    pub(super) weight: usize,
    pub(super) master: Option<usize>,
    pub(super) gradient: Option<usize>,
    pub(super) states: Vec<usize>,
}

impl<'a> Objects<'a> {
    pub(super) fn of(scheduled: &'a Scheduled, asked: &Asked) -> Self {
        let nodes = &scheduled.step.problem.nodes;
        let mut made = Self {
            scheduled,
            list: Vec::new(),
            weights: Vec::new(),
            inputs: Vec::new(),
            values: Vec::new(),
            gradients: vec![Vec::new(); nodes.len()],
            workspace: None,
        };
        let recipe = asked.training.recipe;
        for (name, bytes) in &scheduled.inputs {
            let input = made.object(name.clone(), Purpose::Inputs, bytes.0);
            made.inputs.push(input);
        }
        for (index, weight) in scheduled.weights.iter().enumerate() {
            for node in weight.gradient.iter().chain(&weight.again) {
                if let Some(of_node) = made.gradients.get_mut(*node) {
                    of_node.push(index);
                }
            }
            let own = made.weight(weight, recipe);
            made.weights.push(own);
        }
        let dying = dying(nodes.len(), &scheduled.walk);
        for (index, (node, dying)) in nodes.iter().zip(dying).enumerate() {
            let parts = made.value(index, node, recipe, dying);
            made.values.push(parts);
        }
        let workspace = asked.workspace.filter(|it| *it > Bytes::ZERO);
        let named = |it: Bytes| made.object("workspace".to_owned(), Purpose::Workspace, it.0);
        made.workspace = workspace.map(named);
        made
    }

    fn object(&mut self, name: String, purpose: Purpose, bytes: u64) -> usize {
        self.list.push(Object {
            name,
            purpose,
            bytes,
        });
        self.list.len() - 1
    }

    fn weight(&mut self, weight: &Weight, recipe: Recipe) -> OfWeight {
        let name = &weight.name;
        let share = weight.share();
        let sharding = recipe.sharding;
        let number = share.weights.saturating_mul(recipe.precision.bytes());
        let of_state = match sharding.offload {
            true => 0,
            false => share.states.saturating_mul(FLOAT),
        };
        let own = self.object(name.clone(), Purpose::Weights, number);
        let mut found = OfWeight {
            weight: own,
            ..OfWeight::default()
        };
        if weight.trained && recipe.precision == Precision::Mixed {
            let name = format!("{name}.master");
            found.master = Some(self.object(name, Purpose::Master, of_state));
        }
        if weight.gradient.is_none() {
            return found;
        }
        if !are_values(recipe) {
            let name = format!("{name}.grad");
            let each = match sharding.offload {
                true => 0,
                false => recipe.gradient_bytes(),
            };
            let bytes = share.gradients.saturating_mul(each);
            found.gradient = Some(self.object(name, Purpose::WeightGradients, bytes));
        }
        let states: &[&str] = match recipe.optimizer {
            Optimizer::None => &[],
            Optimizer::Momentum => &["momentum"],
            Optimizer::Adam => &["first moment", "second moment"],
        };
        let states = states.iter().map(|state| {
            let name = format!("{name}.{state}");
            self.object(name, Purpose::Optimizer, of_state)
        });
        found.states = states.collect();
        found
    }

    /// What the value of a node is made of: the gradients of weights that it holds, and the rest.
    fn value(&mut self, index: usize, node: &Node, recipe: Recipe, dying: bool) -> Vec<usize> {
        let mut parts = Vec::new();
        let mut rest = node.bytes.0;
        if are_values(recipe) {
            for weight in self.gradients[index].clone() {
                let Weight { name, elements, .. } = &self.scheduled.weights[weight];
                let bytes = elements.saturating_mul(recipe.precision.bytes()).min(rest);
                rest -= bytes;
                let name = format!("{name}.grad");
                parts.push(self.object(name, Purpose::WeightGradients, bytes));
            }
        }
        let purpose = match node.phase {
            _ if node.communicates.is_some() => Purpose::Communication,
            _ if dying => Purpose::Ephemeral,
            // What is unpacked is a value of the forward pass.
            _ if node.packs => Purpose::Outputs,
            Phase::Backward if !node.early => Purpose::Gradients,
            Phase::Update => Purpose::Ephemeral,
            _ => Purpose::Outputs,
        };
        if rest > 0 {
            parts.push(self.object(node.name.clone(), purpose, rest));
        }
        parts
    }
}

/// Whether gradients of weights are values of the step's nodes.
fn are_values(recipe: Recipe) -> bool {
    recipe.set_to_none && recipe.rule != Rule::Checkmate
}

/// Whether the value of each node is gone before another node runs, whenever it is computed.
fn dying(nodes: usize, walk: &[Move]) -> Vec<bool> {
    let mut dying = vec![true; nodes];
    let mut last = None;
    for step in walk {
        match *step {
            Move::Compute(node) => {
                if let Some(stays) = last.replace(node) {
                    dying[stays] = false;
                }
            }
            Move::Forget(node) | Move::SwapOut(node) => last = last.filter(|it| *it != node),
            Move::SwapIn(node) => dying[node] = false,
        }
    }
    if let Some(stays) = last {
        dying[stays] = false;
    }
    dying
}

/// The requests of as many steps as are asked for, as PyTorch makes them.
#[must_use]
pub fn requests(scheduled: &Scheduled, asked: &Asked) -> Requests {
    let profile = Profile::eager(asked.training.recipe);
    requests_as(scheduled, asked, profile)
}

/// The same for a framework with another profile.
#[must_use]
pub fn requests_as(scheduled: &Scheduled, asked: &Asked, profile: Profile) -> Requests {
    let objects = Objects::of(scheduled, asked);
    let mut run = Run {
        there: vec![None; objects.list.len()],
        objects: &objects,
        profile,
        made: Requests::default(),
        now: (0, None),
    };
    run.start();
    for step in 1..=asked.steps.clamp(1, super::MAX_STEPS) {
        run.step(step, asked.training.recipe);
    }
    run.made
}

/// A program as it runs.
struct Run<'a> {
    objects: &'a Objects<'a>,
    profile: Profile,
    made: Requests,
    /// Which request each object has now.
    there: Vec<Option<u32>>,
    /// The step and its part.
    now: (u32, Option<Phase>),
}

impl Run<'_> {
    /// What is asked for before the first step.
    fn start(&mut self) {
        for (object, it) in self.objects.list.iter().enumerate() {
            if self.profile.life(it.purpose).allocation == Allocation::OnStart {
                self.touch(object);
            }
        }
    }

    fn step(&mut self, step: u32, recipe: Recipe) {
        let objects = self.objects;
        let nodes = &objects.scheduled.step.problem.nodes;
        self.now = (step, Some(Phase::Forward));
        let mut updated = false;
        objects.weights.iter().for_each(|it| self.touch(it.weight));
        let masters = objects.weights.iter().filter_map(|it| it.master);
        masters.for_each(|it| self.touch(it));
        objects.inputs.iter().for_each(|it| self.touch(*it));
        for act in &objects.scheduled.walk {
            match *act {
                Move::Compute(node) => {
                    self.now.1 = Some(match nodes[node].phase {
                        // What is computed again belongs to the pass that asks for it.
                        Phase::Forward if self.now.1 != Some(Phase::Forward) => Phase::Backward,
                        phase => phase,
                    });
                    if nodes[node].phase == Phase::Update {
                        self.update(recipe);
                        updated = true;
                    }
                    self.compute(node, nodes[node].cost > 0);
                }
                // Copies of the host's lanes begin and end where the schedule says.
                Move::SwapIn(node) => objects.values[node].iter().for_each(|it| self.touch(*it)),
                Move::Forget(node) | Move::SwapOut(node) => {
                    objects.values[node].iter().for_each(|it| self.die(*it));
                }
            }
        }
        if !updated {
            self.now.1 = Some(Phase::Update);
            self.update(recipe);
        }
        for weight in &objects.weights {
            weight.gradient.iter().for_each(|it| self.die(*it));
        }
        objects.inputs.iter().for_each(|it| self.die(*it));
    }

    /// A node runs.
    fn compute(&mut self, node: usize, works: bool) {
        let objects = self.objects;
        objects.values[node].iter().for_each(|it| self.touch(*it));
        if let Some(workspace) = objects.workspace.filter(|_| works) {
            self.touch(workspace);
            self.die(workspace);
        }
        for &weight in &objects.gradients[node] {
            let Some(gradient) = objects.weights[weight].gradient else {
                continue;
            };
            match self.there[gradient] {
                None => self.touch(gradient),
                Some(_) => {
                    let Object { name, bytes, .. } = &objects.list[gradient];
                    let added = self.request(format!("{name} to add"), Purpose::Ephemeral, *bytes);
                    added.iter().for_each(|it| self.event(Act::Free, *it));
                }
            }
        }
    }

    /// The optimizer's step.
    fn update(&mut self, recipe: Recipe) {
        let weights = &self.objects.weights;
        let states = weights.iter().flat_map(|it| &it.states);
        states.for_each(|it| self.touch(*it));
        if !self.profile.intermediates || recipe.optimizer.bytes() == 0 {
            return;
        }
        let mut made = Vec::new();
        for &state in weights.iter().filter_map(|it| it.states.last()) {
            let Object { name, bytes, .. } = &self.objects.list[state];
            made.extend(self.request(format!("{name} rooted"), Purpose::Ephemeral, *bytes));
        }
        made.iter().for_each(|it| self.event(Act::Free, *it));
    }

    /// The object is in memory from here on.
    fn touch(&mut self, object: usize) {
        let Object {
            name,
            purpose,
            bytes,
        } = &self.objects.list[object];
        if self.there[object].is_none() {
            self.there[object] = self.request(name.clone(), *purpose, *bytes);
        }
    }

    /// Nothing reads the object any more.
    fn die(&mut self, object: usize) {
        let purpose = self.objects.list[object].purpose;
        if self.profile.life(purpose).release == Release::OnDeath
            && let Some(request) = self.there[object].take()
        {
            self.event(Act::Free, request);
        }
    }

    /// Asks for `bytes`; nothing is not asked for.
    fn request(&mut self, name: String, purpose: Purpose, bytes: u64) -> Option<u32> {
        if bytes == 0 {
            return None;
        }
        let request = narrow(self.made.list.len());
        self.made.list.push(Request {
            name,
            purpose,
            bytes: Bytes(bytes),
        });
        self.event(Act::Allocate, request);
        Some(request)
    }

    fn event(&mut self, act: Act, request: u32) {
        let (step, phase) = self.now;
        self.made.events.push(Event {
            act,
            request,
            step,
            phase,
        });
    }
}
