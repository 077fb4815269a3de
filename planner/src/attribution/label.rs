//! What a buffer is called where people read it: the line that made it, where the file says that,
//! in place of a name that is only an address.

use super::{Caller, Phase, called, caller_of};
use crate::deployed::{Note, Stacks};
use crate::liveness::Buffer;
use crate::units::Step;

/// Of a buffer that was there before the recording, of which the file has no stack.
pub const BEFORE_RECORDING: &str = "before recording";

/// Of a buffer that the backward pass made on a thread of its own, which has no Python.
pub const AUTOGRAD: &str = "autograd";

/// The line of the program that made a buffer, and the operator:
/// `forward (model.py:34), addmm`; the source that a compiler names; empty where the file says
/// neither.
#[must_use]
pub fn line(note: &Note, stacks: &Stacks) -> String {
    let source = || {
        let value = note.value.as_ref();
        value.map(|it| it.source.clone()).unwrap_or_default()
    };
    if note.stack == 0 {
        return source();
    }
    let caller = caller_of(stacks, note.stack);
    let frame = caller.frame.and_then(|it| stacks.frames.get(it as usize));
    let place = match frame {
        Some(frame) => called(frame),
        None => without_python(&caller, note, stacks),
    };
    let parts = [place.as_str(), caller.operator.as_str()];
    let parts: Vec<&str> = parts.into_iter().filter(|it| !it.is_empty()).collect();
    parts.join(", ")
}

/// A stack without Python is autograd's where it runs a node of the backward pass; the file may
/// know the line of the forward pass that the node belongs to.
fn without_python(caller: &Caller, note: &Note, stacks: &Stacks) -> String {
    if caller.phase != Some(Phase::Backward) {
        return String::new();
    }
    forward(note, stacks).unwrap_or_else(|| AUTOGRAD.to_owned())
}

/// That autograd made it for a line of the forward pass, where the file says that line.
pub(crate) fn forward(note: &Note, stacks: &Stacks) -> Option<String> {
    let frame = caller_of(stacks, note.forward).frame?;
    let frame = stacks.frames.get(frame as usize)?;
    Some(format!("{AUTOGRAD} of {}", called(frame)))
}

/// What a buffer is called: its line in place of a name that is an address, and behind any other
/// name.
#[must_use]
pub fn label(buffer: &Buffer, note: Option<&Note>, stacks: &Stacks) -> String {
    let line = note.map(|note| line(note, stacks)).unwrap_or_default();
    match (line.is_empty(), is_address(&buffer.name)) {
        (true, true) if buffer.span.start == Step(0) => {
            format!("{BEFORE_RECORDING}, {}", buffer.name)
        }
        (true, _) => buffer.name.clone(),
        (false, true) => line,
        (false, false) => format!("{}, {line}", buffer.name),
    }
}

/// Whether a name is an address and a number, `b32a0888800_0`: what PyTorch's own viewer calls a
/// block.
pub(crate) fn is_address(name: &str) -> bool {
    let parts = name.strip_prefix('b').and_then(|it| it.split_once('_'));
    parts.is_some_and(|(address, version)| {
        let hex = address.bytes().all(|it| it.is_ascii_hexdigit());
        let number = version.bytes().all(|it| it.is_ascii_digit());
        !address.is_empty() && !version.is_empty() && hex && number
    })
}
