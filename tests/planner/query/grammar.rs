//! What can be said, and what is wrong and where.

use planner::query::{
    Comparison, DEEPEST, Expr, Fault, Field, Flag, LONGEST, Moment, Number, Query, Test, Unit,
    complete, parse,
};
use tests::random::Random;

use super::{arbitrary, query};

fn number(mantissa: u64, decimals: u8, unit: Option<Unit>) -> Number {
    Number {
        mantissa,
        decimals,
        unit,
    }
}

fn bytes(field: Field, comparison: Comparison, number: Number) -> Expr {
    Expr::Test(Test::Number(field, comparison, number))
}

fn word(text: &str) -> Expr {
    Expr::Test(Test::Word(text.to_owned()))
}

fn text(field: Field, comparison: Comparison, text: &str) -> Expr {
    Expr::Test(Test::Text(field, comparison, text.to_owned()))
}

fn are_read(table: impl IntoIterator<Item = (&'static str, Expr)>) {
    for (written, meant) in table {
        assert_eq!(parse(written), Ok(query(meant)), "{written}");
    }
}

#[test]
fn every_test_of_the_grammar_is_read() {
    let kib = Some(Unit::KiB);
    are_read([
        (
            "size > 1MiB",
            bytes(Field::Size, Comparison::More, number(1, 0, Some(Unit::MiB))),
        ),
        (
            "SIZE>1 mib",
            bytes(Field::Size, Comparison::More, number(1, 0, Some(Unit::MiB))),
        ),
        (
            "size <= 1.5KiB",
            bytes(Field::Size, Comparison::AtMost, number(15, 1, kib)),
        ),
        (
            "offset = 0x1F",
            bytes(Field::Offset, Comparison::Equal, number(31, 0, None)),
        ),
        (
            "offset == 0x10 KiB",
            bytes(Field::Offset, Comparison::Equal, number(16, 0, kib)),
        ),
        (
            "top != 1_000",
            bytes(Field::Top, Comparison::Unequal, number(1000, 0, None)),
        ),
        (
            "length ≥ 3",
            bytes(Field::Length, Comparison::AtLeast, number(3, 0, None)),
        ),
        ("op = Conv", text(Field::Op, Comparison::Equal, "Conv")),
        (
            "op !~ \"a \\\"b\"",
            text(Field::Op, Comparison::Unlike, "a \"b"),
        ),
        ("op = size", text(Field::Op, Comparison::Equal, "size")),
        ("op = \"\"", text(Field::Op, Comparison::Equal, "")),
        ("name ~ ^a*b$", text(Field::Name, Comparison::Like, "^a*b$")),
        ("live at 120", Expr::Test(Test::Live(Moment::Step(120)))),
        ("Live At Peak", Expr::Test(Test::Live(Moment::Peak))),
        (
            "live at conv_1",
            Expr::Test(Test::Live(Moment::Named("conv_1".into()))),
        ),
        (
            "live at \"peak\"",
            Expr::Test(Test::Live(Moment::Named("peak".into()))),
        ),
        ("at 4KiB", Expr::Test(Test::Over(number(4, 0, kib)))),
        (
            "at offset 0x1000",
            Expr::Test(Test::Over(number(4096, 0, None))),
        ),
        ("over 12", Expr::Test(Test::Over(number(12, 0, None)))),
    ]);
}

#[test]
fn words_and_combinations_are_read() {
    are_read([
        ("is whole-life", Expr::Test(Test::Is(Flag::WholeLife))),
        ("fixed", word("fixed")),
        ("live", word("live")),
        ("at", word("at")),
        ("at once", Expr::All(vec![word("at"), word("once")])),
        ("192", word("192")),
        ("\"and\"", word("and")),
        ("model/层1/conv:0", word("model/层1/conv:0")),
        ("a b", Expr::All(vec![word("a"), word("b")])),
        ("a and b", Expr::All(vec![word("a"), word("b")])),
        (
            "a && b | c",
            Expr::Any(vec![Expr::All(vec![word("a"), word("b")]), word("c")]),
        ),
        (
            "a (b or c)",
            Expr::All(vec![word("a"), Expr::Any(vec![word("b"), word("c")])]),
        ),
        (
            "not a b",
            Expr::All(vec![Expr::Not(Box::new(word("a"))), word("b")]),
        ),
        ("!!a", Expr::Not(Box::new(Expr::Not(Box::new(word("a")))))),
    ]);
    assert_eq!(parse(" \t"), Ok(Query::default()));
}

#[test]
fn errors_name_the_column_and_what_was_expected() {
    let table = [
        ("sise > 3", 1, 4, Fault::Field(Some(Field::Size))),
        ("a and colour = red", 7, 6, Fault::Field(None)),
        ("size >", 7, 0, Fault::Number(Field::Size)),
        ("size > big", 8, 3, Fault::Number(Field::Size)),
        ("size > 1QiB", 8, 4, Fault::Number(Field::Size)),
        ("size > -1", 8, 2, Fault::Number(Field::Size)),
        ("size > 1.2.3", 8, 5, Fault::Number(Field::Size)),
        ("size > \"3\"", 8, 3, Fault::Number(Field::Size)),
        ("size > 99999999999999999999", 8, 20, Fault::TooLarge),
        ("size > 0.1234567891", 8, 12, Fault::TooLarge),
        ("size ~ 3", 6, 1, Fault::Comparison(Field::Size)),
        ("op > Conv", 4, 1, Fault::Comparison(Field::Op)),
        ("op = ", 5, 0, Fault::Text(Field::Op)),
        ("op = and a", 6, 3, Fault::Text(Field::Op)),
        (
            "length > 3 and start = 2KB",
            24,
            3,
            Fault::Unit(Field::Start),
        ),
        ("live at", 8, 0, Fault::Moment),
        ("live at 1.5", 9, 3, Fault::Moment),
        ("at offset x", 11, 1, Fault::Offset),
        ("is broken", 4, 6, Fault::Flag),
        ("a and", 6, 0, Fault::Test),
        ("a or or b", 6, 2, Fault::Test),
        ("> 3", 1, 1, Fault::Test),
        ("a = b = c", 1, 1, Fault::Field(None)),
        ("op = a = c", 8, 1, Fault::Joint),
        ("(a", 1, 1, Fault::Unclosed),
        ("a)", 2, 1, Fault::Unopened),
        ("()", 2, 1, Fault::Test),
        ("op = \"层", 6, 2, Fault::Quote),
        ("层 and sise = 3", 7, 4, Fault::Field(Some(Field::Size))),
    ];
    for (written, column, letters, fault) in table {
        let error = parse(written).expect_err(written);
        let marked = written.get(error.span.clone()).map(|it| it.chars().count());
        assert_eq!(error.fault, fault, "{written}: {error}");
        assert_eq!(
            (error.column, marked),
            (column, Some(letters)),
            "{written}: {error}"
        );
        let says = error.to_string();
        assert!(says.starts_with(&format!("column {column}: ")), "{says}");
    }
}

/// What may only not be finished is distinguished from what is wrong however it goes on.
#[test]
fn a_query_that_is_being_typed_is_unfinished() {
    let whole = "size > 1MiB and (op = \"Conv\" or live at 120) and at offset 4KiB";
    for (end, _) in whole.char_indices() {
        if let Err(error) = parse(&whole[..end]) {
            assert!(error.unfinished, "{:?}: {error}", &whole[..end]);
        }
    }
    assert!(parse(whole).is_ok());
    for wrong in ["sise > 3", "a)", "op > x", "size > big"] {
        assert!(!parse(wrong).expect_err(wrong).unfinished, "{wrong}");
    }
}

#[test]
fn length_and_depth_have_limits() {
    let nested = |levels: usize| format!("{}a{}", "(".repeat(levels), ")".repeat(levels));
    assert_eq!(parse(&nested(DEEPEST)), parse("a"));
    let error = parse(&nested(DEEPEST + 1)).expect_err("one level too many");
    assert_eq!((error.fault, error.column), (Fault::TooDeep, DEEPEST + 1));
    let nots = "not ".repeat(DEEPEST + 1) + "a";
    assert_eq!(parse(&nots).expect_err("too many").fault, Fault::TooDeep);
    // Depth is not length: many levels one after the other are none too many.
    assert!(parse(&"(a) ".repeat(400)).is_ok());
    assert!(parse(&"层".repeat(LONGEST)).is_ok());
    let error = parse(&"层".repeat(LONGEST + 1)).expect_err("one letter too many");
    assert_eq!((error.fault, error.column), (Fault::TooLong, LONGEST + 1));
}

#[test]
fn what_is_printed_reads_as_the_same() {
    let mut random = Random::new(0x51_0E);
    for _ in 0..5_000 {
        let meant = query(arbitrary(&mut random, 3));
        let written = meant.to_string();
        if written.chars().count() <= LONGEST {
            assert_eq!(parse(&written).as_ref(), Ok(&meant), "{written}");
        }
    }
}

/// Whatever is typed, there is an answer, and errors lie inside the text.
#[test]
fn arbitrary_text_never_panics() {
    const PIECES: [&str; 24] = [
        "size", "op", "live", "at", "is", "offset", "and", "or", "not", "(", ")", "\"", "\\", "=",
        "!", "~", "<", "1.5", "MiB", "0x", "层", " ", "\u{0}", "&|",
    ];
    let facts = planner::query::Facts::default();
    let mut random = Random::new(0xF0_22);
    for _ in 0..3_000 {
        let mut written = String::new();
        for _ in 0..random.below(12) {
            match random.below(4) {
                0 => {
                    let bytes: Vec<u8> = (0..random.below(5))
                        .map(|_| random.bits().to_le_bytes()[0])
                        .collect();
                    written += &String::from_utf8_lossy(&bytes);
                }
                _ => written += PIECES[random.index(PIECES.len())],
            }
        }
        if let Err(error) = parse(&written) {
            assert!(
                written.get(error.span.clone()).is_some(),
                "{written:?} {error:?}"
            );
            assert!(
                error.column <= written.chars().count() + 1,
                "{written:?} {error:?}"
            );
        }
        for cursor in 0..=written.len() + 1 {
            let completion = complete(&written, cursor, &facts);
            assert!(
                written.get(completion.range).is_some(),
                "{written:?} {cursor}"
            );
        }
    }
}
