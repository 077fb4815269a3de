//! The planner for Python: lifetimes in, plans out, and what a file's plan wastes. `planner.pyi`
//! says what there is; nothing is computed here.

use std::collections::BTreeMap;
use std::path::PathBuf;

use planner::bounds::aligned;
use planner::graph::Bindings;
use planner::load::{Fault, MOST_UNPACKED, MemberContent, Part, load_parts, unpack};
use planner::{
    Buffer, Bytes, Lifetimes, Offset, Options, Settings, Silent, Span, Strategy, Subject, judge,
    judged, prepare_owned, usual,
};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;

/// What plans that no strategy made are called.
const DEPLOYED: &str = "deployed";

/// Name, bytes, first step and end.
type Lifetime = (String, u64, u64, u64);

#[pyclass(frozen, get_all)]
struct Plan {
    strategy: String,
    arena: u64,
    offsets: Vec<u64>,
}

#[pyclass(frozen, get_all)]
struct Bounds {
    offsets: u64,
    objects: u64,
    peak: u64,
}

#[pyclass(frozen)]
struct File {
    subject: Subject,
    options: Options,
    bounds: planner::bounds::Bounds,
    #[pyo3(get)]
    warnings: Vec<String>,
}

fn wrong(what: impl ToString) -> PyErr {
    PyValueError::new_err(what.to_string())
}

fn lifetimes(given: Vec<Lifetime>) -> PyResult<Lifetimes> {
    let mut buffers = Vec::with_capacity(given.len());
    for (name, bytes, start, end) in given {
        if start >= end {
            return Err(wrong(format!("{name} ends at {end} and begins at {start}")));
        }
        buffers.push(Buffer::new(name, bytes, Span::new(start, end)));
    }
    Ok(Lifetimes::of(buffers))
}

fn options(alignment: u64) -> PyResult<Options> {
    match alignment {
        0 => Err(wrong("the alignment is 0")),
        alignment => Ok(Options::aligned(Bytes(alignment))),
    }
}

/// A plan at these offsets, whose arena ends with its last buffer.
fn at(lifetimes: &Lifetimes, offsets: &[u64]) -> PyResult<planner::Plan> {
    if offsets.len() != lifetimes.buffers.len() {
        let (found, wanted) = (offsets.len(), lifetimes.buffers.len());
        return Err(wrong(format!("{found} offsets for {wanted} buffers")));
    }
    let offsets: Vec<Offset> = offsets.iter().copied().map(Offset).collect();
    let ends = lifetimes.buffers.iter().zip(&offsets);
    let ends = ends.map(|(buffer, offset)| offset.0.saturating_add(buffer.size.0));
    Ok(planner::Plan {
        arena: Bytes(ends.max().unwrap_or(0)),
        offsets,
        ..planner::Plan::default()
    })
}

fn shown(strategy: &str, plan: &planner::Plan) -> Plan {
    Plan {
        strategy: strategy.to_owned(),
        arena: plan.arena.0,
        offsets: plan.offsets.iter().map(|offset| offset.0).collect(),
    }
}

fn shown_bounds(bounds: &planner::bounds::Bounds) -> Bounds {
    Bounds {
        offsets: bounds.offsets.0,
        objects: bounds.objects.0,
        peak: bounds.peak.0,
    }
}

/// A plan that the judge has passed.
fn made(
    name: &str,
    lifetimes: &Lifetimes,
    bounds: &planner::bounds::Bounds,
    options: &Options,
) -> PyResult<planner::Judged> {
    let strategy: Strategy = name.parse().map_err(wrong)?;
    let judged = judged(strategy, lifetimes, bounds, options, &mut Silent).map_err(wrong)?;
    match judged.violations.first() {
        Some(first) => Err(wrong(first.named(lifetimes, &options.pools))),
        None => Ok(judged),
    }
}

#[pymethods]
impl File {
    #[getter]
    fn lifetimes(&self) -> Vec<Lifetime> {
        let buffers = self.subject.lifetimes.buffers.iter();
        let row = |it: &Buffer| (it.name.clone(), it.size.0, it.span.start.0, it.span.end.0);
        buffers.map(row).collect()
    }

    #[getter]
    fn alignment(&self) -> u64 {
        self.options.alignment.0
    }

    #[getter]
    fn deployed(&self) -> Option<Plan> {
        let plan = self.subject.deployed.as_ref()?;
        Some(shown(DEPLOYED, plan))
    }

    #[pyo3(signature = (strategy = "best"))]
    fn plan(&self, py: Python<'_>, strategy: &str) -> PyResult<Plan> {
        let (lifetimes, options) = (&self.subject.lifetimes, &self.options);
        let judged = py.detach(|| made(strategy, lifetimes, &self.bounds, options))?;
        Ok(shown(strategy, &judged.plan))
    }

    fn bounds(&self) -> Bounds {
        shown_bounds(&self.bounds)
    }

