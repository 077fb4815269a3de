//! The events of a trace, one by one: only what they say of tensors is kept.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::profiler::{Call, Moment};
use super::unsupported;
use crate::load::LoadError;
use crate::load::dump::json::invalid;
use crate::load::dump::line::MAX_STEP;
use crate::{Message, message};

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
    /// Blocks of PyTorch's allocators that are taken and given back.
    pub(super) moments: Vec<Moment>,
    /// What operators and functions of Python did meanwhile.
    pub(super) calls: Vec<Call>,
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
    #[serde(borrow, rename = "Addr")]
    address: Value<'t>,
    #[serde(borrow, rename = "Bytes")]
    block: Value<'t>,
    #[serde(borrow, rename = "Name")]
    called: Value<'t>,
    #[serde(borrow, rename = "Device Type")]
    device_type: Value<'t>,
    #[serde(borrow, rename = "Device Id")]
    device: Value<'t>,
    #[serde(borrow, rename = "Total Allocated")]
    allocated: Value<'t>,
    #[serde(borrow, rename = "Total Reserved")]
    reserved: Value<'t>,
}

/// A cell of an event: a trace of time may hold anything anywhere.
#[derive(Clone, Debug, Default, PartialEq)]
enum Value<'t> {
    Whole(u64),
    Below(i64),
    Text(Cow<'t, str>),
    /// A number with decimals or beyond 64 bits.
    Real(f64),
    /// Something else.
    Other,
    /// Not there.
    #[default]
    Absent,
}

/// The events in an array; leaves there what is wrong with one.
struct Events<'w>(&'w Cell<Option<Message>>);

/// The object around such an array.
struct Object<'w>(&'w Cell<Option<Message>>);

/// Where the object has it.
const EVENTS: &str = "traceEvents";

impl Trace {
    /// Reads the events of a trace, an array or an object around one.
    pub(super) fn parse(text: &str) -> Result<Self, LoadError> {
        let mut from = serde_json::Deserializer::from_str(text);
        let wrong = Cell::default();
        let trace = match text.trim_start().starts_with('[') {
            true => Events(&wrong).deserialize(&mut from),
            false => from.deserialize_map(Object(&wrong)),
        };
        let trace = trace.and_then(|trace| from.end().map(|()| trace));
        trace.map_err(|error| {
            let error = invalid(&error);
            match wrong.take() {
                Some(message) => LoadError { message, ..error },
                None => error,
            }
        })
    }

    /// What wrote it.
    pub(super) fn maker(&self) -> Result<Maker, LoadError> {
        match self.made {
            [0, 0] => Err(unsupported(message!(
                "the times of this trace are times. What can be read are the memory profiles of \
                 ExecuTorch (generate_memory_trace with enable_memory_offsets=True) and of ONNX \
                 Runtime (memory_profile_0.json of a build with memory profiling), and a trace of \
                 torch.profiler with profile_memory=True"
            ))),
            [_, 0] => Ok(Maker::Executorch),
            [0, _] => Ok(Maker::OnnxRuntime),
            _ => Err(unsupported(message!(
                "it holds tensors of both ExecuTorch and ONNX Runtime"
            ))),
        }
    }

