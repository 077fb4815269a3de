//! What the planner's worker says, and what becomes of it.

use planner::{Message, PlanError, message};
use worker::{CaseId, Reply};

use crate::model::case::FilmState;
use crate::model::notice::Notice;
use crate::model::state::State;
use crate::model::worker_queue::{Outstanding, QuestionKind};

/// What is said of a worker that ends a question without an answer.
const NO_ANSWER: fn() -> Message = || message!("it has not answered");

impl State {
    /// Takes a reply; one to a question that no longer stands is dropped.
    pub(crate) fn replied(&mut self, reply: Reply) {
        let stands = self.worker_queue.outstanding.as_ref().map(|it| it.id);
        if stands != Some(reply.id()) {
            return;
        }
        if !reply.is_last() {
            self.heard(reply);
        } else if let Some(outstanding) = self.worker_queue.outstanding.take() {
            self.answered(outstanding, reply);
        }
    }

    /// A strategy says how far it is.
    fn heard(&mut self, reply: Reply) {
        let Some(Outstanding { case, kind, .. }) = self.worker_queue.outstanding.clone() else {
            return;
        };
        match (reply, kind) {
            (Reply::Incumbent { planned, .. }, QuestionKind::Planning(column)) => {
                self.improved(case, column, *planned);
            }
            (
                Reply::Progress {
                    stage, done, total, ..
                },
                QuestionKind::Planning(column),
            ) => {
                if let Some(case) = self.case_mut(case) {
                    case.planning.stage.put(stage);
                }
                self.on_progress(case, column, (done, total));
            }
            (Reply::Progress { done, total, .. }, QuestionKind::Filming(column)) => {
                if let Some(case) = self.case_mut(case) {
                    let film = FilmState::Working(done, total);
                    case.films.states.insert(column, film);
                }
            }
            (Reply::Progress { done, total, .. }, QuestionKind::Preparing) => {
                self.worker_queue.preparing = (done, total);
            }
            (Reply::Progress { done, total, .. }, QuestionKind::Asking(topic)) => {
                self.on_background_progress(topic, case, (done, total));
            }
            // How far anything else is, is not shown.
            (_, _) => {}
        }
    }

    fn answered(&mut self, asked: Outstanding, reply: Reply) {
        let case = asked.case;
        match (reply, asked.kind) {
            (Reply::Opened { opened, .. }, QuestionKind::Opening) => self.opened(case, opened),
            (Reply::Unpacked { members, .. }, QuestionKind::Opening) => {
                self.unpacked_files(case, members);
            }
            (
                Reply::Refused {
                    error,
                    table,
                    figures,
                    ..
                },
                QuestionKind::Opening,
            ) => self.refused(case, error, (table, figures)),
            (Reply::Opened { opened, .. }, QuestionKind::Rewriting(read)) => {
                self.rewritten(case, read, opened);
            }
            (Reply::Refused { error, .. }, QuestionKind::Rewriting(read)) => {
                self.misread(case, read, error);
            }
            (Reply::Prepared { prepared, .. }, QuestionKind::Preparing) => match prepared {
                Ok(prepared) => self.prepared(case, *prepared),
                Err(error) => {
                    self.page.notice.set(Some(Notice::TooLarge(error)));
                    if let Some(case) = self.case_mut(case) {
                        case.without_lifetimes();
                    }
                }
            },
            (Reply::Planned { planned, .. }, QuestionKind::Planning(column)) => {
                self.planned(case, column, planned.map(|planned| *planned));
            }
            (Reply::Planned { planned, .. }, QuestionKind::Finishing(column, number)) => {
                self.finished(case, (column, number), planned.map(|planned| *planned));
            }
            (Reply::Changed { changed, .. }, QuestionKind::JudgingEdit) => {
                self.changed(case, changed.map(|planned| *planned));
            }
            (Reply::Explained { explained, .. }, QuestionKind::Explaining(column, of)) => {
                self.explained(case, (column, &of), *explained);
            }
            (Reply::Unknown { .. }, kind) => self.send_along(Outstanding { kind, ..asked }),
            (reply, kind) => {
                if self.unpacked(case, &kind, &reply).is_none() {
                    self.unanswered(Outstanding { kind, ..asked });
                }
            }
        }
    }

