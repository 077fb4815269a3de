//! Operators of which only the run finds how much they give, such as `NonZero`: they are sized
//! by the most that they can give.
//!
//! Shapes bound each of them: `NonZero` gives no more than its input has elements. A smaller
//! number may be set, for one by the name of its first output or for all of them; a size that the
//! file declares is taken at its word. What a run finds in truth takes the place of the bound,
//! and everything behind it is sized again.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Call, InferredOutput, KnownInput, MAX_TENSOR_BYTES, Outputs, Sizers, Sizing, Unsized,
    UnsizedReason, infer_found,
};
use crate::graph::{Bindings, Count, DType, Graph, Limit, Op, OpId, Role, Symbol, TensorId, Value};
use crate::message;
use crate::operators::Operator;
use crate::sorting::inserted;

/// Counts by the name of the operator's first output.
pub type Counts = BTreeMap<String, u64>;

/// The symbol that bounds every count that is not named.
const ALL: &str = Symbol::ALL_COUNTS;
/// Counts of one file that can be set one by one.
const MOST_NAMED: usize = 256;

/// What is known of counts, and what was found of them on the way.
#[derive(Default)]
pub(super) struct Counting {
    /// What was set, by name.
    set: Counts,
    /// What was set for all others.
    rest: Option<u64>,
    /// What a run has found.
    found: Counts,
    /// Those that the graph has.
    pub(super) all: Vec<Count>,
    /// Tensors of which size or elements may hang on a count.
    varying: BTreeSet<TensorId>,
}

/// What an operator gives, with the most in the place of its count.
pub(super) struct Form {
    /// `None` where shapes allow any number.
    pub(super) most: Option<u64>,
    pub(super) outputs: Vec<InferredOutput>,
    /// The dimensions that the count is: output and axis.
    pub(super) places: Vec<(usize, usize)>,
}

impl Counting {
    pub(super) fn new(graph: &Graph, bindings: &Bindings, found: &Counts) -> Self {
        let own = graph.symbols.iter().filter(|symbol| symbol.at_most);
        let own = own.filter_map(|it| Some((it.name.clone(), *bindings.get(&it.name)?)));
        let mut set: Counts = inserted(own);
        Self {
            rest: set.remove(ALL),
            set,
            found: found.clone(),
            ..Self::default()
        }
    }

    /// Whether what `id` holds may be another in a run.
    pub(super) fn varies(&self, id: TensorId) -> bool {
        self.varying.contains(&id)
    }

    /// Notes what the operator at `index` writes, where it hangs on a count.
    pub(super) fn spread(&mut self, graph: &Graph, index: usize, is_root: bool) {
        let op = &graph.ops[index];
        if is_root || op.read().any(|id| self.varies(id)) {
            self.varying.extend(op.written());
        }
    }
}

impl Sizing {
    /// The outputs of an operator that is sized by its count; `missing` for any other.
    pub(super) fn counted(&mut self, graph: &Graph, index: usize, missing: Unsized) -> Outputs {
        let op = &graph.ops[index];
        let inputs = KnownInput::inputs(graph, &self.values, op);
        let call = Call {
            op,
            inputs: &inputs,
            graph,
            follow: false,
        };
        let form = (self.sizers.counted)(&call, graph.dialect)?;
        let (Some(form), Some(id)) = (form, op.written().next()) else {
            return Err(missing);
        };
        let Form {
            most,
            mut outputs,
            places,
        } = form;
        let name = &graph.tensor(id).name;
        let declared = || {
            let (at, axis) = *places.first()?;
            let dims = self.declared(graph.tensor(op.outputs.get(at).copied().flatten()?))?;
            let rank = outputs.get(at)?.dims.len();
            dims.get(axis).copied().filter(|_| dims.len() == rank)
        };
        let known = self.counting.set.get(name).copied();
        let known = known.or(self.counting.rest);
        let (count, limit) = match self.counting.found.get(name) {
            Some(&found) => (found, Limit::Run),
            None => {
                let is_less = |count: u64| most.is_none_or(|most| count < most);
                match (known, declared(), most) {
                    (Some(set), _, _) if is_less(set) => (set, Limit::Set),
                    (None, Some(declared), _) if is_less(declared) => (declared, Limit::File),
                    (_, _, Some(most)) => (most, Limit::Shapes),
                    (_, _, None) => {
                        let detail = message!("{}: set how many at most", missing.detail);
                        return Err(Unsized::new(missing.reason, detail));
                    }
                }
            }
        };
        for (output, axis) in places {
            outputs[output].dims[axis] = count;
        }
        if outputs.iter().any(is_too_large) {
            let kind = &op.kind;
            let detail = message!(
                "{} gives at most {}: set fewer for \"{}\"",
                kind,
                count,
                name
            );
            return Err(Unsized::new(UnsizedReason::TooLarge, detail));
        }
        self.counting.all.push(Count {
            tensor: name.clone(),
            op: op.name.clone(),
            kind: op.kind.clone(),
            most: count,
            limit,
        });
        Ok(outputs)
    }
}

