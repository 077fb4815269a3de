//! PyTorch memory snapshots: what `torch.cuda.memory._dump_snapshot` writes.
//!
//! A snapshot is a pickled dict: `segments` with their `blocks` as they are at its end, and
//! `device_traces` with the last events of each device. Snapshots of old versions are the list
//! of segments alone, and blocks of old versions say what was asked for in a `history`.

mod bytes;
mod events;
mod fields;
mod heap;
mod memo;
mod pickle;
mod recorded;
mod segments;
mod settings;
mod snapshot;
mod stacks;
mod timeline;
mod traces;

use super::Dump;
use crate::load::{Fault, LoadError, Source, Warning};
use crate::replay::{Device, replay};
use crate::units::Span;
use crate::{Message, message};

use events::Events;

pub(in crate::load) use timeline::is_page as is_timeline_page;
pub(in crate::load) use timeline::{read as read_timeline, sniff as sniff_timeline};

/// Whether a file that begins with `head` is one: a pickle of protocol 2 or later begins with
/// 0x80, its protocol and an opcode, and no opcode is 0.
pub(in crate::load) fn sniff(head: &[u8]) -> bool {
    match head {
        [0x80, protocol] => (2..16).contains(protocol),
        [0x80, protocol, opcode, ..] => (2..16).contains(protocol) && *opcode != 0,
        _ => false,
    }
}

/// Reads it, of its events those that are `chosen`, or all.
///
/// # Errors
/// See [`LoadError`]; [`Fault::Range`] where its events are too many to be held at once.
pub(in crate::load) fn read(source: &dyn Source, chosen: Option<Span>) -> Dump {
    let pickle = pickle::read(source, Events::new(chosen))?;
    let mut warnings = Vec::new();
    if pickle.rest > 0 {
        warnings.push(Warning::new(
            message!("end"),
            message!("{} bytes behind the pickle are ignored", pickle.rest),
        ));
    }
    // A large snapshot and its replay need not be in memory together.
    let trace = snapshot::trace(pickle, &mut warnings)?;
    let failed: Vec<Message> = trace.devices.iter().filter_map(Device::failed).collect();
    let (deployed, remarks) = replay(trace)?;
    warnings.extend(
        remarks
            .into_iter()
            .map(|remark| Warning::new(remark.place, remark.message)),
    );
    if deployed.arenas.is_empty() {
        return Err(blockless(failed));
    }
    Ok((deployed, warnings))
}

/// Why a snapshot cannot be shown that has no block, with the requests that `failed`.
fn blockless(failed: Vec<Message>) -> LoadError {
    let (kind, message) = match failed.is_empty() {
        true => (
            Fault::Malformed,
            message!(
                "a memory snapshot in which no block was ever handed out: record with \
                 torch.cuda.memory._record_memory_history() and dump again"
            ),
        ),
        false => (
            Fault::Figures,
            message!(
                "a memory snapshot in which no block was ever handed out; {}: record with \
                 torch.cuda.memory._record_memory_history() before the first request, and dump again",
                Message::list(failed, "; ")
            ),
        ),
    };
    kind.in_file(message)
}
