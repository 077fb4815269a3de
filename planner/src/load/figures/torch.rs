//! What `PyTorch` says of memory in words: the message of an `OutOfMemoryError`, and the table
//! of `torch.cuda.memory_summary()`.
//!
//! The message counts in units of 1024 and rounds to two decimals (`c10::CUDACachingAllocator`,
//! `format_size`); the table cuts to whole units and writes KB or KiB for the same
//! (`torch/cuda/memory.py`, `_format_size`).

use super::{Figure, Figures, amount, units};
use crate::units::Bytes;
use crate::{Message, message};

/// What is in a message.
pub(super) const OUT_OF_MEMORY: &[u8] = b"ut of memory. Tried";
/// What is in a table.
pub(super) const SUMMARY: &[u8] = b" memory summary, device ID ";

/// How a snapshot is recorded and saved.
const RECORD: [&str; 3] = [
    "torch.cuda.memory._record_memory_history(max_entries=100000)",
    "try: train_step()",
    "finally: torch.cuda.memory._dump_snapshot(\"snapshot.pickle\")",
];

pub(super) fn record() -> Vec<String> {
    RECORD.map(str::to_owned).to_vec()
}

/// What PyTorch calls the things of one kind of device.
struct Backend {
    /// The word that messages have.
    word: &'static str,
    /// The module with its functions.
    module: &'static str,
    /// The variable with the settings of its allocator.
    settings: &'static str,
    /// What lies on the device beside PyTorch.
    beside: fn() -> Message,
}

const CUDA: Backend = Backend {
    word: "CUDA",
    module: "torch.cuda",
    settings: "PYTORCH_ALLOC_CONF",
    beside: || message!("everything else (CUDA itself, other programs)"),
};

/// PyTorch calls HIP's by the names of CUDA; XPU's are in `torch/xpu/memory.py`, those of NPU in
/// public texts on torch_npu.
const BACKENDS: [Backend; 4] = [
    CUDA,
    Backend {
        word: "HIP",
        beside: OTHER.beside,
        ..CUDA
    },
    Backend {
        word: "XPU",
        module: "torch.xpu",
        settings: CUDA.settings,
        ..OTHER
    },
    Backend {
        word: "NPU",
        module: "torch_npu.npu",
        settings: "PYTORCH_NPU_ALLOC_CONF",
        ..OTHER
    },
];

/// A device of which we know no names: none is said.
const OTHER: Backend = Backend {
    word: "",
    module: "",
    settings: "",
    beside: || message!("everything else (the driver, other programs)"),
};

/// The backend that is named at the end of `before`; CUDA where a text that was cut names none.
fn backend(before: &str) -> &'static Backend {
    let name = before.trim_end_matches(|sign: char| "oO*`".contains(sign) || sign.is_whitespace());
    let begin = name.rfind(|sign: char| !sign.is_ascii_alphanumeric());
    let name = name.get(begin.map_or(0, |at| at + 1)..).unwrap_or_default();
    let known = BACKENDS.iter().find(|it| it.word == name);
    // "MUSA", "MLU": a word in capitals is a device.
    let is_device = name.len() > 1 && name.bytes().all(|it| it.is_ascii_uppercase());
    known.unwrap_or(if is_device { &OTHER } else { &CUDA })
}

impl Backend {
    /// How a snapshot is recorded and saved; nothing where no module is known.
    fn record(&self) -> Vec<String> {
        match self.module {
            "" => Vec::new(),
            module => RECORD.map(|it| it.replace("torch.cuda", module)).to_vec(),
        }
    }

    /// What the table is.
    fn table(&self) -> Message {
        match self.module {
            "" => message!("the table of PyTorch's memory_summary()"),
            module => message!("the table of {}.memory_summary()", module),
        }
    }
}

/// How a snapshot is recorded on the device that the last message or table of `text` is of.
pub(super) fn record_in(text: &str) -> Vec<String> {
    let (before, _) = text
        .rsplit_once("ut of memory. Tried")
        .or_else(|| text.rsplit_once(" memory summary, device ID "))
        .unwrap_or_default();
    backend(before).record()
}

/// The most words of a message.
const MOST_WORDS: usize = 400;

