//! Events of each device, and what the program said meanwhile.

use super::fields::{Field, malformed};
use super::heap::Value;
use super::snapshot::{HOST, Reader, limit};
use crate::load::LoadError;
use crate::replay::{Action, Annotation, Event};

/// The most events of all devices together.
const MAX_EVENTS: usize = 1 << 23;
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
pub(super) const SAID: usize = 4;

impl Reader<'_> {
    /// Reads the trace of every device.
    pub(super) fn traces(&mut self, traces: Value) -> Result<(), LoadError> {
        let top = || "device_traces".to_owned();
        let traces = Field {
            key: "it",
            value: Some(traces),
            place: &top,
        };
        for (device, &trace) in self.heap.items(traces.list()?).iter().enumerate() {
            let place = || format!("device_traces, device {device}");
            let number = u32::try_from(device).unwrap_or(u32::MAX);
            self.count_device(number, &place)?;
            self.trace(number, trace, &place)?;
        }
        Ok(())
    }

    /// Reads the trace of one device.
    pub(super) fn trace(
        &mut self,
        number: u32,
        trace: Value,
        place: &dyn Fn() -> String,
    ) -> Result<(), LoadError> {
        let trace = Field {
            key: "its trace",
            value: Some(trace),
            place,
        };
        let items = self.heap.items(trace.list()?);
        if items.is_empty() {
            return Ok(());
        }
        self.events += items.len();
        if self.events > MAX_EVENTS {
            return Err(limit(place, &format!("more than {MAX_EVENTS} events")));
        }
        let mut events = Vec::with_capacity(items.len());
        let mut times = Vec::new();
        for (index, &item) in items.iter().enumerate() {
            let place = || match number {
                HOST => format!("host_traces, event {index}"),
                device => format!("device {device}, event {index}"),
            };
            let (event, time) = self.event(item, &place)?;
            events.push(event);
            times.extend(time);
        }
        self.device(number).events = events;
        if times.len() == items.len() {
            self.times.insert(number, times);
        }
        Ok(())
    }

    fn event(
        &mut self,
        item: Value,
        place: &dyn Fn() -> String,
    ) -> Result<(Event, Option<i64>), LoadError> {
        let dict = self.dict(item, place)?;
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
        ] = self.event.read(self.heap, dict);
        let field = |key, value| Field { key, value, place };
        let word = self.heap.read_text(field("action", action).text()?);
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
            return Err(malformed(place(), "it ends beyond 64 bits".into()));
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
                Action::Alloc | Action::OutOfMemory => self.stacks.stack(self.heap, frames),
                _ => 0,
            },
            forward: match action {
                Action::Alloc => self.stacks.forward(self.heap, forward),
                _ => 0,
            },
            pool: self.pool(pool),
            label: self.label(said),
        };
        let time = match time {
            Some(Value::Int(time)) => Some(time),
            _ => None,
        };
        Ok((event, time))
    }

    /// The private pool of an event, by index; 0 where it does not say.
    fn pool(&mut self, pool: Option<Value>) -> u32 {
        let Some(pool) = self.pair(pool) else {
            return 0;
        };
        let next = u32::try_from(self.pools.len()).unwrap_or(u32::MAX);
        *self.pools.entry(pool).or_insert(next.saturating_add(1))
    }

    /// What category, compile context and metadata say, by index.
    fn label(&mut self, mut said: [Option<Value>; SAID]) -> u32 {
        let [category, ..] = said;
        let named = |number: i64| self.categories.get(usize::try_from(number).ok()?).copied();
        if let Some(Value::Int(number)) = category {
            said[0] = named(number);
        }
        let texts = said.map(|value| match value {
            Some(Value::Text(text)) => Some(text),
            _ => None,
        });
        if let Some(&known) = self.known_labels.get(&texts) {
            return known;
        }
        let words = texts
            .iter()
            .flatten()
            .map(|&text| self.heap.read_text(text));
        let words = words.filter(|word| !word.is_empty() && *word != "N/A");
        let words: Vec<&str> = words.collect();
        let label = match words.is_empty() {
            true => 0,
            false => {
                self.labels.push(words.join(", "));
                u32::try_from(self.labels.len() - 1).unwrap_or_default()
            }
        };
        self.known_labels.insert(texts, label);
        label
    }

    /// The pinned memory of the host: each block is a segment of its own, and its trace has no
    /// devices.
    pub(super) fn host(
        &mut self,
        segments: Option<Value>,
        traces: Option<Value>,
    ) -> Result<(), LoadError> {
        let top = || "host_segments".to_owned();
        if let Some(segments) = segments {
            let segments = Field {
                key: "it",
                value: Some(segments),
                place: &top,
            };
            for (index, &segment) in self.heap.items(segments.list()?).iter().enumerate() {
                self.host_segment(index, segment)?;
            }
        }
        let Some(Value::List(list)) = traces else {
            return Ok(());
        };
        let place = || "host_traces".to_owned();
        // As those of devices are: a list in a list.
        let inner = match self.heap.items(list) {
            [inner @ Value::List(_)] => *inner,
            _ => Value::List(list),
        };
        self.trace(HOST, inner, &place)
    }

    /// Each annotation goes to the first event of its device that is not before it.
    pub(super) fn annotations(&mut self, annotations: Value) {
        let Value::List(list) = annotations else {
            *self
                .unknown
                .entry("external_annotations".into())
                .or_insert(0) += 1;
            return;
        };
        for &item in self.heap.items(list) {
            if self.annotation(item).is_none() {
                self.lost_annotations += 1;
            }
        }
    }

    fn annotation(&mut self, item: Value) -> Option<()> {
        let Value::Dict(dict) = item else {
            return None;
        };
        let text = |key| match self.heap.get(dict, key)? {
            Value::Text(text) => Some(self.heap.read_text(text)),
            _ => None,
        };
        let number = |key| match self.heap.get(dict, key)? {
            Value::Int(number) => Some(number),
            _ => None,
        };
        let name = text("name")?;
        let annotation = Annotation {
            name: name.to_owned(),
            stage: text("stage").unwrap_or_default().to_owned(),
        };
        let device = u32::try_from(number("device")?).ok()?;
        let time = number("time_us")?;
        let times = self.times.get(&device)?;
        let event = times.partition_point(|&of_event| of_event < time);
        self.device(device).annotations.push((event, annotation));
        Some(())
    }
}
