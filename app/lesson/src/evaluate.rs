//! Measures: what planner, judge and search say that a figure is.

use planner::waste;
use planner::{Bytes, Residencies, Span, Step, space};

use crate::measure::{Measure, Value};
use crate::posed::{Posed, Unmeasured, World};

impl World {
    /// What `measure` comes to in the scene's own problem.
    ///
    /// # Errors
    /// [`Unmeasured`], where there is no such plan, buffer or setup.
    pub fn value(&self, measure: &Measure) -> Result<Value, Unmeasured> {
        self.value_of(self.own(), measure)
    }

    /// The same of a number.
    ///
    /// # Errors
    /// [`Unmeasured`], also of names.
    pub fn number(&self, measure: &Measure) -> Result<f64, Unmeasured> {
        self.number_of(self.own(), measure)
    }

    pub(crate) fn number_of(&self, posed: &Posed, measure: &Measure) -> Result<f64, Unmeasured> {
        match self.value_of(posed, measure)? {
            Value::Number(number) if number.is_finite() => Ok(number),
            Value::Number(_) => Err(Unmeasured::not_there("finite number")),
            Value::Names(_) => Err(Unmeasured::OtherKind),
        }
    }

    pub(crate) fn value_of(&self, posed: &Posed, measure: &Measure) -> Result<Value, Unmeasured> {
        if let Measure::On(setup, measure) = measure {
            return self.value_of(self.setup(setup)?, measure);
        }
        let number = match self.combined(posed, measure)? {
            Some(number) => Some(number),
            None => match of_plan(posed, measure)? {
                Some(number) => Some(number),
                None => of_problem(posed, measure)?,
            },
        };
        match number {
            Some(number) => Ok(Value::Number(number)),
            None => self.names(posed, measure).map(Value::Names),
        }
    }

    /// Numbers made of others; `None` for any other measure.
    fn combined(&self, posed: &Posed, measure: &Measure) -> Result<Option<f64>, Unmeasured> {
        let number = |measure: &Measure| self.number_of(posed, measure);
        let all = |list: &[Measure]| list.iter().map(number).collect::<Result<Vec<f64>, _>>();
        Ok(Some(match measure {
            Measure::Given(number) => *number,
            Measure::Plus(list) => all(list)?.iter().sum(),
            Measure::Least(list) => all(list)?.into_iter().fold(f64::INFINITY, f64::min),
            Measure::Most(list) => all(list)?.into_iter().fold(f64::NEG_INFINITY, f64::max),
            Measure::Less(pair) => number(&pair.0)? - number(&pair.1)?,
            Measure::Times(pair) => number(&pair.0)? * number(&pair.1)?,
            Measure::Over(pair) => number(&pair.0)? / number(&pair.1)?,
            _ => return Ok(None),
        }))
    }
}

