//! The commands that use a pack's slices: they name the slices and the steps.

use std::collections::BTreeMap;

use super::pack::{Packs, Use};
use super::steps::steps;
use super::text::{Function, Value, indent, operation, results, symbol, values};
use crate::load::Warning;
use crate::message;
use crate::units::{Span, Step};

/// The most steps of all packs of one function that are named.
const MAX_TITLES: usize = 1 << 22;
/// How far before an operand stands what is done with it.
const NEAR: usize = 256;

/// How the commands use one pack.
#[derive(Clone, Debug, Default)]
pub(super) struct Usage {
    /// How they use each slice.
    pub(super) slices: Vec<Slice>,
    /// The function.
    pub(super) function: String,
    /// What runs at each step; empty where that is not known.
    pub(super) steps: Vec<String>,
    /// What kind of memory it is ("transient"); empty where that is not known.
    pub(super) memory: String,
}

/// How the commands use one slice.
#[derive(Clone, Debug, Default)]
pub(super) struct Slice {
    /// The dispatch that writes it, or else what writes it; empty when nothing does.
    pub(super) name: String,
    /// Kind of the operator that writes it.
    pub(super) op: String,
    /// The whole name of that dispatch; empty for anything else.
    pub(super) entry: String,
    /// The steps that read it, ascending.
    pub(super) reads: Vec<Step>,
}

/// What a command does with a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Write,
    Both,
    /// Neither: caches are written back or thrown away.
    Neither,
}

/// A command that uses a slice.
#[derive(Clone, Debug)]
pub(super) struct Touch {
    pub(super) slice: (usize, usize),
    pub(super) access: Access,
    /// Where in its region it stands, counted in steps; `None` when the pack is not that
    /// region's own.
    pub(super) position: Option<(usize, u64)>,
    /// Index of the command in [`Walk::commands`].
    command: usize,
}

/// A command by what it does.
#[derive(Clone, Debug)]
pub(super) struct Command {
    pub(super) name: String,
    op: String,
    /// The function that it dispatches, `executable::function`; empty for anything else.
    entry: String,
}

impl Command {
    fn is_dispatch(&self) -> bool {
        !self.entry.is_empty()
    }

    /// Names a slice after the command that writes it.
    pub(super) fn names(&self, slice: &mut Slice) {
        slice.name.clone_from(&self.name);
        slice.op.clone_from(&self.op);
        slice.entry.clone_from(&self.entry);
    }
}

/// Everything that one walk over a function finds.
#[derive(Default)]
pub(super) struct Walk {
    pub(super) commands: Vec<Command>,
    touches: Vec<Touch>,
    /// What runs at each position of each region.
    pub(super) regions: Vec<Vec<Vec<usize>>>,
    /// Kind of memory of each pack.
    memory: BTreeMap<usize, String>,
    /// Slices that are handed into regions under other names.
    views: BTreeMap<String, (usize, usize)>,
    /// Operations that we do not know, and the first line of each.
    unknown: BTreeMap<String, usize>,
}

/// How the commands of `function` use its packs.
pub(super) fn usage(
    function: &Function<'_>,
    packs: &Packs,
    warnings: &mut Vec<Warning>,
) -> Vec<Usage> {
    let mut walk = Walk::default();
    walk.function(function, packs);
    for (operation, line) in &walk.unknown {
        warnings.push(Warning::new(
            message!("line {}", line),
            message!(
                "{} is not known: taken to read and write its slices",
                operation
            ),
        ));
    }
    let mut all: Vec<Usage> = Vec::new();
    for pack in &packs.packs {
        all.push(Usage {
            slices: vec![Slice::default(); pack.slices.len()],
            function: function.name.to_owned(),
            memory: walk.memory.remove(&all.len()).unwrap_or_default(),
            ..Usage::default()
        });
    }
    name(&walk, &mut all);
    let mut touches: BTreeMap<usize, Vec<&Touch>> = BTreeMap::new();
    for touch in &walk.touches {
        touches.entry(touch.slice.0).or_default().push(touch);
    }
    let mut room = MAX_TITLES;
    for (index, usage) in all.iter_mut().enumerate() {
        let spans: Vec<Span> = match packs.packs.get(index) {
            Some(pack) => pack.slices.iter().map(|slice| slice.span).collect(),
            None => Vec::new(),
        };
        let own = touches.get(&index).map_or(&[][..], Vec::as_slice);
        steps(&walk, own, &spans, usage, &mut room);
    }
    all
}

