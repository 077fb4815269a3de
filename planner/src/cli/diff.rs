//! `arenascope diff`: two dumps of one program. Sizes are bytes.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use planner::attribution::{called, label};
use planner::deployed::{Arena, Stacks};
use planner::difference::{
    ArenaGrowth, Change, Dumps, Failed, Growth, How, Only, Side, arenas, dumps,
};
use planner::load::Document;
use planner::waste::Waste;
use planner::{Bytes, Span, message};
use serde_json::{Value, json};

use super::amount::{bytes_of, in_bytes};
use super::args::DiffArgs;
use super::report::{SEPARATE, lines, shown};
use super::told::Told;
use super::{Failure, Output, no_plan, overview, piped_once, read};

/// What a dump is called, and its arena with the stacks of the file.
type Named = (String, Arena, Stacks);

/// The most rows of a table.
const ROWS: usize = 40;

/// Reads both and compares.
pub(super) fn diff(args: &DiffArgs) -> Result<(String, ExitCode), Failure> {
    let told = |range: Option<&Span>| {
        range.map_or(Told::Columns(&args.columns), |range| Told::Range(*range))
    };
    let (first, last) = match args.range.as_slice() {
        [] | [_] | [_, _] => (args.range.first(), args.range.last()),
        _ => {
            let message = "--range: at most twice, of the dump before and of the one after";
            return Err(Failure::Usage(message.into()));
        }
    };
    piped_once(args.before.iter().chain(&args.after))?;
    let before = document(&args.before, told(first))?;
    let after = document(&args.after, told(last))?;
    let all = side_by_side(&before.1, &after.1);
    // One in which a request failed, else the one that changed most, of those that are in both.
    let changed = all.iter().find(|it| it.indices.1.is_some());
    let changed = changed.filter(|it| it.growth() != (0, 0) || it.failed != (0, 0));
    let changed = args.arena.or_else(|| changed?.indices.0);
    let chosen = overview::choose(&before.0, &before.1, changed)?.chosen;
    let before = arena(before, |_| chosen)?;
    // The same arena may stand at another place after a change.
    let named = |arenas: &[Arena]| {
        let mut names = (0..).zip(arenas);
        let same = names.find(|(_, it)| !it.name.is_empty() && it.name == before.1.name);
        same.map_or(chosen, |(index, _)| index)
    };
    let after = arena(after, |arenas| args.arena.unwrap_or_else(|| named(arenas)))?;
    let found = Dumps {
        arenas: all,
        ..dumps((&before.1, &before.2), (&after.1, &after.2))
    };
    let text = match args.format {
        Output::Table => table(&before, &after, &found),
        Output::Json => lines(&report(&before, &after, &found)),
        Output::Csv => csv(&before, &after, &found),
    };
    Ok((text, ExitCode::SUCCESS))
}

/// Every arena of both, where there are several.
fn side_by_side(before: &Document, after: &Document) -> Vec<ArenaGrowth> {
    let both = before.deployed().zip(after.deployed());
    let several = both.filter(|(one, other)| one.arenas.len().max(other.arenas.len()) > 1);
    several.map_or_else(Vec::new, |(one, other)| arenas(one, other))
}

fn document(paths: &[PathBuf], told: Told<'_>) -> Result<(String, Document), Failure> {
    let (name, _, document) = read(paths, told)?;
    Ok((name, document))
}

fn arena(
    (name, document): (String, Document),
    choose: impl FnOnce(&[Arena]) -> u32,
) -> Result<Named, Failure> {
    let Document::Deployed(deployed) = document else {
        return Err(no_plan(&name));
    };
    let (index, count) = (choose(&deployed.arenas), deployed.arenas.len());
    let arena = deployed.arenas.into_iter().nth(index as usize);
    let arena = arena.ok_or_else(|| overview::missing(&name, Some(index), count))?;
    Ok((name, arena, deployed.stacks))
}

