//! The page's words.

use crate::File;

/// English words of the page that do not bend to the number before them: "{} tensors" is
/// wrong for 1, "{} {tensor|tensors}" is right. Verbs after a name end in s rightly.
pub(crate) fn plurals(files: &[File]) -> Vec<String> {
    const RIGHT: [&str; 20] = [
        "is", "has", "does", "ends", "lies", "reads", "finds", "takes", "fits", "grows", "belongs",
        "stands", "stays", "needs", "its", "less", "always", "costs", "starts", "holds",
    ];
    let mut findings = Vec::new();
    for file in files
        .iter()
        .filter(|it| it.path.starts_with("app/src/words/"))
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
    let found = plurals(&[File::new("app/src/words/table.rs", rows)]);
    assert_eq!(
        found,
        [
            "app/src/words/table.rs:1: \"faults\" for 1",
            "app/src/words/table.rs:3: \"faults\" for 1",
        ]
    );
}
