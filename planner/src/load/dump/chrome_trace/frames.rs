//! The Python stacks that `ExecuTorch` gives as text.

use crate::deployed::{Frame, Gathered};

/// The number of a stack that is written as Python does, outermost first.
pub(super) fn stack(text: &str, stacks: &mut Gathered) -> u32 {
    let frames = text.lines().rev().filter_map(frame);
    let frames = frames.map(|frame| stacks.frame(frame)).collect();
    stacks.stack(frames)
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
