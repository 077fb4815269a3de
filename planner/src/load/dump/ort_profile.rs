//! ONNX Runtime's profile (`SessionOptions.enable_profiling`): every node of a run with its time,
//! what it read and what it wrote.
//!
//! It says neither which node reads what nor where anything lies. So each value is shown at the
//! node that it belongs to and nowhere else: what a node reads and writes is there at once, so that
//! no plan of the run needs less than the largest of these sums; how much more, only the model says.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::Value;

use super::draft::MAX_BUFFERS;
use super::json::invalid;
use crate::graph::{Dim, Graph, Op, TensorId};
use crate::liveness::{Buffer, Lifetimes, admit};
use crate::load::text::BYTE_ORDER_MARK;
use crate::load::{
    Document, Fault, Format, LoadError, Loaded, Part, Source, Warning, apart, beside, head, onnx,
    text,
};
use crate::sorting::Sorting as _;
use crate::units::{Bytes, Span, Step};
use crate::{Message, message};

/// What the name of a node's event ends with.
const KERNEL: &str = "_kernel_time";

/// The event of a whole run.
const RUN: &str = "model_run";

/// Whether a file that begins with `head` is one.
pub(in crate::load) fn sniff(head: &[u8]) -> bool {
    let head = head.strip_prefix(BYTE_ORDER_MARK).unwrap_or(head);
    let begin = head.iter().filter(|byte| !byte.is_ascii_whitespace());
    let begin: Vec<u8> = begin.copied().take(8192).collect();
    let has = |key: &[u8]| super::line::holds(&begin, key);
    begin.starts_with(b"[{")
        && (has(b"\"cat\":\"Session\"") && has(b"\"ph\":\"X\"")
            || has(b"\"cat\":\"Node\"") && has(b"\"output_size\":"))
}

#[derive(Deserialize)]
struct Event {
    #[serde(default)]
    cat: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    ts: f64,
    #[serde(default)]
    dur: f64,
    #[serde(default)]
    args: Args,
}

#[derive(Default, Deserialize)]
struct Args {
    #[serde(default)]
    op_name: String,
    /// The runtime's own number of the node.
    #[serde(default)]
    node_index: Value,
    #[serde(default)]
    activation_size: Value,
    #[serde(default)]
    output_size: Value,
    #[serde(default)]
    input_type_shape: Vec<TypeShape>,
    #[serde(default)]
    output_type_shape: Vec<TypeShape>,
}

/// The dimensions of a tensor, by the name of its type.
type TypeShape = BTreeMap<String, Vec<u64>>;

