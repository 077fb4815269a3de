//! A small language that says which buffers are meant: `size > 1MiB and op = Conv and live at 120`.
//!
//! ```text
//! query      = [ any ]
//! any        = all { "or" all }
//! all        = not { [ "and" ] not }
//! not        = "not" not | test
//! test       = "(" any ")"
//!            | text-field   ( "=" | "!=" | "~" | "!~" ) text
//!            | number-field ( "=" | "!=" | "<" | "<=" | ">" | ">=" ) number
//!            | "live" "at" ( step | "peak" | text )
//!            | ( "at" [ "offset" ] | "over" ) number
//!            | "is" flag
//!            | text
//! text       = word | '"' { sign | '\"' | '\\' } '"'
//! number     = ( digits [ "." digits ] | "0x" hex ) [ unit ]
//! unit       = "B" | "KB" | "MB" | "GB" | "TB" | "KiB" | "MiB" | "GiB" | "TiB"
//! ```
//!
//! Fields are listed by [`Field`], flags by [`Flag`]. `&`, `|` and `!` stand for `and`, `or`
//! and `not`. Letters may be large or small everywhere. A text on its own searches names,
//! aliases included. After `~` and in such a search `*` stands for any letters, `?` for one,
//! a leading `^` for the beginning, a last `$` for the end, and `\` takes their meaning away.
//! Units belong to bytes only; steps have none. What is not known of a buffer is no text, and
//! no number is equal to it, below it or above it; `!=` and `!~` are true wherever `=` and `~`
//! are not. A buffer that has several of something, such as consumers, passes when one does.
//!
//! Nothing here can hang: a query has at most [`LONGEST`] letters and [`DEEPEST`] levels, and
//! a pattern is matched in one pass over its parts.

mod complete;
mod error;
mod evaluate;
mod facts;
mod field;
mod lexer;
mod model;
mod parser;
mod pattern;
mod print;
mod stacks;

pub use crate::number::{Number, Unit};
pub use complete::{Candidate, Completion, Sort, complete};
pub use error::{Fault, QueryError};
pub use evaluate::Known;
pub use facts::{Facts, Sources};
pub use field::{Comparison, Field, Flag, Measure};
pub use parser::{parse, parse_for};

/// The most letters of a query.
pub const LONGEST: usize = 2000;

/// The most levels of parentheses and negations.
pub const DEEPEST: usize = 50;

/// Which buffers are meant; an empty one means all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// What a buffer has to be; `None` for a query that asks nothing.
    pub expr: Option<Expr>,
}

/// What a buffer has to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    /// All of these, two or more.
    All(Vec<Self>),
    /// One of these, two or more.
    Any(Vec<Self>),
    /// Not this.
    Not(Box<Self>),
    /// This alone.
    Test(Test),
}

/// One thing to ask of a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Test {
    /// Has this pattern in its name or in an alias.
    Word(String),
    /// What a text field has to be.
    Text(Field, Comparison, String),
    /// What a number field has to be.
    Number(Field, Comparison, Number),
    /// Needs bytes at this moment.
    Live(Moment),
    /// Lies over this byte of the arena.
    Over(Number),
    /// Has this property.
    Is(Flag),
}

/// A moment that a query names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Moment {
    /// A step by its number.
    Step(u64),
    /// The step whose live bytes set the lower bound.
    Peak,
    /// Every step of this name; a pattern of the whole name where it has wildcards.
    Named(String),
}

impl Query {
    /// Whether it asks where a buffer lives, which only a plan says.
    #[must_use]
    pub fn needs_plan(&self) -> bool {
        self.expr.as_ref().is_some_and(Expr::needs_plan)
    }

    /// The query that asks `field` to be exactly `text`.
    #[must_use]
    pub fn equal(field: Field, text: impl Into<String>) -> Self {
        Self {
            expr: Some(Expr::Test(Test::Text(
                field,
                Comparison::Equal,
                text.into(),
            ))),
        }
    }
}

impl Expr {
    fn needs_plan(&self) -> bool {
        match self {
            Self::All(parts) | Self::Any(parts) => parts.iter().any(Self::needs_plan),
            Self::Not(inner) => inner.needs_plan(),
            Self::Test(Test::Over(_)) => true,
            Self::Test(Test::Text(field, ..) | Test::Number(field, ..)) => {
                matches!(field, Field::Offset | Field::Top | Field::Pool)
            }
            Self::Test(Test::Word(_) | Test::Live(_) | Test::Is(_)) => false,
        }
    }
}
