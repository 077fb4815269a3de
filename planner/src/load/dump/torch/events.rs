//! Events of each device, and what the program said meanwhile.

use super::fields::{Field, malformed};
use super::heap::Value;
use super::snapshot::{Reader, limit};
use crate::load::LoadError;
use crate::replay::{Action, Annotation, Event};

/// The most events of all devices together.
const MAX_EVENTS: usize = 1 << 23;
pub(super) const EVENT: [&str; 11] = [
    "action",
    "addr",
    "size",
    "stream",
    "frames",
    "time_us",
    "device_free",
    "category",
    "compile_context",
    "user_metadata",
    "version",
];

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
            let trace = Field {
                key: "its trace",
                value: Some(trace),
                place: &place,
            };
            let items = self.heap.items(trace.list()?);
            if items.is_empty() {
                continue;
            }
            self.events += items.len();
            if self.events > MAX_EVENTS {
                return Err(limit(&place, &format!("more than {MAX_EVENTS} events")));
            }
            let number = u32::try_from(device).unwrap_or(u32::MAX);
            self.count_device(number, &place)?;
            let mut events = Vec::with_capacity(items.len());
            let mut times = Vec::new();
            for (index, &item) in items.iter().enumerate() {
                let place = || format!("device {device}, event {index}");
                let (event, time) = self.event(item, &place)?;
                events.push(event);
                times.extend(time);
            }
            self.device(number).events = events;
            if times.len() == items.len() {
                self.times.insert(number, times);
            }
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
            labels @ ..,
            _,
        ] = self.event.read(self.heap, dict);
        let field = |key, value| Field { key, value, place };
        let name = self.heap.read_text(field("action", action).text()?);
        let action = match name {
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
            _ => Action::Other,
        };
        if action == Action::Other {
            *self.actions.entry(name.to_owned()).or_insert(0) += 1;
        }
        let moves = !matches!(action, Action::Snapshot | Action::Other);
        let (address, size) = match action {
            // The device may not have said what it has left.
            Action::OutOfMemory => (field("device_free", free).natural().unwrap_or(0), size),
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
            label: self.label(labels),
        };
        let time = match time {
            Some(Value::Int(time)) => Some(time),
            _ => None,
        };
        Ok((event, time))
    }

    /// What category, compile context and metadata say, by index.
    fn label(&mut self, said: [Option<Value>; 3]) -> u32 {
        let [category, ..] = said;
        let named = |number: i64| self.categories.get(usize::try_from(number).ok()?).copied();
        let said = match category {
            Some(Value::Int(number)) => [named(number), said[1], said[2]],
            _ => said,
        };
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
