//! A problem as the checks by brute force see it: rectangles without offsets.

use std::cell::OnceCell;

use lesson::{Instance, ReadyInstance};

use super::copies::Copies;
use super::plans::plan;
use super::smallest::smallest;

/// A buffer: live from its first step up to its end, which is the step after its last one.
pub(crate) struct Buffer {
    pub(crate) name: String,
    pub(crate) first: u64,
    pub(crate) end: u64,
    pub(crate) size: u64,
    /// Where the lesson itself has put it.
    pub(crate) put: Option<u64>,
}

impl Buffer {
    pub(crate) fn is_live(&self, step: u64) -> bool {
        self.first <= step && step < self.end
    }

    pub(crate) fn meets(&self, other: &Self) -> bool {
        self.first < other.end && other.first < self.end
    }

    /// Its name without the number of its return.
    pub(crate) fn plain_name(&self) -> &str {
        let parts = self.name.split_once(" [");
        parts.map_or(&*self.name, |it| it.0)
    }

    /// Whether it was there before: `a2 [2]`, where `a2` was.
    pub(crate) fn comes_back(&self) -> bool {
        self.plain_name() != self.name
    }
}

/// Bytes that count once at a step although two buffers need them: the operator there may write
/// over what it reads.
pub(crate) struct Handed {
    pub(crate) step: u64,
    pub(crate) bytes: u64,
    pub(crate) before: usize,
    pub(crate) after: usize,
    /// Whether the one has just the bytes of the other.
    pub(crate) is_whole: bool,
}

/// What is to be planned.
pub(crate) struct Problem {
    pub(crate) buffers: Vec<Buffer>,
    /// How many steps there are.
    pub(crate) steps: u64,
    pub(crate) handed_over: Vec<Handed>,
    /// What the scene changes by hand: the plan, the buffer and its new place.
    pub(crate) edits: Vec<(String, String, u64)>,
    /// What is copied to the host, of a training step over a link.
    pub(crate) copies: Option<Copies>,
    least: OnceCell<Option<u64>>,
}

impl Problem {
    /// A table that has nothing but ids, lifetimes, sizes and perhaps offsets. `None` for one with
    /// another column, which these checks know nothing of.
    pub(crate) fn of_csv(lines: &[String], pose: &Instance) -> Option<Self> {
        let (header, rows) = lines.split_first()?;
        let columns: Vec<&str> = header.split(',').collect();
        let known = ["id", "lower", "upper", "size", "offset"];
        if !columns.iter().all(|it| known.contains(it)) || pose.alignment.is_some_and(|it| it > 1) {
            return None;
        }
        let read = |row: &String| {
            let cells: Vec<&str> = row.split(',').collect();
            let cell = |name: &str| {
                let at = columns.iter().position(|it| *it == name)?;
                Some(*cells.get(at).expect("a row has a cell for each column"))
            };
            let number = |name| Some(cell(name)?.parse::<u64>().expect("it is a number"));
            Buffer {
                name: cell("id").expect("it has an id").to_owned(),
                first: number("lower").expect("it begins"),
                end: number("upper").expect("it ends"),
                size: number("size").expect("it has a size"),
                put: number("offset"),
            }
        };
        Some(Self::new(
            rows.iter().map(read).collect(),
            Vec::new(),
            None,
            pose,
        ))
    }

    /// The lifetimes that are found in a graph. `None` where they have what these checks know
    /// nothing of: pauses, fixed addresses, pools, sizes that are no multiples of alignments.
    pub(crate) fn of_graph(pose: &Instance) -> Option<Self> {
        let posed = ReadyInstance::new(pose, None).expect("a graph of a lesson can be read");
        let found = &posed.subject.lifetimes;
        let unknown = found.buffers.iter().any(|it| {
            let unit = it.alignment.0.max(pose.alignment.unwrap_or(64));
            !it.pauses.is_empty()
                || it.fixed.is_some()
                || !it.pools.is_empty()
                || it.size.0 % unit != 0
        });
        let read = |it: &planner::Buffer| Buffer {
            name: it.name.clone(),
            first: it.span.start.0,
            end: it.span.end.0,
            size: it.size.0,
            put: None,
        };
        let buffers: Vec<Buffer> = found.buffers.iter().map(read).collect();
        let handed_over = found.handovers.iter().map(|it| {
            let (before, after) = (&buffers[it.before], &buffers[it.after]);
            assert_eq!(before.end, after.first + 1, "one step has both");
            let left = before.size - it.shift.0;
            Handed {
                step: after.first,
                bytes: left.min(after.size),
                before: it.before,
                after: it.after,
                is_whole: left == before.size && before.size == after.size,
            }
        });
        let handed_over = handed_over.collect();
        (!unknown).then(|| Self::new(buffers, handed_over, Some(found.horizon.0), pose))
    }

