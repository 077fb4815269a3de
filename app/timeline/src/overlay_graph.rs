//! The graph over a picture, on the picture's own axis of time: each operator stands where its
//! step is, and what one writes goes to those that read it, in a line to the next one and in an
//! arc over others.
//!
//! How much is drawn depends on the room: names under the operators where each has room, else
//! operators alone, else only what goes from one to another, else how many values pass by. The
//! last two a window unfolds around the step that is looked at.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::camera::Camera;
use crate::graph_strip::{Edge, Node, Strip};
use crate::labelling::{Labelling, Rulers};
use crate::overlay::{Area, Ink, Item, Overlay, Taken, Text, push_text, whole_step};
use crate::overlay_graph_window::{step_in_window, window};
use crate::palette::NEUTRAL;

/// The letters are at least so high, in CSS pixels.
const LETTERS: f64 = 12.0;

/// Height of the strip, in letters: with room for arcs, and as low as it can be.
const HIGH: f64 = 6.0;
const LOW: f64 = 3.5;

/// Graphs of more operators have the low one.
const SMALL: usize = 40;

/// Operators that stand nearer are not told apart, in CSS pixels.
const APART: f64 = 6.0;

/// Where they stand nearer, what goes from one to another is not told apart either.
const CLOSE: f64 = 3.0;

/// Where operators stand, and the middle of their names, in letters from below.
const NODES: f64 = 2.0;
const NAMES: f64 = 0.8;

/// Half the side of an operator's mark where there is room, and of one that is marked, in CSS pixels.
const DOT: f64 = 3.0;
const LARGE_DOT: f64 = 4.5;

/// The longest name that stands by itself, in letters.
const LONGEST: f64 = 20.0;

/// The ink of what nobody points at.
pub(crate) const PLAIN: Ink = Ink::Fill(NEUTRAL);

/// What is looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GraphMarks {
    /// The step: what its operator reads and writes is marked; where none runs, the nearest one's.
    pub step: Option<u64>,
    /// The buffer: who writes and reads it is marked, instead of that.
    pub buffer: Option<usize>,
    /// The step around which the window unfolds, where that is not what is looked at: so it stays
    /// while the pointer is in it.
    pub around: Option<u64>,
}

/// How much is drawn of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Operators with their names.
    Named,
    /// Operators.
    Nodes,
    /// What goes from one to another.
    Arcs,
    /// How many values pass by.
    Dense,
}

/// A graph over a picture.
#[derive(Clone, Copy)]
pub struct GraphView<'a> {
    /// The graph.
    pub strip: &'a Strip,
    /// What of it is in view: as wide as the picture, and as high as the strip.
    pub camera: &'a Camera,
    /// Where a step is across.
    pub across: &'a dyn Fn(f64) -> f64,
    /// What it is called.
    pub word: &'a str,
}

/// Height of the strip for a graph of so many operators in letters of `font`, in CSS pixels.
#[must_use]
pub fn strip_height(operators: usize, roomy: bool, font: f64) -> f64 {
    let high = roomy && operators <= SMALL;
    (font.max(LETTERS) * if high { HIGH } else { LOW }).round()
}

/// The graph as it is in view.
#[must_use]
pub fn graph_overlay(view: &GraphView<'_>, marks: GraphMarks) -> Overlay {
    let drawing = Drawing::new(view, marks);
    let mut items = Vec::new();
    if drawing.plot.width() > 0.0 && !view.strip.nodes.is_empty() {
        drawing.draw(&mut items);
    }
    Overlay {
        under: Vec::new(),
        items,
        font: drawing.letters.font,
    }
}

impl GraphView<'_> {
    /// How much is drawn of it.
    #[must_use]
    pub fn detail(&self) -> Detail {
        Drawing::new(self, GraphMarks::default()).detail().0
    }

    /// The step whose operator is drawn there in the window that unfolds around a step, in CSS
    /// pixels of the strip; `None` outside, and where nothing has to unfold.
    #[must_use]
    pub fn step_in_window(&self, around: u64, place: (f64, f64)) -> Option<u64> {
        if matches!(self.detail(), Detail::Named | Detail::Nodes) {
            return None;
        }
        step_in_window(&Drawing::around(self, around), place)
    }
}

