//! What may come next where the cursor stands.

use std::cmp::Reverse;
use std::ops::Range;

use crate::sorting::Sorting as _;

use super::lexer::{Token, TokenKind, tokens};
use super::pattern::fold;
use super::print::{bare_or_quoted, quoted};
use super::{Facts, Field, Flag, LONGEST, Measure, Number, Unit};

/// At most this many candidates are listed.
const LISTED: usize = 50;

/// What may come next.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completion {
    /// The bytes of the text that a candidate takes the place of.
    pub range: Range<usize>,
    /// The candidates, the most likely first.
    pub candidates: Vec<Candidate>,
}

/// One continuation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// What is written in place of what is there.
    pub text: String,
    /// What it is.
    pub sort: Sort,
}

/// What a continuation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// A field.
    Field(Field),
    /// `and`, `live at` and the like.
    Keyword,
    /// A comparison.
    Comparison,
    /// A text that this many buffers have.
    Value(usize),
    /// A unit of bytes.
    Unit,
    /// A flag.
    Flag,
    /// The name of a step.
    Step,
}

/// What may stand at a place.
enum Expected {
    Test,
    Comparison(Field),
    Value(Field),
    Unit,
    At,
    Moment,
    Flag,
    Joint,
    Nothing,
}

/// The continuations of `text` at byte `cursor`, which is moved to the next letter's start.
#[must_use]
pub fn complete(text: &str, cursor: usize, facts: &Facts) -> Completion {
    let mut cursor = cursor.min(text.len());
    while !text.is_char_boundary(cursor) {
        cursor += 1;
    }
    if text.chars().nth(LONGEST).is_some() {
        return Completion::default();
    }
    let mut before = tokens(&text[..cursor]);
    // What the cursor touches is to be finished, and as far as it goes after the cursor.
    let touched = before.pop_if(|token| match token.kind {
        TokenKind::Word(_) | TokenKind::And | TokenKind::Or | TokenKind::Not => {
            token.span.end == cursor
        }
        TokenKind::Quoted(_, closed) => !closed,
        _ => false,
    });
    let start = touched.as_ref().map_or(cursor, |token| token.span.start);
    let mut range = start..cursor;
    let whole = tokens(text)
        .into_iter()
        .find(|token| token.span.start == start);
    if let (Some(_), Some(whole)) = (&touched, &whole) {
        range.end = whole.span.end.max(cursor);
    }
    let written = match touched.map(|token| token.kind) {
        Some(TokenKind::Quoted(text, _)) => text,
        _ => text[start..cursor].to_owned(),
    };
    let place = place(&before);
    // After a number the letters of its unit are to be finished, not the number.
    if let Expected::Value(field) = place
        && field.measure() == Measure::Bytes
    {
        return unit(&written, start, cursor);
    }
    let written = fold(&written);
    let all = candidates(&place, facts, &written);
    Completion {
        range,
        candidates: ranked(all, &written),
    }
}

/// What may stand after these tokens.
fn place(before: &[Token]) -> Expected {
    let kind = |back: usize| {
        let at = before.len().checked_sub(back)?;
        before.get(at).map(|token| &token.kind)
    };
    let word = |back: usize, keyword: &str| matches!(kind(back), Some(TokenKind::Word(word)) if word.eq_ignore_ascii_case(keyword));
    let field = |back: usize| match kind(back) {
        Some(TokenKind::Word(word)) => Field::named(word),
        _ => None,
    };
    let is_value = |back: usize| matches!(kind(back + 1), Some(TokenKind::Comparison(_)));
    match kind(1) {
        None | Some(TokenKind::And | TokenKind::Or | TokenKind::Not | TokenKind::Open) => {
            Expected::Test
        }
        Some(TokenKind::Comparison(_)) => field(2).map_or(Expected::Nothing, Expected::Value),
        Some(TokenKind::Word(last)) if is_value(1) => {
            let bytes = field(3).is_some_and(|it| it.measure() == Measure::Bytes);
            match Number::read(last) {
                Ok(number) if bytes && number.unit.is_none() => Expected::Unit,
                _ => Expected::Joint,
            }
        }
        Some(TokenKind::Word(_)) if word(1, "at") && word(2, "live") => Expected::Moment,
        Some(TokenKind::Word(_)) if word(2, "at") && word(3, "live") => Expected::Joint,
        Some(TokenKind::Word(_)) if word(1, "live") => Expected::At,
        Some(TokenKind::Word(_)) if word(1, "is") => Expected::Flag,
        Some(TokenKind::Word(_)) if word(2, "is") => Expected::Joint,
        Some(TokenKind::Word(last)) => match Field::named(last) {
            Some(field) => Expected::Comparison(field),
            None => Expected::Joint,
        },
        Some(TokenKind::Quoted(..) | TokenKind::Close) => Expected::Joint,
    }
}

