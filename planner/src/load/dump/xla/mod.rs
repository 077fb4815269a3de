//! XLA's dumps: what `--xla_dump_to` writes about the memory of one module.
//!
//! Newer builds write `*-buffer-assignment.txt` (where every value lies) and
//! `*-live-range.txt` (when it lives) apart, older ones both into the first; `*.hlo.pb` says
//! all of it in protobuf. A live range of the text is closed: `8-11` lives at step 11, too.

mod arenas;
mod assignment;
mod filled;
mod flow;
mod frames;
mod hlo;
mod join;
mod listing;
mod messages;
mod module;
pub(in crate::load) mod oom;
mod platform;
mod program;
mod proto;
mod ranges;
mod reuse;
mod said;
mod schedule;
mod text;
mod totals;
mod tiles;
mod trace;
mod values;
pub(in crate::load) mod xplane;

use super::Dump;
use crate::load::{Fault, LoadError, Part, Warning, head};
use crate::{Message, message};

/// First words of the texts that XLA writes about memory.
const TEXTS: [&[u8]; 5] = [
    b"BufferAssignment:",
    b"HloLiveRange (max ",
    b"Memory Space: ",
    b"Total bytes used: ",
    b"HloModule ",
];

/// Whether the part that begins with `head` says where buffers lie, and not only what they are.
pub(in crate::load) fn says_where(head: &[u8]) -> bool {
    proto::sniff(head) || head.trim_ascii_start().starts_with(b"BufferAssignment:")
}

/// Whether a file that begins with `head` is a part of such a dump.
pub(in crate::load) fn sniff(head: &[u8]) -> bool {
    let text = head.strip_prefix(crate::load::text::BYTE_ORDER_MARK);
    let text = text.unwrap_or(head).trim_ascii_start();
    TEXTS.iter().any(|first| text.starts_with(first)) || proto::sniff(head)
}

/// Reads the parts of one dump, or a profile of XProf.
///
/// # Errors
/// See [`LoadError`].
pub(in crate::load) fn read(parts: &[Part<'_>]) -> Dump {
    if let [part] = parts
        && !sniff(&head(part.source)?)
    {
        return xplane::read(part.source);
    }
    let several = parts.len() > 1;
    let within = |error: LoadError, name: &str| match several {
        true => error.within(name),
        false => error,
    };
    let mut binary: Option<&Part<'_>> = None;
    let mut texts = text::Texts::default();
    let mut read = Vec::new();
    for part in parts {
        let mut head = vec![0; usize::try_from(part.source.len().min(4096)).unwrap_or_default()];
        part.source.read_at(0, &mut head)?;
        if !proto::sniff(&head) {
            read.push(part);
        } else if let Some(other) = binary.replace(part) {
            return Err(Fault::Apart.at(
                Message::verbatim(format!("{}, {}", other.name, part.name)),
                message!("each of them is a module of its own"),
            ));
        }
    }
    let mut warnings = Vec::new();
    if let Some(part) = binary {
        let program = proto::read(part.source, &mut warnings);
        let program = program.map_err(|error| within(error, part.name))?;
        warnings.extend(read.iter().map(|text| {
            let needless = message!(
                "the binary file says all that is shown: this one is not read, nor compared with it"
            );
            Warning::new(Message::verbatim(text.name), needless)
        }));
        return arenas::deployed(program, warnings);
    }
    for part in read {
        let place = if several { part.name } else { "" };
        let found = crate::load::text::read(part.source);
        let found = found.and_then(|content| texts.read(&content, place, &mut warnings));
        found.map_err(|error| within(error, part.name))?;
    }
    let program = join::join(texts, &mut warnings)?;
    arenas::deployed(program, warnings)
}
