//! The player: which scene is shown, and how far its question is.

use std::sync::Arc;

use conversation::{
    Action, Answer as Answered, InsightAction, LessonAction, RunAction, Shown, asked, file_name,
};
use leptos::prelude::*;
use lesson::{
    Answer, Doubt, Feedback, Lesson, Measured, Predict, Problem, Right, Scene, Text, Unmeasured,
    Verdict, judge, read,
};
use planner::{Message, Step, message};
use worker::Packed;

use super::{channel, fetched, progress};
use crate::state::driver::act;
use crate::state::session::Session;
use crate::strings::LearnWord;

/// What is said of an answer.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Said {
    /// It is right.
    Right,
    /// More is asked for.
    Partly,
    /// It is wrong; why, where the lesson says it.
    Wrong(Option<Text>),
    /// So far it is not what is asked for; why.
    NotYet(Text),
    /// It is no answer.
    Nothing,
}

/// The scene that is played, and what was done in it.
#[derive(Clone, Copy)]
pub(crate) struct Player {
    pub(super) session: Session,
    pub(super) lesson: RwSignal<Option<Arc<Lesson>>>,
    /// Which of its scenes.
    pub(super) at: RwSignal<usize>,
    /// What was said last.
    pub(super) said: RwSignal<Option<Said>>,
    /// Whether the answer is there: found, or shown.
    pub(super) done: RwSignal<bool>,
    /// Whether it was shown.
    pub(super) given_up: RwSignal<bool>,
    pub(super) hinted: RwSignal<bool>,
    /// What was pointed at, or put in this order.
    pub(super) names: RwSignal<Vec<String>>,
    pub(super) stars: RwSignal<Option<u32>>,
    /// How the scene was shown first: as it is written, or at the moment of a link.
    pub(super) from: RwSignal<String>,
    /// What the lecturer's window calls this one.
    pub(super) window: StoredValue<String>,
    /// How many scenes were shown.
    pub(super) shown: RwSignal<u32>,
    /// The activations that are given up, one bit for each.
    pub(super) dropped: RwSignal<u32>,
    /// Whether the picture is covered, before a class.
    pub(super) blank: RwSignal<bool>,
    /// The lesson came as a file: its author is told what is doubtful.
    pub(super) own: RwSignal<bool>,
}

thread_local! {
    static PLAYER: std::cell::OnceCell<(Owner, Player)> = const { std::cell::OnceCell::new() };
}

/// The player of this page.
pub(super) fn player(session: Session) -> Player {
    let make = || {
        let owner = Owner::new_root(None);
        let player = owner.with(|| Player::new(session));
        (owner, player)
    };
    PLAYER.with(|kept| kept.get_or_init(make).1)
}

/// Shows a scene of the list, whatever file of the same name is played.
pub(super) fn begin(session: Session, link: &str) {
    let player = player(session);
    if player.own.get_untracked() {
        player.lesson.set(None);
    }
    follow(session, link, "");
}

/// Shows the scene of a link, at a moment of it.
pub(crate) fn follow(session: Session, link: &str, at: &str) {
    let player = player(session);
    let (name, scene) = link.split_once(':').unwrap_or((link, ""));
    let (name, scene, at) = (name.to_owned(), scene.to_owned(), at.to_owned());
    let known = player.lesson.get_untracked();
    let same = |lesson: &Arc<Lesson>| lesson.lesson == name && lesson.scene(&scene).is_some();
    if let Some(lesson) = known.filter(same) {
        player.begin(&lesson, &scene, &at);
        return;
    }
    wasm_bindgen_futures::spawn_local(async move {
        let why = match fetched::lesson(&name).await {
            Ok(Some(lesson)) => {
                player.own.set(false);
                return player.begin(&lesson, &scene, &at);
            }
            Ok(None) => Message::verbatim(session.say(LearnWord::Unknown)),
            Err(why) => why,
        };
        act(session, Action::Lesson(LessonAction::Fail(name, why)));
    });
}

