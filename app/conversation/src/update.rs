//! The reducer: one event in, effects out.

use worker::CaseId;

use crate::model::appearance::Drawing;
use crate::model::effect::{Effect, Remembered};
use crate::model::event::{Action, CaseAction, Event, PageAction, StagesAction};
use crate::model::given::Memory;
use crate::model::layout::{Mode, Panel};
use crate::model::link::Fragment;
use crate::model::notice::{Message, Notice};
use crate::model::opening::{OpenTarget, Where};
use crate::model::page::Work;
use crate::model::state::State;
use crate::model::timer::Timer;
use crate::model::training::TrainingAction;
use crate::model::worker_queue::QuestionKind;
use crate::opening::MOST_CASES;

/// Takes note of an event and returns what is to be done in the browser, in that order.
pub fn update(state: &mut State, event: Event) -> Vec<Effect> {
    state.take(event);
    state.propagate();
    std::mem::take(&mut state.effects)
}

impl State {
    fn take(&mut self, event: Event) {
        match event {
            Event::Whole => {}
            Event::Act(case, action) => self.act(case, action),
            Event::BroughtBack(visits) => self.opening.visits.bring_back(visits),
            Event::Visited(hash, visits) => self.visit(&hash, &visits),
            Event::Worker(reply) => self.replied(*reply),
            Event::WorkerHere => self.here(),
            Event::WorkerDied(reason) => self.worker_died(reason),
            Event::Runner(reply) => self.ran(*reply),
            Event::RunnerDied(words) => self.runner_died(words),
            Event::Fetched(number, file) => self.fetched(number, file),
            Event::Copied(true) => self.say(Message::Copied),
            Event::Copied(false) => self.say(Message::NotCopied),
            Event::Joined(joined) => self.joined(joined),
            Event::Gpu(found) => self.gpu(found),
            Event::Fed(case, position, feeding) => {
                if let Some(case) = self.case_mut(case) {
                    case.runs.inputs.insert(position, feeding);
                }
            }
            Event::Elapsed(Timer::Timeout(id)) => self.timed_out(id),
            Event::Elapsed(Timer::Ping(id)) => self.ping(id),
            Event::Elapsed(Timer::Tick(case, number)) => self.tick(case, number),
            Event::Elapsed(Timer::Eviction(case, number)) => self.next_eviction(case, number),
            Event::Elapsed(Timer::Rest(case, number)) => self.rest(case, number),
            Event::Elapsed(Timer::Fade(number)) => self.fade(number),
            Event::Elapsed(Timer::Typed(case, number)) => self.typed(case, number),
            Event::Second(id, answered) => self.second(id, answered),
        }
    }

    /// Updates everything that depends on what has changed.
    fn propagate(&mut self) {
        self.follow_gpu();
        self.follow_clocks();
        self.follow_films();
        self.follow_explanations();
        self.follow_background();
        self.follow_eviction_films();
        self.work_by_hand();
        self.follow_pair();
        self.open_later();
        self.follow_prices();
        self.unpack_text();
        self.proceed();
        self.show_turns();
        self.follow_prices();
        let work = self.work();
        let open = self
            .shown()
            .any(|case| case.is_open() || case.wants_something());
        let there = self.shown().next().is_some() || self.page.notice.is_some();
        let later = !self.opening.later.is_empty();
        let explains = self.explains();
        self.page
            .idle
            .put(!work.is_busy() && !open && there && !later && !explains);
        self.page.work.put(work);
        let waiting = self.opening.waiting.names();
        self.page.waiting.put(waiting);
        let completes = self.opening.other.names();
        self.page.completes.put(completes);
        // What the page has found out itself is no step that Back could lead to.
        let restoring = self.restoring;
        self.restoring |= self.follow_comparisons();
        self.leave_trace();
        self.restoring = restoring;
    }

