//! The optional passes: how many are chosen, and the rule that each follows.

use conversation::{Action, Setting, Tab};
use leptos::prelude::*;
use planner::passes;
use planner::passes::{Pass, Rule};
use web_sys::Event;

use crate::state::driver::act;
use crate::state::session::session;
use crate::strings::{self, FrameWord, PassWord, filled};

/// How many of the optional passes are chosen, and the way to where they are.
#[component]
pub(super) fn Passes() -> impl IntoView {
    let session = session();
    let says = move || {
        let prepared = session.prepared.get();
        let program = prepared.as_ref().and_then(|it| it.subject.program.as_ref());
        let program = program?;
        let chosen = session.settings.get().passes;
        let all: Vec<usize> = passes::optional()
            .filter(|(_, pass)| pass.applies(program))
            .map(|(row, _)| row)
            .collect();
        let count = all.iter().filter(|row| chosen.has(**row)).count();
        let counts = [count, all.len()].map(|count| count.to_string());
        let counts = counts.each_ref().map(String::as_str);
        Some(filled(session.say(FrameWord::PassesChosen), &counts))
    };
    view! {
        <button class="link" data-do="stages" on:click=move |_| act(session, Action::Turn(Tab::STAGES))>
            {says}
        </button>
    }
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
