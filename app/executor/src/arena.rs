//! The memory of a run as words: arena, weights and the rest, on the CPU. As on a GPU, reads
//! beyond a buffer give zero and writes beyond it are lost, so that a corrupted plan cannot
//! do more here than there.

use planner::graph::DType;

use crate::elements;
use crate::recording::{Operand, Recording, Region, Space, WORD};

/// The buffers of a run.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// The planned arena.
    pub arena: Vec<u32>,
    /// Inputs, outputs and state that the plan does not place.
    pub io: Vec<u32>,
    /// Read-only weights.
    pub weights: Vec<Vec<u32>>,
}

impl Memory {
    /// Zeroed buffers of a recording's sizes.
    #[must_use]
    pub fn of(recording: &Recording) -> Self {
        let zeros = |bytes: planner::Bytes| {
            let words = usize::try_from(bytes.0.div_ceil(WORD));
            vec![0; words.expect("lowering refuses what cannot be addressed")]
        };
        Self {
            arena: zeros(recording.arena),
            io: zeros(recording.io),
            weights: recording.weights.iter().copied().map(zeros).collect(),
        }
    }

    fn buffer(&self, space: Space) -> &[u32] {
        match space {
            Space::Arena => &self.arena,
            Space::Io => &self.io,
            Space::Weights(chunk) => self
                .weights
                .get(usize::from(chunk))
                .map(Vec::as_slice)
                .unwrap_or_default(),
        }
    }

    fn buffer_mut(&mut self, space: Space) -> &mut [u32] {
        match space {
            Space::Arena => &mut self.arena,
            Space::Io => &mut self.io,
            Space::Weights(chunk) => self
                .weights
                .get_mut(usize::from(chunk))
                .map(Vec::as_mut_slice)
                .unwrap_or_default(),
        }
    }

    /// The words of a region.
    #[must_use]
    pub fn words(&self, region: Region) -> Vec<u32> {
        let buffer = self.buffer(region.space);
        let start = (region.word as usize).min(buffer.len());
        let end = (start + region.words as usize).min(buffer.len());
        let mut words = buffer[start..end].to_vec();
        words.resize(region.words as usize, 0);
        words
    }

    /// Writes words from the start of a region on.
    pub fn put_words(&mut self, region: Region, words: &[u32]) {
        let buffer = self.buffer_mut(region.space);
        let start = (region.word as usize).min(buffer.len());
        let len = words.len().min(buffer.len() - start);
        buffer[start..start + len].copy_from_slice(&words[..len]);
    }

    /// The elements as floats, whatever their type.
    #[must_use]
    pub fn floats(&self, operand: &Operand) -> Vec<f32> {
        if operand.dtype == DType::F32 {
            let words = self.words(operand.region);
            return words.into_iter().map(f32::from_bits).collect();
        }
        elements::floats(operand, &self.words(operand.region))
    }

    /// The elements as integers, floats truncated.
    #[must_use]
    pub fn ints(&self, operand: &Operand) -> Vec<i64> {
        elements::ints(operand, &self.words(operand.region))
    }

    /// Writes floats, converted to the operand's type.
    pub fn put_floats(&mut self, operand: &Operand, values: &[f32]) {
        let words = elements::words_of_floats(operand.dtype, values);
        self.put_words(operand.region, &words);
    }

    /// Writes integers, converted to the operand's type.
    pub fn put_ints(&mut self, operand: &Operand, values: &[i64]) {
        let words = elements::words_of_ints(operand.dtype, values);
        self.put_words(operand.region, &words);
    }
}
