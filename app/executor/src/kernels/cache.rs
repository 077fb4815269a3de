//! y = heads of a cache with new rows among them, which may be turned by their positions: the
//! rotary embedding of Su et al., "RoFormer: Enhanced Transformer with Rotary Position
//! Embedding", 2021.

use bytemuck::{Pod, Zeroable};

use super::HeadSteps;
use crate::arena::Memory;
use crate::elements;
use crate::recording::Dispatch;

/// Parameters, as the shader declares them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct CacheParams {
    /// Number of elements of y.
    pub count: u32,
    /// Its heads.
    pub heads: u32,
    /// Its rows.
    pub rows: u32,
    /// Elements of a head.
    pub size: u32,
    /// Number of new rows.
    pub x_rows: u32,
    /// Where they are.
    pub x: HeadSteps,
    /// Number of rows that the cache has.
    pub past_rows: u32,
    /// Where they are.
    pub past: HeadSteps,
    /// Where new rows begin.
    pub start: i32,
    /// What is added where a tensor says where they begin.
    pub more: i32,
    /// Pairs of elements that are turned.
    pub pairs: u32,
    /// Rows of cosines.
    pub positions: u32,
}

codes! {
    /// Where the positions of new rows are: the `override` constant `POSITIONS`.
    pub enum Positions {
        /// Their places in y.
        Places,
        /// A tensor has one for each.
        Each,
        /// A tensor has that of the first.
        First,
        /// Cosines and sines are given for each row.
        Own,
    }
}

/// A place in y.
#[derive(Clone, Copy)]
struct Spot {
    batch: usize,
    head: usize,
    row: i64,
    d: usize,
}

/// What turns rows.
struct Turning {
    values: Vec<f32>,
    cosines: Vec<f32>,
    sines: Vec<f32>,
    positions: Vec<i64>,
    how: Positions,
    neighbours: bool,
}

pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    let params: CacheParams = dispatch.params();
    let y = &dispatch.outputs[0];
    // Elements as they are: 64 bits hold each of every type.
    let [x, past] = [0, 1].map(|at| {
        let operand = &dispatch.inputs[at];
        elements::bits(operand, &memory.words(operand.region))
    });
    let starts = (dispatch.value_of("STARTS") != 0).then(|| memory.ints(&dispatch.inputs[5]));
    let turning = Turning::of(dispatch, memory);
    let circular = dispatch.value_of("CIRCULAR") == 1;
    let heads_first = dispatch.value_of("HEADS_FIRST") == 1;
    let mut found = Vec::with_capacity(params.count as usize);
    for i in 0..params.count {
        let spot = params.spot(i, heads_first);
        let start = match &starts {
            Some(starts) => starts[spot.batch] + i64::from(params.more),
            None => params.start.into(),
        };
        let away = spot.row - start;
        let n = match circular {
            true => away.rem_euclid(params.rows.into()),
            false => away,
        };
        let new = usize::try_from(n)
            .ok()
            .filter(|n| *n < params.x_rows as usize);
        let row = usize::try_from(spot.row).unwrap_or_default();
        found.push(match (new, &turning) {
            (Some(n), Some(turning)) if spot.d < 2 * params.pairs as usize => {
                let float = turning.at(&params, spot, n, start);
                elements::bits_of_float(y.dtype, float)
            }
            (Some(n), _) => x[params.x.place(spot.batch, spot.head, n) + spot.d],
            (None, _) if dispatch.value_of("PAST") == 0 || row >= params.past_rows as usize => 0,
            (None, _) => past[params.past.place(spot.batch, spot.head, row) + spot.d],
        });
    }
    memory.put_words(y.region, &elements::words_of_bits(y.dtype, &found));
}

impl CacheParams {
    fn spot(&self, i: u32, heads_first: bool) -> Spot {
        let (d, rest) = (i % self.size, i / self.size);
        let (row, head) = match heads_first {
            true => (rest % self.rows, rest / self.rows % self.heads),
            false => (rest / self.heads % self.rows, rest % self.heads),
        };
        Spot {
            batch: (rest / self.rows / self.heads) as usize,
            head: head as usize,
            row: row.into(),
            d: d as usize,
        }
    }
}

impl HeadSteps {
    /// The first element of a row.
    fn place(&self, batch: usize, head: usize, row: usize) -> usize {
        let steps = [self.batch, self.head, self.row].map(|step| step as usize);
        self.at as usize + batch * steps[0] + head * steps[1] + row * steps[2]
    }
}

impl Turning {
    fn of(dispatch: &Dispatch, memory: &Memory) -> Option<Self> {
        let turn = dispatch.value_of("TURN");
        let how = Positions::read(dispatch, "POSITIONS");
        let given = how == Positions::Each || how == Positions::First;
        (turn != 0).then(|| Self {
            values: memory.floats(&dispatch.inputs[0]),
            cosines: memory.floats(&dispatch.inputs[2]),
            sines: memory.floats(&dispatch.inputs[3]),
            positions: match given {
                true => memory.ints(&dispatch.inputs[4]),
                false => Vec::new(),
            },
            how,
            neighbours: turn == 2,
        })
    }

    /// An element of new row n after the turn.
    #[expect(clippy::cast_possible_truncation, reason = "the result is an f32")]
    fn at(&self, params: &CacheParams, spot: Spot, n: usize, start: i64) -> f32 {
        let number = spot.batch * params.x_rows as usize + n;
        let nth = i64::try_from(n).unwrap_or(i64::MAX);
        let position = match self.how {
            Positions::Places => start + nth,
            Positions::Each => self.positions[number],
            Positions::First => self.positions[0] + nth,
            Positions::Own => i64::try_from(number).unwrap_or(i64::MAX),
        };
        let last = i64::from(params.positions) - 1;
        let place = usize::try_from(position.clamp(0, last)).unwrap_or_default();
        let pairs = params.pairs as usize;
        let (pair, partner, first) = match self.neighbours {
            true => (spot.d / 2, spot.d ^ 1, spot.d.is_multiple_of(2)),
            false => (
                spot.d % pairs,
                (spot.d + pairs) % (2 * pairs),
                spot.d < pairs,
            ),
        };
        let row = params.x.place(spot.batch, spot.head, n);
        let [own, other] = [spot.d, partner].map(|d| f64::from(self.values[row + d]));
        let [cosine, sine] =
            [&self.cosines, &self.sines].map(|of| f64::from(of[place * pairs + pair]));
        let turned = match first {
            true => own * cosine - other * sine,
            false => own * cosine + other * sine,
        };
        turned as f32
    }
}
