//! An oracle that asks every buffer every question of a query anew.

use planner::Step;
use planner::attribution::{called, place, stream};
use planner::deployed::{Hold, IrValue};
use planner::query::{Comparison, Expr, Field, Flag, Measure, Moment, Number, Test};
use planner::waste::WasteKind;
use tests::arbitrary::needs;

use super::meaning::World;

/// Whether the buffer at `index` is what the query asks for.
pub(super) fn passes(expr: &Expr, index: usize, world: &World) -> bool {
    match expr {
        Expr::All(parts) => parts.iter().all(|part| passes(part, index, world)),
        Expr::Any(parts) => parts.iter().any(|part| passes(part, index, world)),
        Expr::Not(inner) => !passes(inner, index, world),
        Expr::Test(test) => test_passes(test, index, world),
    }
}

fn test_passes(test: &Test, index: usize, world: &World) -> bool {
    let buffer = &world.lifetimes.buffers[index];
    let live = |step: u64| (0..buffer.size.0).any(|byte| needs(buffer, step, byte));
    match test {
        Test::Word(text) => {
            let mut names = texts(Field::Alias, index, world);
            names.push(buffer.name.clone());
            names.iter().any(|name| like(text, name))
        }
        Test::Text(field, comparison, text) => {
            let mut texts = texts(*field, index, world);
            texts.retain(|text| !text.is_empty());
            if texts.is_empty() {
                texts.push(String::new());
            }
            let same = |it: &String| it.to_lowercase() == text.to_lowercase();
            match comparison {
                Comparison::Equal => texts.iter().any(same),
                Comparison::Unequal => !texts.iter().any(same),
                Comparison::Like => texts.iter().any(|it| like(text, it)),
                _ => !texts.iter().any(|it| like(text, it)),
            }
        }
        Test::Number(field, comparison, number) => {
            let Some(value) = value(*field, index, world) else {
                return *comparison == Comparison::Unequal;
            };
            let (value, number) = (value * 1000, thousandths(*number));
            match comparison {
                Comparison::Equal => value == number,
                Comparison::Unequal => value != number,
                Comparison::Less => value < number,
                Comparison::AtMost => value <= number,
                Comparison::More => value > number,
                _ => value >= number,
            }
        }
        Test::Live(Moment::Step(step)) => live(*step),
        Test::Live(Moment::Peak) => live(world.peak.0),
        Test::Live(Moment::Named(name)) => {
            let steps = (0..).zip(&world.lifetimes.step_names);
            // A pattern of the whole name.
            let whole = |step: &str| !step.is_empty() && same_whole(name, step);
            steps
                .into_iter()
                .any(|(step, named)| whole(named) && live(step))
        }
        Test::Over(number) => {
            let low = value(Field::Offset, index, world).map(|low| low * 1000);
            let top = value(Field::Top, index, world).map(|top| top * 1000);
            let at = thousandths(*number);
            low.is_some_and(|low| low <= at) && top.is_some_and(|top| at < top)
        }
        Test::Is(flag) => is(*flag, index, world),
    }
}

fn is(flag: Flag, index: usize, world: &World) -> bool {
    let buffer = &world.lifetimes.buffers[index];
    let held = world.notes[index].held.map(|held| held.why);
    match flag {
        Flag::Fixed => buffer.fixed.is_some(),
        Flag::Held => held.is_some(),
        Flag::Pinned => held == Some(Hold::Pinned),
        Flag::WholeLife => held == Some(Hold::WholeLife),
        Flag::Padded => buffer.size.0 > buffer.payload.0,
        Flag::Aliased => world.notes[index].aliases.iter().any(|it| !it.is_empty()),
        Flag::InPlace => {
            let mut pairs = world.lifetimes.handovers.iter();
            pairs.any(|pair| pair.before == index || pair.after == index)
        }
    }
}

/// The oracle's numbers have at most two decimals.
fn thousandths(number: Number) -> u128 {
    let unit = number.unit.map_or(1, planner::query::Unit::bytes);
    let scale = 1000 / 10_u128.pow(u32::from(number.decimals));
    u128::from(number.mantissa) * u128::from(unit) * scale
}

fn value(field: Field, index: usize, world: &World) -> Option<u128> {
    assert!(field.measure() != Measure::Text);
    let buffer = &world.lifetimes.buffers[index];
    let offset = world.plan.as_ref().map(|plan| plan.offsets[index].0);
    let (start, end) = (buffer.span.start.0, buffer.span.end.0);
    let value = match field {
        Field::Size => buffer.size.0,
        Field::Payload => buffer.payload.0,
        Field::Padding => buffer.size.0 - buffer.payload.0,
        Field::Alignment => buffer.alignment.0,
        Field::Offset => offset?,
        Field::Top => offset? + buffer.size.0,
        Field::Fixed => buffer.fixed?.0,
        Field::Start => start,
        Field::Last if end > start => end - 1,
        Field::Last => return None,
        Field::End => end,
        _ => end - start,
    };
    Some(u128::from(value))
}

