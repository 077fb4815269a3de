//! What is planned for the most that it gives, because only a run finds how much that is.

use std::fmt::Write;

use planner::graph::{Count, Limit};
use planner::{Subject, message};
use serde_json::{Value, json};

/// The most that are listed one by one.
const SHOWN: usize = 5;

fn counts(subject: &Subject) -> &[Count] {
    subject.graph().map_or(&[], |graph| &graph.counts)
}

fn by(limit: Limit) -> &'static str {
    match limit {
        Limit::Shapes => "by the sizes of what it reads",
        Limit::File => "by the file",
        Limit::Set => "as set",
        Limit::Run => "found by a run",
    }
}

/// A line for each of the first counts; nothing where there are none.
pub(super) fn table(subject: &Subject) -> String {
    let all = counts(subject);
    let mut text = String::new();
    for count in all.iter().take(SHOWN) {
        let Count { tensor, kind, .. } = count;
        let _ = writeln!(
            text,
            "at most {}: {kind} in \"{tensor}\", {} (a bound, not a size; --bind \"{tensor}=N\")",
            count.most,
            by(count.limit),
        );
    }
    if let Some(more @ 1..) = all.len().checked_sub(SHOWN) {
        let more = message!("more operator is" | "more operators are", more);
        let _ = writeln!(text, "{more} planned for the most (--bind at_most=N)");
    }
    text
}

/// The same for programs.
pub(super) fn json(subject: &Subject) -> Option<Value> {
    let rows = counts(subject).iter().map(|count| {
        json!({
            "tensor": count.tensor,
            "op": count.op,
            "kind": count.kind,
            "at_most": count.most,
            "by": count.limit,
        })
    });
    let rows: Vec<Value> = rows.collect();
    (!rows.is_empty()).then_some(Value::Array(rows))
}
