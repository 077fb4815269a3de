//! The glossary: names, meanings and pictures of its terms.

use std::collections::BTreeSet;

use crate::File;

const WORDS: &str = "app/src/strings/glossary.rs";
const PICTURES: &str = "app/src/frame/glossary/pictures.rs";

/// A definition is read at a glance.
const LONGEST: usize = 30;

/// Terms without a name, a meaning in both languages or a picture, and names that are used twice
/// or are not written like-this.
pub(crate) fn glossary(files: &[File]) -> Vec<String> {
    let text = |path: &str| files.iter().find(|it| it.path == path);
    let (Some(words), Some(pictures)) = (text(WORDS), text(PICTURES)) else {
        return vec![format!("{WORDS} or {PICTURES}: is not there")];
    };
    let mut findings = Vec::new();
    let mut terms = BTreeSet::new();
    let mut named = BTreeSet::new();
    let mut seen = BTreeSet::new();
    let mut aliases = false;
    for (at, line) in words.text.lines().enumerate() {
        let mut found = |what: String| findings.push(format!("{WORDS}:{}: {what}", at + 1));
        aliases |= line.contains("const ALIASES");
        if let Some((term, both)) = row(line).and_then(|it| it.split_once(": \"")) {
            terms.insert(term);
            for fault in faults(both) {
                found(format!("{term}: {fault}"));
            }
        } else if let Some((name, term)) = entry(line) {
            if !is_kebab_case(name) {
                found(format!("\"{name}\" is not kebab-case"));
            }
            if !seen.insert(name) {
                found(format!("\"{name}\" is there twice"));
            }
            if !terms.contains(term) {
                found(format!("{term} has no row"));
            }
            if !aliases && !named.insert(term) {
                found(format!("{term} has two names: one is an alias"));
            }
        }
    }
    let drawn = pictures.text.lines().filter_map(row);
    let drawn = drawn.filter_map(|it| it.split_once(':').map(|(term, _)| term));
    let drawn: BTreeSet<&str> = drawn.collect();
    let missing = |all: &BTreeSet<&str>, path: &str, what: &str| {
        let missing = terms.difference(all);
        let missing = missing.map(|term| format!("{path}:1: {term} has no {what}"));
        missing.collect::<Vec<String>>()
    };
    findings.extend(missing(&named, WORDS, "name"));
    findings.extend(missing(&drawn, PICTURES, "picture"));
    findings
}

/// The row of a table of terms, which begins with a term: `    Arena: …`.
fn row(line: &str) -> Option<&str> {
    let row = line.strip_prefix("    ")?;
    row.starts_with(|it: char| it.is_ascii_uppercase())
        .then_some(row)
}

/// A name and its term, of `    ("arena", Term::Arena),`.
fn entry(line: &str) -> Option<(&str, &str)> {
    let inside = line.strip_prefix("    (\"")?.strip_suffix("),")?;
    inside.split_once("\", Term::")
}

/// What is wrong with the two texts of a row, `English|meaning", "Chinese|meaning";`.
fn faults(both: &str) -> Vec<String> {
    let texts = both
        .trim_end_matches("\";")
        .split_once("\", \"")
        .map(|(english, chinese)| [english, chinese]);
    let Some(texts) = texts else {
        return vec!["not in both languages".to_owned()];
    };
    let mut faults = Vec::new();
    for (text, language) in texts.into_iter().zip(["English", "Chinese"]) {
        match text.split_once('|') {
            Some((title, meaning)) if !title.is_empty() && !meaning.is_empty() => {
                if meaning.split_whitespace().count() > LONGEST {
                    faults.push(format!("over {LONGEST} words in {language}"));
                }
            }
            _ => faults.push(format!("no title or no meaning in {language}")),
        }
    }
    faults
}

fn is_kebab_case(name: &str) -> bool {
    let parts = || name.split('-');
    let mut signs = name.chars().filter(|it| *it != '-');
    parts().all(|part| !part.is_empty())
        && signs.all(|it| it.is_ascii_lowercase() || it.is_ascii_digit())
}

#[test]
fn every_term_has_a_name_a_meaning_and_a_picture() {
    crate::assert_clean(&glossary(&crate::project()));
}

#[test]
fn planted_faults_of_terms_are_found() {
    let words = "    Arena: \"arena|What it is.\", \"内存区|一块。\";\n    \
                 Step: \"step|What it is.\", \"时间步\";\n    Hole: \"hole|What it is.\";\n    \
                 Peak: \"peak|What it is.\", \"峰值|是什么。\";\npub(crate) const TERMS: [\n    \
                 (\"arena\", Term::Arena),\n    (\"Step_\", Term::Step),\n    \
                 (\"arena\", Term::Hole),\n    (\"pool\", Term::Pool),\n    \
                 (\"block\", Term::Arena),\n];\npub(crate) const ALIASES: [\n    \
                 (\"memory\", Term::Arena),\n];\n";
    let pictures = "    Arena: PLAN [];\n    Step: [\n        Rect(Plain, 1, 2, 3, 4),\n    ];\n    \
                    Hole: [];\n";
    let found = glossary(&[File::new(WORDS, words), File::new(PICTURES, pictures)]);
    let expected = [
        (WORDS, 2, "Step: no title or no meaning in Chinese"),
        (WORDS, 3, "Hole: not in both languages"),
        (WORDS, 7, "\"Step_\" is not kebab-case"),
        (WORDS, 8, "\"arena\" is there twice"),
        (WORDS, 9, "Pool has no row"),
        (WORDS, 10, "Arena has two names: one is an alias"),
        (WORDS, 1, "Peak has no name"),
        (PICTURES, 1, "Peak has no picture"),
    ];
    assert_eq!(
        found,
        expected.map(|(path, line, what)| format!("{path}:{line}: {what}"))
    );
}
