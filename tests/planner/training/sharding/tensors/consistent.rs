//! The sizes of a rank's graph go together, by the definitions of its operators: a second
//! look at what was divided, operator by operator, that shares no code with it.

use planner::graph::{Op, Role, TensorId};
use planner::operators::{Family, Operator};
use planner::training::sharding::{Collective, Exchange};

use super::*;

fn dims(graph: &Graph, id: Option<TensorId>) -> &[u64] {
    let id = id.expect("it is there");
    graph.tensor(id).dims.as_deref().expect("it has a size")
}

fn product(dims: &[u64]) -> u64 {
    dims.iter().product()
}

/// Whether the smaller ones can be repeated to these sizes.
fn broadcasts(from: &[u64], to: &[u64]) -> bool {
    let pairs = from.iter().rev().zip(to.iter().rev());
    from.len() <= to.len() && pairs.into_iter().all(|(a, b)| a == b || *a == 1)
}

/// All operators whose sizes do not go together.
pub(super) fn faults(graph: &Graph) -> Vec<String> {
    let runs = graph.ops.iter().filter(|op| graph.runs(op));
    let wrong = runs.filter(|op| !goes_together(graph, op));
    let told = wrong.map(|op| {
        let all = |ids: &[Option<TensorId>]| {
            let all = ids.iter().flatten();
            all.map(|id| format!("{:?}", graph.tensor(*id).dims))
                .collect::<Vec<_>>()
        };
        format!(
            "{} {} {:?} -> {:?}",
            op.kind,
            op.name,
            all(&op.inputs),
            all(&op.outputs)
        )
    });
    told.collect()
}

fn goes_together(graph: &Graph, op: &Op) -> bool {
    let first = op.inputs.first().copied().flatten();
    let read = first.map_or(&[][..], |id| dims(graph, Some(id)));
    let made = outputs(graph, op);
    if let Some(exchange) = Exchange::of(op) {
        let devices = u64::from(exchange.devices);
        return match exchange.collective {
            Collective::AllGather => product(read) * devices == product(made[0]),
            Collective::ReduceScatter => product(made[0]) * devices == product(read),
            Collective::AllReduce | Collective::AllToAll => read == made[0],
            Collective::Send | Collective::Receive => true,
        };
    }
    let moved = moves(graph, op, read, &made);
    let multiplied = moved.or_else(|| multiplies(graph, op));
    multiplied.unwrap_or_else(|| match op.facts().family {
        Family::ElementWise(_) => {
            let all = op.inputs.iter().flatten();
            let all = all.map(|id| dims(graph, Some(*id)));
            let mut all = all.filter(|dims| !dims.is_empty());
            all.all(|dims| broadcasts(dims, made[0]))
        }
        Family::Reduces => product(read).is_multiple_of(product(made[0])),
        // What a test has no definition of is not divided in it.
        _ => op.read().chain(op.written()).all(|id| {
            let tensor = graph.tensor(id);
            tensor.role == Role::Constant || !tensor.name.contains(".part")
        }),
    })
}

fn outputs<'a>(graph: &'a Graph, op: &Op) -> Vec<&'a [u64]> {
    op.written().map(|id| dims(graph, Some(id))).collect()
}

/// Of an operator that moves elements, or looks at rows; `None` of others.
fn moves(graph: &Graph, op: &Op, read: &[u64], made: &[&[u64]]) -> Option<bool> {
    let given = |at: usize| dims(graph, op.inputs[at]);
    let all =
        |ids: &[Option<TensorId>]| -> u64 { ids.iter().map(|id| product(dims(graph, *id))).sum() };
    Some(match op.operator {
        Operator::Shape | Operator::Constant | Operator::ConstantOfShape => true,
        Operator::Reshape | Operator::Flatten | Operator::Squeeze | Operator::Unsqueeze => {
            product(read) == product(made[0])
        }
        Operator::Identity | Operator::Dropout | Operator::Softmax => read == made[0],
        Operator::Transpose => {
            let order = op.ints("perm").expect("it says so").iter();
            let order = order.map(|at| read[usize::try_from(*at).expect("a dimension")]);
            order.eq(made[0].iter().copied())
        }
        Operator::Concat => all(&op.inputs) == product(made[0]),
        Operator::Split => all(&op.outputs) == product(read),
        Operator::Gather => {
            let axis = op.int("axis").unwrap_or_default();
            let axis = usize::try_from(axis).expect("from the first");
            made[0] == [&read[..axis], given(1), &read[axis + 1..]].concat()
        }
        Operator::Expand => broadcasts(read, made[0]),
        Operator::Slice | Operator::Tile => read.len() == made[0].len(),
        Operator::TopK => made[0] == made[1] && made[0].len() == read.len(),
        Operator::LayerNormalization | Operator::RMSNormalization => {
            read == made[0] && read.ends_with(given(1))
        }
        _ => return None,
    })
}

