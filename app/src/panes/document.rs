//! The open document: what it is, its bytes by role, its symbolic dimensions, and what the
//! user chooses about planning it.

use leptos::prelude::*;
use planner::graph::Symbol;
use planner::liveness::Io;
use planner::pipeline::Split;
use web_sys::{Event, HtmlInputElement};

use crate::actions::{Action, act};
use crate::format;
use crate::panes::legend::LegendView;
use crate::state::session::{Coloring, Tab, session, to_f64};
use crate::words::{self, Word, filled};

/// The alignments on offer, in bytes.
const ALIGNMENTS: [u64; 4] = [1, 16, 64, 256];

/// The slider of a symbol reaches this value; larger ones can be typed.
const SLIDER: u64 = 256;

/// The pane.
#[component]
pub(crate) fn DocumentPane() -> impl IntoView {
    let session = session();
    view! {
        <section class="document" aria-label=move || session.say(Word::Document)>
            <Facts/>
            <Roles/>
            <Symbols/>
            <Settings/>
            <LegendView/>
        </section>
    }
}

#[component]
fn Facts() -> impl IntoView {
    let session = session();
    move || {
        let file = session.file.get()?;
        let mut facts = vec![session.say(words::format(file.opened.format)).to_owned()];
        facts.push(format::bytes(file.bytes));
        session.prepared.with(|prepared| {
            let Some(prepared) = prepared else { return };
            if let Some(graph) = &prepared.subject.graph {
                let count = |word, number: usize| {
                    filled(session.say(word), &[&format::grouped(number as u64)])
                };
                facts.push(count(Word::OperatorCount, graph.ops.len()));
                facts.push(count(Word::TensorCount, graph.tensors.len()));
            }
            let lifetimes = &prepared.subject.lifetimes;
            let buffers = format::grouped(lifetimes.buffers.len() as u64);
            facts.push(filled(session.say(Word::BufferCount), &[&buffers]));
            let steps = format::grouped(lifetimes.horizon.0);
            facts.push(filled(session.say(Word::StepCount), &[&steps]));
        });
        Some(view! {
            <h2 class="file" title=file.name.clone()>{file.name.clone()}</h2>
            <ul class="facts">{facts.into_iter().map(|fact| view! { <li>{fact}</li> }).collect_view()}</ul>
        })
    }
}

/// Static and dynamic bytes, as a bar and as a list.
#[component]
fn Roles() -> impl IntoView {
    let session = session();
    move || {
        let split: Split = session
            .prepared
            .with(|prepared| prepared.as_ref()?.subject.split)?;
        let parts = [
            (Word::RoleConstant, split.constants.0, "constant"),
            (Word::RoleState, split.state.0, "state"),
            (Word::RoleInput, split.inputs.0, "input"),
            (Word::RoleOutput, split.outputs.0, "output"),
        ];
        let fixed = parts
            .iter()
            .fold(0_u64, |sum, part| sum.saturating_add(part.1));
        let dynamic = split.intermediates.0;
        let total = to_f64(fixed.saturating_add(dynamic).max(1));
        let segments = parts.iter().map(|(_, bytes, class)| (*bytes, *class));
        let segments = segments
            .chain([(dynamic, "intermediate")])
            .map(|(bytes, class)| {
                let width = format!("{:.3}%", to_f64(bytes) / total * 100.0);
                view! { <span class=class style:width=width></span> }
            });
        let rows = parts.into_iter().filter(|part| part.1 > 0).map(|(word, bytes, class)| {
            view! { <dt class=class>{session.say(word)}</dt><dd title=format::exact(bytes)>{format::bytes(bytes)}</dd> }
        });
        let unsized_tensors = split.unsized_tensors;
        Some(view! {
            <div class="roles">
                <div class="split" aria-hidden="true">{segments.collect_view()}</div>
                <dl>
                    <dt class="sum" title=session.say(Word::StaticHint)>{session.say(Word::Static)}</dt>
                    <dd class="sum" title=format::exact(fixed)>{format::bytes(fixed)}</dd>
                    {rows.collect_view()}
                    <dt class="sum intermediate" title=session.say(Word::DynamicHint)>{session.say(Word::Dynamic)}</dt>
                    <dd class="sum" title=format::exact(dynamic)>{format::bytes(dynamic)}</dd>
                </dl>
                {(unsized_tensors > 0).then(|| view! {
                    <p class="warning">
                        {filled(session.say(Word::UnsizedCount), &[&unsized_tensors.to_string()])} " "
                        <button class="link" on:click=move |_| act(session, Action::Turn(Tab::Notes))>
                            {session.say(Word::ShowThem)}
                        </button>
                    </p>
                })}
            </div>
        })
    }
}

#[component]
fn Symbols() -> impl IntoView {
    let session = session();
    let symbols = Memo::new(move |_| {
        session
            .file
            .with(|file| file.as_ref().map(|file| file.opened.symbols.clone()))
            .unwrap_or_default()
    });
    view! {
        <Show when=move || symbols.with(|symbols| !symbols.is_empty())>
            <fieldset class="symbols">
                <legend title=move || session.say(Word::SymbolsHint)>
                    {move || session.say(Word::Symbols)}
                </legend>
                <For each=move || symbols.get() key=|symbol| symbol.name.clone() let:symbol>
                    <OneSymbol symbol/>
                </For>
            </fieldset>
        </Show>
    }
}

