//! The address bar: every state of the page leaves a trace there, and a trace restores it.
//!
//! What changes the comparison (file, bindings, options, columns) makes a new entry, so that
//! Back undoes it; looking around only rewrites the entry.

use std::cell::{Cell, RefCell};

use leptos::prelude::*;
use planner::{Bytes, Io, Lifetimes, Settings};
use wasm_bindgen::JsValue;

use super::{film, flow, insight, run, what_if};
use crate::parts::HANDS;
use crate::state::fragment::Fragment;
use crate::state::handiwork::Handiwork;
use crate::state::link::{Ignored, Known};
use crate::state::session::{Notice, Session, Tab};
use crate::words::ConstraintWord;

/// The sample that opens when the link names nothing.
const FIRST_SAMPLE: &str = "blazeface";

/// What a plan is called that a link brings without a name.
const SHARED: &str = "shared plan";

thread_local! {
    /// Name of the buffer to select once lifetimes are there.
    static SELECT: RefCell<Option<String>> = const { RefCell::new(None) };
    /// Whether what changes follows from the address bar and not from the person.
    static RESTORING: Cell<bool> = const { Cell::new(false) };
}

/// The person did something: what changes from now on is theirs.
pub(super) fn person_acts() {
    RESTORING.set(false);
}

pub(super) fn select_later(name: Option<String>) {
    SELECT.with_borrow_mut(|select| *select = name);
}

/// The buffer to select in new lifetimes: the one that a link named, or the one that was
/// selected before.
pub(super) fn selection(
    session: Session,
    before: Option<String>,
    lifetimes: &Lifetimes,
) -> Option<usize> {
    let named = SELECT.with_borrow_mut(Option::take);
    let find = |name: &String| lifetimes.buffers.iter().position(|it| it.name == *name);
    let found = named.as_ref().or(before.as_ref()).and_then(find);
    if let (Some(name), None) = (named, found) {
        say_ignored(
            session,
            vec![Ignored {
                part: format!("select={name}"),
                known: Known::Word(ConstraintWord::KnownSelect),
            }],
        );
    }
    found
}

/// Says what of a link is left out, beside what was said so before.
pub(super) fn say_ignored(session: Session, more: Vec<Ignored>) {
    if more.is_empty() {
        return;
    }
    session.notice.update(|notice| match notice {
        // That the file is missing is worth more.
        Some(Notice::Missing(_)) => {}
        Some(Notice::Ignored(all)) => {
            all.extend(more);
            all.dedup();
        }
        _ => *notice = Some(Notice::Ignored(more)),
    });
}

/// The page's state as a fragment; follows it.
fn fragment(session: Session, work: Handiwork) -> Option<Fragment> {
    let file = session.file.get()?;
    let settings = session.settings.get();
    let default = file.opened.alignment;
    let alignment = Some(settings.alignment.0).filter(|&alignment| alignment != default);
    let selected = session.selected.get();
    let selected = selected.and_then(|index| {
        let name = session.with_lifetimes(|l| l.buffers.get(index).map(|b| b.name.clone()));
        name.flatten()
    });
    Some(Fragment {
        file: file.sample.is_none().then_some(file.name),
        plan: file.shared,
        sample: file.sample,
        bindings: session.bindings.get(),
        shown: Some(session.shown.get()),
        arena: settings.arena,
        alignment,
        io: Some(settings.io).filter(|&io| io != file.opened.io),
        passes: settings.passes,
        parallel: settings.parallel,
        pools: session.planning.pools.get(),
        effort: session.planning.effort.get(),
        window: session.window.get(),
        selected,
        query: session.query.get(),
        coloring: session.coloring.get(),
        handiwork: work,
        tab: Some(session.tab.get()).filter(|tab| !matches!(tab, Tab::Compare | Tab::Film)),
        film: (session.tab.get() == Tab::Film).then(|| session.films.rest.get() as u64),
    })
}

/// The page's state now, as a link would have it.
pub(crate) fn view(session: Session) -> Option<Fragment> {
    fragment(session, what_if::handiwork(session))
}

/// Writes the state into the address bar whenever it changes.
pub(crate) fn leave_trace(session: Session) {
    let work = Memo::new(move |_| what_if::handiwork(session));
    Effect::new(move |before: Option<Option<(Fragment, Option<u32>)>>| {
        let visit = session.file.with(|file| file.as_ref()?.visit);
        let now = fragment(session, work.get()).map(|fragment| (fragment, visit));
        let Some((fragment, _)) = &now else {
            return before.flatten();
        };
        let written = format!("#{}", fragment.write());
        let location = web_sys::window().map(|window| window.location());
        let shown = location.and_then(|location| location.hash().ok());
        if shown.as_deref() == Some(written.as_str()) && visited() == visit {
            return now;
        }
        let looked = before
            .flatten()
            .is_none_or(|(before, last)| last == visit && only_looks_differ(&before, fragment));
        let state = visit.map_or(JsValue::NULL, JsValue::from);
        let history = web_sys::window().and_then(|window| window.history().ok());
        if let Some(history) = history {
            // Refused when there are too many entries a second; the next change writes again.
            let _ = if looked || RESTORING.get() {
                history.replace_state_with_url(&state, "", Some(&written))
            } else {
                history.push_state_with_url(&state, "", Some(&written))
            };
        }
        now
    });
}

/// The visit that the entry of the history is about.
fn visited() -> Option<u32> {
    let state = web_sys::window()?.history().ok()?.state().ok()?.as_f64()?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "float casts saturate"
    )]
    Some(state as u32)
}

