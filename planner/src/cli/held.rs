//! `arenascope held`: who holds the bytes of a moment. Sizes are bytes.

use std::fmt::Write;
use std::process::ExitCode;

use planner::attribution::called;
use planner::deployed::allocations;
use planner::grouping::{Group, Moment, Node, groups, held, most_telling, padding, tree};
use planner::query::Field;
use planner::{Bytes, Effort, Step, message};
use serde_json::{Value, json};

use super::args::{By, HeldArgs, Output};
use super::report::{head, lines, shown, title};
use super::{Failure, Opened, open};

/// The report.
pub(super) fn report(args: &HeldArgs) -> Result<(String, ExitCode), Failure> {
    let opened = open(&args.input, Effort::DEFAULT, false)?;
    let peak = opened.bounds.peak;
    let failure = opened.subject.failure().map(|it| it.step);
    let usual = failure.map_or_else(|| "peak".to_owned(), |step| step.0.to_string());
    let at = args.at.as_ref().unwrap_or(&usual);
    let moment = moment(at, peak)?;
    let last = opened.subject.lifetimes.horizon.0.saturating_sub(1);
    let steps = match moment {
        Moment::At(step) => (step, step),
        Moment::Between(from, to) => (from, to),
        Moment::End => (Step(0), Step(0)),
    };
    if steps.0 > steps.1 || steps.1.0 > last {
        let message = format!("--at {at}: steps go up, and the last is {last}");
        return Err(Failure::Usage(message));
    }
    let subject = &opened.subject;
    let held = held(&subject.lifetimes, moment);
    let text = match args.by {
        Some(By::Stack) => {
            let root = tree(&subject.notes, &subject.stacks, &held, args.runtime);
            let mut text = String::new();
            folded(&opened, &root, &mut Vec::new(), &mut text);
            if let Some(rest) = not_listed(&opened, moment) {
                let _ = writeln!(text, "{} {}", rest.text, rest.bytes.0);
            }
            text
        }
        Some(By::Field(_)) | None => {
            let facts = subject.facts(peak, None);
            let field = match args.by {
                Some(By::Field(field)) => field,
                _ => most_telling(&facts),
            };
            let groups = groups(&facts, &held, field);
            let rest = not_listed(&opened, moment);
            let rows = groups.into_iter().chain(rest).map(|group| {
                let padding = padding(&subject.lifetimes, &held, &group);
                (group, padding)
            });
            let rows: Vec<(Group, Bytes)> = rows.collect();
            written(&opened, &rows, (moment, field), args.format)
        }
    };
    Ok((text, ExitCode::SUCCESS))
}

/// What the file says is there beyond the largest buffers, which are all that it lists.
fn not_listed(opened: &Opened, moment: Moment) -> Option<Group> {
    let bytes = opened.subject.not_listed()?;
    let counts = bytes > Bytes::ZERO && !matches!(moment, Moment::Between(..));
    counts.then(|| Group {
        text: "not listed".into(),
        bytes,
        buffers: Vec::new(),
    })
}

/// "peak", "end", a step, or two steps as "10..20".
fn moment(text: &str, peak: Step) -> Result<Moment, Failure> {
    let step = |text: &str| text.trim().parse().map(Step).ok();
    let read = match (text, text.split_once("..")) {
        ("peak", _) => Some(Moment::At(peak)),
        ("end", _) => Some(Moment::End),
        (_, Some((from, to))) => step(from).zip(step(to)).map(|(a, b)| Moment::Between(a, b)),
        (one, None) => step(one).map(Moment::At),
    };
    let message = format!("--at {text}: write peak, end, a step, or two steps as in 10..20");
    read.ok_or(Failure::Usage(message))
}

/// How many allocations a group has.
fn count(opened: &Opened, group: &Group) -> usize {
    allocations(&opened.subject.notes, group.buffers.iter().copied())
}

fn written(
    opened: &Opened,
    groups: &[(Group, Bytes)],
    (moment, field): (Moment, Field),
    format: Output,
) -> String {
    let sum = |of: fn(&(Group, Bytes)) -> u64| groups.iter().map(of).fold(0, u64::saturating_add);
    let (all, padded) = (sum(|it| it.0.bytes.0), sum(|it| it.1.0));
    match format {
        Output::Json => {
            let mut report = head(opened);
            report["moment"] = json!(moment);
            report["by"] = json!(field.name());
            report["bytes"] = json!(all);
            report["padding"] = json!(padded);
            let rows = groups.iter().map(|(group, padding)| {
                json!({
                    "group": group.text,
                    "bytes": group.bytes.0,
                    "padding": padding.0,
                    "buffers": count(opened, group),
                })
            });
            report["groups"] = rows.collect::<Value>();
            lines(&report)
        }
        Output::Csv => {
            let mut text = String::from("group,bytes,padding,buffers\n");
            for (group, padding) in groups {
                let name = group.text.replace('"', "\"\"");
                let (bytes, count) = (group.bytes.0, count(opened, group));
                let _ = writeln!(text, "\"{name}\",{bytes},{},{count}", padding.0);
            }
            text
        }
        Output::Table => {
            let when = match moment {
                Moment::At(step) => format!("at step {}", step.0),
                Moment::End => "and never given back".to_owned(),
                Moment::Between(from, to) => format!(
                    "at step {1}, of what began from step {0} on and before step {1}",
                    from.0, to.0
                ),
            };
            // Nothing has no shares.
            let whole = if all > 0 { "100.0 %" } else { "" };
            let of_it = |padding: u64| match padding {
                0 => String::new(),
                padding => format!(", {padding} of it padding"),
            };
            let mut text = title(opened);
            let _ = writeln!(
                text,
                "\n{all:>15} {whole:>7}  held {when}, by {}{}",
                field.name(),
                of_it(padded)
            );
            for (group, padding) in groups {
                let share = 100.0 * group.bytes.0 as f64 / all.max(1) as f64;
                let name = match (group.text.as_str(), field) {
                    ("", Field::Caller | Field::Source) => "no source",
                    ("", _) => "none",
                    (text, _) => text,
                };
                let count = match count(opened, group) {
                    0 => String::new(),
                    count => format!(", {}", message!("buffer" | "buffers", count)),
                };
                let bytes = group.bytes.0;
                let padding = of_it(padding.0);
                let name = shown(name);
                let _ = writeln!(text, "{bytes:>15} {share:>5.1} %  {name}{count}{padding}");
            }
            text
        }
    }
}

/// The stacks as flame graphs are drawn from: frames from the outside in, separated by
/// semicolons, and the bytes that are allocated there.
fn folded(opened: &Opened, node: &Node, path: &mut Vec<String>, text: &mut String) {
    let below = node.children.iter().map(|child| child.bytes.0).sum::<u64>();
    let own = node.bytes.0.saturating_sub(below);
    if own > 0 {
        let path = match path.is_empty() {
            true => "no stack".to_owned(),
            false => path.join(";"),
        };
        let _ = writeln!(text, "{path} {own}");
    }
    for child in &node.children {
        let frame = child
            .frame
            .and_then(|it| opened.subject.stacks.frames.get(it as usize));
        let name = frame.map(called).unwrap_or_default();
        path.push(shown(&name.replace(';', ",")));
        folded(opened, child, path, text);
        path.pop();
    }
}
