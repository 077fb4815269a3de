//! Memory snapshots as PyTorch would write them, with the truth beside them: a caching
//! allocator that keeps its own books, a program that trains, and a pickler.
//!
//! Nothing of the planner is used: what the reader finds is compared with the books.

pub mod allocator;
pub mod books;
pub mod device;
mod file;
pub mod pickle;
pub mod program;
mod reclaim;

use allocator::{Allocator, Settings};
use books::{Line, Taken};

use crate::random::Random;

/// What is to be made.
#[derive(Clone, Debug)]
pub struct Spec {
    /// Where chance begins.
    pub seed: u64,
    /// Events of each device, about.
    pub events: usize,
    /// The most events that a device's trace keeps, the newest.
    pub kept: usize,
    /// One allocator each. All are configured as the first but for their capacity, because
    /// the file has one place for the settings.
    pub devices: Vec<Settings>,
    /// What another run of the same program does otherwise.
    pub run: Run,
}

/// One of several runs of a program, which ask for the same in the same order.
#[derive(Clone, Copy, Debug, Default)]
pub struct Run {
    /// Iterations, in place of a number of events, which depends on addresses.
    pub iterations: Option<usize>,
    /// Where the device's chance begins: in which order it gives out addresses, new ones and
    /// those that it got back. `None` for ascending ones.
    pub addresses: Option<u64>,
    /// Bytes that every iteration asks for in its middle, too, and never gives back.
    pub leak: Option<u64>,
}

/// A snapshot with its truth.
pub struct Made {
    spec: Spec,
    /// The allocators at the end, one for each device.
    pub allocators: Vec<Allocator>,
    /// How many events each trace lost.
    pub lost: Vec<usize>,
}

/// Usual settings on a device of 2 GiB.
pub const USUAL: Settings = Settings {
    capacity: 2 << 30,
    expandable: false,
    max_split: None,
    divisions: 0,
    collect_above: 0,
};

impl Spec {
    /// One device with usual settings that lost nothing.
    #[must_use]
    pub fn of(seed: u64, events: usize) -> Self {
        Self {
            seed,
            events,
            kept: usize::MAX,
            devices: vec![USUAL],
            run: Run::default(),
        }
    }

    /// Runs the program.
    #[must_use]
    pub fn make(&self) -> Made {
        let mut allocators = Vec::new();
        let mut lost = Vec::new();
        for (device, &settings) in self.devices.iter().enumerate() {
            let mut allocator =
                Allocator::new(settings, 0x7f3a_0000_0000 - ((device as u64) << 40));
            allocator.device.shuffled = self.run.addresses.map(Random::new);
            let seed = self.seed + device as u64;
            program::run(&mut allocator, seed, self.events, self.run);
            lost.push(allocator.books.entries.len().saturating_sub(self.kept));
            allocators.push(allocator);
        }
        Made {
            spec: self.clone(),
            allocators,
            lost,
        }
    }
}

impl Made {
    /// What these allocators did, of which the traces keep the newest `kept` events.
    #[must_use]
    pub fn of(allocators: Vec<Allocator>, kept: usize) -> Self {
        let lost = allocators.iter();
        let lost = lost.map(|it| it.books.entries.len().saturating_sub(kept));
        let spec = Spec {
            kept,
            devices: allocators.iter().map(|it| it.settings).collect(),
            ..Spec::of(0, 0)
        };
        Self {
            spec,
            lost: lost.collect(),
            allocators,
        }
    }

    /// A segment of 11 GiB for one block that is given back; then 30 blocks of 16 MiB, which are
    /// placed into it; then 11 GiB again, for which a device of 16 GiB has no room.
    #[must_use]
    pub fn split_segment() -> Self {
        let mut allocator = Allocator::new(
            Settings {
                capacity: 16 << 30,
                ..USUAL
            },
            0x7f00_0000_0000,
        );
        let owner = (0, (0, 0));
        let scores = allocator.alloc(11 << 30, owner, 1).expect("room");
        allocator.request_free(scores, 0);
        allocator.complete_free(scores, 0);
        for _ in 0..30 {
            allocator.alloc(16 << 20, owner, 2).expect("room");
        }
        assert_eq!(allocator.alloc(11 << 30, owner, 1), None);
        Self::of(vec![allocator], usize::MAX)
    }

    /// The file in `protocol`, 2 to 5.
    #[must_use]
    pub fn bytes(&self, protocol: u8) -> Vec<u8> {
        file::bytes(&self.spec, self, protocol)
    }

    /// The bytes before the trace of `device` and after each of its events.
    #[must_use]
    pub fn lines(&self, device: usize) -> Vec<Line> {
        let lines = &self.allocators[device].books.lines;
        let lost = self.lost[device];
        let before = lost
            .checked_sub(1)
            .map_or(Line::default(), |last| lines[last]);
        [&[before], &lines[lost..]].concat()
    }

    /// The blocks of `device` that the trace mentions or that are there at its end, in the
    /// order in which they were handed out; events are counted from 0 for the first that the
    /// trace has, and those before it are `None`.
    #[must_use]
    pub fn blocks(&self, device: usize) -> Vec<Block> {
        let lost = self.lost[device];
        let taken = self.allocators[device].books.taken.iter();
        let seen = taken.filter(|it| it.completed_free.is_none_or(|end| end >= lost));
        let seen = seen.map(|&taken| Block {
            taken,
            alloc: taken.alloc.checked_sub(lost),
            requested_free: taken.requested_free.map(|at| at.checked_sub(lost)),
            completed_free: taken.completed_free.and_then(|at| at.checked_sub(lost)),
        });
        seen.collect()
    }
}

/// A block as the trace reports it.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// As the books have it.
    pub taken: Taken,
    /// Event that handed it out.
    pub alloc: Option<usize>,
    /// Event that gave it back, `Some(None)` for one before the trace.
    pub requested_free: Option<Option<usize>>,
    /// Event after which it may be used again.
    pub completed_free: Option<usize>,
}
