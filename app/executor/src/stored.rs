//! Elements that a file stores quantised or sparse, as a run reads them.

use planner::graph::{DType, Level, Numbers, Quantization, Sparsity};
use planner::load::Source;
use planner::{Message, message};

use crate::elements;
use crate::recording::{Operand, Origin, Stored};

/// The words of `operand`, which `stored` describes.
///
/// # Errors
/// What is not there or does not fit, for people.
pub(crate) fn words(
    stored: &Stored,
    operand: &Operand,
    file: Option<&dyn Source>,
) -> Result<Vec<u32>, Message> {
    let bytes = match &stored.origin {
        Origin::Inline(bytes) => bytes.clone(),
        Origin::File { start, len } => read(file, *start, *len)?,
        _ => return Err(message!("it is not in the file")),
    };
    let mut values = values(stored.dtype, &bytes, operand)?;
    if let Some(sparsity) = &stored.sparsity {
        values = dense(&values, sparsity, &operand.dims, file)?;
    }
    if values.len() != operand.len() as usize {
        let (found, wanted) = (values.len(), operand.len());
        return Err(message!(
            "{} elements are stored, {} are needed",
            found,
            wanted
        ));
    }
    if let Some(quantization) = &stored.quantization {
        dequantize(&mut values, quantization, &operand.dims);
    }
    Ok(elements::words_of_floats(operand.dtype, &values))
}

fn read(file: Option<&dyn Source>, start: u64, len: u64) -> Result<Vec<u8>, Message> {
    let file = file.ok_or_else(|| message!("the file is not open"))?;
    let end = start.checked_add(len).filter(|&end| end <= file.len());
    end.ok_or_else(|| message!("the file ends before it does"))?;
    let len = usize::try_from(len).map_err(|_too_long| message!("it does not fit the memory"))?;
    let mut bytes = vec![0; len];
    let read = file.read_at(start, &mut bytes);
    read.map_err(|error| error.message())?;
    Ok(bytes)
}

fn values(dtype: DType, bytes: &[u8], operand: &Operand) -> Result<Vec<f32>, Message> {
    let count = match dtype.bits().unwrap_or(32) {
        // The last byte may be filled in part.
        bits if bits < 8 => operand.len(),
        bits => u32::try_from(bytes.len() as u64 * 8 / bits)
            .map_err(|_too_many| message!("it has too many elements"))?,
    };
    let plain = Operand {
        dims: vec![count],
        dtype,
        ..operand.clone()
    };
    Ok(elements::floats(&plain, &elements::words(bytes)))
}

/// scale × (q − zero point), where both may differ along an axis.
fn dequantize(values: &mut [f32], quantization: &Quantization, dims: &[u32]) {
    #[expect(clippy::cast_precision_loss, reason = "zero points are small integers")]
    let zeros: Vec<f32> = quantization.zero_points.iter().map(|&z| z as f32).collect();
    let pairs: Vec<(f32, f32)> = quantization.scales.iter().copied().zip(zeros).collect();
    if pairs.is_empty() {
        return;
    }
    let inner = dims
        .get(quantization.axis as usize + 1..)
        .unwrap_or_default();
    let inner: usize = inner.iter().map(|&dim| dim as usize).product();
    for (index, value) in values.iter_mut().enumerate() {
        let (scale, zero) = pairs[index / inner.max(1) % pairs.len()];
        *value = scale * (*value - zero);
    }
}

/// The levels of a sparse tensor with their numbers at hand.
enum Walk {
    Dense(usize),
    Compressed {
        segments: Vec<usize>,
        indices: Vec<usize>,
    },
}

/// All elements, zeros included, of the stored ones.
fn dense(
    stored: &[f32],
    sparsity: &Sparsity,
    dims: &[u32],
    file: Option<&dyn Source>,
) -> Result<Vec<f32>, Message> {
    let levels = sparsity.levels.iter().map(|level| walk(level, file));
    let levels: Vec<Walk> = levels.collect::<Result<_, _>>()?;
    let rank = dims.len();
    let mut block = vec![1; sparsity.blocks.len()];
    for (level, &of) in levels.iter().zip(&sparsity.order) {
        if let (Some(size), Walk::Dense(dense)) = ((of as usize).checked_sub(rank), level)
            && let Some(slot) = block.get_mut(size)
        {
            *slot = *dense;
        }
    }
    let elements: usize = dims.iter().map(|&dim| dim as usize).product();
    let mut filling = Filling {
        stored: stored.iter(),
        sparsity,
        block,
        dims,
        levels: &levels,
        indices: vec![0; levels.len()],
        dense: vec![0.0; elements],
        // Every level visits each element once at most; a hostile file could loop for ever.
        steps: elements
            .saturating_mul(levels.len() + 1)
            .saturating_add(4096),
    };
    filling.fill(0, 0)?;
    Ok(filling.dense)
}

