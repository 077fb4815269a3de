//! A graph as text, counterpart of the reader, which has the grammar: no more than planning needs and
//! the reader does not find out by itself.

mod lacking;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::graph::infer::{Sizers, infer_flat};
use crate::graph::{
    Attribute, Bindings, Content, DType, Dialect, Dim, Graph, Inside, Op, OpId, Role, Shape,
    Tensor, TensorId, infer,
};
use crate::load::graph_text::{decoded, default_name, element_count, is_plain, natural};
use crate::operators::Operator;

use lacking::Shown;

/// The most elements of a constant that are written: those of shapes, axes and scales.
const MAX_ELEMENTS: u64 = 16;
/// The most scales of a quantised tensor that are written.
const MAX_SCALES: usize = 8;
/// How often more is written because the reader lacks it, until all that it lacks is.
const ROUNDS: usize = 16;

/// The text of `graph` as it was loaded. The reader makes a graph of it with the same operators
/// and tensors, of the same sizes, in an order in which plans are the same. What subgraphs and
/// functions hold stands in the place of the operators that hold them, as a plan has it. Large
/// constants are without their elements, tensors of many scales without these, and none is sparse.
#[must_use]
pub fn graph_text(graph: &Graph) -> String {
    let has_bodies = |op: &Op| matches!(op.inside, Inside::Bodies(_));
    if !graph.ops.iter().any(has_bodies) {
        return text_of(graph);
    }
    let mut flat = graph.clone();
    infer_flat(&mut flat, &Bindings::new(), Sizers::ALL);
    text_of(&flat)
}

fn text_of(graph: &Graph) -> String {
    let mut sized = graph.clone();
    for tensor in &mut sized.tensors {
        tensor.declared = declared(tensor);
    }
    infer(&mut sized, &Bindings::new());
    let mut writer = Writer {
        graph,
        sized,
        producers: graph.producers(),
        shown: vec![Shown::Nothing; graph.tensors.len()],
        inside: inside(graph),
    };
    for round in 1..=ROUNDS {
        let text = writer.text();
        if writer.is_whole(&text, round == ROUNDS) {
            return text;
        }
    }
    writer.text()
}

struct Writer<'g> {
    graph: &'g Graph,
    /// The same with every size that can be inferred.
    sized: Graph,
    producers: Vec<Option<OpId>>,
    shown: Vec<Shown>,
    /// The elements of constants that stand in the call that reads them.
    inside: BTreeMap<TensorId, String>,
}

