//! Where every tensor lives: in the arena where the plan says, else in io.

use std::collections::BTreeMap;

use planner::graph::{Graph, Role, TensorId};
use planner::{Bytes, Lifetimes, Plan};

use super::{Options, Refused, place};
use crate::elements;
use crate::recording::{Operand, Origin, Place, Recording, Region, Space, Upload, WORD};

/// The addresses of a run, weights left out.
#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    /// Size of the arena.
    pub arena: Bytes,
    /// Size of the io buffer.
    pub io: Bytes,
    /// What the plan places.
    pub planned: Vec<Place>,
    regions: BTreeMap<TensorId, Region>,
}

impl Places {
    pub(super) fn of(
        graph: &Graph,
        lifetimes: &Lifetimes,
        plan: &Plan,
        options: &Options,
    ) -> Result<Self, Refused> {
        let mut places = Self {
            arena: plan.arena.align_up(Bytes(WORD)).unwrap_or(plan.arena),
            ..Self::default()
        };
        within("arena", places.arena, options)?;
        for (index, (buffer, offset)) in lifetimes.buffers.iter().zip(&plan.offsets).enumerate() {
            let region = places.region(&buffer.name, offset.0, buffer.payload)?;
            places
                .planned
                .push(place(index, &buffer.name, region, buffer.span));
            if let Some(tensor) = buffer.tensor {
                places.regions.insert(tensor, region);
            }
        }
        for (index, tensor) in graph.tensors.iter().enumerate() {
            let id = TensorId::at(index);
            match tensor.role {
                Role::Input | Role::Output | Role::State if !places.regions.contains_key(&id) => {
                    places.append(id, tensor.bytes().unwrap_or_default(), options)?;
                }
                _ => {}
            }
        }
        within("io buffer", places.io, options)?;
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

    /// Places a tensor behind the others in io, 256-byte aligned.
    fn append(&mut self, id: TensorId, bytes: Bytes, options: &Options) -> Result<(), Refused> {
        let start = self.io.align_up(Bytes(256)).unwrap_or(self.io);
        let end = start
            .0
            .saturating_add(bytes.0.div_ceil(WORD).saturating_mul(WORD));
        let (word, words) = (start.0 / WORD, bytes.0.div_ceil(WORD));
        let (Ok(word), Ok(words)) = (u32::try_from(word), u32::try_from(words)) else {
            return Err(too_large("io buffer", Bytes(end), options));
        };
        let region = Region {
            space: Space::Io,
            word,
            words,
        };
        self.regions.insert(id, region);
        self.io = Bytes(end);
        Ok(())
    }

    /// The tensor where it lives; `None` for constants and tensors without a place.
    pub(super) fn operand(&self, graph: &Graph, id: TensorId) -> Option<Operand> {
        let region = *self.regions.get(&id)?;
        operand(graph, id, region)
    }

    /// Records the uploads of inputs and state.
    pub(super) fn feed(&self, graph: &Graph, recording: &mut Recording) {
        for (position, &id) in graph.inputs.iter().enumerate() {
            if let Some(operand) = self.operand(graph, id) {
                let origin = Origin::Input(position);
                recording.uploads.push(Upload { operand, origin });
            }
        }
        for (index, tensor) in graph.tensors.iter().enumerate() {
            if tensor.role == Role::State
                && let Some(operand) = self.operand(graph, TensorId::at(index))
            {
                let origin = Origin::Zeros;
                recording.uploads.push(Upload { operand, origin });
            }
        }
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
        dims,
        dtype: tensor.dtype,
    })
}

/// Refuses a buffer that the device cannot bind.
pub(super) fn within(what: &str, bytes: Bytes, options: &Options) -> Result<(), Refused> {
    if bytes > options.max_binding {
        return Err(too_large(what, bytes, options));
    }
    Ok(())
}

fn too_large(what: &str, bytes: Bytes, options: &Options) -> Refused {
    Refused::TooLarge {
        what: what.to_owned(),
        bytes: bytes.0,
        limit: options.max_binding.0,
    }
}