struct Filling<'a> {
    stored: std::slice::Iter<'a, f32>,
    sparsity: &'a Sparsity,
    /// Sizes of the block's dimensions.
    block: Vec<usize>,
    dims: &'a [u32],
    levels: &'a [Walk],
    /// The index at each level on the way down.
    indices: Vec<usize>,
    dense: Vec<f32>,
    steps: usize,
}

impl Filling<'_> {
    /// Visits what lies below entry `entry` of the level above `level`.
    fn fill(&mut self, level: usize, entry: usize) -> Result<(), Message> {
        const CONTRADICTION: fn() -> Message = || message!("its sparsity contradicts itself");
        self.steps = self.steps.checked_sub(1).ok_or_else(CONTRADICTION)?;
        let levels = self.levels;
        match levels.get(level) {
            None => {
                let place = self.place().ok_or_else(CONTRADICTION)?;
                self.dense[place] = *self.stored.next().ok_or_else(CONTRADICTION)?;
            }
            Some(Walk::Dense(size)) => {
                let first = entry.checked_mul(*size).ok_or_else(CONTRADICTION)?;
                for index in 0..*size {
                    self.indices[level] = index;
                    self.fill(
                        level + 1,
                        first.checked_add(index).ok_or_else(CONTRADICTION)?,
                    )?;
                }
            }
            Some(Walk::Compressed { segments, indices }) => {
                let bounds = segments.get(entry).zip(segments.get(entry + 1));
                let (&start, &end) = bounds.ok_or_else(CONTRADICTION)?;
                for at in start..end {
                    self.indices[level] = *indices.get(at).ok_or_else(CONTRADICTION)?;
                    self.fill(level + 1, at)?;
                }
            }
        }
        Ok(())
    }

    /// The element that the indices lead to.
    fn place(&self) -> Option<usize> {
        let rank = self.dims.len();
        let mut at = vec![0_usize; rank];
        let order = self.sparsity.order.iter().map(|&of| of as usize);
        let found: Vec<(usize, usize)> = order.zip(self.indices.iter().copied()).collect();
        for &(of, index) in found.iter().filter(|(of, _)| *of < rank) {
            at[of] = index;
        }
        for &(of, index) in found.iter().filter(|(of, _)| *of >= rank) {
            let dim = *self.sparsity.blocks.get(of - rank)? as usize;
            let size = *self.block.get(of - rank)?;
            let slot = at.get_mut(dim)?;
            *slot = slot.checked_mul(size)?.checked_add(index)?;
        }
        at.iter()
            .zip(self.dims)
            .try_fold(0_usize, |place, (&index, &dim)| {
                let dim = dim as usize;
                (index < dim).then(|| place * dim + index)
            })
    }
}

fn walk(level: &Level, file: Option<&dyn Source>) -> Result<Walk, Message> {
    Ok(match level {
        Level::Dense(size) => Walk::Dense(*size as usize),
        Level::Compressed { segments, indices } => Walk::Compressed {
            segments: numbers(*segments, file)?,
            indices: numbers(*indices, file)?,
        },
    })
}

fn numbers(numbers: Numbers, file: Option<&dyn Source>) -> Result<Vec<usize>, Message> {
    let width = usize::from(numbers.width.max(1));
    let bytes = read(
        file,
        numbers.start,
        numbers.len.saturating_mul(width as u64),
    )?;
    let number = |raw: &[u8]| {
        let mut wide = [0; 8];
        wide[..raw.len().min(8)].copy_from_slice(&raw[..raw.len().min(8)]);
        // A negative number is none that a vector has: it becomes one beyond every end.
        usize::try_from(u64::from_le_bytes(wide)).unwrap_or(usize::MAX)
    };
    Ok(bytes.chunks_exact(width).map(number).collect())
}