fn table(before: &Named, after: &Named, found: &Dumps) -> String {
    let (old, new) = &found.waste;
    let mut text = format!("before: {}\nafter:  {}\n", before.0, after.0);
    text += &refused(&found.failed);
    beside(&mut text, &found.arenas, &before.1.name.to_string());
    let _ = writeln!(
        text,
        "\n{:<15} {:>15} {:>15} {:>15}",
        "bytes", "before", "after", "grew by"
    );
    let mut row = |name: &str, before: i64, after: i64| {
        let growth = after.saturating_sub(before);
        let _ = writeln!(text, "{name:<15} {before:>15} {after:>15} {growth:>+15}");
    };
    for (kind, before, after) in found.parts() {
        row(kind.name(), before, after);
    }
    let whole = |bytes: u64| i64::try_from(bytes).unwrap_or(i64::MAX);
    let total = if old.reserved { "reserved" } else { "arena" };
    // Of lifetimes alone nobody knows what they were given.
    if before.1.placed().is_some() || after.1.placed().is_some() {
        row(total, whole(old.arena.0), whole(new.arena.0));
    }
    if old.reserved {
        row("reserved most", whole(old.most().0), whole(new.most().0));
    }
    row("bound", whole(found.bounds.0.0), whole(found.bounds.1.0));
    if before.1.separate || after.1.separate {
        text.push_str(SEPARATE);
    }
    if old.reserved {
        text.push_str(
            "reserved: what the allocator held from its device where most was needed; reserved most: \
             at its own peak\n",
        );
    }
    grown(&mut text, "at the peak", &found.growth);
    grown(&mut text, "never given back", &found.kept);
    let _ = writeln!(text, "\n{} unchanged in size and life", found.unchanged);
    changes(&mut text, before, after, found);
    text
}

/// What failed in each; nothing where every request was met.
fn refused(failed: &(Failed, Failed)) -> String {
    let said = |side: &str, failed: &Failed| match failed.last {
        None => format!("{side} every request was met"),
        Some(last) => {
            let count = usize::try_from(failed.requests).unwrap_or(usize::MAX);
            let count = message!("request" | "requests", count);
            let (asked, step) = (in_bytes(last.asked.0), last.step.0);
            format!("{side} {count} failed, the last for {asked} at step {step}")
        }
    };
    match failed {
        (Failed { last: None, .. }, Failed { last: None, .. }) => String::new(),
        (before, after) => {
            let (before, after) = (said("before", before), said("after", after));
            format!("out of memory: {before}; {after}\n")
        }
    }
}

/// The same as JSON; null where every request was met.
fn refused_json(failed: &Failed) -> Value {
    failed.last.map_or(Value::Null, |last| {
        json!({
            "requests": failed.requests,
            "step": last.step.0,
            "asked": last.asked.0,
            "device_free": last.device_free.0,
        })
    })
}

/// Every arena of both; nothing where there is only one.
fn beside(text: &mut String, all: &[ArenaGrowth], compared: &str) {
    if all.is_empty() {
        return;
    }
    let _ = writeln!(
        text,
        "\n{:>15} {:>15} {:>15} {:>15}  arena",
        "before", "after", "grew by", "kept more"
    );
    for it in all {
        let (taken, kept) = it.growth();
        let (before, after) = (it.taken.0.0, it.taken.1.0);
        let mark = if it.name == compared { "*" } else { " " };
        let name = shown(&it.name);
        let _ = writeln!(
            text,
            "{mark}{before:>14} {after:>15} {taken:>+15} {kept:>+15}  {name}"
        );
    }
    let _ = writeln!(
        text,
        "compared below is the one marked *; --arena N compares another (N as in the dump before)"
    );
}

/// What grew at a moment, by stack.
fn grown(text: &mut String, when: &str, all: &[Growth]) {
    if all.is_empty() {
        return;
    }
    let _ = writeln!(
        text,
        "\n{:>15} {:>15} {:>15}  {when}, by line of the program",
        "before", "after", "grew by"
    );
    for it in all.iter().take(ROWS) {
        let (before, after) = it.bytes;
        let (growth, name) = (it.growth(), stack_name(it));
        let _ = writeln!(
            text,
            "{:>15} {:>15} {growth:>+15}  {name}",
            before.0, after.0
        );
    }
    if let Some(more) = all.len().checked_sub(ROWS + 1) {
        let _ = writeln!(text, "and {} more (--format csv lists all)", more + 1);
    }
}

/// The line of the program and the operator.
fn stack_name(growth: &Growth) -> String {
    let texts = [growth.caller.as_str(), growth.operator.as_str()];
    let texts: Vec<String> = texts
        .into_iter()
        .filter(|it| !it.is_empty())
        .map(shown)
        .collect();
    match texts.is_empty() {
        true => "no stack".into(),
        false => texts.join(", "),
    }
}

