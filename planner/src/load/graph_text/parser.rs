//! A line that is being read, token by token.

use super::elements::Number;
use super::fault;
use super::lexer::{Token, TokenKind, tokens};
use super::statement::Name;
use crate::load::LoadError;
use crate::{Message, message};

/// What reads a line.
pub(super) struct Parser<'t> {
    pub(super) line: usize,
    pub(super) tokens: Vec<Token<'t>>,
    pub(super) at: usize,
    /// The column behind the last token.
    end: usize,
}

pub(super) type Read<T> = Result<T, LoadError>;

pub(super) const NUMBER: fn() -> Message = || message!("a whole number from 0 up");
pub(super) const NAME: fn() -> Message = || message!("a name");

impl<'t> Parser<'t> {
    /// # Errors
    /// See [`tokens`].
    pub(super) fn new(line: usize, text: &'t str) -> Read<Self> {
        let tokens = tokens(line, text)?;
        let end = tokens
            .last()
            .map_or(1, |it| it.column + it.text.chars().count());
        let at = 0;
        Ok(Self {
            line,
            tokens,
            at,
            end,
        })
    }

    /// The number of tokens.
    pub(super) fn len(&self) -> usize {
        self.tokens.len()
    }

    pub(super) fn peek(&self) -> Option<&Token<'t>> {
        self.tokens.get(self.at)
    }

    /// The column of the next token, or behind the last.
    pub(super) fn column(&self) -> usize {
        self.peek().map_or(self.end, |it| it.column)
    }

    /// The error that something else than `what` comes next.
    pub(super) fn expected(&self, what: Message) -> LoadError {
        let message = match self.peek() {
            Some(token) => message!("here should be {}, not `{}`", what, token.text),
            None => message!("the line ends where there should be {}", what),
        };
        fault(self.line, self.column(), message)
    }

    fn is_next(&self, sign: &str) -> bool {
        let next = self.peek();
        next.is_some_and(|it| matches!(it.kind, TokenKind::Sign(_)) && it.text == sign)
    }

    /// Whether `sign` comes next, which is then taken.
    pub(super) fn takes(&mut self, sign: &str) -> bool {
        let found = self.is_next(sign);
        self.at += usize::from(found);
        found
    }

    pub(super) fn needs(&mut self, sign: &str) -> Read<()> {
        match self.takes(sign) {
            true => Ok(()),
            false => Err(self.expected(Message::verbatim(format!("`{sign}`")))),
        }
    }

    /// One or more, separated by commas.
    pub(super) fn some<T>(&mut self, item: fn(&mut Self) -> Read<T>) -> Read<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.takes(",") {
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// Any number up to `close`, separated by commas.
    pub(super) fn until<T>(&mut self, close: &str, item: fn(&mut Self) -> Read<T>) -> Read<Vec<T>> {
        if self.takes(close) {
            return Ok(Vec::new());
        }
        let items = self.some(item)?;
        match self.takes(close) {
            true => Ok(items),
            false => Err(self.expected(message!("`,` or `{}`", close))),
        }
    }

    /// A word or a text in quotation marks.
    pub(super) fn text(&mut self, what: fn() -> Message) -> Read<String> {
        let text = match self.peek() {
            Some(Token {
                kind: TokenKind::Word,
                text,
                ..
            }) => (*text).to_owned(),
            Some(Token {
                kind: TokenKind::Quoted(text),
                ..
            }) => text.clone(),
            _ => return Err(self.expected(what())),
        };
        self.at += 1;
        Ok(text)
    }

    pub(super) fn named(&mut self, what: fn() -> Message) -> Read<Name> {
        let column = self.column();
        if self.is_word("_") || self.peek().is_some_and(|it| it.text == "\"\"") {
            return Err(self.expected(what()));
        }
        let text = self.text(what)?;
        Ok(Name { text, column })
    }

    pub(super) fn name(&mut self) -> Read<Name> {
        self.named(NAME)
    }

    pub(super) fn is_word(&self, word: &str) -> bool {
        let next = self.peek();
        next.is_some_and(|it| matches!(it.kind, TokenKind::Word) && it.text == word)
    }

    pub(super) fn takes_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        self.at += usize::from(found);
        found
    }

    /// A number as it is written.
    pub(super) fn number(&mut self, what: fn() -> Message) -> Read<Number<'t>> {
        let Some(Token {
            kind: TokenKind::Number,
            text,
            column,
        }) = self.peek()
        else {
            return Err(self.expected(what()));
        };
        let (text, column) = (*text, *column);
        self.at += 1;
        Ok(Number { text, column })
    }

    /// A whole number that fits.
    pub(super) fn whole<T: std::str::FromStr>(&mut self, what: fn() -> Message) -> Read<T> {
        let column = self.column();
        let number = self.number(what)?;
        let message = || message!("here should be {}, not `{}`", what(), number.text);
        let parsed = number.text.parse();
        parsed.map_err(|_error| fault(self.line, column, message()))
    }
}

/// The error that a number is not one of the kind that is needed.
pub(super) fn no_number(line: usize, number: Number<'_>) -> LoadError {
    let message = message!("`{}` is no number that fits here", number.text);
    fault(line, number.column, message)
}
