//! Graph + plan → recording. Every operator that cannot be run is named before anything
//! touches a GPU; every address comes from the plan, whatever made it.

mod activation;
mod attention;
mod cache;
mod heads;
pub mod families;
mod fused;
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
mod prefix;
mod seeds;
mod table;
mod refused;
mod resize;
mod resample;
mod integer_rows;
mod pooling;
mod arrange;
mod gather;
mod scatter;
mod strided;
mod tflite;
mod weights;
mod window;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use planner::graph::{Dialect, Graph, Op, Role, TensorId, Value};
use planner::schedule::Action;
use planner::{Bytes, Lifetimes, Message, Plan, Program, Step, message, passes};

use crate::kernels::{CopyParams, Kernel};
use crate::recording::{Dispatch, Operand, PlacedTensor, RecordedStep, Recording, Region, Upload};
use call::Call;
use families::Families;
use places::{Places, When};

pub use refused::{Refused, Unsupported, without_kernel};

/// What lowering needs to know of the device and the caller's wish.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Largest buffer that the device binds, in bytes.
    pub max_binding: Bytes,
    /// Whether a plan in which an operator's input and output overlap is lowered all the
    /// same: only a plan that was corrupted on purpose should be.
    pub allow_hazards: bool,
    /// The kernels that are there beside those of every run.
    pub families: Families,
    /// How many steps are lowered; `None` for all. What comes after them need not have kernels,
    /// and the outputs of the run are the tensors that it leaves in memory.
    pub until: Option<usize>,
}

impl Default for Options {
    /// The limits that every WebGPU device has, and every kernel.
    fn default() -> Self {
        Self {
            max_binding: Bytes(128 << 20),
            allow_hazards: false,
            families: Families::ALL,
            until: None,
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

/// The dispatches of one operator, or why there are none.
pub(crate) type Dispatches = Result<Vec<Dispatch>, Message>;

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
    let places = Places::of(program, lifetimes, plan, options)?;
    let unfused = program.graph.unfused();
    let graph = &unfused.0;
    let until = options.until.unwrap_or(program.schedule.len());
    let wanted = (until, options.families);
    let steps = steps((program, &unfused), wanted, values, lifetimes, &places)?;
    // The operators are named first: they are the reason why most tensors have no size.
    let ends = graph.inputs.iter().chain(&graph.outputs);
    let mut ends = ends.filter(|_| options.until.is_none());
    if let Some(&id) = ends.find(|&&id| graph.tensor(id).role == Role::Unsized) {
        let tensor = graph.tensor(id).name.clone();
        return Err(Refused::Unsized { tensor });
    }
    let mut recording = Recording {
        arena: places.arena,
        io: places.io,
        steps,
        places: places.planned.clone(),
        ..Recording::default()
    };
    match options.until {
        None => recording.outputs = outputs(program, lifetimes, &places),
        Some(_) => prefix::leave(program, lifetimes, &places, &mut recording),
    }
    if !options.allow_hazards {
        check_hazards(&recording)?;
    }
    places.feed(program, lifetimes, &mut recording);
    let folded = weights::place(graph, values, options, &mut recording)?;
    Ok(Lowered { recording, folded })
}

/// A constant alone, where it is to be read before a run: the upload that holds its elements, and
/// what computes them if they follow from other constants.
///
/// # Errors
/// [`Refused`] where no kernel computes it.
pub(crate) fn constant_alone(
    graph: &Graph,
    values: &BTreeMap<TensorId, Value>,
    id: TensorId,
    options: &Options,
) -> Result<(Upload, Lowered), Refused> {
    let operand = unplaced_operand(graph, id).ok_or_else(|| Refused::Unsized {
        tensor: graph.tensor(id).name.clone(),
    })?;
    let mut constants = constants::Constants::new(graph, values);
    let origin = constants.origin(&operand)?;
    let lowered = Lowered {
        folded: constants.recording(options)?,
        ..Lowered::default()
    };
    Ok((Upload { operand, origin }, lowered))
}

/// The tensor as it is before it has a place; `None` where it cannot be in a run.
pub(crate) fn unplaced_operand(graph: &Graph, id: TensorId) -> Option<Operand> {
    call::unplaced(graph, id)
}

/// The dispatches of every step, or all the operators that have none. A step that gives bytes
/// back has nothing to dispatch.
fn steps(
    (program, unfused): (&Program, &Unfused),
    (until, families): (usize, Families),
    values: &BTreeMap<TensorId, Value>,
    lifetimes: &Lifetimes,
    places: &Places,
) -> Result<Vec<RecordedStep>, Refused> {
    let mut steps = Vec::with_capacity(program.schedule.len());
    let mut unsupported = Vec::new();
    // What operators that cannot be run would have sized.
    let mut lost: BTreeSet<TensorId> = BTreeSet::new();
    for (at, entry) in program.schedule.steps.iter().take(until).enumerate() {
        let index = at as u64;
        let kind = entry.action.name();
        let id = match entry.action {
            Action::Compute(op) | Action::Recompute(op) => op,
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
                    reason: message!("a run has no other memory, and no encoder"),
                    follows: false,
                    step: Some(at),
                });
                continue;
            }
        };
        let placed = |id: TensorId| places.operand(program, lifetimes, (When::At(Step(index)), id));
        let op = program.graph.op(id);
        let parts = &unfused.0.ops[unfused.1[id.index()].clone()];
        let operator = Operator {
            op,
            parts,
            program,
            graph: &unfused.0,
            families,
        };
        match operator.recorded(values, &placed) {
            Ok(step) => steps.push(step),
            Err(reason) => {
                unsupported.push(Unsupported {
                    op: op.name.clone(),
                    kind: op.kind.clone(),
                    reason,
                    follows: op.read().any(|id| lost.contains(&id)),
                    step: Some(at),
                });
                let unsized_too = |id: &TensorId| program.graph.tensor(*id).missing.is_some();
                lost.extend(op.written().filter(unsized_too));
            }
        }
    }
    if unsupported.is_empty() {
        Ok(steps)
    } else {
        Err(Refused::Unsupported(unsupported))
    }
}

