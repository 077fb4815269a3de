//! Reports as tables, JSON and CSV. Sizes are bytes.

use std::fmt::Write;

use planner::check::Violation;
use planner::graph::{Role, UnsizedReason};
use planner::liveness::Lifetimes;
use planner::plan::Plan;
use planner::save;
use serde_json::{Value, json};

use super::plans::Timed;
use super::{Opened, Output};

/// The report of `arenascope plan`.
pub(super) fn plans(opened: &Opened, plans: &[Timed], offsets: bool, format: Output) -> String {
    match format {
        Output::Json => {
            let mut report = head(opened);
            report["plans"] = plans
                .iter()
                .map(|it| plan_json(opened, it, offsets))
                .collect();
            lines(&report)
        }
        Output::Csv => match plans {
            [only] if offsets => save::csv(&opened.subject.lifetimes, &only.judged.plan),
            _ => {
                let mut text = String::from("strategy,arena,objects,optimal,ms\n");
                for it in plans {
                    let [strategy, arena, objects, optimal, ms] = row(it);
                    let _ = writeln!(text, "{strategy},{arena},{objects},{optimal},{ms}");
                }
                text
            }
        },
        Output::Table => {
            let mut text = title(opened);
            let _ = writeln!(
                text,
                "{:<20} {:>15} {:>8} {:>9} {:>8} {:>10}",
                "strategy", "arena", "objects", "over", "optimal", "ms"
            );
            for it in plans {
                let [strategy, arena, objects, optimal, ms] = row(it);
                let over = it.judged.metrics.over_bound * 100.0;
                let _ = writeln!(
                    text,
                    "{strategy:<20} {arena:>15} {objects:>8} {over:>8.1}% {optimal:>8} {ms:>10}"
                );
            }
            if let ([only], true) = (plans, offsets) {
                text += &offsets_table(&opened.subject.lifetimes, &only.judged.plan);
            }
            text
        }
    }
}

/// The report of `arenascope bounds`.
pub(super) fn bounds(opened: &Opened, format: Output) -> String {
    let (offsets, objects) = (opened.bounds.offsets.0, opened.bounds.objects.0);
    let (buffers, peak) = (&opened.subject.lifetimes.buffers, opened.bounds.peak.0);
    let witness = opened.bounds.witness.iter();
    let witness = witness.filter_map(|&index| buffers.get(index));
    match format {
        Output::Json => {
            let mut report = head(opened);
            report["peak"] = json!(peak);
            let live = witness.map(|it| json!({"name": it.name, "size": it.size.0}));
            report["witness"] = live.collect();
            lines(&report)
        }
        Output::Csv => format!("bound,bytes\noffsets,{offsets}\nobjects,{objects}\n"),
        Output::Table => {
            let mut text = title(opened);
            let _ = writeln!(text, "live at step {peak}:");
            for buffer in witness {
                let _ = writeln!(text, "{:>15}  {}", buffer.size.0, shown(&buffer.name));
            }
            text
        }
    }
}

/// The report of `arenascope check`.
pub(super) fn violations(
    file: &str,
    lifetimes: &Lifetimes,
    plan: &Plan,
    violations: &[Violation],
    format: Output,
) -> String {
    match format {
        Output::Json => lines(&json!({
            "file": file,
            "buffers": lifetimes.buffers.len(),
            "arena": plan.arena.0,
            "valid": violations.is_empty(),
            "violations": violations
                .iter()
                .map(|it| json!({"rule": it, "message": it.to_string()}))
                .collect::<Vec<_>>(),
        })),
        Output::Csv => {
            let mut text = String::from("violation\n");
            for violation in violations {
                let _ = writeln!(text, "\"{}\"", violation.to_string().replace('"', "\"\""));
            }
            text
        }
        Output::Table => {
            let mut text = format!(
                "{file}: {} buffers in {} bytes, {} rules broken\n",
                lifetimes.buffers.len(),
                plan.arena.0,
                violations.len()
            );
            for violation in violations {
                let _ = writeln!(text, "{violation}");
            }
            text
        }
    }
}

/// What is known before any plan.
fn head(opened: &Opened) -> Value {
    let (ops, tensors) = counts(opened);
    let bounds = &opened.bounds;
    json!({
        "file": opened.name,
        "format": opened.format,
        "ops": ops,
        "tensors": tensors,
        "intermediates": intermediates(opened),
        "unsized": unsized_tensors(opened),
        "alignment": opened.options.alignment.0,
        "bounds": {"offsets": bounds.offsets.0, "objects": bounds.objects.0},
    })
}

