//! How many values pass by, where operators stand too near to draw what goes from one to another.

use crate::overlay::{Item, whole_step};
use crate::overlay_graph::{Drawing, PLAIN, line};

impl Drawing<'_> {
    /// How many values pass by that are not read by the next operator, and the line of time.
    pub(crate) fn density(&self, items: &mut Vec<Item>) {
        let width = whole_step(self.plot.width().ceil());
        let width = usize::try_from(width).unwrap_or_default();
        let column = |x: f64| {
            let column = whole_step((x - self.plot.left).max(0.0));
            usize::try_from(column).unwrap_or(usize::MAX).min(width)
        };
        let mut changes = vec![0_i64; width + 1];
        for (from, to) in &self.view.strip.skips {
            changes[column(self.x(*from))] += 1;
            changes[column(self.x(*to))] -= 1;
        }
        let counts = changes.iter().scan(0, |count, change| {
            *count += change;
            Some(*count)
        });
        let counts: Vec<i64> = counts.take(width).collect();
        let most = counts.iter().copied().max().unwrap_or_default().max(1) as f64;
        let room = self.line - self.plot.top;
        let points = counts.iter().enumerate().map(|(column, count)| {
            let x = self.plot.left + column as f64;
            (x, self.line - room * *count as f64 / most)
        });
        items.push(Item::Fill {
            points: points.collect(),
            bottom: self.line,
            ink: PLAIN,
        });
        let ends = [(self.plot.left, self.line), (self.plot.right, self.line)];
        items.push(line(ends.to_vec(), PLAIN));
    }
}
