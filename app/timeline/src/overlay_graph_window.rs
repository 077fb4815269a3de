//! What unfolds around the cursor of a graph whose operators stand too near to be told apart: who
//! has to do with what is looked at, one beside the other, with names.

use crate::graph_strip::{Edge, Node};
use crate::overlay::{Area, Ink, Item, Taken, whole_step};
use crate::overlay_graph::{Drawing, line};
use crate::palette::NEUTRAL;

/// Room of one operator, in letters.
const ROOM: f64 = 9.0;

/// At most so many are seen, and on at most so much of the strip: the rest leads elsewhere.
const MOST: usize = 7;
const SHARE: f64 = 0.6;

/// Height of the marks where their steps are, in CSS pixels.
const POINTER: f64 = 3.0;

/// The window around what is looked at, if anything is; its names go into `names`. Its place is
/// taken.
pub(crate) fn window(drawing: &Drawing<'_>, names: &mut Vec<Item>, taken: &mut Taken) -> Vec<Item> {
    let mut items = Vec::new();
    let around = drawing.marks.around;
    let around = around.map(|step| Drawing::around(drawing.view, step));
    if let Some(window) = Window::new(around.as_ref().unwrap_or(drawing)) {
        taken.claim(window.area);
        window.draw(drawing, &mut items, names);
    }
    items
}

/// The step whose operator is drawn at a place in the window of `drawing`.
pub(crate) fn step_in_window(drawing: &Drawing<'_>, (x, y): (f64, f64)) -> Option<u64> {
    let window = Window::new(drawing)?;
    let area = &window.area;
    let inside = (area.left..area.right).contains(&x) && (area.top..area.bottom).contains(&y);
    let far = |node: &&&Node| {
        let far = window
            .place(node.step)
            .map_or(f64::MAX, |at| (at - x).abs());
        whole_step(far)
    };
    let nearest = window.nodes.iter().min_by_key(far);
    nearest.filter(|_| inside).map(|node| node.step)
}

struct Window<'a> {
    /// The operators that are seen.
    nodes: Vec<&'a Node>,
    /// Where the first one stands.
    first: f64,
    /// From one to the next.
    room: f64,
    area: Area,
}

impl<'a> Window<'a> {
    fn new(drawing: &Drawing<'a>) -> Option<Self> {
        let (strip, plot) = (drawing.view.strip, &drawing.plot);
        let looked = drawing.looked()?;
        let at = drawing.x(looked.step);
        if !(plot.left..=plot.right).contains(&at) {
            return None;
        }
        let room = (ROOM * drawing.letters.font).min(plot.width());
        let width = plot.width() * SHARE;
        let most = (1..=MOST).rev();
        let fits = |count: &usize| *count as f64 * room <= width;
        let most = most.into_iter().find(fits).unwrap_or(1);
        let index = strip.at(looked.step)?;
        // Nearest first: what is marked, and beside an operator its neighbours.
        let mut near: Vec<&Node> = drawing.marked_nodes();
        near.sort_by_key(|node| (node.step.abs_diff(looked.step), node.step));
        if drawing.marks.buffer.is_none() {
            let beside = &strip.nodes[index.saturating_sub(most)..];
            let mut beside: Vec<&Node> = beside.iter().take(2 * most + 1).collect();
            beside.sort_by_key(|node| (node.step.abs_diff(looked.step), node.step));
            near.extend(
                beside
                    .into_iter()
                    .filter(|node| drawing.ink_of(node.step).is_none()),
            );
        }
        near.truncate(most);
        near.sort_by_key(|node| node.step);
        let place = near.iter().position(|node| node.step == looked.step)?;
        let width = near.len() as f64 * room;
        let left = at - (place as f64 + 0.5) * room;
        let left = left.clamp(plot.left, (plot.right - width).max(plot.left));
        Some(Self {
            nodes: near,
            first: left + room / 2.0,
            room,
            area: Area {
                left,
                top: 1.0,
                right: left + width,
                bottom: plot.bottom - POINTER,
            },
        })
    }

    /// Where the operator of a step stands; `None` outside.
    fn place(&self, step: u64) -> Option<f64> {
        let index = self.nodes.binary_search_by_key(&step, |node| node.step);
        Some(self.first + index.ok()? as f64 * self.room)
    }

    fn draw(&self, drawing: &Drawing<'_>, items: &mut Vec<Item>, names: &mut Vec<Item>) {
        items.push(Item::Solid(self.area, Ink::Background));
        items.push(Item::Outline(self.area, Ink::Grid));
        for marked in [false, true] {
            for edge in &drawing.view.strip.edges {
                let ink = drawing.ink(edge);
                if ink.is_some() == marked {
                    items.extend(self.edge(drawing, edge, ink));
                }
            }
        }
        for node in &self.nodes {
            let ink = drawing.ink_of(node.step);
            if let Some(x) = self.place(node.step) {
                drawing.dot(items, node, (x, self.room / 2.0), ink);
            }
            let at = drawing.x(node.step);
            if let Some(ink) = ink.filter(|_| drawing.plot.left <= at && at <= drawing.plot.right) {
                let mark = Area {
                    left: at - 1.5,
                    top: drawing.plot.bottom - POINTER,
                    right: at + 1.5,
                    bottom: drawing.plot.bottom,
                };
                items.push(Item::Solid(mark, ink));
            }
        }
        self.names(drawing, names);
    }

    /// Beside each other they cannot be in each other's way.
    fn names(&self, drawing: &Drawing<'_>, names: &mut Vec<Item>) {
        let letters = drawing.letters;
        let mut free = Taken::default();
        let all: Vec<String> = self.nodes.iter().map(|node| node.name.clone()).collect();
        let room = self.room - letters.font;
        let labels = letters.distinct(&all, |_| room);
        for (node, label) in self.nodes.iter().zip(labels) {
            let label = label.or_else(|| letters.shortened(&node.name, room));
            if let Some((x, label)) = self.place(node.step).zip(label) {
                let ink = drawing.ink_of(node.step).unwrap_or(Ink::Text);
                drawing.name(names, &mut free, (x, label), ink);
            }
        }
    }

    /// A value that is read or written inside.
    fn edge(&self, drawing: &Drawing<'_>, edge: &Edge, ink: Option<Ink>) -> Option<Item> {
        let apart = drawing.view.strip.apart(edge.from, edge.to);
        let top = drawing.line - drawing.height(apart);
        let points = match (self.place(edge.from), self.place(edge.to)) {
            (Some(from), Some(to)) => drawing.arc((from, to), apart)?,
            (Some(from), None) => vec![
                (from, drawing.line),
                (from + self.room / 4.0, top),
                (self.area.right, top),
            ],
            (None, Some(to)) => vec![
                (self.area.left, top),
                (to - self.room / 4.0, top),
                (to, drawing.line),
            ],
            (None, None) => return None,
        };
        Some(match ink {
            Some(ink) => Item::Line {
                points,
                ink,
                width: 2.0,
                dashed: false,
            },
            None => line(points, Ink::Fill(NEUTRAL)),
        })
    }
}
