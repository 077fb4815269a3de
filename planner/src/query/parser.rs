//! Tokens to a query, by recursive descent; the grammar is in the module above.

use super::evaluate::steps;
use super::lexer::{Token, TokenKind, tokens};
use super::pattern::fold;
use super::{
    Comparison, DEEPEST, Expr, Facts, Fault, Field, Flag, LONGEST, Measure, Moment, Number, Query,
    QueryError, Test, Unit,
};
use crate::number::NoNumber;

/// Reads a query.
///
/// # Errors
/// Where and why it cannot be understood.
pub fn parse(text: &str) -> Result<Query, QueryError> {
    read(text, None)
}

/// Reads a query about what these facts are of: it is also wrong where it names a step that
/// is not there.
///
/// # Errors
/// Where and why it cannot be understood.
pub fn parse_for(text: &str, facts: &Facts) -> Result<Query, QueryError> {
    read(text, Some(facts))
}

fn read(text: &str, facts: Option<&Facts>) -> Result<Query, QueryError> {
    if let Some((at, _)) = text.char_indices().nth(LONGEST) {
        return Err(QueryError {
            column: LONGEST + 1,
            span: at..text.len(),
            unfinished: false,
            fault: Fault::TooLong,
        });
    }
    let mut parser = Parser {
        text,
        facts,
        tokens: tokens(text),
        at: 0,
        depth: 0,
    };
    if parser.tokens.is_empty() {
        return Ok(Query::default());
    }
    let expr = parser.any()?;
    match parser.peek() {
        None => Ok(Query { expr: Some(expr) }),
        Some(TokenKind::Close) => Err(parser.wrong(Fault::Unopened)),
        Some(_) => Err(parser.wrong(Fault::Joint)),
    }
}

