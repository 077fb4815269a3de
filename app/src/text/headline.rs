//! What is open in one sentence, and what its pictures show.

use conversation::Column;
use leptos::prelude::Get as _;
use planner::Strategy;
use planner::graph::Role;

use super::arena::of_several;
use super::file_name::short;
use crate::format;
use crate::state::session::{Session, to_f64};
use crate::strings::{FrameWord, filled};

/// The plan without any reuse.
pub(crate) const NAIVE: Column = Column::Strategy(Strategy::Naive);

/// The figures of the sentence.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sentence {
    pub(crate) name: String,
    /// The plan that it begins with, and its bytes: deployed, or without reuse. Of an allocator's
    /// trace what was reserved where most is needed.
    pub(crate) before: Option<(Column, u64)>,
    /// What was reserved at most, where that is more.
    pub(crate) most: Option<u64>,
    /// The smallest plan of others, and its bytes.
    pub(crate) after: Option<(Column, u64)>,
    /// What no plan goes below.
    pub(crate) floor: u64,
    /// The step of the last request that failed, its bytes, and what the device had left.
    pub(crate) failed: Option<[u64; 3]>,
    /// The plan in the file breaks rules.
    pub(crate) invalid: bool,
    /// Every plan in view breaks rules: what others need is no praise of these.
    pub(crate) shows_invalid: bool,
    /// A film has not come to its end: the sentence does not say what it comes to.
    pub(crate) open: bool,
    /// What is said in place of figures of plans.
    pub(crate) instead: Option<String>,
}

impl Sentence {
    /// What is said where a plan that it is about breaks rules.
    fn broken(&self) -> Option<FrameWord> {
        match (self.invalid, self.shows_invalid) {
            (true, _) => Some(FrameWord::InvalidPlan),
            (false, true) => Some(FrameWord::InvalidShown),
            (false, false) => None,
        }
    }
}

/// What a rectangle is: of a trace it is a block.
pub(crate) fn caption(session: Session) -> &'static str {
    let graph = session.prepared.with(|prepared| {
        let graph =
            |prepared: &std::sync::Arc<worker::Prepared>| prepared.subject.graph().is_some();
        prepared.as_ref().is_some_and(graph)
    });
    session.say(match graph {
        true => FrameWord::Caption,
        false => FrameWord::CaptionBlocks,
    })
}

pub(crate) fn sentence(session: Session) -> Option<Sentence> {
    let name = session
        .file
        .with(|file| Some(short(&file.as_ref()?.name)))?;
    let name = match of_several(session) {
        Some(arena) => format!("{name} · {arena}"),
        None => name,
    };
    let bound = session
        .prepared
        .with(|prepared| Some(prepared.as_ref()?.bounds.offsets.0))?;
    let pools = !session.planning.pools.with(Vec::is_empty);
    if pools || session.is_separate() {
        return Some(Sentence {
            name,
            before: None,
            most: None,
            after: None,
            floor: 0,
            failed: None,
            invalid: false,
            shows_invalid: false,
            open: false,
            instead: separate(session).filter(|_| !pools),
        });
    }
    // A link brings the plan that its sender saw: what a strategy made was deployed by nobody.
    let made_here = session.came_by_link() && session.shipped.strategy.get().is_some();
    let deployed = session
        .file
        .with(|file| file.as_ref().is_some_and(|file| file.opened.deployed))
        && !made_here;
    let begin = if deployed { Column::Deployed } else { NAIVE };
    let figures = session.plans.with(|plans| {
        let all = plans.iter().filter_map(|(column, progress)| {
            let judged = &progress.planned()?.judged;
            let counts = judged.violations.is_empty();
            counts.then_some((*column, judged.metrics.taken().0))
        });
        let all: Vec<(Column, u64)> = all.collect();
        let before = all.iter().copied().find(|(column, _)| *column == begin);
        let others = all
            .into_iter()
            .filter(|(column, _)| ![Column::Deployed, NAIVE].contains(column));
        let best = Column::Strategy(Strategy::Best);
        let after = others.min_by_key(|(column, bytes)| (*bytes, *column != best));
        (before, after)
    });
    let (before, most) = match (figures.0, reserved_where_needed(session)) {
        (Some((Column::Deployed, most)), Some(at)) if at < most => {
            (Some((Column::Deployed, at)), Some(most))
        }
        (before, _) => (before, None),
    };
    let is_invalid = |judged: &worker::Planned| !judged.judged.violations.is_empty();
    let own = session.planned(Column::Deployed);
    let filmed = session.filmed();
    Some(Sentence {
        name,
        before,
        most,
        after: figures.1,
        failed: session.prepared.with(|prepared| {
            let last = prepared.as_ref()?.subject.refused.last()?;
            Some([last.step.0, last.asked.0, last.device_free.0])
        }),
        floor: session.proved().map_or(bound, |proved| proved.0.max(bound)),
        invalid: deployed && own.is_some_and(|own| is_invalid(&own)),
        shows_invalid: shows_invalid(session),
        open: filmed.iter().any(|column| session.is_film_open(*column)),
        instead: None,
    })
}

