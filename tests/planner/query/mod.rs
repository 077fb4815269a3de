//! The query language: what can be said, what is wrong and where, what is meant, and what
//! may come next.

mod completion;
mod grammar;
mod meaning;
mod oracle;

use planner::query::{Comparison, Expr, Field, Flag, Measure, Moment, Number, Query, Test, Unit};
use tests::random::Random;

/// Texts that are hard to print: keywords, numbers, signs, nothing.
const TEXTS: [&str; 22] = [
    "conv", "Conv", "", "and", "OR", "not", "is", "live", "at", "size", "KiB", "12", "0x10", "a b",
    "a\"b", "a\\b", "\\\"", "b*", "^b?$", "层/1:0", "(x)", "a=b",
];

/// An arbitrary query of at most this depth.
fn arbitrary(random: &mut Random, depth: u64) -> Expr {
    let kind = random.below(if depth == 0 { 1 } else { 4 });
    let parts = |random: &mut Random| {
        let count = 2 + random.below(3);
        (0..count).map(|_| arbitrary(random, depth - 1)).collect()
    };
    match kind {
        1 => Expr::All(parts(random)),
        2 => Expr::Any(parts(random)),
        3 => Expr::Not(Box::new(arbitrary(random, depth - 1))),
        _ => Expr::Test(arbitrary_test(random)),
    }
}

fn arbitrary_test(random: &mut Random) -> Test {
    let text = TEXTS[random.index(TEXTS.len())].to_owned();
    let number = Number {
        mantissa: random.below(60),
        decimals: u8::try_from(random.below(3)).expect("below 3"),
        unit: None,
    };
    let unit = Unit::ALL[random.index(Unit::ALL.len())];
    let bytes = match random.below(3) {
        0 => Number {
            unit: Some(unit),
            ..number
        },
        _ => number,
    };
    match random.below(6) {
        0 => Test::Word(text),
        1 => Test::Live(match random.below(3) {
            0 => Moment::Step(random.below(12)),
            1 => Moment::Peak,
            _ => Moment::Named(text),
        }),
        2 => Test::Over(bytes),
        3 => Test::Is(Flag::ALL[random.index(Flag::ALL.len())]),
        _ => {
            let field = Field::ALL[random.index(Field::ALL.len())];
            let comparisons = field.comparisons();
            let comparison: Comparison = comparisons[random.index(comparisons.len())];
            match field.measure() {
                Measure::Text => Test::Text(field, comparison, text),
                Measure::Bytes => Test::Number(field, comparison, bytes),
                Measure::Steps => Test::Number(field, comparison, number),
            }
        }
    }
}

fn query(expr: Expr) -> Query {
    Query { expr: Some(expr) }
}
