//! What unfolds around the cursor of a graph whose operators stand too near to be told apart: the
//! one that is looked at with its neighbours, one beside the other, with names.

use crate::graph_strip::{Edge, Node};
use crate::overlay::{Area, Ink, Item, Taken};
use crate::overlay_graph::{Drawing, line};
use crate::palette::NEUTRAL;

/// Room of one operator, in letters.
const ROOM: f64 = 6.5;

/// At most so many are seen on each side.
const BESIDE: usize = 3;

/// Height of the mark where the step is, in CSS pixels.
const POINTER: f64 = 3.0;

/// The window around what is looked at, if anything is; its names go into `names`. Its place is
/// taken.
pub(crate) fn window(drawing: &Drawing<'_>, names: &mut Vec<Item>, taken: &mut Taken) -> Vec<Item> {
    let mut items = Vec::new();
    if let Some(window) = Window::new(drawing) {
        taken.claim(window.area);
        window.draw(&mut items, names);
    }
    items
}

struct Window<'a> {
    drawing: &'a Drawing<'a>,
    /// The operators that are seen.
    nodes: &'a [Node],
    /// Where the first one stands.
    first: f64,
    /// From one to the next.
    room: f64,
    area: Area,
    /// Where the step is.
    at: f64,
}

impl<'a> Window<'a> {
    fn new(drawing: &'a Drawing<'a>) -> Option<Self> {
        let node = drawing.looked()?;
        let (strip, plot) = (drawing.view.strip, &drawing.plot);
        let at = drawing.x(node.step);
        if !(plot.left..=plot.right).contains(&at) {
            return None;
        }
        let room = (ROOM * drawing.letters.font).min(plot.width());
        let beside = (1..=BESIDE).rev();
        let fits = |beside: &usize| (2 * beside + 1) as f64 * room <= plot.width();
        let beside = beside.into_iter().find(fits).unwrap_or_default();
        let index = strip.at(node.step)?;
        let first = index.saturating_sub(beside);
        let end = (index + beside + 1).min(strip.nodes.len());
        let width = (end - first) as f64 * room;
        let before = ((index - first) as f64 + 0.5) * room;
        let left = (at - before).clamp(plot.left, (plot.right - width).max(plot.left));
        Some(Self {
            drawing,
            nodes: &strip.nodes[first..end],
            first: left + room / 2.0,
            room,
            area: Area {
                left,
                top: 1.0,
                right: left + width,
                bottom: plot.bottom - POINTER,
            },
            at,
        })
    }

    /// Where the operator of a step stands; `None` outside.
    fn place(&self, step: u64) -> Option<f64> {
        let index = self.nodes.binary_search_by_key(&step, |node| node.step);
        Some(self.first + index.ok()? as f64 * self.room)
    }

    fn draw(&self, items: &mut Vec<Item>, names: &mut Vec<Item>) {
        let drawing = self.drawing;
        items.push(Item::Solid(self.area, Ink::Background));
        items.push(Item::Outline(self.area, Ink::Grid));
        let mark = Area {
            left: self.at - 1.5,
            top: drawing.plot.bottom - POINTER,
            right: self.at + 1.5,
            bottom: drawing.plot.bottom,
        };
        items.push(Item::Solid(mark, Ink::Selected));
        for marked in [false, true] {
            for edge in &drawing.view.strip.edges {
                let ink = drawing.ink(edge);
                if ink.is_some() == marked {
                    items.extend(self.edge(edge, ink));
                }
            }
        }
        for node in self.nodes {
            if let Some(x) = self.place(node.step) {
                drawing.dot(items, node, x, drawing.ink_of(node.step));
            }
        }
        // Beside each other they cannot be in each other's way.
        let mut free = Taken::default();
        let all: Vec<String> = self.nodes.iter().map(|node| node.name.clone()).collect();
        let room = self.room - drawing.letters.font;
        let labels = drawing.letters.distinct(&all, |_| room);
        for (node, label) in self.nodes.iter().zip(labels) {
            let label = label.or_else(|| drawing.letters.shortened(&node.name, room));
            if let Some((x, label)) = self.place(node.step).zip(label) {
                let ink = drawing.ink_of(node.step).unwrap_or(Ink::Text);
                drawing.name(names, &mut free, (x, label), ink);
            }
        }
    }

    /// A value that is read or written inside.
    fn edge(&self, edge: &Edge, ink: Option<Ink>) -> Option<Item> {
        let drawing = self.drawing;
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
