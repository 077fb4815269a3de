//! What runners of `ExecuTorch` on microcontrollers log of memory: how much of the method
//! allocator was used and for what, or that an allocation failed.
//!
//! Sources: `examples/arm/executor_runner/arm_executor_runner.cpp` (`log_mem_status`) and
//! `runtime/core/memory_allocator.h`.

use super::{Figure, Figures};
use crate::units::Bytes;
use crate::{Message, message};

/// What is in a log.
pub(super) const USED: &[u8] = b"method_allocator_planned:";
/// What is in a failure.
pub(super) const FAILED: &[u8] = b"B requested (adjusted for alignment), ";

/// What has all lifetimes.
pub(super) fn record() -> Vec<String> {
    vec!["arenascope waste model.pte".into()]
}

/// The number that stands after `words`, the last that the log has.
fn after(text: &str, words: &str) -> Option<u64> {
    let (_, rest) = text.rsplit_once(words)?;
    let rest = rest.trim_start_matches(' ');
    let end = rest.find(|sign: char| !sign.is_ascii_digit());
    rest.get(..end.unwrap_or(rest.len()))?.parse().ok()
}

/// Reads how much was used.
pub(super) fn used(text: &str) -> Option<Figures> {
    let planned = after(text, "method_allocator_planned:")?;
    let parts = [
        (message!("planned memories"), planned),
        (
            message!("what loading allocates"),
            after(text, "method_allocator_loaded:")?,
        ),
        (message!("inputs"), after(text, "method_allocator_input:")?),
        (
            message!("allocated by the run"),
            after(text, "method_allocator_executor:").unwrap_or(0),
        ),
    ];
    let mut sum = 0_u64;
    for (_, bytes) in &parts {
        sum = sum.checked_add(*bytes)?;
    }
    let method = after(text, "method_allocator_used:").unwrap_or(sum);
    // What one log calls used another calls the peak.
    let temporary = after(text, "temp_allocator_used:");
    let temporary = temporary.or_else(|| after(text, "peak_temp_allocator:"));
    let total = method.checked_add(temporary.unwrap_or(0))?;
    let mut figures = vec![
        Figure::whole(message!("all that the method needs"), total),
        Figure::part(message!("method allocator"), method),
    ];
    figures.extend(parts.map(|(what, bytes)| Figure {
        what,
        bytes: Bytes(bytes),
        depth: 2,
    }));
    if method > sum {
        figures.push(Figure {
            what: message!("the rest of the method allocator"),
            bytes: Bytes(method - sum),
            depth: 2,
        });
    }
    let mut says: Vec<Message> = vec![message!(
        "a better plan makes the planned memories smaller alone"
    )];
    match temporary {
        Some(bytes) => figures.push(Figure::part(message!("temporary memory of kernels"), bytes)),
        None => says.push(message!(
            "the runner does not tell the temporary memory of kernels"
        )),
    }
    Some(Figures {
        of: message!("what ExecuTorch's runner counted"),
        figures,
        says,
        record: record(),
    })
}

/// Reads the last allocation that failed.
pub(super) fn failed(text: &str) -> Option<Figures> {
    let (before, rest) = text.rsplit_once("B requested (adjusted for alignment), ")?;
    let asked: u64 = before.rsplit(' ').next()?.parse().ok()?;
    let available: u64 = rest.split_once("B available")?.0.parse().ok()?;
    let missing = asked.saturating_sub(available);
    Some(Figures {
        of: message!("ExecuTorch's message that an allocator is too small"),
        figures: vec![
            Figure::whole(message!("asked for"), asked),
            Figure::whole(message!("still free"), available),
            Figure::whole(message!("missing"), missing),
        ],
        says: vec![
            message!("make its pool at least {} bytes larger", missing),
            message!("later steps may ask for more"),
        ],
        record: record(),
    })
}
