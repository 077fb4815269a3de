//! Logs of Vela's `--verbose-allocation`.
//!
//! A table per memory area. Each row says from when to when a tensor lives, both included;
//! from which address to which, the last excluded; how large it is; how many bytes are live
//! at once at most while it is; and its format and name. The deprecated Python core also
//! names the allocator and what each tensor is for.
//!
//! Tensors that are fused share one range and are listed each with the same numbers. Tables
//! of constants list when each is read, but constants keep their bytes for ever.
//!
//! Opened together with the model that was compiled, it is known which bytes are padding.

mod shapes;

use super::Dump;
use super::draft::{Draft, Row};
use super::line::{Count, Line, MAX_ARENAS, alignment, holds, lines};
use crate::deployed::{Arena, Deployed, Held, Hold, Note};
use crate::liveness::Lifetimes;
use crate::liveness::profile::profile;
use crate::load::{Fault, LoadError, Part, Source, Warning, apart, head, text, tflite};
use crate::units::{Bytes, Span};
use crate::{Message, message};

/// What Vela aligns every address to.
const ALIGNMENT: u64 = 16;

/// One memory area.
#[derive(Default)]
struct Table {
    /// Line of its heading.
    line: usize,
    name: String,
    /// Empty where the log does not say.
    allocator: String,
    /// Whether it holds constants.
    constant: bool,
    /// Cells of a row: one more with the purpose of each tensor.
    cells: usize,
    entries: Vec<Entry>,
    /// Most bytes at once that the log gives for any tensor.
    usage: u64,
    /// Bytes of the whole area, once the log has said it.
    total: Option<u64>,
}

/// One tensor.
struct Entry {
    line: usize,
    name: String,
    role: String,
    span: Span,
    address: u64,
    size: u64,
    /// Whether its channels are in blocks.
    blocks: bool,
}

/// Whether a file that begins with `head` is one.
pub(in crate::load) fn sniff(head: &[u8]) -> bool {
    holds(head, b"Start Time") && holds(head, b"Start Addr")
}

/// Whether two files that begin so are a log and a model, in any order.
pub(in crate::load) fn sniff_with_model(heads: &[Vec<u8>]) -> bool {
    let count = |of: fn(&[u8]) -> bool| heads.iter().filter(|head| of(head)).count();
    heads.len() == 2 && count(sniff) == 1 && count(tflite::sniff) == 1
}

