//! What colours mean: each buffer's fill, and the legend that explains the fills.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use conversation::Coloring;
use planner::query::{Comparison, Expr, Facts, Field, Number, Query, Test, Unit};
use planner::waste::WasteKind;
use planner::{Buffer, Lifetimes, Sorting as _, inserted};
use timeline::classes::Classes;
use timeline::operator_fills::operator_fills;
use timeline::palette::{NEUTRAL, Rgb, Theme, assigned, class, neutral};
use timeline::scene::Fill;
use worker::Prepared;

use crate::strings::QueryWord;

/// Legends name at most this many kinds; the rest share one line and one fill.
const NAMED: usize = 12;

/// Types of operators have fills of their own wherever they appear, so that all are named.
const NAMED_TYPES: usize = 48;

/// No colours were chosen: fewer types of operators or roles would leave the picture flat.
const OPERATORS: usize = 3;

const ROLES: usize = 2;

/// Patterns of the grey fills: for the kinds that are not named, and for what is of none.
pub(crate) const OTHERS: u8 = 1;

const NONE: u8 = 3;

/// Fills by buffer, and what they mean.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Colors {
    pub(crate) fills: Vec<Fill>,
    pub(crate) legend: Vec<Entry>,
}

/// What one fill means.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    pub(crate) label: Label,
    pub(crate) fill: Fill,
    /// How many buffers it is about.
    pub(crate) buffers: usize,
    /// Their sizes together; of padding only the padding.
    pub(crate) bytes: u64,
    /// The query that finds them.
    pub(crate) query: String,
}

/// What the legend calls a fill.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Label {
    /// As the file calls it.
    Text(String),
    /// As the page does.
    Word(QueryWord),
    /// So many kinds that are not named.
    Others(usize),
    /// From so many bytes to fewer than so many, if there is an end.
    Bytes(u64, Option<u64>),
    /// From so many steps to fewer than so many.
    Steps(u64, Option<u64>),
}

/// The parts of an arena that buffers make, as queries call them; colours stay the same from
/// file to file.
const PARTS: [(&str, QueryWord, Fill); 6] = [
    ("needed", QueryWord::PartNeeded, of_part(WasteKind::Needed)),
    (
        "padding",
        QueryWord::PartPadding,
        of_part(WasteKind::Padding),
    ),
    ("pinned", QueryWord::PartPinned, of_part(WasteKind::Pinned)),
    (
        "whole-life",
        QueryWord::PartWholeLife,
        of_part(WasteKind::WholeLife),
    ),
    (
        "pending",
        QueryWord::PartPending,
        of_part(WasteKind::Pending),
    ),
    (
        "alignment",
        QueryWord::PartAlignment,
        of_part(WasteKind::Alignment),
    ),
];

/// The fill of a part that buffers make.
const fn of_part(kind: WasteKind) -> Fill {
    let color = match kind {
        WasteKind::Needed => 0,
        WasteKind::Pinned => 1,
        WasteKind::WholeLife => 2,
        WasteKind::Alignment => 3,
        WasteKind::Padding => 4,
        WasteKind::Pending => 5,
        // No buffer makes them.
        WasteKind::Fragmentation
        | WasteKind::Tail
        | WasteKind::NotListed
        | WasteKind::FreeSegments
        | WasteKind::FreeInside => NEUTRAL,
    };
    Fill { color, pattern: 0 }
}

/// The colour of a part in its bar, which is the one that the picture has: of fragmentation the
/// hatching of its free ranges, of any other the fill of the buffers that make it.
pub(crate) fn part_color(theme: &Theme, kind: WasteKind) -> Rgb {
    match kind {
        WasteKind::Fragmentation | WasteKind::FreeInside => theme.fault,
        WasteKind::FreeSegments | WasteKind::Tail | WasteKind::NotListed => theme.fill(NEUTRAL),
        kind => theme.fill(of_part(kind).color),
    }
}

/// What tells the fills of buffers apart.
enum By {
    Text(Field),
    Size,
    Age,
    Part,
}

const fn by(coloring: Coloring) -> By {
    match coloring {
        Coloring::Role => By::Text(Field::Role),
        Coloring::Operator => By::Text(Field::Op),
        Coloring::Caller => By::Text(Field::Caller),
        Coloring::Module => By::Text(Field::Module),
        Coloring::Phase => By::Text(Field::Phase),
        Coloring::Stream => By::Text(Field::Stream),
        Coloring::Size => By::Size,
        Coloring::Age => By::Age,
        Coloring::Waste => By::Part,
    }
}

/// What colours by this field; `None` where nothing does.
pub(crate) fn coloring_by(field: Field) -> Option<Coloring> {
    let of = |coloring: &Coloring| matches!(by(*coloring), By::Text(text) if text == field);
    Coloring::ALL.into_iter().map(|it| it.0).find(of)
}

/// Whether what is open says what this would colour by.
pub(crate) fn is_known(coloring: Coloring, facts: &Facts) -> bool {
    match by(coloring) {
        By::Text(field) => facts.knows(field),
        By::Size | By::Age | By::Part => true,
    }
}

