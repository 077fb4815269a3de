//! A function whose memory is laid out already, without the IR before it: what `--compile-to=stream`
//! writes. Slices are then ranges of an allocation at constant offsets, and nothing says when each
//! is needed. So they are found by use: a command that writes a range begins a slice, one that
//! reads it keeps it alive. Only transient memory is followed: what is handed back lives on.

use std::collections::BTreeMap;

use super::commands::{self, Access, Usage, access, command};
use super::offsets::{Laid, SliceOffset};
use super::pack::{Pack, Slice};
use super::text::{Function, Value, constant, fault, indent, operation, results, values};
use crate::load::{Fault, LoadError};
use crate::message;
use crate::units::{Span, Step};

/// How many pieces of memory all commands of a text may look at.
const WORK: usize = 1 << 24;

/// What an allocation is that some function makes and uses.
pub(super) struct Placed {
    /// Its slices, in the order in which they begin.
    pub(super) pack: Pack,
    /// Where they lie.
    pub(super) laid: Laid,
    /// What uses them.
    pub(super) usage: Usage,
    /// How many ranges are left out, of which only the running program knows the place.
    pub(super) unplaced: usize,
    /// Whether no command uses it, so that it is one slice from end to end.
    pub(super) whole: bool,
}

/// The transient allocations of a function.
///
/// # Errors
/// [`Fault::Limit`] where commands touch more pieces than are followed.
pub(super) fn placed(function: &Function<'_>) -> Result<Vec<Placed>, LoadError> {
    let mut walk = Walk::default();
    for (index, line) in function.lines.iter().enumerate() {
        let number = function.line + index;
        walk.line(line, number);
        if walk.work > WORK {
            let what = message!("over {} pieces of memory are touched up to here", WORK);
            return Err(fault(Fault::Limit, number, what));
        }
    }
    let steps = walk.steps;
    let made = walk.found.into_iter();
    Ok(made.map(|found| found.finish(function, &steps)).collect())
}

/// An allocation in the making.
struct Found {
    line: usize,
    total: Option<u64>,
    slices: Vec<Use>,
    /// Which slice was last written to each piece: by its start its end and the slice.
    pieces: BTreeMap<u64, (u64, usize)>,
    unplaced: usize,
}

/// A slice in the making.
struct Use {
    range: (u64, u64),
    line: usize,
    first: u64,
    last: u64,
    used: commands::Slice,
    /// The slice that it turned out to be a part of.
    part_of: Option<usize>,
}

#[derive(Default)]
struct Walk<'t> {
    constants: BTreeMap<&'t str, u64>,
    /// Allocations by the name of their resource.
    allocations: BTreeMap<&'t str, usize>,
    found: Vec<Found>,
    /// Indentation of the region that is open, and allocations by the name that they have in it.
    region: Option<(usize, BTreeMap<&'t str, usize>)>,
    /// What runs at each step.
    steps: Vec<String>,
    command: Option<commands::Command>,
    work: usize,
}

impl<'t> Walk<'t> {
    fn line(&mut self, line: &'t str, number: usize) {
        if let (Some(value), Some(name)) = (constant(line), results(line).next()) {
            self.constants.insert(name, value);
        }
        let width = indent(line).len();
        let text = operation(line);
        match &self.region {
            Some((margin, _)) if width > *margin => self.inside(line, width, number),
            _ => {
                self.region = None;
                if text.starts_with("stream.resource.alloca ") {
                    self.allocated(line, number);
                } else if text.starts_with("stream.cmd.execute ") && line.ends_with('{') {
                    self.region = Some((width, self.names_inside(line)));
                }
            }
        }
    }

    /// `%result, %timepoint = stream.resource.alloca … : !stream.resource<transient>{%size} => …`
    fn allocated(&mut self, line: &'t str, number: usize) {
        let Some((_, rest)) = line.split_once("!stream.resource<transient>{") else {
            return;
        };
        let Some(name) = results(line).next() else {
            return;
        };
        let size = rest.split('}').next().unwrap_or_default();
        self.allocations.insert(name, self.found.len());
        self.found.push(Found {
            line: number,
            total: self.constants.get(size).copied(),
            slices: Vec::new(),
            pieces: BTreeMap::new(),
            unplaced: 0,
        });
    }

