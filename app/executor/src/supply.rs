//! The elements of uploads as words: from the opened file, from the graph, from a seed.

use planner::graph::DType;
use planner::load::Source;
use planner::{Message, message};
use serde::{Deserialize, Serialize};

use crate::arena::Memory;
use crate::elements;
use crate::lower::Lowered;
use crate::recording::{Origin, Region, Upload};
use crate::reference;
use crate::stored;

/// Bytes of a file that are read at once.
const PIECE: u64 = 16 << 20;

/// Where a run takes its elements from.
#[derive(Clone, Copy, Default)]
pub struct Supply<'a> {
    /// The opened file, for weights that are in it.
    pub file: Option<&'a dyn Source>,
    /// The words of every input of the graph, by position.
    pub inputs: &'a [Vec<u32>],
    /// The words of the constants that were computed, see [`folded`].
    pub folded: &'a [Vec<u32>],
}

/// Elements that are not at hand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SupplyError {
    /// Whose.
    pub tensor: String,
    /// Why not.
    pub message: Message,
}

impl SupplyError {
    /// The sentence.
    #[must_use]
    pub fn message(&self) -> Message {
        message!(
            "the elements of {} are not at hand: {}",
            self.tensor,
            self.message
        )
    }
}

planner::impl_message!(SupplyError);

impl std::error::Error for SupplyError {}

/// Computes the constants that follow from other constants, on the CPU.
///
/// # Errors
/// When the file does not hold what they follow from.
pub fn folded(lowered: &Lowered, file: Option<&dyn Source>) -> Result<Vec<Vec<u32>>, SupplyError> {
    let Some(recording) = &lowered.folded else {
        return Ok(Vec::new());
    };
    let supply = Supply {
        file,
        ..Supply::default()
    };
    let mut memory = Memory::of(recording);
    supply.fill(&recording.uploads, &mut memory)?;
    reference::run(recording, &mut memory);
    let outputs = recording.outputs.iter();
    Ok(outputs.map(|output| memory.words(output.region)).collect())
}

impl Supply<'_> {
    /// Writes uploads into a memory of the CPU.
    ///
    /// # Errors
    /// [`SupplyError`] names the first tensor whose elements are not at hand.
    pub fn fill<'u>(
        &self,
        uploads: impl IntoIterator<Item = &'u Upload>,
        memory: &mut Memory,
    ) -> Result<(), SupplyError> {
        for upload in uploads {
            let region = upload.operand.region;
            self.pieces(upload, &mut |start, piece| {
                let skipped = u32::try_from(start).expect("an upload is within its region");
                let rest = Region {
                    word: region.word + skipped,
                    words: region.words - skipped,
                    ..region
                };
                memory.put_words(rest, piece);
            })?;
        }
        Ok(())
    }

    /// Hands over the words of an upload in pieces: the first word of each, counted from the
    /// start of the tensor, and its words.
    ///
    /// # Errors
    /// [`SupplyError`] when they are not at hand.
    pub fn pieces(
        &self,
        upload: &Upload,
        take: &mut dyn FnMut(u64, &[u32]),
    ) -> Result<(), SupplyError> {
        let operand = &upload.operand;
        let missing = |message: Message| SupplyError {
            tensor: operand.name.clone(),
            message,
        };
        let words = match &upload.origin {
            Origin::File { start, len } => {
                let file = self
                    .file
                    .ok_or_else(|| missing(message!("the file is not open")))?;
                let needed = elements::bytes_of_count(operand.dtype, operand.len().into());
                if *len != needed {
                    return Err(missing(message!(
                        "the file holds {} B of {} B",
                        len,
                        needed
                    )));
                }
                return read(file, *start, *len, take).map_err(missing);
            }
            Origin::Input(position) => {
                let input = self.inputs.get(*position);
                input
                    .ok_or_else(|| missing(message!("there is no input {}", position)))?
                    .clone()
            }
            Origin::Inline(bytes) => elements::words(bytes),
            Origin::Seeded {
                seed,
                scale,
                around,
            } => {
                let values = seeded(*seed, operand.len(), *scale, *around);
                elements::words_of_floats(operand.dtype, &values)
            }
            Origin::SeededInts { seed, below } => {
                let values = seeded_ints(*seed, operand.len(), *below);
                elements::words_of_ints(operand.dtype, &values)
            }
            Origin::Stored(stored) => stored::words(stored, operand, self.file).map_err(missing)?,
            Origin::Words(words) => words.clone(),
            Origin::Folded(output) => {
                let folded = self.folded.get(*output);
                folded
                    .ok_or_else(|| missing(message!("it was not computed")))?
                    .clone()
            }
            Origin::Zeros => vec![0; operand.region.words as usize],
        };
        if words.len() != operand.region.words as usize {
            let (found, wanted) = (words.len(), operand.region.words);
            return Err(missing(message!(
                "{} words are there, {} are needed",
                found,
                wanted
            )));
        }
        take(0, &words);
        Ok(())
    }
}

fn read(
    file: &dyn Source,
    start: u64,
    len: u64,
    take: &mut dyn FnMut(u64, &[u32]),
) -> Result<(), Message> {
    let mut at = 0;
    while at < len {
        let piece = PIECE.min(len - at);
        let mut bytes = vec![0; usize::try_from(piece).unwrap_or_default()];
        let from = start
            .checked_add(at)
            .ok_or_else(|| message!("its range is beyond 64 bits"))?;
        file.read_at(from, &mut bytes)
            .map_err(|error| error.message())?;
        take(at / 4, &elements::words(&bytes));
        at += piece;
    }
    Ok(())
}

/// `count` seeded values about `around` with deviation `scale`, bell-shaped and never further
/// from it than 3.5 deviations: sums of four uniform numbers (Irwin–Hall), so that every
/// machine gets the same bits.
#[must_use]
pub fn seeded(seed: u64, count: u32, scale: f32, around: f32) -> Vec<f32> {
    let mut random = SplitMix(seed);
    (0..count).map(|_| around + scale * random.bell()).collect()
}

/// `count` seeded integers from 0 on and below `below`.
#[must_use]
pub fn seeded_ints(seed: u64, count: u32, below: u64) -> Vec<i64> {
    let mut random = SplitMix(seed);
    let next = |_| i64::try_from(random.next() % below.max(1)).unwrap_or_default();
    (0..count).map(next).collect()
}

/// Words of seeded elements for a tensor of type `dtype`: floats of deviation 1, integers
/// below `below`.
#[must_use]
pub fn seeded_words(dtype: DType, seed: u64, count: u32, below: u64) -> Vec<u32> {
    match dtype {
        _ if elements::is_float(dtype) => {
            elements::words_of_floats(dtype, &seeded(seed, count, 1.0, 0.0))
        }
        _ => elements::words_of_ints(dtype, &seeded_ints(seed, count, below)),
    }
}

/// `SplitMix64` (Steele, Lea and Flood 2014, figure 17).
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Mean 0 and deviation 1.
    fn bell(&mut self) -> f32 {
        let bits = self.next();
        let sum: u16 = bits.to_le_bytes().chunks_exact(2).fold(0, |sum, pair| {
            sum + (u16::from_le_bytes([pair[0], pair[1]]) >> 2)
        });
        // Four numbers below 2^14 have mean 2^15 - 2 and deviation 2^14 / sqrt 3.
        (f32::from(sum) - 32_766.0) / 9459.2
    }
}
