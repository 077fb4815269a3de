//! What is known of buffers from the stacks that allocated them.

use super::facts::{Column, Sources};
use crate::attribution::{
    AUTOGRAD, Attribution, BEFORE_RECORDING, Caller, Phase, called, categories, forward, place,
    stream,
};
use crate::deployed::{Category, Frame, Stacks};
use crate::liveness::Buffer;
use crate::units::Step;

/// The columns of stacks, streams and phases.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct StackFacts {
    pub(super) callers: Column,
    pub(super) modules: Column,
    pub(super) phases: Column,
    pub(super) categories: Column,
    pub(super) streams: Column,
    pub(super) frames: Column,
    pub(super) functions: Column,
    pub(super) files: Column,
}

impl StackFacts {
    /// Looks at every stack once, and at every buffer.
    pub(super) fn new(sources: &Sources<'_>) -> Self {
        let Sources {
            lifetimes,
            notes,
            scopes,
            stacks,
            program,
            ..
        } = *sources;
        let note = |index: usize| notes.get(index);
        let each = 0..lifetimes.buffers.len();
        let rows = each
            .clone()
            .map(|index| note(index).map_or(0, |note| note.stack));
        let rows: Vec<u32> = rows.collect();
        let frames = stacks.frames.iter();
        let (places, called): (Vec<_>, Vec<_>) = frames.map(|it| (place(it), called(it))).unzip();
        let said = Attribution::of(lifetimes, notes, stacks, scopes);
        // A training step says itself what it is about.
        let scheduled = |buffer: &Buffer| {
            let start = usize::try_from(buffer.span.start.0).ok()?;
            Some(program?.schedule.steps.get(start)?.phase.name())
        };
        // What the file says itself is not inferred.
        let held = categories(lifetimes, &said.phases).into_iter().enumerate();
        let held = held.map(|(index, it)| note(index).and_then(|note| note.category).or(it));
        let phases = said.phases.iter().zip(&lifetimes.buffers);
        let phases =
            phases.map(|(phase, buffer)| phase.map(Phase::name).or_else(|| scheduled(buffer)));
        let streams = each.map(|index| Some(stream(note(index)?.stream?)));
        let streams: Vec<Option<String>> = streams.collect();
        Self {
            callers: allocated_in(sources, &said, &called, &rows),
            modules: lines(&said.callers, &called, |it| it.module, &rows),
            categories: Column::new(held.map(|it| it.map(Category::name)), Vec::new()),
            phases: Column::new(phases, Vec::new()),
            streams: Column::new(streams.iter().map(|it| it.as_deref()), Vec::new()),
            frames: of_frames(stacks, &rows, |index, frame| {
                [frame.function.as_str(), text(&places, index)]
            }),
            functions: of_frames(stacks, &rows, |_, frame| [frame.function.as_str()]),
            files: of_frames(stacks, &rows, |_, frame| [frame.file.as_str()]),
        }
    }
}

/// A column of the lines that allocated; of buffers without one, whether they were there before
/// the recording, or autograd made them.
fn allocated_in(
    sources: &Sources<'_>,
    said: &Attribution,
    called: &[String],
    rows: &[u32],
) -> Column {
    let stacks = sources.stacks;
    if stacks.frames.is_empty() {
        return lines(&said.callers, called, |it| it.frame, rows);
    }
    let known = |row: u32| {
        said.callers
            .get(row as usize)
            .is_some_and(|it| it.frame.is_some())
    };
    let of_buffer = rows.iter().enumerate().map(|(buffer, &row)| {
        let note = sources.notes.get(buffer);
        let lifetime = sources.lifetimes.buffers.get(buffer);
        // What a compiler laid out is no recording.
        let before = lifetime.is_some_and(|it| it.span.start == Step(0))
            && note.is_none_or(|it| it.value.is_none());
        if known(row) {
            None
        } else if row == 0 && before {
            Some(BEFORE_RECORDING.to_owned())
        } else if said.phases.get(buffer) == Some(&Some(Phase::Backward)) {
            note.and_then(|note| forward(note, stacks))
                .or_else(|| Some(AUTOGRAD.to_owned()))
        } else {
            None
        }
    });
    let of_buffer: Vec<Option<String>> = of_buffer.collect();
    let texts = rows.iter().zip(&of_buffer).map(|(&row, own)| {
        let frame = said.callers.get(row as usize).and_then(|it| it.frame);
        own.as_deref().or_else(|| Some(text(called, frame?)))
    });
    Column::new(texts, Vec::new())
}

/// A column of what `read` says of the frames of every stack.
fn of_frames<'s, const N: usize>(
    stacks: &'s Stacks,
    rows: &[u32],
    read: impl Fn(u32, &'s Frame) -> [&'s str; N],
) -> Column {
    let read = |&index: &u32| Some(read(index, stacks.frames.get(index as usize)?));
    let table = stacks.stacks.iter();
    let table = table.map(|stack| stack.iter().filter_map(read).flatten());
    Column::new(table, rows.to_vec())
}

/// A column of one frame of every stack, as it is called.
fn lines(
    callers: &[Caller],
    called: &[String],
    frame: fn(&Caller) -> Option<u32>,
    rows: &[u32],
) -> Column {
    let table = callers.iter().map(|it| Some(text(called, frame(it)?)));
    Column::new(table, rows.to_vec())
}

fn text(texts: &[String], index: u32) -> &str {
    texts.get(index as usize).map_or("", String::as_str)
}
