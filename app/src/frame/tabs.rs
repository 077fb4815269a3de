//! What lies under the picture: five tasks and the data, each with its views, one seen at a time.

use conversation::{Action, Frame, Language, Panel, Tab};
use leptos::prelude::*;
use lesson::Hidden;
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, KeyboardEvent};

use crate::drawing::into_view::bring_into_view;
use crate::frame::panel::{Fold, Grip};
use crate::lazy::{Source, TabEntry};
use crate::state::driver::act;
use crate::state::session::session;
use crate::strings::{FrameWord, LearnWord, Word};
use crate::{
    advice, compare, difference, film, format, graph_text, inspect, owners, run, stages, sweep,
    tables, training,
};

/// What somebody comes to do.
struct Task {
    name: &'static str,
    title: fn(Language) -> &'static str,
    /// The first is what it opens with.
    views: &'static [TabEntry],
}

/// In the order in which they stand; the last, which is no task, stands apart.
static TASKS: [Task; 6] = [
    Task {
        name: "compare",
        title: |language| Word::Compare.in_language(language),
        views: &[compare::table::TAB, difference::TAB, film::TAB],
    },
    Task {
        name: "explain",
        title: |language| FrameWord::Explain.in_language(language),
        views: &[inspect::waste::TAB, owners::TAB, inspect::segments::TAB],
    },
    Task {
        name: "change",
        title: |language| FrameWord::Change.in_language(language),
        views: &[stages::TAB, advice::TAB, sweep::TAB, graph_text::TAB],
    },
    Task {
        name: "train",
        title: |language| FrameWord::Train.in_language(language),
        views: &[training::TAB],
    },
    Task {
        name: "run",
        title: |language| Word::Run.in_language(language),
        views: &[run::TAB],
    },
    Task {
        name: "data",
        title: |language| FrameWord::Data.in_language(language),
        views: &[
            tables::operators::TAB,
            tables::tensors::TAB,
            tables::notes::TAB,
        ],
    },
];

const VIEWS: usize = {
    let mut count = 0;
    let mut task = 0;
    while task < TASKS.len() {
        count += TASKS[task].views.len();
        task += 1;
    }
    count
};

/// The names of all views in links. A table of its own, because whoever reads links needs no view.
pub(crate) static NAMES: [Tab; VIEWS] = {
    let mut names = [Tab::COMPARE; VIEWS];
    let (mut index, mut task) = (0, 0);
    while task < TASKS.len() {
        let mut view = 0;
        while view < TASKS[task].views.len() {
            names[index] = TASKS[task].views[view].tab;
            index += 1;
            view += 1;
        }
        task += 1;
    }
    names
};

fn views() -> impl Iterator<Item = &'static TabEntry> {
    TASKS.iter().flat_map(|task| task.views)
}

/// Where those come from that are parts of the page.
pub(crate) fn sources() -> Vec<Source> {
    views().filter_map(|view| view.source).collect()
}

impl Task {
    fn has(&self, tab: Tab) -> bool {
        self.views.iter().any(|view| view.tab == tab)
    }

    /// The element of its tab.
    fn id(&self) -> String {
        format!("task-{}", self.name)
    }
}

