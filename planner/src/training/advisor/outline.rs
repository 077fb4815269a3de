//! What is known of a division before its steps are made: a device of its layout, with one sample.
//!
//! Values and operations grow with the samples of a micro-batch, weights do not, and how replicas
//! divide them changes no node. So the time of a schedule that keeps everything is known of all
//! divisions of a layout at once, and of its bytes a lower bound.

use std::collections::BTreeMap;

use super::clock::{Clock, Sent, Time};
use super::divisions::{Division, Layout};
use crate::graph::Graph;
use crate::schedule::Phase;
use crate::training::cost::needs;
use crate::training::policies::keep_all;
use crate::training::sharding::{Divided, Group};
use crate::training::stage::{self, NoStep};
use crate::training::{Move, Problem, Recipe, Sharding, Walk};

/// What a device does for one sample.
#[derive(Clone, Debug, Default)]
struct Work {
    /// What its nodes cost.
    cost: u64,
    /// Bytes that are sent to each group, replicas aside.
    sent: Vec<(Group, u64)>,
    divided: Divided,
}

/// A stage of a layout, of one sample.
#[derive(Clone, Debug)]
struct Outline {
    work: Work,
    /// Where everything is kept, the most bytes at once, and what waits for the backward pass.
    peak: u64,
    waiting: u64,
    /// The least that it takes.
    least: u64,
    /// Of what waits, bytes and what it costs to compute it again, the cheapest first.
    again: Vec<(u64, u64)>,
}

/// What is known of a division in some room.
#[derive(Clone, Copy, Debug)]
pub(super) struct Within {
    /// What it takes at best.
    pub(super) time: u64,
    /// Whether everything may be kept.
    pub(super) keeps: bool,
    /// What it takes whatever is kept.
    pub(super) least: u64,
}

/// The outlines of a model's layouts.
pub(super) struct Outlines<'a> {
    graph: &'a Graph,
    recipe: Recipe,
    clock: Clock,
    /// Of the first and the last stage.
    known: BTreeMap<Layout, Vec<Outline>>,
    /// The model on one device, where that is a step, and what so many devices have of it, and so many
    /// of experts.
    whole: Option<Work>,
    shares: BTreeMap<(u64, u64), Work>,
}

impl Work {
    /// How long it takes with a division.
    fn time(&self, clock: Clock, of: Division) -> Option<Time> {
        let own = of.sharding;
        let samples = of.batch.saturating_mul(own.micro.into());
        let mut sent = Sent::default();
        for (group, bytes) in &self.sent {
            sent.add(clock, (*group, bytes.saturating_mul(samples)), own)?;
        }
        sent.replicas(clock, &self.divided, own)?;
        let cost = self.cost.saturating_mul(samples);
        Some(clock.whole((cost, 0), sent, own))
    }
}

impl Outline {
    fn of(graph: &Graph, recipe: Recipe) -> Result<Self, NoStep> {
        let problem = stage::step(graph, 1, recipe)?.problem;
        let walk = keep_all(&problem);
        let waiting = waiting(&problem, &walk);
        let mut sent: BTreeMap<Group, u64> = BTreeMap::new();
        for told in problem.nodes.iter().filter_map(|it| it.communicates) {
            let own = sent.entry(told.group).or_default();
            *own = own.saturating_add(told.sent.0);
        }
        let bytes = |node: &usize| (problem.nodes[*node].bytes.0, problem.nodes[*node].cost);
        let mut again: Vec<(u64, u64)> = waiting.iter().map(bytes).collect();
        again.retain(|it| it.0 > 0);
        again.sort_by(|one, other| {
            let product = |bytes: u64, cost: u64| u128::from(bytes) * u128::from(cost);
            product(other.0, one.1).cmp(&product(one.0, other.1))
        });
        Ok(Self {
            work: Work {
                cost: problem.base_cost(),
                sent: sent.into_iter().collect(),
                divided: problem.divided.as_deref().cloned().unwrap_or_default(),
            },
            peak: needs(&problem, &walk).peak.0,
            waiting: again.iter().map(|it| it.0).sum(),
            least: problem.minimum().0.0,
            again,
        })
    }

    /// What a division of its layout takes at least, whatever is kept, and where everything is.
    fn bytes(&self, of: Division, recipe: Recipe) -> Option<(u64, u64)> {
        let own = of.sharding;
        let divided = Divided {
            sharding: own,
            ..self.work.divided.clone()
        };
        let fixed = divided.fixed(recipe).and_then(|it| it.sum())?;
        let there = own.micro.min(own.pipeline.saturating_sub(own.stage)).max(1);
        let waiting = self.waiting.saturating_mul(u64::from(there - 1));
        let values = |each: u64| of.batch.saturating_mul(each).saturating_add(fixed);
        Some((
            values(self.least),
            values(self.peak.saturating_add(waiting)),
        ))
    }

    /// What computing again costs at least where so many bytes are too many: those that cost least for
    /// their bytes, in each micro-batch that waits, in every round of them.
    fn again(&self, of: Division, over: u64) -> u64 {
        let own = of.sharding;
        let there = own.micro.min(own.pipeline.saturating_sub(own.stage)).max(1);
        let each = u128::from(of.batch) * u128::from(there);
        let mut left = u128::from(over);
        let mut cost = 0_u128;
        for &(bytes, own) in &self.again {
            let bytes = u128::from(bytes) * each;
            let own = u128::from(own) * each;
            if bytes >= left {
                cost += own * left / bytes.max(1);
                break;
            }
            left -= bytes;
            cost += own;
        }
        let rounds = u128::from(own.micro / there.max(1)).max(1);
        u64::try_from(cost * rounds).unwrap_or(u64::MAX)
    }
}

