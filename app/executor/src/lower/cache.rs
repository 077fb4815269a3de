//! Heads into caches, turned by their positions on the way.

use planner::{Message, message};

use crate::elements;
use crate::kernels::{CacheParams, Kernel, Positions, typed_grid};
use crate::lower::call::all_floats;
use crate::lower::heads::{Heads, Turn, product};
use crate::recording::{Dispatch, Operand};

/// Where new rows begin in a cache.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Start<'a> {
    /// Everywhere here.
    At(u32),
    /// Where a number of each batch says, and so much further.
    Each(&'a Operand, i32),
}

/// New rows for a cache.
#[derive(Clone, Debug)]
pub(crate) struct Placing<'a> {
    /// The cache as it was.
    pub(crate) past: Option<Heads<'a>>,
    pub(crate) start: Start<'a>,
    /// Whether rows behind the last go on with the first.
    pub(crate) circular: bool,
    pub(crate) turn: Option<Turn<'a>>,
    /// Where positions are, and their tensor.
    pub(crate) positions: (Positions, Option<&'a Operand>),
}

impl Placing<'_> {
    /// One dispatch that puts x into y.
    ///
    /// # Errors
    /// When shapes or types do not fit.
    pub(crate) fn dispatch(&self, x: &Heads<'_>, y: &Heads<'_>) -> Result<Dispatch, Message> {
        let past = self.past.as_ref();
        let fits = |it: &Heads<'_>| {
            let alike = [it.batches, it.heads, it.size] == [y.batches, y.heads, y.size];
            alike && it.rows <= y.rows && it.x.dtype == y.x.dtype
        };
        for it in [Some(x), past].into_iter().flatten() {
            if !fits(it) {
                return Err(message!("{} does not fit into {}", it.x.name, y.x.name));
            }
        }
        let [pairs, positions] = self.turned(x)?;
        let (starts, start, more) = match self.start {
            Start::At(start) => (None, start, 0),
            Start::Each(starts, more) => (Some(starts), 0, more),
        };
        if let Some(short) = starts.filter(|starts| starts.len() != x.batches) {
            return Err(message!("{} is not for {} batches", short.name, x.batches));
        }
        let params = CacheParams {
            count: product([y.batches, y.heads, y.rows, y.size])?,
            heads: y.heads,
            rows: y.rows,
            size: y.size,
            x_rows: x.rows,
            x: x.steps,
            past_rows: past.map_or(0, |past| past.rows),
            past: past.map_or(x.steps, |past| past.steps),
            start: i32::try_from(start).unwrap_or(i32::MAX),
            more,
            pairs,
            positions,
        };
        let words =
            |x: Option<&Operand>| x.map_or(1, |x| if x.dtype.bits() == Some(64) { 2 } else { 1 });
        let (how, given) = self.positions;
        let turn = self.turn.map(|turn| [turn.cosines, turn.sines]);
        // Where an operand is left out x stands, which is not read.
        let [cosines, sines] = turn.unwrap_or([x.x; 2]);
        Ok(Dispatch::new(Kernel::Cache, &params, typed_grid(y.x))
            .reads([x.x, past.map_or(x.x, |past| past.x), cosines, sines])
            .reads([given.unwrap_or(x.x), starts.unwrap_or(x.x)])
            .writes(y.x)
            .constant("KIND", elements::code(y.x.dtype))
            .constant("PAST", u32::from(past.is_some()))
            .constant("STARTS", starts.map_or(0, |starts| words(Some(starts))))
            .constant("CIRCULAR", u32::from(self.circular))
            .constant("HEADS_FIRST", u32::from(y.x.dims.len() != 3))
            .constant(
                "TURN",
                self.turn.map_or(0, |turn| 1 + u32::from(turn.neighbours)),
            )
            .constant("POSITIONS", how.code())
            .constant("POSITION_WORDS", words(given)))
    }

    /// Pairs that are turned, and rows of cosines.
    fn turned(&self, x: &Heads<'_>) -> Result<[u32; 2], Message> {
        let Some(turn) = &self.turn else {
            return Ok([0; 2]);
        };
        all_floats([x.x, turn.cosines, turn.sines])?;
        let misfit = || message!("{} does not fit {}", turn.cosines.name, x.x.name);
        let (pairs, rows) = match *turn.cosines.dims.as_slice() {
            [rows, pairs] => (pairs, rows),
            [batches, rows, pairs] => (pairs, product([batches, rows])?),
            _ => return Err(misfit()),
        };
        let of_rows = product([x.batches, x.rows])?;
        let given = match self.positions {
            (Positions::Each, Some(given)) => given.len() == of_rows,
            (Positions::First, Some(given)) => given.len() == 1,
            (Positions::Own, _) => rows == of_rows,
            (Positions::Places, _) => true,
            _ => false,
        };
        if pairs > x.size / 2 || rows == 0 || !given || turn.sines.dims != turn.cosines.dims {
            return Err(misfit());
        }
        Ok([pairs, rows])
    }
}
