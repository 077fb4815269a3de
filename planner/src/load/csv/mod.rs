//! Placement problems and plans as tables: MiniMalloc CSV, and what people have instead.
//!
//! The first row names the columns, in any order: `lower` (`start`, `begin`), `upper` (exclusive)
//! or `end` (inclusive), `size`, and optionally `id` (`buffer`, `buffer_id`), `alignment`,
//! `offset`, `name`, `hint`, `gaps` (`lower-upper` or `lower-upper@start:end`, separated by
//! spaces), `fixed` (an address, or -1) and `pools` (indices from 0 up, the preferred first,
//! separated by spaces). The same is said on the page and in the README. Of a table with other
//! names [`Columns`] say which column means what, and [`table`] has what is needed to ask.
//!
//! Cells are separated by the one of `,`, `;` and tab that fits the header best, and quoted as
//! in RFC 4180; how numbers are written, [`quantity`] says. Blank rows and lines that begin with
//! `#` are passed over. A fault names the line on which its row begins.

mod cells;
mod columns;
mod quantity;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::constraints::{
    self, MAX_ALL_PAUSES, MAX_POOLS, check_candidates, check_pauses, parse_pauses,
};
use super::{Document, Fault, LoadError, Source, Warning, reach, text};
use crate::deployed::Deployed;
use crate::liveness::{Buffer, Lifetimes, admit};
use crate::number::Unit;
use crate::plan::Plan;
use crate::units::{Bytes, Offset, Span};
use crate::{Message, counted, message};
use cells::{Record, Rows, delimiter};
use columns::Header;
use quantity::Wrong;

pub(super) use cells::{LEAST, is_table, sniff};
pub use columns::{Columns, Meaning};

/// The most rows.
const MAX_ROWS: usize = 1 << 22;
/// The latest time: whole numbers up to here are exact in every picture and program.
const MAX_TIME: u64 = 1 << 53;
/// So many rows are shown to ask what columns mean.
const SHOWN: usize = 3;

/// What a cell holds, with an example, for the error when it holds another thing.
const PAUSES_FORMAT: fn() -> Message = || {
    message!(
        "write the steps of each gap as lower-upper, upper exclusive, and \
         @first:behind where those bytes stay needed, separated by spaces, as \
         in \"3-5 7-9@0:64\""
    )
};
const FIXED_FORMAT: fn() -> Message = || {
    message!("write one address in bytes, as in \"4096\" or \"0x1000\", or -1 or nothing for none")
};
const POOLS_FORMAT: fn() -> Message = || {
    message!(
        "write the numbers of the pools that it may live in, counted from 0, \
         the preferred first, separated by spaces, as in \"1 0\""
    )
};

/// One line after the header.
struct Row<'h, 'r> {
    header: &'h Header,
    /// Its number, counted from 1.
    number: usize,
    record: Record<'r>,
}

/// What rows said that is not supported: how often, and the first line.
#[derive(Default)]
struct Ignored {
    hints: Vec<usize>,
    zero: Vec<usize>,
    empty: Vec<usize>,
}

/// Reads the table in `source`, whose columns mean what `columns` say, else what their names say:
/// a plan when every row has an offset, otherwise a problem.
///
/// # Errors
/// [`LoadError`] with line and column; [`Fault::Columns`] where a needed column is not known.
pub(super) fn read(
    source: &dyn Source,
    columns: &Columns,
) -> Result<(Document, Vec<Warning>), LoadError> {
    let text = text::read(source)?;
    let mut rows = Rows::new(&text, delimiter(&text));
    let mut warnings = Vec::new();
    let first = rows.next().map_or((1, Vec::new()), named);
    let header = Header::read(first, columns, &mut warnings)?;
    let mut ignored = Ignored::default();
    let (mut ids, mut names) = (BTreeSet::new(), BTreeSet::new());
    let (mut buffers, mut offsets, mut pauses) = (Vec::new(), Vec::new(), 0);
    let mut number = 0;
    while let Some(record) = rows.next() {
        number += 1;
        let row = row(&header, number, record)?;
        let id = row.id()?;
        if ids.contains(&id) {
            let message = message!("the id \"{}\" is there twice", id);
            return Err(row.fault(Fault::Duplicate, Meaning::Id, message));
        }
        if let Some(mut buffer) = buffer(&row, &id, &mut ignored)? {
            if let Some(name) = row.cell(Meaning::Name) {
                buffer.name = name.to_owned();
            }
            if !names.insert(buffer.name.clone()) {
                buffer.name = format!("{} ({id})", buffer.name);
                names.insert(buffer.name.clone());
            }
            if buffers.len() == MAX_ROWS {
                let message = message!("more than {} rows", MAX_ROWS);
                return Err(row.fault(Fault::Limit, Meaning::Id, message));
            }
            pauses += buffer.pauses.len();
            if pauses > MAX_ALL_PAUSES {
                let message = message!("more than {} gaps", MAX_ALL_PAUSES);
                return Err(row.fault(Fault::Limit, Meaning::Pauses, message));
            }
            buffers.push(buffer);
            offsets.push(row.address(Meaning::Offset)?);
        }
        ids.insert(id);
    }
    ignored.report(&mut warnings);
    let document = document(buffers, offsets, &mut warnings)?;
    Ok((document, warnings))
}

