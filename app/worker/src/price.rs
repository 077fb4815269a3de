//! What it costs to run operators at the same time: one plan for operators one after the
//! other, and one that stays right in whatever order they run.

use planner::graph::Bindings;
use planner::load::Document;
use planner::{Bytes, Effort, Options, Parallel, Settings, Strategy, bounds};
use serde::{Deserialize, Serialize};

use crate::Surroundings;
use crate::listener::Listener;

/// What both ways of running need.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Price {
    /// Which operators may run at the same time.
    pub parallel: Parallel,
    /// One operator after the other.
    pub serial: Priced,
    /// At the same time.
    pub safe: Priced,
}

/// What one way of running needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Priced {
    /// No plan of offsets needs less.
    pub bound: Bytes,
    /// No plan that adds no wait needs less, by pairs of buffers; `None` for serial runs, and
    /// where it was not found.
    pub unwaiting: Option<Bytes>,
    /// The arena of the best plan that was found.
    pub arena: Bytes,
}

/// Plans `document` both ways: as `settings` say, but for when operators run. Serial settings
/// are compared with operators that run as soon as their inputs are there.
///
/// `None` for what is no model, for a schedule that does more than compute, and where one of both plans is refused or breaks a rule.
pub(crate) fn price(
    id: u32,
    document: &Document,
    bindings: &Bindings,
    settings: &Settings,
    effort: Effort,
    around: &dyn Surroundings,
) -> Option<Price> {
    let may_overlap = match document {
        Document::Model(_) => true,
        Document::Program(program) => program.schedule.only_computes(),
        Document::Problem(_) | Document::Deployed(_) => false,
    };
    if !may_overlap {
        return None;
    }
    let parallel = match settings.parallel {
        Parallel::Serial => Parallel::Free,
        chosen => chosen,
    };
    let priced = |parallel: Parallel| {
        let settings = Settings {
            parallel,
            ..*settings
        };
        let subject = planner::prepare(document, bindings, &settings).ok()?;
        let bounds = bounds::aligned(&subject.lifetimes, settings.alignment);
        let options = Options {
            effort,
            ..Options::aligned(settings.alignment)
        };
        let what = (&subject.lifetimes, &bounds, &options);
        let mut listener = Listener::new(id, Strategy::Best, around, what).for_figures();
        let judged = planner::judged(
            Strategy::Best,
            &subject.lifetimes,
            &bounds,
            &options,
            &mut listener,
        );
        let judged = judged.ok().filter(|judged| judged.violations.is_empty())?;
        Some(Priced {
            bound: bounds.offsets,
            unwaiting: subject.lifetimes.unwaiting,
            arena: judged.metrics.arena,
        })
    };
    Some(Price {
        parallel,
        serial: priced(Parallel::Serial)?,
        safe: priced(parallel)?,
    })
}