/// Figures of a plan; `None` for any other measure.
fn of_plan(posed: &Posed, measure: &Measure) -> Result<Option<f64>, Unmeasured> {
    let lifetimes = &posed.subject.lifetimes;
    Ok(Some(match measure {
        Measure::Arena(plan) => bytes(posed.plan(plan)?.metrics.taken()),
        Measure::Reserved(plan) => {
            let reserved = posed.plan(plan)?.plan.reserved;
            bytes(reserved.ok_or(Unmeasured::not_there("allocator that reserves"))?)
        }
        Measure::Objects(plan) => {
            let objects = posed.plan(plan)?.metrics.objects;
            count(objects.ok_or(Unmeasured::not_there("shared object"))?)
        }
        Measure::ObjectOf(plan, name) => {
            let objects = posed.plan(plan)?.plan.objects;
            let objects = objects.ok_or(Unmeasured::not_there("shared object"))?;
            let object = objects.of_buffer.get(posed.buffer(name)?);
            let object = object.ok_or_else(|| Unmeasured::NoSuch(name.clone()))?;
            f64::from(*object) + 1.0
        }
        Measure::Offset(plan, name) => {
            let offsets = posed.plan(plan)?.plan.offsets;
            let offset = offsets.get(posed.buffer(name)?);
            let offset = offset.ok_or_else(|| Unmeasured::NoSuch(name.clone()))?;
            count(offset.0)
        }
        Measure::Waste(plan, part) => {
            let plan = posed.plan(plan)?.plan;
            let notes = &posed.subject.notes;
            let split = waste::waste(lifetimes, notes, &plan, &posed.bounds);
            let reserved = plan.reserved.filter(|_| posed.subject.is_trace());
            let split = split.counting_reserved(reserved);
            let mut kinds = waste::Kind::ALL.into_iter();
            let kind = kinds.find(|kind| kind.name() == part);
            let kind = kind.ok_or_else(|| Unmeasured::NoSuch(part.clone()))?;
            split.part(kind).map_or(0.0, |part| signed(part.bytes))
        }
        Measure::Free(plan, step) => {
            let plan = posed.plan(plan)?.plan;
            let ranges = space::free_ranges(lifetimes, &plan, Step(*step));
            ranges.iter().map(|range| bytes(range.height())).sum()
        }
        Measure::LargestFree(plan, step) => {
            let plan = posed.plan(plan)?.plan;
            let ranges = space::free_ranges(lifetimes, &plan, Step(*step));
            ranges.first().map_or(0.0, |range| bytes(range.height()))
        }
        Measure::Faults(plan) => count(posed.plan(plan)?.violations.len() as u64),
        Measure::Proved => bytes(posed.proved()?),
        _ => return Ok(None),
    }))
}

/// Figures of a problem, whatever plans it; `None` for any other measure.
fn of_problem(posed: &Posed, measure: &Measure) -> Result<Option<f64>, Unmeasured> {
    let lifetimes = &posed.subject.lifetimes;
    let buffers = &lifetimes.buffers;
    let sizes = || buffers.iter().map(|buffer| bytes(buffer.size));
    let span = |name: &str| -> Result<Span, Unmeasured> {
        Ok(buffers
            .get(posed.buffer(name)?)
            .map_or(Span::new(0, 0), |it| it.span))
    };
    Ok(Some(match measure {
        Measure::Bound => bytes(posed.bounds.offsets),
        Measure::ObjectBound => bytes(posed.bounds.objects),
        Measure::Live(step) => bytes(planner::profile(lifetimes).at(Step(*step))),
        Measure::Total => sizes().sum(),
        Measure::Size(name) => {
            let buffer = buffers.get(posed.buffer(name)?);
            buffer.map_or(0.0, |buffer| bytes(buffer.size))
        }
        Measure::Largest => sizes().fold(0.0, f64::max),
        Measure::First(name) => count(span(name)?.start.0),
        Measure::Last(name) => count(span(name)?.end.0.saturating_sub(1)),
        Measure::Buffers => count(buffers.len() as u64),
        Measure::Steps => count(lifetimes.horizon.0),
        Measure::Recomputations => {
            let program = posed.subject.program.as_ref();
            let schedule = &program.ok_or(Unmeasured::not_there("schedule"))?.schedule;
            let again = schedule
                .steps
                .iter()
                .filter(|step| matches!(step.action, planner::schedule::Action::Recompute(_)));
            count(again.count() as u64)
        }
        Measure::Evictions => {
            let program = posed.subject.program.as_ref();
            let schedule = &program.ok_or(Unmeasured::not_there("schedule"))?.schedule;
            let evicted = schedule
                .steps
                .iter()
                .filter(|step| matches!(step.action, planner::schedule::Action::Evict(_)));
            count(evicted.count() as u64)
        }
        _ => return Ok(None),
    }))
}

/// The residencies of storages that come back, as pairs of buffers.
pub(crate) fn returns(posed: &Posed) -> Vec<(usize, usize)> {
    Residencies::of(&posed.subject.lifetimes)
        .returns()
        .collect()
}

#[expect(
    clippy::cast_precision_loss,
    reason = "figures of lessons are small; beyond 2^53 they are rounded, and said so nowhere"
)]
fn count(number: u64) -> f64 {
    number as f64
}

fn bytes(bytes: Bytes) -> f64 {
    count(bytes.0)
}

#[expect(clippy::cast_precision_loss, reason = "as above")]
fn signed(number: i64) -> f64 {
    number as f64
}
