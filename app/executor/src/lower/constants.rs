//! Where the elements of constants come from: known values, the graph, the file, other
//! constants, or, where the file does not hold them, a seed.

use std::collections::BTreeMap;

use planner::graph::{Content, DType, Dialect, Elements, Graph, OpId, TensorId, Value};
use planner::storage::StorageId;
use planner::{Buffer, Bytes, Lifetimes, Message, Offset, Plan, Program, Span, message};

use super::places::{Places, When};
use super::seeds::Seeds;
use super::{Options, Refused, Unsupported, steps, weights};
use crate::elements;
use crate::recording::{Operand, Origin, Recording, Stored};
use planner::operators::Operator;

pub(super) struct Constants<'a> {
    graph: &'a Graph,
    values: &'a BTreeMap<TensorId, Value>,
    producers: Vec<Option<OpId>>,
    seeds: Seeds<'a>,
    /// The constants that must be computed, in the order of the folded recording's outputs.
    folded: Vec<TensorId>,
}

impl<'a> Constants<'a> {
    pub(super) fn new(graph: &'a Graph, values: &'a BTreeMap<TensorId, Value>) -> Self {
        Self {
            graph,
            values,
            producers: graph.producers(),
            seeds: Seeds::new(graph),
            folded: Vec::new(),
        }
    }

    /// Where the elements of a constant come from.
    pub(super) fn origin(&mut self, operand: &Operand) -> Result<Origin, Refused> {
        let id = operand.tensor;
        if let Some(words) = &operand.held {
            return Ok(Origin::Words(words.to_vec()));
        }
        if let Some(found) = self.stored(id, operand.dtype) {
            return found;
        }
        let tensor = self.graph.tensor(id);
        Ok(match &tensor.content {
            Content::Inline(bytes) => Origin::Inline(bytes.clone()),
            Content::Range { start, len } => Origin::File {
                start: *start,
                len: *len,
            },
            Content::External { .. } | Content::Stripped | Content::Packed(_) => {
                self.seeds.origin(id)
            }
            Content::None => match self.values.get(&id) {
                Some(value) => Origin::Words(words(tensor.dtype, value)),
                None if self.producers[id.index()].is_some() => {
                    self.folded.push(id);
                    Origin::Folded(self.folded.len() - 1)
                }
                None => self.seeds.origin(id),
            },
        })
    }

    /// A constant that the file stores in another form than the operator reads: quantised or
    /// sparse weights, and halves, which TFLite files turn into floats by operators.
    fn stored(&self, read: TensorId, dtype: DType) -> Option<Result<Origin, Refused>> {
        let graph = self.graph;
        let (mut id, mut numbers) = (read, false);
        while let Some(op) = self.producers[id.index()].map(|op| graph.op(op)) {
            match op.operator {
                Operator::Dequantize | Operator::Densify if graph.dialect == Dialect::Tflite => {
                    numbers |= op.is(Operator::Dequantize);
                    id = op.inputs.first().copied().flatten()?;
                }
                _ => return None,
            }
        }
        let tensor = graph.tensor(id);
        numbers |= dtype != tensor.dtype;
        if id == read && !numbers && tensor.sparsity.is_none() {
            return None;
        }
        let origin = match &tensor.content {
            Content::Inline(bytes) => Origin::Inline(bytes.clone()),
            &Content::Range { start, len } => Origin::File { start, len },
            Content::External { .. } | Content::Stripped | Content::Packed(_) => {
                return Some(Ok(self.seeds.origin(read)));
            }
            Content::None => return None,
        };
        let quantization = tensor.quantization.clone();
        let quantization = quantization.filter(|_| numbers && !elements::is_float(tensor.dtype));
        if numbers && quantization.is_none() && !elements::is_float(tensor.dtype) {
            return Some(Err(unsupported(message!(
                "{} is quantised, and the file does not say how",
                tensor.name
            ))));
        }
        Some(Ok(Origin::Stored(Box::new(Stored {
            origin,
            dtype: tensor.dtype,
            sparsity: tensor.sparsity.clone(),
            quantization,
        }))))
    }

