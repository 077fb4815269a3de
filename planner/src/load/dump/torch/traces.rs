//! The traces of each device, and what the program said meanwhile.

use super::fields::{list_of, malformed};
use super::heap::Value;
use super::snapshot::{HOST, Reader};
use crate::load::LoadError;
use crate::replay::Annotation;
use crate::units::narrow;
use crate::{Message, message};

impl Reader<'_> {
    /// Reads the trace of every device.
    pub(super) fn traces(&mut self, traces: Value) -> Result<(), LoadError> {
        let top = || Message::verbatim("device_traces");
        let traces = self.heap.items(list_of(traces, &top)?);
        for (device, &trace) in traces.iter().enumerate() {
            let place = || message!("device_traces, device {}", device);
            let number = narrow(device);
            self.count_device(number, &place)?;
            let shared = traces
                .get(device + 1..)
                .unwrap_or_default()
                .contains(&trace);
            self.trace(number, trace, shared, &place)?;
        }
        Ok(())
    }

    /// Reads the trace of one device, which another has as well where it is `shared`.
    fn trace(
        &mut self,
        number: u32,
        trace: Value,
        shared: bool,
        place: &dyn Fn() -> Message,
    ) -> Result<(), LoadError> {
        let Value::List(list) = trace else {
            let message = message!("its trace is {}, not a list", trace.kind());
            return Err(malformed(place(), message));
        };
        let event = |index| match number {
            HOST => message!("host_traces, event {}", index),
            device => message!("device {}, event {}", device, index),
        };
        let trace = self.events.trace(self.heap, (list, shared), &event)?;
        if trace.count > 0 {
            self.recorded.insert(number, trace);
        }
        Ok(())
    }

    /// The pinned memory of the host: each block is a segment of its own, and its trace has no
    /// devices.
    pub(super) fn host(
        &mut self,
        segments: Option<Value>,
        traces: Option<Value>,
    ) -> Result<(), LoadError> {
        let top = || Message::verbatim("host_segments");
        if let Some(segments) = segments {
            let segments = self.heap.items(list_of(segments, &top)?);
            for (index, &segment) in segments.iter().enumerate() {
                self.host_segment(index, segment)?;
            }
        }
        let Some(Value::List(list)) = traces else {
            return Ok(());
        };
        // As those of devices are: a list in a list.
        let inner = match self.heap.items(list) {
            [inner @ Value::List(_)] => *inner,
            _ => Value::List(list),
        };
        self.trace(HOST, inner, false, &|| Message::verbatim("host_traces"))
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
        for (device, open) in std::mem::take(&mut self.open) {
            let open = open.into_iter().map(|annotation| (0, annotation));
            self.device(device).annotations.extend(open);
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
        let (before, after) = self.around.get(&device).copied().unwrap_or_default();
        if event == 0 && before.is_some_and(|before| time <= before) {
            self.said_before(device, annotation);
        } else if event < times.len() || !after {
            self.device(device).annotations.push((event, annotation));
        } else {
            self.annotations_outside += 1;
        }
        Some(())
    }

    /// Of what was said before the range only what is not at its end yet is of interest.
    fn said_before(&mut self, device: u32, annotation: Annotation) {
        self.annotations_outside += 1;
        let open = self.open.entry(device).or_default();
        match annotation.stage.as_str() {
            "START" => open.push(annotation),
            "END" => {
                let same = |it: &Annotation| it.name == annotation.name;
                if let Some(place) = open.iter().rposition(same) {
                    open.remove(place);
                }
            }
            _ => {}
        }
    }
}
