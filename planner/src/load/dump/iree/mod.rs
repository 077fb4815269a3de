//! IREE's stream IR, printed around the pass that lays out slices.
//!
//! Before the pass, `stream.resource.pack` lists the slices of an allocation with closed
//! intervals of steps; after it, the pack is gone and constants stand where its results
//! were used. So lifetimes are in the one text and offsets in the other. A function is found
//! again by what it does. The reader looks for packs and what uses them; everything else in
//! the IR is none of its business.

mod commands;
mod offsets;
mod pack;
mod placed;
mod program;
mod steps;
mod text;
mod totals;

use std::cmp::Reverse;
use std::collections::BTreeSet;

use self::commands::Usage;
use self::offsets::{Laid, SliceOffset, laid};
use self::pack::{Pack, Slice};
use self::placed::placed;
pub(in crate::load) use self::program::programs;
use self::program::{Before, Pair, Program, program};
use self::text::{HEADER, INITIALIZER, Printed, printed};
use self::totals::totals;
use super::draft::{Draft, Row};
use crate::deployed::{Arena, Deployed, IrValue, Note};
use crate::liveness::Lifetimes;
use crate::liveness::profile::profile;
use crate::load::text::read as read_text;
use crate::load::{Document, Fault, Format, LoadError, Loaded, Part, Warning};
use crate::sorting::Sorting as _;
use crate::units::Bytes;
use crate::{Message, message};

/// What slices are aligned to where the text does not say: what llvm-cpu asks for.
const ALIGNMENT: u64 = 64;

/// Why slices are left out.
fn at_run_time() -> Message {
    message!("whose offset only the running program knows")
}

/// At most this many functions or packs are named.
const LISTED: usize = 8;

/// Whether a file that begins with `head` is one.
pub(in crate::load) fn sniff(head: &[u8]) -> bool {
    let found = |word: &str| head.windows(word.len()).any(|at| at == word.as_bytes());
    let words = ["stream.resource.pack ", "stream.cmd.execute ", "!stream."];
    found(HEADER) || words.into_iter().any(found)
}

/// Reads what `parts` say together.
///
/// # Errors
/// See [`LoadError`]; [`Fault::Partner`] when only the text after the pass is there.
pub(in crate::load) fn read(parts: &[Part<'_>]) -> Result<Loaded, LoadError> {
    let named = |error: LoadError, part: usize| match parts {
        [_] => error,
        _ => error.within(parts.get(part).map_or("", |part| part.name)),
    };
    let mut texts = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        texts.push(read_text(part.source).map_err(|error| named(error, index))?);
    }
    let lines: Vec<Vec<&str>> = texts.iter().map(|text| text.lines().collect()).collect();
    let mut printed_parts = Vec::new();
    for (index, lines) in lines.iter().enumerate() {
        printed_parts.push(printed(lines).map_err(|error| named(error, index))?);
    }
    let program = program(&printed_parts).map_err(|(part, error)| named(error, part))?;
    let mut warnings = Vec::new();
    let alignment = texts.iter().find_map(|text| stated(text));
    let deployed = |arenas: Vec<Arena>| {
        let taken = arenas.iter().map(|arena| arena.plan.arena.0);
        let taken = Bytes(taken.fold(0, u64::saturating_add));
        Document::Deployed(Deployed {
            toolchain: "IREE".into(),
            totals: totals(&lines, taken),
            arenas,
            ..Deployed::default()
        })
    };
    let laid_out = match program.pairs.is_empty() && program.alone.is_empty() {
        true => laid_out(&printed_parts, alignment, &named, &mut warnings)?,
        false => Vec::new(),
    };
    let document = if !laid_out.is_empty() {
        deployed(laid_out)
    } else if program.pairs.is_empty() {
        Document::Problem(problem(&program, parts.len(), alignment, &mut warnings)?)
    } else {
        whole_alone(&program, parts.len())?;
        let arenas = arenas(&program, alignment, &named, &mut warnings)?;
        deployed(arenas)
    };
    Ok((Format::Iree, document, warnings))
}

/// The alignment that the text states, if it does.
fn stated(text: &str) -> Option<u64> {
    let (_, rest) = text.split_once("min_buffer_offset_alignment = ")?;
    let digits = rest.split(|letter: char| !letter.is_ascii_digit()).next()?;
    let stated = digits.parse::<u64>().ok()?;
    (stated.is_power_of_two() && stated <= 1 << 20).then_some(stated)
}

