//! Attention as one dispatch.

use planner::{Message, message};

use crate::elements;
use crate::kernels::{AttentionParams, Kernel, groups};
use crate::lower::call::all_floats;
use crate::lower::heads::{Heads, Lengths, Mask, Turn, product};
use crate::recording::{Dispatch, Operand};

/// Everything about an attention beside its operands.
#[derive(Clone, Debug)]
pub(crate) struct Attention<'a> {
    pub(crate) scale: f32,
    pub(crate) cap: f32,
    /// Added where a mask of integers says no.
    pub(crate) low: f32,
    /// Position of the first query.
    pub(crate) offset: u32,
    /// Keys seen before and after the own position; -1 all.
    pub(crate) window: [i32; 2],
    pub(crate) masks: [Option<Mask<'a>>; 2],
    pub(crate) lengths: Option<Lengths<'a>>,
    pub(crate) turn: Option<Turn<'a>>,
    /// Added to the columns of queries, keys and values.
    pub(crate) bias: Option<&'a Operand>,
    /// Where scores go, and which.
    pub(crate) scores: Option<(&'a Operand, u32)>,
}

impl Attention<'_> {
    /// Without masks, over all keys.
    pub(crate) fn plain(scale: f32) -> Self {
        Attention {
            scale,
            cap: 0.0,
            low: f32::NEG_INFINITY,
            offset: 0,
            window: [-1; 2],
            masks: [None, None],
            lengths: None,
            turn: None,
            bias: None,
            scores: None,
        }
    }

    /// One dispatch that computes y of q, k and v.
    ///
    /// # Errors
    /// When shapes do not fit, or operands are no floats.
    pub(crate) fn dispatch(
        &self,
        [q, k, v]: [&Heads<'_>; 3],
        y: &Heads<'_>,
    ) -> Result<Dispatch, Message> {
        all_floats([q.x, k.x, v.x, y.x])?;
        let misfit = || {
            let dims = [q, k, v].map(|it| format!("{:?}", it.x.dims));
            message!(
                "{}, {} and {} do not fit together",
                dims[0],
                dims[1],
                dims[2]
            )
        };
        let batches = [k.batches, v.batches, y.batches] == [q.batches; 3];
        let inner = q.size == k.size && k.rows == v.rows && k.heads == v.heads;
        let outer = [y.heads, y.rows, y.size] == [q.heads, q.rows, v.size];
        let whole = q.heads.checked_rem(k.heads) == Some(0);
        if !(batches && inner && outer && whole) {
            return Err(misfit());
        }
        let count = product([q.batches, q.heads, q.rows])?;
        product([count, k.rows])?;
        let dispatch = Dispatch::new(
            Kernel::Attention,
            &self.params([q, k, v], y)?,
            groups(count),
        );
        if let Some(bias) = self.bias {
            all_floats([bias])?;
            let [of_q, of_k] = [q, k].map(|it| u64::from(it.heads) * u64::from(it.size));
            let of_v = u64::from(v.heads) * u64::from(v.size);
            let columns = of_q.saturating_add(of_k).saturating_add(of_v);
            if u64::from(bias.len()) != columns || self.turn.is_some() || self.lengths.is_some() {
                return Err(message!("{} does not fit {}", bias.name, q.x.name));
            }
        }
        self.with_masks(dispatch.reads([q.x, k.x, v.x]), q.x, y.x)
    }

    /// One dispatch that computes y of x times `weights`, whose columns make the queries, keys
    /// and values; `bias` is added to them.
    ///
    /// # Errors
    /// When shapes do not fit, operands are no floats, or rows are too long for a workgroup.
    pub(crate) fn projected(
        &self,
        [x, weights]: [&Operand; 2],
        bias: Option<&Operand>,
        (heads, sizes): (u32, [u32; 2]),
        y: &Heads<'_>,
    ) -> Result<Dispatch, Message> {
        // What the shaders have room for.
        const SIZE: u32 = 256;
        const WIDTH: u32 = 1792;
        let misfit = |x: &Operand| message!("{} does not fit {}", weights.name, x.name);
        all_floats([x, weights].into_iter().chain(bias))?;
        let (&[batches, rows, width], &[inner, columns]) = (&*x.dims, &*weights.dims) else {
            return Err(misfit(x));
        };
        let [of_q, of_v] = [product([heads, sizes[0]])?, product([heads, sizes[1]])?];
        let all = of_q.checked_mul(2).and_then(|both| both.checked_add(of_v));
        if inner != width || all != Some(columns) {
            return Err(misfit(x));
        }
        if let Some(bias) = bias.filter(|bias| bias.len() != columns) {
            return Err(misfit(bias));
        }
        if sizes[0] > SIZE || width > WIDTH {
            let (most, size) = if width > WIDTH {
                (WIDTH, width)
            } else {
                (SIZE, sizes[0])
            };
            return Err(message!(
                "its rows have {} elements, of at most {}",
                size,
                most
            ));
        }
        // As if there were a tensor of them.
        let made = Operand {
            dims: vec![batches, rows, columns],
            ..x.clone()
        };
        let q = Heads::packed(&made, [0, of_q], heads)?;
        let k = Heads::packed(&made, [of_q, of_q], heads)?;
        let v = Heads::packed(&made, [2 * of_q, of_v], heads)?;
        let dispatch = self.dispatch([&q, &k, &v], y)?;
        let params = AttentionParams {
            projected: [width, columns],
            ..dispatch.params()
        };
        let mut inputs = dispatch.inputs;
        inputs.splice(..3, [x, weights, bias.unwrap_or(x)].map(Operand::clone));
        // Those that are left out.
        for input in inputs.iter_mut().skip(3).filter(|it| it.tensor == x.tensor) {
            *input = x.clone();
        }
        let constants = dispatch
            .constants
            .into_iter()
            .filter(|(name, _)| !["BIAS", "TURN"].contains(name));
        Ok(Dispatch {
            constants: constants.collect(),
            inputs,
            ..Dispatch::new(Kernel::PackedAttention, &params, dispatch.grid)
        }
        .writes(y.x)
        .constant("BIAS", u32::from(bias.is_some())))
    }

    fn params(
        &self,
        [q, k, v]: [&Heads<'_>; 3],
        y: &Heads<'_>,
    ) -> Result<AttentionParams, Message> {
        let steps = |mask: &Option<Mask<'_>>| mask.as_ref().map(|mask| mask.steps);
        let turned = match &self.turn {
            None => [0; 2],
            Some(turn) => match *turn.cosines.dims.as_slice() {
                [positions, pairs] if pairs <= q.size / 2 && positions > 0 => [pairs, positions],
                _ => return Err(message!("{} does not fit {}", turn.cosines.name, q.x.name)),
            },
        };
        Ok(AttentionParams {
            batches: q.batches,
            heads: [q.heads, k.heads],
            rows: [q.rows, k.rows],
            sizes: [q.size, v.size],
            steps: [q.steps, k.steps, v.steps],
            y: [y.steps.batch, y.steps.head, y.steps.row],
            masks: [
                steps(&self.masks[0]).unwrap_or_default(),
                steps(&self.masks[1]).unwrap_or_default(),
            ],
            scale: self.scale,
            cap: self.cap,
            low: self.low,
            nothing: f32::NEG_INFINITY,
            offset: i32::try_from(self.offset).unwrap_or(i32::MAX),
            window: self.window,
            more: self.lengths.map_or(0, |lengths| lengths.more),
            turned,
            projected: [0; 2],
        })
    }

    /// The operands after q, k and v: where one is left out q stands, which is not read.
    fn with_masks(
        &self,
        dispatch: Dispatch,
        q: &Operand,
        y: &Operand,
    ) -> Result<Dispatch, Message> {
        let [mask, other] = self.masks.each_ref().map(Option::as_ref);
        let turned = self.turn.map(|turn| [turn.cosines, turn.sines]);
        let third = mask
            .map(|mask| mask.x)
            .or(turned.map(|[cosines, _]| cosines));
        let fifth = other.map(|mask| mask.x).or(turned.map(|[_, sines]| sines));
        if turned.is_some() && (mask.is_some() || other.is_some()) {
            return Err(message!(
                "there is no kernel for rotary embeddings together with a mask"
            ));
        }
        if let Some([cosines, sines]) = turned {
            all_floats([cosines, sines])?;
            if cosines.dims != sines.dims {
                return Err(message!("{} does not fit {}", cosines.name, sines.name));
            }
        }
        let lengths = self.lengths.map(|lengths| lengths.x);
        let words = lengths.map_or(0, |x| if x.dtype.bits() == Some(64) { 2 } else { 1 });
        let dispatch = dispatch
            .reads([third, lengths.or(self.bias), fifth].map(|it| it.unwrap_or(q)))
            .writes(y)
            .constant("MASK", mask.map_or(0, Mask::how))
            .constant("MASK_KIND", mask.map_or(0, |it| elements::code(it.x.dtype)))
            .constant("OTHER", other.map_or(0, Mask::how))
            .constant(
                "OTHER_KIND",
                other.map_or(0, |it| elements::code(it.x.dtype)),
            )
            .constant("LENGTHS", words)
            .constant(
                "FROM_END",
                u32::from(self.lengths.is_some_and(|it| it.from_end)),
            )
            .constant("BIAS", u32::from(self.bias.is_some()))
            .constant(
                "TURN",
                self.turn.map_or(0, |it| 1 + u32::from(it.neighbours)),
            );
        Ok(match self.scores {
            Some((scores, which)) => dispatch.writes(scores).constant("SCORES", which),
            None => dispatch,
        })
    }
}
