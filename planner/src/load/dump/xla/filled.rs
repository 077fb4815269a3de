//! What fills a value: XLA names most of its memory by what only passes it on (the state of a loop,
//! a part of a tuple, a copy), while people look for the line and the operator that computed it.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use super::frames::{Frames, Shown};
use super::module::{Instruction, Module};
use super::program::Value;

/// Most instructions on the way from a value to what fills it.
const MAX_STEPS: usize = 512;
/// Most such steps of all values together; what is left then has what it says itself.
const MAX_WALK: u64 = 1 << 23;

/// An instruction by its index, and the place in its result.
pub(super) type HloPosition = (usize, Vec<i64>);

/// A module, and from where each of its computations is called.
struct Filled<'m> {
    module: &'m Module,
    /// The first instruction that calls each computation, and which of its computations it is.
    callers: BTreeMap<i64, (usize, usize)>,
    /// The first instruction that reads each.
    readers: BTreeMap<i64, usize>,
    walked: Cell<u64>,
}

/// What values get of a module: what fills each, and the lines of source.
pub(super) struct Sources<'m> {
    filled: Filled<'m>,
    /// See [`Filled::arrays`].
    arrays: BTreeMap<HloPosition, (u32, HloPosition)>,
    /// The stacks of the values so far.
    pub(super) shown: Shown,
}

impl<'m> Sources<'m> {
    pub(super) fn of(module: &'m Module) -> Self {
        let filled = Filled::new(module);
        Self {
            arrays: filled.arrays(),
            filled,
            shown: Shown::default(),
        }
    }

    /// Adds what fills the value at a place; `frames` are the module's.
    pub(super) fn add(&mut self, frames: &Frames, at: HloPosition, value: &mut Value) {
        // What an array begins with says nothing of it: the loop fills it.
        let (number, from) = self.arrays.get(&at).cloned().unwrap_or((0, at));
        value.filled = number;
        let (source, frame) = self.filled.by(from);
        source.clone_into(&mut value.ir.source);
        value.stack = self.shown.stack(frames, frame);
    }
}

/// Which of an instruction's places comes next.
enum Way {
    /// Nowhere: this is what fills it, or nothing is known.
    End,
    /// On to another.
    On(HloPosition),
    /// To the first of these that says a line, else to the other.
    Either(HloPosition, HloPosition),
}

impl<'m> Filled<'m> {
    fn new(module: &'m Module) -> Self {
        let (mut callers, mut readers) = (BTreeMap::new(), BTreeMap::new());
        for (index, instruction) in module.instructions.iter().enumerate() {
            for (place, &called) in instruction.called.iter().enumerate() {
                callers.entry(called).or_insert((index, place));
            }
            for &operand in &instruction.operands {
                readers.entry(operand).or_insert(index);
            }
        }
        Self {
            module,
            callers,
            readers,
            walked: Cell::new(0),
        }
    }

    /// The operator that fills what lies at a place, and the number of its frame: those of the
    /// instruction that computes it; where that has no line, such as a table of places or a copy of
    /// an argument, the line of what it is made for.
    fn by(&self, at: HloPosition) -> (&'m str, i64) {
        let index = at.0;
        let mut best = None;
        self.walk(at, &mut BTreeSet::new(), &mut best);
        let (source, frame) = best.map_or(("", 0), |it| (it.source.as_str(), it.frame));
        let near = match self.module.instructions.get(index) {
            Some(known) if frame == 0 && !self.is_given(known) => self.near(index),
            _ => None,
        };
        match (near, source) {
            (None, _) => (source, frame),
            (Some(near), "") => (near.source.as_str(), near.frame),
            (Some(near), _) => (source, near.frame),
        }
    }

    /// Whether it is an argument of the program, or a constant, for which no line is to be found.
    fn is_given(&self, known: &Instruction) -> bool {
        let argument = known.op == "parameter" && known.computation == self.module.entry;
        argument || known.op == "constant"
    }

