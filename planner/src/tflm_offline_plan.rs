//! Plans that a TFLite file brings for TFLite Micro, and files that are exported with one.
//!
//! TFLite Micro puts a tensor where the file says and finds places for the others itself: the
//! largest first, each into the lowest free range that takes it. The file's own tensors are not all
//! that it needs: after them lie what it keeps for good, which it calls the tail (its tables
//! of tensors and operators, and what kernels ask for), which is not known from the file; and
//! operators may ask for working memory, which it places around the tensors.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use crate::check;
use crate::free_space::{Fit, choose, free_ranges};
use crate::graph::{Content, Graph, Role};
use crate::liveness::{self, Buffer, Lifetimes, TFLM_ALIGNMENT};
use crate::load::{Document, Fault, Format, LoadError, Source, load, tflite_outline};
use crate::plan::{Options, Plan};
use crate::program::Program;
use crate::save::{Extended, tflite};
use crate::settings::{Io, Settings};
use crate::sorting::Sorting as _;
use crate::storage::StorageId;
use crate::units::{Bytes, Offset, Span};
use crate::{Message, impl_message, message};

/// What made a plan that a file brings.
pub(crate) const ORIGIN: &str = "OfflineMemoryAllocation";

/// The plan that `program` brings for `lifetimes`, which are its own under [`Io::Tflm`], with
/// what the file leaves to the runtime where TFLite Micro places it; `None` where the file
/// brings no plan.
#[must_use]
pub fn completed(program: &Program, lifetimes: &Lifetimes) -> Option<Plan> {
    let graph = &program.graph;
    if graph.offline.is_empty() {
        return None;
    }
    let given = lifetimes.buffers.iter().map(|buffer| {
        let tensor = program.storages.named(buffer.storage?)?;
        graph.offline.get(tensor.index()).copied().flatten()
    });
    let mut offsets: Vec<Option<Offset>> = given.collect();
    let mut runtime = Runtime {
        spans: scopes(program, lifetimes),
        placed: Vec::new(),
    };
    for tensor in in_order(lifetimes) {
        if let Some(offset) = offsets[tensor] {
            runtime.put(offset.0, size(lifetimes, tensor), tensor);
        }
    }
    // Of tensors that are equally large the one that comes last in the file is first.
    let mut left = in_order(lifetimes);
    left.retain(|&buffer| offsets[buffer].is_none());
    left.reverse();
    left.order_by_key(|&buffer| Reverse(size(lifetimes, buffer)));
    for buffer in left {
        let size = size(lifetimes, buffer);
        let offset = match size {
            0 => 0,
            _ => runtime.place(size, buffer),
        };
        offsets[buffer] = Some(Offset(offset));
    }
    let offsets: Vec<Offset> = offsets.into_iter().flatten().collect();
    let ends = lifetimes.buffers.iter().zip(&offsets);
    let ends = ends.filter_map(|(buffer, offset)| offset.end(buffer.size));
    let unused = liveness::unused(graph, &|it| graph.offline.get(it).copied().flatten());
    let arena = Bytes(ends.map(|end| end.0).max().unwrap_or_default());
    Some(Plan {
        origin: ORIGIN.into(),
        arena: arena.max(unused),
        offsets,
        ..Plan::default()
    })
}

/// The buffers in the file's order of tensors, in which TFLite Micro looks at them.
fn in_order(lifetimes: &Lifetimes) -> Vec<usize> {
    let mut order: Vec<usize> = (0..lifetimes.buffers.len()).collect();
    // What kernels request stands behind all tensors.
    let key = |storage: Option<StorageId>| (storage.is_none(), storage);
    order.order_by_key(|&buffer| key(lifetimes.buffers[buffer].storage));
    order
}

/// Bytes that TFLite Micro takes for a buffer.
fn size(lifetimes: &Lifetimes, buffer: usize) -> u64 {
    let payload = lifetimes.buffers[buffer].payload;
    payload.align_up(TFLM_ALIGNMENT).unwrap_or(payload).0
}

