//! When each tensor lives, inferred from the order of the instructions: the file does not say.

use std::collections::{BTreeMap, BTreeSet};

use super::program::{Action, Instruction, Method, Tensor, Value};
use crate::load::flatbuffer::{Table, error};
use crate::load::{Fault, LoadError};
use crate::message;
use crate::sorting::Sorting as _;
use crate::units::Step;

/// The most jumps back in one method.
const MAX_LOOPS: usize = 64;
/// The most pairs of read and written tensors of one instruction that are looked at.
const MAX_PAIRS: usize = 1 << 16;
/// Another name of the bytes that it is given.
const VIEW: &str = "executorch_prim::et_view";

/// When the tensors of a method live.
#[derive(Debug, Default)]
pub(super) struct Lives {
    /// By index of the value; `None` for what no instruction touches.
    pub(super) lives: Vec<Option<Life>>,
    /// The value whose bytes each value is another name of, often itself.
    pub(super) owners: Vec<usize>,
    /// Values whose bytes an instruction may write over, with what it writes there.
    pub(super) handovers: Vec<(usize, usize)>,
}

/// When a tensor is touched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Life {
    /// The first instruction that touches it.
    pub(super) first: u64,
    /// The last one.
    pub(super) last: u64,
    /// Those that read it.
    pub(super) reads: Vec<Step>,
    /// The one that writes it first.
    pub(super) writer: Option<usize>,
    /// Whether the caller gives its values.
    pub(super) given: bool,
    /// Whether it is read before anything writes it.
    pub(super) read_first: bool,
    /// Whether anything writes it.
    pub(super) written: bool,
}

impl Life {
    /// Whether its values come from an earlier run. What is never written is no such thing
    /// but room for an instruction to work in, or the result of a delegate.
    pub(super) fn carried(&self) -> bool {
        self.read_first && self.written
    }
}

/// A tensor that lies somewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Block {
    memory: u32,
    start: u64,
    end: u64,
}

/// Which tensor was written last at each address.
#[derive(Default)]
struct Latest {
    /// End and value by memory and start; none overlaps another.
    blocks: BTreeMap<(u32, u64), (u64, usize)>,
}

impl Latest {
    fn write(&mut self, block: Block, value: usize) {
        let from = self
            .blocks
            .range(..=(block.memory, block.start))
            .next_back();
        let below =
            from.filter(|&(&(memory, _), &(end, _))| memory == block.memory && end > block.start);
        let below = below.map(|(&key, _)| key);
        let inside = (block.memory, block.start)..(block.memory, block.end.max(block.start));
        let over: Vec<_> = self.blocks.range(inside).map(|(&key, _)| key).collect();
        for key in over.into_iter().chain(below) {
            self.blocks.remove(&key);
        }
        if block.end > block.start {
            let place = (block.memory, block.start);
            self.blocks.insert(place, (block.end, value));
        }
    }

    /// The tensor that fills exactly this block.
    fn filling(&self, block: Block) -> Option<usize> {
        let &(end, value) = self.blocks.get(&(block.memory, block.start))?;
        (end == block.end).then_some(value)
    }
}

/// The tensors that an instruction touches: those that it only reads, then those it writes.
fn touched(
    method: &Method,
    instruction: &Instruction,
    plan: &Table<'_, '_>,
) -> Result<[Vec<usize>; 2], LoadError> {
    let tensors = |value: usize, into: &mut Vec<usize>| -> Result<(), LoadError> {
        match method.values.get(value) {
            Some(Value::Tensor(_)) => into.push(value),
            Some(Value::List(items)) => {
                plan.spend(items.len() as u64)?;
                let is_tensor =
                    |&&item: &&usize| matches!(method.values.get(item), Some(Value::Tensor(_)));
                into.extend(items.iter().filter(is_tensor));
            }
            _ => {}
        }
        Ok(())
    };
    let (mut read, mut written) = (Vec::new(), Vec::new());
    match &instruction.action {
        Action::Call(args) => {
            for &arg in args {
                tensors(arg, &mut read)?;
            }
            if let Some(&last) = args.last() {
                tensors(last, &mut written)?;
            }
        }
        Action::Move { from, to } => {
            tensors(*from, &mut read)?;
            tensors(*to, &mut written)?;
        }
        Action::Jump { condition, .. } => tensors(*condition, &mut read)?,
        Action::Free(value) => tensors(*value, &mut read)?,
    }
    for list in [&mut read, &mut written] {
        list.order();
        list.dedup();
    }
    read.retain(|value| written.binary_search(value).is_err());
    Ok([read, written])
}

