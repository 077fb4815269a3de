//! Where the time of a run goes: its steps summed by operator, by layer or one by one, against
//! what the machine can do.

use std::collections::BTreeMap;

use executor::verify::report::{Report, Roofline, StepFigures};

/// How steps are summed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum By {
    /// Steps of the same kind of operator together.
    #[default]
    Kind,
    /// Steps whose names begin with the same path together.
    Layer,
    /// Each on its own.
    Step,
}

/// Steps that are summed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// What they have in common.
    pub name: String,
    /// The first of them.
    pub first: usize,
    /// How many they are.
    pub steps: u64,
    /// Milliseconds.
    pub time: f64,
    /// Bytes that they read and write, each operand counted once per dispatch.
    pub moved: u64,
    /// Floating-point operations, about.
    pub flops: u64,
}

/// Steps shorter than this are not believed: a timestamp may count in such pieces.
const SHORTEST: f64 = 0.005;

impl Row {
    /// Operations per second; 0 where no time was measured.
    #[must_use]
    pub fn flop_rate(&self) -> f64 {
        rate(self.flops, self.time)
    }

    /// Bytes per second.
    #[must_use]
    pub fn bandwidth(&self) -> f64 {
        rate(self.moved, self.time)
    }

    /// How close it comes to what the roofline allows, 1 at most where the roofline holds it.
    #[must_use]
    pub fn of_roofline(&self, roofline: Roofline) -> f64 {
        let share = |rate: f64, most: f64| if most > 0.0 { rate / most } else { 0.0 };
        let computing = share(self.flop_rate(), roofline.flops);
        computing.max(share(self.bandwidth(), roofline.bandwidth))
    }

    fn add(&mut self, figures: &StepFigures, time: f64) {
        self.steps += 1;
        self.time += time;
        self.moved = self.moved.saturating_add(figures.moved.0);
        self.flops = self.flops.saturating_add(figures.flops);
    }
}

#[expect(clippy::cast_precision_loss, reason = "rates need no 53 digits")]
fn rate(count: u64, milliseconds: f64) -> f64 {
    match milliseconds > 0.0 {
        true => count as f64 / milliseconds * 1e3,
        false => 0.0,
    }
}

/// The steps of a report summed, those that take longest first; `None` where they were not
/// timed.
#[must_use]
pub fn rows(report: &Report, by: By) -> Option<Vec<Row>> {
    let times = &report.step_times.as_ref()?.milliseconds;
    let mut rows: Vec<Row> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for (step, (figures, &time)) in report.steps.iter().zip(times).enumerate() {
        let name = match by {
            By::Kind => figures.kind.clone(),
            By::Layer => layer(&figures.name).to_owned(),
            By::Step => figures.name.clone(),
        };
        let key = if by == By::Step {
            format!("{step}")
        } else {
            name.clone()
        };
        let place = *places.entry(key).or_insert(rows.len());
        if place == rows.len() {
            rows.push(Row {
                name,
                first: step,
                ..Row::default()
            });
        }
        rows[place].add(figures, time);
    }
    rows.sort_by(|a, b| b.time.total_cmp(&a.time));
    Some(rows)
}

/// The path of a name: what stands before its last part.
fn layer(name: &str) -> &str {
    let path = name.rsplit_once(['/', '.']).map_or(name, |(path, _)| path);
    if path.is_empty() { name } else { path }
}

/// What the machine can do at most: what was measured apart, or what a step of the run reached
/// where that is more, or all that is known.
#[must_use]
pub fn roofline(report: &Report) -> Roofline {
    let rows = rows(report, By::Step).unwrap_or_default();
    let rows = rows.iter().filter(|row| row.time >= SHORTEST);
    let apart = report.roofline.unwrap_or_default();
    rows.fold(apart, |best, row| Roofline {
        flops: best.flops.max(row.flop_rate()),
        bandwidth: best.bandwidth.max(row.bandwidth()),
    })
}
