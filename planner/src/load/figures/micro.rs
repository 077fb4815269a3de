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
            of: message!("what TFLite Micro's recording allocator counted"),
            figures: vec![
                Figure::whole(message!("the arena"), total),
                Figure::whole(
                    message!("head (tensors and working memory of kernels)"),
                    head,
                ),
                Figure::whole(message!("tail (kept beside every plan)"), tail),
            ],
            says: vec![message!(
                "head and tail do not make the arena: the text contradicts itself"
            )],
            record: recorder(),
        });
    }
    let mut figures = vec![
        Figure::whole(message!("the arena"), total),
        Figure::part(
            message!("head (tensors and working memory of kernels)"),
            head,
        ),
        Figure::part(message!("tail (kept beside every plan)"), tail),
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
        what: message!("allocator and parameters of operators"),
        bytes: Bytes(tail.checked_sub(told)?),
        depth: 2,
    });
    let mut says: Vec<Message> = vec![message!(
        "a better plan makes the head smaller and not the tail"
    )];
    if wide {
        says.push(message!("with 8-byte pointers: less tail with 4"));
    }
    Some(Figures {
        of: message!("what TFLite Micro's recording allocator counted"),
        figures,
        says,
        record: recorder(),
    })
}

/// What the bytes of a kind are for.
fn meaning(kind: &str) -> Message {
    match kind {
        "TfLiteEvalTensor data" => message!("a struct for each tensor"),
        "Persistent TfLiteTensor data" => message!("a second struct for each input and output"),
        "Persistent TfLiteTensor quantization data" => {
            message!("quantisation of inputs and outputs")
        }
        "Persistent buffer data" => message!("what kernels keep"),
        "TfLiteTensor variable buffer data" => message!("variables"),
        "NodeAndRegistration struct" => message!("a struct for each operator"),
        "Operator runtime data" => message!("what operators keep"),
        other => Message::verbatim(other),
    }
}

/// The most failures of one text that are told.
const MOST_FAILURES: usize = 8;

type Failure = (fn() -> Message, &'static str, &'static str);

/// What failed, the words before the bytes that were asked for, and those before what was left.
const FAILURES: [Failure; 7] = [
    (
        || message!("the plan of all tensors"),
        "Arena size is too small for activation buffers. Needed ",
        "but only ",
    ),
    (
        || message!("the plan of all tensors"),
        "Arena size is too small for all buffers. Needed ",
        "but only ",
    ),
    (
        || message!("the head"),
        "Failed to resize buffer. Requested: ",
        "available ",
    ),
    (
        || message!("the tail"),
        "Failed to allocate tail memory. Requested: ",
        "available ",
    ),
    (
        || message!("memory that is given back"),
        "Failed to allocate temp memory. Requested: ",
        "available ",
    ),
    (
        || message!("one allocation"),
        "Failed to allocate memory. Requested: ",
        "available ",
    ),
    (
        || message!("the planner's own tables"),
        "Failed to allocate memory for memory planning, ",
        "available ",
    ),
];

/// A request that failed: for what, how many bytes, and how many there were.
type Failed = (Message, u64, Option<u64>);

/// Reads the failures of `text`, in their order; what is there twice counts once.
pub(super) fn too_small(text: &str) -> Option<Figures> {
    let mut all: Vec<Failed> = Vec::new();
    for line in text.lines() {
        let found = FAILURES.iter().find_map(|&(what, asked, left)| {
            Some((after(line, asked)?, what(), after(line, left)))
        });
        let found = found.map(|(asked, what, left)| (what, asked, left));
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
        says.push(message!("these requests failed, in this order"));
    }
    for (what, asked, available) in all {
        // Of several each is a whole, of which one part was there and one is missing.
        let (named, of_it): (_, fn(Message, u64) -> Figure) = match all {
            [_] => (message!("asked for"), Figure::whole),
            _ => (what.clone(), Figure::part),
        };
        figures.push(Figure::whole(named, *asked));
        if all.len() == 1 {
            says.push(message!("the request was for {}", what));
        }
        if let Some(available) = available {
            let missing = asked.saturating_sub(*available);
            figures.push(of_it(message!("still free"), *available));
            figures.push(of_it(message!("missing"), missing));
            most = most.max(Some(missing));
        }
    }
    if let Some(missing) = most {
        says.push(message!("make the arena at least {} bytes larger", missing));
        says.push(message!("later steps may ask for more"));
    }
    says.push(message!(
        "arena_used_bytes() says what an arena that is large enough needs"
    ));
    Figures {
        of: message!("TFLite Micro's message that the arena is too small"),
        figures,
        says,
        record: record(),
    }
}
