//! What changes in a picture between two kept decisions.

use alloc::collections::BTreeMap;

use super::Change;

/// Changes of which later ones replace earlier ones of the same thing.
#[derive(Debug, Default)]
pub(super) struct Changes {
    cleared: bool,
    /// By kind, pool and index.
    of: BTreeMap<(u8, u16, u32), Change>,
}

impl Changes {
    /// Adds a change.
    pub(super) fn add(&mut self, change: Change) {
        let key = match change {
            Change::Clear => {
                self.cleared = true;
                // Pools stay where they are.
                self.of.retain(|key, _| matches!(key.0, 2 | 3));
                return;
            }
            Change::Object(object, _) => (0, 0, object),
            Change::Range(pool, range, ..) | Change::Closed(pool, range) => (1, pool, range),
            Change::Base(pool, _) => (2, 0, pool),
            Change::Pool(buffer, _) => (3, 0, buffer),
            Change::At(buffer, _) | Change::In(buffer, _) | Change::Out(buffer) => (4, 0, buffer),
        };
        self.of.insert(key, change);
    }

    /// All that were added since the last time, in an order in which they can be made.
    pub(super) fn take(&mut self) -> impl Iterator<Item = Change> + use<> {
        let clear = core::mem::take(&mut self.cleared).then_some(Change::Clear);
        clear
            .into_iter()
            .chain(core::mem::take(&mut self.of).into_values())
    }
}
