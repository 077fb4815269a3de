//! The bar: open a file or a sample, search, and how the page looks.

use super::drop;
use crate::state::driver::act;
use crate::state::driver::all_given;
use crate::state::session::{Session, session};
use conversation::Sample;
use conversation::{CaseAction, PageAction};
use conversation::{Dialog, Drawing, Theme};
use conversation::{Group, Where};
use leptos::html::Input;
use leptos::prelude::*;
use web_sys::{Event, HtmlSelectElement};

use crate::browser::files;
use crate::drawing::menu::Menu;
use crate::strings::{FrameWord, HelpWord, Language, LearnWord, ShareWord, Word};
use crate::tables::search::Search;

/// The samples' groups in the order in which the menu lists them.
const GROUPS: [(Group, HelpWord); 4] = [
    (Group::Model, HelpWord::Models),
    (Group::Deployed, HelpWord::Deployed),
    (Group::Training, HelpWord::Trainings),
    (Group::Problem, HelpWord::Problems),
];

/// The bar at the top.
#[component]
pub(crate) fn Bar() -> impl IntoView {
    let session = session();
    let narrow = Memo::new(move |_| session.frame.with(|frame| frame.is_narrow()));
    view! {
        <header class="bar">
            <h1 title=move || session.say(Word::Tagline)>"Arenascope"</h1>
            <Open narrow/>
            <Samples/>
            {move || (!narrow.get()).then(|| view! { <Transformer/> })}
            <button
                data-do="learn"
                title=move || session.say(LearnWord::LearnHint)
                on:click=move |_| act(session, PageAction::Dialog(Some(Dialog::Learn)))
            >
                {move || session.say(LearnWord::Learn)}
            </button>
            <Search/>
            <span class="spring"></span>
            {move || (!narrow.get()).then(|| view! { <Share/> })}
            <Looks narrow/>
            {move || (!narrow.get()).then(|| {
                view! {
                    <button
                        class="quiet"
                        on:click=move |_| act(session, PageAction::Dialog(Some(Dialog::Help)))
                        aria-label=move || session.say(Word::Help)
                        title=move || session.say(Word::Help)
                    >
                        "?"
                    </button>
                }
            })}
        </header>
    }
}

/// A transformer without a file.
#[component]
fn Transformer() -> impl IntoView {
    let session = session();
    view! {
        <button
            data-do="transformer"
            title=move || session.say(FrameWord::TransformerHint)
            on:click=move |_| act(session, PageAction::Dialog(Some(Dialog::Generate)))
        >
            {move || session.say(FrameWord::Transformer)}
        </button>
    }
}

#[component]
fn Share() -> impl IntoView {
    let session = session();
    view! {
        <button
            class="quiet"
            data-do="share"
            disabled=move || !session.is_open()
            title=move || session.say(ShareWord::OpenHint)
            on:click=move |_| act(session, PageAction::Dialog(Some(Dialog::Share)))
        >
            {move || session.say(ShareWord::Open)}
        </button>
    }
}

#[component]
fn Open(narrow: Memo<bool>) -> impl IntoView {
    let session = session();
    let input = NodeRef::<Input>::new();
    let chosen = move |_: Event| {
        let Some(input) = input.get_untracked() else {
            return;
        };
        if let Some(list) = input.files() {
            drop::take(session, all_given(session, &list));
        }
        // So that the same file can be chosen again after it has changed.
        input.set_value("");
    };
    view! {
        <input type="file" id="file" node_ref=input multiple hidden on:change=chosen/>
        <button
            class="primary"
            title=move || session.say(Word::OpenHint)
            on:click=move |_| {
                if let Some(input) = input.get_untracked() {
                    input.click();
                }
            }
        >
            {move || match narrow.get() {
                true => session.say(FrameWord::OpenShort),
                false => session.say(Word::Open),
            }}
        </button>
    }
}

