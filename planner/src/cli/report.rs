//! Reports as tables, JSON and CSV. Sizes are bytes.

use std::fmt::Write;

use planner::deployed::{Arena, allocations};
use planner::graph::Role;
use planner::metrics::PoolFigures;
use planner::tail::Tail;
use planner::{
    Constraint, Family, Lifetimes, Message, Plan, Pool, Unsearched, Violation, message, metrics,
    save, waste,
};
use serde_json::{Value, json};

use super::amount::{bytes_of, in_bytes};
use super::plans::Timed;
use super::{Opened, Output, counts as most, failed, overview, tail as beside};

/// What is said of an arena that is none.
pub(super) const SEPARATE: &str = "separate allocations, laid end to end only to be seen, for the \
                                   file names no offsets: not an arena that could be planned\n";

/// The report of `arenascope plan`.
pub(super) fn plans(
    opened: &Opened,
    plans: &[Timed],
    tail: Option<&Tail>,
    (offsets, format): (bool, Output),
) -> String {
    match format {
        Output::Json => {
            let mut report = head(opened);
            report["plans"] = plans
                .iter()
                .map(|it| plan_json(opened, it, offsets))
                .collect();
            if let Some(tail) = tail {
                report["beside"] = beside::json(tail);
                for (row, it) in plans.iter().enumerate() {
                    report["plans"][row]["with_tail"] =
                        json!(tail.arena(it.judged.metrics.taken()));
                }
            }
            lines(&report)
        }
        Output::Csv => match plans {
            [only] if offsets => save::csv(&opened.subject.lifetimes, &only.judged.plan),
            _ => {
                let mut text =
                    String::from("strategy,family,arena,objects,optimal,spilled,ms,reserved\n");
                for it in plans {
                    let reserved = it.judged.metrics.reserved;
                    let reserved = reserved.map(|it| it.0.to_string()).unwrap_or_default();
                    let _ = writeln!(text, "{},{reserved}", row(it).join(","));
                }
                text
            }
        },
        Output::Table => {
            let mut text = title(opened);
            text += &table(opened, plans);
            text += &tail.map_or_else(
                || beside::untold(opened.format).to_owned(),
                |tail| beside::table(tail, plans),
            );
            if let ([only], true) = (plans, offsets) {
                text += &offsets_table(&opened.subject.lifetimes, &only.judged.plan);
            }
            text
        }
    }
}

/// One line per plan, with what was spilled where there are pools.
fn table(opened: &Opened, plans: &[Timed]) -> String {
    let pooled = !opened.options.pools.is_empty();
    let spilled = |text: &str| match pooled {
        true => format!(" {text:>12}"),
        false => String::new(),
    };
    let mut text = format!(
        "{:<23} {:<10} {:>15} {:>8} {:>9} {:>8}{} {:>10}\n",
        "strategy",
        "family",
        "arena",
        "objects",
        "over",
        "optimal",
        spilled("spilled"),
        "ms"
    );
    for it in plans {
        let [mut strategy, family, _, objects, optimal, bytes, ms] = row(it);
        let arena = it.judged.metrics.taken().0;
        strategy.extend(it.unused.iter().map(|constraint| footnote(*constraint).0));
        // Nothing could be planned of separate allocations.
        let over = match opened.subject.separate {
            true => String::new(),
            false => format!("{:.1}%", it.judged.metrics.over_bound * 100.0),
        };
        let spilled = spilled(&bytes);
        let _ = writeln!(
            text,
            "{strategy:<23} {family:<10} {arena:>15} {objects:>8} {over:>9} \
             {optimal:>8}{spilled} {ms:>10}"
        );
        if it.judged.metrics.reserved.is_some() {
            let reach = it.judged.plan.arena.0;
            let _ = writeln!(text, "  reserved at its peak; its blocks reach {reach}");
        }
        for (pool, figures) in opened.options.pools.iter().zip(pools(opened, it)) {
            let (name, used) = (shown(&pool.name), figures.used.0);
            let noun = bytes_of(used);
            let buffers = usize::try_from(figures.buffers).unwrap_or(usize::MAX);
            let buffers = message!("buffer" | "buffers", buffers);
            let _ = writeln!(text, "  {name:<32} {used:>15} {noun}, {buffers}");
        }
        if let Some(why) = it.judged.plan.unsearched {
            let _ = writeln!(text, "  proves only the bound: {}", unsearched(why));
        }
    }
    for constraint in [Constraint::Pauses, Constraint::Handovers] {
        if plans.iter().any(|it| it.unused.contains(&constraint)) {
            let (mark, says) = footnote(constraint);
            let _ = writeln!(text, "{mark} {says}");
        }
    }
    text += &pools_verdict(plans);
    let any = plans.iter().any(|it| it.judged.metrics.optimal);
    if any && !opened.subject.refused.is_empty() {
        text.push_str(
            "\"optimal\" is said of the blocks that were placed: the request that failed is none \
             of them\n",
        );
    }
    let missing = unsized_tensors(opened);
    if any && missing > 0 {
        let placed = message!("tensor with" | "tensors with", intermediates(opened));
        text += &format!(
            "\"optimal\" is said of the {placed} a size: {missing} without are left out\n"
        );
    }
    text
}