    /// What `with(%result as %arg1: …)` calls the allocations inside of a region.
    fn names_inside(&self, line: &'t str) -> BTreeMap<&'t str, usize> {
        let mut inside = BTreeMap::new();
        let mut before: Option<Value<'t>> = None;
        for value in values(line) {
            let outer = before.filter(|it| line.get(it.end..value.start) == Some(" as "));
            if let Some(&found) = outer.and_then(|it| self.allocations.get(it.name)) {
                inside.insert(value.name, found);
            }
            before = Some(value);
        }
        inside
    }

    fn inside(&mut self, line: &'t str, width: usize, number: usize) {
        let text = operation(line);
        let name = text.strip_prefix("stream.cmd.").unwrap_or_default();
        let keeps = ["flush ", "invalidate ", "discard "];
        let groups = name.starts_with("concurrent") || name.starts_with("serial");
        let Some((margin, inside)) = self.region.take() else {
            return;
        };
        let kept = keeps.iter().any(|keep| name.starts_with(keep));
        if !name.is_empty() && !kept {
            if width == margin + 2 {
                self.steps.push(String::new());
            }
            if !groups {
                let command = command(name);
                if let Some(step) = self.steps.last_mut() {
                    let between = if step.is_empty() { "" } else { " | " };
                    step.push_str(between);
                    step.push_str(&command.name);
                }
                self.command = Some(command);
            }
        }
        let there: Vec<Value<'t>> = values(line).collect();
        for (place, value) in there.iter().enumerate() {
            let Some(&found) = inside.get(value.name) else {
                continue;
            };
            let does = access(line, value.start).unwrap_or(Access::Both);
            if does == Access::Neither {
                continue;
            }
            let number_of = |place: usize| self.constants.get(there.get(place)?.name).copied();
            // `%arg[%offset for %length]`, and of a copy `%from[%at], %to[%at], %length`.
            let length = match name.starts_with("copy") {
                true => number_of(4),
                false => number_of(place + 2),
            };
            let range = number_of(place + 1).zip(length);
            let range = range.and_then(|(from, length)| Some((from, from.checked_add(length)?)));
            self.touch(found, range, does, number);
        }
        self.region = Some((margin, inside));
    }

    fn touch(&mut self, found: usize, range: Option<(u64, u64)>, does: Access, line: usize) {
        let step = (self.steps.len() as u64).saturating_sub(1);
        let Some(found) = self.found.get_mut(found) else {
            return;
        };
        let Some(range) = range else {
            found.unplaced += 1;
            return;
        };
        if range.0 == range.1 {
            return;
        }
        let owners = found.owners(range, &mut self.work);
        let same = |&it: &usize| found.slices[it].range == range;
        let exact = owners.iter().copied().find(same);
        let goes_on = match does {
            Access::Read | Access::Both => true,
            // A fill prepares what the next command completes.
            _ => owners.iter().all(|it| found.slices[*it].used.op == "fill") && !owners.is_empty(),
        };
        if goes_on && !owners.is_empty() {
            found.join(&owners);
            for &owner in &owners {
                let slice = &mut found.slices[owner];
                slice.last = slice.last.max(step);
                if does != Access::Write && slice.used.reads.last() != Some(&Step(step)) {
                    slice.used.reads.push(Step(step));
                }
            }
            if does == Access::Read {
                return;
            }
            if let Some(owner) = exact {
                let used = &mut found.slices[owner].used;
                if let (Some(command), "fill") = (&self.command, used.op.as_str()) {
                    command.names(used);
                }
                return;
            }
        }
        let mut used = commands::Slice::default();
        let read_only = does == Access::Read;
        if let (Some(command), false) = (&self.command, read_only) {
            command.names(&mut used);
        }
        // What is read before it was written has been there from the beginning.
        let first = if read_only { 0 } else { step };
        found.slices.push(Use {
            range,
            line,
            first,
            last: step,
            used,
            part_of: None,
        });
        let owner = found.slices.len() - 1;
        found.own(range, owner, &mut self.work);
    }
}

impl Found {
    /// The slices that hold the pieces of a range, each once.
    fn owners(&self, (from, to): (u64, u64), work: &mut usize) -> Vec<usize> {
        let mut owners = Vec::new();
        let before = self.pieces.range(..from).next_back();
        let inside = self.pieces.range(from..to);
        for (_, &(end, owner)) in before.into_iter().chain(inside) {
            *work += 1;
            let owner = self.root(owner);
            if end > from && owners.last() != Some(&owner) {
                owners.push(owner);
            }
        }
        owners.sort_unstable();
        owners.dedup();
        owners
    }

