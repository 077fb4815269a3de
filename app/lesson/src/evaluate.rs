//! Measures: what planner, judge and search say that a figure is.

use planner::waste;
use planner::{Bytes, Span, Step, message, space};

use crate::instance::{Instances, ReadyInstance, Unmeasured};
use crate::measure::{Measure, Value};
use crate::swaps::of_swaps;

impl Instances {
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

    pub(crate) fn number_of(
        &self,
        instance: &ReadyInstance,
        measure: &Measure,
    ) -> Result<f64, Unmeasured> {
        match self.value_of(instance, measure)? {
            Value::Number(number) if number.is_finite() => Ok(number),
            Value::Number(_) => Err(Unmeasured::NotThere(message!("finite number"))),
            Value::Names(_) => Err(Unmeasured::OtherKind),
        }
    }

    pub(crate) fn value_of(
        &self,
        instance: &ReadyInstance,
        measure: &Measure,
    ) -> Result<Value, Unmeasured> {
        if let Measure::On(setup, measure) = measure {
            return self.value_of(self.setup(setup)?, measure);
        }
        let number = match self.combined(instance, measure)? {
            Some(number) => Some(number),
            None => match of_plan(instance, measure)? {
                Some(number) => Some(number),
                None => match of_problem(instance, measure)? {
                    Some(number) => Some(number),
                    None => of_swaps(instance, measure)?,
                },
            },
        };
        match number {
            Some(number) => Ok(Value::Number(number)),
            None => self.names(instance, measure).map(Value::Names),
        }
    }

    /// Numbers made of others; `None` for any other measure.
    fn combined(
        &self,
        instance: &ReadyInstance,
        measure: &Measure,
    ) -> Result<Option<f64>, Unmeasured> {
        let number = |measure: &Measure| self.number_of(instance, measure);
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
fn of_plan(instance: &ReadyInstance, measure: &Measure) -> Result<Option<f64>, Unmeasured> {
    let lifetimes = &instance.subject.lifetimes;
    Ok(Some(match measure {
        Measure::Arena(plan) => bytes(instance.plan(plan)?.metrics.taken()),
        Measure::Reserved(plan) => {
            let reserved = instance.plan(plan)?.plan.reserved;
            bytes(
                reserved
                    .ok_or_else(|| Unmeasured::NotThere(message!("allocator that reserves")))?,
            )
        }
        Measure::Objects(plan) => {
            let objects = instance.plan(plan)?.metrics.objects;
            count(objects.ok_or_else(|| Unmeasured::NotThere(message!("shared object")))?)
        }
        Measure::ObjectOf(plan, name) => {
            let objects = instance.plan(plan)?.plan.objects;
            let objects = objects.ok_or_else(|| Unmeasured::NotThere(message!("shared object")))?;
            let object = objects.of_buffer.get(instance.buffer(name)?);
            let object = object.ok_or_else(|| Unmeasured::NoSuch(name.clone()))?;
            f64::from(*object) + 1.0
        }
        Measure::Offset(plan, name) => {
            let offsets = instance.plan(plan)?.plan.offsets;
            let offset = offsets.get(instance.buffer(name)?);
            let offset = offset.ok_or_else(|| Unmeasured::NoSuch(name.clone()))?;
            count(offset.0)
        }
        Measure::Waste(plan, part) => {
            let plan = instance.plan(plan)?.plan;
            let notes = &instance.subject.notes;
            let split = waste::waste(lifetimes, notes, &plan, &instance.bounds);
            let reserved = plan.reserved.filter(|_| instance.subject.is_trace());
            let split = split.counting_reserved(reserved);
            let mut kinds = waste::WasteKind::ALL.into_iter();
            let kind = kinds.find(|kind| kind.name() == part);
            let kind = kind.ok_or_else(|| Unmeasured::NoSuch(part.clone()))?;
            split.part(kind).map_or(0.0, |part| signed(part.bytes))
        }
        Measure::Free(plan, step) => {
            let plan = instance.plan(plan)?.plan;
            let ranges = space::free_ranges(lifetimes, &plan, Step(*step));
            ranges.iter().map(|range| bytes(range.height())).sum()
        }
        Measure::LargestFree(plan, step) => {
            let plan = instance.plan(plan)?.plan;
            let ranges = space::free_ranges(lifetimes, &plan, Step(*step));
            ranges.first().map_or(0.0, |range| bytes(range.height()))
        }
        Measure::Faults(plan) => count(instance.plan(plan)?.violations.len() as u64),
        Measure::Proved => bytes(instance.proved()?),
        _ => return Ok(None),
    }))
}

/// Figures of a problem, whatever plans it; `None` for any other measure.
fn of_problem(instance: &ReadyInstance, measure: &Measure) -> Result<Option<f64>, Unmeasured> {
    let lifetimes = &instance.subject.lifetimes;
    let buffers = &lifetimes.buffers;
    let sizes = || buffers.iter().map(|buffer| bytes(buffer.size));
    let span = |name: &str| -> Result<Span, Unmeasured> {
        Ok(buffers
            .get(instance.buffer(name)?)
            .map_or(Span::new(0, 0), |it| it.span))
    };
    Ok(Some(match measure {
        Measure::Bound => bytes(instance.bounds.offsets),
        Measure::ObjectBound => bytes(instance.bounds.objects),
        Measure::Live(step) => bytes(planner::profile(lifetimes).at(Step(*step))),
        Measure::Total => sizes().sum(),
        Measure::Size(name) => {
            let buffer = buffers.get(instance.buffer(name)?);
            buffer.map_or(0.0, |buffer| bytes(buffer.size))
        }
        Measure::Largest => sizes().fold(0.0, f64::max),
        Measure::First(name) => count(span(name)?.start.0),
        Measure::Last(name) => count(span(name)?.end.0.saturating_sub(1)),
        Measure::Buffers => count(buffers.len() as u64),
        Measure::Steps => count(lifetimes.horizon.0),
        Measure::Recomputations => {
            let program = instance.subject.program.as_ref();
            let schedule = &program
                .ok_or_else(|| Unmeasured::NotThere(message!("schedule")))?
                .schedule;
            let again = schedule
                .steps
                .iter()
                .filter(|step| matches!(step.action, planner::schedule::Action::Recompute(_)));
            count(again.count() as u64)
        }
        _ => return Ok(None),
    }))
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a problem of a lesson has far less than 2^53 bytes"
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
