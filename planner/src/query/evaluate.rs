//! Which buffers a query means: one mask per test over all buffers, then the masks joined.

use std::cmp::Ordering;

use super::facts::Column;
use super::pattern::{Pattern, fold};
use super::{Comparison, Expr, Facts, Field, Flag, Moment, Number, Query, Test};
use crate::liveness::{Buffer, Lifetimes};
use crate::plan::Plan;
use crate::units::Step;

/// Everything that is known of the buffers.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    /// Their sizes and spans.
    pub lifetimes: &'a Lifetimes,
    /// Their texts.
    pub facts: &'a Facts,
    /// Where they live, if that is known.
    pub plan: Option<&'a Plan>,
}

impl Query {
    /// The buffers that it means, ascending.
    #[must_use]
    pub fn matches(&self, known: &Known<'_>) -> Vec<usize> {
        let count = known.lifetimes.buffers.len();
        let mask = match &self.expr {
            None => vec![true; count],
            Some(expr) => mask(expr, known),
        };
        let meant = mask.into_iter().enumerate().filter(|(_, meant)| *meant);
        meant.map(|(index, _)| index).collect()
    }
}

/// One truth per buffer. As deep as the query, which has a limit.
fn mask(expr: &Expr, known: &Known<'_>) -> Vec<bool> {
    let joined = |parts: &[Expr], join: fn(bool, bool) -> bool| {
        let mut masks = parts.iter().map(|part| mask(part, known));
        let first = masks.next().unwrap_or_default();
        masks.fold(first, |mut all, next| {
            for (all, next) in all.iter_mut().zip(next) {
                *all = join(*all, next);
            }
            all
        })
    };
    match expr {
        Expr::All(parts) => joined(parts, |a, b| a && b),
        Expr::Any(parts) => joined(parts, |a, b| a || b),
        Expr::Not(inner) => mask(inner, known).into_iter().map(|it| !it).collect(),
        Expr::Test(test) => tested(test, known),
    }
}

fn tested(test: &Test, known: &Known<'_>) -> Vec<bool> {
    let each = |passes: &dyn Fn(usize, &Buffer) -> bool| {
        let buffers = known.lifetimes.buffers.iter().enumerate();
        buffers.map(|(index, it)| passes(index, it)).collect()
    };
    match test {
        Test::Word(text) => {
            let pattern = Pattern::anywhere(text);
            let names = found(&known.facts.names, &pattern);
            let aliases = found(&known.facts.aliases, &pattern);
            each(&|index, _| {
                has(&known.facts.names, &names, index) || has(&known.facts.aliases, &aliases, index)
            })
        }
        Test::Text(field, comparison, text) => texts(*field, *comparison, text, known),
        Test::Number(field, comparison, number) => each(&|index, buffer| {
            compared(
                value(*field, index, buffer, known.plan),
                *comparison,
                *number,
            )
        }),
        Test::Live(moment) => {
            let steps = steps(moment, known.facts);
            each(&|_, buffer| live(buffer, &steps))
        }
        Test::Over(number) => each(&|index, buffer| {
            let value = |field| value(field, index, buffer, known.plan);
            let low = value(Field::Offset).map(|low| number.order(low));
            let top = value(Field::Top).map(|top| number.order(top));
            low.is_some_and(Ordering::is_le) && top.is_some_and(Ordering::is_gt)
        }),
        Test::Is(flag) => flagged(*flag, known),
    }
}

/// Whether `buffer` needs bytes at one of `steps`, which are ascending.
fn live(buffer: &Buffer, steps: &[Step]) -> bool {
    let from = steps.partition_point(|&step| step < buffer.span.start);
    let within = steps.get(from..).unwrap_or_default().iter();
    let mut within = within.take_while(|&&step| step < buffer.span.end);
    within.any(|&step| buffer.needed_at(step).is_some())
}

/// A field of numbers; `None` where it is not known.
fn value(field: Field, index: usize, buffer: &Buffer, plan: Option<&Plan>) -> Option<u64> {
    let offset = || Some(plan?.offsets.get(index)?.0);
    Some(match field {
        Field::Size => buffer.size.0,
        Field::Payload => buffer.payload.0,
        Field::Padding => buffer.size.0.saturating_sub(buffer.payload.0),
        Field::Alignment => buffer.alignment.0,
        Field::Offset => offset()?,
        Field::Top => offset()?.saturating_add(buffer.size.0),
        Field::Fixed => buffer.fixed?.0,
        Field::Start => buffer.span.start.0,
        // A buffer that is never live has no last step.
        Field::Last => buffer
            .span
            .end
            .0
            .checked_sub(1)
            .filter(|_| !buffer.span.is_empty())?,
        Field::End => buffer.span.end.0,
        Field::Length => buffer.span.len(),
        _ => return None,
    })
}

