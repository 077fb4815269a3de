//! What is doubtful in a lesson: names that lead nowhere, texts that are missing or too long,
//! figures that are not what is measured.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::measure::Measure;
use crate::measured::{Measured, Right};
use crate::model::{Lesson, Problem};
use crate::numbers::{numbers, says};
use crate::predict::{Feedback, Predict};
use crate::scene::Scene;
use crate::text::Text;
use planner::{Message, impl_message, message};

/// A text of a scene has at most so many words in English, and so many characters in Chinese.
const MOST_WORDS: usize = 45;
const MOST_CHARACTERS: usize = 110;

/// Units of a thousand, which no picture has.
const DECIMAL_UNITS: [&str; 3] = ["kB", "MB", "GB"];

/// Something doubtful, and where.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Doubt {
    /// Where: a lesson or a scene, and the text.
    pub place: Message,
    /// What.
    pub what: Message,
}

impl Doubt {
    fn new(place: Message, what: Message) -> Self {
        Self { place, what }
    }

    fn of(scene: &Scene, what: Message) -> Self {
        Self::new(Message::verbatim(&scene.id), what)
    }

    /// It in words.
    #[must_use]
    pub fn message(&self) -> Message {
        message!("{}: {}", self.place, self.what)
    }
}

impl_message!(Doubt);

/// What is doubtful in a lesson before anything is planned.
#[must_use]
pub fn check(lesson: &Lesson) -> Vec<Doubt> {
    let mut doubts = Vec::new();
    let name = || Message::verbatim(&lesson.lesson);
    let own = |what: Message| Doubt::new(name(), what);
    if !is_name(&lesson.lesson) {
        doubts.push(own(message!("its name is to be small letters and hyphens")));
    }
    if lesson.scenes.is_empty() {
        doubts.push(own(message!("it has no scene")));
    }
    for text in [&lesson.title, &lesson.teaches, &lesson.breaks] {
        missing(&name(), text, &mut doubts);
    }
    for (name, setup) in &lesson.setups {
        if !lesson.problems.contains_key(&setup.problem) {
            let what = message!("setup {} is of no problem of the lesson", name);
            doubts.push(own(what));
        }
    }
    if lesson.is_random() && lesson.scenes.len() > 1 {
        doubts.push(own(message!(
            "a problem from a seed needs a lesson of one scene"
        )));
    }
    let mut ids = BTreeSet::new();
    for scene in &lesson.scenes {
        if !ids.insert(&scene.id) {
            doubts.push(Doubt::of(scene, message!("another scene is called so")));
        }
        if !lesson.problems.contains_key(&scene.problem) {
            doubts.push(Doubt::of(
                scene,
                message!("it is of no problem of the lesson"),
            ));
        }
        check_scene(scene, &mut doubts);
    }
    doubts
}

fn check_scene(scene: &Scene, doubts: &mut Vec<Doubt>) {
    for (name, text) in texts(scene) {
        let place = message!("{}, {}", scene.id, name);
        missing(&place, text, doubts);
        if text.en.split_whitespace().count() > MOST_WORDS
            || text.zh.chars().count() > MOST_CHARACTERS
        {
            let what = message!(
                "it has more than {} words or {} characters",
                MOST_WORDS,
                MOST_CHARACTERS
            );
            doubts.push(Doubt::new(place.clone(), what));
        }
        let said = |unit: &&str| text.both().iter().any(|it| it.1.contains(*unit));
        if let Some(unit) = DECIMAL_UNITS.into_iter().find(|it| said(it)) {
            let what = message!("it says {}, and the picture has KiB, MiB and GiB", unit);
            doubts.push(Doubt::new(place.clone(), what));
        }
    }
    let wrong_term = scene.terms.iter().find(|term| !is_name(term));
    if let Some(term) = wrong_term {
        doubts.push(Doubt::of(scene, message!("{} is no term's name", term)));
    }
    if let Predict::Choose(choices) = &scene.predict {
        let ids: BTreeSet<&str> = choices.iter().map(|it| &*it.id).collect();
        if choices.len() < 2 || ids.len() != choices.len() {
            let what = message!("it needs at least two choices with names of their own");
            doubts.push(Doubt::of(scene, what));
        }
    }
}

