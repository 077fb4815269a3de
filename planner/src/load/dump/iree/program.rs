//! The functions of all texts, each found on both sides of the pass.

use std::collections::BTreeMap;

use super::offsets::shape;
use super::pack::{Pack, Packs, Slice};
use super::text::{Function, Printed, printed};
use crate::load::text::read as read_text;
use crate::load::{LoadError, Source};
use crate::sorting::Sorting as _;

/// A function before the pass.
pub(super) struct Before<'t> {
    pub(super) function: Function<'t>,
    pub(super) packs: Packs,
    /// What it does apart from them.
    shape: u64,
    /// Which text it stands in.
    pub(super) part: usize,
}

/// A function on both sides of the pass.
pub(super) struct Pair<'t> {
    pub(super) before: Before<'t>,
    pub(super) after: (usize, Function<'t>),
}

/// What all texts hold together.
#[derive(Default)]
pub(super) struct Program<'t> {
    pub(super) pairs: Vec<Pair<'t>>,
    /// Functions with packs of which it is not known what became of them.
    pub(super) alone: Vec<Before<'t>>,
    /// Functions without packs of which it is not known what they were: text and name.
    pub(super) orphans: Vec<(usize, &'t str)>,
    pub(super) before: bool,
    pub(super) after: bool,
}

/// The functions before the pass that wait for what stands after it.
#[derive(Default)]
struct Waiting<'t> {
    /// `None` once it is found.
    befores: Vec<Option<Before<'t>>>,
    by_packs: BTreeMap<(&'t str, Vec<Vec<Shape>>), usize>,
    by_shape: BTreeMap<(&'t str, u64), usize>,
}

impl<'t> Waiting<'t> {
    /// Other passes print a function again: the last print before the pass counts, and none
    /// after it.
    fn add(&mut self, before: Before<'t>) {
        let name = before.function.name;
        let content = before.packs.packs.iter().map(content).collect();
        let next = self.befores.len();
        let index = *self.by_packs.entry((name, content)).or_insert(next);
        match self.befores.get_mut(index) {
            None => self.befores.push(None),
            Some(None) => return,
            Some(Some(_)) => {}
        }
        self.by_shape.insert((name, before.shape), index);
        if let Some(there) = self.befores.get_mut(index) {
            *there = Some(before);
        }
    }

    /// The function that `name` was before the pass.
    fn take(
        &mut self,
        name: &'t str,
        shape: u64,
        fits: impl Fn(&Before<'t>) -> bool,
    ) -> Option<Before<'t>> {
        let index = *self.by_shape.get(&(name, shape))?;
        let there = self.befores.get_mut(index)?;
        there.take_if(|before| before.shape == shape && fits(before))
    }
}

/// Finds every function on both sides of the pass; an error comes with the text's number.
pub(super) fn program<'t>(parts: &[Printed<'t>]) -> Result<Program<'t>, (usize, LoadError)> {
    let mut program = Program::default();
    let mut waiting = Waiting::default();
    let mut early = Vec::new();
    for (part, printed) in parts.iter().enumerate() {
        program.before |= printed.before;
        program.after |= printed.after;
        for &function in &printed.functions {
            let packs = Packs::of(&function).map_err(|error| (part, error))?;
            let shape = shape(&function, &packs);
            if !packs.packs.is_empty() {
                waiting.add(Before {
                    function,
                    packs,
                    shape,
                    part,
                });
                continue;
            }
            match waiting.take(function.name, shape, |_| true) {
                Some(before) => program.pairs.push(Pair {
                    before,
                    after: (part, function),
                }),
                None => early.push((part, shape, function)),
            }
        }
    }
    // Files come in any order, but within one the later text is the later state.
    for (part, shape, function) in early {
        match waiting.take(function.name, shape, |before| before.part > part) {
            Some(before) => program.pairs.push(Pair {
                before,
                after: (part, function),
            }),
            None => program.orphans.push((part, function.name)),
        }
    }
    program.alone = waiting.befores.into_iter().flatten().collect();
    program
        .pairs
        .order_by_key(|pair| (pair.before.part, pair.before.function.line));
    Ok(program)
}

/// Which texts, by place, make a program each: those of which one has functions before the pass that
/// another has behind it; any other is one by itself. All are one where none has both, or where
/// one of them cannot be read, so that reading says why.
pub(in crate::load) fn programs(sources: &[&dyn Source]) -> Vec<Vec<usize>> {
    let together = vec![(0..sources.len()).collect()];
    let texts: Result<Vec<String>, LoadError> = sources.iter().map(|it| read_text(*it)).collect();
    let Ok(texts) = texts else { return together };
    let lines: Vec<Vec<&str>> = texts.iter().map(|text| text.lines().collect()).collect();
    let printed: Result<Vec<Printed<'_>>, LoadError> = lines.iter().map(|it| printed(it)).collect();
    let found = printed.ok().and_then(|it| program(&it).ok());
    let Some(pairs) = found.map(|it| it.pairs).filter(|it| !it.is_empty()) else {
        return together;
    };
    let mut of_text: Vec<usize> = (0..texts.len()).collect();
    for pair in &pairs {
        let ends = [pair.before.part, pair.after.0].map(|it| of_text.get(it).copied());
        if let [Some(one), Some(other)] = ends {
            let (to, from) = (one.min(other), one.max(other));
            let same = of_text.iter_mut().filter(|it| **it == from);
            same.for_each(|it| *it = to);
        }
    }
    let mut programs: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (text, of) in of_text.into_iter().enumerate() {
        programs.entry(of).or_default().push(text);
    }
    programs.into_values().collect()
}

/// A slice apart from where it stands: start, end, size.
type Shape = (u64, u64, Option<u64>);

fn content(pack: &Pack) -> Vec<Shape> {
    let shape = |slice: &Slice| (slice.span.start.0, slice.span.end.0, slice.size);
    pack.slices.iter().map(shape).collect()
}
