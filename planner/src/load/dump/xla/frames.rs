//! The lines of source that a module knows: its tables of files, functions, locations and frames.
//!
//! Ids count from 1. In protobuf a frame without a caller has the parent 0; the text writes every
//! parent one higher (`HloModule::Print`), so that such a frame seems to be its own.

use std::collections::{BTreeMap, BTreeSet};

use super::hlo::between;
use crate::deployed::{Frame, Gathered, Stacks};

/// Most rows of all tables together.
const MAX_ROWS: usize = 1 << 20;
/// Deepest stack.
const MAX_DEPTH: usize = 256;

/// The tables.
#[derive(Clone, Debug, Default)]
pub(super) struct Frames {
    pub(super) files: Vec<String>,
    pub(super) functions: Vec<String>,
    /// File, function and line.
    pub(super) locations: Vec<[i64; 3]>,
    /// Location and parent.
    pub(super) frames: Vec<[i64; 2]>,
    /// What instructions say themselves, in older builds: their numbers are below 0.
    own: Vec<Frame>,
    known: BTreeMap<Frame, i64>,
}

/// A table of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Table {
    Files,
    Functions,
    Locations,
    Frames,
}

impl Table {
    /// The table that a line of the text begins.
    pub(super) fn begun(line: &str) -> Option<Self> {
        match line.trim_end() {
            "FileNames" => Some(Self::Files),
            "FunctionNames" => Some(Self::Functions),
            "FileLocations" => Some(Self::Locations),
            "StackFrames" => Some(Self::Frames),
            _ => None,
        }
    }
}

/// The entry of an id.
fn at<T>(table: &[T], id: i64) -> Option<&T> {
    table.get(usize::try_from(id).ok()?.checked_sub(1)?)
}

impl Frames {
    /// Whether another row would be too many.
    pub(super) fn is_full(&self) -> bool {
        let rows = self.files.len() + self.functions.len() + self.locations.len();
        rows + self.frames.len() + self.own.len() >= MAX_ROWS
    }

    /// Reads a row of the text; `None` for what is none: then the tables have ended.
    pub(super) fn row(&mut self, table: Table, line: &str) -> Option<()> {
        let (id, rest) = line.trim().split_once(' ')?;
        let id: usize = id.parse().ok()?;
        if self.is_full() {
            return Some(());
        }
        let number = |name: &str| {
            let (_, text) = rest.split_once(name)?;
            let end = text.find(|it: char| !it.is_ascii_digit());
            text.get(..end.unwrap_or(text.len()))?.parse::<i64>().ok()
        };
        let next = |len: usize| (id == len + 1).then_some(());
        match table {
            Table::Files | Table::Functions => {
                let text = rest.strip_prefix('"')?.strip_suffix('"')?.to_owned();
                let list = match table {
                    Table::Files => &mut self.files,
                    _ => &mut self.functions,
                };
                next(list.len())?;
                list.push(text);
            }
            Table::Locations => {
                next(self.locations.len())?;
                let [file, function] =
                    ["{file_name_id=", " function_name_id="].map(|name| number(name).unwrap_or(0));
                self.locations.push([file, function, number(" line=")?]);
            }
            Table::Frames => {
                next(self.frames.len())?;
                let parent = number(" parent_frame_id=").unwrap_or(0).saturating_sub(1);
                self.frames.push([number("{file_location_id=")?, parent]);
            }
        }
        Some(())
    }

    /// The number of a line that an instruction says itself; 0 where it says none.
    pub(super) fn own(&mut self, file: &str, line: i64) -> i64 {
        let frame = Frame {
            file: file.to_owned(),
            line: u32::try_from(line).unwrap_or(0),
            ..Frame::default()
        };
        if file.is_empty() || self.is_full() {
            return 0;
        }
        if let Some(known) = self.known.get(&frame) {
            return *known;
        }
        self.own.push(frame.clone());
        let number = i64::try_from(self.own.len()).map_or(0, |it| -it);
        self.known.insert(frame, number);
        number
    }

    /// The number of the frame in `metadata={... stack_frame_id=4}` or in
    /// `source_file="/a/b.py" source_line=7`; 0 where neither is there.
    pub(super) fn said(&mut self, metadata: &str) -> i64 {
        let number = |name: &str| {
            let (_, text) = metadata.split_once(name)?;
            let end = text.find(|it: char| !it.is_ascii_digit());
            text.get(..end.unwrap_or(text.len()))?.parse::<i64>().ok()
        };
        match number("stack_frame_id=") {
            Some(id) => id,
            None => {
                let file = between(metadata, "source_file=\"", "\"").unwrap_or_default();
                self.own(file, number("source_line=").unwrap_or(0))
            }
        }
    }

    /// The frames of a number, innermost first.
    fn stack(&self, number: i64) -> Vec<Frame> {
        if number < 0 {
            return at(&self.own, -number).cloned().into_iter().collect();
        }
        let mut stack = Vec::new();
        let mut passed = BTreeSet::new();
        let mut next = number;
        // Tables may be broken: none leads around for ever.
        while passed.insert(next) && stack.len() < MAX_DEPTH {
            let Some(&[location, parent]) = at(&self.frames, next) else {
                break;
            };
            if let Some(&[file, function, line]) = at(&self.locations, location) {
                stack.push(Frame {
                    function: at(&self.functions, function).cloned().unwrap_or_default(),
                    file: at(&self.files, file).cloned().unwrap_or_default(),
                    line: u32::try_from(line).unwrap_or(0),
                });
            }
            next = parent;
        }
        stack
    }
}

/// The stacks of the values that are shown, each once.
#[derive(Debug, Default)]
pub(super) struct Shown {
    gathered: Gathered,
    known: BTreeMap<i64, u32>,
}

impl Shown {
    /// The index of the stack of a frame's number; 0 for none.
    pub(super) fn stack(&mut self, frames: &Frames, number: i64) -> u32 {
        if let Some(known) = self.known.get(&number) {
            return *known;
        }
        let stack = frames.stack(number).into_iter();
        let stack = stack.map(|frame| self.gathered.frame(frame)).collect();
        let stack = self.gathered.stack(stack);
        self.known.insert(number, stack);
        stack
    }

    /// All of them.
    pub(super) fn finish(self) -> Stacks {
        self.gathered.finish()
    }
}
