//! What LiteRT's `PrintInterpreterState` prints: every tensor with its bytes of the arena, every
//! operator with what it reads and writes, and the order in which they run.
//!
//! Only the main subgraph is read. Names are cut off by LiteRT itself.

use std::collections::BTreeMap;

use super::{Entry, Role};
use crate::load::dump::line::{Line, MAX_STEP};
use crate::load::{Fault, LoadError, Warning};
use crate::message;
use crate::units::Span;

/// What the first line begins with.
pub(super) const HEADER: &[u8] = b"== Interpreter has ";

/// The most operators.
const MAX_NODES: usize = 1 << 20;

/// What is printed of the main subgraph.
#[derive(Default)]
struct State {
    inputs: Vec<u64>,
    outputs: Vec<u64>,
    tensors: BTreeMap<u64, Entry>,
    nodes: Vec<Node>,
    order: Option<Vec<u64>>,
    arena: Option<u64>,
    others: bool,
}

/// One operator.
struct Node {
    id: u64,
    kind: String,
    reads: Vec<u64>,
    writes: Vec<u64>,
}

/// The tensors of the arena with their spans, the number of steps, and the bytes of the arena
/// where they are printed.
pub(super) fn read<'t>(
    lines: impl Iterator<Item = Line<'t>>,
    warnings: &mut Vec<Warning>,
) -> Result<(Vec<Entry>, u64, Option<u64>), LoadError> {
    let mut state = State::default();
    for line in lines {
        state.take(line)?;
    }
    let Some(order) = state.order.take() else {
        return Err(Fault::Truncated.in_file(message!(
            "there is no line with the execution plan: print the state after \
             AllocateTensors, and copy all of it"
        )));
    };
    if state.others {
        warnings.push(Warning::of_file(message!(
            "only the main subgraph is read: the others share its arena"
        )));
    }
    let horizon = order.len() as u64;
    let mut spans: BTreeMap<u64, Span> = BTreeMap::new();
    let places: BTreeMap<u64, u64> = order.into_iter().zip(0..).collect();
    for node in &state.nodes {
        let Some(&step) = places.get(&node.id) else {
            continue;
        };
        for &tensor in node.reads.iter().chain(&node.writes) {
            let span = spans.entry(tensor).or_insert(Span::new(step, step + 1));
            span.start.0 = span.start.0.min(step);
            span.end.0 = span.end.0.max(step + 1);
        }
        for tensor in &node.writes {
            if let Some(entry) = state.tensors.get_mut(tensor) {
                entry.op.clone_from(&node.kind);
            }
        }
    }
    let (entries, idle) = state.entries(&spans, horizon);
    if idle > 0 {
        warnings.push(Warning::of_file(message!(
            "tensor of the arena is used by no operator and left out"
                | "tensors of the arena are used by no operator and left out",
            idle
        )));
    }
    Ok((entries, horizon, state.arena))
}

impl State {
    fn take(&mut self, line: Line<'_>) -> Result<(), LoadError> {
        let text = line.text;
        if let Some(rest) = text.strip_prefix("Subgraph#0") {
            if let Some((_, rest)) = rest.split_once("Arena (Normal)") {
                let cell = rest.split_whitespace().next().unwrap_or_default();
                self.arena = Some(line.number(message!("the arena"), cell)?);
            }
            return Ok(());
        }
        self.others |= text.starts_with("-----------Subgraph-") && !text.contains("Subgraph-0 ");
        if self.others {
            return Ok(());
        }
        let after = |mark: &str| text.split_once(mark).map(|(_, rest)| rest);
        if let Some(list) = after("Execution plan as the list of ") {
            let list = list.split_once(": ").map_or("", |(_, list)| list);
            self.order = Some(numbers(line, list)?);
        } else if let Some(list) = after(" Input Tensors:").or(after(" Temporary Tensors:")) {
            let list = numbers(line, list)?;
            self.last(line)?.reads.extend(list);
        } else if let Some(list) = after(" Output Tensors:") {
            let list = numbers(line, list)?;
            self.last(line)?.writes.extend(list);
        } else if let Some(list) = after(" Inputs: ") {
            self.inputs = numbers(line, list)?;
        } else if let Some(list) = after(" Outputs: ") {
            self.outputs = numbers(line, list)?;
        } else if let Some(rest) = text.strip_prefix("Node ") {
            self.node(line, rest)?;
        } else if let Some(rest) = text.strip_prefix("Tensor ") {
            self.tensor(line, rest)?;
        }
        Ok(())
    }

