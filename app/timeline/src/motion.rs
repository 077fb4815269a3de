//! From the plan of one stage of a model to that of another: each rectangle keeps its identity,
//! and moves, grows, shrinks, or merges into the one that holds its tensor from now on.
//!
//! Rectangles are the same where their tensors have the same name. A tensor that has none of its
//! own at one of the stages is where that stage holds it: inside the buffer that it is a view of,
//! or in what the operator writes that it vanished into.

use std::collections::BTreeMap;

use planner::Lifetimes;
use planner::graph::Graph;

use crate::scene::{Fill, Lines, Rect, Scene};

/// More rectangles than this are not moved: each picture on the way is a scene of its own.
const MOST: usize = 20_000;

/// One of both stages.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    /// What is planned.
    pub lifetimes: &'a Lifetimes,
    /// The graph, if there is a model.
    pub graph: Option<&'a Graph>,
    /// Its plan as rectangles.
    pub scene: &'a Scene,
}

/// The way from one scene to another.
#[derive(Clone, Debug)]
pub struct Motion {
    from: Vec<Rect>,
    to: Vec<Rect>,
    fills: Vec<Fill>,
    lines: [(f64, f64); 2],
    curve: Vec<(f64, f64)>,
}

impl Motion {
    /// The way between both; `None` where nothing moves or too much does, and where times are
    /// across. Without a model only plans of the same lifetimes move: another arena of a dump is
    /// no other stage of it.
    #[must_use]
    pub fn new(before: Shown<'_>, after: Shown<'_>) -> Option<Self> {
        let many = before.scene.buffers().max(after.scene.buffers()) > MOST;
        let timed = before.scene.clock().or(after.scene.clock()).is_some();
        let same = std::ptr::eq(before.lifetimes, after.lifetimes);
        let model = before.graph.and(after.graph).is_some();
        if many || timed || !(same || model) {
            return None;
        }
        let (old, new) = (Places::of(before), Places::of(after));
        let mut way = Self {
            from: Vec::new(),
            to: Vec::new(),
            fills: Vec::new(),
            lines: [before.scene, after.scene].map(|scene| (scene.arena, scene.bound)),
            curve: after.scene.curve.clone(),
        };
        let fill = |shown: Shown<'_>, index| shown.scene.fill(index).unwrap_or_default();
        for (index, rect) in &new.own {
            let key = *new.keys.get(index)?;
            let from = old.place(key).unwrap_or_else(|| flat(rect));
            way.push(from, *rect, fill(after, *index));
        }
        // What has no rectangle of its own any longer lies over the others until it is there.
        for (index, rect) in &old.own {
            let key = *old.keys.get(index)?;
            if !new.buffers.contains_key(&key) {
                let to = new.place(key).unwrap_or_else(|| flat(rect));
                way.push(*rect, to, fill(before, *index));
            }
        }
        (way.from != way.to).then_some(way)
    }

    fn push(&mut self, from: Rect, to: Rect, fill: Fill) {
        self.from.push(from);
        self.to.push(to);
        self.fills.push(fill);
    }

    /// The picture after this share of the way, from 0 to 1.
    #[must_use]
    pub fn at(&self, share: f64) -> Scene {
        let mid = |from: f64, to: f64| (to - from).mul_add(share, from);
        let pairs = self.from.iter().zip(&self.to);
        let rects: Vec<Rect> = pairs
            .map(|(from, to)| Rect {
                x0: mid(from.x0, to.x0),
                x1: mid(from.x1, to.x1),
                y0: mid(from.y0, to.y0),
                y1: mid(from.y1, to.y1),
            })
            .collect();
        let [from, to] = self.lines;
        let lines = Lines {
            curve: self.curve.clone(),
            arena: mid(from.0, to.0),
            bound: mid(from.1, to.1),
        };
        let fill = |index: usize| self.fills.get(index).copied().unwrap_or_default();
        Scene::from_rects(&rects, &fill, lines)
    }
}

/// The name of a buffer, and how many before it have the same: a tensor may stay several times.
type Key<'a> = (&'a str, usize);

/// Where the tensors of a stage are.
struct Places<'a> {
    /// The rectangle of each buffer that has one, in drawing order.
    own: Vec<(usize, Rect)>,
    keys: BTreeMap<usize, Key<'a>>,
    buffers: BTreeMap<Key<'a>, Rect>,
    /// Inside the buffer that each view is of.
    views: BTreeMap<&'a str, Rect>,
    /// What is written by the operator that a tensor vanished into.
    merged: BTreeMap<&'a str, &'a str>,
}

impl<'a> Places<'a> {
    fn of(shown: Shown<'a>) -> Self {
        let Shown {
            lifetimes,
            graph,
            scene,
        } = shown;
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        let mut places = Self {
            own: Vec::new(),
            keys: BTreeMap::new(),
            buffers: BTreeMap::new(),
            views: BTreeMap::new(),
            merged: graph.map(merged).unwrap_or_default(),
        };
        for (index, buffer) in lifetimes.buffers.iter().enumerate() {
            let count = counts.entry(&buffer.name).or_default();
            let key = (buffer.name.as_str(), *count);
            *count += 1;
            if let Some(rect) = scene.rect(index) {
                places.own.push((index, rect));
                places.keys.insert(index, key);
                places.buffers.insert(key, rect);
            }
        }
        for view in &lifetimes.views {
            if let Some(rect) = scene.rect(view.buffer) {
                let inside = Rect {
                    x0: view.span.start.0 as f64,
                    x1: view.span.end.0 as f64,
                    y0: rect.y0 + view.window.0.0 as f64,
                    y1: rect.y0 + view.window.1.0 as f64,
                };
                places.views.entry(&view.name).or_insert(inside);
            }
        }
        places
    }

    /// Where a tensor is at this stage; `None` where nothing is known of it.
    fn place(&self, key: Key<'_>) -> Option<Rect> {
        let own = |name, count| self.buffers.get(&(name, count)).copied();
        let (name, count) = key;
        let into = || {
            let result = *self.merged.get(name)?;
            own(result, 0).or_else(|| self.views.get(result).copied())
        };
        own(name, count)
            .or_else(|| self.views.get(name).copied())
            .or_else(into)
    }
}

/// The tensors inside fused operators, each with what its operator writes.
fn merged(graph: &Graph) -> BTreeMap<&str, &str> {
    let mut merged = BTreeMap::new();
    for op in &graph.ops {
        let Some((parts, result)) = op.fused.as_ref().zip(op.written().next()) else {
            continue;
        };
        let result = graph.tensor(result).name.as_str();
        let inside = parts.ops.iter().flat_map(|part| part.written());
        let names = inside.map(|tensor| parts.tensor(tensor).name.as_str());
        merged.extend(
            names
                .filter(|name| *name != result)
                .map(|name| (name, result)),
        );
    }
    merged
}

/// A rectangle without height, where it begins.
fn flat(rect: &Rect) -> Rect {
    Rect {
        y1: rect.y0,
        ..*rect
    }
}
