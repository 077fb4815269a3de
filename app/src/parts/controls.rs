//! What people do, and everything around the picture: it comes right after the first picture.

use conversation::Panel;
use leptos::prelude::*;
use timeline::motion::{Motion, Shown};
use wasm_split_helpers::wasm_split;

use crate::browser::style_sheet;
use crate::document::legend::LegendLine;
use crate::document::pane::DocumentPane;
use crate::frame::bar::Bar;
use crate::frame::drop::Dropping;
use crate::frame::glossary::Glossary;
use crate::frame::headline::{Headline, LeaveFocus, OpenWhole, Views};
use crate::frame::notice::Notices;
use crate::frame::panel::Side;
use crate::frame::tabs::Tabs;
use crate::frame::{drop, keys, tabs};
use crate::inspect::inspector::Inspector;
use crate::lazy::controls::{Functions, Seen};
use crate::lazy::{Table, Unfetched};
use crate::learn::offer::Offer;
use crate::parts::{effects, learn};
use crate::picture::around;
use crate::picture::graph::GraphStrip;
use crate::picture::introduction::introduction;
use crate::picture::lanes::LaneBar;
use crate::picture::minimap::Minimap;
use crate::picture::pointer::Pointer;
use crate::picture::silhouette::Ratio;
use crate::picture::why::WhyLarger;
use crate::run::leaving;
use crate::state::driver::Whole;
use crate::state::keeper;
use crate::state::lookup::Seeking;
use crate::{bench, execute};

fn shown<'a>((prepared, scene): Seen<'a>) -> Shown<'a> {
    Shown {
        lifetimes: &prepared.subject.lifetimes,
        graph: prepared.subject.graph(),
        scene,
    }
}

static FUNCTIONS: Functions = Functions {
    start: |session| {
        style_sheet::fetch_tasks();
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
            <div class="under"><LegendLine/><LaneBar/><Views/></div>
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
    graph: || view! { <GraphStrip/> }.into_any(),
    head: around::head,
    why: |column| view! { <WhyLarger column/> <Ratio column/> }.into_any(),
    says: around::says,
    foot: around::foot,
    cards: around::cards,
    pointing: Pointer::pointing,
    motion: |before, after| Motion::new(shown(before), shown(after)),
    introduction,
    seeking: Seeking::WHOLE,
    tabs: tabs::sources,
};

#[wasm_split(controls, fallible)]
pub(super) fn fetch() -> Result<Table, Unfetched> {
    Ok(&FUNCTIONS)
}