fn compared(value: Option<u64>, comparison: Comparison, number: Number) -> bool {
    let order = value.map(|value| number.order(value));
    match comparison {
        Comparison::Equal => order == Some(Ordering::Equal),
        Comparison::Unequal => order != Some(Ordering::Equal),
        Comparison::Less => order == Some(Ordering::Less),
        Comparison::AtMost => order.is_some_and(Ordering::is_le),
        Comparison::More => order == Some(Ordering::Greater),
        Comparison::AtLeast => order.is_some_and(Ordering::is_ge),
        Comparison::Like | Comparison::Unlike => false,
    }
}

fn texts(field: Field, comparison: Comparison, text: &str, known: &Known<'_>) -> Vec<bool> {
    let count = known.lifetimes.buffers.len();
    let like = matches!(comparison, Comparison::Like | Comparison::Unlike);
    let (pattern, folded) = (Pattern::anywhere(text), fold(text));
    let fits = |text: &str| match like {
        true => pattern.matches(text),
        false => text == folded,
    };
    let positive: Vec<bool> = if field == Field::Pool {
        let pools = known.plan.and_then(|plan| plan.pools.as_ref());
        let name = |index: usize| {
            let pools = pools?;
            let pool = *pools.of_buffer.get(index)? as usize;
            Some(fold(&pools.declared.get(pool)?.name))
        };
        (0..count)
            .map(|index| fits(&name(index).unwrap_or_default()))
            .collect()
    } else if let Some(column) = known.facts.column(field) {
        let hits: Vec<bool> = column.texts.iter().map(|it| fits(&it.folded)).collect();
        let nothing = fits("");
        let fits = |index: usize| match column.texts_of(index) {
            [] => nothing,
            _ => has(column, &hits, index),
        };
        (0..count).map(fits).collect()
    } else {
        vec![false; count]
    };
    match comparison {
        Comparison::Unequal | Comparison::Unlike => positive.into_iter().map(|it| !it).collect(),
        _ => positive,
    }
}

fn found(column: &Column, pattern: &Pattern) -> Vec<bool> {
    let texts = column.texts.iter();
    texts.map(|text| pattern.matches(&text.folded)).collect()
}

/// Whether one of a buffer's texts is among the `hits`.
fn has(column: &Column, hits: &[bool], buffer: usize) -> bool {
    let mut texts = column.texts_of(buffer).iter();
    texts.any(|&text| hits.get(text as usize).copied().unwrap_or_default())
}

pub(super) fn steps(moment: &Moment, facts: &Facts) -> Vec<Step> {
    match moment {
        Moment::Step(step) => vec![Step(*step)],
        Moment::Peak => vec![facts.peak],
        Moment::Named(name) => {
            let pattern = Pattern::whole(name);
            let hits = found(&facts.steps, &pattern);
            let steps = (0..facts.steps.rows()).filter(|&step| has(&facts.steps, &hits, step));
            steps.map(|step| Step(step as u64)).collect()
        }
    }
}

fn flagged(flag: Flag, known: &Known<'_>) -> Vec<bool> {
    let buffers = &known.lifetimes.buffers;
    let held = |wanted: &str| {
        let held = (0..buffers.len()).map(|index| known.facts.first(Field::Held, index));
        held.map(|why| !why.is_empty() && (wanted.is_empty() || why == wanted))
            .collect()
    };
    match flag {
        Flag::Fixed => buffers.iter().map(|it| it.fixed.is_some()).collect(),
        Flag::Padded => buffers.iter().map(|it| it.size > it.payload).collect(),
        Flag::Held => held(""),
        Flag::Pinned => held("pinned"),
        Flag::WholeLife => held("whole-life"),
        Flag::Aliased => {
            let aliases = &known.facts.aliases;
            (0..buffers.len())
                .map(|it| !aliases.texts_of(it).is_empty())
                .collect()
        }
        Flag::InPlace => {
            let mut mask = vec![false; buffers.len()];
            for pair in &known.lifetimes.handovers {
                for index in [pair.before, pair.after] {
                    if let Some(mask) = mask.get_mut(index) {
                        *mask = true;
                    }
                }
            }
            mask
        }
    }
}
