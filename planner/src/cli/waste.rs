//! `arenascope waste`: an arena split into why its bytes are there. Sizes are bytes.

use std::fmt::Write;
use std::process::ExitCode;
use std::slice;

use planner::space::{FreeRange, RANGES_LISTED, free_ranges};
use planner::tail::Tail;
use planner::waste::{Part, Waste, waste};
use planner::{Effort, Plan, message};
use serde_json::{Value, json};

use super::args::WasteArgs;
use super::figures;
use super::plans::{Timed, deployed, timed};
use super::report::{called, head, lines, shown, title};
use super::why::{why, why_json, why_lines};
use super::{Chosen, Failure, Opened, Output, no_plan, open, tail};

/// The table names at most this many buffers of a part.
const NAMED: usize = 5;

/// What the rows of the CSV are.
const HEADER: &str = "part,bytes,step,buffers\n";

/// Splits and reports.
pub(super) fn split(args: &WasteArgs) -> Result<(String, ExitCode), Failure> {
    let opened = match open(&args.input, Effort::DEFAULT, false) {
        Err(Failure::Figures(name, found)) => {
            let text = figures::report(&name, &found, args.format);
            return Ok((text, ExitCode::SUCCESS));
        }
        opened => opened?,
    };
    let plan = match args.strategy {
        Chosen::All => {
            let message = "--strategy all: one arena is split: choose \"deployed\" or a strategy";
            return Err(Failure::Usage(message.into()));
        }
        Chosen::Deployed => deployed(&opened).ok_or_else(|| no_plan(&opened.name))?,
        Chosen::One(strategy) => timed(strategy, &opened)
            .map_err(|error| Failure::Input(format!("{}: {error}", opened.name)))?,
    };
    let rules = plan.judged.violations.len();
    let beside = tail::of(&args.input, &opened);
    let text = match rules {
        0 => report(&opened, &plan, beside.as_ref(), args.format),
        _ => invalid(&opened, &plan, args.format),
    };
    Ok((text, ExitCode::from(u8::from(rules > 0))))
}

/// The report on a plan that breaks rules: it may lie below every bound, and then nothing splits it.
fn invalid(opened: &Opened, timed: &Timed, format: Output) -> String {
    let (name, reach) = (&timed.name, timed.judged.plan.arena.0);
    // What was reserved counts, as in every other report on it.
    let taken = timed.judged.metrics.taken().0;
    let violations = &timed.judged.violations;
    let rules = violations.len();
    let lifetimes = &opened.subject.lifetimes;
    let said = violations.iter().take(NAMED);
    let said: Vec<_> = said
        .map(|it| it.named(lifetimes, &opened.options.pools))
        .collect();
    match format {
        Output::Json => {
            let mut report = head(opened);
            report["plan"] = json!(name);
            report["arena"] = json!(taken);
            report["reach"] = json!(reach);
            report["valid"] = json!(false);
            report["rules_broken"] = json!(rules);
            report["violations"] = json!(said);
            lines(&report)
        }
        Output::Csv => HEADER.into(),
        Output::Table => {
            let what = match taken == reach {
                true => format!("arena of {name}"),
                false => format!("reserved by {name}, whose blocks reach {reach}"),
            };
            let rules = message!("rule" | "rules", rules);
            let mut text = title(opened);
            let _ = writeln!(
                text,
                "\n{taken:>15}         {what}, which breaks {rules}: its bytes are not split"
            );
            for violation in &said {
                let _ = writeln!(text, "{:>15}         {}", "", shown(&violation.to_string()));
            }
            and_more(&mut text, violations.len(), "");
            text
        }
    }
}

/// The report on a plan, and on what the runtime keeps beside it.
fn report(opened: &Opened, timed: &Timed, beside: Option<&Tail>, format: Output) -> String {
    let (subject, name, plan) = (&opened.subject, &timed.name, &timed.judged.plan);
    let split = waste(&subject.lifetimes, &subject.notes, plan, &opened.bounds);
    let split = split.counting_reserved(timed.judged.metrics.reserved);
    match format {
        Output::Json => {
            let mut report = head(opened);
            report["plan"] = json!(name);
            // What the parts sum to, which is what was reserved where that counts.
            report["arena"] = json!(split.arena.0);
            report["valid"] = json!(true);
            if split.reserved {
                report["reserved"] = json!(split.most().0);
                report["reach"] = json!(plan.arena.0);
            }
            let parts = split.parts.iter().map(|part| part_json(opened, plan, part));
            report["parts"] = parts.collect();
            if let Some(fullest) = &split.fullest {
                let parts = fullest.parts.iter();
                let parts: Value = parts.map(|part| part_json(opened, plan, part)).collect();
                report["at_reserved_peak"] = json!({"arena": fullest.arena.0, "parts": parts});
            }
            if let Some(loss) = why(opened, plan).filter(|_| !split.reserved) {
                report["why"] = why_json(opened, &loss);
            }
            if let Some(beside) = beside {
                report["beside"] = tail::json(beside);
                report["with_tail"] = json!(beside.arena(timed.judged.metrics.taken()));
            }
            lines(&report)
        }
        Output::Csv => {
            let mut text = String::from(HEADER);
            let fullest = split.fullest.iter().flat_map(|it| &it.parts);
            for part in split.parts.iter().chain(fullest) {
                let (kind, buffers) = (part.kind.name(), part.buffers.len());
                let _ = writeln!(text, "{kind},{},{},{buffers}", part.bytes, part.step.0);
            }
            text
        }
        Output::Table => {
            let text = table(opened, (name, plan), &split);
            let more = beside.map_or_else(
                || tail::untold(opened.format).to_owned(),
                |beside| tail::table(beside, slice::from_ref(timed)),
            );
            match more.is_empty() {
                true => text,
                false => format!("{text}\n{more}"),
            }
        }
    }
}

