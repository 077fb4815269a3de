//! The part of the reducer that the first picture needs: until the rest of the page is there,
//! every other event waits. Code that calls nothing else here does not carry the rest.

#![expect(
    clippy::result_large_err,
    reason = "what is not for it is handed back, and moved once"
)]

use worker::Reply;

use crate::model::effect::Effect;
use crate::model::event::{Action, Event, PageAction};
use crate::model::link;
use crate::model::page::Work;
use crate::model::state::State;
use crate::model::worker_queue::QuestionKind;
use crate::opening::first_sample;

/// Takes note of an event on the way to the first picture, and returns what is to be done in the
/// browser.
///
/// # Errors
/// Any other event, as it was: [`update`](crate::update) takes it.
pub fn begin(state: &mut State, event: Event) -> Result<Vec<Effect>, Event> {
    state.take_first(event)?;
    state.proceed_first();
    Ok(std::mem::take(&mut state.effects))
}

impl State {
    fn take_first(&mut self, event: Event) -> Result<(), Event> {
        match event {
            Event::Act(_, Action::Page(PageAction::Measure(size))) => self.page.size.put(size),
            Event::Act(_, Action::Page(PageAction::Resize(window))) => {
                self.page.frame.window = window;
            }
            Event::Act(_, Action::Page(PageAction::Darken(dark))) => self.page.dark.put(dark),
            Event::Act(_, Action::Page(PageAction::Calm(calm))) => self.page.calm.put(calm),
            Event::Visited(hash, visits) => {
                if !self.visit_first(&hash) {
                    return Err(Event::Visited(hash, visits));
                }
            }
            // It begins to listen.
            Event::WorkerHere => {}
            Event::Fetched(number, Ok(file)) => self.fetched(number, Ok(file)),
            Event::Worker(reply) => self.hear_first(reply)?,
            other => return Err(other),
        }
        Ok(())
    }

    /// Opens the one sample that a link names, or the first; whether it names nothing else.
    fn visit_first(&mut self, hash: &str) -> bool {
        let (wanted, ignored) = link::read(hash, 2, self.tabs);
        let [wanted] = &wanted[..] else { return false };
        let known =
            |sample: &crate::model::given::Sample| Some(&sample.id) == wanted.sample.as_ref();
        let named = self.samples.iter().any(known);
        let else_named = wanted.sample.is_some() || wanted.file.is_some() || wanted.plan.is_some();
        let edited = wanted.text.is_some() || wanted.lesson.is_some();
        if !ignored.is_empty() || !self.cases.is_empty() || else_named && !named || edited {
            return false;
        }
        self.restoring = true;
        let mut wanted = wanted.clone();
        if !named {
            wanted.sample = first_sample().sample;
        }
        let place = self.instead();
        self.open_sample(place, wanted);
        true
    }

    fn hear_first(&mut self, reply: Box<Reply>) -> Result<(), Event> {
        let outstanding = self.worker_queue.outstanding.clone();
        let asked = outstanding.filter(|asked| asked.id == reply.id());
        let Some(asked) = asked else {
            return Err(Event::Worker(reply));
        };
        let case = asked.case;
        match (*reply, asked.kind) {
            (Reply::Opened { opened, .. }, QuestionKind::Opening) => {
                self.worker_queue.outstanding = None;
                self.opened(case, opened);
            }
            (Reply::Prepared { prepared, .. }, QuestionKind::Preparing) => {
                let prepared = match prepared {
                    Ok(prepared) => prepared,
                    Err(error) => {
                        let prepared = Err(error);
                        let id = asked.id;
                        return Err(Event::Worker(Box::new(Reply::Prepared { id, prepared })));
                    }
                };
                self.worker_queue.outstanding = None;
                self.prepared(case, *prepared);
            }
            (Reply::Planned { planned, .. }, QuestionKind::Planning(column)) => {
                self.worker_queue.outstanding = None;
                self.planned(case, column, planned.map(|planned| *planned));
            }
            (reply, _) => return Err(Event::Worker(Box::new(reply))),
        }
        Ok(())
    }

    /// Asks for what the first picture needs.
    fn proceed_first(&mut self) {
        if let Some((request, files)) = self.first_question() {
            self.effects.push(Effect::Ask(Box::new(request), files));
        }
        self.show_turns();
        let work = match (self.fetching(), &self.worker_queue.outstanding) {
            (Some(name), _) => Work::Opening(name.to_owned()),
            (None, Some(asked)) => match asked.kind {
                QuestionKind::Preparing => Work::Preparing(0, 0),
                QuestionKind::Planning(_) => Work::Planning,
                _ => Work::Opening(self.opening.name().unwrap_or_default().to_owned()),
            },
            (None, None) => Work::Idle,
        };
        self.page.work.put(work);
    }
}
