//! Placement problems and plans as MiniMalloc CSV.
//!
//! The first line names the columns, in any order: `id` (or `buffer`, `buffer_id`), `lower`
//! (`start`, `begin`), `upper` (exclusive) or `end` (inclusive), `size`, and optionally
//! `alignment`, `offset`, `name`, `hint`, `gaps` (`lower-upper` or `lower-upper@start:end`,
//! separated by spaces), `fixed` (an address, or -1) and `pools` (indices from 0 up, the preferred
//! first, separated by spaces). The same is said on the page and in the README. There is no
//! quoting, so a line is split at its commas and a CSV library would earn nothing. Blank lines and
//! lines that begin with `#` are passed over.

use std::collections::BTreeSet;

use super::constraints::{
    MAX_ALL_PAUSES, MAX_POOLS, Wrong, check_candidates, check_pauses, parse_pauses,
};
use super::text::{self, BYTE_ORDER_MARK};
use super::{Document, Fault, LoadError, Source, Warning, reach};
use crate::deployed::Deployed;
use crate::liveness::{Buffer, Lifetimes, admit};
use crate::plan::Plan;
use crate::units::{Bytes, Offset, Span, counted};

/// The most rows.
const MAX_ROWS: usize = 1 << 22;
/// The latest time: whole numbers up to here are exact in every picture and program.
const MAX_TIME: u64 = 1 << 53;

/// What a cell holds, with an example, for the error when it holds another thing.
const PAUSES_FORMAT: &str = "write the steps of each gap as lower-upper, upper exclusive, and \
                           @first:behind where those bytes stay needed, separated by spaces, as \
                           in \"3-5 7-9@0:64\"";
const FIXED_FORMAT: &str = "write one address in bytes, as in \"4096\", or -1 or nothing for none";
const POOLS_FORMAT: &str = "write the numbers of the pools that it may live in, counted from 0, \
                            the preferred first, separated by spaces, as in \"1 0\"";

/// A column that we know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Column {
    Id,
    Lower,
    Upper,
    /// Inclusive, unlike `Upper`.
    End,
    Size,
    Alignment,
    Offset,
    Name,
    Hint,
    Pauses,
    Fixed,
    Pools,
}

impl Column {
    fn named(name: &str) -> Option<Self> {
        Some(match name.trim().to_ascii_lowercase().as_str() {
            "id" | "buffer" | "buffer_id" => Self::Id,
            "lower" | "start" | "begin" => Self::Lower,
            "upper" => Self::Upper,
            "end" => Self::End,
            "size" => Self::Size,
            "alignment" | "align" => Self::Alignment,
            "offset" => Self::Offset,
            "name" => Self::Name,
            "hint" => Self::Hint,
            "gaps" => Self::Pauses,
            "fixed" => Self::Fixed,
            "pools" => Self::Pools,
            _ => return None,
        })
    }
}

/// The columns in the order of the file; `None` for one that we do not know.
struct Header<'t> {
    line: usize,
    names: Vec<&'t str>,
    columns: Vec<Option<Column>>,
}

/// One line after the header.
struct Row<'h, 't> {
    header: &'h Header<'t>,
    line: usize,
    cells: Vec<&'t str>,
}

/// What rows said that is not supported: how often, and the first line.
#[derive(Default)]
struct Ignored {
    hints: Vec<usize>,
    zero: Vec<usize>,
    empty: Vec<usize>,
}

/// Whether a file that begins with `head` is a table with columns that we know.
pub(super) fn sniff(head: &[u8]) -> bool {
    let head = head.strip_prefix(BYTE_ORDER_MARK).unwrap_or(head);
    let lines = head.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let mut lines = lines.skip_while(|line| line.is_empty() || line.starts_with(b"#"));
    let known = |name: &&[u8]| str::from_utf8(name).is_ok_and(|name| Column::named(name).is_some());
    let line = lines.next().unwrap_or_default();
    line.split(|&byte| byte == b',').filter(known).count() >= 2
}

