//! The texts in a source.

/// A string literal, as the program has it.
pub(crate) struct Literal<'s> {
    pub(crate) line: usize,
    pub(crate) text: String,
    /// The source before it.
    pub(crate) before: &'s str,
}

/// Every string of a Rust source; comments, single letters and bytes are none.
pub(crate) fn literals(source: &str) -> Vec<Literal<'_>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(rest) = source.get(at..).filter(|rest| !rest.is_empty()) {
        let before = &source[..at];
        let in_name = before.ends_with(|it: char| it.is_alphanumeric() || it == '_');
        if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if let Some(len) = letter(rest) {
            at += len;
        } else if let Some((len, text)) = string(rest, in_name) {
            if let Some(text) = text {
                let line = before.matches('\n').count() + 1;
                found.push(Literal { line, text, before });
            }
            at += len;
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    found
}

/// The length of `'a'` at the beginning, if it is one and no lifetime.
fn letter(rest: &str) -> Option<usize> {
    let inside = rest.strip_prefix('\'')?;
    let end = match inside.strip_prefix('\\') {
        Some(escaped) => escaped.get(1..)?.find('\'')? + 2,
        None => inside.chars().next()?.len_utf8(),
    };
    inside.get(end..)?.starts_with('\'').then_some(end + 2)
}

/// The length of a string at the beginning, and what it says unless it is bytes.
fn string(rest: &str, in_name: bool) -> Option<(usize, Option<String>)> {
    let bytes = !in_name && rest.starts_with('b');
    let bare = if bytes { &rest[1..] } else { rest };
    let prefix = rest.len() - bare.len();
    if let Some(marks) = bare.strip_prefix('r').filter(|_| bytes || !in_name) {
        let fence = marks.len() - marks.trim_start_matches('#').len();
        if let Some(inside) = marks[fence..].strip_prefix('"') {
            let end = format!("\"{}", "#".repeat(fence));
            let len = inside.find(&end)?;
            let all = prefix + 1 + fence + 1 + len + end.len();
            return Some((all, (!bytes).then(|| inside[..len].to_owned())));
        }
    }
    let inside = bare.strip_prefix('"')?;
    let mut text = String::new();
    let mut letters = inside.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return Some((prefix + at + 2, (!bytes).then_some(text))),
            '\\' => match letters.next()?.1 {
                'n' => text.push('\n'),
                't' => text.push('\t'),
                // The line goes on behind its indent.
                '\n' => {
                    let rest = letters.as_str();
                    let blanks = rest.len() - rest.trim_start().len();
                    for _ in 0..rest[..blanks].chars().count() {
                        letters.next();
                    }
                }
                other => text.push(other),
            },
            other => text.push(other),
        }
    }
    None
}
