//! Every sentence is made by `message!`, and its template has its Chinese in `app/error_texts`.

use std::collections::BTreeSet;

use planner::Strategy;

use crate::File;

/// Whose sources say something.
const SPEAKERS: [&str; 7] = [
    "planner/src/",
    "app/executor/src/",
    "app/worker/src/",
    "app/runner/src/",
    "app/lesson/src/",
    "app/conversation/src/",
    "app/src/",
];

/// Of them what no person reads on the page: the command line, and files that are written.
const UNSEEN: [&str; 2] = ["planner/src/cli/", "planner/src/save/"];

/// Names of strategies and formulas, in which nothing is said.
const THE_SAME: [&str; 10] = [
    "O(n log n)",
    "O(n · k log k)",
    "O(n · k)",
    "ggml, ggml_gallocr",
    "Brélaz 1979, DSATUR",
    "5 × nnvm_tokens",
    "TFLite Micro, GreedyMemoryPlanner",
    "TVM USMP, ",
    "xla_spatial + xla_temporal",
    "greedy_by_size + greedy_by_breadth",
];

/// The templates of the messages in a source, each with its line.
fn templates(source: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (at, call) in source.match_indices("message!(") {
        let before = &source[..at];
        let line = before.rsplit('\n').next().unwrap_or_default();
        // Another macro, a comment, and the macro itself.
        let is_other = before.ends_with('_') || line.trim_start().starts_with("//");
        let mut rest = source[at + call.len()..].trim_start();
        if is_other || rest.starts_with('$') {
            continue;
        }
        let line = before.matches('\n').count() + 1;
        loop {
            let (template, behind) = literal(rest)
                .unwrap_or_else(|| panic!("line {line}: a template is a plain literal"));
            found.push((line, template));
            // One and several: "row" | "rows".
            match behind.trim_start().strip_prefix('|') {
                Some(several) => rest = several.trim_start(),
                None => break,
            }
        }
    }
    found
}

/// The text of the literal at the beginning, and what follows it.
fn literal(rest: &str) -> Option<(String, &str)> {
    let mut letters = rest.strip_prefix('"')?.chars();
    let mut text = String::new();
    loop {
        match letters.next()? {
            '"' => return Some((text, letters.as_str())),
            '\\' => match letters.next()? {
                'n' => text.push('\n'),
                // The line goes on behind its indent.
                '\n' => letters = letters.as_str().trim_start().chars(),
                other => text.push(other),
            },
            other => text.push(other),
        }
    }
}

/// Whether there are words in it: two letters beside a blank.
fn has_words(text: &str) -> bool {
    let letters: Vec<char> = text.chars().collect();
    let small = |it: &char| it.is_ascii_lowercase();
    let word = |at: usize| {
        letters
            .get(at..at + 2)
            .is_some_and(|it| it.iter().all(small))
    };
    letters
        .iter()
        .enumerate()
        .any(|(at, it)| *it == ' ' && (word(at + 1) || at >= 2 && word(at - 2)))
}

fn spoken(files: &[File]) -> impl Iterator<Item = &File> {
    let speaks = |file: &&File| SPEAKERS.iter().any(|it| file.path.starts_with(it));
    files.iter().filter(speaks)
}

/// What is said and has no Chinese.
fn untranslated(files: &[File], rows: &[(&str, &str)]) -> Vec<String> {
    let english: BTreeSet<&str> = rows.iter().map(|(english, _)| *english).collect();
    let mut findings = Vec::new();
    let is_seen = |file: &&File| !UNSEEN.iter().any(|it| file.path.starts_with(it));
    for file in spoken(files).filter(is_seen) {
        for (line, template) in templates(&file.text) {
            let has_letters = template.contains(|it: char| it.is_ascii_alphabetic());
            if has_letters && !english.contains(&*template) {
                findings.push(format!("{}:{line}: no Chinese for {template:?}", file.path));
            }
        }
    }
    findings
}

/// Chinese for what nobody says.
fn unsaid(files: &[File], rows: &[(&str, &str)]) -> Vec<String> {
    let said = spoken(files).flat_map(|file| templates(&file.text));
    let said: BTreeSet<String> = said.map(|(_, template)| template).collect();
    let rows = rows.iter().filter(|(english, _)| !said.contains(*english));
    rows.map(|(english, _)| format!("app/error_texts: nobody says {english:?}"))
        .collect()
}

/// Whether a literal of `source` is this text; what its holes are called does not count.
fn has_literal(source: &str, text: &str) -> bool {
    let begin = format!("\"{}", text.split("{}").next().unwrap_or_default());
    source.match_indices(&begin).any(|(at, _)| {
        let mut rest = &source[at + begin.len()..];
        for piece in text.split("{}").skip(1) {
            let hole = rest.strip_prefix('{').and_then(|it| it.split_once('}'));
            match hole.and_then(|(_, behind)| behind.strip_prefix(piece)) {
                Some(behind) => rest = behind,
                None => return false,
            }
        }
        rest.starts_with('"')
    })
}