/// Of the values that a call writes, those that it also reads: its arguments hold them once
/// more than as the place for the result and as the result.
fn updated(instruction: &Instruction, written: &[usize]) -> BTreeSet<usize> {
    let Action::Call(args) = &instruction.action else {
        return BTreeSet::new();
    };
    let mut sorted = args.clone();
    sorted.order();
    let held = |value: usize| {
        let from = sorted.partition_point(|&arg| arg < value);
        let to = sorted.partition_point(|&arg| arg <= value);
        to - from - usize::from(args.last() == Some(&value) && to > from)
    };
    written
        .iter()
        .copied()
        .filter(|&value| held(value) > 1)
        .collect()
}

/// When the tensors of `method` live. `plan` is its table.
///
/// # Errors
/// [`Fault::Limit`] for a method with too many loops or lists that are too long.
pub(super) fn lives(method: &Method, plan: &Table<'_, '_>) -> Result<Lives, LoadError> {
    let count = method.values.len();
    let mut found = Lives {
        lives: vec![None; count],
        owners: (0..count).collect(),
        handovers: Vec::new(),
    };
    let mut latest = Latest::default();
    let inputs: BTreeSet<usize> = method.inputs.iter().copied().collect();
    for &input in &method.inputs {
        found.touch(input, 0);
        if let Some(Some(life)) = found.lives.get_mut(input) {
            life.given = true;
        }
    }
    for (value, held) in method.values.iter().enumerate() {
        let state = matches!(held, Value::Tensor(tensor) if tensor.stored);
        let there = (state || inputs.contains(&value)).then(|| block(method, value));
        if let Some(block) = there.flatten() {
            latest.write(block, value);
        }
    }
    let mut touches = Vec::with_capacity(method.instructions.len());
    for (index, instruction) in method.instructions.iter().enumerate() {
        let [read, written] = touched(method, instruction, plan)?;
        found.instruction(method, index, [&read, &written], &mut latest);
        touches.push([read, written]);
    }
    let end = (method.instructions.len() as u64).saturating_sub(1);
    for &output in &method.outputs {
        found.touch(output, end);
    }
    found.moves(method);
    found.merge();
    found.loops(method, plan)?;
    found.handovers(method, &touches);
    Ok(found)
}

/// Where a value lies, if it is a tensor with a place.
fn block(method: &Method, value: usize) -> Option<Block> {
    let Some(Value::Tensor(Tensor { place, bytes, .. })) = method.values.get(value) else {
        return None;
    };
    let (memory, start) = (*place)?;
    let end = start.checked_add((*bytes)?)?;
    Some(Block { memory, start, end })
}

impl Lives {
    fn touch(&mut self, value: usize, step: u64) {
        if let Some(life) = self.lives.get_mut(value) {
            let life = life.get_or_insert_with(|| Life {
                first: step,
                last: step,
                ..Life::default()
            });
            life.first = life.first.min(step);
            life.last = life.last.max(step);
        }
    }

    /// An instruction runs.
    fn instruction(
        &mut self,
        method: &Method,
        index: usize,
        [read, written]: [&[usize]; 2],
        latest: &mut Latest,
    ) {
        let step = index as u64;
        let instruction = method.instructions.get(index);
        let view = instruction.is_some_and(|instruction| {
            instruction.name.starts_with(VIEW) || matches!(instruction.action, Action::Move { .. })
        });
        let updated = instruction.map(|instruction| updated(instruction, written));
        let updated = updated.unwrap_or_default();
        for (values, writes) in [(read, false), (written, true)] {
            for &value in values {
                let new = matches!(self.lives.get(value), Some(None));
                self.touch(value, step);
                let reads = !writes || updated.contains(&value);
                // What is read without having been written is another name of the bytes that
                // lie there. Where an instruction takes room to work in, that is no harm:
                // no other was there in between.
                let block = block(method, value);
                let named = new && (!writes || view);
                let base = block
                    .filter(|_| named)
                    .and_then(|block| latest.filling(block));
                if let (Some(base), Some(owner)) = (base, self.owners.get_mut(value)) {
                    *owner = base;
                } else if let (Some(block), true) = (block, new || writes) {
                    latest.write(block, value);
                }
                let Some(Some(life)) = self.lives.get_mut(value) else {
                    continue;
                };
                if writes && life.writer.is_none() {
                    life.writer = Some(index);
                }
                life.read_first |= new && reads && base.is_none();
                life.written |= writes;
                if reads {
                    life.reads.push(Step(step));
                }
            }
        }
    }

