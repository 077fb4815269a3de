//! The program's allocations → arenas.
//!
//! An arena of its own is every allocation that values take turns in: the temporary ones,
//! and those of parameters and results that XLA uses for more. The others hold one thing for
//! the whole run each; they lie end to end in one last arena, so that all bytes are there. It
//! is marked [separate](Arena::separate), for XLA planned no such arena.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::program::{Allocation, Life, Program, Value};
use super::reuse::reusable;
use super::totals::totals;
use crate::deployed::{Arena, Deployed, Held, Hold, Note};
use crate::liveness::Handover;
use crate::load::dump::Dump;
use crate::load::dump::draft::{Draft, Row};
use crate::load::{Fault, LoadError, Warning};
use crate::message;
use crate::sorting::Sorting as _;
use crate::units::{Bytes, Span, Step};

/// Most arenas of shared allocations that are not temporary; more cannot be looked through.
const MAX_SHARED: usize = 64;
/// Most names of steps in all arenas together.
const MAX_NAMES: usize = 1 << 20;
/// XLA aligns to this on a CPU, and to multiples of it elsewhere.
const ALIGNMENT: u64 = 64;
/// Pairs that touch at one address and step; more are no program.
const MAX_PAIRS: usize = 4096;

/// What `program` makes the planner's: the largest temporary allocation first.
///
/// # Errors
/// See [`Draft`].
pub(super) fn deployed(mut program: Program, mut warnings: Vec<Warning>) -> Dump {
    let mut totals = totals(&program.allocations);
    totals.extend(reusable(&program, &mut warnings));
    let empty = drop_empty(&mut program);
    if empty > 0 {
        warnings.push(Warning::new(
            message!("program"),
            message!("{} values have no bytes and are left out", empty),
        ));
    }
    warnings.extend(vacant(&program));
    let (mut own, mut others): (Vec<&Allocation>, Vec<&Allocation>) = program
        .allocations
        .iter()
        .filter(|it| !it.values.is_empty())
        .partition(|it| it.is_temporary() || (it.values.len() > 1 && !it.thread_local));
    own.order_by_key(|it| (!it.is_temporary(), Reverse(it.bytes()), it.index));
    let temporary = own.iter().take_while(|it| it.is_temporary()).count();
    let whole = own.split_off(own.len().min(temporary + MAX_SHARED));
    if !whole.is_empty() {
        warnings.push(Warning::new(
            message!("program"),
            message!(
                "{} more allocations hold several values in turn: they are shown whole",
                whole.len()
            ),
        ));
        others.extend(whole);
        others.order_by_key(|it| it.index);
    }
    let mut arenas = Vec::new();
    let mut names = MAX_NAMES;
    for allocation in own {
        let named = names >= program.steps.len();
        names = names.saturating_sub(program.steps.len());
        let steps = if named { program.steps.as_slice() } else { &[] };
        arenas.push(shared(allocation, program.end, steps, &mut warnings)?);
    }
    if !others.is_empty() {
        arenas.push(rest(&others, &program, &mut warnings)?);
    }
    if arenas.is_empty() {
        return Err(Fault::Malformed.in_file(message!("there is no allocation with a value in it")));
    }
    let deployed = Deployed {
        toolchain: program.platform.toolchain().into(),
        arenas,
        totals,
        stacks: program.stacks,
        ..Deployed::default()
    };
    Ok((deployed, warnings))
}

/// Takes out the values without bytes, such as tokens: as nothing can be in their way they
/// would only look like aliases. Returns their number.
fn drop_empty(program: &mut Program) -> usize {
    let mut empty = 0;
    for allocation in &mut program.allocations {
        let before = allocation.values.len();
        allocation.values.retain(|value| value.size > 0);
        empty += before - allocation.values.len();
    }
    empty
}

