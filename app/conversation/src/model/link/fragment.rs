//! The address bar's fragment: everything needed to show the same again, so that a lesson or
//! a bug is a link.
//!
//! `#sample=unet&bind=batch:4&show=best,naive&align=64&io=pinned&view=0,12,0,4096&select=conv1&film=12`
//!
//! Choices about planning: `passes=fusion,in_place`, `stage=fusion`, `parallel=free`, `pools=SRAM:262144,DRAM`, and
//! `effort=4000000,20000` for nodes and moves. `arena=2` is the third arena of a dump.
//! `q=op%20%3D%20Conv` is what is searched for, `color=role` what colours mean. `plan=` is a
//! whole plan, packed, for those who do not have the file, `graph=` the text of an edited graph. `axis=time` has steps as long as they took;
//! `view` is in microseconds then. Of several cases, `case=active` is the
//! one that tabs and inspector are about, and `axes=own` says that each looks at what it wants.
//! `lesson=order:4.2` is the scene of a lesson that all else is about.
//! `columns=size:nbytes` is what the columns of a table mean, for whoever opens the file again, and
//! `range=0..1000000` which events of a recording are held;
//! `when=10..20&by=caller&frames=runtime` is what the tab groups that tells who holds bytes.

use std::sync::Arc;

use planner::advice::Wish;
use planner::graph::Bindings;
use planner::load::{Columns, Meaning};
use planner::query::Field;
use planner::training::choice;
use planner::{Bytes, Effort, Io, Parallel, PassSet, Pool, Span, Step, Training, inserted, passes};

use crate::model::appearance::{Coloring, Tab, Window};
use crate::model::column::Column;
use crate::model::grouping::{Grouping, When};
use crate::model::link::handiwork::Handiwork;
use crate::model::link::numbers::{alignment, effort};
use crate::model::link::reader::{Expected, Ignored, Known, Link};
use crate::model::link::uri::{escape, unescape};
use crate::model::link::{handiwork, replay};

/// Said instead of columns when none is in view.
pub(super) const NO_COLUMN: &str = "none";

/// Places of inputs and outputs.
const IO: [(Io, &str); 5] = [
    (Io::Beside, "beside"),
    (Io::WholeRun, "pinned"),
    (Io::Litert, "litert"),
    (Io::Tflm, "tflm"),
    (Io::Ggml, "ggml"),
];

/// Ways of running operators; the usual one, which comes first, is never written.
const PARALLEL: [(Parallel, &str); 3] = [
    (Parallel::Serial, "serial"),
    (Parallel::Streams, "streams"),
    (Parallel::Free, "free"),
];

/// What colours may mean; the usual, which comes first, is never written.
const COLORINGS: [(Coloring, &str); 9] = Coloring::ALL;

/// What is said of the case that tabs and inspector are about, where it is not the last.
const CASES: [(bool, &str); 1] = [(true, "active")];

/// What is said of axes that are not those of the other cases.
const AXES: [(bool, &str); 1] = [(true, "own")];

/// What is said of what is across, where that is not steps.
const AXIS: [(bool, &str); 1] = [(true, "time")];

/// What is said of the scale of addresses, where somebody chose it.
const SCALES: [(bool, &str); 2] = [(true, "own"), (false, "same")];

/// What is said of frames below Python, where they are shown.
const FRAMES: [(bool, &str); 1] = [(true, "runtime")];

/// Forms of a moment at which bytes are held, for whoever mistypes one.
const MOMENTS: &str = "peak, step, end, 7, 1..7";

/// What is said of an edited text that is too long: no letters that could be read.
pub(crate) const LEFT_OUT: &str = "left_out";

/// The form of a range of events, for whoever mistypes one.
const RANGE: &str = "0..1000000";

/// A link names at most this many pools.
pub const MOST_POOLS: usize = 8;

