//! The state as panes read it: one handle per case, and one for the case that tabs and inspector
//! are about.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use conversation::{
    Case, Drag, Edit, Feeding, FilmState, Frame, Going, Outcome, Pace, Pair, Panel, Pricing, Quiet,
    State, Version, Views,
};
use leptos::prelude::*;
use planner::deployed::Clock;
use planner::graph::Bindings;
use planner::load::{Figures, Table};
use planner::trace::SearchStage;
use planner::{Clash, Effort, Lifetimes, Options, Pool, Settings, Strategy};
use runner::MachineKind;
use worker::{CaseId, Planned, Prepared};

use crate::state::coloring;
use crate::state::coloring::Colors;
use crate::state::driver::Page;
use crate::state::insight::Insight;
use crate::state::lookup::{Lookup, Seeking};
use crate::state::part::{Of, Part, Store};
use crate::state::shipped::Shipped;
use crate::state::taught::Taught;
use crate::strings::Spoken;

pub(crate) use conversation::{
    Coloring, Column, Dialog, Drawing, Gpu, Language, Notice, OpenFile, Progress, Tab, Theme,
    Window, Work,
};

/// What is chosen and known of planning.
#[derive(Clone, Copy)]
pub(crate) struct Planning {
    pub(crate) pools: Part<Vec<Pool>>,
    pub(crate) effort: Part<Effort>,
    pub(crate) stage: Part<Option<SearchStage>>,
    pub(crate) price: Part<Pricing>,
    pub(crate) witness: Part<Option<usize>>,
    pub(crate) clash: Part<Option<Clash>>,
}

/// Runs, of the page and of the case.
#[derive(Clone, Copy)]
pub(crate) struct Runs {
    pub(crate) gpu: Part<Gpu>,
    pub(crate) machine: Part<MachineKind>,
    pub(crate) seed: Part<u64>,
    pub(crate) reference: Part<bool>,
    pub(crate) going: Part<Option<Going>>,
    pub(crate) quiet: Part<Quiet>,
    pub(crate) handy: Part<bool>,
    pub(crate) inputs: Part<BTreeMap<usize, Feeding>>,
    pub(crate) target: Part<Option<Column>>,
    pub(crate) outcomes: Part<BTreeMap<conversation::Key, Arc<Outcome>>>,
    pub(crate) shown: Part<Option<conversation::Key>>,
    pub(crate) values: Part<Option<Arc<conversation::Values>>>,
    pub(crate) edits: Part<BTreeMap<Column, Arc<Edit>>>,
    pub(crate) moving: Part<Option<Drag>>,
    pub(crate) culprit: Part<Option<usize>>,
    pub(crate) victim: Part<Option<usize>>,
}

/// Plans changed by hand.
#[derive(Clone, Copy)]
pub(crate) struct WhatIf {
    pub(crate) pins: Part<BTreeMap<Column, BTreeSet<usize>>>,
    pub(crate) past: Part<Vec<Version>>,
    pub(crate) future: Part<Vec<Version>>,
    pub(crate) partner: Part<Option<usize>>,
    pub(crate) finisher: Part<Strategy>,
    pub(crate) finishing: Part<Option<(Column, u32)>>,
}

/// Films.
#[derive(Clone, Copy)]
pub(crate) struct Films {
    pub(crate) states: Part<BTreeMap<Column, FilmState>>,
    pub(crate) cursor: Part<usize>,
    pub(crate) playing: Part<bool>,
    pub(crate) speed: Part<f64>,
    pub(crate) pace: Part<Pace>,
}

/// What comes after the first picture.
#[derive(Clone, Copy)]
pub(crate) struct Later {
    /// Fetches it.
    pub(crate) fetch: fn(),
    /// Whether the words of a language are there; follows that.
    pub(crate) speaks: fn(Language) -> bool,
    /// How queries are answered, once that is there; follows that.
    pub(crate) seeking: fn() -> Option<Seeking>,
}