/// What a search leaves out, in words.
fn unsearched(why: Unsearched) -> &'static str {
    match why {
        Unsearched::Handovers => "buffers may be handed over, and the search keeps them apart",
        Unsearched::Windows => "windows of gaps may interleave, and the search keeps them apart",
        Unsearched::Pools => "nobody searches which buffer goes into which pool",
        Unsearched::Large => "more buffers are live together than are searched",
    }
}

/// The mark behind a strategy that keeps a constraint without using it, and what it means.
fn footnote(constraint: Constraint) -> (char, &'static str) {
    match constraint {
        Constraint::Pauses => ('*', "plans whole spans: the gaps stay unused"),
        Constraint::Handovers => (
            '+',
            "keeps buffers apart that may be written over each other",
        ),
    }
}

/// What is proved where there are pools.
fn pools_verdict(plans: &[Timed]) -> String {
    let must = plans.iter().find_map(|it| it.judged.metrics.must_move);
    must.map(|must| in_bytes(must.0)).map_or_else(String::new, |must| {
        format!(
            "whatever the plan, at least {must} must be spilled; \"optimal\" is said of the sum \
             of the pools\n"
        )
    })
}

fn pools(opened: &Opened, timed: &Timed) -> Vec<PoolFigures> {
    metrics::pools(&opened.subject.lifetimes, &timed.judged.plan)
}

/// What is found in one arena: the pools that were declared, and the rules that are broken.
pub(super) type Found<'a> = (&'a Arena, Vec<Pool>, Vec<Violation>);