/// The state that a link carries.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fragment {
    /// The scene of a lesson that all else is about: `order:4.2`.
    pub lesson: Option<String>,
    /// A built-in sample.
    pub sample: Option<String>,
    /// A file of the user's, which a link can only name.
    pub file: Option<String>,
    /// What the columns of that file mean, where it is a table that does not say so.
    pub columns: Columns,
    /// The events that are held of that file, where it is a recording.
    pub range: Option<Span>,
    /// The plan itself, packed, for those who do not have the file.
    pub plan: Option<Arc<str>>,
    /// The text in place of the graph, packed, where it was edited.
    pub text: Option<Arc<str>>,
    /// Values of symbolic dimensions.
    pub bindings: Bindings,
    /// The columns in view; `None` leaves the choice to the page.
    pub shown: Option<Vec<Column>>,
    /// Which arena of a deployed plan, from 0.
    pub arena: Option<u32>,
    /// In bytes.
    pub alignment: Option<u64>,
    /// The most bytes in one allocation; `None` for no limit.
    pub largest_allocation: Option<u64>,
    /// Where inputs and outputs live; `None` for as the file has them.
    pub io: Option<Io>,
    /// The optional passes that rewrite a model.
    pub passes: PassSet,
    /// The stage, by the row of the pass that it ends with; `None` for the last one.
    pub stage: Option<u8>,
    /// The training step that is planned in place of the model.
    pub training: Option<Training>,
    /// Which operators may run at the same time.
    pub parallel: Parallel,
    /// The memories to plan for.
    pub pools: Vec<Pool>,
    /// How long searches may search.
    pub effort: Effort,
    /// What is in view.
    pub window: Option<Window>,
    /// Name of the selected buffer.
    pub selected: Option<String>,
    /// What is searched for.
    pub query: String,
    /// What colours mean; `None` where none was chosen: then it depends on what the file says.
    pub coloring: Option<Coloring>,
    /// Whether each pane has a scale of addresses of its own; `None` leaves it to the page.
    pub own_scale: Option<bool>,
    /// Whether times are across, not steps; what is in view is of that.
    pub timed: bool,
    /// What was changed by hand.
    pub handiwork: Handiwork,
    /// What lies under the panes, where it is not the comparison; films say so themselves.
    pub tab: Option<Tab>,
    /// The step at which the films stand, where they are open.
    pub film: Option<u64>,
    /// What the tab groups that tells who holds bytes.
    pub grouping: Grouping,
    /// The step that is looked at, where that is when they are held.
    pub step: Option<Step>,
    /// What is replayed for advice beside what follows from the file.
    pub wish: Wish,
    /// Whether tabs and inspector are about this case, of several.
    pub active: bool,
    /// Whether its panes have axes of their own, of several cases.
    pub own_axes: bool,
}

impl Fragment {
    /// The fragment without `#`.
    #[must_use]
    pub fn write(&self) -> String {
        let mut parts = Vec::new();
        self.write_planning(&mut parts);
        self.write_view(&mut parts);
        parts.join("&")
    }

    /// Whether what was edited of the graph as text is too long to be in it.
    #[must_use]
    pub fn lacks_text(&self) -> bool {
        self.text.as_deref() == Some(LEFT_OUT)
    }

    /// How a scene is planned and looked at; empty where nothing is said of that.
    #[must_use]
    pub fn within_scene(&self) -> String {
        let within = Self {
            lesson: None,
            sample: None,
            file: None,
            ..self.clone()
        };
        within.write()
    }

    /// What is open and how it is planned, however it is looked at.
    pub(crate) fn unseen(&self) -> Self {
        Self {
            window: None,
            selected: None,
            query: String::new(),
            coloring: None,
            own_scale: None,
            timed: false,
            grouping: Grouping::default(),
            step: None,
            text: None,
            handiwork: Handiwork::new(),
            tab: None,
            film: None,
            active: false,
            own_axes: false,
            ..self.clone()
        }
    }

    /// What is open, and how it is planned.
    fn write_planning(&self, parts: &mut Vec<String>) {
        let mut put = |key: &str, value: String| parts.push(format!("{key}={value}"));
        if let Some(lesson) = &self.lesson {
            put("lesson", escape(lesson));
        }
        if let Some(sample) = &self.sample {
            put("sample", escape(sample));
        }
        if let Some(file) = &self.file {
            put("file", escape(file));
        }
        if !self.columns.0.is_empty() {
            let columns = self.columns.0.iter();
            let columns = columns.map(|(it, name)| format!("{}:{}", it.name(), escape(name)));
            put("columns", columns.collect::<Vec<_>>().join(","));
        }
        if let Some(range) = &self.range {
            put("range", format!("{}..{}", range.start.0, range.end.0));
        }
        if let Some(plan) = &self.plan {
            put("plan", plan.to_string());
        }
        if let Some(text) = &self.text {
            put("graph", text.to_string());
        }
        if !self.bindings.is_empty() {
            let bound = self.bindings.iter();
            let bound = bound.map(|(name, value)| format!("{}:{value}", escape(name)));
            put("bind", bound.collect::<Vec<_>>().join(","));
        }
        if let Some(shown) = &self.shown {
            let names: Vec<_> = shown.iter().map(|column| column.name()).collect();
            let none = if names.is_empty() { NO_COLUMN } else { "" };
            put("show", format!("{none}{}", names.join(",")));
        }
        if let Some(arena) = self.arena {
            put("arena", arena.to_string());
        }
        if let Some(alignment) = self.alignment {
            put("align", alignment.to_string());
        }
        if let Some(bytes) = self.largest_allocation {
            put("largest", bytes.to_string());
        }
        let io = IO.iter().find(|(io, _)| Some(*io) == self.io);
        if let Some((_, name)) = io {
            put("io", (*name).to_owned());
        }
        if self.passes != PassSet::NONE {
            put("passes", passes::text(self.passes));
        }
        let pass = self.stage.and_then(|row| passes::ALL.get(usize::from(row)));
        if let Some(pass) = pass {
            put("stage", pass.name.to_owned());
        }
        if let Some(training) = self.training {
            put("train", choice::text(training));
        }
        let parallel = PARALLEL.iter().skip(1);
        let parallel = parallel.into_iter().find(|(how, _)| *how == self.parallel);
        if let Some((_, name)) = parallel {
            put("parallel", (*name).to_owned());
        }
        if !self.pools.is_empty() {
            let pools: Vec<String> = self.pools.iter().map(pool_text).collect();
            put("pools", pools.join(","));
        }
        if self.effort != Effort::DEFAULT {
            let Effort { nodes, moves } = self.effort;
            put("effort", format!("{nodes},{moves}"));
        }
    }

