//! Stacks of source lines, each once: a million allocations have a few thousand of them.

use std::collections::BTreeMap;

use crate::units::narrow;
use serde::{Deserialize, Serialize};

/// A line of source.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Frame {
    /// The function.
    pub function: String,
    /// The file.
    pub file: String,
    /// The line, from 1; 0 where it is not known.
    pub line: u32,
}

/// Stacks and the lines of source that they lead through.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stacks {
    /// The lines of source, each once.
    pub frames: Vec<Frame>,
    /// Every stack once, innermost frame first, by index into `frames`. The first is empty, and
    /// what is not there counts as empty, too.
    pub stacks: Vec<Vec<u32>>,
}

impl Stacks {
    /// The frames of a stack, innermost first, by index.
    #[must_use]
    pub fn indices(&self, stack: u32) -> &[u32] {
        let stack = self.stacks.get(stack as usize);
        stack.map_or(&[], Vec::as_slice)
    }

    /// The frames of a stack, innermost first.
    pub fn frames_of(&self, stack: u32) -> impl DoubleEndedIterator<Item = &Frame> {
        let indices = self.indices(stack).iter();
        indices.filter_map(|&frame| self.frames.get(frame as usize))
    }
}

/// Stacks as they are read.
#[derive(Clone, Debug)]
pub(crate) struct Gathered {
    stacks: Stacks,
    known_frames: BTreeMap<Frame, u32>,
    known_stacks: BTreeMap<Vec<u32>, u32>,
}

impl Default for Gathered {
    fn default() -> Self {
        Self {
            stacks: Stacks {
                frames: Vec::new(),
                stacks: vec![Vec::new()],
            },
            known_frames: BTreeMap::new(),
            known_stacks: BTreeMap::from([(Vec::new(), 0)]),
        }
    }
}

impl Gathered {
    /// The index of a frame.
    pub(crate) fn frame(&mut self, frame: Frame) -> u32 {
        if let Some(&known) = self.known_frames.get(&frame) {
            return known;
        }
        let new = self.new_frame(frame.clone());
        self.known_frames.insert(frame, new);
        new
    }

    /// The index of a frame that is known to be new.
    pub(crate) fn new_frame(&mut self, frame: Frame) -> u32 {
        self.stacks.frames.push(frame);
        last(self.stacks.frames.len())
    }

    /// The index of a stack of frames, innermost first.
    pub(crate) fn stack(&mut self, frames: Vec<u32>) -> u32 {
        if let Some(&known) = self.known_stacks.get(&frames) {
            return known;
        }
        self.stacks.stacks.push(frames.clone());
        let new = last(self.stacks.stacks.len());
        self.known_stacks.insert(frames, new);
        new
    }

    /// How many frames there are.
    pub(crate) fn frames(&self) -> usize {
        self.stacks.frames.len()
    }

    /// All that was gathered.
    pub(crate) fn finish(self) -> Stacks {
        self.stacks
    }
}

/// The index of the last of so many.
fn last(count: usize) -> u32 {
    narrow(count - 1)
}
