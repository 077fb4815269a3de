//! A snapshot's segments, blocks, events and annotations as a trace.

use std::collections::BTreeMap;

use super::events::Events;
use super::fields::{DictKind, malformed};
use super::heap::{Heap, Value};
use super::pickle::Pickle;
use super::recorded::Recorded;
use super::segments::{BLOCK, HOST_SEGMENT, SEGMENT};
use super::settings;
use crate::load::{Fault, LoadError, Warning};
use crate::replay::{Action, Annotation, Device, Event, Sizes, Trace};
use crate::sorting::Sorting as _;
use crate::{Message, message};

/// The most devices.
const MAX_DEVICES: usize = 1 << 10;

/// The number of what is no device: the host's pinned memory.
pub(super) const HOST: u32 = u32::MAX;

/// What a device is called.
fn name(number: u32) -> Message {
    match number {
        HOST => message!("pinned host memory"),
        _ => message!("device {}", number),
    }
}

/// The trace that `pickle` holds.
///
/// # Errors
/// [`Fault::Malformed`] when it is no snapshot, when a field is missing that must be there, or
/// a size is below zero; [`Fault::Limit`] beyond the limits above.
pub(super) fn trace(pickle: Pickle, warnings: &mut Vec<Warning>) -> Result<Trace, LoadError> {
    let (segments, rest) = parts(&pickle)?;
    let heap = &pickle.heap;
    let mut reader = Reader::new(heap, pickle.events);
    for (index, &segment) in heap.items(segments).iter().enumerate() {
        reader.segment(index, segment)?;
    }
    let field = |key| rest.and_then(|rest| heap.get(rest, key));
    let categories = match field("categories") {
        Some(Value::List(categories)) => heap.items(categories),
        _ => &[],
    };
    if let Some(traces) = field("device_traces") {
        reader.traces(traces)?;
    }
    reader.host(field("host_segments"), field("host_traces"))?;
    reader.assign_traces()?;
    if let Some(annotations) = field("external_annotations") {
        reader.annotations(annotations);
    }
    if let Some(rest) = rest {
        reader.other_parts(rest);
    }
    let said = field("allocator_settings");
    settings::warn(heap, said, warnings);
    let settings = settings::settings(heap, said);
    reader.report(warnings);
    for (index, device) in &mut reader.devices {
        device.times = reader.times.remove(index).unwrap_or_default();
    }
    let pools = reader.events.pools();
    let host = reader.devices.get(&HOST).map(|_| reader.devices.len() - 1);
    let mut devices: Vec<Device> = reader.devices.into_values().collect();
    let exact = matches!(field("arenascope"), Some(Value::Dict(dict))
        if heap.get(dict, "exact_sizes") == Some(Value::Bool(true)));
    for (index, device) in devices.iter_mut().enumerate() {
        device.pools.clone_from(&pools);
        device.sizes = match (host == Some(index), exact) {
            (true, _) => Sizes::Whole,
            (false, true) => Sizes::Exact,
            (false, false) => Sizes::Rounded,
        };
        if host != Some(index) {
            device.settings = settings;
        }
        device.annotations.order_by_key(|(event, _)| *event);
        warnings.extend(of_no_pool(device));
    }
    Ok(Trace {
        toolchain: "PyTorch".into(),
        devices,
        labels: reader.events.labels(heap, categories),
        stacks: reader.events.stacks.gathered.finish(),
    })
}

/// The list of segments, and the dict that it lies in; a list alone in old snapshots.
fn parts(pickle: &Pickle) -> Result<(u32, Option<u32>), LoadError> {
    let heap = &pickle.heap;
    let foreign = |what: Message| {
        let message = message!(
            "{}, no PyTorch memory snapshot, which is a dict with \"segments\" as \
             torch.cuda.memory._dump_snapshot() writes it",
            what
        );
        malformed(message!("file"), message)
    };
    match pickle.root {
        Value::Dict(dict) => match heap.get(dict, "segments") {
            Some(Value::List(segments)) => Ok((segments, Some(dict))),
            Some(other) => Err(foreign(message!(
                "a pickled dict whose \"segments\" are {}",
                other.kind()
            ))),
            None => Err(foreign(message!("a pickled dict without \"segments\""))),
        },
        Value::List(list) => match heap.items(list).first() {
            Some(&Value::Dict(first)) if heap.get(first, "blocks").is_some() => Ok((list, None)),
            _ => Err(foreign(message!("a pickled list"))),
        },
        other => Err(foreign(message!("a pickle of {}", other.kind()))),
    }
}

/// What is read so far.
pub(super) struct Reader<'h> {
    pub(super) heap: &'h Heap,
    pub(super) segment: DictKind<13>,
    pub(super) host_segment: DictKind<11>,
    pub(super) block: DictKind<8>,
    pub(super) events: Events,
    /// By device.
    pub(super) recorded: BTreeMap<u32, Recorded>,
    pub(super) devices: BTreeMap<u32, Device>,
    /// Times of the events of each device, where all have one.
    pub(super) times: BTreeMap<u32, Vec<i64>>,
    /// Time of the last event before the range, and whether there are events after it.
    pub(super) around: BTreeMap<u32, (Option<i64>, bool)>,
    /// Parts of the file that are not known, and how often.
    pub(super) unknown: BTreeMap<String, u64>,
    /// Annotations without a device, a name or a time.
    pub(super) lost_annotations: u64,
    /// What was begun before the range, by device.
    pub(super) open: BTreeMap<u32, Vec<Annotation>>,
    /// Annotations outside the range.
    pub(super) annotations_outside: u64,
    pub(super) blocks: usize,
}