/// That allocations hold nothing: no arena has them, so that nothing there counts their bytes.
fn vacant(program: &Program) -> Option<Warning> {
    let all = program.allocations.iter();
    let sizes = all.filter(|it| it.values.is_empty()).map(Allocation::bytes);
    let sizes: Vec<u64> = sizes.filter(|bytes| *bytes > 0).collect();
    let bytes = sizes.iter().fold(0, |sum: u64, it| sum.saturating_add(*it));
    let held = message!(
        "allocation holds no value" | "allocations hold no value",
        sizes.len()
    );
    (!sizes.is_empty()).then(|| {
        Warning::new(
            message!("program"),
            message!("{}: {} bytes that nothing uses", held, bytes),
        )
    })
}

/// The steps of a life, half-open.
fn span(life: &Life) -> Span {
    Span::new(life.first, life.last.saturating_add(1))
}

/// The whole run.
fn run(end: u64) -> Span {
    Span::new(0, end.saturating_add(1))
}

/// The arena of an allocation that values take turns in.
fn shared(
    allocation: &Allocation,
    end: u64,
    steps: &[String],
    warnings: &mut Vec<Warning>,
) -> Result<Arena, LoadError> {
    let mut draft = Draft::new(allocation.name(), "XLA");
    draft.arena = allocation.size;
    draft.horizon = run(end).end.0;
    draft.step_names = steps.to_vec();
    let alignment = alignment(allocation, warnings);
    if allocation.size.is_none() {
        warnings.push(Warning::new(
            allocation.name(),
            message!("its size is rounded in the text: it is taken to end where its values end"),
        ));
    }
    let mut unknown = 0;
    for value in &allocation.values {
        unknown += usize::from(value.life.is_none());
        let row = Row {
            name: value.name.clone(),
            size: value.size,
            payload: Some(value.payload()),
            span: value.life.as_ref().map_or(run(end), span),
            offset: value.offset,
            alignment,
            note: note(allocation, value, end),
        };
        draft.push(|| message!("value {} ({})", value.name, value.at), row)?;
    }
    if unknown > 0 {
        warnings.push(Warning::new(
            allocation.name(),
            message!(
                "{} values have no lifetime: they are shown for the whole run",
                unknown
            ),
        ));
    }
    draft.handovers = handovers(&allocation.values);
    draft.merge_aliases();
    draft.finish(warnings)
}

/// What every address in a temporary allocation is a multiple of.
fn alignment(allocation: &Allocation, warnings: &mut Vec<Warning>) -> u64 {
    let offsets = allocation.values.iter().map(|value| value.offset);
    if !allocation.is_temporary() || offsets.clone().all(|offset| offset == 0) {
        return 1;
    }
    let mut alignment = ALIGNMENT;
    while offsets.clone().any(|offset| offset % alignment > 0) {
        alignment /= 2;
    }
    if alignment > 1 {
        warnings.push(Warning::new(
            allocation.name(),
            message!(
                "every address is a multiple of {}, which is taken for the alignment: \
                 the dump does not say it",
                alignment
            ),
        ));
    }
    alignment
}

/// What the dump says of one of several values in an allocation.
fn note(allocation: &Allocation, value: &Value, end: u64) -> Note {
    let life = value.life.as_ref();
    // The parameters of a loop's body are called so, too, but come later.
    let is_parameter = |life: &Life| life.op == "parameter" && life.first == 0;
    let is_result = |life: &Life| allocation.live_out && life.last == end;
    let role = match allocation.parameter {
        Some(number) if life.is_some_and(is_parameter) => format!("parameter {number}"),
        _ if allocation.is_temporary() => "preallocated-temp".into(),
        _ if life.is_some_and(is_result) => "maybe-live-out".into(),
        _ => String::new(),
    };
    Note {
        op: life.map(|life| life.op.clone()).unwrap_or_default(),
        uses: uses(life),
        role,
        stack: value.stack,
        // An array that is given or given back is there whatever fills it.
        filled: if allocation.is_temporary() {
            value.filled
        } else {
            0
        },
        value: value.ir.clone().noted(),
        ..Note::default()
    }
}

fn uses(life: Option<&Life>) -> Vec<Step> {
    let uses = life.map(|life| life.uses.iter().copied().map(Step));
    uses.into_iter().flatten().collect()
}

