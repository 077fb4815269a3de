//! The events of a trace done again: every block that lives for a while, and the bytes that
//! are taken from the device at each step.

use std::collections::BTreeMap;

use super::before::{Before, Found};
use super::contradictions::{
    Contradictions, IN_USE, LOST, OUTSIDE, OVERLAP, REVIVED, SEGMENT, TWICE, UNKNOWN,
};
use super::mapped::{Mapped, Marks, Rect};
use super::ranges::Ranges;
use super::{Action, Device, Event, Home, Remark, Segment, Sizes};
use crate::caching_allocator::SMALL_SEGMENT;
use crate::message;
use crate::units::{Bytes, Span, Step};

/// One block from when it is handed out to when it may be used again.
#[derive(Clone, Copy, Debug)]
pub(super) struct Life {
    pub(super) address: u64,
    pub(super) size: u64,
    pub(super) requested: u64,
    /// First step.
    pub(super) start: u64,
    /// The step at which it is given back, at most `end`.
    pub(super) given_back: u64,
    /// First step at which it may be used again.
    pub(super) end: u64,
    pub(super) stack: u32,
    pub(super) forward: u32,
    pub(super) label: u32,
    pub(super) stream: i64,
    pub(super) pool: (i64, i64),
    /// The segment that holds it for all its life, as [`Marks`] have it.
    pub(super) mark: Option<usize>,
    /// Whether the file says its size; otherwise it is worked out.
    sized: bool,
}

impl Life {
    /// When it is needed, where it is given back while another stream still uses it. `horizon` is
    /// one past the last step. What nobody uses may be used again with the very next event.
    pub(super) fn pending(&self, horizon: u64) -> Option<Span> {
        let at_once = self.given_back > 0 && self.given_back + 1 == self.end;
        let waits = self.given_back < self.end && (!at_once || self.end == horizon);
        waits.then(|| Span::new(self.start, self.given_back))
    }
}

/// What doing the events again gives.
#[derive(Clone, Debug, Default)]
pub(super) struct Replayed {
    /// In the order in which they begin, those before the trace by address.
    pub(super) lives: Vec<Life>,
    /// Bytes taken from the device.
    pub(super) reserved: Vec<(Step, Bytes)>,
    /// What was taken from the device, and when.
    pub(super) mapped: Vec<Rect>,
    /// What keeps its distance from what.
    pub(super) marks: Marks,
    /// What was said of a life later on: its place, and a label.
    pub(super) annotations: Vec<(usize, u32)>,
}

struct Replay<'d> {
    device: &'d Device,
    ranges: Ranges,
    mapped: Mapped,
    homes: BTreeMap<usize, Home>,
    /// What is in use after the last event.
    end: Vec<Found>,
    replayed: Replayed,
    /// Blocks in use by address, as index into the lives.
    live: BTreeMap<u64, usize>,
    contradictions: Contradictions,
}

/// Does the events of `device` again, from what was there before.
pub(super) fn lives(device: &Device, before: Before, remarks: &mut Vec<Remark>) -> Replayed {
    let mut replay = Replay {
        device,
        ranges: before.ranges,
        mapped: Mapped::default(),
        homes: before.homes,
        end: before.end,
        replayed: Replayed::default(),
        live: BTreeMap::new(),
        contradictions: Contradictions::default(),
    };
    for segment in replay.ranges.iter() {
        replay.mapped.add(segment, 0);
    }
    let mut blocks = before.blocks.into_values().peekable();
    while let Some(found) = blocks.next() {
        let next = blocks.peek().map_or(u64::MAX, |next| next.block.address);
        replay.was_there(found, next);
    }
    replay.report_reserved(0);
    for (index, event) in device.events.iter().enumerate() {
        replay.step(index, event);
        replay.report_reserved(index as u64 + 1);
    }
    replay.close();
    replay.trust_sizes(remarks);
    replay.hold();
    let horizon = replay.horizon();
    let mapped = std::mem::take(&mut replay.mapped);
    (replay.replayed.mapped, replay.replayed.marks) = mapped.close_all(horizon);
    let (events, first) = (device.events.len(), device.outside.first);
    replay
        .contradictions
        .report(&device.name, (events, first), remarks);
    replay.replayed
}