    fn root(&self, mut slice: usize) -> usize {
        while let Some(whole) = self.slices.get(slice).and_then(|it| it.part_of) {
            slice = whole;
        }
        slice
    }

    /// Makes one slice of those that lie upon each other and are read together: one of them was
    /// written into the other.
    fn join(&mut self, owners: &[usize]) {
        for pair in owners.windows(2) {
            let (one, other) = (self.root(pair[0]), self.root(pair[1]));
            let (kept, gone) = (one.min(other), one.max(other));
            let (a, b) = (self.slices[kept].range, self.slices[gone].range);
            if kept == gone || a.1 <= b.0 || b.1 <= a.0 {
                continue;
            }
            let last = self.slices[kept].last.max(self.slices[gone].last);
            let whole = &mut self.slices[kept];
            (whole.range, whole.last) = ((a.0.min(b.0), a.1.max(b.1)), last);
            self.slices[gone].part_of = Some(kept);
        }
    }

    /// Gives the pieces of a range to a slice.
    fn own(&mut self, (from, to): (u64, u64), owner: usize, work: &mut usize) {
        let before = self.pieces.range(..from).next_back();
        let inside = self.pieces.range(from..to);
        let cut: Vec<(u64, (u64, usize))> = before
            .into_iter()
            .chain(inside)
            .filter(|(_, (end, _))| *end > from)
            .map(|(&start, &piece)| (start, piece))
            .collect();
        *work += cut.len();
        for (start, (end, other)) in cut {
            self.pieces.remove(&start);
            if start < from {
                self.pieces.insert(start, (from, other));
            }
            if end > to {
                self.pieces.insert(to, (end, other));
            }
        }
        self.pieces.insert(from, (to, owner));
    }

    fn finish(mut self, function: &Function<'_>, steps: &[String]) -> Placed {
        let whole = self.slices.is_empty() && self.unplaced == 0;
        if let (true, Some(total)) = (whole, self.total) {
            self.slices.push(Use {
                range: (0, total),
                line: self.line,
                first: 0,
                last: (steps.len() as u64).saturating_sub(1),
                used: commands::Slice::default(),
                part_of: None,
            });
        }
        let kept = self.slices.into_iter().filter(|it| it.part_of.is_none());
        let (mut slices, mut places, mut used) = (Vec::new(), Vec::new(), Vec::new());
        for slice in kept {
            slices.push(Slice {
                span: Span::new(slice.first, slice.last + 1),
                size: Some(slice.range.1 - slice.range.0),
                line: slice.line,
            });
            places.push(SliceOffset::At(slice.range.0));
            used.push(slice.used);
        }
        Placed {
            pack: Pack {
                line: self.line,
                slices,
            },
            laid: Laid {
                total: self.total,
                slices: places,
            },
            usage: Usage {
                slices: used,
                function: function.name.to_owned(),
                steps: steps.to_vec(),
                memory: "transient".to_owned(),
            },
            unplaced: self.unplaced,
            whole,
        }
    }
}
