//! What a document is made ready with: all of it, or what the first picture needs.

use super::{Subject, Unused, prepared, trained};
use crate::graph::infer::Sizers;
use crate::graph::{Bindings, Dialect, Graph};
use crate::liveness::{self, Lifetimes, TooLarge};
use crate::load::Document;
use crate::passes::{self, Given, OnProgress, Runs};
use crate::plan::Plan;
use crate::program::Program;
use crate::settings::{Io, Parallel, PassSet, Settings};
use crate::tflm_offline_plan;

/// Whether the graph is planned as TFLite Micro runs it.
pub(super) fn is_tflm(graph: &Graph, settings: &Settings) -> bool {
    settings.io == Io::Tflm && graph.dialect == Dialect::Tflite
}

/// The lifetimes of a program, the plan that came with it, and what tensors without a use need.
type Lives = fn(&Program, &Settings) -> Result<(Lifetimes, Option<Plan>, Unused), TooLarge>;

/// What of a document is trained, made ready; `None` for what is not trained.
type Train = fn(
    &Document,
    (&Bindings, &Given),
    &Settings,
    &mut OnProgress<'_>,
) -> Option<Result<Subject, TooLarge>>;

/// What a document is made ready with. A program carries the code of those only that it names.
#[derive(Clone, Copy, Debug)]
pub struct Pipeline {
    pub(super) sizers: Sizers,
    pub(super) runs: Runs,
    pub(super) lives: Lives,
    pub(super) train: Train,
    /// Whether this is all that a document needs.
    suits: fn(&Document, &Settings) -> bool,
}

impl Pipeline {
    /// Every operator and pass, and training steps.
    pub const ALL: Self = Self {
        train: trained::made,
        ..Self::UNTRAINED
    };

    /// Every operator and pass; a training step that is asked for is not made.
    pub(super) const UNTRAINED: Self = Self {
        sizers: Sizers::ALL,
        runs: passes::EVERY,
        lives: |program, settings| {
            let lifetimes = liveness::lifetimes(program, settings)?;
            let (deployed, unused) = match is_tflm(&program.graph, settings) {
                true => (
                    tflm_offline_plan::completed(program, &lifetimes),
                    Unused::of(&program.graph),
                ),
                false => (None, Unused::default()),
            };
            Ok((lifetimes, deployed, unused))
        },
        train: |_, _, _, _| None,
        suits: |_, _| true,
    };

    /// The usual operators of ONNX, without subgraphs, one after the other, and the passes that
    /// they need.
    pub const ONNX: Self = Self {
        sizers: Sizers::USUAL,
        runs: passes::NEEDED,
        lives: |program, settings| {
            let lifetimes = liveness::lifetimes_in_order(program, settings)?;
            Ok((lifetimes, None, Unused::default()))
        },
        suits: |document, settings| {
            document.graph().is_none_or(Sizers::are_usual)
                && settings.passes == PassSet::NONE
                && settings.parallel == Parallel::Serial
                && settings.io != Io::Tflm
                && settings.training.is_none()
                && !matches!(document, Document::Log(_))
        },
        ..Self::UNTRAINED
    };

    /// As [`prepare_watched`](super::prepare_watched); `None` for what takes more than this.
    #[must_use]
    pub fn prepare(
        self,
        document: &Document,
        bindings: &Bindings,
        settings: &Settings,
        on_progress: &mut OnProgress<'_>,
    ) -> Option<Result<Subject, TooLarge>> {
        let known = (bindings, &Given::new());
        (self.suits)(document, settings)
            .then(|| prepared(self, document, known, settings, on_progress))
    }
}
