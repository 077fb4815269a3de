//! What is asked in the background: beside plans, and whenever nothing else is to be done. A
//! question is a type that knows its answer; it travels packed, so that a new one adds no kind of
//! message. Its file holds it with what answers it, and has a row here.

use planner::TooLarge;
use planner::advice::Advice;
use planner::difference::Dumps;
use planner::load::Source;
use planner::stages::Staged;
use planner::sweep::Point;
use planner::training::stage::NoStep;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::advice::AdviceQuestion;
use crate::case::Case;
use crate::differing::ComparisonQuestion;
use crate::measuring::{Asked, Found};
use crate::stages::StagesQuestion;
use crate::sweep::SweepQuestion;
use crate::training::{TrainingAnswer, TrainingQuestion};
use crate::writing::TextQuestion;
use crate::{CaseId, Packed, Reply, Server, Surroundings, listener};

/// A question of a case.
pub trait Question: Serialize + DeserializeOwned {
    /// What answers it.
    type Found: Serialize + DeserializeOwned;
    /// What it is about.
    const TOPIC: Topic;
}

/// A question as it travels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ask {
    /// What it is about.
    pub topic: Topic,
    of: Packed<()>,
}

impl Ask {
    /// Packs a question; `None` for what cannot be encoded.
    #[must_use]
    pub fn new<Q: Question>(question: &Q) -> Option<Self> {
        Packed::new(question).map(Self::packed)
    }

    /// A question that is packed.
    #[must_use]
    pub fn packed<Q: Question>(question: Packed<Q>) -> Self {
        Self {
            topic: Q::TOPIC,
            of: question.retyped(),
        }
    }

    /// The question; `None` for one about something else.
    #[must_use]
    pub fn open<Q: Question>(&self) -> Option<Q> {
        let own = (self.topic == Q::TOPIC).then(|| self.of.clone())?;
        own.retyped::<Q>().open()
    }
}

/// Where a question is asked.
pub(crate) struct AskContext<'a> {
    pub(crate) server: &'a Server,
    pub(crate) id: u32,
    pub(crate) case: CaseId,
    pub(crate) files: &'a [&'a dyn Source],
    pub(crate) around: &'a dyn Surroundings,
}

impl<'a> AskContext<'a> {
    /// The case that the question is of.
    pub(crate) fn case(&self) -> Option<&'a Case> {
        self.server.cases.get(&self.case)
    }

    /// Tells the page how many parts of the answer are done, and goes on.
    pub(crate) fn telling(&self) -> impl FnMut(u64, u64) -> bool + 'a {
        listener::telling(self.id, self.around)
    }
}

/// What finds the answer of a question.
pub(crate) trait Answered: Question {
    /// `None` for a question that has no answer here.
    fn answer(self, at: &AskContext<'_>) -> Option<Self::Found>;
}

/// Rows `Topic: code set, Question => what answers it;` in the order in which they are asked.
/// The `usual` set comes before that of `dumps`, and does not carry what this needs.
macro_rules! topics {
    ($($(#[doc = $doc:literal])+ $topic:ident: $code:ident, $question:ty => $found:ty;)+) => {
        /// What can be asked in the background.
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize,
        )]
        pub enum Topic {
            $($(#[doc = $doc])+
            $topic,)+
        }

        impl Topic {
            /// Whether answers need the code that is about dumps and files.
            pub(crate) fn is_of_dumps(self) -> bool {
                match self {
                    $(Self::$topic => code::$code,)+
                }
            }
        }

        $(impl Question for $question {
            type Found = $found;
            const TOPIC: Topic = Topic::$topic;
        })+

        /// Answers what the code of `dumps`, or the usual one, is for.
        pub(crate) fn answered<const DUMPS: bool>(ask: &Ask, at: &AskContext<'_>) -> Option<Reply> {
            match ask.topic {
                $(Topic::$topic => {
                    if const { code::$code == DUMPS } {
                        found::<$question>(ask, at)
                    } else {
                        None
                    }
                })+
            }
        }
    };
}

/// Which code set is that of `dumps`.
#[expect(
    non_upper_case_globals,
    reason = "rows name them as the sets are called"
)]
mod code {
    pub(super) const usual: bool = false;
    pub(super) const dumps: bool = true;
}

topics! {
    /// What differs between two dumps of one program.
    Comparison: dumps, ComparisonQuestion => Option<Dumps>;
    /// What could be changed of a plan, and what that saves.
    Advice: dumps, AdviceQuestion => Option<Advice>;
    /// What a model is after each chosen pass.
    Stages: usual, StagesQuestion => Result<Staged, TooLarge>;
    /// What training policies come to.
    Training: usual, TrainingQuestion => Result<TrainingAnswer, NoStep>;
    /// The graph as text.
    Text: usual, TextQuestion => Option<String>;
    /// What comes of one value.
    Sweep: usual, SweepQuestion => Point;
    /// What is right in a scene of a lesson.
    Lesson: dumps, Asked => Found;
}

fn found<Q: Answered>(ask: &Ask, at: &AskContext<'_>) -> Option<Reply> {
    let found = ask.open::<Q>()?.answer(at)?;
    let found = Packed::new(&found)?.retyped();
    Some(Reply::Found { id: at.id, found })
}