/// Marks every tensor whose size is only a bound: those that a smaller count makes another.
pub(crate) fn mark(graph: &mut Graph, bindings: &Bindings, sizers: Sizers) {
    if graph.counts.is_empty() {
        return;
    }
    let less = graph.counts.iter();
    let less = less.map(|count| (count.tensor.clone(), count.most.saturating_sub(1)));
    let mut other = graph.clone();
    infer_found(&mut other, bindings, sizers, &inserted(less));
    for (tensor, other) in graph.tensors.iter_mut().zip(other.tensors) {
        tensor.at_most = tensor.dims.is_some() && tensor.dims != other.dims;
    }
}

/// The counts of `graph` that can be set, as symbols: one for each operator whose count shapes do
/// not tell, and one for all of them.
pub(crate) fn symbols(graph: &Graph) -> Vec<Symbol> {
    let mut found: Vec<Symbol> = Vec::new();
    let mut walk = Walk::new(graph);
    let taken = |name: &str| graph.symbols.iter().any(|symbol| symbol.name == name);
    for op in &graph.ops {
        let read = match op.operator {
            Operator::NonZero
            | Operator::NonMaxSuppression
            | Operator::Unique
            | Operator::TfliteWhere
            | Operator::TfliteUnique => op.inputs.first(),
            Operator::TopK | Operator::Compress | Operator::SegmentSum => op.inputs.get(1),
            // Asked for how many, it gives as many places.
            Operator::NonMaxSuppressionV4 | Operator::NonMaxSuppressionV5 => op.inputs.get(2),
            _ => continue,
        };
        let Some((read, written)) = read.copied().flatten().zip(op.written().next()) else {
            continue;
        };
        let name = &graph.tensor(written).name;
        if found.len() < MOST_NAMED && !taken(name) && walk.reaches_data(read) {
            found.push(count(name));
        }
    }
    if !found.is_empty() && !taken(ALL) && found.iter().all(|symbol| symbol.name != ALL) {
        found.push(count(ALL));
    }
    found
}

fn count(name: &str) -> Symbol {
    Symbol {
        name: name.to_owned(),
        default: 0,
        at_most: true,
    }
}

/// Looks for the data that a tensor is computed from; of data whose shape alone is read nothing
/// is.
struct Walk<'a> {
    graph: &'a Graph,
    producers: Option<Vec<Option<OpId>>>,
    /// Tensors that are computed from no data.
    without: BTreeSet<TensorId>,
}

impl<'a> Walk<'a> {
    fn new(graph: &'a Graph) -> Self {
        Self {
            graph,
            producers: None,
            without: BTreeSet::new(),
        }
    }

    fn reaches_data(&mut self, from: TensorId) -> bool {
        let graph = self.graph;
        let producers = self.producers.get_or_insert_with(|| graph.producers());
        let (mut open, mut seen) = (vec![from], BTreeSet::from([from]));
        while let Some(id) = open.pop() {
            let producer = producers.get(id.index()).copied().flatten();
            if matches!(graph.tensor(id).role, Role::Input | Role::State) {
                return true;
            }
            let op = producer.map(|op| graph.op(op));
            let shape = |op: &&Op| {
                matches!(
                    op.operator,
                    Operator::Shape | Operator::Size | Operator::Rank
                )
            };
            let op = op.filter(|op| !shape(op));
            for read in op.into_iter().flat_map(|op| op.read()) {
                if !self.without.contains(&read) && seen.insert(read) {
                    open.push(read);
                }
            }
        }
        self.without.extend(seen);
        false
    }
}

