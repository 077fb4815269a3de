//! What llama.cpp says of its memory: the table that it prints at its end, and the lines of its
//! buffers before that.
//!
//! ```text
//! | memory breakdown [MiB] | total   free    self   model   context   compute    unaccounted |
//! |   - CUDA0 (RTX 5090)   | 32111 = 8601 + (23058 = 16386 +    6024 +     648) +         452 |
//! |   - Host               |                   356 =   206 +       0 +     150                |
//!
//! load_tensors:        CUDA0 model buffer size =  4095.05 MiB
//! llama_kv_cache:      CUDA0 KV buffer size =   256.00 MiB
//! llama_context:       CUDA0 compute buffer size =   258.50 MiB
//! ```
//! Each device is an arena of separate allocations that are there all the time. The table wins over
//! the lines, which have no memory of the device. Source: llama.cpp, `common_memory_breakdown_print`
//! (pull request 15860) and the logs of `llama-model.cpp`, `llama-kv-cache.cpp`,
//! `llama-context.cpp`.

use std::collections::BTreeMap;

use super::Dump;
use super::draft::{Draft, Row};
use super::line::{Line, MAX_ARENAS, holds, lines};
use crate::deployed::{Arena, Deployed};
use crate::load::{Fault, LoadError, Source, Warning, text};
use crate::units::Span;
use crate::{Message, message};

const TABLE: &str = "memory breakdown [MiB]";
/// What stands before the figure of a buffer.
const BUFFER: &str = " buffer size =";
const MIB: u64 = 1 << 20;

/// Whether a file that begins with `head` is one.
pub(in crate::load) fn sniff(head: &[u8]) -> bool {
    let own = [&b"llama_"[..], b"llm_load", b"load_tensors"];
    holds(head, TABLE.as_bytes())
        || holds(head, BUFFER.as_bytes()) && own.iter().any(|it| holds(head, it))
}

/// Whether the table stands somewhere in a text.
pub(in crate::load) fn is_in(text: &str) -> bool {
    text.contains(TABLE)
}

/// One allocation of a device.
struct Part {
    name: String,
    bytes: u64,
    line: usize,
}

/// What is said of a device.
#[derive(Default)]
struct Device {
    parts: Vec<Part>,
    /// All of its memory.
    total: Option<u64>,
}

/// Devices by name, in the order in which they are named.
#[derive(Default)]
struct Devices {
    order: Vec<String>,
    by_name: BTreeMap<String, Device>,
}

impl Devices {
    fn of(&mut self, name: &str) -> &mut Device {
        if !self.by_name.contains_key(name) {
            self.order.push(name.to_owned());
        }
        self.by_name.entry(name.to_owned()).or_default()
    }
}

/// Reads it.
///
/// # Errors
/// See [`LoadError`], with the line.
pub(in crate::load) fn read(source: &dyn Source) -> Dump {
    let text = text::read(source)?;
    let mut warnings = Vec::new();
    let mut table = Devices::default();
    let mut inside = false;
    for line in lines(&text) {
        if line.text.contains(TABLE) {
            // A later table is of a later run, or of the same one at its end.
            table = Devices::default();
            inside = true;
        } else if inside {
            inside = row(line, &mut table, &mut warnings)?;
        }
    }
    let mut devices = table;
    if devices.order.is_empty() {
        for line in lines(&text) {
            buffer(line, &mut devices)?;
        }
    }
    if devices.order.len() > MAX_ARENAS {
        return Err(Fault::Limit.in_file(message!("more than {} devices", MAX_ARENAS)));
    }
    let mut arenas = Vec::new();
    for name in devices.order {
        if let Some(device) = devices.by_name.remove(&name)
            && device.parts.iter().any(|it| it.bytes > 0)
        {
            arenas.push(arena(name, device, &mut warnings)?);
        }
    }
    if arenas.is_empty() {
        return Err(Fault::Malformed.in_file(message!("no buffer of llama.cpp is in it")));
    }
    let deployed = Deployed {
        toolchain: "llama.cpp".to_owned(),
        arenas,
        ..Deployed::default()
    };
    Ok((deployed, warnings))
}

