//! What TFLite Micro keeps in its arena beside the plan: the tail, which grows down from the end
//! of the arena, and what it needs while it plans.
//!
//! Modelled, not measured: the calls of `AllocatePersistentBuffer` in TFLite Micro's allocator,
//! interpreter and reference kernels, one after the other, each aligned as it asks for. Sizes are
//! those where pointers have 8 bytes, as in the interpreter of the package `tflite_micro`
//! (`tests/tflm.py` compares both); where they have 4 the tail is smaller. Kernels made for a
//! target (CMSIS-NN, Xtensa, ARC) keep something else.

mod kernels;

use serde::{Deserialize, Serialize};

use crate::graph::{Attribute, Graph, Op, Role, Tensor};
use crate::liveness::scratch_requests;
use crate::operators::Operator;
use crate::units::Bytes;
use crate::{Message, message};

/// What part of the tail is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kept {
    /// The allocator, the planner and the tables of subgraphs.
    Allocator,
    /// A struct for each tensor.
    Tensors,
    /// A struct for each operator.
    Operators,
    /// Parameters of operators.
    Parameters,
    /// What kernels keep.
    Kernels,
    /// Variables, with their table.
    Variables,
    /// A handle for each request of working memory.
    Handles,
    /// A second struct for each input and output, with its quantisation.
    Ends,
}

impl Kept {
    /// In words.
    #[must_use]
    pub fn says(self) -> Message {
        match self {
            Self::Allocator => message!("allocator, planner and tables of subgraphs"),
            Self::Tensors => message!("a struct for each tensor"),
            Self::Operators => message!("a struct for each operator"),
            Self::Parameters => message!("parameters of operators"),
            Self::Kernels => message!("what kernels keep"),
            Self::Variables => message!("variables"),
            Self::Handles => message!("a handle for each request of working memory"),
            Self::Ends => message!("a second struct for each input and output"),
        }
    }
}

/// What the arena of TFLite Micro holds beside a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tail {
    /// All of it; at least that where kernels are not known.
    pub bytes: Bytes,
    /// Its parts, which make it with the bytes that align each.
    pub parts: Vec<(Kept, Bytes)>,
    /// What must be free beside the tail while kernels prepare and the plan is made, before inputs
    /// and outputs get their structs.
    pub planning: Bytes,
    /// Bytes of [`Kept::Ends`], which come after planning.
    pub ends: Bytes,
    /// How many subgraphs beside the planned one have tensors in the same arena, which its plan
    /// leaves out.
    pub others: usize,
    /// Kinds of operators of which it is not known what they keep.
    pub unknown: Vec<String>,
    /// Custom operators among these, whose working memory is not known either.
    pub custom: Vec<String>,
}

impl Tail {
    /// The smallest arena for a plan that takes `head` bytes; `None` beyond 64 bits.
    #[must_use]
    pub fn arena(&self, head: Bytes) -> Option<Bytes> {
        let planning = self.bytes.0.checked_sub(self.ends.0)?;
        let planning = planning.checked_add(self.planning.0)?;
        Some(Bytes(self.bytes.0.checked_add(head.0)?.max(planning)))
    }
}

/// Bytes of the structs that the recording allocator, the planner and the allocators of the
/// interpreter have, without the table of subgraphs.
const ALLOCATOR: u64 = 472;
/// `SubgraphAllocations`: two pointers.
const SUBGRAPH: u64 = 16;
/// `TfLiteEvalTensor`: data, dimensions, type.
const TENSOR: u64 = 24;
/// `NodeAndRegistration`.
const OPERATOR: u64 = 64;
/// `ScratchBufferHandle`: a pointer.
const HANDLE: u64 = 8;
/// `TfLiteTensor` of an input or output.
const END: u64 = 64;
/// `TfLiteAffineQuantization`: two pointers and the axis.
const QUANTIZATION: u64 = 24;
/// `MicroResourceVariables`, and an entry of its table.
const VARIABLES: (u64, u64) = (16, 40);
/// What `AllocatePersistentBuffer` aligns to.
const BUFFER_ALIGNMENT: u64 = 16;
/// Alignment of structs with pointers.
const WORD: u64 = 8;

