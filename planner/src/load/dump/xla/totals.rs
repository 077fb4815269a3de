//! What XLA itself sums the memory of a program up to, by what it is for
//! (`CompiledMemoryStats`, and the memory viewer of XProf).

use std::collections::BTreeMap;

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
    let sum = |kind| match kind {
        TotalKind::Donatable => donatable(allocations),
        _ => sum(kind),
    };
    let kinds = TotalKind::ALL.into_iter();
    let totals = kinds
        .filter(|kind| !matches!(kind, TotalKind::Reusable | TotalKind::AtLeast))
        .map(|kind| Total {
            kind,
            bytes: sum(kind),
        });
    totals.collect()
}

fn counts(allocation: &Allocation, kind: TotalKind) -> bool {
    match kind {
        TotalKind::Arguments => allocation.parameter.is_some(),
        TotalKind::Outputs => allocation.live_out,
        TotalKind::Aliased => allocation.parameter.is_some() && allocation.live_out,
        // Counted in pairs.
        TotalKind::Donatable | TotalKind::Reusable => false,
        // All is known.
        TotalKind::AtLeast => false,
        TotalKind::Temporary => allocation.is_temporary(),
        TotalKind::Constants => allocation.constant,
        TotalKind::ThreadLocal => allocation.thread_local,
        TotalKind::All => true,
    }
}

/// Bytes of the arguments that are not written over, each paired with a result of the same size
/// that lies elsewhere: what donating them would save, where their types are the same, too.
fn donatable(allocations: &[Allocation]) -> Bytes {
    let mut free: BTreeMap<u64, u64> = BTreeMap::new();
    let device = || allocations.iter().filter(|it| it.color != HOST);
    for argument in device().filter(|it| it.parameter.is_some() && !it.live_out) {
        *free.entry(argument.bytes()).or_default() += 1;
    }
    let mut sum: u64 = 0;
    for result in device().filter(|it| it.live_out && it.parameter.is_none()) {
        if let Some(count) = free.get_mut(&result.bytes())
            && *count > 0
        {
            *count -= 1;
            sum = sum.saturating_add(result.bytes());
        }
    }
    Bytes(sum)
}