fn only_looks_differ(before: &Fragment, now: &Fragment) -> bool {
    let without = |fragment: &Fragment| Fragment {
        window: None,
        selected: None,
        query: String::new(),
        coloring: None,
        handiwork: Handiwork::new(),
        tab: None,
        film: None,
        ..fragment.clone()
    };
    without(before) == without(now)
}

/// Shows what the address bar says.
pub(crate) fn restore(session: Session) {
    RESTORING.set(true);
    let location = web_sys::window().map(|window| window.location());
    let hash = location.and_then(|location| location.hash().ok());
    let (mut wanted, ignored) = Fragment::read(&hash.unwrap_or_default());
    // What an earlier link said is over.
    session.notice.update(|notice| {
        notice.take_if(|notice| matches!(notice, Notice::Ignored(_)));
    });
    say_ignored(session, ignored);
    let open = session.file.get_untracked();
    if wanted.plan.is_some() && wanted.file.is_none() {
        wanted.file = Some(SHARED.to_owned());
    }
    if wanted.sample.is_none() && wanted.file.is_none() {
        wanted.sample = Some(FIRST_SAMPLE.to_owned());
    }
    let visit = visited();
    let here = open.is_some_and(|open| match (&wanted.sample, &wanted.file) {
        (Some(sample), _) => open.sample.as_ref() == Some(sample),
        (None, Some(name)) => {
            let another = visit.is_some() && open.visit != visit;
            open.sample.is_none() && open.name == *name && open.shared == wanted.plan && !another
        }
        (None, None) => false,
    });
    if here {
        show(session, wanted);
    } else if wanted.sample.is_some() {
        flow::open_sample_as(session, wanted);
    } else if let Some(letters) = wanted.plan.clone() {
        flow::open_shared(session, &letters, wanted);
    } else if flow::reopen(session, visit, &wanted) {
        // It was open before.
    } else if let Some(name) = wanted.file.clone() {
        let wanted_there = wanted;
        let nothing_open = session.file.with_untracked(Option::is_none);
        if nothing_open {
            open_first(session);
        }
        flow::expect_file(wanted_there);
        session.notice.set(Some(Notice::Missing(name)));
    }
}

/// Opens the sample that opens when the link names nothing that can be shown.
pub(super) fn open_first(session: Session) {
    flow::open_sample_as(
        session,
        Fragment {
            sample: Some(FIRST_SAMPLE.to_owned()),
            ..Fragment::default()
        },
    );
}

/// Turns to the tab that a link names.
pub(super) fn turn(session: Session, tab: Option<Tab>) {
    if let Some(tab) = tab {
        turn_to(session, tab);
    }
}

/// Shows a tab. The outlines of differences and of what is lit would lie over each other: those
/// asked for later stay.
pub(super) fn turn_to(session: Session, tab: Tab) {
    session.tab.set(tab);
    run::turned(session, tab);
    if tab == Tab::Differences {
        insight::unlight(session);
    }
}

/// The arena that is wanted, or the first and a word about it.
fn known_arena(session: Session, wanted: u32) -> u32 {
    let arenas = session.file.with_untracked(|file| {
        let file = file.as_ref();
        file.map_or(0, |file| file.opened.arenas.len())
    });
    if wanted == 0 || (wanted as usize) < arenas {
        return wanted;
    }
    let ignored = Ignored {
        part: format!("arena={wanted}"),
        known: Known::Word(ConstraintWord::KnownArena),
    };
    say_ignored(session, vec![ignored]);
    0
}

/// Shows another state of the file that is open.
fn show(session: Session, mut wanted: Fragment) {
    flow::suggest_bindings(&mut wanted);
    let (alignment, io) = session.file.with_untracked(|file| {
        let usual = file.as_ref().map(|file| &file.opened);
        let alignment = usual.map_or(64, |opened| opened.alignment);
        let io = usual.map_or(Io::Beside, |opened| opened.io);
        (
            wanted.alignment.unwrap_or(alignment),
            wanted.io.unwrap_or(io),
        )
    });
    let arena = known_arena(session, wanted.arena);
    let asked = Settings {
        alignment: Bytes(alignment.max(1)),
        io,
        passes: wanted.passes,
        parallel: wanted.parallel,
        arena,
    };
    let planning = session.planning;
    let replan = session.bindings.get_untracked() != wanted.bindings
        || session.settings.get_untracked() != asked
        || planning.pools.get_untracked() != wanted.pools;
    if replan {
        session.bindings.set(wanted.bindings);
        session.settings.set(asked);
        planning.pools.set(wanted.pools);
    }
    let searches = planning.effort.get_untracked() != wanted.effort;
    planning.effort.set(wanted.effort);
    let shown = wanted
        .shown
        .unwrap_or_else(|| session.shown.get_untracked());
    session.shown.set(shown.clone());
    session.window.set(wanted.window);
    session.query.set(wanted.query);
    session.coloring.set(wanted.coloring);
    if replan {
        what_if::wanted_later(wanted.handiwork);
    } else {
        HANDS.then(move |hands| (hands.wanted)(session, wanted.handiwork));
    }
    turn(session, wanted.tab);
    film::restore(session, wanted.film);
    if replan {
        select_later(wanted.selected);
        flow::replan(session);
        return;
    }
    let index = wanted.selected.and_then(|name| {
        let find = |l: &Lifetimes| l.buffers.iter().position(|buffer| buffer.name == name);
        untrack(|| session.with_lifetimes(find)).flatten()
    });
    session.selected.set(index);
    if searches {
        flow::search_again(session, None);
    }
    for column in shown {
        flow::plan(session, column);
    }
}
