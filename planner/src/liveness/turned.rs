//! One turn of a loop as it repeats without an end: what is live over the end of the turn is live at
//! its beginning, too.
//!
//! Every turn asks for the same and puts it at the same addresses, so that steps count modulo the
//! length of the turn. A buffer that lives from late in a turn to early in the next one is
//! there at both ends of every turn and away in between: a life of the whole turn with a
//! [`Pause`] in it. That is exact. Two such lives meet at a step of the turn exactly where
//! two turns, one after the other, have both at once; and judge, bounds and strategies know
//! pauses. Strategies that do not use them keep the whole turn.

use alloc::vec::Vec;

use super::{Buffer, Handover, Lifetimes, Pause};
use crate::units::{Span, Step};
use crate::{Message, message};

impl Lifetimes {
    /// The steady state of a loop of which `turn` is one turn; its steps count from 0.
    ///
    /// What is there before and after the turn is there all the time, without pauses of its own. What
    /// began before and ends within is left out: what begins within and ends after stands for it.
    ///
    /// # Errors
    /// A sentence where the turn has no steps, and where a buffer that begins in it outlives a
    /// whole turn: the next turn would have another at its addresses.
    pub fn turned(&self, turn: Span) -> Result<Self, Message> {
        let length = turn.end.0.saturating_sub(turn.start.0);
        if length == 0 {
            return Err(message!("a turn of a loop has at least one step"));
        }
        let mut kept = Vec::new();
        let mut of_buffer = Vec::with_capacity(self.buffers.len());
        for buffer in &self.buffers {
            let found = turned(buffer, turn)?;
            of_buffer.push(found.as_ref().map(|_| kept.len()));
            kept.extend(found);
        }
        // What does not pass the end of the turn may be handed over as before.
        let within = |index: usize| {
            let buffer = self.buffers.get(index)?;
            let inside = turn.start <= buffer.span.start && buffer.span.end <= turn.end;
            of_buffer.get(index).copied().flatten().filter(|_| inside)
        };
        let handovers = self.handovers.iter().filter_map(|it| {
            Some(Handover {
                before: within(it.before)?,
                after: within(it.after)?,
                ..*it
            })
        });
        let first = usize::try_from(turn.start.0).unwrap_or(usize::MAX);
        let count = usize::try_from(length).unwrap_or(usize::MAX);
        let names = self.step_names.iter().skip(first).take(count);
        Ok(Self {
            handovers: handovers.collect(),
            step_names: names.cloned().collect(),
            buffers: kept,
            horizon: Step(length),
            ..Self::default()
        })
    }
}

/// What there is of `buffer` in the steady state, if anything.
fn turned(buffer: &Buffer, turn: Span) -> Result<Option<Buffer>, Message> {
    let (start, end) = (buffer.span.start, buffer.span.end);
    let length = turn.end.0 - turn.start.0;
    let at = |step: Step| Step(step.0 - turn.start.0);
    let whole = Span {
        start: Step(0),
        end: Step(length),
    };
    let mut kept = buffer.clone();
    if start < turn.start {
        (kept.span, kept.pauses) = (whole, Vec::new());
        return Ok((end >= turn.end).then_some(kept));
    }
    if start >= turn.end || buffer.span.is_empty() {
        return Ok(None);
    }
    if end <= turn.end {
        let moved = |span: Span| Span {
            start: at(span.start.max(start)),
            end: at(span.end.max(start)),
        };
        kept.span = moved(buffer.span);
        for pause in &mut kept.pauses {
            pause.span = moved(pause.span);
        }
        return Ok(Some(kept));
    }
    let lives = end.0 - start.0;
    if lives > length {
        return Err(message!(
            "{} is live for {} steps, longer than the {} of a turn",
            format_args!("{:?}", buffer.name),
            lives,
            length
        ));
    }
    let away = Span {
        start: Step(end.0 - turn.end.0),
        end: at(start),
    };
    let pause = Pause {
        span: away,
        window: None,
    };
    kept.span = whole;
    kept.pauses = (!away.is_empty()).then_some(pause).into_iter().collect();
    Ok(Some(kept))
}
