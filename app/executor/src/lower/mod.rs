//! Graph + plan → recording. Every operator that cannot be run is named before anything
//! touches a GPU; every address comes from the plan, whatever made it.

mod activation;
pub(crate) mod broadcast;
pub(crate) mod call;
mod elementwise;
mod constants;
mod einsum;
pub(crate) mod product;
pub(crate) mod rows;
pub(crate) mod scans;
mod convolution;
mod onnx;
mod places;
mod seeds;
mod resize;
mod pooling;
mod arrange;
mod gather;
mod scatter;
mod strided;
mod tflite;
mod weights;
mod window;

use std::collections::BTreeMap;
use std::fmt;

use planner::graph::{Dialect, Graph, Role, TensorId, Value};
use planner::schedule::Action;
use planner::{Bytes, Lifetimes, Plan, Program, Step};
use serde::{Deserialize, Serialize};

use crate::recording::{Dispatch, Operand, Place, RecordedStep, Recording, Region};
use call::Call;
use places::{Places, When};

/// What lowering needs to know of the device and the caller's wish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Largest buffer that the device binds, in bytes.
    pub max_binding: Bytes,
    /// Whether a plan in which an operator's input and output overlap is lowered all the
    /// same: only a plan that was spoiled on purpose should be.
    pub allow_hazards: bool,
}

impl Default for Options {
    /// The limits that every WebGPU device has.
    fn default() -> Self {
        Self {
            max_binding: Bytes(128 << 20),
            allow_hazards: false,
        }
    }
}

/// A recording and what must be computed before it can be uploaded.
#[derive(Clone, Debug, Default)]
pub struct Lowered {
    /// The run.
    pub recording: Recording,
    /// Constants that follow from other constants: played on the CPU before the run, its
    /// outputs are uploaded where [`Origin::Folded`](crate::recording::Origin::Folded) says.
    pub folded: Option<Box<Recording>>,
}

/// Why a plan cannot be run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Refused {
    /// Operators without a kernel, all of them.
    Unsupported(Vec<Unsupported>),
    /// A tensor has no size, so the plan leaves it out.
    Unsized {
        /// Its name.
        tensor: String,
    },
    /// An offset is not a multiple of four bytes.
    Unaligned {
        /// Name of the tensor.
        tensor: String,
        /// Its offset in bytes.
        offset: u64,
    },
    /// A tensor ends beyond the arena.
    Outside {
        /// Name of the tensor.
        tensor: String,
        /// Its end, exclusive.
        end: u64,
        /// Size of the arena in bytes.
        arena: u64,
    },
    /// A buffer is larger than the device can bind.
    TooLarge {
        /// What it is for.
        what: String,
        /// Its size in bytes.
        bytes: u64,
        /// The device's limit in bytes.
        limit: u64,
    },
    /// An operator's input and output overlap, and are not identical and element-wise.
    Hazard {
        /// The operator.
        op: String,
        /// What it reads.
        input: String,
        /// What it writes.
        output: String,
    },
}

/// An operator that cannot be run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unsupported {
    /// Its name.
    pub op: String,
    /// Its kind.
    pub kind: String,
    /// What stands in the way.
    pub reason: String,
}

/// The dispatches of one operator, or why there are none.
pub(crate) type Dispatches = Result<Vec<Dispatch>, String>;

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsupported(ops) => {
                write!(f, "{} operators cannot be run:", ops.len())?;
                let mut alike: BTreeMap<(&str, &str), (&str, usize)> = BTreeMap::new();
                for op in ops {
                    let first = alike.entry((&op.kind, &op.reason)).or_insert((&op.op, 0));
                    first.1 += 1;
                }
                for (index, ((kind, reason), (first, count))) in alike.into_iter().enumerate() {
                    let comma = if index == 0 { "" } else { ";" };
                    write!(
                        f,
                        "{comma} {kind} × {count}, the first is {first}: {reason}"
                    )?;
                }
                Ok(())
            }
            Self::Unsized { tensor } => write!(f, "{tensor} has no size"),
            Self::Unaligned { tensor, offset } => write!(
                f,
                "{tensor} lies at {offset} B: a run needs multiples of 4 B"
            ),
            Self::Outside { tensor, end, arena } => {
                write!(f, "{tensor} ends at {end} B, behind the arena of {arena} B")
            }
            Self::TooLarge { what, bytes, limit } => write!(
                f,
                "the {what} needs {bytes} B, and this device binds {limit} B at most"
            ),
            Self::Hazard { op, input, output } => write!(
                f,
                "{op} reads {input} where it writes {output}: a GPU's threads run in no order"
            ),
        }
    }
}

impl std::error::Error for Refused {}

