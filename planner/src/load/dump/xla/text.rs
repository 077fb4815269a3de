//! The sections of the texts: each begins with a line of its own, and in which file it stands
//! differs from build to build.

use super::assignment;
use super::listing::Listing;
use super::program::Allocation;
use super::ranges::{self, Ranges};
use super::values::Values;
use crate::load::{Fault, LoadError, Warning};
use crate::{Message, message};

/// Lines that are reported one by one; the rest is only counted.
const LISTED: u64 = 64;

/// What the texts say.
#[derive(Debug, Default)]
pub(super) struct Texts {
    /// Where every value lies.
    pub(super) assignment: Option<Found<Vec<Allocation>>>,
    /// When it lives.
    pub(super) ranges: Option<Found<Ranges>>,
    /// What reads it.
    pub(super) values: Option<Found<Values>>,
    /// The module itself.
    pub(super) module: Option<Listing>,
    /// Bytes of all allocations.
    pub(super) total: Option<Found<u64>>,
}

/// Something that a file says.
#[derive(Debug)]
pub(super) struct Found<T> {
    /// The file; empty where there is only one.
    pub(super) part: String,
    /// What it says.
    pub(super) said: T,
}

/// A part of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Section {
    /// Before the first.
    None,
    Assignment,
    Values,
    Ranges,
    Sequence,
    Lives,
    Peak,
    /// The instructions.
    Module,
    /// What says nothing of lifetimes: sizes in order, stack traces.
    Rest,
    /// What this reader does not know.
    Unknown,
}

/// The section that `line` begins; the line itself may say something, too.
fn heading(line: &str) -> Option<Section> {
    let text = line.trim_end();
    Some(match text {
        "BufferAssignment:" => Section::Assignment,
        "Used values:" => Section::Values,
        "  InstructionSequence:" => Section::Sequence,
        "  BufferLiveRange:" => Section::Lives,
        "Allocations sorted by size:" => Section::Rest,
        _ if text.starts_with("HloLiveRange (max ") => Section::Ranges,
        _ if text.starts_with("  Live ranges at ") => Section::Peak,
        _ if text.starts_with("  Stack trace breakdown ") => Section::Rest,
        _ if text.starts_with("Memory Space: ") => Section::Rest,
        _ if text.starts_with("HloModule ") => match text.contains("is_scheduled=true") {
            true => Section::Module,
            // Before the optimizations it has other instructions.
            false => Section::Rest,
        },
        _ => return None,
    })
}

impl Texts {
    /// Reads the text of the file `part`.
    ///
    /// # Errors
    /// [`Fault::Apart`] when a section is there a second time, [`Fault::Truncated`] when the
    /// text ends within a line, [`Fault::Malformed`] when a line is not what its section has.
    pub(super) fn read(
        &mut self,
        text: &str,
        part: &str,
        warnings: &mut Vec<Warning>,
    ) -> Result<(), LoadError> {
        let mut reading = Reading {
            texts: self,
            part,
            section: Section::None,
            useful: false,
            unknown: 0,
        };
        let whole = text.ends_with('\n');
        let mut lines = (1_u64..).zip(text.lines()).peekable();
        let mut end = 0;
        while let Some((number, line)) = lines.next() {
            let last = lines.peek().is_none();
            end = number;
            let read = reading.line(number, line, warnings);
            read.map_err(|error| match last && !whole {
                true => LoadError {
                    kind: Fault::Truncated,
                    message: message!("the text ends within it: {}", error.message),
                    ..error
                },
                false => error,
            })?;
        }
        // A number that is cut off is a number, too; but more must follow these lists, and
        // brackets end a shape.
        let within = match reading.section {
            _ if whole => None,
            Section::Sequence | Section::Lives => {
                Some(message!("the text ends within the live ranges"))
            }
            Section::Assignment if assignment::is_cut(text) => {
                Some(message!("the text ends within a shape"))
            }
            _ => None,
        };
        if let Some(message) = within {
            return Err(Fault::Truncated.at(message!("line {}", end), message));
        }
        reading.finish(warnings);
        Ok(())
    }
}

/// A text while it is read.
struct Reading<'t> {
    texts: &'t mut Texts,
    part: &'t str,
    section: Section,
    /// Whether anything in it says where or when.
    useful: bool,
    /// Lines that were not understood.
    unknown: u64,
}

