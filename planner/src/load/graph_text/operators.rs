//! Operators of the graph that is being built: their names looked up, their order found.

use super::assemble::Build;
use super::elements::{Number, float};
use super::fault;
use super::parser::{Read, no_number};
use super::statement::{Call, Operand, Value};
use crate::graph::{Attribute, Content, DType, Dialect, Graph, Op, OpId, Role, order};
use crate::load::Warning;
use crate::message;
use crate::operators::Operator;
use crate::sorting::Sorting as _;

impl Build {
    pub(super) fn call(&mut self, line: usize, call: &Call<'_>) -> Read<()> {
        let index = self.graph.ops.len();
        let mut op = Op {
            name: match &call.name {
                Some(name) => name.clone(),
                None => default_name(self.graph.dialect, &call.kind.text, index),
            },
            stream: call.stream,
            ..Op::new(self.graph.dialect, &call.domain, &call.kind.text)
        };
        for (position, operand) in call.inputs.iter().enumerate() {
            op.inputs.push(match operand {
                Operand::Nothing => None,
                Operand::Name(name) => Some(self.find(line, name)?),
                Operand::Elements(literal) => {
                    let name = self.new_name(format!("{}.{position}", op.name));
                    let id = self.push(name);
                    self.elements(line, id, Some(literal))?;
                    Some(id)
                }
            });
        }
        for output in &call.outputs {
            let Some(target) = output else {
                op.outputs.push(None);
                continue;
            };
            let id = self.target(line, target)?;
            self.written.push((line, id));
            op.outputs.push(Some(id));
        }
        let captures = call.captures.iter().map(|it| self.find(line, it));
        op.captures = captures.collect::<Read<Vec<_>>>()?;
        op.captures.order();
        op.captures.dedup();
        let constant = op.is(Operator::Constant);
        if constant {
            for id in op.written() {
                let tensor = &mut self.graph.tensors[id.index()];
                tensor.role = Role::Constant;
                if tensor.declared.is_some() {
                    tensor.content = Content::Stripped;
                }
            }
        }
        for (name, value) in &call.attributes {
            let written = op.written().next().filter(|_| constant);
            match (value, written) {
                (Value::Numbers(literal), Some(id)) if name == "value" => {
                    self.elements(line, id, Some(literal))?;
                }
                _ => op
                    .attributes
                    .push((name.clone(), self.attribute(line, value)?)),
            }
        }
        self.lines.push(line);
        self.graph.ops.push(op);
        Ok(())
    }

    fn attribute(&self, line: usize, value: &Value<'_>) -> Read<Attribute> {
        Ok(match value {
            Value::Numbers(literal) if literal.numbers.iter().any(|it| it.is_float()) => {
                let one = |it: &_| float(*it).ok_or_else(|| no_number(line, *it));
                let numbers: Vec<f32> = literal.numbers.iter().map(one).collect::<Read<_>>()?;
                match (numbers.as_slice(), literal.is_list) {
                    (&[number], false) => Attribute::Float(number),
                    _ => Attribute::Floats(numbers),
                }
            }
            Value::Numbers(literal) => {
                let one = |it: &Number<'_>| {
                    let whole = it.whole().and_then(|it| i64::try_from(it).ok());
                    whole.ok_or_else(|| no_number(line, *it))
                };
                let numbers: Vec<i64> = literal.numbers.iter().map(one).collect::<Read<_>>()?;
                match (numbers.as_slice(), literal.is_list) {
                    (&[number], false) => Attribute::Int(number),
                    _ => Attribute::Ints(numbers),
                }
            }
            Value::Floats => Attribute::Floats(Vec::new()),
            Value::Text(text) => Attribute::Text(text.clone()),
            Value::Texts(texts) => Attribute::Texts(texts.clone()),
            Value::Tensor(name) => Attribute::Tensor(self.find(line, name)?),
            Value::Subgraph(ops) => Attribute::Subgraph { ops: *ops },
        })
    }

    /// A name that no tensor has.
    fn new_name(&self, name: String) -> String {
        let mut own = name;
        while self.names.contains_key(&own) {
            own.push('\'');
        }
        own
    }

    /// Brings the operators into an order in which they can run. What operators write into
    /// a state makes none wait for another.
    pub(super) fn reorder(&mut self) -> Read<Vec<Warning>> {
        let mut wiring = self.graph.clone();
        for output in wiring.ops.iter_mut().flat_map(|op| &mut op.outputs) {
            *output = output.filter(|id| self.graph.tensor(*id).role != Role::State);
        }
        let order = order::run_order(&wiring).map_err(|op: OpId| {
            let line = self.lines.get(op.index()).copied().unwrap_or_default();
            fault(line, 1, message!("it depends on its own result"))
        })?;
        let Some(order) = order else {
            return Ok(Vec::new());
        };
        order::sort(&mut self.graph.ops, &order);
        Ok(vec![Warning::of_file(message!(
            "the operators were not in an order in which they can run"
        ))])
    }
}

/// What an operator is called that has no name of its own, as the loaders of both dialects
/// have it.
pub(crate) fn default_name(dialect: Dialect, kind: &str, index: usize) -> String {
    match dialect {
        Dialect::Onnx { .. } => format!("{kind}_{index}"),
        Dialect::Tflite => format!("{kind} {index}"),
    }
}

/// The element type that a TFLite operator's results have where nothing is said: that of what
/// it reads first.
pub(super) fn default_type(graph: &Graph, op: &Op) -> DType {
    let first = op.inputs.iter().copied().flatten().next();
    first.map_or(DType::F32, |id| graph.tensor(id).dtype)
}
