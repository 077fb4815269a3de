//! What a snapshot says of the allocator's configuration.

use super::heap::{Heap, Value};
use crate::replay::Rounding;

/// How the allocator rounds sizes. What is not there, or is not as expected, is as PyTorch has
/// it by default.
pub(super) fn rounding(heap: &Heap, settings: Option<Value>) -> Rounding {
    let mut rounding = Rounding::default();
    let Some(Value::Dict(settings)) = settings else {
        return rounding;
    };
    // No limit is the largest 64-bit number, which becomes -1.
    if let Some(Value::Int(most)) = heap.get(settings, "max_split_size")
        && let Ok(most) = u64::try_from(most)
    {
        rounding.max_split = most;
    }
    // By mebibytes: "1", "2", "4" and so on.
    if let Some(Value::Dict(parts)) = heap.get(settings, "roundup_power2_divisions") {
        for (class, slot) in rounding.divisions.iter_mut().enumerate() {
            if let Some(Value::Int(parts)) = heap.get(parts, &(1_u64 << class).to_string()) {
                *slot = u64::try_from(parts).unwrap_or_default();
            }
        }
    }
    rounding
}
