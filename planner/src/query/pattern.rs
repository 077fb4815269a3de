//! Patterns with `*` and `?`, matched part by part from the left: no backtracking over what
//! was found, so the time is at most pattern times text.

/// A pattern over text that is folded to small letters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pattern {
    /// What stands between stars.
    parts: Vec<Part>,
    /// Whether the first part has to be at the beginning.
    from_start: bool,
    /// Whether the last part has to be at the end.
    to_end: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    /// These very letters.
    Plain(String),
    /// Letters, or `None` for any.
    Wildcards(Vec<Option<char>>),
}

impl Pattern {
    /// The pattern that is found anywhere unless it says otherwise.
    pub(super) fn anywhere(text: &str) -> Self {
        let rest = text.strip_prefix('^');
        let mut pattern = Self {
            parts: Vec::new(),
            from_start: rest.is_some(),
            to_end: false,
        };
        let mut part: Vec<Option<char>> = Vec::new();
        let folded = fold(rest.unwrap_or(text));
        let mut signs = folded.chars().peekable();
        while let Some(sign) = signs.next() {
            match sign {
                '*' => pattern.parts.push(Part::of(std::mem::take(&mut part))),
                '?' => part.push(None),
                '$' if signs.peek().is_none() => pattern.to_end = true,
                '\\' => part.push(Some(signs.next().unwrap_or('\\'))),
                _ => part.push(Some(sign)),
            }
        }
        pattern.parts.push(Part::of(part));
        pattern
    }

    /// The pattern that has to be the whole text.
    pub(super) fn whole(text: &str) -> Self {
        Self {
            from_start: true,
            to_end: true,
            ..Self::anywhere(text)
        }
    }

    /// Whether it is found in `text`, which is folded.
    pub(super) fn matches(&self, text: &str) -> bool {
        let mut rest = text;
        let last = self.parts.len().saturating_sub(1);
        for (place, part) in self.parts.iter().enumerate() {
            let bound = place == 0 && self.from_start;
            if place == last && self.to_end {
                return part.ends(rest, bound);
            }
            let found = match bound {
                true => part.len_at(rest),
                false => part.find(rest),
            };
            match found.and_then(|end| rest.get(end..)) {
                Some(after) => rest = after,
                None => return false,
            }
        }
        true
    }
}

impl Part {
    fn of(signs: Vec<Option<char>>) -> Self {
        match signs.iter().copied().collect() {
            Some(plain) => Self::Plain(plain),
            None => Self::Wildcards(signs),
        }
    }

    /// The bytes that it takes at the beginning of `text`; `None` when it is not there.
    fn len_at(&self, text: &str) -> Option<usize> {
        match self {
            Self::Plain(plain) => text.starts_with(plain.as_str()).then_some(plain.len()),
            Self::Wildcards(signs) => {
                let mut len = 0;
                let mut letters = text.chars();
                for sign in signs {
                    let letter = letters.next()?;
                    if sign.is_some_and(|sign| sign != letter) {
                        return None;
                    }
                    len += letter.len_utf8();
                }
                Some(len)
            }
        }
    }

    /// The end of the first place where it is found.
    fn find(&self, text: &str) -> Option<usize> {
        if let Self::Plain(plain) = self {
            return Some(text.find(plain.as_str())? + plain.len());
        }
        let mut places = text.char_indices();
        places.find_map(|(at, _)| Some(at + self.len_at(&text[at..])?))
    }

    /// Whether it stands at the end of `text`, and is all of it where it has to be.
    fn ends(&self, text: &str, all: bool) -> bool {
        let letters = match self {
            Self::Plain(plain) => plain.chars().count(),
            Self::Wildcards(signs) => signs.len(),
        };
        let have = text.chars().count();
        let Some(skipped) = have.checked_sub(letters) else {
            return false;
        };
        let at = text.char_indices().nth(skipped);
        let at = at.map_or(text.len(), |(at, _)| at);
        (!all || skipped == 0) && self.len_at(&text[at..]).is_some()
    }
}

/// Small letters: what is compared is folded on both sides.
pub(super) fn fold(text: &str) -> String {
    text.to_lowercase()
}
