//! A lesson: problems, and scenes about them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::random::Random;
use crate::scene::Scene;
use crate::text::Text;

/// A lesson, or a set of puzzles. It has no code of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lesson {
    /// Its name in links: small letters and hyphens.
    pub lesson: String,
    /// Its place in the list, from 1; puzzles come after lessons.
    pub number: u32,
    /// What it is called.
    pub title: Text,
    /// What who plays it can do afterwards.
    pub teaches: Text,
    /// The belief that it shows to be wrong.
    pub breaks: Text,
    /// How long it takes.
    pub minutes: u32,
    /// Where its instances are from.
    pub source: String,
    /// Whether its scenes are puzzles, each for itself.
    #[serde(default)]
    pub puzzles: bool,
    /// What its scenes are about, by name.
    pub problems: BTreeMap<String, Problem>,
    /// Problems prepared in another way, which its figures speak of too, by name.
    #[serde(default)]
    pub setups: BTreeMap<String, Setup>,
    /// Its scenes, in order.
    pub scenes: Vec<Scene>,
}

/// What a scene is about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Problem {
    /// The lines of a table of buffers.
    Csv(Vec<String>),
    /// The lines of a graph as text.
    Graph(Vec<String>),
    /// A sample that comes with the page, by its id.
    Sample(String),
    /// A table that follows from a seed.
    Random(Random),
}

/// A problem and how it is planned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setup {
    /// The problem of the lesson.
    pub problem: String,
    /// How it is planned, as a link says it.
    #[serde(default)]
    pub at: String,
}

impl Problem {
    /// The text of a file that holds it, and the ending of its name; `None` for a sample.
    #[must_use]
    pub fn file(&self) -> Option<(String, &'static str)> {
        let text = |lines: &[String]| lines.iter().map(|line| format!("{line}\n")).collect();
        match self {
            Self::Csv(lines) => Some((text(lines), "csv")),
            Self::Graph(lines) => Some((text(lines), "graph")),
            Self::Random(random) => Some((text(&random.lines("")), "csv")),
            Self::Sample(_) => None,
        }
    }

    /// The same with what is drawn from a seed.
    #[must_use]
    pub fn seeded(&self, seed: &str) -> Self {
        match self {
            Self::Random(random) => Self::Csv(random.lines(seed)),
            other => other.clone(),
        }
    }
}

impl Lesson {
    /// Whether it is another one for each seed: it has one scene, and what stands for its name in
    /// links is the seed.
    #[must_use]
    pub fn is_random(&self) -> bool {
        let mut problems = self.problems.values();
        problems.any(|problem| matches!(problem, Problem::Random(_)))
    }

    /// The lesson of this seed.
    #[must_use]
    pub fn seeded(&self, seed: &str) -> Self {
        let problems = self.problems.iter();
        let problems = problems.map(|(name, problem)| (name.clone(), problem.seeded(seed)));
        let scenes = self.scenes.iter().cloned().map(|scene| Scene {
            id: seed.to_owned(),
            ..scene
        });
        Self {
            problems: problems.collect(),
            scenes: scenes.collect(),
            ..self.clone()
        }
    }

    /// The scene of this name, and its place.
    #[must_use]
    pub fn scene(&self, id: &str) -> Option<(usize, &Scene)> {
        let mut scenes = self.scenes.iter().enumerate();
        scenes.find(|(_, scene)| scene.id == id)
    }
}
