//! Why a plan is larger than the bound, in one sentence: what is empty at the decisive step, and
//! what keeps it empty.

use conversation::Column;
use planner::space::{Hole, Loss, Why};
use planner::{Span, Strategy};

use crate::format;
use crate::state::insight::SomeLoss;
use crate::state::session::Session;
use crate::strings::{WhyWord, filled};

/// A part of the sentence.
pub(crate) enum Piece {
    Text(String),
    Tensor(usize),
}

/// The bytes, which add up, and the largest hole.
fn sentence(session: Session, loss: &Loss) -> Vec<Piece> {
    let name = session.prepared.with(|prepared| {
        let subject = &prepared.as_ref()?.subject;
        subject.step_name(loss.step).map(str::to_owned)
    });
    let number = format::grouped(loss.step.0);
    let step = match name {
        Some(name) => filled(session.say(WhyWord::Step), &[&number, &name]),
        None => filled(session.say(WhyWord::BareStep), &[&number]),
    };
    let empty = format::bytes(loss.empty().0);
    let above = format::bytes(loss.bytes.0);
    let mut text = filled(session.say(WhyWord::At), &[&step, &empty, &above]);
    for (word, bytes) in [(WhyWord::Idle, loss.idle()), (WhyWord::Apart, loss.apart())] {
        if let Some(bytes) = u64::try_from(bytes).ok().filter(|bytes| *bytes > 0) {
            text.push_str(&filled(session.say(word), &[&format::bytes(bytes)]));
        }
    }
    text.push_str(session.say(WhyWord::End));
    let largest = loss.largest_first().first().copied().copied();
    let only = loss.holes.len() == 1 && loss.more == 0;
    let hole = largest.map(|hole| of_hole(session, hole, only));
    [Piece::Text(text)]
        .into_iter()
        .chain(hole.unwrap_or_default())
        .collect()
}

/// What lies on the hole, and why it does not lie lower.
fn of_hole(session: Session, hole: Hole, only: bool) -> Vec<Piece> {
    let bytes = format::bytes(hole.height().0);
    let Some(above) = hole.above else {
        return vec![Piece::Text(filled(session.say(WhyWord::Top), &[&bytes]))];
    };
    let begin = match only {
        true => session.say(WhyWord::OnlyHole).to_owned(),
        false => filled(session.say(WhyWord::Largest), &[&bytes]),
    };
    let (word, by) = match hole.because {
        None => (WhyWord::Slides, None),
        Some(because) => (
            match because.why {
                Why::Under => WhyWord::Under,
                Why::Alignment => WhyWord::Alignment,
                Why::Shared => WhyWord::Shared,
                Why::Itself => WhyWord::Itself,
                Why::Fixed => WhyWord::Fixed,
                Why::Object => WhyWord::Object,
            },
            Some(because),
        ),
    };
    let text = session.say(word);
    let Some(by) = by.filter(|_| text.contains("{}")) else {
        return vec![
            Piece::Text(begin),
            Piece::Tensor(above),
            Piece::Text(text.to_owned()),
        ];
    };
    let (before, after) = text.split_once("{}").unwrap_or((text, ""));
    let after = filled(after, &[&steps(session, by.span)]);
    vec![
        Piece::Text(begin),
        Piece::Tensor(above),
        Piece::Text(before.to_owned()),
        Piece::Tensor(by.buffer),
        Piece::Text(after),
    ]
}

fn steps(session: Session, span: Span) -> String {
    let last = span.end.0.saturating_sub(1).max(span.start.0);
    let numbers = [span.start.0, last].map(format::grouped);
    if span.start.0 == last {
        return filled(session.say(WhyWord::BareStep), &[&numbers[0]]);
    }
    filled(
        session.say(WhyWord::Steps),
        &numbers.each_ref().map(String::as_str),
    )
}

impl Piece {
    /// What it says.
    pub(crate) fn text(&self, session: Session) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Tensor(index) => {
                let name = session.with_lifetimes(|lifetimes| {
                    let buffer = lifetimes.buffers.get(*index)?;
                    Some(buffer.name.clone())
                });
                name.flatten().unwrap_or_default()
            }
        }
    }
}

/// Why a plan is larger than the bound, as text; empty where it is not, or it is not known why.
pub(crate) fn why(session: Session, column: Column) -> String {
    let Some(SomeLoss(loss)) = session.loss(column) else {
        return String::new();
    };
    let pieces = said_of(session, column, &loss).into_iter();
    pieces.map(|piece| piece.text(session)).collect()
}

/// What is said of a plan; of the one without reuse there is no hole to tell of.
pub(crate) fn said_of(session: Session, column: Column, loss: &Loss) -> Vec<Piece> {
    if column == Column::Strategy(Strategy::Naive) {
        let above = format::bytes(loss.bytes.0);
        return vec![Piece::Text(filled(session.say(WhyWord::Naive), &[&above]))];
    }
    sentence(session, loss)
}
