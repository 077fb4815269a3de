//! Files as the reducer knows them: by name, size and a handle that the page resolves.

use std::collections::BTreeMap;
use std::sync::Arc;

use planner::graph::Bindings;
use serde::Deserialize;

use crate::model::language::Language;

/// What joins the names of files that are opened together.
pub const JOINT: &str = " + ";

/// The bytes of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// The page has them, under this number.
    Blob(u32),
    /// Here they are.
    Text(Arc<str>),
    /// Here they are, unpacked from another file.
    Bytes(Arc<[u8]>),
}

/// A file that a person gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// What they call it.
    pub name: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// Its bytes.
    pub content: Content,
}

impl Given {
    /// A text as a file.
    #[must_use]
    pub fn text(name: &str, text: &str) -> Self {
        Self {
            name: name.to_owned(),
            bytes: text.len() as u64,
            content: Content::Text(text.into()),
        }
    }
}

/// What files that make one document are called.
pub(crate) fn joined(files: &[Given]) -> String {
    let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
    names.join(JOINT)
}

/// A sample that comes with the page.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Sample {
    /// For links.
    pub id: String,
    /// What it is.
    pub group: Group,
    /// Under `public/samples/`.
    pub file: String,
    /// Values of its symbolic dimensions to start with.
    pub bind: Bindings,
    /// The names of the columns to start with; none for those that any such file starts with.
    #[serde(default)]
    pub show: Vec<String>,
    title: InLanguages,
    about: InLanguages,
}

/// What a sample is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Group {
    /// A network.
    Model,
    /// A plan that a toolchain dumped.
    Deployed,
    /// A run of a training step.
    Training,
    /// Lifetimes alone.
    Problem,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
struct InLanguages {
    en: String,
    zh: String,
}

impl InLanguages {
    fn get(&self, language: Language) -> &str {
        match language {
            Language::En => &self.en,
            Language::Zh => &self.zh,
        }
    }
}

impl Sample {
    /// Its title.
    #[must_use]
    pub fn title(&self, language: Language) -> &str {
        self.title.get(language)
    }

    /// What it shows.
    #[must_use]
    pub fn about(&self, language: Language) -> &str {
        self.about.get(language)
    }
}

/// What the browser remembers between visits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// Values bound to symbolic dimensions, by [`Memory::key`].
    pub bindings: BTreeMap<String, Bindings>,
}

impl Memory {
    /// The key of the values bound for a file called `name` of `bytes` bytes.
    #[must_use]
    pub fn key(name: &str, bytes: u64) -> String {
        format!("{name}.{bytes}")
    }
}
