//! The address bar's fragment: everything needed to show the same again, so that a lesson or
//! a bug is a link.
//!
//! `#sample=unet&bind=batch:4&show=best,naive&align=64&io=pinned&view=0,12,0,4096&select=conv1&film=12`
//!
//! Choices about planning: `in_place=yes`, `parallel=free`, `pools=SRAM:262144,DRAM`, and
//! `effort=4000000,20000` for nodes and moves.

use std::collections::BTreeMap;

use js_sys::{decode_uri_component, encode_uri_component};
use planner::graph::Bindings;
use planner::liveness::{Io, Parallel};
use planner::plan::{Effort, Pool};
use planner::units::Bytes;

use super::column::Column;
use super::handiwork::{self, Handiwork};
use super::planning::MOST_EFFORT;
use super::session::Window;

/// Said instead of columns when none is in view.
const NO_COLUMN: &str = "none";

/// What is not the usual place of inputs and outputs.
const IO: [(Io, &str); 2] = [(Io::WholeRun, "pinned"), (Io::Litert, "litert")];

/// What is not the usual way of running operators.
const PARALLEL: [(Parallel, &str); 2] = [(Parallel::Streams, "streams"), (Parallel::Free, "free")];

/// A link names at most this many pools.
pub(crate) const MOST_POOLS: usize = 8;

/// The state that a link carries.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Fragment {
    /// A built-in sample.
    pub(crate) sample: Option<String>,
    /// A file of the user's, which a link can only name.
    pub(crate) file: Option<String>,
    pub(crate) bindings: Bindings,
    /// The columns in view; `None` leaves the choice to the page.
    pub(crate) shown: Option<Vec<Column>>,
    pub(crate) alignment: Option<u64>,
    pub(crate) io: Io,
    pub(crate) fuse: bool,
    pub(crate) in_place: bool,
    pub(crate) parallel: Parallel,
    pub(crate) pools: Vec<Pool>,
    pub(crate) effort: Effort,
    pub(crate) window: Option<Window>,
    /// Name of the selected buffer.
    pub(crate) selected: Option<String>,
    /// What was changed by hand.
    pub(crate) handiwork: Handiwork,
    /// The step at which the films stand, where they are open.
    pub(crate) film: Option<u64>,
}

impl Fragment {
    /// The fragment without `#`.
    pub(crate) fn write(&self) -> String {
        let mut parts = Vec::new();
        let mut put = |key: &str, value: String| parts.push(format!("{key}={value}"));
        if let Some(sample) = &self.sample {
            put("sample", escape(sample));
        }
        if let Some(file) = &self.file {
            put("file", escape(file));
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
        if let Some(alignment) = self.alignment {
            put("align", alignment.to_string());
        }
        let io = IO.iter().find(|(io, _)| *io == self.io);
        if let Some((_, name)) = io {
            put("io", (*name).to_owned());
        }
        if self.fuse {
            put("fuse", "activations".to_owned());
        }
        if self.in_place {
            put("in_place", "yes".to_owned());
        }
        let parallel = PARALLEL.iter().find(|(how, _)| *how == self.parallel);
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
        if let Some(Window { x, y }) = self.window {
            put(
                "view",
                format!("{:.3},{:.3},{:.0},{:.0}", x.0, x.1, y.0, y.1),
            );
        }
        if let Some(selected) = &self.selected {
            put("select", escape(selected));
        }
        if let Some(work) = handiwork::write(&self.handiwork) {
            put("edit", work);
        }
        if let Some(film) = self.film {
            put("film", film.to_string());
        }
        parts.join("&")
    }

    /// Reads a fragment, with or without `#`. What cannot be read is left out: an old or
    /// mistyped link still opens.
    pub(crate) fn read(text: &str) -> Self {
        let text = text.trim_start_matches('#');
        let pairs = text.split('&').filter_map(|part| part.split_once('='));
        let parts: BTreeMap<&str, &str> = pairs.collect();
        let text = |key: &str| parts.get(key).and_then(|value| unescape(value));
        let list = |key: &str| parts.get(key).copied().unwrap_or_default().split(',');
        Self {
            sample: text("sample"),
            file: text("file"),
            bindings: list("bind").filter_map(binding).collect(),
            shown: columns(parts.get("show").copied()),
            alignment: text("align")
                .and_then(|value| value.parse().ok())
                .filter(|&bytes| bytes > 0),
            io: named(&IO, parts.get("io")),
            fuse: parts.get("fuse") == Some(&"activations"),
            in_place: parts.get("in_place") == Some(&"yes"),
            parallel: named(&PARALLEL, parts.get("parallel")),
            pools: list("pools").filter_map(pool).take(MOST_POOLS).collect(),
            effort: effort(list("effort")),
            window: window(list("view")),
            selected: text("select"),
            handiwork: handiwork::read(parts.get("edit").copied().unwrap_or_default()),
            film: text("film").and_then(|step| step.parse().ok()),
        }
    }
}

/// `None` when the link says nothing of columns, or nothing that can be understood.
fn columns(text: Option<&str>) -> Option<Vec<Column>> {
    let text = text?;
    let mut columns: Vec<Column> = Vec::new();
    for column in text.split(',').filter_map(|name| name.parse().ok()) {
        if !columns.contains(&column) {
            columns.push(column);
        }
    }
    (text == NO_COLUMN || !columns.is_empty()).then_some(columns)
}

fn binding(text: &str) -> Option<(String, u64)> {
    let (name, value) = text.rsplit_once(':')?;
    Some((unescape(name)?, value.parse().ok()?))
}

/// What a name stands for, or the usual.
fn named<T: Copy + Default>(names: &[(T, &str)], name: Option<&&str>) -> T {
    let found = names
        .iter()
        .find(|(_, known)| Some(&known) == name.as_ref());
    found.map(|(meant, _)| *meant).unwrap_or_default()
}

fn pool_text(pool: &Pool) -> String {
    match pool.capacity {
        Some(Bytes(capacity)) => format!("{}:{capacity}", escape(&pool.name)),
        None => escape(&pool.name),
    }
}

fn pool(text: &str) -> Option<Pool> {
    let (name, capacity) = match text.split_once(':') {
        Some((name, capacity)) => (name, Some(Bytes(capacity.parse().ok()?))),
        None => (text, None),
    };
    let name = unescape(name).filter(|name| !name.is_empty())?;
    Some(Pool { name, capacity })
}

fn effort<'a>(numbers: impl Iterator<Item = &'a str>) -> Effort {
    let numbers: Vec<u64> = numbers.filter_map(|number| number.parse().ok()).collect();
    match numbers[..] {
        [nodes, moves] => Effort {
            nodes: nodes.min(MOST_EFFORT),
            moves: moves.min(MOST_EFFORT),
        },
        _ => Effort::DEFAULT,
    }
}

fn window<'a>(numbers: impl Iterator<Item = &'a str>) -> Option<Window> {
    let numbers: Vec<f64> = numbers.filter_map(|number| number.parse().ok()).collect();
    let [x0, x1, y0, y1] = numbers[..] else {
        return None;
    };
    let sane = x0 < x1 && y0 < y1 && [x0, x1, y0, y1].iter().all(|n| n.is_finite());
    sane.then_some(Window {
        x: (x0, x1),
        y: (y0, y1),
    })
}

fn escape(text: &str) -> String {
    encode_uri_component(text).into()
}

fn unescape(text: &str) -> Option<String> {
    decode_uri_component(text).ok().map(Into::into)
}
