//! The rectangles of a film's picture, and what is marked on them.

use crate::state::film::Still;
use crate::state::session::{Session, to_f64};
use conversation::Column;
use std::sync::Arc;

use leptos::prelude::*;
use planner::bounds::Bounds;
use planner::trace::{Outcome, Refusal};
use planner::{Lifetimes, Model, Profile, Strategy};
use timeline::overlay_film::{FilmMarks, FilmRange};
use timeline::scene::{Fill, Lines, Rect, Scene};

use super::considered::{Fate, choice};
use super::mistake::held_up;
use super::narrator::Narrator;
use crate::format::bytes;
use crate::strings::{FilmWord, filled};

/// Where nothing is ever seen: left of the first step and below the first byte.
const NOWHERE: Rect = Rect {
    x0: -1e12,
    x1: -1e12,
    y0: -1e12,
    y1: -1e12,
};

/// The rectangles that are placed so far; the others are out of sight, so that rectangle i
/// stays buffer i.
pub(crate) fn scene(
    still: &Still,
    lifetimes: &Lifetimes,
    (bounds, profile): (&Bounds, &Profile),
    fill: &dyn Fn(usize) -> Fill,
) -> Scene {
    let placed = lifetimes.buffers.iter().zip(&still.layout.offsets);
    let rects: Vec<Rect> = placed
        .map(|(buffer, offset)| match offset {
            Some(offset) => Rect {
                x0: to_f64(buffer.span.start.0),
                x1: to_f64(buffer.span.end.0.max(buffer.span.start.0)),
                y0: to_f64(offset.0),
                y1: to_f64(offset.0.saturating_add(buffer.size.0)),
            },
            None => NOWHERE,
        })
        .collect();
    let points = profile.points.iter();
    let lines = Lines {
        curve: points
            .map(|(step, bytes)| (to_f64(step.0), to_f64(bytes.0)))
            .collect(),
        bound: to_f64(bounds.offsets.0),
        arena: to_f64(still.layout.arena.0),
    };
    let mut scene = Scene::from_rects(&rects, fill, lines);
    scene.extents.horizon = scene.extents.horizon.max(to_f64(lifetimes.horizon.0));
    scene.with_parts(lifetimes)
}

/// What is marked: the decided buffer, the ranges that it did not take, the objects, and at the
/// decisive step what holds it up.
pub(crate) fn marks(session: Session, column: Column, still: &Still) -> FilmMarks {
    let Some(prepared) = session.prepared.get() else {
        return FilmMarks::default();
    };
    let lifetimes = &prepared.subject.lifetimes;
    let language = session.language.get();
    let mut marks = FilmMarks::default();
    let frame = still.step.checked_sub(1);
    let outcome = frame.and_then(|frame| still.recording.trace.frames().get(frame));
    marks.current = outcome.and_then(|frame| match frame.outcome {
        Outcome::Unplaced { .. } => None,
        other => other.buffer(),
    });
    let narrator = Narrator {
        language,
        lifetimes,
        still,
        strategy: of_strategy(column),
        objects: of_objects(column),
    };
    if let Some(choice) = choice(&narrator)
        && let Some(buffer) = lifetimes.buffers.get(choice.buffer)
    {
        let ranges = choice.ranges.iter();
        let ranges = ranges.filter(|range| range.fate != Fate::Taken);
        marks.ranges = ranges
            .map(|range| FilmRange {
                rect: Rect {
                    x0: to_f64(buffer.span.start.0),
                    x1: to_f64(buffer.span.end.0),
                    y0: to_f64(range.from),
                    y1: to_f64(range.from.saturating_add(range.size)),
                },
                fits: range.size >= buffer.size.0,
                label: bytes(range.size),
            })
            .collect();
        let overlooked = Fate::Refused(Refusal::Overlooked);
        let named = choice.ranges.iter().any(|range| range.fate == overlooked);
        if frame.is_some() && still.recording.survey.decisive == frame && !named {
            let held = held_up(&narrator, choice.buffer).buffers;
            marks.stack = held.into_iter().skip(1).collect();
        }
    }
    let ranged = match narrator.gives_blocks() {
        true => FilmWord::SegmentName,
        false => FilmWord::ObjectName,
    };
    let objects = still.layout.objects.iter().enumerate();
    let objects = objects.map(|(index, object)| (FilmWord::ObjectName, index, object));
    let objects = objects.map(|(name, index, &(from, size))| (name, (0, index), from, size));
    let ranges = still.layout.ranges.iter();
    let ranges = ranges.map(|it| (ranged, (it.pool, it.index), it.from, it.size));
    marks.objects = objects
        .chain(ranges)
        .map(|(name, (pool, index), from, size)| {
            let name = name.in_language(language);
            let mut name = filled(name, &[&(index + 1).to_string()]);
            if let Some(pool) = narrator.pool_name(pool) {
                name = narrator.fill(FilmWord::InPool, &[&name, pool]);
            }
            let object_end = to_f64(from.0.saturating_add(size.0));
            (
                to_f64(from.0),
                object_end,
                format!("{name} · {}", bytes(size.0)),
            )
        })
        .collect();
    marks
}

/// The strategy of a column.
fn of_strategy(column: Column) -> Option<Strategy> {
    match column {
        Column::Strategy(strategy) => Some(strategy),
        Column::Deployed => None,
    }
}

/// Whether a column plans shared objects.
pub(super) fn of_objects(column: Column) -> bool {
    matches!(column, Column::Strategy(strategy) if strategy.description().model == Model::Objects)
}

/// What is said at a step of a column's film; follows the language.
pub(super) fn sentence(session: Session, column: Column, still: &Still) -> Option<String> {
    let prepared: Arc<_> = session.prepared.get()?;
    let lifetimes = &prepared.subject.lifetimes;
    Some(narrated(session, column, (lifetimes, still), sentence_of))
}

/// What the sentence rounds, to the byte: size and address of the buffer that is placed.
pub(super) fn exactly(session: Session, column: Column, still: &Still) -> Option<String> {
    let prepared: Arc<_> = session.prepared.get()?;
    let lifetimes = &prepared.subject.lifetimes;
    narrated(session, column, (lifetimes, still), |narrator| {
        narrator.exactly()
    })
}

/// What a narrator says of one step.
pub(super) fn narrated<T>(
    session: Session,
    column: Column,
    (lifetimes, still): (&Lifetimes, &Still),
    say: impl FnOnce(&Narrator<'_>) -> T,
) -> T {
    say(&Narrator {
        language: session.language.get(),
        lifetimes,
        still,
        strategy: of_strategy(column),
        objects: of_objects(column),
    })
}

/// The sentence of a step.
pub(super) fn sentence_of(narrator: &Narrator<'_>) -> String {
    narrator.sentence()
}