    fn new(
        buffers: Vec<Buffer>,
        handed_over: Vec<Handed>,
        steps: Option<u64>,
        pose: &Instance,
    ) -> Self {
        let last = buffers.iter().map(|it| it.end).max().unwrap_or(0);
        let edits = pose.edits.iter();
        Self {
            buffers,
            steps: steps.unwrap_or(last),
            handed_over,
            edits: edits
                .map(|it| (it.plan.clone(), it.buffer.clone(), it.offset.0))
                .collect(),
            copies: None,
            least: OnceCell::new(),
        }
    }

    pub(crate) fn index(&self, name: &str) -> Option<usize> {
        self.buffers.iter().position(|it| it.name == name)
    }

    pub(crate) fn buffer(&self, name: &str) -> Option<&Buffer> {
        self.buffers.get(self.index(name)?)
    }

    /// The return of a buffer, if it was given up.
    pub(crate) fn next(&self, own: &Buffer) -> Option<&Buffer> {
        let same = self.buffers.iter();
        let same = same.filter(|it| it.plain_name() == own.plain_name());
        same.filter(|it| it.first >= own.end)
            .min_by_key(|it| it.first)
    }

    /// Whether two buffers may have the same bytes although both are live.
    pub(crate) fn hands_over(&self) -> bool {
        !self.handed_over.is_empty()
    }

    pub(crate) fn live(&self, step: u64) -> u64 {
        self.live_without(step, usize::MAX)
    }

    /// Live bytes at a step as if a buffer were not there.
    fn live_without(&self, step: u64, gone: usize) -> u64 {
        let others = self.buffers.iter().enumerate().filter(|it| it.0 != gone);
        let live = others.filter(|(_, it)| it.is_live(step));
        let sum: u64 = live.map(|(_, it)| it.size).sum();
        let twice = self.handed_over.iter().filter(|it| it.step == step);
        sum - twice.map(|it| it.bytes).sum::<u64>()
    }

    /// The most live bytes: no plan needs less.
    pub(crate) fn peak(&self) -> u64 {
        self.peak_without(usize::MAX)
    }

    pub(crate) fn peak_without(&self, gone: usize) -> u64 {
        let steps = 0..self.steps;
        let live = steps.map(|step| self.live_without(step, gone));
        live.max().unwrap_or(0)
    }

    /// The largest sizes by rank: the largest of all steps, the largest second-largest, ….
    pub(crate) fn maxima(&self) -> Vec<u64> {
        let mut maxima: Vec<u64> = Vec::new();
        for step in 0..self.steps {
            let live = self.buffers.iter().filter(|it| it.is_live(step));
            let mut sizes: Vec<u64> = live.map(|it| it.size).collect();
            sizes.sort_unstable_by(|a, b| b.cmp(a));
            maxima.resize(maxima.len().max(sizes.len()), 0);
            for (most, size) in maxima.iter_mut().zip(sizes) {
                *most = size.max(*most);
            }
        }
        maxima
    }

    /// The smallest arena; `None` where it takes too long to look for. Where buffers may be written
    /// over each other, a plan without more than the live bytes is as small as any, and others are
    /// not looked for.
    pub(crate) fn least(&self) -> Option<u64> {
        *self.least.get_or_init(|| match self.hands_over() {
            true => plan(self, "nnvm_tokens")
                .map(|it| it.arena)
                .filter(|arena| *arena == self.peak()),
            false => smallest(&self.buffers, self.peak()),
        })
    }
}
