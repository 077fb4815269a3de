//! Which probes stand around which step of an audited run, and where their counters are.
//!
//! Before a step its declared outputs are filled with a pattern of its own, but for words that
//! the step itself reads. After it a diff over the whole arena against a shadow counts what
//! changed outside the declared outputs and what of them still holds the pattern; the shadow
//! follows. Every tensor is hashed when it has been written and after its last use. Where a
//! declared output lies on a live tensor, or in a second look where a hash has changed, a
//! probe counts what of that tensor was written.
//!
//! Looking at the whole arena at every step is dear, so the first look compares every word with the
//! shadow only before it is filled again and at the end, instead of hashing: nothing that changes
//! outside gets lost, but which operator did it is unknown. One probe per range does this and fills
//! it, one finds after the step what was written. Wherever that look finds anything, a second one
//! looks at everything at every step. A stray word that a later stray word takes back is all that
//! the first look misses.
//!
//! Two conflicts are not measured but known from the declarations, since their outcome hangs
//! on the order of threads: a step that writes where it reads (but for exact in-place
//! operators), and two outputs of one step on the same words.

mod lives;
mod uses;

use std::collections::BTreeSet;
use std::ops::Range;

use super::probes::{Probe, ProbeParams, Use};
use crate::recording::{Operand, PlacedTensor, RecordedStep, Recording, Region, WORD};
use lives::{Life, declared_on, given_up, in_place, lives, written};
use uses::{arm, diff, extent, fill, hash, range};

/// Words of a diff's counters.
const DIFF: u32 = 5;
/// Words of a hash or of a look.
const PAIR: u32 = 2;

/// What fills the arena before an audited run: about 9.5e29 as a float.
pub(crate) const PATTERN: u32 = 0x7140_0000;

/// The probes of an audited run.
#[derive(Clone, Debug, Default)]
pub struct Watch {
    /// Probes before the first step.
    pub(crate) start: Vec<Use>,
    /// Probes around each step.
    pub(crate) steps: Vec<Around>,
    /// Declared ranges: start, end, and 1 if filled or 2 if not.
    pub(crate) table: Vec<u32>,
    /// Number of words of all counters.
    pub(crate) results: usize,
    /// Where the counters of the start's diff and of each step's are.
    pub(super) diffs: Vec<u32>,
    /// Hashed tensors.
    pub(super) hashed: Vec<Hashed>,
    /// Tensors that are looked at, by step.
    pub(super) looks: Vec<Look>,
    /// Conflicts inside one step.
    pub(super) clashes: Vec<Clash>,
    /// In a first look, the counter of what changed since it was last looked at.
    pub(super) loose: Option<u32>,
    /// In a first look, the part of the table whose ranges the shadow followed last, with no
    /// dispatch since.
    fresh: Range<usize>,
}

/// The probes around one step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Around {
    /// The number of the first of them, counted over all.
    pub(crate) number: usize,
    pub(crate) before: Vec<Use>,
    pub(crate) after: Vec<Use>,
}

/// A tensor with the hash of its birth and of its last use.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hashed {
    /// Index of its place.
    pub place: usize,
    pub first: u32,
    /// `None` where no step runs between the two.
    pub last: Option<u32>,
}

/// One look at a live tensor.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look {
    /// Index of its place.
    pub place: usize,
    pub step: usize,
    pub slot: u32,
}

/// Words of a tensor that the step which reads or writes it also declares to write.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clash {
    /// Index of its place.
    pub place: usize,
    pub step: usize,
    pub word: u32,
    pub words: u32,
}

impl Around {
    /// Its end, exclusive.
    fn end(&self) -> usize {
        self.number + self.before.len() + self.after.len()
    }
}

impl Watch {
    /// The probes of a first look.
    #[must_use]
    pub fn first(recording: &Recording) -> Self {
        let mut watch = Self::default();
        let loose = watch.slot(1);
        watch.loose = Some(loose);
        let mut watch = watch.around(recording, &BTreeSet::new());
        if let Some(last) = watch.steps.last_mut() {
            last.after.push(arm(0, arena_words(recording), None, loose));
        }
        watch
    }

    /// The probes of a second look: the whole arena at every step, and tensors whose place is
    /// in `suspects` in every step of their lives.
    #[must_use]
    pub fn second(recording: &Recording, suspects: &BTreeSet<usize>) -> Self {
        Self::default().around(recording, suspects)
    }

    fn around(mut self, recording: &Recording, suspects: &BTreeSet<usize>) -> Self {
        let lives = lives(recording);
        let watch = &mut self;
        watch.begin(recording, &lives);
        for (index, step) in recording.steps.iter().enumerate() {
            watch.step(recording, &lives, suspects, index, step);
        }
        self
    }