impl Replay<'_> {
    /// One step after the last.
    fn horizon(&self) -> u64 {
        self.device.events.len() as u64 + 1
    }

    /// A block that was there before the trace, and the address of the next one above it.
    fn was_there(&mut self, Found { block, sized }: Found, next: u64) {
        let around = self.ranges.around(block.address);
        if around.is_none() {
            self.contradictions.note(OUTSIDE, 0);
        }
        let (end, home) = around.unwrap_or((u64::MAX, Home::default()));
        let size = match sized {
            true => block.size,
            false => self.taken(block.requested, end.min(next) - block.address, home),
        };
        let Home { stream, pool, .. } = home;
        let earlier = self.device.outside.live.get(&block.address);
        let event = earlier.map(|earlier| earlier.event);
        let labels = earlier.map_or(&[][..], |earlier| &earlier.labels);
        let said = labels
            .iter()
            .map(|&label| (self.replayed.lives.len(), label));
        self.replayed.annotations.extend(said);
        self.begin(Life {
            address: block.address,
            size,
            requested: block.requested,
            start: 0,
            given_back: if block.pending { 0 } else { self.horizon() },
            end: self.horizon(),
            stack: block.stack,
            forward: event.map_or(0, |event| event.forward),
            label: event.map_or(0, |event| event.label),
            stream: event.map_or(stream, |event| event.stream),
            pool,
            mark: self.mark(block.address, size),
            sized,
        });
    }

    /// The bytes of the block that a request gets when `free` bytes are free from its address
    /// on, in a segment that is used as `home` says.
    fn taken(&self, requested: u64, free: u64, home: Home) -> u64 {
        if self.device.sizes != Sizes::Rounded {
            return requested;
        }
        let settings = &self.device.settings;
        let size = settings.rounded(requested);
        let fine = home.small || home.expandable;
        match free.checked_sub(size) {
            Some(rest) if !settings.splits(fine, size, rest) => free,
            _ => size,
        }
    }

    fn begin(&mut self, life: Life) {
        self.live.insert(life.address, self.replayed.lives.len());
        self.replayed.lives.push(life);
    }

    fn step(&mut self, index: usize, event: &Event) {
        match event.action {
            Action::Alloc => self.alloc(index, event),
            Action::FreeRequested => self.give_back(index, event.address),
            Action::FreeCompleted | Action::Free => self.complete(index, event.address),
            Action::SegmentAlloc | Action::SegmentMap => self.take_segment(index, event),
            Action::SegmentFree | Action::SegmentUnmap => self.lose_segment(index, event),
            Action::Annotate => self.annotate(index, event),
            Action::OutOfMemory | Action::Snapshot | Action::Other => {}
        }
    }

    fn alloc(&mut self, index: usize, event: &Event) {
        let step = index as u64 + 1;
        if let Some(old) = self.live.remove(&event.address) {
            self.contradictions.note(IN_USE, index);
            self.end(old, step);
        }
        let around = self.ranges.around(event.address);
        let next = self.live.range(event.address..).next();
        let next = next.map_or(u64::MAX, |(&address, _)| address);
        let size = match around {
            Some((end, home)) => self.taken(event.size, end.min(next) - event.address, home),
            None => {
                self.contradictions.note(OUTSIDE, index);
                event.size
            }
        };
        let below = self.live.range(..event.address).next_back();
        let below = below.and_then(|(_, &life)| self.replayed.lives.get(life));
        let covered = below.is_some_and(|life| {
            life.address.saturating_add(life.requested.min(life.size)) > event.address
        });
        if covered || next - event.address < event.size {
            self.contradictions.note(OVERLAP, index);
        }
        self.begin(Life {
            address: event.address,
            size,
            requested: event.size,
            start: step,
            given_back: self.horizon(),
            end: self.horizon(),
            stack: event.stack,
            forward: event.forward,
            label: event.label,
            stream: event.stream,
            pool: around.map_or((0, 0), |(_, home)| home.pool),
            mark: self.mark(event.address, size),
            sized: false,
        });
    }

    fn annotate(&mut self, index: usize, event: &Event) {
        match self.live.get(&event.address) {
            Some(&life) => self.replayed.annotations.push((life, event.label)),
            None => self.contradictions.note(UNKNOWN, index),
        }
    }

    fn give_back(&mut self, index: usize, address: u64) {
        let (step, horizon) = (index as u64 + 1, self.horizon());
        let life = self.live.get(&address).copied();
        let life = life.and_then(|life| self.replayed.lives.get_mut(life));
        match life {
            Some(life) if life.given_back == horizon => life.given_back = step,
            Some(_) => self.contradictions.note(TWICE, index),
            None => self.contradictions.note(UNKNOWN, index),
        }
    }

    fn complete(&mut self, index: usize, address: u64) {
        match self.live.remove(&address) {
            Some(life) => self.end(life, index as u64 + 1),
            None => self.contradictions.note(UNKNOWN, index),
        }
    }

    fn end(&mut self, life: usize, step: u64) {
        if let Some(life) = self.replayed.lives.get_mut(life) {
            life.end = step;
            life.given_back = life.given_back.min(step);
        }
    }

    fn take_segment(&mut self, index: usize, event: &Event) {
        let grows = event.action == Action::SegmentMap;
        let home = self.homes.get(&index).copied().unwrap_or(Home {
            stream: event.stream,
            small: event.size == SMALL_SEGMENT,
            expandable: grows,
            pool: self.device.pool(event),
        });
        let segment = Segment {
            address: event.address,
            size: event.size,
            home,
        };
        if self.ranges.add(segment) {
            self.mapped.add(segment, index as u64 + 1);
        } else {
            self.contradictions.note(SEGMENT, index);
        }
    }

    fn lose_segment(&mut self, index: usize, event: &Event) {
        let (address, size) = (event.address, event.size);
        if self.ranges.remove(address, size).is_none() {
            self.contradictions.note(SEGMENT, index);
            return;
        }
        self.mapped.remove(address, size, index as u64 + 1);
        let end = address.saturating_add(size);
        let below = self.live.range(..address).next_back();
        let inside = self.live.range(address..end);
        for (_, &life) in below.into_iter().chain(inside) {
            let life = self.replayed.lives.get_mut(life);
            if let Some(life) = life.filter(|it| it.address.saturating_add(it.size) > address) {
                life.mark = None;
            }
        }
    }

    /// What holds `size` bytes at `address` now.
    fn mark(&self, address: u64, size: u64) -> Option<usize> {
        let (end, _) = self.ranges.around(address)?;
        let whole = address.saturating_add(size) <= end;
        self.mapped.mark(address).filter(|_| whole)
    }

    /// Looks again for what holds the blocks that are there at the end: the file may say
    /// other sizes for them than were worked out.
    fn hold(&mut self) {
        let horizon = self.horizon();
        for at in 0..self.replayed.lives.len() {
            let life = self.replayed.lives.get(at).copied();
            if let Some(life) = life.filter(|life| life.end == horizon && life.mark.is_some()) {
                let mark = self.mark(life.address, life.size);
                if let Some(life) = self.replayed.lives.get_mut(at) {
                    life.mark = mark;
                }
            }
        }
    }

    fn report_reserved(&mut self, step: u64) {
        let now = Bytes(self.ranges.total());
        let last = self.replayed.reserved.last();
        if last.is_none_or(|last| last.1 != now) {
            self.replayed.reserved.push((Step(step), now));
        }
    }

    /// Takes from the blocks at the end what only the file knows, and looks for those that
    /// ought to be there.
    fn close(&mut self) {
        for Found { block, .. } in &self.end {
            match self.live.remove(&block.address) {
                Some(life) => {
                    if let Some(life) = self.replayed.lives.get_mut(life) {
                        life.requested = block.requested;
                    }
                }
                None => self.contradictions.note(REVIVED, self.device.events.len()),
            }
        }
        for life in std::mem::take(&mut self.live).into_values() {
            let start = self.replayed.lives.get(life).map_or(0, |life| life.start);
            let first = usize::try_from(start.saturating_sub(1)).unwrap_or_default();
            self.contradictions.note(LOST, first);
        }
    }

    /// Sizes are worked out by PyTorch's rules. Where the file says them they must agree;
    /// otherwise the rules are another allocator's and the bytes asked for are all we know.
    fn trust_sizes(&mut self, remarks: &mut Vec<Remark>) {
        let known = self.end.iter().filter(|found| found.sized);
        let known: BTreeMap<u64, u64> = known
            .map(|found| (found.block.address, found.block.size))
            .collect();
        let horizon = self.horizon();
        let (mut agree, mut differ) = (0_usize, 0_usize);
        for life in &mut self.replayed.lives {
            let Some(&size) = known.get(&life.address).filter(|_| life.end == horizon) else {
                continue;
            };
            if !life.sized {
                *(if life.size == size {
                    &mut agree
                } else {
                    &mut differ
                }) += 1;
            }
            (life.size, life.sized) = (size, true);
        }
        if differ == 0 {
            return;
        }
        let foreign = differ * 10 > agree + differ;
        if foreign {
            for life in self.replayed.lives.iter_mut().filter(|life| !life.sized) {
                life.size = life.requested;
            }
        }
        let blocks = message!("block has" | "blocks have", differ);
        remarks.push(Remark {
            place: self.device.name.clone(),
            message: match foreign {
                true => message!(
                    "{} another size than PyTorch's rules give: of blocks that are no \
                     longer there, only the bytes asked for are shown",
                    blocks
                ),
                false => message!(
                    "{} another size than PyTorch's rules give, so those of blocks that \
                     are no longer there may be wrong, too",
                    blocks
                ),
            },
        });
    }
}
