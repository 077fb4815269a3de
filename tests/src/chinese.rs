//! What is said in English has to be there in Chinese: readers as the tests of broken files call
//! them, which hold that of everything that they are told.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use planner::load::{self, Files, LoadError, Loaded, Part, Source};
use planner::message::Argument;
use planner::{AsArgument, Message};

/// Words of templates that stay as they are where they name something: keys and columns of
/// formats, parts of programs, and what the tests' own files call things.
const NAMES: [&str; 10] = [
    "action address args blocks buffers device dur end field fields file files frames graph \
     handovers header heads id input lower module name objects offset other output perm pools program \
     ranges reserved schedule shape size state steps temporary text tid ts upper values",
    "first behind begin strides starts ends axes pads delta sizes",
    "pack time addr chunk pickle schema vtable dict gzip zip tar deflate",
    "true false null",
    "tuple struct map unit",
    "Micro Runtime Python Arenascope",
    "arena chain picture stem main loop",
    "Len Varint",
    "tflite pte ggml ngl",
    // Chinese texts about compilers keep the word.
    "pass",
];

/// As [`planner::load::load`].
///
/// # Errors
/// As there.
///
/// # Panics
/// When something is said that has no Chinese.
pub fn load(source: &dyn Source) -> Result<Loaded, LoadError> {
    told(load::load(source))
}

/// As [`planner::load::load_parts`].
///
/// # Errors
/// As there.
///
/// # Panics
/// When something is said that has no Chinese.
pub fn load_parts(parts: &[Part<'_>]) -> Result<Loaded, LoadError> {
    told(load::load_parts(parts))
}

/// As [`planner::load::load_files`].
///
/// # Errors
/// As there.
///
/// # Panics
/// When something is said that has no Chinese.
pub fn load_files(files: &Files<'_>) -> Result<Loaded, LoadError> {
    told(load::load_files(files))
}

fn told(read: Result<Loaded, LoadError>) -> Result<Loaded, LoadError> {
    match &read {
        Ok((_, _, warnings)) => {
            // The same is said of many places.
            for warning in warnings.iter().take(50) {
                assert_told(&warning.place);
                assert_told(&warning.message);
            }
        }
        Err(error) => {
            assert_told(&error.place);
            assert_told(&error.message);
        }
    }
    read
}

/// Holds that nothing English is left in Chinese of what is said.
///
/// # Panics
/// When something is.
pub fn assert_told(said: &(impl AsArgument + ?Sized)) {
    let chinese = match said.argument() {
        Argument::Message(message) => error_texts::in_chinese(&message),
        Argument::Verbatim(text) => error_texts::in_chinese(&Message::verbatim(text)),
    };
    let left: Vec<String> = english_in(&chinese)
        .filter(|word| vocabulary().contains(word))
        .collect();
    assert!(left.is_empty(), "{left:?} in {chinese:?}, of \"{said}\"");
}

/// The words that templates are made of. Of any other word it is not known whether it is a name.
fn vocabulary() -> &'static BTreeSet<String> {
    static VOCABULARY: OnceLock<BTreeSet<String>> = OnceLock::new();
    VOCABULARY.get_or_init(|| {
        let english = error_texts::rows().map(|(english, _)| english.replace("{}", " "));
        let mut words: BTreeSet<String> = english
            .flat_map(|english| english_in(&english).collect::<Vec<_>>())
            .collect();
        for name in NAMES.iter().flat_map(|names| names.split(' ')) {
            words.remove(name);
        }
        words
    })
}

/// The words of `text` that are English, outside of quotation marks.
fn english_in(text: &str) -> impl Iterator<Item = String> {
    let mut outside = String::new();
    let mut open = None;
    for letter in text.chars() {
        match open {
            Some(mark) if mark == letter => open = None,
            Some(_) => {}
            None if matches!(letter, '"' | '`') => open = Some(letter),
            None => outside.push(letter),
        }
    }
    let words = outside
        .split(|it: char| !it.is_ascii_graphic())
        .map(|word| word.trim_matches(|it: char| it.is_ascii_punctuation()));
    let is_english = |word: &&str| {
        let small = word.get(1..).unwrap_or_default();
        word.len() > 1
            && word.chars().all(|it| it.is_ascii_alphabetic())
            && small.chars().all(|it| it.is_ascii_lowercase())
    };
    let words: Vec<String> = words.filter(is_english).map(str::to_owned).collect();
    words.into_iter()
}