/// Reads it, as a problem; with its model, as that ran.
///
/// # Errors
/// See [`LoadError`]; [`Fault::Unsupported`] where no node says what it writes, [`Fault::Apart`]
/// where the other files are no model with its data.
pub(in crate::load) fn read(parts: &[Part<'_>]) -> Result<Loaded, LoadError> {
    let [part] = parts else {
        return read_with_model(parts);
    };
    let (nodes, runs) = nodes(part.source)?;
    let lifetimes = lifetimes(&nodes)?;
    let time: f64 = nodes.iter().map(|node| node.dur).sum();
    let mut warnings = vec![Warning::of_file(message!(
        "{} nodes took {} µs; how long each value lives and where it lies is not in a \
         profile: each is shown at its node only, so that the bound is what one node reads \
         and writes at once; the model says the rest: open both together",
        nodes.len(),
        time
    ))];
    warnings.extend(of_several(runs));
    Ok((Format::OrtProfile, Document::Problem(lifetimes), warnings))
}

/// Whether one of files that begin with `heads` is one, and one a model.
pub(in crate::load) fn sniff_with_model(heads: &[Vec<u8>]) -> bool {
    let any_model = || heads.iter().any(|head| onnx::sniff(head));
    heads.iter().filter(|head| sniff(head)).count() == 1 && any_model()
}

fn read_with_model(parts: &[Part<'_>]) -> Result<Loaded, LoadError> {
    let is_profile = |part: &Part<'_>| head(part.source).is_ok_and(|head| sniff(&head));
    let place = parts.iter().position(is_profile);
    let (Some(profile), Some((mut graph, mut warnings))) = (
        place.and_then(|place| parts.get(place)),
        beside::model(parts, place)?,
    ) else {
        return Err(apart(parts));
    };
    let said = apply(profile.source, &mut graph);
    warnings.extend(said.map_err(|error| error.within(profile.name))?);
    Ok((Format::Onnx, Document::Model(graph), warnings))
}

/// Gives the symbolic dimensions of the model that was profiled the sizes that they had in the run.
fn apply(source: &dyn Source, graph: &mut Graph) -> Result<Vec<Warning>, LoadError> {
    let (nodes, runs) = nodes(source)?;
    let (named, of_node) = operators(graph, &nodes);
    let known = of_node.iter().flatten().count();
    let mut found = BTreeMap::new();
    for (node, op) in nodes.iter().zip(&of_node) {
        let Some(op) = op.and_then(|at| graph.ops.get(at)) else {
            continue;
        };
        for (tensors, shapes) in sides(op, node) {
            for (tensor, shape) in tensors.into_iter().zip(shapes) {
                let declared = graph.tensor(tensor).declared.iter().flatten();
                let dims = shape.values().next().into_iter().flatten();
                for (declared, dim) in declared.zip(dims) {
                    if let Dim::Symbol(symbol) = declared {
                        found.entry(*symbol).or_insert(*dim);
                    }
                }
            }
        }
    }
    let time: f64 = nodes.iter().map(|node| node.dur).sum();
    let mut sizes = Vec::new();
    for (symbol, dim) in found {
        if let Some(symbol) = graph.symbols.get_mut(symbol.0 as usize) {
            symbol.default = dim;
            sizes.push(format!("\"{}\" = {dim}", symbol.name));
        }
    }
    let mut warnings = vec![Warning::of_file(message!(
        "the profile has {} nodes, which took {} µs; of these {} are operators of the \
         model by name, {} by type and order",
        nodes.len(),
        time,
        named,
        known - named
    ))];
    if !sizes.is_empty() {
        // The first of many.
        let sizes: Vec<String> = sizes.into_iter().take(8).collect();
        let sizes = sizes.join(", ");
        warnings.push(Warning::of_file(message!(
            "dimensions are as they were in the run: {}",
            sizes
        )));
    }
    warnings.extend(of_several(runs));
    Ok(warnings)
}

/// A side of a node: the tensors of its operator that are there, and what the profile says of them.
type Side<'n> = (Vec<TensorId>, &'n [TypeShape]);

/// The sides of which the profile says something: what is left out is not listed, and of what is no
/// tensor nothing is said.
fn sides<'n>(op: &Op, node: &'n Event) -> impl Iterator<Item = Side<'n>> + use<'n> {
    let args = &node.args;
    let sides = [
        (&op.inputs, &args.input_type_shape[..]),
        (&op.outputs, &args.output_type_shape[..]),
    ];
    let sides = sides.map(|(tensors, shapes)| {
        let tensors: Vec<TensorId> = tensors.iter().flatten().copied().collect();
        (tensors, shapes)
    });
    let said = |side: &Side<'_>| side.0.len() == side.1.len();
    sides.into_iter().filter(said)
}

/// The operator of each node, and how many of them have its name, which no other has. The others of
/// a type are those of the model in the order of their numbers, which the runtime counts in the
/// order of the file: where there are as many, and none has other dimensions than the model says.
fn operators(graph: &Graph, nodes: &[Event]) -> (usize, Vec<Option<usize>>) {
    let mut named: BTreeMap<&str, Option<usize>> = BTreeMap::new();
    for (at, op) in graph.ops.iter().enumerate() {
        let one = named.entry(&op.name).or_insert(Some(at));
        *one = one.filter(|one| *one == at);
    }
    let of_name = |node: &Event| {
        let name = node.name.strip_suffix(KERNEL).unwrap_or(&node.name);
        named.get(name).copied().flatten()
    };
    let mut of_node: Vec<Option<usize>> = nodes.iter().map(of_name).collect();
    let count = of_node.iter().flatten().count();
    let taken: BTreeSet<usize> = of_node.iter().flatten().copied().collect();
    let mut kinds: BTreeMap<&str, (Vec<usize>, Vec<usize>)> = BTreeMap::new();
    for (place, node) in nodes.iter().enumerate() {
        if of_node.get(place) == Some(&None) {
            kinds.entry(&node.args.op_name).or_default().0.push(place);
        }
    }
    for (at, op) in graph.ops.iter().enumerate() {
        if let Some((_, own)) = kinds
            .get_mut(op.kind.as_str())
            .filter(|_| !taken.contains(&at))
        {
            own.push(at);
        }
    }
    for (mut places, own) in kinds.into_values() {
        let number = |&place: &usize| bytes(&nodes.get(place)?.args.node_index);
        places.order_by_key(number);
        let pairs = || places.iter().zip(&own);
        let numbered = places.iter().all(|place| number(place).is_some());
        let fit = pairs().all(|(&place, &at)| {
            let pair = nodes.get(place).zip(graph.ops.get(at));
            pair.is_some_and(|(node, op)| fits(graph, op, node))
        });
        if places.len() == own.len() && numbered && fit {
            for (&place, &at) in pairs() {
                if let Some(it) = of_node.get_mut(place) {
                    *it = Some(at);
                }
            }
        }
    }
    (count, of_node)
}

