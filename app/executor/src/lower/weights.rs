//! Gives addresses to the constants that dispatches read: in as many weights buffers as the
//! device's limit asks for, all constants of one dispatch in the same.

use std::collections::BTreeMap;
use std::sync::Arc;

use planner::graph::{Graph, TensorId, Value};
use planner::{Bytes, message};

use super::constants::Constants;
use super::places::within;
use super::{Options, Refused};
use crate::elements;
use crate::recording::{Operand, Recording, Region, Space, Upload, WORD};

/// Weights start at multiples of 64 words, so that any of them could be bound on its own.
const ALIGNMENT: u64 = 256;

/// Places the constants, records their uploads, and returns the recording that computes
/// those that follow from others.
pub(super) fn place(
    graph: &Graph,
    values: &BTreeMap<TensorId, Value>,
    options: &Options,
    recording: &mut Recording,
) -> Result<Option<Box<Recording>>, Refused> {
    let mut shelf = Shelf::default();
    let mut steps = std::mem::take(&mut recording.steps);
    for dispatch in steps.iter_mut().flat_map(|step| &mut step.dispatches) {
        let mut constants: Vec<&mut Operand> = dispatch
            .inputs
            .iter_mut()
            .filter(|input| matches!(input.region.space, Space::Weights(_)))
            .collect();
        shelf.place(&mut constants, options)?;
    }
    recording.steps = steps;
    recording.weights = shelf.chunks;
    let mut constants = Constants::new(graph, values);
    for operand in shelf.placed {
        let origin = constants.origin(&operand)?;
        recording.uploads.push(Upload { operand, origin });
    }
    constants.recording(options)
}

/// A constant of a chunk: the tensor as elements of a type, or the table that was worked out.
type Key = (u16, TensorId, u32, Option<Arc<Vec<u32>>>);

fn key(chunk: u16, operand: &Operand) -> Key {
    let kind = elements::code(operand.dtype);
    (chunk, operand.tensor, kind, operand.held.clone())
}

#[derive(Default)]
struct Shelf {
    chunks: Vec<Bytes>,
    regions: BTreeMap<Key, Region>,
    placed: Vec<Operand>,
}

impl Shelf {
    /// Puts the constants of one dispatch into one chunk.
    fn place(&mut self, constants: &mut [&mut Operand], options: &Options) -> Result<(), Refused> {
        if constants.is_empty() {
            return Ok(());
        }
        let last = self.chunks.len().saturating_sub(1);
        let chunk = (0..self.chunks.len())
            .find(|&chunk| constants.iter().all(|x| self.find(chunk, x).is_some()))
            .unwrap_or(last);
        let needed: u64 = constants
            .iter()
            .filter(|x| self.find(chunk, x).is_none())
            .map(|x| u64::from(x.region.words) * WORD + ALIGNMENT)
            .sum();
        within(
            || message!("weights of one operator"),
            Bytes(needed),
            options,
        )?;
        let used = self.chunks.get(chunk).copied().unwrap_or_default();
        let chunk = if self.chunks.is_empty() || used.0 + needed > options.max_binding.0 {
            self.chunks.push(Bytes::ZERO);
            self.chunks.len() - 1
        } else {
            chunk
        };
        for constant in constants {
            constant.region = match self.find(chunk, constant) {
                Some(region) => region,
                None => self.append(chunk, constant),
            };
        }
        Ok(())
    }

    fn find(&self, chunk: usize, operand: &Operand) -> Option<Region> {
        let chunk = u16::try_from(chunk).ok()?;
        self.regions.get(&key(chunk, operand)).copied()
    }

    fn append(&mut self, chunk: usize, operand: &Operand) -> Region {
        let number = u16::try_from(chunk).expect("no device has memory for 65536 chunks");
        let used = &mut self.chunks[chunk];
        let start = used.0.next_multiple_of(ALIGNMENT);
        let word = u32::try_from(start / WORD);
        let word =
            word.expect("a chunk is within the limit of a binding, which is below 2^32 words");
        let region = Region {
            space: Space::Weights(number),
            word,
            words: operand.region.words,
        };
        *used = Bytes(start + u64::from(region.words) * WORD);
        self.regions.insert(key(number, operand), region);
        self.placed.push(Operand {
            region,
            ..operand.clone()
        });
        region
    }
}
