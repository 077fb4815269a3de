//! Which probes stand around which step of an audited run, and where their counters are.
//!
//! Before a step its declared outputs are filled with a pattern of its own. After it a diff
//! over the whole arena against a shadow counts what changed outside the declared outputs and
//! what of them still holds the pattern; the shadow follows. Every tensor is hashed when it
//! has been written and after its last use. Where a declared output lies on a live tensor, or
//! in a second look where a hash has changed, a probe counts what of that tensor was written.

use std::collections::{BTreeMap, BTreeSet};

use super::probes::{Params, Probe, Use};
use crate::recording::{Operand, Origin, Place, RecordedStep, Recording, Region, Space, WORD};

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
    /// Outputs of one operator that share words.
    pub(super) shared: Vec<Shared>,
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

/// Two outputs of one operator that share words: at most one of them can be kept.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shared {
    /// Index of the first one's place.
    pub place: usize,
    pub step: usize,
    pub word: u32,
    pub words: u32,
}

/// A tensor's content in the arena, from the step before which it is there to its last use.
#[derive(Clone, Copy, Debug)]
struct Life {
    place: usize,
    /// The step that writes it; `None` when it is uploaded.
    born: Option<usize>,
    last: usize,
}

impl Around {
    /// The number of the probe behind its last.
    fn end(&self) -> usize {
        self.number + self.before.len() + self.after.len()
    }
}

impl Watch {
    /// The probes for `recording`; tensors whose place is in `suspects` are looked at in
    /// every step of their lives.
    #[must_use]
    pub fn of(recording: &Recording, suspects: &BTreeSet<usize>) -> Self {
        let lives = lives(recording);
        let mut watch = Self::default();
        watch.begin(recording, &lives);
        for (index, step) in recording.steps.iter().enumerate() {
            watch.step(recording, &lives, suspects, index, step);
        }
        watch
    }

    /// Every probe in the order in which it is used.
    pub(crate) fn uses(&self) -> impl Iterator<Item = &Use> {
        let around = self.steps.iter();
        let around = around.flat_map(|around| around.before.iter().chain(&around.after));
        self.start.iter().chain(around)
    }

    fn begin(&mut self, recording: &Recording, lives: &[Life]) {
        let words = arena_words(recording);
        let shadow = Params {
            words,
            pattern: PATTERN,
            into: 1,
            ..Params::default()
        };
        let probe = Probe::Fill;
        self.start.push(Use {
            probe,
            params: shadow,
        });
        let diff = self.diff(words, PATTERN, 0, 0);
        self.start.push(diff);
        for life in lives.iter().filter(|life| life.born.is_none()) {
            let used = self.hash_first(recording, life);
            self.start.push(used);
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
        let ranges = length(self.table.len());
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
            let Region { word, words, .. } = output.region;
            let filled = !in_place(step, output);
            self.table
                .extend([word, word + words, if filled { 1 } else { 2 }]);
            if filled {
                around.before.push(fill(word, words, pattern));
            }
        }
        let count = (length(self.table.len()) - ranges) / 3;
        let alive = |life: &&Life| life.born < Some(index) && index <= life.last;
        for life in lives.iter().filter(alive) {
            let place = &recording.places[life.place];
            let seen = suspects.contains(&life.place) || declared_on(step, place);
            if seen && !given_up(step, index, life, place) {
                let params = Params {
                    pattern,
                    ranges,
                    count,
                    ..range(place)
                };
                around.after.push(self.look(life.place, index, params));
            }
        }
        let diff = self.diff(arena_words(recording), pattern, ranges, count);
        around.after.push(diff);
        for life in lives.iter().filter(|life| life.born == Some(index)) {
            let used = self.hash_first(recording, life);
            around.after.push(used);
        }
        for life in kept {
            around.after.extend(self.hash_last(recording, life));
        }
        self.share(recording, lives, index);
        self.steps.push(around);
    }

    /// Outputs of this step that share words.
    fn share(&mut self, recording: &Recording, lives: &[Life], step: usize) {
        let born: Vec<&Life> = lives.iter().filter(|x| x.born == Some(step)).collect();
        for (index, first) in born.iter().enumerate() {
            for second in &born[index + 1..] {
                let [a, b] = [first, second].map(|life| recording.places[life.place].region);
                let word = a.word.max(b.word);
                let end = a.end().min(b.end());
                let words = end.saturating_sub(u64::from(word));
                if let Some(words) = u32::try_from(words).ok().filter(|&words| words > 0) {
                    let place = first.place;
                    self.shared.push(Shared {
                        place,
                        step,
                        word,
                        words,
                    });
                }
            }
        }
    }

    fn slot(&mut self, words: u32) -> u32 {
        let slot = length(self.results);
        self.results += words as usize;
        slot
    }