    /// Answers that come packed; `None` for what is no answer to the question.
    fn unpacked(&mut self, case: CaseId, kind: &QuestionKind, reply: &Reply) -> Option<()> {
        match (reply, kind) {
            (Reply::Trace { trace, .. }, QuestionKind::Filming(column)) => {
                let trace = match trace {
                    Ok(trace) => Ok(trace.open()?),
                    Err(error) => Err(error.clone()),
                };
                self.filmed_column(case, *column, trace);
            }
            (Reply::Exported { written, .. }, QuestionKind::Exporting(column, _)) => {
                let written = match written {
                    Ok(written) => Ok(written.open()?),
                    Err(error) => Err(error.clone()),
                };
                self.exported(case, *column, written);
            }
            (Reply::Found { found, .. }, QuestionKind::Asking(topic)) => {
                self.background_found(*topic, case, found.clone())?;
            }
            _ => return None,
        }
        Some(())
    }

    /// The worker does not know the plan: it is sent along.
    fn send_along(&mut self, asked: Outstanding) {
        let Some(case) = self.case_mut(asked.case) else {
            return;
        };
        let number = match asked.kind {
            QuestionKind::Explaining(column, plan) => {
                let number = plan.number;
                case.queue.explains.push_front((column, plan));
                Some(number)
            }
            QuestionKind::Exporting(column, plan) => {
                let number = plan.number;
                case.queue.export = Some((column, plan));
                Some(number)
            }
            // It waits in the case until it is judged.
            QuestionKind::JudgingEdit => case
                .hand
                .pending
                .as_ref()
                .map(|pending| pending.base.number),
            _ => None,
        };
        self.worker_queue.unknown = number;
    }

    /// There is no answer to this question: it is not asked again, and the person is told.
    pub(crate) fn unanswered(&mut self, asked: Outstanding) {
        if asked.kind == QuestionKind::Opening {
            self.opening.at_work = None;
        }
        self.no_answer(asked.case, asked.kind);
        let notice = Notice::Crashed(NO_ANSWER());
        self.page.notice.set(Some(notice));
    }

    fn no_answer(&mut self, id: CaseId, kind: QuestionKind) {
        let Some(case) = self.case_mut(id) else {
            return;
        };
        match kind {
            QuestionKind::Opening | QuestionKind::Preparing => self.give_up(id),
            QuestionKind::Planning(column) => {
                if let Some(progress) = case.plans.get(&column) {
                    let ended = progress.ended();
                    case.plans.insert(column, ended);
                }
            }
            QuestionKind::Finishing(..) => case.hand.finishing.put(None),
            QuestionKind::JudgingEdit => case.hand.pending = None,
            QuestionKind::Filming(column) => {
                let failed = FilmState::Failed(PlanError::Cancelled);
                case.films.states.insert(column, failed);
            }
            // It stays unexplained: asking again would find as little.
            QuestionKind::Explaining(..) => {}
            QuestionKind::Exporting(..) => {
                let notice = Notice::NotExported(NO_ANSWER());
                self.page.notice.set(Some(notice));
            }
            // What was planned stays.
            QuestionKind::Rewriting(_) => {}
            QuestionKind::Asking(topic) => self.background_unanswered(topic, id),
        }
    }

    /// The worker is gone: what was at work is not done, and what is there stays.
    pub(crate) fn worker_died(&mut self, reason: Message) {
        let asked = self.worker_queue.outstanding.take();
        self.lose_worker();
        if let Some(asked) = asked {
            self.no_answer(asked.case, asked.kind);
        }
        self.cancel();
        self.page.notice.set(Some(Notice::Crashed(reason)));
    }
}
