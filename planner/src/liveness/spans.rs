//! When each tensor is live: from the first operator that writes it to the last that reads
//! it, in file order, as half-open spans over the operators that really run.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::dependencies::Dependencies;
use super::{Buffer, Lifetimes, colors, in_place, parallel, profile, tflm};
use crate::graph::{Graph, OpId, Role, Tensor, TensorId};
use crate::sorting::Sorting as _;
use crate::units::{Bytes, Span, Step};

/// What the user chooses about lifetimes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// Sizes are rounded up to a multiple of this many bytes, and offsets are multiples of it.
    pub alignment: Bytes,
    /// Where graph inputs and outputs live.
    pub io: Io,
    /// Whether activations are fused into the operators before them, as deployed toolchains
    /// do: the tensors between them need no memory then.
    pub fuse: bool,
    /// Whether an operator may write over an input that nobody reads after it, as deployed
    /// runtimes do: the pairs become [`Handover`](super::Handover)s.
    pub in_place: bool,
    /// Which operators may run at the same time.
    pub parallel: Parallel,
    /// Which arena of a deployed plan that has several, by index; the first where there is no
    /// such.
    #[serde(default)]
    pub arena: u32,
}

/// Where graph inputs and outputs live.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Io {
    /// Beside the arena, in the caller's hands.
    #[default]
    Beside,
    /// In the arena, both live for the whole run.
    WholeRun,
    /// In the arena as LiteRT's `ArenaPlanner` has it: inputs live for the whole run; outputs,
    /// and what nobody reads, from the operator that writes them to the end.
    Litert,
    /// In the arena as TFLite Micro has it: inputs from the start to their last reader,
    /// outputs from the operator that writes them to the end. It runs every operator of a
    /// TFLite model as the file has it, so that nothing is folded or fused before.
    Tflm,
}

/// Which operators may run at the same time; spans are widened so that a plan adds no
/// dependency that the graph does not have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Parallel {
    /// None: one operator after the other, in the order of the schedule.
    #[default]
    Serial,
    /// Operators of one stream one after the other, those of different streams at any time
    /// that their inputs allow. An operator without a stream belongs to the first.
    Streams,
    /// Every operator as soon as its inputs are there.
    Free,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            alignment: Bytes(64),
            io: Io::Beside,
            fuse: false,
            in_place: false,
            parallel: Parallel::Serial,
            arena: 0,
        }
    }
}

/// Why lifetimes cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TooLarge {
    /// The tensor at which the sum of all sizes reaches [`LIMIT`].
    pub tensor: String,
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "with {} all sizes together reach 2^62 bytes",
            self.tensor
        )
    }
}

impl std::error::Error for TooLarge {}

/// The sum of all sizes and paddings stays below this, so that no address that any strategy
/// can think of goes beyond 64 bits.
pub const LIMIT: Bytes = Bytes(1 << 62);

/// Checks that `lifetimes` can be planned with blocks aligned to `alignment` bytes: every
/// size and one whole alignment per buffer add up to less than [`LIMIT`].
///
/// # Errors
/// [`TooLarge`] when they do not.
pub(crate) fn admit(lifetimes: &Lifetimes, alignment: Bytes) -> Result<(), TooLarge> {
    let mut sum = 0_u64;
    for buffer in &lifetimes.buffers {
        let padding = buffer.alignment.max(alignment);
        sum = sum.saturating_add(buffer.size.0).saturating_add(padding.0);
        let end = buffer.fixed.unwrap_or_default().0;
        if sum.saturating_add(end) >= LIMIT.0 {
            return Err(TooLarge {
                tensor: buffer.name.clone(),
            });
        }
    }
    Ok(())
}

/// The lifetimes of a sized graph whose roles are final.
///
/// Operators that write only constants take no step: their results are known before the
/// run. An intermediate that nobody reads is live during the step that writes it. Buffers
/// stand in order of first use, ties in tensor order.
///
/// # Errors
/// [`TooLarge`] when the sizes are beyond what [`admit`] lets through.
pub fn lifetimes(graph: &Graph, settings: &Settings) -> Result<Lifetimes, TooLarge> {
    let schedule = schedule(graph);
    let dependencies = Dependencies::of(graph, &schedule);
    let mut ways =
        parallel::windows(graph, &schedule, &dependencies, settings.parallel).into_iter();
    let way = |windows: Vec<Span>| live(graph, settings, &schedule, &windows);
    let mut best = way(ways.next().unwrap_or_default())?;
    for windows in ways {
        let other = way(windows)?;
        if peak(&other) < peak(&best) {
            best = other;
        }
    }
    best.colors = colors::colors(&dependencies);
    Ok(best)
}

/// The largest sum of live sizes.
fn peak(lifetimes: &Lifetimes) -> Option<Bytes> {
    let points = profile::profile(lifetimes).points.into_iter();
    points.map(|(_, bytes)| bytes).max()
}

