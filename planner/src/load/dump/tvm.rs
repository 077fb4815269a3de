//! TVM's graph JSON, which its graph executor runs: operators in their order, and of every value
//! the storage that it lies in.
//!
//! Storages of one device are allocations of their own, each as large as its largest value
//! (`GraphExecutor::SetupStorage` in src/runtime/graph_executor/graph_executor.cc): shared objects,
//! laid end to end here only to be seen. Inputs and weights keep their storage for the whole run,
//! outputs from the operator that writes them. Kernels ask for workspaces while they run, of
//! which the file says nothing.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::Dump;
use super::draft::{Draft, Row};
use super::json::invalid;
use super::line::MAX_ARENAS;
use crate::deployed::{Arena, Deployed, Held, Hold, IrValue, Note};
use crate::liveness::Handover;
use crate::load::text::BYTE_ORDER_MARK;
use crate::load::{Fault, LoadError, Source, Warning, text};
use crate::plan::Objects;
use crate::units::{Bytes, Offset, Span, Step, narrow};
use crate::{Message, message};

/// What an operator is that only gives a value another shape.
const NOTHING: &str = "__nop";

/// Whether a file that begins with `head` is one.
pub(in crate::load) fn sniff(head: &[u8]) -> bool {
    let head = head.strip_prefix(BYTE_ORDER_MARK).unwrap_or(head);
    let begin = head.trim_ascii_start();
    let has = |key: &[u8]| super::line::holds(begin, key);
    begin.starts_with(b"{") && has(b"\"nodes\"") && (has(b"\"tvm_op\"") || has(b"\"storage_id\""))
}

/// The file.
#[derive(Deserialize)]
struct Graph {
    nodes: Vec<Node>,
    /// Values that the program returns.
    heads: Vec<Vec<u64>>,
    /// The first value of each node, and the number of all.
    node_row_ptr: Vec<u64>,
    attrs: BTreeMap<String, Value>,
}

#[derive(Deserialize)]
struct Node {
    op: String,
    name: String,
    #[serde(default)]
    inputs: Vec<Vec<u64>>,
    #[serde(default)]
    attrs: BTreeMap<String, Value>,
}

/// A value that lies somewhere.
#[derive(Clone)]
struct Entry {
    node: usize,
    name: String,
    size: u64,
    shape: Vec<u64>,
    dtype: String,
    storage: u64,
    device: u64,
    /// The step that writes it; `None` for what is there before the run.
    made: Option<u64>,
    /// The steps that read it, ascending.
    uses: Vec<u64>,
    is_output: bool,
}

/// Reads it.
///
/// # Errors
/// See [`LoadError`], with the value or node.
pub(in crate::load) fn read(source: &dyn Source) -> Dump {
    let text = text::read(source)?;
    let graph: Graph = serde_json::from_str(&text).map_err(|error| invalid(&error))?;
    let (entries, steps) = entries(&graph)?;
    let mut devices: BTreeMap<u64, Vec<Entry>> = BTreeMap::new();
    for entry in entries {
        devices.entry(entry.device).or_default().push(entry);
    }
    if devices.len() > MAX_ARENAS {
        let message = message!(
            "{} arenas, of which we read at most {}",
            devices.len(),
            MAX_ARENAS
        );
        return Err(Fault::Limit.at(Message::verbatim("device_index"), message));
    }
    let mut warnings = vec![Warning::of_file(message!(
        "workspaces that kernels ask for while they run are not in the file"
    ))];
    let several = devices.len() > 1;
    let mut arenas = Vec::new();
    for (device, entries) in devices {
        let name = if several {
            device_name(device)
        } else {
            String::new()
        };
        arenas.push(arena(name, entries, &steps, &mut warnings)?);
    }
    let deployed = Deployed {
        toolchain: "TVM".into(),
        arenas,
        ..Deployed::default()
    };
    Ok((deployed, warnings))
}

/// What DLPack calls the device type of this number.
fn device_name(device: u64) -> String {
    let known = [
        (1, "CPU"),
        (2, "CUDA"),
        (4, "OpenCL"),
        (7, "Vulkan"),
        (8, "Metal"),
        (10, "ROCm"),
        (15, "WebGPU"),
        (16, "Hexagon"),
    ];
    let found = known.iter().find(|(number, _)| *number == device);
    found.map_or(format!("device {device}"), |(_, name)| (*name).to_owned())
}

/// The list in an attribute: `["list_int", [...]]`.
fn list<'g>(graph: &'g Graph, key: &'static str, count: usize) -> Result<&'g [Value], LoadError> {
    let list = graph.attrs.get(key).and_then(|it| it.get(1)?.as_array());
    let list = list.ok_or_else(|| {
        let message = message!("there is no list \"{}\": the graph is not planned", key);
        Fault::Unsupported.at(Message::verbatim("attrs"), message)
    })?;
    if list.len() != count {
        let message = message!("{} entries for {} values", list.len(), count);
        return Err(Fault::Malformed.at(Message::verbatim(key), message));
    }
    Ok(list)
}