/// While it plans: `AllocationInfo` of each tensor and request, what the greedy planner has of
/// each buffer, `ScratchBufferRequest` of each request and of the most that one operator makes.
const INFO: u64 = 32;
const PLANNED: u64 = 40;
const REQUEST: u64 = 16;
const MOST_REQUESTS: u64 = 12;

/// The tail in the making: how far it reaches, and whether that is still a number of 64 bits.
#[derive(Default)]
struct Taken {
    at: Option<u64>,
    /// The most that the arena held while a kernel prepared.
    preparing: u64,
    tail: Tail,
}

impl Taken {
    fn take(&mut self, what: Kept, bytes: Option<u64>, alignment: u64) {
        let before = self.at;
        let ends = before.zip(bytes);
        self.at =
            ends.and_then(|(at, bytes)| at.checked_add(bytes)?.checked_next_multiple_of(alignment));
        let (Some(before), Some(now)) = (before, self.at) else {
            return;
        };
        let parts = &mut self.tail.parts;
        match parts.iter_mut().find(|it| it.0 == what) {
            Some(part) => part.1 = Bytes(part.1.0 + (now - before)),
            None if now > before => parts.push((what, Bytes(now - before))),
            None => {}
        }
    }

    /// A variable; `what` is not known where its size is not.
    fn variable(&mut self, what: &str, bytes: Option<u64>) {
        let unknown = &mut self.tail.unknown;
        match bytes {
            Some(_) => self.buffer(Kept::Variables, bytes),
            None if unknown.iter().any(|it| it == what) => {}
            None => unknown.push(what.to_owned()),
        }
    }

    /// As `AllocatePersistentBuffer` of the interpreter's context.
    fn buffer(&mut self, what: Kept, bytes: Option<u64>) {
        self.take(what, bytes, BUFFER_ALIGNMENT);
    }
}

/// The tail of a model with these subgraphs, of which the first is run. Their tensors are sized.
/// Where that is all that is at hand of a model with several, it is at least that.
/// `None` where the bytes go beyond 64 bits.
#[must_use]
pub fn tail(subgraphs: &[Graph]) -> Option<Tail> {
    let mut taken = Taken {
        at: Some(0),
        ..Taken::default()
    };
    let count = |of: &dyn Fn(&Graph) -> usize| -> u64 {
        subgraphs.iter().map(|graph| of(graph) as u64).sum()
    };
    let variables = resources(subgraphs);
    taken.take(Kept::Allocator, Some(ALLOCATOR), WORD);
    if !variables.is_empty() {
        // The table is made before the model is looked at.
        taken.buffer(Kept::Variables, Some(VARIABLES.0));
        let entries = (variables.len() as u64).checked_mul(VARIABLES.1);
        taken.buffer(Kept::Variables, entries);
    }
    let subgraph_count = subgraphs.len() as u64;
    taken.take(Kept::Allocator, subgraph_count.checked_mul(SUBGRAPH), WORD);
    let (tensors, operators) = (count(&|it| it.tensors.len()), count(&|it| it.ops.len()));
    taken.take(Kept::Tensors, tensors.checked_mul(TENSOR), WORD);
    taken.take(Kept::Operators, operators.checked_mul(OPERATOR), WORD);
    kernels::take(subgraphs, &mut taken);
    for bytes in variables {
        taken.variable("VAR_HANDLE", bytes);
    }
    let requests = subgraphs.iter().map(requests).sum::<u64>();
    taken.take(Kept::Handles, requests.checked_mul(HANDLE), WORD);
    for graph in subgraphs {
        let handles = handles(graph);
        for (index, tensor) in graph.tensors.iter().enumerate() {
            if tensor.role == Role::State && !handles.contains(&index) {
                taken.variable("variables", tensor.bytes().map(|it| it.0));
            }
        }
    }
    let before = taken.at?;
    ends(subgraphs.first()?, &mut taken);
    let bytes = taken.at?;
    // The planner may use what lies between boundaries of 16 bytes.
    let planning = before
        .checked_next_multiple_of(BUFFER_ALIGNMENT)?
        .checked_add(planning(subgraphs, tensors, requests)?)?;
    let preparing = taken.preparing.checked_next_multiple_of(BUFFER_ALIGNMENT)?;
    let mut tail = taken.tail;
    tail.bytes = Bytes(bytes);
    let in_arena = subgraphs
        .iter()
        .filter(|it| it.tensors.iter().any(is_placed));
    let main = subgraphs.first()?;
    tail.others = main.others.max(in_arena.count().saturating_sub(1));
    tail.ends = Bytes(bytes - before);
    tail.planning = Bytes(planning.max(preparing) - before);
    Some(tail)
}