/// Names the slices after what writes them.
fn name(walk: &Walk, all: &mut [Usage]) {
    let mut named: BTreeMap<(usize, usize), bool> = BTreeMap::new();
    for touch in &walk.touches {
        let Some(command) = walk.commands.get(touch.command) else {
            continue;
        };
        if !matches!(touch.access, Access::Write | Access::Both) {
            continue;
        }
        // A fill only prepares what a dispatch then writes.
        let better = named
            .get(&touch.slice)
            .is_none_or(|dispatch| command.is_dispatch() && !dispatch);
        let slice = all
            .get_mut(touch.slice.0)
            .and_then(|usage| usage.slices.get_mut(touch.slice.1));
        if let (Some(slice), true) = (slice, better) {
            command.names(slice);
            named.insert(touch.slice, command.is_dispatch());
        }
    }
}

/// Where a walk stands inside a region of commands.
struct Region {
    margin: usize,
    index: usize,
    /// Slices by the name that they have inside.
    inside: BTreeMap<String, (usize, usize)>,
    command: Option<usize>,
}

impl Walk {
    fn function(&mut self, function: &Function<'_>, packs: &Packs) {
        let mut region: Option<Region> = None;
        for (index, line) in function.lines.iter().enumerate() {
            let uses = packs.uses.get(&index).map_or(&[][..], Vec::as_slice);
            let width = indent(line).len();
            match &mut region {
                None if operation(line).starts_with("stream.cmd.execute ") => {
                    self.memory(line, uses);
                    region = line.ends_with('{').then(|| self.open(line, width));
                }
                None => self.outside(line, uses, packs),
                Some(open) if width <= open.margin => region = None,
                Some(open) => self.inside(line, width, function.line + index, uses, packs, open),
            }
        }
    }

    /// Enters the region that starts on `line`.
    fn open(&mut self, line: &str, margin: usize) -> Region {
        self.regions.push(Vec::new());
        let mut inside = BTreeMap::new();
        let mut before: Option<(usize, &str)> = None;
        for value in values(line) {
            let joined = before.and_then(|(end, name)| {
                let between = line.get(end..value.start)?;
                (between == " as ").then(|| self.views.get(name)).flatten()
            });
            if let Some(&slice) = joined {
                inside.insert(value.name.to_owned(), slice);
            }
            before = Some((value.end, value.name));
        }
        Region {
            margin,
            index: self.regions.len() - 1,
            inside,
            command: None,
        }
    }

    /// A line outside of every region: memory is taken, and parts of it get names.
    fn outside(&mut self, line: &str, uses: &[Use], packs: &Packs) {
        self.memory(line, uses);
        for name in results(line) {
            self.views.remove(name);
        }
        let slice = uses.iter().find_map(|&used| packs.slice(used));
        if let (Some(slice), Some(name), true) = (
            slice,
            results(line).next(),
            operation(line).starts_with("stream.resource.subview "),
        ) {
            self.views.insert(name.to_owned(), slice);
        }
    }

    /// Looks for the kind of memory in `!stream.resource<transient>{%1#0}`.
    fn memory(&mut self, line: &str, uses: &[Use]) {
        let mut totals = uses.iter().filter(|used| used.result == 0).peekable();
        if totals.peek().is_none() {
            return;
        }
        let values: Vec<Value<'_>> = values(line).collect();
        for used in totals {
            let value = values.get(used.place);
            let before = value.map(|value| near(line, value.start));
            let kind = before.and_then(|before| {
                let (_, kind) = before.strip_suffix(">{")?.rsplit_once("stream.resource<")?;
                (!kind.contains('>')).then_some(kind)
            });
            if let Some(kind) = kind {
                self.memory
                    .entry(used.pack)
                    .or_insert_with(|| kind.to_owned());
            }
        }
    }

