//! Where every tensor lives: in the arena where the plan says, else in io.

use std::collections::BTreeMap;

use planner::graph::{Content, DType, Graph, TensorId};
use planner::storage::{StorageId, StorageKind};
use planner::{Bytes, Lifetimes, Message, Plan, Program, Residencies, Step, message};

use super::{Options, Refused, place};
use crate::elements;
use crate::recording::{Operand, Origin, PlacedTensor, Recording, Region, Space, Upload, WORD};

/// The addresses of a run, weights left out.
#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    /// Size of the arena.
    pub arena: Bytes,
    /// Size of the io buffer.
    pub io: Bytes,
    /// What the plan places: one for each buffer.
    pub planned: Vec<PlacedTensor>,
    /// Which buffer holds a storage when.
    residencies: Residencies,
    /// Where storages lie that the plan does not place.
    beside: BTreeMap<StorageId, Region>,
}

/// When an operand is looked up: a storage may have an address of its own in each residency.
#[derive(Clone, Copy)]
pub(super) enum When {
    /// Before the run.
    Start,
    At(Step),
    /// After the run.
    End,
}

impl Places {
    pub(super) fn of(
        program: &Program,
        lifetimes: &Lifetimes,
        plan: &Plan,
        options: &Options,
    ) -> Result<Self, Refused> {
        let mut places = Self {
            arena: plan.arena.align_up(Bytes(WORD)).unwrap_or(plan.arena),
            residencies: Residencies::of(lifetimes),
            ..Self::default()
        };
        within(|| message!("arena"), places.arena, options)?;
        let counted = counted(program);
        for (index, (buffer, offset)) in lifetimes.buffers.iter().zip(&plan.offsets).enumerate() {
            let taken = buffer.storage.and_then(|id| counted.get(&id).copied());
            let payload = taken.map_or(buffer.payload, |taken| taken.min(buffer.payload));
            let region = places.region(&buffer.name, offset.0, payload)?;
            places
                .planned
                .push(place(index, &buffer.name, region, buffer.span));
        }
        for (index, storage) in program.storages.list.iter().enumerate() {
            let id = StorageId::at(index);
            let kept = matches!(
                storage.kind,
                StorageKind::Input
                    | StorageKind::Output
                    | StorageKind::State
                    | StorageKind::OptimizerState
            );
            if kept && places.residencies.buffers(id).is_empty() {
                places.append(id, storage.bytes.unwrap_or_default(), options)?;
            }
        }
        within(|| message!("io buffer"), places.io, options)?;
        Ok(places)
    }

    fn region(&self, name: &str, offset: u64, payload: Bytes) -> Result<Region, Refused> {
        let tensor = || name.to_owned();
        if !offset.is_multiple_of(WORD) {
            let tensor = tensor();
            return Err(Refused::Unaligned { tensor, offset });
        }
        let words = payload.0.div_ceil(WORD);
        let end = offset.saturating_add(words.saturating_mul(WORD));
        let word = u32::try_from(offset / WORD);
        match (word, u32::try_from(words)) {
            (Ok(word), Ok(words)) if end <= self.arena.0 => Ok(Region {
                space: Space::Arena,
                word,
                words,
            }),
            _ => Err(Refused::Outside {
                tensor: tensor(),
                end,
                arena: self.arena.0,
            }),
        }
    }

    /// Places a storage after the others in io, 256-byte aligned.
    fn append(&mut self, id: StorageId, bytes: Bytes, options: &Options) -> Result<(), Refused> {
        let start = self.io.align_up(Bytes(256)).unwrap_or(self.io);
        let end = start
            .0
            .saturating_add(bytes.0.div_ceil(WORD).saturating_mul(WORD));
        let (word, words) = (start.0 / WORD, bytes.0.div_ceil(WORD));
        let (Ok(word), Ok(words)) = (u32::try_from(word), u32::try_from(words)) else {
            return Err(too_large(|| message!("io buffer"), Bytes(end), options));
        };
        let region = Region {
            space: Space::Io,
            word,
            words,
        };
        self.beside.insert(id, region);
        self.io = Bytes(end);
        Ok(())
    }