    /// What the person waits for.
    fn work(&self) -> Work {
        if let Some(name) = self.fetching().or_else(|| self.opening.name()) {
            return Work::Opening(name.to_owned());
        }
        let outstanding = self.worker_queue.outstanding.as_ref();
        let seen = outstanding.filter(|asked| self.case(asked.case).is_shown());
        match seen.map(|asked| &asked.kind) {
            Some(QuestionKind::Opening) => {
                let file = seen.and_then(|asked| self.case(asked.case).file.as_ref());
                Work::Opening(file.map(|file| file.name.clone()).unwrap_or_default())
            }
            Some(QuestionKind::Preparing | QuestionKind::Rewriting(_)) => {
                let (done, total) = self.worker_queue.preparing;
                Work::Preparing(done, total)
            }
            Some(
                QuestionKind::Planning(_) | QuestionKind::Finishing(..) | QuestionKind::Filming(_),
            ) => Work::Planning,
            // These are answered beside whatever the person does.
            Some(
                QuestionKind::JudgingEdit
                | QuestionKind::Explaining(..)
                | QuestionKind::Exporting(..)
                | QuestionKind::Asking(_),
            ) => Work::Idle,
            None => {
                let active = self.active();
                let unfound = active.file.is_some() && active.prepared.is_none();
                if unfound && !active.queue.stale {
                    Work::Stopped
                } else {
                    Work::Idle
                }
            }
        }
    }

    fn act(&mut self, case: Option<CaseId>, action: Action) {
        let id = case.unwrap_or(*self.active);
        if !action.follows() {
            self.restoring = false;
            // Whatever else is done, the slider is let go of.
            self.sliding = matches!(
                action,
                Action::Stages(StagesAction::Slide(_))
                    | Action::Training(TrainingAction::Budget(_))
            );
            self.opening.active = None;
            self.write_films();
        }
        if action.turns_to_case() && self.known(id).is_some() {
            self.active.put(id);
        }
        match action {
            Action::Case(action) => self.arrange(id, action),
            Action::Page(action) => self.appear(action),
            Action::Bind(name, Some(value)) => self.bind(id, name, value),
            Action::Bind(name, None) => self.unbind(id, &name),
            Action::Planning(action) => self.choose(id, action),
            Action::Show(column, show) => self.show_column(id, column, show),
            Action::SideBySide => self.side_by_side(id),
            Action::Plan(column) => self.plan(id, column),
            Action::Cancel => self.cancel(),
            Action::GoOn => self.replan(id),
            Action::Hover(index) => self.hover(id, index),
            Action::Select(index) => self.choose_buffer(id, index),
            Action::Search(query) => {
                if let Some(case) = self.case_mut(id) {
                    case.query.put(query);
                }
            }
            Action::Look(window) => self.look_at(id, window),
            Action::LookAgain(turn) => self.look_again(id, turn),
            Action::OwnScale(own) => {
                if let Some(case) = self.case_mut(id) {
                    case.own_scale.put(own);
                }
            }
            Action::TimeAxis(timed) => self.time_axis(id, timed),
            Action::Color(coloring) => {
                if let Some(case) = self.case_mut(id) {
                    case.coloring.put(Some(coloring));
                }
            }
            Action::Turn(tab) => {
                self.turn_to(tab);
                self.open_panel(Panel::Sheet, true);
            }
            Action::Export(column) => self.export(id, column),
            Action::Run(action) => self.run(id, action),
            Action::Hand(action) => self.hand(id, action),
            Action::Differ(action) => self.differ(id, action),
            Action::Film(action) => self.film(id, action),
            Action::Insight(action) => self.ask_of_plan(id, action),
            Action::Advice(action) => self.advise(id, action),
            Action::Stages(action) => self.stage(id, &action),
            Action::Training(action) => self.train(id, action),
            Action::Text(action) => self.edit_text(id, action),
            Action::Sweep(action) => self.sweep(id, action),
            Action::Lesson(action) => self.learn(action),
            Action::Copy(text) => self.effects.push(Effect::Copy(text)),
            Action::Notify(message) => self.say(message),
            Action::NotInCsv(pairs) => self.page.notice.put(Some(Notice::NotInCsv(pairs))),
            Action::Dismiss => self.dismiss(),
        }
    }

