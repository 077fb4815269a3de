//! Training steps: what of a model, or of a log, is to be planned.

use super::{Pipeline, Split, Subject, prepared, split};
use crate::deployed::Scope;
use crate::graph::Bindings;
use crate::liveness::{self, TooLarge};
use crate::load::Document;
use crate::passes::{self, Given, OnProgress};
use crate::schedule::Phase;
use crate::settings::{Settings, Training};
use crate::training::dtr::Log;
use crate::training::eager;
use crate::training::stage::{operators, stage};
use crate::units::{Bytes, Span};

/// A log, or a model that `settings` train, made ready; `None` for what is not trained.
pub(super) fn made(
    document: &Document,
    known: (&Bindings, &Given),
    settings: &Settings,
    on_progress: &mut OnProgress<'_>,
) -> Option<Result<Subject, TooLarge>> {
    match (document, settings.training) {
        (Document::Log(log), _) => Some(self::log(log, settings)),
        (Document::Model(_), Some(choice)) => {
            let in_order = passes::order_alone(settings);
            let subject = prepared(Pipeline::UNTRAINED, document, known, &in_order, on_progress);
            Some(subject.and_then(|subject| model(subject, choice, settings, on_progress)))
        }
        _ => None,
    }
}

/// A log, played as `settings` say or without a budget.
fn log(log: &Log, settings: &Settings) -> Result<Subject, TooLarge> {
    let staged = eager::stage(log, settings.training);
    liveness::admit(&staged.lifetimes, settings.alignment)?;
    Ok(Subject {
        lifetimes: staged.lifetimes,
        scopes: staged.phases.into_iter().map(scope).collect(),
        trained: staged.trained.map(Ok),
        ..Subject::default()
    })
}

fn scope((phase, span): (Phase, Span)) -> Scope {
    let name = phase.name().to_owned();
    Scope { name, span }
}

/// A prepared model, trained as `choice` says.
fn model(
    subject: Subject,
    choice: Training,
    settings: &Settings,
    on_progress: &mut OnProgress<'_>,
) -> Result<Subject, TooLarge> {
    let graph = operators(subject.program.unwrap_or_default());
    let (program, trained, fixed) = stage(&graph, choice, on_progress);
    // Outputs are values of the step, as all that is computed.
    let split = subject.split.map(|before| Split {
        outputs: Bytes::ZERO,
        intermediates: split(&program).intermediates,
        // A rank has some of the weights.
        constants: match choice.recipe.sharding.is_on() {
            true => Bytes(fixed.weights),
            false => before.constants,
        },
        ..before
    });
    Ok(Subject {
        split,
        lifetimes: liveness::lifetimes(&program, settings)?,
        trained: Some(trained),
        program: Some(program),
        deployed: None,
        ..subject
    })
}
