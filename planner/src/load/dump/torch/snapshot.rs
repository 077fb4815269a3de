//! A snapshot's segments, blocks, events and annotations as a trace.

use std::collections::BTreeMap;

use super::fields::{Field, Kind, malformed};
use super::heap::{Heap, Value};
use super::pickle::Pickle;
use super::settings;
use super::stacks::Stacks;
use crate::load::dump::draft::MAX_BUFFERS;
use crate::load::{Fault, LoadError, Warning};
use crate::replay::{Action, Block, Device, Event, Home, Segment, Trace};
use crate::units::counted;

/// The most events of all devices together.
const MAX_EVENTS: usize = 1 << 23;
/// The most devices.
const MAX_DEVICES: usize = 1 << 10;

const SEGMENT: [&str; 13] = [
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

const BLOCK: [&str; 8] = [
    "address",
    "size",
    "requested_size",
    "state",
    "frames",
    "history",
    "addr",
    "version",
];

const EVENT: [&str; 11] = [
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

/// The trace that `pickle` holds.
///
/// # Errors
/// [`Fault::Malformed`] when it is no snapshot, when a field is missing that must be there, or
/// a size is below zero; [`Fault::Limit`] beyond the limits above.
pub(super) fn trace(pickle: &Pickle, warnings: &mut Vec<Warning>) -> Result<Trace, LoadError> {
    let heap = &pickle.heap;
    let mut reader = Reader::new(heap);
    let (segments, rest) = parts(pickle)?;
    for (index, &segment) in heap.items(segments).iter().enumerate() {
        reader.segment(index, segment)?;
    }
    let field = |key| rest.and_then(|rest| heap.get(rest, key));
    if let Some(traces) = field("device_traces") {
        reader.traces(traces)?;
    }
    if let Some(annotations) = field("external_annotations") {
        reader.annotations(annotations);
    }
    if let Some(rest) = rest {
        reader.other_parts(rest);
    }
    let rounding = settings::rounding(heap, field("allocator_settings"));
    reader.tell(warnings);
    let mut devices: Vec<Device> = reader.devices.into_values().collect();
    for device in &mut devices {
        device.rounding = rounding;
        device.annotations.sort_by_key(|(event, _)| *event);
    }
    Ok(Trace {
        toolchain: "PyTorch".into(),
        devices,
        stacks: reader.stacks.stacks,
        frames: reader.stacks.frames,
        labels: reader.labels,
    })
}

/// The list of segments, and the dict that it lies in; a list alone in old snapshots.
fn parts(pickle: &Pickle) -> Result<(u32, Option<u32>), LoadError> {
    let heap = &pickle.heap;
    let foreign = |what: &str| {
        let message = format!(
            "{what}, no PyTorch memory snapshot, which is a dict with \"segments\" as \
             torch.cuda.memory._dump_snapshot() writes it"
        );
        malformed("file".into(), message)
    };
    match pickle.root {
        Value::Dict(dict) => match heap.get(dict, "segments") {
            Some(Value::List(segments)) => Ok((segments, Some(dict))),
            Some(other) => Err(foreign(&format!(
                "a pickled dict whose \"segments\" are {}",
                other.kind()
            ))),
            None => Err(foreign("a pickled dict without \"segments\"")),
        },
        Value::List(list) => match heap.items(list).first() {
            Some(&Value::Dict(first)) if heap.get(first, "blocks").is_some() => Ok((list, None)),
            _ => Err(foreign("a pickled list")),
        },
        other => Err(foreign(&format!("a pickle of {}", other.kind()))),
    }
}

struct Reader<'h> {
    heap: &'h Heap,
    segment: Kind<13>,
    block: Kind<8>,
    event: Kind<11>,
    stacks: Stacks,
    devices: BTreeMap<u32, Device>,
    /// Times of the events of each device, as long as there are annotations to place.
    times: BTreeMap<u32, Vec<i64>>,
    labels: Vec<String>,
    known_labels: BTreeMap<[Option<u32>; 3], u32>,
    /// Actions that are not known, and how often.
    actions: BTreeMap<String, u64>,
    /// Parts of the file that are not known, and how often.
    unknown: BTreeMap<String, u64>,
    /// Annotations without a device, a name or a time.
    lost_annotations: u64,
    blocks: usize,
    events: usize,
}

impl<'h> Reader<'h> {
    fn new(heap: &'h Heap) -> Self {
        Self {
            heap,
            segment: Kind::new("segment", SEGMENT),
            block: Kind::new("block", BLOCK),
            event: Kind::new("event", EVENT),
            stacks: Stacks::new(),
            devices: BTreeMap::new(),
            times: BTreeMap::new(),
            labels: vec![String::new()],
            known_labels: BTreeMap::new(),
            actions: BTreeMap::new(),
            unknown: BTreeMap::new(),
            lost_annotations: 0,
            blocks: 0,
            events: 0,
        }
    }

    fn device(&mut self, index: u32) -> &mut Device {
        self.devices.entry(index).or_insert_with(|| Device {
            name: format!("device {index}"),
            ..Device::default()
        })
    }

    fn segment(&mut self, index: usize, item: Value) -> Result<(), LoadError> {
        let place = || format!("segment {index}");
        let dict = self.dict(item, &place)?;
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
                pool: self.pair(pool),
                small: self.is_text(kind, "small"),
                expandable: expandable == Some(Value::Bool(true)),
            },
        };
        if segment.address.checked_add(segment.size).is_none() {
            return Err(malformed(place(), "it ends beyond 64 bits".into()));
        }
        self.device(device).segments.push(segment);
        let mut next = segment.address;
        let list = field("blocks", blocks).list()?;
        for (inner, &item) in self.heap.items(list).iter().enumerate() {
            let place = || format!("segment {index}, block {inner}");
            self.blocks += 1;
            if self.blocks > MAX_BUFFERS {
                return Err(limit(&place, &format!("more than {MAX_BUFFERS} blocks")));
            }
            let dict = self.dict(item, &place)?;
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
        place: &dyn Fn() -> String,
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
            return Err(malformed(place(), "it ends beyond 64 bits".into()));
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
            other => return Err(state.fault(format!("the state \"{other}\" is not known"))),
        };
        let block = Block {
            address,
            size,
            requested,
            pending,
            stack: self.stacks.stack(self.heap, frames),
        };
        Ok((block, active))
    }

    fn traces(&mut self, traces: Value) -> Result<(), LoadError> {
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
                Action::Alloc => self.stacks.stack(self.heap, frames),
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
    fn annotations(&mut self, annotations: Value) {
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
        let what = match text("stage") {
            Some("START") => format!("{name} starts"),
            Some("END") => format!("{name} ends"),
            Some(stage) => format!("{name} {stage}"),
            None => name.to_owned(),
        };
        let device = u32::try_from(number("device")?).ok()?;
        let time = number("time_us")?;
        let times = self.times.get(&device)?;
        let event = times.partition_point(|&of_event| of_event < time);
        self.device(device).annotations.push((event, what));
        Some(())
    }

    fn other_parts(&mut self, rest: u32) {
        const PARTS: [&str; 4] = [
            "segments",
            "device_traces",
            "allocator_settings",
            "external_annotations",
        ];
        for (key, _) in self.heap.entries(rest) {
            if !PARTS.contains(&key) {
                *self.unknown.entry(key.to_owned()).or_insert(0) += 1;
            }
        }
    }

    fn dict(&self, item: Value, place: &dyn Fn() -> String) -> Result<u32, LoadError> {
        match item {
            Value::Dict(dict) => Ok(dict),
            other => Err(malformed(
                place(),
                format!("it is {}, not a dict", other.kind()),
            )),
        }
    }

    fn count_device(&self, device: u32, place: &dyn Fn() -> String) -> Result<(), LoadError> {
        match device as usize {
            0..MAX_DEVICES => Ok(()),
            _ => Err(limit(place, &format!("a device beyond {MAX_DEVICES}"))),
        }
    }

    fn pair(&self, value: Option<Value>) -> (i64, i64) {
        let Some(Value::List(list)) = value else {
            return (0, 0);
        };
        match self.heap.items(list) {
            &[Value::Int(one), Value::Int(other)] => (one, other),
            _ => (0, 0),
        }
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

    /// What was not understood, counted.
    fn tell(&mut self, warnings: &mut Vec<Warning>) {
        self.segment.unknown(self.heap, &mut self.unknown);
        self.block.unknown(self.heap, &mut self.unknown);
        self.event.unknown(self.heap, &mut self.unknown);
        self.stacks.unknown(self.heap, &mut self.unknown);
        let mut tell = |place: &str, message| {
            warnings.push(Warning {
                place: place.into(),
                message,
            });
        };
        if !self.unknown.is_empty() {
            let list = listed(&self.unknown);
            tell("fields", format!("not known and left out: {list}"));
        }
        if !self.actions.is_empty() {
            let list = listed(&self.actions);
            tell("actions", format!("not known and without effect: {list}"));
        }
        let count = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
        if self.lost_annotations > 0 {
            let lost = counted(count(self.lost_annotations), "annotation", "annotations");
            let message = format!("{lost} without a name, or no event at that time");
            tell("external_annotations", message);
        }
        if self.stacks.unreadable > 0 {
            let lost = counted(count(self.stacks.unreadable), "frame", "frames");
            tell(
                "frames",
                format!("{lost} without function and file left out"),
            );
        }
        if self.stacks.cut > 0 {
            let cut = counted(count(self.stacks.cut), "stack is", "stacks are");
            tell("frames", format!("{cut} cut to the innermost frames"));
        }
    }
}

/// The names with how often they are there, the first of many.
fn listed(counts: &BTreeMap<String, u64>) -> String {
    const MOST: usize = 8;
    let some = counts.iter().take(MOST);
    let mut list: Vec<String> = some
        .map(|(name, count)| format!("\"{}\" ({count} times)", name.escape_debug()))
        .collect();
    if counts.len() > MOST {
        list.push(format!("and {} more", counts.len() - MOST));
    }
    list.join(", ")
}

fn limit(place: &dyn Fn() -> String, message: &str) -> LoadError {
    LoadError {
        kind: Fault::Limit,
        place: place(),
        message: message.into(),
    }
}
