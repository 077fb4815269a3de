//! What other runtimes say where there is no memory: their messages name what was asked for, a
//! limit and what is in use, or nothing at all.
//!
//! Sources: `c10/core/impl/alloc_cpu.cpp` and `MPSAllocator.mm` of PyTorch,
//! `bfc_allocator.cc` of TensorFlow and `bfc_arena.cc` of ONNX Runtime, `buffer_assignment.cc` of
//! XLA, and what the drivers of CUDA and HIP call their errors.

use super::{Figure, Figures, amount, torch};
use crate::{Message, message};

/// What is in such messages.
pub(super) const WORDS: [&[u8]; 10] = [
    b"CUDA error: out of memory",
    b"HIP error: out of memory",
    b"MPS backend out of memory",
    b"memory: you tried to allocate ",
    b"OOM when allocating tensor with shape[",
    b"Failed to allocate memory for requested buffer of size ",
    b" is smaller than requested bytes of ",
    b"Out of memory while trying to allocate ",
    b"Out of memory allocating ",
    b"Ran out of memory in memory space ",
];

/// A step of training on the CPU with what it allocates, as PyTorch's profiler records it.
const PROFILE: [&str; 3] = [
    "with torch.profiler.profile(profile_memory=True, with_stack=True) as prof:",
    "    train_step()",
    "prof.export_chrome_trace(\"trace.json\")",
];

/// What XLA writes of a program when it compiles it.
pub(super) const XLA_DUMP: &str =
    "XLA_FLAGS=\"--xla_dump_to=dump --xla_dump_hlo_as_text\" python train.py";

pub(super) fn typed<const N: usize>(lines: [&str; N]) -> Vec<String> {
    lines.map(str::to_owned).to_vec()
}

/// What is recorded where a text without known figures comes from.
pub(super) fn record(text: &str) -> Vec<String> {
    let of = |words: &[&str]| words.iter().any(|words| text.contains(words));
    if of(&[
        "MPS backend out of memory",
        "memory: you tried to allocate ",
    ]) {
        typed(PROFILE)
    } else if of(&[
        " for requested buffer of size ",
        " is smaller than requested bytes of ",
    ]) {
        typed(["arenascope plan model.onnx"])
    } else if of(&[
        "CUDA error: out of memory",
        "HIP error: out of memory",
        " would exceed allowed memory.",
    ]) {
        torch::record()
    } else {
        typed([XLA_DUMP])
    }
}

/// What follows `words`, the last that the text has.
pub(super) fn behind<'t>(text: &'t str, words: &str) -> Option<&'t str> {
    Some(text.rsplit_once(words)?.1)
}

/// The bytes that a text begins with: `512`, `512 bytes`, `16.00GiB`, `1.10 GB`.
pub(super) fn bytes(text: &str) -> Option<u64> {
    let text = text.trim_start();
    let end = text.find(|it: char| !it.is_ascii_digit() && it != '.');
    let (number, rest) = text.split_at(end.unwrap_or(text.len()));
    let rest = rest.trim_start_matches(' ');
    let end = rest.find(|it: char| !it.is_ascii_alphabetic());
    let unit = rest.get(..end.unwrap_or(rest.len()))?;
    // A full stop ends the sentence, and another word is no unit.
    let number = number.trim_end_matches('.');
    amount(number, unit).or_else(|| amount(number, "B"))
}

/// Reads that CUDA or HIP itself has no memory.
pub(super) fn driver(text: &str) -> Option<Figures> {
    let of = |words: &str| text.contains(words);
    if of("CUDA failure 2: out of memory") {
        return Some(Figures {
            of: message!("ONNX Runtime's message that CUDA is out of memory"),
            figures: Vec::new(),
            says: vec![
                message!("it has no figures"),
                message!("the model itself has all that a plan needs"),
            ],
            record: typed(["arenascope plan model.onnx"]),
        });
    }
    let of = match (
        of("CUDA error: out of memory") || of("cuda runtime error (2) : out of memory"),
        of("HIP error: out of memory"),
    ) {
        (true, _) => message!("the message of CUDA that there is no memory"),
        (false, true) => message!("the message of HIP that there is no memory"),
        (false, false) => return None,
    };
    Some(Figures {
        of,
        figures: Vec::new(),
        says: vec![
            message!("it has no figures"),
            message!(
                "the driver refused, not PyTorch's allocator: other programs may hold the device, or \
                 its context and its libraries do not fit"
            ),
        ],
        record: torch::record(),
    })
}