/// Whether plans are in view, and all of them break rules.
fn shows_invalid(session: Session) -> bool {
    let shown = session.shown.get().into_iter();
    let mut planned = shown
        .filter_map(|column| session.planned(column))
        .peekable();
    planned.peek().is_some() && planned.all(|it| !it.judged.violations.is_empty())
}

/// What separate allocations take together, which no plan can make less.
fn separate(session: Session) -> Option<String> {
    let (bytes, count) = session.prepared.with(|prepared| {
        let subject = &prepared.as_ref().filter(|it| it.subject.separate)?.subject;
        let taken = subject.deployed.as_ref()?.arena;
        Some((taken, subject.lifetimes.buffers.len()))
    })?;
    let figures = [format::bytes(bytes.0), format::grouped(count as u64)];
    let word = match session.not_listed() {
        Some(_) => FrameWord::LargestListed,
        None => FrameWord::SeparateSum,
    };
    let figures = figures.each_ref().map(String::as_str);
    Some(filled(session.say(word), &figures))
}

/// What an allocator had reserved at the step at which most is needed.
fn reserved_where_needed(session: Session) -> Option<u64> {
    session.prepared.with(|prepared| {
        let prepared = prepared.as_ref()?;
        let plan = prepared.subject.deployed.as_ref()?;
        let segments = plan.segments.as_ref()?;
        Some(segments.reserved_at(prepared.bounds.peak).0)
    })
}

/// A part of the sentence.
pub(crate) enum Piece {
    Name(String),
    Plain(String),
    /// A plan's bytes; shows the plan.
    Plan(Column, u64),
    /// What the first of two plans could do without; leads to where it is.
    Wasted(u64, u64),
    /// The bound; shows the tensors that make it.
    Bound(String),
    /// Instead of figures that a film withholds.
    Open(String),
    /// The room of what is to come, so that no picture jumps when it does.
    Room(String),
}