fn texts(field: Field, index: usize, world: &World) -> Vec<String> {
    let note = &world.notes[index];
    let step = |step: Step| {
        let index = usize::try_from(step.0).expect("a small step");
        world.lifetimes.step_names.get(index).cloned()
    };
    let frames = || world.stacks.frames_of(note.stack);
    let of_value = |read: fn(&IrValue) -> String| note.value.iter().map(|it| read(it)).collect();
    match field {
        Field::Name => vec![world.lifetimes.buffers[index].name.clone()],
        Field::Alias => note.aliases.clone(),
        Field::Role => vec![note.role.clone()],
        Field::Op => vec![note.op.clone()],
        Field::Source => of_value(|it| it.source.clone()),
        Field::Computation => of_value(|it| it.computation.clone()),
        Field::Dtype => of_value(|it| it.dtype.clone()),
        Field::Shape => of_value(|it| match it.shape.as_deref() {
            None => String::new(),
            Some([]) => "scalar".to_owned(),
            Some([one]) => one.to_string(),
            Some([one, two]) => format!("{one}x{two}"),
            Some(more) => panic!("{more:?}"),
        }),
        Field::Producer => step(world.lifetimes.buffers[index].span.start)
            .into_iter()
            .collect(),
        Field::Consumer => note.uses.iter().filter_map(|&at| step(at)).collect(),
        Field::Frame => {
            let texts = frames().flat_map(|it| [it.function.clone(), place(it)]);
            texts.collect()
        }
        // Every line here is the program's own; what is there from the start and has no stack was
        // there before the recording, but for a compiler's values.
        Field::Caller
            if note.stack == 0
                && note.value.is_none()
                && world.lifetimes.buffers[index].span.start == Step(0) =>
        {
            vec!["before recording".to_owned()]
        }
        Field::Caller => frames().take(1).map(called).collect(),
        // No scope and no stack here is of a training step.
        Field::Module | Field::Phase | Field::Category => Vec::new(),
        Field::Stream => note.stream.map(stream).into_iter().collect(),
        Field::Function => frames().map(|it| it.function.clone()).collect(),
        Field::File => frames().map(|it| it.file.clone()).collect(),
        Field::Pool => {
            let pools = world.plan.as_ref().and_then(|plan| plan.pools.as_ref());
            let pool = pools.and_then(|it| it.declared.get(it.of_buffer[index] as usize));
            pool.map(|pool| pool.name.clone()).into_iter().collect()
        }
        Field::Held => note
            .held
            .map(|held| match held.why {
                Hold::Pinned => "pinned".to_owned(),
                Hold::WholeLife => "whole-life".to_owned(),
                Hold::Pending => "pending".to_owned(),
            })
            .into_iter()
            .collect(),
        _ => {
            let parts = world.waste.parts.iter();
            let parts = parts.filter(|part| part.buffers.contains(&index));
            parts
                .map(|part| match part.kind {
                    WasteKind::WholeLife => "whole-life".to_owned(),
                    kind => format!("{kind:?}").to_lowercase(),
                })
                .collect()
        }
    }
}

/// Patterns by brute force over every way to match.
fn like(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.to_lowercase(), text.to_lowercase());
    let text: Vec<char> = text.chars().collect();
    let (pattern, bound) = match pattern.strip_prefix('^') {
        Some(rest) => (rest, true),
        None => (pattern.as_str(), false),
    };
    let signs: Vec<char> = pattern.chars().collect();
    let starts = if bound { 0..=0 } else { 0..=text.len() };
    starts
        .into_iter()
        .any(|start| rest(&signs, &text[start..], false))
}

fn same_whole(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.to_lowercase(), text.to_lowercase());
    let text: Vec<char> = text.chars().collect();
    let signs: Vec<char> = pattern
        .strip_prefix('^')
        .unwrap_or(&pattern)
        .chars()
        .collect();
    rest(&signs, &text, true)
}

/// Whether the pattern matches the beginning of the text, or all of it.
fn rest(signs: &[char], text: &[char], whole: bool) -> bool {
    match signs {
        [] => !whole || text.is_empty(),
        ['$'] => text.is_empty(),
        ['*', more @ ..] => (0..=text.len()).any(|skip| rest(more, &text[skip..], whole)),
        ['?', more @ ..] => !text.is_empty() && rest(more, &text[1..], whole),
        ['\\', sign, more @ ..] => text.first() == Some(sign) && rest(more, &text[1..], whole),
        [sign, more @ ..] => text.first() == Some(sign) && rest(more, &text[1..], whole),
    }
}