/// Refuses several texts of which one needs no other.
fn whole_alone(program: &Program<'_>, parts: usize) -> Result<(), LoadError> {
    let joined = program
        .pairs
        .iter()
        .any(|pair| pair.before.part != pair.after.0);
    if parts < 2 || joined {
        return Ok(());
    }
    Err(Fault::Apart.at(
        message!("files"),
        message!("no function stands before the pass in one file and behind it in another"),
    ))
}

/// The arenas of a program, one for each pack.
fn arenas(
    program: &Program<'_>,
    alignment: Option<u64>,
    named: &impl Fn(LoadError, usize) -> LoadError,
    warnings: &mut Vec<Warning>,
) -> Result<Vec<Arena>, LoadError> {
    let mut arenas = Vec::new();
    let mut names = BTreeSet::new();
    for Pair { before, after } in &program.pairs {
        let laid = laid(&before.function, &before.packs, &after.1);
        let laid = laid.map_err(|error| named(error, after.0))?;
        let usage = commands::usage(&before.function, &before.packs, warnings);
        let packs = before.packs.packs.iter().zip(laid).zip(usage);
        for (index, ((pack, laid), usage)) in packs.enumerate() {
            let name = pack_name(before, index, &mut names);
            let arena = arena(&name, pack, Some(&laid), usage, alignment, warnings);
            arenas.extend(arena.map_err(|error| named(error, before.part))?);
        }
    }
    for before in &program.alone {
        warnings.push(Warning::new(
            message!("line {}", before.function.line),
            message!(
                "@{} is left out: it is not there behind the pass",
                before.function.name
            ),
        ));
    }
    if arenas.is_empty() {
        return Err(Fault::Unsupported.in_file(message!(
            "only the running program knows the sizes of its slices"
        )));
    }
    if let [arena] = arenas.as_mut_slice() {
        arena.name = Message::default();
    }
    Ok(arenas)
}

