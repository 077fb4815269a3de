//! What is known of training steps, as panes read it.

use std::sync::Arc;

use conversation::{
    Answer, ChosenStep, Counting, Estimating, EvictionFilm, Fitting, TrainingFound,
};
use executor::verify::zeros::Zeros;
use leptos::prelude::Memo;
use planner::Step;
use planner::advice::Allocators;
use planner::training::advisor::Advice;
use planner::training::devices::{Batches, Device};
use planner::training::dtr::decisions::Decisions;
use planner::training::estimate::NoEstimate;
use planner::training::sharding::bars::{Axis, Bar};
use planner::training::stage::NoStep;
use planner::training::swap::timetable::Timetable;
use planner::training::switches::Switch;

use worker::{CaseId, Estimated};

use super::part::{Of, Part, Store};
use super::session::Session;

/// What is known of the training steps of a case.
#[derive(Clone, Copy)]
pub(crate) struct Training {
    pub(crate) found: Part<TrainingFound>,
    pub(crate) parts: Part<(u64, u64)>,
    pub(crate) stopped: Part<bool>,
    pub(crate) chosen: Part<ChosenStep>,
    pub(crate) until: Part<Option<Step>>,
    pub(crate) device: Part<Option<Device>>,
}

impl Training {
    pub(super) fn new(store: Store, of: Of) -> Self {
        Self {
            found: store.case(of, |case| &case.training.found),
            parts: store.case(of, |case| &case.training.parts),
            stopped: store.case(of, |case| &case.training.stopped),
            chosen: store.case(of, |case| &case.training.chosen),
            until: store.case(of, |case| &case.training.until),
            device: store.case(of, |case| &case.training.device),
        }
    }
}

/// What is looked at of training steps further down, made where somebody looks, so that the first
/// load does not carry it.
#[derive(Clone, Copy)]
pub(crate) struct TrainingAsides {
    pub(crate) batches: Part<Answer<Batches>>,
    pub(crate) evictions: Part<Answer<Decisions>>,
    pub(crate) eviction: Part<usize>,
    pub(crate) film: Part<EvictionFilm>,
    pub(crate) switches: Part<Answer<Result<Vec<Switch>, NoStep>>>,
    pub(crate) timetable: Part<Answer<Timetable>>,
    pub(crate) iteration: Part<usize>,
    pub(crate) estimating: Part<Estimating>,
    pub(crate) estimate: Part<Answer<Result<Box<Estimated>, NoEstimate>>>,
    pub(crate) allocators: Part<Answer<Result<Allocators, NoEstimate>>>,
    pub(crate) bars: Part<Answer<Vec<Bar>>>,
    pub(crate) axis: Part<Axis>,
    pub(crate) fits: Part<Answer<Result<Box<Advice>, NoEstimate>>>,
    pub(crate) fitting: Part<Fitting>,
    pub(crate) requests: Part<Answer<Result<String, NoEstimate>>>,
    pub(crate) zeros: Part<Option<Arc<Zeros>>>,
    pub(crate) counting: Part<Counting>,
    /// The cases that are snapshots of a process, by the names of their files.
    pub(crate) snapshots: Memo<Vec<(CaseId, String)>>,
}

impl Session {
    pub(crate) fn training_asides(self) -> TrainingAsides {
        let (store, of) = (self.store, self.of);
        TrainingAsides {
            batches: store.case(of, |case| &case.training.batches.found),
            evictions: store.case(of, |case| &case.training.evictions.found),
            eviction: store.case(of, |case| &case.training.eviction),
            film: store.case(of, |case| &case.training.film),
            switches: store.case(of, |case| &case.training.switches.found),
            timetable: store.case(of, |case| &case.training.timetable.found),
            iteration: store.case(of, |case| &case.training.iteration),
            estimating: store.case(of, |case| &case.training.estimating),
            estimate: store.case(of, |case| &case.training.estimate.found),
            allocators: store.case(of, |case| &case.training.allocators.found),
            bars: store.case(of, |case| &case.training.bars.found),
            requests: store.case(of, |case| &case.training.requests.found),
            fits: store.case(of, |case| &case.training.fits.found),
            fitting: store.case(of, |case| &case.training.fitting),
            axis: store.case(of, |case| &case.training.axis),
            zeros: store.case(of, |case| &case.training.zeros),
            counting: store.case(of, |case| &case.training.counting),
            snapshots: store.memo(|state| {
                let cases = state.shown();
                let open = cases.filter_map(|case| Some((case.id, case.file.as_ref()?)));
                let traced = open.filter(|(_, file)| file.opened.toolchain == "PyTorch");
                traced.map(|(id, file)| (id, file.name.clone())).collect()
            }),
        }
    }
}
