//! The requests of a plan JSON that failed, and what its toolchain says that went wrong.

use serde::Deserialize;

use super::notes::{MAX_ENTRIES, in_frames};
use crate::deployed::{Gathered, Refused};
use crate::load::{Fault, LoadError, Warning};
use crate::units::{Bytes, Step};
use crate::{Message, message};

/// A request that failed: sizes in bytes.
#[derive(Deserialize)]
pub(super) struct RefusedJson {
    step: u64,
    asked: u64,
    device_free: u64,
    #[serde(default)]
    stream: i64,
    #[serde(default)]
    pool: Option<(i64, i64)>,
    /// Its stack, by index into the frames.
    #[serde(default, rename = "frames")]
    stack: Vec<u32>,
}

/// The most sentences.
const MAX_SAID: usize = 1 << 8;

/// What the toolchain says, which is said again.
///
/// # Errors
/// [`LoadError`] for too much.
pub(super) fn said(said: &[Message]) -> Result<Vec<Warning>, LoadError> {
    if said.len() > MAX_SAID {
        let message = message!(
            "{} of them, of which we read at most {}",
            said.len(),
            MAX_SAID
        );
        return Err(Fault::Limit.in_file(message));
    }
    let again = said.iter().map(|it| Warning::of_file(it.clone()));
    Ok(again.collect())
}

/// The requests, of a plan whose steps end at `horizon`; their stacks go to `stacks`.
///
/// # Errors
/// [`LoadError`] with the step: one that is not there, or before that of the request before it; a
/// frame that is not there; too many.
pub(super) fn refused(
    requests: Vec<RefusedJson>,
    horizon: Step,
    stacks: &mut Gathered,
) -> Result<Vec<Refused>, LoadError> {
    let entries = requests.len() + requests.iter().map(|it| it.stack.len()).sum::<usize>();
    if entries > MAX_ENTRIES {
        let message = message!(
            "more than {} requests that failed, and frames of them",
            MAX_ENTRIES
        );
        return Err(Fault::Limit.at(Message::verbatim("refused"), message));
    }
    let mut before = 0;
    let read = requests.into_iter().map(|it| {
        let place = message!("refused at step {}", it.step);
        if it.step >= horizon.0 || it.step < before {
            let message = message!(
                "a request that failed is at a step from that of the one before, {}, up to \
                 {} (exclusive)",
                before,
                horizon.0
            );
            return Err(Fault::Malformed.at(place, message));
        }
        before = it.step;
        in_frames(&it.stack, stacks, || place)?;
        Ok(Refused {
            step: Step(it.step),
            asked: Bytes(it.asked),
            device_free: Bytes(it.device_free),
            stream: it.stream,
            pool: it.pool,
            stack: stacks.stack(it.stack),
        })
    });
    read.collect()
}
