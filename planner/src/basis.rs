//! What cases take on one basis, so that they can be compared: a plan of one toolchain holds
//! inputs and outputs, that of another does not, and no figure of theirs is of the same thing.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::bounds::bounds;
use crate::deployed::{Note, TotalKind};
use crate::liveness::{Handover, Lifetimes};
use crate::overview::Row;
use crate::pipeline::Subject;
use crate::sorting::inserted;
use crate::units::Bytes;

/// A figure, as far as the file says it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Figure {
    /// As it is.
    Exact(Bytes),
    /// No less: a lower bound, or a part of it is not told from something else.
    AtLeast(Bytes),
    /// The file does not say it.
    #[default]
    Unsaid,
}

/// What one case takes, each time with more in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Basis {
    /// What its arenas take, whatever they hold; nothing where there is no plan.
    pub arenas: Figure,
    /// What is free again after the run, without inputs and outputs.
    pub temporary: Figure,
    /// With inputs and outputs.
    pub handed: Figure,
    /// With weights, too.
    pub whole: Figure,
}

/// What `subject` takes; `rows` are all arenas of its file, where there are several.
///
/// What a toolchain sums up itself counts as it says. Where inputs and outputs lie in the arena
/// among the rest, what is temporary is the bound of the rest, for no plan of it is known. Of a
/// model without a plan every figure begins with the bound. O(n log n) in the buffers.
#[must_use]
pub fn basis(subject: &Subject, rows: &[Row]) -> Basis {
    if !subject.totals.is_empty() {
        return summed(subject, rows);
    }
    match (&subject.deployed, subject.split) {
        (Some(plan), _) => {
            let own = plan.reserved.unwrap_or(plan.arena);
            shipped(subject, rows, own)
        }
        (None, Some(split)) => {
            let temporary = without_handed(subject);
            let beside = split.inputs.0.saturating_add(split.outputs.0);
            let handed = match holds_handed(subject) {
                true => bounds(&subject.lifetimes).offsets.0,
                false => temporary.saturating_add(beside),
            };
            let whole = handed.saturating_add(split.constants.0);
            let whole = whole.saturating_add(split.state.0);
            Basis {
                arenas: Figure::Unsaid,
                temporary: Figure::AtLeast(Bytes(temporary)),
                handed: Figure::AtLeast(Bytes(handed)),
                whole: Figure::AtLeast(Bytes(whole)),
            }
        }
        (None, None) => Basis::default(),
    }
}

/// By the toolchain's own sums. Arguments are inputs and weights: which is which it does not say.
fn summed(subject: &Subject, rows: &[Row]) -> Basis {
    let of = |kind| {
        let total = subject.totals.iter().find(|it| it.kind == kind);
        total.map(|it| it.bytes.0)
    };
    let (arguments, outputs) = (of(TotalKind::Arguments), of(TotalKind::Outputs));
    let beside = outputs.unwrap_or(0);
    let beside = beside.saturating_sub(of(TotalKind::Aliased).unwrap_or(0));
    let handed = of(TotalKind::Temporary).map(|it| Bytes(it.saturating_add(beside)));
    let exact = |bytes: Option<u64>| bytes.map_or(Figure::Unsaid, |it| Figure::Exact(Bytes(it)));
    let all = exact(of(TotalKind::All));
    Basis {
        arenas: match (rows, &subject.deployed) {
            ([], None) => Figure::Unsaid,
            ([], Some(plan)) if plan.partial && all == Figure::Unsaid => {
                Figure::AtLeast(plan.arena)
            }
            ([], Some(plan)) => Figure::Exact(plan.arena),
            (rows, _) => Figure::Exact(shared(rows)),
        },
        temporary: exact(of(TotalKind::Temporary)),
        handed: match (handed, arguments, outputs) {
            (None, ..) => Figure::Unsaid,
            (Some(handed), Some(0), Some(_)) => Figure::Exact(handed),
            (Some(handed), ..) => Figure::AtLeast(handed),
        },
        whole: match of(TotalKind::AtLeast) {
            None => all,
            // It may leave results out that are not written over arguments.
            Some(known) => {
                let parts = handed.unwrap_or_default().0;
                let parts = parts.saturating_add(arguments.unwrap_or(0));
                Figure::AtLeast(Bytes(known.max(parts)))
            }
        },
    }
}

/// What the arenas take that buffers share.
fn shared(rows: &[Row]) -> Bytes {
    let rows = rows.iter().filter(|row| !row.separate);
    Bytes(rows.fold(0, |sum, row| row.bytes.0.saturating_add(sum)))
}

/// By what the file says of each buffer; `own` is what the arena takes that is looked at.
fn shipped(subject: &Subject, rows: &[Row], own: Bytes) -> Basis {
    let all = if rows.is_empty() { own } else { shared(rows) };
    let known = subject.notes.iter().any(is_handed);
    let rest = all.0.saturating_sub(own.0);
    Basis {
        arenas: match subject.not_listed() {
            Some(_) => Figure::AtLeast(all),
            None => Figure::Exact(all),
        },
        temporary: match known {
            true => Figure::AtLeast(Bytes(without_handed(subject).saturating_add(rest))),
            false => Figure::Unsaid,
        },
        handed: match known {
            true => Figure::Exact(all),
            false => Figure::Unsaid,
        },
        whole: Figure::Unsaid,
    }
}

/// Whether a buffer is an input or output, in the words of toolchains.
fn is_handed(note: &Note) -> bool {
    note.role.starts_with("input") || note.role.starts_with("output")
}

/// The names of a model's inputs and outputs.
fn handed(subject: &Subject) -> BTreeSet<&str> {
    let graph = subject.graph().into_iter();
    let named = graph.flat_map(|graph| {
        let ends = graph.inputs.iter().chain(&graph.outputs);
        ends.filter_map(|id| graph.tensors.get(id.0 as usize))
    });
    inserted(named.map(|tensor| tensor.name.as_str()))
}

/// Whether inputs and outputs of a model lie among the buffers.
fn holds_handed(subject: &Subject) -> bool {
    let names = handed(subject);
    let mut buffers = subject.lifetimes.buffers.iter();
    buffers.any(|it| names.contains(it.name.as_str()))
}

/// What the buffers need at least that are neither input nor output.
fn without_handed(subject: &Subject) -> u64 {
    let lifetimes = &subject.lifetimes;
    let names = handed(subject);
    let mut places = vec![None; lifetimes.buffers.len()];
    let mut rest = Lifetimes {
        handovers: Vec::new(),
        buffers: Vec::new(),
        ..lifetimes.clone()
    };
    for (index, buffer) in lifetimes.buffers.iter().enumerate() {
        let noted = subject.notes.get(index).is_some_and(is_handed);
        let named = names.contains(buffer.name.as_str());
        if !noted && !named {
            places[index] = Some(rest.buffers.len());
            rest.buffers.push(buffer.clone());
        }
    }
    rest.views.clear();
    let place = |index: usize| places.get(index).copied().flatten();
    let pairs = lifetimes.handovers.iter().filter_map(|pair| {
        let (before, after) = (place(pair.before)?, place(pair.after)?);
        Some(Handover {
            before,
            after,
            ..*pair
        })
    });
    rest.handovers = pairs.collect();
    bounds(&rest).offsets.0
}