    /// The tensor where it lives; `None` for constants and tensors without a place, and for
    /// views that do not begin at a whole word.
    pub(super) fn operand(
        &self,
        program: &Program,
        lifetimes: &Lifetimes,
        (when, id): (When, TensorId),
    ) -> Option<Operand> {
        let view = program.storages.view(id)?;
        let own = self.residencies.buffers(view.base);
        let buffer = match when {
            When::Start => own.first().copied(),
            When::At(step) => self.residencies.at(lifetimes, view.base, step),
            When::End => own.last().copied(),
        };
        let base = match buffer {
            Some(buffer) => self.planned.get(buffer)?.region,
            None => *self.beside.get(&view.base)?,
        };
        let (start, end) = program.storages.window(&program.graph, id)?;
        let bytes = end.0.saturating_sub(start.0);
        let whole = view.offset.0.is_multiple_of(WORD);
        let (Ok(offset), Ok(words)) = (
            u32::try_from(view.offset.0 / WORD),
            u32::try_from(bytes.div_ceil(WORD)),
        ) else {
            return None;
        };
        let region = Region {
            word: base.word.checked_add(offset)?,
            words,
            ..base
        };
        let operand = operand(&program.graph, id, region).filter(|_| whole)?;
        let strides = view
            .strides
            .iter()
            .map(|stride| u32::try_from(*stride).ok());
        Some(Operand {
            buffer,
            strides: strides.collect::<Option<_>>()?,
            ..operand
        })
    }

    /// Records the uploads of inputs and state.
    pub(super) fn feed(&self, program: &Program, lifetimes: &Lifetimes, recording: &mut Recording) {
        let placed = |id| self.operand(program, lifetimes, (When::Start, id));
        for (position, &id) in program.graph.inputs.iter().enumerate() {
            if let Some(operand) = placed(id) {
                let origin = Origin::Input(position);
                recording.uploads.push(Upload { operand, origin });
            }
        }
        for storage in &program.storages.list {
            if storage.kind == StorageKind::State
                && let Some(operand) = placed(storage.tensor)
            {
                let origin = initial(&program.graph, &operand);
                recording.uploads.push(Upload { operand, origin });
            }
        }
    }
}

/// Bytes that storages hold in truth, where a plan may have been made for more: how far their
/// tensors reach. Nothing of a program in which nothing is counted.
fn counted(program: &Program) -> BTreeMap<StorageId, Bytes> {
    let mut held: BTreeMap<StorageId, Bytes> = BTreeMap::new();
    if program.graph.counts.is_empty() {
        return held;
    }
    for (index, view) in program.storages.views.iter().enumerate() {
        let window = program.storages.window(&program.graph, TensorId::at(index));
        if let Some((_, end)) = window {
            let held = held.entry(view.base).or_default();
            *held = (*held).max(end);
        }
    }
    held
}

/// What state is before the run: what the file gives, else zeros as its quantisation has them.
fn initial(graph: &Graph, state: &Operand) -> Origin {
    let tensor = graph.tensor(state.tensor);
    match &tensor.content {
        Content::Inline(bytes) => return Origin::Inline(bytes.clone()),
        &Content::Range { start, len } => return Origin::File { start, len },
        _ => {}
    }
    let steps = tensor
        .quantization
        .as_ref()
        .filter(|_| tensor.dtype == DType::I8);
    match steps.and_then(|steps| steps.zero_points.first()) {
        Some(&zero) if zero != 0 => {
            let elements = vec![zero; state.len() as usize];
            Origin::Words(elements::words_of_ints(state.dtype, &elements))
        }
        _ => Origin::Zeros,
    }
}

/// The tensor at `region`; `None` for one whose type or size cannot be in a run.
pub(super) fn operand(graph: &Graph, id: TensorId, region: Region) -> Option<Operand> {
    let tensor = graph.tensor(id);
    let dims = tensor.dims.as_ref()?.iter();
    let dims: Vec<u32> = dims
        .map(|&dim| u32::try_from(dim).ok())
        .collect::<Option<_>>()?;
    let empty = dims.contains(&0);
    dims.iter()
        .try_fold(1_u32, |n, &dim| n.checked_mul(dim))
        .filter(|_| !empty)
        .or(empty.then_some(0))?;
    elements::runs(tensor.dtype).then(|| Operand {
        tensor: id,
        name: tensor.name.clone(),
        region,
        buffer: None,
        dims,
        strides: Vec::new(),
        dtype: tensor.dtype,
        held: None,
    })
}

/// Refuses a buffer that the device cannot bind.
pub(super) fn within(
    what: fn() -> Message,
    bytes: Bytes,
    options: &Options,
) -> Result<(), Refused> {
    if bytes > options.max_binding {
        return Err(too_large(what, bytes, options));
    }
    Ok(())
}

fn too_large(what: fn() -> Message, bytes: Bytes, options: &Options) -> Refused {
    Refused::TooLarge {
        what: what(),
        bytes: bytes.0,
        limit: options.max_binding.0,
    }
}
