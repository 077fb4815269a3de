//! Running models on either machine: the CPU reference, and the GPU where there is one.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use executor::arena::Memory;
use executor::engine::{Connection, Loaded, RunError, connect};
use executor::lower::families::Families;
use executor::lower::{Lowered, Options, Refused, lower};
use executor::recording::Origin;
use executor::reference;
use executor::supply::{Supply, folded};
use planner::graph::{Bindings, Graph, TensorId, Value};
use planner::load::{Document, Source, load};
use planner::passes::Given;
use planner::{
    Lifetimes, Plan, Program, Settings, Silent, Strategy, bounds, judged, prepare_given,
};

use crate::skipped::skip;

/// Strategies whose plans are run where running all would take too long: one of each family,
/// of both models, and the best.
pub const REPRESENTATIVE: [Strategy; 8] = [
    Strategy::Naive,
    Strategy::GreedyInOrder,
    Strategy::OffsetsBySize,
    Strategy::TflmGreedy,
    Strategy::TensorflowBfc,
    Strategy::ColoringLeftEdge,
    Strategy::Skyline,
    Strategy::Best,
];

/// A model with everything that lowering reads.
#[derive(Clone, Debug)]
pub struct Model {
    /// The file, for the weights in it.
    pub bytes: Vec<u8>,
    /// The sized and folded graph with its schedule and storages.
    pub program: Program,
    /// Elements known before the run.
    pub values: BTreeMap<TensorId, Value>,
    /// What is planned.
    pub lifetimes: Lifetimes,
    settings: Settings,
    /// Values of symbolic dimensions.
    pub bindings: Bindings,
}

/// The words of every output of a run.
pub type Outputs = Vec<Vec<u32>>;

impl Model {
    /// Reads and prepares a model, symbols bound to their defaults.
    ///
    /// # Panics
    /// When it cannot be read, or is no model.
    #[must_use]
    pub fn open(bytes: &[u8]) -> Self {
        Self::open_with(bytes, Settings::default())
    }

    /// The same, with other lifetimes.
    ///
    /// # Panics
    /// When it cannot be read, or is no model.
    #[must_use]
    pub fn open_with(bytes: &[u8], settings: Settings) -> Self {
        let (_, document, _) = load(&bytes.to_vec()).expect("a model that can be read");
        Self::with(bytes, &document, settings)
    }

    /// Prepares a graph whose weights are in `bytes`.
    ///
    /// # Panics
    /// When its sizes are beyond what can be planned.
    #[must_use]
    pub fn of(bytes: &[u8], graph: Graph) -> Self {
        Self::with(bytes, &Document::Model(graph), Settings::default())
    }

    /// Prepares a program whose weights are in `bytes`.
    ///
    /// # Panics
    /// When its sizes are beyond what can be planned.
    #[must_use]
    pub fn of_program(bytes: &[u8], program: Program) -> Self {
        Self::with(bytes, &Document::Program(program), Settings::default())
    }

    fn with(bytes: &[u8], document: &Document, settings: Settings) -> Self {
        let known = (&Bindings::default(), &Given::new());
        Self::given(bytes, document, known, settings).unwrap_or_else(|why| panic!("{why}"))
    }

    /// Prepares a document whose weights are in `bytes`, symbols bound and the elements of some
    /// inputs given.
    ///
    /// # Errors
    /// Says why it cannot be planned.
    pub fn given(
        bytes: &[u8],
        document: &Document,
        known: (&Bindings, &Given),
        settings: Settings,
    ) -> Result<Self, String> {
        let subject = prepare_given(document, known, &settings).map_err(|why| why.to_string())?;
        let program = subject.program.ok_or("no model")?;
        let values = program.known(known.0);
        Ok(Self {
            bytes: bytes.to_vec(),
            program,
            values,
            lifetimes: subject.lifetimes,
            settings,
            bindings: known.0.clone(),
        })
    }

    /// A plan that the judge has passed.
    ///
    /// # Panics
    /// When the strategy fails or its plan breaks a rule.
    #[must_use]
    pub fn plan(&self, strategy: Strategy) -> Plan {
        let options = planner::Options::aligned(self.settings.alignment);
        let bounds = bounds::aligned(&self.lifetimes, self.settings.alignment);
        let judged = judged(strategy, &self.lifetimes, &bounds, &options, &mut Silent);
        let judged = judged.expect("a plan");
        assert!(judged.violations.is_empty(), "{:?}", judged.violations);
        judged.plan
    }

    /// The recording of a plan.
    ///
    /// # Errors
    /// See [`Refused`].
    pub fn lowered(&self, plan: &Plan) -> Result<Lowered, Refused> {
        let options = Options {
            families: Families::of(&self.program.graph),
            ..Options::default()
        };
        self.lowered_by(plan, &options)
    }

    /// The recording of a plan by these options.
    ///
    /// # Errors
    /// See [`Refused`].
    pub fn lowered_by(&self, plan: &Plan, options: &Options) -> Result<Lowered, Refused> {
        lower(&self.program, &self.values, &self.lifetimes, plan, options)
    }

