//! Stretches of time that no buffer connects: each is a problem of its own.

use alloc::vec::Vec;
use core::cmp::Reverse;

use super::{Bound, BoundKind, at_step};
use crate::liveness::Lifetimes;
use crate::liveness::profile::Profile;
use crate::sorting::Sorting as _;
use crate::units::{Bytes, Span, Step};

/// At most so many stretches are listed, those that need the most.
pub const LISTED: usize = 32;

/// How many stretches there are, and the bounds of those that need the most, by time; none
/// where there is only one.
pub(super) fn partitions(lifetimes: &Lifetimes, profile: &Profile) -> (u64, Vec<Bound>) {
    let spans = stretches(lifetimes);
    let count = spans.len() as u64;
    if count < 2 {
        return (count, Vec::new());
    }
    let mut points = profile.points.iter().peekable();
    let mut peaks: Vec<(Span, (Bytes, Step))> = Vec::with_capacity(spans.len());
    // The profile has points only where the live bytes change: where one stretch ends and the
    // next begins with as many, there is none.
    let mut live = Bytes::ZERO;
    for span in spans {
        while let Some(&(_, here)) = points.next_if(|point| point.0 <= span.start) {
            live = here;
        }
        let mut peak = (live, span.start);
        while let Some(&(step, here)) = points.next_if(|point| point.0 < span.end) {
            live = here;
            if live > peak.0 {
                peak = (live, step);
            }
        }
        peaks.push((span, peak));
    }
    peaks.order_by_key(|&(_, (bytes, _))| Reverse(bytes));
    peaks.truncate(LISTED);
    peaks.order_by_key(|&(span, _)| span.start);
    let bounds = peaks.into_iter();
    let bounds = bounds.map(|(span, peak)| at_step(lifetimes, BoundKind::Partition { span }, peak));
    (count, bounds.collect())
}

fn stretches(lifetimes: &Lifetimes) -> Vec<Span> {
    let needed = lifetimes.buffers.iter().filter(|it| it.is_needed());
    let mut spans: Vec<Span> = needed.map(|buffer| buffer.span).collect();
    spans.order_by_key(|span| span.start);
    let mut joined: Vec<Span> = Vec::new();
    for span in spans {
        match joined.last_mut() {
            Some(last) if span.start < last.end => last.end = last.end.max(span.end),
            _ => joined.push(span),
        }
    }
    joined
}