/// The arenas of texts that no pass printed, where all memory is laid out already; none of others.
fn laid_out(
    parts: &[Printed<'_>],
    alignment: Option<u64>,
    named: &impl Fn(LoadError, usize) -> LoadError,
    warnings: &mut Vec<Warning>,
) -> Result<Vec<Arena>, LoadError> {
    let mut arenas = Vec::new();
    if parts.iter().any(|it| it.before || it.after) {
        return Ok(arenas);
    }
    for (part, printed) in parts.iter().enumerate() {
        for function in printed.functions.iter().chain(&printed.allocating) {
            let found = placed(function).map_err(|error| named(error, part))?;
            let several = found.len() > 1;
            for placed in found {
                let name = match several {
                    true => message!("{}, line {}", function.name, placed.pack.line),
                    false => Message::verbatim(function.name),
                };
                let mut warn = |message: Message| {
                    let place = message!("{}, line {}", name, placed.pack.line);
                    warnings.push(Warning::new(place, message));
                };
                if placed.unplaced > 0 {
                    let slices = message!("slice" | "slices", placed.unplaced);
                    warn(message!("{} left out, {}", slices, at_run_time()));
                }
                if placed.whole {
                    warn(message!("no command uses it: shown as one block"));
                }
                let laid = Some(&placed.laid);
                let arena = arena(&name, &placed.pack, laid, placed.usage, alignment, warnings);
                arenas.extend(arena.map_err(|error| named(error, part))?);
            }
        }
    }
    if !arenas.is_empty() {
        warnings.push(Warning::of_file(message!(
            "lifetimes are those of the commands that use each range: the text no longer \
             has those of the compiler"
        )));
    }
    Ok(arenas)
}

/// What the pack of that index is called.
fn pack_name(before: &Before<'_>, index: usize, names: &mut BTreeSet<Message>) -> Message {
    let packs = &before.packs.packs;
    let mut name = match packs.len() > 1 {
        true => message!("{}, pack {}", before.function.name, index + 1),
        false => Message::verbatim(before.function.name),
    };
    // Initializers have no names.
    if let (false, Some(pack)) = (names.insert(name.clone()), packs.get(index)) {
        name = message!("{}, line {}", name, pack.line);
    }
    name
}

/// The arena of one pack, or none when nothing of it is known before the program runs.
/// Without `laid` every slice lies at 0.
fn arena(
    name: &Message,
    pack: &Pack,
    laid: Option<&Laid>,
    usage: Usage,
    alignment: Option<u64>,
    warnings: &mut Vec<Warning>,
) -> Result<Option<Arena>, LoadError> {
    let mut warn = |message: Message| {
        warnings.push(Warning::new(
            message!("{}, line {}", name, pack.line),
            message,
        ));
    };
    if let Some(count) = pack.dynamic() {
        warn(message!(
            "{} left out, whose size only the running program knows",
            count
        ));
    }
    let place = |index: usize| match laid {
        None => SliceOffset::At(0),
        Some(laid) => laid
            .slices
            .get(index)
            .copied()
            .unwrap_or(SliceOffset::Unused),
    };
    let kept = || pack.slices.iter().enumerate();
    let offsets = kept().filter_map(|(index, slice)| match place(index) {
        SliceOffset::At(offset) => slice.size.map(|_| offset),
        SliceOffset::Unused | SliceOffset::Runtime => None,
    });
    let alignment = alignment.unwrap_or(ALIGNMENT).min(divisor(offsets));
    let (mut unused, mut unplaced) = (0, 0);
    let mut draft = Draft::new(name.clone(), "IREE");
    draft.arena = laid.and_then(|laid| laid.total);
    for (index, slice) in kept() {
        let Some(size) = slice.size else { continue };
        let offset = match place(index) {
            SliceOffset::At(offset) => offset,
            SliceOffset::Unused => {
                unused += 1;
                continue;
            }
            SliceOffset::Runtime => {
                unplaced += 1;
                continue;
            }
        };
        if size == 0 {
            continue;
        }
        let row = row(index, size, slice, offset, alignment, &usage);
        draft.push(|| message!("line {}", slice.line), row)?;
    }
    for (count, why) in [
        (unused, message!("that nothing uses")),
        (unplaced, at_run_time()),
    ] {
        if count > 0 {
            let slices = message!("slice" | "slices", count);
            warn(message!("{} left out, {}", slices, why));
        }
    }
    if draft.len() == 0 {
        return Ok(None);
    }
    draft.step_names = usage.steps;
    draft.finish(warnings).map(Some)
}

/// The buffer that a slice is.
fn row(index: usize, size: u64, slice: &Slice, offset: u64, alignment: u64, usage: &Usage) -> Row {
    let used = usage.slices.get(index).cloned().unwrap_or_default();
    let name = match used.name.is_empty() {
        true => format!("slice {index}"),
        false => used.name,
    };
    let value = IrValue {
        computation: usage.function.clone(),
        source: used.entry,
        ..IrValue::default()
    };
    Row {
        name,
        // The pass reserves whole multiples.
        size: size.checked_next_multiple_of(alignment).unwrap_or(size),
        payload: Some(size),
        span: slice.span,
        offset,
        alignment,
        note: Note {
            op: used.op,
            uses: used.reads,
            role: usage.memory.clone(),
            value: value.noted(),
            ..Note::default()
        },
    }
}

/// The largest power of two that divides all of `offsets`: nothing was aligned to more.
fn divisor(offsets: impl Iterator<Item = u64>) -> u64 {
    let bits = offsets.fold(0, |bits, offset| bits | offset);
    match bits {
        0 => u64::MAX,
        bits => 1 << bits.trailing_zeros(),
    }
}

/// The lifetimes of the pack that needs most at once, when no text says where anything lies.
///
/// # Errors
/// [`Fault::Partner`] when there are no packs but text after the pass, [`Fault::Apart`] when
/// the text after the pass is of other functions, otherwise what is wrong with the texts.
fn problem(
    program: &Program<'_>,
    parts: usize,
    alignment: Option<u64>,
    warnings: &mut Vec<Warning>,
) -> Result<Lifetimes, LoadError> {
    let fault = |kind: Fault, message: Message| kind.in_file(message);
    if program.alone.is_empty() {
        return Err(match (program.before, program.orphans.is_empty()) {
            (false, false) => fault(
                Fault::Partner,
                message!(
                    "it holds offsets but no lifetimes, which stand in the IR before the pass: add \
                     --mlir-print-ir-before=iree-stream-layout-slices"
                ),
            ),
            (true, false) => fault(
                Fault::Unsupported,
                message!("no function has a stream.resource.pack: nothing shares memory"),
            ),
            (_, true) => fault(
                Fault::Unsupported,
                message!(
                    "no function schedules memory: print the IR with \
                     --mlir-print-ir-before=iree-stream-layout-slices and \
                     --mlir-print-ir-after=iree-stream-layout-slices"
                ),
            ),
        });
    }
    one_program(program, parts, warnings)?;
    let mut found: Vec<(Bytes, Arena)> = Vec::new();
    let mut names = BTreeSet::new();
    for before in &program.alone {
        let usage = commands::usage(&before.function, &before.packs, warnings);
        for (index, (pack, usage)) in before.packs.packs.iter().zip(usage).enumerate() {
            let name = pack_name(before, index, &mut names);
            let arena = arena(&name, pack, None, usage, alignment, warnings)?;
            found.extend(arena.map(|arena| (needed(&arena.lifetimes), arena)));
        }
    }
    // Of several that need as much the first in the text.
    found.order_by_key(|(bytes, _)| Reverse(*bytes));
    let mut found = found.into_iter();
    let Some((bytes, largest)) = found.next() else {
        let what = message!("only the running program knows the sizes of its slices");
        return Err(fault(Fault::Unsupported, what));
    };
    let which = match found.len() {
        0 => Message::default(),
        more => message!(
            ", those of {}, which needs most of {} packs: {} bytes",
            largest.name,
            more + 1,
            bytes.0
        ),
    };
    warnings.push(Warning::of_file(message!(
        "only the lifetimes are in it{}; for the offsets add \
         --mlir-print-ir-after=iree-stream-layout-slices",
        which
    )));
    left_out(found, warnings);
    Ok(largest.lifetimes)
}

/// The most bytes that are needed at once.
fn needed(lifetimes: &Lifetimes) -> Bytes {
    let points = profile(lifetimes).points.into_iter();
    points.map(|point| point.1).max().unwrap_or_default()
}

/// Says which packs are not shown, those that need most first.
fn left_out(mut packs: impl ExactSizeIterator<Item = (Bytes, Arena)>, to: &mut Vec<Warning>) {
    let listed = packs.by_ref().take(LISTED);
    to.extend(listed.map(|(bytes, arena)| {
        Warning::new(
            arena.name,
            message!("it is left out: it needs {} bytes", bytes.0),
        )
    }));
    if packs.len() > 0 {
        to.push(Warning::of_file(message!(
            "{} more packs are left out",
            packs.len()
        )));
    }
}

/// Sees to it that what has no packs is no other function after the pass.
///
/// # Errors
/// [`Fault::Apart`] when it is.
fn one_program(
    program: &Program<'_>,
    parts: usize,
    warnings: &mut Vec<Warning>,
) -> Result<(), LoadError> {
    let Program { alone, orphans, .. } = program;
    // Without a header over it, text is after the pass if none of it has packs, or if it has a
    // function again that has.
    let is_behind = |&(part, name): &(usize, &str)| {
        let named = name != INITIALIZER && alone.iter().any(|it| it.function.name == name);
        named || alone.iter().all(|it| it.part != part)
    };
    let others = listed(orphans.iter().map(|(_, name)| *name));
    if !orphans.is_empty() && (program.after || orphans.iter().any(is_behind)) {
        let before = listed(alone.iter().map(|it| it.function.name));
        return Err(Fault::Apart.at(
            if parts > 1 {
                message!("files")
            } else {
                message!("file")
            },
            message!(
                "before the pass stands {}, behind it {}: no function is the same on \
                 both sides, so they are of two programs",
                before,
                others
            ),
        ));
    }
    if !orphans.is_empty() {
        warnings.push(Warning::new(
            Message::verbatim(others),
            message!(
                "it has no stream.resource.pack: nothing in it shares memory, or this is its \
                 IR after the pass"
            ),
        ));
    }
    Ok(())
}

/// Functions by name, those that many do not fit left out.
fn listed<'t>(names: impl Iterator<Item = &'t str>) -> String {
    let names: BTreeSet<&str> = names.collect();
    let more = if names.len() > LISTED { ", …" } else { "" };
    let first = names.into_iter().take(LISTED);
    let first: Vec<String> = first.map(|name| format!("@{name}")).collect();
    first.join(", ") + more
}