impl Writer<'_> {
    fn text(&self) -> String {
        let graph = self.graph;
        let mut text = "graph".to_owned();
        if !graph.name.is_empty() {
            text += " ";
            text += &match graph.name.as_str() {
                "onnx" | "tflite" => Cow::Owned(quoted(&graph.name)),
                name => word(name),
            };
        }
        // Writing to a String cannot fail, here and below.
        let _ = match graph.dialect {
            Dialect::Onnx { opset } => writeln!(text, " onnx {opset}"),
            Dialect::Tflite => writeln!(text, " tflite"),
        };
        for symbol in graph.symbols.iter().filter(|it| !it.at_most) {
            let _ = writeln!(text, "let {} = {}", word(&symbol.name), symbol.default);
        }
        let (body, order) = self.body();
        // All up to the last that stands behind one with a larger id.
        let mut largest = None;
        let late = |id: &&TensorId| {
            largest = largest.max(Some(**id));
            largest > Some(**id)
        };
        if let Some(last) = order.iter().filter(late).max() {
            let first: BTreeSet<TensorId> = order.iter().copied().filter(|id| id <= last).collect();
            let names = first.iter().map(|&id| self.name(id));
            let _ = writeln!(text, "order {}", joined(names));
        }
        text += &body;
        let mut seen = BTreeSet::new();
        let outputs = graph.outputs.iter().filter(|&&id| seen.insert(id));
        let outputs = joined(outputs.map(|&id| self.name(id)));
        if !outputs.is_empty() {
            let _ = writeln!(text, "output {outputs}");
        }
        text
    }

    /// The lines of tensors and operators, and the tensors that a plan may place in their order.
    fn body(&self) -> (String, Vec<TensorId>) {
        let graph = self.graph;
        let (mut text, mut order) = (String::new(), Vec::new());
        let mut done = BTreeSet::new();
        for &id in &graph.inputs {
            if graph.tensor(id).role == Role::Input && done.insert(id) {
                let _ = writeln!(text, "input {}", self.source(id));
                order.push(id);
            }
        }
        let all = || (0..graph.tensors.len()).map(TensorId::at);
        for id in all().filter(|&id| graph.tensor(id).role == Role::State) {
            done.insert(id);
            let _ = writeln!(text, "state {}", self.source(id));
            order.push(id);
        }
        let mut constant = |id: TensorId, text: &mut String, order: &mut Vec<TensorId>| {
            let own = self.producers[id.index()].is_none() && !self.inside.contains_key(&id);
            if own && done.insert(id) {
                let elements = elements(graph.tensor(id));
                let elements = elements.map_or(String::new(), |it| format!(" = {it}"));
                let _ = writeln!(text, "const {}{elements}", self.source(id));
                order.extend(self.offset(id).map(|_| id));
            }
        };
        for (index, op) in graph.ops.iter().enumerate() {
            for id in op.read().chain(held(op)) {
                constant(id, &mut text, &mut order);
            }
            let placed = |id: &TensorId| !matches!(graph.tensor(*id).role, Role::State);
            order.extend(op.written().filter(placed));
            self.operator(index, op, &mut text);
        }
        for id in all() {
            constant(id, &mut text, &mut order);
        }
        (text, order)
    }

    fn name(&self, id: TensorId) -> Cow<'_, str> {
        word(&self.graph.tensor(id).name)
    }

    fn offset(&self, id: TensorId) -> Option<u64> {
        let offset = self.graph.offline.get(id.index()).copied().flatten();
        offset.map(|offset| offset.0)
    }

    /// A tensor that no operator writes.
    fn source(&self, id: TensorId) -> String {
        let tensor = self.graph.tensor(id);
        let shape = declared(tensor).map_or(String::new(), |it| self.shape(tensor, &it));
        let kind = format!(": {}{shape}", tensor.dtype.name());
        self.target(id, kind)
    }

    /// A tensor that an operator writes.
    fn result(&self, id: TensorId) -> String {
        let (tensor, sized) = (self.graph.tensor(id), self.sized.tensor(id));
        if tensor.role == Role::State {
            return self.name(id).into_owned();
        }
        let name = match tensor.dtype {
            DType::Other => sized.dtype.name(),
            dtype => dtype.name(),
        };
        let quantized = tensor.quantization.as_ref();
        let quantized = quantized.is_some_and(|it| it.scales.len() <= MAX_SCALES);
        let kind = match (self.shown[id.index()], &tensor.declared) {
            (Shown::Nothing, _) if !quantized => String::new(),
            (Shown::Nothing | Shown::Type, _) => format!(": {name}"),
            (Shown::Shape, Some(declared)) => {
                format!(": {name}{}", self.shape(tensor, declared))
            }
            (Shown::Shape | Shown::Size, _) => format!(": {name}{}", sizes(sized)),
        };
        self.target(id, kind)
    }

    /// A tensor whose type is `kind`.
    fn target(&self, id: TensorId, kind: String) -> String {
        let mut text = self.name(id).into_owned() + &kind;
        let quantization = self.graph.tensor(id).quantization.as_ref();
        if let Some(it) = quantization.filter(|it| it.scales.len() <= MAX_SCALES) {
            let scales = it.scales.iter().map(|it| float(*it).into());
            let zero_points = it.zero_points.iter().map(|it| it.to_string().into());
            let _ = match (it.scales.len(), it.axis) {
                (1, 0) => write!(text, " q({}, {})", joined(scales), joined(zero_points)),
                (_, axis) => {
                    let (scales, zero_points) = (joined(scales), joined(zero_points));
                    write!(text, " q([{scales}], [{zero_points}], {axis})")
                }
            };
        }
        if let Some(offset) = self.offset(id) {
            let _ = write!(text, " @{offset}");
        }
        text
    }

    /// Declared dimensions in brackets.
    fn shape(&self, tensor: &Tensor, declared: &[Dim]) -> String {
        let known = tensor.dims.as_ref();
        let known = known.filter(|_| self.graph.dialect == Dialect::Tflite);
        let dims = declared.iter().enumerate().map(|(axis, dim)| match dim {
            Dim::Fixed(size) => size.to_string().into(),
            Dim::Symbol(id) => {
                let symbol = self.graph.symbols.get(id.0 as usize);
                symbol.map_or("?".into(), |it| word(&it.name))
            }
            Dim::AtMost(id, most) => {
                let symbol = self.graph.symbols.get(id.0 as usize);
                symbol.map_or("?".into(), |it| {
                    format!("{}<={most}", word(&it.name)).into()
                })
            }
            Dim::Unknown => match known.and_then(|dims| dims.get(axis)) {
                Some(example) => format!("?={example}").into(),
                None => "?".into(),
            },
        });
        format!("[{}]", joined(dims))
    }

    fn operator(&self, index: usize, op: &Op, text: &mut String) {
        let nothing = || Cow::Borrowed("_");
        if !op.outputs.is_empty() {
            let outputs = op.outputs.iter();
            let outputs = outputs.map(|id| id.map_or_else(nothing, |id| self.result(id).into()));
            let _ = write!(text, "{} = ", joined(outputs));
        }
        if !op.domain.is_empty() {
            let _ = write!(text, "{}::", word(&op.domain));
        }
        let inputs = op.inputs.iter().map(|id| match id {
            None => nothing(),
            Some(id) => match self.inside.get(id) {
                Some(elements) => elements.into(),
                None => self.name(*id),
            },
        });
        let _ = write!(text, "{}({})", word(&op.kind), joined(inputs));
        if op.is(Operator::Constant)
            && let Some(id) = op.written().next()
            && let Some(elements) = elements(self.graph.tensor(id))
        {
            let _ = write!(text, " value={elements}");
        }
        for (key, value) in &op.attributes {
            let key = match key.as_str() {
                "name" | "stream" | "captures" => quoted(key).into(),
                _ => word(key),
            };
            let _ = write!(text, " {key}={}", self.attribute(value));
        }
        if op.name != default_name(self.graph.dialect, &op.kind, index) {
            let _ = write!(text, " name={}", word(&op.name));
        }
        if let Some(stream) = op.stream {
            let _ = write!(text, " stream={stream}");
        }
        if !op.captures.is_empty() {
            let captures = op.captures.iter().map(|&id| self.name(id));
            let _ = write!(text, " captures=[{}]", joined(captures));
        }
        text.push('\n');
    }

    fn attribute(&self, value: &Attribute) -> String {
        match value {
            Attribute::Int(value) => value.to_string(),
            Attribute::Ints(values) => {
                format!(
                    "[{}]",
                    joined(values.iter().map(|it| it.to_string().into()))
                )
            }
            Attribute::Float(value) => float(*value),
            Attribute::Floats(values) if values.is_empty() => "floats[]".to_owned(),
            Attribute::Floats(values) => {
                format!("[{}]", joined(values.iter().map(|it| float(*it).into())))
            }
            Attribute::Text(text) => word(text).into_owned(),
            Attribute::Texts(texts) if texts.is_empty() => "texts[]".to_owned(),
            Attribute::Texts(texts) => format!("[{}]", joined(texts.iter().map(|it| word(it)))),
            Attribute::Tensor(id) => format!("@{}", self.name(*id)),
            Attribute::Subgraph { ops } => format!("subgraph({ops})"),
        }
    }
}

