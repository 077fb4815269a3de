//! What the columns of a table mean: by their names, or as somebody says.

use serde::{Deserialize, Serialize};

use super::cells::same;
use crate::load::{Fault, LoadError, Warning};
use crate::number::Unit;
use crate::{Message, message};

/// A fault names so many columns at most.
const LISTED: usize = 40;

/// What a column means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Meaning {
    /// What the file calls a buffer; each has another.
    Id,
    /// The first step at which it is needed.
    Lower,
    /// The first step at which it is no longer needed.
    Upper,
    /// The last step at which it is needed.
    End,
    /// Its bytes.
    Size,
    /// Bytes that its address has to be a multiple of.
    Alignment,
    /// Where a plan puts it.
    Offset,
    /// What people call it.
    Name,
    /// An address that would be good.
    Hint,
    /// Steps at which it is not needed.
    Pauses,
    /// Where it has to start.
    Fixed,
    /// The pools that it may live in.
    Pools,
}

/// Each meaning with the names that say it, its own first, and with those that only suggest it.
const NAMES: [(Meaning, &[&str], &[&str]); 12] = [
    (
        Meaning::Id,
        &["id", "buffer", "buffer_id", "tensor_id"],
        &["index", "key", "block", "block_id"],
    ),
    (
        Meaning::Lower,
        &["lower", "start", "begin"],
        &[
            "first_use",
            "first",
            "first_step",
            "alloc_time",
            "alloc",
            "start_time",
            "start_step",
            "begin_time",
            "begin_step",
            "birth",
            "def",
            "from",
            "t0",
        ],
    ),
    (
        Meaning::Upper,
        &["upper"],
        &[
            "free_time",
            "free",
            "dealloc_time",
            "end_time",
            "end_step",
            "stop",
            "stop_time",
            "death",
            "until",
            "to",
            "t1",
        ],
    ),
    (
        Meaning::End,
        &["end"],
        &["last_use", "last", "last_step", "end_inclusive"],
    ),
    (
        Meaning::Size,
        &["size", "bytes", "nbytes"],
        &["length", "len", "memory", "mem", "numel_bytes"],
    ),
    (Meaning::Alignment, &["alignment", "align"], &[]),
    (
        Meaning::Offset,
        &["offset"],
        &["address", "addr", "base", "position", "location"],
    ),
    (
        Meaning::Name,
        &["name", "tensor", "tensor_name"],
        &["label", "variable", "value"],
    ),
    (Meaning::Hint, &["hint"], &[]),
    (Meaning::Pauses, &["gaps"], &[]),
    (Meaning::Fixed, &["fixed"], &[]),
    (Meaning::Pools, &["pools"], &[]),
];

impl Meaning {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Self> {
        NAMES.iter().map(|(meaning, ..)| *meaning)
    }

    /// The name in files and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        let mut rows = NAMES.iter();
        let row = rows.find(|(meaning, ..)| *meaning == self);
        row.and_then(|(_, names, _)| names.first())
            .map_or("", |it| *it)
    }

    /// What a column of this name means, without a unit at its end.
    pub(super) fn named(name: &str) -> Option<Self> {
        let (stem, unit) = parted(name);
        let mut rows = NAMES.iter();
        let row = rows.find(|(_, names, _)| names.iter().any(|it| same(it, stem)));
        let found = row.map(|(meaning, ..)| *meaning);
        found.filter(|meaning| unit.is_none() || meaning.is_bytes())
    }

    /// Whether its cells are bytes.
    fn is_bytes(self) -> bool {
        matches!(
            self,
            Self::Size | Self::Alignment | Self::Offset | Self::Fixed
        )
    }

    /// Whether both say the same of a buffer, so that only one of them can be there.
    fn rivals(self, other: Self) -> bool {
        let ends = [Self::Upper, Self::End];
        self == other || (ends.contains(&self) && ends.contains(&other))
    }
}

/// A column's name without the unit at its end, and that: `size (KiB)`, `offset_bytes`.
fn parted(name: &str) -> (&str, Option<Unit>) {
    let name = name.trim();
    let open = name.trim_end_matches([')', ']']);
    let enclosed = open.len() < name.len();
    let at = match enclosed {
        true => open.rfind(['(', '[']),
        false => open.rfind('_'),
    };
    let Some((stem, unit)) =
        at.map(|at| (open[..at].trim_end_matches(['_', ' ']), &open[at + 1..]))
    else {
        return (name, None);
    };
    let unit = match unit.trim() {
        word if word.eq_ignore_ascii_case("bytes") => Some(Unit::B),
        // `size_b` may be another size.
        word if word.len() == 1 && !enclosed => None,
        word => Unit::named(word),
    };
    match unit {
        Some(unit) if !stem.is_empty() => (stem, Some(unit)),
        _ => (name, None),
    }
}

/// Which columns mean what, where a table's header does not say it: a meaning and the name of its
/// column, or nothing for a meaning that no column is to have. What is not named here means what
/// its name says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Columns(pub Vec<(Meaning, String)>);

