//! The open document: what it is, its bytes by role, its symbolic dimensions, and the
//! settings.

use crate::state::driver::act;
use crate::state::session::{Session, session, to_f64};
use conversation::{Action, Tab};
use leptos::prelude::*;
use planner::Split;
use planner::graph::Symbol;
use planner::load::{Format, Warning};
use web_sys::{Event, HtmlInputElement};

use super::arenas::Arenas;
use super::cases::Cases;
use super::settings::Settings;
use crate::compare::replan::Replan;
use crate::document::legend::LegendView;
use crate::format;
use crate::strings::{self, DeployedWord, Word, filled};
use crate::text::fault;
use crate::text::file_name::short;

/// The slider of a symbol reaches this value; larger ones can be typed.
const SLIDER: u64 = 256;

/// The pane.
#[component]
pub(crate) fn DocumentPane() -> impl IntoView {
    let session = session();
    view! {
        <section class="document" aria-label=move || session.say(Word::Document)>
            <Facts/>
            <Cases/>
            <Arenas/>
            <Replan/>
            <Roles/>
            <Symbols/>
            <LegendView/>
            <Settings/>
        </section>
    }
}

#[component]
fn Facts() -> impl IntoView {
    let session = session();
    move || {
        let file = session.file.get()?;
        let opened = &file.opened;
        let mut facts = vec![session.say(strings::format(opened.format)).to_owned()];
        facts.push(format::bytes(file.bytes));
        let own = session.shipped.strategy.get();
        let by = own.as_ref().unwrap_or(&opened.toolchain);
        if !by.is_empty() {
            facts.push(filled(session.say(DeployedWord::By), &[by]));
        }
        if opened.arenas.len() > 1 {
            let arenas = format::grouped(opened.arenas.len() as u64);
            facts.push(filled(session.say(DeployedWord::ArenaCount), &[&arenas]));
        }
        if opened.frames > 0 {
            let frames = format::grouped(opened.frames);
            facts.push(filled(session.say(DeployedWord::FrameCount), &[&frames]));
        }
        session.prepared.with(|prepared| {
            let Some(prepared) = prepared else { return };
            if let Some(graph) = prepared.subject.graph() {
                let count = |word, number: usize| {
                    filled(session.say(word), &[&format::grouped(number as u64)])
                };
                let before = graph.ops.iter().filter(|op| !graph.runs(op)).count();
                facts.push(count(Word::OperatorCount, graph.ops.len()));
                if before > 0 {
                    facts.push(count(Word::ComputedBefore, before));
                }
                facts.push(count(Word::TensorCount, graph.tensors.len()));
            }
            let lifetimes = &prepared.subject.lifetimes;
            let buffers = format::grouped(lifetimes.buffers.len() as u64);
            let placed = match prepared.subject.is_trace() {
                true => Word::BlockCount,
                false => Word::BufferCount,
            };
            facts.push(filled(session.say(placed), &[&buffers]));
            let steps = format::grouped(lifetimes.horizon.0);
            facts.push(filled(session.say(Word::StepCount), &[&steps]));
        });
        let about = file.sample.as_ref().and_then(|id| {
            let language = session.language.get();
            session.state(|state| {
                let sample = state.samples.iter().find(|sample| sample.id == *id)?;
                Some(sample.about(language).to_owned())
            })
        });
        Some(view! {
            <h2 class="file" title=file.name.clone()>{short(&file.name)}</h2>
            {about.map(|about| view! { <p class="about-sample">{about}</p> })}
            <ul class="facts">{facts.into_iter().map(|fact| view! { <li>{fact}</li> }).collect_view()}</ul>
            {remarks(session, &opened.warnings)}
        })
    }
}

/// What the reader has to say: the first of it here, for figures may mean little without.
fn remarks(session: Session, warnings: &[Warning]) -> Option<impl IntoView + use<>> {
    let first = warnings.first()?;
    let count = format::grouped(warnings.len() as u64);
    let place = fault::said(session, &first.place);
    let message = format::in_text(&fault::said(session, &first.message));
    let says = match first.place == "file" {
        true => message,
        false => filled(session.say(Word::At), &[&place, &message]),
    };
    Some(view! {
        <p class="warning" data-remarks=warnings.len().to_string()>
            <b>{filled(session.say(DeployedWord::Remarks), &[&count])}</b> " "
            <span title=says.clone()>{shortened(&says)}</span> " "
            <button class="link" on:click=move |_| act(session, Action::Turn(Tab::NOTES))>
                {session.say(Word::ShowThem)}
            </button>
        </p>
    })
}

/// The beginning of a remark.
fn shortened(text: &str) -> String {
    const LETTERS: usize = 120;
    match text.char_indices().nth(LETTERS) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// The term that a role is.
fn define(role: Word) -> Option<&'static str> {
    Some(match role {
        Word::RoleConstant => "constant",
        Word::RoleState => "state",
        Word::RoleInput => "input",
        Word::RoleOutput => "output",
        _ => return None,
    })
}