    /// What is seen of it.
    fn write_view(&self, parts: &mut Vec<String>) {
        let mut put = |key: &str, value: String| parts.push(format!("{key}={value}"));
        if let Some(Window { x, y }) = self.window {
            put(
                "view",
                format!("{:.3},{:.3},{:.0},{:.0}", x.0, x.1, y.0, y.1),
            );
        }
        if let Some(selected) = &self.selected {
            put("select", escape(selected));
        }
        if !self.query.is_empty() {
            put("q", escape(&self.query));
        }
        if let Some(coloring) = self.coloring {
            put("color", coloring.name().to_owned());
        }
        if let Some(work) = handiwork::write(&self.handiwork) {
            put("edit", work);
        }
        if let Some(tab) = self.tab {
            put("tab", tab.0.to_owned());
        }
        if let Some(film) = self.film {
            put("film", film.to_string());
        }
        self.write_grouping(&mut put);
        if let Some(wish) = replay::write(&self.wish) {
            put("replay", wish);
        }
        let scale = SCALES.iter().find(|(own, _)| Some(*own) == self.own_scale);
        if let Some((_, name)) = scale {
            put("scale", (*name).to_owned());
        }
        if self.timed {
            put("axis", AXIS[0].1.to_owned());
        }
        if self.active {
            put("case", CASES[0].1.to_owned());
        }
        if self.own_axes {
            put("axes", AXES[0].1.to_owned());
        }
    }

    /// What is grouped by who holds bytes, where that is not the usual.
    fn write_grouping(&self, put: &mut impl FnMut(&str, String)) {
        let Grouping {
            when,
            field,
            runtime,
        } = self.grouping;
        let when = match (when, self.step) {
            (None, None) => None,
            (Some(When::Peak), _) => Some("peak".to_owned()),
            (Some(When::Looked), None) => Some("step".to_owned()),
            (None | Some(When::Looked), Some(step)) => Some(step.0.to_string()),
            (Some(When::End), _) => Some("end".to_owned()),
            (Some(When::Between(from, to)), _) => Some(format!("{}..{}", from.0, to.0)),
        };
        if let Some(when) = when {
            put("when", when);
        }
        if let Some(field) = field {
            put("by", field.name().to_owned());
        }
        if runtime {
            put("frames", FRAMES[0].1.to_owned());
        }
    }

