//! `StaticMemoryInfo.json`: chunks with their times and addresses, all as text, and the
//! operators in order.

use std::collections::BTreeSet;
use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, Unexpected, Visitor};

use super::overwrites::{Placed, overwrites};
use crate::deployed::{Deployed, Held, Hold, Note};
use crate::load::dump::Dump;
use crate::load::dump::draft::{Draft, Row};
use crate::load::dump::json::invalid;
use crate::load::dump::line::MAX_STEP;
use crate::load::{Fault, LoadError, Warning};
use crate::sorting::Sorting as _;
use crate::units::Span;
use crate::{Message, message};

/// The file.
#[derive(Deserialize)]
struct Info {
    chunk: Entries<Chunk>,
    #[serde(default)]
    opr: Entries<Operator>,
}

/// The values of an object whose keys repeat what they say.
struct Entries<T>(Vec<T>);

/// One block of memory.
#[derive(Clone, Deserialize)]
struct Chunk {
    #[serde(deserialize_with = "number")]
    id: u64,
    #[serde(rename = "type")]
    kind: MemoryKind,
    #[serde(deserialize_with = "number")]
    time_begin: u64,
    #[serde(deserialize_with = "number")]
    time_end: u64,
    #[serde(deserialize_with = "number")]
    logic_addr_begin: u64,
    #[serde(deserialize_with = "number")]
    logic_addr_end: u64,
    /// The first of the chain of chunks that this one is written over.
    #[serde(deserialize_with = "perhaps")]
    overwrite_dest_id: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum MemoryKind {
    StaticMem,
    WeightMem,
}

#[derive(Deserialize)]
struct Operator {
    #[serde(deserialize_with = "number")]
    id: u64,
    name: String,
}

/// Whether a file that begins with `head` is one: its first key is one of its two.
pub(super) fn sniff(head: &[u8]) -> bool {
    let begin = head.iter().filter(|byte| !byte.is_ascii_whitespace());
    let begin: Vec<u8> = begin.take(10).copied().collect();
    begin.starts_with(b"{\"chunk\":{") || begin.starts_with(b"{\"opr\":{")
}

pub(super) fn read(text: &str) -> Dump {
    let info: Info = serde_json::from_str(text).map_err(|error| invalid(&error))?;
    let chunks = checked(info.chunk.0)?;
    let ends = chunks.iter().map(|chunk| chunk.time_end);
    let horizon = ends.max().unwrap_or(0);
    let (weights, chunks): (Vec<Chunk>, Vec<Chunk>) = chunks
        .into_iter()
        .partition(|chunk| chunk.kind == MemoryKind::WeightMem);
    let names = names(info.opr.0, horizon);
    let (mut arenas, mut warnings) = (Vec::new(), Vec::new());
    if !chunks.is_empty() {
        let draft = working(&chunks, &names, &mut warnings)?;
        arenas.push(draft.finish(&mut warnings)?);
    }
    if !weights.is_empty() {
        let draft = kept(&weights, horizon, &names)?;
        arenas.push(draft.finish(&mut warnings)?);
    }
    if arenas.is_empty() {
        return Err(Fault::Malformed.at(Message::verbatim("chunk"), message!("there is no chunk")));
    }
    let deployed = Deployed {
        toolchain: "MegEngine".into(),
        arenas,
        ..Deployed::default()
    };
    Ok((deployed, warnings))
}

/// The chunks by id, each once and each with an end after its begin.
fn checked(mut chunks: Vec<Chunk>) -> Result<Vec<Chunk>, LoadError> {
    chunks.order_by_key(|chunk| chunk.id);
    let mut ids = BTreeSet::new();
    for chunk in &chunks {
        let fault = |kind: Fault, message| kind.at(chunk.place(), message);
        if !ids.insert(chunk.id) {
            return Err(fault(Fault::Duplicate, message!("it is there twice")));
        }
        if chunk.time_end >= MAX_STEP {
            let message = message!("the time {} is beyond {}", chunk.time_end, MAX_STEP);
            return Err(fault(Fault::Limit, message));
        }
        for (what, begin, end) in [
            ("time", chunk.time_begin, chunk.time_end),
            ("address", chunk.logic_addr_begin, chunk.logic_addr_end),
        ] {
            if end < begin {
                let message = message!("the {} {} of its end is before {}", what, end, begin);
                return Err(fault(Fault::Malformed, message));
            }
        }
    }
    let lost = |chunk: &&Chunk| chunk.overwrite_dest_id.is_some_and(|id| !ids.contains(&id));
    if let Some(chunk) = chunks.iter().find(lost) {
        return Err(Fault::Dangling.at(
            chunk.place(),
            message!("the chunk that it is written over is not there"),
        ));
    }
    Ok(chunks)
}

/// What runs at each step, if the file names every step from the first on.
fn names(mut operators: Vec<Operator>, horizon: u64) -> Vec<String> {
    operators.order_by_key(|operator| operator.id);
    operators.truncate(usize::try_from(horizon).unwrap_or(usize::MAX));
    let in_order = operators.iter().zip(0..).all(|(it, id)| it.id == id);
    let names = operators.into_iter().filter(|_| in_order);
    names.map(|operator| operator.name).collect()
}

/// The arena of what is computed.
fn working(
    chunks: &[Chunk],
    names: &[String],
    warnings: &mut Vec<Warning>,
) -> Result<Draft, LoadError> {
    let mut draft = Draft::new(message!("static"), "MegEngine");
    draft.step_names = names.to_vec();
    for chunk in chunks {
        let row = Row {
            span: Span::new(chunk.time_begin, chunk.time_end),
            ..chunk.row(chunk.logic_addr_begin)
        };
        draft.push(|| chunk.place(), row)?;
    }
    let placed: Vec<Placed> = chunks
        .iter()
        .map(|chunk| Placed {
            group: chunk.overwrite_dest_id.unwrap_or(chunk.id),
            span: Span::new(chunk.time_begin, chunk.time_end),
            offset: chunk.logic_addr_begin,
            size: chunk.size(),
        })
        .collect();
    draft.handovers = overwrites(&placed);
    draft
        .handovers
        .retain(|pair| chunks[pair.after].overwrite_dest_id.is_some());
    let said = chunks.iter().filter(|it| it.overwrite_dest_id.is_some());
    let unfit = said.count() - draft.handovers.len();
    if unfit > 0 {
        warnings.push(Warning::new(
            Message::verbatim("overwrite_dest_id"),
            message!(
                "chunk does not lie on one of its chain at its last step"
                    | "chunks do not lie on one of their chain at its last step",
                unfit
            ),
        ));
    }
    Ok(draft)
}

/// The arena of the weights, which stay.
fn kept(weights: &[Chunk], horizon: u64, names: &[String]) -> Result<Draft, LoadError> {
    let mut draft = Draft::new(message!("weights"), "MegEngine");
    let begins = weights.iter().map(|chunk| chunk.logic_addr_begin);
    let base = begins.min().unwrap_or(0);
    // Weights alone may have no times: then they are there at one step.
    let whole = Span::new(0, horizon.max(1));
    draft.step_names = names.to_vec();
    for chunk in weights {
        let needed = Span::new(chunk.time_begin, chunk.time_end);
        let mut row = chunk.row(chunk.logic_addr_begin - base);
        row.span = whole;
        row.note.held = Some(Held {
            why: Hold::WholeLife,
            needed: if needed.is_empty() { whole } else { needed },
        });
        row.note.role = "weight".into();
        draft.push(|| chunk.place(), row)?;
    }
    Ok(draft)
}

impl Chunk {
    fn place(&self) -> Message {
        message!("chunk {}", self.id)
    }