    /// What is moved lives as long as what it becomes.
    fn moves(&mut self, method: &Method) {
        for instruction in method.instructions.iter().rev() {
            if let Action::Move { from, to } = instruction.action {
                let last = self.lives.get(to).and_then(Option::as_ref);
                if let Some(last) = last.map(|life| life.last) {
                    self.touch(from, last);
                }
            }
        }
    }

    /// What is there before a loop and needed in it is needed until the loop ends.
    fn loops(&mut self, method: &Method, plan: &Table<'_, '_>) -> Result<(), LoadError> {
        let mut loops = Vec::new();
        for (index, instruction) in method.instructions.iter().enumerate() {
            if let Action::Jump { to, .. } = instruction.action
                && to <= index
            {
                loops.push((to as u64, index as u64));
            }
        }
        if loops.len() > MAX_LOOPS {
            let message = message!("more than {} jumps back", MAX_LOOPS);
            return Err(error(Fault::Limit, plan.start(), message));
        }
        // Inner loops first, so that what they extend is seen by those around them.
        loops.order_by_key(|&(start, end)| (end, u64::MAX - start));
        for life in self.lives.iter_mut().flatten() {
            for &(start, end) in &loops {
                if life.first < start && (start..=end).contains(&life.last) {
                    life.last = end;
                }
            }
        }
        Ok(())
    }

    /// Gives every owner the lives of its other names.
    fn merge(&mut self) {
        // An owner was seen before its names, but it may be a name itself.
        for value in 0..self.owners.len() {
            let mut owner = value;
            while let Some(&next) = self.owners.get(owner) {
                if next == owner {
                    break;
                }
                owner = next;
            }
            let mut at = value;
            while at != owner {
                let next = self.owners.get(at).copied().unwrap_or(owner);
                if let Some(held) = self.owners.get_mut(at) {
                    *held = owner;
                }
                at = next;
            }
            if owner == value {
                continue;
            }
            let Some(name) = self.lives.get(value).cloned().flatten() else {
                continue;
            };
            match self.lives.get_mut(owner) {
                Some(Some(life)) => {
                    life.first = life.first.min(name.first);
                    life.last = life.last.max(name.last);
                    life.reads.extend(name.reads);
                }
                // A state is there before anything touches it.
                Some(life @ None) => *life = Some(name),
                None => {}
            }
        }
        for life in self.lives.iter_mut().flatten() {
            life.reads.order();
            life.reads.dedup();
        }
    }

    /// Finds the tensors that are written over what is read for the last time.
    fn handovers(&mut self, method: &Method, touches: &[[Vec<usize>; 2]]) {
        let mut pairs = BTreeSet::new();
        let owner = |value: &usize| self.owners.get(*value).copied();
        let life = |value: usize| self.lives.get(value).and_then(Option::as_ref);
        for (step, [read, written]) in (0_u64..).zip(touches) {
            if read.len().saturating_mul(written.len()) > MAX_PAIRS {
                continue;
            }
            for before in read.iter().filter_map(owner) {
                if life(before).is_none_or(|life| life.last != step) {
                    continue;
                }
                for after in written.iter().filter_map(owner) {
                    let begins = life(after).is_some_and(|life| life.first == step);
                    let (Some(old), Some(new)) = (block(method, before), block(method, after))
                    else {
                        continue;
                    };
                    let overlap =
                        old.memory == new.memory && old.start <= new.start && new.start < old.end;
                    if before != after && begins && overlap && new.start < new.end {
                        pairs.insert((before, after));
                    }
                }
            }
        }
        self.handovers = pairs.into_iter().collect();
    }
}
