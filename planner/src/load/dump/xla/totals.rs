//! What XLA itself sums the memory of a program up to, by what it is for
//! (`CompiledMemoryStats`, and the memory viewer of XProf).

use super::program::Allocation;
use crate::deployed::{Total, TotalKind};
use crate::units::Bytes;

/// The memory space of the host, which XLA counts apart.
const HOST: u64 = 5;

/// The sums of each kind; what the host keeps is not in them.
pub(super) fn totals(allocations: &[Allocation]) -> Vec<Total> {
    let kinds: [(TotalKind, fn(&Allocation) -> bool); 7] = [
        (TotalKind::Arguments, |it| it.parameter.is_some()),
        (TotalKind::Outputs, |it| it.live_out),
        (TotalKind::Aliased, |it| {
            it.parameter.is_some() && it.live_out
        }),
        (TotalKind::Temporary, Allocation::is_temporary),
        (TotalKind::Constants, |it| it.constant),
        (TotalKind::ThreadLocal, |it| it.thread_local),
        (TotalKind::All, |_| true),
    ];
    let sum = |is: fn(&Allocation) -> bool| {
        let own = allocations.iter().filter(|it| it.color != HOST && is(it));
        Bytes(own.fold(0, |sum, it| it.bytes().saturating_add(sum)))
    };
    let totals = kinds.map(|(kind, is)| Total {
        kind,
        bytes: sum(is),
    });
    totals.to_vec()
}
