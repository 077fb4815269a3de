//! The dialog that hands on what is open: as a link with everything in it, or as a file.

use crate::state::driver::act;
use crate::state::session::{Session, session};
use crate::state::share::{MOST_LINK, Share, share_all};
use crate::text::title::plain_title;
use conversation::PageAction;
use conversation::{Action, Dialog, Message, Notice};
use leptos::html::{Dialog as DialogElement, Input};
use leptos::prelude::*;
use timeline::svg::escaped;

use crate::browser::files::download;
use crate::drawing::modal::keep_open;
use crate::format;
use crate::strings::{GraphWord, ShareWord as W, Word, filled, message};

/// The dialog.
#[component]
pub(crate) fn ShareDialog() -> impl IntoView {
    let session = session();
    let dialog = NodeRef::<DialogElement>::new();
    let open = Memo::new(move |_| session.dialog.get() == Some(Dialog::Share));
    keep_open(dialog, move || open.get());
    let close = move || act(session, PageAction::Dialog(None));
    // Made when it is asked for, and not again: packing takes its time.
    let body = move || {
        open.get().then(|| {
            let made = untrack(|| share_all(session));
            match made {
                Some(share) => offered(session, share).into_any(),
                None => view! { <p>{session.say(W::Nothing)}</p> }.into_any(),
            }
        })
    };
    view! {
        <dialog class="share" node_ref=dialog aria-labelledby="share-title" on:close=move |_| close()>
            <header>
                <h2 id="share-title">{move || session.say(W::Title)}</h2>
                <button class="quiet" on:click=move |_| close() aria-label=move || session.say(Word::Close)>"×"</button>
            </header>
            {body}
        </dialog>
    }
}

fn offered(session: Session, share: Share) -> impl IntoView {
    let holds = match share.column {
        None => session.say(W::HoldsSample).to_owned(),
        Some(column) => filled(session.say(W::Holds), &[&plain_title(session, column)]),
    };
    let (characters, fragment) = (share.characters(), share.fragment());
    let size = characters.map(|characters| {
        let characters = format::grouped(characters as u64);
        let most = format::grouped(MOST_LINK as u64);
        match fragment {
            Some(_) => filled(session.say(W::LinkSize), &[&characters]),
            None => filled(session.say(W::TooLong), &[&characters, &most]),
        }
    });
    let size = size.unwrap_or_else(|| session.say(W::TooMany).to_owned());
    let shown = fragment
        .as_deref()
        .map(|it| link_field(session, address(it)));
    let link = fragment.map(|fragment| copies(session, fragment));
    let file = share.file.map(|json| {
        let bytes = format::bytes(json.len() as u64);
        let take = move |_| {
            let name = session.file.with_untracked(|file| {
                file.as_ref()
                    .map(|file| file.name.clone())
                    .unwrap_or_default()
            });
            let safe = name.replace(['/', '\\', ':'], "_");
            download(
                &format!("{safe}.arenascope.json"),
                "application/json",
                json.as_bytes(),
            );
        };
        view! {
            <button data-share="file" on:click=take>
                {filled(session.say(W::TakeFile), &[&bytes])}
            </button>
        }
    });
    let lanes = session.prepared.with_untracked(|prepared| {
        prepared
            .as_ref()
            .is_some_and(|it| !it.subject.lanes.is_empty())
    });
    let without = (lanes && share.column.is_some())
        .then(|| view! { <p class="soft">{session.say(W::WithoutLanes)}</p> });
    let edited = (session.is_edited() && share.column.is_some())
        .then(|| view! { <p data-share="edited">{session.say(GraphWord::Shared)}</p> });
    let cases = session.cases.with_untracked(Vec::len);
    let several = (cases > 1).then(|| {
        let says = filled(session.say(W::Cases), &[&cases.to_string()]);
        view! { <p>{says}</p> }
    });
    view! {
        {several}
        <p>{holds}</p>
        <p data-letters=characters.map(|characters| characters.to_string())>{size}</p>
        {without}
        {edited}
        {shown}
        <p class="pair">{link} " " {file} {copied(session)}</p>
        <p class="soft">{session.say(W::Private)}</p>
    }
}

/// The link to be read, and to be copied by hand; all of it is marked once it has the focus.
fn link_field(session: Session, link: String) -> impl IntoView {
    let field = NodeRef::<Input>::new();
    let mark = move |_| {
        if let Some(field) = field.get_untracked() {
            field.select();
        }
    };
    view! {
        <label class="link">
            <span>{session.say(W::Link)}</span>
            <input type="text" readonly data-share="address" value=link node_ref=field on:focus=mark/>
        </label>
    }
}

/// What copies the link, and what shows it in another page.
fn copies(session: Session, fragment: String) -> impl IntoView {
    let (here, framed) = (fragment.clone(), fragment);
    let copy = move |_| act(session, Action::Copy(address(&here)));
    let embed = move |_| act(session, Action::Copy(frame(&framed)));
    view! {
        <button class="primary" data-share="link" on:click=copy>{session.say(W::CopyLink)}</button>
        " "
        <button data-share="embed" title=session.say(W::CopyEmbedHint) on:click=embed>
            {session.say(W::CopyEmbed)}
        </button>
    }
}

/// Whether the browser copied: the page's own line lies behind the dialog.
fn copied(session: Session) -> impl IntoView {
    let says = move || match session.notice.get() {
        Some(Notice::Said(said @ (Message::Copied | Message::NotCopied))) => {
            Some(message(said, session.language.get()))
        }
        _ => None,
    };
    view! { <output class="soft" data-share="copied">{says}</output> }
}

/// The page's own address with this fragment.
fn address(fragment: &str) -> String {
    let search = window().location().search().unwrap_or_default();
    format!("{}{search}#{fragment}", bare_address())
}

/// The page's own address up to its parameters.
fn bare_address() -> String {
    let location = window().location();
    let part = |part: Result<String, _>| part.unwrap_or_default();
    part(location.origin()) + &part(location.pathname())
}

/// What shows this fragment in a page of lecture notes.
fn frame(fragment: &str) -> String {
    let source = escaped(&format!("{}?embed=1#{fragment}", bare_address()));
    format!("<iframe src=\"{source}\" width=\"960\" height=\"540\" title=\"Arenascope\"></iframe>")
}
