//! The characters of a line to tokens.

use super::fault;
use crate::load::LoadError;
use crate::{Message, message};

/// A token and the column at which it begins.
pub(super) struct Token<'t> {
    pub(super) kind: TokenKind<'t>,
    pub(super) column: usize,
    /// As it is written.
    pub(super) text: &'t str,
}

pub(super) enum TokenKind<'t> {
    Word,
    /// What begins as numbers do; whether it is one is seen when it is needed.
    Number,
    /// What stands between quotation marks.
    Quoted(String),
    /// One character, or `::`.
    Sign(&'t str),
}

/// Numbers that are words.
const NUMBERS: [&str; 4] = ["true", "false", "inf", "nan"];

/// Whether `text` is written without quotation marks where a name is.
pub(crate) fn is_plain(text: &str) -> bool {
    let mut letters = text.chars();
    let begins = letters
        .next()
        .is_some_and(|it| it == '_' || it.is_alphabetic());
    begins && letters.all(is_inside) && text != "_" && !NUMBERS.contains(&text)
}

/// Whether a word may go on with `letter`.
fn is_inside(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_' || letter == '.'
}

/// The tokens of line `number` up to a comment.
///
/// # Errors
/// A text that nothing closes, or an unknown escape.
pub(super) fn tokens(number: usize, line: &str) -> Result<Vec<Token<'_>>, LoadError> {
    let mut tokens = Vec::new();
    let (mut rest, mut column) = (line, 1);
    while let Some(first) = rest.chars().next() {
        if first == '#' {
            break;
        }
        let (len, kind) = match first {
            _ if first.is_whitespace() => (first.len_utf8(), None),
            '"' => {
                let (len, text) =
                    quoted(rest).map_err(|(at, message)| fault(number, column + at, message))?;
                (len, Some(TokenKind::Quoted(text)))
            }
            _ => {
                let (len, kind) = plain(rest, first);
                (len, Some(kind))
            }
        };
        let (text, behind) = rest.split_at_checked(len).unwrap_or((rest, ""));
        if let Some(kind) = kind {
            tokens.push(Token { kind, column, text });
        }
        column += text.chars().count();
        rest = behind;
    }
    Ok(tokens)
}

/// The token at the start of `rest` that is not quoted, and its bytes.
fn plain(rest: &str, first: char) -> (usize, TokenKind<'_>) {
    let signed = first == '-' || first == '+';
    let unsigned = rest.get(usize::from(signed)..).unwrap_or_default();
    let digits = unsigned.starts_with(|it: char| it.is_ascii_digit());
    if digits || signed && NUMBERS.iter().any(|it| unsigned.starts_with(it)) {
        return (usize::from(signed) + number(unsigned), TokenKind::Number);
    }
    if first == '_' || first.is_alphabetic() {
        let len = rest.find(|it| !is_inside(it)).unwrap_or(rest.len());
        let is_number = rest.get(..len).is_some_and(|it| NUMBERS.contains(&it));
        return (
            len,
            if is_number {
                TokenKind::Number
            } else {
                TokenKind::Word
            },
        );
    }
    let len = if rest.starts_with("::") || rest.starts_with("<=") {
        2
    } else {
        first.len_utf8()
    };
    (len, TokenKind::Sign(rest.get(..len).unwrap_or_default()))
}

/// The bytes of the number at the start of `rest`; a sign belongs to it behind an exponent.
fn number(rest: &str) -> usize {
    let mut before = ' ';
    let end = rest.find(|it: char| {
        let inside = is_inside(it) || matches!(it, '+' | '-') && matches!(before, 'e' | 'E');
        before = it;
        !inside
    });
    end.unwrap_or(rest.len())
}

/// The text between the quotation mark at the start of `rest` and the next one, and the bytes of
/// both with it.
///
/// # Errors
/// What is wrong, so many characters behind the start.
fn quoted(rest: &str) -> Result<(usize, String), (usize, Message)> {
    const ESCAPE: fn() -> Message = || {
        message!(
            "this escape is unknown: behind a backslash stand \", \\, n, r, t, \
             or u and hex digits in braces"
        )
    };
    let mut text = String::new();
    let mut letters = rest.char_indices().enumerate().skip(1);
    while let Some((column, (at, letter))) = letters.next() {
        match letter {
            '"' => return Ok((at + 1, text)),
            '\\' => match letters.next().map(|(_, (_, letter))| letter) {
                Some(letter @ ('"' | '\\')) => text.push(letter),
                Some('n') => text.push('\n'),
                Some('r') => text.push('\r'),
                Some('t') => text.push('\t'),
                Some('u') => {
                    let inside = rest.get(at + 2..).and_then(|it| it.strip_prefix('{'));
                    let (hex, _) = inside
                        .and_then(|it| it.split_once('}'))
                        .ok_or_else(|| (column, ESCAPE()))?;
                    let letter = u32::from_str_radix(hex, 16).ok().and_then(char::from_u32);
                    text.push(letter.ok_or_else(|| (column, ESCAPE()))?);
                    // The digits and both braces.
                    letters.nth(hex.chars().count() + 1);
                }
                _ => return Err((column, ESCAPE())),
            },
            letter => text.push(letter),
        }
    }
    Err((
        0,
        message!("a quotation mark opens a text and nothing closes it"),
    ))
}