fn plan_json(opened: &Opened, timed: &Timed, offsets: bool) -> Value {
    let (plan, metrics) = (&timed.judged.plan, &timed.judged.metrics);
    let mut report = json!({
        "strategy": timed.name,
        "arena": plan.arena.0,
        "objects": plan.objects.as_ref().map(|objects| objects.sizes.len()),
        "optimal": metrics.optimal,
        // To the microsecond: more digits would only be noise.
        "ms": timed.ms.map(|ms| (ms * 1000.0).round() / 1000.0),
    });
    if offsets {
        let buffers = opened.subject.lifetimes.buffers.iter().zip(&plan.offsets);
        let tensors = buffers.map(|(buffer, offset)| {
            json!({
                "name": buffer.name,
                "size": buffer.size.0,
                "first": buffer.span.start.0,
                "last": buffer.span.end.0.saturating_sub(1),
                "offset": offset.0,
            })
        });
        report["tensors"] = tensors.collect();
    }
    report
}

fn title(opened: &Opened) -> String {
    let (ops, tensors) = counts(opened);
    let (file, count) = (&opened.name, intermediates(opened));
    let (missing, bounds) = (unsized_tensors(opened), &opened.bounds);
    format!(
        "{file}: {ops} operators, {tensors} tensors, {count} to place, {missing} unsized\n\
         lower bounds: offsets {} bytes, shared objects {} bytes (alignment {})\n",
        bounds.offsets.0, bounds.objects.0, opened.options.alignment.0
    )
}

fn row(timed: &Timed) -> [String; 5] {
    let plan = &timed.judged.plan;
    let objects = plan.objects.as_ref().map(|objects| objects.sizes.len());
    [
        timed.name.clone(),
        plan.arena.0.to_string(),
        objects.map(|count| count.to_string()).unwrap_or_default(),
        timed.judged.metrics.optimal.to_string(),
        timed.ms.map(|ms| format!("{ms:.3}")).unwrap_or_default(),
    ]
}

fn offsets_table(lifetimes: &Lifetimes, plan: &Plan) -> String {
    let mut text = format!(
        "\n{:>15} {:>15} {:>8} {:>8}  name\n",
        "offset", "size", "first", "last"
    );
    for (buffer, offset) in lifetimes.buffers.iter().zip(&plan.offsets) {
        let (size, first) = (buffer.size.0, buffer.span.start.0);
        let last = buffer.span.end.0.saturating_sub(1);
        let (offset, name) = (offset.0, shown(&buffer.name));
        let _ = writeln!(text, "{offset:>15} {size:>15} {first:>8} {last:>8}  {name}");
    }
    text
}

fn counts(opened: &Opened) -> (usize, usize) {
    let buffers = opened.subject.lifetimes.buffers.len();
    opened.counts.unwrap_or((0, buffers))
}

fn intermediates(opened: &Opened) -> usize {
    match &opened.subject.graph {
        Some(graph) => {
            let tensors = graph.tensors.iter();
            tensors
                .filter(|tensor| tensor.role == Role::Intermediate)
                .count()
        }
        None => opened.subject.lifetimes.buffers.len(),
    }
}

fn unsized_tensors(opened: &Opened) -> u64 {
    let split = opened.subject.split;
    split.map(|split| split.unsized_tensors).unwrap_or_default()
}

/// Why a tensor has no size, in words.
pub(super) fn reason(reason: UnsizedReason) -> &'static str {
    match reason {
        UnsizedReason::UnknownOperator => "shapes of this operator are unknown",
        UnsizedReason::DataDependent => "depends on values of the run",
        UnsizedReason::UnsizedInput => "made from a tensor without a size",
        UnsizedReason::InvalidOperator => "the operator contradicts its operands",
        UnsizedReason::Undeclared => "neither a shape nor an operator gives it",
        UnsizedReason::DType => "elements of no fixed size",
        UnsizedReason::TooLarge => "larger than what can be planned",
        UnsizedReason::ControlFlow => "made by control flow",
    }
}

/// A name without what would disturb a terminal.
fn shown(name: &str) -> String {
    let signs = name
        .chars()
        .map(|sign| if sign.is_control() { '\u{fffd}' } else { sign });
    signs.collect()
}

fn lines(report: &Value) -> String {
    format!("{report}\n")
}
