//! How values are packed between the forward and the backward pass.

use conversation::TrainingAction;
use leptos::prelude::*;
use planner::training::{Gist, Recipe, Rule, Sparse};

use super::{field, train};
use crate::state::session::session;
use crate::strings::TrainingWord as W;

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
                ..it.2
            } == own
        };
        CHOICES.iter().find(same).map_or("", |it| it.0)
    };
    let changed = move |event| {
        let value = event_target_value(&event);
        if let Some((_, _, gist)) = CHOICES.iter().find(|it| it.0 == value) {
            let zeros = recipe.get_untracked().gist.zeros;
            put(Gist { zeros, ..*gist });
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
            </Show>
        </Show>
    }
}