struct Parser<'t> {
    text: &'t str,
    facts: Option<&'t Facts>,
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn kind(&self, at: usize) -> Option<&TokenKind> {
        self.tokens.get(at).map(|token| &token.kind)
    }

    fn peek(&self) -> Option<&TokenKind> {
        self.kind(self.at)
    }

    /// The error at the next token, or at the end.
    fn wrong(&self, fault: Fault) -> QueryError {
        self.wrong_at(self.at, fault)
    }

    fn wrong_at(&self, at: usize, fault: Fault) -> QueryError {
        let end = self.text.trim_end().len();
        let span = self
            .tokens
            .get(at)
            .map_or(end..end, |token| token.span.clone());
        let before = self.text.get(..span.start).unwrap_or_default();
        QueryError {
            column: before.chars().count() + 1,
            unfinished: span.is_empty(),
            span,
            fault,
        }
    }

    fn any(&mut self) -> Result<Expr, QueryError> {
        let mut parts = vec![self.all()?];
        while self.peek() == Some(&TokenKind::Or) {
            self.at += 1;
            parts.push(self.all()?);
        }
        Ok(joined(parts, Expr::Any))
    }

    fn all(&mut self) -> Result<Expr, QueryError> {
        let mut parts = vec![self.not()?];
        loop {
            match self.peek() {
                Some(TokenKind::And) => self.at += 1,
                Some(
                    TokenKind::Word(_) | TokenKind::Quoted(..) | TokenKind::Not | TokenKind::Open,
                ) => {}
                _ => return Ok(joined(parts, Expr::All)),
            }
            parts.push(self.not()?);
        }
    }

    fn not(&mut self) -> Result<Expr, QueryError> {
        let (depth, at) = (self.depth, self.at);
        if matches!(self.peek(), Some(TokenKind::Not | TokenKind::Open)) {
            self.depth += 1;
            if self.depth > DEEPEST {
                return Err(self.wrong(Fault::TooDeep));
            }
        }
        let expr = match self.peek() {
            Some(TokenKind::Not) => {
                self.at += 1;
                Expr::Not(Box::new(self.not()?))
            }
            Some(TokenKind::Open) => {
                self.at += 1;
                let expr = self.any()?;
                match self.peek() {
                    Some(TokenKind::Close) => self.at += 1,
                    None => {
                        let mut error = self.wrong_at(at, Fault::Unclosed);
                        error.unfinished = true;
                        return Err(error);
                    }
                    Some(_) => return Err(self.wrong(Fault::Joint)),
                }
                expr
            }
            _ => Expr::Test(self.test()?),
        };
        self.depth = depth;
        Ok(expr)
    }

    fn test(&mut self) -> Result<Test, QueryError> {
        let word = match self.peek() {
            Some(TokenKind::Quoted(..)) => return self.text().map(Test::Word),
            Some(TokenKind::Word(word)) => word.clone(),
            _ => return Err(self.wrong(Fault::Test)),
        };
        if let Some(&TokenKind::Comparison(comparison)) = self.kind(self.at + 1) {
            return self.compared(&word, comparison);
        }
        let is = |keyword: &str| word.eq_ignore_ascii_case(keyword);
        if is("is") && matches!(self.kind(self.at + 1), Some(TokenKind::Word(_))) {
            self.at += 1;
            return self.flag().map(Test::Is);
        }
        if is("live") && self.is_keyword(self.at + 1, "at") {
            self.at += 2;
            return self.moment().map(Test::Live);
        }
        if is("at") || is("over") {
            let named = self.is_keyword(self.at + 1, "offset");
            if named || self.is_number(self.at + 1) {
                self.at += if named { 2 } else { 1 };
                let number = self.number(Fault::Offset)?;
                return Ok(Test::Over(self.with_unit(number)));
            }
        }
        self.at += 1;
        Ok(Test::Word(word))
    }

    fn is_keyword(&self, at: usize, keyword: &str) -> bool {
        matches!(self.kind(at), Some(TokenKind::Word(word)) if word.eq_ignore_ascii_case(keyword))
    }

    fn is_number(&self, at: usize) -> bool {
        matches!(self.kind(at), Some(TokenKind::Word(word)) if Number::read(word).is_ok())
    }

    fn compared(&mut self, name: &str, comparison: Comparison) -> Result<Test, QueryError> {
        let Some(field) = Field::named(name) else {
            return Err(self.wrong(Fault::Field(meant(name))));
        };
        self.at += 1;
        if !field.comparisons().contains(&comparison) {
            return Err(self.wrong(Fault::Comparison(field)));
        }
        self.at += 1;
        if field.measure() == Measure::Text {
            return match self.peek() {
                Some(TokenKind::Word(_) | TokenKind::Quoted(..)) => {
                    Ok(Test::Text(field, comparison, self.text()?))
                }
                _ => Err(self.wrong(Fault::Text(field))),
            };
        }
        let at = self.at;
        let number = self.number(Fault::Number(field))?;
        if field.measure() == Measure::Bytes {
            let number = self.with_unit(number);
            return Ok(Test::Number(field, comparison, number));
        }
        match number.unit {
            None => Ok(Test::Number(field, comparison, number)),
            Some(_) => Err(self.wrong_at(at, Fault::Unit(field))),
        }
    }

    /// A word or what stands in quotation marks.
    fn text(&mut self) -> Result<String, QueryError> {
        let text = match self.peek() {
            Some(TokenKind::Word(text) | TokenKind::Quoted(text, true)) => text.clone(),
            Some(TokenKind::Quoted(_, false)) => {
                let mut error = self.wrong(Fault::Quote);
                error.unfinished = true;
                return Err(error);
            }
            _ => return Err(self.wrong(Fault::Test)),
        };
        self.at += 1;
        Ok(text)
    }

    fn number(&mut self, fault: Fault) -> Result<Number, QueryError> {
        let Some(TokenKind::Word(word)) = self.peek() else {
            return Err(self.wrong(fault));
        };
        match Number::read(word) {
            Ok(number) => {
                self.at += 1;
                Ok(number)
            }
            Err(NoNumber::Unlike) => {
                // Half a unit, or a point without digits yet.
                let begun = word.starts_with(|sign: char| sign.is_ascii_digit());
                Err(self.begun(fault, begun))
            }
            Err(NoNumber::TooLarge) => Err(self.wrong(Fault::TooLarge)),
        }
    }

    /// The error at the next token, unfinished where that is the last and well `begun`.
    fn begun(&self, fault: Fault, begun: bool) -> QueryError {
        let mut error = self.wrong(fault);
        error.unfinished |= begun && self.at + 1 == self.tokens.len();
        error
    }

    /// `number` with the unit that follows it, if it has none and one follows.
    fn with_unit(&mut self, number: Number) -> Number {
        let Some(TokenKind::Word(word)) = self.peek() else {
            return number;
        };
        match (number.unit, Unit::named(word)) {
            (None, Some(unit)) => {
                self.at += 1;
                Number {
                    unit: Some(unit),
                    ..number
                }
            }
            _ => number,
        }
    }

    fn flag(&mut self) -> Result<Flag, QueryError> {
        let word = match self.peek() {
            Some(TokenKind::Word(word)) => word.to_ascii_lowercase(),
            _ => return Err(self.wrong(Fault::Flag)),
        };
        let Some(flag) = Flag::named(&word) else {
            let begun = Flag::ALL.iter().any(|flag| flag.name().starts_with(&word));
            return Err(self.begun(Fault::Flag, begun));
        };
        self.at += 1;
        Ok(flag)
    }

    fn moment(&mut self) -> Result<Moment, QueryError> {
        let moment = match self.peek() {
            Some(TokenKind::Word(word)) if word.eq_ignore_ascii_case("peak") => Moment::Peak,
            Some(TokenKind::Word(word)) => match Number::read(word) {
                Ok(number) => match number.as_whole() {
                    Some(step) => Moment::Step(step),
                    None => return Err(self.wrong(Fault::Moment)),
                },
                Err(NoNumber::TooLarge) => return Err(self.wrong(Fault::TooLarge)),
                Err(NoNumber::Unlike) => Moment::Named(word.clone()),
            },
            Some(TokenKind::Quoted(name, true)) => Moment::Named(name.clone()),
            Some(TokenKind::Quoted(..)) => return self.text().map(Moment::Named),
            _ => return Err(self.wrong(Fault::Moment)),
        };
        if let Some(facts) = self.facts {
            self.is_there(&moment, facts)?;
        }
        self.at += 1;
        Ok(moment)
    }

    /// Refuses a moment that there is not, at the next token.
    fn is_there(&self, moment: &Moment, facts: &Facts) -> Result<(), QueryError> {
        match (moment, facts.last) {
            (Moment::Step(step), Some(last)) if *step > last => {
                Err(self.wrong(Fault::LastStep(last)))
            }
            (Moment::Named(name), _) if steps(moment, facts).is_empty() => {
                let name = fold(name);
                let begun = facts
                    .steps
                    .texts
                    .iter()
                    .any(|it| it.folded.starts_with(&name));
                Err(self.begun(Fault::NoStep, begun))
            }
            _ => Ok(()),
        }
    }
}

fn joined(mut parts: Vec<Expr>, join: fn(Vec<Expr>) -> Expr) -> Expr {
    match parts.len() {
        1 => parts.remove(0),
        _ => join(parts),
    }
}

/// The field that a misspelt name was meant to be: the nearest within two letters.
fn meant(name: &str) -> Option<Field> {
    let name = name.to_lowercase();
    let near = Field::ALL
        .into_iter()
        .map(|field| (distance(&name, field.name()), field));
    let nearest = near.min_by_key(|(distance, _)| *distance)?;
    (nearest.0 <= 2 && nearest.0 < nearest.1.name().len()).then_some(nearest.1)
}

/// How many letters have to be put in, left out or changed (Levenshtein 1966).
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (place, sign) in one.chars().enumerate() {
        let mut corner = row[0];
        row[0] = place + 1;
        for (column, &letter) in other.iter().enumerate() {
            let changed = corner + usize::from(sign != letter);
            corner = row[column + 1];
            row[column + 1] = changed.min(corner + 1).min(row[column] + 1);
        }
    }
    row.last().copied().unwrap_or_default()
}
