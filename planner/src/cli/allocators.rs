//! `arenascope allocators`: what other allocators would reserve for the same requests. Sizes are
//! bytes, utilisation is parts of a thousand.

use std::fmt::Write as _;

use planner::Effort;
use planner::advice::{AllocatorRow, Allocators};
use serde_json::{Value, json};

use super::amount::in_bytes;
use super::args::BoundsArgs;
use super::report::lines;
use super::{Failure, Opened, Output, open};

/// The report.
pub(super) fn report(args: &BoundsArgs) -> Result<String, Failure> {
    let opened = open(&args.input, Effort::DEFAULT, false)?;
    let all = opened.subject.allocators(&mut |_, _| {});
    Ok(match args.format {
        Output::Json => lines(&json!({
            "file": opened.name,
            "requests": all.requests,
            "rows": all.rows.iter().map(row).collect::<Value>(),
        })),
        Output::Csv => csv(&all),
        Output::Table => table(&opened, &all),
    })
}

fn row(row: &AllocatorRow) -> Value {
    json!({
        "allocator": row.kind.name(),
        "reserved": row.reserved.map(|it| it.0),
        "needed": row.needed.0,
        "utilisation": row.utilisation(),
        "failed": row.failed,
        "unknown": row.unknown.as_ref().map(ToString::to_string),
    })
}

fn csv(all: &Allocators) -> String {
    let mut text = String::from("allocator,reserved,needed,utilisation,failed\n");
    for row in &all.rows {
        let number = |it: Option<u64>| it.map(|it| it.to_string()).unwrap_or_default();
        let _ = writeln!(
            text,
            "{},{},{},{},{}",
            row.kind,
            number(row.reserved.map(|it| it.0)),
            row.needed.0,
            number(row.utilisation()),
            row.failed
        );
    }
    text
}

fn table(opened: &Opened, all: &Allocators) -> String {
    let needed = all.rows.first().map_or(0, |row| row.needed.0);
    let mut text = format!(
        "{}: {} requests, at most {} at a time\n\n{:<12} {:>16} {:>8}\n",
        opened.name,
        all.requests,
        in_bytes(needed),
        "allocator",
        "reserved",
        "used"
    );
    for row in &all.rows {
        let used = row
            .utilisation()
            .map_or_else(String::new, |it| format!("{}.{} %", it / 10, it % 10));
        let _ = match (&row.reserved, &row.unknown) {
            (Some(reserved), _) => writeln!(
                text,
                "{:<12} {:>16} {used:>8}{}",
                row.kind.name(),
                reserved.0,
                failed(row)
            ),
            (None, Some(why)) => writeln!(text, "{:<12} {why}", row.kind.name()),
            (None, None) => Ok(()),
        };
    }
    text
}

/// What did not fit under the limit of the trace.
fn failed(row: &AllocatorRow) -> String {
    match row.failed {
        0 => String::new(),
        1 => "  1 request finds no room".into(),
        count => format!("  {count} requests find no room"),
    }
}
