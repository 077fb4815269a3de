//! Every buffer on the device, by label and bytes: the *allocated* figure. WebGPU has no way
//! to ask a device for its memory, so what was asked of it is counted here, without gaps,
//! because nothing else creates buffers.

use std::collections::BTreeMap;

use planner::{Bytes, Message};
use serde::{Deserialize, Serialize};

/// A buffer on the device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// What it is for.
    pub label: Message,
    /// Its size.
    pub bytes: Bytes,
}

/// The buffers of one device.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    live: BTreeMap<u64, Entry>,
    next: u64,
    peak: Bytes,
}

/// A buffer with its line in the ledger.
#[derive(Debug)]
pub(crate) struct Booked {
    pub(crate) buffer: wgpu::Buffer,
    line: u64,
}

impl Ledger {
    /// Creates a buffer and books it.
    pub(crate) fn create(
        &mut self,
        device: &wgpu::Device,
        label: Message,
        bytes: Bytes,
        usage: wgpu::BufferUsages,
    ) -> Booked {
        let buffer = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some(&label.to_string()),
            size: bytes.0,
            usage,
            mapped_at_creation: false,
        });
        let line = self.next;
        self.next += 1;
        self.live.insert(line, Entry { label, bytes });
        self.peak = self.peak.max(self.total());
        Booked { buffer, line }
    }

    /// Destroys a buffer and strikes its line.
    pub(crate) fn destroy(&mut self, booked: &Booked) {
        booked.buffer.destroy();
        self.live.remove(&booked.line);
    }

    /// The buffers that are there now, in order of creation.
    #[must_use]
    pub fn entries(&self) -> Vec<Entry> {
        self.live.values().cloned().collect()
    }

    /// Bytes of all buffers that are there now.
    #[must_use]
    pub fn total(&self) -> Bytes {
        Bytes(self.live.values().map(|entry| entry.bytes.0).sum())
    }

    /// Most bytes that were there at once.
    #[must_use]
    pub fn peak(&self) -> Bytes {
        self.peak
    }
}
