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
    let read = |at: usize| dims(graph, op.inputs[at]);
    let is_given = |at: usize| op.inputs.get(at).copied().flatten().is_some();
    let made = |at: usize| dims(graph, op.outputs[at]);
    let same = || read(0) == made(0);
    let exchange = Exchange::of(op);
    if let Some(exchange) = exchange {
        let devices = u64::from(exchange.devices);
        return match exchange.collective {
            Collective::AllGather => product(read(0)) * devices == product(made(0)),
            Collective::ReduceScatter => product(made(0)) * devices == product(read(0)),
            Collective::AllReduce | Collective::AllToAll => same(),
            Collective::Send | Collective::Receive => true,
        };
    }
    match op.operator {
        Operator::Shape | Operator::Constant | Operator::ConstantOfShape => true,
        Operator::MatMul => {
            let (left, right, out) = (read(0), read(1), made(0));
            let [.., m, k] = left else { return false };
            let [.., l, n] = right else { return false };
            let batch = |dims: &[u64]| broadcasts(&dims[..dims.len() - 2], &out[..out.len() - 2]);
            k == l && out.ends_with(&[*m, *n]) && batch(left) && batch(right)
        }
        Operator::Gemm => {
            let turned = |name| op.int(name) == Some(1);
            let of = |dims: &[u64], turned| match turned {
                true => (dims[1], dims[0]),
                false => (dims[0], dims[1]),
            };
            let (m, k) = of(read(0), turned("transA"));
            let (l, n) = of(read(1), turned("transB"));
            k == l && made(0) == [m, n] && (!is_given(2) || broadcasts(read(2), made(0)))
        }
        Operator::GroupedMatMul => {
            let [_, k, n] = read(1) else { return false };
            read(0).last() == Some(k)
                && made(0) == [read(0)[0], *n]
                && product(read(2)) == read(0)[0]
        }
        Operator::Reshape | Operator::Flatten | Operator::Squeeze | Operator::Unsqueeze => {
            product(read(0)) == product(made(0))
        }
        Operator::Identity | Operator::Dropout => same(),
        Operator::Transpose => {
            let order = op.ints("perm").expect("it says so");
            let order = order
                .iter()
                .map(|at| usize::try_from(*at).expect("a dimension"));
            order.map(|at| read(0)[at]).eq(made(0).iter().copied())
        }
        Operator::Concat => {
            let all: u64 = op.inputs.iter().map(|id| product(dims(graph, *id))).sum();
            all == product(made(0))
        }
        Operator::Split => {
            let all: u64 = op.outputs.iter().map(|id| product(dims(graph, *id))).sum();
            all == product(read(0))
        }
        Operator::Gather => {
            let axis = usize::try_from(op.int("axis").unwrap_or_default()).expect("from the first");
            let expected = [&read(0)[..axis], read(1), &read(0)[axis + 1..]].concat();
            made(0) == expected
        }
        Operator::Expand => broadcasts(read(0), made(0)),
        Operator::Slice | Operator::Tile => read(0).len() == made(0).len(),
        Operator::TopK => made(0) == made(1) && made(0).len() == read(0).len(),
        Operator::RotaryEmbedding => {
            let heads = u64::try_from(op.int("num_heads").expect("heads")).expect("few");
            let places = read(3) == &read(0)[..2];
            same()
                && read(0)[2].is_multiple_of(heads)
                && read(0)[2] / heads == 2 * read(1)[1]
                && places
        }
        Operator::Attention => {
            let heads = |name| u64::try_from(op.int(name).expect("heads")).expect("few");
            let (q, k, v) = (read(0), read(1), read(2));
            let (of_queries, of_keys) = (heads("q_num_heads"), heads("kv_num_heads"));
            q[2] / of_queries == k[2] / of_keys
                && of_queries.is_multiple_of(of_keys)
                && k[..2] == v[..2]
                && made(0) == [q[0], q[1], v[2] / of_keys * of_queries]
        }
        Operator::LayerNormalization | Operator::RMSNormalization => {
            same() && read(0).ends_with(read(1))
        }
        Operator::Softmax => same(),
        _ => match op.facts().family {
            Family::ElementWise(_) => {
                let all = op.inputs.iter().flatten();
                let all = all.map(|id| dims(graph, Some(*id)));
                let mut all = all.filter(|dims| !dims.is_empty());
                all.all(|dims| broadcasts(dims, made(0)))
            }
            Family::Reduces => product(read(0)).is_multiple_of(product(made(0))),
            // What a test has no definition of is not divided in it.
            _ => op.read().chain(op.written()).all(|id| {
                let tensor = graph.tensor(id);
                tensor.role == Role::Constant || !tensor.name.contains(".part")
            }),
        },
    }
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
