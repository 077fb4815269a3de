//! What the plan is that came with what is open: one that a toolchain deployed, or one that
//! a person had made here and handed on.

use std::collections::BTreeMap;

use leptos::prelude::*;
use planner::Strategy;

use super::part::Part;
use super::session::{Column, OpenFile, Progress, Runs, Session};

/// Where the plan that came with the file is from.
#[derive(Clone, Copy)]
pub(crate) struct Shipped {
    /// What made it, if that is one of our strategies: it was not deployed.
    pub(crate) strategy: Memo<Option<String>>,
}

impl Shipped {
    pub(crate) fn new(plans: Part<BTreeMap<Column, Progress>>, runs: Runs) -> Self {
        let strategy = Memo::new(move |_| {
            let edited = runs.edits.with(|edits| {
                let edit = edits.get(&Column::Deployed)?;
                Some(edit.original.judged.plan.origin.clone())
            });
            let origin = edited.or_else(|| {
                plans.with(|plans| {
                    let planned = plans.get(&Column::Deployed)?.planned()?;
                    Some(planned.judged.plan.origin.clone())
                })
            })?;
            let ours: Result<Strategy, _> = origin.maker().parse();
            ours.is_ok().then(|| origin.to_string())
        });
        Self { strategy }
    }
}

impl Session {
    /// Whether a link brought what is open.
    pub(crate) fn came_by_link(self) -> bool {
        let shared = |file: &OpenFile| file.shared.is_some();
        self.file.with(|file| file.as_ref().is_some_and(shared))
    }
}