/// The tasks, and the views of the one that was chosen.
#[component]
pub(crate) fn Tabs() -> impl IntoView {
    let session = session();
    let shown = Memo::new(move |_| session.tab.get());
    let open = Memo::new(move |_| session.is_panel_open(Panel::Sheet));
    let task = Memo::new(move |_| task_of(shown.get()));
    let current = move || views().find(|view| view.tab == shown.get());
    // What was last seen of each task, to which it comes back.
    let last = StoredValue::new(
        TASKS
            .iter()
            .map(|task| task.views[0].tab)
            .collect::<Vec<_>>(),
    );
    Effect::new(move |_| {
        if let Some(task) = task.get() {
            last.update_value(|last| last[task] = shown.get());
        }
    });
    // What a link asks for is in sight, once the pictures above it have their places.
    let asked = Memo::new(move |_| {
        let there = session.prepared.with(Option::is_some);
        there && session.frame.with(Frame::is_revealed)
    });
    Effect::new(move |_| {
        if asked.get() {
            bring_into_view();
        }
    });
    let tasks = TASKS.iter().enumerate().map(|(index, it)| {
        let choose = move || {
            act(session, Action::Turn(last.with_value(|last| last[index])));
            bring_into_view();
        };
        let title = move || (it.title)(session.language.get());
        let chosen = Signal::derive(move || task.get() == Some(index));
        view! { <OneTab id=it.id() chosen title=Signal::derive(title) choose/> }
    });
    // What is not seen is not made.
    let body = move || open.get().then(|| current().map(|view| (view.show)()));
    let label = move || {
        let task = &TASKS[task.get()?];
        let alone = task.views.len() == 1;
        Some(if alone { task.id() } else { id(shown.get()) })
    };
    view! {
        <section class="tabs">
            <Grip panel=Panel::Sheet/>
            <div class="tab-row">
                <div
                    role="tablist"
                    class="tasks"
                    aria-label=move || session.say(FrameWord::Tasks)
                    on:keydown=turn
                >
                    {tasks.collect_view()}
                </div>
                <Fold panel=Panel::Sheet/>
            </div>
            {move || open.get().then(|| task.get().map(|task| view! { <Views task/> }))}
            <div
                class="sheet"
                hidden=move || !open.get()
                role="tabpanel"
                id="sheet"
                tabindex="0"
                aria-labelledby=label
            >
                <p class="hint hidden-hint" hidden=move || !session.is_hidden(Hidden::Table)>
                    {move || session.say(LearnWord::Hidden)}
                </p>
                {body}
            </div>
        </section>
    }
}

/// The index of the task that a view belongs to.
fn task_of(tab: Tab) -> Option<usize> {
    TASKS.iter().position(|task| task.has(tab))
}

/// The element of a view's tab.
fn id(tab: Tab) -> String {
    format!("tab-{}", tab.0)
}

/// The views of a task that has several.
#[component]
fn Views(task: usize) -> impl IntoView {
    let session = session();
    let task = &TASKS[task];
    (task.views.len() > 1).then(|| {
        let views = task.views.iter().map(|view| view! { <OneView view/> });
        view! {
            <div
                role="tablist"
                class="task-views"
                aria-label=move || (task.title)(session.language.get())
                on:keydown=turn
            >
                {views.collect_view()}
            </div>
        }
    })
}

/// The tab of a view, unless there is nothing in it; the one that is seen stays.
#[component]
fn OneView(view: &'static TabEntry) -> impl IntoView {
    let session = session();
    let chosen = Signal::derive(move || session.tab.get() == view.tab);
    let count = Memo::new(move |_| (view.count)(session));
    let offered = Memo::new(move |_| chosen.get() || count.get() != Some(0));
    let title = Signal::derive(move || (view.title)(session.language.get()));
    let choose = move || act(session, Action::Turn(view.tab));
    move || {
        offered.get().then(|| {
            view! { <OneTab id=id(view.tab) chosen title choose count/> }
        })
    }
}

#[component]
fn OneTab(
    id: String,
    chosen: Signal<bool>,
    title: Signal<&'static str>,
    choose: impl Fn() + 'static,
    #[prop(into, default = Signal::derive(|| None))] count: Signal<Option<usize>>,
) -> impl IntoView {
    let counted = move || {
        let count = count.get()?;
        Some(view! { <span class="count">{format::grouped(count as u64)}</span> })
    };
    view! {
        <button
            role="tab"
            id=id
            aria-controls="sheet"
            aria-selected=move || chosen.get().to_string()
            tabindex=move || if chosen.get() { "0" } else { "-1" }
            on:click=move |_| choose()
        >
            {title}
            {counted}
        </button>
    }
}

/// Arrow keys go from tab to tab of a row, as the pattern for tabs has it.
fn turn(event: KeyboardEvent) {
    let focused = document().active_element();
    let Some(focused) = focused.filter(|element| element.matches("[role=tab]") == Ok(true)) else {
        return;
    };
    let row = focused.parent_element();
    let next = match event.key().as_str() {
        "ArrowRight" => focused
            .next_element_sibling()
            .or_else(|| row?.first_element_child()),
        "ArrowLeft" => focused
            .previous_element_sibling()
            .or_else(|| row?.last_element_child()),
        _ => return,
    };
    event.prevent_default();
    event.stop_propagation();
    if let Some(next) = next.and_then(|next| next.dyn_into::<HtmlElement>().ok()) {
        let _ = next.focus();
        next.click();
    }
}