/// Whether a node has no other dimensions than its operator has in the model.
fn fits(graph: &Graph, op: &Op, node: &Event) -> bool {
    sides(op, node).all(|(tensors, shapes)| {
        tensors.into_iter().zip(shapes).all(|(tensor, shape)| {
            let (Some(declared), Some(dims)) =
                (&graph.tensor(tensor).declared, shape.values().next())
            else {
                return true;
            };
            let same = |(declared, dim): (&Dim, &u64)| match declared {
                Dim::Fixed(fixed) => fixed == dim,
                _ => true,
            };
            declared.len() == dims.len() && declared.iter().zip(dims).all(same)
        })
    })
}

/// Which of several runs is shown.
fn of_several(runs: usize) -> Option<Warning> {
    (runs > 1).then(|| {
        Warning::new(
            Message::verbatim(RUN),
            message!("{} runs, of which the last is shown", runs),
        )
    })
}

/// The nodes of the last run in the order of time, and how many runs there are.
fn nodes(source: &dyn Source) -> Result<(Vec<Event>, usize), LoadError> {
    let text = text::read(source)?;
    let events: Vec<Event> = serde_json::from_str(&text).map_err(|error| invalid(&error))?;
    drop(text);
    let runs = events
        .iter()
        .filter(|it| it.cat == "Session" && it.name == RUN);
    let runs: Vec<(f64, f64)> = runs.map(|it| (it.ts, it.ts + it.dur)).collect();
    let last = runs
        .iter()
        .copied()
        .reduce(|a, b| if b.0 > a.0 { b } else { a });
    let within = |it: &Event| last.is_none_or(|(from, to)| (from..=to).contains(&it.ts));
    let is_node = |it: &Event| it.cat == "Node" && bytes(&it.args.output_size).is_some();
    let mut nodes: Vec<Event> = events.into_iter().filter(is_node).filter(within).collect();
    nodes.order_by(|a, b| a.ts.total_cmp(&b.ts));
    if nodes.is_empty() {
        return Err(Fault::Unsupported.in_file(message!(
            "no node of a run says what it writes: profile a run of the model"
        )));
    }
    Ok((nodes, runs.len()))
}

/// A number of bytes, which the file writes as text.
fn bytes(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.parse().ok())
}

/// What each node reads and writes, at its step.
fn lifetimes(nodes: &[Event]) -> Result<Lifetimes, LoadError> {
    let mut buffers = Vec::new();
    let mut step_names = Vec::new();
    let mut names = BTreeSet::new();
    for (step, node) in (0_u64..).zip(nodes) {
        let name = node.name.strip_suffix(KERNEL).unwrap_or(&node.name);
        // Of a loop's body every iteration is there.
        let name = match names.insert(name) {
            true => name.to_owned(),
            false => format!("{name} (step {step})"),
        };
        step_names.push(format!("{} {name}, {} µs", node.args.op_name, node.dur));
        let mut add = |name: String, size: u64| {
            // Nothing is there to be shown.
            if size > 0 {
                buffers.push(Buffer::new(name, size, Span::new(step, step + 1)));
            }
        };
        let read = bytes(&node.args.activation_size).unwrap_or(0);
        add(format!("{name} reads"), read);
        let written = bytes(&node.args.output_size).unwrap_or(0);
        let sizes: Option<Vec<u64>> = node.args.output_type_shape.iter().map(size).collect();
        let sizes =
            sizes.filter(|sizes| sizes.iter().fold(0_u64, |a, b| a.saturating_add(*b)) == written);
        match sizes.as_deref() {
            None | Some([_]) => add(format!("{name} writes"), written),
            Some(sizes) => {
                for (output, size) in sizes.iter().enumerate() {
                    add(format!("{name} writes {output}"), *size);
                }
            }
        }
        if buffers.len() > MAX_BUFFERS {
            return Err(Fault::Limit.at(
                Message::verbatim(name),
                message!("more than {} buffers", MAX_BUFFERS),
            ));
        }
    }
    let lifetimes = Lifetimes {
        horizon: Step(nodes.len() as u64),
        step_names,
        ..Lifetimes::of(buffers)
    };
    admit(&lifetimes, Bytes(1))?;
    Ok(lifetimes)
}

/// The bytes of an output; `None` for elements without a fixed size.
fn size(output: &BTreeMap<String, Vec<u64>>) -> Option<u64> {
    let (dtype, dims) = output.first_key_value()?;
    let element = match dtype.as_str() {
        "bool" | "int8" | "uint8" => 1,
        "float16" | "bfloat16" | "int16" | "uint16" => 2,
        "float" | "int32" | "uint32" => 4,
        "double" | "int64" | "uint64" => 8,
        _ => return None,
    };
    dims.iter()
        .try_fold(element, |all: u64, dim| all.checked_mul(*dim))
}
