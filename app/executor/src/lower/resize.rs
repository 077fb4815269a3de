//! Resizing in both dialects: where every element of the output lies in the input.

use planner::{Message, message};

use crate::kernels::{Kernel, MAX_RANK, ResizeMode, ResizeParams, ResizeRound, grid};
use crate::lower::Dispatches;
use crate::lower::call::all_floats;
use crate::lower::strided::strides;
use crate::recording::{Dispatch, Operand};

/// Most dimensions of which the cubic mixes four elements each.
const MOST_CUBIC: usize = 4;

/// The element i of the output lies at (a·i + b) / c of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) a: i64,
    pub(crate) b: i64,
    pub(crate) c: i64,
}

/// How places become elements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Sampling {
    pub(crate) mode: ResizeMode,
    pub(crate) round: ResizeRound,
    /// Keys' parameter of the cubic.
    pub(crate) cubic: f32,
    /// Whether elements outside of x have no weight in the cubic.
    pub(crate) exclude: bool,
    /// What places outside of x give; `None`: the edge.
    pub(crate) beyond: Option<f32>,
}

/// A positive fraction: output elements per input element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ratio {
    pub(crate) p: i64,
    pub(crate) q: i64,
}

impl Sampling {
    pub(crate) fn new(mode: ResizeMode, round: ResizeRound) -> Self {
        Self {
            mode,
            round,
            cubic: -0.75,
            exclude: false,
            beyond: None,
        }
    }
}

impl Ratio {
    /// The simplest fraction that is this number in 32 bits: 0.6 means 3/5, although the
    /// number itself is a little more.
    pub(crate) fn nearest(scale: f64) -> Option<Self> {
        #[expect(clippy::cast_possible_truncation, reason = "scales are f32")]
        let narrow = |x: f64| x as f32;
        #[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
        let wide = |x: i64| x as f64;
        if !(scale.is_finite() && (1e-6..1e6).contains(&scale)) {
            return None;
        }
        // The convergents of the continued fraction.
        let (mut before, mut here) = ((0_i64, 1_i64), (1_i64, 0_i64));
        let mut rest = scale;
        for _ in 0..24 {
            #[expect(clippy::cast_possible_truncation, reason = "cut off by intent")]
            let whole = rest.floor().min(1e9) as i64;
            let p = whole.checked_mul(here.0)?.checked_add(before.0)?;
            let q = whole.checked_mul(here.1)?.checked_add(before.1)?;
            (before, here) = (here, (p, q));
            if narrow(wide(p) / wide(q)).to_bits() == narrow(scale).to_bits() {
                return Some(Self { p, q });
            }
            rest = 1.0 / (rest - rest.floor());
        }
        None
    }
}

impl Line {
    /// The first element alone.
    pub(crate) const FIRST: Self = Self { a: 0, b: 0, c: 1 };

    /// i divided by the ratio.
    pub(crate) fn asymmetric(ratio: Ratio) -> Self {
        let (a, b, c) = (ratio.q, 0, ratio.p);
        Self { a, b, c }
    }

    /// Elements are squares, and their centres are placed.
    pub(crate) fn half_pixel(Ratio { p, q }: Ratio) -> Self {
        let (a, b, c) = (2 * q, q - p, 2 * p);
        Self { a, b, c }
    }

    /// The centre of the output's element, as a length in the input.
    pub(crate) fn centre(Ratio { p, q }: Ratio) -> Self {
        let (a, b, c) = (2 * q, q, 2 * p);
        Self { a, b, c }
    }

    /// First onto first and last onto last.
    pub(crate) fn corners(from: u32, to: u32) -> Self {
        if to < 2 {
            return Self::FIRST;
        }
        let (a, b, c) = (i64::from(from) - 1, 0, i64::from(to) - 1);
        Self { a, b, c }
    }

    fn reduced(self) -> Self {
        let divisor = gcd(gcd(self.a.abs(), self.b.abs()), self.c.abs()).max(1);
        Self {
            a: self.a / divisor,
            b: self.b / divisor,
            c: self.c / divisor,
        }
    }
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// One dimension of the dispatch.
#[derive(Clone, Copy)]
struct Axis {
    size: u32,
    to: u32,
    stride: i64,
    line: Option<Line>,
}

/// Resizes x to y, whose dimensions lie at `lines` of those of x.
///
/// # Errors
/// When an operand is no float, or the dimensions are too many or too large.
pub(crate) fn resize(x: &Operand, lines: &[Line], how: &Sampling, y: &Operand) -> Dispatches {
    all_floats([x, y])?;
    if [x.dims.len(), lines.len()] != [y.dims.len(); 2] {
        return Err(message!("it changes the rank"));
    }
    if y.is_empty() {
        return Ok(Vec::new());
    }
    if x.is_empty() {
        return Err(message!("there is nothing to resize"));
    }
    let mut axes: Vec<Axis> = Vec::new();
    let along = x.dims.iter().zip(&y.dims).zip(strides(x)).zip(lines);
    for (((&size, &to), stride), line) in along.rev() {
        let line = line.reduced();
        let same = size == to && (line.a, line.b) == (line.c, 0);
        let axis = Axis {
            size,
            to,
            stride,
            line: (!same).then_some(line),
        };
        match axes.last_mut() {
            _ if same && size == 1 => {}
            Some(below) if same && below.line.is_none() => {
                below.size *= size;
                below.to *= to;
            }
            _ => axes.push(axis),
        }
    }
    let resized = axes.iter().filter(|axis| axis.line.is_some()).count();
    if axes.len() > MAX_RANK || how.mode == ResizeMode::Cubic && resized > MOST_CUBIC {
        return Err(message!(
            "it resizes {} of {} dimensions",
            resized,
            x.dims.len()
        ));
    }
    let params = params(&axes, how, y)?;
    Ok(vec![
        Dispatch::new(Kernel::Resize, &params, grid(y.len()))
            .reads([x])
            .writes(y)
            .constant("MODE", how.mode.code())
            .constant("ROUND", how.round.code())
            .constant("EXCLUDE", how.exclude.into())
            .constant("CROP", how.beyond.is_some().into()),
    ])
}

/// The axes, innermost first, as parameters: every intermediate result fits 32 bits.
fn params(axes: &[Axis], how: &Sampling, y: &Operand) -> Result<ResizeParams, Message> {
    let large = || message!("its fractions are beyond 32 bits");
    let mut params = ResizeParams {
        count: y.len(),
        rank: planner::narrow(axes.len()),
        beyond: how.beyond.unwrap_or_default(),
        cubic: how.cubic,
        dims: [1; MAX_RANK],
        size: [1; MAX_RANK],
        ..ResizeParams::default()
    };
    for (d, axis) in axes.iter().enumerate() {
        params.dims[d] = axis.to;
        params.size[d] = axis.size;
        params.stride[d] = u32::try_from(axis.stride).map_err(|_error| large())?;
        let Some(Line { a, b, c }) = axis.line else {
            continue;
        };
        let reach = [
            a.checked_mul(axis.to.into()),
            c.checked_mul(i64::from(axis.size) + 2),
        ];
        let narrow = |value: i64| {
            let held = value
                .checked_mul(2)
                .and_then(|twice| i32::try_from(twice).ok());
            held.map(|twice| twice / 2).ok_or_else(large)
        };
        for value in reach {
            narrow(value.ok_or_else(large)?.saturating_add(b.abs()))?;
        }
        (params.a[d], params.b[d], params.c[d]) = (narrow(a)?, narrow(b)?, narrow(c)?);
    }
    Ok(params)
}