    fn take(&mut self, event: Event<'_>) -> Result<(), Message> {
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
            Value::Text(kind) if kind == "i" && event.name == Value::Text("[memory]".into()) => {
                self.moments.push(moment(&event.ts, &event.tid, &args)?);
                return Ok(());
            }
            _ => {
                self.others += 1;
                return Ok(());
            }
        }
        if let Some(python) = called(&event.cat) {
            let times = (&event.ts, &event.dur, &event.tid);
            self.calls.extend(call(times, event.name, python));
            self.others += 1;
            return Ok(());
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
            return Err(message!("a tensor has no name"));
        };
        if !same {
            return Err(message!(
                "ts and dur of {} are not the bytes that its args say",
                name
            ));
        }
        if step >= MAX_STEP {
            return Err(message!("the tid {} is beyond {}", step, MAX_STEP));
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

/// Whether an event of this category is a function of Python; `None` where it is no operator
/// of PyTorch's either.
fn called(category: &Value<'_>) -> Option<bool> {
    match category {
        Value::Text(text) if text == "cpu_op" => Some(false),
        Value::Text(text) if text == "python_function" => Some(true),
        _ => None,
    }
}

/// What an event says that has a beginning, a duration and a thread.
fn call(
    (start, took, thread): (&Value<'_>, &Value<'_>, &Value<'_>),
    name: Value<'_>,
    python: bool,
) -> Option<Call> {
    let (start, took) = (nanoseconds(start)?, nanoseconds(took)?);
    let &Value::Whole(thread) = thread else {
        return None;
    };
    Some(Call {
        thread,
        start,
        end: start.checked_add(took)?,
        name: name.text(),
        python,
    })
}

/// What a memory event of PyTorch's profiler says.
fn moment(time: &Value<'_>, thread: &Value<'_>, args: &Args<'_>) -> Result<Moment, Message> {
    let signed = |what: &'static str, value: &Value<'_>| match value {
        Value::Below(number) => Ok(*number),
        Value::Whole(number) => i64::try_from(*number).map_err(|_error| {
            message!(
                "the {} of a [memory] event is {}, beyond 63 bits",
                what,
                number
            )
        }),
        _ => Err(message!("a [memory] event has no whole {}", what)),
    };
    let bytes = signed("Bytes", &args.block)?;
    // Old traces say no totals.
    let total = |value: &Value<'_>| match value {
        Value::Whole(number) => *number,
        _ => 0,
    };
    Ok(Moment {
        device: (
            signed("Device Type", &args.device_type)?,
            signed("Device Id", &args.device)?,
        ),
        time: nanoseconds(time).ok_or_else(|| message!("a [memory] event has no ts"))?,
        thread: match thread {
            Value::Whole(thread) => *thread,
            _ => u64::MAX,
        },
        name: args.called.clone().text(),
        address: whole("Addr", &args.address)?,
        bytes: bytes.unsigned_abs(),
        is_free: bytes < 0,
        allocated: total(&args.allocated),
        reserved: total(&args.reserved),
    })
}

/// The nanoseconds of so many microseconds.
fn nanoseconds(value: &Value<'_>) -> Option<i64> {
    match value {
        Value::Whole(number) => i64::try_from(*number).ok()?.checked_mul(1000),
        Value::Below(number) => number.checked_mul(1000),
        Value::Real(number) if number.abs() < 9e15 => {
            #[expect(clippy::cast_possible_truncation, reason = "it is below 2^63")]
            let whole = (number * 1000.0).round() as i64;
            Some(whole)
        }
        _ => None,
    }
}

/// The steps at which any of `tensors` is listed, in order.
pub(super) fn listed<'t>(tensors: impl Iterator<Item = &'t Live>) -> Vec<u64> {
    let steps: BTreeSet<u64> = tensors
        .flat_map(|live| live.steps.iter().copied())
        .collect();
    steps.into_iter().collect()
}

fn whole(what: &'static str, value: &Value<'_>) -> Result<u64, Message> {
    match value {
        Value::Whole(number) => Ok(*number),
        Value::Below(number) => Err(message!("the {} of a tensor is {}, below 0", what, number)),
        Value::Absent => Err(message!("a tensor has no {}", what)),
        Value::Text(_) | Value::Real(_) | Value::Other => Err(message!(
            "the {} of a tensor is no whole number from 0 up",
            what
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

impl<'de> DeserializeSeed<'de> for Events<'_> {
    type Value = Trace;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Trace, D::Error> {
        from.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Events<'_> {
    type Value = Trace;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of events")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Trace, A::Error> {
        let mut trace = Trace {
            stacked: true,
            ..Trace::default()
        };
        while let Some(event) = seq.next_element()? {
            trace.take(event).map_err(|wrong| {
                let text = A::Error::custom(&wrong);
                self.0.set(Some(wrong));
                text
            })?;
        }
        Ok(trace)
    }
}

impl<'de> Visitor<'de> for Object<'_> {
    type Value = Trace;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of events")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Trace, A::Error> {
        let mut trace = None;
        while let Some(key) = map.next_key::<Cow<'_, str>>()? {
            if key != EVENTS {
                map.next_value::<IgnoredAny>()?;
            } else if trace.is_some() {
                return Err(A::Error::duplicate_field(EVENTS));
            } else {
                trace = Some(map.next_value_seed(Events(self.0))?);
            }
        }
        trace.ok_or_else(|| A::Error::missing_field(EVENTS))
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

            fn visit_f64<E: Error>(self, number: f64) -> Result<Value<'de>, E> {
                Ok(Value::Real(number))
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