    fn size(&self) -> u64 {
        self.logic_addr_end - self.logic_addr_begin
    }

    fn row(&self, offset: u64) -> Row {
        Row {
            name: self.place().to_string(),
            size: self.size(),
            offset,
            note: Note::default(),
            ..Row::default()
        }
    }
}

impl<T> Default for Entries<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Entries<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Values<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Values<T> {
            type Value = Entries<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of objects")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut values = Vec::new();
                while let Some((_, value)) = map.next_entry::<IgnoredAny, T>()? {
                    values.push(value);
                }
                Ok(Entries(values))
            }
        }
        from.deserialize_map(Values(PhantomData))
    }
}

/// A whole number from 0 up, as text or as a number.
struct Number;

impl Visitor<'_> for Number {
    type Value = Option<u64>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a whole number from 0 up, as text")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        let number = text.parse().ok();
        if number.is_none() && text != "-1" {
            return Err(E::invalid_value(Unexpected::Str(text), &self));
        }
        Ok(number)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Self::Value, E> {
        Ok(Some(number))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Self::Value, E> {
        match u64::try_from(number) {
            Ok(number) => Ok(Some(number)),
            Err(_) if number == -1 => Ok(None),
            Err(_) => Err(E::invalid_value(Unexpected::Signed(number), &self)),
        }
    }
}

/// A number, or −1 for none.
fn perhaps<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u64>, D::Error> {
    from.deserialize_any(Number)
}

fn number<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    let number = perhaps(from)?;
    number.ok_or_else(|| D::Error::invalid_value(Unexpected::Signed(-1), &Number))
}