/// The last message of `text` from "Tried" on, and what stands before it. Its words are one space
/// apart, however a terminal or a mail has wrapped it, and none is bold.
fn message(text: &str) -> Option<(&str, String)> {
    let mut all = text.rmatch_indices("ut of memory.");
    let (before, rest) = all.find_map(|(at, words)| {
        let (before, rest) = text.split_at_checked(at)?;
        let rest = rest.strip_prefix(words)?;
        rest.trim_start()
            .starts_with("Tried")
            .then_some((before, rest))
    })?;
    let rest = rest.split_once("\n\n").map_or(rest, |(it, _)| it);
    let words: Vec<&str> = rest.split_whitespace().take(MOST_WORDS).collect();
    Some((before, words.join(" ").replace(['*', '`'], "")))
}

/// The amount that stands right before `words`.
fn before(text: &str, words: &str) -> Option<u64> {
    let (text, _) = text.split_once(words)?;
    let mut last = text.split_whitespace().rev();
    let (unit, number) = (last.next()?, last.next()?);
    amount(number.trim_start_matches('('), unit)
}

/// The amount that stands right after `words`.
fn after(text: &str, words: &str) -> Option<u64> {
    let (_, text) = text.split_once(words)?;
    let mut next = text.split_whitespace();
    let (number, unit) = (next.next()?, next.next()?);
    amount(
        number,
        unit.trim_matches(|sign: char| !sign.is_ascii_alphabetic()),
    )
}

/// Reads that more was asked for than any device has: the size itself is wrong.
pub(super) fn beyond_any_device(text: &str) -> Option<Figures> {
    let (_, message) = message(text)?;
    let (_, asked) = message.split_once("Tried to allocate ")?;
    // "more than 1EB", or an amount of more than 64 bits.
    let beyond = asked.starts_with("more") || {
        let mut words = asked.split_whitespace();
        let (number, unit) = (words.next()?, words.next()?);
        let unit = unit.trim_end_matches('.');
        // Of what reads as an amount the other readers tell.
        let known = amount("1", unit).is_some() && amount(number, unit).is_none();
        known && number.parse::<f64>().is_ok()
    };
    beyond.then(|| Figures {
        of: message!("PyTorch's message that a device is out of memory"),
        figures: Vec::new(),
        says: vec![message!(
            "the size that was asked for is beyond any device: a negative or uninitialised size \
             in the program, which no setting of the allocator mends"
        )],
        record: Vec::new(),
    })
}

/// Reads the last message of `text`, of any form: since 2.1 the message says what is reserved but
/// not allocated, before that what is reserved, before 1.4 what is cached, which is the former
/// (`CUDACachingAllocator.cpp`); older ones of XPU do not say what is free (`XPUCachingAllocator.cpp`).
pub(super) fn out_of_memory(text: &str) -> Option<Figures> {
    let (head, message) = message(text)?;
    let (backend, message) = (backend(head), message.as_str());
    let asked = after(message, "Tried to allocate ")?;
    let old = before(message, " total capacity");
    // As 2.0 and 2.1 spell it.
    let misspelt = || after(message, "total capacty of ");
    let capacity = old
        .or_else(|| after(message, "total capacity of "))
        .or_else(misspelt)?;
    let free = before(message, " is free").or_else(|| before(message, " free"));
    let allocated = before(message, " is allocated by PyTorch");
    let allocated = allocated.or_else(|| before(message, " already allocated"))?;
    let reserved = before(message, " reserved in total by PyTorch");
    let kept = before(message, " is reserved by PyTorch but unallocated")
        .or_else(|| before(message, " cached"));
    if kept.is_none() && reserved.is_none() {
        return None;
    }
    let said = [reserved, kept];
    let kept = kept.or_else(|| reserved?.checked_sub(allocated));
    let known = kept.and_then(|it| allocated.checked_add(it)?.checked_add(free.unwrap_or(0)));
    let split = known.filter(|known| *known <= capacity.saturating_add(ROUNDED));
    let (Some(kept), Some(known)) = (kept, split) else {
        let known = (asked, capacity, allocated, free);
        return Some(unsplit(known, said, backend.record()));
    };
    let other = capacity.saturating_sub(known);
    let mut figures = vec![
        Figure::whole(message!("asked for"), asked),
        Figure::whole(message!("the device"), capacity),
        Figure::part(message!("allocated by PyTorch"), allocated),
        Figure::part(message!("reserved by PyTorch but not allocated"), kept),
    ];
    let most = before(message, " allowed;");
    let mut says: Vec<Message> = Vec::new();
    if let Some(pools) = before(message, " allocated in private pools") {
        let pools = units(Bytes(pools));
        says.push(match backend.module == CUDA.module {
            true => message!(
                "{} of what is allocated lie in private pools (CUDA graphs)",
                pools
            ),
            false => message!("{} of what is allocated lie in private pools", pools),
        });
    }
    match free {
        Some(free) => {
            figures.push(Figure::part((backend.beside)(), other));
            figures.push(Figure::part(message!("still free"), free));
            let left = most.map(|most| most.saturating_sub(allocated));
            says.extend(fits(asked, free, kept, left, backend));
        }
        None => {
            figures.push(Figure::part(message!("free, or of other programs"), other));
            says.push(may_fit(asked, other, kept));
        }
    }
    figures.extend(most.map(|most| Figure::whole(message!("allowed at most"), most)));
    says.push(message!("each figure is as rounded as the message"));
    Some(Figures {
        of: message!("PyTorch's message that a device is out of memory"),
        figures,
        says,
        record: backend.record(),
    })
}

