//! What a running allocator did, replayed: a trace of its events and the blocks at its end
//! become lifetimes with addresses.
//!
//! A trace begins somewhere in the middle of a run, so what was there before is found by
//! undoing the events one by one from the end. Then they are done again, forwards, and every
//! block that lives for a while becomes a buffer. Step 0 is the state before the trace, and
//! event `i` is step `i + 1`: a block that is taken at event `i` and given back at event `j`
//! lives from `i + 1` up to, not including, `j + 1`.
//!
//! Device addresses are 48 bits wide and mostly unused. What was taken from the device is laid
//! into the arena over time: segments that are never there together may take the same place.

mod addresses;
mod before;
mod contradictions;
mod lanes;
mod lives;
mod mapped;
mod ranges;
mod scopes;
mod arena;

use std::collections::BTreeMap;

use crate::caching_allocator::AllocatorSettings;
use crate::deployed::{Arena, Deployed, Stacks};
use crate::liveness::TooLarge;
use crate::{Message, message};

/// What one file says of its devices.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trace {
    /// What made it, as people call it.
    pub toolchain: String,
    /// Every device.
    pub devices: Vec<Device>,
    /// Stacks of frames.
    pub stacks: Stacks,
    /// What events say of themselves beyond their fields, each once; the first is empty.
    pub labels: Vec<String>,
}

/// One device and its allocator.
#[derive(Clone, Debug, Default)]
pub(crate) struct Device {
    /// What people call it: "device 0".
    pub name: Message,
    /// What is taken from the device at the end.
    pub segments: Vec<Segment>,
    /// What is handed out at the end.
    pub blocks: Vec<Block>,
    /// What happened in the range that is replayed, the oldest first.
    pub events: Vec<Event>,
    /// What is known of the events outside that range.
    pub outside: Outside,
    /// When each event was, in microseconds; empty where that is not known of all.
    pub times: Vec<i64>,
    /// What the program said of itself, by index of the event that came next, ascending.
    pub annotations: Vec<(usize, Annotation)>,
    /// How its allocator is configured.
    pub settings: AllocatorSettings,
    /// How large blocks are.
    pub sizes: Sizes,
    /// The private pools that [`Event::pool`] leads to; the first stands for none.
    pub pools: Vec<(i64, i64)>,
}

/// How large a block is for what was asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Sizes {
    /// Rounded and split as PyTorch's allocator does it.
    #[default]
    Rounded,
    /// As events say: the file is a plan that was written as a snapshot.
    Exact,
    /// As events say, and each is a segment: the host's pinned memory.
    Whole,
}

impl Device {
    /// What its last request that failed was, where nothing else is known of it.
    pub(crate) fn failed(&self) -> Option<Message> {
        let mut events = self.events.iter().enumerate();
        let (event, failed) = events.rfind(|it| it.1.action == Action::OutOfMemory)?;
        let (asked, free) = (failed.size, failed.address);
        let event = self.outside.first.saturating_add(event as u64);
        Some(message!(
            "{} was out of memory at event {}: {} bytes asked for, {} free on \
             the device, no block in use",
            self.name,
            event,
            asked,
            free
        ))
    }

    /// The private pool that an event names; (0, 0) where it names none.
    fn pool(&self, event: &Event) -> (i64, i64) {
        self.pools
            .get(event.pool as usize)
            .copied()
            .unwrap_or_default()
    }
}

/// What is known of the events before and after a range.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outside {
    /// How many are before it: the number of its first.
    pub first: u64,
    /// How many are after it.
    pub after: u64,
    /// Blocks that were handed out before it and are in use where it begins, by address.
    pub live: BTreeMap<u64, Earlier>,
    /// How many blocks began at an address before it, in use or not.
    pub versions: BTreeMap<u64, u32>,
    /// How many blocks were given back before it.
    pub ended: u64,
    /// How many blocks were handed out after it.
    pub begun: u64,
    /// Of those after it what says how things are where it ends, the oldest first.
    pub deciding: Vec<Event>,
    /// How many requests failed outside it, and the first.
    pub failed: Option<(u64, u64)>,
}

impl Outside {
    /// What lies outside, for people.
    fn say(&self, device: &Message, remarks: &mut Vec<Remark>) {
        let mut say = |message| {
            remarks.push(Remark {
                place: device.clone(),
                message,
            });
        };
        if self.first > 0 {
            say(message!(
                "{} events before the range: {} blocks that ended there are left out, {} that began \
                 there are still in use",
                self.first,
                self.ended,
                self.live.len()
            ));
        }
        if self.after > 0 {
            say(message!(
                "{} events after the range: {} blocks that began there are left out",
                self.after,
                self.begun
            ));
        }
        if let Some((count, event)) = self.failed {
            say(message!(
                "{} requests failed outside the range, the first at event {}",
                count,
                event
            ));
        }
    }
}

