//! One document planned for one value after another of a symbolic dimension, of the batch or of
//! the alignment: how its memory grows.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::bounds;
use crate::graph::Bindings;
use crate::load::Document;
use crate::pipeline::{Subject, judged, prepare};
use crate::plan::Options;
use crate::settings::{Io, Settings};
use crate::strategies::{Silent, Strategy};
use crate::training::stage;
use crate::units::Bytes;
use crate::{Message, impl_message, message};

/// The most values of one sweep.
pub const MAX_VALUES: usize = 1024;
/// The largest alignment, as everywhere.
const MAX_ALIGNMENT: u64 = 1 << 32;
/// The most samples of a batch.
const MAX_BATCH: u64 = 1 << 32;
/// What the alignment is called where dimensions have names.
const ALIGNMENT: &str = "alignment";
/// What the number of samples is called there.
const BATCH: &str = "batch";

/// What takes one value after another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Over {
    /// The symbolic dimension of this name.
    Dimension(String),
    /// The alignment of sizes and offsets.
    Alignment,
    /// The number of samples, where a model fixes it: see [`with_batch`](crate::graph::Graph::with_batch).
    Batch,
}

impl Over {
    /// What it is called.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Dimension(name) => name,
            Self::Alignment => ALIGNMENT,
            Self::Batch => BATCH,
        }
    }

    /// The same, or the batch where it is called so, `document` fixes its batch and has no
    /// dimension of that name.
    #[must_use]
    pub fn in_document(self, document: &Document) -> Self {
        let Document::Model(graph) = document else {
            return self;
        };
        let named = graph.symbols.iter().any(|symbol| symbol.name == BATCH);
        match self {
            Self::Dimension(name) if name == BATCH && !named && graph.batch().is_some() => {
                Self::Batch
            }
            other => other,
        }
    }

    /// What `text` says are its values: `1..32` both included, with a step as in `1..32:4`, or
    /// one by one as in `1,16,64`, which may hold ranges, too.
    ///
    /// # Errors
    /// [`NoValues`].
    pub fn values(&self, text: &str) -> Result<Vec<u64>, NoValues> {
        let mut values = Vec::new();
        for part in text.split(',') {
            let (first, last, step) = range(part.trim()).ok_or(NoValues::Form)?;
            if first > last || step == 0 {
                return Err(NoValues::Empty);
            }
            if (last - first) / step >= (MAX_VALUES - values.len()) as u64 {
                return Err(NoValues::TooMany);
            }
            let count = (last - first) / step;
            values.extend((0..=count).map(|index| first + index * step));
        }
        let most = match self {
            Self::Alignment => MAX_ALIGNMENT,
            Self::Batch => MAX_BATCH,
            Self::Dimension(_) => return Ok(values),
        };
        match values.iter().all(|it| (1..=most).contains(it)) {
            true => Ok(values),
            false => Err(NoValues::Empty),
        }
    }
}

/// What is chosen about a document; what is swept replaces its own value.
#[derive(Clone, Copy, Debug)]
pub struct Chosen<'a> {
    /// Of the other dimensions.
    pub bindings: &'a Bindings,
    /// What lifetimes are made by.
    pub settings: &'a Settings,
    /// What plans are made by; the alignment is that of the settings.
    pub options: &'a Options,
}

/// What comes of one value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Point {
    /// The value.
    pub value: u64,
    /// The figures, or why there are none.
    pub found: Result<Figures, Message>,
}

/// The figures at one value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Figures {
    /// What a plan without reuse needs, which is aligned as others are; where there is none, the
    /// sum of all sizes.
    pub naive: Bytes,
    /// The least that any plan needs.
    pub bound: Bytes,
    /// How many tensors have no size and are left out of all figures.
    pub unsized_tensors: u64,
    /// The arena of each strategy in the order asked for, or why it has none.
    pub arenas: Vec<Result<Bytes, Message>>,
    /// What a program has beside its arena.
    pub beside: Beside,
}

/// Bytes that a program has beside its arena, by what they are for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Beside {
    /// Constants; where it is trained, the weights that operators read.
    pub weights: Bytes,
    /// What is kept from one run to the next, such as keys and values.
    pub cache: Bytes,
    /// Inputs and outputs, where these are in the caller's hands.
    pub callers: Bytes,
    /// The weights' gradients, where they stay during the whole step.
    pub gradients: Bytes,
    /// What the optimizer keeps, and its copy of the weights.
    pub optimizer: Bytes,
}

