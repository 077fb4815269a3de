//! Two dumps of one program: read both, then say what differs.

use planner::deployed::{Arena, Deployed};
use planner::difference::{Dumps, dumps};
use planner::load;
use planner::load::{Document, Fault, LoadError, Part, Source};
use serde::{Deserialize, Serialize};

/// What differs between two dumps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Differed {
    /// The figures and the buffers, by index.
    pub dumps: Dumps,
    /// The arena before.
    pub before: Arena,
    /// The arena after.
    pub after: Arena,
}

/// Reads the first `count` of `files` as the dump before and the others as the dump after, and
/// compares the arena `index` of the dump that `opened_is_after` names with the one of the
/// other dump that has its name, else its index, else with the first.
///
/// # Errors
/// See [`LoadError`]; [`Fault::Planless`] when one of them brings no plan.
pub(crate) fn differ(
    names: &[String],
    files: &[&dyn Source],
    count: u32,
    index: u32,
    opened_is_after: bool,
) -> Result<Differed, LoadError> {
    let parts = crate::parts(names, files);
    let (before, after) = parts.split_at(parts.len().min(count as usize));
    let (before, after) = (deployed(before)?, deployed(after)?);
    let (opened, other) = match opened_is_after {
        true => (after, before),
        false => (before, after),
    };
    let opened = arena(opened, None, index);
    let other = arena(other, Some(&opened.name), index);
    let (before, after) = match opened_is_after {
        true => (other, opened),
        false => (opened, other),
    };
    Ok(Differed {
        dumps: dumps(&before, &after),
        before,
        after,
    })
}

fn deployed(parts: &[Part<'_>]) -> Result<Deployed, LoadError> {
    let names: Vec<&str> = parts.iter().map(|part| part.name).collect();
    let place = names.join(" + ");
    let named = |error: LoadError| match parts {
        [part] => error.within(part.name),
        _ => error,
    };
    let (_, document, _) = load::load_parts(parts).map_err(named)?;
    match document {
        Document::Deployed(deployed) => Ok(deployed),
        _ => Err(LoadError {
            kind: Fault::Planless,
            place,
            message: "it brings no plan of its own".into(),
        }),
    }
}

/// The arena of that name, else at `index`, else the first.
fn arena(deployed: Deployed, name: Option<&String>, index: u32) -> Arena {
    let mut arenas = deployed.arenas;
    let named = |arena: &Arena| name.is_some_and(|name| !name.is_empty() && *name == arena.name);
    let index = arenas.iter().position(named).unwrap_or(index as usize);
    let index = if index < arenas.len() { index } else { 0 };
    if arenas.is_empty() {
        return Arena::default();
    }
    arenas.swap_remove(index)
}
