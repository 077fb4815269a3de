//! The Python stacks that `ExecuTorch` gives as text.

use std::collections::BTreeMap;

use crate::deployed::Frame;
use crate::sorting::Sorting as _;

/// Every frame once, by the order in which it was first met.
#[derive(Default)]
pub(super) struct Frames {
    indices: BTreeMap<Frame, u32>,
}

impl Frames {
    /// The frames of a stack that is written as Python does, outermost first; innermost first.
    pub(super) fn of(&mut self, stack: &str) -> Vec<u32> {
        let frames = stack.lines().rev().filter_map(frame);
        let indices = frames.map(|frame| {
            let next = u32::try_from(self.indices.len()).unwrap_or(u32::MAX);
            *self.indices.entry(frame).or_insert(next)
        });
        indices.collect()
    }

    pub(super) fn into_list(self) -> Vec<Frame> {
        let mut frames: Vec<(u32, Frame)> = self
            .indices
            .into_iter()
            .map(|(frame, index)| (index, frame))
            .collect();
        frames.order();
        frames.into_iter().map(|(_, frame)| frame).collect()
    }
}

/// The frame of a line such as `File "net.py", line 12, in forward`.
fn frame(line: &str) -> Option<Frame> {
    let rest = line.trim().strip_prefix("File \"")?;
    let (file, rest) = rest.split_once("\", line ")?;
    let (number, function) = rest.split_once(", in ").unwrap_or((rest, ""));
    Some(Frame {
        function: function.trim().to_owned(),
        file: file.to_owned(),
        line: number.trim().parse().ok()?,
    })
}
