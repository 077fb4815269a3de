//! What libraries say: texts without parts, which are taken apart by the templates of the library.

use planner::message::HOLE;

use crate::filled;
use crate::rows::foreign;

/// A template with fewer letters is a part of a sentence: alone it may be somebody's name.
const SENTENCE: usize = 10;

/// Parts of parts are looked for so deep: nobody's sentences nest deeper.
const DEEPEST: usize = 4;

/// What a library says, in Chinese; `None` where it is none of its sentences.
pub(crate) fn translated(text: &str) -> Option<String> {
    part(text, SENTENCE, DEEPEST)
}

/// A part of a text by the template that says most of it, of at least so many letters.
fn part(text: &str, letters: usize, deep: usize) -> Option<String> {
    let deeper = deep.checked_sub(1)?;
    let fits = |(english, chinese): (&'static str, &'static str)| {
        let said = english.len() - HOLE.len() * english.matches(HOLE).count();
        let holes = (said >= letters).then(|| holes(text, english)).flatten()?;
        Some((said, chinese, holes))
    };
    let (_, chinese, holes) = foreign().filter_map(fits).max_by_key(|(said, ..)| *said)?;
    let values = holes.into_iter().map(|hole| match is_quoted(hole) {
        true => hole.to_owned(),
        false => part(hole, 1, deeper).unwrap_or_else(|| hole.to_owned()),
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
