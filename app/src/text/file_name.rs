//! Names of files and tensors, short enough for a narrow pane or for a row of a table.

use conversation::JOINT;

/// The most letters of a name that stands alone, and of one among others.
const ALONE: usize = 64;
const AMONG: usize = 34;

/// The most letters of a tensor's name in a row: exporters join the names of all that they fused.
const IN_ROW: usize = 44;

/// A beginning that names share is left out if it has so many letters.
const SHARED: usize = 8;

/// The name of what is open, without the middle of long names, and without the beginning that
/// later names share with the first.
pub(crate) fn short(name: &str) -> String {
    let names: Vec<&str> = name.split(JOINT).collect();
    let [first, others @ ..] = &names[..] else {
        return name.to_owned();
    };
    if others.is_empty() {
        return without_middle(first, ALONE);
    }
    let mut parts = vec![without_middle(first, AMONG)];
    parts.extend(others.iter().map(|other| {
        let rest = behind_shared(first, other);
        let rest = without_middle(rest, AMONG);
        if rest.len() < other.len() && other.ends_with(&rest) {
            format!("…{rest}")
        } else {
            rest
        }
    }));
    parts.join(JOINT)
}

/// A tensor's name in a row or a list, which has the whole name as its hint.
pub(crate) fn in_row(name: &str) -> String {
    without_middle(name, IN_ROW)
}

fn without_middle(name: &str, most: usize) -> String {
    let letters: Vec<char> = name.chars().collect();
    if letters.len() <= most {
        return name.to_owned();
    }
    // The end is more useful: it says what kind of file it is.
    let end = most * 3 / 5;
    let begin: String = letters[..most - end].iter().collect();
    let end: String = letters[letters.len() - end..].iter().collect();
    format!("{begin}…{end}")
}

/// What of `name` follows the beginning that it shares with `first`, cut between words.
fn behind_shared<'a>(first: &str, name: &'a str) -> &'a str {
    let same = first.chars().zip(name.char_indices());
    let same = same.take_while(|(a, (_, b))| a == b);
    let ends: Vec<usize> = same
        .filter(|(letter, _)| matches!(letter, '.' | '-' | '_'))
        .map(|(letter, (at, _))| at + letter.len_utf8())
        .collect();
    match ends.last() {
        Some(&end) if name[..end].chars().count() >= SHARED => &name[end..],
        _ => name,
    }
}
