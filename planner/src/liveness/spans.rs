//! Program → lifetimes: the residencies of its storages as buffers, sized and named.

use super::dependencies::Dependencies;
use super::limit::{TooLarge, admit};
use super::residencies::{Residencies, Stay, stays};
use super::scratch::scratch;
use super::{Buffer, Lifetimes, aliases, colors, parallel, profile, tflm, unwaiting};
use crate::graph::Op;
use crate::program::Program;
use crate::settings::{Io, Parallel, Settings};
use crate::sorting::Sorting as _;
use crate::storage::{StorageId, StorageKind};
use crate::units::{Bytes, Span, Step};

/// The lifetimes of a program whose graph is sized and whose roles are final.
///
/// An intermediate that no operator reads is live during the step that writes it. Buffers stand in
/// order of first use, ties in the order of storages. A schedule that does more than compute
/// runs one step after the other, whatever `settings` say.
///
/// # Errors
/// [`TooLarge`] when all sizes together reach [`LIMIT`](super::LIMIT).
pub fn lifetimes(program: &Program, settings: &Settings) -> Result<Lifetimes, TooLarge> {
    let dependencies = Dependencies::of(&program.graph, &program.schedule);
    let parallel = match program.schedule.only_computes() {
        true => settings.parallel,
        false => Parallel::Serial,
    };
    let mut ways = parallel::windows(program, &dependencies, parallel).into_iter();
    let working = match settings.io {
        Io::Tflm => of_tflm,
        _ => no_more,
    };
    let way = |windows: Vec<Span>| live(program, settings, &windows, working);
    let mut best = way(ways.next().unwrap_or_default())?;
    for windows in ways {
        let other = way(windows)?;
        if peak(&other) < peak(&best) {
            best = other;
        }
    }
    best.colors = colors::colors(&dependencies);
    if parallel != Parallel::Serial {
        let edges = parallel::waits(program, &dependencies, parallel);
        // A bound without what kernels request holds with it too.
        let mut of_tensors = best.clone();
        of_tensors.buffers.retain(|it| it.storage.is_some());
        best.unwaiting = unwaiting::antichain((program, settings.io), &of_tensors, &edges);
    }
    Ok(best)
}

/// [`lifetimes`] where operators run one after the other, and not in TFLite Micro. Code that calls
/// nothing else carries neither.
pub(crate) fn lifetimes_in_order(
    program: &Program,
    settings: &Settings,
) -> Result<Lifetimes, TooLarge> {
    let dependencies = Dependencies::of(&program.graph, &program.schedule);
    let windows = parallel::one_by_one(program);
    let mut lifetimes = live(program, settings, &windows, no_more)?;
    lifetimes.colors = colors::colors(&dependencies);
    Ok(lifetimes)
}

/// Adds what is no tensor to the buffers of a program with these windows and this alignment.
type Working = fn(&Program, &[Span], Bytes, &mut Vec<Buffer>) -> Result<(), TooLarge>;

fn no_more(_: &Program, _: &[Span], _: Bytes, _: &mut Vec<Buffer>) -> Result<(), TooLarge> {
    Ok(())
}

/// TFLite Micro has the working memories of operators behind all tensors.
fn of_tflm(
    program: &Program,
    windows: &[Span],
    alignment: Bytes,
    buffers: &mut Vec<Buffer>,
) -> Result<(), TooLarge> {
    tflm::keep_working(program, buffers);
    buffers.extend(scratch(program, windows, alignment)?);
    Ok(())
}

/// The largest sum of live sizes.
fn peak(lifetimes: &Lifetimes) -> Option<Bytes> {
    let points = profile::profile(lifetimes).points.into_iter();
    points.map(|(_, bytes)| bytes).max()
}

/// The lifetimes when what is used at a step is needed during the step's window.
fn live(
    program: &Program,
    settings: &Settings,
    windows: &[Span],
    working: Working,
) -> Result<Lifetimes, TooLarge> {
    let horizon = Step(program.schedule.len() as u64);
    let payloads = payloads(program, settings.io);
    let mut stays = stays(program, windows, &|storage| {
        let sized = payloads[storage.index()].is_some();
        is_used(
            program.storages.list[storage.index()].kind,
            settings.io,
            sized,
        )
    });
    pin(program, settings.io, horizon, &mut stays);
    let mut buffers = Vec::new();
    for (index, (stays, payload)) in stays.iter().zip(payloads).enumerate() {
        let Some(payload) = payload else { continue };
        let storage = &program.storages.list[index];
        let name = &program.graph.tensor(storage.tensor).name;
        let size = payload.align_up(settings.alignment);
        let size = size.ok_or_else(|| TooLarge {
            tensor: name.clone(),
        })?;
        for (count, stay) in stays.iter().enumerate() {
            buffers.push(Buffer {
                payload,
                alignment: storage.alignment,
                storage: Some(StorageId::at(index)),
                ..Buffer::new(residency_name(name, count), size.0, stay.span)
            });
        }
    }
    buffers.order_by_key(|buffer| (buffer.span.start, buffer.storage));
    working(program, windows, settings.alignment, &mut buffers)?;
    let step_names = match program.schedule.only_computes() {
        true => Vec::new(),
        false => program.step_names(),
    };
    let mut lifetimes = Lifetimes {
        buffers,
        horizon,
        step_names,
        ..Lifetimes::default()
    };
    let residencies = Residencies::of(&lifetimes);
    lifetimes.handovers = aliases::handovers(program, &lifetimes, &residencies);
    lifetimes.views = aliases::views(program, &lifetimes, &residencies);
    admit(&lifetimes, settings.alignment)?;
    Ok(lifetimes)
}