/// Static and dynamic bytes, as a bar and as a list.
#[component]
fn Roles() -> impl IntoView {
    let session = session();
    move || {
        let (split, left_out): (Split, usize) = session.prepared.with(|prepared| {
            let subject = &prepared.as_ref()?.subject;
            subject
                .split
                .map(|split| (split, subject.left_out().count()))
        })?;
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
            view! { <dt class=class data-define=define(word)>{session.say(word)}</dt><dd title=format::exact(bytes)>{format::bytes(bytes)}</dd> }
        });
        Some(view! {
            <div class="roles">
                <div class="split" aria-hidden="true">{segments.collect_view()}</div>
                <dl>
                    <dt class="sum" title=session.say(Word::StaticHint)>{session.say(Word::Static)}</dt>
                    <dd class="sum" title=format::exact(fixed)>{format::bytes(fixed)}</dd>
                    {rows.collect_view()}
                    <dt class="sum intermediate" title=session.say(Word::DynamicHint) data-define="activation">{session.say(Word::Dynamic)}</dt>
                    <dd class="sum" title=format::exact(dynamic)>{format::bytes(dynamic)}</dd>
                </dl>
                {left_out_line(session, Word::SubgraphsLeftOut, left_out as u64)}
                {left_out_line(session, Word::UnsizedCount, split.unsized_tensors)}
            </div>
        })
    }
}

/// How much of the model is not in the plan, and where that is said.
fn left_out_line(session: Session, word: Word, count: u64) -> Option<impl IntoView> {
    (count > 0).then(|| {
        view! {
            <p class="warning">
                {filled(session.say(word), &[&count.to_string()])} " "
                <button class="link" on:click=move |_| act(session, Action::Turn(Tab::NOTES))>
                    {session.say(Word::ShowThem)}
                </button>
            </p>
        }
    })
}

#[component]
fn Symbols() -> impl IntoView {
    let session = session();
    let symbols = Memo::new(move |_| {
        let symbols = session
            .file
            .with(|file| file.as_ref().map(|file| file.opened.symbols.clone()));
        let mut symbols = symbols.unwrap_or_default();
        // A count alone has no others beside it that could be bound.
        if symbols.iter().filter(|symbol| symbol.at_most).count() == 2 {
            symbols.retain(|symbol| symbol.name != Symbol::ALL_COUNTS);
        }
        symbols
    });
    view! {
        <Show when=move || symbols.with(|symbols| !symbols.is_empty())>
            <fieldset>
                <legend data-define="symbol">
                    {move || session.say(Word::Symbols)}
                </legend>
                <For each=move || symbols.get() key=|it| (it.name.clone(), it.default, it.at_most) let:symbol>
                    <OneSymbol symbol/>
                </For>
                {move || unbound(session, &symbols.read())}
            </fieldset>
        </Show>
    }
}

/// That sizes hold for the values, where dimensions of which the file gives no number stand at 1.
fn unbound(session: Session, symbols: &[Symbol]) -> Option<impl IntoView + use<>> {
    let format = session.file.with(|file| Some(file.as_ref()?.opened.format));
    // A description says every value.
    if matches!(
        format,
        Some(Format::Transformer | Format::Gguf | Format::Safetensors)
    ) {
        return None;
    }
    let bindings = session.bindings.get();
    let open = symbols
        .iter()
        .filter(|symbol| symbol.default == 1 && !bindings.contains_key(&symbol.name));
    let names: Vec<&str> = open.map(|symbol| symbol.name.as_str()).collect();
    let count = format::grouped(names.len() as u64);
    let text = || {
        filled(
            session.say(Word::SymbolsAtOne),
            &[&count, &names.join(", ")],
        )
    };
    (!names.is_empty()).then(|| view! { <p class="warning unbound">{text()}</p> })
}

#[component]
fn OneSymbol(symbol: Symbol) -> impl IntoView {
    let session = session();
    let name = StoredValue::new(symbol.name.clone());
    let at_most = symbol.at_most;
    let value = move || {
        let bound = session.bindings;
        let bound = bound.with(|bindings| name.with_value(|name| bindings.get(name).copied()));
        let most = || name.with_value(|name| most(session, name));
        bound
            .or_else(|| most().filter(|_| at_most))
            .unwrap_or(symbol.default)
    };
    // Nothing where shapes alone are the bound of all.
    let shown = move || match value() {
        0 => String::new(),
        value => value.to_string(),
    };
    let label = symbol.name.clone();
    let label = move || match (at_most, label.as_str()) {
        (true, Symbol::ALL_COUNTS) => session.say(Word::AtMostAll).to_owned(),
        (true, label) => filled(session.say(Word::AtMost), &[label]),
        _ => label.clone(),
    };
    let bind = move |event: Event| {
        let bound = whole(&event_target_value(&event));
        act(session, Action::Bind(name.get_value(), bound));
        if bound.is_none() {
            // The field shows what holds.
            event_target::<HtmlInputElement>(&event).set_value(&shown());
        }
    };
    view! {
        <div class="symbol">
            <label>
                <span class="name">{label}</span>
                <input type="number" min="1" step="1" data-symbol=symbol.name.clone()
                    prop:value=shown on:change=bind/>
            </label>
            <input type="range" hidden=at_most min="1" max=SLIDER.max(symbol.default).to_string() step="1"
                aria-label=symbol.name.clone()
                prop:value=move || value().to_string() on:input=bind/>
        </div>
    }
}

/// The most that an operator gives of which only a run finds how much it is.
fn most(session: Session, name: &str) -> Option<u64> {
    session.prepared.with(|prepared| {
        let mut counts = prepared.as_ref()?.subject.graph()?.counts.iter();
        Some(counts.find(|count| count.tensor == name)?.most)
    })
}

/// A whole number from 1 to 2^53 - 1, also as "1e9".
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "whole and in range"
)]
pub(crate) fn whole(text: &str) -> Option<u64> {
    let number: f64 = text.trim().parse().ok()?;
    let fits = (1.0..9_007_199_254_740_992.0).contains(&number) && number.fract() == 0.0;
    fits.then_some(number as u64)
}