/// A table whose columns somebody has to say the meaning of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    /// The names in its header.
    pub names: Vec<String>,
    /// Its first rows.
    pub rows: Vec<Vec<String>>,
    /// What its columns mean, as far as that can be guessed.
    pub guess: Columns,
}

/// The table in `source`, to ask what its columns mean.
///
/// # Errors
/// Where it is no text.
pub(super) fn table(source: &dyn Source) -> Result<Table, LoadError> {
    let text = text::read(source)?;
    let mut rows = Rows::new(&text, delimiter(&text));
    let (_, names) = rows.next().map(named).unwrap_or_default();
    let shown = (0..SHOWN).map_while(|_| rows.next().map(|record| named(record).1));
    Ok(Table {
        rows: shown.collect(),
        guess: Columns::guessed(&names),
        names,
    })
}

/// The line of a row, and its cells.
fn named(record: Record<'_>) -> (usize, Vec<String>) {
    let cells = record.cells.into_iter().map(str::to_owned);
    (record.line, cells.collect())
}

fn row<'h, 'r>(
    header: &'h Header,
    number: usize,
    record: Record<'r>,
) -> Result<Row<'h, 'r>, LoadError> {
    let (found, expected) = (record.cells.len(), header.columns.len());
    if found != expected {
        let message = match record.is_odd {
            true => message!("a quotation mark opens a cell and nothing closes it"),
            false => message!(
                "{} where the header has {}; a cell with a delimiter in it is quoted, lists in \
                 cells are separated by spaces",
                message!("cell" | "cells", found),
                message!("column" | "columns", expected)
            ),
        };
        return Err(Fault::Malformed.at(message!("line {}", record.line), message));
    }
    Ok(Row {
        header,
        number,
        record,
    })
}

/// The buffer of a row; `None` when it is live at no time.
fn buffer(row: &Row<'_, '_>, id: &str, ignored: &mut Ignored) -> Result<Option<Buffer>, LoadError> {
    let lower = row.time(Meaning::Lower)?;
    let (upper, column) = match row.header.position(Meaning::End) {
        Some(_) => (row.time(Meaning::End)? + 1, Meaning::End),
        None => (row.time(Meaning::Upper)?, Meaning::Upper),
    };
    if upper < lower {
        let message = message!("it ends at {}, before it starts at {}", upper, lower);
        return Err(row.fault(Fault::Malformed, column, message));
    }
    let size = row.number(Meaning::Size)?;
    let mut buffer = Buffer::new(id, size, Span::new(lower, upper));
    if row.cell(Meaning::Alignment).is_some() {
        buffer.alignment = Bytes(row.number(Meaning::Alignment)?.max(1));
    }
    if row.cell(Meaning::Hint).is_some_and(|hint| hint != "-1") {
        ignored.hints.push(row.record.line);
    }
    if upper == lower {
        ignored.empty.push(row.record.line);
        return Ok(None);
    }
    if size == 0 {
        ignored.zero.push(row.record.line);
    }
    row.constrain(&mut buffer)?;
    Ok(Some(buffer))
}

