//! The figures of a file under the simplest strategies, to be held against those of the
//! second implementation, `tests/data/figures.py`.

use planner::bounds::bounds;
use planner::graph::{Bindings, Graph, Role};
use planner::load::{Source, load};
use planner::{Bytes, Options, Settings, Silent, Strategy, judged, prepare};
use serde::Deserialize;

/// What both implementations compute. Sizes in bytes.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Figures {
    /// Name of the file.
    pub file: String,
    /// What its symbols are bound to.
    pub bind: Bindings,
    /// Operators that run, if it is a model.
    pub steps: Option<usize>,
    /// Buffers to place.
    pub intermediates: usize,
    /// Sum of all sizes.
    pub naive: u64,
    /// Largest live sum.
    pub lb_offset: u64,
    /// Sum of the positional maxima.
    pub lb_shared: u64,
    /// Arena of offsets by size.
    pub off_gbs: u64,
    /// Arena of offsets by breadth.
    pub off_gbb: u64,
    /// Arena of offsets in order.
    pub off_inorder: u64,
}

/// The list in a file that the second implementation wrote.
///
/// # Errors
/// When it is not such a file.
pub fn expected(json: &str) -> Result<Vec<Figures>, serde_json::Error> {
    #[derive(Deserialize)]
    struct Table {
        models: Vec<Figures>,
    }
    let table: Table = serde_json::from_str(json)?;
    Ok(table.models)
}

/// The figures of the file in `source`, whose every tensor must have a size and whose every plan
/// must pass the judge.
///
/// # Errors
/// The first thing that goes wrong, in words.
pub fn measure(file: &str, source: &dyn Source, bind: &Bindings) -> Result<Figures, String> {
    let (_, document, _) = load(source).map_err(|error| error.to_string())?;
    let prepared = prepare(&document, bind, &Settings::default());
    let subject = prepared.map_err(|error| format!("{error:?}"))?;
    if let Some(graph) = subject.graph() {
        all_sized(graph)?;
    }
    let lifetimes = &subject.lifetimes;
    let bounds = bounds(lifetimes);
    let arena = |strategy| {
        // Sizes are rounded already, and those of problems are to stay as they are.
        let options = Options::aligned(Bytes(1));
        let judged = judged(strategy, lifetimes, &bounds, &options, &mut Silent);
        let judged = judged.map_err(|error| format!("{strategy:?}: {error:?}"))?;
        match judged.violations.first() {
            Some(violation) => Err(format!("{strategy:?}: {violation:?}")),
            None => Ok(judged.plan.arena.0),
        }
    };
    Ok(Figures {
        file: file.to_owned(),
        bind: bind.clone(),
        steps: subject.program.as_ref().map(|it| it.schedule.len()),
        intermediates: lifetimes.buffers.len(),
        naive: arena(Strategy::Naive)?,
        lb_offset: bounds.offsets.0,
        lb_shared: bounds.objects.0,
        off_gbs: arena(Strategy::OffsetsBySize)?,
        off_gbb: arena(Strategy::OffsetsByBreadth)?,
        off_inorder: arena(Strategy::OffsetsInOrder)?,
    })
}

fn all_sized(graph: &Graph) -> Result<(), String> {
    let mut tensors = graph.tensors.iter();
    match tensors.find(|tensor| tensor.role == Role::Unsized) {
        Some(tensor) => Err(format!("{} has no size: {:?}", tensor.name, tensor.missing)),
        None => Ok(()),
    }
}