#[component]
fn OneSymbol(symbol: Symbol) -> impl IntoView {
    let session = session();
    let name = StoredValue::new(symbol.name.clone());
    let value = move || {
        session
            .bindings
            .with(|bindings| name.with_value(|name| bindings.get(name).copied()))
            .unwrap_or(symbol.default)
    };
    let bind = move |event: Event| {
        let bound = whole(&event_target_value(&event));
        act(session, Action::Bind(name.get_value(), bound));
        if bound.is_none() {
            // The field shows what holds.
            event_target::<HtmlInputElement>(&event).set_value(&value().to_string());
        }
    };
    view! {
        <div class="symbol">
            <label>
                <span class="name">{symbol.name.clone()}</span>
                <input type="number" min="1" step="1" data-symbol=symbol.name.clone()
                    prop:value=move || value().to_string() on:change=bind/>
            </label>
            <input type="range" min="1" max=SLIDER.max(symbol.default).to_string() step="1"
                aria-label=symbol.name.clone()
                prop:value=move || value().to_string() on:input=bind/>
        </div>
    }
}

/// A whole number from 1 to 2^53 - 1, also as "1e9".
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "whole and in range"
)]
fn whole(text: &str) -> Option<u64> {
    let number: f64 = text.trim().parse().ok()?;
    let fits = (1.0..9_007_199_254_740_992.0).contains(&number) && number.fract() == 0.0;
    fits.then_some(number as u64)
}

#[component]
fn Settings() -> impl IntoView {
    let session = session();
    let alignment = move || session.settings.get().alignment.0;
    let align = move |event: Event| {
        if let Ok(bytes) = event_target_value(&event).parse() {
            act(session, Action::Align(bytes));
        }
    };
    let options = move || {
        let current = alignment();
        let extra = (!ALIGNMENTS.contains(&current)).then_some(current);
        let option = |bytes: u64| {
            view! {
                <option value=bytes.to_string() selected=bytes == current>{format!("{bytes} B")}</option>
            }
        };
        ALIGNMENTS
            .into_iter()
            .chain(extra)
            .map(option)
            .collect_view()
    };
    let is_model = move || {
        session
            .prepared
            .with(|p| p.as_ref().is_some_and(|p| p.subject.graph.is_some()))
    };
    view! {
        <fieldset class="settings">
            <legend>{move || session.say(Word::Settings)}</legend>
            <label>
                <span>{move || session.say(Word::Alignment)}</span>
                <select id="alignment" prop:value=move || alignment().to_string() on:change=align>{options}</select>
            </label>
            <Show when=is_model>
                <label class="check">
                    <input
                        type="checkbox"
                        id="pin-io"
                        prop:checked=move || session.settings.get().io == Io::WholeRun
                        on:change=move |event| {
                            let io = if event_target_checked(&event) { Io::WholeRun } else { Io::Beside };
                            act(session, Action::PlaceIo(io));
                        }
                    />
                    <span>{move || session.say(Word::PinIo)}</span>
                </label>
                <label class="check">
                    <input
                        type="checkbox"
                        id="fuse"
                        prop:checked=move || session.settings.get().fuse
                        on:change=move |event| act(session, Action::Fuse(event_target_checked(&event)))
                    />
                    <span>{move || session.say(Word::Fuse)}</span>
                </label>
            </Show>
            <label>
                <span>{move || session.say(Word::ColorBy)}</span>
                <ColoringChoice/>
            </label>
        </fieldset>
    }
}

#[component]
fn ColoringChoice() -> impl IntoView {
    let session = session();
    const CHOICES: [(&str, Word, Coloring); 3] = [
        ("operator", Word::ColorOperator, Coloring::Operator),
        ("size", Word::ColorSize, Coloring::Size),
        ("age", Word::ColorAge, Coloring::Age),
    ];
    let choose = move |event: Event| {
        let name = event_target_value(&event);
        if let Some((_, _, coloring)) = CHOICES.iter().find(|choice| choice.0 == name) {
            act(session, Action::Color(*coloring));
        }
    };
    let has_operators = move || {
        let prepared = session.prepared.get();
        prepared.is_none_or(|prepared| prepared.subject.graph.is_some())
    };
    // Without operators, colours tell the size; see `coloring::colors`.
    let effective = move || match session.coloring.get() {
        Coloring::Operator if !has_operators() => Coloring::Size,
        coloring => coloring,
    };
    let option = move |(name, word, coloring): (&'static str, Word, Coloring)| {
        view! {
            <option
                value=name
                hidden=move || coloring == Coloring::Operator && !has_operators()
                selected=move || effective() == coloring
            >
                {move || session.say(word)}
            </option>
        }
    };
    view! { <select id="coloring" on:change=choose>{CHOICES.map(option).collect_view()}</select> }
}
