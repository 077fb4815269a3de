//! What TFLite Micro says of its arena in words: what `RecordingMicroAllocator` prints, and what
//! it prints where the arena is too small for `AllocateTensors`.
//!
//! Sources: `recording_micro_allocator.cc`, `single_arena_buffer_allocator.cc` (before 2022
//! `simple_memory_allocator.cc`) and `micro_allocator.cc` of TFLite Micro.

use super::{Figure, Figures};
use crate::units::Bytes;

/// What is in the list of a recording allocator.
pub(super) const RECORDED: &[u8] = b"[RecordingMicroAllocator] ";

/// Bytes of the struct that each tensor has where pointers have 8 bytes (`TfLiteEvalTensor`).
const WIDE: u64 = 24;

/// The number that follows `words` in `text`.
fn after(text: &str, words: &str) -> Option<u64> {
    let (_, rest) = text.split_once(words)?;
    let end = rest.find(|sign: char| !sign.is_ascii_digit());
    rest.get(..end.unwrap_or(rest.len()))?.parse().ok()
}

/// Reads the last list of `text`.
pub(super) fn recorded(text: &str) -> Option<Figures> {
    let list = text.get(text.rfind("Arena allocation total ")?..)?;
    let total = after(list, "Arena allocation total ")?;
    let head = after(list, "Arena allocation head ")?;
    let tail = after(list, "Arena allocation tail ")?;
    let mut figures = vec![
        Figure::whole("the arena", total),
        Figure::part("head (tensors and working memory of kernels)", head),
        Figure::part("tail (kept beside every plan)", tail),
    ];
    let (mut told, mut wide) = (0_u64, false);
    let lines = list
        .lines()
        .filter(|it| it.contains("bytes with alignment"));
    for line in lines {
        let (_, rest) = line.split_once('\'')?;
        let (kind, rest) = rest.split_once("' used ")?;
        let used = after(&format!(" {rest}"), " ")?;
        let count = after(rest, " bytes for ")?;
        wide |= kind.starts_with("TfLiteEvalTensor") && used == count.saturating_mul(WIDE);
        told = told.checked_add(used)?;
        figures.push(Figure {
            what: meaning(kind),
            bytes: Bytes(used),
            depth: 2,
        });
    }
    figures.push(Figure {
        what: "allocator and parameters of operators".into(),
        bytes: Bytes(tail.checked_sub(told)?),
        depth: 2,
    });
    let mut says = vec!["a better plan makes the head smaller and not the tail".to_owned()];
    if wide {
        says.push("with 8-byte pointers: less tail with 4".into());
    }
    Some(Figures {
        of: "what TFLite Micro's recording allocator counted".into(),
        figures,
        says,
        record: vec![
            "arenascope plan model.tflite --io tflm".into(),
            "-DTF_LITE_SHOW_MEMORY_USE".into(),
        ],
    })
}

/// What the bytes of a kind are for.
fn meaning(kind: &str) -> String {
    match kind {
        "TfLiteEvalTensor data" => "a struct for each tensor",
        "Persistent TfLiteTensor data" => "a second struct for each input and output",
        "Persistent TfLiteTensor quantization data" => "quantisation of inputs and outputs",
        "Persistent buffer data" => "what kernels keep",
        "TfLiteTensor variable buffer data" => "variables",
        "NodeAndRegistration struct" => "a struct for each operator",
        "Operator runtime data" => "what operators keep",
        other => other,
    }
    .to_owned()
}

/// What failed, the words before the bytes that were asked for, and those before what was left.
const FAILURES: [(&str, &str, &str); 6] = [
    (
        "the plan of all tensors",
        "Arena size is too small for all buffers. Needed ",
        "but only ",
    ),
    (
        "the head",
        "Failed to resize buffer. Requested: ",
        "available ",
    ),
    (
        "the tail",
        "Failed to allocate tail memory. Requested: ",
        "available ",
    ),
    (
        "memory that is given back",
        "Failed to allocate temp memory. Requested: ",
        "available ",
    ),
    (
        "one allocation",
        "Failed to allocate memory. Requested: ",
        "available ",
    ),
    (
        "the planner's own tables",
        "Failed to allocate memory for memory planning, ",
        "available ",
    ),
];

/// Reads the last failure of `text`.
pub(super) fn too_small(text: &str) -> Option<Figures> {
    text.lines().rev().find_map(|line| {
        let mut kinds = FAILURES.iter();
        kinds.find_map(|&(what, asked, left)| {
            Some(said(what, after(line, asked)?, after(line, left)))
        })
    })
}

/// The figures of a failure, and what to do.
fn said(what: &str, asked: u64, available: Option<u64>) -> Figures {
    let mut figures = vec![Figure::whole("asked for", asked)];
    let mut says = vec![format!("the request was for {what}")];
    if let Some(available) = available {
        let missing = asked.saturating_sub(available);
        figures.push(Figure::whole("still free", available));
        figures.push(Figure::whole("missing", missing));
        says.push(format!("make the arena at least {missing} bytes larger"));
        says.push("later steps may ask for more".into());
    }
    says.push("arena_used_bytes() says what an arena that is large enough needs".into());
    Figures {
        of: "TFLite Micro's message that the arena is too small".into(),
        figures,
        says,
        record: vec![
            "arenascope plan model.tflite --io tflm".into(),
            "tflite::RecordingMicroAllocator::Create(arena, size)->PrintAllocations()".into(),
        ],
    }
}