    /// The first instruction with a line that reads what another makes, or that calls the
    /// computation which it belongs to.
    fn near(&self, mut index: usize) -> Option<&'m Instruction> {
        for _ in 0..MAX_STEPS {
            let known = self.module.instructions.get(index)?;
            if known.frame != 0 {
                return Some(known);
            }
            let reader = self
                .readers
                .get(&known.id)
                .filter(|_| known.op != "parameter");
            let caller = || self.callers.get(&known.computation).map(|it| it.0);
            index = reader.copied().or_else(caller)?;
        }
        None
    }

    /// Whether a line was found; `best` is what says most on the way.
    fn walk(
        &self,
        at: HloPosition,
        passed: &mut BTreeSet<HloPosition>,
        best: &mut Option<&'m Instruction>,
    ) -> bool {
        let mut at = at;
        loop {
            self.walked.set(self.walked.get() + 1);
            let enough = passed.len() > MAX_STEPS || self.walked.get() > MAX_WALK;
            if enough || !passed.insert(at.clone()) {
                return false;
            }
            let Some(known) = self.module.instructions.get(at.0) else {
                return false;
            };
            let way = self.way(known, &at);
            let says = known.frame != 0 || best.is_none_or(|it| it.source.is_empty());
            if says && (known.frame != 0 || !known.source.is_empty()) {
                *best = Some(known);
            }
            match way {
                Way::End => return known.frame != 0,
                Way::On(next) => at = next,
                Way::Either(first, second) => {
                    let before = *best;
                    if self.walk(first, passed, best) {
                        return true;
                    }
                    *best = best.filter(|it| it.frame == 0).or(before);
                    at = second;
                }
            }
        }
    }

    fn way(&self, known: &Instruction, at: &HloPosition) -> Way {
        let operand = |number: usize, place: Vec<i64>| match self.operand(known, number) {
            Some(index) => Way::On((index, place)),
            None => Way::End,
        };
        let root = |called: usize, place: Vec<i64>| match self.root(known, called) {
            Some(index) => Way::On((index, place)),
            None => Way::End,
        };
        let place = &at.1;
        match known.op.as_str() {
            "tuple" => match place.split_first() {
                Some((number, rest)) => operand(
                    usize::try_from(*number).unwrap_or(usize::MAX),
                    rest.to_vec(),
                ),
                None => Way::End,
            },
            "get-tuple-element" => {
                let mut inner = vec![known.tuple_index];
                inner.extend(place);
                operand(0, inner)
            }
            "bitcast"
            | "copy"
            | "optimization-barrier"
            | "domain"
            | "add-dependency"
            | "copy-done" => operand(0, place.clone()),
            "copy-start" => operand(0, place.get(1..).unwrap_or_default().to_vec()),
            "while" if place.is_empty() => Way::End,
            "while" | "call" | "conditional" => root(0, place.clone()),
            "dynamic-update-slice" => operand(1, Vec::new()),
            "fusion" if self.is_slice(known, place) => root(0, place.clone()),
            // XLA's own, such as a conversion: what it is made from says more.
            _ if known.op == "parameter" => self.given(known, at),
            _ if known.frame == 0 && known.source.is_empty() => operand(0, Vec::new()),
            _ => Way::End,
        }
    }

    fn operand(&self, known: &Instruction, number: usize) -> Option<usize> {
        Some(self.module.find(*known.operands.get(number)?)?.0)
    }

    fn root(&self, known: &Instruction, called: usize) -> Option<usize> {
        let computation = self.module.computations.get(known.called.get(called)?)?;
        Some(self.module.find(computation.root)?.0)
    }

    /// Where a parameter of a computation has its value from; that of a loop is what the loop's
    /// body makes of it, and only without that what the loop begins with.
    fn given(&self, known: &Instruction, (_, place): &HloPosition) -> Way {
        let caller = self.callers.get(&known.computation);
        let caller = caller
            .and_then(|&(index, called)| Some((self.module.instructions.get(index)?, called)));
        let Some((caller, called)) = caller else {
            return Way::End;
        };
        let number = match caller.op.as_str() {
            "while" => 0,
            // The first operand chooses the branch.
            "conditional" => called + 1,
            _ => usize::try_from(known.parameter).unwrap_or(usize::MAX),
        };
        let begun = self.operand(caller, number).map(|it| (it, place.clone()));
        let made = self.root(caller, 0).map(|it| (it, place.clone()));
        match (caller.op.as_str(), made, begun) {
            ("while", Some(made), Some(begun)) if !place.is_empty() => Way::Either(made, begun),
            ("while", ..) | (_, _, None) => Way::End,
            (_, _, Some(begun)) => Way::On(begun),
        }
    }

    /// Whether what a fusion makes at a place is an array of which it only writes a slice.
    fn is_slice(&self, known: &Instruction, place: &[i64]) -> bool {
        let root = self.root(known, 0).map(|root| (root, place.to_vec()));
        root.is_some_and(|root| self.slice_of(root).is_some())
    }

    /// The array, within the same computation, of which a slice is written over to make what lies
    /// at a place.
    fn slice_of(&self, at: HloPosition) -> Option<HloPosition> {
        let (mut index, mut place) = at;
        for _ in 0..MAX_STEPS {
            let known = self.module.instructions.get(index)?;
            let number = match known.op.as_str() {
                "bitcast" | "copy" => 0,
                "dynamic-update-slice" => return Some((self.operand(known, 0)?, Vec::new())),
                "fusion" => {
                    let inner = self.slice_of((self.root(known, 0)?, place))?;
                    let (parameter, _) = self.through(inner)?;
                    let parameter = self.module.instructions.get(parameter)?;
                    let number = usize::try_from(parameter.parameter).ok()?;
                    let is_given = parameter.op == "parameter";
                    return Some((
                        self.operand(known, number).filter(|_| is_given)?,
                        Vec::new(),
                    ));
                }
                "tuple" => {
                    let (number, rest) = place.split_first()?;
                    let number = usize::try_from(*number).ok()?;
                    place = rest.to_vec();
                    number
                }
                _ => return None,
            };
            index = self.operand(known, number)?;
        }
        None
    }

    /// Where what lies at a place comes from within the same computation, unchanged.
    fn through(&self, at: HloPosition) -> Option<HloPosition> {
        let (mut index, mut place) = at;
        for _ in 0..MAX_STEPS {
            let known = self.module.instructions.get(index)?;
            let number = match known.op.as_str() {
                "bitcast" | "copy" => 0,
                "get-tuple-element" => {
                    place.insert(0, known.tuple_index);
                    0
                }
                "tuple" => {
                    let (number, rest) = place.split_first()?;
                    let number = usize::try_from(*number).ok()?;
                    place = rest.to_vec();
                    number
                }
                _ => return Some((index, place)),
            };
            index = self.operand(known, number)?;
        }
        None
    }

    /// The arrays that loops fill slice by slice, from 1 in the order of their loops: every place
    /// that one of them has, with its number and the place at which it is filled.
    fn arrays(&self) -> BTreeMap<HloPosition, (u32, HloPosition)> {
        let mut found = BTreeMap::new();
        let mut next = 0;
        for (index, known) in self.module.instructions.iter().enumerate() {
            let Some(root) = self.root(known, 0).filter(|_| known.op == "while") else {
                continue;
            };
            let Some(root) = self.module.instructions.get(root) else {
                continue;
            };
            if root.op != "tuple" {
                continue;
            }
            for place in 0..root.operands.len() {
                if let Some(places) = self.filled_in((index, known), (root, place)) {
                    next += 1;
                    let made = (index, vec![i64::try_from(place).unwrap_or_default()]);
                    let of = |it| (it, (next, made.clone()));
                    found.extend(places.into_iter().map(of));
                }
            }
        }
        found
    }

    /// The places that an array has which a loop fills at that place of its state; `None` where it
    /// does something else.
    fn filled_in(
        &self,
        (index, known): (usize, &Instruction),
        (root, place): (&Instruction, usize),
    ) -> Option<Vec<HloPosition>> {
        let at = vec![i64::try_from(place).ok()?];
        let made = self.operand(root, place)?;
        let (parameter, from) = self.through(self.slice_of((made, Vec::new()))?)?;
        let given = self.module.instructions.get(parameter)?;
        if given.op != "parameter" || given.computation != root.computation || from != at {
            return None;
        }
        let mut places = vec![
            (index, at.clone()),
            (made, Vec::new()),
            (parameter, at.clone()),
        ];
        // The condition has the state, too.
        let condition = known
            .called
            .get(1)
            .and_then(|it| self.module.computations.get(it));
        let seen = condition.into_iter().flat_map(|it| it.parameters.values());
        places.extend(seen.map(|parameter| (*parameter, at.clone())));
        places.extend(self.begun((self.operand(known, 0)?, at)));
        Some(places)
    }

    /// What a loop begins with at a place, and what that is a copy of.
    fn begun(&self, at: HloPosition) -> Vec<HloPosition> {
        let mut places = Vec::new();
        let (mut index, mut place) = at;
        while places.len() < MAX_STEPS {
            let Some(known) = self.module.instructions.get(index) else {
                break;
            };
            let next = match known.op.as_str() {
                "tuple" => {
                    let Some((number, rest)) = place.split_first() else {
                        break;
                    };
                    let number = usize::try_from(*number).unwrap_or(usize::MAX);
                    let rest = rest.to_vec();
                    place = rest;
                    self.operand(known, number)
                }
                "get-tuple-element" => {
                    place.insert(0, known.tuple_index);
                    self.operand(known, 0)
                }
                "bitcast" => self.operand(known, 0),
                _ => {
                    places.push((index, place));
                    break;
                }
            };
            match next {
                Some(next) => index = next,
                None => break,
            }
        }
        places
    }
}
