//! What XLA prints when a program does not fit: the buffers of the peak with their sizes, operators
//! and lines of source, but neither addresses nor lifetimes.
//!
//! On CPUs and GPUs it is `BufferAssignment::ToVerboseString` (`Peak buffers:`), on TPUs
//! `Largest program allocations in hbm:`, which says the padding of tiled layouts, too. Both list
//! the largest ones only.

use super::frames::{Frames, Shown};
use super::hlo::{between, name, opcode, shape};
use super::platform::Platform;
use super::said::{self, Gaps, Size};
use super::tiles;
use crate::deployed::{Arena, Deployed, IrValue, Note, Total, TotalKind};
use crate::load::dump::Dump;
use crate::load::dump::draft::{Draft, MAX_BUFFERS, Row};
use crate::load::dump::line::{MAX_ARENAS, holds};
use crate::load::{Fault, LoadError, Source, Warning, pasted, text};
use crate::plan::Stated;
use crate::units::{Bytes, Span};
use crate::{Message, message};

/// What begins a list.
const PEAK: &str = "Peak buffers:";
const LARGEST: &str = "Largest program allocations in ";

/// Whether a file that begins with `head` has such a list.
pub(in crate::load) fn sniff(head: &[u8]) -> bool {
    let peak = holds(head, PEAK.as_bytes()) && holds(head, b"BufferAssignment");
    peak || holds(head, LARGEST.as_bytes())
}

/// Whether a list with a buffer stands in `text`, behind whatever else.
pub(in crate::load) fn is_in(text: &str) -> bool {
    let behind = |words: &str, first: &str| {
        text.rsplit_once(words)
            .is_some_and(|it| it.1.contains(first))
    };
    let peak = text.contains("BufferAssignment") && behind(PEAK, "Buffer ");
    peak || behind(LARGEST, "1. Size: ")
}

/// One list.
#[derive(Default)]
struct List {
    /// What it lists.
    name: Message,
    /// The memory space of a TPU that it lists.
    space: Option<String>,
    entries: Vec<Entry>,
}

/// A buffer of a list; texts are empty where it does not say.
#[derive(Default)]
struct Entry {
    /// The line that it begins at.
    line: usize,
    size: Option<Size>,
    unpadded: Option<Size>,
    operator: String,
    label: String,
    shape: String,
    role: String,
    /// Whether its end is there.
    ended: bool,
}

/// The peak set of the last such message in `source`, each list as an arena of its own, end to
/// end.
///
/// # Errors
/// See [`LoadError`].
pub(in crate::load) fn read(source: &dyn Source) -> Dump {
    let text = pasted::plain(&text::read(source)?);
    let lists = lists(&text)?;
    // What did not fit comes first: it is why people have such a text.
    let mut warnings: Vec<Warning> = unfit(&text).into_iter().collect();
    let said = warnings.iter().map(|it| it.message.clone()).collect();
    let (mut frames, mut shown) = (Frames::default(), Shown::default());
    let mut arenas = Vec::new();
    let mut sums = Vec::new();
    for list in lists.into_iter().filter(|it| !it.entries.is_empty()) {
        let (found, gaps) = said::sums(&text, list.space.as_deref());
        let whole = said::whole(&found);
        let known = (&mut frames, &mut shown);
        arenas.push(arena(list, (whole, gaps), known, &mut warnings)?);
        if sums.is_empty() {
            sums = found;
        }
    }
    if arenas.is_empty() {
        return Err(Fault::Malformed.in_file(message!(
            "its list of the largest buffers has none with a size"
        )));
    }
    let tiled = text.contains(LARGEST);
    let platform = if tiled {
        Platform::Tpu
    } else {
        Platform::Unknown
    };
    let deployed = Deployed {
        toolchain: platform.toolchain().into(),
        arenas,
        stacks: shown.finish(),
        totals: sums
            .into_iter()
            .map(|(kind, size)| Total {
                kind,
                bytes: Bytes(size.bytes),
            })
            .collect(),
        said,
        ..Deployed::default()
    };
    Ok((deployed, warnings))
}

