//! Matrix products: shapes → strides.

use planner::{Message, message};

use super::activation::Activation;
use super::broadcast::Broadcast;
use super::call::all_floats;
use super::rows::elements;
use crate::kernels::{Kernel, MatmulParams, TILE, grid};
use crate::recording::{Dispatch, Operand};

/// A matrix operand: batch dimensions, then rows, columns and their strides.
#[derive(Clone, Debug)]
pub(crate) struct Matrices<'a> {
    pub(crate) batch: &'a [u32],
    /// Elements from one matrix to the next along each batch dimension.
    pub(crate) batch_steps: Vec<u32>,
    pub(crate) rows: u32,
    pub(crate) columns: u32,
    pub(crate) strides: [u32; 2],
}

impl<'a> Matrices<'a> {
    /// The matrices that the last two dimensions of a tensor make; a vector is a row.
    ///
    /// # Errors
    /// When it is a scalar.
    pub(crate) fn of(x: &'a Operand) -> Result<Self, Message> {
        let steps = x.steps();
        match (x.dims.as_slice(), steps.as_slice()) {
            ([columns], [step]) => Ok(Self {
                strides: [*columns, *step],
                ..Self::plain(1, *columns)
            }),
            ([batch @ .., rows, columns], [batch_steps @ .., down, right]) => Ok(Self {
                batch,
                batch_steps: batch_steps.to_vec(),
                strides: [*down, *right],
                ..Self::plain(*rows, *columns)
            }),
            _ => Err(message!("a scalar is no matrix")),
        }
    }

    /// One matrix, row by row.
    pub(crate) fn plain(rows: u32, columns: u32) -> Self {
        Self {
            batch: &[],
            batch_steps: Vec::new(),
            rows,
            columns,
            strides: [columns, 1],
        }
    }

    /// Rows for columns, where `swap` says so.
    #[must_use]
    pub(crate) fn transposed(self, swap: bool) -> Self {
        if !swap {
            return self;
        }
        let [down, right] = self.strides;
        Self {
            rows: self.columns,
            columns: self.rows,
            strides: [right, down],
            ..self
        }
    }
}

/// What is done to a product before it is written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Finish<'a> {
    pub(crate) alpha: f32,
    /// What is added, its factor, and its strides along rows and columns.
    pub(crate) c: Option<(&'a Operand, f32, [u32; 2])>,
    pub(crate) activation: Activation,
}

impl Finish<'_> {
    /// Nothing but the activation.
    pub(crate) fn plain(activation: Activation) -> Self {
        Finish {
            alpha: 1.0,
            c: None,
            activation,
        }
    }
}

/// y = activation(alpha a b + beta c), with `left` and `right` saying how a and b are read.
///
/// # Errors
/// When an operand is no float, or shapes do not fit.
pub(crate) fn product(
    [a, b]: [&Operand; 2],
    left: Matrices<'_>,
    right: Matrices<'_>,
    finish: &Finish<'_>,
    y: &Operand,
) -> Result<Dispatch, Message> {
    let c = finish.c.map(|(c, ..)| c);
    all_floats([a, b, y].into_iter().chain(c))?;
    let mut params = params(left, right, y)?;
    let activation = finish.activation;
    (params.low, params.high) = (activation.alpha, activation.beta);
    params.alpha = finish.alpha;
    if let Some((_, beta, [down, right])) = finish.c {
        params.beta = beta;
        params.c_strides = [down, right, 0, 0];
    }
    join_rows(&mut params);
    let (kernel, grid) = spread(&params, y);
    Ok(Dispatch::new(kernel, &params, grid)
        .reads([a, b].into_iter().chain(c))
        .writes(y)
        .constant("ACTIVATION", activation.op.code())
        .constant("BIAS", u32::from(c.is_some())))
}

/// Tiles, unless most of a tile would be left empty or there are more than a grid may have.
fn spread(params: &MatmulParams, y: &Operand) -> (Kernel, [u32; 3]) {
    const FEW: u32 = 8;
    const MOST: u32 = 65_535;
    let tiles = [
        params.n.div_ceil(TILE),
        params.m.div_ceil(TILE),
        params.batches,
    ];
    let few = params.m < FEW || params.n < FEW;
    if few || tiles.iter().any(|&count| count > MOST) {
        return (Kernel::Matmul, grid(y.len()));
    }
    (Kernel::MatmulTiled, tiles)
}

fn params(left: Matrices<'_>, right: Matrices<'_>, y: &Operand) -> Result<MatmulParams, Message> {
    let (m, n, k) = (left.rows, right.columns, left.columns);
    if k != right.rows {
        return Err(message!("inner dimensions {} and {}", k, right.rows));
    }
    let rank = left.batch.len().max(right.batch.len());
    let size = |batch: &[u32], back: usize| batch.iter().rev().nth(back).copied().unwrap_or(1);
    let wider = |back: usize| match (size(left.batch, back), size(right.batch, back)) {
        (1, other) => other,
        (own, _) => own,
    };
    let batch: Vec<u32> = (0..rank).rev().map(wider).collect();
    let sizes = batch.iter().copied().chain([m, n]).map(u64::from);
    let count: u64 = sizes.fold(1, u64::saturating_mul);
    if count != u64::from(y.len()) {
        return Err(message!(
            "the product has {} elements, not {}",
            count,
            y.len()
        ));
    }
    let sides = [&left, &right].map(|side| (side.batch, side.batch_steps.clone()));
    let shape = Broadcast::of(&batch, &sides)?;
    Ok(MatmulParams {
        m,
        n,
        k,
        batches: elements(&batch),
        strides: [
            left.strides[0],
            left.strides[1],
            right.strides[0],
            right.strides[1],
        ],
        alpha: 1.0,
        dims: shape.dims,
        a: shape.strides[0],
        b: shape.strides[1],
        ..MatmulParams::default()
    })
}

/// Batches that share one b and continue each other in a are more rows of one matrix.
fn join_rows(params: &mut MatmulParams) {
    let shared = params.b == [0; 8] && params.c_strides[0] == 0;
    let flat = params.dims[1..] == [1; 7];
    let next = params.m.saturating_mul(params.strides[0]);
    if shared && flat && params.batches > 1 && params.a[0] == next {
        params.m = params.m.saturating_mul(params.batches);
        params.batches = 1;
        (params.dims, params.a) = ([1; 8], [0; 8]);
    }
}