/// The constants that the attributes of `op` hold.
fn held(op: &Op) -> impl Iterator<Item = TensorId> + '_ {
    op.attributes.iter().filter_map(|(_, value)| match value {
        Attribute::Tensor(id) => Some(*id),
        _ => None,
    })
}

/// The shape that the file gives a tensor, one way or the other.
fn declared(tensor: &Tensor) -> Option<Shape> {
    let dims = || {
        Some(
            tensor
                .dims
                .as_ref()?
                .iter()
                .copied()
                .map(Dim::Fixed)
                .collect(),
        )
    };
    tensor.declared.clone().or_else(dims)
}

/// The elements of a constant, if they are few.
fn elements(tensor: &Tensor) -> Option<String> {
    let Content::Inline(bytes) = &tensor.content else {
        return None;
    };
    let declared = declared(tensor)?;
    let count = element_count(&declared);
    if count.is_none_or(|count| count > MAX_ELEMENTS) {
        return None;
    }
    let elements = decoded(tensor.dtype, bytes)?;
    if count != Some(elements.len() as u64) {
        return None;
    }
    Some(match (declared.is_empty(), elements.as_slice()) {
        (true, [element]) => element.clone(),
        _ => format!("[{}]", elements.join(", ")),
    })
}

/// The elements of constants that one operator reads, once, under the name that the reader
/// gives to elements in a call, and with the type that it gives them.
fn inside(graph: &Graph) -> BTreeMap<TensorId, String> {
    let mut reads = vec![0_usize; graph.tensors.len()];
    let ops = graph.ops.iter().flat_map(|op| op.read().chain(held(op)));
    for id in ops.chain(graph.outputs.iter().copied()) {
        reads[id.index()] += 1;
    }
    let mut inside = BTreeMap::new();
    for op in &graph.ops {
        for (at, id) in op.inputs.iter().enumerate() {
            let Some(id) = id.filter(|id| reads[id.index()] == 1) else {
                continue;
            };
            let tensor = graph.tensor(id);
            let floats = tensor.dtype == DType::F32;
            let plain = tensor.dtype == natural(graph.dialect, floats)
                && tensor.declared.as_ref().is_some_and(|it| it.len() < 2)
                && tensor.quantization.is_none()
                && graph.offline.get(id.index()).is_none_or(Option::is_none);
            let called = plain && tensor.name == format!("{}.{at}", op.name);
            let elements = elements(tensor).filter(|it| called && !(floats && it == "[]"));
            inside.extend(elements.map(|it| (id, it)));
        }
    }
    inside
}

/// Dimensions in brackets, nothing where there are none.
fn sizes(tensor: &Tensor) -> String {
    let dims = tensor.dims.as_ref();
    dims.map_or(String::new(), |dims| {
        format!("[{}]", joined(dims.iter().map(|it| it.to_string().into())))
    })
}

/// With a point or an exponent, and read again to the bit.
fn float(value: f32) -> String {
    format!("{value:?}").to_ascii_lowercase()
}

fn joined<'t>(items: impl Iterator<Item = Cow<'t, str>>) -> String {
    items.collect::<Vec<_>>().join(", ")
}

/// A name, in quotation marks where it is no word.
fn word(name: &str) -> Cow<'_, str> {
    match is_plain(name) {
        true => name.into(),
        false => quoted(name).into(),
    }
}

fn quoted(text: &str) -> String {
    let mut quoted = "\"".to_owned();
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            '\n' => quoted += "\\n",
            '\r' => quoted += "\\r",
            '\t' => quoted += "\\t",
            letter if letter.is_control() => {
                let _ = write!(quoted, "\\u{{{:x}}}", u32::from(letter));
            }
            letter => quoted.push(letter),
        }
    }
    quoted + "\""
}