/// Chinese for texts that no source has.
fn unwritten(files: &[File], rows: &[(&str, &str)]) -> Vec<String> {
    let written = |text: &str| spoken(files).any(|file| has_literal(&file.text, text));
    let rows = rows.iter().filter(|(text, _)| !written(text));
    rows.map(|(text, _)| format!("app/error_texts: nobody writes {text:?}"))
        .collect()
}

/// The holes of a text, by their numbers in the English one.
fn holes(text: &str) -> BTreeSet<usize> {
    let mut next = 0;
    let inside = text.split('{').skip(1).filter_map(|it| it.split_once('}'));
    let inside = inside.filter(|(inside, _)| inside.chars().all(|it| it.is_ascii_digit()));
    inside
        .map(|(inside, _)| {
            inside.parse().unwrap_or_else(|_| {
                next += 1;
                next - 1
            })
        })
        .collect()
}

/// Rows that are there twice, lose or add a hole, or are not in Chinese.
fn wrong(rows: &[(&str, &str)]) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let mut findings = Vec::new();
    for (english, chinese) in rows {
        let is_chinese = |it: char| ('\u{4e00}'..='\u{9fff}').contains(&it);
        let is_kept = english == chinese || !chinese.contains(|it: char| it.is_alphabetic());
        if !seen.insert(english) {
            findings.push(format!("{english:?} is there twice"));
        }
        if holes(english) != holes(chinese) {
            findings.push(format!("{english:?} has other holes than {chinese:?}"));
        }
        if !is_kept && !chinese.contains(is_chinese) {
            findings.push(format!("{chinese:?} is not Chinese"));
        }
    }
    findings
}

fn all() -> Vec<(&'static str, &'static str)> {
    error_texts::rows().collect()
}

#[test]
fn what_is_said_is_there_in_chinese() {
    let found = untranslated(&crate::project(), &all());
    crate::assert_clean(&found);
}

#[test]
fn what_is_there_in_chinese_is_said() {
    let others: BTreeSet<_> = error_texts::foreign().chain(error_texts::texts()).collect();
    let rows: Vec<_> = error_texts::rows()
        .filter(|row| !others.contains(row))
        .collect();
    assert!(rows.len() > 800, "only {} rows", rows.len());
    let (files, texts) = (crate::project(), error_texts::texts().collect::<Vec<_>>());
    crate::assert_clean(&[unsaid(&files, &rows), unwritten(&files, &texts)].concat());
}

#[test]
fn where_strategies_come_from_is_there_in_chinese() {
    let known = Strategy::ALL.map(|it| [it.description().source, it.description().cost]);
    let texts: BTreeSet<&str> = error_texts::texts().map(|(english, _)| english).collect();
    for text in known.as_flattened() {
        let is_same = !has_words(text) || THE_SAME.iter().any(|it| text.starts_with(it));
        assert!(is_same || texts.contains(text), "no Chinese for {text:?}");
    }
}

#[test]
fn rows_are_whole() {
    crate::assert_clean(&wrong(&all()));
}

#[test]
fn a_planted_message_without_chinese_is_found() {
    let text = "fn f() {\n    // message!(\"not said\")\n    let a = message!(\"the {} of \\\n        it\", 1);\n    \
                impl_message!(It);\n    let b = message!(\n        \"row\" | \"rows \\\"a\\\"\", 2);\n    \
                let c = \"no sentence\"; let d = message!(\"{}: {}\", 1, 2);\n}\n";
    let file = |path| File::new(path, text);
    let files = [
        file("planner/src/load/a.rs"),
        file("planner/src/cli/a.rs"),
        file("tests/src/a.rs"),
    ];
    assert_eq!(
        untranslated(&files, &[("row", "行")]),
        [
            "planner/src/load/a.rs:3: no Chinese for \"the {} of it\"",
            "planner/src/load/a.rs:6: no Chinese for \"rows \\\"a\\\"\"",
        ]
    );
}

#[test]
fn a_planted_row_without_text_is_found() {
    let text = "let a = message!(\"a {} b\", 1); let b = format!(\"step {at}\");\n";
    let files = [File::new("app/worker/src/a.rs", text)];
    let rows = [("a {} b", "{}"), ("step {}", "步 {}")];
    assert_eq!(
        unsaid(&files, &rows),
        ["app/error_texts: nobody says \"step {}\""]
    );
    let rows = [("step {}", "步 {}"), ("{} steps", "{} 步")];
    assert_eq!(
        unwritten(&files, &rows),
        ["app/error_texts: nobody writes \"{} steps\""]
    );
}

#[test]
fn planted_wrong_rows_are_found() {
    let rows = [
        ("a {} of {}", "{1} 的 {0}"),
        ("a {} of {}", "仅 {}"),
        ("b {}", "{} 与 {}"),
        ("c {}", "still {}"),
    ];
    assert_eq!(
        wrong(&rows),
        [
            "\"a {} of {}\" is there twice",
            "\"a {} of {}\" has other holes than \"仅 {}\"",
            "\"b {}\" has other holes than \"{} 与 {}\"",
            "\"still {}\" is not Chinese",
        ]
    );
}
