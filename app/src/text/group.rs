//! What a group of tensors is called, of which the same is known.

use planner::attribution::{AUTOGRAD, BEFORE_RECORDING};
use planner::deployed::Category;
use planner::query::Field;

use super::block::is_trace;
use crate::state::session::Session;
use crate::strings::{HeldWord, QueryWord};

/// What the field says of it, or that it says nothing.
pub(crate) fn label(session: Session, field: Field, text: &str) -> String {
    match (text.is_empty(), field) {
        (true, Field::Caller) => session
            .say(match is_trace(session) {
                true => HeldWord::NoPython,
                false => HeldWord::NoSource,
            })
            .to_owned(),
        (true, Field::Phase) => session.say(HeldWord::NoPhase).to_owned(),
        (true, _) => session.say(QueryWord::Unsaid).to_owned(),
        (false, Field::Caller) if text == BEFORE_RECORDING => {
            session.say(HeldWord::Before).to_owned()
        }
        (false, Field::Caller) if text == AUTOGRAD => session.say(HeldWord::Autograd).to_owned(),
        (false, Field::Category) => match category(text) {
            Some(word) => session.say(word).to_owned(),
            None => text.to_owned(),
        },
        (false, _) => text.to_owned(),
    }
}

/// The word for a category.
fn category(text: &str) -> Option<HeldWord> {
    let words = [
        (Category::Parameter, HeldWord::Parameter),
        (Category::OptimizerState, HeldWord::OptimizerState),
        (Category::Input, HeldWord::Input),
        (Category::AutogradDetail, HeldWord::AutogradDetail),
        (Category::Gradient, HeldWord::Gradient),
        (Category::Activation, HeldWord::Activation),
        (Category::Temporary, HeldWord::Temporary),
    ];
    let mut words = words.into_iter();
    words.find_map(|(category, word)| (category.name() == text).then_some(word))
}
