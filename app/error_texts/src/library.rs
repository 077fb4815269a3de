//! What comes as a text: what libraries say, what a saved file says, and what is called by its kind
//! and number. It is taken apart by the templates.

use planner::message::HOLE;

use crate::rows::{foreign, rows};
use crate::{filled, row};

/// A template with fewer letters is a part of a sentence: alone it may be somebody's name.
const SENTENCE: usize = 10;

/// Parts of parts are looked for so deep: nobody's sentences nest deeper.
const DEEPEST: usize = 4;

type Row = (&'static str, &'static str);

/// A text in Chinese; `None` where it is no sentence that is known.
pub(crate) fn translated(text: &str) -> Option<String> {
    numbered(text).or_else(|| by_template(text, rows(), SENTENCE, DEEPEST))
}

/// What has no name is called by its kind and number, as in "tensor 3".
pub(crate) fn numbered(text: &str) -> Option<String> {
    let (kind, number) = text.rsplit_once(' ')?;
    let is_number = number.bytes().all(|it| it.is_ascii_digit());
    let chinese = is_number
        .then(|| row(&format!("{kind} {HOLE}")))
        .flatten()?;
    Some(filled(chinese, &[number.to_owned()]))
}

fn by_template(
    text: &str,
    rows: impl Iterator<Item = Row>,
    letters: usize,
    deep: usize,
) -> Option<String> {
    let deeper = deep.checked_sub(1)?;
    let fits = |(english, chinese): Row| {
        let said = english.len() - HOLE.len() * english.matches(HOLE).count();
        let holes = (said >= letters).then(|| holes(text, english)).flatten()?;
        Some((said, chinese, holes))
    };
    // The one that says most of it.
    let (_, chinese, holes) = rows.filter_map(fits).max_by_key(|(said, ..)| *said)?;
    let values = holes.into_iter().map(|hole| {
        match is_quoted(hole) {
            true => None,
            false => row(hole)
                .map(str::to_owned)
                .or_else(|| by_template(hole, foreign(), 1, deeper)),
        }
        .unwrap_or_else(|| hole.to_owned())
    });
    Some(filled(chinese, &values.collect::<Vec<_>>()))
}

/// What `text` has in the holes of a template, each as short as it can be; `None` if it is another.
fn holes<'t>(text: &'t str, template: &str) -> Option<Vec<&'t str>> {
    let mut pieces = template.split(HOLE);
    let mut rest = text.strip_prefix(pieces.next()?)?;
    let mut pieces: Vec<&str> = pieces.collect();
    let Some(last) = pieces.pop() else {
        return rest.is_empty().then(Vec::new);
    };
    let mut found = Vec::new();
    for piece in pieces {
        let (hole, behind) = rest.split_once(piece)?;
        found.push(hole);
        rest = behind;
    }
    found.push(rest.strip_suffix(last)?);
    Some(found)
}

/// Whether all of it is what a file says.
fn is_quoted(text: &str) -> bool {
    let inside = text.strip_prefix('"').and_then(|it| it.strip_suffix('"'));
    inside.is_some_and(|inside| !inside.contains('"'))
}
