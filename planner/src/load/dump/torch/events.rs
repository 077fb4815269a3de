//! Events, each taken out of the pickle as it is read: of the dicts that they are nothing stays.

use std::collections::BTreeMap;

use super::fields::{DictKind, Field, dict_of, malformed, pair};
use super::heap::{Heap, Value};
use super::recorded::{MAX_OUTSIDE, Recorded};
use super::stacks::Stacks;
use crate::load::{Excerpt, Fault, LoadError};
use crate::replay::{Action, Event};
use crate::sorting::Sorting as _;
use crate::units::{Span, narrow};
use crate::{Message, message};

/// The most events of all devices together that are held. In the page a million take some 1.3 GB
/// with all that is made of them (measured; 3.2 million took 3.4 GB).
const MAX_EVENTS: u64 = 1 << 20;
pub(super) const EVENT: [&str; 14] = [
    "action",
    "addr",
    "size",
    "stream",
    "frames",
    "time_us",
    "device_free",
    "forward_frames",
    "pool_id",
    // What it says of itself.
    "category",
    "compile_context",
    "user_metadata",
    "internal_metadata",
    // Not needed.
    "version",
];

/// How many fields of an event say something of it.
const SAID: usize = 4;

/// What one of these fields says: a text, or the number of a category.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Said {
    Text(u32),
    Category(i64),
}

/// The traces of a snapshot as far as they are read.
#[derive(Debug)]
pub(super) struct Events {
    kind: DictKind<14>,
    pub(super) stacks: Stacks,
    /// What events say of themselves, by index from 1.
    labels: BTreeMap<[Option<Said>; SAID], u32>,
    /// The private pools that events name, by index from 1.
    pools: BTreeMap<(i64, i64), u32>,
    /// Actions that are not known, and how often.
    pub(super) actions: BTreeMap<String, u64>,
    /// The events that are held of each trace; all where nobody chose.
    chosen: Option<Span>,
    /// By list of the pickle.
    traces: BTreeMap<u32, Recorded>,
    held: u64,
}

impl Events {
    pub(super) fn new(chosen: Option<Span>) -> Self {
        Self {
            kind: DictKind::new("event", EVENT),
            stacks: Stacks::new(),
            labels: BTreeMap::new(),
            pools: BTreeMap::new(),
            actions: BTreeMap::new(),
            chosen,
            traces: BTreeMap::new(),
            held: 0,
        }
    }

    /// Takes `items` as the next events of the trace that `list` is; false where they are none.
    pub(super) fn take(&mut self, heap: &Heap, list: u32, items: &[Value]) -> bool {
        let mut is_event = |item: &Value| match *item {
            Value::Dict(dict) => self.kind.has_first(heap, dict),
            _ => false,
        };
        let first = || heap.items(list).is_empty() && !items.is_empty();
        let taken = self.traces.contains_key(&list) || first() && items.iter().all(&mut is_event);
        if taken {
            self.record(heap, list, items);
        }
        taken
    }

    fn record(&mut self, heap: &Heap, list: u32, items: &[Value]) {
        let mut trace = self.traces.remove(&list).unwrap_or_default();
        for &item in items {
            let before = trace.held();
            if trace.fault.is_none() {
                match self.event(heap, item) {
                    Ok((event, time)) => trace.add(&event, time, self.chosen),
                    Err(fault) => trace.fault = Some(fault),
                }
            }
            self.held = self.held + trace.held() - before;
            // From here on events are only counted.
            if self.held > MAX_EVENTS {
                trace.let_go();
                self.traces.values_mut().for_each(Recorded::let_go);
                self.held = 0;
            }
        }
        self.traces.insert(list, trace);
    }

    /// The trace that `list` is, which another device has as well where it is `shared`.
    ///
    /// # Errors
    /// What is wrong with an event, which is where `place` says.
    pub(super) fn trace(
        &mut self,
        heap: &Heap,
        (list, shared): (u32, bool),
        place: &dyn Fn(u64) -> Message,
    ) -> Result<Recorded, LoadError> {
        if !self.traces.contains_key(&list) {
            self.record(heap, list, heap.items(list));
        }
        let trace = match shared {
            true => self.traces.get(&list).cloned(),
            false => self.traces.remove(&list),
        };
        let mut trace = trace.unwrap_or_default();
        if let Some(fault) = trace.fault.take() {
            return Err(LoadError {
                place: place(trace.count),
                ..fault
            });
        }
        if trace.outside_is_beyond() {
            return Err(Fault::Limit.at(
                place(trace.count),
                message!("more than {} addresses outside the range", MAX_OUTSIDE),
            ));
        }
        Ok(trace)
    }

    /// What to choose of traces of which too many events were read, or none by what is chosen.
    pub(super) fn excerpt(&self, traces: &[&Recorded]) -> Option<Excerpt> {
        let longest = traces.iter().max_by_key(|trace| trace.count)?;
        let many = traces.iter().any(|trace| trace.is_counted());
        let none = |span: Span| traces.iter().all(|trace| trace.count <= span.start.0);
        let empty = |span: Span| span.is_empty() || none(span);
        let asks = many || longest.count > 0 && self.chosen.is_some_and(empty);
        let recorded = traces.iter().filter(|trace| trace.count > 0).count();
        let most = MAX_EVENTS / (recorded as u64).max(1);
        asks.then(|| longest.excerpt(most))
    }