/// What changed, and what is in one only.
fn changes(text: &mut String, before: &Named, after: &Named, found: &Dumps) {
    if found.has_few_pairs() {
        text.push_str("few buffers have a partner, or none by its name: are these dumps of the same program?\n");
    }
    for change in found.changed.iter().take(ROWS) {
        let (growth, longer) = (change.growth(), change.lengthening);
        let [from, to] = names(before, after, change);
        let unit = match change.pair.how {
            How::Name | How::SizeAndOrder | How::Order => "steps",
            How::StackAndSize | How::Stack => "allocations",
        };
        let renamed = if from == to {
            String::new()
        } else {
            format!(", was {from}")
        };
        let _ = writeln!(
            text,
            "{growth:>+15} {}, {longer:>+5} {unit}  {to}{renamed}",
            bytes_of(u64::try_from(growth.unsigned_abs()).unwrap_or(u64::MAX))
        );
    }
    for only in found.only.iter().take(ROWS) {
        let (sign, side) = match only.side {
            Side::Before => ('-', before),
            Side::After => ('+', after),
        };
        let _ = writeln!(
            text,
            "{sign}{:>14} {}  {}",
            only.size.0,
            bytes_of(only.size.0),
            name(side, only.buffer)
        );
    }
    let all = found.changed.len() + found.only.len();
    let listed = found.changed.len().min(ROWS) + found.only.len().min(ROWS);
    if listed < all {
        let _ = writeln!(text, "and {} more (--format csv lists all)", all - listed);
    }
}

fn name(side: &Named, index: usize) -> String {
    let buffer = side.1.lifetimes.buffers.get(index);
    let label = buffer.map(|it| label(it, side.1.notes.get(index), &side.2));
    label.map(|it| shown(&it)).unwrap_or_default()
}

fn names(before: &Named, after: &Named, change: &Change) -> [String; 2] {
    [
        name(before, change.pair.before),
        name(after, change.pair.after),
    ]
}

fn csv(before: &Named, after: &Named, found: &Dumps) -> String {
    let mut text =
        String::from("what,before,after,size_before,size_after,steps_before,steps_after\n");
    let quoted = |name: String| format!("\"{}\"", name.replace('"', "\"\""));
    for change in &found.changed {
        let [from, to] = names(before, after, change).map(quoted);
        let (sizes, spans) = (change.sizes, change.spans);
        let _ = writeln!(
            text,
            "changed,{from},{to},{},{},{},{}",
            sizes.0.0,
            sizes.1.0,
            spans.0.len(),
            spans.1.len()
        );
    }
    for only in &found.only {
        let (size, steps) = (only.size.0, only.span.len());
        let _ = match only.side {
            Side::Before => {
                let name = quoted(name(before, only.buffer));
                writeln!(text, "removed,{name},,{size},,{steps},")
            }
            Side::After => {
                let name = quoted(name(after, only.buffer));
                writeln!(text, "added,,{name},,{size},,{steps}")
            }
        };
    }
    for it in &found.growth {
        let name = quoted(stack_name(it));
        let sizes = (it.bytes.0.0, it.bytes.1.0);
        let _ = writeln!(text, "stack,{name},{name},{},{},,", sizes.0, sizes.1);
    }
    text
}

/// The frames of a stack that is there in one of both, innermost first.
fn frames(before: &Named, after: &Named, growth: &Growth) -> Vec<String> {
    let (stacks, stack) = match growth.stacks {
        (Some(stack), _) => (&before.2, stack),
        (None, stack) => (&after.2, stack.unwrap_or(0)),
    };
    stacks.frames_of(stack).map(called).collect()
}

fn report(before: &Named, after: &Named, found: &Dumps) -> Value {
    let changed = found.changed.iter().map(|it| {
        let [from, to] = names(before, after, it);
        json!({
            "before": from,
            "after": to,
            "how": it.pair.how,
            "sizes": it.sizes,
            "steps": [it.spans.0.len(), it.spans.1.len()],
            "at_peak": it.at_peak,
        })
    });
    let only = found.only.iter().map(|it: &Only| {
        let side = if it.side == Side::Before {
            before
        } else {
            after
        };
        json!({
            "side": it.side,
            "name": name(side, it.buffer),
            "size": it.size,
            "steps": it.span.len(),
            "at_peak": it.at_peak,
        })
    });
    let growth = |all: &[Growth]| -> Value {
        let rows = all.iter().map(|it| {
            json!({
                "caller": it.caller,
                "operator": it.operator,
                "stack": frames(before, after, it),
                "bytes": it.bytes,
            })
        });
        rows.collect()
    };
    let side = |file: &str, waste: &Waste, bound: Bytes, failed: &Failed| {
        let failure = refused_json(failed);
        json!({"file": file, "waste": waste, "bound": bound, "failure": failure})
    };
    json!({
        "before": side(&before.0, &found.waste.0, found.bounds.0, &found.failed.0),
        "after": side(&after.0, &found.waste.1, found.bounds.1, &found.failed.1),
        "few_pairs": found.has_few_pairs(),
        "unchanged": found.unchanged,
        "changed": changed.collect::<Vec<_>>(),
        "only": only.collect::<Vec<_>>(),
        "growth": growth(&found.growth),
        "kept": growth(&found.kept),
        "arenas": found.arenas,
    })
}