#[component]
fn Samples() -> impl IntoView {
    let session = session();
    let samples = StoredValue::new(files::samples());
    let current = move || {
        session
            .file
            .with(|file| file.as_ref()?.sample.clone())
            .unwrap_or_default()
    };
    let options = move || {
        let language = session.language.get();
        let current = current();
        samples.with_value(|samples| {
            let option = |sample: &Sample| {
                view! {
                    <option
                        value=sample.id.clone()
                        title=sample.about(language).to_owned()
                        selected=sample.id == current
                    >
                        {sample.title(language).to_owned()}
                    </option>
                }
            };
            let group = |(group, word): (Group, HelpWord)| {
                let of_group = samples.iter().filter(|sample| sample.group == group);
                view! {
                    <optgroup label=session.say(word)>{of_group.map(option).collect_view()}</optgroup>
                }
            };
            GROUPS.map(group).collect_view()
        })
    };
    view! {
        <select
            id="samples"
            aria-label=move || session.say(Word::Samples)
            prop:value=current
            on:change=move |event| {
                let chosen = event_target_value(&event);
                // It says what is open: this one is not yet, and may not come.
                event_target::<HtmlSelectElement>(&event).set_value(&untrack(current));
                act(session, CaseAction::OpenSample(chosen, Where::Instead));
            }
        >
            <option value="" disabled selected=move || current().is_empty()>
                {move || session.say(Word::ChooseSample)}
            </option>
            {options}
        </select>
    }
}

/// Language, theme and renderer, behind one sign; and what else a narrow bar has no room for.
#[component]
fn Looks(narrow: Memo<bool>) -> impl IntoView {
    let session = session();
    let says = move || match narrow.get() {
        true => ("⋯", FrameWord::MoreHint),
        false => ("⚙", FrameWord::Looks),
    };
    let help = move |_| act(session, PageAction::Dialog(Some(Dialog::Help)));
    let rest = move || {
        view! {
            <Transformer/>
            <Share/>
            <button data-do="help" on:click=help>{move || session.say(Word::Help)}</button>
        }
    };
    view! {
        <Menu
            says=Signal::derive(move || says().0.to_owned())
            name=Signal::derive(move || session.say(says().1).to_owned())
            hidden=false
            stays=true
        >
            {move || narrow.get().then(rest)}
            <Labelled word=Word::Language><Speech/></Labelled>
            <Labelled word=Word::Theme><Themes/></Labelled>
            <Labelled word=Word::Renderer><Renderer/></Labelled>
        </Menu>
    }
}

#[component]
fn Labelled(word: Word, children: Children) -> impl IntoView {
    let session = session();
    view! { <label><span>{move || session.say(word)}</span> {children()}</label> }
}

#[component]
fn Speech() -> impl IntoView {
    let session = session();
    let speak = move |event: Event| {
        if let Some(language) = Language::from_tag(&event_target_value(&event)) {
            act(session, PageAction::Speak(language));
        }
    };
    view! {
        <select id="language" prop:value=move || session.language.get().tag() on:change=speak>
            <option value="en" lang="en" selected=move || session.language.get() == Language::En>"English"</option>
            <option value="zh-CN" lang="zh-CN" selected=move || session.language.get() == Language::Zh>"简体中文"</option>
        </select>
    }
}

#[component]
fn Themes() -> impl IntoView {
    let session = session();
    let paint = move |event: Event| {
        if let Some(theme) = Theme::named(&event_target_value(&event)) {
            act(session, PageAction::Paint(theme));
        }
    };
    view! {
        <select id="theme" prop:value=move || session.theme.get().name() on:change=paint>
            {choice(session, Theme::System.name(), Word::ThemeSystem, move || session.theme.get() == Theme::System)}
            {choice(session, Theme::Light.name(), Word::ThemeLight, move || session.theme.get() == Theme::Light)}
            {choice(session, Theme::Dark.name(), Word::ThemeDark, move || session.theme.get() == Theme::Dark)}
        </select>
    }
}

#[component]
fn Renderer() -> impl IntoView {
    let session = session();
    let draw = move |event: Event| {
        if let Some(drawing) = Drawing::named(&event_target_value(&event)) {
            act(session, PageAction::Draw(drawing));
        }
    };
    let hint = move || match session.webgpu.get() {
        Some(false) => session.say(Word::NoWebgpu),
        Some(true) | None => session.say(Word::Renderer),
    };
    let is = move |drawing| move || session.drawing.get() == drawing;
    view! {
        <select
            id="renderer"
            title=hint
            data-webgpu=move || session.webgpu.get().map(|there| there.to_string())
            prop:value=move || session.drawing.get().name()
            on:change=draw
        >
            {choice(session, Drawing::Automatic.name(), Word::RendererAutomatic, is(Drawing::Automatic))}
            {choice(session, Drawing::Raster.name(), Word::RendererRaster, is(Drawing::Raster))}
            {choice(session, Drawing::Wgpu.name(), Word::RendererWgpu, is(Drawing::Wgpu))}
        </select>
    }
}

fn choice(
    session: Session,
    value: &'static str,
    word: Word,
    selected: impl Fn() -> bool + Send + 'static,
) -> impl IntoView {
    view! {
        <option value=value selected=selected>
            {move || session.say(word)}
        </option>
    }
}