/// `TfLiteIntArray` of so many numbers: their count and they.
fn array(numbers: u64) -> Option<u64> {
    numbers.checked_mul(4)?.checked_add(4)
}

/// The structs of inputs and outputs.
fn ends(graph: &Graph, taken: &mut Taken) {
    for side in [&graph.inputs, &graph.outputs] {
        taken.buffer(Kept::Ends, (side.len() as u64).checked_mul(WORD));
        for &id in side {
            taken.take(Kept::Ends, Some(END), WORD);
            if let Some(quantization) = &graph.tensor(id).quantization {
                taken.take(Kept::Ends, Some(QUANTIZATION), WORD);
                taken.take(Kept::Ends, array(quantization.scales.len() as u64), 4);
            }
        }
    }
}

/// What is needed beside the tail while the plan is made.
fn planning(subgraphs: &[Graph], tensors: u64, requests: u64) -> Option<u64> {
    let placed = subgraphs.iter().flat_map(|graph| {
        let handles = handles(graph);
        let tensors = graph.tensors.iter().enumerate();
        tensors.filter(move |(index, it)| is_placed(it) && !handles.contains(index))
    });
    let placed = (placed.count() as u64).checked_add(requests)?;
    let parts = [
        (requests.checked_add(MOST_REQUESTS)?, REQUEST),
        (subgraphs.len() as u64, WORD),
        (tensors.checked_add(requests)?, INFO),
    ];
    let mut sum = 0_u64;
    for (count, each) in parts {
        sum = sum.checked_add(count.checked_mul(each)?)?;
    }
    let planner = placed.checked_mul(PLANNED)?;
    let sum = sum.checked_next_multiple_of(BUFFER_ALIGNMENT)?;
    sum.checked_add(planner)?
        .checked_next_multiple_of(BUFFER_ALIGNMENT)
}

/// Whether a tensor gets a place: it has no elements in the file and is no variable.
fn is_placed(tensor: &Tensor) -> bool {
    tensor.is_without_elements() && matches!(tensor.bytes(), Some(Bytes(1..)))
}

/// The tensors that are handles of variables, by index.
fn handles(graph: &Graph) -> Vec<usize> {
    let makers = graph.ops.iter().filter(|op| op.is(Operator::VarHandle));
    makers.flat_map(Op::written).map(|id| id.index()).collect()
}

/// The bytes of each variable that has a handle, in the order of their first assignments.
fn resources(subgraphs: &[Graph]) -> Vec<Option<u64>> {
    let mut named: Vec<(String, Option<u64>)> = Vec::new();
    for graph in subgraphs {
        for op in graph.ops.iter().filter(|op| op.is(Operator::VarHandle)) {
            let text = |name: &str| match op.attribute(name) {
                Some(Attribute::Text(text)) => text.as_str(),
                _ => "",
            };
            let name = format!("{}/{}", text("container"), text("shared_name"));
            let bytes = op.written().next().and_then(|id| graph.tensor(id).bytes());
            let bytes = bytes.map(|it| it.0);
            match named.iter_mut().find(|it| it.0 == name) {
                Some(known) => known.1 = known.1.max(bytes),
                None => named.push((name, bytes)),
            }
        }
    }
    named.into_iter().map(|it| it.1).collect()
}

/// How many requests of working memory the operators of a subgraph make.
fn requests(graph: &Graph) -> u64 {
    let counts = graph.ops.iter().map(|op| scratch_requests(graph, op).len());
    counts.sum::<usize>() as u64
}
