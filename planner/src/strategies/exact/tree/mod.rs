//! The search tree of one field and capacity, walked without recursion.
//!
//! A frame tries the places of one block after the other. Where the unplaced blocks fall
//! apart, each group is a task of its own: all must be solved, and when one cannot be, the
//! block that tore them apart is tried elsewhere.

mod parts;
mod skipped;

use alloc::vec;
use alloc::vec::Vec;
use core::ops;

use skipped::Skipped;

use super::field::Field;
use super::rules::Rules;
use super::sections::Range;
use super::state::{Mark, PLACED, State};
use crate::strategies::{Rule, Stop};
use crate::units::narrow;

/// How a walk ended, or why it paused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Every block has its place.
    Found,
    /// There is no plan; none is lower than this either. The largest number when there is
    /// no plan at any capacity.
    Never(u64),
    /// The limit was reached, or the listener said stop.
    Stopped,
}

/// Hears what the walk does, block by block, and stops it by `false`.
pub(super) trait Listener {
    /// A place is tried.
    fn tried(&mut self) -> bool;
    /// Buffer `buffer` was placed.
    fn placed(&mut self, buffer: usize, offset: u64) -> bool;
    /// Buffer `buffer` was taken up again.
    fn unplaced(&mut self, buffer: usize) -> bool;
    /// A branch was given up, or places were skipped, with so many placed, because of what
    /// `stop` says.
    fn pruned(&mut self, rule: Rule, depth: usize, stop: &dyn Fn() -> Stop) -> bool;
}

/// A block that can be placed: by ascending address, then by rank in its task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct PlaceableBlock {
    address: u64,
    rank: u32,
}

/// A range of `Tree::members`, half-open.
#[derive(Clone, Copy, Debug)]
struct Members {
    start: usize,
    end: usize,
}

impl Members {
    fn len(self) -> usize {
        self.end - self.start
    }

    fn indices(self) -> ops::Range<usize> {
        self.start..self.end
    }
}

/// The lowest address above an unplaced block, and that block.
#[derive(Clone, Copy, Debug)]
struct Lowest {
    top: u64,
    block: Option<u32>,
}

/// Blocks to be placed on their own.
#[derive(Clone, Copy, Debug)]
struct Task {
    /// The blocks by rank, some of them placed since.
    members: Members,
    /// Their sections.
    range: Range,
    /// No place before this one is left to them.
    from: PlaceableBlock,
    /// The task to solve after this one, if any.
    next: Option<usize>,
    /// The task that this one is a part of, if any.
    whole: Option<usize>,
    /// The frame whose block tore the whole into parts, if any.
    torn_by: Option<usize>,
}

/// One choice.
#[derive(Clone, Copy, Debug)]
struct Frame {
    task: usize,
    /// Whether it is the first of its task.
    first: bool,
    /// Blocks of the task left to place, this one included.
    left: usize,
    /// Where its candidates begin.
    candidates: usize,
    /// The block that is placed now.
    chosen: Option<u32>,
    /// State before anything of this frame was tried.
    entered: Mark,
    /// State, and numbers of tasks and members, before it was placed.
    mark: Mark,
    tasks: usize,
    members: usize,
}

/// A part of a torn task: its sections, and its members.
#[derive(Clone, Copy, Debug)]
struct Part {
    range: Range,
    count: usize,
    end: usize,
    /// How many of its members have no place left at the address of the last placed block.
    before: u32,
}

/// The walk.
pub(super) struct Tree<'a> {
    pub(super) state: State<'a>,
    tasks: Vec<Task>,
    members: Vec<u32>,
    frames: Vec<Frame>,
    /// The places that each frame has still to try.
    candidates: Vec<PlaceableBlock>,
    /// For each section the part of a torn task that it belongs to.
    part_of: Vec<u32>,
    parts: Vec<Part>,
    /// Bytes left in the fullest section of each block that was ranked again.
    fullest: Vec<u64>,
}

/// What to do next.
enum Turn {
    /// Begin with a frame in `task`, of which `left` blocks are to be placed, none of them
    /// before `from`.
    Enter {
        task: usize,
        left: usize,
        from: PlaceableBlock,
    },
    /// Try the next place of the last frame.
    Next,
    /// All blocks of this task are placed.
    Solved(usize),
    /// The listener said stop.
    Stop,
}

