//! How values are packed between the forward and the backward pass.

use conversation::{Action, Counting, TrainingAction, Trouble};
use executor::verify::zeros::Zeros;
use leptos::prelude::*;
use planner::training::{Gist, Recipe, Rule, Sparse};

use super::{field, train};
use crate::format;
use crate::state::session::{Session, session};
use crate::strings::{TrainingWord as W, filled};
use crate::text::fault::said;
use crate::text::waiting;

/// What there is to choose from: nothing, what loses nothing, and fewer bits for the rest.
const CHOICES: [(&str, W, Gist); 6] = [
    ("none", W::PackNothing, gist(None, None)),
    (
        "lossless",
        W::PackLossless,
        gist(Some(Sparse::Narrow), None),
    ),
    ("wide", W::PackWide, gist(Some(Sparse::Wide), None)),
    ("16", W::Pack16, gist(Some(Sparse::Narrow), Some(16))),
    ("10", W::Pack10, gist(Some(Sparse::Narrow), Some(10))),
    ("8", W::Pack8, gist(Some(Sparse::Narrow), Some(8))),
];

/// Signs stand for whatever is sparse.
const fn gist(sparse: Option<Sparse>, bits: Option<u8>) -> Gist {
    Gist {
        signs: sparse.is_some(),
        sparse,
        bits,
        zeros: 500,
        measured: false,
    }
}

/// The choices; there are none where torch.compile traces the step.
#[component]
pub(super) fn Packing() -> impl IntoView {
    let session = session();
    let recipe = Memo::new(move |_| session.insight.training.chosen.get().recipe);
    let put = move |gist: Gist| {
        let recipe = Recipe {
            gist,
            ..recipe.get_untracked()
        };
        train(session, TrainingAction::Recipe(recipe));
    };
    let chosen = move || {
        let own = recipe.get().gist;
        let same = |it: &&(&str, W, Gist)| {
            Gist {
                zeros: own.zeros,
                measured: own.measured,
                ..it.2
            } == own
        };
        CHOICES.iter().find(same).map_or("", |it| it.0)
    };
    let changed = move |event| {
        let value = event_target_value(&event);
        if let Some((_, _, gist)) = CHOICES.iter().find(|it| it.0 == value) {
            let own = recipe.get_untracked().gist;
            put(Gist {
                zeros: own.zeros,
                measured: own.measured,
                ..*gist
            });
        }
    };
    let option = move |(name, word, _): (&'static str, W, Gist)| {
        view! {
            <option value=name selected=move || chosen() == name>
                {move || session.say(word)}
            </option>
        }
    };
    let typed = move |text: &str| {
        if let Some(percent) = text.parse::<u16>().ok().filter(|it| *it <= 100) {
            let gist = recipe.get_untracked().gist;
            put(Gist {
                zeros: 10 * percent,
                measured: false,
                ..gist
            });
        }
    };
    let shown = move || (recipe.get().gist.zeros / 10).to_string();
    view! {
        <Show when=move || recipe.get().rule != Rule::Compile>
            <label title=move || session.say(W::PackHint)>
                {move || session.say(W::Pack)} " "
                <select data-do="pack" prop:value=chosen on:change=changed>
                    {CHOICES.map(option).collect_view()}
                </select>
            </label>
            <Show when=move || recipe.get().gist.sparse.is_some()>
                <label title=move || session.say(W::ZerosHint)>
                    {move || session.say(W::Zeros)} " "
                    {field::number("zeros", ("0", Some("100".to_owned())), shown, typed)}
                </label>
                <Measure recipe/>
            </Show>
        </Show>
    }
}

/// Measures zeros, and chooses between what came of it and the number.
#[component]
fn Measure(recipe: Memo<Recipe>) -> impl IntoView {
    let session = session();
    let asides = session.training_asides();
    let measured = move || recipe.get().gist.measured;
    let turn = move |_| {
        let recipe = recipe.get_untracked();
        let gist = Gist {
            measured: !recipe.gist.measured,
            ..recipe.gist
        };
        train(session, TrainingAction::Recipe(Recipe { gist, ..recipe }));
    };
    let runs = move || matches!(asides.counting.get(), Counting::Begins | Counting::Runs(_));
    view! {
        <button
            data-do="measure-zeros"
            title=move || session.say(W::MeasureHint)
            disabled=runs
            on:click=move |_| train(session, TrainingAction::Count(true))
        >
            {move || session.say(W::Measure)}
        </button>
        <Show when=move || measured() || asides.zeros.with(Option::is_some)>
            <label title=move || session.say(W::AsMeasuredHint)>
                <input
                    type="checkbox"
                    data-do="measured-zeros"
                    prop:checked=measured
                    on:change=turn
                />
                " "
                {move || session.say(W::AsMeasured)}
            </label>
        </Show>
    }
}

/// What a run has counted, how far one is, and what is missing.
#[component]
pub(super) fn Counted() -> impl IntoView {
    let session = session();
    let (state, asides) = (session.insight.training, session.training_asides());
    let gist = Memo::new(move |_| {
        let recipe = state.chosen.get().recipe;
        let sparse = recipe.gist.sparse.is_some() && recipe.rule != Rule::Compile;
        sparse.then_some(recipe.gist)
    });
    let says = move || match (asides.zeros.get(), gist.get()?) {
        (Some(zeros), _) => Some(counted(session, &zeros)),
        (None, gist) if gist.measured => {
            let number = percent(gist.zeros);
            Some(filled(session.say(W::ToMeasure), &[&number]))
        }
        (None, _) => None,
    };
    let goes = move || {
        gist.get()?;
        let stop = Action::Training(TrainingAction::Count(false));
        let working = |parts| {
            let words = [W::MeasureBegins, W::Measures];
            waiting::working(session, parts, words, stop)
        };
        Some(match asides.counting.get() {
            Counting::Rests => return None,
            Counting::Begins | Counting::Runs(None) => working((0, 0)),
            Counting::Runs(Some(it)) => working((it.done.into(), it.total.into())),
            Counting::Failed(why) => {
                let why = match why {
                    Trouble::Failure(why) => said(session, &why.message()),
                    Trouble::Died(words) => said(session, &words),
                };
                let says = filled(session.say(W::NotMeasured), &[&why]);
                view! { <p role="status" class="failed">{says}</p> }.into_any()
            }
        })
    };
    view! {
        {move || says().map(|it| view! { <p class="hint zeros">{it}</p> })}
        {goes}
    }
}

fn counted(session: Session, zeros: &Zeros) -> String {
    let Some(spread) = zeros.spread() else {
        return session.say(W::NoRelus).to_owned();
    };
    let count = format::grouped(zeros.shares.len() as u64);
    let [least, mean, most] = spread.map(percent);
    let says = filled(session.say(W::Spread), &[&count, &least, &mean, &most]);
    match zeros.stand_ins {
        true => format!("{says} {}", session.say(W::StandIns)),
        false => says,
    }
}

/// So many of a thousand.
fn percent(thousandths: u16) -> String {
    format!("{}.{} %", thousandths / 10, thousandths % 10)
}
