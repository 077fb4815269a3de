//! Training steps whose values are copied to the host and back, by own arithmetic: every layer is
//! kept, swapped or computed again, and all ways are looked at.

use lesson::{Instance, Measure, Value};
use planner::training::{Policy, choice};

use super::figures::float;

/// What runs: a layer, the loss or a gradient, in their order, with nothing waiting.
struct Node {
    name: String,
    bytes: u64,
    start: i64,
    end: i64,
}

/// What is done with the output of a layer once the forward pass has read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Kept,
    Swapped,
    Again,
}

/// A training step of layers in a row over a link.
pub(crate) struct Copies {
    layers: usize,
    nodes: Vec<Node>,
    /// Bytes that are copied in a unit of cost.
    rate: u64,
    is_vdnn: bool,
    /// What Capuchin's choices come to at best.
    best: Vec<Way>,
}

/// `a1: u8[60] = arenascope::Layer(x) flops=8 name=a1`: its name, its bytes and its cost.
fn layer(line: &str) -> Option<(String, u64, i64)> {
    let (name, rest) = line.split_once(": u8[")?;
    let (bytes, rest) = rest.split_once("] = arenascope::Layer(")?;
    let cost = rest.split_once("flops=")?.1.split(' ').next()?;
    Some((name.to_owned(), bytes.parse().ok()?, cost.parse().ok()?))
}

impl Copies {
    /// `None` of anything but layers in a row that are trained over a link.
    pub(crate) fn of(lines: &[String], pose: &Instance) -> Option<Self> {
        let training = pose.settings.training?;
        let rates = training.recipe.rates?;
        let layers: Vec<(String, u64, i64)> = lines.iter().filter_map(|it| layer(it)).collect();
        let mut nodes: Vec<Node> = Vec::new();
        let mut run = |name: String, bytes, cost| {
            let start = nodes.last().map_or(0, |it| it.end);
            let end = start + cost;
            nodes.push(Node {
                name,
                bytes,
                start,
                end,
            });
        };
        for (name, bytes, cost) in &layers {
            run(name.clone(), *bytes, *cost);
        }
        run("loss".to_owned(), 4, 0);
        // A gradient is computed of what its layer reads and writes.
        for (name, bytes, cost) in layers.iter().rev() {
            run(format!("{name}.grad"), *bytes, 2 * cost);
        }
        let policy = choice::policy(training);
        let mut found = Self {
            layers: layers.len(),
            nodes,
            // A unit of cost is two operations.
            rate: rates.link / (rates.flops / 2),
            is_vdnn: policy == Policy::VdnnAll,
            best: Vec::new(),
        };
        let budget = training.budget.map_or(u64::MAX, |it| it.0);
        found.best = found.best_under(budget)?;
        Some(found)
    }

    fn gradient(&self, layer: usize) -> usize {
        2 * self.layers - layer
    }

    fn index(&self, name: &str) -> Option<usize> {
        self.nodes.iter().position(|it| it.name == name)
    }

    /// What a copy takes in one direction.
    fn copy(&self, node: usize) -> i64 {
        let time = self.nodes[node].bytes.div_ceil(self.rate);
        i64::try_from(time).expect("copies of lessons are short")
    }

    fn cost(&self, node: usize) -> i64 {
        self.nodes[node].end - self.nodes[node].start
    }

    /// The last node of the forward pass that reads a layer's output.
    fn last_reader(&self, layer: usize) -> usize {
        layer + 1
    }

    /// When the backward pass needs a layer's output: when its gradient starts, or before the
    /// next layer is computed again for that one's gradient.
    fn needed(&self, layer: usize, ways: &[Way]) -> i64 {
        match ways.get(layer + 1) {
            Some(Way::Again) => self.nodes[self.gradient(layer + 1)].start - self.cost(layer + 1),
            _ => self.nodes[self.gradient(layer)].start,
        }
    }

    fn free_time(&self, layer: usize, ways: &[Way]) -> i64 {
        let out = self.nodes[self.last_reader(layer)].end + self.copy(layer);
        self.needed(layer, ways) - self.copy(layer) - out
    }

    /// The bytes that are there while a node runs: what is needed by it or later, unless it is away.
    fn live(&self, at: usize, ways: &[Way]) -> u64 {
        let is_there = |node: usize| {
            if node > at {
                return false;
            }
            if node == self.layers {
                return at <= self.layers + 1;
            }
            if node > self.layers {
                return at <= node + 1;
            }
            // The gradient of the layer before reads its output, too.
            let last = self.gradient(node.saturating_sub(1));
            let back = match ways.get(node + 1) {
                Some(Way::Again) => self.gradient(node + 1),
                _ => self.gradient(node),
            };
            let is_away = ways[node] != Way::Kept && self.last_reader(node) < at && at < back;
            at <= last && !is_away
        };
        let there = (0..self.nodes.len()).filter(|node| is_there(*node));
        there.map(|node| self.nodes[node].bytes).sum()
    }