fn part_json(opened: &Opened, plan: &Plan, part: &Part) -> Value {
    let buffers = &opened.subject.lifetimes.buffers;
    let known = part.buffers.iter();
    let known = known.filter_map(|&index| Some((buffers.get(index)?, opened.subject.label(index))));
    let named: Value = known
        .map(|(it, label)| {
            json!({"name": it.name, "label": label, "size": it.size.0,
                "bytes": part.bytes_of(it).0})
        })
        .collect();
    let mut json = json!({
        "part": part.kind.name(),
        "bytes": part.bytes,
        "step": part.step.0,
        "buffers": named,
    });
    if !part.pools.is_empty() {
        let steps = steps(plan, part).map(|(pool, step)| json!({"pool": pool, "step": step}));
        json["pools"] = steps.collect();
    }
    if has_holes(opened, part) {
        let ranges = holes(opened, plan, part).into_iter();
        let ranges = ranges.map(|range| {
            json!({
                "offset": range.low.0,
                "size": range.height().0,
                "lower": range.span.start.0,
                "upper": range.span.end.0,
            })
        });
        json["holes"] = ranges.collect();
    }
    json
}

fn table(opened: &Opened, (name, plan): (&str, &Plan), split: &Waste) -> String {
    let mut text = title(opened);
    let reach = plan.arena.0;
    let what = match (split.reserved, &split.fullest) {
        (true, None) => {
            format!("reserved at its peak by {name}, whose blocks reach {reach}, of which")
        }
        (true, Some(_)) => {
            format!("reserved where most is needed by {name}, whose blocks reach {reach}, of which")
        }
        (false, _) => format!("arena of {name}, of which"),
    };
    split_table(&mut text, opened, (plan, &what), split);
    if let Some(fullest) = &split.fullest {
        let what = "reserved at its peak, of which";
        split_table(&mut text, opened, (plan, what), fullest);
    }
    text
}

fn split_table(text: &mut String, opened: &Opened, (plan, what): (&Plan, &str), split: &Waste) {
    let arena = split.arena.0;
    let _ = writeln!(text, "\n{arena:>15} 100.0 %  {what}");
    for part in &split.parts {
        let share = match arena {
            0 => 0.0,
            arena => 100.0 * part.bytes as f64 / arena as f64,
        };
        let (kind, bytes) = (part.kind.name().replace('_', " "), part.bytes);
        let _ = write!(text, "{bytes:>15} {share:>5.1} %  {kind}");
        if bytes != 0 {
            let _ = write!(text, " ({})", when(plan, part));
        }
        text.push('\n');
        if has_holes(opened, part) {
            named_holes(text, opened, plan, part);
            if let Some(loss) = why(opened, plan).filter(|_| !split.reserved) {
                why_lines(text, opened, &loss);
            }
        } else if bytes != 0 {
            named(text, opened, part);
        }
    }
}

/// The steps at which a part counts, which each pool has of its own.
fn steps<'p>(plan: &'p Plan, part: &'p Part) -> impl Iterator<Item = (&'p str, u64)> {
    let declared = plan.pools.as_ref().map(|it| it.declared.as_slice());
    let declared = declared.unwrap_or_default();
    let steps = part.pools.iter();
    steps.filter_map(|(pool, step)| Some((declared.get(*pool as usize)?.name.as_str(), step.0)))
}

fn when(plan: &Plan, part: &Part) -> String {
    let steps = steps(plan, part).map(|(pool, step)| format!("step {step} in {}", shown(pool)));
    let steps: Vec<String> = steps.collect();
    match steps.is_empty() {
        true => format!("step {}", part.step.0),
        false => steps.join(", "),
    }
}

fn named(text: &mut String, opened: &Opened, part: &Part) {
    let buffers = &opened.subject.lifetimes.buffers;
    for &index in part.buffers.iter().take(NAMED) {
        let bytes = buffers.get(index).map_or(0, |it| part.bytes_of(it).0);
        let _ = writeln!(text, "{bytes:>30}  {}", called(opened, index));
    }
    and_more(text, part.buffers.len(), "");
}

/// Whether free ranges of the plan make a part: separate allocations have none, though a text may
/// speak of fragmentation.
fn has_holes(opened: &Opened, part: &Part) -> bool {
    part.kind.is_free() && part.bytes > 0 && !opened.subject.separate
}

/// The free ranges that make a part.
fn holes(opened: &Opened, plan: &Plan, part: &Part) -> Vec<FreeRange> {
    let mut ranges = free_ranges(&opened.subject.lifetimes, plan, part.step);
    ranges.retain(|range| part.kind.is_made_by(range.segment.map(|it| it.1)));
    ranges
}

fn named_holes(text: &mut String, opened: &Opened, plan: &Plan, part: &Part) {
    let ranges = holes(opened, plan, part);
    for range in ranges.iter().take(NAMED) {
        let (low, last) = (range.low.0, range.span.end.0.saturating_sub(1));
        let _ = writeln!(
            text,
            "{:>30}  free at {low}, steps {} to {last}",
            range.height().0,
            range.span.start.0
        );
    }
    let at_least = if ranges.len() == RANGES_LISTED {
        "at least "
    } else {
        ""
    };
    and_more(text, ranges.len(), at_least);
}

fn and_more(text: &mut String, count: usize, at_least: &str) {
    if let Some(more @ 1..) = count.checked_sub(NAMED) {
        let _ = writeln!(text, "{:>30}  and {at_least}{more} more", "");
    }
}
