//! `arenascope bounds`: every lower bound with its witness. Sizes are bytes.

use std::fmt::Write;

use planner::bounds::{Bound, BoundKind};
use serde_json::{Value, json};

use super::amount::in_bytes;
use super::report::{called, head, lines, title};
use super::{Opened, Output};

/// The report.
pub(super) fn report(opened: &Opened, format: Output) -> String {
    let bounds = &opened.bounds;
    match format {
        Output::Json => {
            let mut report = head(opened);
            report["peak"] = json!(bounds.peak.0);
            report["witness"] = witness(opened, &bounds.witness);
            report["partitions"] = json!(bounds.partitions);
            let list = bounds.list.iter().map(|bound| bound_json(opened, bound));
            report["list"] = list.collect();
            if let Some(bytes) = opened.subject.lifetimes.unwaiting {
                report["without_waits"] = json!(bytes.0);
            }
            lines(&report)
        }
        Output::Csv => {
            let mut text = String::from("bound,bytes,step,buffers\n");
            for bound in &bounds.list {
                let (name, bytes) = (bound.kind.name(), bound.bytes.0);
                let step = step(bound);
                let _ = writeln!(text, "{name},{bytes},{step},{}", bound.witness.len());
            }
            text
        }
        Output::Table => {
            let mut text = title(opened);
            // Separate allocations share nothing, and blocks no objects.
            let apart = opened.subject.separate || opened.subject.is_recording();
            let shared = |bound: &&Bound| bound.kind == BoundKind::Maxima;
            let list = bounds.list.iter();
            for bound in list.filter(|it| !(apart && shared(it))) {
                text += &described(opened, bound);
            }
            if let Some(bytes) = opened.subject.lifetimes.unwaiting {
                let _ = writeln!(
                    text,
                    "\n{} is the least that adds no wait, by pairs of buffers: one order of \
                     spans for all of them may need more",
                    in_bytes(bytes.0)
                );
            }
            text
        }
    }
}

fn witness(opened: &Opened, indices: &[usize]) -> Value {
    let buffers = &opened.subject.lifetimes.buffers;
    let known = indices.iter();
    let known = known.filter_map(|&index| Some((buffers.get(index)?, opened.subject.label(index))));
    let named =
        known.map(|(it, label)| json!({"name": it.name, "label": label, "size": it.size.0}));
    named.collect()
}

fn bound_json(opened: &Opened, bound: &Bound) -> Value {
    let mut json = json!({
        "bound": bound.kind.name(),
        "bytes": bound.bytes.0,
        "step": bound.step.map(|step| step.0),
        "shared": bound.shared.0,
        "witness": witness(opened, &bound.witness),
    });
    match bound.kind {
        BoundKind::Partition { span } => {
            json["lower"] = json!(span.start.0);
            json["upper"] = json!(span.end.0);
        }
        BoundKind::Aligned { alignment } => json["alignment"] = json!(alignment.0),
        BoundKind::Fixed { top, free_below } => {
            json["top"] = json!(top.0);
            json["holes"] = json!(free_below.0);
        }
        BoundKind::Live
        | BoundKind::Largest
        | BoundKind::Pools
        | BoundKind::Maxima
        | BoundKind::Proved => {}
    }
    json
}

/// The step at which it is reached; empty where no single one does.
fn step(bound: &Bound) -> String {
    bound.step.map_or(String::new(), |step| step.0.to_string())
}

/// The bound in a sentence, and its witness by name.
fn described(opened: &Opened, bound: &Bound) -> String {
    let (bytes, step) = (in_bytes(bound.bytes.0), step(bound));
    let one = bound.bytes.0 == 1;
    let mut text = match bound.kind {
        BoundKind::Live => format!(
            "\n{bytes} {} live at step {step}:\n",
            if one { "is" } else { "are" }
        ),
        BoundKind::Largest => format!("\n{bytes} is the largest buffer:\n"),
        BoundKind::Partition { span } => {
            let (lower, upper) = (span.start.0, span.end.0);
            format!("\n{bytes} from step {lower} to {upper} alone, live at step {step}:\n")
        }
        BoundKind::Aligned { alignment } => format!(
            "\n{bytes} at step {step} when all but one are rounded up to {}:\n",
            in_bytes(alignment.0)
        ),
        BoundKind::Fixed { top, free_below } => format!(
            "\n{bytes} at step {step}: fixed addresses reach {} with {} usable \
             below:\n",
            in_bytes(top.0),
            free_below.0
        ),
        BoundKind::Pools => {
            format!("\n{bytes} in all pools, each for what may live nowhere else:\n")
        }
        BoundKind::Maxima => {
            format!("\n{bytes} for shared objects, the positional maxima:\n")
        }
        BoundKind::Proved => {
            let were = if one { "was" } else { "were" };
            format!("\n{bytes} {were} proved by search\n")
        }
    };
    if bound.shared.0 > 0 {
        let _ = writeln!(
            text,
            "({} of them are handed over and count once)",
            bound.shared.0
        );
    }
    let buffers = &opened.subject.lifetimes.buffers;
    for &index in &bound.witness {
        let bytes = buffers.get(index).map_or(0, |it| it.size.0);
        let _ = writeln!(text, "{bytes:>15}  {}", called(opened, index));
    }
    text
}
