//! Templates: texts with holes, written `{}`, and in Chinese also `{0}`, `{1}` where their order
//! is another.

const HOLE: &str = "{}";

/// Templates with fewer letters fit too much: they are tried only where others leave words over.
pub(crate) const CLEAR: usize = 8;

/// Letters that are no chance.
const SURE: usize = 20;

/// What stands between quotation marks is what a file says.
const MARKS: [char; 3] = ['"', '`', '\''];

/// An English template.
pub(crate) struct Template {
    pub(crate) text: &'static str,
    /// How much of it is not holes.
    pub(crate) letters: usize,
    /// What stands before its first hole, between two holes, and behind the last; nothing but
    /// the first without holes.
    first: &'static str,
    between: Vec<&'static str>,
    last: Option<&'static str>,
}

impl Template {
    pub(crate) fn new(text: &'static str) -> Self {
        let mut pieces = text.split(HOLE);
        let first = pieces.next().unwrap_or_default();
        let mut between: Vec<&str> = pieces.collect();
        let last = between.pop();
        let letters = between
            .iter()
            .chain(&last)
            .map(|it| it.len())
            .sum::<usize>()
            + first.len();
        Self {
            text,
            letters,
            first,
            between,
            last,
        }
    }

    /// Whether it says so much that a text which it fits is no chance.
    pub(crate) fn is_sure(&self) -> bool {
        self.letters >= SURE
    }

    /// Whether these may be what stands in its holes: of what says little, two clauses only
    /// where it begins a second, and before a blank alone only a number.
    pub(crate) fn may_hold(&self, holes: &[&str]) -> bool {
        let is_number = |hole: &&str| hole.bytes().all(|it| it.is_ascii_digit());
        if self.joins() {
            return self.between != [" "] || holes.first().is_some_and(is_number);
        }
        let clauses = |hole: &str| hole.contains(": ") || hole.contains("; ");
        let before = std::iter::once(&self.first).chain(&self.between);
        let fits = |(before, hole): (&&str, &&str)| {
            before.ends_with(": ") || is_quoted(hole) || !clauses(hole)
        };
        self.letters >= CLEAR || before.zip(holes).all(fits)
    }

    /// Whether it has no holes.
    pub(crate) fn is_whole(&self) -> bool {
        self.last.is_none()
    }

    /// Whether it says nothing by itself.
    pub(crate) fn joins(&self) -> bool {
        !self.text.contains(|it: char| it.is_ascii_alphabetic())
    }

    /// What `text` has in the holes, if it is made of this; `work` goes down with every place
    /// that is tried.
    pub(crate) fn holes<'t>(
        &self,
        text: &'t str,
        from: From,
        work: &mut u32,
    ) -> Option<Vec<&'t str>> {
        let text = text.strip_prefix(self.first)?;
        let Some(last) = self.last else {
            return text.is_empty().then(Vec::new);
        };
        if self.between.is_empty() && !matches!(from, From::Left) {
            return None;
        }
        let text = text.strip_suffix(last)?;
        let mut found = Vec::new();
        // A quoted name may hold what stands between holes; if nothing else fits, any place does.
        let mut fits = |whole| split(text, &self.between, (from, whole), &mut found, work);
        let quotes = self.quoted().any(|quoted| quoted);
        (fits(true) || (quotes || self.is_sure()) && fits(false)).then_some(found)
    }

    /// Which holes stand between quotation marks.
    pub(crate) fn quoted(&self) -> impl Iterator<Item = bool> {
        self.text.match_indices(HOLE).map(|(at, _)| {
            let before = self.text.get(..at).and_then(|it| it.chars().next_back());
            let behind = self.text.get(at + HOLE.len()..);
            let behind = behind.and_then(|it| it.chars().next());
            before == behind && before.is_some_and(|it| MARKS.contains(&it))
        })
    }
}

/// From which end the texts between holes are looked for: the first hole is as short as it can
/// be, or as long.
#[derive(Clone, Copy)]
pub(crate) enum From {
    Left,
    /// As from the left, but not at the first place.
    Second,
    Right,
}

/// Takes `text` apart at the texts `between`; `whole` leaves quoted names whole.
fn split<'t>(
    text: &'t str,
    between: &[&str],
    (from, whole): (From, bool),
    found: &mut Vec<&'t str>,
    work: &mut u32,
) -> bool {
    let Some((next, others)) = between.split_first() else {
        found.push(text);
        return !whole || is_whole(text);
    };
    let kept = found.len();
    let places: Box<dyn Iterator<Item = (usize, &str)>> = match from {
        From::Left => Box::new(text.match_indices(next)),
        From::Second => Box::new(text.match_indices(next).skip(1)),
        From::Right => Box::new(text.rmatch_indices(next)),
    };
    for (at, _) in places {
        let Some(left) = work.checked_sub(1) else {
            return false;
        };
        *work = left;
        let (hole, behind) = (text.get(..at), text.get(at + next.len()..));
        let (Some(hole), Some(behind)) = (hole, behind) else {
            continue;
        };
        if whole && !is_whole(hole) {
            continue;
        }
        found.push(hole);
        let then = match from {
            From::Left | From::Second => From::Left,
            From::Right => From::Right,
        };
        if split(behind, others, (then, whole), found, work) {
            return true;
        }
        found.truncate(kept);
    }
    false
}

/// Whether every quotation mark and every bracket in it is closed.
fn is_whole(text: &str) -> bool {
    let mut open = None;
    let mut is_escaped = false;
    let mut depth = 0_i32;
    for letter in text.chars() {
        match (letter, open) {
            (_, Some(mark)) if mark == letter && !is_escaped => open = None,
            (_, Some(_)) => {}
            ('"' | '`', None) => open = Some(letter),
            ('(' | '[', None) => depth += 1,
            (')' | ']', None) => depth -= 1,
            (_, None) => {}
        }
        if depth < 0 {
            return false;
        }
        is_escaped = letter == '\\' && !is_escaped;
    }
    open.is_none() && depth == 0
}

/// Whether all of it is quoted.
pub(crate) fn is_quoted(text: &str) -> bool {
    let inside = text.strip_prefix('"').and_then(|it| it.strip_suffix('"'));
    inside.is_some_and(|inside| !inside.replace("\\\"", "").contains('"'))
}

/// Puts `values` into the holes of a template.
pub(crate) fn filled(template: &str, values: &[String]) -> String {
    let mut out = String::new();
    let mut next = 0;
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let number = after.split_once('}');
        let hole = number.filter(|(inside, _)| inside.chars().all(|it| it.is_ascii_digit()));
        out.push_str(before);
        let Some((inside, behind)) = hole else {
            out.push('{');
            rest = after;
            continue;
        };
        let place = inside.parse().unwrap_or_else(|_| {
            next += 1;
            next - 1
        });
        out.push_str(values.get(place).map_or("", String::as_str));
        rest = behind;
    }
    out + rest
}
