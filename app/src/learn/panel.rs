//! The scene beside the picture: what is seen, the question, what is said to the answer.

use leptos::html::Div;
use leptos::prelude::*;
use lesson::{Hidden, Predict, Right, Scene, Text};

use crate::format;
use crate::lazy::GLOSSARY;
use crate::learn::ask::Ask;
use crate::learn::player::{Player, Said, player};
use crate::learn::{progress, tools};
use crate::state::session::{Session, session};
use crate::strings::{LearnWord, filled};
use crate::text::fault::said;

/// The panel.
#[component]
pub(crate) fn Panel() -> impl IntoView {
    let session = session();
    let player = player(session);
    let there = Memo::new(move |_| player.lesson.with(Option::is_some));
    view! {
        <section class="lesson" aria-labelledby="lesson-title" data-scene=move || session.taught.scene.get() data-done=move || player.done.get().to_string()>
            {move || there.get().then(|| view! {
                <Head player/>
                <Body player/>
                <Steps player/>
                {tools::tools(player)}
            })}
        </section>
    }
}

/// A text of the lesson in the language of the page.
pub(super) fn say(session: Session, text: &Text) -> String {
    text.in_language(session.language.get().tag()).to_owned()
}

#[component]
fn Head(player: Player) -> impl IntoView {
    let session = player.session;
    let title = move || {
        player
            .lesson
            .with(|it| it.as_ref().map(|it| say(session, &it.title)))
    };
    let where_at = move || {
        let count = player
            .lesson
            .with(|it| it.as_ref().map_or(0, |it| it.scenes.len()));
        let puzzles = player
            .lesson
            .with(|it| it.as_ref().is_some_and(|it| it.puzzles));
        let word = if puzzles {
            LearnWord::Puzzle
        } else {
            LearnWord::Scene
        };
        let at = [player.at.get() + 1, count].map(|it| it.to_string());
        filled(session.say(word), &at.each_ref().map(String::as_str))
    };
    let dots = move || {
        player.done.track();
        let at = player.at.get();
        player.lesson.with(|lesson| {
            let lesson = lesson.as_ref()?;
            let answered = player.kept_as().map(|name| progress::of(&name));
            let answered = answered.unwrap_or_default();
            let dot = |(index, scene): (usize, &Scene)| {
                let (id, title) = (scene.id.clone(), scene.id.clone());
                view! {
                    <button
                        class="dot"
                        class:answered=answered.contains(&id)
                        aria-current=(index == at).then_some("step")
                        aria-label=id
                        title=title
                        on:click=move |_| player.show(index, "")
                    ></button>
                }
            };
            Some(lesson.scenes.iter().enumerate().map(dot).collect_view())
        })
    };
    view! {
        <header>
            <h2 id="lesson-title">{title}</h2>
            <button
                class="quiet"
                data-do="leave"
                aria-label=move || session.say(LearnWord::Leave)
                title=move || session.say(LearnWord::Leave)
                on:click=move |_| player.leave()
            >
                "×"
            </button>
            <p class="where">{where_at}</p>
            <nav class="dots" aria-label=where_at>{dots}</nav>
        </header>
    }
}

#[component]
fn Body(player: Player) -> impl IntoView {
    let session = player.session;
    let scene = Memo::new(move |_| player.scene());
    let id = Memo::new(move |_| scene.with(|it| it.as_ref().map(|it| it.id.clone())));
    // Made anew for each scene, and not when something is answered.
    let body = move || {
        id.get();
        let scene = scene.get_untracked()?;
        let (text, ask) = (scene.text.clone(), scene.ask.clone());
        Some(view! {
            <div class="body" tabindex="0" role="group" aria-label=move || say(session, &scene.ask)>
                <p class="seen">{move || say(session, &text)}</p>
                <p class="hint" hidden=move || !session.is_hidden(Hidden::Picture)>
                    {move || session.say(LearnWord::Hidden)}
                </p>
                <p class="question">{move || say(session, &ask)}</p>
                <Ask player/>
                <Answered player/>
                <Hint player/>
                <Terms player/>
                <Doubtful player/>
            </div>
        })
    };
    view! { {body} }
}