    /// Every probe in the order in which it is used.
    pub(crate) fn uses(&self) -> impl Iterator<Item = &Use> {
        let around = self.steps.iter();
        let around = around.flat_map(|around| around.before.iter().chain(&around.after));
        self.start.iter().chain(around)
    }

    fn begin(&mut self, recording: &Recording, lives: &[Life]) {
        let words = arena_words(recording);
        if self.loose.is_some() {
            let slot = self.diff_slot();
            self.start.push(extent(0, words, PATTERN, slot, 2));
            return;
        }
        let shadow = ProbeParams {
            words,
            pattern: PATTERN,
            into: 1,
            ..ProbeParams::default()
        };
        let probe = Probe::Fill;
        self.start.push(Use {
            probe,
            params: shadow,
        });
        let slot = self.diff_slot();
        self.start.push(diff(0, words, PATTERN, slot));
        for life in lives.iter().filter(|life| life.born.is_none()) {
            let used = self.hash_first(recording, life);
            self.start.extend(used);
        }
    }

    fn step(
        &mut self,
        recording: &Recording,
        lives: &[Life],
        suspects: &BTreeSet<usize>,
        index: usize,
        step: &RecordedStep,
    ) {
        let pattern = pattern(index);
        let ranges = planner::narrow(self.table.len());
        let mut around = Around {
            number: self.steps.last().map_or(self.start.len(), Around::end),
            ..Around::default()
        };
        // What lies exactly where the step writes is hashed before, the others after.
        let ends = |life: &&Life| life.last == index && life.born != Some(index);
        let (kept, given): (Vec<&Life>, Vec<&Life>) = lives
            .iter()
            .filter(ends)
            .partition(|life| !given_up(step, index, life, &recording.places[life.place]));
        for life in given {
            around.before.extend(self.hash_last(recording, life));
        }
        for output in written(step) {
            let used = self.prepare(step, output, pattern);
            around.before.extend(used);
        }
        let count = (planner::narrow(self.table.len()) - ranges) / 3;
        let alive = |life: &&Life| life.born < Some(index) && index <= life.last;
        for life in lives.iter().filter(alive) {
            let place = &recording.places[life.place];
            let spared = given_up(step, index, life, place);
            let read = step
                .reads
                .iter()
                .any(|input| input.buffer == Some(place.buffer));
            if read && !spared && !step.dispatches.is_empty() {
                self.clash(step, index, life.place, place);
            }
            let covered = declared_on(step, place) && !read;
            if (suspects.contains(&life.place) || covered) && !spared {
                let params = ProbeParams {
                    pattern,
                    ranges,
                    count,
                    ..range(place)
                };
                around.after.push(self.look(life.place, index, params));
            }
        }
        let slot = self.diff_slot();
        if self.loose.is_none() {
            let mut used = diff(0, arena_words(recording), pattern, slot);
            (used.params.ranges, used.params.count) = (ranges, count);
            around.after.push(used);
        } else {
            let begin = ranges as usize;
            around
                .after
                .extend(self.extents(step, begin, pattern, slot));
        }
        for life in lives.iter().filter(|life| life.born == Some(index)) {
            let used = self.hash_first(recording, life);
            around.after.extend(used);
        }
        for life in kept {
            around.after.extend(self.hash_last(recording, life));
        }
        self.share(recording, lives, index);
        self.steps.push(around);
    }

    /// What comes before a step for one of its outputs, which is entered into the table.
    fn prepare(&mut self, step: &RecordedStep, output: &Operand, pattern: u32) -> Vec<Use> {
        let begin = self.table.len();
        let filled = self.declare(step, output);
        let Some(loose) = self.loose else {
            let fills = filled.into_iter();
            let fills = fills.map(|(from, to)| fill(from, to - from, pattern));
            return fills.collect();
        };
        let fresh = &self.table[self.fresh.clone()];
        let declared = self.table[begin..].chunks_exact(3);
        let declared = declared.filter_map(|range| {
            let (from, to, kind) = (range[0], range[1], range[2]);
            if kind == 1 {
                return Some(arm(from, to - from, Some(pattern), loose));
            }
            // What is not filled can be compared later where the step runs nothing, and needs
            // not be compared again where nothing has run since the shadow followed.
            let mut fresh = fresh.chunks_exact(3);
            let known = fresh.any(|fresh| fresh[0] <= from && to <= fresh[1]);
            let idle = step.dispatches.is_empty();
            (!idle && !known).then(|| arm(from, to - from, None, loose))
        });
        declared.collect()
    }

