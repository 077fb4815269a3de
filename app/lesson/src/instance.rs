//! A problem made ready, so that its figures can be measured.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use planner::bounds::{self, Bounds};
use planner::graph::{Bindings, Graph};
use planner::load::{self, Document, Format, Part};
use planner::training::stage;
use planner::{
    Bytes, Effort, Io, Judged, Message, Offset, Options, PlanError, Pool, Settings, Silent,
    Strategy, Subject, Training, impl_message, judged, message, what_if,
};
use serde::{Deserialize, Serialize};

use crate::swaps::Swaps;

/// A lesson's problem has at most so many steps and buffers: its figures are measured while
/// somebody waits for a scene.
const MOST_STEPS: usize = 10_000;
const MOST_BUFFERS: usize = 5_000;

/// How a plan is called that came with a problem.
const DEPLOYED: &str = "deployed";

/// How a plan is called that a scene changes by hand.
const EDITED: &str = "edited";

/// Something to be measured: a problem, and how it is prepared and planned.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Instance {
    /// What its file is called.
    pub name: String,
    /// The file's text; `None` for the document that is open.
    pub text: Option<String>,
    /// Values of symbolic dimensions.
    pub bindings: Bindings,
    /// What is chosen about lifetimes, alignment and inputs and outputs aside.
    pub settings: Settings,
    /// In bytes; `None` for the usual one of such a document.
    pub alignment: Option<u64>,
    /// Where inputs and outputs live; `None` for as usual.
    pub io: Option<Io>,
    /// The memories to plan for; none for one without a limit.
    pub pools: Vec<Pool>,
    /// How long searches may search.
    pub effort: Effort,
    /// What is changed by hand.
    pub edits: Vec<Edit>,
}

/// A buffer of a plan put elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edit {
    /// The plan, as measures name it.
    pub plan: String,
    /// The buffer.
    pub buffer: String,
    /// Where it is put.
    pub offset: Offset,
}

/// Why a figure cannot be measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unmeasured {
    /// There is no setup of this name.
    NoSetup(String),
    /// The problem of this name cannot be read; why.
    Unread(String, Message),
    /// The problem of this name has more steps or buffers than a scene may have.
    TooLarge(String),
    /// Nothing is called so: a strategy, a buffer, a part of an arena.
    NoSuch(String),
    /// The strategy of this name has no plan; why.
    NoPlan(String, Message),
    /// The search of this problem did not end, so that nothing is proved.
    NotProved(String),
    /// A number was wanted where there are names, or names where there is a number.
    OtherKind,
    /// It holds for models only, or for training steps only.
    NotThere(Message),
}

impl Unmeasured {
    /// It in words.
    #[must_use]
    pub fn message(&self) -> Message {
        match self {
            Self::NoSetup(name) => message!("there is no setup {}", name),
            Self::Unread(name, why) => message!("{} cannot be read: {}", name, why),
            Self::TooLarge(name) => message!(
                "{} has more than {} steps or {} buffers",
                name,
                MOST_STEPS,
                MOST_BUFFERS
            ),
            Self::NoSuch(name) => message!("nothing is called {} here", name),
            Self::NoPlan(name, why) => message!("{} has no plan: {}", name, why),
            Self::NotProved(name) => message!("the smallest arena of {} is not proved", name),
            Self::OtherKind => {
                message!("a number stands where names should, or names where a number should")
            }
            Self::NotThere(what) => message!("there is no {}", what),
        }
    }
}

impl_message!(Unmeasured);
impl std::error::Error for Unmeasured {}

/// A problem made ready.
#[derive(Debug)]
pub struct ReadyInstance {
    /// What its file is called.
    pub(crate) name: String,
    /// Lifetimes, and what they were found in.
    pub subject: Subject,
    pub(crate) bounds: Bounds,
    pub(crate) options: Options,
    edits: Vec<Edit>,
    /// Of a training step, the graph that is trained.
    pub(crate) untrained: Option<Graph>,
    /// How it is trained, of a training step.
    training: Option<Training>,
    /// Its run, once, where it swaps.
    swaps: OnceCell<Option<Swaps>>,
    /// What was proved, once.
    proved: OnceCell<Result<Bytes, Unmeasured>>,
}

impl ReadyInstance {
    /// Makes an instance ready; `open` is the document that is open.
    ///
    /// # Errors
    /// [`Unmeasured`] where it cannot be read, or is too large.
    pub fn new(instance: &Instance, open: Option<(&Document, Format)>) -> Result<Self, Unmeasured> {
        let unread = |why: Message| Unmeasured::Unread(instance.name.clone(), why);
        let read;
        let (document, format) = match (&instance.text, open) {
            (None, Some(open)) => open,
            (None, None) => return Err(unread(message!("nothing is open"))),
            (Some(text), _) => {
                let bytes = text.clone().into_bytes();
                let part = Part {
                    name: &instance.name,
                    source: &bytes,
                };
                let loaded = load::load_parts(&[part]).map_err(|error| unread(error.message()))?;
                read = loaded;
                (&read.1, read.0)
            }
        };
        let (alignment, io) = planner::usual(document, format);
        let settings = Settings {
            alignment: Bytes(instance.alignment.unwrap_or(alignment.0).max(1)),
            io: instance.io.unwrap_or(io),
            ..instance.settings
        };
        let subject = planner::prepare(document, &instance.bindings, &settings)
            .map_err(|error| unread(error.message()))?;
        let lifetimes = &subject.lifetimes;
        let steps = usize::try_from(lifetimes.horizon.0).unwrap_or(usize::MAX);
        if steps > MOST_STEPS || lifetimes.buffers.len() > MOST_BUFFERS {
            return Err(Unmeasured::TooLarge(instance.name.clone()));
        }
        let untrained = settings.training.is_some().then(|| {
            let training = None;
            let settings = Settings {
                training,
                ..settings
            };
            planner::prepare(document, &instance.bindings, &settings)
        });
        let untrained = untrained.and_then(Result::ok);
        let untrained = untrained.and_then(|it| Some(stage::operators(it.program?)));
        Ok(Self {
            untrained,
            training: settings.training,
            swaps: OnceCell::new(),
            name: instance.name.clone(),
            bounds: bounds::aligned(lifetimes, settings.alignment),
            options: Options {
                pools: instance.pools.clone(),
                effort: instance.effort,
                largest_allocation: settings.largest_allocation,
                ..Options::aligned(settings.alignment)
            },
            edits: instance.edits.clone(),
            subject,
            proved: OnceCell::new(),
        })
    }

