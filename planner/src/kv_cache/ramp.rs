//! Sums of figures that change by the same amount at each step for a while.

use crate::sorting::Sorting as _;
use crate::units::{Bytes, Step};

/// The most points of a slope; where there are more steps, some are left out.
const MOST_POINTS: u64 = 1 << 16;

/// A sum of pieces, each a straight line over some steps.
#[derive(Clone, Debug, Default)]
pub(super) struct Ramp {
    /// Step, change of the value at it, change of the slope from it on.
    changes: Vec<(u64, i128, i128)>,
    /// The sum over all steps.
    total: i128,
}

impl Ramp {
    /// From `start` until before `end`: `value` at first, `slope` more at each step.
    pub(super) fn add(&mut self, (start, end): (u64, u64), value: u64, slope: i8) {
        if start >= end {
            return;
        }
        let steps = i128::from(end - start);
        let (value, slope) = (i128::from(value), i128::from(slope));
        self.changes.push((start, value, slope));
        self.changes.push((end, -(value + slope * steps), -slope));
        self.total += value * steps + slope * (steps * (steps - 1) / 2);
    }

    /// The sum over all steps of what was added.
    pub(super) fn total(&self) -> u128 {
        u128::try_from(self.total).unwrap_or_default()
    }

    /// The value from each step on, times `unit`: step by step, or of every so-manieth where these
    /// are too many.
    pub(super) fn points(&self, unit: Bytes) -> Vec<(Step, Bytes)> {
        let mut points = Vec::new();
        let steps = self.changes.iter().map(|it| it.0);
        let (first, last) = (steps.clone().min(), steps.max());
        let all = last.zip(first).map_or(0, |(last, first)| last - first);
        let mut put = |step: u64, value: i128| {
            let value = u64::try_from(value).unwrap_or_default();
            let point = (Step(step), Bytes(value.saturating_mul(unit.0)));
            if points.last().is_none_or(|&(_, bytes)| bytes != point.1) {
                points.push(point);
            }
        };
        let stride = i128::from(all / MOST_POINTS + 1);
        self.each(&mut |start, value, slope, steps| {
            let listed = if slope == 0 {
                1
            } else {
                (steps + stride - 1) / stride
            };
            for point in 0..listed {
                let step = point * stride;
                let at = start.saturating_add(u64::try_from(step).unwrap_or_default());
                put(at, value + slope * step);
            }
        });
        points
    }

    /// Calls `piece` with each run of steps over which the slope is one: first step, value there,
    /// slope, steps; 0 steps at the end.
    fn each(&self, piece: &mut dyn FnMut(u64, i128, i128, i128)) {
        let mut changes = self.changes.clone();
        changes.order_by_key(|it| it.0);
        let (mut value, mut slope) = (0, 0);
        let mut at = 0;
        while let Some(&(start, ..)) = changes.get(at) {
            while let Some(&(_, more, steeper)) = changes.get(at).filter(|it| it.0 == start) {
                value += more;
                slope += steeper;
                at += 1;
            }
            let steps = changes.get(at).map_or(0, |next| i128::from(next.0 - start));
            piece(start, value, slope, if steps == 0 { 1 } else { steps });
            value += slope * steps;
        }
    }
}