impl Reading<'_> {
    fn line(
        &mut self,
        number: u64,
        line: &str,
        warnings: &mut Vec<Warning>,
    ) -> Result<(), LoadError> {
        if line.trim().is_empty() {
            return Ok(());
        }
        let bad = |message: Message| Fault::Malformed.at(message!("line {}", number), message);
        if let Some(section) = heading(line) {
            return self.begin(section, line).map_err(|error| LoadError {
                place: message!("line {}", number),
                ..error
            });
        }
        if line.starts_with("Total bytes") {
            return self.total(line).map_err(bad);
        }
        // A section that this reader does not know stands as far left as those it knows.
        let depth = line.len() - line.trim_start().len();
        let deep = matches!(
            self.section,
            Section::Sequence | Section::Lives | Section::Peak
        );
        if deep && depth < 4 {
            self.section = Section::Unknown;
        }
        match self.section {
            Section::None | Section::Unknown | Section::Ranges => {
                self.unknown(number, line, warnings);
                Ok(())
            }
            Section::Rest => Ok(()),
            Section::Module => {
                self.texts.module.get_or_insert_default().line(line);
                Ok(())
            }
            Section::Assignment => match &mut self.texts.assignment {
                Some(found) => assignment::line(&mut found.said, number, line).map_err(bad),
                None => Ok(()),
            },
            Section::Values => {
                // What reads a value is only an addition: what is odd there stops nothing.
                let values = self.texts.values.as_mut();
                if values.is_some_and(|found| found.said.line(line).is_err()) {
                    self.unknown(number, line, warnings);
                }
                Ok(())
            }
            Section::Sequence | Section::Lives | Section::Peak => {
                let Some(found) = &mut self.texts.ranges else {
                    return Ok(());
                };
                match self.section {
                    Section::Sequence => found.said.step(line),
                    Section::Lives => found.said.life(number, line),
                    _ => found.said.peak(number, line),
                }
                .map_err(bad)
            }
        }
    }

    /// Begins a section with its heading.
    fn begin(&mut self, section: Section, line: &str) -> Result<(), LoadError> {
        self.section = section;
        let part = self.part.to_owned();
        let twice = match section {
            Section::Assignment => {
                let said = Vec::new();
                self.texts
                    .assignment
                    .replace(Found { part, said })
                    .map(|it| it.part)
            }
            Section::Ranges => {
                let said = ranges::begin(line)
                    .map_err(|message| Fault::Malformed.at(Message::default(), message))?;
                self.texts
                    .ranges
                    .replace(Found { part, said })
                    .map(|it| it.part)
            }
            Section::Values => {
                let said = Values::default();
                self.texts
                    .values
                    .replace(Found { part, said })
                    .map(|it| it.part)
            }
            _ => None,
        };
        self.useful |= matches!(
            section,
            Section::Assignment | Section::Ranges | Section::Values | Section::Module
        );
        match twice {
            None => Ok(()),
            Some(other) => Err(Fault::Apart.at(
                Message::default(),
                match other.is_empty() {
                    true => message!("a second `{}`", line.trim()),
                    false => message!("a second `{}`, {} has one", line.trim(), other),
                },
            )),
        }
    }

    /// `Total bytes used: 133492 (130.4KiB)`, or `Total bytes: ` once for each memory space.
    fn total(&mut self, line: &str) -> Result<(), Message> {
        let words = line.split_once(": ").map(|(_, rest)| rest.split(' '));
        let bytes = words.and_then(|mut words| words.next()?.parse::<u64>().ok());
        let bytes = bytes.ok_or_else(|| message!("`{}` is no number of bytes", line))?;
        let spaces = line.starts_with("Total bytes:");
        match &mut self.texts.total {
            Some(found) if spaces && found.part == self.part => {
                found.said = found.said.saturating_add(bytes);
            }
            Some(_) => {}
            none => {
                *none = Some(Found {
                    part: self.part.to_owned(),
                    said: bytes,
                });
            }
        }
        Ok(())
    }

    fn unknown(&mut self, number: u64, line: &str, warnings: &mut Vec<Warning>) {
        self.unknown += 1;
        if self.unknown <= LISTED {
            let start: String = line.chars().take(120).collect();
            warnings.push(Warning::new(
                self.place(message!("line {}", number)),
                message!("this line is not understood: `{}`", start),
            ));
        }
    }

    fn place(&self, place: Message) -> Message {
        match self.part {
            "" => place,
            part => message!("{}, {}", part, place),
        }
    }

    fn finish(self, warnings: &mut Vec<Warning>) {
        if self.unknown > LISTED {
            warnings.push(Warning::new(
                self.place(message!("text")),
                message!("{} more lines are not understood", self.unknown - LISTED),
            ));
        }
        if !self.useful {
            let message =
                message!("it tells neither offsets nor lifetimes: nothing of it is shown");
            warnings.push(Warning::new(self.place(message!("text")), message));
        }
    }
}