/// Lowers `program`, planned by `plan` over `lifetimes`, with the elements that inference knows.
///
/// # Errors
/// See [`Refused`]: nothing has touched a GPU then.
pub fn lower(
    program: &Program,
    values: &BTreeMap<TensorId, Value>,
    lifetimes: &Lifetimes,
    plan: &Plan,
    options: &Options,
) -> Result<Lowered, Refused> {
    let graph = &program.graph;
    let places = Places::of(program, lifetimes, plan, options)?;
    let steps = steps(program, values, lifetimes, &places)?;
    // The operators are named first: they are the reason why most tensors have no size.
    let mut ends = graph.inputs.iter().chain(&graph.outputs);
    if let Some(&id) = ends.find(|&&id| graph.tensor(id).role == Role::Unsized) {
        let tensor = graph.tensor(id).name.clone();
        return Err(Refused::Unsized { tensor });
    }
    let mut recording = Recording {
        arena: places.arena,
        io: places.io,
        steps,
        places: places.planned.clone(),
        outputs: outputs(program, lifetimes, &places),
        ..Recording::default()
    };
    if !options.allow_hazards {
        check_hazards(&recording)?;
    }
    places.feed(program, lifetimes, &mut recording);
    let folded = weights::place(graph, values, options, &mut recording)?;
    Ok(Lowered { recording, folded })
}

/// The dispatches of every step, or all the operators that have none. A step that gives bytes
/// back has nothing to dispatch.
fn steps(
    program: &Program,
    values: &BTreeMap<TensorId, Value>,
    lifetimes: &Lifetimes,
    places: &Places,
) -> Result<Vec<RecordedStep>, Refused> {
    let mut steps = Vec::with_capacity(program.schedule.len());
    let mut unsupported = Vec::new();
    for (entry, index) in program.schedule.steps.iter().zip(0..) {
        let kind = entry.action.name();
        let op = match entry.action {
            Action::Compute(op) | Action::Recompute(op) => program.graph.op(op),
            Action::Free(_) | Action::Evict(_) => {
                steps.push(RecordedStep::idle(kind));
                continue;
            }
            Action::SwapOut(_)
            | Action::SwapIn(_)
            | Action::Encode { .. }
            | Action::Decode { .. } => {
                unsupported.push(Unsupported {
                    op: format!("step {index}"),
                    kind: kind.to_owned(),
                    reason: "a run has no other memory, and no encoder".into(),
                });
                continue;
            }
        };
        let placed = |id: TensorId| places.operand(program, lifetimes, (When::At(Step(index)), id));
        let call = Call::new(&program.graph, op, values, &placed);
        match call.and_then(|call| record(&call)) {
            Ok(step) => steps.push(step),
            Err(reason) => unsupported.push(Unsupported {
                op: op.name.clone(),
                kind: op.kind.clone(),
                reason,
            }),
        }
    }
    if unsupported.is_empty() {
        Ok(steps)
    } else {
        Err(Refused::Unsupported(unsupported))
    }
}

fn record(call: &Call<'_>) -> Result<RecordedStep, String> {
    let dispatches = match (call.known_outputs(), call.graph.dialect) {
        // The caller reads what needs no computing: a shape, or a constant of the file.
        (Some(known), _) => known
            .iter()
            .map(|(constant, y)| strided::copy(constant, y))
            .collect::<Dispatches>()?,
        (None, Dialect::Onnx { opset }) => onnx::dispatches(call, opset)?,
        (None, Dialect::Tflite) => tflite::dispatches(call)?,
    };
    // What computes nothing and what copies a tensor onto itself is an alias.
    let dispatches: Vec<Dispatch> = dispatches
        .into_iter()
        .filter(|dispatch| !dispatch.outputs.iter().all(Operand::is_empty))
        .filter(|dispatch| !dispatch.is_copy_onto_itself())
        .collect();
    let in_place = matches!(dispatches.as_slice(), [only] if only.kernel.elementwise());
    Ok(RecordedStep {
        name: call.op.name.clone(),
        kind: call.op.kind.clone(),
        writes: call.outputs.iter().flatten().cloned().collect(),
        reads: call
            .inputs
            .iter()
            .flatten()
            .filter(|x| !call.is_constant(x))
            .cloned()
            .collect(),
        dispatches,
        in_place,
    })
}

/// The graph's outputs that the run computes, in order.
fn outputs(program: &Program, lifetimes: &Lifetimes, places: &Places) -> Vec<Operand> {
    let outputs = program.graph.outputs.iter();
    outputs
        .filter_map(|&id| places.operand(program, lifetimes, (When::End, id)))
        .collect()
}

/// Threads run in no order, so what an operator reads and what it writes must be apart, or
/// exactly the same words in an element-wise operator.
fn check_hazards(recording: &Recording) -> Result<(), Refused> {
    for step in &recording.steps {
        for output in &step.writes {
            let overlapping = |input: &&Operand| input.region.overlaps(output.region);
            for input in step.reads.iter().filter(overlapping) {
                let same = input.region == output.region && input.dims == output.dims;
                // Without dispatches every output was found to lie where it was copied from.
                let alias = step.dispatches.is_empty();
                if !(alias || same && step.in_place) {
                    return Err(Refused::Hazard {
                        op: step.name.clone(),
                        input: input.name.clone(),
                        output: output.name.clone(),
                    });
                }
            }
        }
    }
    Ok(())
}

/// The place of a buffer of the plan.
fn place(buffer: usize, name: &str, region: Region, span: planner::Span) -> Place {
    let step = |step: u64| u32::try_from(step).unwrap_or(u32::MAX);
    Place {
        buffer,
        name: name.to_owned(),
        region,
        born: step(span.start.0),
        last: step(span.end.0.saturating_sub(1)),
    }
}

/// Whether the tensor is known before the run.
fn constant(graph: &Graph, id: TensorId) -> bool {
    graph.tensor(id).role == Role::Constant
}
