//! Blanks as Chinese text has them: between Chinese and Latin letters, and nowhere else beside
//! Chinese.

/// `text` with its blanks put right.
pub(crate) fn spaced(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut before: Option<char> = None;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let behind = letters.peek().copied();
        let is_odd = letter == ' ' && [before, behind].iter().flatten().any(|it| is_mark(*it))
            || letter == ' ' && before.is_some_and(is_han) && behind.is_some_and(is_han);
        if is_odd {
            continue;
        }
        let meet = |one: char, other: char| is_han(one) && is_latin(other);
        if before.is_some_and(|before| meet(before, letter) || meet(letter, before)) {
            out.push(' ');
        }
        out.push(letter);
        before = Some(letter);
    }
    out
}

/// A Chinese letter.
fn is_han(letter: char) -> bool {
    ('\u{4e00}'..='\u{9fff}').contains(&letter)
}

/// A Chinese punctuation mark, which brings its own room.
fn is_mark(letter: char) -> bool {
    "，。；：（）、“”".contains(letter)
}

/// What a blank stands before and behind.
fn is_latin(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || "\"`@%[".contains(letter)
}