/// Plays the text of a lesson; what cannot be read of it is said.
pub(crate) fn play(session: Session, name: &str, text: &str) {
    let read = read(text).map_err(|why| why.message());
    let read = read.and_then(|lesson| match unplayable(session, &lesson) {
        Some(why) => Err(why),
        None => Ok(lesson),
    });
    match read {
        Ok(lesson) => {
            let player = player(session);
            player.own.set(true);
            player.begin(&Arc::new(lesson), "", "");
        }
        Err(why) => {
            let failed = LessonAction::Fail(name.to_owned(), why);
            act(session, Action::Lesson(failed));
        }
    }
}

/// The seed of the day: its date, by the clocks of Greenwich, so that it is the same for everybody.
pub(super) fn today() -> String {
    let now = js_sys::Date::new_0().to_iso_string();
    let date = String::from(now);
    date.split('T').next().unwrap_or_default().to_owned()
}

/// What of a link counts in a scene that is not answered: the moment of a film, what is looked at,
/// and what was moved where that is the answer. All else is as the scene has it.
fn moment(scene: &Scene, link: &str) -> String {
    const LOOKS: [&str; 6] = ["film", "view", "select", "color", "scale", "axis"];
    let by_hand = matches!(scene.predict, Predict::Place(_) | Predict::Corrupt(_));
    let counts = |part: &&str| {
        let key = part.split('=').next().unwrap_or_default();
        LOOKS.contains(&key) || by_hand && key == "edit"
    };
    let own = scene.at.split('&').filter(|part| !part.is_empty());
    let parts: Vec<&str> = own.chain(link.split('&').filter(counts)).collect();
    parts.join("&")
}

/// Why a lesson cannot be played at all; `None` where it can.
fn unplayable(session: Session, lesson: &Lesson) -> Option<Message> {
    let known = |problem: &Problem| match problem {
        Problem::Sample(sample) => {
            session.state(|state| state.samples.iter().any(|it| it.id == *sample))
        }
        _ => true,
    };
    let lost = |scene: &&Scene| !lesson.problems.get(&scene.problem).is_some_and(known);
    let lost = lesson.scenes.iter().find(lost);
    let doubt = match lost {
        Some(scene) => message!(
            "{}: {}",
            scene.id,
            message!("it is of no problem of the lesson")
        ),
        None if lesson.scenes.is_empty() => {
            message!("{}: {}", lesson.lesson, message!("it has no scene"))
        }
        None => return None,
    };
    Some(doubt)
}

impl Player {
    fn new(session: Session) -> Self {
        let player = Self {
            session,
            lesson: RwSignal::new(None),
            at: RwSignal::new(0),
            said: RwSignal::new(None),
            done: RwSignal::new(false),
            given_up: RwSignal::new(false),
            hinted: RwSignal::new(false),
            names: RwSignal::new(Vec::new()),
            stars: RwSignal::new(None),
            from: RwSignal::new(String::new()),
            window: StoredValue::new(channel::own()),
            shown: RwSignal::new(0),
            dropped: RwSignal::new(0),
            blank: RwSignal::new(false),
            own: RwSignal::new(false),
        };
        super::fetch_sheet();
        Effect::new(move |_| {
            let blank = player.blank.get() && player.session.taught.scene.with(Option::is_some);
            if let Some(body) = document().body() {
                // The style sheet covers the picture.
                let _ = body.set_attribute("data-blank", if blank { "true" } else { "false" });
            }
        });
        super::moves::follow(player);
        channel::follow(player);
        player
    }

