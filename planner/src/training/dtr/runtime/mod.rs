//! The runtime: what is there, what is locked, what is evicted when memory runs out.
//!
//! A tensor whose call has to run again is found by a stack of its own, not by recursion, so that
//! a chain of a million evicted tensors is only slow.

mod around;

use std::collections::BTreeMap;

use super::classes::Classes;
use super::heuristic::{Heuristic, Score};
use super::log::{Event, Log, Made};
use super::regions::Region;
use crate::random::Random;
use crate::units::Bytes;

/// What a run may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most bytes at once; `None` for as many as it takes.
    pub budget: Option<Bytes>,
    /// The most that may be spent on computing again, in the unit of the log.
    pub recompute: Option<u64>,
    /// What chance follows from.
    pub seed: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            budget: None,
            recompute: None,
            seed: 1,
        }
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Everything was computed.
    Well,
    /// A call needs more than is left when nothing more can be evicted.
    OutOfMemory {
        /// The call.
        call: usize,
    },
    /// More was computed again than is allowed.
    Thrashed,
    /// The observer had it stop.
    Stopped,
}

/// What the runtime did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// The call ran, for the first time or again.
    Compute {
        /// The call.
        call: usize,
        /// Whether it had run before.
        again: bool,
    },
    /// The storage's bytes were given back: it will be computed again if it is read.
    Evict(usize),
    /// The same, because the program let go of it.
    Free(usize),
}

/// A storage that could be evicted, and its price.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The storage.
    pub storage: usize,
    /// Its price.
    pub score: Score,
}

/// What is told of an eviction.
#[derive(Debug)]
pub struct Eviction<'a> {
    /// The call that wants room.
    pub call: usize,
    /// The bytes that it wants.
    pub wants: Bytes,
    /// What could be evicted, in the order in which it was looked at.
    pub pool: &'a [Choice],
    /// Which of them is.
    pub chosen: usize,
}

/// What a run came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Played {
    /// How it ended.
    pub ended: Ended,
    /// The most bytes at once.
    pub peak: Bytes,
    /// What computing for the first time cost.
    pub first: u64,
    /// What computing again cost.
    pub again: u64,
    /// What happened, in order.
    pub acts: Vec<Act>,
    /// The storage of each tensor.
    pub storage_of: Vec<usize>,
    /// The bytes of each storage, and the tensor that it is made with.
    pub storages: Vec<(Bytes, usize)>,
}

/// Plays `log`. `observer` hears of each eviction, and says whether to go on.
pub fn run(
    log: &Log,
    heuristic: Heuristic,
    limits: Limits,
    observer: &mut dyn FnMut(&Eviction<'_>) -> bool,
) -> Played {
    let mut runtime = Runtime::new(log, heuristic, limits, observer);
    let ended = log
        .events
        .iter()
        .try_for_each(|event| runtime.event(*event));
    let storages = runtime.storages.iter();
    Played {
        ended: ended.err().unwrap_or(Ended::Well),
        peak: Bytes(runtime.peak),
        first: runtime.first,
        again: runtime.again,
        storages: storages
            .map(|it| (Bytes(it.bytes), it.tensors[0]))
            .collect(),
        storage_of: runtime.tensors.iter().map(|it| it.storage).collect(),
        acts: runtime.acts,
    }
}

/// What holds bytes.
#[derive(Clone, Debug, Default)]
struct Storage {
    bytes: u64,
    /// What the calls of its tensors cost, those that have been asked for.
    cost: u64,
    is_there: bool,
    /// How many calls read it just now; what is pinned is read for good.
    locks: usize,
    /// How often the program holds it.
    held: usize,
    is_pinned: bool,
    /// When it was read last.
    read: Option<u64>,
    tensors: Vec<usize>,
    /// Its place in the pool.
    ticket: u64,
    regions: [Region; 2],
    class: Option<usize>,
}

#[derive(Clone, Debug, Default)]
struct Tensor {
    storage: usize,
    call: usize,
    is_there: bool,
    readers: Vec<usize>,
}

/// A call that waits for what it reads.
struct Waiting {
    tensor: usize,
    absent: Vec<usize>,
    next: usize,
    again: bool,
}

struct Runtime<'a> {
    log: &'a Log,
    heuristic: Heuristic,
    limits: Limits,
    observer: &'a mut dyn FnMut(&Eviction<'_>) -> bool,
    random: Random,
    clock: u64,
    live: u64,
    peak: u64,
    first: u64,
    again: u64,
    storages: Vec<Storage>,
    tensors: Vec<Tensor>,
    /// What may be evicted, in the order in which it came.
    pool: BTreeMap<u64, usize>,
    tickets: u64,
    classes: Classes,
    acts: Vec<Act>,
}

