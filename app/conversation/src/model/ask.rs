//! Something that is asked in the background: what it is asked of, and how far its answer is.

use std::sync::Arc;

use crate::model::tracked::Tracked;

/// How far an answer is.
#[derive(Debug, Default, PartialEq)]
pub enum Answer<T: ?Sized> {
    /// Nobody has asked.
    #[default]
    Unasked,
    /// At work: parts done and in all; none before the first is begun.
    Working(u64, u64),
    /// There.
    There(Arc<T>),
    /// There is none.
    Nothing,
    /// It was stopped, or the worker does not answer.
    Stopped,
}

impl<T: ?Sized> Clone for Answer<T> {
    fn clone(&self) -> Self {
        match self {
            Self::Unasked => Self::Unasked,
            Self::Working(done, total) => Self::Working(*done, *total),
            Self::There(found) => Self::There(Arc::clone(found)),
            Self::Nothing => Self::Nothing,
            Self::Stopped => Self::Stopped,
        }
    }
}

impl<T: ?Sized> Answer<T> {
    /// Whether it is at work.
    #[must_use]
    pub fn is_working(&self) -> bool {
        matches!(self, Self::Working(..))
    }

    /// Whether it is there.
    #[must_use]
    pub fn is_there(&self) -> bool {
        matches!(self, Self::There(_))
    }
}

/// Something that is asked in the background.
#[derive(Debug)]
pub struct Ask<Of, T: ?Sized> {
    /// How far the answer is.
    pub found: Tracked<Answer<T>>,
    /// What it was asked with.
    pub(crate) of: Option<Of>,
}

impl<Of, T: ?Sized> Default for Ask<Of, T> {
    fn default() -> Self {
        Self {
            found: Tracked::default(),
            of: None,
        }
    }
}
