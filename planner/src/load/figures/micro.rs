//! What TFLite Micro says of its arena in words: what `RecordingMicroAllocator` prints, and what
//! it prints where the arena is too small for `AllocateTensors`.
//!
//! Sources: `recording_micro_allocator.cc`, `single_arena_buffer_allocator.cc` (before 2022
//! `simple_memory_allocator.cc`) and `micro_allocator.cc` of TFLite Micro.

use super::{Figure, Figures};
use crate::units::Bytes;
use crate::{Message, message};

/// What is in the list of a recording allocator.
pub(super) const RECORDED: &[u8] = b"[RecordingMicroAllocator] ";

/// Bytes of the struct that each tensor has where pointers have 8 bytes (`TfLiteEvalTensor`).
const WIDE: u64 = 24;

/// What has all lifetimes, and what counts what no plan has.
pub(super) fn record() -> Vec<String> {
    vec![
        "arenascope plan model.tflite --io tflm".into(),
        "tflite::RecordingMicroAllocator::Create(arena, size)->PrintAllocations()".into(),
    ]
}

/// What has all lifetimes, and what tells how large each part of the arena is.
fn recorder() -> Vec<String> {
    vec![
        "arenascope plan model.tflite --io tflm".into(),
        "-DTF_LITE_SHOW_MEMORY_USE".into(),
    ]
}

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
    if head.checked_add(tail) != Some(total) {
        return Some(Figures {
            of: "what TFLite Micro's recording allocator counted".into(),
            figures: vec![
                Figure::whole("the arena", total),
                Figure::whole("head (tensors and working memory of kernels)", head),
                Figure::whole("tail (kept beside every plan)", tail),
            ],
            says: vec!["head and tail do not make the arena: the text contradicts itself".into()],
            record: recorder(),
        });
    }
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
    let mut says: Vec<Message> =
        vec!["a better plan makes the head smaller and not the tail".into()];
    if wide {
        says.push("with 8-byte pointers: less tail with 4".into());
    }
    Some(Figures {
        of: "what TFLite Micro's recording allocator counted".into(),
        figures,
        says,
        record: recorder(),
    })
}

/// What the bytes of a kind are for.
fn meaning(kind: &str) -> Message {
    let words = match kind {
        "TfLiteEvalTensor data" => "a struct for each tensor",
        "Persistent TfLiteTensor data" => "a second struct for each input and output",
        "Persistent TfLiteTensor quantization data" => "quantisation of inputs and outputs",
        "Persistent buffer data" => "what kernels keep",
        "TfLiteTensor variable buffer data" => "variables",
        "NodeAndRegistration struct" => "a struct for each operator",
        "Operator runtime data" => "what operators keep",
        other => return Message::verbatim(other),
    };
    words.into()
}

/// The most failures of one text that are told.
const MOST_FAILURES: usize = 8;

/// What failed, the words before the bytes that were asked for, and those before what was left.
const FAILURES: [(&str, &str, &str); 7] = [
    (
        "the plan of all tensors",
        "Arena size is too small for activation buffers. Needed ",
        "but only ",
    ),
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

/// A request that failed: for what, how many bytes, and how many there were.
type Failed = (&'static str, u64, Option<u64>);

/// Reads the failures of `text`, in their order; what is there twice counts once.
pub(super) fn too_small(text: &str) -> Option<Figures> {
    let mut all: Vec<Failed> = Vec::new();
    for line in text.lines() {
        let found = FAILURES
            .iter()
            .find_map(|&(what, asked, left)| Some((what, after(line, asked)?, after(line, left))));
        all.extend(found.filter(|it| !all.contains(it) && all.len() < MOST_FAILURES));
    }
    if all.is_empty() {
        return None;
    }
    Some(said(&all))
}

/// The figures of failures, and what to do.
fn said(all: &[Failed]) -> Figures {
    let (mut figures, mut says) = (Vec::new(), Vec::<Message>::new());
    let mut most = None;
    if all.len() > 1 {
        says.push("these requests failed, in this order".into());
    }
    for &(what, asked, available) in all {
        // Of several each is a whole, of which one part was there and one is missing.
        let (named, of_it): (_, fn(&'static str, u64) -> Figure) = match all {
            [_] => ("asked for", |what, bytes| Figure::whole(what, bytes)),
            _ => (what, |what, bytes| Figure::part(what, bytes)),
        };
        figures.push(Figure::whole(named, asked));
        if all.len() == 1 {
            says.push(message!("the request was for {}", Message::from(what)));
        }
        if let Some(available) = available {
            let missing = asked.saturating_sub(available);
            figures.push(of_it("still free", available));
            figures.push(of_it("missing", missing));
            most = most.max(Some(missing));
        }
    }
    if let Some(missing) = most {
        says.push(message!("make the arena at least {} bytes larger", missing));
        says.push("later steps may ask for more".into());
    }
    says.push("arena_used_bytes() says what an arena that is large enough needs".into());
    Figures {
        of: "TFLite Micro's message that the arena is too small".into(),
        figures,
        says,
        record: record(),
    }
}