/// Everything that a pane reads, of the page and of one case.
#[derive(Clone, Copy)]
pub(crate) struct Session {
    pub(super) store: Store,
    seeking: fn() -> Option<Seeking>,
    pub(crate) page: Page,
    pub(super) of: Of,
    /// The language that was chosen.
    pub(crate) chosen: Part<Language>,
    /// The language that is shown: English until the words of the chosen one are there.
    pub(crate) language: Memo<Language>,
    pub(crate) theme: Part<Theme>,
    pub(crate) drawing: Part<Drawing>,
    pub(crate) webgpu: Part<Option<bool>>,
    pub(crate) size: Part<(f64, f64)>,
    pub(crate) frame: Part<Frame>,
    pub(crate) dark: Part<bool>,
    pub(crate) keys: Part<bool>,
    pub(crate) work: Part<Work>,
    pub(crate) idle: Part<bool>,
    pub(crate) notice: Part<Option<Notice>>,
    pub(crate) waiting: Part<Vec<String>>,
    pub(crate) completes: Part<Vec<String>>,
    pub(crate) dialog: Part<Option<Dialog>>,
    pub(crate) table: Part<Option<Arc<Table>>>,
    pub(crate) figures: Part<Option<Arc<Figures>>>,
    pub(crate) tab: Part<Tab>,
    pub(crate) taught: Taught,
    pub(crate) linked: Part<bool>,
    pub(crate) pair: Part<Option<Pair>>,
    pub(crate) active: Part<CaseId>,
    pub(crate) file: Part<Option<OpenFile>>,
    pub(crate) prepared: Part<Option<Arc<Prepared>>>,
    pub(crate) plans: Part<BTreeMap<Column, Progress>>,
    pub(crate) shown: Part<Vec<Column>>,
    pub(crate) bindings: Part<Bindings>,
    pub(crate) settings: Part<Settings>,
    pub(crate) window: Part<Option<Window>>,
    pub(crate) views: Part<Views>,
    pub(super) own_scale: Part<Option<bool>>,
    pub(crate) coloring: Part<Option<Coloring>>,
    pub(crate) hovered: Part<Option<usize>>,
    pub(crate) selected: Part<Option<usize>>,
    pub(crate) query: Part<String>,
    pub(crate) compared: Part<Option<(Column, Column)>>,
    pub(crate) all_moved: Part<bool>,
    pub(crate) planning: Planning,
    pub(crate) runs: Runs,
    pub(crate) what_if: WhatIf,
    pub(crate) films: Films,
    pub(crate) insight: Insight,
    pub(crate) lookup: Lookup,
    pub(crate) shipped: Shipped,
    pub(crate) colors: Memo<Colors>,
    /// What says where steps are across, while times are across.
    pub(crate) clock: Memo<Option<Arc<Clock>>>,
    /// Every case whose panes are seen, in their order.
    pub(crate) cases: Memo<Vec<CaseId>>,
}

impl Session {
    /// The handle of the case that tabs and inspector are about.
    pub(crate) fn new(state: State, later: Later) -> Self {
        let Later {
            fetch,
            speaks,
            seeking,
        } = later;
        let store = Store::new(state);
        let chosen = store.page(|state| &state.page.language);
        let language = Memo::new(move |_| {
            let chosen = Some(chosen.get());
            chosen.filter(|it| speaks(*it)).unwrap_or_default()
        });
        Self::made(
            (store, Of::Active),
            Page::new(store, fetch),
            language,
            seeking,
        )
    }

    /// The same state, seen from one case. Its memos live as long as what asks for it.
    pub(crate) fn of(self, case: CaseId) -> Self {
        Self::made(
            (self.store, Of::Case(case)),
            self.page,
            self.language,
            self.seeking,
        )
    }