/// The lifetimes when a tensor used at a step is live during the step's window.
fn live(
    graph: &Graph,
    settings: &Settings,
    schedule: &[OpId],
    windows: &[Span],
) -> Result<Lifetimes, TooLarge> {
    let horizon = Step(schedule.len() as u64);
    let sizes = sizes(graph, settings.io);
    let spans = spans(graph, (schedule, windows), horizon, settings.io, &sizes);
    let mut buffers = Vec::new();
    for (index, (span, payload)) in spans.into_iter().zip(sizes).enumerate() {
        let tensor = &graph.tensors[index];
        let (Some(span), Some(payload)) = (span, payload) else {
            continue;
        };
        let size = payload.align_up(settings.alignment);
        let size = size.ok_or_else(|| TooLarge {
            tensor: tensor.name.clone(),
        })?;
        buffers.push(Buffer {
            payload,
            tensor: Some(TensorId::at(index)),
            ..Buffer::new(tensor.name.clone(), size.0, span)
        });
    }
    buffers.order_by_key(|buffer| (buffer.span.start, buffer.tensor));
    if settings.io == Io::Tflm {
        tflm::keep_working(graph, schedule, &mut buffers);
    }
    let handovers = if settings.in_place {
        in_place::handovers(graph, &buffers)
    } else {
        Vec::new()
    };
    let lifetimes = Lifetimes {
        buffers,
        horizon,
        schedule: schedule.to_vec(),
        handovers,
        ..Lifetimes::default()
    };
    admit(&lifetimes, settings.alignment)?;
    Ok(lifetimes)
}

/// The operators that run, in file order: all but those whose every output is constant.
fn schedule(graph: &Graph) -> Vec<OpId> {
    let folded = |tensor: TensorId| graph.tensor(tensor).role == Role::Constant;
    let runs = |index: &usize| {
        let mut written = graph.ops[*index].written().peekable();
        written.peek().is_none() || !written.all(folded)
    };
    (0..graph.ops.len()).filter(runs).map(OpId::at).collect()
}

/// The bytes of each tensor that has a place in the arena under `io`.
fn sizes(graph: &Graph, io: Io) -> Vec<Option<Bytes>> {
    let has_place = |role| match role {
        Role::Intermediate => true,
        Role::Input | Role::Output => io != Io::Beside,
        _ => false,
    };
    match io {
        Io::Tflm => tflm::sizes(graph),
        _ => {
            let tensors = graph.tensors.iter();
            let size = |it: &Tensor| it.bytes().filter(|_| has_place(it.role));
            tensors.map(size).collect()
        }
    }
}

/// The span of each tensor that is planned: the hull of the windows of the steps that use it.
fn spans(
    graph: &Graph,
    (schedule, windows): (&[OpId], &[Span]),
    horizon: Step,
    io: Io,
    sizes: &[Option<Bytes>],
) -> Vec<Option<Span>> {
    let mut spans: Vec<Option<Span>> = vec![None; graph.tensors.len()];
    let mut read = vec![false; graph.tensors.len()];
    for (&op, &window) in schedule.iter().zip(windows) {
        for tensor in graph.op(op).written().chain(graph.op(op).read()) {
            let known = match graph.tensor(tensor).role {
                Role::Intermediate => true,
                Role::Output => matches!(io, Io::Litert | Io::Tflm),
                _ => io == Io::Tflm && sizes[tensor.index()].is_some(),
            };
            if known {
                let span = spans[tensor.index()].get_or_insert(window);
                span.start = span.start.min(window.start);
                span.end = span.end.max(window.end);
            }
        }
        for tensor in graph.op(op).read() {
            read[tensor.index()] = true;
        }
    }
    match io {
        Io::Beside => {}
        Io::Tflm => tflm::pin(graph, horizon, &mut spans),
        Io::WholeRun | Io::Litert => pin(graph, io, horizon, &read, &mut spans),
    }
    spans
}

/// Widens the spans of what the arena keeps longer than its readers need it.
fn pin(graph: &Graph, io: Io, horizon: Step, read: &[bool], spans: &mut [Option<Span>]) {
    let whole = Span {
        start: Step(0),
        end: horizon,
    };
    for (index, (span, tensor)) in spans.iter_mut().zip(&graph.tensors).enumerate() {
        match tensor.role {
            Role::Input => *span = Some(whole),
            Role::Output if io == Io::WholeRun => *span = Some(whole),
            // LiteRT frees a tensor behind its last reader, and an output never: nor does it
            // ever free what nobody reads.
            Role::Output | Role::Intermediate if io == Io::Litert => {
                if let Some(span) = span.as_mut()
                    && (tensor.role == Role::Output || !read[index])
                {
                    span.end = horizon;
                }
            }
            _ => {}
        }
    }
}
