//! What was there before a trace began, found by undoing its events from the last to the
//! first. What does not fit together is passed over here: doing the events again finds it.

use std::collections::BTreeMap;

use super::ranges::Ranges;
use super::{Action, Block, Device, Event, Home, Segment};
use crate::caching_allocator::SMALL_SEGMENT;

/// The state before the first event.
#[derive(Clone, Debug, Default)]
pub(super) struct Before {
    pub(super) ranges: Ranges,
    /// By address.
    pub(super) blocks: BTreeMap<u64, Found>,
    /// What is in use after the last event.
    pub(super) end: Vec<Found>,
    /// What segments are used for that the trace takes and the file still has, by event.
    pub(super) homes: BTreeMap<usize, Home>,
}

/// A block that was there before.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    /// As the file has it. A block that is given back during the trace has no size there, and
    /// the stack is that of the caller that gave it back, so none is taken.
    pub(super) block: Block,
    /// Whether `block.size` is known.
    pub(super) sized: bool,
}

/// Undoes every event of `device`, those after its range first.
pub(super) fn before(device: &Device) -> Before {
    let mut before = Before::default();
    for &segment in &device.segments {
        before.ranges.add(segment);
    }
    for &block in &device.blocks {
        before
            .blocks
            .insert(block.address, Found { block, sized: true });
    }
    for event in device.outside.deciding.iter().rev() {
        before.undo(device, event);
    }
    before.end = before.blocks.values().copied().collect();
    for (index, event) in device.events.iter().enumerate().rev() {
        let home = before.undo(device, event);
        before.homes.extend(home.map(|home| (index, home)));
    }
    for (address, earlier) in &device.outside.live {
        if let Some(found) = before.blocks.get_mut(address).filter(|it| !it.sized) {
            found.block.stack = earlier.event.stack;
        }
    }
    before
}

impl Before {
    /// Undoes one event; what a segment is used for that it took.
    fn undo(&mut self, device: &Device, event: &Event) -> Option<Home> {
        let segment = Segment {
            address: event.address,
            size: event.size,
            home: Home {
                stream: event.stream,
                // Segments of the large pool are larger.
                small: event.size == SMALL_SEGMENT,
                expandable: event.action == Action::SegmentUnmap,
                pool: device.pool(event),
            },
        };
        match event.action {
            Action::Alloc => {
                self.blocks.remove(&event.address);
            }
            Action::FreeCompleted | Action::Free => {
                let block = Block {
                    address: event.address,
                    size: 0,
                    requested: event.size,
                    pending: event.action == Action::FreeCompleted,
                    stack: 0,
                };
                let found = Found {
                    block,
                    sized: false,
                };
                self.blocks.insert(event.address, found);
            }
            Action::FreeRequested => {
                if let Some(found) = self.blocks.get_mut(&event.address) {
                    found.block.pending = false;
                }
            }
            Action::SegmentAlloc | Action::SegmentMap => {
                return self.ranges.remove(event.address, event.size);
            }
            Action::SegmentFree | Action::SegmentUnmap => {
                self.ranges.add(segment);
            }
            Action::OutOfMemory | Action::Snapshot | Action::Annotate | Action::Other => {}
        }
        None
    }
}