    fn last(&mut self, line: Line<'_>) -> Result<&mut Node, LoadError> {
        self.nodes.last_mut().ok_or_else(|| {
            let message = message!("tensors of an operator stand before the first one");
            line.fault(Fault::Malformed, message)
        })
    }

    fn node(&mut self, line: Line<'_>, rest: &str) -> Result<(), LoadError> {
        let mut words = rest.split_whitespace();
        let id = line.number(message!("the operator"), words.next().unwrap_or_default())?;
        if self.nodes.len() == MAX_NODES {
            let message = message!("more than {} operators", MAX_NODES);
            return Err(line.fault(Fault::Limit, message));
        }
        self.nodes.push(Node {
            id,
            kind: words.last().unwrap_or_default().to_owned(),
            reads: Vec::new(),
            writes: Vec::new(),
        });
        Ok(())
    }

    /// A tensor of the arena; constants lie in the file, and some have no bytes yet.
    fn tensor(&mut self, line: Line<'_>, rest: &str) -> Result<(), LoadError> {
        let Some((before, after)) = rest.rsplit_once(" kTfLiteArenaRw") else {
            return Ok(());
        };
        let kept = after.strip_prefix("Persistent");
        let cells = kept.unwrap_or(after);
        let size = cells.split_whitespace().next().unwrap_or_default();
        let range = cells.rsplit_once('[').map_or("", |(_, range)| range);
        let ends = range.strip_suffix(')').and_then(|it| it.split_once(','));
        let Some((first, _)) = ends.filter(|it| !it.0.starts_with('-')) else {
            return Ok(());
        };
        let (id, name) = before.trim_start().split_once(' ').unwrap_or((before, ""));
        // The type of its elements stands behind the name.
        let name = name.trim().rsplit_once(" kTfLite").map_or("", |it| it.0);
        let entry = Entry {
            line: line.number,
            name: name.trim().to_owned(),
            aliases: Vec::new(),
            role: Some(kept.map_or(Role::Intermediate, |_| Role::Variable)),
            op: String::new(),
            span: Span::default(),
            size: line.number(message!("the size"), size)?,
            offset: line.number(message!("the offset"), first)?,
        };
        let id = line.number(message!("the tensor"), id)?;
        if self.tensors.insert(id, entry).is_some() {
            return Err(line.fault(Fault::Duplicate, message!("tensor {} is there twice", id)));
        }
        Ok(())
    }

    /// Those that are used, with their spans: inputs from the start, outputs to the end; and how
    /// many are not.
    fn entries(&mut self, spans: &BTreeMap<u64, Span>, horizon: u64) -> (Vec<Entry>, usize) {
        let (mut entries, mut idle) = (Vec::new(), 0);
        for (id, mut entry) in std::mem::take(&mut self.tensors) {
            let input = self.inputs.contains(&id);
            let Some(&span) = spans.get(&id) else {
                idle += 1;
                continue;
            };
            entry.span = span;
            if input {
                (entry.span.start.0, entry.role) = (0, Some(Role::Input));
            } else if self.outputs.contains(&id) {
                (entry.span.end.0, entry.role) = (horizon, Some(Role::Output));
            }
            entries.push(entry);
        }
        (entries, idle)
    }
}

/// The numbers in a list such as "[0,2-4,-1]"; -1 stands for nothing.
fn numbers(line: Line<'_>, text: &str) -> Result<Vec<u64>, LoadError> {
    let list = text.trim_start().strip_prefix('[');
    let Some((list, _)) = list.and_then(|it| it.split_once(']')) else {
        return Err(line.fault(
            Fault::Malformed,
            message!("there is no list in brackets here"),
        ));
    };
    let mut numbers = Vec::new();
    for cell in list.split(',').map(str::trim) {
        if cell.is_empty() || cell.starts_with('-') {
            continue;
        }
        let (first, last) = cell.split_once('-').unwrap_or((cell, cell));
        let (first, last) = (
            line.step(message!("a number"), first)?,
            line.step(message!("a number"), last)?,
        );
        if last.saturating_sub(first) >= MAX_NODES as u64 || last > MAX_STEP {
            let message = message!("more than {} numbers", MAX_NODES);
            return Err(line.fault(Fault::Limit, message));
        }
        numbers.extend(first..=last);
        if numbers.len() > MAX_NODES {
            let message = message!("more than {} numbers", MAX_NODES);
            return Err(line.fault(Fault::Limit, message));
        }
    }
    Ok(numbers)
}
