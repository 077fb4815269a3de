//! The arenas of a deployed plan, as a table that chooses one.

use crate::state::driver::act;
use crate::state::session::{Session, session};
use conversation::Setting;
use leptos::prelude::*;
use worker::ArenaFacts;

use crate::format;
use crate::text::fault::told;
use crate::words::{DeployedWord, Word, filled};

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
    let several = Memo::new(move |_| arenas.with(|arenas| arenas.len() > 1));
    let rows = move || {
        let arenas = arenas.get();
        let word = shared_word(&arenas).map(str::to_owned);
        let rows = arenas.into_iter().zip(0_u32..).map(|(arena, index)| {
            let word = word.as_deref();
            let skipped = word.filter(|word| says_more(&arena.name, word));
            view! { <Row index skipped=skipped.map_or(0, str::len) arena/> }
        });
        rows.collect_view()
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
                                <th scope="col">{move || session.say(DeployedWord::ArenaName)}</th>
                                <th scope="col" class="number">{move || session.say(Word::SizeColumn)}</th>
                                <th scope="col" class="number">{move || session.say(DeployedWord::Buffers)}</th>
                            </tr>
                        </thead>
                        <tbody>{rows}</tbody>
                    </table>
                </div>
            </fieldset>
        </Show>
    }
}

/// The word, with the space after it, that the first names begin with and that says nothing
/// more than the table's head: "allocation " of "allocation 3, parameter 1".
fn shared_word(arenas: &[ArenaFacts]) -> Option<&str> {
    let [first, second, ..] = arenas else {
        return None;
    };
    let (word, _) = first.name.split_at(first.name.find(' ')? + 1);
    let both = says_more(&first.name, word) && says_more(&second.name, word);
    both.then_some(word)
}

/// Whether a name begins with `word` and is a name without it, too: "device 0" is not.
fn says_more(name: &str, word: &str) -> bool {
    let rest = name.strip_prefix(word);
    rest.is_some_and(|rest| rest.contains(' '))
}

/// A row; its first column leaves out the first `skipped` bytes of the name.
#[component]
fn Row(arena: ArenaFacts, index: u32, skipped: usize) -> impl IntoView {
    let session = session();
    let chosen = move || session.settings.with(|settings| settings.arena == index);
    let arena = StoredValue::new(arena);
    let name = move || arena.with_value(|arena| named(session, arena, index));
    let size = arena.with_value(|arena| arena.size.0);
    let buffers = arena.with_value(|arena| arena.buffers);
    let choose = move |_| {
        if !session.settings.with_untracked(|it| it.arena == index) {
            act(session, Setting::Arena(index));
        }
    };
    view! {
        <tr class:chosen=chosen data-arena=index.to_string()>
            <th scope="row">
                <button
                    class="link"
                    aria-pressed=move || chosen().to_string()
                    title=move || filled(session.say(DeployedWord::ChooseArena), &[&name()])
                    on:click=choose
                >
                    {move || name().get(skipped..).unwrap_or_default().to_owned()}
                </button>
            </th>
            <td class="number" title=format::exact(size)>{format::bytes(size)}</td>
            <td class="number">{format::grouped(buffers)}</td>
        </tr>
    }
}

/// What an arena is called; its number where the file gives no name.
fn named(session: Session, arena: &ArenaFacts, index: u32) -> String {
    if arena.name.is_empty() {
        let number = (u64::from(index) + 1).to_string();
        filled(session.say(DeployedWord::Unnamed), &[&number])
    } else {
        told(session, &arena.name)
    }
}
