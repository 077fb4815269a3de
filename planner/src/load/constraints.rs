//! What files may say about pauses, pools and handovers: the same limits in every format.

use super::Fault;
use crate::liveness::{Buffer, Pause};
use crate::units::{Bytes, Span};
use crate::{Message, message};

/// The most pauses of one buffer.
const MAX_PAUSES: usize = 1 << 10;
/// The most pauses in a file.
pub(super) const MAX_ALL_PAUSES: usize = 1 << 20;
/// The most handovers in a file.
pub(super) const MAX_HANDOVERS: usize = 1 << 20;
/// The most pools.
pub(super) const MAX_POOLS: usize = 64;

/// Kind of the fault and what is wrong.
pub(super) type Wrong = (Fault, Message);

/// Checks the pauses of `buffer`: within its span, by ascending step, none empty and none
/// overlapping, each window within its size.
pub(super) fn check_pauses(buffer: &Buffer) -> Result<(), Wrong> {
    let count = buffer.pauses.len();
    if count > MAX_PAUSES {
        let message = message!(
            "{} gaps, of which we read at most {} per buffer",
            count,
            MAX_PAUSES
        );
        return Err((Fault::Limit, message));
    }
    let mut from = buffer.span.start;
    for Pause { span, window } in &buffer.pauses {
        let (lower, upper) = (span.start.0, span.end.0);
        if lower >= upper {
            return Err((
                Fault::Malformed,
                message!("the gap from {} to {} is empty", lower, upper),
            ));
        }
        if span.start < from || span.end > buffer.span.end {
            let message = message!(
                "the gap from {} to {} does not lie behind the one before it and \
                 within the span",
                lower,
                upper
            );
            return Err((Fault::Malformed, message));
        }
        from = span.end;
        if let Some((start, end)) = *window
            && (start >= end || end > buffer.size)
        {
            let (start, end, size) = (start.0, end.0, buffer.size.0);
            let message = message!(
                "the window from {} to {} is no part of the buffer's {} bytes",
                start,
                end,
                size
            );
            return Err((Fault::Malformed, message));
        }
    }
    Ok(())
}

/// Checks the candidates of `buffer`: each once, and below `count`.
pub(super) fn check_candidates(buffer: &Buffer, count: usize) -> Result<(), Wrong> {
    let pools = &buffer.pools;
    for (place, &pool) in pools.iter().enumerate() {
        if pool as usize >= count {
            let message = match count.checked_sub(1) {
                Some(last) => {
                    message!(
                        "there is no pool {}: pools are numbered from 0 to {}",
                        pool,
                        last
                    )
                }
                None => message!("there is no pool {}, nor any other", pool),
            };
            return Err((Fault::Dangling, message));
        }
        if pools[..place].contains(&pool) {
            return Err((Fault::Duplicate, message!("pool {} is there twice", pool)));
        }
    }
    Ok(())
}

/// Reads pauses as `lower-upper` or `lower-upper@start:end`, separated by spaces, steps and
/// bytes half-open; `None` when it is anything else.
pub(super) fn parse_pauses(text: &str) -> Option<Vec<Pause>> {
    let pause = |word: &str| {
        let (span, window) = match word.split_once('@') {
            None => (word, None),
            Some((span, window)) => (span, Some(pair(window, ':')?)),
        };
        let (lower, upper) = pair(span, '-')?;
        Some(Pause {
            span: Span::new(lower, upper),
            window: window.map(|(start, end)| (Bytes(start), Bytes(end))),
        })
    };
    text.split_ascii_whitespace().map(pause).collect()
}

fn pair(text: &str, between: char) -> Option<(u64, u64)> {
    let (one, other) = text.split_once(between)?;
    let number = |text: &str| {
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse().ok().filter(|_| digits)
    };
    Some((number(one)?, number(other)?))
}