    /// Opens and closes cases, and turns to them.
    fn arrange(&mut self, id: CaseId, action: CaseAction) {
        match action {
            CaseAction::OpenFiles(given, _) if given.is_empty() => {}
            CaseAction::OpenFiles(given, at) => {
                self.page.notice.put(None);
                self.leave_scene();
                let at = self.room(at);
                self.open_files(id, given, at);
            }
            CaseAction::ReadAs(columns) => {
                self.page.notice.put(None);
                self.open_table(columns);
            }
            CaseAction::ReadRange(range) => {
                self.page.notice.put(None);
                self.open_range(range);
            }
            CaseAction::OpenSample(sample, at) => {
                self.page.notice.put(None);
                self.leave_scene();
                let at = self.room(at);
                let wanted = Fragment {
                    sample: Some(sample),
                    ..Fragment::default()
                };
                self.open_sample(OpenTarget { at, of: id }, wanted);
            }
            CaseAction::Duplicate => self.duplicate(id),
            CaseAction::Close(case) => self.close(case),
            CaseAction::Reveal(case) => self.reveal(case),
            CaseAction::LinkAxes(linked) => self.link_axes(linked),
            // Whatever is done to a case turns to it.
            CaseAction::Activate => {}
        }
    }

    /// Changes how the page looks.
    fn appear(&mut self, action: PageAction) {
        let page = &mut self.page;
        match action {
            PageAction::Keys(on) => page.keys.put(on),
            PageAction::Dialog(dialog) => page.dialog.put(dialog),
            PageAction::Measure(size) => page.size.put(size),
            PageAction::Resize(window) => page.frame.window = window,
            PageAction::Open(panel, open) => self.open_panel(panel, open),
            PageAction::Stretch(panel, size) => self.resize_panel(panel, size),
            PageAction::Enter(mode) => page.frame.enter(mode),
            PageAction::Focus(focus) => {
                page.frame.focus = focus && page.frame.mode != Mode::Embedded;
            }
            PageAction::Darken(dark) => page.dark.put(dark),
            PageAction::Calm(calm) => page.calm.put(calm),
            PageAction::Speak(language) => {
                page.language.put(language);
                let remembered = Remembered::Language(language);
                self.effects.push(Effect::Remember(remembered));
                self.rename_samples();
            }
            PageAction::Paint(theme) => {
                page.theme.put(theme);
                let remembered = Remembered::Theme(theme);
                self.effects.push(Effect::Remember(remembered));
            }
            PageAction::Draw(drawing) => {
                page.drawing.put(drawing);
                let remembered = Remembered::Drawing(drawing);
                self.effects.push(Effect::Remember(remembered));
            }
            PageAction::AnswerGpu(there) => {
                page.webgpu.put(Some(there));
                // Chosen by hand, it must not fail in silence.
                if !there && *page.drawing == Drawing::Wgpu {
                    self.say(Message::NoWebgpu);
                }
            }
        }
    }

    /// Beside what is open where there is room for another case, else in place of it.
    fn room(&self, at: Where) -> Where {
        if self.shown().count() < MOST_CASES {
            at
        } else {
            Where::Instead
        }
    }

    fn bind(&mut self, id: CaseId, name: String, value: u64) {
        let Some(case) = self.case_mut(id) else {
            return;
        };
        case.bindings.insert(name, value.max(1));
        self.rebound(id);
    }

    /// A count goes back to what shapes allow; any other dimension needs a number.
    fn unbind(&mut self, id: CaseId, name: &str) {
        let Some(case) = self.case_mut(id) else {
            return;
        };
        let mut symbols = case.file.iter().flat_map(|file| &file.opened.symbols);
        if !symbols.any(|symbol| symbol.at_most && symbol.name == name) {
            return self.say(Message::BindWhole);
        }
        case.bindings.remove(name);
        self.rebound(id);
    }

    /// Remembers what dimensions are bound to, and plans with it.
    fn rebound(&mut self, id: CaseId) {
        let Some(case) = self.case_mut(id) else {
            return;
        };
        case.hand.wanted.clear();
        let bindings = case.bindings.clone();
        let file = case.file.as_ref();
        if let Some(key) = file.map(|file| Memory::key(&file.name, file.bytes)) {
            self.memory.bindings.insert(key.clone(), bindings.clone());
            let remembered = Remembered::Bindings(key, bindings);
            self.effects.push(Effect::Remember(remembered));
        }
        self.replan(id);
    }

    /// Chooses a buffer; who chooses none once more is done with the witness of a bound, too.
    fn choose_buffer(&mut self, id: CaseId, index: Option<usize>) {
        if index.is_none()
            && let Some(case) = self.case_mut(id)
            && case.selected.is_none()
        {
            case.planning.witness.put(None);
        }
        self.select(id, index);
    }

    fn dismiss(&mut self) {
        self.opening.waiting.clear();
        self.opening.other.clear();
        self.forget_table();
        self.page.notice.put(None);
    }
}