/// The lists in a text; of two of the same name the last.
fn lists(text: &str) -> Result<Vec<List>, LoadError> {
    let mut lists: Vec<List> = Vec::new();
    let mut open = false;
    let mut count = 0;
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if let Some(begun) = begun(line) {
            lists.retain(|it| it.name != begun.name);
            lists.push(begun);
            open = true;
            if lists.len() > MAX_ARENAS {
                return Err(limit(number, MAX_ARENAS));
            }
            continue;
        }
        let Some(list) = lists.last_mut().filter(|_| open) else {
            continue;
        };
        if let Some(rest) = entry(line) {
            count += 1;
            if count > MAX_BUFFERS {
                return Err(limit(number, MAX_BUFFERS));
            }
            list.entries.push(Entry {
                line: number,
                ..Entry::default()
            });
            field(list, rest);
        } else if list.entries.last().is_some_and(|it| !it.ended) {
            field(list, line);
        } else if !line.is_empty() && !list.entries.is_empty() {
            // What follows the list is a text of its own.
            open = false;
        }
    }
    Ok(lists)
}

/// The list that begins with a line.
fn begun(line: &str) -> Option<List> {
    let (name, space) = match line.split_once(LARGEST) {
        Some((_, space)) => {
            let space = space.trim_end_matches(':');
            (message!("largest in {}", space), Some(space.to_owned()))
        }
        None if line.ends_with(PEAK) => (message!("peak buffers"), None),
        None => return None,
    };
    let entries = Vec::new();
    Some(List {
        name,
        space,
        entries,
    })
}

fn limit(line: usize, most: usize) -> LoadError {
    Fault::Limit.at(
        message!("line {}", line),
        message!("more than {} buffers", most),
    )
}

/// What follows the number of an entry: `Buffer 1:`, `1. Size: 32.00G`.
fn entry(line: &str) -> Option<&str> {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    let numbered = line.split_once(". ").filter(|(number, _)| digits(number));
    if let Some((_, rest)) = numbered {
        return Some(rest);
    }
    let number = line.strip_prefix("Buffer ")?.strip_suffix(':')?;
    digits(number).then_some("")
}

/// Takes a line of the last entry in.
fn field(list: &mut List, line: &str) {
    let Some(entry) = list.entries.last_mut() else {
        return;
    };
    if line.starts_with("====") {
        entry.ended = true;
        return;
    }
    let Some((key, value)) = line.split_once(": ") else {
        return;
    };
    match key.to_ascii_lowercase().as_str() {
        "size" => entry.size = Size::of(value),
        "unpadded size" => entry.unpadded = Size::of(value),
        "operator" => value.clone_into(&mut entry.operator),
        "xla label" => value.clone_into(&mut entry.label),
        "shape" => value.clone_into(&mut entry.shape),
        "entry parameter subshape" => {
            value.clone_into(&mut entry.shape);
            "parameter".clone_into(&mut entry.role);
        }
        "allocation type" => value.clone_into(&mut entry.role),
        _ => {}
    }
}

/// What all buffers take, and how much of it none of them has.
type Whole = (Option<(TotalKind, Size)>, Gaps);

/// A list as buffers that are all there at one step, of a `whole` that may have more.
fn arena(
    list: List,
    whole: Whole,
    (frames, shown): (&mut Frames, &mut Shown),
    warnings: &mut Vec<Warning>,
) -> Result<Arena, LoadError> {
    let mut draft = Draft::new(list.name, "XLA");
    draft.horizon = 1;
    let mut offset: u64 = 0;
    let mut rounded: u64 = 0;
    for entry in list.entries {
        let place = || message!("line {}", entry.line);
        let Some(size) = entry.size else {
            warnings.push(Warning::new(
                place(),
                message!("it has no size and is left out"),
            ));
            continue;
        };
        if !entry.ended {
            warnings.push(Warning::new(
                place(),
                message!("its end is missing: the text may be cut off"),
            ));
        }
        let mut ir = shape(&entry.shape);
        let elements = elements(&ir);
        let bytes = size.exact(elements);
        if elements != Some(bytes) {
            rounded = rounded.saturating_add(size.within);
        }
        // The instruction itself may say it, too.
        let said = match entry.operator.as_str() {
            "" => &entry.label,
            operator => operator,
        };
        ir.source = between(said, "op_name=\"", "\"")
            .unwrap_or_default()
            .to_owned();
        let frame = frames.said(said);
        let op = operator(&entry.label);
        let row = Row {
            name: called(&entry),
            size: bytes,
            payload: entry.unpadded.map(|it| it.exact(elements)),
            span: Span::new(0, 1),
            offset,
            alignment: 1,
            note: Note {
                op: if op.is_empty() { &entry.role } else { op }.to_owned(),
                role: entry.role.clone(),
                stack: shown.stack(frames, frame),
                // A compiler's, of whatever shape.
                value: Some(Box::new(ir)),
                ..Note::default()
            },
        };
        draft.push(place, row)?;
        offset = offset.checked_add(bytes).ok_or_else(|| {
            Fault::Limit.at(
                place(),
                message!("all allocations together are longer than any memory"),
            )
        })?;
    }
    warnings.push(Warning::new(
        draft.name.clone(),
        message!(
            "the text has no addresses and lists the largest buffers only: they are shown \
             end to end, with sizes as rounded as it has them where their shapes do not tell"
        ),
    ));
    let (partial, stated) = beside(&mut draft, (offset, rounded), whole, warnings);
    let mut arena = draft.finish(warnings)?;
    (arena.separate, arena.plan.partial) = (true, partial);
    arena.plan.stated = stated;
    Ok(arena)
}

