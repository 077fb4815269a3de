//! The bound for plans that make no operator wait, against all subsets of buffers.

use planner::bounds::bounds;
use planner::graph::{DType, Graph, Op, Tensor, TensorId};
use planner::{Bytes, Lifetimes, Options, Parallel, Program, Settings, Strategy, lifetimes};
use tests::judged::judged;
use tests::random::Random;

/// Operator i writes tensor i and reads the earlier tensors of its row.
fn model(rows: &[Vec<usize>], sizes: &[u64]) -> Graph {
    let tensor = |(index, bytes): (usize, &u64)| Tensor {
        dims: Some(vec![*bytes]),
        ..Tensor::new(format!("t{index}"), DType::U8)
    };
    let op = |(index, row): (usize, &Vec<usize>)| Op {
        inputs: row.iter().map(|&id| Some(TensorId::at(id))).collect(),
        outputs: vec![Some(TensorId::at(index))],
        ..Op::default()
    };
    Graph {
        tensors: sizes.iter().enumerate().map(tensor).collect(),
        ops: rows.iter().enumerate().map(op).collect(),
        ..Graph::default()
    }
}

fn planned(graph: &Graph) -> Lifetimes {
    let settings = Settings {
        alignment: Bytes(1),
        parallel: Parallel::Free,
        ..Settings::default()
    };
    lifetimes(&Program::new(graph.clone()), &settings).expect("small sizes")
}

/// Two branches that do not know of each other: t0 → t1 → t2 → t3, t0 → t4 → t5 → t6, and the
/// last operator reads t3 and t6. t1 and t3 may share without a wait, and so may t4 and t6:
/// five times 64 bytes. Spans are one order for all, and let one branch share only.
#[test]
fn two_branches_need_less_than_their_spans_say() {
    let rows = [
        vec![],
        vec![0],
        vec![1],
        vec![2],
        vec![0],
        vec![4],
        vec![5],
        vec![3, 6],
    ];
    let mut graph = model(&rows, &[64, 64, 64, 64, 64, 64, 64, 0]);
    graph.tensors[7].role = planner::graph::Role::Output;
    let lifetimes = planned(&graph);
    assert_eq!(lifetimes.unwaiting, Some(Bytes(320)));
    assert_eq!(bounds(&lifetimes).offsets, Bytes(384));
    let best = judged(Strategy::Best, &lifetimes, &Options::aligned(Bytes(1)));
    assert_eq!(best.arena, Bytes(384));
}

/// The heaviest of all sets of buffers in which no two may share.
fn brute_force(rows: &[Vec<usize>], sizes: &[u64]) -> u64 {
    let count = rows.len();
    // Whether operator a has finished when b starts, whatever else runs.
    let mut ancestor = vec![vec![false; count]; count];
    for (b, row) in rows.iter().enumerate() {
        for &a in row {
            for (other, leads_to) in ancestor.iter_mut().enumerate() {
                leads_to[b] |= other == a || leads_to[a];
            }
        }
    }
    let users =
        |tensor: usize| (0..count).filter(move |&op| op == tensor || rows[op].contains(&tensor));
    let before = |a: usize, b: usize| users(a).all(|x| users(b).all(|y| ancestor[x][y]));
    let mut heaviest = 0;
    for set in 0..1_usize << count {
        let chosen: Vec<usize> = (0..count).filter(|index| set >> index & 1 == 1).collect();
        let apart = |&a: &usize| chosen.iter().all(|&b| !before(a, b));
        if chosen.iter().all(apart) {
            heaviest = heaviest.max(chosen.iter().map(|&it| sizes[it]).sum());
        }
    }
    heaviest
}

#[test]
fn it_is_the_heaviest_set_of_which_no_two_may_share() {
    let mut random = Random::new(320);
    let mut lower = 0;
    for _ in 0..300 {
        let count = random.index(9) + 2;
        let rows: Vec<Vec<usize>> = (0..count)
            .map(|index| {
                (0..random.below(3).min(index as u64))
                    .map(|_| random.index(index))
                    .collect()
            })
            .collect();
        let sizes: Vec<u64> = (0..count).map(|_| random.within(1, 9)).collect();
        let lifetimes = planned(&model(&rows, &sizes));
        let found = lifetimes.unwaiting.expect("a small model");
        assert_eq!(
            found,
            Bytes(brute_force(&rows, &sizes)),
            "{rows:?} {sizes:?}"
        );
        let spans = bounds(&lifetimes).offsets;
        assert!(found <= spans, "spans never let more share than pairs do");
        lower += u32::from(found < spans);
    }
    assert!(lower > 10, "only {lower} are lower than their spans");
}