/// A block that was handed out before the range.
#[derive(Clone, Debug)]
pub(crate) struct Earlier {
    /// How.
    pub event: Event,
    /// What was said of it before the range, by index into [`Trace::labels`].
    pub labels: Vec<u32>,
}

/// What a program said of itself at a moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Annotation {
    /// What it was about.
    pub name: String,
    /// "START" and "END" of it, or another word; empty for none.
    pub stage: String,
}

/// Memory that an allocator took from its device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Segment {
    /// First byte.
    pub address: u64,
    /// Bytes.
    pub size: u64,
    /// How it is used.
    pub home: Home,
}

/// What all blocks of a segment have in common.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Home {
    /// The stream that it is for.
    pub stream: i64,
    /// The private pool that it belongs to, (0, 0) for none.
    pub pool: (i64, i64),
    /// Whether it is for small blocks.
    pub small: bool,
    /// Whether it can grow and shrink in place.
    pub expandable: bool,
}

/// Memory that is handed out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Block {
    /// First byte.
    pub address: u64,
    /// Bytes that it occupies.
    pub size: u64,
    /// Bytes that were asked for.
    pub requested: u64,
    /// Whether it is given back already, but still in use by another stream.
    pub pending: bool,
    /// The stack that asked for it, by index into [`Trace::stacks`].
    pub stack: u32,
}

/// One thing that an allocator did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Event {
    /// What.
    pub action: Action,
    /// Where; for [`Action::OutOfMemory`] the bytes that the device has left.
    pub address: u64,
    /// Bytes: of a block as many as were asked for, of a segment all.
    pub size: u64,
    /// On which stream.
    pub stream: i64,
    /// What asked for it, by index into [`Trace::stacks`].
    pub stack: u32,
    /// Of the backward pass, the stack that the operator had in the forward pass; 0 for none.
    pub forward: u32,
    /// The private pool that it names, by index into [`Device::pools`]; 0 where it names none.
    pub pool: u32,
    /// What else it says, by index into [`Trace::labels`].
    pub label: u32,
}

/// What an allocator does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// Hands out a block.
    Alloc,
    /// Is given a block back that other streams may still use.
    FreeRequested,
    /// May use a block again that was given back.
    FreeCompleted,
    /// Both in one, as old traces have it.
    Free,
    /// Takes a segment from the device.
    SegmentAlloc,
    /// Gives a segment back to the device.
    SegmentFree,
    /// Grows an expandable segment.
    SegmentMap,
    /// Shrinks an expandable segment.
    SegmentUnmap,
    /// Has no memory for a request.
    OutOfMemory,
    /// Is asked for a snapshot.
    Snapshot,
    /// Is told something of a block that is there.
    Annotate,
    /// Something that we do not know.
    Other,
}

/// Something worth saying about a trace that could be replayed all the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Remark {
    /// Where: the device and the first event.
    pub place: Message,
    /// What was found and what was done about it.
    pub message: Message,
}

/// Replays `trace`: one arena for each device that ever handed out a block.
///
/// # Errors
/// [`TooLarge`] when the sizes are beyond what can be planned.
pub(crate) fn replay(trace: Trace) -> Result<(Deployed, Vec<Remark>), TooLarge> {
    let mut remarks = Vec::new();
    let mut arenas: Vec<Arena> = Vec::new();
    let Trace {
        toolchain,
        devices,
        stacks,
        labels,
    } = trace;
    let named = arena::Named {
        stacks: &stacks,
        labels: &labels,
    };
    for device in devices {
        device.outside.say(&device.name, &mut remarks);
        let before = before::before(&device);
        let replayed = lives::lives(&device, before, &mut remarks);
        if replayed.lives.is_empty() {
            if !device.segments.is_empty() || !device.events.is_empty() {
                let failed = device.failed();
                remarks.push(Remark {
                    place: device.name,
                    message: match failed {
                        Some(failed) => {
                            message!("it never handed out a block: left out; {}", failed)
                        }
                        None => message!("it never handed out a block: left out"),
                    },
                });
            }
            continue;
        }
        arenas.push(arena::arena(device, replayed, &named, &mut remarks)?);
    }
    let deployed = Deployed {
        toolchain,
        arenas,
        stacks,
        ..Deployed::default()
    };
    Ok((deployed, remarks))
}