    /// The recording that computes what `origin` called folded: each step of it reads
    /// constants alone, and its tensors lie one after the other in its own arena.
    pub(super) fn recording(self, options: &Options) -> Result<Option<Box<Recording>>, Refused> {
        if self.folded.is_empty() {
            return Ok(None);
        }
        let schedule = self.schedule();
        let mut graph = self.graph.clone();
        let mut lifetimes = Lifetimes::default();
        let whole = Span::new(0, schedule.len() as u64);
        let mut plan = Plan {
            origin: "constants".into(),
            offsets: Vec::new(),
            arena: Bytes::ZERO,
            ..Plan::default()
        };
        for &op in &schedule {
            for id in self.graph.op(op).written() {
                // What is computed here is no constant to the operators of this recording.
                graph.tensors[id.index()].role = planner::graph::Role::Intermediate;
                let tensor = graph.tensor(id);
                let payload = tensor.bytes().unwrap_or_default();
                let mut buffer = Buffer::new(&*tensor.name, payload.0, whole);
                buffer.storage = Some(StorageId::at(id.index()));
                lifetimes.buffers.push(buffer);
                plan.offsets.push(Offset(plan.arena.0));
                let size = payload.align_up(Bytes(64)).unwrap_or(payload);
                plan.arena = plan.arena.checked_add(size).unwrap_or(Bytes(u64::MAX));
            }
        }
        // The CPU computes them: only its memory is the limit.
        let options = Options {
            max_binding: Bytes(2 << 30),
            allow_hazards: false,
            until: None,
            ..*options
        };
        // Only inputs and outputs of these operators count, not those of the graph.
        graph.inputs.clear();
        let program = Program {
            schedule: schedule.into_iter().collect(),
            ..Program::new(graph)
        };
        let places = Places::of(&program, &lifetimes, &plan, &options)?;
        let mut recording = Recording {
            arena: places.arena,
            io: places.io,
            steps: steps(
                (&program, &program.graph.unfused()),
                (program.schedule.len(), options.families),
                self.values,
                &lifetimes,
                &places,
            )?,
            ..Recording::default()
        };
        recording.outputs = self
            .folded
            .iter()
            .filter_map(|&id| places.operand(&program, &lifetimes, (When::End, id)))
            .collect();
        if recording.outputs.len() != self.folded.len() {
            let reason = message!("a computed constant has a type that cannot be in a run");
            return Err(unsupported(reason));
        }
        let none = weights::place(&program.graph, self.values, &options, &mut recording)?;
        debug_assert!(none.is_none(), "constants of constants are computed here");
        Ok(Some(Box::new(recording)))
    }

    /// The operators that the folded constants need, in file order.
    fn schedule(&self) -> Vec<OpId> {
        let mut needed = vec![false; self.graph.ops.len()];
        let mut open = self.folded.clone();
        while let Some(id) = open.pop() {
            let dtype = self.graph.tensor(id).dtype;
            let known = self.values.contains_key(&id) || self.stored(id, dtype).is_some();
            if let Some(op) = self.producers[id.index()].filter(|_| !known)
                && !std::mem::replace(&mut needed[op.index()], true)
            {
                open.extend(self.graph.op(op).read());
            }
        }
        let wanted = (0..needed.len()).filter(|&index| needed[index]);
        wanted.map(OpId::at).collect()
    }
}

fn words(dtype: DType, value: &Value) -> Vec<u32> {
    match &value.elements {
        Elements::Floats(floats) if dtype == DType::F64 => {
            let bits: Vec<u64> = floats.iter().map(|x| x.to_bits()).collect();
            elements::words_of_bits(dtype, &bits)
        }
        Elements::Ints(ints) => elements::words_of_ints(dtype, ints),
        Elements::Floats(floats) => {
            #[expect(clippy::cast_possible_truncation, reason = "the tensor holds f32")]
            let floats: Vec<f32> = floats.iter().map(|&x| x as f32).collect();
            elements::words_of_floats(dtype, &floats)
        }
    }
}

fn unsupported(reason: Message) -> Refused {
    Refused::Unsupported(vec![Unsupported {
        op: "constants".into(),
        kind: String::new(),
        reason,
        follows: false,
        step: None,
    }])
}
