//! The phase of a training step that a buffer was allocated in.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{Owner, function};
use crate::deployed::{Frame, Scope};
use crate::sorting::Sorting as _;
use crate::units::{Span, Step};

/// A phase of a training step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// From the inputs to the loss.
    Forward,
    /// From the loss to the gradients.
    Backward,
    /// The update of the parameters.
    Optimizer,
}

impl Phase {
    /// As queries and files have it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Forward => "forward",
            Self::Backward => "backward",
            Self::Optimizer => "optimizer",
        }
    }

    /// The phase of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let all = [Self::Forward, Self::Backward, Self::Optimizer];
        all.into_iter().find(|phase| phase.name() == name)
    }

    /// What the name of a scope tells: "Optimizer.step#AdamW.step", "## backward ##".
    fn said(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let words = [
            ("optim", Self::Optimizer),
            ("backward", Self::Backward),
            ("forward", Self::Forward),
        ];
        let (_, phase) = words.into_iter().find(|(word, _)| name.contains(word))?;
        Some(phase)
    }
}

/// What a stack tells. An optimizer may run a backward pass, and that a forward one when it
/// recomputes: the outer of these counts.
pub(super) fn of_stack(lines: &[(&Frame, Owner)]) -> Option<Phase> {
    let any = |is: fn(&Frame, Owner) -> bool| lines.iter().any(|&(frame, owner)| is(frame, owner));
    if any(is_optimizer) {
        Some(Phase::Optimizer)
    } else if any(is_backward) {
        Some(Phase::Backward)
    } else if any(is_forward) {
        Some(Phase::Forward)
    } else {
        None
    }
}

fn is_optimizer(frame: &Frame, owner: Owner) -> bool {
    let file = frame.file.as_str();
    owner != Owner::Runtime && (file.contains("/optim/") || file.contains("/optimizers/"))
}

/// The engine in C++, or what calls it from Python.
fn is_backward(frame: &Frame, owner: Owner) -> bool {
    match owner {
        Owner::Runtime => {
            let name = frame.function.as_str();
            name.contains("autograd::Engine::") || name.contains("Backward0::apply")
        }
        Owner::Program | Owner::Library => {
            matches!(function(frame), "backward" | "_engine_run_backward")
        }
    }
}

fn is_forward(frame: &Frame, owner: Owner) -> bool {
    let names = ["forward", "_call_impl", "_wrapped_call_impl"];
    owner != Owner::Runtime && names.contains(&function(frame))
}

/// The phase at every step, from what a program said of itself.
pub(super) struct Timeline {
    /// From each step on, ascending.
    changes: Vec<(Step, Option<Phase>)>,
}

impl Timeline {
    /// Of scopes at the same step the one that began last counts, of those that tell a phase.
    pub(super) fn of(scopes: &[Scope]) -> Self {
        let told = scopes.iter().filter_map(|scope| {
            let phase = Phase::said(&scope.name)?;
            (!scope.span.is_empty()).then_some((scope.span, phase))
        });
        let told: Vec<(Span, Phase)> = told.collect();
        let edges = told.iter().enumerate().flat_map(|(index, (span, _))| {
            let key = (span.start, index);
            [(span.end, false, key), (span.start, true, key)]
        });
        let mut edges: Vec<_> = edges.collect();
        edges.order();
        let mut open = BTreeSet::new();
        let mut changes = Vec::new();
        for (step, begins, key) in edges {
            match begins {
                true => open.insert(key),
                false => open.remove(&key),
            };
            let innermost = open.last().and_then(|&(_, index)| told.get(index));
            changes.push((step, innermost.map(|it| it.1)));
        }
        Self { changes }
    }

    /// The phase at `step`.
    pub(super) fn at(&self, step: Step) -> Option<Phase> {
        let after = self.changes.partition_point(|change| change.0 <= step);
        self.changes.get(after.checked_sub(1)?)?.1
    }
}