/// The values that wait when the loss runs: those of the forward pass that are there.
fn waiting(problem: &Problem, walk: &Walk) -> Vec<usize> {
    let mut there = vec![false; problem.nodes.len()];
    for step in walk {
        match *step {
            Move::Compute(node) if problem.nodes[node].phase != Phase::Forward => break,
            _ => there[step.node()] = step.brings(),
        }
    }
    let there = there.iter().enumerate().filter(|(_, is)| **is);
    there.map(|(node, _)| node).collect()
}

impl<'a> Outlines<'a> {
    /// Those of a sized model.
    pub(super) fn new(graph: &'a Graph, recipe: Recipe, clock: Clock) -> Self {
        // One that says what its weights are.
        let sharding = Sharding {
            micro: 2,
            ..Layout::ONE.sharding(recipe.sharding)
        };
        let whole = Outline::of(graph, Recipe { sharding, ..recipe });
        Self {
            graph,
            recipe,
            clock,
            known: BTreeMap::new(),
            whole: whole.ok().map(|it| it.work),
            shares: BTreeMap::new(),
        }
    }

    /// The first and the last stage of a layout; none where it cannot be divided so.
    fn stages(&mut self, layout: Layout) -> &[Outline] {
        if !self.known.contains_key(&layout) {
            let last = layout.pipeline - 1;
            let stages = if last == 0 { vec![0] } else { vec![0, last] };
            let made = stages.into_iter().map(|stage| {
                // A step of one device says nothing of its weights.
                let micro = if layout == Layout::ONE { 2 } else { 1 };
                let sharding = Sharding {
                    stage,
                    micro,
                    ..layout.sharding(self.recipe.sharding)
                };
                Outline::of(
                    self.graph,
                    Recipe {
                        sharding,
                        ..self.recipe
                    },
                )
            });
            let made: Result<Vec<Outline>, NoStep> = made.collect();
            self.known.insert(layout, made.unwrap_or_default());
        }
        self.known.get(&layout).map_or(&[], Vec::as_slice)
    }

    /// A division of each stage that is looked at.
    pub(super) fn each(of: Division) -> impl Iterator<Item = Division> {
        let last = of.sharding.pipeline.max(1) - 1;
        let stages = [0, last].into_iter().take(if last == 0 { 1 } else { 2 });
        stages.map(move |stage| Division {
            sharding: Sharding {
                stage,
                ..of.sharding
            },
            ..of
        })
    }

    /// What a division takes at best, before its layout is looked at: its share of the whole, what its
    /// replicas tell each other, and what products or sequences tell that are divided among as few as
    /// can be, in proportion.
    pub(super) fn at_best(&mut self, of: Division, fewest: u32) -> Option<u64> {
        // Without the whole nothing is known.
        if self.whole.is_none() {
            return Some(0);
        }
        let own = of.sharding;
        let one = Layout::ONE;
        let layers = u64::from(own.tensor) * u64::from(own.pipeline);
        let parts = (layers * u64::from(own.context)).max(1);
        let mut sent = Vec::new();
        for (group, among, layout) in [
            (
                Group::Tensor,
                own.tensor,
                Layout {
                    tensor: fewest,
                    ..one
                },
            ),
            (
                Group::Context,
                own.context,
                Layout {
                    context: fewest,
                    ..one
                },
            ),
        ] {
            if among > 1 && own.devices() > u64::from(among) {
                let told = self.stages(layout).iter().flat_map(|it| &it.work.sent);
                let told = told.filter(|it| it.0 == group).map(|it| u128::from(it.1));
                let (few, many) = (u128::from(fewest), u128::from(among));
                // By the ring a device of n sends (n - 1) / n of what all have.
                let told = told.sum::<u128>() * few * (many - 1) / (many * (few - 1));
                let told = told * many / u128::from(parts);
                sent.push((group, u64::try_from(told).unwrap_or(u64::MAX)));
            }
        }
        let whole = self.whole.as_ref()?;
        let experts = u64::from(own.expert);
        let share = self
            .shares
            .entry((layers, experts))
            .or_insert_with(|| Work {
                divided: share(&whole.divided, layers, experts),
                ..Work::default()
            });
        share.cost = whole.cost / parts;
        share.sent = sent;
        share.time(self.clock, of).map(Time::sum)
    }

    /// What a division takes where everything is kept; `None` where it cannot be divided so.
    pub(super) fn time(&mut self, of: Division) -> Option<u64> {
        let clock = self.clock;
        let stages = self.stages(Layout::of(of.sharding));
        let times = Self::each(of)
            .zip(stages)
            .map(|(own, it)| it.work.time(clock, own));
        let times: Option<Vec<Time>> = times.collect();
        times?.into_iter().map(Time::sum).max()
    }

    /// What is known of a division in so much room; `None` where it cannot be divided so.
    pub(super) fn within(&mut self, of: Division, room: u64) -> Option<Within> {
        let recipe = self.recipe;
        let most = self.time(of)?;
        let stages = self.stages(Layout::of(of.sharding));
        let (mut again, mut bytes, mut over) = (0, 0, 0);
        for (own, stage) in Self::each(of).zip(stages) {
            let (least, all) = stage.bytes(own, recipe)?;
            bytes = bytes.max(least);
            over = over.max(all.saturating_sub(room));
            again = again.max(stage.again(own, all.saturating_sub(room)));
        }
        Some(Within {
            time: most.saturating_add(again),
            keeps: over == 0,
            least: bytes,
        })
    }
}

/// What a device has of weights that so many share, and experts so many more.
fn share(whole: &Divided, among: u64, experts: u64) -> Divided {
    let mut own = whole.clone();
    for part in &mut own.parts {
        for count in [&mut part.weights, &mut part.trained] {
            count.common /= among.max(1);
            count.experts /= (among * experts).max(1);
        }
    }
    own
}
