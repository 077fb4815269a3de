//! The arenas of a deployed program, the worst first, as a table that chooses one.

use crate::state::driver::act;
use crate::state::session::session;
use conversation::Setting;
use leptos::prelude::*;
use planner::deployed::TotalKind;
use planner::load::Format;
use planner::overview::{Row as Facts, total, worst_first};

use crate::format;
use crate::strings::{DeployedWord, Word, filled};
use crate::text::arena::named;

/// The table; nothing where there is only one.
#[component]
pub(crate) fn Arenas() -> impl IntoView {
    let session = session();
    let arenas = Memo::new(move |_| {
        session.file.with(|file| {
            let file = file.as_ref();
            file.map_or_else(Vec::new, |file| file.opened.arenas.clone())
        })
    });
    // Placements of one cache stand for each other, and are no parts of a whole.
    let parts = Memo::new(move |_| {
        let format = session.file.with(|file| Some(file.as_ref()?.opened.format));
        format != Some(Format::Requests)
    });
    let several = Memo::new(move |_| arenas.with(|arenas| arenas.len() > 1));
    let rows = move || {
        let arenas = arenas.get();
        let rows = worst_first(&arenas).into_iter().filter_map(|index| {
            let facts = arenas.get(index as usize)?.clone();
            Some(view! { <Row index facts/> })
        });
        rows.collect_view()
    };
    let sum = move || {
        let (count, (all, avoidable)) = arenas.with(|arenas| (arenas.len(), total(arenas)));
        let count = format::grouped(count as u64);
        view! {
            <tr>
                <th scope="rowgroup" colspan="3">{filled(session.say(DeployedWord::ArenaCount), &[&count])}</th>
            </tr>
            <Figures bytes=all.0 bound=None avoidable=avoidable.0/>
        }
    };
    let column = move |word, define: &'static str| {
        view! { <th scope="col" class="number" data-define=define>{move || session.say(word)}</th> }
    };
    view! {
        <Show when=move || several.get()>
            <fieldset class="arenas">
                <legend title=move || session.say(DeployedWord::ArenasHint)>
                    {move || session.say(DeployedWord::Arenas)}
                </legend>
                // Many arenas scroll, and keys have to get there, too.
                <div class="scroll" tabindex="0" role="group" aria-label=move || session.say(DeployedWord::Arenas)>
                    <table>
                        <thead>
                            <tr>
                                {column(DeployedWord::Takes, "arena")}
                                {column(DeployedWord::Floor, "bound")}
                                <th scope="col" class="number" title=move || session.say(DeployedWord::AvoidableHint) data-define="over-bound">
                                    {move || session.say(DeployedWord::Avoidable)}
                                </th>
                            </tr>
                        </thead>
                        // Before the rows, which may be many.
                        {move || parts.get().then(|| view! { <tbody class="sum">{sum}</tbody> })}
                        {rows}
                    </table>
                </div>
                <Totals/>
            </fieldset>
        </Show>
    }
}

/// What all arenas hold together, by what it is for; nothing where the toolchain has no such sums.
#[component]
fn Totals() -> impl IntoView {
    let session = session();
    move || {
        let totals = session
            .file
            .with(|file| Some(file.as_ref()?.opened.totals.clone()))?;
        let rows = totals.into_iter().filter(|it| it.bytes.0 > 0).map(|it| {
            let word = match it.kind {
                TotalKind::Arguments => DeployedWord::Arguments,
                TotalKind::Outputs => DeployedWord::Outputs,
                TotalKind::Aliased => DeployedWord::Aliased,
                TotalKind::Donatable => DeployedWord::Donatable,
                TotalKind::Reusable => DeployedWord::Reusable,
                TotalKind::Temporary => DeployedWord::Temporary,
                TotalKind::Constants => DeployedWord::Constants,
                TotalKind::ThreadLocal => DeployedWord::ThreadLocal,
                TotalKind::All => DeployedWord::AllOnce,
                TotalKind::AtLeast => DeployedWord::AtLeast,
            };
            let bytes = it.bytes.0;
            view! {
                <dt>{session.say(word)}</dt>
                <dd title=format::exact(bytes)>{format::bytes(bytes)}</dd>
            }
        });
        let rows: Vec<_> = rows.collect();
        (!rows.is_empty()).then(|| view! { <dl class="totals">{rows}</dl> })
    }
}

/// An arena.
#[component]
fn Row(facts: Facts, index: u32) -> impl IntoView {
    let session = session();
    let chosen = move || session.settings.with(|settings| settings.arena == index);
    let (bytes, bound, avoidable) = (facts.bytes.0, facts.bound.0, facts.avoidable().0);
    let (buffers, separate) = (facts.buffers, facts.separate);
    let name = StoredValue::new(facts.name);
    let name = move || name.with_value(|name| named(session, name, index));
    let hint = move || {
        let tensors = filled(session.say(Word::TensorCount), &[&format::grouped(buffers)]);
        filled(session.say(DeployedWord::ChooseArena), &[&name(), &tensors])
    };
    let choose = move |_| {
        if !session.settings.with_untracked(|it| it.arena == index) {
            act(session, Setting::Arena(index));
        }
    };
    view! {
        <tbody class:chosen=chosen data-arena=index.to_string()>
            <tr>
                // On a line of its own: three figures leave it too little beside them.
                <th scope="rowgroup" colspan="3">
                    <button class="link" aria-pressed=move || chosen().to_string() title=hint on:click=choose>
                        {name}
                    </button>
                </th>
            </tr>
            <Figures bytes bound=Some(bound).filter(|_| !separate) avoidable/>
        </tbody>
    }
}

/// The figures of a row. Of a sum there is no bound, and none of separate allocations.
#[component]
fn Figures(bytes: u64, bound: Option<u64>, avoidable: u64) -> impl IntoView {
    let cell = |bytes: u64| {
        view! { <td class="number" title=format::exact(bytes)>{format::bytes(bytes)}</td> }
    };
    view! {
        <tr>
            {cell(bytes)}
            {match bound {
                Some(bound) => cell(bound).into_any(),
                None => view! { <td></td> }.into_any(),
            }}
            <td class="number" class:wasted=avoidable.gt(&0) title=format::exact(avoidable)>{format::bytes(avoidable)}</td>
        </tr>
    }
}