/// What is coloured by: what was chosen, or size where that is not known. Where nothing was
/// chosen, the first that distinguishes buffers: types of operators, or roles, or sizes.
pub(crate) fn effective(chosen: Option<Coloring>, facts: &Facts) -> Coloring {
    match chosen {
        Some(coloring) if is_known(coloring, facts) => coloring,
        Some(_) => Coloring::Size,
        None if distinguishes(facts, Field::Op, OPERATORS) => Coloring::Operator,
        None if distinguishes(facts, Field::Role, ROLES) => Coloring::Role,
        None => Coloring::Size,
    }
}

/// Whether a field distinguishes buffers: it has so many kinds, and none has nearly all of them.
fn distinguishes(facts: &Facts, field: Field, kinds: usize) -> bool {
    let counts = facts.kinds(field);
    let all: usize = counts.iter().sum();
    let most = counts.iter().max().copied().unwrap_or(0);
    counts.len() >= kinds && most <= all - all / 8
}

/// The fills of what was prepared.
pub(crate) fn colors(prepared: &Prepared, facts: &Facts, coloring: Option<Coloring>) -> Colors {
    let lifetimes = &prepared.subject.lifetimes;
    match by(effective(coloring, facts)) {
        By::Text(field) => by_text(lifetimes, facts, field),
        By::Part => by_part(lifetimes, facts),
        By::Size => by_number(lifetimes, |it| it.size.0, Field::Size, Label::Bytes),
        By::Age => by_number(lifetimes, |it| it.span.len(), Field::Length, Label::Steps),
    }
}

/// Buffers and bytes of one kind.
#[derive(Clone, Copy, Default)]
struct Share {
    buffers: usize,
    bytes: u64,
}

impl Share {
    fn add(&mut self, bytes: u64) {
        self.buffers += 1;
        self.bytes = self.bytes.saturating_add(bytes);
    }
}

fn by_text(lifetimes: &Lifetimes, facts: &Facts, field: Field) -> Colors {
    let mut shares: BTreeMap<&str, Share> = BTreeMap::new();
    for (index, buffer) in lifetimes.buffers.iter().enumerate() {
        let share = shares.entry(facts.first(field, index)).or_default();
        share.add(buffer.size.0);
    }
    let nothing = shares.remove("");
    let mut kinds: Vec<(&str, Share)> = shares.into_iter().collect();
    kinds.order_by_key(|&(kind, share)| (Reverse(share.buffers), kind));
    let named = if field == Field::Op {
        NAMED_TYPES
    } else {
        NAMED
    };
    let names: Vec<&str> = kinds.iter().take(named).map(|(kind, _)| *kind).collect();
    let fills = match field {
        Field::Op => operator_fills(&names),
        _ => assigned(&names),
    };
    let mut known: BTreeMap<&str, Fill> = inserted(names.iter().copied().zip(fills));
    let entry = |label, fill, share: Share, query: Query| Entry {
        label,
        fill,
        buffers: share.buffers,
        bytes: share.bytes,
        query: query.to_string(),
    };
    let mut legend: Vec<Entry> = Vec::new();
    for (kind, share) in kinds.iter().take(named) {
        let label = Label::Text((*kind).to_owned());
        legend.push(entry(
            label,
            known[kind],
            *share,
            Query::equal(field, *kind),
        ));
    }
    let rest = kinds.get(named..).unwrap_or_default();
    if !rest.is_empty() {
        let mut share = Share::default();
        for (_, more) in rest {
            share.buffers += more.buffers;
            share.bytes = share.bytes.saturating_add(more.bytes);
        }
        let others = neutral(OTHERS);
        let query = none_of(field, &names, nothing.is_some());
        legend.push(entry(Label::Others(rest.len()), others, share, query));
    }
    if let Some(share) = nothing {
        let fill = neutral(NONE);
        let label = Label::Word(QueryWord::Unsaid);
        legend.push(entry(label, fill, share, Query::equal(field, "")));
        known.insert("", fill);
    }
    let all = 0..lifetimes.buffers.len();
    let fill = |index: usize| {
        let fill = known.get(facts.first(field, index));
        fill.copied().unwrap_or(neutral(OTHERS))
    };
    Colors {
        fills: all.map(fill).collect(),
        legend,
    }
}

