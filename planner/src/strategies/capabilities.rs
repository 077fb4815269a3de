//! What a strategy does about each kind of constraint, and the refusal of what it cannot keep.

use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use super::description::Capability;
use super::{PlanError, Strategy};
use crate::liveness::Lifetimes;
use crate::plan::Options;
use crate::{Message, message};

/// A constraint of the problem that a strategy may keep without using what it allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum Constraint {
    /// Buffers need only a part of their bytes for some time: it plans whole spans instead.
    #[serde(rename = "gaps")]
    Pauses,
    /// Buffers may be written over others: it keeps them apart instead.
    Handovers,
}

impl Strategy {
    /// What `lifetimes` allow and this strategy keeps without using it, so that its plan may
    /// be larger than it would have to be.
    #[must_use]
    pub fn unused(self, lifetimes: &Lifetimes) -> Vec<Constraint> {
        let capabilities = self.description().capabilities;
        let pauses = lifetimes.buffers.iter().any(|it| !it.pauses.is_empty());
        let asked = [
            (pauses, capabilities.pauses, Constraint::Pauses),
            (
                !lifetimes.handovers.is_empty(),
                capabilities.handovers,
                Constraint::Handovers,
            ),
        ];
        let unused = asked
            .into_iter()
            .filter(|(asked, capability, _)| *asked && *capability == Capability::Conservative);
        unused.map(|(_, _, constraint)| constraint).collect()
    }
}

/// Refuses what `strategy` cannot keep.
pub(super) fn refuse(
    strategy: Strategy,
    lifetimes: &Lifetimes,
    options: &Options,
) -> Result<(), PlanError> {
    let capabilities = strategy.description().capabilities;
    let no = |capability: Capability| capability == Capability::No;
    let buffers = || lifetimes.buffers.iter();
    if no(capabilities.fixed)
        && let Some(buffer) = buffers().find(|it| it.fixed.is_some())
    {
        return Err(unsupported(message!(
            "the fixed address of {}",
            format_args!("{:?}", buffer.name)
        )));
    }
    if no(capabilities.pauses)
        && let Some(buffer) = buffers().find(|it| !it.pauses.is_empty())
    {
        return Err(unsupported(message!(
            "the gaps of {}",
            format_args!("{:?}", buffer.name)
        )));
    }
    if no(capabilities.handovers)
        && let Some(handover) = lifetimes.handovers.first()
    {
        let name = buffers().nth(handover.after).map(|it| it.name.as_str());
        let name = name.unwrap_or_default();
        return Err(unsupported(message!(
            "the handover to {}",
            format_args!("{name:?}")
        )));
    }
    if no(capabilities.alignment)
        && let Some(buffer) = buffers().find(|it| super::alignment(it, options).0 > 1)
    {
        return Err(unsupported(message!(
            "the alignment of {}",
            format_args!("{:?}", buffer.name)
        )));
    }
    match options.pools.first() {
        Some(pool) if no(capabilities.pools) => {
            let name = &pool.name;
            Err(unsupported(match options.pools.len() {
                1 => message!("the pool {}", format_args!("{name:?}")),
                count => message!(
                    "{} pools, of which {} is the first",
                    count,
                    format_args!("{name:?}")
                ),
            }))
        }
        _ => Ok(()),
    }
}

fn unsupported(what: Message) -> PlanError {
    PlanError::Unsupported { what }
}
