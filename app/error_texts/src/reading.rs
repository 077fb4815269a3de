//! Which templates a sentence is made of.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::OnceLock;

use crate::rows::rows;
use crate::template::{CLEAR, From, Template, filled, is_quoted};

/// Sentences within sentences are looked for so deep.
const DEEPEST: usize = 12;

/// A list of so many items is looked at item by item.
const LONG: usize = 8;

/// Places that are tried for one sentence, so that no name makes it long.
const MOST_WORK: u32 = 1 << 14;

/// A text in Chinese.
#[derive(Clone)]
pub(crate) struct Told {
    pub(crate) chinese: String,
    /// The English template that it was taken for.
    pub(crate) template: &'static str,
    /// How much of it is explained by templates.
    explained: usize,
    /// Whether nothing but single words, which are names and numbers, is left in holes.
    is_whole: bool,
}

/// `text` in Chinese if there are templates for it. A word alone is a name.
pub(crate) fn told(text: &str) -> Option<Told> {
    if !text.contains(' ') {
        return None;
    }
    let read = |fewest| Reading::new(fewest).part(text, DEEPEST);
    let clear = read(CLEAR);
    if clear.as_ref().is_some_and(|told| told.is_whole) {
        return clear;
    }
    // Of equals the last.
    [read(0), clear]
        .into_iter()
        .flatten()
        .max_by_key(|told| told.explained)
}

/// A list, item by item: of many, all together would be too much work. `None` unless each is known.
fn items(text: &str) -> Option<Told> {
    let (mut all, mut explained, mut rest) = (Vec::new(), 0, text);
    while !rest.is_empty() {
        // A template may have such a sign itself.
        let ends = rest.match_indices("; ").map(|(at, _)| at).take(2);
        let ends = ends.chain((rest.matches("; ").count() < 2).then_some(rest.len()));
        let item = ends.filter_map(|end| rest.get(..end)).find_map(|item| {
            if is_quoted(item) || !item.contains(' ') {
                return Some((item, item.to_owned(), 0));
            }
            let told = Reading::new(CLEAR).part(item, DEEPEST)?;
            told.is_whole
                .then_some((item, told.chinese, told.explained))
        });
        let (item, chinese, letters) = item?;
        all.push(chinese);
        explained += letters;
        rest = rest.get(item.len()..)?.trim_start_matches("; ");
    }
    (all.len() > 1).then(|| Told {
        chinese: all.join("；"),
        template: "{}; {}",
        explained,
        is_whole: true,
    })
}

/// The templates, those that say most first.
fn templates() -> &'static [(Template, &'static str)] {
    static TEMPLATES: OnceLock<Vec<(Template, &'static str)>> = OnceLock::new();
    TEMPLATES.get_or_init(|| {
        let rows = rows().map(|(english, chinese)| (Template::new(english), chinese));
        let mut templates: Vec<_> = rows.collect();
        templates.sort_by_key(|(template, _)| Reverse(template.letters));
        templates
    })
}

/// A text that is being taken apart.
struct Reading<'t> {
    /// What is known of parts of it, by how deep they may be taken apart.
    known: BTreeMap<(&'t str, usize), Option<Told>>,
    work: u32,
    /// Templates with fewer letters are left aside, but for those that only join.
    fewest: usize,
}

impl<'t> Reading<'t> {
    fn new(fewest: usize) -> Self {
        Self {
            known: BTreeMap::new(),
            work: MOST_WORK,
            fewest,
        }
    }

    fn part(&mut self, text: &'t str, deep: usize) -> Option<Told> {
        if deep == 0 || text.is_empty() || is_quoted(text) {
            return None;
        }
        if let Some(known) = self.known.get(&(text, deep)) {
            return known.clone();
        }
        let long = text.matches("; ").count() >= LONG;
        let told = long.then(|| items(text)).flatten();
        let told = told.or_else(|| self.best(text, deep));
        self.known.insert((text, deep), told.clone());
        told
    }

    fn best(&mut self, text: &'t str, deep: usize) -> Option<Told> {
        let mut best: Option<Told> = None;
        let is_word = !text.contains(' ');
        for (template, chinese) in templates() {
            let is_vague = template.letters < self.fewest && !template.joins();
            if !template.is_whole() && (is_word || is_vague) {
                continue;
            }
            for from in [From::Left, From::Second, From::Right] {
                let told = self.by((template, chinese), text, from, deep);
                let more = |it: &Told| it.explained > best.as_ref().map_or(0, |it| it.explained);
                best = told.filter(more).or(best);
            }
            let enough = |it: &Told| it.is_whole || template.is_sure();
            if best.as_ref().is_some_and(enough) {
                break;
            }
        }
        best
    }

    /// `text` as it is made by a template, if it is.
    fn by(
        &mut self,
        (template, chinese): (&Template, &'static str),
        text: &'t str,
        from: From,
        deep: usize,
    ) -> Option<Told> {
        let deep = deep.saturating_sub(if template.letters < CLEAR && !template.joins() {
            4
        } else {
            1
        });
        let holes = template.holes(text, from, &mut self.work)?;
        if !template.may_hold(&holes) {
            return None;
        }
        let inside = holes.iter().zip(template.quoted());
        let inside: Vec<Option<Told>> = inside
            .map(|(hole, quoted)| match quoted {
                true => None,
                false => self.part(hole, deep),
            })
            .collect();
        // What only joins two things says nothing unless it joins something that is known.
        if template.joins() && inside.iter().all(Option::is_none) {
            return None;
        }
        let is_whole = holes.iter().zip(&inside).all(|(hole, told)| match told {
            Some(told) => told.is_whole,
            None => is_quoted(hole) || !hole.contains(' '),
        });
        let explained = inside.iter().flatten().map(|told| told.explained);
        let own = match template.joins() {
            true => 0,
            false => template.letters,
        };
        let explained = own + explained.sum::<usize>();
        let values = inside.into_iter().zip(&holes);
        let values = values.map(|(told, hole)| told.map_or((*hole).to_owned(), |it| it.chinese));
        let values: Vec<String> = values.collect();
        Some(Told {
            chinese: filled(chinese, &values),
            template: template.text,
            explained,
            is_whole,
        })
    }
}
