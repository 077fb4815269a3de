//! The address bar's fragment: everything needed to show the same again, so that a lesson or
//! a bug is a link.
//!
//! `#sample=unet&bind=batch:4&show=offsets_by_size,naive&align=64&io=pinned&view=0,12,0,4096&select=conv1`

use std::collections::BTreeMap;

use js_sys::{decode_uri_component, encode_uri_component};
use planner::graph::Bindings;
use planner::liveness::Io;

use super::column::Column;
use super::handiwork::{self, Handiwork};
use super::session::Window;

/// Said instead of columns when none is in view.
const NO_COLUMN: &str = "none";

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
    pub(crate) window: Option<Window>,
    /// Name of the selected buffer.
    pub(crate) selected: Option<String>,
    /// What was changed by hand.
    pub(crate) handiwork: Handiwork,
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
        if self.io == Io::WholeRun {
            put("io", "pinned".to_owned());
        }
        if self.fuse {
            put("fuse", "activations".to_owned());
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
            io: match parts.get("io") {
                Some(&"pinned") => Io::WholeRun,
                _ => Io::Beside,
            },
            fuse: parts.get("fuse") == Some(&"activations"),
            window: window(list("view")),
            selected: text("select"),
            handiwork: handiwork::read(parts.get("edit").copied().unwrap_or_default()),
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
