//! Copies between boxes of strides as dispatches: merged to as few dimensions as they have,
//! and word by word where both sides are contiguous.

use planner::{Message, message};

use crate::kernels::{CopyParams, FillParams, Kernel, MAX_RANK, Outside, StridedCopyParams, grid};
use crate::lower::Dispatches;
use crate::recording::{Dispatch, Operand, Region, WORD};

/// Most dispatches that one copy of too many dimensions is cut into.
const MOST_PARTS: i64 = 64;

/// One dimension of the box that is copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Axis {
    /// Number of indices.
    pub(crate) size: i64,
    /// Distance of neighbours in x, in elements.
    pub(crate) x: i64,
    /// Distance of neighbours in y.
    pub(crate) y: i64,
    /// First index that x has, and how many it has from there on; `None`: all.
    pub(crate) window: Option<(i64, i64)>,
}

/// y[b + i·s] = x[a + i·r] for every index i of a box.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct StridedCopy {
    /// Dimensions, outermost first.
    pub(crate) axes: Vec<Axis>,
    /// Element of x at index 0.
    pub(crate) a: i64,
    /// Element of y at index 0.
    pub(crate) b: i64,
    /// What y gets outside of the windows.
    pub(crate) outside: Outside,
    /// One element to fill with.
    pub(crate) fill: [u32; 2],
}

/// Strides of a tensor in elements, outermost first.
pub(crate) fn strides(x: &Operand) -> Vec<i64> {
    x.steps().into_iter().map(i64::from).collect()
}

/// The elements of x one after the other, in y.
///
/// # Errors
/// When they are not equally many.
pub(crate) fn gathered(x: &Operand, y: &Operand) -> Dispatches {
    if x.strides.is_empty() {
        return Ok(vec![copy(x, y)?]);
    }
    if x.len() != y.len() || width(x)? != width(y)? {
        return Err(message!("{} does not fit into {}", x.name, y.name));
    }
    StridedCopy::onto(&y.viewed(x.dims.clone()), &strides(x), 0).dispatches(x, y)
}

/// Bytes of an element.
///
/// # Errors
/// When they do not fill 1, 2, 4 or 8 bytes.
pub(crate) fn width(operand: &Operand) -> Result<u32, Message> {
    match operand.dtype.bits() {
        Some(8) => Ok(1),
        Some(16) => Ok(2),
        Some(32) => Ok(4),
        Some(64) => Ok(8),
        _ => Err(message!(
            "elements of type {} cannot be moved",
            operand.dtype.name()
        )),
    }
}

/// Copies all words of x to y: the same elements in the same order.
///
/// # Errors
/// When they are not equally many.
pub(crate) fn copy(x: &Operand, y: &Operand) -> Result<Dispatch, Message> {
    let rows = x.strides.is_empty() && y.strides.is_empty();
    if width(x)? != width(y)? || x.len() != y.len() || !rows {
        return Err(message!("{} does not fit into {}", x.name, y.name));
    }
    Ok(words(x, y, (0, 0), y.region.words))
}

/// The words of y that a strided copy writes; `None` where it fills what x does not have, or
/// walks backwards.
pub(crate) fn written(dispatch: &Dispatch, y: &Operand) -> Option<Region> {
    let params: StridedCopyParams = dispatch.params();
    let everywhere = dispatch.value_of("OUTSIDE") == Outside::Nowhere.code();
    let steps = params.dims.iter().zip(&params.y);
    let last = steps
        .filter(|_| everywhere)
        .try_fold(0_u64, |sum, (dim, step)| {
            let step = u64::try_from(step.cast_signed()).ok()?;
            sum.checked_add(u64::from(dim.saturating_sub(1)).checked_mul(step)?)
        });
    let width = u64::from(width(y).ok()?);
    let first = u64::try_from(params.b.cast_signed()).ok()?;
    let end = first
        .checked_add(last.filter(|_| everywhere)?)?
        .checked_add(1)?;
    let from = first.checked_mul(width)? / WORD;
    let until = end.checked_mul(width)?.div_ceil(WORD);
    Some(Region {
        word: y.region.word.checked_add(u32::try_from(from).ok()?)?,
        words: u32::try_from(until - from).ok()?,
        ..y.region
    })
}

