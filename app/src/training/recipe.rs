//! What a training step is made of: the rule of the backward pass, the optimizer, the precision
//! and what is not trained, and the bytes that follow.

use std::sync::Arc;

use conversation::TrainingAction;
use leptos::prelude::*;
use planner::training::table::PolicyTable;
use planner::{Optimizer, Precision, Recipe, Rule};
use web_sys::Event;

use super::{field, train};
use crate::format;
use crate::state::session::{Session, session};
use crate::strings::{TrainingWord as W, filled};

/// The choices.
#[component]
pub(super) fn Controls() -> impl IntoView {
    let session = session();
    let recipe = Memo::new(move |_| session.insight.training.chosen.get().recipe);
    let put = move |recipe: Recipe| train(session, TrainingAction::Recipe(recipe));
    let now = move || recipe.get_untracked();
    let rules = [
        (Rule::Checkmate, W::Checkmate),
        (Rule::Autograd, W::Autograd),
        (Rule::Compile, W::Compile),
    ];
    let rule = choice(
        ("rule", W::Rule, W::RuleHint),
        rules.map(|(it, word)| (it.name(), word)),
        move || recipe.get().rule.name(),
        move |at| {
            put(Recipe {
                rule: rules[at].0,
                ..now()
            });
        },
    );
    let optimizers = [
        (Optimizer::None, W::PlainDescent),
        (Optimizer::Momentum, W::Momentum),
        (Optimizer::Adam, W::Adam),
    ];
    let optimizer = choice(
        ("optimizer", W::Optimizer, W::OptimizerHint),
        optimizers.map(|(it, word)| (it.name(), word)),
        move || recipe.get().optimizer.name(),
        move |at| {
            put(Recipe {
                optimizer: optimizers[at].0,
                ..now()
            });
        },
    );
    let precisions = [(Precision::Full, W::Full), (Precision::Mixed, W::Mixed)];
    let precision = choice(
        ("precision", W::Precision, W::PrecisionHint),
        precisions.map(|(it, word)| (it.name(), word)),
        move || recipe.get().precision.name(),
        move |at| {
            put(Recipe {
                precision: precisions[at].0,
                ..now()
            });
        },
    );
    let typed = move |text: &str| {
        if let Ok(frozen) = text.parse() {
            put(Recipe { frozen, ..now() });
        }
    };
    let shown = move || recipe.get().frozen.to_string();
    view! {
        {rule}
        <Decomposed/>
        {optimizer}
        {precision}
        <label title=move || session.say(W::FrozenHint)>
            {move || session.say(W::Frozen)} " "
            {field::number("frozen", ("0", None), shown, typed)}
        </label>
    }
}

/// Whether modules count in their parts; Checkmate's rule has none.
#[component]
fn Decomposed() -> impl IntoView {
    let session = session();
    let recipe = Memo::new(move |_| session.insight.training.chosen.get().recipe);
    let turn = move |_| {
        let now = recipe.get_untracked();
        let decomposed = !now.decomposed;
        train(
            session,
            TrainingAction::Recipe(Recipe { decomposed, ..now }),
        );
    };
    view! {
        <Show when=move || recipe.get().rule != Rule::Checkmate>
            <label title=move || session.say(W::DecomposedHint)>
                <input
                    type="checkbox"
                    data-do="decomposed"
                    prop:checked=move || recipe.get().decomposed
                    on:change=turn
                />
                " "
                {move || session.say(W::Decomposed)}
            </label>
        </Show>
    }
}

/// A list to choose one of: its name in the page, label and hint, and names and labels of what
/// there is. `put` hears which.
fn choice<const N: usize>(
    (place, label, hint): (&'static str, W, W),
    all: [(&'static str, W); N],
    chosen: impl Fn() -> &'static str + Copy + Send + Sync + 'static,
    put: impl Fn(usize) + 'static,
) -> impl IntoView {
    let session = session();
    let changed = move |event: Event| {
        let value = event_target_value(&event);
        if let Some(at) = all.iter().position(|(name, _)| *name == value) {
            put(at);
        }
    };
    let options = all.map(|(name, word)| {
        view! {
            <option value=name selected=move || chosen() == name>
                {move || session.say(word)}
            </option>
        }
    });
    view! {
        <label title=move || session.say(hint) data-define=define(label)>
            {move || session.say(label)} " "
            <select data-do=place prop:value=chosen on:change=changed>
                {options.collect_view()}
            </select>
        </label>
    }
}

/// The term that a choice is about.
fn define(label: W) -> Option<&'static str> {
    Some(match label {
        W::Rule => "backward-pass",
        W::Optimizer => "optimizer",
        W::Precision => "mixed-precision",
        _ => return None,
    })
}

/// The bytes that follow from the choices.
#[component]
pub(super) fn Made(found: Memo<Option<Arc<PolicyTable>>>) -> impl IntoView {
    let session = session();
    let says = move || {
        let table = found.get().filter(|table| !table.log)?;
        Some(made(session, &table))
    };
    view! { <p class="hint">{says}</p> }
}

fn made(session: Session, table: &PolicyTable) -> String {
    let fixed = table.fixed_by;
    let parts = [fixed.weights, fixed.gradients, fixed.optimizer].map(format::bytes);
    let says = |word, bytes| filled(session.say(word), &[&format::bytes(bytes)]);
    let by = filled(
        session.say(W::FixedBy),
        &parts.each_ref().map(String::as_str),
    );
    let master = (fixed.master > 0).then(|| says(W::MasterCopy, fixed.master));
    let saved = table.saved.map(|bytes| says(W::Saved, bytes.0));
    let kinds = table.unknown.join(", ");
    let unknown = (!kinds.is_empty()).then(|| filled(session.say(W::Unknown), &[&kinds]));
    let compiled = session.insight.training.chosen.get().recipe.rule == Rule::Compile;
    let modules = table.saved.map(|_| match compiled {
        true => session.say(W::Traced).to_owned(),
        false => modules(session, table),
    });
    let kinds = table.untrained.join(", ");
    let untrained = (!kinds.is_empty()).then(|| filled(session.say(W::Untrained), &[&kinds]));
    let kinds = table.without_gradient.join(", ");
    let rounded = (!kinds.is_empty()).then(|| filled(session.say(W::NoGradient), &[&kinds]));
    let all: Vec<String> = [
        Some(by),
        master,
        saved,
        modules,
        unknown,
        untrained,
        rounded,
    ]
    .into_iter()
    .flatten()
    .collect();
    all.join(" ")
}

/// Which modules are saved as such.
fn modules(session: Session, table: &PolicyTable) -> String {
    let found = table.recognised.iter();
    let found: Vec<String> = found
        .map(|(name, count)| format!("{name} × {count}"))
        .collect();
    let says = match found.is_empty() {
        true => session.say(W::AsExported).to_owned(),
        false => filled(session.say(W::Modules), &[&found.join(", ")]),
    };
    format!("{says} {}", session.say(W::SavedHint))
}