/// A row of the table; `false` where the line is none.
fn row(
    line: Line<'_>,
    devices: &mut Devices,
    warnings: &mut Vec<Warning>,
) -> Result<bool, LoadError> {
    let cells: Vec<&str> = line.text.split('|').collect();
    let [.., name, figures, _] = cells.as_slice() else {
        return Ok(false);
    };
    let name = name.trim().trim_start_matches('-').trim();
    let mut numbers = Vec::new();
    for word in figures.split(|it: char| !(it.is_ascii_digit() || it == '-')) {
        if word.is_empty() {
            continue;
        }
        let number = word.parse::<i64>().ok();
        let number = number.filter(|it| it.unsigned_abs() < 1 << 40);
        let why = || message!("{} is no number of MiB", format_args!("{word:?}"));
        numbers.push(number.ok_or_else(|| line.fault(Fault::Malformed, why()))?);
    }
    let (total, own, unaccounted) = match *numbers.as_slice() {
        [total, _, own, model, context, compute, unaccounted] => {
            (Some(total), [own, model, context, compute], unaccounted)
        }
        [own, model, context, compute] => (None, [own, model, context, compute], 0),
        [] => return Ok(false),
        _ => {
            let why = message!("{} figures where the table has 7 or 4", numbers.len());
            return Err(line.fault(Fault::Malformed, why));
        }
    };
    let [own, parts @ ..] = own;
    // Each figure is rounded by itself.
    if (own - parts.iter().sum::<i64>()).abs() > 2 {
        let why = message!("self is not the sum of model, context and compute");
        warnings.push(Warning::new(line.place(), why));
    }
    let device = devices.of(name);
    if !device.parts.is_empty() {
        let why = message!("the device {} is there twice", Message::verbatim(name));
        return Err(line.fault(Fault::Duplicate, why));
    }
    let names = ["model", "context", "compute", "unaccounted"];
    for (name, mib) in names
        .into_iter()
        .zip(parts.into_iter().chain([unaccounted]))
    {
        // What others hold may have become less since llama.cpp began: then it is below 0.
        let Ok(mib) = u64::try_from(mib) else {
            continue;
        };
        device.parts.push(Part {
            name: name.to_owned(),
            bytes: mib * MIB,
            line: line.number,
        });
    }
    device.total = total
        .and_then(|it| u64::try_from(it).ok())
        .map(|it| it * MIB);
    Ok(true)
}

/// A line of a buffer.
fn buffer(line: Line<'_>, devices: &mut Devices) -> Result<(), LoadError> {
    let Some((before, after)) = line.text.split_once(BUFFER) else {
        return Ok(());
    };
    let Some(figure) = after.trim().strip_suffix("MiB") else {
        return Ok(());
    };
    let words: Vec<&str> = before.split_whitespace().collect();
    let [.., device, what] = words.as_slice() else {
        return Ok(());
    };
    // Older ones have no word for weights: "llm_load_tensors: CPU buffer size".
    let (device, name) = match (*device, *what) {
        (before, device) if before.ends_with(':') => (device, "model"),
        (device, "KV" | "RS") => (device, "context"),
        (device, what) => (device, what),
    };
    let Some(bytes) = hundredths(figure.trim()) else {
        let why = message!(
            "{} is no number of MiB",
            format_args!("{:?}", figure.trim())
        );
        return Err(line.fault(Fault::Malformed, why));
    };
    // What is mapped of a file, or locked for copies, lies in the host's memory.
    let device = match device {
        "CPU" | "CPU_Mapped" | "CPU_REPACK" | "CUDA_Host" | "Vulkan_Host" => "Host",
        other => other,
    };
    devices.of(device).parts.push(Part {
        name: name.to_owned(),
        bytes,
        line: line.number,
    });
    Ok(())
}

/// Bytes of a number of MiB with up to two decimals.
fn hundredths(text: &str) -> Option<u64> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| text.bytes().all(|it| it.is_ascii_digit());
    if whole.is_empty() || decimals.len() > 2 || !digits(whole) || !digits(decimals) {
        return None;
    }
    let whole: u64 = whole.parse().ok()?;
    let part: u64 = format!("{decimals:0<2}").parse().ok()?;
    let hundredths = whole.checked_mul(100)?.checked_add(part)?;
    Some(hundredths.checked_mul(MIB)? / 100)
}

/// The device's allocations one on the other, for one step.
fn arena(name: String, device: Device, warnings: &mut Vec<Warning>) -> Result<Arena, LoadError> {
    let name = Message::verbatim(name);
    let name = match device.total {
        Some(total) => message!("{}, of {} MiB", name, total / MIB),
        None => name,
    };
    let mut draft = Draft::new(name, "llama.cpp");
    let mut top = 0_u64;
    for part in device.parts.iter().filter(|it| it.bytes > 0) {
        let row = Row {
            name: part.name.clone(),
            size: part.bytes,
            span: Span::new(0, 1),
            offset: top,
            ..Row::default()
        };
        draft.push(|| message!("line {}", part.line), row)?;
        let beyond = || {
            Fault::Limit.at(
                message!("line {}", part.line),
                message!("its bytes are beyond 64 bits"),
            )
        };
        top = top.checked_add(part.bytes).ok_or_else(beyond)?;
    }
    let arena = draft.finish(warnings)?;
    Ok(Arena {
        separate: true,
        ..arena
    })
}
