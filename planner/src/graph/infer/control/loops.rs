//! Loop, WHILE and Scan: a body, once for each iteration.

use super::place::element;
use super::{Call, Flat, Refusal, arity};
use crate::graph::{Body, DType, TensorId};
use crate::message;

/// What makes the iterations of a loop.
struct Iterations<'b> {
    body: &'b Body,
    /// How many there are at most.
    most: Option<u64>,
    until: Until<'b>,
    /// Whom the iterations belong to: what stands before their numbers in names.
    around: &'b str,
}

/// What ends a loop before that.
enum Until<'b> {
    /// Nothing. Every iteration gets a slice of each of these, behind what is carried. (Scan)
    Through(&'b [Slices]),
    /// The body's first result. Each iteration gets its number and that result first. (Loop)
    Said,
    /// Another subgraph, which is asked of what is carried. (WHILE)
    Asked(&'b Body),
}

/// A tensor of which every iteration gets a slice.
pub(super) struct Slices {
    pub(super) of: TensorId,
    pub(super) axis: i64,
    /// Number of slices.
    pub(super) len: u64,
    pub(super) backward: bool,
}

/// How the slices that the iterations give lie in a result.
#[derive(Default)]
pub(super) struct Layout {
    pub(super) axis: i64,
    pub(super) backward: bool,
}

impl Flat<'_> {
    /// ONNX's Loop.
    pub(super) fn repeat(&mut self, call: &Call<'_>) -> Result<(), Refusal> {
        let body = call.body("body")?;
        let carried = call.inputs(2)?;
        let scans = call.op.outputs.len().saturating_sub(carried.len());
        arity(body, carried.len() + 2, carried.len() + scans + 1)?;
        let most = self.given(call, 0, |name| {
            message!("its trip count \"{}\" is not known before the run", name)
        })?;
        let most = most.map(|most| u64::try_from(most).unwrap_or(0));
        let go = self.given(call, 1, |name| {
            message!("its condition \"{}\" is not known before the run", name)
        })?;
        let iterations = Iterations {
            body,
            most: if go == Some(0) { Some(0) } else { most },
            until: Until::Said,
            around: &call.scope.iteration,
        };
        let layouts: Vec<Layout> = (0..scans).map(|_| Layout::default()).collect();
        self.iterations(call, &iterations, carried, (&call.op.outputs, &layouts))
    }

    /// The value of the operand at `at`, unless it is left out. `unknown` says of its name that
    /// it is not known.
    fn given(
        &mut self,
        call: &Call<'_>,
        at: usize,
        unknown: fn(&str) -> Refusal,
    ) -> Result<Option<i64>, Refusal> {
        let Some(id) = call.op.inputs.get(at).copied().flatten() else {
            return Ok(None);
        };
        let found = self.known(id).map(Some);
        found.ok_or_else(|| unknown(&self.graph.tensor(id).name))
    }

    /// TFLite's WHILE.
    pub(super) fn repeat_while(&mut self, call: &Call<'_>) -> Result<(), Refusal> {
        let body = call.body("body_subgraph_index")?;
        let asked = call.body("cond_subgraph_index")?;
        let carried = call.inputs(0)?;
        arity(body, carried.len(), call.op.outputs.len())?;
        arity(body, carried.len(), carried.len())?;
        arity(asked, carried.len(), 1)?;
        let mut iterations = Iterations {
            body,
            most: None,
            until: Until::Asked(asked),
            around: &call.scope.iteration,
        };
        if !self.goes_on(call, &iterations, &carried, iterations.around)? {
            iterations.most = Some(0);
        }
        self.iterations(call, &iterations, carried, (&call.op.outputs, &[]))
    }

    /// Slices through `slices`, of which there are equally many of each: one run of a Scan.
    pub(super) fn run_through(
        &mut self,
        call: &Call<'_>,
        (carried, slices): (Vec<TensorId>, &[Slices]),
        results: (&[Option<TensorId>], &[Layout]),
        around: &str,
    ) -> Result<(), Refusal> {
        let body = call.body("body")?;
        arity(body, carried.len() + slices.len(), results.0.len())?;
        let iterations = Iterations {
            body,
            most: slices.first().map(|slices| slices.len),
            until: Until::Through(slices),
            around,
        };
        self.iterations(call, &iterations, carried, results)
    }

    /// Makes the iterations. `outputs` get what is carried at the end, then the scan outputs.
    fn iterations(
        &mut self,
        call: &Call<'_>,
        iterations: &Iterations<'_>,
        mut carried: Vec<TensorId>,
        (outputs, layouts): (&[Option<TensorId>], &[Layout]),
    ) -> Result<(), Refusal> {
        let said = usize::from(matches!(iterations.until, Until::Said));
        let (last, scans) = outputs
            .split_at_checked(carried.len())
            .ok_or_else(|| message!("its body gives fewer values than the loop carries"))?;
        if iterations.most == Some(0) {
            if scans.iter().any(Option::is_some) {
                return Err(message!(
                    "it makes no iteration, so that its scan outputs have no size"
                ));
            }
            let ends = carried.into_iter().zip(last);
            return ends
                .filter_map(|(from, to)| Some((from, (*to)?)))
                .try_for_each(|(from, to)| self.copy(from, to));
        }
        let bound: Vec<_> = std::iter::repeat_n(None, said)
            .chain(last.iter().copied())
            .collect();
        let mut parts: Vec<Vec<TensorId>> = vec![Vec::new(); scans.len()];
        for iteration in 0_u64.. {
            let name = format!("{}#{iteration}", iterations.around);
            let mark = self.mark();
            let counted = iterations.most == iteration.checked_add(1);
            let to = if counted { &*bound } else { &[] };
            let feeds = self.feeds(call, iterations, &carried, iteration, &name)?;
            let mut found = self.expand(iterations.body, call.scope, &feeds, to, &name)?;
            let over = counted || !self.goes_on(call, iterations, &found, &name)?;
            if over && !counted {
                // Only now it is known to be the last: its results are those of the loop.
                self.undo(mark);
                let feeds = self.feeds(call, iterations, &carried, iteration, &name)?;
                found = self.expand(iterations.body, call.scope, &feeds, &bound, &name)?;
            }
            let behind = found.split_off(said + carried.len());
            for (parts, part) in parts.iter_mut().zip(behind) {
                parts.push(part);
            }
            carried = found.split_off(said);
            if over {
                break;
            }
        }
        for ((parts, layout), to) in parts.into_iter().zip(layouts).zip(scans) {
            if let Some(to) = *to {
                self.join(call, parts, layout, to)?;
            }
        }
        Ok(())
    }

    /// What is fed to the body in an iteration.
    fn feeds(
        &mut self,
        call: &Call<'_>,
        iterations: &Iterations<'_>,
        carried: &[TensorId],
        iteration: u64,
        name: &str,
    ) -> Result<Vec<TensorId>, Refusal> {
        let inner = &iterations.body.graph;
        let mut feeds = Vec::with_capacity(inner.inputs.len());
        if let (Until::Said, [number, condition, ..]) = (&iterations.until, &*inner.inputs) {
            let bytes = iteration.to_le_bytes().to_vec();
            let number = element(inner.tensor(*number), DType::I64, bytes);
            feeds.push(self.constant(number, name));
            let truth = || element(inner.tensor(*condition), DType::Bool, vec![1]);
            feeds.push(self.hold((iterations.body.number, *condition), truth));
        }
        feeds.extend(carried);
        if let Until::Through(slices) = iterations.until {
            let formal = inner.inputs.iter().skip(carried.len());
            for (slices, formal) in slices.iter().zip(formal) {
                let like = &inner.tensor(*formal).name;
                feeds.push(self.slice(call, slices, iteration, (like, name))?);
            }
        }
        Ok(feeds)
    }

    /// Whether there is another iteration after one with these results.
    fn goes_on(
        &mut self,
        call: &Call<'_>,
        iterations: &Iterations<'_>,
        found: &[TensorId],
        name: &str,
    ) -> Result<bool, Refusal> {
        let inner = &iterations.body.graph;
        let answer = match iterations.until {
            Until::Through(_) => return Ok(true),
            // What came in goes out.
            Until::Said if inner.outputs.first() == inner.inputs.get(1) => return Ok(true),
            Until::Said => found.first().copied(),
            Until::Asked(asked) => {
                let answers = self.expand(asked, call.scope, found, &[], name)?;
                answers.first().copied()
            }
        };
        let known = answer.and_then(|id| self.known(id));
        let known = known.map(|truth| truth != 0);
        known.ok_or_else(|| {
            message!("its condition for the next iteration is computed during the run")
        })
    }
}