/// Of a product; `None` of others.
fn multiplies(graph: &Graph, op: &Op) -> Option<bool> {
    let read = |at: usize| dims(graph, op.inputs[at]);
    let made = dims(graph, op.outputs[0]);
    let number = |name| u64::try_from(op.int(name).expect("it says so")).expect("few");
    Some(match op.operator {
        Operator::MatMul => {
            let [left @ .., m, k] = read(0) else {
                return Some(false);
            };
            let [right @ .., l, n] = read(1) else {
                return Some(false);
            };
            let [batch @ .., rows, columns] = made else {
                return Some(false);
            };
            let batches = broadcasts(left, batch) && broadcasts(right, batch);
            k == l && (rows, columns) == (m, n) && batches
        }
        Operator::Gemm => {
            let of = |dims: &[u64], name| match op.int(name) {
                Some(1) => (dims[1], dims[0]),
                _ => (dims[0], dims[1]),
            };
            let ((m, k), (l, n)) = (of(read(0), "transA"), of(read(1), "transB"));
            let bias = op.inputs.get(2).copied().flatten();
            let bias = bias.is_none_or(|id| broadcasts(dims(graph, Some(id)), made));
            k == l && made == [m, n] && bias
        }
        Operator::GroupedMatMul => {
            let ([rows, k], [_, l, n]) = (read(0), read(1)) else {
                return Some(false);
            };
            k == l && made == [*rows, *n] && read(2) == [*rows]
        }
        Operator::RotaryEmbedding => {
            let size = read(0)[2] / number("num_heads");
            let whole = read(0)[2].is_multiple_of(number("num_heads"));
            read(0) == made && whole && size == 2 * read(1)[1] && read(3) == &read(0)[..2]
        }
        Operator::Attention => {
            let (q, k, v) = (read(0), read(1), read(2));
            let (of_queries, of_keys) = (number("q_num_heads"), number("kv_num_heads"));
            q[2] / of_queries == k[2] / of_keys
                && of_queries.is_multiple_of(of_keys)
                && k[..2] == v[..2]
                && made == [q[0], q[1], v[2] / of_keys * of_queries]
        }
        _ => return None,
    })
}

/// Whatever size is another is found, so that the look above means something.
#[test]
fn a_wrong_size_is_found() {
    let graph = sized(&classic(1, 16, 4, 32, 8), (8, 2));
    for sharding in [
        tensor(2, false),
        tensor(2, true),
        Sharding {
            context: 2,
            ..tensor(2, true)
        },
    ] {
        let rank = rank(&graph, sharding).graph;
        assert!(faults(&rank).is_empty());
        let runs = rank.ops.iter().filter(|op| rank.runs(op));
        let ids: Vec<TensorId> = runs.flat_map(Op::written).collect();
        for id in ids {
            let mut wrong = rank.clone();
            let tensor = &mut wrong.tensors[id.index()];
            // What is dropped is a mask that nobody reads.
            if tensor.name.ends_with(".mask") {
                continue;
            }
            let dims = tensor.dims.as_mut().expect("a size");
            *dims.last_mut().expect("a dimension") *= 2;
            let name = &rank.tensor(id).name;
            assert!(!faults(&wrong).is_empty(), "{name}");
        }
    }
}