/// Reads the table in `source`: a plan when every row has an offset, otherwise a problem.
///
/// # Errors
/// [`LoadError`] with line and column.
pub(super) fn read(source: &dyn Source) -> Result<(Document, Vec<Warning>), LoadError> {
    let text = text::read(source)?;
    let lines = text.lines().enumerate();
    let lines = lines.map(|(index, line)| (index + 1, line.trim()));
    let mut lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let mut warnings = Vec::new();
    let header = header(lines.next().unwrap_or((1, "")), &mut warnings)?;
    let mut ignored = Ignored::default();
    let (mut ids, mut names) = (BTreeSet::new(), BTreeSet::new());
    let (mut buffers, mut offsets, mut pauses) = (Vec::new(), Vec::new(), 0);
    for (line, text) in lines {
        let row = row(&header, line, text)?;
        let id = row.required(Column::Id)?;
        if !ids.insert(id) {
            let message = format!("the id \"{id}\" is there twice");
            return Err(row.fault(Fault::Duplicate, Column::Id, message));
        }
        let Some(mut buffer) = buffer(&row, &mut ignored)? else {
            continue;
        };
        if let Some(name) = row.cell(Column::Name) {
            buffer.name = name.to_owned();
        }
        if !names.insert(buffer.name.clone()) {
            buffer.name = format!("{} ({id})", buffer.name);
            names.insert(buffer.name.clone());
        }
        if buffers.len() == MAX_ROWS {
            let message = format!("more than {MAX_ROWS} rows");
            return Err(row.fault(Fault::Limit, Column::Id, message));
        }
        pauses += buffer.pauses.len();
        if pauses > MAX_ALL_PAUSES {
            let message = format!("more than {MAX_ALL_PAUSES} gaps");
            return Err(row.fault(Fault::Limit, Column::Pauses, message));
        }
        buffers.push(buffer);
        offsets.push(row.address(Column::Offset)?);
    }
    ignored.report(&mut warnings);
    let document = document(buffers, offsets, &mut warnings)?;
    Ok((document, warnings))
}

fn header<'t>(
    (line, text): (usize, &'t str),
    warnings: &mut Vec<Warning>,
) -> Result<Header<'t>, LoadError> {
    let names: Vec<&str> = text.split(',').map(str::trim).collect();
    let columns: Vec<_> = names.iter().map(|name| Column::named(name)).collect();
    let header = Header {
        line,
        names,
        columns,
    };
    for (index, name) in header.names.iter().enumerate() {
        let column = header.columns[index];
        if column.is_none() {
            warnings.push(Warning {
                place: format!("line {line}"),
                message: format!("the column \"{name}\" is unknown and ignored"),
            });
        } else if header.columns[..index].contains(&column) {
            return Err(header.fault(Fault::Duplicate, format!("two columns mean \"{name}\"")));
        }
    }
    let has = |column| header.columns.contains(&Some(column));
    let missing = [
        (Column::Id, "id"),
        (Column::Lower, "lower"),
        (Column::Size, "size"),
    ];
    if let Some((_, name)) = missing.into_iter().find(|&(column, _)| !has(column)) {
        return Err(header.fault(Fault::Malformed, format!("there is no column \"{name}\"")));
    }
    match (has(Column::Upper), has(Column::End)) {
        (true, true) => {
            let message = "there are both \"upper\" (exclusive) and \"end\" (inclusive)";
            Err(header.fault(Fault::Duplicate, message.into()))
        }
        (false, false) => {
            let message = "there is no column \"upper\" (exclusive) or \"end\" (inclusive)";
            Err(header.fault(Fault::Malformed, message.into()))
        }
        _ => Ok(header),
    }
}

impl Header<'_> {
    fn fault(&self, kind: Fault, message: String) -> LoadError {
        LoadError {
            kind,
            place: format!("line {}", self.line),
            message,
        }
    }
}

fn row<'h, 't>(
    header: &'h Header<'t>,
    line: usize,
    text: &'t str,
) -> Result<Row<'h, 't>, LoadError> {
    let cells: Vec<&str> = text.split(',').map(str::trim).collect();
    let (found, expected) = (cells.len(), header.columns.len());
    if found != expected {
        return Err(LoadError {
            kind: Fault::Malformed,
            place: format!("line {line}"),
            message: format!(
                "{} where the header has {}; cells hold no commas, lists in them are separated \
                 by spaces",
                counted(found, "cell", "cells"),
                counted(expected, "column", "columns")
            ),
        });
    }
    Ok(Row {
        header,
        line,
        cells,
    })
}

/// The buffer of a row; `None` when it is live at no time.
fn buffer(row: &Row<'_, '_>, ignored: &mut Ignored) -> Result<Option<Buffer>, LoadError> {
    let lower = row.time(Column::Lower)?;
    let (upper, column) = match row.position(Column::End) {
        Some(_) => (row.time(Column::End)? + 1, Column::End),
        None => (row.time(Column::Upper)?, Column::Upper),
    };
    if upper < lower {
        let message = format!("it ends at {upper}, before it starts at {lower}");
        return Err(row.fault(Fault::Malformed, column, message));
    }
    let size = row.number(Column::Size)?;
    let mut buffer = Buffer::new(row.required(Column::Id)?, size, Span::new(lower, upper));
    if row.cell(Column::Alignment).is_some() {
        buffer.alignment = Bytes(row.number(Column::Alignment)?.max(1));
    }
    if row.cell(Column::Hint).is_some_and(|hint| hint != "-1") {
        ignored.hints.push(row.line);
    }
    if upper == lower {
        ignored.empty.push(row.line);
        return Ok(None);
    }
    if size == 0 {
        ignored.zero.push(row.line);
    }
    row.constrain(&mut buffer)?;
    Ok(Some(buffer))
}