/// What is said to the answer.
#[component]
fn Answered(player: Player) -> impl IntoView {
    let session = player.session;
    let said = move || {
        let why = player
            .scene()
            .map(|scene| say(session, &scene.why))
            .unwrap_or_default();
        let (class, head, text) = match (player.done.get(), player.said.get()) {
            (true, _) if player.given_up.get() => (
                "said shown",
                LearnWord::Shown,
                // Of choices the right one is marked where they are listed.
                match player.scene().map(|scene| scene.predict) {
                    Some(Predict::Choose(_)) => why,
                    _ => answer_and_why(player),
                },
            ),
            (true, _) => ("said right", LearnWord::Right, why),
            (false, Some(Said::Wrong(text))) => {
                let text = text.map(|text| say(session, &text)).unwrap_or_default();
                ("said wrong", LearnWord::Wrong, text)
            }
            (false, Some(Said::NotYet(text))) => {
                ("said so-far", LearnWord::SoFar, say(session, &text))
            }
            (false, Some(Said::Partly)) => ("said partly", LearnWord::Partly, String::new()),
            (false, Some(Said::Nothing)) => ("said wrong", LearnWord::NoNumber, String::new()),
            (false, Some(Said::Right) | None) => return None,
        };
        let stars = player.stars.get().map(|stars| {
            let shown: String = (0..3)
                .map(|at| if at < stars { '★' } else { '☆' })
                .collect();
            let label = filled(session.say(LearnWord::Stars), &[&stars.to_string()]);
            view! { <span class="stars" role="img" aria-label=label>{shown}</span> }
        });
        Some(view! { <div class=class><b>{session.say(head)}</b> " " {stars} " " {text}</div> })
    };
    let here = NodeRef::<Div>::new();
    Effect::new(move |_| {
        let something = player.done.get() || player.said.with(Option::is_some);
        // What is said comes below a long question.
        if let Some(here) = here.get().filter(|_| something) {
            here.scroll_into_view_with_bool(false);
        }
    });
    view! { <div aria-live="polite" class="outcome" node_ref=here>{said}</div> }
}

/// The answer as text and its reason, said once where the reason begins with the answer.
pub(super) fn answer_and_why(player: Player) -> String {
    let session = player.session;
    let Some(scene) = player.scene() else {
        return String::new();
    };
    let why = say(session, &scene.why);
    match answer(player, &scene) {
        Some(answer) if !why.starts_with(&answer) => {
            filled(session.say(LearnWord::AnswerAndWhy), &[&answer, &why])
        }
        _ => why,
    }
}

/// The answer as text without its full stop, where the picture alone does not say it.
fn answer(player: Player, scene: &Scene) -> Option<String> {
    let Some(Ok((measured, _))) = player.measured() else {
        return None;
    };
    let session = player.session;
    let text = match (&scene.predict, &measured.right) {
        (Predict::Number(number), Right::Number(is, _)) => number_text(*is, &number.unit),
        (Predict::Choose(choices), Right::Choices(hold)) => {
            let right = choices.iter().find(|choice| hold.contains(&choice.id));
            right
                .map(|choice| say(session, &choice.text))
                .unwrap_or_default()
        }
        (Predict::Place(_), Right::Bytes { goal, least, .. }) if goal < least => {
            session.say(LearnWord::Impossible).to_owned()
        }
        (Predict::Point(_), Right::Names(names)) => names.join(", "),
        (Predict::List(list), Right::Names(names)) => {
            let items = names
                .iter()
                .filter_map(|name| list.items.iter().find(|it| it.0 == *name));
            items
                .map(|(_, text)| say(session, text))
                .collect::<Vec<_>>()
                .join(" → ")
        }
        _ => return None,
    };
    Some(text.trim_end_matches(['.', '。']).to_owned())
}

