//! The lessons that come with the page, and what the worker says is right in their scenes.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use lesson::{Lesson, Problem, Scene};
use planner::load::{Columns, Source};
use worker::{Ask, CaseId, Found, Reply, Request, Server, Surroundings};

/// The last reply.
#[derive(Default)]
struct Last(Mutex<Option<Reply>>);

impl Surroundings for Last {
    fn now(&self) -> f64 {
        0.0
    }

    fn reply(&self, reply: &Reply) {
        *self.0.lock().expect("nobody else writes") = Some(reply.clone());
    }
}

/// Where the page's files are.
fn public() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../public"))
}

/// Every lesson, by the name of its file.
///
/// # Panics
/// Where one cannot be read.
#[must_use]
pub fn lessons() -> Vec<(String, Lesson)> {
    let files = fs::read_dir(public().join("lessons")).expect("the folder of lessons");
    let paths = files.map(|file| file.expect("a file").path());
    let is_lesson = |path: &PathBuf| path.extension().is_some_and(|it| it == "json");
    let mut paths: Vec<PathBuf> = paths.filter(is_lesson).collect();
    paths.sort();
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("a text");
        let name = path.file_name().expect("a name").to_string_lossy();
        let lesson = lesson::read(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        (name.into_owned(), lesson)
    };
    paths.into_iter().map(read).collect()
}

/// What the worker says is right in a scene.
///
/// # Errors
/// Where a figure cannot be measured.
///
/// # Panics
/// Where the worker does not answer.
#[expect(
    clippy::panic_in_result_fn,
    reason = "what a worker does not answer is no finding"
)]
pub fn measured(lesson: &Lesson, scene: &Scene) -> Found {
    let (mut server, last, case) = (Server::default(), Last::default(), CaseId(1));
    if let Some(Problem::Sample(sample)) = lesson.problems.get(&scene.problem) {
        let (file, bytes) = self::sample(sample);
        let open = Request::Open {
            id: 1,
            case,
            names: vec![file],
            columns: Columns::default(),
            range: None,
            text: None,
        };
        let files = [&bytes as &dyn Source];
        server
            .answer(&open, &files, &last)
            .expect("it has the code");
    }
    let ask = Ask::new(&conversation::asked(lesson, scene)).expect("it is packed");
    let request = Request::Ask { id: 2, case, ask };
    server
        .answer(&request, &[], &last)
        .expect("it has the code");
    match last.0.into_inner().expect("nobody panicked") {
        Some(Reply::Found { found, .. }) => found.retyped().open().expect("it is unpacked"),
        other => panic!("{}: {other:?}", scene.id),
    }
}

/// The file of a sample, by its id.
fn sample(id: &str) -> (String, Vec<u8>) {
    let samples = fs::read_to_string(public().join("samples/index.json")).expect("a list");
    let samples: Vec<serde_json::Value> = serde_json::from_str(&samples).expect("JSON");
    let entry = samples.iter().find(|it| it["id"] == id);
    let file = entry.expect("such a sample")["file"].as_str();
    let file = file.expect("its file").to_owned();
    let bytes = fs::read(public().join("samples").join(&file)).expect("the sample's file");
    (file, bytes)
}