impl<'r> Row<'_, 'r> {
    /// What the file calls the buffer; the row's number where it has no such column.
    fn id(&self) -> Result<String, LoadError> {
        match self.header.position(Meaning::Id) {
            Some(_) => self.required(Meaning::Id).map(str::to_owned),
            None => Ok(self.number.to_string()),
        }
    }

    /// The cell in this column, unless it is empty.
    fn cell(&self, column: Meaning) -> Option<&'r str> {
        let cell = self.record.cells.get(self.header.position(column)?)?;
        (!cell.is_empty()).then_some(*cell)
    }

    fn required(&self, column: Meaning) -> Result<&'r str, LoadError> {
        let missing = || self.fault(Fault::Malformed, column, message!("the cell is empty"));
        self.cell(column).ok_or_else(missing)
    }

    /// The number in this column, and its unit.
    fn quantity(&self, column: Meaning) -> Result<(u64, Option<Unit>), LoadError> {
        let cell = self.required(column)?;
        let place = self.header.position(column);
        let known = place.and_then(|at| *self.header.columns.get(at)?);
        quantity::read(cell, known.and_then(|(_, unit)| unit)).map_err(|wrong| {
            let (kind, message) = match wrong {
                Wrong::TooLarge => (Fault::Limit, message!("{} is beyond 64 bits", cell)),
                Wrong::Unlike => (
                    Fault::Malformed,
                    message!("\"{}\" is not a whole number from 0 up", cell),
                ),
                Wrong::Fraction => (
                    Fault::Malformed,
                    message!("\"{}\" comes to no whole number, and is not rounded", cell),
                ),
                Wrong::Ambiguous => (
                    Fault::Malformed,
                    message!(
                        "\"{}\" can be read in two ways: its point may part thousands",
                        cell
                    ),
                ),
            };
            self.fault(kind, column, message)
        })
    }

    fn number(&self, column: Meaning) -> Result<u64, LoadError> {
        self.quantity(column).map(|(value, _)| value)
    }

    fn time(&self, column: Meaning) -> Result<u64, LoadError> {
        let (time, unit) = self.quantity(column)?;
        if let Some(unit) = unit {
            let message = message!("steps have no unit, and this one has {}", unit.name());
            return Err(self.fault(Fault::Malformed, column, message));
        }
        if time >= MAX_TIME {
            let message = message!("the time {} is beyond {}", time, MAX_TIME);
            return Err(self.fault(Fault::Limit, column, message));
        }
        Ok(time)
    }

    /// The address in this column; `None` when the cell is empty or −1.
    fn address(&self, column: Meaning) -> Result<Option<Offset>, LoadError> {
        match self.cell(column) {
            None | Some("-1") => Ok(None),
            Some(_) => Ok(Some(Offset(self.number(column)?))),
        }
    }

    /// Takes what the row says about a fixed address, pauses and pools.
    fn constrain(&self, buffer: &mut Buffer) -> Result<(), LoadError> {
        buffer.fixed = self.address(Meaning::Fixed).map_err(|mut error| {
            error.message = message!("{}; {}", error.message, FIXED_FORMAT());
            error
        })?;
        if let Some(cell) = self.cell(Meaning::Pauses) {
            let wrong = || {
                let message = message!("\"{}\" is no list of gaps: {}", cell, PAUSES_FORMAT());
                self.fault(Fault::Malformed, Meaning::Pauses, message)
            };
            buffer.pauses = parse_pauses(cell).ok_or_else(wrong)?;
            check_pauses(buffer).map_err(|wrong| self.wrong(Meaning::Pauses, wrong))?;
        }
        if let Some(cell) = self.cell(Meaning::Pools) {
            let pools = cell.split_ascii_whitespace().map(str::parse);
            let pools: Result<Vec<u32>, _> = pools.collect();
            let message = || message!("\"{}\" is no list of pools: {}", cell, POOLS_FORMAT());
            let wrong = |_| self.fault(Fault::Malformed, Meaning::Pools, message());
            buffer.pools = pools.map_err(wrong)?;
            let checked = check_candidates(buffer, MAX_POOLS);
            checked.map_err(|wrong| self.wrong(Meaning::Pools, wrong))?;
        }
        Ok(())
    }

    fn wrong(&self, column: Meaning, (kind, message): constraints::Wrong) -> LoadError {
        self.fault(kind, column, message)
    }

    fn fault(&self, kind: Fault, column: Meaning, message: Message) -> LoadError {
        let line = self.record.line;
        let place = self.header.position(column);
        let name = place.and_then(|at| self.header.names.get(at));
        kind.at(
            match name {
                Some(name) => message!("line {}, column \"{}\"", line, name),
                None => message!("line {}", line),
            },
            message,
        )
    }
}

impl Ignored {
    fn report(&self, warnings: &mut Vec<Warning>) {
        for (lines, one, many) in [
            (
                &self.hints,
                message!("row has a hint, which is ignored: no address is fixed"),
                message!("rows have a hint, which is ignored: no address is fixed"),
            ),
            (
                &self.zero,
                message!("row has size 0"),
                message!("rows have size 0"),
            ),
            (
                &self.empty,
                message!("row ends when it starts and is left out"),
                message!("rows end when they start and are left out"),
            ),
        ] {
            if let Some(first) = lines.first() {
                warnings.push(Warning::new(
                    message!("line {}", first),
                    counted(lines.len(), one, many),
                ));
            }
        }
    }
}

fn document(
    buffers: Vec<Buffer>,
    offsets: Vec<Option<Offset>>,
    warnings: &mut Vec<Warning>,
) -> Result<Document, LoadError> {
    let lifetimes = Lifetimes::of(buffers);
    admit(&lifetimes, Bytes(1))?;
    let given = offsets.iter().flatten().count();
    if given < offsets.len() || given == 0 {
        if given > 0 {
            warnings.push(Warning::new(
                message!("column \"offset\""),
                message!(
                    "only in {} of {}: ignored",
                    given,
                    message!("row" | "rows", offsets.len())
                ),
            ));
        }
        return Ok(Document::Problem(lifetimes));
    }
    let offsets: Vec<Offset> = offsets.into_iter().flatten().collect();
    let plan = Plan {
        origin: "csv".into(),
        arena: reach(&lifetimes, &offsets)?,
        offsets,
        ..Plan::default()
    };
    Ok(Document::Deployed(Deployed::single("", lifetimes, plan)))
}