    /// Reads a fragment, with or without `#`, and lists what could not be read and is left
    /// out: an old or mistyped link still opens. Of the page's tabs there are `tabs`.
    #[must_use]
    pub fn read(text: &str, tabs: &[Tab]) -> (Self, Vec<Ignored>) {
        let mut link = Link::new(text);
        let (when, step) = link
            .take("when", Known::Names(MOMENTS.to_owned()), moment)
            .unwrap_or_default();
        let tab = link.tab(tabs);
        let film = link.take("film", Known::Kind(Expected::Step), |step| {
            step.parse().ok()
        });
        let fragment = Self {
            lesson: link.take("lesson", Known::Kind(Expected::Select), unescape),
            sample: link.take("sample", Known::Kind(Expected::Select), unescape),
            file: link.take("file", Known::Kind(Expected::Select), unescape),
            columns: Columns(link.list("columns", Expected::Columns, column)),
            range: link.take("range", Known::Names(RANGE.to_owned()), range),
            plan: link.take("plan", Known::Kind(Expected::Plan), |plan| {
                (!plan.is_empty()).then(|| Arc::from(plan))
            }),
            text: link.take("graph", Known::Kind(Expected::Graph), |text| {
                (!text.is_empty()).then(|| Arc::from(text))
            }),
            bindings: inserted(link.list("bind", Expected::Bind, binding)),
            shown: link.columns(),
            arena: link.take("arena", Known::Kind(Expected::Arena), |text| {
                text.parse().ok()
            }),
            alignment: link.take("align", Known::Kind(Expected::Align), alignment),
            largest_allocation: link.take("largest", Known::Kind(Expected::Largest), |text| {
                text.parse().ok().filter(|&bytes| bytes > 0)
            }),
            io: link.one_of("io", &IO),
            passes: link.passes(),
            stage: link.stage(),
            training: link.take("train", Known::Kind(Expected::Training), choice::parse),
            parallel: link.named("parallel", &PARALLEL),
            pools: link.pools(),
            effort: link
                .take("effort", Known::Kind(Expected::Effort), effort)
                .unwrap_or_default(),
            window: link.take("view", Known::Kind(Expected::View), window),
            selected: link.take("select", Known::Kind(Expected::Select), unescape),
            query: link
                .take("q", Known::Kind(Expected::Select), unescape)
                .unwrap_or_default(),
            coloring: link.one_of("color", &COLORINGS),
            own_scale: link.one_of("scale", &SCALES),
            timed: link.one_of("axis", &AXIS).unwrap_or_default(),
            handiwork: link
                .take("edit", Known::Kind(Expected::Edit), handiwork)
                .unwrap_or_default(),
            tab: tab.filter(|tab| *tab != Tab::FILM),
            // Films say so themselves; whoever names their tab alone means the beginning.
            film: film.or_else(|| (tab == Some(Tab::FILM)).then_some(0)),
            grouping: Grouping {
                when,
                field: link.one_of("by", &Field::ALL.map(|field| (field, field.name()))),
                runtime: link.one_of("frames", &FRAMES).unwrap_or_default(),
            },
            step,
            wish: link
                .take(
                    "replay",
                    Known::Names(replay::FORMS.to_owned()),
                    replay::read,
                )
                .unwrap_or_default(),
            active: link.one_of("case", &CASES).unwrap_or_default(),
            own_axes: link.one_of("axes", &AXES).unwrap_or_default(),
        };
        (fragment, link.finish())
    }
}

/// When bytes are held, and the step that is looked at.
fn moment(text: &str) -> Option<(Option<When>, Option<Step>)> {
    let step = |text: &str| text.parse().map(Step).ok();
    let (when, step) = match (text, text.split_once("..")) {
        ("peak", _) => (When::Peak, None),
        ("step", _) => (When::Looked, None),
        ("end", _) => (When::End, None),
        (_, Some((from, to))) => (When::Between(step(from)?, step(to)?), None),
        (one, None) => (When::Looked, Some(step(one)?)),
    };
    Some((Some(when), step))
}

/// `None` where something is said and nothing of it is understood.
fn handiwork(text: &str) -> Option<Handiwork> {
    let work = handiwork::read(text);
    (text.is_empty() || !work.is_empty()).then_some(work)
}

fn column(text: &str) -> Option<(Meaning, String)> {
    let (meaning, name) = text.split_once(':')?;
    let meaning = Meaning::all().find(|it| it.name() == meaning)?;
    Some((meaning, unescape(name)?))
}

fn range(text: &str) -> Option<Span> {
    let (first, end) = text.split_once("..")?;
    let (first, end) = (first.parse().ok()?, end.parse().ok()?);
    (first < end).then(|| Span::new(first, end))
}

fn binding(text: &str) -> Option<(String, u64)> {
    let (name, value) = text.rsplit_once(':')?;
    let value = value.parse().ok().filter(|&value| value > 0)?;
    Some((unescape(name)?, value))
}

fn pool_text(pool: &Pool) -> String {
    match pool.capacity {
        Some(Bytes(capacity)) => format!("{}:{capacity}", escape(&pool.name)),
        None => escape(&pool.name),
    }
}

pub(super) fn pool(text: &str) -> Option<Pool> {
    let (name, capacity) = match text.split_once(':') {
        Some((name, capacity)) => (name, Some(Bytes(capacity.parse().ok()?))),
        None => (text, None),
    };
    let name = unescape(name).filter(|name| !name.is_empty())?;
    Some(Pool { name, capacity })
}

fn window(text: &str) -> Option<Window> {
    let numbers: Result<Vec<f64>, _> = text.split(',').map(str::parse).collect();
    let [x0, x1, y0, y1] = numbers.ok()?[..] else {
        return None;
    };
    let sane = x0 < x1 && y0 < y1 && [x0, x1, y0, y1].iter().all(|n| n.is_finite());
    sane.then_some(Window {
        x: (x0, x1),
        y: (y0, y1),
    })
}