/// Copies `count` words from word `a` of x to word `b` of y.
fn words(x: &Operand, y: &Operand, (a, b): (u32, u32), count: u32) -> Dispatch {
    let params = CopyParams { count, x: a, y: b };
    Dispatch::new(Kernel::Copy, &params, grid(count.div_ceil(4)))
        .reads([x])
        .writes(y)
}

/// Fills y with the element that `element` holds in its first bytes.
///
/// # Errors
/// When its elements have no width that can be moved.
pub(crate) fn fill(y: &Operand, element: [u32; 2]) -> Result<Dispatch, Message> {
    let width = width(y)?;
    let [even, odd] = match width {
        1 => [(element[0] & 0xff) * 0x0101_0101; 2],
        2 => [(element[0] & 0xffff) * 0x0001_0001; 2],
        4 => [element[0]; 2],
        _ => element,
    };
    let count = y.region.words;
    let full = if count.is_multiple_of(2) { odd } else { even };
    let unused = (4 - y.len() % 4 * width % 4) % 4 * 8;
    let params = FillParams {
        count,
        even,
        odd,
        last: full & (u32::MAX >> unused),
    };
    Ok(Dispatch::new(Kernel::Fill, &params, grid(count)).writes(y))
}

impl Axis {
    /// A dimension without a window.
    pub(crate) fn new(size: u32, x: i64, y: i64) -> Self {
        Self {
            size: size.into(),
            x,
            y,
            window: None,
        }
    }
}

impl StridedCopy {
    /// The whole of y, in its own order, from strides of x.
    pub(crate) fn onto(y: &Operand, x: &[i64], a: i64) -> Self {
        let sides = y.dims.iter().zip(x).zip(strides(y));
        Self {
            axes: sides
                .map(|((&size, &x), y)| Axis::new(size, x, y))
                .collect(),
            a,
            ..Self::default()
        }
    }

    /// The dispatches that copy: none for an empty box, several where more dimensions are
    /// left than one dispatch walks.
    ///
    /// # Errors
    /// When there are far more of them, or when elements of less than a word would have to
    /// be written apart from their neighbours.
    pub(crate) fn dispatches(mut self, x: &Operand, y: &Operand) -> Dispatches {
        let width = width(x)?;
        if self.axes.iter().any(|axis| axis.size == 0) {
            return Ok(Vec::new());
        }
        self.merge();
        if let Some(copy) = self.contiguous(x, y, width) {
            return Ok(vec![copy]);
        }
        if self.axes.len() > MAX_RANK {
            return self.cut(x, y);
        }
        if width < 4 && !self.covers(y) {
            return Err(message!(
                "elements of type {} share words with others",
                y.dtype.name()
            ));
        }
        Ok(vec![self.dispatch(x, y, width)?])
    }

    /// Drops dimensions of 1 and merges neighbours that both sides walk alike.
    fn merge(&mut self) {
        let mut merged: Vec<Axis> = Vec::new();
        for mut axis in std::mem::take(&mut self.axes).into_iter().rev() {
            axis.window = axis.window.filter(|&window| window != (0, axis.size));
            match axis.window {
                None if axis.size == 1 => continue,
                Some((low, size)) if axis.size == 1 && (0..size).contains(&-low) => {
                    self.a += -low * axis.x;
                    continue;
                }
                _ => {}
            }
            // Beyond a filled or kept border nothing is read, so its place does not matter.
            let simple = matches!(self.outside, Outside::Fill | Outside::Keep);
            match merged.last_mut() {
                Some(below)
                    if below.window.is_none()
                        && (axis.window.is_none() || simple)
                        && axis.x == below.x * below.size
                        && axis.y == below.y * below.size =>
                {
                    below.window = axis
                        .window
                        .map(|(low, size)| (low * below.size, size * below.size));
                    below.size *= axis.size;
                }
                _ => merged.push(axis),
            }
        }
        merged.reverse();
        self.axes = merged;
    }