/// Reads the last message of PyTorch on Apple's GPUs.
pub(super) fn mps(text: &str) -> Option<Figures> {
    let message = behind(text, "MPS backend out of memory (")?;
    let of = |words: &str| bytes(message.split_once(words)?.1);
    let (held, others) = (of("MPS allocated: ")?, of("other allocations: ")?);
    let most = of("max allowed: ")?;
    let asked = of("Tried to allocate ")?;
    let free = most.saturating_sub(held.saturating_add(others));
    let missing = asked.saturating_sub(free);
    Some(Figures {
        of: message!("PyTorch's message that MPS is out of memory"),
        figures: vec![
            Figure::whole(message!("asked for"), asked),
            Figure::whole(message!("allowed at most"), most),
            Figure::part(message!("allocated by PyTorch"), held),
            Figure::part(message!("everything else"), others),
            Figure::part(message!("still free"), free),
            Figure::whole(message!("missing"), missing),
        ],
        says: vec![
            message!("each figure is as rounded as the message"),
            message!("MPS keeps no history of its memory: record the step on the CPU"),
        ],
        record: typed(PROFILE),
    })
}

/// Reads the last message of PyTorch's allocator for the CPU.
pub(super) fn cpu(text: &str) -> Option<Figures> {
    let asked = bytes(behind(text, "memory: you tried to allocate ")?)?;
    Some(Figures {
        of: message!("PyTorch's message that the CPU is out of memory"),
        figures: vec![Figure::whole(message!("asked for"), asked)],
        says: vec![message!("it does not say what is in use")],
        record: typed(PROFILE),
    })
}

/// Bytes of an element of a type as TensorFlow calls it.
fn element(kind: &str) -> Option<u64> {
    Some(match kind {
        "complex128" => 16,
        "double" | "int64" | "uint64" | "complex64" => 8,
        "float" | "int32" | "uint32" | "qint32" => 4,
        "half" | "bfloat16" | "int16" | "uint16" | "qint16" | "quint16" => 2,
        "bool" | "int8" | "uint8" | "qint8" | "quint8" => 1,
        _ => return None,
    })
}

/// Reads the last message of TensorFlow, and the sums that its allocator logs before it.
pub(super) fn tensorflow(text: &str) -> Option<Figures> {
    let message = behind(text, "OOM when allocating tensor with shape[")?;
    let (shape, rest) = message.split_once(']')?;
    let kind = rest.split_once(" and type ").map_or("", |it| it.1);
    let kind = kind.split_whitespace().next().unwrap_or_default();
    let allocator = rest.split_once(" by allocator ").map_or("", |it| it.1);
    let allocator = allocator.split_whitespace().next().unwrap_or_default();
    let sizes = shape.split(',').filter(|it| !it.trim().is_empty());
    let asked = sizes.map(|it| it.trim().parse::<u64>().ok());
    let asked = asked
        .chain([element(kind)])
        .try_fold(1_u64, |all, it| all.checked_mul(it?));
    let says = vec![match kind.is_empty() || allocator.is_empty() {
        true => message!("a tensor of shape [{}] was asked for", shape),
        false => {
            message!(
                "a tensor of shape [{}] and type \"{}\" was asked of \"{}\"",
                shape,
                kind,
                allocator
            )
        }
    }];
    Some(of_tensorflow(asked, says, |words| {
        bytes(behind(text, words)?)
    }))
}