    #[pyo3(signature = (strategy = None))]
    fn waste(&self, py: Python<'_>, strategy: Option<&str>) -> PyResult<BTreeMap<&str, i64>> {
        let (subject, options) = (&self.subject, &self.options);
        let lifetimes = &subject.lifetimes;
        let judged = match (strategy, &subject.deployed) {
            (Some(name), _) => py.detach(|| made(name, lifetimes, &self.bounds, options))?,
            (None, Some(plan)) => judge(lifetimes, &self.bounds, options, plan.clone()),
            (None, None) => return Err(wrong("it brings no plan: name a strategy")),
        };
        let judged = subject.counted(judged);
        if let Some(first) = judged.violations.first() {
            return Err(wrong(first.named(lifetimes, &options.pools)));
        }
        let split = planner::waste::waste(lifetimes, &subject.notes, &judged.plan, &self.bounds);
        let split = split.counting_reserved(judged.metrics.reserved);
        let parts = split.parts.iter();
        Ok(parts.map(|part| (part.kind.name(), part.bytes)).collect())
    }
}

#[pyfunction]
#[pyo3(signature = (lifetimes, strategy = "best", alignment = 1))]
fn plan(
    py: Python<'_>,
    lifetimes: Vec<Lifetime>,
    strategy: &str,
    alignment: u64,
) -> PyResult<Plan> {
    let (lifetimes, options) = (self::lifetimes(lifetimes)?, options(alignment)?);
    let judged = py.detach(|| {
        let bounds = aligned(&lifetimes, options.alignment);
        made(strategy, &lifetimes, &bounds, &options)
    })?;
    Ok(shown(strategy, &judged.plan))
}

#[pyfunction]
#[pyo3(signature = (lifetimes, offsets, alignment = 1))]
fn check(lifetimes: Vec<Lifetime>, offsets: Vec<u64>, alignment: u64) -> PyResult<Vec<String>> {
    let (lifetimes, options) = (self::lifetimes(lifetimes)?, options(alignment)?);
    let plan = at(&lifetimes, &offsets)?;
    let violations = planner::check(&lifetimes, &plan, &options).into_iter();
    Ok(violations
        .map(|it| it.named(&lifetimes, &[]).to_string())
        .collect())
}

#[pyfunction]
#[pyo3(signature = (lifetimes, alignment = 1))]
fn bounds(lifetimes: Vec<Lifetime>, alignment: u64) -> PyResult<Bounds> {
    let (lifetimes, options) = (self::lifetimes(lifetimes)?, options(alignment)?);
    Ok(shown_bounds(&aligned(&lifetimes, options.alignment)))
}

#[pyfunction]
fn svg(lifetimes: Vec<Lifetime>, offsets: Vec<u64>) -> PyResult<String> {
    let lifetimes = self::lifetimes(lifetimes)?;
    let plan = at(&lifetimes, &offsets)?;
    Ok(planner::picture::svg(&lifetimes, &plan))
}

#[pyfunction]
fn strategies() -> Vec<&'static str> {
    Strategy::ALL.into_iter().map(Strategy::name).collect()
}

#[pyfunction]
#[pyo3(signature = (*paths))]
fn open(py: Python<'_>, paths: Vec<PathBuf>) -> PyResult<File> {
    let mut files = Vec::new();
    for path in paths {
        let read = std::fs::read(&path);
        let name = path.display().to_string();
        let bytes = read.map_err(|error| PyOSError::new_err(format!("{name}: {error}")))?;
        files.push((name, bytes));
    }
    py.detach(|| opened(&files))
}

fn opened(files: &[(String, Vec<u8>)]) -> PyResult<File> {
    let parts = files.iter().map(|(name, source)| Part { name, source });
    let parts: Vec<Part<'_>> = parts.collect();
    let loaded = match load_parts(&parts) {
        Err(error) if error.kind == Fault::Packed => {
            let members = unpack(&parts, MOST_UNPACKED).map_err(wrong)?;
            let inside = members.iter().filter_map(|member| match &member.content {
                MemberContent::Part(place) => parts.get(*place).copied(),
                MemberContent::Unpacked(source) => Some(Part {
                    name: &member.name,
                    source,
                }),
            });
            load_parts(&inside.collect::<Vec<_>>())
        }
        loaded => loaded,
    };
    let (format, document, warnings) = loaded.map_err(wrong)?;
    let (alignment, io) = usual(&document, format);
    let settings = Settings {
        alignment,
        io,
        ..Settings::default()
    };
    let subject = prepare_owned(document, &Bindings::default(), &settings).map_err(wrong)?;
    let mut bounds = aligned(&subject.lifetimes, alignment);
    let pools = subject.declared_pools().to_vec();
    bounds.count_pools(&subject.lifetimes, pools.len());
    let warnings = warnings.iter();
    Ok(File {
        options: Options {
            pools,
            ..Options::aligned(alignment)
        },
        bounds,
        warnings: warnings
            .map(|it| format!("{}: {}", it.place, it.message))
            .collect(),
        subject,
    })
}

/// The module as Python imports it.
#[pymodule(name = "planner")]
fn exported(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Plan>()?;
    module.add_class::<Bounds>()?;
    module.add_class::<File>()?;
    module.add_function(wrap_pyfunction!(plan, module)?)?;
    module.add_function(wrap_pyfunction!(check, module)?)?;
    module.add_function(wrap_pyfunction!(bounds, module)?)?;
    module.add_function(wrap_pyfunction!(svg, module)?)?;
    module.add_function(wrap_pyfunction!(strategies, module)?)?;
    module.add_function(wrap_pyfunction!(open, module)?)
}
