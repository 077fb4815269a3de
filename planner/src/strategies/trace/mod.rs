//! The decision trace of a strategy: its decisions one by one, as data, so that the picture at
//! any of them can be drawn again and be explained in words.
//!
//! ```text
//!  events ─Recorder─▶ Trace ─Picture─▶ what lies where at step n ─survey─▶ why
//! ```
//! A trace is bounded ([`Limits`]): beyond 10⁵ decisions only every second, then every fourth, … is
//! kept. What happened between two kept decisions is merged into the later one, so that the
//! picture at a kept decision is always the true one.

mod finish;
mod changes;
mod considered;
mod picture;
mod ranges;
mod recorder;
mod refusals;
mod sharing;
pub(crate) mod survey;

use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use super::{Choice, Ended, Note, Pooling, Refusal, Rule, Stop, Trial};
use crate::plan::Pool;
use crate::units::{Bytes, Offset, narrow};

pub use picture::{BufferPlace, Layout, Picture, Range};
pub use recorder::Recorder;

/// The most reasons that one decision keeps.
pub const REASONS: usize = 16;

/// How much a trace keeps at most. What goes beyond is thinned out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Decisions.
    pub frames: usize,
    /// Changes of the picture, 24 bytes each; four for each buffer are kept in any case.
    pub changes: usize,
    /// Reasons, 48 bytes each.
    pub reasons: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            frames: 100_000,
            changes: 1 << 21,
            reasons: 1 << 19,
        }
    }
}

/// The recorded decisions of one strategy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trace {
    /// How many decisions were made.
    pub decisions: u64,
    /// `Some(k)` when only every k-th decision was kept, and the last.
    pub sampled: Option<u64>,
    /// The pools that were planned for; none for one memory without a limit.
    pub pools: Vec<Pool>,
    /// What an allocator took from the device in the end, if it takes memory in segments.
    pub reserved: Option<Bytes>,
    /// No plan of offsets is smaller than this, as the strategy proved.
    pub proved: Option<Bytes>,
    frames: Vec<Frame>,
    reasons: Vec<Reason>,
    changes: Vec<Change>,
}

/// One kept decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Frame {
    /// Its number among all decisions, from 1 up.
    pub decision: u64,
    /// What was decided.
    pub outcome: Outcome,
    /// Where the place was sought and what was taken, where the strategy says so.
    pub choice: Option<Choice>,
    /// Free ranges and objects that were not taken either, beyond those that are kept.
    pub unlisted: u32,
    /// Ends, exclusive, of its reasons and its changes; they begin where those of the frame
    /// before end.
    ends: (u32, u32),
}

/// What was decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outcome {
    /// A buffer was put at an address.
    Placed {
        /// Index of the buffer.
        buffer: usize,
        /// Where.
        offset: Offset,
    },
    /// A placed buffer is elsewhere now.
    Moved {
        /// Index of the buffer.
        buffer: usize,
        /// Where it was.
        from: Offset,
        /// Where it is.
        to: Offset,
    },
    /// A placed buffer was taken up again.
    Unplaced {
        /// Index of the buffer.
        buffer: usize,
        /// Where it was.
        from: Option<Offset>,
    },
    /// A shared object was opened.
    Opened {
        /// Index of the buffer that it was opened for; `None` when nothing was put into it
        /// at once.
        buffer: Option<usize>,
        /// Index of the object.
        object: usize,
        /// Its size.
        size: Bytes,
    },
    /// A shared object was made larger.
    Grown {
        /// Index of the buffer that it was made larger for; `None` when nothing was put into
        /// it at once.
        buffer: Option<usize>,
        /// Index of the object.
        object: usize,
        /// Bytes before.
        from: Bytes,
        /// Bytes now.
        to: Bytes,
    },
    /// A buffer was given to a shared object as it is.
    Assigned {
        /// Index of the buffer.
        buffer: usize,
        /// Index of the object.
        object: usize,
    },
    /// A new attempt begins, with nothing placed; where nothing of it is reported, the picture
    /// stays.
    Attempt {
        /// Number of the attempt, from 0 up.
        attempt: u32,
        /// What it tries.
        trial: Trial,
    },
    /// An attempt led to no smaller plan.
    Ended {
        /// How it ended.
        how: Ended,
    },
    /// Pools are filled.
    Pooling(Pooling),
    /// The search gave a branch up.
    Pruned {
        /// By which rule.
        rule: Rule,
        /// Buffers placed.
        depth: usize,
        /// Where, and by which numbers.
        stop: Stop,
    },
    /// A whole plan was found that is smaller than all before: it is the picture.
    Incumbent {
        /// Its arena.
        arena: Bytes,
    },
    /// No plan of offsets has a smaller arena.
    Proved {
        /// Bytes.
        bound: Bytes,
    },
    /// This is the plan.
    Finished {
        /// Its arena.
        arena: Bytes,
    },
}