/// What is doubtful in a scene of such a problem once it is measured.
#[must_use]
pub fn doubts(problem: Option<&Problem>, scene: &Scene, measured: &Measured) -> Vec<Doubt> {
    let mut doubts = Vec::new();
    for (figure, is) in scene.figures.iter().zip(&measured.figures) {
        if !says(&figure.says, *is) {
            let what = message!("it says {}, and {} is measured", figure.says, is);
            doubts.push(Doubt::of(scene, what));
        }
    }
    unexplained(problem, scene, measured, &mut doubts);
    let mut doubt = |what: Message| doubts.push(Doubt::of(scene, what));
    match (&scene.predict, &measured.right) {
        (Predict::Choose(choices), Right::Choices(hold)) => {
            if hold.len() != 1 {
                doubt(message!("{} of its claims hold, not one", hold.len()));
            }
            for choice in choices {
                if !hold.contains(&choice.id) && choice.feedback.is_none() {
                    doubt(message!("nothing is said to who chooses {}", choice.id));
                }
            }
        }
        (Predict::Number(number), Right::Number(right, traps)) => {
            if number.tolerance < 0.0 {
                doubt(message!("its tolerance is below zero"));
            }
            let near = |trap: &&f64| (*trap - right).abs() <= number.tolerance + 1e-9;
            if let Some(trap) = traps.iter().find(near) {
                doubt(message!("{} is called a mistake and is right", trap));
            }
        }
        (Predict::Point(point), Right::Names(names)) => {
            if names.is_empty() {
                doubt(message!("nothing is right to point at"));
            }
            if let Some(name) = names.iter().find(|name| point.wrong.contains_key(*name)) {
                doubt(message!("{} is called wrong and is right", name));
            }
        }
        (Predict::List(list), Right::Names(names)) => {
            let ids: Vec<&String> = list.items.iter().map(|(id, _)| id).collect();
            if let Some(id) = ids.iter().find(|id| !names.contains(id)) {
                doubt(message!("{} has no place in the right order", id));
            }
        }
        (Predict::Place(place), Right::Bytes { goal, least, .. }) => {
            if goal < least && !place.may_be_impossible {
                doubt(message!("{} cannot be reached: {} is proved", goal, least));
            }
        }
        (Predict::Operators(_), Right::Bytes { .. }) | (Predict::Corrupt(_), Right::OneOutput) => {}
        (Predict::GiveUp(_), Right::Drops { fewest, .. }) => match measured.right.fewest() {
            Some(found) if found.to_string() == fewest.to_string() => {}
            Some(found) => doubt(message!(
                "{} recomputations are the fewest, not {}",
                found,
                fewest
            )),
            None => doubt(message!("no set of activations fits")),
        },
        _ => doubt(message!("what is measured is not what is asked for")),
    }
    doubts
}

/// Numbers that a text says and that nothing explains.
fn unexplained(
    problem: Option<&Problem>,
    scene: &Scene,
    measured: &Measured,
    doubts: &mut Vec<Doubt>,
) {
    let lines = match problem {
        Some(Problem::Csv(lines) | Problem::Graph(lines)) => lines.join("\n"),
        Some(Problem::Sample(_) | Problem::Random(_)) | None => String::new(),
    };
    let mut known: BTreeSet<String> = numbers(&lines).into_iter().collect();
    known.extend(scene.figures.iter().map(|it| it.says.clone()));
    known.extend(scene.given.iter().cloned());
    let steps = feedback(&scene.predict).into_iter();
    known.extend(steps.filter_map(|(_, it)| Some(it.step?.to_string())));
    let mut told: Vec<f64> = Vec::new();
    match &measured.right {
        Right::Number(right, traps) => {
            told.push(*right);
            told.extend(traps);
        }
        Right::Bytes { goal, least, .. } => told.extend([*goal, *least]),
        Right::Names(names) => known.extend(names.iter().cloned()),
        Right::Drops { budget, star, .. } => told.extend([*budget, *star]),
        Right::Choices(_) | Right::OneOutput => {}
    }
    for (name, text) in texts(scene) {
        for (language, text) in text.both() {
            for number in numbers(text) {
                let plain = number.replace(',', "");
                let is_told = told.iter().any(|it| says(&number, *it));
                if !known.contains(&number) && !known.contains(&plain) && !is_told {
                    let place = message!("{}, {}, {}", scene.id, name, language);
                    doubts.push(Doubt::new(
                        place,
                        message!("{} is explained by no figure", number),
                    ));
                }
            }
        }
    }
}