/// Makes the arena as large as the text says that all buffers are, and returns whether it has
/// some that are not `listed`, which are so many bytes and may be so far `rounded`, and what of the
/// rest the text says to be no buffer's.
fn beside(
    draft: &mut Draft,
    (listed, rounded): (u64, u64),
    (whole, gaps): Whole,
    warnings: &mut Vec<Warning>,
) -> (bool, Stated) {
    let none = Stated::default();
    let Some((kind, whole)) = whole else {
        return (true, none);
    };
    let within = whole.within.saturating_add(rounded);
    let near = whole.bytes.abs_diff(listed) <= within;
    if !near && whole.bytes < listed {
        warnings.push(Warning::new(
            draft.name.clone(),
            message!(
                "the text says {} bytes in all, but lists {} bytes: the list counts",
                whole.bytes,
                listed
            ),
        ));
        return (true, none);
    }
    if near {
        return (kind == TotalKind::AtLeast, none);
    }
    draft.arena = Some(whole.bytes);
    let rest = whole.bytes.saturating_sub(listed);
    let [fragmentation, reserved] = [gaps.fragmentation, gaps.reserved].map(|it| {
        let (bytes, far) = it.map_or((0, 0), |it| (it.bytes, it.within));
        (bytes.min(rest), far)
    });
    let reserved = (reserved.0.min(rest - fragmentation.0), reserved.1);
    let more = rest - fragmentation.0 - reserved.0;
    let within = within.saturating_add(fragmentation.1);
    // All is listed where what is left of an exact sum is due to rounding.
    let all = kind == TotalKind::All && fragmentation.0 > 0 && more <= within;
    let stated = Stated {
        fragmentation: Bytes(fragmentation.0 + if all { more } else { 0 }),
        reserved: Bytes(reserved.0),
    };
    (!all, stated)
}

/// The bytes of the elements of a shape; `None` where it does not tell.
fn elements(ir: &IrValue) -> Option<u64> {
    tiles::payload(ir.shape.as_deref()?, tiles::bits(&ir.dtype)?)
}

/// The operator of a label: `copy` of `%copy.1 = s32[8] copy(s32[8] %a)`, which may lack the shape,
/// and a label that is nothing else.
fn operator(label: &str) -> &str {
    let word = |text: &str| !text.is_empty() && !text.contains([' ', '[', '{', '(']);
    let named = || label.split_once(" = ")?.1.split_once('(').map(|it| it.0);
    let found = opcode(label).filter(|it| word(it));
    let found = found.or_else(|| named().filter(|it| word(it)));
    found.unwrap_or(if word(label) { label } else { "" })
}

/// The instruction of an entry, or its kind.
fn called(entry: &Entry) -> String {
    let label = entry
        .label
        .split_once(" = ")
        .map_or(entry.label.as_str(), |it| it.0);
    match (name(label.trim()), entry.role.as_str()) {
        ("", "") => "buffer".into(),
        ("", role) => role.to_owned(),
        (label, _) => label.to_owned(),
    }
}

/// The line that says what did not fit.
fn unfit(text: &str) -> Option<Warning> {
    let lines = text.lines().enumerate();
    let mut told = lines.filter_map(|(index, line)| {
        let begins = [
            "Ran out of memory in memory space ",
            "Out of memory while trying to allocate ",
        ];
        let at = begins.iter().find_map(|it| line.find(it))?;
        let start: String = line.get(at..)?.chars().take(120).collect();
        Some((index + 1, start))
    });
    let (line, start) = told.by_ref().last()?;
    Some(Warning::new(
        message!("line {}", line),
        message!("XLA says: `{}`", start),
    ))
}
