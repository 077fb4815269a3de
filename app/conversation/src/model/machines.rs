//! Whether there is a GPU.

use planner::Message;

/// Whether there is a GPU to run on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Gpu {
    /// It was not asked for.
    #[default]
    Unasked,
    /// It was asked for and has not answered.
    Asked,
    /// There is one; its name.
    There(String),
    /// There is none.
    Missing(Missing),
    /// A run was refused one; why.
    Refused(Message),
}

/// Why there is no GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// Browsers keep it from pages that were neither served by this machine nor over TLS.
    Insecure,
    /// This browser does not know it, or it is switched off.
    NoInterface,
    /// It is known, but no GPU is given.
    NoAdapter,
}
