//! The runtime: what is there, what is locked, what is evicted when memory runs out.
//!
//! A tensor whose call has to run again is found by a stack of its own, not by recursion, so that
//! a chain of a million evicted tensors is only slow.

mod addresses;
mod around;
mod outcome;
mod room;

use std::collections::BTreeMap;

pub use outcome::{Act, Ended, Limits, Played, StorageAddress};
pub use room::{Choice, Eviction};

use super::classes::Classes;
use super::evictor::Evictor;
use super::log::{Event, Log, Made};
use super::pieces::Pieces;
use super::regions::{Met, Region};
use crate::random::Random;
use crate::units::Bytes;

/// Hears of each eviction, and says whether to go on.
pub type Observer<'a> = dyn FnMut(&Eviction<'_>) -> bool + 'a;

/// Plays `log`. What an observer is told is only found out where there is one.
pub fn run(
    log: &Log,
    evictor: impl Into<Evictor>,
    limits: Limits,
    observer: Option<&mut Observer<'_>>,
) -> Played {
    let observer = observer.map(|it| it as &mut Observer<'_>);
    let mut runtime = Runtime::new(log, evictor.into(), limits, observer);
    let ended = log
        .events
        .iter()
        .try_for_each(|event| runtime.event(*event));
    let storages = runtime.storages.iter();
    let bytes = |storage: usize| Bytes(runtime.storages[storage].bytes);
    Played {
        top: addresses::top(&runtime.places, bytes),
        moved: Bytes(runtime.moved),
        ended: ended.err().unwrap_or(Ended::Well),
        peak: Bytes(runtime.peak),
        first: runtime.first,
        again: runtime.again,
        storages: storages
            .map(|it| (Bytes(it.bytes), it.tensors[0]))
            .collect(),
        storage_of: runtime.tensors.iter().map(|it| it.storage).collect(),
        acts: runtime.acts,
        places: runtime.places,
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
    /// Whether it is too small to be evicted.
    is_small: bool,
    /// When it was read last.
    read: Option<u64>,
    tensors: Vec<usize>,
    /// What was made from it, and what it was made from.
    next: [Vec<usize>; 2],
    /// Its place in the pool.
    ticket: u64,
    regions: [Region; 2],
    class: Option<usize>,
    /// How many tensors could only be computed again with it, and whether the program has let go
    /// of it; and what computing it again has made of its price.
    users: usize,
    is_deleted: bool,
    factor: i128,
}

#[derive(Clone, Debug, Default)]
struct Tensor {
    storage: usize,
    call: usize,
    is_there: bool,
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
    evictor: Evictor,
    limits: Limits,
    observer: Option<&'a mut Observer<'a>>,
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
    /// What was looked at last.
    looked_at: Vec<Choice>,
    /// How many storages have been made for the first time, and their bytes.
    made: u128,
    made_bytes: u128,
    classes: Classes,
    /// Room for the sets around a storage.
    roots: Vec<usize>,
    met: Met,
    acts: Vec<Act>,
    /// The addresses, for those that know any.
    pieces: Option<Pieces>,
    places: Vec<StorageAddress>,
    moved: u64,
    /// What all calls cost.
    all_costs: u128,
}

impl<'a> Runtime<'a> {
    fn new(
        log: &'a Log,
        evictor: Evictor,
        limits: Limits,
        observer: Option<&'a mut Observer<'a>>,
    ) -> Self {
        Self {
            log,
            evictor,
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
            looked_at: Vec::new(),
            made: 0,
            made_bytes: 0,
            classes: Classes::default(),
            roots: Vec::new(),
            met: Met::default(),
            acts: Vec::new(),
            pieces: evictor
                .knows_addresses()
                .then(|| Pieces::new(limits.budget, evictor != Evictor::Megengine)),
            places: Vec::new(),
            moved: 0,
            all_costs: log.calls.iter().map(|call| u128::from(call.cost)).sum(),
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
                if own.held == 0 && !own.is_pinned && self.evictor == Evictor::Megengine {
                    self.delete(storage);
                } else if own.held == 0 && own.is_there && !own.is_pinned {
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
        let cost = self.seen_cost(call);
        for made in &own.makes {
            let storage = match made.alias {
                Some(of) => self.tensors[of].storage,
                None => {
                    self.storages.push(Storage {
                        factor: addresses::once(),
                        ..Storage::default()
                    });
                    self.storages.len() - 1
                }
            };
            let is_small = made.alias.is_none() && self.is_small(made.bytes);
            let it = &mut self.storages[storage];
            if made.alias.is_none() {
                it.bytes = made.bytes;
                it.is_small = is_small;
                it.class = self.evictor.asks_classes().then(|| self.classes.add(0));
            }
            // What one call makes of one storage costs it once.
            let before = it.tensors.iter().any(|it| self.tensors[*it].call == call);
            if !before {
                it.cost += cost;
            }
            it.tensors.push(made.tensor);
            it.held += 1;
            let tensor = &mut self.tensors[made.tensor];
            tensor.storage = storage;
            tensor.call = call;
        }
        for &read in &own.reads {
            let from = self.tensors[read].storage;
            for made in &own.makes {
                self.is_made_from(self.tensors[made.tensor].storage, from);
            }
            // What shares its bytes goes with it.
            let others = own.makes.iter();
            let others = others.map(|made| self.tensors[made.tensor].storage);
            self.storages[from].users += others.filter(|it| *it != from).count();
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

    /// Runs the call that makes a tensor once all that it reads is there.
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
        // DTR's prototype makes all results anew, those that are there for a moment only.
        let anew = |made: &&Made| self.pieces.is_none() || !self.tensors[made.tensor].is_there;
        let bytes: u64 = own.makes.iter().filter(anew).map(|made| made.bytes).sum();
        match self.pieces {
            Some(_) => self.place(call)?,
            None => self.make_room(call, bytes)?,
        }
        self.clock += self.seen_cost(call);
        self.live += bytes;
        self.peak = self.peak.max(self.live);
        let mut came = Vec::new();
        // What was asked for comes last, as the prototype has it: later is evicted sooner.
        let (asked, others): (Vec<&Made>, Vec<&Made>) =
            own.makes.iter().partition(|made| made.tensor == tensor);
        for made in others.into_iter().chain(asked) {
            let storage = self.tensors[made.tensor].storage;
            if self.tensors[made.tensor].is_there {
                if self.pieces.is_none() {
                    self.live -= made.bytes;
                }
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
            if again && self.pieces.is_some() {
                self.dearer(storage);
                self.storages[storage].read = Some(self.clock);
            }
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
        if self.storages[storage].is_small {
            return;
        }
        self.tickets += 1;
        self.storages[storage].ticket = self.tickets;
        self.pool.insert(self.tickets, storage);
    }

    /// Gives back the bytes of a storage.
    fn take_away(&mut self, storage: usize) {
        let own = &mut self.storages[storage];
        own.is_there = false;
        self.live -= own.bytes;
        if let Some(pieces) = &mut self.pieces {
            pieces.free(storage);
        }
        self.pool.remove(&own.ticket);
        for &tensor in &own.tensors {
            self.tensors[tensor].is_there = false;
        }
        self.is_away(storage);
    }
}
