//! Scenes of lessons: what is open for them, what is hidden, what is right.
//!
//! The page plays the lesson; here is what a scene does to the state, so that the real film,
//! what-if and settings are what is seen.

use std::collections::BTreeSet;
use std::sync::Arc;

use lesson::{Edit, Instance, Lesson, Problem, Scene};
use planner::load::Columns;
use planner::{Bytes, Offset, Settings};
use worker::{Asked, CaseId, Found, Packed};

use crate::asks::Background;
use crate::model::appearance::Tab;
use crate::model::ask::Answer;
use crate::model::case::Case;
use crate::model::effect::Effect;
use crate::model::given::Given;
use crate::model::learn::{LessonAction, Shown};
use crate::model::link::Fragment;
use crate::model::notice::Notice;
use crate::model::opening::{OpenTarget, Where, Wish};
use crate::model::source::Source;
use crate::model::state::State;
use crate::model::worker_queue::Envelope;
use crate::opening::first_sample;

impl State {
    pub(crate) fn learn(&mut self, action: LessonAction) {
        match action {
            LessonAction::Show(shown) => self.show_scene(*shown),
            LessonAction::At(at) => {
                let first = self.shown().next().map(|case| case.id);
                if let Some(id) = first {
                    let wanted = Fragment::read(&at, self.tabs).0;
                    self.begin_tab(&wanted);
                    self.show(id, wanted);
                }
            }
            LessonAction::Hide(hidden) => self.page.hidden.put(hidden),
            LessonAction::Measure(asked) => {
                self.page.measured.of = Some(*asked);
                self.page.measured.found.put(Answer::Working(0, 0));
            }
            LessonAction::Fail(name, why) => {
                self.visited = None;
                // What is played goes on.
                if self.page.scene.is_none() {
                    self.open_first_sample();
                }
                self.page.notice.set(Some(Notice::NoLesson(name, why)));
            }
            LessonAction::Leave => {
                self.leave_scene();
                let source = self.active().queue.source.as_ref();
                if source.is_some_and(Source::is_of_lesson) {
                    self.open_sample(self.instead(), first_sample());
                }
            }
        }
    }

    /// Whether a link leads to a scene that is not there yet: the player is told.
    pub(crate) fn leads_to_scene(&mut self, wanted: &[Fragment]) -> bool {
        let first = wanted.first();
        let Some(link) = first.and_then(|it| it.lesson.clone()) else {
            self.leave_scene();
            return false;
        };
        let same = self.page.scene.as_ref() == Some(&link);
        let open = self.shown().next().zip(first);
        if same && open.is_some_and(|(case, wanted)| case.is_of(wanted, None)) {
            return false;
        }
        let at = first.map(Fragment::within_scene).unwrap_or_default();
        self.visited = Some(link.clone());
        self.effects.push(Effect::Learn { link, at });
        true
    }

    /// No scene is shown any longer.
    pub(crate) fn leave_scene(&mut self) {
        if self.page.scene.is_some() {
            // A scene may have had rectangles move without Shift.
            self.page.handy.put(false);
        }
        self.page.scene.put(None);
        self.page.hidden.put(BTreeSet::new());
        self.page.measured.found.put(Answer::Unasked);
        let mut frame = self.page.frame.clone();
        frame.teach(None);
        self.page.frame.put(frame);
    }

    fn show_scene(&mut self, shown: Shown) {
        // Where the address bar led there, it has its entry: another would take Forward away.
        self.restoring = self.visited.take().is_some_and(|link| link == shown.link);
        self.page.scene.put(Some(shown.link.clone()));
        self.page.hidden.put(shown.hidden);
        self.page.measured.found.put(Answer::Unasked);
        self.page.notice.put(None);
        let (mut wanted, ignored) = Fragment::read(&shown.at, self.tabs);
        self.say_ignored(ignored);
        let first = self.shown().next().map(|case| case.id);
        let others: Vec<CaseId> = self.shown().skip(1).map(|case| case.id).collect();
        for other in others {
            self.close(other);
        }
        if let Some(first) = first {
            self.active.put(first);
        }
        let text = shown.problem.file().map(|(text, _)| text);
        let files = text.map(|text| vec![Given::text(&shown.name, &text)]);
        match files {
            None => {
                if let Problem::Sample(sample) = shown.problem {
                    wanted.sample = Some(sample);
                }
            }
            Some(_) => wanted.file = Some(shown.name.clone()),
        }
        let same = first.filter(|id| {
            let case = self.case(*id);
            let source = case.queue.source.as_ref();
            let holds = files
                .as_ref()
                .is_none_or(|files| source.is_some_and(|it| it.files == *files));
            case.is_of(&wanted, None) && holds
        });
        self.begin_tab(&wanted);
        match (same, files) {
            (Some(id), _) => self.show(id, wanted),
            (None, None) => self.open_sample(self.instead(), wanted),
            (None, Some(files)) => self.open_text(shown.name, files, wanted),
        }
    }