/// Reads both where a message and a table are pasted together, as people are asked for them.
pub(super) fn both(text: &str) -> Option<Figures> {
    let (mut message, table) = (out_of_memory(text)?, summary(text)?);
    message.of = message!(
        "PyTorch's message that a device is out of memory, and {}",
        table.of
    );
    message.figures.extend(table.figures);
    message.says.extend(table.says);
    Some(message)
}

/// How much the sum of four figures may be too large by, each of which is rounded to a hundredth
/// of a GiB at most.
const ROUNDED: u64 = (1 << 30) / 50;

/// Figures of a message that make more than the device, beside each other.
fn unsplit(
    (asked, capacity, allocated, free): (u64, u64, u64, Option<u64>),
    [reserved, kept]: [Option<u64>; 2],
    record: Vec<String>,
) -> Figures {
    let mut figures = vec![
        Figure::whole(message!("asked for"), asked),
        Figure::whole(message!("the device"), capacity),
        Figure::whole(message!("allocated by PyTorch"), allocated),
    ];
    let others = [
        (message!("reserved by PyTorch in all"), reserved),
        (message!("reserved by PyTorch but not allocated"), kept),
        (message!("still free"), free),
    ];
    let others = others.into_iter();
    figures.extend(others.filter_map(|(what, bytes)| Some(Figure::whole(what, bytes?))));
    Figures {
        of: message!("PyTorch's message that a device is out of memory"),
        figures,
        says: vec![message!(
            "these figures are no parts of the device: the message contradicts itself, or the \
             driver lent memory of the host"
        )],
        record,
    }
}

/// Whether the request may fit where the message does not say how much of the rest is free.
fn may_fit(asked: u64, other: u64, kept: u64) -> Message {
    match asked.checked_sub(other.saturating_add(kept)) {
        Some(missing) if missing > 0 => message!(
            "even if all of the rest were free, {} are missing: less must be held",
            units(Bytes(missing))
        ),
        _ => message!("it does not say how much is free"),
    }
}

