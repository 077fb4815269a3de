//! `arenascope segments`: what an allocator held from its device at one step, segment by segment.
//! Sizes are bytes.

use std::fmt::Write;
use std::process::ExitCode;

use planner::attribution::stream;
use planner::space::{Envelope, SegmentAt, envelopes, segments_at};
use planner::waste::fullest;
use planner::{Effort, Segment, Step, message};
use serde_json::{Value, json};

use super::args::{Output, SegmentsArgs};
use super::report::{head, lines, title};
use super::{Failure, Opened, open};

/// The report.
pub(super) fn report(args: &SegmentsArgs) -> Result<(String, ExitCode), Failure> {
    let opened = open(&args.input, Effort::DEFAULT, false)?;
    let (lifetimes, plan) = (&opened.subject.lifetimes, &opened.subject.deployed);
    let segments = plan.as_ref().and_then(|plan| plan.segments.as_ref());
    let Some((plan, segments)) = plan.as_ref().zip(segments) else {
        let message = format!("{}: its plan lies in no segments", opened.name);
        return Err(Failure::Input(message));
    };
    let failure = opened.subject.failure().map(|it| it.step);
    let usual = || failure.unwrap_or_else(|| fullest(lifetimes, segments));
    let step = args.step.map_or_else(usual, Step);
    if step >= lifetimes.horizon {
        let last = lifetimes.horizon.0.saturating_sub(1);
        let message = format!("--step {}: the last step is {last}", step.0);
        return Err(Failure::Usage(message));
    }
    let here = segments_at(lifetimes, plan, step);
    let pools = envelopes(plan, &here, step);
    let rows = here.iter().filter_map(|row| {
        let segment = segments.list.get(row.segment as usize)?;
        Some((segment, row))
    });
    let mut rows: Vec<(&Segment, &SegmentAt)> = rows.collect();
    rows.sort_by_key(|(segment, row)| row.address(segment));
    Ok((
        written(&opened, (&rows, &pools), step, args.format),
        ExitCode::SUCCESS,
    ))
}

fn kind(segment: &Segment) -> &'static str {
    match (segment.small, segment.expandable) {
        (true, false) => "small",
        (false, false) => "large",
        (true, true) => "small expandable",
        (false, true) => "large expandable",
    }
}

fn written(
    opened: &Opened,
    (rows, pools): (&[(&Segment, &SegmentAt)], &[Envelope]),
    step: Step,
    format: Output,
) -> String {
    match format {
        Output::Json => {
            let mut report = head(opened);
            report["step"] = json!(step.0);
            report["reserved"] = json!(sum(rows, |row| row.bytes.0));
            let rows = rows.iter().map(|(segment, row)| {
                json!({
                    "address": row.address(segment), "size": row.bytes.0, "stream": segment.stream,
                    "pool": [segment.pool.0, segment.pool.1], "kind": kind(segment), "used": row.used().0,
                    "free": row.free.0, "largest_free": row.largest.0, "blocks": row.blocks.len(),
                })
            });
            report["segments"] = rows.collect::<Value>();
            let pools = pools.iter().map(|it| {
                json!({
                    "pool": [it.pool.0, it.pool.1], "stream": it.stream, "reserved": it.reserved.0,
                    "free": it.free.0, "most": it.most.0,
                })
            });
            report["pools"] = pools.collect::<Value>();
            lines(&report)
        }
        Output::Csv => {
            let mut text =
                String::from("address,size,stream,pool,kind,used,free,largest_free,blocks\n");
            for (segment, row) in rows {
                let SegmentAt {
                    bytes,
                    free,
                    largest,
                    ..
                } = row;
                let _ = writeln!(
                    text,
                    "{:#x},{},{},{} {},{},{},{},{},{}",
                    row.address(segment),
                    bytes.0,
                    segment.stream,
                    segment.pool.0,
                    segment.pool.1,
                    kind(segment),
                    row.used().0,
                    free.0,
                    largest.0,
                    row.blocks.len()
                );
            }
            text
        }
        Output::Table => table(opened, (rows, pools), step),
    }
}

fn sum(rows: &[(&Segment, &SegmentAt)], of: fn(&SegmentAt) -> u64) -> u64 {
    rows.iter().map(|(_, row)| of(row)).sum()
}

/// What private pools keep from all others.
fn private(pools: &[Envelope]) -> String {
    let mut text = String::new();
    for it in pools.iter().filter(|it| it.pool != (0, 0)) {
        let _ = writeln!(
            text,
            "{:>15}  of these in private pool ({}, {}) on stream {}: {} free, for it alone; at most \
             {} up to here",
            it.reserved.0,
            it.pool.0,
            it.pool.1,
            stream(it.stream),
            it.free.0,
            it.most.0
        );
    }
    text
}

fn table(
    opened: &Opened,
    (rows, pools): (&[(&Segment, &SegmentAt)], &[Envelope]),
    step: Step,
) -> String {
    let mut text = title(opened);
    let reserved = sum(rows, |row| row.bytes.0);
    let count = message!("segment" | "segments", rows.len());
    let _ = writeln!(
        text,
        "\n{reserved:>15}  held at step {} in {count}; {} free in those without a block, {} in others",
        step.0,
        sum(rows, |row| row.unused.0),
        sum(rows, |row| row.free.0 - row.unused.0)
    );
    text += &private(pools);
    for (segment, row) in rows {
        let pool = match segment.pool {
            (0, 0) => String::new(),
            (one, other) => format!(", pool ({one}, {other})"),
        };
        let _ = writeln!(
            text,
            "{:>15}  at {:#x}, {}, stream {}{pool}: {} in {}, {} free, at most {} in one",
            row.bytes.0,
            row.address(segment),
            kind(segment),
            stream(segment.stream),
            row.used().0,
            message!("block" | "blocks", row.blocks.len()),
            row.free.0,
            row.largest.0
        );
    }
    text
}