/// The fills of kinds of a text field, `None` for several together: those of the legend where the
/// picture is coloured by the same field, else as different as can be.
pub(crate) fn fills_of(
    kinds: &[Option<&str>],
    field: Field,
    coloring: Option<Coloring>,
    (facts, legend): (&Facts, &[Entry]),
) -> Vec<Fill> {
    let same = matches!(by(effective(coloring, facts)), By::Text(other) if other == field);
    let names: Vec<&str> = kinds.iter().flatten().copied().collect();
    let names: Vec<&str> = names.into_iter().filter(|name| !name.is_empty()).collect();
    let own = match field {
        Field::Op => operator_fills(&names),
        _ => assigned(&names),
    };
    let own: BTreeMap<&str, Fill> = inserted(names.iter().copied().zip(own));
    let fill = |kind: &Option<&str>| match (kind, same) {
        (None, _) => neutral(OTHERS),
        (Some(""), _) => neutral(NONE),
        (Some(text), false) => own.get(text).copied().unwrap_or(neutral(OTHERS)),
        (Some(text), true) => {
            let entry = legend
                .iter()
                .find(|entry| matches!(&entry.label, Label::Text(label) if label == text));
            entry.map_or(neutral(OTHERS), |entry| entry.fill)
        }
    };
    kinds.iter().map(fill).collect()
}

/// The query for what is none of `names`, and not nothing either.
fn none_of(field: Field, names: &[&str], or_nothing: bool) -> Query {
    let nothing = or_nothing.then_some("");
    let unequal = names
        .iter()
        .copied()
        .chain(nothing)
        .map(|name| Expr::Test(Test::Text(field, Comparison::Unequal, name.to_owned())));
    Query {
        expr: Some(Expr::All(unequal.collect())),
    }
}

fn by_part(lifetimes: &Lifetimes, facts: &Facts) -> Colors {
    let mut shares = [Share::default(); PARTS.len()];
    let mut nothing = Share::default();
    let mut fills = Vec::with_capacity(lifetimes.buffers.len());
    for (index, buffer) in lifetimes.buffers.iter().enumerate() {
        let (mut fill, mut padded) = (None, None);
        for part in facts.all(Field::Waste, index) {
            let place = PARTS.iter().position(|(name, ..)| *name == part);
            let Some(place) = place else { continue };
            let padding = buffer.size.0.saturating_sub(buffer.payload.0);
            shares[place].add(if part == "padding" {
                padding
            } else {
                buffer.size.0
            });
            // A few bytes of padding are not what a buffer is about.
            let hardly = part == "padding" && padding <= buffer.payload.0;
            let kept = if hardly { &mut padded } else { &mut fill };
            kept.get_or_insert(PARTS[place].2);
        }
        let fill = fill.or(padded);
        if fill.is_none() {
            nothing.add(buffer.size.0);
        }
        fills.push(fill.unwrap_or(neutral(NONE)));
    }
    let entry = |label, fill, share: Share, name: &str| Entry {
        label,
        fill,
        buffers: share.buffers,
        bytes: share.bytes,
        query: Query::equal(Field::Waste, name).to_string(),
    };
    let parts = PARTS.iter().zip(shares);
    let mut legend: Vec<Entry> = parts
        .map(|(&(name, word, fill), share)| entry(Label::Word(word), fill, share, name))
        .collect();
    let word = Label::Word(QueryWord::PartNone);
    legend.push(entry(word, neutral(NONE), nothing, ""));
    legend.retain(|entry| entry.buffers > 0);
    Colors { fills, legend }
}

fn by_number(
    lifetimes: &Lifetimes,
    number: fn(&Buffer) -> u64,
    field: Field,
    label: fn(u64, Option<u64>) -> Label,
) -> Colors {
    let numbers = || lifetimes.buffers.iter().map(number);
    let (Some(least), Some(most)) = (numbers().min(), numbers().max()) else {
        return Colors::default();
    };
    let classes = Classes::new(least, most);
    let count = classes.count();
    let mut shares = vec![Share::default(); count];
    for buffer in &lifetimes.buffers {
        shares[classes.of(number(buffer))].add(buffer.size.0);
    }
    let entries = shares.iter().enumerate().map(|(index, share)| {
        let (low, high) = classes.limits(index);
        Entry {
            label: label(low, high),
            fill: class(index, count),
            buffers: share.buffers,
            bytes: share.bytes,
            query: between(field, low, high).to_string(),
        }
    });
    Colors {
        fills: numbers().map(|it| class(classes.of(it), count)).collect(),
        legend: entries.filter(|entry| entry.buffers > 0).collect(),
    }
}

fn between(field: Field, low: u64, high: Option<u64>) -> Query {
    let number = |value| match field {
        Field::Size => in_units(value),
        _ => Number::whole(value),
    };
    let test = |comparison, value| Expr::Test(Test::Number(field, comparison, number(value)));
    let low = test(Comparison::AtLeast, low);
    Query {
        expr: Some(match high {
            None => low,
            Some(high) => Expr::All(vec![low, test(Comparison::Less, high)]),
        }),
    }
}

/// Bytes in the largest binary unit that goes into them.
fn in_units(bytes: u64) -> Number {
    let units = [Unit::TiB, Unit::GiB, Unit::MiB, Unit::KiB];
    let fits = |unit: &Unit| bytes > 0 && bytes.is_multiple_of(unit.bytes());
    match units.into_iter().find(fits) {
        None => Number::whole(bytes),
        Some(unit) => Number {
            unit: Some(unit),
            ..Number::whole(bytes / unit.bytes())
        },
    }
}
