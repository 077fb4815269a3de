//! Lays out the lessons: without blanks, and with a list of them.
//!
//! A lesson that the list cannot be made of ends the build. With the feature `lessons` so does one
//! that is doubtful before anything is planned. Its figures are what tests look at.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

/// Where they are, beside `index.html`.
pub(crate) const FOLDER: &str = "public/lessons";

/// The file that lists them.
const LIST: &str = "index.json";

/// Reads every lesson of `from` and writes it into `to`.
///
/// # Errors
/// A file that is no lesson, with line and column; one that is doubtful; two of one name.
pub(crate) fn lay_out(from: &Path, to: &Path) -> Result<()> {
    let mut list = BTreeMap::new();
    for entry in fs::read_dir(from).with_context(|| format!("reading {}", from.display()))? {
        let path = entry?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
            continue;
        };
        if !name.ends_with(".json") || name == LIST {
            continue;
        }
        let text = fs::read_to_string(&path).with_context(|| format!("reading {name}"))?;
        let lesson: Value =
            serde_json::from_str(&text).with_context(|| format!("{FOLDER}/{name}"))?;
        check(name, &text)?;
        let (number, entry) = listed(name, &lesson).with_context(|| {
            format!("{FOLDER}/{name}: a lesson lacks a field that the list has")
        })?;
        ensure!(
            !list.contains_key(&number),
            "{name}: another lesson has number {number}"
        );
        list.insert(number, entry);
        fs::create_dir_all(to)?;
        fs::write(to.join(name), serde_json::to_string(&lesson)?)?;
    }
    let list: Vec<Value> = list.into_values().collect();
    fs::write(to.join(LIST), serde_json::to_string(&list)?)?;
    Ok(())
}

/// Refuses a lesson that the page could not read, or that is doubtful.
#[cfg(feature = "lessons")]
fn check(name: &str, text: &str) -> Result<()> {
    let lesson = lesson::read(text).with_context(|| format!("{FOLDER}/{name}"))?;
    let doubts = lesson::check(&lesson);
    let said = doubts.iter().map(|doubt| format!("\n{doubt}"));
    ensure!(doubts.is_empty(), "{name}:{}", said.collect::<String>());
    Ok(())
}

/// Without the planner nothing is known of a lesson but that it is JSON.
#[cfg(not(feature = "lessons"))]
#[expect(clippy::unnecessary_wraps, reason = "as the one that refuses lessons")]
fn check(_name: &str, _text: &str) -> Result<()> {
    Ok(())
}

/// The number of a lesson, by which the list is sorted, and what the list says of it.
fn listed(file: &str, lesson: &Value) -> Option<(u64, Value)> {
    let number = lesson["number"].as_u64()?;
    let problems = lesson["problems"].as_object()?;
    let scenes = lesson["scenes"].as_array()?;
    let scenes: Option<Vec<&str>> = scenes.iter().map(|scene| scene["id"].as_str()).collect();
    let entry = json!({
        "lesson": lesson["lesson"].as_str()?,
        "file": file,
        "number": number,
        "title": lesson["title"].as_object()?,
        "teaches": lesson["teaches"].as_object()?,
        "minutes": lesson["minutes"].as_u64()?,
        "puzzles": lesson["puzzles"].as_bool().unwrap_or_default(),
        "random": problems.values().any(|problem| problem.get("random").is_some()),
        "scenes": scenes?,
    });
    Some((number, entry))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_no_lesson_is_refused_and_named() {
        let folder = std::env::temp_dir().join("arenascope-no-lesson");
        fs::create_dir_all(&folder).unwrap();
        for (text, says) in [("{\"lesson\": 1", "line 1"), ("{\"lesson\": 1}", "lacks")] {
            fs::write(folder.join("broken.json"), text).unwrap();
            let error = lay_out(&folder, &folder.join("out")).unwrap_err();
            let said = format!("{error:#}");
            assert!(said.contains("broken.json"), "{said}");
            assert!(
                said.contains(says) || cfg!(feature = "lessons") && said.contains("line 1"),
                "{said}"
            );
        }
        fs::remove_dir_all(&folder).unwrap();
    }
}