    /// Begins with a scene of a lesson, the first where there is none of that name.
    fn begin(self, lesson: &Arc<Lesson>, scene: &str, at: &str) {
        let seeded = lesson.is_random().then(|| {
            let seed = if scene.is_empty() {
                today()
            } else {
                scene.to_owned()
            };
            Arc::new(lesson.seeded(&seed))
        });
        let scene = if seeded.is_some() { "" } else { scene };
        let lesson = seeded.as_ref().unwrap_or(lesson);
        let found = lesson.scene(scene).map(|(index, _)| index);
        if found.is_none() && !scene.is_empty() {
            let why = Message::verbatim(self.session.say(LearnWord::Unknown));
            let name = format!("{}:{scene}", lesson.lesson);
            act(self.session, Action::Lesson(LessonAction::Fail(name, why)));
            return;
        }
        self.lesson.set(Some(Arc::clone(lesson)));
        self.show(found.unwrap_or(0), at);
    }

    /// Shows a scene, at a moment of it; empty for its beginning.
    pub(super) fn show(self, index: usize, at: &str) {
        let Some(lesson) = self.lesson.get_untracked() else {
            return;
        };
        let Some(scene) = lesson.scenes.get(index) else {
            return;
        };
        let Some(problem) = lesson.problems.get(&scene.problem) else {
            return;
        };
        self.at.set(index);
        self.shown.update(|count| *count += 1);
        self.clear();
        let at = &moment(scene, at);
        self.from.set(at.to_owned());
        let shown = Shown {
            link: format!("{}:{}", lesson.lesson, scene.id),
            name: file_name(&lesson, &scene.problem),
            problem: problem.clone(),
            at: at.to_owned(),
            hidden: scene.hidden.iter().copied().collect(),
        };
        // What an earlier scene pointed out is over.
        act(self.session, Action::Insight(InsightAction::Clear));
        let by_hand = matches!(scene.predict, Predict::Place(_) | Predict::Corrupt(_));
        act(self.session, Action::Run(RunAction::Handy(by_hand)));
        act(
            self.session,
            Action::Lesson(LessonAction::Show(Box::new(shown))),
        );
        if let Some(asked) = Packed::new(&asked(&lesson, scene)) {
            let measure = LessonAction::Measure(Box::new(asked));
            act(self.session, Action::Lesson(measure));
        }
        if let Predict::List(list) = &scene.predict {
            self.names
                .set(list.items.iter().map(|(id, _)| id.clone()).collect());
        }
        if let Predict::Operators(_) = &scene.predict {
            self.names.set(super::ordered::operators(problem));
        }
    }

    fn clear(self) {
        self.said.set(None);
        self.done.set(false);
        self.given_up.set(false);
        self.hinted.set(false);
        self.names.set(Vec::new());
        self.stars.set(None);
        self.dropped.set(0);
    }

    /// The scene that is played; follows it.
    pub(super) fn scene(self) -> Option<Scene> {
        let lesson = self.lesson.get()?;
        lesson.scenes.get(self.at.get()).cloned()
    }

    /// Goes to the scene before or after; whether there is one.
    pub(super) fn go(self, on: bool) -> bool {
        let at = self.at.get_untracked();
        let next = if on {
            at.checked_add(1)
        } else {
            at.checked_sub(1)
        };
        let count = self
            .lesson
            .with_untracked(|it| it.as_ref().map_or(0, |it| it.scenes.len()));
        let next = next.filter(|next| *next < count);
        if let Some(next) = next {
            self.show(next, "");
        }
        next.is_some()
    }

    /// What is right, or why it cannot be said; `None` until it is known. Follows it.
    pub(super) fn measured(self) -> Option<Result<(Measured, Vec<Doubt>), Unmeasured>> {
        match self.session.taught.measured.get() {
            Answered::Unasked | Answered::Working(..) => None,
            Answered::There(found) => found.open(),
            Answered::Nothing | Answered::Stopped => {
                Some(Err(Unmeasured::NotThere(message!("worker"))))
            }
        }
    }

