//! Texts that hold figures of memory and no lifetimes, such as a message that there was not
//! enough of it. Nothing can be planned from them: what they say, the split that it allows, and
//! what to record next are all that there is.

mod bare;
mod executorch;
mod micro;
mod runtimes;
mod stats;
mod torch;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::dump::line::holds;
use super::{Fault, LoadError, Part, Source, pasted, text};
use crate::number::{Number, Unit};
use crate::units::Bytes;
use crate::{Message, message};

/// The most bytes of such a text that are looked at: it may stand in the log of a long run.
const MAX_TEXT: u64 = 16 << 20;

/// What a text says of memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Figures {
    /// What the text is: "PyTorch's message that CUDA is out of memory".
    pub of: Message,
    /// Each figure; parts follow their whole, one deeper.
    pub figures: Vec<Figure>,
    /// What the figures mean together, a sentence each, without a full stop.
    pub says: Vec<Message>,
    /// What to record next, line by line as it is typed.
    pub record: Vec<String>,
}

/// One figure of a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Figure {
    /// What has the bytes.
    pub what: Message,
    /// How many; as exact as the text is.
    pub bytes: Bytes,
    /// How many wholes it is a part of.
    pub depth: u8,
}

impl Figure {
    /// A figure that is part of none.
    #[must_use]
    pub fn whole(what: Message, bytes: u64) -> Self {
        Self {
            what,
            bytes: Bytes(bytes),
            depth: 0,
        }
    }

    /// Its bytes to a hundredth of their unit, as the texts have them: "23.65 GiB".
    #[must_use]
    pub fn rounded(&self) -> String {
        units(self.bytes)
    }

    /// A part of the whole before it.
    #[must_use]
    pub fn part(what: Message, bytes: u64) -> Self {
        Self {
            depth: 1,
            ..Self::whole(what, bytes)
        }
    }
}

/// Words that are in such a text. They stand apart from the readers, which come later than what
/// tells one file from another.
const WORDS: [&[u8]; 9] = [
    torch::OUT_OF_MEMORY,
    torch::SUMMARY,
    micro::RECORDED,
    executorch::USED,
    executorch::FAILED,
    b"too small for all buffers. Needed ",
    b"too small for activation buffers. Needed ",
    b". Requested: ",
    b" for memory planning, ",
];

/// Words that each text of a kind has once, and what reads the figures of the last; `None` where
/// they are not there.
type Read = (&'static [&'static str], fn(&str) -> Option<Figures>);

/// The readers, in the order in which they are tried.
const READERS: [Read; 22] = [
    (&["ut of memory. Tried"], torch::both),
    (&["ut of memory. Tried"], torch::out_of_memory),
    (&["ut of memory. Tried"], torch::beyond_any_device),
    (&["| Allocated memory "], torch::summary),
    (&["allocated_bytes.all.current"], stats::counted),
    (&["CompiledMemoryStats("], stats::compiled),
    (&["Arena allocation total "], micro::recorded),
    // It tells all that there are.
    (&[], micro::too_small),
    (&["method_allocator_planned:"], executorch::used),
    (
        &["B requested (adjusted for alignment), "],
        executorch::failed,
    ),
    (&["MPS backend out of memory ("], runtimes::mps),
    (
        &[
            " for requested buffer of size ",
            " is smaller than requested bytes of ",
        ],
        runtimes::onnxruntime,
    ),
    (
        &["OOM when allocating tensor with shape["],
        runtimes::tensorflow,
    ),
    (&["Scoped allocation with size "], bare::scoped),
    (
        &[
            "Ran out of memory in memory space ",
            "Out of memory while trying to allocate ",
            "Out of memory allocating ",
            "Failed to allocate request for ",
        ],
        runtimes::xla,
    ),
    (&["memory: you tried to allocate "], runtimes::cpu),
    (&["ran out of memory trying to allocate "], bare::best_fit),
    (&["Attempting to allocate "], bare::tpu),
    (&["Attempting to reserve "], bare::reserved),
    (&[" would exceed allowed memory."], bare::cuda_async),
    (&["cudaMalloc failed: out of memory"], bare::ggml),
    (&[], runtimes::driver),
];

/// How many different texts there are that begin with one of `words`: what a program prints twice
/// is one.
fn distinct(text: &str, words: &[&str]) -> usize {
    let rests = words.iter().flat_map(|words| {
        let at = text.match_indices(words);
        at.filter_map(|(at, _)| text.get(at..)?.lines().next())
    });
    rests.map(str::trim).collect::<BTreeSet<_>>().len()
}

/// Whether a file that begins with `head` may be one.
pub(super) fn sniff(head: &[u8]) -> bool {
    is_text(head) && words().any(|words| holds(head, words))
}

/// Words of which each text that we know has some.
fn words() -> impl Iterator<Item = &'static [u8]> {
    let all = WORDS.iter().chain(&runtimes::WORDS).chain(&bare::WORDS);
    all.chain(&stats::WORDS).copied()
}

/// Whether a file of `len` bytes that begins with `head` is a text that goes on behind it, and not
/// too long to look at.
pub(super) fn goes_on(len: u64, head: &[u8]) -> bool {
    len > head.len() as u64 && len <= MAX_TEXT && is_text(head)
}

