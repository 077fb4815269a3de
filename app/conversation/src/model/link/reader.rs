//! A link part by part, with a list of what in it is not known here.

use std::collections::BTreeMap;

use planner::{PassSet, Pool, passes};

use crate::model::appearance::Tab;
use crate::model::column::Column;
use crate::model::link::fragment::{MOST_POOLS, NO_COLUMN, pool};
use crate::model::link::uri::unescape;

/// Everything that a link can speak of.
const KEYS: [&str; 35] = [
    "sample", "file", "plan", "bind", "show", "arena", "align", "io", "passes", "stage", "train",
    "fuse", "in_place", "parallel", "pools", "effort", "view", "select", "q", "color", "edit",
    "tab", "film", "case", "axes", "scale", "when", "by", "frames", "columns", "axis", "graph",
    "lesson", "range", "replay",
];

/// A part of a link that was left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ignored {
    /// As the link says it, such as `align=7`.
    pub part: String,
    /// What could have stood there.
    pub known: Known,
}

/// What a link may say at one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Known {
    /// One of these.
    Names(String),
    /// Something of this kind.
    Kind(Expected),
}

/// What a part of a link is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// The name of a tensor, or of anything else that is open.
    Select,
    /// A plan, packed.
    Plan,
    /// The text of a graph, packed.
    Graph,
    /// A dimension of the model and a value from 1 on.
    Bind,
    /// The number of an arena.
    Arena,
    /// A policy, a number of samples and bytes.
    Training,
    /// A power of two.
    Align,
    /// The most bytes of one allocation.
    Largest,
    /// Two numbers from 1 on.
    Effort,
    /// Four numbers.
    View,
    /// Changes of tensors.
    Edit,
    /// The number of a step.
    Step,
    /// Names of strategies.
    Strategies,
    /// Names of pools, each once, with capacities.
    Pools,
    /// What a column of a table means, and its name.
    Columns,
    /// Something else: the file brings no plan.
    NoPlan,
}

/// A link that is being read.
pub(super) struct Link<'t> {
    parts: BTreeMap<&'t str, &'t str>,
    ignored: Vec<Ignored>,
}

impl<'t> Link<'t> {
    /// Splits a fragment, with or without `#`; parts without a known key are unknown.
    pub(super) fn new(text: &'t str) -> Self {
        let text = text.trim_start_matches('#');
        let mut link = Self {
            parts: BTreeMap::new(),
            ignored: Vec::new(),
        };
        for part in text.split('&').filter(|part| !part.is_empty()) {
            match part.split_once('=') {
                Some((key, value)) if KEYS.contains(&key) => {
                    link.parts.insert(key, value);
                }
                _ => link.ignore(part.to_owned(), Known::Names(KEYS.join(", "))),
            }
        }
        link
    }

    /// What was left out.
    pub(super) fn finish(self) -> Vec<Ignored> {
        self.ignored
    }

    fn ignore(&mut self, part: String, known: Known) {
        let part = unescape(&part).unwrap_or(part);
        self.ignored.push(Ignored { part, known });
    }

    /// The value of `key` as `read` understands it.
    pub(super) fn take<T>(
        &mut self,
        key: &str,
        known: Known,
        read: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let value = self.parts.get(key).copied()?;
        let read = read(value);
        if read.is_none() {
            self.ignore(format!("{key}={value}"), known);
        }
        read
    }

    /// The values of `key` between commas, as far as `read` understands them.
    pub(super) fn list<T>(
        &mut self,
        key: &str,
        known: Expected,
        read: impl Fn(&str) -> Option<T>,
    ) -> Vec<T> {
        let value = self.parts.get(key).copied().unwrap_or_default();
        let mut values = Vec::new();
        for one in value.split(',').filter(|one| !one.is_empty()) {
            match read(one) {
                Some(value) => values.push(value),
                None => self.ignore(format!("{key}={one}"), Known::Kind(known)),
            }
        }
        values
    }

    /// What a name stands for; the usual, the first of `names`, where there is none.
    pub(super) fn named<T: Copy + Default>(&mut self, key: &str, names: &[(T, &str)]) -> T {
        self.one_of(key, names).unwrap_or_default()
    }

    /// What a name stands for; `None` where there is none.
    pub(super) fn one_of<T: Copy>(&mut self, key: &str, names: &[(T, &str)]) -> Option<T> {
        let all: Vec<&str> = names.iter().map(|(_, name)| *name).collect();
        let meant = |name: &str| {
            let found = names.iter().find(|(_, known)| *known == name);
            found.map(|(meant, _)| *meant)
        };
        self.take(key, Known::Names(all.join(", ")), meant)
    }

    /// The columns in view; `None` when the link says nothing of columns, or nothing that can
    /// be understood.
    pub(super) fn columns(&mut self) -> Option<Vec<Column>> {
        let text = self.parts.get("show").copied()?;
        if text == NO_COLUMN {
            return Some(Vec::new());
        }
        let mut columns: Vec<Column> = Vec::new();
        let known = Expected::Strategies;
        for column in self.list("show", known, |name| name.parse().ok()) {
            if !columns.contains(&column) {
                columns.push(column);
            }
        }
        (!columns.is_empty()).then_some(columns)
    }

    /// The passes, and those that links named by keys of their own before there was one for all.
    pub(super) fn passes(&mut self) -> PassSet {
        let names: Vec<&str> = passes::optional().map(|(_, pass)| pass.name).collect();
        let named = |text: &str| passes::parse(text).ok();
        let named = self.take("passes", Known::Names(names.join(",")), named);
        let older = [
            ("fuse", "activations", "fusion=activations"),
            ("in_place", "yes", "in_place"),
        ];
        let older = older.into_iter().filter_map(|(key, yes, pass)| {
            let chosen = self.one_of(key, &[(false, "no"), (true, yes)])?;
            passes::parse(if chosen { pass } else { "" }).ok()
        });
        older.fold(named.unwrap_or_default(), PassSet::union)
    }

    /// The row of the pass that the stage ends with.
    pub(super) fn stage(&mut self) -> Option<u8> {
        let names: Vec<&str> = passes::ALL.iter().map(|pass| pass.name).collect();
        let row = |name: &str| {
            let row = passes::ALL.iter().position(|pass| pass.name == name);
            row.and_then(|row| u8::try_from(row).ok())
        };
        self.take("stage", Known::Names(names.join(", ")), row)
    }

    /// What lies under the panes, one of `tabs`.
    pub(super) fn tab(&mut self, tabs: &[Tab]) -> Option<Tab> {
        let names: Vec<&str> = tabs.iter().map(|tab| tab.0).collect();
        let named = |name: &str| tabs.iter().copied().find(|tab| tab.0 == name);
        self.take("tab", Known::Names(names.join(", ")), named)
    }

    /// The pools, of which there may be only so many, and each only once: of two of one name
    /// it would be ambiguous which of them a plan means.
    pub(super) fn pools(&mut self) -> Vec<Pool> {
        let mut pools: Vec<Pool> = Vec::new();
        for other in self.list("pools", Expected::Pools, pool) {
            if pools.iter().all(|known| known.name != other.name) {
                pools.push(other);
            } else {
                let capacity = other.capacity.map(|bytes| format!(":{}", bytes.0));
                let part = format!("pools={}{}", other.name, capacity.unwrap_or_default());
                self.ignore(part, Known::Kind(Expected::Pools));
            }
        }
        for pool in pools.split_off(pools.len().min(MOST_POOLS)) {
            let part = format!("pools={}", pool.name);
            self.ignore(part, Known::Kind(Expected::Pools));
        }
        pools
    }
}