/// A graph that is being drawn.
pub(crate) struct Drawing<'a> {
    pub(crate) view: &'a GraphView<'a>,
    pub(crate) marks: GraphMarks,
    pub(crate) letters: Labelling,
    /// What of the strip no ruler covers.
    pub(crate) plot: Area,
    /// How high operators stand.
    pub(crate) line: f64,
    /// The nodes in view.
    seen: Range<usize>,
    /// The inks of marked steps.
    inks: BTreeMap<u64, Ink>,
}

impl<'a> Drawing<'a> {
    fn new(view: &'a GraphView<'a>, marks: GraphMarks) -> Self {
        let camera = view.camera;
        let letters = Labelling {
            font: camera.labelling.font.max(LETTERS),
            rulers: Rulers::None,
        };
        let left = camera.labelling.insets().left;
        let plot = Area {
            left,
            top: 3.0,
            right: camera.width.max(left),
            bottom: camera.height,
        };
        let at = |node: &Node| across(view, node.step);
        let nodes = &view.strip.nodes;
        let first = nodes.partition_point(|node| at(node) < plot.left);
        let end = nodes.partition_point(|node| at(node) <= plot.right);
        let mut drawing = Self {
            view,
            marks,
            letters,
            plot,
            line: (camera.height - NODES * letters.font).round() - 0.5,
            seen: first..end.max(first),
            inks: BTreeMap::new(),
        };
        drawing.inks = drawing.marked();
        drawing
    }

    /// The same with a step that is looked at.
    pub(crate) fn around(view: &'a GraphView<'a>, step: u64) -> Self {
        let marks = GraphMarks {
            step: Some(step),
            ..GraphMarks::default()
        };
        Self::new(view, marks)
    }