/// Why the request did not fit, and whether it would without gaps, where the program may allocate no
/// more than `left`, of which PyTorch keeps `kept` already.
fn fits(asked: u64, free: u64, kept: u64, left: Option<u64>, backend: &Backend) -> Vec<Message> {
    // What is kept counts for the limit, too.
    let limited = left.is_some_and(|left| left.saturating_sub(kept) < asked);
    let mut says: Vec<Message> = Vec::new();
    if free >= asked {
        says.push(match (limited, backend.module) {
            (true, "") => message!("the device had room: a limit of the program's own forbade it"),
            (true, module) => message!(
                "the device had room: a limit of the program's own forbade it \
                 ({}.set_per_process_memory_fraction)",
                module
            ),
            // PyTorch names a limit wherever one is set.
            (false, _) => {
                message!("the device had room: the message names no limit that explains it")
            }
        });
    }
    let unbroken = free.saturating_add(kept);
    let unbroken = left.map_or(unbroken, |left| left.min(unbroken));
    match left.filter(|left| *left < asked) {
        Some(left) => says.push(message!(
            "of what the program may take {} are left, {} too little: no setting of the allocator \
             helps, less must be held",
            units(Bytes(left)),
            units(Bytes(asked - left))
        )),
        None if free >= asked && !limited => {}
        None if unbroken >= asked => {
            let enough = units(Bytes(unbroken));
            says.push(match backend.settings {
                "" => message!(
                    "{} are free or kept by PyTorch, enough for the request if they lay in one \
                     piece",
                    enough
                ),
                settings => message!(
                    "{} are free or kept by PyTorch, enough for the request if they lay in one \
                     piece: try {}=expandable_segments:True",
                    enough,
                    settings
                ),
            });
        }
        None => says.push(message!(
            "even in one piece, what is free or kept by PyTorch is {} too little: less must be \
             held",
            units(Bytes(asked - unbroken))
        )),
    }
    says
}

/// Reads the table: the peak and the present of every line that counts bytes.
pub(super) fn summary(text: &str) -> Option<Figures> {
    let (head, table) = text.rsplit_once(" memory summary, device ID ")?;
    let mut rows = Vec::new();
    for line in table.lines() {
        // From the end: a log may have put something before the line.
        let cells: Vec<&str> = line.trim().trim_end_matches('|').rsplit('|').collect();
        let [_, _, peak, now, metric, ..] = cells[..] else {
            continue;
        };
        let bytes = |cell: &str| {
            let (number, unit) = cell.trim().split_once(char::is_whitespace)?;
            amount(number, unit.trim())
        };
        if let (Some(now), Some(peak)) = (bytes(now), bytes(peak)) {
            let depth = u8::from(metric.trim().starts_with("from "));
            rows.push((metric.trim(), depth, now, peak));
        }
    }
    let of = |name: &str| rows.iter().find(|row| row.0.ends_with(name));
    let (reserved, allocated) = (of("reserved memory")?, of("Allocated memory")?);
    let mut says = vec![message!(
        "reserved now: {}; of that not allocated: {}",
        units(Bytes(reserved.2)),
        units(Bytes(reserved.2.saturating_sub(allocated.2)))
    )];
    says.push(message!(
        "at most {} were allocated and {} reserved",
        units(Bytes(allocated.3)),
        units(Bytes(reserved.3))
    ));
    if let Some((metric, _, now, peak)) = rows.iter().find(|row| row.2 > row.3) {
        says.push(message!(
            "the figures contradict each other: {} is {} now and was {} at most",
            metric,
            units(Bytes(*now)),
            units(Bytes(*peak))
        ));
    }
    if let Some(kept) = of("Non-releasable memory") {
        says.push(message!(
            "{} of them lie in segments that also hold blocks, so that empty_cache() cannot give \
             them back",
            units(Bytes(kept.2))
        ));
    }
    let count = |words: &str| {
        let (_, rest) = table.split_once(words)?;
        rest.split_whitespace().next()?.parse::<u64>().ok()
    };
    if let (Some(failed), Some(again)) = (count(" OOMs: "), count(" retries: ")) {
        says.push(message!(
            "requests that failed: {}; that were made again after the cache was emptied: {}",
            failed,
            again
        ));
    }
    says.push(message!(
        "the peaks may be of different moments, and each figure is cut to its unit"
    ));
    let figures = rows.iter().flat_map(|&(metric, depth, now, peak)| {
        let (at_peak, at_end) = (message!("{}, peak:", metric), message!("{}, now:", metric));
        [(at_peak, peak), (at_end, now)].map(|(what, bytes)| Figure {
            depth,
            ..Figure::whole(what, bytes)
        })
    });
    Some(Figures {
        of: backend(head).table(),
        figures: figures.collect(),
        says,
        record: backend(head).record(),
    })
}
