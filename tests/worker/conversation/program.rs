//! Programs with a schedule of their own: what it costs to run their operators at the same time.

use planner::{Bytes, Effort};
use worker::{Price, Priced, Reply, Request};

use super::talk::Talk;

const RECOMPUTED: &[u8] = include_bytes!("../../data/recomputed.json");

/// A1 → A2 → A3 → A4 and A1 → A5 → A6 → A7, then A8 = A4 + A7, 64 B each; A8 is the output and
/// lies beside the arena.
fn branches() -> Vec<u8> {
    let edges = [
        (1, "[\"x\"]"),
        (2, "[\"A1\"]"),
        (3, "[\"A2\"]"),
        (4, "[\"A3\"]"),
        (5, "[\"A1\"]"),
        (6, "[\"A5\"]"),
        (7, "[\"A6\"]"),
        (8, "[\"A4\",\"A7\"]"),
    ];
    let tensors = (1..8).map(|at| format!("{{\"name\":\"A{at}\",\"shape\":[16]}}"));
    let tensors: Vec<String> = tensors.collect();
    let operators = edges.map(|(at, inputs)| {
        let kind = if at == 8 { "Add" } else { "Relu" };
        format!(
            "{{\"name\":\"{at}\",\"kind\":\"{kind}\",\"inputs\":{inputs},\"outputs\":[\"A{at}\"]}}"
        )
    });
    format!(
        "{{\"arenascope_program\":1,\"tensors\":[{{\"name\":\"x\",\"shape\":[16],\"role\":\"input\"}},\
         {{\"name\":\"A8\",\"shape\":[16],\"role\":\"output\"}},{}],\"operators\":[{}]}}",
        tensors.join(","),
        operators.join(",")
    )
    .into_bytes()
}

fn price(file: &[u8]) -> Option<Price> {
    let mut talk = Talk::new(1.0);
    talk.open(1, &file.to_vec());
    talk.prepared(2, planner::graph::Bindings::new());
    let effort = Effort::DEFAULT;
    let mut replies = talk.ask(&Request::Price { id: 3, effort }, &[]);
    match replies.pop() {
        Some(Reply::Priced { id: 3, price }) => price,
        other => panic!("{other:?} is no price"),
    }
}

#[test]
fn a_schedule_that_only_computes_has_a_price() {
    let price = price(&branches()).expect("a price");
    // One after the other: A1, and the ends of both branches or one end and what follows.
    let serial = Priced {
        bound: Bytes(3 * 64),
        unwaiting: None,
        arena: Bytes(3 * 64),
    };
    assert_eq!(price.serial, serial);
    // Every partition of the seven into places was tried: five add no wait.
    assert_eq!(price.safe.unwaiting, Some(Bytes(5 * 64)));
    assert_eq!(price.safe.arena, Bytes(6 * 64));
}

#[test]
fn a_schedule_that_recomputes_has_none() {
    assert_eq!(price(RECOMPUTED), None);
}
