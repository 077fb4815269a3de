//! Scan: its attributes, and the slices that it takes and gives.

use super::loops::{Layout, Slices};
use super::{Call, Flat, Refusal};
use crate::graph::{Attribute, DType, Dialect, Op, Tensor, TensorId};
use crate::message;
use crate::operators::Operator;

impl Flat<'_> {
    /// ONNX's Scan. Before operator set 9 it does all for every element of a batch, and the
    /// lengths of the sequences are its first input.
    pub(super) fn scan(&mut self, call: &Call<'_>) -> Result<(), Refusal> {
        let is_old = matches!(self.graph.dialect, Dialect::Onnx { opset: 1..=8 });
        if is_old && call.op.inputs.first().is_some_and(Option::is_some) {
            return Err(message!("its sequences are of several lengths"));
        }
        let mut carried = call.inputs(usize::from(is_old))?;
        let through = call
            .op
            .int("num_scan_inputs")
            .and_then(|count| usize::try_from(count).ok());
        let states = through.and_then(|count| carried.len().checked_sub(count));
        let states = states.ok_or_else(|| {
            message!("its attribute num_scan_inputs is not a number of its inputs")
        })?;
        let through = carried.split_off(states);
        let backward = match is_old {
            true => "directions",
            false => "scan_input_directions",
        };
        let option = |name: &str, at: usize| {
            let list = call.op.ints(name);
            list.and_then(|list| list.get(at).copied()).unwrap_or(0)
        };
        let slices = through.iter().enumerate().map(|(at, &of)| Slices {
            of,
            axis: option("scan_input_axes", at),
            len: 0,
            backward: option(backward, at) != 0,
        });
        let layouts = (0..call.op.outputs.len().saturating_sub(states)).map(|at| Layout {
            axis: option("scan_output_axes", at),
            backward: option("scan_output_directions", at) != 0,
        });
        let (slices, layouts): (Vec<_>, Vec<_>) = (slices.collect(), layouts.collect());
        if is_old {
            return self.batches(call, (&carried, &slices), &layouts);
        }
        let results = (&*call.op.outputs, &*layouts);
        self.scan_once(call, (carried, slices), results, &call.scope.iteration)
    }

    /// Runs a Scan for each element of the batch.
    fn batches(
        &mut self,
        call: &Call<'_>,
        (carried, slices): (&[TensorId], &[Slices]),
        layouts: &[Layout],
    ) -> Result<(), Refusal> {
        let mut parts: Vec<Vec<TensorId>> = vec![Vec::new(); call.op.outputs.len()];
        let first = slices
            .first()
            .ok_or_else(|| message!("it has no scan inputs"))?;
        for element in 0..self.len(first.of, 0)? {
            let around = format!("{}#{element}", call.scope.iteration);
            let mut one = |of: TensorId| {
                let len = self.len(of, 0)?;
                let name = self.graph.tensor(of).name.clone();
                let slices = Slices {
                    of,
                    axis: 0,
                    len,
                    backward: false,
                };
                self.slice(call, &slices, element, (&name, &around))
            };
            let carried = carried.iter().map(|&of| one(of));
            let carried = carried.collect::<Result<Vec<_>, _>>()?;
            let slices = slices.iter().map(|slices| {
                Ok(Slices {
                    of: one(slices.of)?,
                    ..*slices
                })
            });
            let slices = slices.collect::<Result<Vec<_>, Refusal>>()?;
            let outputs = call.op.outputs.iter().map(|to| {
                let name = self.graph.tensor((*to)?).name.clone();
                Some(self.add(Tensor::new(name, DType::Other), &around))
            });
            let outputs: Vec<Option<TensorId>> = outputs.collect();
            for (parts, part) in parts.iter_mut().zip(&outputs) {
                parts.extend(part);
            }
            self.scan_once(call, (carried, slices), (&outputs, layouts), &around)?;
        }
        for (parts, to) in parts.into_iter().zip(&call.op.outputs) {
            if let Some(to) = *to {
                self.join(call, parts, &Layout::default(), to)?;
            }
        }
        Ok(())
    }

    /// Runs a Scan once all that it runs through has the same length.
    fn scan_once(
        &mut self,
        call: &Call<'_>,
        (carried, mut slices): (Vec<TensorId>, Vec<Slices>),
        results: (&[Option<TensorId>], &[Layout]),
        around: &str,
    ) -> Result<(), Refusal> {
        for slices in &mut slices {
            slices.len = self.len(slices.of, slices.axis)?;
        }
        let mut lens = slices.iter().map(|slices| slices.len);
        let len = lens
            .next()
            .ok_or_else(|| message!("it has no scan inputs"))?;
        if let Some(other) = lens.find(|&other| other != len) {
            return Err(message!(
                "its scan inputs have {} and {} slices",
                len,
                other
            ));
        }
        self.run_through(call, (carried, &slices), results, around)
    }

    /// The size of a tensor along `axis`.
    fn len(&self, of: TensorId, axis: i64) -> Result<u64, Refusal> {
        let tensor = self.graph.tensor(of);
        let dims = tensor.dims.as_ref();
        let len = dims.and_then(|dims| {
            let rank = i64::try_from(dims.len()).ok()?;
            let axis = if axis < 0 {
                axis.checked_add(rank)?
            } else {
                axis
            };
            dims.get(usize::try_from(axis).ok()?).copied()
        });
        len.ok_or_else(|| message!("its scan input \"{}\" has no length", tensor.name))
    }

    /// One slice of a tensor, without the axis, called like `name` in an iteration.
    pub(super) fn slice(
        &mut self,
        call: &Call<'_>,
        slices: &Slices,
        iteration: u64,
        (name, suffix): (&str, &str),
    ) -> Result<TensorId, Refusal> {
        let Slices {
            of,
            axis,
            len,
            backward,
        } = *slices;
        let at = if backward {
            len - 1 - iteration
        } else {
            iteration
        };
        let at = i64::try_from(at).map_err(|_error| message!("it is too long"))?;
        let bounds = [("starts", at), ("ends", at + 1), ("axes", axis)];
        let row = self.moved(
            call,
            Operator::Slice,
            of,
            &bounds,
            (&format!("{name}{suffix}"), ".row"),
        )?;
        self.moved(
            call,
            Operator::Squeeze,
            row,
            &[("axes", axis)],
            (name, suffix),
        )
    }

    /// Joins slices along a new axis.
    pub(super) fn join(
        &mut self,
        call: &Call<'_>,
        mut parts: Vec<TensorId>,
        layout: &Layout,
        to: TensorId,
    ) -> Result<(), Refusal> {
        if layout.backward {
            parts.reverse();
        }
        let mut rows = Vec::with_capacity(parts.len());
        for part in parts {
            let name = self.graph.tensor(part).name.clone();
            let axes = [("axes", layout.axis)];
            rows.push(Some(self.moved(
                call,
                Operator::Unsqueeze,
                part,
                &axes,
                (&name, ".row"),
            )?));
        }
        self.push(Op {
            name: format!("{}.{}", call.op.name, self.graph.tensor(to).name),
            inputs: rows,
            outputs: vec![Some(to)],
            attributes: vec![("axis".into(), Attribute::Int(layout.axis))],
            ..Op::of(self.graph.dialect, Operator::Concat)
        });
        Ok(())
    }

    /// What an operator makes that only moves elements, as a new tensor.
    fn moved(
        &mut self,
        call: &Call<'_>,
        operator: Operator,
        from: TensorId,
        attributes: &[(&str, i64)],
        (name, suffix): (&str, &str),
    ) -> Result<TensorId, Refusal> {
        let to = self.add(Tensor::new(name, DType::Other), suffix);
        let attributes = attributes.iter();
        let attributes = attributes.map(|&(key, x)| (key.to_owned(), Attribute::Ints(vec![x])));
        let op = Op {
            name: format!("{}.{}", call.op.name, self.graph.tensor(to).name),
            inputs: vec![Some(from)],
            outputs: vec![Some(to)],
            attributes: attributes.collect(),
            ..Op::of(self.graph.dialect, operator)
        };
        self.budget.op(&op)?;
        self.push(op);
        Ok(to)
    }
}
