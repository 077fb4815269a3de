//! What a snapshot says of the allocator's configuration.

use super::heap::{Heap, Value};
use crate::caching_allocator::AllocatorSettings;

/// How the allocator is configured. What is not there, or is not as expected, is as PyTorch
/// has it by default.
pub(super) fn settings(heap: &Heap, settings: Option<Value>) -> AllocatorSettings {
    let mut found = AllocatorSettings::DEFAULT;
    let Some(Value::Dict(settings)) = settings else {
        return found;
    };
    found.expandable = heap.get(settings, "expandable_segments") == Some(Value::Bool(true));
    // No limit is the largest 64-bit number, which becomes -1.
    if let Some(Value::Int(most)) = heap.get(settings, "max_split_size")
        && let Ok(most) = u64::try_from(most)
    {
        found.max_split = most;
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
