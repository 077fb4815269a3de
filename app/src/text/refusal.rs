//! Why there is no plan.

use planner::PlanError;

use super::fault::said;
use super::quantity::offset_text;
use crate::format;
use crate::state::session::Session;
use crate::strings::{ConstraintWord, Word, filled};

/// Why there is no plan, in words.
pub(crate) fn why_not(session: Session, error: &PlanError) -> String {
    match error {
        PlanError::Cancelled => session.say(Word::PlanCancelled).to_owned(),
        PlanError::Overflow { buffer } => filled(session.say(Word::PlanOverflow), &[buffer]),
        PlanError::Unsupported { what } => {
            filled(session.say(Word::PlanUnsupported), &[&said(session, what)])
        }
        PlanError::FixedClash(clash) => {
            let [one, other] = &clash.buffers;
            let places = [one.at, other.at].map(offset_text);
            let says: [&str; 5] = [
                &one.name,
                &places[0],
                &other.name,
                &places[1],
                &format::grouped(clash.step.0),
            ];
            filled(session.say(ConstraintWord::PlanClash), &says)
        }
        PlanError::NoRoom {
            buffer,
            pool,
            needed,
            capacity,
        } => {
            let (needed, capacity) = (format::grouped(needed.0), format::grouped(capacity.0));
            let says: [&str; 4] = [buffer, pool, &needed, &capacity];
            filled(session.say(Word::PlanNoRoom), &says)
        }
    }
}
