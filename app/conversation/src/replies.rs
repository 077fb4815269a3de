//! What the planner's worker says, and what becomes of it.

use planner::PlanError;
use worker::{CaseId, Reply};

use crate::model::case::Footage;
use crate::model::notice::Notice;
use crate::model::state::State;
use crate::model::talk::{Outstanding, Stage};

/// What is said of a worker that ends a question without an answer.
const NO_ANSWER: &str = "it has not answered";

impl State {
    /// Takes a reply; one to a question that no longer stands is dropped.
    pub(crate) fn replied(&mut self, reply: Reply) {
        let stands = self.talk.outstanding.as_ref().map(|it| it.id);
        if stands != Some(reply.id()) {
            return;
        }
        if !reply.is_last() {
            self.heard(reply);
        } else if let Some(outstanding) = self.talk.outstanding.take() {
            self.answered(outstanding, reply);
        }
    }

    /// A strategy says how far it is.
    fn heard(&mut self, reply: Reply) {
        let Some(Outstanding { case, stage, .. }) = self.talk.outstanding.clone() else {
            return;
        };
        match (reply, stage) {
            (Reply::Incumbent { planned, .. }, Stage::Planning(column)) => {
                self.improved(case, column, *planned);
            }
            (
                Reply::Progress {
                    stage, done, total, ..
                },
                Stage::Planning(column),
            ) => {
                if let Some(case) = self.case_mut(case) {
                    case.planning.stage.put(stage);
                }
                self.went_on(case, column, (done, total));
            }
            (Reply::Progress { done, total, .. }, Stage::Filming(column)) => {
                if let Some(case) = self.case_mut(case) {
                    let footage = Footage::Working(done, total);
                    case.films.footage.insert(column, footage);
                }
            }
            (Reply::Progress { done, total, .. }, Stage::Preparing) => {
                self.talk.preparing = (done, total);
            }
            (Reply::Progress { done, total, .. }, Stage::Asking(topic)) => {
                self.background_went_on(topic, case, (done, total));
            }
            // How far anything else is, is not shown.
            (_, _) => {}
        }
    }

    fn answered(&mut self, asked: Outstanding, reply: Reply) {
        let case = asked.case;
        match (reply, asked.stage) {
            (Reply::Opened { opened, .. }, Stage::Opening) => self.opened(case, opened),
            (Reply::Unpacked { members, .. }, Stage::Opening) => self.unpacked_files(case, members),
            (
                Reply::Refused {
                    error,
                    table,
                    figures,
                    ..
                },
                Stage::Opening,
            ) => self.refused(case, error, (table, figures)),
            (Reply::Opened { opened, .. }, Stage::Rewriting(read)) => {
                self.rewritten(case, read, opened);
            }
            (Reply::Refused { error, .. }, Stage::Rewriting(read)) => {
                self.misread(case, read, error);
            }
            (Reply::Prepared { prepared, .. }, Stage::Preparing) => match prepared {
                Ok(prepared) => self.prepared(case, *prepared),
                Err(error) => {
                    self.page.notice.set(Some(Notice::TooLarge(error)));
                    if let Some(case) = self.case_mut(case) {
                        case.without_lifetimes();
                    }
                }
            },
            (Reply::Planned { planned, .. }, Stage::Planning(column)) => {
                self.planned(case, column, planned.map(|planned| *planned));
            }
            (Reply::Planned { planned, .. }, Stage::Finishing(column, number)) => {
                self.finished(case, (column, number), planned.map(|planned| *planned));
            }
            (Reply::Changed { changed, .. }, Stage::Laying) => {
                self.changed(case, changed.map(|planned| *planned));
            }
            (Reply::Explained { explained, .. }, Stage::Explaining(column, of)) => {
                self.explained(case, (column, &of), *explained);
            }
            (Reply::Unknown { .. }, stage) => self.send_along(Outstanding { stage, ..asked }),
            (reply, stage) => {
                if self.unpacked(case, &stage, &reply).is_none() {
                    self.unanswered(Outstanding { stage, ..asked });
                }
            }
        }
    }

    /// Answers that come packed; `None` for what is no answer to the question.
    fn unpacked(&mut self, case: CaseId, stage: &Stage, reply: &Reply) -> Option<()> {
        match (reply, stage) {
            (Reply::Trace { trace, .. }, Stage::Filming(column)) => {
                let trace = match trace {
                    Ok(trace) => Ok(trace.open()?),
                    Err(error) => Err(error.clone()),
                };
                self.filmed_column(case, *column, trace);
            }
            (Reply::TakenHome { written, .. }, Stage::TakingHome(column, _)) => {
                let written = match written {
                    Ok(written) => Ok(written.open()?),
                    Err(error) => Err(error.clone()),
                };
                self.taken_home(case, *column, written);
            }
            (Reply::Found { found, .. }, Stage::Asking(topic)) => {
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
        let number = match asked.stage {
            Stage::Explaining(column, plan) => {
                let number = plan.number;
                case.queue.explains.push_front((column, plan));
                Some(number)
            }
            Stage::TakingHome(column, plan) => {
                let number = plan.number;
                case.queue.home = Some((column, plan));
                Some(number)
            }
            // It waits in the case until it is judged.
            Stage::Laying => case.hand.laying.as_ref().map(|laying| laying.base.number),
            _ => None,
        };
        self.talk.unknown = number;
    }

    /// There is no answer to this question: it is not asked again, and the person is told.
    pub(crate) fn unanswered(&mut self, asked: Outstanding) {
        if asked.stage == Stage::Opening {
            self.opening.at_work = None;
        }
        self.no_answer(asked.case, asked.stage);
        let notice = Notice::Crashed(NO_ANSWER.to_owned());
        self.page.notice.set(Some(notice));
    }

    fn no_answer(&mut self, id: CaseId, stage: Stage) {
        let Some(case) = self.case_mut(id) else {
            return;
        };
        match stage {
            Stage::Opening | Stage::Preparing => self.give_up(id),
            Stage::Planning(column) => {
                if let Some(progress) = case.plans.get(&column) {
                    let ended = progress.ended();
                    case.plans.insert(column, ended);
                }
            }
            Stage::Finishing(..) => case.hand.finishing.put(None),
            Stage::Laying => case.hand.laying = None,
            Stage::Filming(column) => {
                let failed = Footage::Failed(PlanError::Cancelled);
                case.films.footage.insert(column, failed);
            }
            // It stays unexplained: asking again would find as little.
            Stage::Explaining(..) => {}
            Stage::TakingHome(..) => {
                let notice = Notice::NotTakenHome(NO_ANSWER.to_owned());
                self.page.notice.set(Some(notice));
            }
            // What was planned stays.
            Stage::Rewriting(_) => {}
            Stage::Asking(topic) => self.background_unanswered(topic, id),
        }
    }

    /// The worker is gone: what was at work is not done, and what is there stays.
    pub(crate) fn worker_died(&mut self, reason: String) {
        let asked = self.talk.outstanding.take();
        self.lose_worker();
        if let Some(asked) = asked {
            self.no_answer(asked.case, asked.stage);
        }
        self.cancel();
        self.page.notice.set(Some(Notice::Crashed(reason)));
    }
}