impl<'t> Row<'_, 't> {
    fn position(&self, column: Column) -> Option<usize> {
        let mut columns = self.header.columns.iter();
        columns.position(|&found| found == Some(column))
    }

    /// The cell in this column, unless it is empty.
    fn cell(&self, column: Column) -> Option<&'t str> {
        let cell = self.cells.get(self.position(column)?)?;
        (!cell.is_empty()).then_some(*cell)
    }

    fn required(&self, column: Column) -> Result<&'t str, LoadError> {
        let missing = || self.fault(Fault::Malformed, column, "the cell is empty".into());
        self.cell(column).ok_or_else(missing)
    }

    fn number(&self, column: Column) -> Result<u64, LoadError> {
        let cell = self.required(column)?;
        let digits = cell.bytes().all(|byte| byte.is_ascii_digit());
        cell.parse().ok().ok_or_else(|| match digits {
            true => self.fault(Fault::Limit, column, format!("{cell} is beyond 64 bits")),
            false => {
                let message = format!("\"{cell}\" is not a whole number from 0 up");
                self.fault(Fault::Malformed, column, message)
            }
        })
    }

    fn time(&self, column: Column) -> Result<u64, LoadError> {
        let time = self.number(column)?;
        if time >= MAX_TIME {
            let message = format!("the time {time} is beyond {MAX_TIME}");
            return Err(self.fault(Fault::Limit, column, message));
        }
        Ok(time)
    }

    /// The address in this column; `None` when the cell is empty or −1.
    fn address(&self, column: Column) -> Result<Option<Offset>, LoadError> {
        match self.cell(column) {
            None | Some("-1") => Ok(None),
            Some(_) => Ok(Some(Offset(self.number(column)?))),
        }
    }

    /// Takes what the row says about a fixed address, pauses and pools.
    fn constrain(&self, buffer: &mut Buffer) -> Result<(), LoadError> {
        buffer.fixed = self.address(Column::Fixed).map_err(|mut error| {
            error.message = format!("{}; {FIXED_FORMAT}", error.message);
            error
        })?;
        if let Some(cell) = self.cell(Column::Pauses) {
            let wrong = || {
                let message = format!("\"{cell}\" is no list of gaps: {PAUSES_FORMAT}");
                self.fault(Fault::Malformed, Column::Pauses, message)
            };
            buffer.pauses = parse_pauses(cell).ok_or_else(wrong)?;
            check_pauses(buffer).map_err(|wrong| self.wrong(Column::Pauses, wrong))?;
        }
        if let Some(cell) = self.cell(Column::Pools) {
            let pools = cell.split_ascii_whitespace().map(str::parse);
            let pools: Result<Vec<u32>, _> = pools.collect();
            let message = || format!("\"{cell}\" is no list of pools: {POOLS_FORMAT}");
            let wrong = |_| self.fault(Fault::Malformed, Column::Pools, message());
            buffer.pools = pools.map_err(wrong)?;
            let checked = check_candidates(buffer, MAX_POOLS);
            checked.map_err(|wrong| self.wrong(Column::Pools, wrong))?;
        }
        Ok(())
    }

    fn wrong(&self, column: Column, (kind, message): Wrong) -> LoadError {
        self.fault(kind, column, message)
    }

    fn fault(&self, kind: Fault, column: Column, message: String) -> LoadError {
        let name = self
            .position(column)
            .and_then(|at| self.header.names.get(at));
        LoadError {
            kind,
            place: format!("line {}, column \"{}\"", self.line, name.unwrap_or(&"")),
            message,
        }
    }
}

impl Ignored {
    fn report(&self, warnings: &mut Vec<Warning>) {
        for (lines, one, many) in [
            (
                &self.hints,
                "row has a hint, which is ignored: no address is fixed",
                "rows have a hint, which is ignored: no address is fixed",
            ),
            (&self.zero, "row has size 0", "rows have size 0"),
            (
                &self.empty,
                "row ends when it starts and is left out",
                "rows end when they start and are left out",
            ),
        ] {
            if let Some(first) = lines.first() {
                warnings.push(Warning {
                    place: format!("line {first}"),
                    message: counted(lines.len(), one, many),
                });
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
            warnings.push(Warning {
                place: "column \"offset\"".into(),
                message: format!(
                    "only in {given} of {}: ignored",
                    counted(offsets.len(), "row", "rows")
                ),
            });
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