impl<'a> Runtime<'a> {
    fn new(
        log: &'a Log,
        heuristic: Heuristic,
        limits: Limits,
        observer: &'a mut dyn FnMut(&Eviction<'_>) -> bool,
    ) -> Self {
        Self {
            log,
            heuristic,
            limits,
            observer,
            random: Random::new(limits.seed),
            // The prototype begins with 1, and with it the staleness of everything.
            clock: 1,
            live: 0,
            peak: 0,
            first: 0,
            again: 0,
            storages: Vec::new(),
            tensors: vec![Tensor::default(); log.tensors.len()],
            pool: BTreeMap::new(),
            tickets: 0,
            classes: Classes::default(),
            acts: Vec::new(),
        }
    }

    fn event(&mut self, event: Event) -> Result<(), Ended> {
        match event {
            Event::Call(call) => self.call(call)?,
            Event::Hold(tensor) => {
                let storage = self.tensors[tensor].storage;
                self.storages[storage].held += 1;
            }
            Event::Pin(tensor) => {
                if !self.tensors[tensor].is_there {
                    self.make(tensor, true)?;
                }
                let storage = self.tensors[tensor].storage;
                if !self.storages[storage].is_pinned {
                    self.lock(storage);
                    self.storages[storage].is_pinned = true;
                }
            }
            Event::Release(tensor) => {
                let storage = self.tensors[tensor].storage;
                let own = &mut self.storages[storage];
                own.held = own.held.saturating_sub(1);
                if own.held == 0 && own.is_there && !own.is_pinned {
                    self.acts.push(Act::Free(storage));
                    self.take_away(storage);
                }
            }
        }
        Ok(())
    }

    /// A call of the program: its results come to be, and it runs.
    fn call(&mut self, call: usize) -> Result<(), Ended> {
        let own = &self.log.calls[call];
        for made in &own.makes {
            let storage = match made.alias {
                Some(of) => self.tensors[of].storage,
                None => {
                    self.storages.push(Storage::default());
                    self.storages.len() - 1
                }
            };
            let it = &mut self.storages[storage];
            if made.alias.is_none() {
                it.bytes = made.bytes;
                it.class = self.heuristic.asks_classes().then(|| self.classes.add(0));
            }
            // What one call makes of one storage costs it once.
            let before = it.tensors.iter().any(|it| self.tensors[*it].call == call);
            if !before {
                it.cost += own.cost;
            }
            it.tensors.push(made.tensor);
            it.held += 1;
            let tensor = &mut self.tensors[made.tensor];
            tensor.storage = storage;
            tensor.call = call;
        }
        for &read in &own.reads {
            let made = own.makes.iter().map(|made| made.tensor);
            self.tensors[read].readers.extend(made);
        }
        if let Some(first) = own.makes.first() {
            self.make(first.tensor, false)?;
        }
        for made in &own.makes {
            let storage = self.tensors[made.tensor].storage;
            self.storages[storage].read = Some(self.clock);
        }
        Ok(())
    }

    /// Has the call of a tensor run once all that it reads is there.
    fn make(&mut self, tensor: usize, again: bool) -> Result<(), Ended> {
        let mut stack = vec![self.begin(tensor, again)];
        while let Some(top) = stack.last_mut() {
            if let Some(&read) = top.absent.get(top.next) {
                if self.tensors[read].is_there {
                    top.next += 1;
                    let storage = self.tensors[read].storage;
                    self.lock(storage);
                } else {
                    let wanted = self.begin(read, true);
                    stack.push(wanted);
                }
                continue;
            }
            let (tensor, again) = (top.tensor, top.again);
            stack.pop();
            self.compute(tensor, again)?;
        }
        Ok(())
    }

    /// Locks what a call reads and what is there, and lists the rest.
    fn begin(&mut self, tensor: usize, again: bool) -> Waiting {
        let log = self.log;
        let reads = &log.calls[self.tensors[tensor].call].reads;
        for &read in reads {
            let storage = self.tensors[read].storage;
            self.storages[storage].read = Some(self.clock);
        }
        let mut absent = Vec::new();
        for &read in reads {
            match self.tensors[read].is_there {
                true => self.lock(self.tensors[read].storage),
                false => absent.push(read),
            }
        }
        Waiting {
            tensor,
            absent,
            next: 0,
            again,
        }
    }

    fn compute(&mut self, tensor: usize, again: bool) -> Result<(), Ended> {
        let call = self.tensors[tensor].call;
        let log = self.log;
        let own = &log.calls[call];
        let bytes: u64 = own.makes.iter().map(|made| made.bytes).sum();
        self.make_room(call, bytes)?;
        self.clock += own.cost;
        self.live += bytes;
        self.peak = self.peak.max(self.live);
        let mut came = Vec::new();
        // What was asked for comes last, as the prototype has it: later is evicted sooner.
        let (asked, others): (Vec<&Made>, Vec<&Made>) =
            own.makes.iter().partition(|made| made.tensor == tensor);
        for made in others.into_iter().chain(asked) {
            let storage = self.tensors[made.tensor].storage;
            if self.tensors[made.tensor].is_there {
                // It was there: the second one is given back at once.
                self.live -= made.bytes;
                continue;
            }
            self.tensors[made.tensor].is_there = true;
            if !self.storages[storage].is_there {
                self.storages[storage].is_there = true;
                came.push(storage);
            }
        }
        for &storage in &came {
            self.offer(storage);
        }
        self.is_there_again(&came);
        match again {
            true => self.again += own.cost,
            false => self.first += own.cost,
        }
        self.acts.push(Act::Compute { call, again });
        for &read in &own.reads {
            self.unlock(self.tensors[read].storage);
        }
        match self.limits.recompute.is_some_and(|most| self.again > most) {
            true => Err(Ended::Thrashed),
            false => Ok(()),
        }
    }

    /// Evicts until so many bytes are free.
    fn make_room(&mut self, call: usize, bytes: u64) -> Result<(), Ended> {
        let Some(budget) = self.limits.budget else {
            return Ok(());
        };
        while self.live + bytes > budget.0 {
            if self.pool.is_empty() {
                return Err(Ended::OutOfMemory { call });
            }
            let (pool, chosen) = self.choose();
            let storage = pool[chosen].storage;
            let eviction = Eviction {
                call,
                wants: Bytes(bytes),
                pool: &pool,
                chosen,
            };
            if !(self.observer)(&eviction) {
                return Err(Ended::Stopped);
            }
            self.acts.push(Act::Evict(storage));
            self.take_away(storage);
        }
        Ok(())
    }

    /// The prices of the pool, and the least: of equal ones the last, and what costs nothing at
    /// once, as the prototype has it.
    fn choose(&mut self) -> (Vec<Choice>, usize) {
        let offered: Vec<usize> = self.pool.values().copied().collect();
        if self.heuristic == Heuristic::Random {
            let score = Score { above: 1, below: 1 };
            let pool = offered.iter().map(|&storage| Choice { storage, score });
            return (pool.collect(), self.random.index(offered.len()));
        }
        let mut pool: Vec<Choice> = Vec::new();
        let (mut least, mut chosen) = (Score::MOST, 0);
        for storage in offered {
            let score = self.score(storage);
            if score.order(least).is_le() {
                (least, chosen) = (score, pool.len());
            }
            pool.push(Choice { storage, score });
            if score.is_zero() {
                break;
            }
        }
        (pool, chosen)
    }

    fn lock(&mut self, storage: usize) {
        let own = &mut self.storages[storage];
        own.locks += 1;
        if own.locks == 1 {
            self.pool.remove(&own.ticket);
        }
    }

    fn unlock(&mut self, storage: usize) {
        let own = &mut self.storages[storage];
        own.locks = own.locks.saturating_sub(1);
        if own.locks == 0 {
            self.offer(storage);
        }
    }

    /// Puts a storage at the end of the pool.
    fn offer(&mut self, storage: usize) {
        self.tickets += 1;
        self.storages[storage].ticket = self.tickets;
        self.pool.insert(self.tickets, storage);
    }

    /// Gives back the bytes of a storage.
    fn take_away(&mut self, storage: usize) {
        let own = &mut self.storages[storage];
        own.is_there = false;
        self.live -= own.bytes;
        self.pool.remove(&own.ticket);
        for &tensor in &own.tensors {
            self.tensors[tensor].is_there = false;
        }
        self.is_away(storage);
    }
}
