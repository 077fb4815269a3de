//! What makes the parts of the page that are fetched later: a file for each, and the list of what
//! loads which. Only `main` knows it.

mod chinese;
mod controls;
mod differences;
mod effects;
mod error_texts;
mod film;
mod generate;
mod glossary;
mod gpu;
mod help;
mod learn;
mod loaders;
mod run;
mod runner;
mod export;

pub(crate) use loaders::load;
