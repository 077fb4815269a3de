//! `arenascope list`: the buffers that a query means. Sizes are bytes, steps are inclusive.

use std::fmt::Write;
use std::process::ExitCode;

use planner::query::{Facts, Field, Known, parse, parse_for};
use planner::waste::waste;
use planner::{Effort, message};
use serde_json::{Value, json};

use super::amount::in_bytes;
use super::args::{ListArgs, Output};
use super::report::{lines, shown};
use super::{Failure, Opened, open};

/// The report.
pub(super) fn list(args: &ListArgs) -> Result<(String, ExitCode), Failure> {
    let wrong = |error| Failure::Usage(format!("--where: {error}"));
    // Before the file is read, which may take long.
    parse(&args.query).map_err(wrong)?;
    let opened = open(&args.input, Effort::DEFAULT, false)?;
    let subject = &opened.subject;
    let plan = subject.deployed.as_ref();
    let none = planner::Plan::default();
    let parts = waste(
        &subject.lifetimes,
        &subject.notes,
        plan.unwrap_or(&none),
        &opened.bounds,
    );
    let facts = subject.facts(opened.bounds.peak, Some(&parts));
    let query = parse_for(&args.query, &facts).map_err(wrong)?;
    let found = query.matches(&Known {
        lifetimes: &subject.lifetimes,
        facts: &facts,
        plan,
    });
    let text = match args.format {
        Output::Table => table(&opened, &facts, &found),
        Output::Csv => csv(&opened, &facts, &found),
        Output::Json => {
            let rows = found.iter().map(|&index| row(&opened, &facts, index));
            lines(&json!({
                "file": opened.name,
                "where": query.to_string(),
                "buffers": subject.lifetimes.buffers.len(),
                "bytes": bytes(&opened, &found),
                "found": rows.collect::<Value>(),
            }))
        }
    };
    Ok((text, ExitCode::SUCCESS))
}

fn bytes(opened: &Opened, found: &[usize]) -> u64 {
    let buffers = &opened.subject.lifetimes.buffers;
    let sizes = found.iter().filter_map(|&index| buffers.get(index));
    sizes.fold(0, |sum, buffer| sum.saturating_add(buffer.size.0))
}

fn offset(opened: &Opened, index: usize) -> Option<u64> {
    let plan = opened.subject.deployed.as_ref()?;
    Some(plan.offsets.get(index)?.0)
}

fn row(opened: &Opened, facts: &Facts, index: usize) -> Value {
    let buffer = &opened.subject.lifetimes.buffers[index];
    let texts = |field| facts.all(field, index).collect::<Vec<_>>();
    json!({
        "name": buffer.name,
        "size": buffer.size.0,
        "payload": buffer.payload.0,
        "first": buffer.span.start.0,
        "last": buffer.span.end.0.saturating_sub(1),
        "offset": offset(opened, index),
        "op": facts.first(Field::Op, index),
        "role": facts.first(Field::Role, index),
        "waste": texts(Field::Waste),
        "aliases": texts(Field::Alias),
    })
}

fn table(opened: &Opened, facts: &Facts, found: &[usize]) -> String {
    let all = &opened.subject.lifetimes.buffers;
    let mut text = format!(
        "{}: {} of {}, {}\n{:>15} {:>15} {:>8} {:>8}  {:<12} name\n",
        opened.name,
        found.len(),
        message!("buffer" | "buffers", all.len()),
        in_bytes(bytes(opened, found)),
        "offset",
        "size",
        "first",
        "last",
        "op"
    );
    for &index in found {
        let buffer = &all[index];
        let offset = offset(opened, index).map_or_else(String::new, |it| it.to_string());
        let (size, first) = (buffer.size.0, buffer.span.start.0);
        let last = buffer.span.end.0.saturating_sub(1);
        let op = shown(facts.first(Field::Op, index));
        let name = shown(&buffer.name);
        let _ = writeln!(
            text,
            "{offset:>15} {size:>15} {first:>8} {last:>8}  {op:<12} {name}"
        );
    }
    text
}

fn csv(opened: &Opened, facts: &Facts, found: &[usize]) -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let mut text = String::from("name,size,payload,first,last,offset,op,role\n");
    for &index in found {
        let buffer = &opened.subject.lifetimes.buffers[index];
        let offset = offset(opened, index).map_or_else(String::new, |it| it.to_string());
        let _ = writeln!(
            text,
            "{},{},{},{},{},{offset},{},{}",
            quoted(&buffer.name),
            buffer.size.0,
            buffer.payload.0,
            buffer.span.start.0,
            buffer.span.end.0.saturating_sub(1),
            quoted(facts.first(Field::Op, index)),
            quoted(facts.first(Field::Role, index)),
        );
    }
    text
}
