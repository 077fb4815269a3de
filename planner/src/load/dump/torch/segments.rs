//! Segments and their blocks, as they are at the end.

use super::fields::{Field, dict_of, malformed, pair};
use super::heap::Value;
use super::snapshot::{HOST, Reader, limit};
use crate::load::LoadError;
use crate::load::dump::draft::MAX_BUFFERS;
use crate::replay::{Block, Home, Segment};
use crate::{Message, message};

pub(super) const SEGMENT: [&str; 13] = [
    "device",
    "address",
    "total_size",
    "stream",
    "segment_type",
    "segment_pool_id",
    "is_expandable",
    "blocks",
    // What follows is not needed: it is the sum of the blocks, or said by the events.
    "allocated_size",
    "active_size",
    "requested_size",
    "frames",
    "version",
];

/// Pinned memory of the host, a block that is a segment.
pub(super) const HOST_SEGMENT: [&str; 11] = [
    "address",
    "size",
    "total_size",
    "allocated",
    "active",
    "state",
    "frames",
    "segment_pool_id",
    "pool_id",
    "owner_private_pool_id",
    "version",
];

pub(super) const BLOCK: [&str; 8] = [
    "address",
    "size",
    "requested_size",
    "state",
    "frames",
    "history",
    "addr",
    "version",
];

impl Reader<'_> {
    /// Reads segment `index` of the file.
    pub(super) fn segment(&mut self, index: usize, item: Value) -> Result<(), LoadError> {
        let place = || message!("segment {}", index);
        let dict = dict_of(item, &place)?;
        let [
            device,
            address,
            size,
            stream,
            kind,
            pool,
            expandable,
            blocks,
            ..,
        ] = self.segment.read(self.heap, dict);
        let field = |key, value| Field {
            key,
            value,
            place: &place,
        };
        let device = match device {
            Some(_) => field("device", device).natural()?,
            None => 0,
        };
        let device = u32::try_from(device).unwrap_or(u32::MAX);
        self.count_device(device, &place)?;
        let segment = Segment {
            address: field("address", address).natural()?,
            size: field("total_size", size).natural()?,
            home: Home {
                stream: match stream {
                    Some(Value::Int(stream)) => stream,
                    _ => 0,
                },
                pool: pair(self.heap, pool).unwrap_or_default(),
                small: self.is_text(kind, "small"),
                expandable: expandable == Some(Value::Bool(true)),
            },
        };
        if segment.address.checked_add(segment.size).is_none() {
            return Err(malformed(place(), message!("it ends beyond 64 bits")));
        }
        self.device(device).segments.push(segment);
        let mut next = segment.address;
        let list = field("blocks", blocks).list()?;
        for (inner, &item) in self.heap.items(list).iter().enumerate() {
            let place = || message!("segment {}, block {}", index, inner);
            self.blocks += 1;
            if self.blocks > MAX_BUFFERS {
                return Err(limit(&place, message!("more than {} blocks", MAX_BUFFERS)));
            }
            let dict = dict_of(item, &place)?;
            let (block, active) = self.block(dict, next, &place)?;
            next = block.address + block.size;
            if active {
                self.device(device).blocks.push(block);
            }
        }
        Ok(())
    }

    /// A block that lies at `next` unless it says otherwise, and whether it is in use.
    fn block(
        &mut self,
        dict: u32,
        next: u64,
        place: &dyn Fn() -> Message,
    ) -> Result<(Block, bool), LoadError> {
        let [address, size, requested, state, frames, history, ..] =
            self.block.read(self.heap, dict);
        let field = |key, value| Field { key, value, place };
        let address = match address {
            Some(_) => field("address", address).natural()?,
            None => next,
        };
        let size = field("size", size).natural()?;
        if address.checked_add(size).is_none() {
            return Err(malformed(place(), message!("it ends beyond 64 bits")));
        }
        let old = self.first_of(history);
        let in_history = |key| old.and_then(|old| self.heap.get(old, key));
        let requested = match requested.or_else(|| in_history("real_size")) {
            None => size,
            some => field("requested_size", some).natural()?,
        };
        let frames = frames.or_else(|| in_history("frames"));
        let state = field("state", state);
        let (active, pending) = match self.heap.read_text(state.text()?) {
            "active_allocated" => (true, false),
            "active_pending_free" | "active_awaiting_free" => (true, true),
            "inactive" => (false, false),
            other => return Err(state.fault(message!("the state \"{}\" is not known", other))),
        };
        let block = Block {
            address,
            size,
            requested,
            pending,
            stack: self.events.stacks.stack(self.heap, frames),
        };
        Ok((block, active))
    }

    /// Reads segment `index` of the host.
    pub(super) fn host_segment(&mut self, index: usize, item: Value) -> Result<(), LoadError> {
        let place = || message!("host segment {}", index);
        self.blocks += 1;
        if self.blocks > MAX_BUFFERS {
            return Err(limit(&place, message!("more than {} blocks", MAX_BUFFERS)));
        }
        let dict = dict_of(item, &place)?;
        let [
            address,
            size,
            total,
            allocated,
            active,
            state,
            frames,
            pools @ ..,
            _,
        ] = self.host_segment.read(self.heap, dict);
        let field = |key, value| Field {
            key,
            value,
            place: &place,
        };
        let address = field("address", address).natural()?;
        let size = field("size", size.or(total)).natural()?;
        if address.checked_add(size).is_none() {
            return Err(malformed(place(), message!("it ends beyond 64 bits")));
        }
        let is = |value| value == Some(Value::Bool(true));
        let used = is(allocated) || self.is_text(state, "active_allocated");
        let waits = is(active) || self.is_text(state, "active_pending_free");
        let stack = self.events.stacks.stack(self.heap, frames);
        let pool = pools.into_iter().find_map(|pool| pair(self.heap, pool));
        let device = self.device(HOST);
        device.segments.push(Segment {
            address,
            size,
            home: Home {
                pool: pool.unwrap_or_default(),
                ..Home::default()
            },
        });
        if used || waits {
            device.blocks.push(Block {
                address,
                size,
                requested: size,
                pending: !used,
                stack,
            });
        }
        Ok(())
    }

    fn is_text(&self, value: Option<Value>, text: &str) -> bool {
        matches!(value, Some(Value::Text(found)) if self.heap.read_text(found) == text)
    }

    /// The first dict of a list.
    fn first_of(&self, list: Option<Value>) -> Option<u32> {
        let Some(Value::List(list)) = list else {
            return None;
        };
        match self.heap.items(list).first() {
            Some(&Value::Dict(first)) => Some(first),
            _ => None,
        }
    }
}
