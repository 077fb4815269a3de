//! What XLA itself sums the memory of a program up to, by what it is for
//! (`CompiledMemoryStats`, and the memory viewer of XProf).

use super::program::Allocation;
use crate::deployed::{Total, TotalKind};
use crate::units::Bytes;

/// The memory space of the host, which XLA counts apart.
const HOST: u64 = 5;

/// The sums of each kind; what the host keeps is not in them.
pub(super) fn totals(allocations: &[Allocation]) -> Vec<Total> {
    let sum = |kind| {
        let device = allocations.iter().filter(|it| it.color != HOST);
        let own = device.filter(|it| counts(it, kind));
        Bytes(own.fold(0, |sum, it| it.bytes().saturating_add(sum)))
    };
    let totals = TotalKind::ALL.map(|kind| Total {
        kind,
        bytes: sum(kind),
    });
    totals.to_vec()
}

fn counts(allocation: &Allocation, kind: TotalKind) -> bool {
    match kind {
        TotalKind::Arguments => allocation.parameter.is_some(),
        TotalKind::Outputs => allocation.live_out,
        TotalKind::Aliased => allocation.parameter.is_some() && allocation.live_out,
        TotalKind::Temporary => allocation.is_temporary(),
        TotalKind::Constants => allocation.constant,
        TotalKind::ThreadLocal => allocation.thread_local,
        TotalKind::All => true,
    }
}
