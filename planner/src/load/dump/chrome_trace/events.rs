//! The events of a trace, one by one: only what they say of tensors is kept.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::unsupported;
use crate::load::LoadError;
use crate::load::dump::line::MAX_STEP;

/// What wrote a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Maker {
    Executorch,
    OnnxRuntime,
}

impl Maker {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Executorch => "ExecuTorch",
            Self::OnnxRuntime => "ONNX Runtime",
        }
    }
}

/// A tensor at its place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Tensor {
    pub(super) name: String,
    pub(super) offset: u64,
    pub(super) size: u64,
}

/// When a tensor lives, and what else its events say.
#[derive(Default)]
pub(super) struct Live {
    pub(super) steps: BTreeSet<u64>,
    pub(super) op: String,
    pub(super) stack: String,
}

/// What a trace says of tensors.
#[derive(Default)]
pub(super) struct Trace {
    /// By process, which is an arena.
    pub(super) tensors: BTreeMap<u64, BTreeMap<Tensor, Live>>,
    /// What each process is called.
    pub(super) names: BTreeMap<u64, String>,
    /// Events that are no tensors.
    pub(super) others: usize,
    /// Whether at every step each tensor begins where the one before it ends.
    pub(super) stacked: bool,
    /// Where the tensors of each step end, as long as they are stacked.
    ends: BTreeMap<u64, u64>,
    /// Events by either maker.
    made: [usize; 2],
}

/// One event.
#[derive(Deserialize)]
struct Event<'t> {
    #[serde(borrow, default)]
    ph: Value<'t>,
    #[serde(borrow, default)]
    cat: Value<'t>,
    #[serde(borrow, default)]
    name: Value<'t>,
    #[serde(borrow, default)]
    pid: Value<'t>,
    #[serde(borrow, default)]
    tid: Value<'t>,
    #[serde(borrow, default)]
    ts: Value<'t>,
    #[serde(borrow, default)]
    dur: Value<'t>,
    #[serde(borrow, default)]
    args: Option<Args<'t>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Args<'t> {
    #[serde(borrow)]
    name: Value<'t>,
    #[serde(borrow)]
    offset: Value<'t>,
    #[serde(borrow)]
    size: Value<'t>,
    #[serde(borrow)]
    bytes: Value<'t>,
    #[serde(borrow)]
    total_bytes: Value<'t>,
    #[serde(borrow)]
    op_name: Value<'t>,
    #[serde(borrow)]
    source: Value<'t>,
}

/// A cell of an event: a trace of time may hold anything anywhere.
#[derive(Clone, Debug, Default, PartialEq)]
enum Value<'t> {
    Whole(u64),
    Below(i64),
    Text(Cow<'t, str>),
    /// Something else, such as a number with decimals or beyond 64 bits.
    Other,
    /// Not there.
    #[default]
    Absent,
}

/// Both shapes of a trace.
struct Events(Trace);

#[derive(Deserialize)]
struct Object {
    #[serde(rename = "traceEvents")]
    events: Events,
}

impl Trace {
    /// Reads the events of a trace, an array or an object around one.
    pub(super) fn parse(text: &str) -> Result<Self, serde_json::Error> {
        let Events(trace) = match text.trim_start().starts_with('[') {
            true => serde_json::from_str(text)?,
            false => serde_json::from_str::<Object>(text)?.events,
        };
        Ok(trace)
    }

    /// What wrote it.
    pub(super) fn maker(&self) -> Result<Maker, LoadError> {
        match self.made {
            [0, 0] => Err(unsupported(
                "the times of this trace are times. What can be read are the memory profiles of \
                 ExecuTorch (generate_memory_trace with enable_memory_offsets=True) and of ONNX \
                 Runtime (memory_profile_0.json of a build with memory profiling)",
            )),
            [_, 0] => Ok(Maker::Executorch),
            [0, _] => Ok(Maker::OnnxRuntime),
            _ => Err(unsupported(
                "it holds tensors of both ExecuTorch and ONNX Runtime",
            )),
        }
    }