/// A number with its unit, grouped, with up to two decimals.
pub(super) fn number_text(number: f64, unit: &str) -> String {
    let text = if (number - number.round()).abs() < 1e-9 {
        format::grouped(whole(number.abs()))
    } else {
        format!("{:.2}", number.abs())
    };
    let sign = if number < 0.0 { "−" } else { "" };
    let gap = if unit.is_empty() || unit == "%" {
        ""
    } else {
        " "
    };
    format!("{sign}{text}{gap}{unit}")
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is not negative, and figures of lessons are below 2^53"
)]
fn whole(number: f64) -> u64 {
    number.round() as u64
}

#[component]
fn Hint(player: Player) -> impl IntoView {
    let session = player.session;
    let hint = move || {
        let hint = player.scene()?.hint?;
        player.hinted.get().then(|| say(session, &hint))
    };
    view! { <p class="hint" hidden=move || hint().is_none() aria-live="polite">{hint}</p> }
}

#[component]
fn Terms(player: Player) -> impl IntoView {
    let session = player.session;
    let terms = move || {
        let terms = player.scene().map(|scene| scene.terms).unwrap_or_default();
        let term = |name: String| GLOSSARY.quiet(move |part| (part.term)(&name).into_any());
        terms.into_iter().map(term).collect_view()
    };
    view! {
        <p class="terms">
            <span>{move || session.say(LearnWord::Terms)}</span> {terms}
        </p>
    }
}

/// What is doubtful, for who writes the lesson; and why nothing can be judged.
#[component]
fn Doubtful(player: Player) -> impl IntoView {
    let session = player.session;
    move || match player.measured()? {
        Err(why) => {
            let why = said(session, &why.message());
            let text = filled(session.say(LearnWord::Unmeasured), &[&why]);
            Some(view! { <p class="said wrong" role="alert">{text}</p> }.into_any())
        }
        Ok((_, doubts)) if player.own.get() && !doubts.is_empty() => {
            let doubts = doubts.iter().map(|doubt| said(session, &doubt.message()));
            let rows = doubts
                .map(|doubt| view! { <li>{doubt}</li> })
                .collect_view();
            let head = session.say(LearnWord::Doubts);
            Some(view! { <div class="doubts"><p>{head}</p><ul>{rows}</ul></div> }.into_any())
        }
        Ok(_) => None,
    }
}

/// From scene to scene, and help with this one.
#[component]
fn Steps(player: Player) -> impl IntoView {
    let session = player.session;
    let last = move || {
        let count = player
            .lesson
            .with(|it| it.as_ref().map_or(0, |it| it.scenes.len()));
        player.at.get() + 1 >= count
    };
    let next = move || match last() {
        true => session.say(LearnWord::Finish),
        false => session.say(LearnWord::Next),
    };
    let no_hint = move || player.scene().is_none_or(|scene| scene.hint.is_none());
    view! {
        <div class="steps" role="group">
            <button data-do="back" disabled=move || player.at.get() == 0 on:click=move |_| { player.go(false); }>
                {move || session.say(LearnWord::Back)}
            </button>
            <button data-do="hint" hidden=no_hint disabled=move || player.done.get() || player.hinted.get() on:click=move |_| player.hinted.set(true)>
                {move || session.say(LearnWord::Hint)}
            </button>
            <button data-do="show" disabled=move || player.done.get() || !matches!(player.measured(), Some(Ok(_))) on:click=move |_| player.give_up()>
                {move || session.say(LearnWord::ShowMe)}
            </button>
            <button
                data-do="next"
                class:primary=move || player.done.get()
                on:click=move |_| {
                    if !player.go(true) {
                        super::list::open(session);
                    }
                }
            >
                {next}
            </button>
        </div>
    }
}