    /// The recording of a plan that was corrupted on purpose.
    ///
    /// # Errors
    /// See [`Refused`].
    pub fn lowered_corrupted(&self, plan: &Plan) -> Result<Lowered, Refused> {
        let options = Options {
            allow_hazards: true,
            families: Families::of(&self.program.graph),
            ..Options::default()
        };
        lower(&self.program, &self.values, &self.lifetimes, plan, &options)
    }

    /// The outputs that the CPU reference computes.
    ///
    /// # Panics
    /// When weights are not at hand.
    #[must_use]
    pub fn on_cpu(&self, lowered: &Lowered, inputs: &[Vec<u32>]) -> Outputs {
        self.runs_on_cpu(lowered, &[inputs]).concat()
    }

    /// The same of runs of which each goes on with the state that the last one left.
    ///
    /// # Panics
    /// When weights are not at hand.
    #[must_use]
    pub fn runs_on_cpu(&self, lowered: &Lowered, runs: &[&[Vec<u32>]]) -> Vec<Outputs> {
        let file: &dyn Source = &self.bytes;
        let folded = folded(lowered, Some(file)).expect("weights are at hand");
        let recording = &lowered.recording;
        let mut memory = Memory::of(recording);
        let run = |(index, inputs): (usize, &&[Vec<u32>])| {
            let supply = Supply {
                file: Some(file),
                inputs,
                folded: &folded,
            };
            let uploads = recording.uploads.iter();
            let uploads = uploads.filter(|it| index == 0 || matches!(it.origin, Origin::Input(_)));
            supply
                .fill(uploads, &mut memory)
                .expect("weights are at hand");
            reference::run(recording, &mut memory);
            let outputs = recording.outputs.iter();
            outputs
                .map(|output| output.gathered(&memory.words(output.region)))
                .collect()
        };
        runs.iter().enumerate().map(run).collect()
    }

    /// The outputs that the GPU computes, with memory filled with `pattern` before.
    ///
    /// # Errors
    /// See [`RunError`].
    pub fn on_gpu(
        &self,
        connection: &Connection,
        lowered: &Lowered,
        inputs: &[Vec<u32>],
        pattern: u32,
    ) -> Result<Outputs, RunError> {
        let found = self.runs_on_gpu(connection, lowered, &[inputs], pattern)?;
        Ok(found.concat())
    }

    /// The same of runs of which each goes on with the state that the last one left.
    ///
    /// # Errors
    /// See [`RunError`].
    pub fn runs_on_gpu(
        &self,
        connection: &Connection,
        lowered: &Lowered,
        runs: &[&[Vec<u32>]],
        pattern: u32,
    ) -> Result<Vec<Outputs>, RunError> {
        let file: &dyn Source = &self.bytes;
        let folded = folded(lowered, Some(file))?;
        let supply = |inputs| Supply {
            file: Some(file),
            inputs,
            folded: &folded,
        };
        pollster::block_on(async {
            let first = supply(runs.first().copied().unwrap_or_default());
            let loaded = Loaded::new(connection, &lowered.recording, &first).await?;
            loaded.feed(pattern, &first).await?;
            let mut outputs = Vec::with_capacity(runs.len());
            for inputs in runs {
                loaded.feed_next(&supply(inputs)).await?;
                loaded.run(&|| 0.0, async |_| ()).await?;
                outputs.push(loaded.outputs().await?);
            }
            Ok(outputs)
        })
    }

    /// How long each of `runs` runs on the GPU takes.
    ///
    /// # Errors
    /// See [`RunError`].
    pub fn timed_on_gpu(
        &self,
        connection: &Connection,
        lowered: &Lowered,
        inputs: &[Vec<u32>],
        runs: usize,
    ) -> Result<Vec<Duration>, RunError> {
        let file: &dyn Source = &self.bytes;
        let folded = folded(lowered, Some(file))?;
        let supply = Supply {
            file: Some(file),
            inputs,
            folded: &folded,
        };
        pollster::block_on(async {
            let loaded = Loaded::new(connection, &lowered.recording, &supply).await?;
            let mut times = Vec::new();
            for _ in 0..runs {
                loaded.feed(0, &supply).await?;
                let start = Instant::now();
                loaded.run(&|| 0.0, async |_| ()).await?;
                loaded.outputs().await?;
                times.push(start.elapsed());
            }
            Ok(times)
        })
    }
}

/// A GPU; `None`, and the test is skipped, where there is none.
#[must_use]
pub fn gpu() -> Option<Connection> {
    match pollster::block_on(connect()) {
        Ok(connection) => Some(connection),
        Err(error) => {
            skip(&error.to_string());
            None
        }
    }
}

/// Floats as words.
#[must_use]
pub fn words(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

/// Words as floats.
#[must_use]
pub fn floats(words: &[u32]) -> Vec<f32> {
    words.iter().map(|&word| f32::from_bits(word)).collect()
}