/// A message of TensorFlow: what was `asked` for, with the sums of its allocator where `sum` finds
/// them behind these words.
pub(super) fn of_tensorflow(
    asked: Option<u64>,
    mut says: Vec<Message>,
    sum: impl Fn(&str) -> Option<u64>,
) -> Figures {
    let asked = asked.map(|asked| Figure::whole(message!("asked for"), asked));
    let mut figures: Vec<Figure> = asked.into_iter().collect();
    match (sum("\nLimit: "), sum("\nInUse: ")) {
        (Some(limit), Some(used)) => {
            figures.push(Figure::whole(message!("the limit of the allocator"), limit));
            figures.push(Figure::part(message!("in use"), used));
            figures.push(Figure::part(
                message!("still free"),
                limit.saturating_sub(used),
            ));
        }
        _ => says.push(message!("it does not say what is in use")),
    }
    says.push(message!(
        "TensorFlow writes no plan where each operator runs alone"
    ));
    says.push(message!(
        "compile the step with tf.function(jit_compile=True)"
    ));
    Figures {
        of: message!("TensorFlow's message that an allocator is out of memory"),
        figures,
        says,
        record: typed([XLA_DUMP]),
    }
}

/// Reads the last message of ONNX Runtime's arena.
pub(super) fn onnxruntime(text: &str) -> Option<Figures> {
    let refused = behind(
        text,
        "Failed to allocate memory for requested buffer of size ",
    );
    let limited = text.rsplit_once(" is smaller than requested bytes of ");
    let (asked, free) = match (refused, limited) {
        (Some(rest), _) => (bytes(rest)?, None),
        (None, Some((before, rest))) => {
            (bytes(rest)?, bytes(behind(before, "Available memory of ")?))
        }
        (None, None) => return None,
    };
    let mut figures = vec![Figure::whole(message!("asked for"), asked)];
    if let Some(free) = free {
        figures.push(Figure::whole(message!("still free"), free));
        figures.push(Figure::whole(
            message!("missing"),
            asked.saturating_sub(free),
        ));
    }
    let mut says = Vec::new();
    let node = behind(text, "Non-zero status code returned while running ");
    if let Some((kind, rest)) = node.and_then(|it| it.split_once(" node. Name:'")) {
        let name = rest.split('\'').next().unwrap_or_default();
        says.push(message!(
            "the request was made while {} \"{}\" ran",
            kind,
            name
        ));
    }
    if free.is_none() {
        says.push(message!("it does not say what is in use"));
    }
    says.push(message!("the model itself has all that a plan needs"));
    Some(Figures {
        of: message!("ONNX Runtime's message that its arena is out of memory"),
        figures,
        says,
        record: typed(["arenascope plan model.onnx"]),
    })
}

/// Reads the last message of XLA that has no table of buffers.
pub(super) fn xla(text: &str) -> Option<Figures> {
    let space = behind(text, "Ran out of memory in memory space ");
    let asked = behind(text, "Out of memory while trying to allocate ")
        .or_else(|| behind(text, "Out of memory allocating "))
        .or_else(|| behind(text, "Failed to allocate request for "));
    let mut figures = Vec::new();
    if let Some(message) = space {
        let used = bytes(message.split_once("Used ")?.1)?;
        let most = bytes(message.split_once(" of ")?.1)?;
        figures.push(Figure::whole(message!("the program needs"), used));
        figures.push(Figure::whole(message!("the memory has"), most));
        figures.push(Figure::whole(
            message!("missing"),
            used.saturating_sub(most),
        ));
    } else {
        figures.push(Figure::whole(message!("asked for"), bytes(asked?)?));
    }
    let stats = behind(text, "BufferAssignment stats:").unwrap_or_default();
    let kinds = [
        (
            message!("parameters of the program"),
            "parameter allocation:",
        ),
        (message!("constants of the program"), "constant allocation:"),
        (
            message!("results of the program"),
            "maybe_live_out allocation:",
        ),
        (
            message!("temporary memory"),
            "preallocated temp allocation:",
        ),
    ];
    let of = |words: &str| bytes(stats.split_once(words)?.1);
    if let Some(all) = of("total allocation:") {
        figures.push(Figure::whole(message!("all of the program"), all));
        let parts = kinds.map(|(what, words)| Some(Figure::part(what, of(words)?)));
        figures.extend(parts.into_iter().flatten());
    }
    Some(Figures {
        of: message!("XLA's message that there is no memory, without its list of buffers"),
        figures,
        says: vec![message!("it does not say which buffers there are")],
        record: typed([
            XLA_DUMP,
            "jax.profiler.save_device_memory_profile(\"memory.prof\")",
        ]),
    })
}