/// A graph with the parts of its fused operators, and where they are.
type Unfused = (Graph, Vec<Range<usize>>);

/// An operator of a program.
struct Operator<'a> {
    op: &'a Op,
    /// What it stands for, in the graph with all parts spelt out.
    parts: &'a [Op],
    graph: &'a Graph,
    program: &'a Program,
    families: Families,
}

impl Operator<'_> {
    fn recorded(
        &self,
        values: &BTreeMap<TensorId, Value>,
        placed: &dyn Fn(TensorId) -> Option<Operand>,
    ) -> Result<RecordedStep, Message> {
        let mut call = Call::new(self.graph, self.op, values, placed)?;
        // A view is written by nobody: its elements lie in what is read.
        let is_view = |y: &Operand| passes::is_view(self.program, self.op, y.tensor);
        let made: Vec<Operand> = call.outputs.iter().flatten().cloned().collect();
        let outputs = made.iter().cloned();
        let (views, writes): (Vec<Operand>, Vec<Operand>) = outputs.partition(is_view);
        for output in &mut call.outputs {
            output.take_if(|y| is_view(y));
        }
        let dispatches = match &self.op.fused {
            _ if writes.is_empty() && !views.is_empty() => Vec::new(),
            Some(_) => self.group().dispatches(values, placed)?,
            None => dispatches(&call, self.families)?,
        };
        let reads = call.inputs.iter().flatten();
        let reads = reads.filter(|x| !call.is_constant(x)).cloned().collect();
        let kept = self.kept(&dispatches);
        let mut step = record(self.op, dispatches, reads, writes)?;
        step.writes.extend(kept);
        Ok(RecordedStep {
            views,
            made,
            ..step
        })
    }

    /// The state that it changes, which is no output of it.
    fn kept(&self, dispatches: &[Dispatch]) -> Vec<Operand> {
        let outputs = dispatches.iter().flat_map(|dispatch| &dispatch.outputs);
        let own = |y: &Operand| self.op.written().any(|id| id == y.tensor);
        let kept = outputs.filter(|y| {
            let role = self.graph.tensor(y.tensor).role;
            role == Role::State && !own(y)
        });
        kept.cloned().collect()
    }

    fn group(&self) -> fused::Group<'_> {
        fused::Group {
            graph: self.graph,
            parts: self.parts,
            outside: self.program.graph.tensors.len(),
            pattern: &self.op.kind,
            families: self.families,
        }
    }
}

/// The dispatches of an operator that is not fused.
fn dispatches(call: &Call<'_>, families: Families) -> Dispatches {
    if passes::is_copy(call.op) {
        return strided::gathered(call.input(0)?, call.output(0)?);
    }
    match (call.known_outputs(), call.graph.dialect) {
        // The caller reads what needs no computing: a shape, or a constant of the file.
        (Some(known), _) => known
            .iter()
            .map(|(constant, y)| strided::copy(constant, y))
            .collect(),
        (None, Dialect::Onnx { opset }) => onnx::dispatches(call, opset, families),
        (None, Dialect::Tflite) => tflite::dispatches(call, families),
    }
}