    /// Takes an answer.
    pub(super) fn answer(self, answer: &Answer) {
        if self.done.get_untracked() {
            return;
        }
        let Some(scene) = untrack(|| self.scene()) else {
            return;
        };
        let Some(Ok((measured, _))) = untrack(|| self.measured()) else {
            return;
        };
        let stars = match answer {
            Answer::Placed { arena, faults: 0 } => lesson::stars(&measured, *arena),
            Answer::Ordered(Some(peak)) => lesson::stars(&measured, *peak),
            Answer::GivenUp(set) => measured.right.stars_of(*set),
            _ => None,
        };
        self.stars.set(stars);
        if let (Some(stars @ 1..), Some(lesson)) = (stars, self.kept_as()) {
            progress::note(&lesson, &scene.id, stars);
        }
        match judge(&scene, &measured, answer) {
            Verdict::Right => {
                self.said.set(Some(Said::Right));
                self.finish(&scene, stars.unwrap_or(0));
            }
            Verdict::Partly => self.said.set(Some(Said::Partly)),
            // On the way from one place to another there is no wrong answer.
            Verdict::Wrong(Some(says))
                if matches!(answer, Answer::Placed { .. } | Answer::Corrupted(_)) =>
            {
                self.said.set(Some(Said::NotYet(says.says.clone())));
            }
            Verdict::Wrong(says) => {
                self.said
                    .set(Some(Said::Wrong(says.map(|it| it.says.clone()))));
                if let Some(says) = says {
                    self.point_out(says);
                }
            }
        }
    }

    /// Shows in the picture what is said.
    fn point_out(self, says: &Feedback) {
        if let Some(step) = says.step {
            let look = InsightAction::Step(Some(Step(step)));
            act(self.session, Action::Insight(look));
        }
        if let Some(name) = &says.select {
            self.select(name);
        }
    }

    /// Selects the buffer of this name, if there is one.
    pub(super) fn select(self, name: &str) {
        let found = untrack(|| {
            self.session.with_lifetimes(|lifetimes| {
                let mut buffers = lifetimes.buffers.iter();
                buffers.position(|buffer| buffer.name == name)
            })
        });
        if let Some(Some(index)) = found {
            act(self.session, Action::Select(Some(index)));
        }
    }

    /// The answer is there: nothing is hidden any more but what a later scene asks for.
    fn finish(self, scene: &Scene, stars: u32) {
        self.done.set(true);
        act(
            self.session,
            Action::Lesson(LessonAction::Hide(scene.keeps.iter().copied().collect())),
        );
        if !scene.then.is_empty() {
            let then = LessonAction::At(scene.then.clone());
            act(self.session, Action::Lesson(then));
        }
        if let Some(lesson) = self.kept_as().filter(|_| !self.given_up.get_untracked()) {
            progress::note(&lesson, &scene.id, stars);
        }
    }

    /// Under which name the browser keeps what was answered of the lesson; follows nothing. A file
    /// may have the name of a lesson in the list, and is another.
    pub(super) fn kept_as(self) -> Option<String> {
        let from = if self.own.get_untracked() {
            "file:"
        } else {
            ""
        };
        let name = |it: &Arc<Lesson>| format!("{from}{}", it.lesson);
        self.lesson.with_untracked(|it| it.as_ref().map(name))
    }

    /// Whether this choice is the right one, as far as that is known. Follows it.
    pub(super) fn is_right_choice(self, id: &str) -> bool {
        match self.measured() {
            Some(Ok((measured, _))) => match measured.right {
                Right::Choices(hold) => hold.iter().any(|it| it == id),
                _ => false,
            },
            _ => false,
        }
    }

    /// Shows the answer.
    pub(super) fn give_up(self) {
        let Some(scene) = untrack(|| self.scene()).filter(|_| !self.done.get_untracked()) else {
            return;
        };
        if !matches!(untrack(|| self.measured()), Some(Ok(_))) {
            return;
        }
        self.given_up.set(true);
        self.said.set(None);
        super::moves::show_answer(self, &scene);
        self.finish(&scene, 0);
    }

    /// Leaves lessons.
    pub(super) fn leave(self) {
        act(self.session, Action::Lesson(LessonAction::Leave));
        self.lesson.set(None);
    }
}
