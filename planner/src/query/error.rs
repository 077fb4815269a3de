//! What is wrong with a query, and where.

use std::error::Error;
use std::fmt;
use std::ops::Range;

use super::{DEEPEST, Field, Flag, LONGEST, Measure};

/// What is wrong with a query, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryError {
    /// Where it is wrong, in letters from 1.
    pub column: usize,
    /// The letters that are wrong, as bytes of the text; empty where something is missing.
    pub span: Range<usize>,
    /// Whether it may only not be finished yet: something is missing at its end.
    pub unfinished: bool,
    /// What is wrong.
    pub fault: Fault,
}

/// What is wrong with a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It has more than [`LONGEST`] letters.
    TooLong,
    /// It has more than [`DEEPEST`] levels.
    TooDeep,
    /// A quotation mark has no second one.
    Quote,
    /// A parenthesis is not closed.
    Unclosed,
    /// A parenthesis is closed that was not opened.
    Unopened,
    /// A test was expected.
    Test,
    /// `and`, `or` or the end was expected.
    Joint,
    /// No field has this name; perhaps this one was meant.
    Field(Option<Field>),
    /// This field cannot be compared so.
    Comparison(Field),
    /// A text was expected for this field.
    Text(Field),
    /// A number was expected for this field.
    Number(Field),
    /// A number has too many digits.
    TooLarge,
    /// This field counts steps, which have no unit.
    Unit(Field),
    /// A step, `peak` or the name of a step was expected.
    Moment,
    /// No step has this name.
    NoStep,
    /// There are no more steps than up to this one.
    LastStep(u64),
    /// A byte of the arena was expected.
    Offset,
    /// A flag was expected.
    Flag,
}

impl fmt::Display for QueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "column {}: {}", self.column, self.fault)
    }
}

impl Error for QueryError {}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong => write!(f, "more than {LONGEST} letters"),
            Self::TooDeep => write!(f, "more than {DEEPEST} levels"),
            Self::Quote => f.write_str("a quotation mark is not closed"),
            Self::Unclosed => f.write_str("a parenthesis is not closed"),
            Self::Unopened => f.write_str("a parenthesis is closed that was not opened"),
            Self::Test => f.write_str("expected a test, such as size > 1MiB, or a name"),
            Self::Joint => f.write_str("expected and, or, or the end"),
            Self::Field(None) => f.write_str("no field has this name"),
            Self::Field(Some(meant)) => {
                write!(f, "no field has this name; perhaps {}", meant.name())
            }
            Self::Comparison(field) => {
                let signs = field.comparisons().iter().map(|it| it.sign());
                let signs: Vec<&str> = signs.collect();
                write!(
                    f,
                    "expected one of {} behind {}",
                    signs.join(" "),
                    field.name()
                )
            }
            Self::Text(field) => write!(f, "expected a text for {}", field.name()),
            Self::Number(field) => match field.measure() {
                Measure::Bytes => {
                    let name = field.name();
                    write!(
                        f,
                        "expected a number of bytes for {name}, such as 4096 or 1.5KiB"
                    )
                }
                Measure::Steps | Measure::Text => {
                    write!(f, "expected a number of steps for {}", field.name())
                }
            },
            Self::TooLarge => f.write_str("a number has too many digits"),
            Self::Unit(field) => write!(f, "{} counts steps, which have no unit", field.name()),
            Self::Moment => f.write_str("expected a step, peak, or the name of a step"),
            Self::NoStep => f.write_str("no step has this name"),
            Self::LastStep(last) => write!(f, "the last step is {last}"),
            Self::Offset => f.write_str("expected a byte of the arena, such as 4096 or 4KiB"),
            Self::Flag => {
                let names: Vec<&str> = Flag::ALL.iter().map(|flag| flag.name()).collect();
                write!(f, "expected one of {}", names.join(", "))
            }
        }
    }
}