/// Every text of a scene, with what it is.
pub(crate) fn texts(scene: &Scene) -> Vec<(Message, &Text)> {
    let name = |it: &str| Message::verbatim(it);
    let mut texts = vec![
        (name("text"), &scene.text),
        (name("ask"), &scene.ask),
        (name("why"), &scene.why),
    ];
    texts.extend(scene.hint.iter().map(|it| (name("hint"), it)));
    texts.extend(scene.notes.iter().map(|it| (name("notes"), it)));
    if let Predict::Choose(choices) = &scene.predict {
        texts.extend(
            choices
                .iter()
                .map(|it| (message!("choice {}", it.id), &it.text)),
        );
    }
    if let Predict::List(list) = &scene.predict {
        texts.extend(
            list.items
                .iter()
                .map(|(id, it)| (message!("item {}", id), it)),
        );
    }
    let said = feedback(&scene.predict).into_iter();
    texts.extend(said.map(|(name, it)| (name, &it.says)));
    texts
}

/// What is said to answers, with which.
pub(crate) fn feedback(predict: &Predict) -> Vec<(Message, &Feedback)> {
    let name = |it: &str| Message::verbatim(it);
    match predict {
        Predict::Choose(choices) => {
            let said = choices
                .iter()
                .filter_map(|it| Some((it, it.feedback.as_ref()?)));
            said.map(|(choice, it)| (message!("feedback {}", choice.id), it))
                .collect()
        }
        Predict::Number(number) => {
            let traps = number.traps.iter().enumerate();
            let traps = traps.map(|(at, trap)| (message!("trap {}", at + 1), &trap.feedback));
            traps
                .chain([(name("otherwise"), &number.otherwise)])
                .collect()
        }
        Predict::Point(point) => {
            let wrong = point.wrong.iter();
            let wrong = wrong.map(|(name, it)| (message!("wrong {}", name), it));
            wrong
                .chain([(name("otherwise"), &point.otherwise)])
                .collect()
        }
        Predict::Place(place) => {
            let both = [
                (name("overlap"), &place.overlap),
                (name("above"), &place.above),
            ];
            let impossible = place.impossible.iter().map(|it| (name("impossible"), it));
            both.into_iter().chain(impossible).collect()
        }
        Predict::List(list) => {
            let early = list.early.iter();
            let early = early.map(|(name, it)| (message!("early {}", name), it));
            early
                .chain([(name("otherwise"), &list.otherwise)])
                .collect()
        }
        Predict::Corrupt(corrupt) => vec![
            (name("none"), &corrupt.none),
            (name("several"), &corrupt.several),
        ],
        Predict::GiveUp(it) => {
            vec![(name("above"), &it.above), (name("more"), &it.more)]
        }
        Predict::Operators(operators) => vec![
            (name("early"), &operators.early),
            (name("above"), &operators.above),
        ],
    }
}

fn missing(place: &Message, text: &Text, doubts: &mut Vec<Doubt>) {
    for (language, text) in text.both() {
        if text.trim().is_empty() {
            let what = message!("it says nothing in {}", language);
            doubts.push(Doubt::new(place.clone(), what));
        }
    }
}

fn is_name(text: &str) -> bool {
    let letter = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || it == '-';
    !text.is_empty() && text.chars().all(letter)
}

impl Scene {
    /// The setups that its figures speak of.
    #[must_use]
    pub fn setups(&self) -> BTreeSet<&str> {
        let mut names = BTreeSet::new();
        let mut open: Vec<&Measure> = self.figures.iter().map(|it| &it.is).collect();
        match &self.predict {
            Predict::Choose(choices) => {
                let claims = choices.iter().flat_map(|it| &it.claim);
                open.extend(claims.flat_map(|(one, _, other)| [one, other]));
            }
            Predict::Number(number) => {
                open.push(&number.is);
                open.extend(number.traps.iter().map(|trap| &trap.is));
            }
            Predict::Point(point) => open.push(&point.right),
            Predict::List(list) => open.push(&list.right),
            Predict::Place(place) => open.extend(place.stars.iter().chain([&place.goal])),
            Predict::Corrupt(_) => {}
            Predict::GiveUp(it) => open.extend([&it.budget, &it.fewest, &it.star]),
            Predict::Operators(it) => open.extend(it.stars.iter().chain([&it.goal])),
        }
        while let Some(measure) = open.pop() {
            match measure {
                Measure::On(setup, inner) => {
                    names.insert(&**setup);
                    open.push(inner);
                }
                Measure::LivesLongerThan(setup) => {
                    names.insert(setup);
                }
                Measure::Plus(list) | Measure::Least(list) | Measure::Most(list) => {
                    open.extend(list);
                }
                Measure::Less(pair) | Measure::Times(pair) | Measure::Over(pair) => {
                    open.extend([&pair.0, &pair.1]);
                }
                Measure::FullSteps(inner) => open.push(inner),
                _ => {}
            }
        }
        names
    }
}