fn candidates(place: &Expected, facts: &Facts, written: &str) -> Vec<Candidate> {
    let keywords = |words: &[&str]| {
        let words = words.iter().map(|&word| candidate(word, Sort::Keyword));
        words.collect::<Vec<_>>()
    };
    match place {
        Expected::Test => {
            let fields = Field::ALL.into_iter().filter(|&field| useful(field, facts));
            let fields = fields.map(|field| candidate(field.name(), Sort::Field(field)));
            let mut all: Vec<Candidate> = fields.collect();
            all.extend(keywords(&["live at", "at offset", "is", "not"]));
            all.extend(values(Field::Name, facts, written));
            all
        }
        Expected::Comparison(field) => {
            let signs = field.comparisons().iter();
            let signs = signs.map(|it| candidate(it.sign(), Sort::Comparison));
            signs.chain(keywords(&["and", "or"])).collect()
        }
        Expected::Value(field) => values(*field, facts, written),
        Expected::Unit => {
            let units = Unit::ALL.iter();
            let units = units.map(|unit| candidate(unit.name(), Sort::Unit));
            units.chain(keywords(&["and", "or"])).collect()
        }
        Expected::At => keywords(&["at"]),
        Expected::Moment => {
            let steps = facts.steps.texts.iter();
            let steps = steps.map(|name| candidate(&quoted(&name.shown), Sort::Step));
            keywords(&["peak"]).into_iter().chain(steps).collect()
        }
        Expected::Flag => {
            let flags = Flag::ALL.iter();
            flags
                .map(|flag| candidate(flag.name(), Sort::Flag))
                .collect()
        }
        Expected::Joint => keywords(&["and", "or"]),
        Expected::Nothing => Vec::new(),
    }
}

fn candidate(text: &str, sort: Sort) -> Candidate {
    Candidate {
        text: text.to_owned(),
        sort,
    }
}

/// Whether a field can be anything but empty.
fn useful(field: Field, facts: &Facts) -> bool {
    field.measure() != Measure::Text || field == Field::Pool || facts.knows(field)
}

/// The texts of a field that hold what is written: those that begin with it, then those of
/// most buffers first, and no more than can be listed. There may be a million.
fn values(field: Field, facts: &Facts, written: &str) -> Vec<Candidate> {
    let Some(column) = facts.column(field) else {
        return Vec::new();
    };
    let mut counts = vec![0_usize; column.texts.len()];
    for buffer in 0..facts.buffers() {
        for &text in column.texts_of(buffer) {
            if let Some(count) = counts.get_mut(text as usize) {
                *count += 1;
            }
        }
    }
    let texts = column.texts.iter().zip(counts);
    let texts = texts.filter(|&(_, count)| count > 0);
    let texts = texts.filter_map(|(text, count)| {
        let begins = text.folded.starts_with(written);
        // What is written may be a part of how a sign is escaped.
        let holds = begins || text.folded.contains(written) || text.shown.contains(['"', '\\']);
        holds.then_some((!begins, Reverse(count), text.shown.as_str()))
    });
    let mut texts: Vec<(bool, Reverse<usize>, &str)> = texts.collect();
    // One of them may be what is written, which is no continuation.
    if texts.len() > LISTED + 1 {
        texts.select_nth_unstable(LISTED);
        texts.truncate(LISTED + 1);
    }
    texts.order();
    let texts = texts.into_iter();
    texts
        .map(|(_, Reverse(count), text)| candidate(&bare_or_quoted(text), Sort::Value(count)))
        .collect()
}

/// Those that begin with what is written, then those that hold it; what is whole already is
/// no continuation.
fn ranked(all: Vec<Candidate>, written: &str) -> Vec<Candidate> {
    let mut begin = Vec::new();
    let mut hold = Vec::new();
    for candidate in all {
        let folded = fold(&candidate.text);
        let bare = folded.trim_start_matches('"');
        if bare.trim_end_matches('"') == written {
            continue;
        }
        if bare.starts_with(written) {
            begin.push(candidate);
        } else if matches!(candidate.sort, Sort::Value(_) | Sort::Step) && bare.contains(written) {
            hold.push(candidate);
        }
        if begin.len() == LISTED {
            break;
        }
    }
    begin.extend(hold);
    begin.truncate(LISTED);
    begin
}

/// The units that the letters after a number begin.
fn unit(written: &str, start: usize, cursor: usize) -> Completion {
    let numeric = |sign: char| sign.is_ascii_digit() || sign == '.' || sign == '_';
    let digits = written.find(|sign| !numeric(sign)).unwrap_or(written.len());
    if digits == 0 || written.starts_with("0x") {
        return Completion::default();
    }
    let units = Unit::ALL.iter();
    let units = units.map(|unit| candidate(unit.name(), Sort::Unit));
    Completion {
        range: start + digits..cursor,
        candidates: ranked(units.collect(), &fold(&written[digits..])),
    }
}