/// Something that was considered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reason {
    /// A free range between placed buffers, or a free block.
    FreeRange {
        /// Its first byte.
        from: Offset,
        /// Its bytes; `None` for the open range above everything.
        size: Option<Bytes>,
        /// Why not there.
        why: Refusal,
    },
    /// A shared object.
    Object {
        /// Index of the object.
        object: usize,
        /// Why not that one.
        why: Refusal,
    },
    /// Something else that is known.
    Note(Note),
}

/// What changes in the picture; later changes of the same thing replace earlier ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Change {
    /// Nothing is placed any more, and there is no object.
    Clear,
    /// A buffer lies at this address.
    At(u32, Offset),
    /// A buffer lies in this object.
    In(u32, u32),
    /// A buffer lies nowhere.
    Out(u32),
    /// An object is this large.
    Object(u32, Bytes),
    /// A range of addresses was opened in a pool: its first byte, and its bytes.
    Range(u16, u32, Offset, Bytes),
    /// A range of a pool is no more.
    Closed(u16, u32),
    /// A buffer belongs to this pool; at first all belong to the first.
    Pool(u32, u32),
    /// A pool begins at this address.
    Base(u32, Offset),
}

impl Outcome {
    /// The buffer that it is about, if it is about one.
    #[must_use]
    pub fn buffer(&self) -> Option<usize> {
        match *self {
            Self::Placed { buffer, .. }
            | Self::Moved { buffer, .. }
            | Self::Unplaced { buffer, .. }
            | Self::Pooling(Pooling::Sent { buffer, .. })
            | Self::Assigned { buffer, .. } => Some(buffer),
            Self::Opened { buffer, .. } | Self::Grown { buffer, .. } => buffer,
            Self::Attempt { .. }
            | Self::Ended { .. }
            | Self::Pooling(_)
            | Self::Pruned { .. }
            | Self::Incumbent { .. }
            | Self::Proved { .. }
            | Self::Finished { .. } => None,
        }
    }
}

impl Reason {
    /// Whether it says no more than that something is too small or taken.
    fn is_dull(&self) -> bool {
        match self {
            Self::FreeRange { why, .. } | Self::Object { why, .. } => {
                matches!(why, Refusal::TooSmall | Refusal::Busy { .. })
            }
            Self::Note(note) => matches!(note, Note::Full { .. } | Note::InUse { .. }),
        }
    }

    /// Whether it says something of the decision itself: there are few of these.
    fn is_of_the_decision(&self) -> bool {
        matches!(self, Self::Note(_)) && !self.is_dull()
    }
}

impl Trace {
    /// The kept decisions, in order.
    #[must_use]
    pub fn frames(&self) -> &[Frame] {
        &self.frames
    }

    /// What was considered and not taken at kept decision `frame`.
    #[must_use]
    pub fn reasons(&self, frame: usize) -> &[Reason] {
        let ends = |frame: &Frame| frame.ends.0;
        part(&self.frames, &self.reasons, frame, ends)
    }

    fn changes(&self, frame: usize) -> &[Change] {
        let ends = |frame: &Frame| frame.ends.1;
        part(&self.frames, &self.changes, frame, ends)
    }

    /// Adds a frame with its reasons and changes.
    fn push(
        &mut self,
        frame: Frame,
        reasons: impl IntoIterator<Item = Reason>,
        changes: impl IntoIterator<Item = Change>,
    ) {
        self.reasons.extend(reasons);
        self.changes.extend(changes);
        let ends = (narrow(self.reasons.len()), narrow(self.changes.len()));
        self.frames.push(Frame { ends, ..frame });
    }
}

/// The items of one frame; none for a frame that is not there, or one of a trace that was
/// spoiled on its way.
fn part<'a, T>(
    frames: &[Frame],
    items: &'a [T],
    frame: usize,
    end: impl Fn(&Frame) -> u32,
) -> &'a [T] {
    let Some(last) = frames.get(frame).map(&end) else {
        return &[];
    };
    let first = frame.checked_sub(1).and_then(|before| frames.get(before));
    let first = first.map_or(0, end);
    items.get(first as usize..last as usize).unwrap_or_default()
}
