//! The graph over each picture: whether there is room for it, and what of it is looked at.

use std::sync::Arc;

use conversation::Mode;
use leptos::prelude::*;
use planner::{Residencies, Step};
use timeline::graph_strip::Strip;
use timeline::overlay_graph::{GraphMarks, strip_height};
use timeline::overlay_spot::OperatorMarks;

use super::session::{Session, to_f64};

/// In lower windows, and of more pictures, graphs have less room.
const ROOMY: (f64, usize) = (800.0, 2);

impl Session {
    /// How high the graph over each picture is, in CSS pixels; 0 where none is seen. Pictures side
    /// by side have the same, so that all begin as high.
    pub(crate) fn graph_height(self) -> f64 {
        let embedded = self.frame.with(|frame| frame.mode == Mode::Embedded);
        if embedded || !self.insight.graph.get() {
            return 0.0;
        }
        self.prepared.track();
        self.shown.track();
        self.cases.track();
        let (operators, panes) = self.state(|state| {
            let subjects = state.shown().filter_map(|case| case.prepared.as_ref());
            let operators = subjects.map(|it| it.subject.program.as_ref());
            let operators = operators.map(|it| it.map_or(0, |it| it.operators().count()));
            let panes = state.shown().map(|case| case.shown.len()).sum::<usize>();
            // Until something is prepared the room of a large one is kept, so that nothing moves.
            (operators.max().unwrap_or(usize::MAX), panes)
        });
        if operators == 0 {
            return 0.0;
        }
        let window = self.frame.with(|frame| (frame.is_narrow(), frame.window.1));
        let roomy = !window.0 && window.1 >= ROOMY.0 && panes <= ROOMY.1;
        strip_height(operators, roomy, self.letters())
    }

    /// Whether the document has a graph to draw.
    pub(crate) fn has_graph(self) -> bool {
        self.prepared.with(|prepared| {
            let program = prepared.as_ref().and_then(|it| it.subject.program.as_ref());
            program.is_some_and(|program| program.operators().next().is_some())
        })
    }

    /// The graph of the document, if it has one.
    pub(crate) fn graph_strip(self) -> Option<Arc<Strip>> {
        self.prepared.with(|prepared| {
            let subject = &prepared.as_ref()?.subject;
            let strip = Strip::of(subject.program.as_ref()?, &subject.lifetimes);
            (!strip.nodes.is_empty()).then(|| Arc::new(strip))
        })
    }

    /// What of the graph is looked at: the operator under the pointer, else the tensor, else the
    /// step of the crosshair, else the tensor that is selected, else a step.
    pub(crate) fn graph_marks(self) -> GraphMarks {
        let operator = self.looked_operator();
        let buffer = self.hovered.get().or_else(|| self.selected.get());
        let (pointed, step) = (self.insight.pointed.get(), self.insight.step.get());
        let step = pointed.or(step).map(|step| step.0);
        GraphMarks {
            step: operator.or(step),
            buffer: buffer.filter(|_| operator.is_none()),
            around: None,
        }
    }

    /// The step whose operator is looked at: the one under the pointer, else the crosshair's.
    fn looked_operator(self) -> Option<u64> {
        let insight = self.insight;
        let crossed = || {
            let crossed = insight.cross.get() && self.hovered.get().is_none();
            insight.spot.get().filter(|_| crossed).map(|it| it.step)
        };
        insight.operator.get().or_else(crossed).map(|step| step.0)
    }

    /// What lives while the operator runs that is looked at, and what it reads and writes.
    pub(crate) fn operator_marks(self) -> Option<OperatorMarks> {
        let step = self
            .looked_operator()
            .filter(|_| self.graph_height() > 0.0)?;
        let step = Step(step);
        self.prepared.with(|prepared| {
            let subject = &prepared.as_ref()?.subject;
            subject.op(step)?;
            let lifetimes = &subject.lifetimes;
            let (reads, writes) = subject.operands(&Residencies::of(lifetimes), step);
            let live = lifetimes.buffers.iter().enumerate();
            let live = live.filter(|(_, buffer)| buffer.span.contains(step));
            Some(OperatorMarks {
                step: to_f64(step.0),
                live: live.map(|(index, _)| index).collect(),
                reads,
                writes,
            })
        })
    }
}
