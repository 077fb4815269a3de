//! The page's words.

use crate::File;

/// English words of the page that do not bend to the number before them: "{} tensors" is
/// wrong for 1, "{} {tensor|tensors}" is right. Verbs after a name end in s rightly.
pub(crate) fn plurals(files: &[File]) -> Vec<String> {
    const RIGHT: [&str; 24] = [
        "is", "has", "does", "ends", "lies", "reads", "finds", "takes", "fits", "grows", "belongs",
        "stands", "stays", "needs", "its", "less", "always", "costs", "starts", "holds", "shares",
        "decides", "promises", "saves",
    ];
    let mut findings = Vec::new();
    for file in files
        .iter()
        .filter(|it| it.path.starts_with("app/src/strings/"))
    {
        for (at, line) in file.text.lines().enumerate() {
            // A row is `Name: "English", "Chinese";`.
            let english = line.split("\", \"").next().unwrap_or_default();
            let row = english.split_once(": \"");
            for after in row
                .into_iter()
                .flat_map(|(_, text)| text.split("{} ").skip(1))
            {
                let words = after.split(|c: char| !c.is_alphabetic() && c != ' ');
                let mut words = words.take(1).flat_map(|it| it.split(' ')).take(2);
                let noun = words
                    .find(|word| word.len() > 1 && word.ends_with('s') && !RIGHT.contains(word));
                if let Some(noun) = noun {
                    findings.push(format!("{}:{}: \"{noun}\" for 1", file.path, at + 1));
                }
            }
        }
    }
    findings
}

#[test]
fn a_planted_plural_is_found() {
    let rows = "    Count: \"({} faults):\", \"{} 处\";\n    Good: \"{} {fault|faults}\", \"{} 处\";\n    \
                Verb: \"{} has {} more faults.\", \"\";\n";
    let found = plurals(&[File::new("app/src/strings/table.rs", rows)]);
    assert_eq!(
        found,
        [
            "app/src/strings/table.rs:1: \"faults\" for 1",
            "app/src/strings/table.rs:3: \"faults\" for 1",
        ]
    );
}

/// Terms that elements name and the glossary does not have, and rows of the glossary that say
/// nothing in one of both languages.
pub(crate) fn undefined(files: &[File]) -> Vec<String> {
    let mut findings = Vec::new();
    let glossary = files.iter().find(|it| it.path == GLOSSARY);
    let Some(glossary) = glossary else {
        return vec![format!("{GLOSSARY}: is not there")];
    };
    let mut terms = Vec::new();
    for (at, line) in glossary.text.lines().enumerate() {
        if let Some((_, row)) = line.split_once(": \"")
            && line.starts_with("    ")
        {
            let both = row.split("\", \"");
            if both.filter(|text| text.contains('|')).count() != 2 {
                findings.push(format!("{GLOSSARY}:{}: a term in one language", at + 1));
            }
        }
        let entry = line.trim().strip_prefix("(\"");
        if let Some((name, _)) = entry.and_then(|entry| entry.split_once('"')) {
            terms.push(name);
        }
    }
    for file in files.iter().filter(|it| it.path.starts_with("app/src/")) {
        for (at, line) in file.text.lines().enumerate() {
            let named = line.split("data-define=\"").nth(1);
            let name = named.and_then(|named| named.split('"').next());
            if let Some(name) = name.filter(|name| !terms.contains(name)) {
                findings.push(format!("{}:{}: no term \"{name}\"", file.path, at + 1));
            }
        }
    }
    findings
}

const GLOSSARY: &str = "app/src/strings/glossary.rs";

#[test]
fn a_planted_term_without_meaning_is_found() {
    let glossary = "    Arena: \"arena|What it is.\", \"内存区\";\n    (\"arena\", Term::Arena),\n";
    let page = "<b data-define=\"arena\"></b>\n<b data-define=\"areal\"></b>\n";
    let files = [
        File::new(GLOSSARY, glossary),
        File::new("app/src/a.rs", page),
    ];
    assert_eq!(
        undefined(&files),
        [
            "app/src/strings/glossary.rs:1: a term in one language",
            "app/src/a.rs:2: no term \"areal\"",
        ]
    );
}