/// When TFLite Micro has each buffer live. It counts one step before the first operator, at
/// which all inputs begin; one that no operator reads lives during no other.
fn scopes(program: &Program, lifetimes: &Lifetimes) -> Vec<Span> {
    let graph = &program.graph;
    let mut used = vec![false; graph.tensors.len()];
    let read = graph.ops.iter().flat_map(|op| op.read());
    for tensor in read.chain(graph.outputs.iter().copied()) {
        used[tensor.index()] = true;
    }
    let scope = |buffer: &Buffer| {
        let (start, end) = (buffer.span.start.0 + 1, buffer.span.end.0 + 1);
        let tensor = buffer.storage.and_then(|it| program.storages.named(it));
        match tensor.map(|id| (graph.tensor(id).role, used[id.index()])) {
            Some((Role::Input, false)) => Span::new(0, 1),
            Some((Role::Input | Role::Constant, _)) => Span::new(0, end),
            _ => Span::new(start, end),
        }
    };
    lifetimes.buffers.iter().map(scope).collect()
}

/// What lies in the arena.
struct Runtime {
    /// When each buffer is live.
    spans: Vec<Span>,
    /// First byte, exclusive end and span, by address.
    placed: Vec<(u64, u64, Span)>,
}

impl Runtime {
    fn put(&mut self, offset: u64, size: u64, buffer: usize) {
        let at = self.placed.partition_point(|(other, ..)| *other <= offset);
        let end = offset.saturating_add(size);
        self.placed.insert(at, (offset, end, self.spans[buffer]));
    }

    /// Puts the buffer, of `size` bytes, into the lowest free range that takes it, and returns
    /// where.
    fn place(&mut self, size: u64, buffer: usize) -> u64 {
        let span = self.spans[buffer];
        let beside = self.placed.iter().filter(|(.., live)| live.overlaps(span));
        let ranges = free_ranges(0, beside.map(|&(start, end, _)| (start, end, ())));
        let chosen = choose(ranges, (size, Bytes(1)), Fit::First);
        let offset = chosen.map_or(0, |chosen| chosen.start);
        self.put(offset, size, buffer);
        offset
    }
}

/// A TFLite file with a plan, and what it promises.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Written {
    /// The file, in two pieces.
    pub file: Extended,
    /// How many tensors have an offset.
    pub tensors: usize,
    /// Bytes from the arena's start to the end of the highest tensor: TFLite Micro's head, as
    /// long as no operator asks for working memory that does not fit between the tensors.
    pub arena: Bytes,
}

/// Why a plan cannot be written into a TFLite file, in a sentence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unwritable(pub Message);

impl Unwritable {
    /// The sentence.
    #[must_use]
    pub fn message(&self) -> Message {
        self.0.clone()
    }
}

impl_message!(Unwritable);
impl std::error::Error for Unwritable {}

/// The TFLite file in `source` with `plan`, which was made for `lifetimes`, as the offsets that
/// TFLite Micro is to use; a plan that the file has is replaced.
///
/// # Errors
/// When the file is no TFLite model, or one that TFLite Micro would not take so; when the plan
/// leaves out a tensor that has a place in the arena, is for other sizes than the file's, or
/// breaks a rule.
pub fn written(
    source: &dyn Source,
    lifetimes: &Lifetimes,
    plan: &Plan,
) -> Result<Written, Unwritable> {
    let graph = match load(source) {
        Ok((Format::Tflite, Document::Model(graph), _)) => graph,
        Ok(_) => return Err(Unwritable(message!("only a TFLite model can take a plan"))),
        Err(error) => return Err(unreadable(&error)),
    };
    let outline = tflite_outline(source).map_err(|error| unreadable(&error))?;
    let mut others = outline.tensors.iter().enumerate();
    if outline.main != 0 || others.any(|(index, &count)| index > 0 && count > 0) {
        return Err(Unwritable(message!(
            "the model has several subgraphs, whose tensors share the arena with those planned \
             here"
        )));
    }
    without_elements(&graph)?;
    let settings = Settings {
        alignment: TFLM_ALIGNMENT,
        io: Io::Tflm,
        ..Settings::default()
    };
    let program = Program::new(graph);
    let graph = &program.graph;
    let own = liveness::lifetimes(&program, &settings);
    let whole = own.map_err(|error| Unwritable(error.message()))?;
    let mut own = whole.clone();
    // What kernels request has no place in the file: the runtime finds one around the plan.
    own.buffers.retain(|it| it.storage.is_some());
    let chosen = matched(graph, &own, lifetimes, plan)?;
    judged(&own, &chosen)?;
    let mut offsets = vec![None; graph.tensors.len()];
    for (buffer, offset) in own.buffers.iter().zip(&chosen.offsets) {
        let tensor = buffer.storage.and_then(|it| program.storages.named(it));
        if let Some(tensor) = tensor {
            offsets[tensor.index()] = Some(*offset);
        }
    }
    put_idle(graph, &mut offsets);
    let file = tflite(&outline, &offsets).ok_or_else(|| {
        Unwritable(message!(
            "the file would have 2 GiB or more, or an offset beyond 2 GiB"
        ))
    })?;
    let mut program = program;
    program.graph.offline = offsets;
    let reach = completed(&program, &whole).map_or(chosen.arena, |it| it.arena);
    Ok(Written {
        file,
        tensors: own.buffers.len(),
        arena: reach.max(chosen.arena),
    })
}

