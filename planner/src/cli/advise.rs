//! `arenascope advise`: what could be changed so that less memory is taken, and what each change
//! saves by a replay of the file's own requests. Sizes are bytes.

use std::fmt::Write;
use std::process::ExitCode;

use planner::advice::{Advice, Change, Flag, Proposal, Wish};
use planner::{Bytes, Effort, Message, Step, message};
use serde_json::{Value, json};

use super::amount::in_bytes;
use super::args::AdviseArgs;
use super::report::lines;
use super::{Failure, Opened, Output, failed, open};

/// The report.
pub(super) fn advise(args: &AdviseArgs) -> Result<(String, ExitCode), Failure> {
    let opened = open(&args.input, Effort::DEFAULT, false)?;
    let wish = Wish {
        capacity: args.capacity.map(Bytes),
        empty: args.empty.map(Step),
        others: false,
    };
    let horizon = opened.subject.lifetimes.horizon;
    if let Some(step) = wish.empty.filter(|step| *step >= horizon) {
        let last = horizon.0.saturating_sub(1);
        let message = format!("--empty {}: the last step is {last}", step.0);
        return Err(Failure::Usage(message));
    }
    let alignment = opened.options.alignment;
    let advice = opened.subject.advise(alignment, &wish, &mut |_, _| {});
    let advice = advice.ok_or_else(|| {
        let remedy = "open a dump of a toolchain, or another arena of it";
        let what = "there is no plan in it that could be changed";
        Failure::Input(format!("{}: {what} ({remedy})", opened.name))
    })?;
    let text = match args.format {
        Output::Json => lines(&report(&opened, &advice)),
        Output::Csv => csv(&opened, &advice),
        Output::Table => table(&opened, &advice, args.capacity.is_some()),
    };
    Ok((text, ExitCode::SUCCESS))
}

fn report(opened: &Opened, advice: &Advice) -> Value {
    json!({
        "file": opened.name,
        "taken": advice.taken.0,
        "settings": advice.settings.map(|it| it.to_string()),
        "capacity": advice.capacity.map(|it| it.0),
        "base": { "needed": advice.base.needed.0, "taken": advice.base.taken.0, "failed": advice.base.failed },
        "by": advice.field.name(),
        "flags": advice.flags.iter().map(|it| it.text()).collect::<Value>(),
        "failure": failed::json(&opened.subject),
        "least": advice.least.map(|it| it.0),
        "proposals": advice.proposals.iter().map(|it| row_json(it, blocks(opened))).collect::<Value>(),
    })
}

fn row_json(row: &Proposal, blocks: Blocks) -> Value {
    let mut value = json!({
        "change": row.change.name(),
        "what": what(&row.change, blocks),
        "needed": row.outcome.needed.0,
        "taken": row.outcome.taken.0,
        "saved": row.saved,
        "segments": row.outcome.segments,
        "failed": row.outcome.failed,
    });
    if let (Change::Unheld(group), Value::Object(value)) = (&row.change, &mut value) {
        let more = [
            ("bytes", json!(group.bytes.0)),
            ("tensors", json!(group.buffers.len())),
            ("lasting", json!(group.lasting)),
            ("phase", json!(group.phase)),
        ];
        value.extend(more.map(|(name, it)| (name.to_owned(), it)));
    }
    value
}

/// One and several of what is placed: an allocator knows no tensors.
type Blocks = fn(usize) -> Message;

fn blocks(opened: &Opened) -> Blocks {
    match opened.subject.is_recording() {
        true => |count| message!("block" | "blocks", count),
        false => |count| message!("tensor" | "tensors", count),
    }
}

fn csv(opened: &Opened, advice: &Advice) -> String {
    let mut text = String::from("change,what,needed,taken,saved,segments,failed\n");
    for row in &advice.proposals {
        let what = what(&row.change, blocks(opened)).replace('"', "\"\"");
        let outcome = row.outcome;
        let _ = writeln!(
            text,
            "{},\"{what}\",{},{},{},{},{}",
            row.change.name(),
            outcome.needed.0,
            outcome.taken.0,
            row.saved,
            outcome.segments,
            outcome.failed
        );
    }
    text
}