/// All of a text that goes on behind `head`, for what stands further down, as behind the log of a
/// long run: for texts that are nothing else. Signs that are none are replaced.
pub(super) fn whole(source: &dyn Source, head: &[u8]) -> Result<Option<String>, LoadError> {
    let len = source.len();
    if !goes_on(len, head) {
        return Ok(None);
    }
    let mut bytes = vec![0; usize::try_from(len).unwrap_or_default()];
    source.read_at(0, &mut bytes)?;
    // To look for words in a text is faster than in bytes.
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

/// Whether a text that we know stands in `text`.
pub(super) fn further_down(text: &str) -> bool {
    let mut words = words().filter_map(|it| std::str::from_utf8(it).ok());
    words.any(|words| text.contains(words))
}

/// Whether nothing in `head` is a sign that no text has.
fn is_text(head: &[u8]) -> bool {
    !head.iter().any(|&byte| byte < 7)
}

/// The figures that `parts` hold, where they are one text that has figures and no lifetimes.
///
/// # Errors
/// See [`LoadError`].
pub fn figures(parts: &[Part<'_>]) -> Result<Option<Figures>, LoadError> {
    let [part] = parts else { return Ok(None) };
    if part.source.len() > MAX_TEXT {
        return Ok(None);
    }
    let head = super::head(part.source)?;
    if !sniff(&head) && !whole(part.source, &head)?.is_some_and(|it| further_down(&it)) {
        return Ok(None);
    }
    let text = pasted::plain(&text::read(part.source)?);
    Ok(READERS.iter().find_map(|(words, read)| {
        let mut figures = read(&text)?;
        let count = distinct(&text, words);
        if count > 1 {
            let says = message!(
                "the text has {} such messages; these are the figures of the last",
                count
            );
            figures.says.insert(0, says);
        }
        Some(figures)
    }))
}

/// Why such a text cannot be planned, with all that it says.
pub(super) fn refusal(parts: &[Part<'_>]) -> LoadError {
    let message = match figures(parts) {
        Err(error) => return error,
        Ok(None) => unknown(parts),
        Ok(Some(figures)) => figures.sentence(),
    };
    Fault::Figures.in_file(message)
}

/// What is said of a text without figures that we know: what is recorded where it comes from.
fn unknown(parts: &[Part<'_>]) -> Message {
    let text = parts.first().and_then(|it| text::read(it.source).ok());
    let of = |words: &[&[u8]]| {
        let text = text.as_deref().unwrap_or_default().as_bytes();
        words.iter().any(|words| holds(text, words))
    };
    let record = if of(&[torch::OUT_OF_MEMORY, torch::SUMMARY]) {
        torch::record_in(text.as_deref().unwrap_or_default())
    } else if of(&[executorch::USED, executorch::FAILED]) {
        executorch::record()
    } else if of(&WORDS) {
        micro::record()
    } else {
        runtimes::record(text.as_deref().unwrap_or_default())
    };
    if record.is_empty() {
        return message!("it is text that speaks of memory, without figures that we know");
    }
    message!(
        "it is text that speaks of memory, without figures that we know. To see what lives when, \
         record: {}",
        typed(&record)
    )
}

/// Lines as they are typed, in one line.
fn typed(lines: &[String]) -> String {
    let lines: Vec<String> = lines.iter().map(|line| format!("`{line}`")).collect();
    lines.join("; ")
}

impl Figures {
    /// What it says in one line.
    #[must_use]
    pub fn sentence(&self) -> Message {
        let (of, record) = (&self.of, typed(&self.record));
        // What a table counts, its sentences say.
        let figures = self
            .figures
            .iter()
            .filter(|it| !it.what.template().ends_with(':'));
        // Parts of parts are for a table.
        let figures = figures.filter(|it| it.depth < 2);
        let figures = figures.map(|it| message!("{}: {}", it.what, it.rounded()));
        let says = Message::list(figures.chain(self.says.iter().cloned()), "; ");
        if record.is_empty() {
            return message!("{}: {}", of, says);
        }
        message!(
            "{}: {}. To see what lives when, record: {}",
            of,
            says,
            record
        )
    }
}

/// Bytes as people read them; number and unit stay on one line.
pub(crate) fn units(bytes: Bytes) -> String {
    let all = [Unit::GiB, Unit::MiB, Unit::KiB];
    let unit = all.into_iter().find(|unit| bytes.0 >= unit.bytes());
    match unit {
        None => format!("{}\u{a0}B", bytes.0),
        Some(unit) => format!(
            "{:.2}\u{a0}{}",
            bytes.0 as f64 / unit.bytes() as f64,
            unit.name()
        ),
    }
}

/// The bytes of a number and its unit as tools write them, where KB, MB and GB count in 1024s
/// just as KiB, MiB and GiB do.
pub(in crate::load) fn amount(number: &str, unit: &str) -> Option<u64> {
    let unit = match unit.trim_end_matches("ytes").trim_end_matches("yte") {
        "B" | "b" => Unit::B,
        "KB" | "KiB" | "K" => Unit::KiB,
        "MB" | "MiB" | "M" => Unit::MiB,
        "GB" | "GiB" | "G" => Unit::GiB,
        "TB" | "TiB" | "T" => Unit::TiB,
        _ => return None,
    };
    let number = Number::read(number).ok().filter(|it| it.unit.is_none())?;
    let scale = 10_u128.checked_pow(u32::from(number.decimals))?;
    let bytes = u128::from(number.mantissa).checked_mul(u128::from(unit.bytes()))?;
    // To the nearest byte.
    u64::try_from(bytes.checked_add(scale / 2)? / scale).ok()
}
