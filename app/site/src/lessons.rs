//! Lays out the lessons: checked, without blanks, and with a list of them.
//!
//! A lesson that cannot be read, or is doubtful before anything is planned, ends the build. Its
//! figures are what tests look at, for that takes the planner.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use lesson::Lesson;
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
    let mut lessons = Vec::new();
    for entry in fs::read_dir(from).with_context(|| format!("reading {}", from.display()))? {
        let path = entry?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
            continue;
        };
        if !name.ends_with(".json") || name == LIST {
            continue;
        }
        let text = fs::read_to_string(&path).with_context(|| format!("reading {name}"))?;
        let lesson = lesson::read(&text).with_context(|| format!("public/lessons/{name}"))?;
        let doubts = lesson::check(&lesson);
        let said = doubts.iter().map(|doubt| format!("\n{doubt}"));
        ensure!(doubts.is_empty(), "{name}:{}", said.collect::<String>());
        fs::create_dir_all(to)?;
        fs::write(to.join(name), without_blanks(&text)?)?;
        lessons.push((name.to_owned(), lesson));
    }
    lessons.sort_by_key(|(_, lesson)| lesson.number);
    let twice = lessons
        .windows(2)
        .find(|pair| pair[0].1.number == pair[1].1.number);
    ensure!(
        twice.is_none(),
        "two lessons have one number: {:?}",
        twice.map(|it| &it[0].0)
    );
    let list: Vec<Value> = lessons
        .iter()
        .map(|(file, lesson)| listed(file, lesson))
        .collect();
    fs::write(to.join(LIST), serde_json::to_string(&list)?)?;
    Ok(())
}

/// What the list says of a lesson.
fn listed(file: &str, lesson: &Lesson) -> Value {
    let scenes: Vec<&String> = lesson.scenes.iter().map(|scene| &scene.id).collect();
    json!({
        "lesson": lesson.lesson,
        "file": file,
        "number": lesson.number,
        "title": lesson.title,
        "teaches": lesson.teaches,
        "minutes": lesson.minutes,
        "puzzles": lesson.puzzles,
        "random": lesson.is_random(),
        "scenes": scenes,
    })
}

fn without_blanks(text: &str) -> Result<String> {
    let value: Value = serde_json::from_str(text)?;
    Ok(serde_json::to_string(&value)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_doubtful_lesson_is_refused_and_named() {
        let folder = std::env::temp_dir().join("arenascope-doubtful-lesson");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("broken.json"), "{\"lesson\": 1}").unwrap();
        let error = lay_out(&folder, &folder.join("out")).unwrap_err();
        assert!(format!("{error:#}").contains("broken.json"), "{error:#}");
        assert!(format!("{error:#}").contains("line 1"), "{error:#}");
        fs::remove_dir_all(&folder).unwrap();
    }
}