/// What an operator of ONNX gives at most; `None` for one that is not counted.
pub(super) fn onnx(call: &Call<'_>) -> Result<Option<Form>, Unsized> {
    let form = match call.op.operator {
        Operator::NonZero => {
            let x = call.need(0)?;
            let most = call.product(x.dims)?;
            let rank = x.dims.len() as u64;
            of(most, [InferredOutput::new(DType::I64, [rank, most])], 1)
        }
        Operator::NonMaxSuppression => suppression(call)?,
        Operator::Unique => unique(call)?,
        Operator::TopK => {
            let x = call.need(0)?;
            let axis = call.axis(call.int("axis", -1), x.dims.len())?;
            let made = |dtype| InferredOutput::new(dtype, x.dims);
            of(x.dims[axis], [made(x.dtype), made(DType::I64)], axis)
        }
        Operator::Compress => {
            let x = call.need(0)?;
            let (dims, axis) = match call.op.int("axis") {
                Some(axis) => (x.dims.to_vec(), call.axis(axis, x.dims.len())?),
                None => (vec![call.product(x.dims)?], 0),
            };
            // A condition that is shorter than the axis keeps nothing behind its end.
            let most = dims[axis].min(call.product(call.dims(1)?)?);
            of(most, [InferredOutput::new(x.dtype, dims)], axis)
        }
        _ => return Ok(None),
    };
    Ok(Some(form))
}

/// Outputs of which each has the count along the same axis.
pub(super) fn of<const N: usize>(most: u64, outputs: [InferredOutput; N], axis: usize) -> Form {
    Form {
        most: Some(most),
        outputs: outputs.into(),
        places: (0..N).map(|output| (output, axis)).collect(),
    }
}

/// Of each class of each batch no more boxes than there are, and than are asked for.
fn suppression(call: &Call<'_>) -> Result<Form, Unsized> {
    let (boxes, scores) = (call.dims(0)?, call.dims(1)?);
    let (&[batches, count, 4], &[_, classes, _]) = (boxes, scores) else {
        return Err(call.invalid(message!(
            "boxes {} with scores {}",
            format_args!("{boxes:?}"),
            format_args!("{scores:?}")
        )));
    };
    let asked = match call.input(2) {
        // None is selected unless it is said how many.
        None => 0,
        Some(asked) => match asked.value.and_then(Value::single) {
            Some(asked) => u64::try_from(asked).unwrap_or(0),
            None => count,
        },
    };
    let most = call.product(&[batches, classes, count.min(asked)])?;
    Ok(of(most, [InferredOutput::new(DType::I64, [most, 3])], 0))
}

/// The elements, or the slices of an axis, each once; where each was first; which one each is; and
/// how often.
fn unique(call: &Call<'_>) -> Result<Form, Unsized> {
    let x = call.need(0)?;
    let (dims, axis) = match call.op.int("axis") {
        Some(axis) => (x.dims.to_vec(), call.axis(axis, x.dims.len())?),
        None => (vec![call.product(x.dims)?], 0),
    };
    let most = dims[axis];
    let ints = || InferredOutput::new(DType::I64, [most]);
    Ok(Form {
        most: Some(most),
        outputs: vec![InferredOutput::new(x.dtype, dims), ints(), ints(), ints()],
        places: vec![(0, axis), (1, 0), (3, 0)],
    })
}

/// Whether no plan has room for it.
fn is_too_large(made: &InferredOutput) -> bool {
    let bits = made.dtype.and_then(DType::bits).unwrap_or(0);
    let elements = super::call::count(&made.dims);
    let bits = elements.and_then(|elements| elements.checked_mul(bits));
    bits.is_none_or(|bits| bits.div_ceil(8) > MAX_TENSOR_BYTES)
}

/// Whether the operator is to be sized by its count.
pub(super) fn is_counted(missing: &Unsized) -> bool {
    missing.reason == UnsizedReason::DataDependent
}