impl<'a> Tree<'a> {
    /// A walk that has not begun; `None` when the capacity is below the bound of the field.
    pub(super) fn new(field: &'a Field, rules: Rules, capacity: u64) -> Option<Self> {
        let state = State::new(field, rules, capacity)?;
        let whole = Task {
            members: Members {
                start: 0,
                end: field.len(),
            },
            range: Range {
                start: 0,
                end: narrow(field.sections.len()),
            },
            from: PlaceableBlock::default(),
            next: None,
            whole: None,
            torn_by: None,
        };
        Some(Self {
            state,
            tasks: vec![whole],
            members: (0..narrow(field.len())).collect(),
            frames: Vec::new(),
            candidates: Vec::new(),
            part_of: vec![0; field.sections.len()],
            parts: Vec::new(),
            fullest: vec![0; field.len()],
        })
    }

    /// Walks until the end, or until `limit` places were tried.
    pub(super) fn walk(&mut self, limit: u64, to: &mut dyn Listener) -> End {
        let mut turn = self.split(0, PlaceableBlock::default(), false);
        let mut left = limit;
        loop {
            turn = match turn {
                Turn::Enter { task, left, from } => self.enter(task, left, from, to),
                Turn::Solved(task) => match self.after(task) {
                    None => return End::Found,
                    Some(next) => next,
                },
                Turn::Next => {
                    let Some(&frame) = self.frames.last() else {
                        return End::Never(self.state.beyond);
                    };
                    match self.pick(frame.candidates) {
                        None => self.give_up(to),
                        Some(_) if left == 0 => return End::Stopped,
                        Some(place) => {
                            left -= 1;
                            match to.tried() {
                                true => self.choose(frame, place, to),
                                false => Turn::Stop,
                            }
                        }
                    }
                }
                Turn::Stop => return End::Stopped,
            };
        }
    }

    /// Pushes a frame with every place worth trying.
    fn enter(
        &mut self,
        task: usize,
        left: usize,
        from: PlaceableBlock,
        to: &mut dyn Listener,
    ) -> Turn {
        let begin = self.candidates.len();
        let known = self.tasks[task];
        let rules = self.state.rules;
        let mut lowest = Lowest {
            top: u64::MAX,
            block: None,
        };
        let mut skipped: Option<Skipped> = None;
        let chosen = self.frames.last().and_then(|frame| frame.chosen);
        let members = &self.members[known.members.indices()];
        let field = self.state.field;
        let (lows, highs) = (&self.state.low[..], &self.state.high[..]);
        let floors = &self.state.floor[..];
        let last = if rules.monotonic() { from.address } else { 0 };
        let mut unreachable = None;
        for (rank, &block) in (0_u32..).zip(members) {
            let index = block as usize;
            let low = lows[index];
            if low == PLACED {
                continue;
            }
            let floor = floors[index].max(last);
            if floor > highs[index] {
                unreachable = Some((block, floor));
                break;
            }
            if low < lowest.top || !rules.dominance {
                let twin = field.twin[index];
                let after_twin = twin.is_some_and(|twin| lows[twin as usize] != PLACED);
                let place = PlaceableBlock { address: low, rank };
                if rules.canonical && (place < from || after_twin || low < floors[index]) {
                    if skipped.is_none() {
                        skipped = Some(Skipped {
                            other: twin.filter(|_| after_twin).or(chosen),
                            ..Skipped::new(Rule::Canonical, block, low)
                        });
                    }
                } else {
                    self.candidates.push(place);
                }
            }
            let top = low + field.padded[index];
            if top < lowest.top {
                lowest = Lowest {
                    top,
                    block: Some(block),
                };
            }
        }
        if let Some((block, to)) = unreachable {
            self.state.refuse(block, to);
            self.candidates.truncate(begin);
            skipped = Some(Skipped::new(Rule::MonotonicFloor, block, to));
        }
        if rules.dominance {
            let dropped = self.drop_dominated(begin, known.members, lowest);
            skipped = skipped.or(dropped);
        }
        self.push_frame(task, left, begin);
        match skipped {
            Some(skipped) if !self.report_skipped(skipped, to) => Turn::Stop,
            _ => Turn::Next,
        }
    }