/// What exactly is changed.
fn what(change: &Change, blocks: Blocks) -> String {
    match change {
        Change::Plan(strategy) => strategy.name().into(),
        Change::Settings(settings) => settings.to_string(),
        Change::EmptyCache(step) => format!("step {}", step.0),
        Change::LastingFirst(count) => {
            blocks(usize::try_from(*count).unwrap_or(usize::MAX)).to_string()
        }
        Change::Unheld(group) => group.text.clone(),
    }
}

/// What a kind of change means, of a file in which a request failed or none. A trace tells no uses.
fn heading(change: &Change, failed: bool, trace: bool) -> &'static str {
    match change {
        Change::Plan(_) => "load another plan",
        Change::Settings(_) => "configure the allocator (PYTORCH_CUDA_ALLOC_CONF)",
        Change::EmptyCache(_) => "empty_cache before this step",
        Change::LastingFirst(_) => "allocate what stays to the end before anything else",
        Change::Unheld(group) if group.lasting => {
            "stays to the end: keep elsewhere or in fewer bits (saves at most)"
        }
        Change::Unheld(_) if failed => {
            "held at the failure, asked for before and given back later (whether it is used then the \
             file does not say): free before, or recompute after (saves at most)"
        }
        Change::Unheld(_) if trace => {
            "held at the peak, asked for before and given back later (whether it is used then the \
             file does not say): free before, or recompute after (saves at most)"
        }
        Change::Unheld(_) => {
            "held at the peak and not used there: free before, or recompute after (saves at most)"
        }
    }
}

/// `given` says whether the capacity was asked for; otherwise the trace suggests it.
fn table(opened: &Opened, advice: &Advice, given: bool) -> String {
    let (taken, base) = (advice.taken.0, advice.base.taken.0);
    let mut text = failed::said(&opened.subject);
    text += &match &advice.settings {
        Some(settings) => format!(
            "{}: {} reserved at the peak, configured as: {settings}\n",
            opened.name,
            in_bytes(taken)
        ),
        None => format!("{}: arena of {}\n", opened.name, in_bytes(taken)),
    };
    if advice.settings.is_some() && base != taken {
        let why = match given {
            true => "under the capacity that was given; the rows below save from that",
            false => {
                "what was there before the trace, or how its cache was emptied, is not all known, \
                 and the rows below are as uncertain"
            }
        };
        let _ = writeln!(text, "replayed under its own settings it is {base}: {why}");
    }
    text += fits_by_itself(opened, advice, given);
    if let Some(capacity) = advice.capacity {
        let why = capacity_known(opened, advice, given);
        let _ = writeln!(text, "capacity taken as {}{why}", in_bytes(capacity.0));
        if let Some(all) = opened.subject.all_fit(advice).filter(|_| given) {
            let requests = message!("request" | "requests", all);
            let fit = if all == 1 { "fits" } else { "fit" };
            let _ = writeln!(text, "all {requests} {fit} in it");
        }
    }
    text += &unmet(opened, advice, given);
    let (helping, others): (Vec<&Proposal>, Vec<&Proposal>) =
        (advice.proposals.iter()).partition(|row| advice.helps(row.outcome, row.saved));
    text += &rows(opened, advice, helping);
    if !others.is_empty() {
        let count = message!("more change" | "more changes", others.len());
        let _ = writeln!(
            text,
            "\n{count} would save nothing, or cost: --format csv lists all"
        );
    }
    if advice.settings.is_some() && advice.traced && advice.capacity.is_none() {
        text += "\ngarbage_collection_threshold acts only under a limit, as \
                 torch.cuda.set_per_process_memory_fraction sets one: --capacity says which\n";
    }
    for flag in &advice.flags {
        let made = match flag {
            Flag::XlaCpu => "XLA on a CPU, as its sources of 2026 have it",
            Flag::XlaGpu => {
                "XLA on a GPU, where 95 is the default: as XLA's sources of 2026 have it, not tried"
            }
            Flag::XlaTpuRerun | Flag::XlaTpuSerial => {
                "XLA on a TPU: as XLA's guide to its flags of 2026 has it, not tried"
            }
            Flag::Iree => "IREE",
            Flag::Vela => "Vela for Ethos-U, seen with 5.2, unless this log was made with it",
        };
        let flag = flag.text();
        let _ = writeln!(
            text,
            "\na schedule of less memory: {flag} ({made}; what it saves is not measured: the file does not \
             have that schedule)"
        );
    }
    text
}

