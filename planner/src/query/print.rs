//! A query as text that reads as the same query.

use std::fmt::{self, Display, Formatter};

use super::lexer::is_word;
use super::{Expr, Field, Moment, Query, Test, Unit};
use crate::number::Number;

impl Display for Query {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.expr {
            Some(expr) => write(expr, f),
            None => Ok(()),
        }
    }
}

fn write(expr: &Expr, f: &mut Formatter<'_>) -> fmt::Result {
    match expr {
        Expr::All(parts) => list(parts, " and ", f, |part| {
            matches!(part, Expr::All(_) | Expr::Any(_))
        }),
        Expr::Any(parts) => list(parts, " or ", f, |part| matches!(part, Expr::Any(_))),
        Expr::Not(inner) => {
            f.write_str("not ")?;
            enclosed(inner, matches!(**inner, Expr::All(_) | Expr::Any(_)), f)
        }
        Expr::Test(test) => write!(f, "{test}"),
    }
}

fn list(
    parts: &[Expr],
    joint: &str,
    f: &mut Formatter<'_>,
    encloses: fn(&Expr) -> bool,
) -> fmt::Result {
    for (place, part) in parts.iter().enumerate() {
        if place > 0 {
            f.write_str(joint)?;
        }
        enclosed(part, encloses(part), f)?;
    }
    Ok(())
}

fn enclosed(expr: &Expr, yes: bool, f: &mut Formatter<'_>) -> fmt::Result {
    if !yes {
        return write(expr, f);
    }
    f.write_str("(")?;
    write(expr, f)?;
    f.write_str(")")
}

impl Display for Test {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(text) => f.write_str(&free(text)),
            Self::Text(field, comparison, text) => {
                let (field, sign) = (field.name(), comparison.sign());
                write!(f, "{field} {sign} {}", bare_or_quoted(text))
            }
            Self::Number(field, comparison, number) => {
                write!(f, "{} {} {number}", field.name(), comparison.sign())
            }
            Self::Live(Moment::Step(step)) => write!(f, "live at {step}"),
            Self::Live(Moment::Peak) => f.write_str("live at peak"),
            Self::Live(Moment::Named(name)) => write!(f, "live at {}", quoted(name)),
            Self::Over(number) => write!(f, "at offset {number}"),
            Self::Is(flag) => write!(f, "is {}", flag.name()),
        }
    }
}

/// A text where a test may stand: quoted when it could be taken for something else.
fn free(text: &str) -> String {
    const KEYWORDS: [&str; 4] = ["is", "live", "at", "over"];
    let keyword = KEYWORDS.iter().any(|it| it.eq_ignore_ascii_case(text));
    let other = Field::named(text).is_some() || Unit::named(text).is_some();
    match keyword || other || Number::read(text).is_ok() {
        true => quoted(text),
        false => bare_or_quoted(text),
    }
}

/// A text where only a text may stand.
pub(super) fn bare_or_quoted(text: &str) -> String {
    const JOINTS: [&str; 3] = ["and", "or", "not"];
    let joint = JOINTS.iter().any(|it| it.eq_ignore_ascii_case(text));
    match !text.is_empty() && !joint && text.chars().all(is_word) {
        true => text.to_owned(),
        false => quoted(text),
    }
}

pub(super) fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for sign in text.chars() {
        if matches!(sign, '"' | '\\') {
            quoted.push('\\');
        }
        quoted.push(sign);
    }
    quoted.push('"');
    quoted
}
