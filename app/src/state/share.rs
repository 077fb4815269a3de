//! What is open as something to hand on: the plan with its view, in a link or in a file.

use leptos::prelude::*;
use planner::save::packed;
use planner::{PassSet, Plan};

use conversation::Fragment;

use super::session::{Column, Session};

/// The most characters of a link that is offered: browsers take more, chats and mails do not.
pub(crate) const MOST_LINK: usize = 32_000;

/// Beyond this many buffers no link is made.
const MOST_BUFFERS: usize = 50_000;

/// Something to hand on.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Share {
    /// The fragment of a link that has everything, however long; `None` where it was not tried.
    pub(crate) link: Option<String>,
    /// The same as a file; `None` for a sample, which every page has.
    pub(crate) file: Option<String>,
    /// What the plan is, of several.
    pub(crate) column: Option<Column>,
}

/// What is open under `view`, the state of the page. A sample is only named, with what was edited
/// of its graph as far as a link has that; of anything else the lifetimes with the plan that came with it, or with the one that buttons are about, and what is
/// known of the buffers, but no model.
pub(crate) fn share(session: Session, view: &Fragment) -> Option<Share> {
    if view.sample.is_some() && !view.lacks_text() {
        return Some(Share {
            link: Some(view.write()),
            file: None,
            column: None,
        });
    }
    let (column, plan) = handed_on(session)?;
    let shown = view.shown.iter().flatten().copied();
    // What was planned here has become the plan in the file.
    let shown = shown.map(|it| if it == column { Column::Deployed } else { it });
    let alignment = session.settings.get().alignment.0;
    let view = Fragment {
        shown: Some(shown.collect()),
        alignment: Some(alignment),
        arena: None,
        columns: Default::default(),
        plan: None,
        text: None,
        sample: None,
        file: session.file.with(|file| Some(file.as_ref()?.name.clone())),
        bindings: Default::default(),
        io: Default::default(),
        passes: PassSet::NONE,
        parallel: Default::default(),
        training: None,
        ..view.clone()
    };
    let whole = |view: &str| json(session, &plan, view);
    let many = plan.offsets.len() > MOST_BUFFERS;
    let fragment = (!many).then(|| {
        let plan = Some(packed(&whole("")?).into());
        let view = Fragment {
            plan,
            ..view.clone()
        };
        Some(view.write())
    });
    let fragment = fragment.flatten();
    let without_file = Fragment { file: None, ..view };
    Some(Share {
        link: fragment,
        file: whole(&without_file.write()),
        column: Some(column),
    })
}

/// Every case that is open, in one link; the file has the one of this session.
pub(crate) fn share_all(session: Session) -> Option<Share> {
    let own = share(session, &session.fragment()?)?;
    let cases = session.cases.get_untracked();
    if cases.len() < 2 {
        return Some(own);
    }
    let each = cases.into_iter().map(|case| {
        let session = session.of(case);
        share(session, &session.fragment()?)?.link
    });
    let fragment = each
        .collect::<Option<Vec<String>>>()
        .map(|all| conversation::join_cases(&all));
    Some(Share {
        link: fragment,
        ..own
    })
}

impl Share {
    /// How long the link would be; `None` where it was not tried.
    pub(crate) fn characters(&self) -> Option<usize> {
        self.link.as_ref().map(String::len)
    }

    /// The fragment of a link, unless it would be too long.
    pub(crate) fn fragment(&self) -> Option<String> {
        let link = self.link.as_ref()?;
        (link.len() <= MOST_LINK).then(|| link.clone())
    }
}

impl Session {
    /// The state of the case as a link would have it; follows nothing.
    pub(crate) fn fragment(self) -> Option<Fragment> {
        let id = self.id();
        self.state(|state| state.fragment_of(id))
    }
}

/// The plan that is handed on: the one that came with the file, else the one that buttons are about.
fn handed_on(session: Session) -> Option<(Column, Plan)> {
    let planned = session.planned_columns();
    let mut candidates = [Column::Deployed].into_iter().chain(session.target());
    let column = candidates.find(|column| planned.contains(column))?;
    let planned = session.planned(column)?;
    Some((column, planned.judged.plan.clone()))
}

fn json(session: Session, plan: &Plan, view: &str) -> Option<String> {
    let prepared = session.prepared.get()?;
    let options = session.options();
    Some(prepared.subject.plan_json(plan, &options, view))
}
