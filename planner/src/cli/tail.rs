//! The arena that TFLite Micro is to be given: a plan, and what it keeps beside every plan.

use std::fmt::Write;
use std::path::Path;

use planner::graph::{Bindings, infer};
use planner::load::{Format, tflite_subgraphs};
use planner::tail::{Tail, tail};
use planner::{Bytes, Io, message};
use serde_json::{Value, json};

use super::file::{FileSource, PIPED};
use super::plans::Timed;
use super::{Input, Opened, warn};

/// The tail of the model that `opened` is; `None` for other files and runtimes.
pub(super) fn of(input: &Input, opened: &Opened) -> Option<Tail> {
    let [path] = input.files.as_slice() else {
        return None;
    };
    let asked = opened.io == Io::Tflm && opened.format == Format::Tflite;
    // What is piped in cannot be read twice, and what is packed is not this file.
    if !asked || path.as_path() == Path::new(PIPED) {
        return None;
    }
    of_file(path, &opened.name)
}

/// The tail of the TFLite model at `path`, which messages call `name`.
pub(super) fn of_file(path: &Path, name: &str) -> Option<Tail> {
    let source = FileSource::open(path).ok()?;
    let mut subgraphs = match tflite_subgraphs(&source) {
        Ok(subgraphs) => subgraphs,
        Err(error) => {
            let message = format!("what TFLite Micro keeps beside a plan is not known: {error}");
            warn(&format!("{name}: {message}"));
            return None;
        }
    };
    for graph in &mut subgraphs {
        infer(graph, &Bindings::new());
    }
    let tail = tail(&subgraphs);
    if tail.is_none() {
        let message = "what TFLite Micro keeps beside a plan is beyond 64 bits";
        warn(&format!("{name}: {message}"));
    }
    tail
}

/// In words: the arena for the smallest of these plans and for TFLite Micro's own, and the parts.
pub(super) fn table(tail: &Tail, plans: &[Timed]) -> String {
    let plans = plans.iter();
    let heads = plans.map(|it| (it.name.as_str(), it.judged.metrics.taken()));
    of_heads(tail, &heads.collect::<Vec<_>>())
}

/// The same of what plans of these names take.
pub(super) fn of_heads(tail: &Tail, plans: &[(&str, Bytes)]) -> String {
    let known = match tail.unknown.is_empty() && tail.others == 0 {
        true => "",
        false => "at least, ",
    };
    let mut text = String::from(
        "the arena to give TFLite Micro, with what it keeps beside a plan (modelled: reference \
         kernels, pointers of 8 bytes; with 4 bytes it is less)\n",
    );
    let smallest = plans.iter().min_by_key(|(_, head)| *head);
    let own = plans.iter().find(|(name, _)| *name == "tflm_greedy");
    let own = own.filter(|own| smallest.is_none_or(|it| it.0 != own.0));
    for &(plan, head) in smallest.into_iter().chain(own) {
        let Some(Bytes(total)) = tail.arena(head) else {
            continue;
        };
        let (head, beside) = (head.0, tail.bytes.0);
        let _ = write!(
            text,
            "{total:>15}  {known}with {plan}: {head} of the plan, {beside} beside it"
        );
        let sum = head.saturating_add(beside);
        if total > sum {
            let _ = write!(text, "; {} more while it plans", total - sum);
        }
        text.push('\n');
    }
    for (what, bytes) in &tail.parts {
        let _ = writeln!(text, "{:>15}  {}", bytes.0, what.says());
    }
    if tail.others > 0 {
        let others = message!("other subgraph" | "other subgraphs", tail.others);
        let _ = writeln!(
            text,
            "the tensors of {others} lie in the same arena, which no plan here has"
        );
    }
    if !tail.unknown.is_empty() {
        let kinds = tail.unknown.join(", ");
        let _ = writeln!(text, "what kernels of these keep is not known: {kinds}");
    }
    if !tail.custom.is_empty() {
        let kinds = tail.custom.join(", ");
        let _ = writeln!(
            text,
            "nor is the working memory that custom ones ask for, which no plan here has: {kinds}"
        );
    }
    text += "the working memory of kernels is that of the reference kernels: those made for a \
             target (CMSIS-NN, Xtensa, ARC) ask for something else\n";
    text
}

/// What a file does not tell of what its runtime needs beside the plan.
pub(super) fn untold(format: Format) -> &'static str {
    match format {
        Format::Executorch => {
            "beside these memories ExecuTorch needs its method allocator (values, operators, \
             delegates) and temporary memory of kernels, which the file does not tell: the runner \
             for Arm logs both (method_allocator_used, temp_allocator)\n"
        }
        Format::Tflm => {
            "beside the plan TFLite Micro keeps its tail, which this log does not tell: \
             RecordingMicroAllocator prints it\n"
        }
        _ => "",
    }
}

/// The same for programs.
pub(super) fn json(tail: &Tail) -> Value {
    let parts = tail
        .parts
        .iter()
        .map(|(what, bytes)| json!({"what": what, "bytes": bytes}));
    json!({
        "modelled": true,
        "pointer_bytes": 8,
        "kernels": "reference",
        "tail": tail.bytes,
        "parts": parts.collect::<Vec<_>>(),
        "planning": tail.planning,
        "other_subgraphs": tail.others,
        "unknown": tail.unknown,
        "custom": tail.custom,
    })
}
