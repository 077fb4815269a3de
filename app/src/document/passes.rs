//! The optional passes: a box for each, and the rule that it follows.

use conversation::Setting;
use leptos::prelude::*;
use planner::passes;
use planner::passes::{Pass, Rule};
use web_sys::Event;

use crate::state::driver::act;
use crate::state::session::session;
use crate::strings::{self, PassWord, filled};

/// A box for every optional pass, in the order in which they run.
#[component]
pub(super) fn Passes() -> impl IntoView {
    let session = session();
    let applies = move |pass: &Pass| {
        let prepared = session.prepared.get();
        let program = prepared.as_ref().and_then(|it| it.subject.program.as_ref());
        program.is_some_and(|program| pass.applies(program))
    };
    let check = |(row, pass): (usize, &'static Pass)| {
        let words = strings::pass(pass.name);
        let name = move || words.map_or(pass.summary, |(name, _)| session.say(name));
        let hint = move || words.map(|(_, hint)| session.say(hint));
        let checked = move || session.settings.get().passes.has(row);
        let check = move |event: Event| {
            let rule = event_target_checked(&event).then_some(0);
            act(session, Setting::Pass(row, rule));
        };
        view! {
            <label class="check" title=hint hidden=move || !applies(pass)>
                <input
                    type="checkbox"
                    id=pass.name.replace('_', "-")
                    prop:checked=checked
                    on:change=check
                />
                <span data-define=define(pass.name)>{name}</span>
            </label>
            <Show when=move || { pass.rules.len() > 1 && checked() && applies(pass) }>
                <RuleChoice row pass id=format!("{}-rule", pass.name.replace('_', "-"))/>
            </Show>
        }
    };
    passes::optional().map(check).collect_view()
}

/// The term that a pass is about.
fn define(pass: &str) -> Option<&'static str> {
    Some(match pass {
        "fusion" => "fusion",
        "views" => "view",
        "concat" => "concat",
        "in_place" => "in-place",
        "order" => "order",
        _ => return None,
    })
}

/// The rule that a chosen pass follows.
#[component]
pub(crate) fn RuleChoice(row: usize, pass: &'static Pass, id: String) -> impl IntoView {
    let session = session();
    let pick = move |event: Event| {
        let chosen = event_target_value(&event);
        let rule = pass.rules.iter().position(|rule| rule.name == chosen);
        if let Some(rule) = rule.and_then(|rule| u8::try_from(rule).ok()) {
            act(session, Setting::Pass(row, Some(rule)));
        }
    };
    let option = move |(index, rule): (usize, &'static Rule)| {
        let word = strings::rule(pass.name, rule.name);
        let chosen = move || session.settings.get().passes.rule(row).map(usize::from);
        view! {
            <option value=rule.name title=rule.summary selected=move || chosen() == Some(index)>
                {move || word.map_or(rule.name, |word| session.say(word))}
            </option>
        }
    };
    let label = move || {
        let name = strings::pass(pass.name).map_or(pass.name, |(name, _)| session.say(name));
        filled(session.say(PassWord::Rule), &[name])
    };
    view! {
        <select
            class="rule"
            id=id
            aria-label=label
            on:change=pick
        >
            {pass.rules.iter().enumerate().map(option).collect_view()}
        </select>
    }
}
