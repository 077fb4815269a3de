//! When each step began, where a file says so.

use serde::{Deserialize, Serialize};

use crate::units::Step;

/// Microseconds since the first event at which each step began, ascending: of step 0, before the
/// first event, 0 as well. Empty where the file does not say.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Clock(Vec<u64>);

impl Clock {
    /// The clock of steps that began then; `None` where one began before the one before it.
    #[must_use]
    pub fn new(times: Vec<u64>) -> Option<Self> {
        times.is_sorted().then_some(Self(times))
    }

    /// The clock of a trace whose events have these times, in microseconds of any beginning.
    /// A time that goes back counts as the one before it; where all are the same, nothing is said.
    pub(crate) fn of_events(times: &[i64]) -> Self {
        let Some(&first) = times.first() else {
            return Self::default();
        };
        let mut clock = vec![0];
        let mut latest = 0;
        for &time in times {
            let since = u64::try_from(i128::from(time) - i128::from(first));
            latest = since.unwrap_or_default().max(latest);
            clock.push(latest);
        }
        Self(if latest == 0 { Vec::new() } else { clock })
    }

    /// Whether nothing is said.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// When each step began.
    #[must_use]
    pub fn times(&self) -> &[u64] {
        &self.0
    }

    /// When a step began; the end of the last one is when that began.
    #[must_use]
    pub fn began(&self, step: Step) -> u64 {
        let index = usize::try_from(step.0).unwrap_or(usize::MAX);
        let known = self.0.get(index).or(self.0.last());
        known.copied().unwrap_or_default()
    }

    /// When a step began, and within it as much later as there is of it; the last one takes no
    /// time. What is before the first step stays as far before.
    #[must_use]
    pub fn at(&self, step: f64) -> f64 {
        let Some(last) = self.0.len().checked_sub(1) else {
            return step;
        };
        if step < 0.0 {
            return step;
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "float casts saturate, and it is not negative"
        )]
        let index = (step as usize).min(last);
        let [start, end] = [index, (index + 1).min(last)].map(|it| self.0[it] as f64);
        start + (end - start) * (step - index as f64).min(1.0)
    }

    /// The step that runs at a time, of several that begin then the last, with as much of it as
    /// has gone by. Behind the last one, one past it.
    #[must_use]
    pub fn step(&self, time: f64) -> f64 {
        let after = self.0.partition_point(|&it| it as f64 <= time);
        let Some(index) = after.checked_sub(1) else {
            return time;
        };
        let start = self.0[index] as f64;
        match self.0.get(after) {
            Some(&end) => index as f64 + (time - start) / (end as f64 - start),
            None if time > start => after as f64,
            None => index as f64,
        }
    }
}
