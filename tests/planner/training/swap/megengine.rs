//! `MegEngine`'s static pass, by hand.

use planner::Bytes;
use planner::schedule::Phase;
use planner::training::policies::NoWalk;
use planner::training::{Lane, Link, Node, Policy};

use super::{problem, run};

/// Twelve nodes that cost 1 each; a copy of 4 bytes takes 1. x (0) of 8 bytes is read by 8, y (1)
/// of 4 bytes by 9, z (2) of 4 bytes by 7, and w (5), of 6 bytes, by 6.
///
/// Counted from the node after the one that computes: 1 8 · 2 12 · 3 to 5 16 · 6 22 · 7 16 · 8 12 ·
/// 9 4. The highest is 6. Segments over it whose reader is more than 5 nodes from what computes:
/// x 1 to 7, fetched with 4 at the latest and counted from 3 to 6; y 2 to 8, from 4 to 7; z is 5
/// nodes from its reader only.
///
/// - x: node 6 still counts 22, because it is fetched ahead: nothing is gained.
/// - y: the same.
///
/// Neither gains, so it is the smaller one, y; then there is x.
#[test]
fn a_value_is_fetched_five_nodes_ahead() {
    let node = |reads: &[usize], bytes: u64| Node {
        name: String::new(),
        phase: Phase::Forward,
        reads: reads.to_vec(),
        bytes: Bytes(bytes),
        cost: 1,
        gradient_of: None,
        ..Node::default()
    };
    let nodes = vec![
        node(&[], 8),
        node(&[], 4),
        node(&[], 4),
        node(&[], 0),
        node(&[], 0),
        node(&[], 6),
        node(&[5], 0),
        node(&[2], 0),
        node(&[0], 0),
        node(&[1], 0),
        node(&[], 0),
        node(&[], 0),
    ];
    let link = Link::both(Lane {
        bytes: 4,
        cost: 1,
        latency: 0,
    });
    let problem = problem(nodes, link);
    // 22 bytes with everything kept.
    let all = run(Policy::MegengineSwap, &problem, Some(22)).expect("a run");
    assert!(all.run.transfers.is_empty());
    // y leaves when it is computed, from 2 to 3. Its copy back is due when node 5 starts, beside
    // x, z and w, which are 18 bytes already: it starts when node 6 has read w, at 7.
    let played = run(Policy::MegengineSwap, &problem, Some(18)).expect("a run");
    let copies: Vec<_> = played
        .run
        .transfers
        .iter()
        .map(|it| (it.node, it.start, it.end))
        .collect();
    assert_eq!(copies, [(1, 2, 3), (1, 7, 8)]);
    assert_eq!(played.run.time, 12);
    // x as well: out from 1 to 3, and back when node 4 starts beside z. Then there is no room for w:
    // 8 + 4 + 6 are more than 14.
    let found = Policy::MegengineSwap.run(&problem, Some(Bytes(14)), &mut |_, _| true);
    assert_eq!(found.why, Some(NoWalk::OutOfMemory(5)));
}