/// The report of `arenascope check`.
pub(super) fn violations(file: &str, found: &[Found<'_>], format: Output) -> String {
    match format {
        Output::Json => {
            let mut rows: Vec<Value> = found.iter().map(violations_json).collect();
            let valid = found.iter().all(|(_, _, broken)| broken.is_empty());
            let mut report = match rows.len() {
                1 => rows.remove(0),
                _ => json!({"valid": valid, "arenas": rows}),
            };
            report["file"] = json!(file);
            lines(&report)
        }
        Output::Csv => {
            let mut text = String::from("violation\n");
            for sentence in found.iter().flat_map(sentences) {
                let _ = writeln!(text, "\"{}\"", sentence.to_string().replace('"', "\"\""));
            }
            text
        }
        Output::Table => {
            let mut text = String::new();
            for (arena, pools, broken) in found {
                let name = match (found.len(), &*arena.name.to_string()) {
                    (1, _) | (_, "") => String::new(),
                    (_, name) => format!("{}: ", shown(name)),
                };
                let reach = arena.plan.arena;
                let taken = match arena.plan.reserved.filter(|it| *it != reach) {
                    Some(taken) => {
                        let taken = in_bytes(taken.0);
                        format!("{taken} that were reserved (blocks reach {})", reach.0)
                    }
                    None => in_bytes(reach.0),
                };
                let _ = writeln!(
                    text,
                    "{file}: {name}{} in {taken}, {}",
                    message!("buffer" | "buffers", arena.lifetimes.buffers.len()),
                    message!("rule broken" | "rules broken", broken.len())
                );
                for violation in broken {
                    let _ = writeln!(text, "{}", violation.named(&arena.lifetimes, pools));
                }
            }
            text
        }
    }
}

fn sentences((arena, pools, broken): &Found<'_>) -> impl Iterator<Item = Message> {
    let named = |it: &Violation| it.named(&arena.lifetimes, pools);
    broken.iter().map(named)
}

fn violations_json(found: &Found<'_>) -> Value {
    let (arena, _, broken) = found;
    let rules = broken.iter().zip(sentences(found));
    let rules = rules.map(|(rule, message)| json!({"rule": rule, "message": message}));
    json!({
        "name": arena.name,
        "buffers": arena.lifetimes.buffers.len(),
        "arena": arena.plan.arena.0,
        "reserved": arena.plan.reserved,
        "valid": broken.is_empty(),
        "violations": rules.collect::<Vec<_>>(),
    })
}

/// What is known before any plan.
pub(super) fn head(opened: &Opened) -> Value {
    let (ops, tensors) = counts(opened);
    let bounds = &opened.bounds;
    let mut head = json!({
        "file": opened.name,
        "format": opened.format,
        "ops": ops,
        "tensors": tensors,
        "intermediates": intermediates(opened),
        "unsized": unsized_tensors(opened),
        "alignment": opened.options.alignment.0,
        "bounds": {"offsets": bounds.offsets.0, "objects": bounds.objects.0},
    });
    if let Some(bytes) = unrounded(opened) {
        head["bounds"]["unrounded"] = json!(bytes);
    }
    if let Some(counts) = most::json(&opened.subject) {
        head["counts"] = counts;
    }
    if opened.subject.separate {
        head["separate"] = json!(true);
    }
    if let Some(more) = opened.subject.not_listed() {
        head["not_listed"] = json!(Some(more.0).filter(|more| *more > 0));
    }
    if !opened.subject.refused.is_empty() {
        head["failure"] = failed::json(&opened.subject);
    }
    if !opened.arenas.rows.is_empty() {
        head["arenas"] = opened.arenas.json();
        head["chosen"] = json!(opened.arenas.chosen);
    }
    head
}

fn plan_json(opened: &Opened, timed: &Timed, offsets: bool) -> Value {
    let (plan, metrics) = (&timed.judged.plan, &timed.judged.metrics);
    let mut report = json!({
        "strategy": timed.name,
        "family": timed.family,
        "arena": plan.arena.0,
        "objects": plan.objects.as_ref().map(|objects| objects.sizes.len()),
        "optimal": metrics.optimal,
        "proved": metrics.proved.map(|bytes| bytes.0),
        "unused": timed.unused,
        // To the microsecond: more digits would only be noise.
        "ms": timed.ms.map(|ms| (ms * 1000.0).round() / 1000.0),
    });
    if let Some(reserved) = metrics.reserved {
        report["reserved"] = json!(reserved.0);
    }
    if let Some(why) = plan.unsearched {
        report["unsearched"] = json!(why);
    }
    if let Some(pools) = &plan.pools {
        let figures = pools.declared.iter().zip(self::pools(opened, timed));
        let pools = figures.map(|(pool, figures)| {
            json!({
                "name": pool.name,
                "capacity": pool.capacity.map(|bytes| bytes.0),
                "base": figures.base.0,
                "used": figures.used.0,
                "buffers": figures.buffers,
                "spilled": figures.spilled.0,
            })
        });
        report["pools"] = pools.collect();
        report["spilled"] = json!(metrics.spilled.map(|bytes| bytes.0));
        report["must_spill"] = json!(metrics.must_move.map(|bytes| bytes.0));
    }
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

/// The bound of what was asked for, beside an allocator's trace that has more.
fn unrounded(opened: &Opened) -> Option<u64> {
    let subject = &opened.subject;
    let asked = waste::waste(
        &subject.lifetimes,
        &subject.notes,
        &Plan::default(),
        &opened.bounds,
    );
    let needed = asked.asked()?;
    (subject.is_trace() && needed < opened.bounds.offsets.0).then_some(needed)
}

/// What the tables begin with.
pub(super) fn title(opened: &Opened) -> String {
    let (ops, tensors) = counts(opened);
    let (file, count) = (&opened.name, intermediates(opened));
    let (missing, bounds) = (unsized_tensors(opened), &opened.bounds);
    let separate = match opened.subject.separate {
        true => SEPARATE,
        false => "",
    };
    let separate = format!("{separate}{}", overview::not_listed(&opened.subject));
    let arenas = opened.arenas.table();
    let unrounded = unrounded(opened).map_or_else(String::new, |bytes| {
        format!(" ({bytes} without the allocator's rounding)")
    });
    let failed = failed::said(&opened.subject);
    let most = most::table(&opened.subject);
    // A trace has blocks: it knows no operators, and its addresses are the allocator's. Of separate
    // allocations there are no addresses to be shared or aligned.
    let of_blocks = match (opened.subject.is_recording(), opened.subject.separate) {
        (true, _) => Some(message!("block" | "blocks", tensors)),
        (false, true) if ops == 0 => {
            let all = allocations(&opened.subject.notes, 0..tensors);
            Some(message!("buffer" | "buffers", all))
        }
        (false, _) => None,
    };
    if let Some(blocks) = of_blocks {
        return format!(
            "{arenas}{failed}{file}: {blocks}\nlower bound: {}{unrounded}\n{separate}",
            in_bytes(bounds.offsets.0)
        );
    }
    format!(
        "{arenas}{failed}{file}: {}, {}, {count} to place, {missing} unsized\n\
         lower bounds: offsets {}{unrounded}, shared objects {} (alignment {})\n{most}{separate}",
        message!("operator" | "operators", ops),
        message!("tensor" | "tensors", tensors),
        in_bytes(bounds.offsets.0),
        in_bytes(bounds.objects.0),
        opened.options.alignment.0
    )
}

fn row(timed: &Timed) -> [String; 7] {
    let (plan, metrics) = (&timed.judged.plan, &timed.judged.metrics);
    let objects = plan.objects.as_ref().map(|objects| objects.sizes.len());
    [
        timed.name.clone(),
        timed.family.map(family).unwrap_or_default().to_owned(),
        plan.arena.0.to_string(),
        objects.map(|count| count.to_string()).unwrap_or_default(),
        metrics.optimal.to_string(),
        metrics
            .spilled
            .map(|bytes| bytes.0.to_string())
            .unwrap_or_default(),
        timed.ms.map(|ms| format!("{ms:.3}")).unwrap_or_default(),
    ]
}

/// As in the JSON report.
fn family(family: Family) -> &'static str {
    match family {
        Family::Baseline => "baseline",
        Family::TfliteGpu => "tflite_gpu",
        Family::Deployed => "deployed",
        Family::Online => "online",
        Family::Coloring => "coloring",
        Family::Packing => "packing",
        Family::Search => "search",
    }
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
    match opened.subject.graph() {
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

/// What a buffer is called: by the line that made it, where its name is only an address.
pub(super) fn called(opened: &Opened, index: usize) -> String {
    shown(&opened.subject.label(index).unwrap_or_default())
}

/// A name without what would disturb a terminal.
pub(super) fn shown(name: &str) -> String {
    let signs = name
        .chars()
        .map(|sign| if sign.is_control() { '\u{fffd}' } else { sign });
    signs.collect()
}

/// A report as one line.
pub(super) fn lines(report: &Value) -> String {
    format!("{report}\n")
}

/// The names of the columns, then the rows.
pub(super) fn columns_of(
    columns: &[&str],
    rows: &[Value],
    line: impl Fn(&[String]) -> String,
) -> String {
    let cell = |row: &Value, column: &str| match &row[column] {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let mut text = String::new();
    let names: Vec<String> = columns.iter().map(|name| (*name).to_owned()).collect();
    let _ = writeln!(text, "{}", line(&names));
    for row in rows {
        let cells = columns.iter().map(|column| cell(row, column));
        let cells: Vec<String> = cells.collect();
        let _ = writeln!(text, "{}", line(&cells));
    }
    text
}