/// The sentence from its beginning to its end.
pub(crate) fn pieces(session: Session, sentence: &Sentence) -> Vec<Piece> {
    let floor = sentence.floor;
    let (before, after) = (sentence.before, sentence.after);
    let broken = sentence.broken();
    let shrinks = before
        .zip(after)
        .filter(|(before, after)| after.1 < before.1 && broken.is_none());
    let smallest = match shrinks {
        Some((_, after)) => Some(after),
        None => before.or(after),
    };
    let plain = |word: FrameWord| Piece::Plain(session.say(word).to_owned());
    let mut pieces = vec![Piece::Name(sentence.name.clone())];
    if let Some(instead) = sentence.instead.clone() {
        pieces.extend([plain(FrameWord::Colon), Piece::Plain(instead)]);
        return pieces;
    }
    if let Some([step, asked, left]) = sentence.failed {
        let figures = [
            format::grouped(step),
            format::bytes(asked),
            format::bytes(left),
        ];
        let figures = figures.each_ref().map(String::as_str);
        let says = filled(session.say(FrameWord::OutOfMemory), &figures);
        pieces.extend([plain(FrameWord::Colon), Piece::Plain(says)]);
        if let Some((column, bytes)) = before {
            pieces.push(Piece::Plan(column, bytes));
        }
        // What other addresses would take is not what was lacking.
        return pieces;
    }
    if let Some(word) = broken {
        pieces.extend([plain(FrameWord::Colon), plain(word)]);
        if let Some((column, bytes)) = after {
            pieces.extend([plain(FrameWord::Arrow), Piece::Plan(column, bytes)]);
        }
    } else if let Some((column, bytes)) = before.or(after) {
        pieces.extend([plain(FrameWord::Colon), Piece::Plan(column, bytes)]);
    }
    if let Some(most) = sentence.most.filter(|_| sentence.broken().is_none()) {
        let most = filled(session.say(FrameWord::AtMost), &[&format::bytes(most)]);
        pieces.push(Piece::Plain(most));
    }
    if let Some((before, after)) = shrinks {
        pieces.extend([plain(FrameWord::Arrow), Piece::Plan(after.0, after.1)]);
        match before.0 {
            Column::Deployed => {
                pieces.extend([plain(FrameWord::Comma), Piece::Wasted(before.1, after.1)]);
            }
            Column::Strategy(_) => pieces.push(Piece::Plain(times(session, before.1, after.1))),
        }
    }
    if let Some((_, bytes)) = smallest.filter(|_| floor > 0) {
        let last = match bytes <= floor && !sentence.shows_invalid {
            true => no_less(session),
            false => filled(session.say(FrameWord::AtLeast), &[&format::bytes(floor)]),
        };
        pieces.extend([plain(FrameWord::Join), Piece::Bound(last)]);
    }
    if sentence.open {
        let withheld = pieces.split_off(1).into_iter();
        let room: String = withheld.map(|piece| piece.text(session)).collect();
        let open = session.say(FrameWord::FilmOpen).to_owned();
        pieces.extend([
            plain(FrameWord::Colon),
            Piece::Open(open),
            Piece::Room(room),
        ]);
    }
    pieces
}

/// Of what has no size, and of subgraphs that are not in the plan, nothing is proved.
fn no_less(session: Session) -> String {
    if session.left_out() == 0 {
        let prepared = session.prepared;
        let aside = prepared.with(|it| it.as_ref().map_or(0, |it| it.subject.left_out().count()));
        let word = match aside {
            0 => FrameWord::NoLess,
            _ => FrameWord::NoLessAside,
        };
        return session.say(word).to_owned();
    }
    let sized = session.prepared.with(|prepared| {
        let graph = prepared.as_ref()?.subject.graph()?;
        let tensors = graph.tensors.iter();
        let kept = tensors.filter(|tensor| tensor.role == Role::Intermediate);
        Some(kept.count())
    });
    let sized = sized.unwrap_or_default().to_string();
    filled(session.say(FrameWord::NoLessOfSized), &[&sized])
}

impl Piece {
    /// What it says.
    pub(crate) fn text(&self, session: Session) -> String {
        match self {
            Self::Name(text) | Self::Plain(text) | Self::Bound(text) | Self::Open(text) => {
                text.clone()
            }
            Self::Room(_) => String::new(),
            Self::Plan(Column::Deployed, bytes) => {
                filled(session.say(FrameWord::Deployed), &[&format::bytes(*bytes)])
            }
            Self::Plan(Column::Strategy(_), bytes) => format::bytes(*bytes),
            Self::Wasted(before, after) => {
                let share = to_f64(before - after) / to_f64((*before).max(1));
                filled(session.say(FrameWord::Wasted), &[&format::percent(share)])
            }
        }
    }
}

/// The sentence as text; follows the plans.
pub(crate) fn headline(session: Session) -> Option<String> {
    let sentence = sentence(session)?;
    let pieces = pieces(session, &sentence).into_iter();
    Some(pieces.map(|piece| piece.text(session)).collect())
}

/// How many times less: "72", "7.8".
fn times(session: Session, before: u64, after: u64) -> String {
    let ratio = ratio(to_f64(before) / to_f64(after.max(1)));
    filled(session.say(FrameWord::Times), &[&ratio])
}

/// A ratio in two or three digits.
pub(crate) fn ratio(ratio: f64) -> String {
    match ratio {
        ratio if ratio >= 10.0 => format!("{ratio:.0}"),
        ratio if ratio >= 2.0 => format!("{ratio:.1}"),
        ratio => format!("{ratio:.2}"),
    }
}