    /// What labels stand for, by index; `categories` are what numbers stand for.
    pub(super) fn labels(&mut self, heap: &Heap, categories: &[Value]) -> Vec<String> {
        let named = |number: i64| categories.get(usize::try_from(number).ok()?).copied();
        let text = |said: Said| match said {
            Said::Text(text) => Some(heap.read_text(text)),
            Said::Category(number) => match named(number)? {
                Value::Text(text) => Some(heap.read_text(text)),
                _ => None,
            },
        };
        let mut labels = vec![String::new(); self.labels.len() + 1];
        for (said, &label) in &self.labels {
            let words = said.iter().flatten().filter_map(|&said| text(said));
            let words = words.filter(|word| !word.is_empty() && *word != "N/A");
            let words: Vec<&str> = words.collect();
            if let Some(slot) = labels.get_mut(label as usize) {
                *slot = words.join(", ");
            }
        }
        labels
    }

    /// The private pools by index; the first stands for none.
    pub(super) fn pools(&self) -> Vec<(i64, i64)> {
        let mut pools: Vec<(u32, (i64, i64))> = vec![(0, (0, 0))];
        pools.extend(self.pools.iter().map(|(&pool, &index)| (index, pool)));
        pools.order();
        pools.into_iter().map(|(_, pool)| pool).collect()
    }

    /// Adds what is not known of events and stacks.
    pub(super) fn unknown(&mut self, heap: &Heap, unknown: &mut BTreeMap<String, u64>) {
        self.kind.unknown(heap, unknown);
        self.stacks.unknown(heap, unknown);
    }

    fn event(&mut self, heap: &Heap, item: Value) -> Result<(Event, Option<i64>), LoadError> {
        // Whose event it is turns out later.
        let place: &dyn Fn() -> Message = &Message::default;
        let dict = dict_of(item, place)?;
        let [
            action,
            address,
            size,
            stream,
            frames,
            time,
            free,
            forward,
            pool,
            said @ ..,
            _,
        ] = self.kind.read(heap, dict);
        let field = |key, value| Field { key, value, place };
        let word = heap.read_text(field("action", action).text()?);
        let action = match word {
            "alloc" => Action::Alloc,
            "free_requested" => Action::FreeRequested,
            "free_completed" => Action::FreeCompleted,
            "free" => Action::Free,
            "segment_alloc" => Action::SegmentAlloc,
            "segment_free" => Action::SegmentFree,
            "segment_map" => Action::SegmentMap,
            "segment_unmap" => Action::SegmentUnmap,
            "oom" => Action::OutOfMemory,
            "snapshot" => Action::Snapshot,
            "annotate" => Action::Annotate,
            _ => Action::Other,
        };
        if action == Action::Other {
            *self.actions.entry(word.to_owned()).or_insert(0) += 1;
        }
        let moves = !matches!(action, Action::Snapshot | Action::Other);
        let (address, size) = match action {
            // The device may not have said what it has left.
            Action::OutOfMemory => (field("device_free", free).natural().unwrap_or(0), size),
            // The size is that of the block, or 0.
            Action::Annotate => (field("addr", address).natural()?, Some(Value::Int(0))),
            _ if moves => (field("addr", address).natural()?, size),
            _ => (0, Some(Value::Int(0))),
        };
        let size = field("size", size).natural()?;
        if moves && action != Action::OutOfMemory && address.checked_add(size).is_none() {
            return Err(malformed(place(), message!("it ends beyond 64 bits")));
        }
        let event = Event {
            action,
            address,
            size,
            stream: match stream {
                Some(Value::Int(stream)) => stream,
                _ => 0,
            },
            stack: match action {
                Action::Alloc | Action::OutOfMemory => self.stacks.stack(heap, frames),
                _ => 0,
            },
            forward: match action {
                Action::Alloc => self.stacks.forward(heap, forward),
                _ => 0,
            },
            pool: self.pool(heap, pool),
            label: self.label(said),
        };
        let time = match time {
            Some(Value::Int(time)) => Some(time),
            _ => None,
        };
        Ok((event, time))
    }

    /// The private pool of an event, by index; 0 where it does not say.
    fn pool(&mut self, heap: &Heap, pool: Option<Value>) -> u32 {
        let Some(pool) = pair(heap, pool) else {
            return 0;
        };
        let next = narrow(self.pools.len() + 1);
        *self.pools.entry(pool).or_insert(next)
    }

    /// What category, compile context and metadata say, by index.
    fn label(&mut self, said: [Option<Value>; SAID]) -> u32 {
        let [category, ..] = said;
        let mut said = said.map(|value| match value {
            Some(Value::Text(text)) => Some(Said::Text(text)),
            _ => None,
        });
        if let Some(Value::Int(number)) = category {
            said[0] = Some(Said::Category(number));
        }
        if said == [None; SAID] {
            return 0;
        }
        let next = narrow(self.labels.len() + 1);
        *self.labels.entry(said).or_insert(next)
    }
}