/// Reads it, alone or with its model.
///
/// # Errors
/// See [`LoadError`]; [`Fault::Truncated`] when a table has no total.
pub(in crate::load) fn read(parts: &[Part<'_>]) -> Dump {
    match parts {
        [log] => read_log(log.source, None),
        [one, other] => {
            let is_model = tflite::sniff(&head(one.source)?);
            let (model, log) = if is_model { (one, other) } else { (other, one) };
            let shapes = shapes::shapes(model.source).map_err(|error| error.within(model.name))?;
            read_log(log.source, Some(&shapes)).map_err(|error| error.within(log.name))
        }
        _ => Err(apart(parts)),
    }
}

fn read_log(source: &dyn Source, shapes: Option<&shapes::Shapes>) -> Dump {
    let text = text::read(source)?;
    let (mut tables, mut warnings) = (Vec::<Table>::new(), Vec::new());
    let (mut open, mut stray) = (false, Count::default());
    for line in lines(&text) {
        if let Some(table) = heading(line) {
            unfinished(tables.last().filter(|_| open))?;
            if tables.len() == MAX_ARENAS {
                let message = message!("more than {} tables", MAX_ARENAS);
                return Err(line.fault(Fault::Limit, message));
            }
            tables.push(table);
            open = true;
        } else if open && let Some(table) = tables.last_mut() {
            open = !table.take(line)?;
        } else if line.text.starts_with("Unrecognised allocator") {
            warnings.push(Warning::new(
                line.place(),
                message!("the log says \"{}\"", line.text),
            ));
        } else if line.text.split(':').nth(1).is_some_and(addresses) {
            stray.add(line);
        }
    }
    unfinished(tables.last().filter(|_| open))?;
    stray.report(
        message!("line looks like a tensor but stands in no table"),
        message!("lines look like tensors but stand in no table"),
        &mut warnings,
    );
    let mut arenas = Vec::new();
    let mut opaque = Vec::new();
    for table in tables.into_iter().filter(|table| !table.entries.is_empty()) {
        arenas.push(table.arena(shapes, &mut opaque, &mut warnings)?);
    }
    warnings.extend(unknown_padding(&opaque, shapes.is_some()));
    if arenas.is_empty() {
        return Err(Fault::Malformed.in_file(message!("no table of this log has a tensor")));
    }
    let deployed = Deployed {
        toolchain: "Vela".into(),
        arenas,
        ..Deployed::default()
    };
    Ok((deployed, warnings))
}

/// The table that a line announces.
fn heading(line: Line<'_>) -> Option<Table> {
    let table = Table {
        line: line.number,
        ..Table::default()
    };
    if let Some(rest) = line.text.strip_prefix("Allocation, memory ") {
        return Some(Table {
            name: rest.split(", ").next().unwrap_or(rest).to_owned(),
            ..table
        });
    }
    let rest = line.text.strip_prefix("Tensor Allocation for ")?;
    let Some(rest) = rest.strip_prefix("mem_area ") else {
        return Some(Table {
            name: rest.trim_end_matches(':').to_owned(),
            constant: rest.starts_with("read-only"),
            ..table
        });
    };
    let (area, rest) = rest.split_once(", of mem_type_set (").unwrap_or((rest, ""));
    let (types, rest) = rest.split_once(')').unwrap_or((rest, ""));
    let allocator = rest.strip_prefix(", using allocator ").unwrap_or_default();
    Some(Table {
        name: format!("{area} ({types})"),
        allocator: allocator.split(',').next().unwrap_or_default().to_owned(),
        constant: types.contains("Permanent"),
        ..table
    })
}

/// A table that ends without its total is cut off.
fn unfinished(table: Option<&Table>) -> Result<(), LoadError> {
    match table {
        None => Ok(()),
        Some(table) => Err(Fault::Truncated.at(
            message!("line {}", table.line),
            message!("the table that begins here has no line with its total"),
        )),
    }
}

impl Table {
    /// Takes a line of the table and says whether it was the last.
    fn take(&mut self, line: Line<'_>) -> Result<bool, LoadError> {
        let text = line.text;
        if self.cells == 0 {
            if !(text.starts_with("Start Time") && text.contains("Memory Usage")) {
                let message =
                    message!("the names of the table's columns do not follow its heading");
                return Err(line.fault(Fault::Malformed, message));
            }
            self.cells = if text.contains("Purpose") { 7 } else { 6 };
        } else if let Some(rest) = text.strip_prefix("Allocation Peak Tensor Size:") {
            // The Python core says here how many bytes are live at once, and below how many
            // the area has; the other core says the latter here.
            let total = bytes(line, rest)?;
            self.total = (self.cells == 6).then_some(total);
        } else if let Some(rest) = text.strip_prefix("Allocation Peak Memory Usage:") {
            self.total = Some(bytes(line, rest)?);
        } else {
            self.entry(line)?;
        }
        Ok(self.total.is_some())
    }

    fn entry(&mut self, line: Line<'_>) -> Result<(), LoadError> {
        let cells: Vec<&str> = line.text.splitn(self.cells, ':').collect();
        let (Some(&times), Some(&addresses), Some(&size), Some(&usage), Some(&name)) = (
            cells.first(),
            cells.get(1),
            cells.get(2),
            cells.get(3),
            cells.get(self.cells - 1),
        ) else {
            let message = message!(
                "{} of a tensor's {} cells: times, addresses, size, usage, format and name",
                cells.len(),
                self.cells
            );
            return Err(line.fault(Fault::Malformed, message));
        };
        let (start, last) = line.pair(message!("the times"), times)?;
        let (start, last) = (
            line.step(message!("the start time"), start)?,
            line.step(message!("the end time"), last)?,
        );
        let (address, end) = line.pair(message!("the addresses"), addresses)?;
        let address = line.address(message!("the start address"), address)?;
        let end = line.address(message!("the end address"), end)?;
        let size = line.number(message!("the size"), size)?;
        if last < start {
            let message = message!("it ends at {}, before it starts at {}", last, start);
            return Err(line.fault(Fault::Malformed, message));
        }
        if address.checked_add(size) != Some(end) {
            let message = message!(
                "from address {} to {} are not the {} bytes it has",
                format_args!("{address:#x}"),
                format_args!("{end:#x}"),
                size
            );
            return Err(line.fault(Fault::Malformed, message));
        }
        self.usage = self
            .usage
            .max(line.number(message!("the memory usage"), usage)?);
        let purpose = cells.get(4).filter(|_| self.cells == 7);
        self.entries.push(Entry {
            line: line.number,
            name: name.trim().to_owned(),
            role: purpose.map_or("", |purpose| purpose.trim()).to_owned(),
            span: Span::new(start, last + 1),
            address,
            size,
            blocks: cells.get(self.cells - 2).map(|it| it.trim()) == Some(shapes::FORMAT),
        });
        Ok(())
    }

    /// The arena, and in `opaque` the lines of tensors of which nobody knows the padding.
    fn arena(
        self,
        shapes: Option<&shapes::Shapes>,
        opaque: &mut Vec<usize>,
        warnings: &mut Vec<Warning>,
    ) -> Result<Arena, LoadError> {
        let origin = format!("Vela {}", self.allocator);
        let mut draft = Draft::new(Message::verbatim(self.name), origin.trim_end());
        draft.arena = self.total;
        let ends = self.entries.iter().map(|entry| entry.span.end.0);
        let whole = Span::new(0, ends.max().unwrap_or(0));
        for entry in self.entries {
            let held = Held {
                why: Hold::WholeLife,
                needed: entry.span,
            };
            let known = shapes.and_then(|it| it.get(&entry.name));
            let payload = known.and_then(|&shape| shapes::payload(entry.size, shape));
            let payload = payload.filter(|_| entry.blocks);
            if entry.blocks && payload.is_none() {
                opaque.push(entry.line);
            }
            let row = Row {
                name: entry.name,
                size: entry.size,
                payload: Some(payload.unwrap_or(entry.size)),
                span: if self.constant { whole } else { entry.span },
                offset: entry.address,
                alignment: alignment(entry.address, ALIGNMENT),
                note: Note {
                    role: entry.role,
                    held: self.constant.then_some(held),
                    ..Note::default()
                },
            };
            draft.push(|| message!("line {}", entry.line), row)?;
        }
        draft.merge_aliases();
        let arena = draft.finish(warnings)?;
        let most = most_at_once(&arena);
        if most.0 != self.usage {
            warnings.push(Warning::new(message!("line {}", self.line), message!("the log counts {} bytes at once here, its tensors make {}: some may be missing", self.usage, most.0)));
        }
        Ok(arena)
    }
}

/// What is said of tensors in blocks whose shapes are not known.
fn unknown_padding(lines: &[usize], with_model: bool) -> Option<Warning> {
    let (first, count) = (lines.first()?, lines.len());
    let format = shapes::FORMAT;
    let message = match with_model {
        false => message!(
            "{} tensors are in {}, which rounds channels up to 16; how many bytes of \
             them are padding the log does not say: open it together with the .tflite",
            count,
            format
        ),
        true => message!(
            "{} tensors are in {} and not in the model by these names and shapes: \
             how many bytes of them are padding is not known",
            count,
            format
        ),
    };
    Some(Warning::new(message!("line {}", first), message))
}

/// The most bytes that are in use at once, constants while they are read.
fn most_at_once(arena: &Arena) -> Bytes {
    let mut lifetimes: Lifetimes = arena.lifetimes.clone();
    for (buffer, note) in lifetimes.buffers.iter_mut().zip(&arena.notes) {
        if let Some(held) = note.held {
            buffer.span = held.needed;
        }
    }
    let points = profile(&lifetimes).points.into_iter();
    points.map(|(_, bytes)| bytes).max().unwrap_or_default()
}

impl<'t> Line<'t> {
    /// The two cells that " - " parts.
    fn pair(self, what: Message, cell: &'t str) -> Result<(&'t str, &'t str), LoadError> {
        let wrong = || {
            let message = message!(
                "{} are \"{}\", no two numbers with - between",
                what,
                cell.trim()
            );
            self.fault(Fault::Malformed, message)
        };
        cell.split_once(" - ").ok_or_else(wrong)
    }
}

/// Whether a cell is two addresses.
fn addresses(cell: &str) -> bool {
    let ends = cell.split_once(" - ");
    ends.is_some_and(|(one, other)| [one, other].iter().all(|it| it.trim().starts_with("0x")))
}

/// The number of bytes that a total begins with.
fn bytes(line: Line<'_>, text: &str) -> Result<u64, LoadError> {
    if !text.ends_with("KiB") {
        return Err(line.fault(Fault::Malformed, message!("the total does not end in KiB")));
    }
    let first = text.split_ascii_whitespace().next().unwrap_or_default();
    line.number(message!("the total"), first)
}
