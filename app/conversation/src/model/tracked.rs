//! A value that counts its changes, so that whoever shows it knows when to look again.

use std::ops::{Deref, DerefMut};

/// A value with the number of its changes.
/// A clone is one of the value: what was cloned is not tracked.
#[derive(Debug, Default)]
pub struct Tracked<T> {
    value: T,
    changes: u64,
}

impl<T> Tracked<T> {
    /// A value that was not changed yet.
    pub fn new(value: T) -> Self {
        Self { value, changes: 0 }
    }

    /// How often it was changed, or could have been.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// Puts `value` in its place.
    pub(crate) fn set(&mut self, value: T) {
        *self.deref_mut() = value;
    }
}

impl<T: PartialEq> Tracked<T> {
    /// Puts `value` in its place; nothing changes where it is the same.
    pub(crate) fn put(&mut self, value: T) {
        if self.value != value {
            self.set(value);
        }
    }
}

impl<T> Deref for Tracked<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

/// Whoever asks for a value that can be written changes it.
impl<T> DerefMut for Tracked<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.changes = self.changes.wrapping_add(1);
        &mut self.value
    }
}
