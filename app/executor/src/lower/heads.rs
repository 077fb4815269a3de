//! Heads in tensors → strides, and what is done to their scores.

use planner::{Message, message};

use crate::elements;
use crate::kernels::{HeadSteps, MaskSteps};
use crate::recording::Operand;

/// A tensor of heads: batches × heads × rows × size, however they lie.
#[derive(Clone, Debug)]
pub(crate) struct Heads<'a> {
    /// The tensor.
    pub(crate) x: &'a Operand,
    pub(crate) batches: u32,
    pub(crate) heads: u32,
    pub(crate) rows: u32,
    /// Elements of a head.
    pub(crate) size: u32,
    /// Where they are.
    pub(crate) steps: HeadSteps,
}

impl<'a> Heads<'a> {
    /// (batch, heads, rows, size), or (batch, rows, heads × size) with `heads` of them.
    ///
    /// # Errors
    /// When it is neither.
    pub(crate) fn of(x: &'a Operand, heads: Option<i64>) -> Result<Self, Message> {
        let misfit = || {
            message!(
                "{} of {} has no heads",
                x.name,
                format_args!("{:?}", x.dims)
            )
        };
        match *x.dims.as_slice() {
            [batches, heads, rows, size] => Ok(Self {
                x,
                batches,
                heads,
                rows,
                size,
                steps: HeadSteps {
                    at: 0,
                    batch: product([heads, rows, size])?,
                    head: product([rows, size])?,
                    row: size,
                },
            }),
            [_, _, hidden] => {
                let heads = heads.and_then(|heads| u32::try_from(heads).ok());
                let heads = heads.filter(|&heads| hidden.checked_rem(heads) == Some(0));
                let heads = heads.ok_or_else(misfit)?;
                Self::packed(x, [0, hidden], heads)
            }
            _ => Err(misfit()),
        }
    }

    /// Of (batch, rows, columns): the heads in as many columns as `width` from `first` on.
    ///
    /// # Errors
    /// When there are no such columns.
    pub(crate) fn packed(x: &'a Operand, columns: [u32; 2], heads: u32) -> Result<Self, Message> {
        let misfit = || {
            message!(
                "{} of {} has no heads",
                x.name,
                format_args!("{:?}", x.dims)
            )
        };
        let &[batches, rows, hidden] = x.dims.as_slice() else {
            return Err(misfit());
        };
        let [first, width] = columns;
        let end = first.checked_add(width).filter(|&end| end <= hidden);
        end.ok_or_else(misfit)?;
        let size = width.checked_div(heads).ok_or_else(misfit)?;
        Ok(Self {
            x,
            batches,
            heads,
            rows,
            size,
            steps: HeadSteps {
                at: first,
                batch: product([rows, hidden])?,
                head: size,
                row: hidden,
            },
        })
    }
}

/// The product of sizes.
///
/// # Errors
/// When it is beyond 32 bits.
pub(crate) fn product<const N: usize>(sizes: [u32; N]) -> Result<u32, Message> {
    let found = sizes
        .iter()
        .try_fold(1_u32, |all, &one| all.checked_mul(one));
    found.ok_or_else(|| message!("it has too many elements"))
}

/// 1 / √size.
#[expect(clippy::cast_precision_loss, reason = "heads are small")]
pub(crate) fn scale_of(size: u32) -> f32 {
    1.0 / (size.max(1) as f32).sqrt()
}

/// What is done to scores by a tensor.
#[derive(Clone, Debug)]
pub(crate) struct Mask<'a> {
    pub(crate) x: &'a Operand,
    pub(crate) steps: MaskSteps,
}

impl<'a> Mask<'a> {
    /// A tensor whose dimensions, seen as `dims` = [batch, heads, queries, keys], broadcast to
    /// those of the scores. It may know fewer keys than there are, if `short` says so.
    ///
    /// # Errors
    /// When it does not broadcast.
    pub(crate) fn of(
        x: &'a Operand,
        dims: [u32; 4],
        scores: [u32; 4],
        short: bool,
    ) -> Result<Self, Message> {
        let alike = dims
            .iter()
            .zip(&scores)
            .take(3)
            .all(|(&own, &all)| own == 1 || own == all);
        let [_, heads, rows, keys] = dims;
        let one = keys == 1 && scores[3] != 1 && !short;
        if !alike || !(one || keys == scores[3] || short && keys < scores[3]) {
            return Err(message!(
                "{} does not broadcast to {}",
                format_args!("{:?}", x.dims),
                format_args!("{scores:?}")
            ));
        }
        let step = |dim: usize, size: u32| if dims[dim] == 1 { 0 } else { size };
        Ok(Self {
            x,
            steps: MaskSteps {
                batch: step(0, product([heads, rows, keys])?),
                head: step(1, product([rows, keys])?),
                row: step(2, keys),
                key: u32::from(!one),
                keys: if one { scores[3] } else { keys },
            },
        })
    }

    /// The mask that a tensor is, of at most four dimensions, the last of them keys.
    ///
    /// # Errors
    /// When it does not broadcast.
    pub(crate) fn broadcast(
        x: &'a Operand,
        scores: [u32; 4],
        short: bool,
    ) -> Result<Self, Message> {
        let misfit = || {
            message!(
                "{} does not broadcast to {}",
                format_args!("{:?}", x.dims),
                format_args!("{scores:?}")
            )
        };
        let front = 4_usize.checked_sub(x.dims.len()).ok_or_else(misfit)?;
        let mut dims = [1; 4];
        dims[front..].copy_from_slice(&x.dims);
        Self::of(x, dims, scores, short)
    }

    /// What it does: floats are added, others say which keys count.
    pub(crate) fn how(&self) -> u32 {
        if elements::is_float(self.x.dtype) {
            1
        } else {
            2
        }
    }
}

/// How queries are turned on the way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turn<'a> {
    pub(crate) cosines: &'a Operand,
    pub(crate) sines: &'a Operand,
    /// Whether neighbours make the pairs.
    pub(crate) neighbours: bool,
}

/// How many keys of each batch there are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lengths<'a> {
    /// The numbers.
    pub(crate) x: &'a Operand,
    /// What is added to them.
    pub(crate) more: i32,
    /// Whether the queries are the last of them.
    pub(crate) from_end: bool,
}