/// The place of the first value of each node, and behind the last how many there are.
fn first_values(graph: &Graph) -> Result<Vec<usize>, LoadError> {
    let nodes = graph.nodes.len();
    let rows: Vec<usize> = (graph.node_row_ptr.iter())
        .map(|row| usize::try_from(*row).unwrap_or(usize::MAX))
        .collect();
    let in_order = rows.windows(2).all(|pair| pair[0] <= pair[1]);
    if rows.len() != nodes + 1 || !in_order || rows.first() != Some(&0) {
        let message = message!("it does not lead from every node to its values");
        return Err(Fault::Malformed.at(Message::verbatim("node_row_ptr"), message));
    }
    Ok(rows)
}

/// Every value, and what runs at each step.
fn entries(graph: &Graph) -> Result<(Vec<Entry>, Vec<String>), LoadError> {
    let rows = first_values(graph)?;
    let count = rows.last().copied().unwrap_or_default();
    let shapes = list(graph, "shape", count)?;
    let types = list(graph, "dltype", count)?;
    let storages = list(graph, "storage_id", count)?;
    let devices = match graph.attrs.contains_key("device_index") {
        true => Some(list(graph, "device_index", count)?),
        false => None,
    };
    let mut entries: Vec<Entry> = Vec::with_capacity(count);
    let mut steps = Vec::new();
    for (index, node) in graph.nodes.iter().enumerate() {
        let made = (node.op != "null").then_some(steps.len() as u64);
        if let Some(step) = made {
            steps.push(node.name.clone());
            for input in &node.inputs {
                let at = place(input, &rows).filter(|at| *at < entries.len());
                let read = at.and_then(|at| entries.get_mut(at));
                let read = read.ok_or_else(|| {
                    let message = message!("it reads a value that no node before it makes");
                    Fault::Dangling.at(Message::verbatim(&*node.name), message)
                })?;
                read.uses.push(step);
            }
        }
        for value in rows[index]..rows[index + 1] {
            let name = match value - rows[index] {
                0 => node.name.clone(),
                output => format!("{}:{output}", node.name),
            };
            let shape = shape(&shapes[value]);
            let dtype = types[value].as_str().unwrap_or_default();
            let size = shape.as_ref().and_then(|shape| bytes(shape, dtype));
            let (Some(shape), Some(size)) = (shape, size) else {
                let message = message!(
                    "no size follows from {} of {}",
                    shapes[value].to_string(),
                    dtype
                );
                return Err(Fault::Unsupported.at(Message::verbatim(name), message));
            };
            let Some(storage) = storages[value].as_u64() else {
                let message = message!("its storage is {}", storages[value].to_string());
                return Err(Fault::Malformed.at(Message::verbatim(name), message));
            };
            let device = devices.and_then(|it| it[value].as_u64()).unwrap_or(1);
            entries.push(Entry {
                node: index,
                name,
                size,
                shape,
                dtype: dtype.to_owned(),
                storage,
                device,
                made,
                uses: Vec::new(),
                is_output: false,
            });
        }
    }
    for head in &graph.heads {
        let entry = place(head, &rows).and_then(|at| entries.get_mut(at));
        let entry = entry.ok_or_else(|| {
            let why = message!("a value that no node makes is returned");
            Fault::Dangling.at(Message::verbatim("heads"), why)
        })?;
        entry.is_output = true;
    }
    same_values(graph, &rows, &mut entries);
    Ok((entries, steps))
}

/// Where the value of a reference `[node, output, version]` is.
fn place(reference: &[u64], rows: &[usize]) -> Option<usize> {
    let node = usize::try_from(*reference.first()?).ok()?;
    let output = usize::try_from(*reference.get(1)?).ok()?;
    let at = rows.get(node)?.checked_add(output)?;
    (at < *rows.get(node + 1)?).then_some(at)
}

/// What only has another shape is the very value that it was: that one is needed for it, too.
fn same_values(graph: &Graph, rows: &[usize], entries: &mut [Entry]) {
    for (index, node) in graph.nodes.iter().enumerate().rev() {
        let nothing = node.attrs.get("func_name").and_then(Value::as_str) == Some(NOTHING);
        let input = node.inputs.first().and_then(|input| place(input, rows));
        let (true, Some(input), Some(&own)) = (nothing, input, rows.get(index)) else {
            continue;
        };
        let Some(made) = entries.get(own).filter(|made| made.node == index).cloned() else {
            continue;
        };
        let Some(read) = entries.get_mut(input) else {
            continue;
        };
        if read.storage == made.storage && read.device == made.device {
            read.uses.extend(made.uses);
            read.uses.sort_unstable();
            read.is_output |= made.is_output;
            if let Some(view) = entries.get_mut(own) {
                view.size = 0;
            }
        }
    }
}

