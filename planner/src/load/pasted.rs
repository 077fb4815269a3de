//! Texts as people paste them: quoted in Markdown, escaped for HTML, coloured for a terminal, or
//! taken out of a log whose lines begin with a time, a rank or a place in a source.

use std::borrow::Cow;

/// What HTML and Markdown write for a sign, and tags around code, which are none of the text.
const ESCAPED: [(&str, &str); 14] = [
    ("<br>", ""),
    ("<br/>", ""),
    ("<pre>", ""),
    ("</pre>", ""),
    ("<code>", ""),
    ("</code>", ""),
    ("&gt;", ">"),
    ("&lt;", "<"),
    ("&quot;", "\""),
    ("&#34;", "\""),
    ("&#39;", "'"),
    ("&#x27;", "'"),
    ("&nbsp;", " "),
    // The last, for it may have escaped one of the others.
    ("&amp;", "&"),
];

/// What the ends of lines, colours and quotes become where a text is written as one string.
const IN_STRING: [(&str, &str); 6] = [
    ("\\r\\n", "\n"),
    ("\\n", "\n"),
    ("\\t", "\t"),
    ("\\\"", "\""),
    ("\\u001b", "\u{1b}"),
    ("\\x1b", "\u{1b}"),
];

/// So many ends of lines make a line a text in a string, as in logs of JSON: fewer may be the
/// folders of a path.
const ENDS: usize = 4;

/// The text as its program wrote it, line by line.
pub(super) fn plain(text: &str) -> String {
    let mut text = Cow::Borrowed(text);
    for (escaped, sign) in ESCAPED {
        if text.contains(escaped) {
            text = Cow::Owned(text.replace(escaped, sign));
        }
    }
    let mut plain = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        for line in in_lines(line).split_inclusive('\n') {
            let colourless = colourless(line);
            plain.push_str(bare(&colourless));
        }
    }
    plain
}

/// The lines of a text that is written as one string.
fn in_lines(line: &str) -> Cow<'_, str> {
    if line.matches("\\n").count() < ENDS {
        return Cow::Borrowed(line);
    }
    let lines = IN_STRING.iter();
    Cow::Owned(lines.fold(line.to_owned(), |text, (said, sign)| {
        text.replace(said, sign)
    }))
}

/// The line without what colours it: `ESC [ … m`.
fn colourless(line: &str) -> Cow<'_, str> {
    let mut pieces = line.split("\u{1b}[");
    let Some(first) = pieces.next().filter(|it| it.len() < line.len()) else {
        return Cow::Borrowed(line);
    };
    let mut rest = String::from(first);
    for piece in pieces {
        let end = piece.find(|it: char| it.is_ascii_alphabetic());
        rest.push_str(end.and_then(|end| piece.get(end + 1..)).unwrap_or(piece));
    }
    Cow::Owned(rest)
}

/// The line without what stands before it in a quotation or a log.
fn bare(line: &str) -> &str {
    let mut rest = line;
    while let Some(next) = quoted(rest)
        .or_else(|| ranked(rest))
        .or_else(|| timed(rest))
        .or_else(|| placed(rest))
    {
        rest = next;
    }
    rest
}

/// Behind a `>` of a quotation.
fn quoted(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches([' ', '\t']).strip_prefix('>')?;
    Some(rest.strip_prefix(' ').unwrap_or(rest))
}

/// Behind `[rank0]:` of torchrun, `[1,0]<stderr>:` of mpirun or `(worker pid=7)` of Ray.
fn ranked(line: &str) -> Option<&str> {
    let line = line.trim_start_matches([' ', '\t']);
    if let Some(rest) = line.strip_prefix("[rank") {
        return digits(rest)?.strip_prefix("]:");
    }
    if let Some((inside, rest)) = line.strip_prefix('(').and_then(|it| it.split_once(')')) {
        return inside.contains("pid=").then_some(rest);
    }
    let rest = digits(digits(line.strip_prefix('[')?)?.strip_prefix(',')?)?;
    let rest = rest.strip_prefix("]<std")?;
    rest.strip_prefix("err>:")
        .or_else(|| rest.strip_prefix("out>:"))
}

/// Behind a date with a time, in brackets or not: `2026-01-31T10:00:00.123Z `.
fn timed(line: &str) -> Option<&str> {
    let line = line.trim_start_matches([' ', '\t']);
    let inside = line.strip_prefix('[');
    let date = inside.unwrap_or(line);
    let rest = date.get(10..)?.strip_prefix(['T', ' '])?;
    let is = |text: &str, signs: &str| {
        let fits = |(sign, of): (char, char)| match of {
            '0' => sign.is_ascii_digit(),
            of => sign == of,
        };
        text.len() == signs.len() && text.chars().zip(signs.chars()).all(fits)
    };
    if !is(date.get(..10)?, "0000-00-00") || !is(rest.get(..8)?, "00:00:00") {
        return None;
    }
    let fraction = |it: char| it.is_ascii_digit() || matches!(it, '.' | ',' | '+');
    let rest = rest.get(8..)?.trim_start_matches(fraction);
    let rest = rest.strip_prefix('Z').unwrap_or(rest);
    let rest = match inside {
        Some(_) => rest.strip_prefix(']')?,
        None => rest,
    };
    Some(rest.strip_prefix(':').unwrap_or(rest))
}

/// Behind a level and a place in a source: `I tensorflow/core/bfc_allocator.cc:1031] `, or with
/// the time between both, `E0131 10:00:00.123456 7 bfc_allocator.cc:1031] `.
fn placed(line: &str) -> Option<&str> {
    let line = line.trim_start_matches([' ', '\t']);
    let (head, rest) = line.split_once("] ")?;
    let level = head.strip_prefix(['I', 'W', 'E', 'F'])?;
    let place = head.rsplit_once(' ')?.1;
    let (file, number) = place.rsplit_once(':')?;
    let known = level.starts_with([' ', '0', '1']) && file.contains('.');
    let whole = !number.is_empty() && number.bytes().all(|it| it.is_ascii_digit());
    (known && whole).then_some(rest)
}

/// Behind digits, of which there is one at least.
fn digits(text: &str) -> Option<&str> {
    let rest = text.trim_start_matches(|it: char| it.is_ascii_digit());
    (rest.len() < text.len()).then_some(rest)
}