/// The rows of what helps, under a heading for each kind of change.
fn rows(opened: &Opened, advice: &Advice, helping: Vec<&Proposal>) -> String {
    let failed = opened.subject.failed_at().is_some();
    let mut text = String::new();
    let mut last = ("", false);
    for row in helping {
        let heading = heading(&row.change, failed, advice.settings.is_some());
        let heading = (heading, row.outcome.failed == 0);
        if heading != last {
            let fits = match (advice.base.failed, row.outcome.failed) {
                (1.., 0) => "every request fits: ",
                (1.., _) => "requests still fail: ",
                _ => "",
            };
            let columns = ("saved", "taken", "needed", "failed");
            let _ = writeln!(
                text,
                "\n{fits}{}\n{:>15} {:>15} {:>15} {:>8}",
                heading.0, columns.0, columns.1, columns.2, columns.3
            );
            last = heading;
        }
        let outcome = row.outcome;
        // Where a request fits that did not, no bytes are saved.
        let saved = match (advice.met_more(outcome), outcome.failed) {
            (0, _) => row.saved.to_string(),
            (_, 0) => "fits".to_owned(),
            (more, _) => format!("{more} of {} fit", advice.base.failed),
        };
        let _ = writeln!(
            text,
            "{saved:>15} {:>15} {:>15} {:>8}  {}",
            outcome.taken.0,
            outcome.needed.0,
            outcome.failed,
            said(&row.change, advice, blocks(opened))
        );
    }
    text
}

/// How a capacity is known.
fn capacity_known(opened: &Opened, advice: &Advice, given: bool) -> String {
    if given {
        return String::new();
    }
    match opened.subject.limit_below(advice) {
        Some(below) => format!(" (the lowest possible: the limit is less than {})", below.0),
        None if opened.subject.refused.is_empty() => {
            " (segments went back just before one was taken that would have gone beyond it)".into()
        }
        None => " (by the request that failed)".into(),
    }
}

/// Said where requests failed for the process and none, or fewer, fail in the replay.
fn fits_by_itself(opened: &Opened, advice: &Advice, given: bool) -> &'static str {
    match !given && opened.subject.fits_in_replay(advice) {
        true => {
            "replayed without a change, a request that failed fits: the replay is not the process\n"
        }
        false => "",
    }
}

/// What is said where requests fail in the replay without a change.
fn unmet(opened: &Opened, advice: &Advice, given: bool) -> String {
    let failed = advice.base.failed;
    if failed == 0 {
        return String::new();
    }
    let failed = usize::try_from(failed).unwrap_or(usize::MAX);
    let requests = message!("request fails" | "requests fail", failed);
    let mut text = format!("replayed without a change {requests}\n");
    if let Some(least) = advice.least {
        let beyond = advice.capacity.map_or(0, |it| least.0.saturating_sub(it.0));
        let lowest = !given && opened.subject.limit_below(advice).is_some();
        let most = if lowest { "at most " } else { "" };
        let _ = writeln!(
            text,
            "no setting of the allocator, no empty_cache and no other order that was tried meets \
             them: with {} one of the settings would, {most}{beyond} more than there are",
            in_bytes(least.0)
        );
    }
    text
}

/// What is changed, as the table says it.
fn said(change: &Change, advice: &Advice, blocks: Blocks) -> String {
    let Change::Unheld(group) = change else {
        return what(change, blocks);
    };
    let text = match group.text.as_str() {
        "" => format!("(no {})", advice.field.name()),
        text => text.to_owned(),
    };
    let phase = group
        .phase
        .map_or_else(String::new, |phase| format!(", {}", phase.name()));
    let bytes = in_bytes(group.bytes.0);
    let count = blocks(group.buffers.len());
    format!("{text} ({count}, {bytes}{phase})")
}