/// The dimensions of a shape that the file knows.
fn shape(value: &Value) -> Option<Vec<u64>> {
    value.as_array()?.iter().map(Value::as_u64).collect()
}

/// The bytes of a value: elements of whole bytes, each of all its lanes.
fn bytes(shape: &[u64], dtype: &str) -> Option<u64> {
    let elements = shape
        .iter()
        .try_fold(1_u64, |all, dim| all.checked_mul(*dim))?;
    let digits = dtype.trim_start_matches(|sign: char| sign.is_ascii_alphabetic());
    let (bits, lanes) = match (dtype, digits.split_once('x')) {
        ("bool", _) => (1, 1),
        ("handle", _) => (64, 1),
        (_, Some((bits, lanes))) => (bits.parse().ok()?, lanes.parse().ok()?),
        (_, None) => (digits.parse::<u64>().ok()?, 1),
    };
    let element = bits.checked_mul(lanes)?.div_ceil(8);
    elements.checked_mul(element)
}

/// The arena of the storages of one device, laid end to end.
fn arena(
    name: String,
    entries: Vec<Entry>,
    steps: &[String],
    warnings: &mut Vec<Warning>,
) -> Result<Arena, LoadError> {
    let end = steps.len().max(1) as u64;
    let mut sizes: BTreeMap<u64, u64> = BTreeMap::new();
    for entry in &entries {
        let size = sizes.entry(entry.storage).or_default();
        *size = entry.size.max(*size);
    }
    let mut next = 0_u64;
    let mut objects = Objects::default();
    let mut places = BTreeMap::new();
    for (storage, size) in sizes.into_iter().filter(|(_, size)| *size > 0) {
        places.insert(storage, objects.sizes.len());
        objects.sizes.push(Bytes(size));
        objects.offsets.push(Offset(next));
        next = next.checked_add(size).ok_or_else(|| {
            let message = message!("the storages together go beyond 64 bits");
            Fault::Limit.at(Message::verbatim("storage_id"), message)
        })?;
    }
    let mut draft = Draft::new(Message::verbatim(name), "TVM");
    draft.horizon = end;
    draft.step_names = steps.to_vec();
    draft.arena = Some(next);
    let mut last: BTreeMap<u64, (usize, u64)> = BTreeMap::new();
    for entry in entries {
        // Nothing, or another shape of what is there already.
        let Some(&object) = places.get(&entry.storage).filter(|_| entry.size > 0) else {
            continue;
        };
        let offset = objects.offsets.get(object).map_or(0, |offset| offset.0);
        let (storage, span) = (entry.storage, entry.span(end));
        let place = entry.name.clone();
        let row = draft.push(|| Message::verbatim(&place), row(entry, span, offset))?;
        objects.of_buffer.push(narrow(object));
        // An operator that writes over what it reads for the last time.
        if let Some((before, until)) = last.insert(storage, (row, span.end.0))
            && until == span.start.0 + 1
        {
            draft.handovers.push(Handover {
                before,
                after: row,
                shift: Bytes::ZERO,
            });
        }
    }
    let mut arena = draft.finish(warnings)?;
    arena.plan.objects = Some(objects);
    Ok(arena)
}

impl Entry {
    /// When its storage has to keep it.
    fn span(&self, end: u64) -> Span {
        let Some(made) = self.made else {
            return Span::new(0, end);
        };
        let last = self.uses.last().map_or(made, |last| (*last).max(made));
        Span::new(made, if self.is_output { end } else { last + 1 })
    }
}

fn row(entry: Entry, span: Span, offset: u64) -> Row {
    let role = match (entry.made, entry.is_output) {
        (None, _) => "input or weight",
        (Some(_), true) => "output",
        (Some(_), false) => "",
    };
    // A weight is needed for the whole run, and so is an input that nothing may be written over.
    let until = entry.uses.last().map_or(0, |last| last + 1);
    let held = entry.made.is_none().then_some(Held {
        why: Hold::WholeLife,
        needed: Span::new(0, until),
    });
    Row {
        name: entry.name,
        size: entry.size,
        span,
        offset,
        note: Note {
            role: role.to_owned(),
            uses: entry.uses.into_iter().map(Step).collect(),
            held,
            value: IrValue {
                dtype: entry.dtype,
                shape: Some(entry.shape),
                ..IrValue::default()
            }
            .noted(),
            ..Note::default()
        },
        ..Row::default()
    }
}
