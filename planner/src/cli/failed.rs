//! The request that failed in a trace: what a report on it begins with. Sizes are bytes.

use planner::Subject;
use planner::attribution::{Owner, called, owner};
use planner::deployed::Frame;
use planner::space::{Failure, Misfit};
use serde_json::{Value, json};

use super::report::shown;

/// Why it did not fit, as files have it.
fn word(why: Misfit) -> &'static str {
    match why {
        Misfit::Device => "device",
        Misfit::Live => "live",
        Misfit::Limit => "limit",
        Misfit::Elsewhere => "elsewhere",
        Misfit::Pieces => "pieces",
    }
}

/// Why it did not fit.
fn why(failure: &Failure) -> String {
    let needs = failure.live.0.saturating_add(failure.asked.0);
    let capacity = failure.capacity().0;
    match failure.why {
        Misfit::Device => format!("it is more than the {capacity} that the program can have"),
        Misfit::Live => format!(
            "with the {} in use it needs {needs}, {} more than there are",
            failure.live.0,
            needs.saturating_sub(capacity)
        ),
        Misfit::Limit => "the device had room: a limit of the program's own forbade it \
                          (torch.cuda.set_per_process_memory_fraction)"
            .into(),
        Misfit::Elsewhere => format!(
            "{needs} with what is in use would fit, but much of what is free lies in other pools \
             or for other streams, which share no free blocks"
        ),
        Misfit::Pieces => format!(
            "{needs} with what is in use would fit, but what is free lies in segments that cannot \
             go back to the device while blocks lie in them (fragmentation)"
        ),
    }
}

/// The line that asked: of the program, else of a library.
fn caller(subject: &Subject) -> Option<Frame> {
    let stack = subject.refused.last()?.stack;
    let frames: Vec<&Frame> = subject.stacks.frames_of(stack).collect();
    let first = |by: Owner| frames.iter().copied().find(|frame| owner(frame) == by);
    first(Owner::Program)
        .or_else(|| first(Owner::Library))
        .cloned()
}

/// Its lines; nothing where every request was met.
pub(super) fn said(subject: &Subject) -> String {
    let Some(failure) = subject.failure() else {
        return String::new();
    };
    let by = caller(subject).map(|it| format!(" in {}", shown(&called(&it))));
    let free = failure.free;
    let others = match subject.refused.len() {
        0 | 1 => String::new(),
        all => format!(" (the last of {all} such requests)"),
    };
    format!(
        "out of memory at step {}{others}: {} asked for{}, {} free on the device; {} reserved, of which {} \
         free, the largest block {}; together the program can have {} (what others hold of the device \
         is not in the file): {}\n",
        failure.step.0,
        failure.asked.0,
        by.unwrap_or_default(),
        failure.device_free.0,
        failure.reserved.0,
        free.free.0,
        free.largest_for_it.0,
        failure.capacity().0,
        why(&failure)
    )
}

/// The same as JSON; null where every request was met.
pub(super) fn json(subject: &Subject) -> Value {
    let Some(failure) = subject.failure() else {
        return Value::Null;
    };
    json!({
        "step": failure.step.0,
        "asked": failure.asked.0,
        "by": caller(subject).map(|it| called(&it)),
        "device_free": failure.device_free.0,
        "capacity": failure.capacity().0,
        "reserved": failure.reserved.0,
        "live": failure.live.0,
        "free": failure.free.free.0,
        "largest_free": failure.free.largest_for_it.0,
        "why": word(failure.why),
        "requests": subject.refused.len(),
    })
}

/// Errors stay on one line, whatever names of the file they quote.
pub(super) fn one_line(text: &str) -> String {
    let text = text.strip_prefix("error: ").unwrap_or(text);
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join(" · ")
}