    /// Whole words from one place to another, if it is no more than that.
    fn contiguous(&self, x: &Operand, y: &Operand, width: u32) -> Option<Dispatch> {
        let size = match self.axes.as_slice() {
            [] => 1,
            [only] if only.window.is_none() && (only.x, only.y) == (1, 1) => only.size,
            _ => return None,
        };
        let width = i64::from(width);
        let whole = |elements: i64| {
            let bytes = elements * width;
            (bytes % 4 == 0).then(|| u32::try_from(bytes / 4).ok())?
        };
        // The last word may hold less where nothing of y comes after it.
        let ends = self.b + size == i64::from(y.len());
        let count = match whole(size) {
            Some(count) => count,
            None if ends => u32::try_from((size * width).div_euclid(4) + 1).ok()?,
            None => return None,
        };
        Some(words(x, y, (whole(self.a)?, whole(self.b)?), count))
    }

    /// Whether the box is all of y in its own order.
    fn covers(&self, y: &Operand) -> bool {
        let mut next = 1;
        for axis in self.axes.iter().rev() {
            if axis.y != next {
                return false;
            }
            next *= axis.size;
        }
        self.b == 0 && next == i64::from(y.len())
    }

    /// One copy per index of the outermost dimension.
    fn cut(&self, x: &Operand, y: &Operand) -> Dispatches {
        let [outermost, rest @ ..] = self.axes.as_slice() else {
            return Ok(Vec::new());
        };
        if outermost.window.is_some() || outermost.size > MOST_PARTS {
            return Err(message!("it walks {} dimensions", self.axes.len()));
        }
        let mut parts = Vec::new();
        for i in 0..outermost.size {
            let part = Self {
                axes: rest.to_vec(),
                a: self.a + i * outermost.x,
                b: self.b + i * outermost.y,
                ..*self
            };
            parts.extend(part.dispatches(x, y)?);
        }
        Ok(parts)
    }

    fn dispatch(&self, x: &Operand, y: &Operand, width: u32) -> Result<Dispatch, Message> {
        let signed = |value: i64| {
            let value = i32::try_from(value);
            value
                .map(i32::cast_unsigned)
                .map_err(|_error| message!("it reaches beyond 2^31 elements"))
        };
        let mut params = StridedCopyParams {
            count: 1,
            rank: 1,
            a: signed(self.a)?,
            b: signed(self.b)?,
            fill: self.fill,
            dims: [1; MAX_RANK],
            size: [1; MAX_RANK],
            ..StridedCopyParams::default()
        };
        for (d, axis) in self.axes.iter().rev().enumerate() {
            params.dims[d] = signed(axis.size)?;
            params.x[d] = signed(axis.x)?;
            params.y[d] = signed(axis.y)?;
            let (low, size) = axis.window.unwrap_or((0, axis.size));
            params.low[d] = signed(low)?;
            params.size[d] = signed(size)?;
            params.count = params.count.saturating_mul(params.dims[d]);
            params.rank = planner::narrow(d + 1);
        }
        let windows = self.axes.iter().any(|axis| axis.window.is_some());
        let outside = if windows || self.outside == Outside::Keep {
            self.outside
        } else {
            Outside::Nowhere
        };
        let threads = params.count.div_ceil(4);
        Ok(Dispatch::new(Kernel::StridedCopy, &params, grid(threads))
            .reads([x])
            .writes(y)
            .constant("WIDTH", width)
            .constant("OUTSIDE", outside.code()))
    }
}