    fn take(&mut self, event: Event<'_>) -> Result<(), String> {
        let args = event.args.unwrap_or_default();
        match &event.ph {
            Value::Text(kind) if kind == "X" => {}
            Value::Text(kind) if kind == "M" => {
                if let (Value::Text(what), Value::Whole(pid), Value::Text(name)) =
                    (event.name, event.pid, args.name)
                    && what == "process_name"
                {
                    self.names.insert(pid, name.into_owned());
                }
                return Ok(());
            }
            _ => {
                self.others += 1;
                return Ok(());
            }
        }
        let executorch = event.cat == Value::Text("memory_allocation".into());
        let onnx = args.offset != Value::Absent && args.size != Value::Absent;
        if !(executorch || onnx) {
            // A bar of ONNX Runtime that sums up a step.
            self.others += usize::from(args.total_bytes == Value::Absent);
            return Ok(());
        }
        let (pid, step) = (whole("pid", &event.pid)?, whole("tid", &event.tid)?);
        let (offset, size) = (whole("ts", &event.ts)?, whole("dur", &event.dur)?);
        let same = match executorch {
            true => args.bytes == Value::Whole(size),
            false => (args.offset, args.size) == (Value::Whole(offset), Value::Whole(size)),
        };
        let Value::Text(name) = event.name else {
            return Err("a tensor has no name".into());
        };
        if !same {
            return Err(format!(
                "ts and dur of {name} are not the bytes that its args say"
            ));
        }
        if step >= MAX_STEP {
            return Err(format!("the tid {step} is beyond {MAX_STEP}"));
        }
        self.made[usize::from(!executorch)] += 1;
        self.stack(step, offset, size);
        let tensor = Tensor {
            name: name.into_owned(),
            offset,
            size,
        };
        let live = self.tensors.entry(pid).or_default().entry(tensor);
        let live = live.or_insert_with(|| Live {
            op: operator(args.op_name.text()),
            stack: args.source.text(),
            ..Live::default()
        });
        live.steps.insert(step);
        Ok(())
    }

    /// Keeps track of whether tensors are only stacked.
    fn stack(&mut self, step: u64, offset: u64, size: u64) {
        if self.stacked {
            let end = self.ends.entry(step).or_default();
            self.stacked = *end == offset;
            *end = end.saturating_add(size);
        }
    }
}

/// The steps at which any of `tensors` is listed, in order.
pub(super) fn listed<'t>(tensors: impl Iterator<Item = &'t Live>) -> Vec<u64> {
    let steps: BTreeSet<u64> = tensors
        .flat_map(|live| live.steps.iter().copied())
        .collect();
    steps.into_iter().collect()
}

fn whole(what: &str, value: &Value<'_>) -> Result<u64, String> {
    match value {
        Value::Whole(number) => Ok(*number),
        Value::Below(number) => Err(format!("the {what} of a tensor is {number}, below 0")),
        Value::Absent => Err(format!("a tensor has no {what}")),
        Value::Text(_) | Value::Other => Err(format!(
            "the {what} of a tensor is no whole number from 0 up"
        )),
    }
}

/// The operator of `<EdgeOpOverload: aten.add.Tensor>: schema = …`; other words as they are.
fn operator(text: String) -> String {
    let name = text.strip_prefix("<EdgeOpOverload: ");
    let name = name.and_then(|rest| rest.split('>').next());
    name.map_or(text.clone(), str::to_owned)
}

impl Value<'_> {
    fn text(self) -> String {
        match self {
            Self::Text(text) => text.into_owned(),
            _ => String::new(),
        }
    }
}

impl<'de> Deserialize<'de> for Events {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Each;
        impl<'de> Visitor<'de> for Each {
            type Value = Events;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an array of events")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Events, A::Error> {
                let mut trace = Trace {
                    stacked: true,
                    ..Trace::default()
                };
                while let Some(event) = seq.next_element()? {
                    trace.take(event).map_err(A::Error::custom)?;
                }
                Ok(Events(trace))
            }
        }
        from.deserialize_seq(Each)
    }
}

impl<'de: 't, 't> Deserialize<'de> for Value<'t> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Value<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("anything")
            }

            fn visit_u64<E: Error>(self, number: u64) -> Result<Value<'de>, E> {
                Ok(Value::Whole(number))
            }

            fn visit_i64<E: Error>(self, number: i64) -> Result<Value<'de>, E> {
                Ok(u64::try_from(number).map_or(Value::Below(number), Value::Whole))
            }

            fn visit_f64<E: Error>(self, _: f64) -> Result<Value<'de>, E> {
                Ok(Value::Other)
            }

            fn visit_bool<E: Error>(self, _: bool) -> Result<Value<'de>, E> {
                Ok(Value::Other)
            }

            fn visit_unit<E: Error>(self) -> Result<Value<'de>, E> {
                Ok(Value::Absent)
            }

            fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Value<'de>, E> {
                Ok(Value::Text(Cow::Borrowed(text)))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Value<'de>, E> {
                Ok(Value::Text(Cow::Owned(text.to_owned())))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value<'de>, A::Error> {
                while seq.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Value::Other)
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value<'de>, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Value::Other)
            }
        }
        from.deserialize_any(Any)
    }
}