    fn diff(&mut self, words: u32, pattern: u32, ranges: u32, count: u32) -> Use {
        let slot = self.slot(DIFF);
        self.diffs.push(slot);
        let params = Params {
            words,
            pattern,
            slot,
            ranges,
            count,
            ..Params::default()
        };
        let probe = Probe::Diff;
        Use { probe, params }
    }

    fn look(&mut self, place: usize, step: usize, params: Params) -> Use {
        let slot = self.slot(PAIR);
        self.looks.push(Look { place, step, slot });
        let params = Params { slot, ..params };
        let probe = Probe::Look;
        Use { probe, params }
    }

    fn hash_first(&mut self, recording: &Recording, life: &Life) -> Use {
        let first = self.slot(PAIR);
        let used_later = life.born != Some(life.last) && !recording.steps.is_empty();
        let last = used_later.then(|| self.slot(PAIR));
        let place = life.place;
        self.hashed.push(Hashed { place, first, last });
        hash(&recording.places[place], first)
    }

    fn hash_last(&self, recording: &Recording, life: &Life) -> Option<Use> {
        let mut hashed = self.hashed.iter();
        let hashed = hashed.find(|hashed| hashed.place == life.place)?;
        Some(hash(&recording.places[life.place], hashed.last?))
    }
}

/// What of the arena holds a tensor, and when.
fn lives(recording: &Recording) -> Vec<Life> {
    let end = recording.steps.len().saturating_sub(1);
    let inside = |x: &&Operand| x.region.space == Space::Arena && x.region.words > 0;
    let uploads = recording.uploads.iter();
    let uploads = uploads.filter(|x| matches!(x.origin, Origin::Input(_) | Origin::Zeros));
    let uploaded = uploads.map(|x| &x.operand).filter(inside);
    let uploaded: BTreeSet<&str> = uploaded.map(|x| x.name.as_str()).collect();
    let mut written = BTreeMap::new();
    for (step, recorded) in recording.steps.iter().enumerate() {
        for output in recorded.writes.iter().filter(inside) {
            written.entry(output.name.as_str()).or_insert(step);
        }
    }
    let mut lives = Vec::new();
    for (index, place) in recording.places.iter().enumerate() {
        let uploaded = uploaded.contains(place.name.as_str());
        let born = written.get(place.name.as_str()).copied();
        let last = (place.last as usize).min(end);
        if uploaded || born.is_some_and(|born| born <= last) {
            let born = born.filter(|_| !uploaded);
            let place = index;
            lives.push(Life { place, born, last });
        }
    }
    lives
}

/// What a step writes in the arena.
fn written(step: &RecordedStep) -> impl Iterator<Item = &Operand> {
    let inside = |x: &&Operand| x.region.space == Space::Arena && x.region.words > 0;
    step.writes.iter().filter(inside)
}

/// Whether an output lies exactly where an input does, as the step may.
fn in_place(step: &RecordedStep, output: &Operand) -> bool {
    let alias = step.dispatches.is_empty();
    step.reads.iter().any(|input| {
        let exact = input.region == output.region && (alias || step.in_place);
        exact || alias && input.region.word == output.region.word
    })
}

/// Whether the step may write over a tensor that it reads last.
fn given_up(step: &RecordedStep, index: usize, life: &Life, place: &Place) -> bool {
    let mut outputs = written(step);
    life.last == index
        && step.reads.iter().any(|input| input.name == place.name)
        && outputs.any(|output| output.region.word == place.region.word && in_place(step, output))
}

/// Whether a declared output of a step lies on another tensor.
fn declared_on(step: &RecordedStep, place: &Place) -> bool {
    written(step).any(|x| x.name != place.name && x.region.overlaps(place.region))
}

/// What fills the outputs of a step before it.
fn pattern(step: usize) -> u32 {
    PATTERN | (length(step).wrapping_add(1) & 0xf_ffff)
}

fn fill(first: u32, words: u32, pattern: u32) -> Use {
    let params = Params {
        first,
        words,
        pattern,
        ..Params::default()
    };
    let probe = Probe::Fill;
    Use { probe, params }
}

fn hash(place: &Place, slot: u32) -> Use {
    let params = Params {
        slot,
        ..range(place)
    };
    let probe = Probe::Hash;
    Use { probe, params }
}

fn range(place: &Place) -> Params {
    Params {
        first: place.region.word,
        words: place.region.words,
        ..Params::default()
    }
}

fn arena_words(recording: &Recording) -> u32 {
    // Lowering refuses arenas that a device cannot bind, which are below 2^32 words.
    u32::try_from(recording.arena.0 / WORD).unwrap_or(u32::MAX)
}

fn length(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}
