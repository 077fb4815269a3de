//! A run in submissions of bounded work: a device answers between two of them, so that a run
//! ends soon after it is cancelled, a page that shares the device is painted meanwhile, and no
//! driver takes a long run for one that hangs.

use std::ops::Range;

use crate::recording::{Dispatch, Recording};

/// Workgroups of a dispatch: a box of its grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The step.
    pub step: usize,
    /// The dispatch, counted from the step's first.
    pub dispatch: usize,
    /// The first workgroup in x, y and z.
    pub first: [u32; 3],
    /// Workgroups in x, y and z.
    pub grid: [u32; 3],
}

impl Part {
    /// Whether it is all of a grid.
    pub fn is_whole(&self, dispatch: &Dispatch) -> bool {
        self.grid == dispatch.grid
    }
}

/// What is submitted at once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Submission {
    /// In order.
    pub parts: Vec<Part>,
    /// Steps that end with it.
    pub ended: usize,
    /// That of its parts: see [`Dispatch::work`].
    pub work: u64,
}

/// What is done before and after each step besides its own dispatches.
pub trait Around {
    /// How much work that is, in the measure of [`Dispatch::work`].
    fn work(&self, step: usize) -> u64;
    /// Encodes what comes before a step.
    fn before(&self, pass: &mut wgpu::ComputePass<'_>, step: usize);
    /// Encodes what comes after it.
    fn after(&self, pass: &mut wgpu::ComputePass<'_>, step: usize);
}

/// Nothing around the steps.
pub struct Nothing;

impl Around for Nothing {
    fn work(&self, _: usize) -> u64 {
        0
    }

    fn before(&self, _: &mut wgpu::ComputePass<'_>, _: usize) {}

    fn after(&self, _: &mut wgpu::ComputePass<'_>, _: usize) {}
}

/// Where a run is among its steps, for what is around them: steps without dispatches have no
/// parts, and a step ends where the next begins.
pub(super) struct Walk<'a> {
    around: &'a dyn Around,
    /// Steps that have not begun.
    steps: Range<usize>,
    /// The step that has begun and has not ended.
    open: Option<usize>,
}

impl<'a> Walk<'a> {
    pub(super) fn new(steps: Range<usize>, around: &'a dyn Around) -> Self {
        Self {
            around,
            steps,
            open: None,
        }
    }

    /// A part of `step` comes next.
    pub(super) fn reach(&mut self, pass: &mut wgpu::ComputePass<'_>, step: usize) {
        if self.open == Some(step) {
            return;
        }
        self.close(pass);
        while self.steps.start <= step && !self.steps.is_empty() {
            self.close(pass);
            self.around.before(pass, self.steps.start);
            self.open = Some(self.steps.start);
            self.steps.start += 1;
        }
    }

    fn close(&mut self, pass: &mut wgpu::ComputePass<'_>) {
        if let Some(step) = self.open.take() {
            self.around.after(pass, step);
        }
    }

    /// There are no further parts.
    pub(super) fn end(&mut self, pass: &mut wgpu::ComputePass<'_>) {
        if let Some(last) = self.steps.end.checked_sub(1) {
            self.reach(pass, last);
        }
        self.close(pass);
    }
}

/// Walks over the dispatches of some steps.
pub struct Parts<'a> {
    recording: &'a Recording,
    around: &'a dyn Around,
    steps: Range<usize>,
    dispatch: usize,
    /// Workgroups of the dispatch that are done.
    done: u64,
    /// Whether the work around the step has been counted.
    counted: bool,
}

/// Most steps of a submission: a slow device says how far it is.
const STEPS: usize = 32;

impl<'a> Parts<'a> {
    /// The parts of these steps, between what is around them.
    pub fn new(recording: &'a Recording, steps: Range<usize>, around: &'a dyn Around) -> Self {
        Self {
            recording,
            around,
            steps,
            dispatch: 0,
            done: 0,
            counted: false,
        }
    }

    /// Whether there is nothing left.
    pub fn is_done(&self) -> bool {
        self.steps.is_empty()
    }

    /// What is to be submitted next: work up to `most`, but one workgroup at least, and at most
    /// one part that is not all of its grid, which is the first; `None` at the end.
    pub fn next(&mut self, most: u64) -> Option<Submission> {
        let mut found = Submission::default();
        while !self.steps.is_empty() && found.ended < STEPS {
            let step = self.steps.start;
            if !self.counted {
                let work = found.work.saturating_add(self.around.work(step));
                if work > most && found.work > 0 {
                    break;
                }
                (found.work, self.counted) = (work, true);
            }
            let Some(dispatch) = self.recording.steps[step].dispatches.get(self.dispatch) else {
                self.steps.start += 1;
                (self.dispatch, self.done, self.counted) = (0, 0, false);
                found.ended += 1;
                continue;
            };
            let groups = groups(dispatch.grid);
            let each = (dispatch.work() / groups.max(1)).max(1);
            let room = most.saturating_sub(found.work) / each;
            let (first, grid) = corner(dispatch.grid, self.done, room.max(1));
            let part = Part {
                step,
                dispatch: self.dispatch,
                first,
                grid,
            };
            // A part of a grid comes first or waits: there is one place to say which it is.
            if !part.is_whole(dispatch) && !found.parts.is_empty() {
                break;
            }
            found.parts.push(part);
            found.work += each.saturating_mul(self::groups(grid));
            self.done += self::groups(grid);
            if self.done == groups {
                (self.dispatch, self.done) = (self.dispatch + 1, 0);
            }
        }
        (!found.parts.is_empty() || found.ended > 0).then_some(found)
    }
}

fn groups(grid: [u32; 3]) -> u64 {
    grid.into_iter().map(u64::from).product()
}

/// The largest box of at most `room` workgroups that begins with workgroup `done`, counted
/// with x the fastest.
fn corner([x, y, z]: [u32; 3], done: u64, room: u64) -> ([u32; 3], [u32; 3]) {
    let narrow = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
    let (row, plane) = (u64::from(x).max(1), (u64::from(x) * u64::from(y)).max(1));
    let first = [
        narrow(done % row),
        narrow(done % plane / row),
        narrow(done / plane),
    ];
    let most = |count: u64, left: u32| narrow(count.max(1)).min(left);
    let grid = if first[0] > 0 || room < row {
        [most(room, x - first[0]), 1, 1]
    } else if first[1] > 0 || room < plane {
        [x, most(room / row, y - first[1]), 1]
    } else {
        [x, y, most(room / plane, z - first[2])]
    };
    (first, grid)
}

/// How much work a submission is to have so that it takes some tens of milliseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    most: u64,
    least: u64,
}

impl Default for Pace {
    /// What the slowest devices do in that time.
    fn default() -> Self {
        Self {
            most: 1 << 23,
            least: Self::LEAST,
        }
    }
}

impl Pace {
    const LEAST: u64 = 1 << 18;
    /// Milliseconds between which the pace is kept.
    const KEPT: Range<f64> = 20.0..70.0;

    /// The slowest, where it is never slower than this.
    pub(super) fn from(least: u64) -> Self {
        Self { most: least, least }
    }

    pub(super) fn most(self) -> u64 {
        self.most
    }

    /// After `work` that took this many milliseconds.
    pub(super) fn learn(&mut self, work: u64, took: f64) {
        if took > Self::KEPT.end {
            self.most = (self.most / 2).max(self.least);
        } else if took < Self::KEPT.start && work > self.most / 2 {
            self.most = self.most.saturating_mul(2);
        }
    }
}
