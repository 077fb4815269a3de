//! In place for good: what may be written over, and what that must not break.

use planner::graph::Bindings;
use planner::load::load;
use planner::passes::{Given, Reason};
use planner::{Parallel, Settings, Stage, passes, stages};

fn last(text: &str, parallel: Parallel) -> Stage {
    let (_, document, _) = load(&text.as_bytes().to_vec()).expect("a text graph");
    let settings = Settings {
        passes: passes::parse("in_place=aggressive").expect("a pass"),
        parallel,
        ..Settings::default()
    };
    let known = (&Bindings::new(), &Given::new());
    let stages = stages(&document, known, &settings).expect("small");
    stages.into_iter().last().expect("a stage")
}

/// `b` is read by two operators. One after the other, the second may be written over it; at the
/// same time, neither may.
#[test]
fn who_runs_at_the_same_time_may_still_read() {
    let text = "graph twice onnx 17
input a: f32[64]
b = Exp(a)
c = Neg(b)
d = Abs(b)
y = Add(c, d)
output y
";
    let over = |stage: &Stage| {
        let found = stage.report.found.iter().filter(|it| it.refused.is_none());
        let names = found.map(|it| {
            let name = |at: usize| stage.program.graph.tensor(it.tensors[at]).name.clone();
            (name(0), name(1))
        });
        names.collect::<Vec<_>>()
    };
    let serial = last(text, Parallel::Serial);
    assert_eq!(over(&serial), [("b".to_owned(), "d".to_owned())]);
    let free = last(text, Parallel::Free);
    assert_eq!(over(&free), []);
    let refused = free.report.found.iter().filter_map(|it| it.refused);
    let by_reader = |reason: Reason| matches!(reason, Reason::ReadBy { .. });
    assert_eq!(refused.filter(|reason| by_reader(*reason)).count(), 2);
}

/// Every operator of a long chain takes the bytes of the one before it.
#[test]
fn a_long_chain_is_one_block() {
    let mut text = "graph chain onnx 17\ninput t0: f32[64]\n".to_owned();
    for step in 1..5000 {
        text.push_str(&format!("t{step} = Exp(t{})\n", step - 1));
    }
    text.push_str("y = Neg(t4999)\noutput y\n");
    let stage = last(&text, Parallel::Serial);
    assert_eq!(stage.lifetimes.buffers.len(), 1);
    assert_eq!(stage.report.changes, 4998);
}