    /// A line inside a region.
    fn inside(
        &mut self,
        line: &str,
        width: usize,
        number: usize,
        uses: &[Use],
        packs: &Packs,
        region: &mut Region,
    ) {
        let text = operation(line);
        let keeps = ["flush ", "invalidate ", "discard "];
        let name = text.strip_prefix("stream.cmd.").unwrap_or_default();
        let kept = keeps.iter().any(|keep| name.starts_with(keep));
        let positions = self.regions.get_mut(region.index);
        let Some(positions) = positions else { return };
        // Caches are flushed between the operations that were counted.
        let starts = width == region.margin + 2 && text.starts_with("stream.cmd.");
        if starts && !kept {
            positions.push(Vec::new());
        }
        let groups = name.starts_with("concurrent") || name.starts_with("serial");
        if !name.is_empty() && !groups {
            let command = command(name);
            self.commands.push(command);
            region.command = Some(self.commands.len() - 1);
            if let (Some(step), false) = (positions.last_mut(), kept) {
                step.push(self.commands.len() - 1);
            }
        }
        let position = positions
            .len()
            .checked_sub(1)
            .map(|at| (region.index, at as u64));
        let Some(command) = region.command else {
            return;
        };
        if uses.is_empty() && region.inside.is_empty() {
            return;
        }
        let values: Vec<Value<'_>> = values(line).collect();
        let own = uses.iter().filter_map(|&used| {
            let value = values.get(used.place)?;
            Some((value.start, packs.slice(used)?, true))
        });
        let inner = values.iter().filter_map(|value| {
            let slice = region.inside.get(value.name)?;
            Some((value.start, *slice, false))
        });
        for (at, slice, own) in own.chain(inner) {
            let access = access(line, at).unwrap_or_else(|| {
                let word = text.split(' ').next().unwrap_or_default();
                self.unknown.entry(word.to_owned()).or_insert(number);
                Access::Both
            });
            if access != Access::Neither {
                self.touches.push(Touch {
                    slice,
                    access,
                    position: position.filter(|_| own),
                    command,
                });
            }
        }
    }
}

/// The text close before a place in a line: lines can be long.
fn near(line: &str, at: usize) -> &str {
    let from = (at.saturating_sub(NEAR)..=at).find(|&from| line.is_char_boundary(from));
    line.get(from.unwrap_or(at)..at).unwrap_or_default()
}

/// What a line does with the slice that stands at this place of it.
pub(super) fn access(line: &str, at: usize) -> Option<Access> {
    let name = operation(line)
        .strip_prefix("stream.cmd.")
        .unwrap_or_default();
    let word = name.split([' ', '<', '.']).next().unwrap_or_default();
    let before = near(line, at);
    // The value is an operand itself, or stands in the brackets after one.
    let before = match before.rsplit_once('[') {
        Some((operand, "")) => operand.get(..operand.rfind('%')?)?,
        _ => before,
    };
    match word {
        "fill" => return Some(Access::Write),
        "flush" | "invalidate" | "discard" => return Some(Access::Neither),
        "copy" if before.contains('[') => return Some(Access::Write),
        "copy" => return Some(Access::Read),
        _ => {}
    }
    let word = before.trim_end().rsplit([' ', '(', '\t']).next()?;
    match word {
        "ro" | "send" => Some(Access::Read),
        "wo" | "recv" => Some(Access::Write),
        "rw" => Some(Access::Both),
        _ => None,
    }
}

/// A command by its text after `stream.cmd.`.
pub(super) fn command(text: &str) -> Command {
    let word = text.split([' ', '<', '.']).next().unwrap_or_default();
    if !matches!(word, "dispatch" | "call") || !text.contains('@') {
        return Command {
            name: word.to_owned(),
            op: word.to_owned(),
            entry: String::new(),
        };
    }
    let executable = symbol(text);
    let entry = text
        .split_once("::")
        .map_or(executable, |(_, entry)| symbol(entry));
    let op = entry.strip_prefix(executable).unwrap_or(entry);
    let words: Vec<&str> = op.split('_').filter(|part| !part.is_empty()).collect();
    let kind: Vec<&str> = words
        .iter()
        .copied()
        .take_while(|part| !follows(part))
        .collect();
    let op = match kind.is_empty() {
        true => word.to_owned(),
        false => kind.join("_"),
    };
    Command {
        name: executable.to_owned(),
        op,
        entry: match entry == executable {
            true => executable.to_owned(),
            false => format!("{executable}::{entry}"),
        },
    }
}

/// Whether a word of a dispatch's name stands after its kind: sizes (`64x64x64`, `Dx64`) or
/// a type (`f32`).
fn follows(word: &str) -> bool {
    let digits = word.trim_start_matches(|letter: char| letter.is_ascii_lowercase());
    let number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let dtype = digits.len() + 4 > word.len() && !digits.is_empty() && number(digits);
    dtype || word == "D" || word.starts_with("Dx") || word.starts_with(|c: char| c.is_ascii_digit())
}
