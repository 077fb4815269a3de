//! Best fit: where the offset strategies put a buffer, whatever their order.
//!
//! Walks the placed buffers that are live at the same time in order of address and takes the
//! smallest free range between them that fits, the lowest on ties; else the end of the last.
//! The addresses below the first of them are a free range too.

use super::constrained;
use super::layout::Layout;
use super::placed::Placed;
use super::records::Record;
use super::{Observer, PlanError, Strategy};
use crate::free_space::Fit;
use crate::liveness::Lifetimes;
use crate::plan::{Options, Plan};

/// Places `records` in `order`, each by best fit; those with a fixed address first.
pub(super) fn place_all(
    strategy: Strategy,
    lifetimes: &Lifetimes,
    (records, order): (&[Record], &[usize]),
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Plan, PlanError> {
    if constrained::concerns(lifetimes) {
        return constrained::place_all(strategy, lifetimes, (records, order), options, observer);
    }
    let mut layout = Layout::new(lifetimes, options, observer)?;
    let mut placed = Placed::new(records);
    for (index, record) in records.iter().enumerate() {
        if let Some(fixed) = layout.fixed(record) {
            placed.insert(index, (fixed, layout.put(record, fixed)?));
        }
    }
    for &index in order {
        let record = &records[index];
        if layout.fixed(record).is_none() {
            let offset = layout.choose(&mut placed, record, Fit::Best)?.start;
            placed.insert(index, (offset, layout.put(record, offset)?));
        }
    }
    Ok(layout.into_plan(strategy))
}
