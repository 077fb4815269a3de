//! `arenascope advise`: what PyTorch's caching allocator would have reserved for the requests of a
//! trace under other settings. Sizes are bytes.

use std::fmt::Write;
use std::process::ExitCode;

use planner::advice::{Advice, Row, advice};
use planner::{Bytes, Effort};
use serde_json::{Value, json};

use super::args::AdviseArgs;
use super::report::lines;
use super::{Failure, Opened, Output, no_plan, open};

/// The report.
pub(super) fn advise(args: &AdviseArgs) -> Result<(String, ExitCode), Failure> {
    let opened = open(&args.input, Effort::DEFAULT, false)?;
    let plan = opened.subject.deployed.as_ref();
    let plan = plan.ok_or_else(|| no_plan(&opened.name))?;
    let capacity = args.capacity.map(Bytes);
    let advice = advice(&opened.subject.lifetimes, plan, capacity).ok_or_else(|| {
        let remedy = "open a memory snapshot of PyTorch";
        Failure::Input(format!(
            "{}: it says nothing of segments ({remedy})",
            opened.name
        ))
    })?;
    let text = match args.format {
        Output::Json => lines(&report(&opened, &advice)),
        Output::Csv => csv(&advice),
        Output::Table => table(&opened, &advice, capacity.is_some()),
    };
    Ok((text, ExitCode::SUCCESS))
}

fn report(opened: &Opened, advice: &Advice) -> Value {
    json!({
        "file": opened.name,
        "reserved": advice.reserved.0,
        "capacity": advice.capacity.map(|it| it.0),
        "own": row_json(&advice.own),
        "others": advice.rows.iter().map(row_json).collect::<Value>(),
    })
}

fn row_json(row: &Row) -> Value {
    json!({
        "settings": row.settings.to_string(),
        "reserved": row.peak.0,
        "saved": row.saved,
        "segments": row.segments,
        "failed": row.failed,
    })
}

fn csv(advice: &Advice) -> String {
    let mut text = String::from("settings,reserved,saved,segments,failed\n");
    for row in std::iter::once(&advice.own).chain(&advice.rows) {
        let (peak, saved, segments) = (row.peak.0, row.saved, row.segments);
        let _ = writeln!(
            text,
            "\"{}\",{peak},{saved},{segments},{}",
            row.settings, row.failed
        );
    }
    text
}

/// `given` says whether the capacity was asked for; otherwise the trace suggests it.
fn table(opened: &Opened, advice: &Advice, given: bool) -> String {
    let (reserved, own) = (advice.reserved.0, advice.own.peak.0);
    let mut text = format!("{}: {reserved} bytes reserved at the peak\n", opened.name);
    if own != reserved {
        let _ = writeln!(
            text,
            "replayed under its own settings it is {own}: what was there before the trace, or how \
             its cache was emptied, is not all known, and the rows below are as uncertain"
        );
    }
    if let Some(capacity) = advice.capacity {
        let why = match given {
            true => "",
            false => {
                " (segments went back just before one was taken that would have gone beyond it)"
            }
        };
        let _ = writeln!(text, "capacity taken as {} bytes{why}", capacity.0);
    }
    let _ = writeln!(
        text,
        "{:>15} {:>15} {:>8} {:>8}  PYTORCH_CUDA_ALLOC_CONF",
        "reserved", "saved", "segments", "failed"
    );
    for (row, which) in std::iter::once((&advice.own, " (the file's own)"))
        .chain(advice.rows.iter().map(|row| (row, "")))
    {
        let (peak, saved, segments) = (row.peak.0, row.saved, row.segments);
        let _ = writeln!(
            text,
            "{peak:>15} {saved:>15} {segments:>8} {:>8}  {}{which}",
            row.failed, row.settings
        );
    }
    if advice.capacity.is_none() {
        text += "garbage_collection_threshold counts from the peak above, unless --capacity says \
                 what may be reserved\n";
    }
    text
}
