//! A finding as one sentence.

use crate::state::session::Session;
use crate::text::wiring::Wiring;
use executor::verify::report::Finding;
use planner::{Offset, Step};

use crate::format;
use crate::strings::{Word, filled};

/// Bytes of a word.
const WORD: u64 = 4;

/// What was found, in the language of the page.
pub(super) fn sentence(session: Session, finding: &Finding) -> String {
    match finding {
        Finding::Clobbered {
            victim,
            overwriter,
            at,
            words,
        } => clobbered(session, *victim, *overwriter, *at, *words),
        Finding::Outside { step, at, words } => {
            at_step(session, Word::WroteOutside, *step, *at, *words)
        }
        Finding::Unwritten { step, at, words } => {
            at_step(session, Word::LeftUnwritten, *step, *at, *words)
        }
    }
}

/// An address as it is written in a debugger.
pub(super) fn address(at: Offset) -> String {
    format!("{:#x}", at.0)
}

fn at_step(session: Session, word: Word, step: Step, at: Offset, words: u64) -> String {
    let op = operator(session, step.0);
    let (step, bytes) = (format::grouped(step.0), bytes(words));
    filled(session.say(word), &[&op, &step, &bytes, &address(at)])
}

fn clobbered(session: Session, victim: usize, overwriter: Step, at: Offset, words: u64) -> String {
    let (name, reader) = session.prepared.with(|prepared| {
        let subject = prepared.as_ref().map(|prepared| &prepared.subject);
        let lifetimes = subject.map(|subject| &subject.lifetimes);
        let buffer = lifetimes.and_then(|lifetimes| lifetimes.buffers.get(victim));
        let reader = subject.and_then(|subject| {
            let readers = Wiring::new(subject, subject.lifetimes.buffers.get(victim)?).consumers;
            readers.into_iter().find(|&step| overwriter.0 <= step)
        });
        (buffer.map(|buffer| buffer.name.clone()), reader)
    });
    let name = name.unwrap_or_default();
    let op = operator(session, overwriter.0);
    let (step, bytes, at) = (format::grouped(overwriter.0), bytes(words), address(at));
    let mut values = vec![op.as_str(), &step, &bytes, &name, &at];
    match reader {
        None => filled(session.say(Word::Clobbered), &values),
        Some(reader) if reader == overwriter.0 => {
            filled(session.say(Word::ClobberedItself), &values)
        }
        Some(reader) => {
            let (who, when) = (operator(session, reader), format::grouped(reader));
            values.extend([who.as_str(), &when]);
            filled(session.say(Word::ClobberedNeeded), &values)
        }
    }
}

fn bytes(words: u64) -> String {
    format::exact(words.saturating_mul(WORD))
}

/// The name of what runs at a step, else its kind.
fn operator(session: Session, step: u64) -> String {
    session.prepared.with(|prepared| {
        let subject = prepared.as_ref().map(|prepared| &prepared.subject);
        let name = subject.and_then(|subject| subject.step_name(Step(step)));
        let kind = || {
            let op = subject?.op(Step(step))?;
            Some(op.kind.clone())
        };
        name.map(str::to_owned).or_else(kind).unwrap_or_default()
    })
}