impl Beside {
    /// Every part, in the order in which it is listed.
    #[must_use]
    pub const fn parts(self) -> [Bytes; 5] {
        [
            self.weights,
            self.cache,
            self.callers,
            self.gradients,
            self.optimizer,
        ]
    }

    /// Of `subject`, which is `document` so prepared.
    fn of(
        document: &Document,
        (bindings, settings): (&Bindings, &Settings),
        subject: &Subject,
    ) -> Self {
        let split = subject.split.unwrap_or_default();
        let callers = match settings.io {
            Io::Beside => Bytes(split.inputs.0.saturating_add(split.outputs.0)),
            _ => Bytes::ZERO,
        };
        let own = Self {
            weights: split.constants,
            cache: split.state,
            callers,
            ..Self::default()
        };
        let Some(training) = settings.training else {
            return own;
        };
        let plain = Settings {
            training: None,
            ..*settings
        };
        let model = prepare(document, bindings, &plain).ok();
        let model = model.and_then(|it| it.program);
        let step = model.and_then(|model| {
            let graph = stage::operators(model);
            stage::step(&graph, training.batch, training.recipe).ok()
        });
        step.map_or(own, |step| Self {
            weights: Bytes(step.fixed.weights),
            gradients: Bytes(step.fixed.gradients),
            optimizer: Bytes(step.fixed.optimizer.saturating_add(step.fixed.master)),
            ..own
        })
    }
}

/// Why a text says no values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoValues {
    /// It is not of the form `NAME=1..32:4` or `NAME=1,2,4`.
    Form,
    /// The first is larger than the last, the step is 0, or an alignment is none.
    Empty,
    /// More than [`MAX_VALUES`].
    TooMany,
}

impl NoValues {
    /// The sentence.
    #[must_use]
    pub fn message(&self) -> Message {
        match self {
            Self::Form => message!("write NAME=1..32, NAME=1..32:4 or NAME=1,2,4"),
            Self::Empty => {
                message!(
                    "the first value is at most the last, a step is 1 or more, an alignment \
                     or a batch from 1 to 2^32"
                )
            }
            Self::TooMany => message!("at most {} values", MAX_VALUES),
        }
    }
}

impl_message!(NoValues);
impl std::error::Error for NoValues {}

/// What `text` says is to take which values, as in `batch=1..32:4`.
///
/// # Errors
/// [`NoValues`].
pub fn parse(text: &str) -> Result<(Over, Vec<u64>), NoValues> {
    // Symbols may contain "=", values may not.
    let (name, said) = text.rsplit_once('=').ok_or(NoValues::Form)?;
    let over = match name {
        "" => return Err(NoValues::Form),
        ALIGNMENT => Over::Alignment,
        name => Over::Dimension(name.to_owned()),
    };
    let values = over.values(said)?;
    Ok((over, values))
}

/// First, last and step of `8`, `1..32` or `1..32:4`.
fn range(text: &str) -> Option<(u64, u64, u64)> {
    let Some((first, rest)) = text.split_once("..") else {
        let value = text.parse().ok()?;
        return Some((value, value, 1));
    };
    let (last, step) = rest.split_once(':').unwrap_or((rest, "1"));
    Some((first.parse().ok()?, last.parse().ok()?, step.parse().ok()?))
}

/// Plans `document` at each of `values` with each of `strategies`. `on_progress` is told of how
/// many plans out of all there are, and says whether to go on; then the points so far are all.
pub fn sweep(
    document: &Document,
    chosen: Chosen<'_>,
    (over, values): (&Over, &[u64]),
    strategies: &[Strategy],
    on_progress: &mut dyn FnMut(usize, usize) -> bool,
) -> Vec<Point> {
    let total = values.len().saturating_mul(strategies.len().max(1));
    let mut points = Vec::new();
    for &value in values {
        let mut bindings = chosen.bindings.clone();
        let mut settings = *chosen.settings;
        match over {
            Over::Dimension(name) => drop(bindings.insert(name.clone(), value)),
            Over::Alignment => settings.alignment = Bytes(value),
            Over::Batch => {}
        }
        let rewritten = match (over, document) {
            (Over::Batch, Document::Model(graph)) => graph.with_batch(value).map(Document::Model),
            _ => None,
        };
        let document = rewritten.as_ref().unwrap_or(document);
        let options = Options {
            alignment: settings.alignment,
            ..chosen.options.clone()
        };
        let before = points.len().saturating_mul(strategies.len().max(1));
        let mut next = |done: usize| on_progress(before + done, total);
        let at = (&bindings, &settings, &options);
        match point(document, at, strategies, &mut next) {
            Some(found) => points.push(Point { value, found }),
            None => return points,
        }
    }
    points
}

