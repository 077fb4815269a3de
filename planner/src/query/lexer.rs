//! Letters to tokens. Never fails: what makes no sense is the parser's to say.

use std::ops::Range;

use super::Comparison;

/// A token and the bytes that it takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) span: Range<usize>,
}

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    Word(String),
    /// A text in quotation marks, and whether the second one is there.
    Quoted(String, bool),
    Comparison(Comparison),
    And,
    Or,
    Not,
    Open,
    Close,
}

/// Whether `sign` can be part of a word.
pub(super) fn is_word(sign: char) -> bool {
    !sign.is_whitespace() && !"()\"=<>~!&|≤≥≠".contains(sign)
}

/// The tokens of `text`.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(sign) = text.get(at..).and_then(|rest| rest.chars().next()) {
        if sign.is_whitespace() {
            at += sign.len_utf8();
            continue;
        }
        let (kind, len) = match sign {
            '"' => quoted(&text[at..]),
            _ if is_word(sign) => word(&text[at..]),
            _ => signs(&text[at..]),
        };
        tokens.push(Token {
            kind,
            span: at..at + len,
        });
        at += len;
    }
    tokens
}

fn word(rest: &str) -> (TokenKind, usize) {
    let len = rest.find(|sign| !is_word(sign)).unwrap_or(rest.len());
    let word = &rest[..len];
    let kind = match word {
        _ if word.eq_ignore_ascii_case("and") => TokenKind::And,
        _ if word.eq_ignore_ascii_case("or") => TokenKind::Or,
        _ if word.eq_ignore_ascii_case("not") => TokenKind::Not,
        _ => TokenKind::Word(word.to_owned()),
    };
    (kind, len)
}

/// After a backslash only a quotation mark and a backslash are taken for themselves: other
/// backslashes belong to patterns.
fn quoted(rest: &str) -> (TokenKind, usize) {
    let mut text = String::new();
    let mut signs = rest.char_indices().skip(1).peekable();
    while let Some((at, sign)) = signs.next() {
        match (sign, signs.peek()) {
            ('"', _) => return (TokenKind::Quoted(text, true), at + 1),
            ('\\', Some(&(_, next @ ('"' | '\\')))) => {
                text.push(next);
                signs.next();
            }
            _ => text.push(sign),
        }
    }
    (TokenKind::Quoted(text, false), rest.len())
}

fn signs(rest: &str) -> (TokenKind, usize) {
    const SIGNS: [(&str, TokenKind); 19] = [
        ("==", TokenKind::Comparison(Comparison::Equal)),
        ("!=", TokenKind::Comparison(Comparison::Unequal)),
        ("<=", TokenKind::Comparison(Comparison::AtMost)),
        (">=", TokenKind::Comparison(Comparison::AtLeast)),
        ("!~", TokenKind::Comparison(Comparison::Unlike)),
        ("&&", TokenKind::And),
        ("||", TokenKind::Or),
        ("=", TokenKind::Comparison(Comparison::Equal)),
        ("<", TokenKind::Comparison(Comparison::Less)),
        (">", TokenKind::Comparison(Comparison::More)),
        ("~", TokenKind::Comparison(Comparison::Like)),
        ("≤", TokenKind::Comparison(Comparison::AtMost)),
        ("≥", TokenKind::Comparison(Comparison::AtLeast)),
        ("≠", TokenKind::Comparison(Comparison::Unequal)),
        ("&", TokenKind::And),
        ("|", TokenKind::Or),
        ("!", TokenKind::Not),
        ("(", TokenKind::Open),
        (")", TokenKind::Close),
    ];
    let found = SIGNS.into_iter().find(|(sign, _)| rest.starts_with(sign));
    // Every sign that is no part of a word stands in the list.
    found.map_or((TokenKind::Close, 1), |(sign, kind)| (kind, sign.len()))
}