impl Columns {
    /// What the columns of these names mean, as far as that can be guessed.
    pub(super) fn guessed(names: &[String]) -> Self {
        let mut found: Vec<(Meaning, String)> = Vec::new();
        let says = |name: &String, meaning| Meaning::named(name) == Some(meaning);
        let suggests = |name: &String, meaning| {
            let mut rows = NAMES.iter();
            let row = rows.find(|row| row.0 == meaning);
            row.is_some_and(|row| row.2.iter().any(|it| same(it, parted(name).0)))
        };
        for matches in [&says as &dyn Fn(&String, Meaning) -> bool, &suggests] {
            for (meaning, ..) in NAMES {
                let free = |name: &&String| found.iter().all(|(_, taken)| taken != *name);
                let column = names.iter().filter(free).find(|it| matches(it, meaning));
                let is_new = found.iter().all(|(other, _)| !other.rivals(meaning));
                if let Some(column) = column.filter(|_| is_new) {
                    found.push((meaning, column.clone()));
                }
            }
        }
        Self(found)
    }

    /// What the first column of this name means.
    fn of(&self, name: &str) -> Option<Meaning> {
        let mut pairs = self.0.iter();
        pairs.find(|(_, column)| column == name).map(|pair| pair.0)
    }
}

/// The columns in the order of the file.
pub(super) struct Header {
    pub(super) line: usize,
    pub(super) names: Vec<String>,
    /// What each means, and the unit of its cells; `None` for one that means nothing to us.
    pub(super) columns: Vec<Option<(Meaning, Option<Unit>)>>,
}

impl Header {
    /// Takes the columns as somebody says, else as their names say.
    pub(super) fn read(
        (line, names): (usize, Vec<String>),
        asked: &Columns,
        warnings: &mut Vec<Warning>,
    ) -> Result<Self, LoadError> {
        let mut header = Self {
            line,
            columns: Vec::new(),
            names,
        };
        let mut pairs = asked.0.iter();
        let missing =
            pairs.find(|(_, column)| !column.is_empty() && !header.names.contains(column));
        if let Some((_, column)) = missing {
            return Err(header.lacks(column));
        }
        let mut meant: Vec<Option<Meaning>> = Vec::new();
        for (index, name) in header.names.iter().enumerate() {
            let first = !header.names[..index].contains(name);
            let said = asked.of(name).filter(|_| first && !name.is_empty());
            let is_free = |it: &Meaning| asked.0.iter().all(|(other, _)| !other.rivals(*it));
            let found = said.or_else(|| Meaning::named(name).filter(is_free));
            if found.is_none() {
                warnings.push(Warning::new(
                    message!("line {}", line),
                    message!("the column \"{}\" is unknown and ignored", name),
                ));
            } else if meant.contains(&found) {
                let message = message!("two columns mean \"{}\"", name);
                return Err(header.fault(Fault::Duplicate, message));
            }
            meant.push(found);
        }
        let unit = |meaning: Meaning, name: &str| parted(name).1.filter(|_| meaning.is_bytes());
        let columns = meant.into_iter().zip(&header.names);
        let columns = columns.map(|(it, name)| it.map(|meaning| (meaning, unit(meaning, name))));
        header.columns = columns.collect();
        header.whole()
    }

    /// Where the column of this meaning is.
    pub(super) fn position(&self, meaning: Meaning) -> Option<usize> {
        let mut columns = self.columns.iter();
        columns.position(|found| found.is_some_and(|(found, _)| found == meaning))
    }

    /// Itself, if no column is missing and none is there twice.
    fn whole(self) -> Result<Self, LoadError> {
        let has = |meaning| self.position(meaning).is_some();
        let needed = [Meaning::Lower, Meaning::Size].into_iter();
        if let Some(missing) = needed.into_iter().find(|&meaning| !has(meaning)) {
            return Err(self.lacks(missing.name()));
        }
        match (has(Meaning::Upper), has(Meaning::End)) {
            (true, true) => {
                let message =
                    message!("there are both \"upper\" (exclusive) and \"end\" (inclusive)");
                Err(self.fault(Fault::Duplicate, message))
            }
            (false, false) => {
                let names = self.listed();
                let message = message!(
                    "there is no column \"upper\" (exclusive) or \"end\" (inclusive) among {}",
                    names
                );
                Err(self.fault(Fault::Columns, message))
            }
            _ => Ok(self),
        }
    }

    fn lacks(&self, column: &str) -> LoadError {
        let message = message!("there is no column \"{}\" among {}", column, self.listed());
        self.fault(Fault::Columns, message)
    }

    /// The names that there are.
    fn listed(&self) -> String {
        let names = self.names.iter().take(LISTED);
        let names: Vec<String> = names.map(|name| format!("\"{name}\"")).collect();
        names.join(", ")
    }

    fn fault(&self, kind: Fault, message: Message) -> LoadError {
        kind.at(message!("line {}", self.line), message)
    }
}