    /// The run of a training step that swaps.
    pub(crate) fn swaps(&self) -> Result<&Swaps, Unmeasured> {
        let run = || Swaps::of(self.untrained.as_ref(), self.training);
        let found = self.swaps.get_or_init(run).as_ref();
        found.ok_or_else(|| Unmeasured::NotThere(message!("step that swaps")))
    }

    /// The index of the buffer of this name.
    pub(crate) fn buffer(&self, name: &str) -> Result<usize, Unmeasured> {
        let mut buffers = self.subject.lifetimes.buffers.iter();
        let found = buffers.position(|buffer| buffer.name == name);
        found.ok_or_else(|| Unmeasured::NoSuch(name.to_owned()))
    }

    /// The judged plan of this name.
    pub(crate) fn plan(&self, name: &str) -> Result<Judged, Unmeasured> {
        let lifetimes = &self.subject.lifetimes;
        if name == EDITED {
            return self.edited();
        }
        if name == DEPLOYED {
            let plan = self.subject.deployed.clone();
            let plan = plan.ok_or_else(|| Unmeasured::NotThere(message!("deployed plan")))?;
            let judged = planner::judge(lifetimes, &self.bounds, &self.options, plan);
            return Ok(self.subject.counted(judged));
        }
        let strategy: Strategy = name
            .parse()
            .map_err(|_unknown: planner::UnknownStrategy| Unmeasured::NoSuch(name.to_owned()))?;
        let planned = judged(
            strategy,
            lifetimes,
            &self.bounds,
            &self.options,
            &mut Silent,
        );
        let no_plan = |error: PlanError| Unmeasured::NoPlan(name.to_owned(), error.message());
        Ok(self.subject.counted(planned.map_err(no_plan)?))
    }

    /// The plan that the scene changes by hand, after that.
    fn edited(&self) -> Result<Judged, Unmeasured> {
        let first = self.edits.first();
        let base = &first
            .ok_or_else(|| Unmeasured::NotThere(message!("change by hand")))?
            .plan;
        let plan = self.plan(base)?.plan;
        let own = self.edits.iter().filter(|edit| edit.plan == *base);
        let places: Result<Vec<(usize, Offset)>, Unmeasured> = own
            .map(|edit| Ok((self.buffer(&edit.buffer)?, edit.offset)))
            .collect();
        let lifetimes = &self.subject.lifetimes;
        let moved = what_if::moved(lifetimes, &plan, &self.options, &places?);
        let judged = planner::judge(lifetimes, &self.bounds, &self.options, moved);
        Ok(self.subject.counted(judged))
    }

    /// The smallest arena there is: a plan at the lower bound, or what an exact search has proved.
    pub(crate) fn proved(&self) -> Result<Bytes, Unmeasured> {
        let search = || {
            let best = self.plan(Strategy::Exact.name())?;
            let metrics = &best.metrics;
            match metrics.optimal && best.violations.is_empty() {
                true => Ok(metrics.taken()),
                false => Err(Unmeasured::NotProved(self.name.clone())),
            }
        };
        self.proved.get_or_init(search).clone()
    }
}

impl ReadyInstance {
    /// Where the exact search has each buffer, by name.
    pub(crate) fn solution(&self) -> Result<Vec<(String, u64)>, Unmeasured> {
        let offsets = self.plan(Strategy::Exact.name())?.plan.offsets;
        let buffers = self.subject.lifetimes.buffers.iter().zip(offsets);
        Ok(buffers.map(|(it, at)| (it.name.clone(), at.0)).collect())
    }
}

/// What the figures of a scene are about: its own instance, and the setups by name.
#[derive(Debug)]
pub struct Instances {
    own: ReadyInstance,
    setups: BTreeMap<String, Result<ReadyInstance, Unmeasured>>,
}

impl Instances {
    /// Makes a scene's own instance ready, and the setups; `open` is the document that is open.
    ///
    /// # Errors
    /// [`Unmeasured`] where the scene's own cannot be made ready; a setup that cannot be is missed
    /// only by the figures that speak of it.
    pub fn new(
        own: &Instance,
        setups: &[(String, Instance)],
        open: Option<(&Document, Format)>,
    ) -> Result<Self, Unmeasured> {
        let ready = |(name, instance): &(String, Instance)| {
            (name.clone(), ReadyInstance::new(instance, open))
        };
        Ok(Self {
            own: ReadyInstance::new(own, open)?,
            setups: setups.iter().map(ready).collect(),
        })
    }

    /// The scene's own.
    #[must_use]
    pub fn own(&self) -> &ReadyInstance {
        &self.own
    }

    pub(crate) fn setup(&self, name: &str) -> Result<&ReadyInstance, Unmeasured> {
        let found = self.setups.get(name);
        let found = found.ok_or_else(|| Unmeasured::NoSetup(name.to_owned()))?;
        found.as_ref().map_err(Clone::clone)
    }
}
