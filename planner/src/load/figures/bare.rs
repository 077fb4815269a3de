//! What runtimes say where there is no memory and no dump of theirs has all lifetimes, or another
//! allocator has to make it.
//!
//! Sources: `CUDAMallocAsyncAllocator.cpp` of PyTorch, `bfc_allocator.cc` of TensorFlow,
//! `ggml-cuda.cu` of ggml, and what XLA says of TPUs.

use super::runtimes::{XLA_DUMP, behind, bytes, of_tensorflow, typed};
use super::{Figure, Figures, amount, torch};
use crate::message;

/// What is in such messages.
pub(super) const WORDS: [&[u8]; 7] = [
    b"That was not possible. There are ",
    b" would exceed allowed memory.",
    b"ran out of memory trying to allocate ",
    b"cudaMalloc failed: out of memory",
    b"CUDA failure 2: out of memory",
    b"cuda runtime error (2) : out of memory",
    b"Failed to allocate request for ",
];

/// What was asked for, what is free and what is missing.
fn missing(asked: u64, free: u64) -> Vec<Figure> {
    vec![
        Figure::whole(message!("asked for"), asked),
        Figure::whole(message!("still free"), free),
        Figure::whole(message!("missing"), asked.saturating_sub(free)),
    ]
}

/// Reads that a kernel of a TPU needs more of its fast memory than it may take.
pub(super) fn scoped(text: &str) -> Option<Figures> {
    let message = behind(text, "Scoped allocation with size ")?;
    let asked = bytes(message)?;
    let most = bytes(message.split_once(" and limit ")?.1)?;
    Some(Figures {
        of: message!("XLA's message that a kernel of a TPU is out of scoped memory"),
        figures: vec![
            Figure::whole(message!("asked for"), asked),
            Figure::whole(message!("allowed at most"), most),
            Figure::whole(message!("missing"), asked.saturating_sub(most)),
        ],
        says: vec![message!(
            "it is scratch of one kernel, which no plan of the program makes smaller"
        )],
        record: typed([XLA_DUMP]),
    })
}

/// Reads that a TPU has no memory for a buffer.
pub(super) fn tpu(text: &str) -> Option<Figures> {
    let message = behind(text, "Attempting to allocate ")?;
    let free = bytes(message.split_once("There are ")?.1)?;
    Some(Figures {
        of: message!("XLA's message that there is no memory, without its list of buffers"),
        figures: missing(bytes(message)?, free),
        says: vec![message!("it does not say which buffers there are")],
        record: typed([
            XLA_DUMP,
            "jax.profiler.save_device_memory_profile(\"memory.prof\")",
        ]),
    })
}

/// Reads that a TPU has no memory in one piece for a program, and what it would have after
/// compaction.
pub(super) fn reserved(text: &str) -> Option<Figures> {
    let message = behind(text, "Attempting to reserve ")?;
    let (asked, free) = (bytes(message)?, bytes(message.split_once("There are ")?.1)?);
    let mut figures = missing(asked, free);
    // "the maximum reservable bytes would be 10.00G".
    let most = message.split_once("maximum");
    let most = most.and_then(|it| bytes(it.1.trim_start_matches(|it: char| !it.is_ascii_digit())));
    figures.extend(most.map(|most| Figure::whole(message!("free after compaction"), most)));
    let says = match most.is_some_and(|most| most >= asked) {
        true => message!("enough is free, but not in one piece (fragmentation)"),
        false => message!("it does not say which buffers there are"),
    };
    Some(Figures {
        of: message!("XLA's message that there is no memory, without its list of buffers"),
        figures,
        says: vec![says],
        record: typed([
            XLA_DUMP,
            "jax.profiler.save_device_memory_profile(\"memory.prof\")",
        ]),
    })
}

/// Reads the message of PyTorch where CUDA's own allocator serves it.
pub(super) fn cuda_async(text: &str) -> Option<Figures> {
    let message = behind(text, " would exceed allowed memory.")?;
    let of = |words: &str| {
        let (_, rest) = message.split_once(words)?;
        bytes(rest.split_once(':')?.1)
    };
    let (held, asked) = (of("Currently allocated")?, of("Requested")?);
    let (device, free) = (of("Device limit")?, of("Free (according to CUDA)")?);
    let other = device.checked_sub(held.checked_add(free)?)?;
    Some(Figures {
        of: message!("PyTorch's message that a device is out of memory"),
        figures: vec![
            Figure::whole(message!("asked for"), asked),
            Figure::whole(message!("the device"), device),
            Figure::part(message!("allocated by PyTorch"), held),
            Figure::part(message!("everything else"), other),
            Figure::part(message!("still free"), free),
        ],
        says: vec![
            message!(
                "cudaMallocAsync keeps no history: record without \
                 PYTORCH_ALLOC_CONF=backend:cudaMallocAsync"
            ),
            message!("each figure is as rounded as the message"),
        ],
        record: torch::record(),
    })
}

/// Reads what TensorFlow's allocator logs, and the sums that it logs behind it.
pub(super) fn best_fit(text: &str) -> Option<Figures> {
    let message = behind(text, "ran out of memory trying to allocate ")?;
    let line = message.lines().next()?;
    let exact = line.split_once("(rounded to ").and_then(|it| bytes(it.1));
    let asked = exact.or_else(|| bytes(line))?;
    let sum = |words: &str| bytes(message.split_once(words)?.1);
    Some(of_tensorflow(Some(asked), Vec::new(), sum))
}

/// Reads that CUDA refused a buffer of ggml, as llama.cpp prints it.
pub(super) fn ggml(text: &str) -> Option<Figures> {
    let (before, _) = text.rsplit_once("cudaMalloc failed: out of memory")?;
    let mut words = behind(before, "allocating ")?.split_whitespace();
    let asked = amount(words.next()?, words.next()?)?;
    Some(Figures {
        of: message!("ggml's message that a device is out of memory"),
        figures: vec![Figure::whole(message!("asked for"), asked)],
        says: vec![
            message!("it does not say what is in use"),
            message!(
                "ggml plans by itself and writes no plan: fewer layers on the device (-ngl) and a \
                 shorter context (-c) need less"
            ),
        ],
        record: Vec::new(),
    })
}