    /// Pushes a frame whose places are the candidates from `begin` on.
    fn push_frame(&mut self, task: usize, left: usize, begin: usize) {
        self.frames.push(Frame {
            task,
            first: left == self.tasks[task].members.len(),
            left,
            candidates: begin,
            chosen: None,
            entered: self.state.mark(),
            mark: Mark::default(),
            tasks: 0,
            members: 0,
        });
    }

    /// Takes the next place out of the candidates from `begin` on.
    fn pick(&mut self, begin: usize) -> Option<PlaceableBlock> {
        let candidates = self.candidates[begin..].iter().enumerate();
        let (next, _) = if self.state.rules.dynamic_order {
            candidates.min_by_key(|&(_, &place)| place)?
        } else {
            candidates.min_by_key(|&(_, place)| place.rank)?
        };
        Some(self.candidates.swap_remove(begin + next))
    }

    /// Places the block of the last frame, `frame`.
    fn choose(&mut self, frame: Frame, place: PlaceableBlock, to: &mut dyn Listener) -> Turn {
        let offset = place.address;
        let mark = self.state.mark();
        let task = self.tasks[frame.task];
        let block = self.members[task.members.start + place.rank as usize];
        if let Err(rule) = self.state.place(block, task.range) {
            let stop = || self.state.stop(block, offset);
            let going = to.pruned(rule, self.frames.len() - 1, &stop);
            return match going && self.postpone(frame.candidates, block, to) {
                true => Turn::Next,
                false => Turn::Stop,
            };
        }
        if let Some(frame) = self.frames.last_mut() {
            frame.chosen = Some(block);
            frame.mark = mark;
            frame.tasks = self.tasks.len();
            frame.members = self.members.len();
        }
        let buffer = self.state.field.blocks[block as usize].buffer;
        if !to.placed(buffer, offset) {
            return Turn::Stop;
        }
        let left = frame.left - 1;
        let from = PlaceableBlock {
            rank: place.rank + 1,
            ..place
        };
        let torn = self.state.torn && self.state.rules.decomposition;
        match left {
            0 => Turn::Solved(frame.task),
            _ if torn || left * 2 < task.members.len() => self.split(frame.task, from, torn),
            _ => Turn::Enter {
                task: frame.task,
                left,
                from,
            },
        }
    }

    /// Ends the last frame, which has no place left: back to the one before it in its task,
    /// or to the one that tore the task off.
    fn give_up(&mut self, to: &mut dyn Listener) -> Turn {
        let Some(frame) = self.frames.last() else {
            return Turn::Next;
        };
        let back = match frame.first {
            true => self.tasks[frame.task].torn_by.map_or(0, |frame| frame + 1),
            false => self.frames.len() - 1,
        };
        while self.frames.len() > back {
            if let Some(frame) = self.frames.pop() {
                self.candidates.truncate(frame.candidates);
                if let Some(block) = frame.chosen
                    && !self.take_up(block, &frame, to)
                {
                    return Turn::Stop;
                }
                self.state.restore(frame.entered);
            }
        }
        let Some(frame) = self.frames.last_mut() else {
            return Turn::Next;
        };
        let chosen = frame.chosen.take();
        let frame = *frame;
        let Some(block) = chosen else {
            return Turn::Next;
        };
        match self.take_up(block, &frame, to) && self.postpone(frame.candidates, block, to) {
            true => Turn::Next,
            false => Turn::Stop,
        }
    }

    /// Postpones `block` of the last frame, whose candidates begin at `begin` and which was
    /// tried without success; drops these where no plan is left without it.
    fn postpone(&mut self, begin: usize, block: u32, to: &mut dyn Listener) -> bool {
        // Without candidates left the frame ends anyway.
        if !self.state.rules.postpones() || self.candidates.len() == begin {
            return true;
        }
        let offset = self.state.low[block as usize];
        let Err(rule) = self.state.postpone(block) else {
            return true;
        };
        self.candidates.truncate(begin);
        let stop = || match rule {
            Rule::Hatless => self.state.skip(block, offset),
            _ => self.state.stop(block, offset),
        };
        to.pruned(rule, self.frames.len() - 1, &stop)
    }

    fn take_up(&mut self, block: u32, frame: &Frame, to: &mut dyn Listener) -> bool {
        self.state.take_up(block, frame.mark);
        self.tasks.truncate(frame.tasks);
        self.members.truncate(frame.members);
        to.unplaced(self.state.field.blocks[block as usize].buffer)
    }
}
