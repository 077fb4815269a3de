//! Sizes of type in the page's style sheets.

use crate::File;

/// Sizes and fonts that are not of the scale that `:root` names.
pub(crate) fn off_the_scale(files: &[File]) -> Vec<String> {
    let mut findings = Vec::new();
    for file in files.iter().filter(|it| it.ends_with_any(&[".css"])) {
        for (at, line) in file.text.lines().enumerate() {
            for rule in ["font-size: ", "font: "] {
                for after in line.split(rule).skip(1) {
                    let value = after.split([';', '}']).next().unwrap_or_default().trim();
                    let is_named = value == "inherit" || value.contains("var(--");
                    // Paper has points.
                    let is_named = is_named || value.ends_with("pt");
                    if !is_named {
                        findings.push(format!("{}:{}: {rule}{value}", file.path, at + 1));
                    }
                }
            }
        }
    }
    findings
}

#[test]
fn a_planted_size_is_found() {
    let text = "a { font-size: var(--fine); font: inherit; }\nb { font: 600 var(--base)/1.3 var(--mono) }\nc { color: red; font-size: 15px }\nd { font: 12px serif; }\n";
    let found = off_the_scale(&[File::new("app/style.css", text)]);
    assert_eq!(
        found,
        [
            "app/style.css:3: font-size: 15px",
            "app/style.css:4: font: 12px serif"
        ]
    );
}