/// The figures at one value; `None` where it is not to go on.
fn point(
    document: &Document,
    (bindings, settings, options): (&Bindings, &Settings, &Options),
    strategies: &[Strategy],
    on_progress: &mut dyn FnMut(usize) -> bool,
) -> Option<Result<Figures, Message>> {
    let subject = match prepare(document, bindings, settings) {
        Ok(subject) => subject,
        Err(error) => {
            let done = strategies.len().max(1);
            return on_progress(done).then(|| Err(error.message()));
        }
    };
    let lifetimes = &subject.lifetimes;
    let bounds = bounds::aligned(lifetimes, settings.alignment);
    let naive = judged(Strategy::Naive, lifetimes, &bounds, options, &mut Silent);
    let sum = || Bytes(lifetimes.buffers.iter().map(|it| it.size.0).sum());
    let naive = naive.map_or_else(|_| sum(), |made| made.metrics.arena);
    let mut figures = Figures {
        naive,
        bound: bounds.offsets,
        unsized_tensors: subject.split.map_or(0, |it| it.unsized_tensors),
        arenas: Vec::new(),
        beside: Beside::of(document, (bindings, settings), &subject),
    };
    if strategies.is_empty() && !on_progress(1) {
        return None;
    }
    for (index, strategy) in strategies.iter().enumerate() {
        let made = judged(*strategy, lifetimes, &bounds, options, &mut Silent);
        figures.arenas.push(match made {
            Ok(made) if made.violations.is_empty() => Ok(subject.counted(made).metrics.taken()),
            Ok(_) => Err(message!("its plan breaks a rule")),
            Err(error) => Err(error.message()),
        });
        if !on_progress(index + 1) {
            return None;
        }
    }
    Some(Ok(figures))
}

impl Point {
    /// The numbers of its row, empty where there is none, and what is said of those that are not
    /// there.
    #[must_use]
    pub fn cells(&self, strategies: &[Strategy]) -> (Vec<String>, String) {
        let mut cells = vec![self.value.to_string()];
        let figures = match &self.found {
            Ok(figures) => figures,
            Err(error) => {
                cells.resize(4 + strategies.len(), String::new());
                return (cells, error.to_string());
            }
        };
        cells.extend([
            figures.naive.0.to_string(),
            figures.bound.0.to_string(),
            figures.unsized_tensors.to_string(),
        ]);
        let mut errors = Vec::new();
        for (strategy, arena) in strategies.iter().zip(&figures.arenas) {
            match arena {
                Ok(arena) => cells.push(arena.0.to_string()),
                Err(error) => {
                    cells.push(String::new());
                    errors.push(format!("{strategy}: {error}"));
                }
            }
        }
        (cells, errors.join("; "))
    }
}

/// The names of the columns that are numbers.
#[must_use]
pub fn columns(over: &str, strategies: &[Strategy]) -> Vec<String> {
    let fixed = [over, "naive", "bound", "unsized"];
    let names = strategies.iter().map(|it| it.name());
    fixed.into_iter().chain(names).map(str::to_owned).collect()
}

/// One row a value, in bytes; the last column says why a number is not there.
#[must_use]
pub fn csv(over: &Over, points: &[Point], strategies: &[Strategy]) -> String {
    let quoted = |text: &str| match text {
        "" => String::new(),
        text => format!("\"{}\"", text.replace('"', "\"\"")),
    };
    let mut text = columns(&quoted(over.name()), strategies).join(",") + ",error\n";
    for point in points {
        let (cells, error) = point.cells(strategies);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{},{}", cells.join(","), quoted(&error));
    }
    text
}

/// By how many bytes they grow for each one that is added to the value, where all of `points`,
/// values with bytes, lie on one line and are at three values or more.
#[must_use]
pub fn growth(points: &[(u64, u64)]) -> Option<i128> {
    let &(x, y) = points.first()?;
    let from = |&(value, bytes): &(u64, u64)| {
        (
            i128::from(value) - i128::from(x),
            i128::from(bytes) - i128::from(y),
        )
    };
    let others: Vec<(i128, i128)> = points.iter().map(from).filter(|it| it.0 != 0).collect();
    let &(wide, high) = others.first()?;
    let several = others.iter().any(|it| it.0 != wide);
    let slope = high / wide;
    let straight = points
        .iter()
        .map(from)
        .all(|it| slope.checked_mul(it.0) == Some(it.1));
    (several && straight).then_some(slope)
}
