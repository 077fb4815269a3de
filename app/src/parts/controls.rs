//! What people do, and everything around the picture: it comes right after the first picture.

use crate::state::film::Still;
use crate::state::lookup::Seeking;
use crate::state::session::Session;
use conversation::{Column, Panel, Progress};
use leptos::html::Canvas;
use leptos::prelude::*;
use timeline::motion::{Motion, Shown};
use timeline::scene::Scene;
use wasm_split_helpers::wasm_split;
use web_sys::{ClipboardEvent, DragEvent, KeyboardEvent};

use super::{Source, Table, Unfetched, effects, learn};
use crate::document::pane::DocumentPane;
use crate::frame::bar::Bar;
use crate::frame::drop::{self, Dropping};
use crate::frame::glossary::Glossary;
use crate::frame::headline::{Headline, LeaveFocus, OpenWhole, Views};
use crate::frame::keys;
use crate::frame::notice::Notices;
use crate::frame::panel::Side;
use crate::frame::tabs::{self, Tabs};
use crate::inspect::inspector::Inspector;
use crate::learn::offer::Offer;
use crate::picture::around;
use crate::picture::lanes::LaneBar;
use crate::picture::minimap::Minimap;
use crate::picture::pointer::{Pointed, Pointer};
use crate::picture::stage::View;
use crate::picture::why::WhyLarger;
use crate::run::leaving;
use crate::state::driver::Whole;
use crate::state::keeper;
use crate::{bench, execute};
use worker::Prepared;

/// Makes what stands in the head of a column's pane: its plan as far as it is, and its film.
type Head = fn(Column, Memo<Option<Progress>>, Memo<Option<Still>>) -> AnyView;

/// The part's functions.
pub(crate) struct Functions {
    /// Begins to follow what only people change.
    pub(crate) start: fn(Session),
    /// Opens what was open before the page was loaded anew.
    pub(crate) bring_back: fn(Session, String),
    pub(crate) pressed: fn(Session, &KeyboardEvent),
    pub(crate) pasted: fn(Session, &ClipboardEvent),
    pub(crate) dropped: fn(Session, &DragEvent),
    /// What files can be dropped for.
    pub(crate) dropping: fn() -> AnyView,
    pub(crate) bar: fn() -> AnyView,
    /// What stands above the panes.
    pub(crate) above: fn() -> AnyView,
    pub(crate) document: fn() -> AnyView,
    /// What stands under the panes.
    pub(crate) under: fn() -> AnyView,
    /// What stands beside and under the pictures.
    pub(crate) beside: fn() -> AnyView,
    /// What stands in a pane's head.
    pub(crate) head: Head,
    /// What stands between a pane's head and its picture.
    pub(crate) why: fn(Column) -> AnyView,
    /// What the judge says of a pane's plan, and of what is held.
    pub(crate) says: fn(Column, Memo<Option<Progress>>) -> AnyView,
    /// What stands under a pane's picture.
    pub(crate) foot: fn(Column, Memo<Option<Progress>>) -> AnyView,
    /// What is said of what is under the pointer.
    pub(crate) cards: fn(View, Column, [NodeRef<Canvas>; 2]) -> AnyView,
    pub(crate) pointed: fn(&Pointer, Pointed),
    /// The way from one stage of a model to another.
    pub(crate) motion: fn(Seen<'_>, Seen<'_>) -> Option<Motion>,
    /// How queries are answered.
    pub(crate) seeking: Seeking,
    /// Where tabs come from that are parts.
    pub(crate) tabs: fn() -> Vec<Source>,
}

/// A plan as rectangles, and what it is a plan of.
type Seen<'a> = (&'a Prepared, &'a Scene);

fn shown<'a>((prepared, scene): Seen<'a>) -> Shown<'a> {
    Shown {
        lifetimes: &prepared.subject.lifetimes,
        graph: prepared.subject.graph(),
        scene,
    }
}

static FUNCTIONS: Functions = Functions {
    start: |session| {
        bench::offer();
        learn::know(session);
        execute::offer(session.page);
        keeper::hold(session);
        session.page.driver().complete(Whole {
            update: conversation::update,
            perform: effects::perform,
        });
    },
    bring_back: keeper::bring_back,
    pressed: keys::pressed,
    pasted: drop::pasted,
    dropped: drop::dropped,
    dropping: || view! { <Dropping/> }.into_any(),
    bar: || view! { <Bar/> }.into_any(),
    above: || {
        leaving::ask_before_leaving();
        view! {
            <div class="said"><Headline/><Offer/></div>
            <LeaveFocus/>
            <OpenWhole/>
            <Glossary/>
            <Notices/>
        }
        .into_any()
    },
    document: || view! { <Side panel=Panel::Document><DocumentPane/></Side> }.into_any(),
    under: || {
        view! {
            <div class="under"><LaneBar/><Views/></div>
            <Minimap/>
        }
        .into_any()
    },
    beside: || {
        view! {
            <Side panel=Panel::Inspector><Inspector/></Side>
            <Tabs/>
        }
        .into_any()
    },
    head: around::head,
    why: |column| view! { <WhyLarger column/> }.into_any(),
    says: around::says,
    foot: around::foot,
    cards: around::cards,
    pointed: Pointer::pointed,
    motion: |before, after| Motion::new(shown(before), shown(after)),
    seeking: Seeking::WHOLE,
    tabs: tabs::sources,
};

#[wasm_split(controls, fallible)]
pub(super) fn fetch() -> Result<Table, Unfetched> {
    Ok(&FUNCTIONS)
}
