//! What an allocator did, as it wrote it down itself while it did it.

/// Bytes at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// Taken from the device.
    pub reserved: u64,
    /// In blocks that are handed out.
    pub allocated: u64,
    /// In these and in blocks that other streams still use.
    pub active: u64,
    /// Asked for, of the active blocks.
    pub requested: u64,
    /// Bytes of segments in which no block is.
    pub unused: u64,
    /// Pieces that are free.
    pub pieces: u64,
    /// The largest of them.
    pub largest: u64,
}

/// One block from when it was handed out to when it may be used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// First byte.
    pub address: u64,
    /// Bytes.
    pub size: u64,
    /// Bytes asked for.
    pub requested: u64,
    /// Event that handed it out.
    pub alloc: usize,
    /// Event that gave it back.
    pub requested_free: Option<usize>,
    /// Event after which it may be used again.
    pub completed_free: Option<usize>,
    /// Stream that it is for.
    pub stream: i64,
    /// Private pool, (0, 0) for none.
    pub pool: (i64, i64),
    /// Which of the program's stacks asked for it.
    pub stack: usize,
}

/// One event as the trace has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The trace's word for it.
    pub action: &'static str,
    /// Where, or what the device has left.
    pub address: u64,
    /// Bytes.
    pub size: u64,
    /// Stream.
    pub stream: i64,
    /// Private pool of a request that failed; of others it is not said.
    pub pool: Option<(i64, i64)>,
    /// Which of the program's stacks.
    pub stack: usize,
    /// Microseconds.
    pub time: i64,
}

/// Everything that one allocator did, from its first day on.
#[derive(Clone, Debug, Default)]
pub struct Books {
    /// Every event, those too that the trace lost.
    pub entries: Vec<Entry>,
    /// The bytes after each event.
    pub lines: Vec<Line>,
    /// Every block.
    pub taken: Vec<Taken>,
    /// How many events there were when the cache was emptied, by the program or for a request
    /// that failed all the same.
    pub emptied: Vec<usize>,
    /// What the program said: text, "START" or "END", and time.
    pub said: Vec<(&'static str, &'static str, i64)>,
}