fn unreadable(error: &LoadError) -> Unwritable {
    match error.kind {
        Fault::Unsupported => Unwritable(message!("{}: {}", error.place, error.message)),
        _ => Unwritable(error.message()),
    }
}

/// A constant without elements would get a place in TFLite Micro's arena.
fn without_elements(graph: &Graph) -> Result<(), Unwritable> {
    let mut read = graph.ops.iter().flat_map(|op| op.read());
    let stripped = read.find(|&id| {
        let tensor = graph.tensor(id);
        let given = graph.offline.get(id.index()).copied().flatten();
        tensor.role == Role::Constant
            && tensor.content == Content::Stripped
            && given.is_none()
            && tensor.bytes().is_none_or(|it| it.0 > 0)
    });
    stripped.map_or(Ok(()), |id| {
        let name = &graph.tensor(id).name;
        Err(Unwritable(message!(
            "the elements of {} were taken out of the file, so that it cannot run",
            name
        )))
    })
}

/// The plan for the file's own lifetimes.
fn matched(
    graph: &Graph,
    own: &Lifetimes,
    lifetimes: &Lifetimes,
    plan: &Plan,
) -> Result<Plan, Unwritable> {
    let mut planned = vec![None; graph.tensors.len()];
    for (buffer, offset) in lifetimes.buffers.iter().zip(&plan.offsets) {
        let slot = buffer.storage.and_then(|it| planned.get_mut(it.index()));
        if let Some(slot) = slot {
            *slot = Some((*offset, buffer.payload));
        }
    }
    let mut offsets = Vec::new();
    let mut missing = Vec::new();
    for buffer in &own.buffers {
        match buffer.storage.and_then(|it| planned[it.index()]) {
            Some((_, payload)) if payload != buffer.payload => {
                return Err(Unwritable(message!(
                    "the plan is for {} bytes of {}, which has {} in the file: bind the \
                     dimensions as the file has them",
                    payload.0,
                    buffer.name,
                    buffer.payload.0
                )));
            }
            Some((offset, _)) => offsets.push(offset),
            None => missing.push(&buffer.name),
        }
    }
    if let Some(first) = missing.first() {
        return Err(Unwritable(message!(
            "the plan has no place for {} of the {} tensors in TFLite Micro's arena, {} \
             first: plan inputs and outputs as TFLite Micro has them",
            missing.len(),
            own.buffers.len(),
            first
        )));
    }
    let ends = own.buffers.iter().zip(&offsets);
    let ends = ends.filter_map(|(buffer, offset)| offset.end(buffer.size));
    let arena = Bytes(ends.map(|end| end.0).max().unwrap_or_default());
    Ok(Plan {
        offsets,
        arena,
        ..Plan::default()
    })
}

/// Whether the plan keeps TFLite Micro's rules. It hands nothing over.
fn judged(own: &Lifetimes, plan: &Plan) -> Result<(), Unwritable> {
    let options = Options::aligned(TFLM_ALIGNMENT);
    let violations = check(own, plan, &options);
    violations.first().map_or(Ok(()), |first| {
        let first = first.named(own, &[]);
        Err(Unwritable(message!(
            "TFLite Micro needs more of a plan: {}",
            first
        )))
    })
}

/// Gives the tensors that no operator uses one place together, at the start: TFLite Micro
/// finds a place for each otherwise.
fn put_idle(graph: &Graph, offsets: &mut [Option<Offset>]) {
    let mut used = vec![false; graph.tensors.len()];
    for op in &graph.ops {
        for tensor in op.read().chain(op.written()) {
            used[tensor.index()] = true;
        }
    }
    for (index, tensor) in graph.tensors.iter().enumerate() {
        let idle = tensor.role == Role::Constant && tensor.content == Content::Stripped;
        if idle && !used[index] && offsets[index].is_none() {
            offsets[index] = Some(Offset(0));
        }
    }
}
