//! Chrome traces that say where tensors lie. One of PyTorch's profiler has memory events
//! (`profiler.rs`). Others are no traces of time: `ExecuTorch`'s memory profile and ONNX
//! Runtime's both draw a tensor as an event that begins at its offset and takes as long as it
//! has bytes. Each row of the viewer, a thread, is a moment; each process an arena.
//!
//! So a tensor is one event per step at which it lives, and its lifetime is put together from
//! them. `ExecuTorch` lists every step. ONNX Runtime lists those at which something begins or
//! ends, and of some arenas only the fullest; a tensor lives from the first to the last.

mod events;
mod frames;
mod profiler;

use std::collections::{BTreeMap, BTreeSet};

use super::Dump;
use super::draft::{Draft, Row};
use super::line::{MAX_ARENAS, alignment};
use crate::deployed::{Arena, Deployed, Gathered, Note};
use crate::load::text::BYTE_ORDER_MARK;
use crate::load::{Fault, LoadError, Source, Warning, text};
use crate::sorting::Sorting as _;
use crate::units::Span;
use crate::{Message, message};
use events::{Live, Maker, Tensor, Trace, listed};
use frames::stack;

/// What `ExecuTorch` aligns every tensor to.
const ALIGNMENT: u64 = 16;

/// Whether a file that begins with `head` is a Chrome trace of any kind.
pub(in crate::load) fn sniff(head: &[u8]) -> bool {
    let head = head.strip_prefix(BYTE_ORDER_MARK).unwrap_or(head);
    let begin = head.iter().filter(|byte| !byte.is_ascii_whitespace());
    let begin: Vec<u8> = begin.copied().take(4096).collect();
    let object = begin.starts_with(b"{") && super::line::holds(&begin, b"\"traceEvents\":");
    let array = begin.starts_with(b"[{") && super::line::holds(&begin, b"\"ph\":");
    object || array
}

/// Reads it.
///
/// # Errors
/// See [`LoadError`]; [`Fault::Unsupported`] for a trace of time, and for one that does not
/// say offsets or steps.
pub(in crate::load) fn read(source: &dyn Source) -> Dump {
    let text = text::read(source)?;
    let trace = Trace::parse(&text)?;
    drop(text);
    if !trace.moments.is_empty() && trace.tensors.is_empty() {
        return profiler::read(trace);
    }
    let maker = trace.maker()?;
    if maker == Maker::Executorch && trace.stacked && moves(&trace) {
        return Err(unsupported(message!(
            "it has sizes but no offsets: export it with enable_memory_offsets=True"
        )));
    }
    let count = trace.tensors.len();
    if count > MAX_ARENAS {
        return Err(Fault::Limit.at(
            Message::verbatim("pid"),
            message!("{} arenas, of which we read at most {}", count, MAX_ARENAS),
        ));
    }
    let mut warnings = Vec::new();
    if trace.others > 0 {
        warnings.push(Warning::new(
            Message::verbatim("traceEvents"),
            message!(
                "event is no tensor and is left out" | "events are no tensors and are left out",
                trace.others
            ),
        ));
    }
    if maker == Maker::OnnxRuntime {
        warnings.push(Warning::new(
            Message::verbatim("tid"),
            message!(
                "ONNX Runtime lists only some steps: a tensor is shown from the first to \
                 the last at which it is listed"
            ),
        ));
    }
    // ExecuTorch lists every step, if only in one of its arenas.
    let every = (maker == Maker::Executorch)
        .then(|| listed(trace.tensors.values().flat_map(BTreeMap::values)));
    let (mut arenas, mut stacks) = (Vec::new(), Gathered::default());
    for (pid, tensors) in trace.tensors {
        let name = trace.names.get(&pid);
        let name = match name {
            Some(name) => Message::verbatim(name),
            None => message!("memory {}", pid),
        };
        let own = match every {
            Some(_) => Vec::new(),
            None => listed(tensors.values()),
        };
        let steps = every.as_deref().unwrap_or(&own);
        one_step_each(&name, &tensors, steps)?;
        let draft = draft(name, maker, tensors, steps, &mut stacks)?;
        arenas.push(arena(draft, &mut warnings)?);
    }
    let deployed = Deployed {
        toolchain: maker.name().into(),
        arenas,
        stacks: stacks.finish(),
        ..Deployed::default()
    };
    Ok((deployed, warnings))
}

fn unsupported(message: Message) -> LoadError {
    Fault::Unsupported.at(Message::verbatim("traceEvents"), message)
}

/// Whether some tensor is drawn at several offsets.
fn moves(trace: &Trace) -> bool {
    let mut offsets: BTreeMap<(u64, &str, u64), u64> = BTreeMap::new();
    let all = trace.tensors.iter();
    let mut all = all.flat_map(|(pid, tensors)| tensors.keys().map(move |it| (*pid, it)));
    all.any(|(pid, it)| {
        let first = offsets.entry((pid, &it.name, it.size)).or_insert(it.offset);
        *first != it.offset
    })
}

/// Refuses an arena in which each thread is a tensor: then nothing says the steps.
fn one_step_each(
    name: &Message,
    tensors: &BTreeMap<Tensor, Live>,
    steps: &[u64],
) -> Result<(), LoadError> {
    let alone = tensors.values().all(|live| live.steps.len() == 1);
    let mut seen = BTreeSet::new();
    let apart = tensors
        .values()
        .flat_map(|live| &live.steps)
        .all(|step| seen.insert(*step));
    if alone && apart && tensors.len() > 1 && steps.len() > 1 {
        return Err(unsupported(message!(
            "each thread of {} has one tensor that no other thread has: nothing tells when \
             the tensors live",
            name
        )));
    }
    Ok(())
}

/// The arena of `tensors`, of which the trace lists `steps`.
fn draft(
    name: Message,
    maker: Maker,
    tensors: BTreeMap<Tensor, Live>,
    steps: &[u64],
    stacks: &mut Gathered,
) -> Result<Draft, LoadError> {
    let mut rows = Vec::new();
    for (tensor, live) in tensors {
        for span in runs(&live.steps, steps) {
            rows.push(Row {
                name: tensor.name.clone(),
                size: tensor.size,
                span,
                offset: tensor.offset,
                alignment: match maker {
                    Maker::Executorch => alignment(tensor.offset, ALIGNMENT),
                    Maker::OnnxRuntime => 1,
                },
                note: Note {
                    op: live.op.clone(),
                    stack: stack(&live.stack, stacks),
                    ..Note::default()
                },
                ..Row::default()
            });
        }
    }
    // In the order of time, as every other format has them.
    rows.order_by_key(|row| row.span);
    let mut draft = Draft::new(name, maker.name());
    for row in rows {
        let place = row.name.clone();
        draft.push(|| Message::verbatim(&place), row)?;
    }
    Ok(draft)
}

fn arena(mut draft: Draft, warnings: &mut Vec<Warning>) -> Result<Arena, LoadError> {
    draft.merge_aliases();
    draft.finish(warnings)
}

/// The spans that the steps `live` make, where `listed` are all that the arena has.
fn runs(live: &BTreeSet<u64>, listed: &[u64]) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    let mut next = None;
    for &step in live {
        match spans.last_mut() {
            Some(span) if next == Some(step) => span.end.0 = step + 1,
            _ => spans.push(Span::new(step, step + 1)),
        }
        let after = listed.partition_point(|&it| it <= step);
        next = listed.get(after).copied();
    }
    spans
}