    /// What comes after a step in a first look; its ranges begin in the table at `begin`.
    fn extents(&mut self, step: &RecordedStep, begin: usize, pattern: u32, slot: u32) -> Vec<Use> {
        let idle = step.dispatches.is_empty();
        let declared = self.table[begin..].chunks_exact(3);
        let declared = declared.filter_map(|range| {
            let (from, to, kind) = (range[0], range[1], range[2]);
            let used = extent(from, to - from, pattern, slot, kind - 1);
            (kind == 1 || !idle).then_some(used)
        });
        let declared = declared.collect();
        if !idle {
            self.fresh = begin..self.table.len();
        }
        declared
    }

    /// Enters an output into the table, and returns the ranges of it to fill: all words but
    /// those that the step reads.
    fn declare(&mut self, step: &RecordedStep, output: &Operand) -> Vec<(u32, u32)> {
        let start = output.region.word;
        let end = start + output.region.words;
        let in_place_alias = in_place(step, output).then_some((start, end));
        let overlapping = step.reads.iter().map(|input| input.region);
        let overlapping = overlapping.filter(|region| region.overlaps(output.region));
        let excluded = overlapping.map(|region| {
            let region_end = region.word.saturating_add(region.words);
            (region.word.max(start), region_end.min(end))
        });
        let mut excluded: Vec<(u32, u32)> = excluded.chain(in_place_alias).collect();
        excluded.sort_unstable();
        let mut filled = Vec::new();
        let mut at = start;
        for (from, until) in excluded {
            if from > at {
                filled.push((at, from));
            }
            if until > at {
                self.table.extend([from.max(at), until, 2]);
                at = until;
            }
        }
        if at < end {
            filled.push((at, end));
        }
        for &(from, to) in &filled {
            self.table.extend([from, to, 1]);
        }
        filled
    }

    /// Notes words of a tensor that the step which reads it writes.
    fn clash(&mut self, step: &RecordedStep, index: usize, place: usize, read: &PlacedTensor) {
        for output in written(step).filter(|x| x.name != read.name) {
            self.shared(index, place, read.region, output.region);
        }
    }

    /// Notes outputs of this step that share words.
    fn share(&mut self, recording: &Recording, lives: &[Life], step: usize) {
        let born: Vec<&Life> = lives.iter().filter(|x| x.born == Some(step)).collect();
        for (index, first) in born.iter().enumerate() {
            for second in &born[index + 1..] {
                let [a, b] = [first, second].map(|life| recording.places[life.place].region);
                self.shared(step, first.place, a, b);
            }
        }
    }

    fn shared(&mut self, step: usize, place: usize, a: Region, b: Region) {
        let word = a.word.max(b.word);
        let words = a.end().min(b.end()).saturating_sub(u64::from(word));
        if let Some(words) = u32::try_from(words).ok().filter(|&words| words > 0) {
            self.clashes.push(Clash {
                place,
                step,
                word,
                words,
            });
        }
    }

    fn slot(&mut self, words: u32) -> u32 {
        let slot = planner::narrow(self.results);
        self.results += words as usize;
        slot
    }

    fn diff_slot(&mut self) -> u32 {
        let slot = self.slot(DIFF);
        self.diffs.push(slot);
        slot
    }

    fn look(&mut self, place: usize, step: usize, params: ProbeParams) -> Use {
        let slot = self.slot(PAIR);
        self.looks.push(Look { place, step, slot });
        let params = ProbeParams { slot, ..params };
        let probe = Probe::Look;
        Use { probe, params }
    }

    /// Nothing in a first look, which compares bits with the shadow instead.
    fn hash_first(&mut self, recording: &Recording, life: &Life) -> Option<Use> {
        if self.loose.is_some() {
            return None;
        }
        let first = self.slot(PAIR);
        let used_later = life.born != Some(life.last) && !recording.steps.is_empty();
        let last = used_later.then(|| self.slot(PAIR));
        let place = life.place;
        self.hashed.push(Hashed { place, first, last });
        Some(hash(&recording.places[place], first))
    }

    fn hash_last(&self, recording: &Recording, life: &Life) -> Option<Use> {
        let mut hashed = self.hashed.iter();
        let hashed = hashed.find(|hashed| hashed.place == life.place)?;
        Some(hash(&recording.places[life.place], hashed.last?))
    }
}

/// What fills the outputs of a step before it.
fn pattern(step: usize) -> u32 {
    PATTERN | (planner::narrow(step).wrapping_add(1) & 0xf_ffff)
}

fn arena_words(recording: &Recording) -> u32 {
    let words = u32::try_from(recording.arena.0 / WORD);
    words.expect("lowering refuses arenas that a device cannot bind, which are below 2^32 words")
}
