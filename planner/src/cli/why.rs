//! Why an arena is larger than the bound, for `arenascope waste`. Sizes are bytes.

use std::fmt::Write;

use planner::space::{Hole, Loss, Why, loss};
use planner::{Plan, Span};
use serde_json::{Value, json};

use super::Opened;
use super::report::shown;

/// Why the arena of `plan` is larger than the bound; `None` where nothing explains that.
pub(super) fn why(opened: &Opened, plan: &Plan) -> Option<Loss> {
    let subject = &opened.subject;
    let loss = loss(
        &subject.lifetimes,
        plan,
        opened.bounds.offsets,
        opened.options.alignment,
    );
    loss.filter(|_| !subject.separate)
}

/// The bytes, which add up to the difference, and every hole that is known.
pub(super) fn why_json(opened: &Opened, loss: &Loss) -> Value {
    let name = |index: usize| {
        let buffer = opened.subject.lifetimes.buffers.get(index);
        buffer.map(|it| it.name.clone())
    };
    let holes = loss.holes.iter().map(|hole| {
        let because = hole.because.map(|it| {
            json!({
                "why": it.why,
                "buffer": name(it.buffer),
                "lower": it.span.start.0,
                "upper": it.span.end.0,
            })
        });
        json!({
            "offset": hole.low.0,
            "size": hole.height().0,
            "lower": hole.span.start.0,
            "upper": hole.span.end.0,
            "above": hole.above.and_then(name),
            "below": hole.below.and_then(name),
            "because": because,
            "fits": hole.fits.and_then(name),
        })
    });
    json!({
        "step": loss.step.0,
        "bytes": loss.bytes.0,
        "empty": loss.empty().0,
        "apart": i64::try_from(loss.apart()).unwrap_or(i64::MAX),
        "idle": i64::try_from(loss.idle()).unwrap_or(i64::MAX),
        "top": loss.top.iter().filter_map(|&index| name(index)).collect::<Vec<_>>(),
        "holes": holes.collect::<Vec<_>>(),
    })
}

/// The same in a few lines, with the largest hole alone.
pub(super) fn why_lines(text: &mut String, opened: &Opened, loss: &Loss) {
    let mut line = |words: String| {
        let _ = writeln!(text, "{:>30}  {words}", "");
    };
    let (step, empty) = (loss.step.0, loss.empty().0);
    let top = loss.top.first().map(|&index| name(opened, index));
    let top = top.unwrap_or_default();
    line(format!(
        "why: at step {step} {top} reaches highest and {empty} bytes are empty"
    ));
    if let Some(hole) = loss.largest_first().first() {
        let (height, low) = (hole.height().0, hole.low.0);
        let because = because(opened, hole);
        line(format!("     {height} of them at {low}: {because}"));
        if let Some(index) = hole.fits {
            let fits = name(opened, index);
            line(format!("     {fits} would fit there for its whole life"));
        }
    }
    if loss.apart() > 0 {
        let apart = loss.apart();
        line(format!(
            "     +{apart} held twice, though they could be shared"
        ));
    }
    if loss.idle() > 0 {
        let idle = loss.idle();
        line(format!(
            "     -{idle} that no plan has to fill: fewer are live"
        ));
    }
}

/// What keeps the buffer above a hole from lying lower.
fn because(opened: &Opened, hole: &Hole) -> String {
    let Some(above) = hole.above else {
        return "nothing lies above them".into();
    };
    let kept = name(opened, above);
    let Some(it) = hole.because else {
        return format!("nothing keeps {kept} from lying lower");
    };
    let (other, steps) = (name(opened, it.buffer), steps(it.span));
    match it.why {
        Why::Under => format!("{other} is below {kept} ({steps})"),
        Why::Alignment => format!("{kept} is aligned, above {other}"),
        Why::Shared => format!("{kept} shares bytes with {other}: only both could lie lower"),
        Why::Itself => format!("they are {kept}'s own, which pauses"),
        Why::Fixed => format!("the address of {kept} is fixed"),
        Why::Object => format!("{other} makes the shared object below {kept} as large ({steps})"),
    }
}

fn steps(span: Span) -> String {
    let (first, last) = (span.start.0, span.end.0.saturating_sub(1));
    match first == last {
        true => format!("step {first}"),
        false => format!("steps {first} to {last}"),
    }
}

fn name(opened: &Opened, index: usize) -> String {
    let buffer = opened.subject.lifetimes.buffers.get(index);
    buffer.map(|it| shown(&it.name)).unwrap_or_default()
}