/// What the residency after `count` others of the same storage is called.
fn residency_name(storage: &str, count: usize) -> String {
    match count {
        0 => storage.to_owned(),
        _ => format!("{storage} [{}]", count + 1),
    }
}

/// The bytes of each storage that has a place in the arena under `io`.
fn payloads(program: &Program, io: Io) -> Vec<Option<Bytes>> {
    let storages = program.storages.list.iter();
    if io == Io::Tflm {
        let sizes = tflm::sizes(&program.graph);
        return storages.map(|it| sizes[it.tensor.index()]).collect();
    }
    let has_place = |kind| match kind {
        StorageKind::Activation | StorageKind::Gradient | StorageKind::Workspace => true,
        StorageKind::Communication => true,
        StorageKind::Input | StorageKind::Output => io != Io::Beside,
        StorageKind::Weight | StorageKind::OptimizerState | StorageKind::State => false,
    };
    storages
        .map(|it| it.bytes.filter(|_| has_place(it.kind)))
        .collect()
}

/// Whether the steps that use a storage of `kind` say when it is live. The others are live
/// for the whole run, or not in the arena.
fn is_used(kind: StorageKind, io: Io, sized: bool) -> bool {
    match kind {
        StorageKind::Activation | StorageKind::Gradient | StorageKind::Workspace => true,
        StorageKind::Communication => true,
        StorageKind::Output => matches!(io, Io::Litert | Io::Tflm | Io::Ggml),
        _ => matches!(io, Io::Tflm | Io::Ggml) && sized,
    }
}

/// Widens the stays of what the arena keeps longer than its readers need it.
fn pin(program: &Program, io: Io, horizon: Step, stays: &mut [Vec<Stay>]) {
    match io {
        Io::Beside => {}
        Io::Tflm => tflm::pin(program, horizon, stays),
        Io::WholeRun | Io::Litert => pin_callers(program, io, horizon, stays),
        Io::Ggml => pin_flagged(program, horizon, stays),
    }
}

/// ggml places what is flagged an input before the first operator and frees it after its last
/// reader; what is flagged an output is never freed.
fn pin_flagged(program: &Program, horizon: Step, stays: &mut [Vec<Stay>]) {
    for (stays, storage) in stays.iter_mut().zip(&program.storages.list) {
        if let (StorageKind::Input, Some(first)) = (storage.kind, stays.first_mut()) {
            first.span.start = Step(0);
        }
    }
    // An input that an operator has written an output over holds both.
    for output in &program.graph.outputs {
        let base = program.storages.view(*output).map(|view| view.base.index());
        let stays = base.and_then(|base| stays.get_mut(base)?.last_mut());
        if let Some(last) = stays {
            last.span.end = horizon;
        }
    }
}

fn pin_callers(program: &Program, io: Io, horizon: Step, stays: &mut [Vec<Stay>]) {
    let mut read = vec![false; stays.len()];
    let schedule = program.schedule.steps.iter();
    let ops = schedule.filter_map(|step| step.action.op());
    for tensor in ops.map(|op| program.graph.op(op)).flat_map(Op::read) {
        if let Some(view) = program.storages.view(tensor) {
            read[view.base.index()] = true;
        }
    }
    let whole = Span {
        start: Step(0),
        end: horizon,
    };
    let storages = program.storages.list.iter();
    for ((stays, storage), read) in stays.iter_mut().zip(storages).zip(read) {
        match storage.kind {
            StorageKind::Input => *stays = vec![Stay::new(whole)],
            StorageKind::Output if io == Io::WholeRun => *stays = vec![Stay::new(whole)],
            // LiteRT frees a tensor after its last reader, and an output never: nor does it
            // ever free what no operator reads.
            StorageKind::Output | StorageKind::Activation if io == Io::Litert => {
                if let Some(stay) = stays.last_mut()
                    && (storage.kind == StorageKind::Output || !read)
                {
                    stay.span.end = horizon;
                }
            }
            _ => {}
        }
    }
}