/// The step that these dispatches make.
fn record(
    op: &Op,
    dispatches: Vec<Dispatch>,
    reads: Vec<Operand>,
    writes: Vec<Operand>,
) -> Result<RecordedStep, Message> {
    // What computes nothing and what copies a tensor onto itself is an alias.
    let dispatches: Vec<Dispatch> = dispatches
        .into_iter()
        .filter(|dispatch| !dispatch.outputs.iter().all(Operand::is_empty))
        .filter(|dispatch| !dispatch.is_copy_onto_itself())
        .collect();
    for dispatch in &dispatches {
        let mut operands = dispatch.inputs.iter().chain(&dispatch.outputs);
        let strided = operands.find(|x| !x.strides.is_empty());
        if let Some(x) = strided.filter(|_| !dispatch.kernel.walks_strides()) {
            return Err(message!("its kernel cannot walk the strides of {}", x.name));
        }
    }
    let in_place = !dispatches.is_empty() && dispatches.iter().all(|it| it.kernel.in_place());
    let writes = match dispatches.is_empty() {
        true => Vec::new(),
        false => written_parts(&dispatches, &reads, writes),
    };
    Ok(RecordedStep {
        name: op.name.clone(),
        kind: op.kind.clone(),
        writes,
        views: Vec::new(),
        made: Vec::new(),
        reads,
        dispatches,
        in_place,
    })
}

/// What a step really writes: of a concatenation of which some pieces are there already, the
/// places of the others.
fn written_parts(dispatches: &[Dispatch], reads: &[Operand], writes: Vec<Operand>) -> Vec<Operand> {
    let [y] = writes.as_slice() else {
        return writes;
    };
    let inside = |x: &Operand| x.region.overlaps(y.region) && x.region != y.region;
    let copies = dispatches.iter().all(|it| moved(it).1.is_some());
    if !copies || !reads.iter().any(inside) {
        return writes;
    }
    let part = |dispatch: &Dispatch| Operand {
        region: moved(dispatch).1.unwrap_or(y.region),
        ..y.clone()
    };
    dispatches.iter().map(part).collect()
}

/// The graph's outputs that the run computes, in order.
fn outputs(program: &Program, lifetimes: &Lifetimes, places: &Places) -> Vec<Operand> {
    let outputs = program.graph.outputs.iter();
    outputs
        .filter_map(|&id| places.operand(program, lifetimes, (When::End, id)))
        .collect()
}

/// Threads run in no order, so what a dispatch reads and what it writes must be apart, or
/// exactly the same elements in a kernel that works in place; and what one dispatch of a step
/// has written over is not read by a later one.
fn check_hazards(recording: &Recording) -> Result<(), Refused> {
    for step in &recording.steps {
        let mut before: Vec<&Operand> = Vec::new();
        for dispatch in &step.dispatches {
            let (from, to) = moved(dispatch);
            let in_place = |x: &Operand, y: &Operand| {
                let same = x.region == y.region && x.dims == y.dims && x.strides == y.strides;
                same && dispatch.kernel.in_place()
            };
            for x in &dispatch.inputs {
                let region = from.unwrap_or(x.region);
                // What a dispatch reads and writes by one name is a state that it carries on.
                let lies_on = |y: &&Operand| {
                    let apart = x.tensor != y.tensor && !in_place(x, y);
                    region.overlaps(to.unwrap_or(y.region)) && apart
                };
                let is_read = step.reads.iter().any(|read| read.tensor == x.tensor);
                let changed =
                    |y: &&&Operand| is_read && x.tensor != y.tensor && x.region.overlaps(y.region);
                let own = dispatch.outputs.iter().find(lies_on);
                if let Some(y) = own.or(before.iter().find(changed).copied()) {
                    return Err(Refused::Hazard {
                        op: step.name.clone(),
                        input: x.name.clone(),
                        output: y.name.clone(),
                    });
                }
            }
            if to.is_none() {
                before.extend(&dispatch.outputs);
            }
        }
    }
    Ok(())
}

/// The words that a copy reads and those that it writes, where that is less than all.
fn moved(dispatch: &Dispatch) -> (Option<Region>, Option<Region>) {
    let ([x], [y]) = (&*dispatch.inputs, &*dispatch.outputs) else {
        return (None, None);
    };
    if dispatch.kernel == Kernel::StridedCopy {
        return (None, strided::written(dispatch, y));
    }
    if dispatch.kernel != Kernel::Copy {
        return (None, None);
    }
    let params: CopyParams = dispatch.params();
    let part = |region: Region, from: u32| Region {
        word: region.word.saturating_add(from),
        words: params.count,
        ..region
    };
    (
        Some(part(x.region, params.x)),
        Some(part(y.region, params.y)),
    )
}

/// The place of a buffer of the plan.
fn place(buffer: usize, name: &str, region: Region, span: planner::Span) -> PlacedTensor {
    let step = |step: u64| u32::try_from(step).expect("operators have numbers of 32 bits");
    PlacedTensor {
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