    fn made(
        (store, of): (Store, Of),
        page: Page,
        language: Memo<Language>,
        seeking: fn() -> Option<Seeking>,
    ) -> Self {
        let prepared = store.case(of, |case| &case.prepared);
        let plans = store.case(of, |case| &case.plans);
        let shown = store.case(of, |case| &case.shown);
        let query = store.case(of, |case| &case.query);
        let coloring = store.case(of, |case| &case.coloring);
        let runs = runs(store, of);
        let lookup = Lookup::new(query, prepared, (shown, plans), seeking);
        let colors = Memo::new(move |_| {
            let coloring = coloring.get();
            let texts = lookup.texts.get();
            prepared.with(|prepared| {
                let known = prepared.as_ref().zip(texts);
                known
                    .map(|(prepared, texts)| coloring::colors(prepared, &texts.0, coloring))
                    .unwrap_or_default()
            })
        });
        Self {
            store,
            page,
            of,
            seeking,
            chosen: store.page(|state| &state.page.language),
            language,
            theme: store.page(|state| &state.page.theme),
            drawing: store.page(|state| &state.page.drawing),
            webgpu: store.page(|state| &state.page.webgpu),
            size: store.page(|state| &state.page.size),
            frame: store.page(|state| &state.page.frame),
            dark: store.page(|state| &state.page.dark),
            keys: store.page(|state| &state.page.keys),
            work: store.page(|state| &state.page.work),
            idle: store.page(|state| &state.page.idle),
            notice: store.page(|state| &state.page.notice),
            waiting: store.page(|state| &state.page.waiting),
            completes: store.page(|state| &state.page.completes),
            dialog: store.page(|state| &state.page.dialog),
            table: store.page(|state| &state.page.table),
            figures: store.page(|state| &state.page.figures),
            tab: store.page(|state| &state.page.tab),
            taught: Taught::new(store),
            linked: store.page(|state| &state.page.linked),
            pair: store.page(|state| &state.page.pair),
            active: store.page(|state| &state.active),
            file: store.case(of, |case| &case.file),
            prepared,
            plans,
            shown,
            bindings: store.case(of, |case| &case.bindings),
            settings: store.case(of, |case| &case.settings),
            window: store.case(of, |case| &case.window),
            views: store.case(of, |case| &case.views),
            own_scale: store.case(of, |case| &case.own_scale),
            coloring,
            hovered: store.case(of, |case| &case.hovered),
            selected: store.case(of, |case| &case.selected),
            query,
            compared: store.case(of, |case| &case.compared),
            all_moved: store.case(of, |case| &case.all_moved),
            planning: planning(store, of),
            runs,
            what_if: what_if(store, of),
            films: films(store, of),
            insight: Insight::new(store, of),
            lookup,
            shipped: Shipped::new(plans, runs),
            colors,
            clock: super::view::clock(store, of, prepared),
            cases: store.memo(|state| state.shown().map(|case| case.id).collect()),
        }
    }

    /// The number of the case.
    pub(crate) fn id(self) -> CaseId {
        self.store.read(|state| self.of.id(state))
    }

    /// Which case events of this handle are about: `None` for whichever tabs are about then.
    pub(crate) fn case_of_events(self) -> Option<CaseId> {
        match self.of {
            Of::Active => None,
            Of::Case(id) => Some(id),
        }
    }

    /// Runs `read` on the case as it is now; follows nothing.
    pub(crate) fn case<T>(self, read: impl FnOnce(&Case) -> T) -> T {
        self.store.read(|state| read(state.case(self.of.id(state))))
    }

    /// Figures of the whole state, looked at again after every change.
    pub(crate) fn figures<T>(self, read: impl Fn(&State) -> T + Send + Sync + 'static) -> Memo<T>
    where
        T: PartialEq + Send + Sync + 'static,
    {
        self.store.memo(read)
    }

    /// Runs `read` on the whole state as it is now; follows nothing.
    pub(crate) fn state<T>(self, read: impl FnOnce(&State) -> T) -> T {
        self.store.read(read)
    }

    /// A word in the language that is shown; follows the language when read in a view.
    pub(crate) fn say(self, word: impl Spoken) -> &'static str {
        word.spoken(self.language.get())
    }

    /// What plans must respect beside their lifetimes, as chosen now; follows it.
    pub(crate) fn options(self) -> Options {
        self.settings.track();
        self.planning.pools.track();
        self.planning.effort.track();
        self.case(Case::options)
    }

    /// Whether anything is open.
    pub(crate) fn is_open(self) -> bool {
        self.file.with(Option::is_some)
    }

    /// How many tensors are left out because they have no size.
    pub(crate) fn left_out(self) -> u64 {
        self.prepared.with(|prepared| {
            let split = prepared
                .as_ref()
                .and_then(|prepared| prepared.subject.split);
            split.map_or(0, |split| split.unsized_tensors)
        })
    }

    /// Whether what is shown are separate allocations and no arena.
    pub(crate) fn is_separate(self) -> bool {
        let separate = |prepared: &Arc<Prepared>| prepared.subject.separate;
        self.prepared
            .with(|prepared| prepared.as_ref().is_some_and(separate))
    }

    /// Whether a panel is seen; follows that.
    pub(crate) fn is_panel_open(self, panel: Panel) -> bool {
        self.frame.with(|frame| frame.is_open(panel))
    }

    /// Whether the person wants less motion.
    pub(crate) fn is_calm(self) -> bool {
        self.store.read(|state| *state.page.calm)
    }

