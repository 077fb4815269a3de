//! What a snapshot says of the allocator's configuration.

use super::heap::{Heap, Value};
use crate::caching_allocator::AllocatorSettings;
use crate::load::Warning;
use crate::{Message, message};

/// What the variable is called that the text of the settings stands in; CUDA writes the second,
/// whichever was set.
const CONF: [&str; 2] = ["PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF"];

/// The text of the settings, where the snapshot has it.
fn conf(heap: &Heap, settings: u32) -> Option<&str> {
    let mut texts = CONF
        .iter()
        .filter_map(|key| match heap.get(settings, key)? {
            Value::Text(text) => Some(heap.read_text(text)),
            _ => None,
        });
    texts.find(|text| !text.is_empty())
}

/// How the allocator is configured: as the fields say, and where one is missing, as on devices
/// other than CUDA's, as the text does. What is not there, or is not as expected, is as PyTorch
/// has it by default.
pub(super) fn settings(heap: &Heap, settings: Option<Value>) -> AllocatorSettings {
    let Some(Value::Dict(settings)) = settings else {
        return AllocatorSettings::DEFAULT;
    };
    let said = conf(heap, settings).and_then(|text| AllocatorSettings::said(text).ok());
    let mut found = said.map_or(AllocatorSettings::DEFAULT, |(said, _)| said);
    if let Some(Value::Bool(expandable)) = heap.get(settings, "expandable_segments") {
        found.expandable = expandable;
    }
    // No limit is the largest 64-bit number, which becomes -1.
    if let Some(Value::Int(most)) = heap.get(settings, "max_split_size") {
        found.max_split = u64::try_from(most).unwrap_or(u64::MAX);
    }
    // By mebibytes: "1", "2", "4" and so on.
    if let Some(Value::Dict(parts)) = heap.get(settings, "roundup_power2_divisions") {
        for (class, slot) in found.divisions.iter_mut().enumerate() {
            if let Some(Value::Int(parts)) = heap.get(parts, &(1_u64 << class).to_string()) {
                *slot = u64::try_from(parts).unwrap_or_default();
            }
        }
    }
    if let Some(Value::Float(bits)) = heap.get(settings, "garbage_collection_threshold") {
        found.collect_above = AllocatorSettings::collects_above(f64::from_bits(bits));
    }
    found
}

/// Settings that change where blocks lie and that our allocator does not have, with what each is
/// when nobody sets it (c10/core/AllocatorConfig.h).
const NOT_MODELLED: [(&str, &[i64]); 2] = [
    // No block above it is left whole; 20 MiB, or the largest 64-bit number as -1.
    ("max_non_split_rounding_size", &[20 << 20, -1, 0]),
    ("large_segment_size", &[20 << 20, 0]),
];

/// Says that events are lost, and which settings are not modelled.
pub(super) fn warn(heap: &Heap, settings: Option<Value>, warnings: &mut Vec<Warning>) {
    let Some(Value::Dict(settings)) = settings else {
        return;
    };
    let mut say = |message| {
        warnings.push(Warning::new(
            Message::verbatim("allocator_settings"),
            message,
        ));
    };
    if heap.get(settings, "trace_alloc_overflowed") == Some(Value::Bool(true)) {
        say(match heap.get(settings, "trace_alloc_max_entries") {
            Some(Value::Int(most)) => message!(
                "the oldest events are lost, for more came than the {} that were kept: record \
                 with a larger max_entries= to see them",
                most
            ),
            _ => message!(
                "the oldest events are lost, for more came than were kept: record with a larger \
                 max_entries= to see them"
            ),
        });
    }
    let set = NOT_MODELLED.iter().filter_map(|(name, usual)| {
        let Some(Value::Int(value)) = heap.get(settings, name) else {
            return None;
        };
        (!usual.contains(&value)).then(|| format!("{name}={value}"))
    });
    let mut set: Vec<String> = set.collect();
    match conf(heap, settings).map(AllocatorSettings::said) {
        // What it says of the fields above is said already.
        Some(Ok((_, others))) => set.extend(others),
        Some(Err(fault)) => say(message!("its text cannot be read, at {}", fault)),
        None => {}
    }
    if !set.is_empty() {
        say(message!("set, and not modelled: {}", set.join(", ")));
    }
}