    /// The tables that it wants, or none.
    fn begin_tab(&mut self, wanted: &Fragment) {
        let tables = wanted.tab.is_some() || wanted.film.is_some();
        if !tables {
            self.page.tab.put(Tab::COMPARE);
        }
        self.page.frame.teach(Some(tables));
    }

    fn open_text(&mut self, name: String, files: Vec<Given>, wanted: Fragment) {
        let source = Source {
            visit: None,
            sample: None,
            files,
            columns: Columns::default(),
            range: None,
            shared: None,
            text: None,
            name,
        };
        let place = OpenTarget {
            at: Where::Instead,
            of: *self.active,
        };
        self.open(Wish::new(source, place, wanted));
    }

    /// Whether what is open has no link now: the problem of a scene is not there yet, and would be
    /// written with what was open before; or the scene is left, and its problem is still there.
    pub(crate) fn is_between_scenes(&self, opens: bool) -> bool {
        let source = |case: &Case| case.queue.source.as_ref().is_some_and(Source::is_of_lesson);
        match *self.page.scene {
            Some(_) => opens || self.fetching().is_some(),
            None => self.shown().any(source),
        }
    }

    /// What is right in the scene that is shown is asked before anything else.
    pub(crate) fn measure_message(&mut self) -> Option<Envelope> {
        let case = *self.active;
        if self.fetching().is_some() || self.known(case).is_none() {
            return None;
        }
        Asked::message(self, case)
    }
}

impl Background for Asked {
    fn message(state: &mut State, case: CaseId) -> Option<Envelope> {
        let measured = &state.page.measured;
        let of = measured
            .of
            .clone()
            .filter(|_| measured.found.is_working())?;
        if !state.case(case).queue.held {
            return state.open_again(case);
        }
        Some(state.ask_behind(case, of, Vec::new()))
    }

    fn found(state: &mut State, _: CaseId, found: Packed<Found>) -> Option<()> {
        if state.page.measured.found.is_working() {
            let found = Answer::There(Arc::new(found));
            state.page.measured.found.put(found);
        }
        Some(())
    }

    fn unanswered(state: &mut State, _: CaseId) {
        if state.page.measured.found.is_working() {
            state.page.measured.found.put(Answer::Stopped);
        }
    }
}

/// What is asked of a scene: its figures, and what they are about.
#[must_use]
pub fn asked(lesson: &Lesson, scene: &Scene) -> Asked {
    let problem = lesson.problems.get(&scene.problem);
    let setups = scene.setups().into_iter().filter_map(|name| {
        let setup = lesson.setups.get(name)?;
        let problem = lesson.problems.get(&setup.problem)?;
        Some((
            name.to_owned(),
            instance(&setup.problem, problem, &setup.at),
        ))
    });
    Asked {
        own: problem.map_or_else(Instance::default, |it| {
            instance(&scene.problem, it, &scene.at)
        }),
        problem: problem.cloned(),
        setups: setups.collect(),
        scene: scene.clone(),
    }
}

/// What a problem's file is called.
#[must_use]
pub fn file_name(lesson: &Lesson, problem: &str) -> String {
    let ending = lesson.problems.get(problem).and_then(Problem::file);
    let ending = ending.map_or("", |(_, ending)| ending);
    format!("{}-{problem}.{ending}", lesson.lesson)
}

/// A problem, planned as `at` says.
fn instance(name: &str, problem: &Problem, at: &str) -> Instance {
    let wanted = Fragment::read(at, &[]).0;
    let edits = wanted.handiwork.iter().flat_map(|(column, puts)| {
        puts.iter().map(|put| Edit {
            plan: column.name().to_owned(),
            buffer: put.name.clone(),
            offset: Offset(put.at),
        })
    });
    Instance {
        name: name.to_owned(),
        text: problem.file().map(|(text, _)| text),
        edits: edits.collect(),
        settings: Settings {
            passes: wanted.passes,
            parallel: wanted.parallel,
            arena: wanted.arena.unwrap_or_default(),
            until: wanted.stage,
            training: wanted.training,
            largest_allocation: wanted.largest_allocation.map(Bytes),
            ..Settings::default()
        },
        alignment: wanted.alignment,
        io: wanted.io,
        bindings: wanted.bindings,
        pools: wanted.pools,
        effort: wanted.effort,
    }
}