    /// The node that is looked at: of a buffer the one that writes it first, else the first that
    /// reads it.
    pub(crate) fn looked(&self) -> Option<&'a Node> {
        let strip = self.view.strip;
        let index = match self.marks.buffer {
            Some(buffer) => {
                let (written, read) = strip.touching(buffer);
                strip.at(*written.first().or(read.first())?)
            }
            None => strip.nearest(self.marks.step?),
        };
        strip.nodes.get(index?)
    }

    /// The inks of the steps that have to do with what is looked at.
    fn marked(&self) -> BTreeMap<u64, Ink> {
        let mut inks = BTreeMap::new();
        if let Some(buffer) = self.marks.buffer {
            let (written, read) = self.view.strip.touching(buffer);
            inks.extend(read.into_iter().map(|step| (step, Ink::Read)));
            inks.extend(written.into_iter().map(|step| (step, Ink::Written)));
        } else if let Some(node) = self.looked() {
            for edge in &self.view.strip.edges {
                if edge.to == node.step {
                    inks.insert(edge.from, Ink::Read);
                } else if edge.from == node.step {
                    inks.insert(edge.to, Ink::Written);
                }
            }
            inks.insert(node.step, Ink::Selected);
        }
        inks
    }

    /// The ink of a marked edge.
    pub(crate) fn ink(&self, edge: &Edge) -> Option<Ink> {
        if let Some(buffer) = self.marks.buffer {
            return (edge.buffer == Some(buffer)).then_some(Ink::Read);
        }
        let step = self.looked()?.step;
        if edge.to == step {
            return Some(Ink::Read);
        }
        (edge.from == step).then_some(Ink::Written)
    }

    /// The nodes that are marked.
    pub(crate) fn marked_nodes(&self) -> Vec<&'a Node> {
        let strip = self.view.strip;
        let steps = self.inks.keys();
        let nodes = steps.filter_map(|step| strip.nodes.get(strip.at(*step)?));
        nodes.collect()
    }

    /// How a step is marked.
    pub(crate) fn ink_of(&self, step: u64) -> Option<Ink> {
        self.inks.get(&step).copied()
    }

    pub(crate) fn x(&self, step: u64) -> f64 {
        across(self.view, step)
    }

    /// How much is drawn, and where that is names, what each node in view is called.
    fn detail(&self) -> (Detail, Vec<String>) {
        let nodes = &self.view.strip.nodes[self.seen.clone()];
        let places: Vec<f64> = nodes.iter().map(|node| self.x(node.step)).collect();
        let gap = |index: usize| {
            let before = index.checked_sub(1).map(|it| places[index] - places[it]);
            let after = places.get(index + 1).map(|next| next - places[index]);
            let gaps = before.into_iter().chain(after);
            gaps.fold(self.plot.width(), f64::min) - self.letters.font / 2.0
        };
        let spacing = self.plot.width() / (places.len().max(1) as f64);
        if spacing < APART {
            let arcs = spacing >= CLOSE;
            let detail = if arcs { Detail::Arcs } else { Detail::Dense };
            return (detail, Vec::new());
        }
        let names: Vec<String> = nodes.iter().map(|node| node.name.clone()).collect();
        let labels = self.letters.distinct(&names, gap);
        let labels: Option<Vec<String>> = labels.into_iter().collect();
        match labels {
            Some(labels) => (Detail::Named, labels),
            None => (Detail::Nodes, Vec::new()),
        }
    }

    fn draw(&self, items: &mut Vec<Item>) {
        let (detail, names) = self.detail();
        let apart = matches!(detail, Detail::Named | Detail::Nodes);
        let mut taken = Taken::default();
        self.title(items, &mut taken);
        match detail {
            Detail::Dense => self.density(items),
            _ => self.edges(items, false),
        }
        self.edges(items, true);
        // Texts lie over everything.
        let mut texts = Vec::new();
        let mut unfolded = Vec::new();
        if apart {
            self.dots(items, false);
        } else {
            unfolded = window(self, &mut texts, &mut taken);
        }
        self.dots(items, true);
        self.marked_names(&mut texts, &mut taken);
        let nodes = self.view.strip.nodes[self.seen.clone()].iter();
        for (node, name) in nodes.zip(names) {
            let place = (self.x(node.step), name);
            self.name(&mut texts, &mut taken, place, Ink::Text);
        }
        items.extend(unfolded);
        items.extend(texts);
    }

    /// What it is called, beside it.
    fn title(&self, items: &mut Vec<Item>, taken: &mut Taken) {
        let room = self.plot.left - self.letters.font;
        let width = self.letters.width(self.view.word);
        if width <= room {
            let area = self
                .letters
                .boxed(self.letters.font / 2.0, self.line, width);
            push_text(
                items,
                taken,
                self.view.word.to_owned(),
                area,
                Ink::Text,
                false,
            );
        }
    }

    /// The edges in view: those that are marked, or the others.
    fn edges(&self, items: &mut Vec<Item>, marked: bool) {
        for edge in &self.view.strip.edges {
            let ink = self.ink(edge);
            if ink.is_some() != marked {
                continue;
            }
            let ends = (self.x(edge.from), self.x(edge.to));
            let inside = |x: f64| (self.plot.left..=self.plot.right).contains(&x);
            // What only passes by is all over the strip.
            if !marked && !inside(ends.0) && !inside(ends.1) {
                continue;
            }
            let apart = self.view.strip.apart(edge.from, edge.to);
            if let Some(points) = self.arc(ends, apart) {
                items.push(Item::Line {
                    points,
                    ink: ink.unwrap_or(PLAIN),
                    width: if marked { 2.0 } else { 1.0 },
                    dashed: false,
                });
            }
        }
    }

    /// The way from one operator to another that comes so many nodes later, as far as it is in
    /// view.
    pub(crate) fn arc(&self, (from, to): (f64, f64), apart: usize) -> Option<Vec<(f64, f64)>> {
        let (left, right) = (from.max(self.plot.left), to.min(self.plot.right));
        if left >= right {
            return None;
        }
        if apart <= 1 {
            return Some(vec![(left, self.line), (right, self.line)]);
        }
        let (middle, radius) = (f64::midpoint(from, to), (to - from) / 2.0);
        let height = self.height(apart);
        let angle = |x: f64| (-((x - middle) / radius).clamp(-1.0, 1.0)).acos();
        let (start, end) = (angle(left), angle(right));
        let corners = (12.0 + (right - left) / 24.0).min(48.0).floor();
        let point = |index: u32| {
            let angle = start + (end - start) * f64::from(index) / corners;
            (
                middle - radius * angle.cos(),
                self.line - height * angle.sin(),
            )
        };
        let count = whole_step(corners);
        let points = (0..=u32::try_from(count).unwrap_or(1)).map(point);
        Some(points.collect())
    }

    /// How high an arc to a node that comes so many nodes later rises: the longest one to the top.
    pub(crate) fn height(&self, apart: usize) -> f64 {
        let log = |apart: usize| f64::ln(apart.max(2) as f64);
        let share = log(apart) / log(self.view.strip.longest.max(apart));
        (self.line - self.plot.top) * (0.25 + 0.75 * share)
    }

    /// The operators in view: those that are marked, or the others.
    fn dots(&self, items: &mut Vec<Item>, marked: bool) {
        // Marks side by side leave half a mark between them.
        let room = self.plot.width() / self.seen.len().max(1) as f64 / 3.0;
        for node in &self.view.strip.nodes[self.seen.clone()] {
            let ink = self.ink_of(node.step);
            if ink.is_some() == marked {
                self.dot(items, node, (self.x(node.step), room), ink);
            }
        }
    }

    /// The mark of an operator at `x`, which has so much room on each side; one that runs again is
    /// hollow, and what the caller feeds comes from above.
    pub(crate) fn dot(
        &self,
        items: &mut Vec<Item>,
        node: &Node,
        (x, room): (f64, f64),
        ink: Option<Ink>,
    ) {
        let half = if ink.is_some() {
            LARGE_DOT
        } else {
            room.min(DOT)
        };
        let area = Area {
            left: x - half,
            top: self.line - half,
            right: x + half,
            bottom: self.line + half,
        };
        if node.fed {
            let from = (x - 6.0, self.line - 9.0);
            items.push(line(vec![from, (x, self.line)], ink.unwrap_or(PLAIN)));
        }
        items.push(Item::Solid(area, ink.unwrap_or(Ink::Text)));
        if node.again {
            let inner = Area {
                left: area.left + 1.5,
                top: area.top + 1.5,
                right: area.right - 1.5,
                bottom: area.bottom - 1.5,
            };
            items.push(Item::Solid(inner, Ink::Background));
        }
    }

    /// The names of what is marked, where they have room: of what is looked at first.
    fn marked_names(&self, items: &mut Vec<Item>, taken: &mut Taken) {
        let rank = |ink: Ink| match ink {
            Ink::Selected => 0,
            Ink::Written => 1,
            _ => 2,
        };
        for wanted in 0..3 {
            for node in &self.view.strip.nodes[self.seen.clone()] {
                let Some(ink) = self.ink_of(node.step).filter(|ink| rank(*ink) == wanted) else {
                    continue;
                };
                let width = (LONGEST * self.letters.font).min(self.plot.width());
                if let Some(name) = self.letters.shortened(&node.name, width) {
                    self.name(items, taken, (self.x(node.step), name), ink);
                }
            }
        }
    }

    /// A name under its operator, where its place is free.
    pub(crate) fn name(
        &self,
        items: &mut Vec<Item>,
        taken: &mut Taken,
        (x, name): (f64, String),
        ink: Ink,
    ) {
        let (width, font) = (self.letters.width(&name), self.letters.font);
        let most = (self.plot.right - width).max(self.plot.left);
        let left = (x - width / 2.0).clamp(self.plot.left, most);
        let middle = self.plot.bottom - NAMES * font;
        let area = self.letters.boxed(left, middle, width);
        // Names that touch would be read as one.
        let claimed = Area {
            right: area.right + font / 2.0,
            ..area
        };
        if taken.claim(claimed) {
            items.push(Item::Text(Text {
                text: name,
                area,
                ink,
                halo: true,
            }));
        }
    }
}

/// Where the middle of a step is in the strip.
fn across(view: &GraphView<'_>, step: u64) -> f64 {
    let x = (view.across)(step as f64 + 0.5);
    view.camera.screen_from_data(x, 0.0).0
}

pub(crate) fn line(points: Vec<(f64, f64)>, ink: Ink) -> Item {
    Item::Line {
        points,
        ink,
        width: 1.0,
        dashed: false,
    }
}
