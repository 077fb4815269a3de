//! Which files of an archive make one document. People pack whole folders: what is none of our
//! formats is left aside, what belongs together is opened together.

use std::collections::{BTreeMap, BTreeSet};

use super::{Content, Member};
use crate::load::dump::{iree, xla};
use crate::load::recognition::{are_several, format, format_of, further};
use crate::load::{Fault, Files, Format, LoadError, Part, Source, beside, csv, figures, head};
use crate::message;
use crate::sorting::Sorting as _;

/// The most names that are said.
const SHOWN: usize = 6;

/// The one document among `members`; `parts` are what was not packed.
///
/// # Errors
/// See [`super::unpack`].
pub(super) fn chosen(
    (members, times): (Vec<Member>, &[u64]),
    parts: &[Part<'_>],
) -> Result<Vec<Member>, LoadError> {
    if members.is_empty() {
        let message = message!("the archive is empty: no file is inside");
        return Err(Fault::UnknownFormat.in_file(message));
    }
    let groups = groups(&members, parts);
    let said = |names: Vec<&str>| {
        let more = names.len().saturating_sub(SHOWN);
        let mut said = names.into_iter().take(SHOWN).collect::<Vec<_>>().join(", ");
        if more > 0 {
            said.push_str(", …");
        }
        said
    };
    let name = |place: &usize| members.get(*place).map_or("", |it| it.name.as_str());
    let group = match groups.as_slice() {
        [] => {
            let names = said(members.iter().map(|it| it.name.as_str()).collect());
            let message = message!("nothing inside is a format that we read: {}", names);
            return Err(Fault::UnknownFormat.in_file(message));
        }
        [group] => group.clone(),
        [one, other] if are_two(&members, parts, (one.as_slice(), other.as_slice())) => {
            let mut both = [one.as_slice(), other].concat();
            both.order_by_key(|place| times.get(*place));
            return Ok(picked(members, &both));
        }
        several => {
            let firsts = several.iter().filter_map(|group| group.first().map(name));
            let (count, names) = (several.len(), said(firsts.collect()));
            let message = message!(
                "{} documents are inside, unpack it and open one: {}",
                count,
                names
            );
            return Err(Fault::Apart.in_file(message));
        }
    };
    let group: BTreeSet<usize> = group.into_iter().collect();
    Ok(picked(members, &group.into_iter().collect::<Vec<_>>()))
}

/// The members at these places, in this order.
fn picked(members: Vec<Member>, places: &[usize]) -> Vec<Member> {
    let mut members: Vec<Option<Member>> = members.into_iter().map(Some).collect();
    let mut take = |place: &usize| members.get_mut(*place)?.take();
    places.iter().filter_map(&mut take).collect()
}

/// Whether two groups are a dump each, of one kind.
fn are_two(members: &[Member], parts: &[Part<'_>], groups: (&[usize], &[usize])) -> bool {
    let ([one], [other]) = groups else {
        return false;
    };
    let head = |place: usize| head(source(members.get(place)?, parts)?).ok();
    match (head(*one), head(*other)) {
        (Some(one), Some(other)) => are_several(&[one, other]),
        _ => false,
    }
}

/// The places of `parts` that make a document each, in the order of their first; one of which
/// nothing is known is a document by itself, and so is an archive.
#[must_use]
pub fn documents(parts: &[Part<'_>]) -> Vec<Vec<usize>> {
    let member = |(place, part): (usize, &Part<'_>)| Member {
        name: part.name.to_owned(),
        content: Content::Part(place),
    };
    let members: Vec<Member> = parts.iter().enumerate().map(member).collect();
    let mut documents = groups(&members, parts);
    let grouped: BTreeSet<usize> = documents.iter().flatten().copied().collect();
    let alone = (0..parts.len()).filter(|place| !grouped.contains(place));
    documents.extend(alone.map(|place| vec![place]));
    documents.order();
    documents
}

/// The places of members that make a document each.
fn groups(members: &[Member], parts: &[Part<'_>]) -> Vec<Vec<usize>> {
    let mut groups: BTreeMap<String, Group> = BTreeMap::new();
    let mut beside: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
    for (place, member) in members.iter().enumerate() {
        let Some(source) = source(member, parts).filter(|_| !is_litter(&member.name)) else {
            continue;
        };
        let Ok(head) = head(source) else { continue };
        let format = format(&head);
        if format.is_none() && !figures::sniff(&head) && !csv::is_table(&head) {
            continue;
        }
        let (key, whole) = match format {
            Some(Format::Xla) if xla::sniff(&head) => {
                (xla_module(&member.name), xla::says_where(&head))
            }
            // The text before the pass and the one after it.
            Some(Format::Iree) => ("", true),
            _ => {
                beside.extend(beside::names(source).map(|names| (place, names)));
                (member.name.as_str(), true)
            }
        };
        let group = groups.entry(key.to_owned()).or_default();
        group.places.push(place);
        group.whole |= whole;
    }
    if groups.is_empty() {
        groups = further_down(members, parts);
    }
    apart(&mut groups, members, parts);
    with_data(&mut groups, &beside, members);
    with_model(&mut groups, members, parts);
    // A module without its buffers says nothing of memory, unless nothing else is there.
    let any = groups.values().any(|group| group.whole);
    let groups = groups.into_values().filter(|it| it.whole || !any);
    groups.map(|group| group.places).collect()
}

/// Members with something that we read behind a long log, as `load` finds it. Only where nothing
/// else is there: people pack the log of a run beside the dump that it made.
fn further_down(members: &[Member], parts: &[Part<'_>]) -> BTreeMap<String, Group> {
    let found = members.iter().enumerate().filter(|(_, member)| {
        let source = source(member, parts).filter(|_| !is_litter(&member.name));
        let found = source.map(|source| {
            let name = &member.name;
            further(&Files::new(&[Part { name, source }]))
        });
        matches!(found, Some(Ok(_)))
    });
    let group = |(place, member): (usize, &Member)| {
        let group = Group {
            places: vec![place],
            whole: true,
        };
        (format!("{}/{place}", member.name), group)
    };
    found.map(group).collect()
}

/// Texts of IREE that are strangers to each other are a document each.
fn apart(groups: &mut BTreeMap<String, Group>, members: &[Member], parts: &[Part<'_>]) {
    let places = groups.get("").map(|it| it.places.clone());
    let Some(places) = places.filter(|it| it.len() > 1) else {
        return;
    };
    let sources = places
        .iter()
        .map(|&place| source(members.get(place)?, parts));
    let Some(sources) = sources.collect::<Option<Vec<_>>>() else {
        return;
    };
    groups.remove("");
    for program in iree::programs(&sources) {
        let own = program.into_iter().filter_map(|it| places.get(it).copied());
        let own: Vec<usize> = own.collect();
        let name = own.first().and_then(|&it| members.get(it));
        let name = name.map_or("", |it| &it.name);
        let first = own.first().copied().unwrap_or_default();
        // Several may have the same name.
        let group = groups.entry(format!("{name}/{first}"));
        let group = group.or_default();
        group.places = own;
        group.whole = true;
    }
}

/// Members that make one document.
#[derive(Default)]
struct Group {
    places: Vec<usize>,
    /// Whether they say all that a document needs.
    whole: bool,
}

/// Vela's log and ONNX Runtime's profile take the model along that they were made of, where both are
/// all that there is.
fn with_model(groups: &mut BTreeMap<String, Group>, members: &[Member], parts: &[Part<'_>]) {
    let places: Vec<usize> = groups.values().flat_map(|it| it.places.clone()).collect();
    let [one, other] = places[..] else { return };
    let head = |place: usize| head(source(members.get(place)?, parts)?).ok();
    let (Some(first), Some(second)) = (head(one), head(other)) else {
        return;
    };
    let takes_along = matches!(
        format_of(&[first, second]),
        Some(Format::Vela | Format::OrtProfile)
    );
    if groups.len() == 2 && takes_along {
        let mut both = std::mem::take(groups).into_iter();
        if let (Some((name, mut group)), Some((_, rest))) = (both.next(), both.next()) {
            group.places.extend(rest.places);
            group.places.sort_unstable();
            groups.insert(name, group);
        }
    }
}

/// A model takes the files along that it names; they are nothing else then.
fn with_data(
    groups: &mut BTreeMap<String, Group>,
    beside: &BTreeMap<usize, BTreeSet<String>>,
    members: &[Member],
) {
    for (model, names) in beside {
        let Some(key) = members.get(*model).map(|it| it.name.clone()) else {
            continue;
        };
        for (place, member) in members.iter().enumerate() {
            if place != *model && names.contains(beside::file_name(&member.name)) {
                groups.remove(&member.name);
                groups.entry(key.clone()).or_default().places.push(place);
            }
        }
    }
}

fn source<'s>(member: &'s Member, parts: &[Part<'s>]) -> Option<&'s dyn Source> {
    match &member.content {
        Content::Part(place) => parts.get(*place).map(|part| part.source),
        Content::Unpacked(bytes) => Some(bytes),
    }
}

/// What systems put beside files.
fn is_litter(name: &str) -> bool {
    name.contains("__MACOSX/") || beside::file_name(name).starts_with('.')
}

/// What the files of one XLA module have in common.
fn xla_module(name: &str) -> &str {
    let ends = [
        "-buffer-assignment.txt",
        "-live-range.txt",
        "-memory-usage-report.txt",
        ".hlo.pb",
        ".txt",
        ".pb",
    ];
    let stem = ends.iter().find_map(|end| name.strip_suffix(end));
    stem.unwrap_or(name)
}