    /// Whether the page is dark; follows that.
    pub(crate) fn is_dark(self) -> bool {
        match self.theme.get() {
            Theme::System => self.dark.get(),
            Theme::Light => false,
            Theme::Dark => true,
        }
    }

    /// Runs `read` on the lifetimes, if there are any; follows them.
    pub(crate) fn with_lifetimes<T>(self, read: impl FnOnce(&Lifetimes) -> T) -> Option<T> {
        self.prepared.with(|prepared| {
            let prepared = prepared.as_ref()?;
            Some(read(&prepared.subject.lifetimes))
        })
    }

    /// The buffers that the search matches, or `None` when nothing is searched for.
    pub(crate) fn matches(self) -> Option<Vec<usize>> {
        let found = self.lookup.found.get()?;
        Some(found.buffers.clone())
    }

    /// The plan that the buttons are about; follows what it depends on.
    pub(crate) fn target(self) -> Option<Column> {
        self.runs.target.track();
        self.shown.track();
        self.plans.track();
        self.case(Case::target)
    }

    /// Every column with a plan, in the order of the columns; follows them.
    pub(crate) fn planned_columns(self) -> Vec<Column> {
        self.plans.track();
        self.case(Case::planned_columns)
    }

    /// A column's plan, once there is one; follows the plans.
    pub(crate) fn planned(self, column: Column) -> Option<Arc<Planned>> {
        self.plans
            .with(|plans| plans.get(&column)?.planned().cloned())
    }

    /// What waits, in the tab that is seen, for files that complete the other dump.
    pub(crate) fn completes_other(self) -> Option<String> {
        let seen = self.tab.get_untracked() == Tab::DIFFERENCES;
        let waiting = self.completes.get_untracked();
        waiting.last().filter(|_| seen).cloned()
    }
}

fn planning(store: Store, of: Of) -> Planning {
    Planning {
        pools: store.case(of, |case| &case.planning.pools),
        effort: store.case(of, |case| &case.planning.effort),
        stage: store.case(of, |case| &case.planning.stage),
        price: store.case(of, |case| &case.planning.price),
        witness: store.case(of, |case| &case.planning.witness),
        clash: store.case(of, |case| &case.planning.clash),
    }
}

fn runs(store: Store, of: Of) -> Runs {
    Runs {
        gpu: store.page(|state| &state.page.gpu),
        machine: store.page(|state| &state.page.machine),
        seed: store.page(|state| &state.page.seed),
        reference: store.page(|state| &state.page.reference),
        going: store.page(|state| &state.page.going),
        quiet: store.page(|state| &state.page.quiet),
        handy: store.page(|state| &state.page.handy),
        inputs: store.case(of, |case| &case.runs.inputs),
        target: store.case(of, |case| &case.runs.target),
        outcomes: store.case(of, |case| &case.runs.outcomes),
        values: store.case(of, |case| &case.runs.values),
        shown: store.case(of, |case| &case.runs.shown),
        edits: store.case(of, |case| &case.hand.edits),
        moving: store.case(of, |case| &case.hand.moving),
        culprit: store.case(of, |case| &case.hand.culprit),
        victim: store.case(of, |case| &case.hand.victim),
    }
}

fn what_if(store: Store, of: Of) -> WhatIf {
    WhatIf {
        pins: store.case(of, |case| &case.hand.pins),
        past: store.case(of, |case| &case.hand.past),
        future: store.case(of, |case| &case.hand.future),
        partner: store.case(of, |case| &case.hand.partner),
        finisher: store.case(of, |case| &case.hand.finisher),
        finishing: store.case(of, |case| &case.hand.finishing),
    }
}

fn films(store: Store, of: Of) -> Films {
    Films {
        states: store.case(of, |case| &case.films.states),
        cursor: store.case(of, |case| &case.films.cursor),
        playing: store.case(of, |case| &case.films.playing),
        speed: store.case(of, |case| &case.films.speed),
        pace: store.case(of, |case| &case.films.pace),
    }
}

/// The session of this pane.
pub(crate) fn session() -> Session {
    expect_context()
}

/// For drawing only: exact below 2^53.
#[expect(
    clippy::cast_precision_loss,
    reason = "positions on a screen need no more"
)]
pub(crate) fn to_f64(value: u64) -> f64 {
    value as f64
}
