//! Normalisations as exporters write them: reductions and arithmetic over the last dimensions.
//!
//! ```text
//! layer norm   d = x - mean(x);  y = d / sqrt(mean(d²) + ε) · γ + β
//! RMS norm     y = x / sqrt(mean(x²) + ε) · γ
//! ```

use super::{Group, Matcher};
use crate::graph::{DType, Dialect, OpId, Role, TensorId};
use crate::operators::Operator::{self, Add, Div, Mul, Pow, Reciprocal, ReduceMean, Sqrt, Sub};
use crate::{Message, message};

/// The normalisation that ends with `last`.
pub(super) fn group(matcher: &mut Matcher<'_>, last: OpId) -> Option<Group> {
    // Only exporters to ONNX write them so.
    if matcher.only_activations || matcher.graph.dialect == Dialect::Tflite {
        return None;
    }
    let y = matcher.result(last)?;
    let mut found = Found {
        matcher,
        ops: vec![last],
    };
    let divided = found.unscaled(last)?;
    let (pattern, x) = found.normalized(divided)?;
    let mut ops = found.ops;
    ops.sort_unstable();
    ops.dedup();
    let (x, y) = (matcher.graph.tensor(x), matcher.graph.tensor(y));
    let fits = x.dtype == DType::F32 && x.dims.is_some() && x.dims == y.dims;
    fits.then_some(Group { pattern, ops })
}

struct Found<'a, 'g> {
    matcher: &'a Matcher<'g>,
    ops: Vec<OpId>,
}

impl Found<'_, '_> {
    /// The input of `op` that is computed, and the one that is not.
    fn by_constant(&self, op: OpId) -> Option<(TensorId, TensorId)> {
        let (a, b) = self.matcher.pair(op)?;
        match (self.matcher.is_constant(a), self.matcher.is_constant(b)) {
            (false, true) => Some((a, b)),
            (true, false) => Some((b, a)),
            _ => None,
        }
    }

    /// The writer of what `reader` alone reads, as one of the group.
    fn step(&mut self, tensor: TensorId, reader: OpId, operators: &[Operator]) -> Option<OpId> {
        let op = self.matcher.only(tensor, reader)?;
        if !self.matcher.is(op, operators) {
            return None;
        }
        self.ops.push(op);
        Some(op)
    }

    /// Past the shift β and the scale γ, where they are there.
    fn unscaled(&mut self, last: OpId) -> Option<OpId> {
        let mut op = last;
        for operator in [Add, Mul] {
            if self.matcher.is(op, &[operator])
                && let Some((computed, _)) = self.by_constant(op)
            {
                op = self.step(computed, op, &[Mul, Div])?;
            }
        }
        Some(op)
    }

    /// `op` divides by a root of a mean square, or multiplies by its reciprocal.
    fn normalized(&mut self, op: OpId) -> Option<(Message, TensorId)> {
        let (a, b) = self.matcher.pair(op)?;
        let ways: &[(TensorId, TensorId)] = match self.matcher.is(op, &[Div]) {
            true => &[(a, b)],
            false if self.matcher.is(op, &[Mul]) => &[(a, b), (b, a)],
            false => return None,
        };
        let kept = self.ops.len();
        for &(d, s) in ways {
            if let Some(found) = self.over(op, d, s) {
                return Some(found);
            }
            self.ops.truncate(kept);
        }
        None
    }

    /// `op` has `d` over the root `s` of the mean square of `d`.
    fn over(&mut self, op: OpId, d: TensorId, s: TensorId) -> Option<(Message, TensorId)> {
        let mut root = match self.matcher.is(op, &[Mul]) {
            true => self.step(s, op, &[Reciprocal, Div])?,
            false => self.step(s, op, &[Sqrt])?,
        };
        if !self.matcher.is(root, &[Sqrt]) {
            // 1 over the root.
            let of = self
                .matcher
                .graph
                .op(root)
                .inputs
                .last()
                .copied()
                .flatten()?;
            root = self.step(of, root, &[Sqrt])?;
        }
        let add = self.step(self.matcher.first(root)?, root, &[Add])?;
        let (mean_square, _) = self.by_constant(add)?;
        let mean = self.step(mean_square, add, &[ReduceMean])?;
        let squares = self.matcher.first(mean)?;
        let square = self.step(squares, mean, &[Pow, Mul])?;
        let (one, two) = self.matcher.pair(square)?;
        let squared = one == d
            && match self.matcher.is(square, &[Pow]) {
                true => self.matcher.number(two) == Some(2.0),
                false => two == d,
            };
        if !squared {
            return None;
        }
        let centred = self.centred(d, &[op, square]);
        Some(match centred {
            Some(x) => (message!("layer norm"), x),
            None => (message!("RMS norm"), d),
        })
    }

    /// The x of `d` = x - mean(x), where nobody but `readers` reads `d`.
    fn centred(&mut self, d: TensorId, readers: &[OpId]) -> Option<TensorId> {
        let sub = self.matcher.writer(d, readers).ok()?;
        if !self.matcher.is(sub, &[Sub]) {
            return None;
        }
        let (x, m) = self.matcher.pair(sub)?;
        let mean = self.matcher.only(m, sub)?;
        let of = self.matcher.first(mean);
        let known = matches!(
            self.matcher.graph.tensor(x).role,
            Role::Intermediate | Role::Input | Role::Output
        );
        if !self.matcher.is(mean, &[ReduceMean]) || of != Some(x) || !known {
            return None;
        }
        self.ops.extend([sub, mean]);
        Some(x)
    }
}