impl<'h> Reader<'h> {
    fn new(heap: &'h Heap, events: Events) -> Self {
        Self {
            heap,
            segment: DictKind::new("segment", SEGMENT),
            host_segment: DictKind::new("host segment", HOST_SEGMENT),
            block: DictKind::new("block", BLOCK),
            events,
            recorded: BTreeMap::new(),
            devices: BTreeMap::new(),
            times: BTreeMap::new(),
            around: BTreeMap::new(),
            unknown: BTreeMap::new(),
            lost_annotations: 0,
            open: BTreeMap::new(),
            annotations_outside: 0,
            blocks: 0,
        }
    }

    pub(super) fn device(&mut self, index: u32) -> &mut Device {
        self.devices.entry(index).or_insert_with(|| Device {
            name: name(index),
            ..Device::default()
        })
    }

    /// Gives the traces to their devices.
    ///
    /// # Errors
    /// [`Fault::Range`] where they have more events than can be held, or none that is chosen.
    fn assign_traces(&mut self) -> Result<(), LoadError> {
        let traces: Vec<&Recorded> = self.recorded.values().collect();
        if let Some(excerpt) = self.events.excerpt(&traces) {
            return Err(excerpt.wanted(Message::verbatim("device_traces")));
        }
        for (number, mut trace) in std::mem::take(&mut self.recorded) {
            if let Some(times) = trace.clocked() {
                self.times.insert(number, times);
            }
            let around = (trace.time_before, trace.outside.after > 0);
            self.around.insert(number, around);
            let device = self.device(number);
            device.events = std::mem::take(&mut trace.events);
            device.outside = std::mem::take(&mut trace.outside);
        }
        Ok(())
    }

    fn other_parts(&mut self, rest: u32) {
        const PARTS: [&str; 8] = [
            "host_segments",
            "host_traces",
            // Of a plan that we wrote as a snapshot.
            "arenascope",
            "segments",
            "device_traces",
            "allocator_settings",
            "external_annotations",
            "categories",
        ];
        for (key, _) in self.heap.entries(rest) {
            if !PARTS.contains(&key) {
                *self.unknown.entry(key.to_owned()).or_insert(0) += 1;
            }
        }
    }

    pub(super) fn count_device(
        &self,
        device: u32,
        place: &dyn Fn() -> Message,
    ) -> Result<(), LoadError> {
        match device as usize {
            0..MAX_DEVICES => Ok(()),
            _ => Err(limit(place, message!("a device beyond {}", MAX_DEVICES))),
        }
    }

    /// What was not understood, counted.
    fn report(&mut self, warnings: &mut Vec<Warning>) {
        self.segment.unknown(self.heap, &mut self.unknown);
        self.host_segment.unknown(self.heap, &mut self.unknown);
        self.block.unknown(self.heap, &mut self.unknown);
        self.events.unknown(self.heap, &mut self.unknown);
        let mut warn = |place: Message, message: Message| {
            warnings.push(Warning::new(place, message));
        };
        if !self.unknown.is_empty() {
            let list = listed(&self.unknown);
            warn(
                message!("fields"),
                message!("not known and left out: {}", list),
            );
        }
        if !self.events.actions.is_empty() {
            let list = listed(&self.events.actions);
            warn(
                message!("actions of events"),
                message!("not known and without effect: {}", list),
            );
        }
        let count = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
        if self.lost_annotations > 0 {
            let lost = message!("annotation" | "annotations", count(self.lost_annotations));
            let message = message!("{} without a name, or no event at that time", lost);
            warn(Message::verbatim("external_annotations"), message);
        }
        if self.annotations_outside > 0 {
            let some = message!(
                "annotation lies outside the range" | "annotations lie outside the range",
                count(self.annotations_outside)
            );
            warn(
                Message::verbatim("external_annotations"),
                message!("{}: left out", some),
            );
        }
        if self.events.stacks.unreadable > 0 {
            let lost = message!("frame" | "frames", count(self.events.stacks.unreadable));
            warn(
                message!("frames"),
                message!("{} without function and file left out", lost),
            );
        }
    }
}

/// That nobody knows for which pool a request was that failed, where a device has private ones and the
/// request is not more than all that there is.
fn of_no_pool(device: &Device) -> Option<Warning> {
    let segments = device.segments.iter().map(|it| it.size);
    let held = segments.fold(0, u64::saturating_add);
    let unsaid = |it: &Event| {
        let can_be = it.size <= held.saturating_add(it.address);
        it.action == Action::OutOfMemory && it.pool == 0 && can_be
    };
    let private = device.segments.iter().any(|it| it.home.pool != (0, 0));
    let found = private && device.events.iter().any(unsaid);
    found.then(|| {
        Warning::new(
            device.name.clone(),
            message!(
                "the file does not say for which pool a request was that failed: free blocks of \
                 every pool count, and a replay asks for it in none"
            ),
        )
    })
}

/// The names with how often they are there, the first of many.
fn listed(counts: &BTreeMap<String, u64>) -> Message {
    const MOST: usize = 8;
    let some = counts.iter().take(MOST);
    let mut list: Vec<Message> = some
        .map(|(name, count)| message!("\"{}\" ({} times)", name.escape_debug(), count))
        .collect();
    if counts.len() > MOST {
        list.push(message!("and {} more", counts.len() - MOST));
    }
    Message::list(list, ", ")
}

pub(super) fn limit(place: &dyn Fn() -> Message, message: Message) -> LoadError {
    Fault::Limit.at(place(), message)
}
