//! What a document is made ready with: all of it, or what the first picture needs.

use super::Unused;
use crate::graph::infer::Sizers;
use crate::graph::{Dialect, Graph};
use crate::liveness::{self, Lifetimes, TooLarge};
use crate::offline;
use crate::passes::{self, Runs};
use crate::plan::Plan;
use crate::program::Program;
use crate::settings::{Io, Settings};

/// Whether the graph is planned as TFLite Micro runs it.
pub(super) fn is_tflm(graph: &Graph, settings: &Settings) -> bool {
    settings.io == Io::Tflm && graph.dialect == Dialect::Tflite
}

/// The lifetimes of a program, the plan that came with it, and what tensors without a use need.
type Lives = fn(&Program, &Settings) -> Result<(Lifetimes, Option<Plan>, Unused), TooLarge>;

/// What a document is made ready with. Code that never names one does not carry it.
#[derive(Clone, Copy)]
pub(super) struct Code {
    pub(super) sizers: Sizers,
    pub(super) runs: Runs,
    pub(super) lives: Lives,
}

impl Code {
    pub(super) const ALL: Self = Self {
        sizers: Sizers::ALL,
        runs: passes::EVERY,
        lives: |program, settings| {
            let lifetimes = liveness::lifetimes(program, settings)?;
            let (deployed, unused) = match is_tflm(&program.graph, settings) {
                true => (
                    offline::completed(program, &lifetimes),
                    Unused::of(&program.graph),
                ),
                false => (None, Unused::default()),
            };
            Ok((lifetimes, deployed, unused))
        },
    };

    /// The usual operators of ONNX, one after the other, and the passes that they need.
    pub(super) const USUAL: Self = Self {
        sizers: Sizers::USUAL,
        runs: passes::NEEDED,
        lives: |program, settings| {
            let lifetimes = liveness::lifetimes_in_order(program, settings)?;
            Ok((lifetimes, None, Unused::default()))
        },
    };
}