/// Which buffer is written over which: values at the same address of which one is needed for the
/// last time where the other begins. Both are live then, as ranges are closed, and the operator
/// writes in place. Where the dump says which share, only those do.
fn handovers(values: &[Value]) -> Vec<Handover> {
    type Ends = (Vec<usize>, Vec<usize>);
    let mut touching: BTreeMap<(u64, u64), Ends> = BTreeMap::new();
    for (index, value) in values.iter().enumerate() {
        if let Some(life) = &value.life {
            let last = touching.entry((value.offset, life.last)).or_default();
            last.0.push(index);
            let first = touching.entry((value.offset, life.first)).or_default();
            first.1.push(index);
        }
    }
    let mut pairs = Vec::new();
    for (before, after) in touching.values() {
        let all = before
            .iter()
            .flat_map(|&one| after.iter().map(move |&two| (one, two)));
        let all = all.take(MAX_PAIRS);
        let all = all.filter(|&(one, two)| may_share(values, one, two));
        pairs.extend(all.map(|(before, after)| Handover {
            before,
            after,
            shift: Bytes::ZERO,
        }));
    }
    pairs.order();
    pairs
}

/// Whether the dump lets them share bytes, and they are not the same bytes all the time.
fn may_share(values: &[Value], one: usize, two: usize) -> bool {
    let (Some(one), Some(two)) = (values.get(one), values.get(two)) else {
        return false;
    };
    let same_time = one.life.as_ref().map(span) == two.life.as_ref().map(span);
    let known = one.group.is_none() || two.group.is_none();
    !same_time && (known || one.group == two.group)
}

/// The arena of everything that is not shared, end to end.
fn rest(
    allocations: &[&Allocation],
    program: &Program,
    warnings: &mut Vec<Warning>,
) -> Result<Arena, LoadError> {
    let count = allocations.len();
    let mut draft = Draft::new(message!("{} other allocations, end to end", count), "XLA");
    let run = run(program.end);
    draft.horizon = run.end.0;
    draft.step_names.clone_from(&program.steps);
    let (mut offset, mut locals) = (0_u64, 0);
    for allocation in allocations {
        let bytes = allocation.bytes();
        let Some(first) = allocation.values.first() else {
            continue;
        };
        locals += usize::from(allocation.thread_local);
        let place = || message!("allocation {}", allocation.index);
        let row = Row {
            name: first.name.clone(),
            size: bytes,
            payload: (allocation.values.len() == 1).then(|| first.payload()),
            span: run,
            offset,
            alignment: 1,
            note: held(allocation, first, run),
        };
        draft.push(place, row)?;
        offset = offset.checked_add(bytes).ok_or_else(|| {
            Fault::Limit.at(
                place(),
                message!("all allocations together are longer than any memory"),
            )
        })?;
    }
    if locals > 0 {
        warnings.push(Warning::new(
            draft.name.clone(),
            message!(
                "{} of them are thread-local: the dump does not say when they live",
                locals
            ),
        ));
    }
    Ok(Arena {
        separate: true,
        ..draft.finish(warnings)?
    })
}

/// What the dump says of an allocation that holds one thing for the whole run.
fn held(allocation: &Allocation, first: &Value, run: Span) -> Note {
    let others = allocation.values.iter().skip(1);
    let aliases: Vec<String> = others.map(|value| value.name.clone()).collect();
    let why = match (allocation.parameter, allocation.live_out) {
        (None, false) => Hold::WholeLife,
        _ => Hold::Pinned,
    };
    let life = first.life.as_ref().filter(|_| aliases.is_empty());
    let needed = life.map(|life| Span::new(life.first, life.needed.max(life.first) + 1));
    let needed = needed.filter(|needed| *needed != run);
    Note {
        held: needed.map(|needed| Held { why, needed }),
        op: life.map(|life| life.op.clone()).unwrap_or_default(),
        uses: uses(life),
        role: allocation.words().to_string(),
        aliases,
        stack: first.stack,
        value: first.ir.clone().noted(),
        ..Note::default()
    }
}
