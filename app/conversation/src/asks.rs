//! What is asked in the background: a row for each question, whose rule the file of its feature
//! has. Whatever else is wanted of the worker goes before it, or between its parts.

use worker::{Ask, CaseId, Packed, Question, Request, Topic};

use crate::model::ask::{Answer, Ask as Asked};
use crate::model::given::Content;
use crate::model::state::State;
use crate::model::worker_queue::{Envelope, QuestionKind};

/// A question that is asked in the background.
pub(crate) trait Background: Question {
    /// Wants it where somebody looks at the answer, and no longer where nobody does.
    fn follow(_state: &mut State) {}

    /// The message that asks it next of a case that wants it; another one where that comes first.
    fn message(state: &mut State, case: CaseId) -> Option<Envelope>;

    /// So many parts of the answer are done, of so many.
    fn on_progress(_state: &mut State, _case: CaseId, _parts: (u64, u64)) {}

    /// The answer is there; `None` for bytes that are none.
    fn found(state: &mut State, case: CaseId, found: Packed<Self::Found>) -> Option<()>;

    /// There is no answer.
    fn unanswered(state: &mut State, case: CaseId);
}

/// What is called for a question.
struct Row {
    topic: Topic,
    follow: fn(&mut State),
    message: fn(&mut State, CaseId) -> Option<Envelope>,
    on_progress: fn(&mut State, CaseId, (u64, u64)),
    found: fn(&mut State, CaseId, Packed<()>) -> Option<()>,
    unanswered: fn(&mut State, CaseId),
}

/// Every question, in the order in which it is seen whether they are wanted.
const ROWS: [Row; 7] = [
    row::<worker::AdviceQuestion>(),
    row::<worker::StagesQuestion>(),
    row::<worker::TrainingQuestion>(),
    row::<worker::TextQuestion>(),
    row::<worker::SweepQuestion>(),
    row::<worker::ComparisonQuestion>(),
    row::<worker::Asked>(),
];

const fn row<Q: Background>() -> Row {
    Row {
        topic: Q::TOPIC,
        follow: Q::follow,
        message: Q::message,
        on_progress: Q::on_progress,
        found: |state, case, found| Q::found(state, case, found.retyped()),
        unanswered: Q::unanswered,
    }
}

fn row_of(topic: Topic) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.topic == topic)
}

impl State {
    /// Wants in the background what somebody looks at.
    pub(crate) fn follow_background(&mut self) {
        for row in &ROWS {
            (row.follow)(self);
        }
    }

    /// The message that asks next what is wanted of a case in the background.
    pub(crate) fn background_message(&mut self, case: CaseId) -> Option<Envelope> {
        let topics = self.case(case).queue.asks.clone();
        let mut rows = topics.into_iter().filter_map(row_of);
        rows.find_map(|row| (row.message)(self, case))
    }

    pub(crate) fn on_background_progress(&mut self, topic: Topic, case: CaseId, parts: (u64, u64)) {
        if let Some(row) = row_of(topic) {
            (row.on_progress)(self, case, parts);
        }
    }

    pub(crate) fn background_found(
        &mut self,
        topic: Topic,
        case: CaseId,
        found: Packed<()>,
    ) -> Option<()> {
        (row_of(topic)?.found)(self, case, found)
    }

    pub(crate) fn background_unanswered(&mut self, topic: Topic, case: CaseId) {
        if let Some(row) = row_of(topic) {
            (row.unanswered)(self, case);
        }
    }

    /// Asks a question, which is outstanding from now on and wanted no longer.
    pub(crate) fn ask_behind<Q: Question>(
        &mut self,
        case: CaseId,
        question: Packed<Q>,
        files: Vec<Content>,
    ) -> Envelope {
        if let Some(case) = self.case_mut(case) {
            case.queue.asks.remove(&Q::TOPIC);
        }
        let id = self.ask(case, QuestionKind::Asking(Q::TOPIC));
        let ask = Ask::packed(question);
        (Request::Ask { id, case, ask }, files)
    }

    /// What is at work for a question is not done, and it is not asked.
    pub(crate) fn end_ask(&mut self, id: CaseId, topic: Topic) {
        if self.at_work(id) == Some(&QuestionKind::Asking(topic)) {
            self.cut();
        }
        if let Some(case) = self.case_mut(id) {
            case.queue.asks.remove(&topic);
        }
    }
}

impl<Of, T: ?Sized> Asked<Of, T> {
    /// It is asked of this. An answer that is there stays until the next one is.
    pub(crate) fn begin(&mut self, of: Of) {
        self.of = Some(of);
        if !self.found.is_there() {
            self.found.set(Answer::Working(0, 0));
        }
    }

    pub(crate) fn on_progress(&mut self, (done, total): (u64, u64))
    where
        T: PartialEq,
    {
        if self.found.is_working() {
            self.found.put(Answer::Working(done, total));
        }
    }
}