    fn fits(&self, budget: u64, ways: &[Way]) -> bool {
        (0..self.nodes.len()).all(|at| self.live(at, ways) <= budget)
    }

    /// How much longer the step takes: what is waited for and what is computed again.
    fn added(&self, ways: &[Way]) -> i64 {
        let each = ways.iter().enumerate().map(|(layer, way)| match way {
            Way::Kept => 0,
            Way::Swapped => -self.free_time(layer, ways).min(0),
            Way::Again => self.cost(layer),
        });
        each.sum()
    }

    /// The way that adds least, of those the one with which least happens; it is to be the only
    /// one.
    fn best_under(&self, budget: u64) -> Option<Vec<Way>> {
        let all = 3_usize.pow(u32::try_from(self.layers).ok()?);
        let ways = (0..all).map(|mut number| {
            let each = (0..self.layers).map(|_| {
                let way = [Way::Kept, Way::Swapped, Way::Again][number % 3];
                number /= 3;
                way
            });
            each.collect::<Vec<Way>>()
        });
        let fitting = ways.filter(|ways| self.fits(budget, ways));
        let price = |ways: &Vec<Way>| {
            let moved = ways.iter().filter(|it| **it != Way::Kept).count();
            (self.added(ways), moved)
        };
        let mut fitting: Vec<Vec<Way>> = fitting.collect();
        fitting.sort_by_key(price);
        let is_alone = fitting
            .get(1)
            .is_none_or(|it| price(it) > price(&fitting[0]));
        fitting.into_iter().next().filter(|_| is_alone)
    }

    /// What vDNN waits before a node of the forward pass: the layer before has sent its input
    /// while it ran.
    fn vdnn_wait(&self, node: usize) -> Option<i64> {
        let layer = node.checked_sub(1).filter(|it| *it < self.layers)?;
        let sent = layer.checked_sub(1).map_or(0, |input| self.copy(input));
        Some((sent - self.cost(layer)).max(0))
    }

    /// How much later a node starts than if nothing waited.
    fn delay(&self, node: usize) -> Option<i64> {
        match self.is_vdnn {
            true if node <= self.layers => (1..=node).map(|it| self.vdnn_wait(it)).sum(),
            true => None,
            // What is computed again comes first.
            false => (self.added(&self.best) == 0).then_some(0),
        }
    }

    /// What a measure comes to; `None` where it is another one, or cannot be followed.
    pub(crate) fn value(&self, measure: &Measure) -> Option<Value> {
        let names = |node: usize| Some(Value::Names(vec![self.nodes[node].name.clone()]));
        match measure {
            Measure::Swapped(0) if !self.is_vdnn => {
                names(self.best.iter().position(|it| *it == Way::Swapped)?)
            }
            Measure::FetchedBy(name) if !self.is_vdnn => {
                let layer = self.index(name)?;
                let due = self.needed(layer, &self.best) - self.copy(layer);
                names(self.nodes.iter().rposition(|it| it.start <= due)?)
            }
            _ => {
                let number = self.number(measure)?;
                let size = float(number.unsigned_abs());
                Some(Value::Number(if number < 0 { -size } else { size }))
            }
        }
    }

    fn number(&self, measure: &Measure) -> Option<i64> {
        let again = self.best.iter().filter(|it| **it == Way::Again);
        let again = i64::try_from(again.count()).ok()?;
        Some(match measure {
            Measure::FreeTime(name) => {
                let layer = self.index(name).filter(|it| *it < self.layers)?;
                self.free_time(layer, &self.best)
            }
            Measure::CopyTime(name) => self.copy(self.index(name)?),
            Measure::Copies(name) => match self.best.get(self.index(name)?)? {
                Way::Swapped => 1,
                Way::Again => 0,
                // Capuchin takes no choice back.
                Way::Kept => return None,
            },
            Measure::Starts(name) => {
                let node = self.index(name)?;
                self.nodes[node].start + self.delay(node)?
            }
            Measure::Ends(name) => {
                let node = self.index(name)?;
                self.nodes[node].end + self.delay(node)?
            }
            Measure::Waited(name) if self.is_vdnn => self.vdnn_wait(self.index(name)?)?,
            Measure::Stall if !self.is_vdnn => {
                let ways = self.best.iter().enumerate();
                let swapped = ways.filter(|it| *it.1 == Way::Swapped);
                swapped
                    .map(|it| -self.free_time(it.0, &self.best).min(0))
                    .sum()
            }
            Measure::Takes if !self.is_vdnn => self.nodes.last()?.end + self.added(&self.best),
            Measure::Recomputations => again,
            _ => return None,
        })
    }
}
