//! Which file makes which part.

use super::{
    chinese, controls, differences, error_texts, export, film, generate, glossary, gpu, help,
    learn, run,
};
use crate::lazy::{Fetching, Name};

/// Fetches a part.
pub(crate) fn load(name: Name) -> Fetching {
    match name {
        Name::Controls => Box::pin(controls::fetch()),
        Name::Film => Box::pin(film::fetch()),
        Name::Differences => Box::pin(differences::fetch()),
        Name::Export => Box::pin(export::fetch()),
        Name::Help => Box::pin(help::fetch()),
        Name::Generate => Box::pin(generate::fetch()),
        Name::Glossary => Box::pin(glossary::fetch()),
        Name::Learn => Box::pin(learn::fetch()),
        Name::Run => Box::pin(run::fetch()),
        Name::Gpu => Box::pin(gpu::fetch()),
        Name::Chinese => Box::pin(chinese::fetch()),
        Name::ErrorTexts => Box::pin(error_texts::fetch()),
    }
}
